//! The argument graph of a debate: its statements, and which of them attack, support, cite or concede others.
//!
//! Statements and edges come from the typed fields of each protocol; edges that a model extracted from
//! prose come from a separate debate, and are marked ([`Extracted`]). Whatever the graph says of a debate ([`semantics`], [`opinion`]) is computed from it, so that striking a
//! statement ([`Graph::without_statements`]) gives the same answer every time. A redacted statement keeps its
//! place and loses its words, and what it said of others.

pub(crate) mod answers;
mod declared;
pub mod export;
pub mod map;
pub mod opinion;
pub mod semantics;

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Key, Record, Role, Seat, View};
pub(crate) use agon_protocols::common::first_sentence::extract_gist as first_sentence;
use agon_protocols::common::lineup;
use serde::Serialize;

use self::semantics::StatementLabel;
use crate::participation;

/// Longest title of a statement, in characters.
const TITLE_CHARS_MAX: usize = 110;

/// The relation of one statement to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Relation {
    /// Speaks against it.
    Attack,
    /// Speaks for it.
    Support,
    /// Grants it.
    Concession,
    /// Refers to it.
    Citation,
}

/// The kind of an edge that a model found in prose.
pub const EXTRACTED: &str = "extracted";
/// The kind of a concession that its speaker did not put into words: a moderator heard it.
pub const MOVED: &str = "moved towards";

impl Relation {
    /// All, in the order of lists and legends.
    pub const ALL: [Relation; 4] = [Relation::Attack, Relation::Support, Relation::Concession, Relation::Citation];

    /// As a sentence says it, in the third person, of an edge of `kind`: who only moved granted nothing.
    pub fn verb_of_kind(self, kind: &str) -> &'static str {
        if kind == MOVED { "moves towards" } else { self.verb() }
    }

    /// As a sentence says it, in the third person.
    pub fn verb(self) -> &'static str {
        match self {
            Relation::Attack => "attacks",
            Relation::Support => "supports",
            Relation::Concession => "grants",
            Relation::Citation => "cites",
        }
    }
}

/// A node of the graph: one statement, with its speaker, side and time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphStatement {
    /// For example `prop_000a`, `turn-2` or `seq-4`: letters, digits, `-` and `_` only.
    pub id: String,
    /// The entry of the record that holds its words.
    pub seq: u64,
    /// Who said it, as readers call them.
    pub speaker: String,
    /// The place of the speaker among those who argue, from 0.
    pub side: usize,
    /// Its place in time: statements of one step were made without knowledge of each other.
    pub step: u32,
    /// What that step is called, for example `Exchange 1`.
    pub when: String,
    /// A phrase; empty where it was redacted.
    pub title: String,
    /// What it says; `None` where it was redacted.
    pub text: Option<String>,
    /// Everything it says, for comparing words; empty where it was redacted.
    #[serde(skip)]
    pub words: String,
    /// What the judge gave it, -1 to 1, where the protocol scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A relation from one statement to another: an edge of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// Index of the statement that speaks.
    pub from: usize,
    /// Index of the statement that is spoken of.
    pub to: usize,
    /// What it does.
    pub relation: Relation,
    /// The protocol's own word for it, for example `warrant_attack`.
    pub kind: String,
    /// What is said, in a sentence or more; may be empty.
    pub text: String,
    /// Whether a model found it in prose; otherwise a field says it.
    pub extracted: bool,
}

/// Where the extracted edges of a graph come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// The id of the extraction.
    pub debate: String,
    /// The models that read.
    pub by: String,
    /// Statements that were read, and those that follow others.
    pub read: usize,
    /// Those that follow others, as the graph stands.
    pub follow: usize,
}

/// The argument graph of a debate: its statements in order of time, and the relations between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// Oldest first; within a step in the protocol's order.
    pub statements: Vec<GraphStatement>,
    /// In the order of the statements that speak.
    pub edges: Vec<Edge>,
    /// Names of those who argue, by their side.
    pub sides: Vec<String>,
    /// Where extracted edges come from, if there may be any.
    pub extracted: Option<Extracted>,
    /// Whether those who argue agreed in the end: what they said against each other before is settled.
    pub agreed: bool,
    /// What the protocol's own rules made of statements, by their ids, where nobody takes a side: as of the findings of
    /// a review. `None` where sides argue.
    pub decided: Option<BTreeMap<String, StatementLabel>>,
}

impl Graph {
    /// The graph of `record` as it stands, by its typed fields; of a protocol that has no graph of its own, the answers
    /// that its rounds accepted.
    pub fn from_record(record: &Record) -> Self {
        Self::with_extraction(record, None)
    }

    /// The same with the relations that `extraction`, a companion debate, found in its prose.
    pub fn with_extraction(record: &Record, extraction: Option<&Record>) -> Self {
        let mut graph = crate::views_of(record).build_graph(record);
        for statement in &mut graph.statements {
            statement.title = shorten_text(&statement.title, TITLE_CHARS_MAX);
        }
        graph.edges.retain(|edge| edge.from != edge.to);
        if let Some((extraction, views)) = extraction.map(|other| (other, crate::views_of(other)))
            && views.is_extraction_of(extraction, record)
        {
            views.add_extracted_edges(&mut graph, record, extraction);
        }
        graph.edges.sort_by_key(|edge| (edge.from, edge.relation, edge.to));
        graph
    }

    /// The graph of its typed fields alone.
    pub fn typed_only(&self) -> Self {
        let edges = self.edges.iter().filter(|edge| !edge.extracted).cloned();
        Self { edges: edges.collect(), extracted: None, ..self.clone() }
    }

    /// Index of the statement called `id`.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.statements.iter().position(|statement| statement.id == id)
    }

    /// Statements that `named` means: an id, or the number of an entry, which may hold several.
    pub fn find_statements(&self, named: &str) -> BTreeSet<usize> {
        let number = named.strip_prefix('e').unwrap_or(named).parse::<u64>().ok();
        let means = |statement: &GraphStatement| statement.id == named || Some(statement.seq) == number;
        self.statements.iter().enumerate().filter(|(_, s)| means(s)).map(|(at, _)| at).collect()
    }

    /// The graph as if the statements `struck` had never been made.
    pub fn without_statements(&self, struck: &BTreeSet<usize>) -> Self {
        let stays = |at: &usize| !struck.contains(at);
        let new = |old: usize| Some(old - struck.range(..old).count()).filter(|_| stays(&old));
        let mut graph = self.clone();
        let mut places = 0..;
        graph.statements.retain(|_| places.next().is_some_and(|at| stays(&at)));
        let edges = self.edges.iter();
        let edges = edges.filter_map(|edge| Some(Edge { from: new(edge.from)?, to: new(edge.to)?, ..edge.clone() }));
        graph.edges = edges.collect();
        graph
    }

    /// Whether those who speak take sides, of which one can be stronger.
    pub fn has_sides(&self) -> bool {
        self.decided.is_none()
    }

    /// What an edge rests on, in a few words, if it is one of those that were `extracted`.
    pub(crate) fn extraction_label(&self, extracted: bool) -> Option<String> {
        self.extracted.as_ref().filter(|_| extracted).map(|by| format!("{EXTRACTED} by {}", by.by))
    }

    /// What the protocol's own rules made of `statement`, where they decide.
    pub(crate) fn decided_label(&self, statement: &GraphStatement) -> Option<StatementLabel> {
        self.decided.as_ref()?.get(&statement.id).copied()
    }

    /// What the statement `at` says of others, relation by relation, those of a field first.
    pub fn describe_relations(&self, at: usize) -> Vec<String> {
        let mut said: Vec<(&str, bool, Vec<&str>)> = Vec::new();
        let mut own: Vec<&Edge> = self.edges.iter().filter(|edge| edge.from == at).collect();
        own.sort_by_key(|edge| (edge.relation, edge.extracted));
        for edge in own {
            let (verb, target) = (edge.relation.verb_of_kind(&edge.kind), self.statements[edge.to].id.as_str());
            match said.iter_mut().find(|(known, extracted, _)| (*known, *extracted) == (verb, edge.extracted)) {
                Some((.., targets)) if targets.last() == Some(&target) => {}
                Some((.., targets)) => targets.push(target),
                None => said.push((verb, edge.extracted, vec![target])),
            }
        }
        let told = said.into_iter().map(|(verb, extracted, targets)| {
            let mark = if extracted { " (extracted)" } else { "" };
            format!("{verb} {}{mark}", targets.join(", "))
        });
        told.collect()
    }

    /// Edges with `relation` that end at the statement `to`.
    pub fn edges_into(&self, to: usize, relation: Relation) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |edge| edge.to == to && edge.relation == relation)
    }

    /// Adds the statement `id` of `side`, which says `text`: its title is the first sentence.
    pub fn add_statement(
        &mut self,
        id: String,
        seq: u64,
        side: usize,
        (step, when): (u32, String),
        text: Option<String>,
    ) -> &mut GraphStatement {
        self.statements.push(GraphStatement {
            id,
            seq,
            speaker: self.sides.get(side).cloned().unwrap_or_default(),
            side,
            step,
            when,
            title: text.as_deref().map(first_sentence).unwrap_or_default(),
            words: text.clone().unwrap_or_default(),
            text,
            score: None,
        });
        let at = self.statements.len() - 1;
        &mut self.statements[at]
    }

    pub(crate) fn add_edge(&mut self, from: usize, to: usize, relation: Relation, kind: &str, text: &str) {
        let (kind, text) = (kind.to_owned(), agon_text::to_single_line(text));
        self.edges.push(Edge { from, to, relation, kind, text, extracted: false });
    }

    /// The latest statement of `side` before the statement `before`.
    pub(crate) fn latest_statement(&self, side: usize, before: usize) -> Option<usize> {
        (0..before.min(self.statements.len())).rev().find(|at| self.statements[*at].side == side)
    }
}

/// The entry that holds the answer `key`; 0, the opening, where there is none.
pub fn answer_seq(record: &Record, key: &Key) -> u64 {
    record.find_answer(key).map_or(0, |(seq, _)| seq)
}

/// Seats that argue in their order, with the names that readers know.
pub(crate) fn list_debaters(record: &Record) -> Vec<(Seat, String)> {
    let role = participation::seat_roles(record);
    let members = lineup::ruled_members(&View::of_whole_record(record));
    let taken = lineup::list_taken_seats(record.opened(), &members).into_iter();
    let debaters = taken.map(|sat| sat.seat).filter(|seat| role(seat) == Some(Role::Debater));
    debaters.map(|seat| (seat.clone(), debater_name(record, &seat))).collect()
}

/// What readers call who argues at `seat`.
fn debater_name(record: &Record, seat: &Seat) -> String {
    participation::participant_name(record, seat).unwrap_or_else(|| agon_text::humanize_name(seat.as_str()))
}

/// The beginning of `text` on one line, cut between words where there are any.
pub fn shorten_text(text: &str, chars_max: usize) -> String {
    let line = agon_text::to_single_line(text);
    if line.chars().count() <= chars_max {
        return line;
    }
    let cut: String = line.chars().take(chars_max).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end_matches([',', ';', ':', ' ']))
}

/// Letters, digits, `-` and `_` of `name`, for an id.
pub(crate) fn to_plain_id(name: &str) -> String {
    let kept = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    kept.collect()
}
