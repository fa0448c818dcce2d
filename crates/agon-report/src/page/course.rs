//! The course of a debate as a page tells it: phases, what each seat said, and the rulings that a
//! reader needs.

use std::{borrow::Cow, collections::BTreeSet};

use agon_core::{Answered, Event, Key, Record, Reply, Request, Role, RulingKind, Seat};
use agon_protocols::common::{source_check, struck_text::Withheld};

use crate::{graph::map, participation};

/// Requests of a debate that is not over; none where a file is drawn.
#[derive(Debug, Default)]
pub struct LiveRequests {
    /// Those that wait for an answer.
    pub open: BTreeSet<Key>,
    /// Those whose answer is not shown before others have answered.
    pub held: BTreeSet<Key>,
}

/// A phase of the debate with everything that happened in it.
pub struct CoursePhase<'r> {
    /// The entry that began it, and what it is called; nothing of what came before the first.
    pub began: Option<(u64, &'r str)>,
    /// In order.
    pub items: Vec<CourseItem<'r>>,
}

/// One thing on the way.
pub enum CourseItem<'r> {
    /// Someone was asked.
    Speech(SpeechView<'r>),
    /// Whatever else a reader needs: a seat was asked again, the script decided, a person did what nobody had asked of
    /// them, someone allowed more, or it ended.
    Entry(u64, &'r Event),
}

/// What a seat was asked, and what it said.
pub struct SpeechView<'r> {
    /// The entry that asked.
    pub seq: u64,
    /// The entry that answered.
    pub answered: Option<u64>,
    /// What asked for the draft that is shown.
    pub request: &'r Request,
    /// Who.
    pub who: Speaker,
    /// Its place among those who speak, in the order of the line-up.
    pub speaker: usize,
    /// The model that answered.
    pub by: Option<Cow<'r, str>>,
    /// How often it had to be asked for again.
    pub redrafts: u32,
    /// What it said.
    pub said: SpeechBody<'r>,
    /// The names of readers for what it calls otherwise: the script says them in what is still being written.
    pub called: Option<String>,
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
    pub fn at_seat(record: &Record, seat: &Seat) -> Self {
        let role = participation::seat_roles(record);
        let mut debaters = record.opened().lineup.iter().filter(|sat| role(&sat.seat) == Some(Role::Debater));
        let side = debaters.position(|sat| sat.seat == *seat).map(|at| at % map::SIDES);
        let name = participation::participant_name(record, seat);
        Self { name: name.unwrap_or_else(|| agon_text::humanize_name(seat.as_str())), side }
    }

    /// Its class in the style sheet.
    pub fn css_class(&self) -> String {
        map::side_class(self.side)
    }
}

/// Everything that happened, phase by phase.
pub fn collect_phases<'r>(record: &'r Record, live: &LiveRequests) -> Vec<CoursePhase<'r>> {
    let withheld = Withheld::from_record(record);
    let mut phases = vec![CoursePhase { began: None, items: Vec::new() }];
    for entry in record.entries() {
        let item = match &entry.what {
            Event::Opened(_) | Event::Answered(_) => None,
            Event::Asked(request) if request.prompt.is_empty() => None,
            Event::Asked(request) if request.redraft.is_none() => {
                build_speech_view(record, &withheld, entry.seq, request, live).map(CourseItem::Speech)
            }
            Event::Ruled { ruling, .. } if ruling.kind == RulingKind::Phase => {
                phases.push(CoursePhase { began: Some((entry.seq, &ruling.text)), items: Vec::new() });
                None
            }
            what => Some(CourseItem::Entry(entry.seq, what)),
        };
        if let Some(phase) = phases.last_mut() {
            phase.items.extend(item);
        }
    }
    phases.retain(|phase| phase.began.is_some() || !phase.items.is_empty());
    phases
}

/// One answer, as a page shows it.
#[derive(Debug)]
pub struct ShownText {
    /// The entry under which it stands on the page.
    pub seq: u64,
    /// The name of who said it.
    pub speaker: String,
    /// The words, or the form.
    pub text: String,
}

/// What was said, oldest first: no drafts that were written again, nothing that is struck or withheld.
pub fn list_shown_texts(record: &Record) -> Vec<ShownText> {
    let phases = collect_phases(record, &LiveRequests::default());
    let items = phases.into_iter().flat_map(|phase| phase.items);
    let shown = items.filter_map(|item| match item {
        CourseItem::Speech(SpeechView { seq, who, said: SpeechBody::Text(text), .. }) => {
            Some(ShownText { seq, speaker: who.name, text: text.into_owned() })
        }
        _ => None,
    });
    shown.collect()
}

fn build_speech_view<'r>(
    record: &'r Record,
    withheld: &Withheld,
    seq: u64,
    first: &'r Request,
    live: &LiveRequests,
) -> Option<SpeechView<'r>> {
    let (key, redrafts) = source_check::find_latest_draft(record, &first.key);
    let (_, request) = record.find_request(&key)?;
    let found = record.find_answer(&request.key);
    let answer = found.map(|(_, answer)| answer);
    let views = crate::views_of_protocol(&record.opened().protocol);
    let said = match answer.map(|answer| &answer.reply) {
        Some(Reply::Said { .. }) if record.redaction_seq(&request.key).is_some() => SpeechBody::Redacted,
        Some(Reply::Said { text }) => {
            SpeechBody::Text(views.name_for_readers(request, withheld.mask_answer(&request.key, text)))
        }
        Some(Reply::Failed(failed)) => SpeechBody::Nothing(&failed.detail),
        Some(Reply::Elapsed) => SpeechBody::Nothing("no answer in time"),
        None if live.open.contains(&request.key) => SpeechBody::Awaited,
        None if live.held.contains(&request.key) => SpeechBody::Held,
        // Withdrawn, or the debate ended without it.
        None => return None,
    };
    let lineup = &record.opened().lineup;
    Some(SpeechView {
        seq,
        answered: found.map(|(seq, _)| seq),
        speaker: lineup.iter().position(|sat| sat.seat == request.seat).unwrap_or(lineup.len()),
        request,
        who: Speaker::at_seat(record, &request.seat),
        by: answer.map(model_or_participant),
        redrafts,
        said,
        called: views.readers_names(request),
    })
}

fn model_or_participant(answer: &Answered) -> Cow<'_, str> {
    match (answer.by.model.as_deref(), answer.by.participant.strip_prefix("outside:")) {
        (Some(model), _) => model.into(),
        (None, Some(name)) => format!("{name}, from outside").into(),
        (None, None) => answer.by.participant.as_str().into(),
    }
}
