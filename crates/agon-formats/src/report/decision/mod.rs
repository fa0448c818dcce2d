//! What a reader decides by, before the record: how it ended and how far that can be trusted, the strongest case of
//! each side, what would change the outcome, and what was not settled.
//!
//! Everything is chosen and counted by code, with the functions that the outcome itself uses. Each sentence names the
//! entry that it rests on, and what it quotes stands there.

pub mod case;
mod doubt;
pub mod flip;
mod open;
pub mod quote;
mod trust;

use agon_core::{Record, RulingKind, Standing, View};

use self::quote::QuotedEntries;
use crate::{
    cited::{self, Counts},
    graph::{Graph, opinion::Opinion, spelled},
};

/// Sentences of one part, so that a reader takes them in.
const SENTENCES_MAX: usize = 6;

/// Tells a reader of a report what the numbers behind sentences are.
pub const TRUST_HINT: &str =
    "The number behind a sentence leads to the entry of the record that it rests on.";

/// A sentence and the entry of the record that it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Words of the program; they may hold names that others gave.
    pub text: String,
    /// Words of a participant that belong to it and stand in the entry; `…` behind them where more follows.
    pub quote: Option<String>,
    /// The entry.
    pub seq: u64,
}

impl Sentence {
    /// One in words of the program.
    pub fn new(seq: u64, text: impl Into<String>) -> Self {
        Self { text: text.into(), quote: None, seq }
    }

    /// The whole of it, as plain text.
    pub fn told(&self) -> String {
        match &self.quote {
            Some(quote) => format!("{} “{quote}”", self.text),
            None => self.text.clone(),
        }
    }
}

/// The strongest that one side has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its colour, where it argues.
    pub side: Option<usize>,
    /// What readers call it.
    pub name: String,
    /// Where it stands, in a word or two.
    pub tag: String,
    /// Strongest first; never empty.
    pub sentences: Vec<Sentence>,
}

/// What a reader decides by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
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
    /// In the order of those who argue.
    pub cases: Vec<Case>,
    /// What would change the outcome; nothing while it is not over.
    pub flips: Vec<Sentence>,
    /// What was not settled.
    pub open: Vec<Sentence>,
}

impl Decision {
    /// That of `record`, whose graph says this.
    pub fn of(record: &Record, graph: &Graph, opinion: &Opinion) -> Self {
        let entries = QuotedEntries::of(record);
        let views = crate::views_of(record);
        let cited = cited::all(record, graph);
        let counts = Counts::of(&cited);
        let is_over = record.closed().is_some();
        let mut flips = if is_over { flip::usual(&entries, graph, opinion) } else { Vec::new() };
        flips.truncate(SENTENCES_MAX);
        let mut open = open::sentences(&entries, graph, &cited, counts);
        open.truncate(SENTENCES_MAX);
        Self {
            verdict: verdict(record),
            is_void: record.closed().is_some_and(|outcome| outcome.standing == Standing::Void),
            told: record.closed().map(|outcome| Sentence::new(entries.end(), outcome.told())),
            doubts: doubt::sentences(&entries, graph, counts),
            trust: trust::sentences(&entries, graph, &cited, counts),
            cases: views.cases(&entries, graph, opinion),
            flips,
            open,
        }
    }

    /// That of `record`, which is one that may be shown, with what `extraction` found in its prose.
    pub fn with(record: &Record, extraction: Option<&Record>) -> Self {
        let graph = Graph::with(record, extraction);
        let opinion = Opinion::of(&graph);
        Self::of(record, &graph, &opinion)
    }

    /// Every sentence, in reading order.
    pub fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        let cases = self.cases.iter().flat_map(|case| &case.sentences);
        let head = self.told.iter().chain(&self.doubts).chain(&self.trust);
        head.chain(cases).chain(&self.flips).chain(&self.open)
    }
}

/// How a debate ended, in a few words.
fn verdict(record: &Record) -> String {
    let Some(outcome) = record.closed() else {
        let phase = View::whole(record).rulings(RulingKind::Phase).last();
        let at = phase.map(|(_, ruling)| format!(" It stands at: {}.", ruling.text)).unwrap_or_default();
        return format!("Not over.{at}");
    };
    let name = spelled(&outcome.name.to_lowercase());
    match outcome.standing {
        Standing::Void => format!("{name}: no result"),
        Standing::Valid => name,
    }
}
