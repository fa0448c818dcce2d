//! Where a panel stands: who sits there, what was said, what is disagreed about.
//!
//! The script puts everything that changes it on the record as an [`PanelEvent`]; prompts and files read
//! the same events back, so that all of them look at one panel.

use std::sync::Arc;

use agon_core::{
    Key, Reply, RulingKind, Seat, View,
    reading::{Meaning, Reading},
};
use serde::{Deserialize, Serialize};

use super::{
    answer_effect::{AnswerEffect, ClaimReading},
    disagreement::{Disagreement, DisagreementState, PanelStatus},
    lens::{Assigned, Lens},
    panelist_prose::{REDACTED, Speech, Speeches, extract_quotations, to_plain_line},
};
use crate::common::{
    lineup::{self, Member},
    verification::SourceCheck,
};

/// A participant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panelist {
    /// Where.
    pub seat: Seat,
    /// As everybody calls them.
    pub name: String,
    /// Background, in a sentence or two.
    pub role: String,
    /// How they look at the topic.
    pub lens: Lens,
}

/// A participant's words, by the answer that holds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotedWords {
    /// Who.
    pub seat: Seat,
    /// Which answer.
    pub key: Key,
    /// What was found about its sources, where pages are opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
}

/// What the moderator found in the openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Analysed {
    /// The moderator's answer.
    pub of: Key,
    /// What all of them hold, in two or three sentences.
    pub shared: String,
    /// Single points on which they agree.
    pub agreements: Vec<String>,
    /// What they disagree about; none where all agree.
    pub disagreements: Vec<Disagreement>,
}

/// What became of the safety valve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighed {
    /// The moderator's answer.
    pub of: Key,
    /// Whether the challenger still holds what all hold, as the moderator reads it.
    pub reading: Reading<ClaimReading>,
    /// What it comes to with the challenger's own word, where it would end the panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<Meaning<ClaimReading>>,
    /// The strongest point against what all of them hold.
    pub counter: Disagreement,
}

impl Weighed {
    /// Whether the agreement holds: the challenger shares it, as the moderator reads and the challenger confirms.
    pub fn still_agrees(&self) -> bool {
        self.meaning.as_ref().and_then(Meaning::settled_choice) == Some(&ClaimReading::Holds)
    }
}

/// A question that is put to a panelist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelQuestion {
    /// The disagreement it is about.
    pub disagreement: String,
    /// Who is asked.
    pub seat: Seat,
    /// The question, with the claim that it quotes.
    pub question: String,
    /// The moderator's answer that holds it.
    pub of: Key,
}

/// Why cross-examination ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExaminationEnd {
    /// Nothing is left to say: all four stop rules hold.
    Exhausted,
    /// The hard limit of exchanges.
    Limit,
    /// The transcript no longer fits the context of a participant, and is never cut.
    TooLong,
    /// The moderator gave no usable question.
    NoQuestion,
}

/// What changes a panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PanelEvent {
    /// Each panelist has a lens, in panel order.
    Lenses(Vec<Assigned>),
    /// Openings that stand, in panel order.
    Opened(Vec<QuotedWords>),
    /// The openings were compared.
    Analysed(Analysed),
    /// The safety valve was answered.
    Challenged(QuotedWords),
    /// The answer to the safety valve was weighed.
    Weighed(Weighed),
    /// A question was decided.
    Asked(PanelQuestion),
    /// It was answered.
    Answered {
        /// By this answer.
        key: Key,
        /// The round that it copies nearly word for word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copies: Option<u32>,
        /// What was found about its sources.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<SourceCheck>,
    },
    /// It was not answered; its disagreement is left.
    Unanswered,
    /// The answer was reviewed.
    Found(AnswerEffect),
    /// Cross-examination ended; what was active is unresolved.
    Ended(ExaminationEnd),
    /// The synthesis was accepted, by this answer.
    Concluded(Key),
    /// More exchanges were allowed; what did not converge is active again.
    Reopened,
}

/// Data of a ruling by which the panel changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelRuling {
    /// How.
    pub panel: PanelEvent,
}

/// One question with what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Examination {
    /// The question.
    pub asked: PanelQuestion,
    /// Number of its round and the answer; `None` until, or unless, there is one.
    pub answer: Option<PanelAnswer>,
    /// What the answer brought.
    pub found: Option<AnswerEffect>,
    /// The moderator's notes, without marks.
    pub notes: Vec<ModeratorNote>,
}

/// An answer in cross-examination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelAnswer {
    /// Which answer of the record.
    pub key: Key,
    /// Rounds are numbered by answers: 1, 2, 3.
    pub round: u32,
    /// The round that it copies nearly word for word.
    pub copies: Option<u32>,
}

/// A line of the moderator in the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeratorNote {
    /// What it decides.
    pub kind: RulingKind,
    /// The line, without marks.
    pub text: String,
}

/// What a person outside the panel said to all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interjection {
    /// Who.
    pub by: String,
    /// Verbatim.
    pub text: String,
    /// How many blocks of the transcript stood before it.
    pub after: usize,
}

/// New evidence that a participant concerned has not been asked about yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The evidence, in the moderator's words.
    pub evidence: String,
    /// Who brought it.
    pub by: Seat,
    /// Who may answer it.
    pub to: Seat,
    /// On which disagreement.
    pub disagreement: String,
}

/// Everything about a panel at one time.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// In panel order.
    pub panelists: Vec<Panelist>,
    /// Everything said.
    pub said: Speeches,
    /// Openings that stand.
    pub openings: Vec<QuotedWords>,
    /// The comparison of the openings, the latest if there were several.
    pub analysed: Option<Analysed>,
    /// Answers to safety valves.
    pub valves: Vec<QuotedWords>,
    /// What the last safety valve brought.
    pub weighed: Option<Weighed>,
    /// The most productive first.
    pub disagreements: Vec<Disagreement>,
    /// Every question, oldest first.
    pub exchanges: Vec<Examination>,
    /// Evidence that waits for an answer.
    pub unanswered: Vec<Unanswered>,
    /// Disagreements, each as often as a reading on it stayed unclear since the panel was last opened.
    pub unclear: Vec<String>,
    /// The answer that holds the synthesis, once there is one.
    pub synthesis: Option<Key>,
    /// How cross-examination ended last, if it is not in progress.
    pub ended: Option<ExaminationEnd>,
    /// What people said to all, oldest first.
    pub interjections: Vec<Interjection>,
}

impl Panel {
    /// With these members, who have no lenses yet.
    pub fn of_members(members: Vec<Member>) -> Self {
        let panelist = |member: Member| Panelist {
            seat: member.seat,
            name: member.name,
            role: member.persona,
            lens: Lens { name: String::new(), description: String::new(), critical: false },
        };
        Self { panelists: members.into_iter().map(panelist).collect(), ..Self::default() }
    }

    /// As `view` shows it; what was redacted is not in it.
    pub fn from_view(view: &View<'_>) -> Self {
        let mut panel = Self::of_members(lineup::ruled_members(view));
        let mut hidden = Vec::new();
        let mut floor = view.interjections_among(RulingKind::Noted).peekable();
        for (at, (_, ruling)) in view.rulings_of_kind(RulingKind::Noted).enumerate() {
            while let Some((_, by, text)) = floor.next_if(|(before, ..)| *before <= at) {
                panel.add_interjection(by, text);
            }
            let Some(PanelRuling { panel: event }) = ruling.decode_data() else { continue };
            panel.apply_event(event, |key| match view.parse_statement(key, Speech::from_text) {
                Some(speech) => speech,
                None => {
                    if let Some(Reply::Said { text }) = view.find_answer(key).map(|answer| &answer.reply) {
                        hidden.push(Speech::from_text(text));
                    }
                    Arc::new(Speech::from_text(REDACTED))
                }
            });
        }
        floor.for_each(|(_, by, text)| panel.add_interjection(by, text));
        panel.redact_quotes(view, &hidden);
        panel
    }

    /// Takes `event`; `speech` gives the words of an answer.
    pub fn apply_event(&mut self, event: PanelEvent, mut speech: impl FnMut(&Key) -> Arc<Speech>) {
        match event {
            PanelEvent::Lenses(lenses) => {
                for (panelist, assigned) in self.panelists.iter_mut().zip(lenses) {
                    panelist.lens = assigned.lens;
                }
            }
            PanelEvent::Opened(openings) => {
                for QuotedWords { seat, key, sources } in &openings {
                    self.said.push(seat, 0, key, speech(key).looked_up(sources));
                }
                self.openings = openings;
            }
            PanelEvent::Analysed(analysed) => {
                self.disagreements.clone_from(&analysed.disagreements);
                self.analysed = Some(analysed);
            }
            PanelEvent::Challenged(valve) => {
                let QuotedWords { seat, key, sources } = &valve;
                self.said.push(seat, 0, key, speech(key).looked_up(sources));
                self.valves.push(valve);
            }
            PanelEvent::Weighed(weighed) => {
                self.disagreements.extend((!weighed.still_agrees()).then(|| weighed.counter.clone()));
                self.weighed = Some(weighed);
            }
            PanelEvent::Asked(asked) => {
                self.unanswered
                    .retain(|waiting| waiting.to != asked.seat || waiting.disagreement != asked.disagreement);
                self.exchanges.push(Examination { asked, answer: None, found: None, notes: Vec::new() });
            }
            PanelEvent::Answered { key, copies, sources } => {
                let round = self.count_answers() + 1;
                let Some(exchange) = self.exchanges.last_mut() else { return };
                self.said.push(&exchange.asked.seat, round, &key, speech(&key).looked_up(&sources));
                exchange.answer = Some(PanelAnswer { key, round, copies });
            }
            PanelEvent::Unanswered => {
                let Some(asked) = self.exchanges.last().map(|exchange| exchange.asked.clone()) else {
                    return;
                };
                let state = self.find_disagreement(&asked.disagreement).map(|about| about.state);
                if state == Some(DisagreementState::Active) {
                    self.set_state(&asked.disagreement, DisagreementState::Unresolved);
                }
                let text = format!("{} did not answer. Moving to next topic.", self.panelist_name(&asked.seat));
                self.add_note(RulingKind::Noted, text);
            }
            PanelEvent::Found(found) => self.apply_effect(found),
            PanelEvent::Ended(end) => {
                self.ended = Some(end);
                let active: Vec<&str> = self.active_disagreements().map(|d| d.topic.as_str()).collect();
                let left = if active.is_empty() { "nothing".to_owned() } else { active.join("; ") };
                let why = match end {
                    ExaminationEnd::Exhausted => None,
                    ExaminationEnd::Limit => Some("The limit of exchanges is reached"),
                    ExaminationEnd::TooLong => Some("The transcript no longer fits and is never cut"),
                    ExaminationEnd::NoQuestion => Some("The moderator gave no usable question"),
                };
                if let Some(why) = why {
                    self.add_note(RulingKind::Noted, format!("{why}. Unresolved: {left}."));
                }
                let active = self.disagreements.iter_mut().filter(|d| d.state == DisagreementState::Active);
                active.for_each(|d| d.state = DisagreementState::Unresolved);
            }
            PanelEvent::Concluded(key) => self.synthesis = Some(key),
            PanelEvent::Reopened => {
                (self.ended, self.synthesis) = (None, None);
                self.unclear.clear();
                let open = self.disagreements.iter_mut().filter(|about| about.is_open());
                open.for_each(|d| d.state = DisagreementState::Active);
            }
        }
    }

    /// Takes redacted words out of what quotes them.
    fn redact_quotes(&mut self, view: &View<'_>, hidden: &[Speech]) {
        let is_hidden = |key: &Key| view.is_redacted(key);
        let blank = |text: &mut String| {
            for quoted in extract_quotations(text) {
                if hidden.iter().any(|speech| speech.has_quote(&quoted)) {
                    *text = to_plain_line(text).replace(&quoted, REDACTED);
                }
            }
        };
        let whole = |text: &mut String| *text = REDACTED.to_owned();
        let analysis = self.analysed.as_ref().is_some_and(|analysed| is_hidden(&analysed.of));
        let weighing = self.weighed.as_ref().is_some_and(|weighed| is_hidden(&weighed.of));
        if let Some(analysed) = self.analysed.as_mut().filter(|_| analysis) {
            whole(&mut analysed.shared);
            analysed.agreements.iter_mut().for_each(whole);
        }
        let count = self.analysed.as_ref().map_or(0, |analysed| analysed.disagreements.len());
        for (i, about) in self.disagreements.iter_mut().enumerate() {
            let gone = if i < count { analysis } else { weighing };
            if gone {
                whole(&mut about.topic);
            }
            for claim in &mut about.claims {
                if gone || hidden.iter().any(|speech| speech.has_quote(&claim.quote)) {
                    whole(&mut claim.quote);
                }
            }
        }
        for exchange in &mut self.exchanges {
            blank(&mut exchange.asked.question);
            if is_hidden(&exchange.asked.of) {
                whole(&mut exchange.asked.question);
            }
            exchange.notes.iter_mut().for_each(|note| blank(&mut note.text));
            let Some(found) = &mut exchange.found else { continue };
            let review = is_hidden(&found.of);
            for read in found.claims_mut() {
                if review || hidden.iter().any(|speech| speech.has_quote(&read.reading.quote)) {
                    whole(&mut read.reading.quote);
                }
            }
            if review {
                exchange.notes.iter_mut().for_each(|note| whole(&mut note.text));
            }
        }
    }

    /// The disagreement called `id`.
    pub fn find_disagreement(&self, id: &str) -> Option<&Disagreement> {
        self.disagreements.iter().find(|d| d.id == id)
    }

    /// Disagreements that can still be asked about, the most productive first.
    pub fn active_disagreements(&self) -> impl Iterator<Item = &Disagreement> {
        self.disagreements.iter().filter(|d| d.state == DisagreementState::Active)
    }

    /// What `seat` is called.
    pub fn panelist_name<'p>(&'p self, seat: &'p Seat) -> &'p str {
        self.panelists.iter().find(|p| p.seat == *seat).map_or(seat.as_str(), |p| p.name.as_str())
    }

    /// The panelist at `seat`.
    pub fn find_panelist(&self, seat: &Seat) -> Option<&Panelist> {
        self.panelists.iter().find(|p| p.seat == *seat)
    }

    /// The panelist called `name`, if their opening stands.
    pub fn find_speaker(&self, name: &str) -> Option<&Panelist> {
        let name = name.to_lowercase();
        self.speakers().find(|p| p.name.to_lowercase() == name || p.seat.as_str() == name)
    }

    /// Panelists whose opening stands, in panel order.
    pub fn speakers(&self) -> impl Iterator<Item = &Panelist> {
        self.panelists.iter().filter(|p| self.openings.iter().any(|opening| opening.seat == p.seat))
    }

    /// Answered questions.
    pub fn count_answers(&self) -> u32 {
        self.exchanges.iter().filter(|exchange| exchange.answer.is_some()).count() as u32
    }

    /// How it comes out by what is known now.
    pub fn status(&self) -> PanelStatus {
        PanelStatus::from_states(self.disagreements.iter().map(|d| d.state))
    }
}
