//! Critique and revision: versions and critiques. Weaknesses and disagreements attack a version,
//! strengths support it, concessions grant it; a revision grants what it addresses and attacks what it
//! defends itself against.

use agon_core::{Key, Record, View};
use agon_protocols::revise::{
    critique::Critique,
    settings::Setup,
    state::{Criticised, Drafts, ReviseState, Round, Version},
};
use agon_text::count_noun;

use crate::graph::{Graph, Relation, answer_seq, first_sentence, to_plain_id};

pub(super) fn build_graph(record: &Record) -> Graph {
    let view = View::of_whole_record(record);
    let Some(state) = ReviseState::from_view(&view) else { return Graph::default() };
    let sides = state.setup.authors.iter().map(|author| author.name.clone()).collect();
    let mut scene = GraphInput { record, setup: &state.setup, graph: Graph { sides, ..Graph::default() } };
    let drafts = view.find_ruling_data::<Drafts>("drafts");
    let drafted = || drafts.iter().flat_map(|ruled| &ruled.drafts);
    for author in state.present_authors() {
        if let Some(initial) = state.find_version(author, 0) {
            let key = drafted().find(|drafted| drafted.author == author).and_then(|d| d.key.as_ref());
            scene.add_version(author, initial, key);
        }
    }
    for (round, number) in state.rounds.iter().zip(1_u32..) {
        for held in &round.critiques {
            scene.add_critique(held, number);
        }
        for held in &round.revisions {
            if let Some(version) = state.find_version(held.author, number) {
                scene.add_version(held.author, version, Some(&held.key));
                scene.link_answers(round, number, held.author);
            }
        }
    }
    scene.graph
}

struct GraphInput<'r> {
    record: &'r Record,
    setup: &'r Setup,
    graph: Graph,
}

impl GraphInput<'_> {
    fn add_version(&mut self, author: usize, version: &Version, key: Option<&Key>) {
        let before = self.latest_version(author);
        let round = version.round;
        let title = match round {
            0 => "First version".to_owned(),
            round => format!("Version {round}"),
        };
        let heading = version.text.as_ref().map(|text| first_words(text));
        let at = self.graph.statements.len();
        let id = format!("{}-{round}", self.author_label(author));
        let (seq, when) = (key.map_or(0, |key| answer_seq(self.record, key)), (round * 2, title.clone()));
        let statement = self.graph.add_statement(id, seq, author, when, version.text.clone());
        statement.title = heading.map(|heading| format!("{title}: {heading}")).unwrap_or_default();
        if let Some(before) = before {
            self.graph.add_edge(at, before, Relation::Citation, "revises", "");
        }
    }

    fn add_critique(&mut self, held: &Criticised, round: u32) {
        let summary = held.critique.as_ref().map(summarize_critique);
        let from = self.graph.statements.len();
        let to = self.latest_version(held.target);
        let id = format!("{}-of-{}-{round}", self.author_label(held.critic), self.author_label(held.target));
        let (seq, when) = (answer_seq(self.record, &held.key), (round * 2 - 1, format!("Critique {round}")));
        let statement = self.graph.add_statement(id, seq, held.critic, when, summary.clone());
        statement.title = summary.unwrap_or_default();
        statement.words = held.critique.as_ref().map(critique_text).unwrap_or_default();
        let (Some(critique), Some(to)) = (&held.critique, to) else { return };
        let weaknesses = critique.weaknesses.iter().map(|w| ("weakness", w.severity, &w.place, &w.problem));
        let disagreements = critique.disagreements.iter().map(|d| ("disagreement", d.severity, &d.point, &d.reason));
        for (what, severity, about, why) in weaknesses.chain(disagreements) {
            let (kind, text) = (format!("{what} {}", severity.name()), format!("{about}: {why}"));
            self.graph.add_edge(from, to, Relation::Attack, &kind, &text);
        }
        for strength in &critique.strengths {
            self.graph.add_edge(from, to, Relation::Support, "strength", strength);
        }
        for concession in &critique.concessions {
            self.graph.add_edge(from, to, Relation::Concession, "concession", concession);
        }
    }

    /// What the revision that was just added does about each weakness of its round.
    fn link_answers(&mut self, round: &Round, number: u32, author: usize) {
        let from = self.graph.statements.len() - 1;
        let held = round.revisions.iter().find(|held| held.author == author);
        let Some(revision) = held.and_then(|held| held.revision.clone()) else { return };
        let critiques: Vec<&Criticised> = round.critiques.iter().filter(|held| held.target == author).collect();
        for point in &revision.points {
            // Weaknesses of a round are numbered through its critiques.
            let mut left = point.weakness;
            let named = critiques.iter().find(|held| {
                let is_here = left <= held.weaknesses;
                left -= if is_here { 0 } else { held.weaknesses };
                is_here
            });
            let Some(held) = named else { continue };
            let id = format!("{}-of-{}-{number}", self.author_label(held.critic), self.author_label(author));
            let Some(to) = self.graph.index(&id) else { continue };
            let (relation, kind) =
                if point.defended { (Relation::Attack, "defended") } else { (Relation::Concession, "addressed") };
            self.graph.add_edge(from, to, relation, kind, &point.words);
        }
    }

    fn latest_version(&self, author: usize) -> Option<usize> {
        let statements = &self.graph.statements;
        (0..statements.len()).rev().find(|at| statements[*at].side == author && statements[*at].step.is_multiple_of(2))
    }

    fn author_label(&self, author: usize) -> String {
        to_plain_id(&self.setup.authors[author].label)
    }
}

/// What a critique holds, counted.
fn summarize_critique(critique: &Critique) -> String {
    let parts = [
        (critique.weaknesses.len(), "weakness", "weaknesses"),
        (critique.disagreements.len(), "disagreement", "disagreements"),
        (critique.strengths.len(), "strength", "strengths"),
        (critique.concessions.len(), "concession", "concessions"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, one, many)| count_noun(count, one, many)).collect();
    if parts.is_empty() { "Nothing to object".into() } else { parts.join(", ") }
}

/// Everything a critique says.
fn critique_text(critique: &Critique) -> String {
    let texts = critique.objections().chain(critique.strengths.iter().map(String::as_str));
    texts.chain(critique.concessions.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// The first heading of a document, or its first sentence.
fn first_words(text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim().trim_start_matches('#').trim());
    let first = lines.find(|line| line.chars().any(char::is_alphanumeric));
    first_sentence(&agon_text::to_single_line(first.unwrap_or_default()))
}
