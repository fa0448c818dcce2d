//! What was said so far, read from the rulings of the script. Prompts and the script itself look at
//! a debate through it.

use std::{collections::BTreeMap, fmt, sync::Arc};

use agon_core::{Digest, Faults, Key, Opened, RulingKind, Seat, View};
use serde::{Deserialize, Serialize};

use super::{
    declaration::{AnswerPlace, Ask, Declaration, DeclaredField},
    form::{self, FieldValues, FormStatement},
    passages,
};
use crate::common::{final_answer::FinalAnswer, lineup, verification::SourceCheck};

/// A round of a phase begins: data of the ruling `…/phase`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseBegins {
    /// The phase.
    pub phase: String,
    /// From 1.
    pub round: u32,
}

/// The accepted statements of one ask: data of the ruling `…/accepted`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedStatements {
    /// To which ask.
    pub ask: String,
    /// How often the debate had been extended by rounds.
    pub lap: u32,
    /// In which round of its phase, from 1.
    pub round: u32,
    /// Who said it, and the draft that stands.
    pub statements: Vec<(Seat, Key)>,
    /// What was found about the pages that a draft cites.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<Key, Vec<SourceCheck>>,
}

/// What was counted of one ask: data of the ruling `…/figures`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputedFigures {
    /// Of which.
    pub ask: String,
    /// In which round of its phase.
    pub round: u32,
    /// By kind and field.
    pub figures: FieldValues,
}

/// One statement with its place.
#[derive(Debug, Clone)]
pub struct PlacedStatement {
    /// To which ask.
    pub ask: String,
    /// How often the debate had been extended by rounds.
    pub lap: u32,
    /// In which round of its phase, from 1.
    pub round: u32,
    /// Whose.
    pub seat: Seat,
    /// What, as it stands: without what rests on pages that never were.
    pub statement: Arc<FormStatement>,
    /// What, as it was given: the words that end a phase, or decide, are looked for there.
    pub given: Arc<FormStatement>,
    /// By which answer.
    pub key: Key,
    /// What was found about the pages that it cites.
    pub sources: Vec<SourceCheck>,
    /// Its place among the others where nobody is told whose it is.
    pub lot: Option<Digest>,
}

/// Everything said.
#[derive(Debug, Clone)]
pub struct DeclaredState {
    /// The debate's, from which lots are drawn.
    seed: u64,
    /// What can be answered in it.
    pub(super) choices: Vec<String>,
    /// Its seats.
    pub(super) seats: Vec<Seat>,
    /// In the order in which it was accepted.
    pub said: Vec<PlacedStatement>,
}

/// One of the things that can be picked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thing {
    /// Its number, from 1.
    pub number: usize,
    /// What it says.
    pub text: String,
}

impl DeclaredState {
    /// Of a debate in which nothing was said.
    pub fn new(opened: &Opened) -> Self {
        let seats = opened.lineup.iter().map(|sat| sat.seat.clone()).collect();
        Self { seed: opened.seed, choices: form::list_choices(opened), seats, said: Vec::new() }
    }

    /// As `view` shows it.
    pub fn from_view(view: &View<'_>, declaration: &Declaration) -> Self {
        let mut state = Self::new(view.opened());
        let things = form::accepted_thing_counts(view.opened());
        for (_, ruling) in view.rulings_of_kind(RulingKind::Noted) {
            let Some(accepted) = ruling.decode_data::<AcceptedStatements>() else { continue };
            let Some(ask) = declaration.find_ask(&accepted.ask) else { continue };
            for (seat, key) in &accepted.statements {
                // It was checked before it was accepted, and what the check made of it is kept
                // with the entry.
                let parse = |text: &str| form::parse_statement(ask, text, &things).map(Arc::new);
                let statement: Option<Arc<Result<Arc<FormStatement>, Faults>>> = view.parse_statement(key, parse);
                if let Some(Ok(statement)) = statement.as_deref() {
                    state.add_statement(ask, &accepted, seat, key, statement);
                }
            }
        }
        state
    }

    /// Adds a statement to `ask`.
    pub fn add_statement(
        &mut self,
        ask: &Ask,
        place: &AcceptedStatements,
        seat: &Seat,
        key: &Key,
        given: &Arc<FormStatement>,
    ) {
        let AcceptedStatements { lap, round, .. } = *place;
        let lot = ask.anonymous.then(|| draw_lot(self.seed, &ask.name, lap, round, seat));
        let sources = place.sources.get(key).cloned().unwrap_or_default();
        let (given, statement) = (Arc::clone(given), passages::apply_source_checks(ask, given, &sources));
        let (ask, seat, key) = (ask.name.clone(), seat.clone(), key.clone());
        self.said.push(PlacedStatement { ask, lap, round, seat, statement, given, key, sources, lot });
    }

    /// What was said last to the ask called `name`: in the last round in which anything was.
    pub fn last_statements(&self, name: &str) -> Vec<&PlacedStatement> {
        round_of(&self.said, name, None)
    }

    /// What was said to the ask called `name` in the round before its last.
    pub fn last_but_one(&self, name: &str) -> Vec<&PlacedStatement> {
        let last = self.last_statements(name).first().map(|said| (said.lap, said.round));
        last.map(|last| round_of(&self.said, name, Some(last))).unwrap_or_default()
    }

    /// What could be picked in `field` when `statements`, of one round, were made.
    pub fn things_then(&self, field: &DeclaredField, statements: &[&PlacedStatement]) -> Vec<Thing> {
        let first = statements.first();
        let at = first.and_then(|first| self.said.iter().position(|said| std::ptr::eq(said, *first)));
        things_in(&self.said[..at.unwrap_or(self.said.len())], field)
    }

    /// What can be picked in `field` now; nothing where it picks from nothing.
    pub fn things_now(&self, field: &DeclaredField) -> Vec<Thing> {
        things_in(&self.said, field)
    }

    /// How many things or choices there are in `field` now.
    pub fn count_things(&self, field: &DeclaredField) -> usize {
        if field.kind.is_of_choices() { self.choices.len() } else { self.things_now(field).len() }
    }
}

/// What was said to the ask called `name` in its last round, or in the last one before `before`.
fn round_of<'s>(all: &'s [PlacedStatement], name: &str, before: Option<(u32, u32)>) -> Vec<&'s PlacedStatement> {
    let of_it = || all.iter().filter(|said| said.ask == name);
    let places = of_it().map(|said| (said.lap, said.round));
    let place = places.filter(|place| before.is_none_or(|before| *place < before)).max();
    of_it().filter(|said| Some((said.lap, said.round)) == place).collect()
}

fn things_in(all: &[PlacedStatement], field: &DeclaredField) -> Vec<Thing> {
    let Some(from) = &field.from else { return Vec::new() };
    let (ask, list) = from.split_once('.').map_or((from.as_str(), None), |(ask, list)| (ask, Some(list)));
    let mut from = round_of(all, ask, None);
    // The number of a thing must not tell whose it is.
    from.sort_by(|a, b| a.lot.cmp(&b.lot));
    let texts = from.into_iter().flat_map(|said| match list {
        None => vec![said.statement.text.clone()],
        Some(list) => {
            let entries = said.statement.values.get(list).and_then(|entries| entries.as_array());
            entries.into_iter().flatten().map(form::format_value).collect()
        }
    });
    texts.enumerate().map(|(i, text)| Thing { number: i + 1, text }).collect()
}

impl PlacedStatement {
    /// The answer in it for those who asked, which stands at `place`.
    pub fn stated_answer(&self, place: &AnswerPlace) -> Option<FinalAnswer> {
        let text = |name: &String| self.statement.values.get(name).map(form::format_value);
        let action = text(&place.field).filter(|action| !action.is_empty())?;
        let unless = place.unless.as_ref().and_then(text).unwrap_or_default();
        Some(FinalAnswer { action, because: String::new(), unless })
    }
}

/// A place that follows from the debate's seed and differs from round to round, so that it tells
/// nothing of the seat.
pub fn draw_lot(seed: u64, ask: &str, lap: u32, round: u32, seat: &Seat) -> Digest {
    Digest::from_content(format!("{seed}/{ask}/{lap}/{round}/{seat}"))
}

/// One of the answers that an ask wants: of a seat, and where it is asked several times the number of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSlot {
    /// Whose.
    pub seat: Seat,
    /// Which of its samples, from 1.
    pub sample: Option<u32>,
}

/// The end of its key.
impl fmt::Display for SeatSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sample {
            None => write!(f, "{}", self.seat),
            Some(sample) => write!(f, "{}/sample-{sample}", self.seat),
        }
    }
}

/// Option of a debate: how many samples are asked for where the declaration asks for some.
pub const SAMPLES: &str = "samples";
/// Most samples of an ask.
pub const SAMPLES_MAX: u32 = 64;

/// The answers that `ask` wants in the debate that is `opened`, in the order of the file.
pub fn list_slots(declaration: &Declaration, ask: &Ask, opened: &Opened) -> Vec<SeatSlot> {
    let seats = list_asked_seats(declaration, ask, opened);
    let Some(samples) = ask.samples else {
        return seats.into_iter().map(|seat| SeatSlot { seat, sample: None }).collect();
    };
    let wanted = opened.options.get(SAMPLES).and_then(|samples| samples.as_u64());
    let samples = wanted.map_or(samples, |wanted| wanted.clamp(1, SAMPLES_MAX.into()) as u32);
    let of = |seat: Seat| (1..=samples).map(move |sample| SeatSlot { seat: seat.clone(), sample: Some(sample) });
    seats.into_iter().flat_map(of).collect()
}

/// The seats of a debate that `ask` asks, in the order of the file.
pub fn list_asked_seats(declaration: &Declaration, ask: &Ask, opened: &Opened) -> Vec<Seat> {
    let seats = ask.seats.iter().flat_map(|name| match declaration.find_seat(name) {
        Some(row) if row.members.is_some() => {
            lineup::list_row_members(opened, name).into_iter().map(|member| member.seat).collect()
        }
        _ => opened.lineup.iter().map(|sat| sat.seat.clone()).filter(|seat| seat.as_str() == name).collect::<Vec<_>>(),
    });
    seats.collect()
}

/// What people call a seat: its name in the line-up, or its own.
pub fn seat_name(opened: &Opened, seat: &Seat) -> String {
    let sat = opened.lineup.iter().find(|sat| sat.seat == *seat);
    sat.and_then(|sat| sat.name.clone()).unwrap_or_else(|| agon_text::humanize_name(seat.as_str()))
}
