//! The course of a debate as a page tells it: phases, what each seat said, and the rulings that a
//! reader needs.

use std::{borrow::Cow, collections::BTreeSet};

use agon_core::{Act, Answered, Event, Key, Record, Reply, Request, Role, RulingKind, Seat, people::humanize_name};
use agon_protocols::{
    common::{source_check, withheld::Withheld},
    exchange::side_labels::SideLabels,
};

use crate::{conduct, graph::map::SIDES};

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
    /// A seat was asked again, since its answer was not accepted.
    Redraft {
        /// The entry that asked again.
        seq: u64,
        /// The entry of that answer.
        of: Option<u64>,
    },
    /// The script decided.
    Ruling(u64, RulingKind, Cow<'r, str>),
    /// A person did what nobody had asked of them.
    Act(u64, &'r Act),
    /// Someone allowed more.
    Extended(u64),
    /// It ended.
    Closed(u64, String),
}

/// What a seat was asked, and what it said.
pub struct SpeechView<'r> {
    /// The entry that asked.
    pub seq: u64,
    /// The entry that answered.
    pub answered: Option<u64>,
    /// The draft that is shown.
    pub key: &'r Key,
    /// The prompt that it answers.
    pub prompt: &'r str,
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
    pub fn at_seat(record: &Record, seat: &Seat) -> Self {
        let manifest = agon_protocols::find_recorded_protocol(record).ok().map(|protocol| protocol.manifest());
        let argues = |seat: &Seat| {
            let spec = manifest.and_then(|manifest| manifest.find_seat(seat.as_str()));
            spec.is_some_and(|spec| spec.role == Role::Debater)
        };
        let lineup = &record.opened().lineup;
        let mut debaters = lineup.iter().filter(|sat| argues(&sat.seat));
        let side = debaters.position(|sat| sat.seat == *seat).map(|at| at % SIDES);
        let name = conduct::participant_name(record, seat);
        Self { name: name.unwrap_or_else(|| humanize_name(seat.as_str())), side }
    }

    /// Its class in the style sheet.
    pub fn css_class(&self) -> String {
        self.side.map_or("side-none".into(), |side| format!("side-{side}"))
    }
}

/// Everything that happened, phase by phase.
pub fn collect_phases<'r>(record: &'r Record, live: &LiveRequests) -> Vec<CoursePhase<'r>> {
    let (withheld, views) = (Withheld::of(record), crate::views_of(record));
    let mut phases = vec![CoursePhase { began: None, items: Vec::new() }];
    for entry in record.entries() {
        let seq = entry.seq;
        let mut item = match &entry.what {
            Event::Asked(request) if request.prompt.is_empty() => None,
            Event::Asked(Request { redraft: Some(redraft), .. }) => {
                let of = record.find_answer(&redraft.of).map(|(seq, _)| seq);
                Some(CourseItem::Redraft { seq, of })
            }
            Event::Asked(request) => build_speech_view(record, &withheld, seq, request, live).map(CourseItem::Speech),
            Event::Ruled { ruling, .. } if ruling.kind == RulingKind::Phase => {
                phases.push(CoursePhase { began: Some((seq, &ruling.text)), items: Vec::new() });
                None
            }
            Event::Ruled { ruling, .. } => Some(CourseItem::Ruling(seq, ruling.kind, views.ruling_text(ruling))),
            Event::Acted(act) => Some(CourseItem::Act(seq, act)),
            Event::Extended { .. } => Some(CourseItem::Extended(seq)),
            Event::Closed { outcome } => Some(CourseItem::Closed(seq, views.ending_text(outcome))),
            _ => None,
        };
        phases.last_mut().into_iter().for_each(|phase| phase.items.extend(item.take()));
    }
    phases.retain(|phase| phase.began.is_some() || !phase.items.is_empty());
    // An answer that went back and stands all the same is told once, as what was said.
    let is_said = |item: &CourseItem<'_>| match item {
        CourseItem::Speech(speech) => speech.answered,
        _ => None,
    };
    let said: BTreeSet<u64> = phases.iter().flat_map(|phase| &phase.items).filter_map(is_said).collect();
    for item in phases.iter_mut().flat_map(|phase| &mut phase.items) {
        if let CourseItem::Redraft { of, .. } = item {
            *of = of.filter(|of| !said.contains(of));
        }
    }
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
    let labels = SideLabels::of_request(&record.opened().protocol, request);
    let said = match answer.map(|answer| &answer.reply) {
        Some(Reply::Said { .. }) if record.redaction_seq(&request.key).is_some() => SpeechBody::Redacted,
        Some(Reply::Said { text }) => {
            let text = withheld.mask_answer(&request.key, text);
            SpeechBody::Text(labels.map_or(text.clone(), |labels| Cow::Owned(labels.unlabel_text(&text))))
        }
        Some(Reply::Failed(failed)) => SpeechBody::Nothing(&failed.detail),
        Some(Reply::Elapsed) => SpeechBody::Nothing("no answer in time"),
        None if live.open.contains(&request.key) => SpeechBody::Awaited,
        None if live.held.contains(&request.key) => SpeechBody::Held,
        // Withdrawn, or the debate ended without it.
        None => return None,
    };
    let who = Speaker::at_seat(record, &request.seat);
    let lineup = &record.opened().lineup;
    Some(SpeechView {
        seq,
        answered: found.map(|(seq, _)| seq),
        speaker: lineup.iter().position(|sat| sat.seat == request.seat).unwrap_or(lineup.len()),
        key: &request.key,
        prompt: &request.prompt,
        who,
        by: answer.map(model_or_participant),
        redrafts,
        said,
        labels,
    })
}

fn model_or_participant(answer: &Answered) -> Cow<'_, str> {
    match (answer.by.model.as_deref(), answer.by.participant.strip_prefix("outside:")) {
        (Some(model), _) => model.into(),
        (None, Some(name)) => format!("{name}, from outside").into(),
        (None, None) => answer.by.participant.as_str().into(),
    }
}
