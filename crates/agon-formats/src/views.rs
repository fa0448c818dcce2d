//! What a protocol knows of its debates in addition to its own files: what reports, pages and other commands show
//! of any debate. The defaults show what every debate has, one of a declared protocol included.

use std::{borrow::Cow, collections::BTreeMap};

use agon_core::{Key, Outcome, Record, RoundBegins, Ruling, RulingKind};

use crate::{
    agreement::{Orders, Vote},
    cited::{self, CitedSource},
    declared,
    first_page::{AnswerBasis, StatedAnswer},
    first_page::{Sentence, quote::QuotedEntries},
    graph::{self, Graph},
    page::part::PagePart,
    report::{Illustration, Point, Table, Voice, part},
    ruling_view::{RulingView, tell_ruling},
    summary::Annotation,
};

/// The label of one argument of a statement on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// For example `prop_000a`.
    pub id: String,
    /// The score that stands.
    pub score: Option<f64>,
    /// Whether a part of the page's own explains it: the mark leads there.
    pub is_elsewhere: bool,
}

/// A text that was said, with the addresses of its sources.
pub type Passage = (String, Vec<String>);

/// The views of one protocol. All are pure: equal records give equal views.
pub trait Views: Send + Sync {
    /// Who said what, and what it does to what others said.
    fn build_graph(&self, record: &Record) -> Graph {
        graph::declared::build_graph(record)
    }

    /// The answer to the question, in the last words of who gave it: one for each participant where they did not agree
    /// on one. Empty where the record holds none.
    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        declared::collect_stated_answers(record)
    }

    /// What the answer rests on.
    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        let _ = record;
        AnswerBasis::default()
    }

    /// What the answer rests on in the form of the protocol's own, in the order of a page; empty where a list of the
    /// points of `basis`, which is that of the record, says all.
    fn page_parts(&self, record: &Record, basis: &AnswerBasis) -> Vec<PagePart> {
        let _ = (record, basis);
        Vec::new()
    }

    /// What `ruling` means beyond its text.
    fn ruling_view(&self, ruling: &Ruling) -> RulingView {
        let _ = ruling;
        RulingView::Text
    }

    /// The text of `ruling` for readers of screens and pages.
    fn ruling_text<'r>(&self, ruling: &'r Ruling) -> Cow<'r, str> {
        tell_ruling(ruling)
    }

    /// How a debate ended, in a few words for readers.
    fn verdict_words(&self, outcome: &Outcome) -> String {
        graph::humanise_name(&outcome.name.to_lowercase())
    }

    /// The account of how a debate ended, for readers of screens and pages.
    fn ending_text(&self, outcome: &Outcome) -> String {
        outcome.render_summary()
    }

    /// Whether nothing counts as read of which no prompt showed a passage.
    fn counts_passages(&self, record: &Record) -> bool {
        let _ = record;
        false
    }

    /// The graph as a Mermaid diagram of the protocol's own make, where it has one.
    fn render_diagram(&self, record: &Record) -> Option<String> {
        let _ = record;
        None
    }

    /// Every source as it was cited, with what is known of it, in the order of the statements. `graph` is
    /// that of the record.
    fn list_cited_sources(&self, record: &Record, graph: &Graph) -> Vec<CitedSource> {
        let _ = graph;
        cited::collect_declared_sources(record)
    }

    /// What was said with the addresses of its sources, where the protocol has those in fields of their
    /// own; `None` where they stand in the words.
    fn list_passages(&self, record: &Record) -> Option<Vec<Passage>> {
        let _ = record;
        None
    }

    /// What the side `side` of `graph` holds.
    fn build_voice(&self, record: &Record, graph: &Graph, side: usize) -> Option<Voice> {
        part::positions::build_ends_voice(graph, side, part::positions::describe_persona(record, side))
    }

    /// What they disagreed about, where the protocol names it.
    fn build_disagreement_table(&self, record: &Record) -> Option<Table> {
        let _ = record;
        None
    }

    /// Turning points that the protocol's own fields tell.
    fn turning_points(&self, record: &Record, graph: &Graph) -> Vec<Point> {
        let _ = (record, graph);
        Vec::new()
    }

    /// Who moved towards whom, where the protocol records it.
    fn build_move_table(&self, record: &Record) -> Option<Table> {
        let _ = record;
        None
    }

    /// Heading of [`Views::draw_course`].
    fn course_title(&self) -> &'static str {
        "Scores over time"
    }

    /// The course of the debate as a drawing.
    fn draw_course(&self, record: &Record, graph: &Graph) -> Option<Illustration> {
        part::scores::draw_score_balance(record, graph)
    }

    /// The votes of judges, those of one judgment together.
    fn list_votes(&self, record: &Record) -> Vec<Vec<Vote>> {
        let _ = record;
        Vec::new()
    }

    /// In how many orders judgments were heard.
    fn judgment_orders(&self, record: &Record) -> Orders {
        Orders::of(&self.list_votes(record))
    }

    /// What the outcome follows from where nobody judges, as the end of a sentence.
    fn decided_by(&self) -> &'static str {
        "the outcome is read from the answers by the protocol's rules"
    }

    /// How much of what was quoted stands in the material, where quotations are compared with it.
    fn describe_quotations(&self, entries: &QuotedEntries<'_>) -> Option<Sentence> {
        let _ = entries;
        None
    }

    /// What would change the outcome by the protocol's rules.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let _ = graph;
        declared::list_outcome_changes(entries)
    }

    /// What the protocol knows to be left open.
    fn open_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let _ = (entries, graph);
        Vec::new()
    }

    /// What each argument of a statement is called, in its order, by the statement's key.
    fn collect_argument_marks(&self, record: &Record) -> BTreeMap<Key, Vec<Mark>> {
        let _ = record;
        BTreeMap::new()
    }

    /// The name of each who argues and the position that it was given, where positions are given.
    fn given_positions(&self, record: &Record) -> Vec<(String, String)> {
        let _ = record;
        Vec::new()
    }

    /// The round that is under way, in the sense of the debate's limit; `None` before the first.
    fn current_round(&self, record: &Record) -> Option<u32> {
        let (_, _, phase) = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Phase).last()?;
        phase.decode_data().map(|RoundBegins { round }| round)
    }

    /// Where the debate stands now, in one line: what was scored or settled last.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let told = |kind| matches!(kind, RulingKind::Scored | RulingKind::Converged | RulingKind::Deadlocked);
        let (_, _, ruling) = record.rulings().filter(|(_, _, ruling)| told(ruling.kind)).last()?;
        Some(self.ruling_text(ruling).into_owned())
    }

    /// What was found at lines of the material, gravest first.
    fn list_annotations(&self, record: &Record) -> Vec<Annotation> {
        let _ = record;
        Vec::new()
    }

    /// Whether statements in prose are documents, with headings of their own.
    fn are_documents(&self) -> bool {
        false
    }
}

/// The defaults.
pub struct Common;

impl Views for Common {}
