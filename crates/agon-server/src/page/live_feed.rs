//! The course of a debate as a page tells it: phases, what each seat said, and the rulings that a
//! reader needs.

use std::{borrow::Cow, collections::BTreeSet};

use agon_core::{Act, Answered, Event, Key, Record, Reply, Request, Role, RulingKind, Seat};
use agon_protocols::{
    common::{source_check, withheld::Withheld},
    exchange::side_labels::SideLabels,
};

pub use agon_core::people::spoken as title;

/// Colours that sides are told apart by.
pub const SIDES: usize = 6;

/// One thing on the way.
pub enum PendingItem<'r> {
    /// A phase begins.
    Phase(&'r str),
    /// Someone was asked.
    Speech(SpeechView<'r>),
    /// The script decided.
    Ruling(u64, RulingKind, &'r str),
    /// A person did what nobody had asked of them.
    Act(u64, &'r Act),
    /// Someone allowed more.
    Extended(u64),
}

/// What a seat was asked, and what it said.
pub struct SpeechView<'r> {
    /// The entry that asked.
    pub seq: u64,
    /// The draft that is shown.
    pub key: &'r Key,
    /// The prompt that it answers.
    pub prompt: &'r str,
    /// Who.
    pub who: Speaker,
    /// The model that answered.
    pub by: Option<&'r str>,
    /// How often it had to be asked for again.
    pub redrafts: u32,
    /// What it said.
    pub said: SpeechBody<'r>,
    /// The names that it knows the sides by, where it judges without knowing theirs.
    pub labels: Option<SideLabels>,
}

/// The result of a request.
pub enum SpeechBody<'r> {
    /// Words, with sides and arguments by the names that readers know.
    Text(Cow<'r, str>),
    /// Words that may not be shown.
    Redacted,
    /// No words, and why.
    Nothing(&'r str),
    /// Not yet anything.
    Awaited,
    /// Words that nobody reads before others have answered.
    Held,
}

/// Whose words.
pub struct Speaker {
    /// What readers call it.
    pub name: String,
    /// Which side of the debate it is on, where it argues.
    pub side: Option<usize>,
}

impl Speaker {
    /// Who sits at `seat`.
    pub fn at(record: &Record, seat: &Seat) -> Self {
        let manifest = agon_protocols::named(record).ok().map(|protocol| protocol.manifest());
        let argues = |seat: &Seat| {
            let spec = manifest.and_then(|manifest| manifest.seat(seat.as_str()));
            spec.is_some_and(|spec| spec.role == Role::Debater)
        };
        let lineup = &record.opened().lineup;
        let mut debaters = lineup.iter().filter(|sat| argues(&sat.seat));
        let side = debaters.position(|sat| sat.seat == *seat).map(|at| at % SIDES);
        let name = agon_formats::conduct::name(record, seat);
        Self { name: name.unwrap_or_else(|| title(seat.as_str())), side }
    }

    /// Its class in the style sheet.
    pub fn class(&self) -> String {
        self.side.map_or("side-none".into(), |side| format!("side-{side}"))
    }
}

/// Everything that happened; `open` are the requests that wait for an answer, `held` those whose answer is not in
/// `record` yet.
pub fn course<'r>(record: &'r Record, open: &BTreeSet<Key>, held: &BTreeSet<Key>) -> Vec<PendingItem<'r>> {
    let withheld = Withheld::of(record);
    let items = record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) if request.redraft.is_none() && !request.prompt.is_empty() => {
            speech(record, &withheld, entry.seq, request, (open, held)).map(PendingItem::Speech)
        }
        Event::Ruled { key, ruling } => match ruling.kind {
            RulingKind::Phase => Some(PendingItem::Phase(&ruling.text)),
            // Who is asked what: the statement that asks is shown without it.
            RulingKind::Noted if key.as_str().ends_with("/question") => {
                Some(PendingItem::Ruling(entry.seq, ruling.kind, &ruling.text))
            }
            RulingKind::Noted => None,
            kind => Some(PendingItem::Ruling(entry.seq, kind, &ruling.text)),
        },
        Event::Acted(act) => Some(PendingItem::Act(entry.seq, act)),
        Event::Extended { .. } => Some(PendingItem::Extended(entry.seq)),
        _ => None,
    });
    items.collect()
}

fn speech<'r>(
    record: &'r Record,
    withheld: &Withheld,
    seq: u64,
    first: &'r Request,
    (open, held): (&BTreeSet<Key>, &BTreeSet<Key>),
) -> Option<SpeechView<'r>> {
    let (key, redrafts) = source_check::latest(record, &first.key);
    let (_, request) = record.asked(&key)?;
    let answer = record.answer(&request.key).map(|(_, answer)| answer);
    let labels = SideLabels::under(&record.opened().protocol, request);
    let said = match answer.map(|answer| &answer.reply) {
        Some(Reply::Said { .. }) if record.redacted(&request.key).is_some() => SpeechBody::Redacted,
        Some(Reply::Said { text }) => {
            let text = withheld.hide(&request.key, text);
            SpeechBody::Text(labels.map_or(text.clone(), |labels| Cow::Owned(labels.told(&text))))
        }
        Some(Reply::Failed(failed)) => SpeechBody::Nothing(&failed.detail),
        Some(Reply::Elapsed) => SpeechBody::Nothing("no answer in time"),
        None if open.contains(&request.key) => SpeechBody::Awaited,
        None if held.contains(&request.key) => SpeechBody::Held,
        // Withdrawn, or the debate ended without it.
        None => return None,
    };
    let who = Speaker::at(record, &request.seat);
    Some(SpeechView {
        seq,
        key: &request.key,
        prompt: &request.prompt,
        who,
        by: answer.map(by),
        redrafts,
        said,
        labels,
    })
}

fn by(answer: &Answered) -> &str {
    answer.by.model.as_deref().unwrap_or(&answer.by.participant)
}
