//! The first page of a debate: what was asked, what the answer is, how it ended and how far that can be trusted, what
//! it rests on, and what would change it. Memo, report, page, terminal, MCP and summaries draw it from this one type.
//!
//! Everything is chosen and counted by code, with the functions that the outcome itself uses. Each sentence names the
//! entry that it rests on, and what it quotes stands there.

mod cost;
mod doubts;
mod open_points;
pub mod outcome_changes;
pub mod quote;
mod trust_line;

use agon_core::{Absent, Outcome, Record, RulingKind, Standing, View};
use agon_protocols::common::final_answer::FinalAnswer;
use agon_text::end_sentence;
use serde::Serialize;

pub(crate) use self::cost::format_dollars;
use self::quote::QuotedEntries;
use crate::{
    cited_source::{self, CitedSource, Counts},
    graph::{Graph, shorten_text},
    material_places::{PinnedMaterial, is_usual_motion},
};

/// Sentences of one part, so that a reader takes them in.
const SENTENCES_MAX: usize = 6;
/// Longest question of a first page, in characters.
const QUESTION_CHARS_MAX: usize = 200;

/// Tells a reader what the numbers behind sentences are.
pub const TRUST_HINT: &str = "The number behind a sentence leads to the entry of the record that it rests on.";

/// Follows the verdict of a debate without a result.
const NO_RESULT: &str = ": no result";

/// Says that nothing would change the outcome, and that nothing was left open.
pub(crate) const NOTHING_DECISIVE: &str = "No rule of this protocol counts anything that one answer could turn.";
pub(crate) const NOTHING_OPEN: &str = "Nothing that the record names: every point that it lists was settled.";

/// A sentence and the entry of the record that it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// Words of the program; they may hold names that others gave.
    pub text: String,
    /// Words of a participant that belong to it and stand in the entry; `…` behind them where more follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The entry.
    #[serde(rename = "entry")]
    pub seq: u64,
}

impl Sentence {
    /// One in words of the program.
    pub fn new(seq: u64, text: impl Into<String>) -> Self {
        Self { text: text.into(), quote: None, seq }
    }

    /// The whole of it, as plain text.
    pub fn full_text(&self) -> String {
        match &self.quote {
            Some(quote) => format!("{} “{quote}”", self.text),
            None => self.text.clone(),
        }
    }
}

/// An answer to the question of a debate, as it stands on the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatedAnswer {
    /// Who gives it, as readers call them; for example "the moderator", or the name of a participant. A review's is
    /// computed: "the program".
    pub by: String,
    /// The answer. Words of a participant, but where it is computed.
    #[serde(flatten)]
    pub answer: FinalAnswer,
    /// The entry that holds it.
    #[serde(rename = "entry")]
    pub seq: u64,
}

/// What the answer rests on, in the terms of its protocol: a review's findings, a duel's flaws and repairs, a panel's
/// points, a plan's weaknesses, the clash of an exchange, the reasons of a chair.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AnswerBasis {
    /// Heading, for example "Findings". Empty where there are no points.
    pub title: &'static str,
    /// The gravest or most decisive first.
    pub points: Vec<BasisPoint>,
}

/// One line of a [`AnswerBasis`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BasisPoint {
    /// What became of it, in a word or two of the protocol's own: "blocks", "refuted", "agreed", "not settled".
    pub state: &'static str,
    /// Whether it weighs on the outcome as it stands: what blocks, what was not settled, what went unanswered.
    pub is_open: bool,
    /// What it is called in the debate, for example `F2` or `D1`; empty where it has no name.
    pub id: String,
    /// The place that it is about, for example `src/lock.rs:40`; empty where it is about none.
    pub place: String,
    /// The point in a sentence: words of a participant; empty where its place says all.
    pub text: String,
    /// What belongs to it, each with its label: ("Repair", "…"), ("Held by", "Ada, Brunel"), ("Why open", "…").
    pub notes: Vec<(&'static str, String)>,
    /// The entry that it rests on.
    #[serde(rename = "entry")]
    pub seq: u64,
}

impl StatedAnswer {
    /// Its words, and the condition under which they would be others.
    pub fn full_text(&self) -> String {
        self.answer.full_text()
    }
}

impl BasisPoint {
    /// One without words yet.
    pub fn new(state: &'static str, seq: u64) -> Self {
        Self { state, seq, ..Self::default() }
    }

    /// The whole of it, as plain text.
    pub fn full_text(&self) -> String {
        let notes = self.notes.iter().map(|(label, text)| end_sentence(&format!("{label}: {text}")));
        let text = Some(end_sentence(&self.text)).filter(|_| !self.text.is_empty());
        match text.into_iter().chain(notes).collect::<Vec<_>>().join(" ").as_str() {
            "" => end_sentence(&self.label()),
            told => format!("{}: {told}", self.label()),
        }
    }

    /// Its state, name and place, as the beginning of its line: `blocks F1 util.c:485`.
    pub fn label(&self) -> String {
        let parts = [self.state, &self.id, &self.place];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// What a reader decides by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FirstPage {
    /// What was asked: the motion's first line, or its beginning.
    pub question: String,
    /// One for each participant where they did not agree on one; empty where the record holds none.
    pub answers: Vec<StatedAnswer>,
    /// What each side was given to argue, where the outcome names sides that the question does not.
    pub positions: Vec<Sentence>,
    /// How it ended, in a few words.
    pub verdict: String,
    /// Whether there is a result.
    pub is_void: bool,
    /// How it ended and why; nothing while it is not over.
    pub told: Option<Sentence>,
    /// What makes the outcome untrustworthy, the gravest first.
    pub doubts: Vec<Sentence>,
    /// Who judged, in how many orders, which sources were verified, what was lost, and who answered: one line.
    pub trust: Vec<Sentence>,
    /// Calls, tokens, time and price; nothing where no call was made.
    pub cost: Option<String>,
    /// What the answer rests on.
    pub basis: AnswerBasis,
    /// What would change the outcome; nothing while it is not over.
    pub flips: Vec<Sentence>,
    /// What was not settled.
    pub open: Vec<Sentence>,
}

impl FirstPage {
    /// That of `record`, whose graph this is.
    pub fn from_record(record: &Record, graph: &Graph) -> Self {
        let input = PageInput::from_record(record, graph);
        let (views, outcome) = (crate::views_of(record), input.outcome);
        Self {
            question: name_question(record),
            positions: list_positions(record),
            answers: views.list_stated_answers(record),
            verdict: input.describe_verdict(),
            is_void: input.is_void,
            told: outcome.map(|outcome| input.entries.sentence_at_end(outcome.render_summary())),
            doubts: doubts::list_doubts(&input),
            trust: trust_line::list_trust_notes(&input),
            cost: cost::cost_line(record),
            basis: views.collect_answer_basis(record),
            flips: outcome_changes::list_outcome_changes(&input).into_iter().take(SENTENCES_MAX).collect(),
            open: open_points::list_open_points(&input).into_iter().take(SENTENCES_MAX).collect(),
        }
    }

    /// That of `record`, which is one that may be shown, with what `extraction` found in its prose.
    pub fn with_extraction(record: &Record, extraction: Option<&Record>) -> Self {
        Self::from_record(record, &Graph::with_extraction(record, extraction))
    }

    /// The answers as sentences: with their authors where there are several.
    pub fn answer_sentences(&self) -> Vec<Sentence> {
        let is_one = self.answers.len() == 1;
        let sentence = |answer: &StatedAnswer| match is_one {
            true => Sentence::new(answer.seq, answer.full_text()),
            false => Sentence::new(answer.seq, format!("{}: {}", answer.by, answer.full_text())),
        };
        self.answers.iter().map(sentence).collect()
    }

    /// The points of the basis as sentences.
    pub fn basis_sentences(&self) -> Vec<Sentence> {
        self.basis.points.iter().map(|point| Sentence::new(point.seq, point.full_text())).collect()
    }

    /// How it ended in one text: the verdict, and the account of it where that says more.
    pub fn describe_ending(&self) -> String {
        let verdict = self.verdict.trim_end_matches('.');
        match &self.told {
            Some(told) if told.text.to_lowercase().starts_with(&verdict.to_lowercase()) => told.text.clone(),
            Some(told) => format!("{} {}", end_sentence(verdict), told.text),
            None => end_sentence(verdict),
        }
    }

    /// Why it ended so, for a place where the verdict stands already; empty where that says all.
    pub fn describe_reason<'t>(&self, told: &'t Sentence) -> &'t str {
        strip_verdict(&told.text, self.verdict.trim_end_matches(NO_RESULT))
    }
}

/// `told` without the verdict that it begins with, as a name or as a sentence: `Draw` is also `A draw`.
fn strip_verdict<'t>(told: &'t str, verdict: &str) -> &'t str {
    let begins = |text: &str| text.to_lowercase().starts_with(&verdict.to_lowercase());
    let named = [told, told.strip_prefix("A ").unwrap_or(told)].into_iter().find(|text| begins(text));
    let rest = named.and_then(|text| text.get(verdict.len()..)?.strip_prefix([':', '.']));
    rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map_or(told, str::trim_start)
}

/// What the sentences of a first page are chosen from.
struct PageInput<'r> {
    entries: QuotedEntries<'r>,
    graph: &'r Graph,
    outcome: Option<&'r Outcome>,
    /// Whether it ended without a result.
    is_void: bool,
    cited: Vec<CitedSource>,
    counts: Counts,
}

impl<'r> PageInput<'r> {
    fn from_record(record: &'r Record, graph: &'r Graph) -> Self {
        let outcome = record.closing_outcome();
        let cited = cited_source::list_cited_sources(record, graph);
        Self {
            entries: QuotedEntries::from_record(record),
            graph,
            outcome,
            is_void: outcome.is_some_and(|outcome| outcome.standing == Standing::Void),
            counts: Counts::from_cited(&cited),
            cited,
        }
    }

    fn record(&self) -> &'r Record {
        self.entries.record
    }

    /// Seats without whose answer it ended.
    fn absent_seats(&self) -> &'r [Absent] {
        self.outcome.map(|outcome| outcome.absent.as_slice()).unwrap_or_default()
    }

    /// The entry that cites the first source of which `test` holds, where that is known.
    fn first_citing_entry(&self, test: impl Fn(&CitedSource) -> bool) -> u64 {
        let of = self.cited.iter().filter(|cited| test(cited)).find_map(|cited| self.graph.index(&cited.of));
        of.map_or(self.entries.end_seq(), |at| self.graph.statements[at].seq)
    }

    /// How the debate ended, in a few words.
    fn describe_verdict(&self) -> String {
        let Some(outcome) = self.outcome else {
            let phase = View::of_whole_record(self.record()).rulings_of_kind(RulingKind::Phase).last();
            let at = phase.map(|(_, ruling)| format!(" It stands at: {}.", ruling.text)).unwrap_or_default();
            return format!("Not over.{at}");
        };
        let name = crate::views_of(self.record()).verdict_words(&outcome.name);
        if self.is_void { name + NO_RESULT } else { name }
    }
}

/// The positions of those who argue, by name. They rest on the ruling about who takes part, or on the opening.
fn list_positions(record: &Record) -> Vec<Sentence> {
    let lineup = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Lineup).last();
    let seq = lineup.map_or(0, |(seq, ..)| seq);
    let given = crate::views_of(record).given_positions(record).into_iter().filter(|(_, held)| !held.is_empty());
    given.map(|(name, held)| Sentence::new(seq, format!("{name}: {held}"))).collect()
}

/// What was asked, as a title. A motion that says nothing of what a debate is about is told with the first files of its
/// material.
fn name_question(record: &Record) -> String {
    let opened = record.opened();
    let title = motion_title(&opened.motion);
    let material = PinnedMaterial::from_record(record).filter(|_| is_usual_motion(&opened.protocol, &opened.motion));
    material.map_or(title.clone(), |material| material.complete_title(&title))
}

/// What was asked, as a title: the first heading or paragraph of the motion that says something, or its beginning. A
/// motion may be a whole document, whose lines end where its author broke them.
pub fn motion_title(motion: &str) -> String {
    let mut lines = motion.lines().map(str::trim);
    let says_something = |line: &&str| line.contains(char::is_alphanumeric);
    let first = lines.find(says_something).unwrap_or("No motion");
    let is_heading = first.starts_with('#');
    let more = lines.take_while(|line| !is_heading && !line.is_empty() && !line.starts_with(['#', '-', '*', '|']));
    let paragraph: Vec<&str> = [first.trim_start_matches(['#', ' '])].into_iter().chain(more).collect();
    shorten_text(&paragraph.join(" "), QUESTION_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_tells_no_verdict_a_second_time() {
        for (verdict, told, reason) in [
            ("Jonas wins", "Jonas wins. Narrowly.", "Narrowly."),
            ("Draw", "A draw. Nobody moved.", "Nobody moved."),
            ("No verdict", "No verdict: the moderator failed.", "the moderator failed."),
            ("Even", "Even.", ""),
            ("Even", "Evenly matched.", "Evenly matched."),
            ("胜", "胜. 很近。", "很近。"),
        ] {
            assert_eq!(strip_verdict(told, verdict), reason, "{told}");
        }
    }

    #[test]
    fn a_title_is_the_first_heading_or_paragraph_that_says_something() {
        for (motion, title) in [
            ("This house would rest.", "This house would rest."),
            ("\n---\n# A plan\nfor the town\n", "A plan"),
            ("Plan how a program\ngets lookups.\n\nWhat is there: much.", "Plan how a program gets lookups."),
            ("应不应该\n禁止汽车?\n- 第一点", "应不应该 禁止汽车?"),
            ("", "No motion"),
        ] {
            assert_eq!(motion_title(motion), title, "{motion:?}");
        }
        let long = motion_title(&"many words ".repeat(60));
        assert!(long.ends_with("words…") && long.chars().count() <= QUESTION_CHARS_MAX + 1, "{long}");
    }
}
