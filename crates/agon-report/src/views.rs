//! What a protocol knows of its debates in addition to its own files: what reports, pages and other commands show
//! of any debate. The defaults show what every debate has, one of a declared protocol included.

use std::{borrow::Cow, collections::BTreeMap};

use agon_core::{Key, Record, Request, RoundBegins, Ruling, RulingKind};

use crate::{
    File,
    agreement::Orders,
    cited_source::{self, CitedSource},
    companion, declared,
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{self, Graph},
    page::part::PagePart,
    report::{Illustration, Point, Table, Voice, part},
    ruling_view::{RulingView, VoteView, tell_ruling},
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
        graph::answers::build_graph(record)
    }

    /// The answer to the question, in the last words of who gave it: one for each participant where they did not agree
    /// on one. Empty where the record holds none.
    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        declared::collect_stated_answers(record)
    }

    /// What the answer rests on.
    fn collect_answer_basis(&self, _record: &Record) -> AnswerBasis {
        AnswerBasis::default()
    }

    /// What the answer rests on in the form of the protocol's own, in the order of a page; empty where a list of the
    /// points of `basis`, which is that of the record, says all.
    fn page_parts(&self, _record: &Record, _basis: &AnswerBasis) -> Vec<PagePart> {
        Vec::new()
    }

    /// What `ruling` means beyond its text.
    fn ruling_view(&self, _ruling: &Ruling) -> RulingView {
        RulingView::Text
    }

    /// How a debate ended whose outcome is called `name`, in a few words for readers.
    fn verdict_words(&self, name: &str) -> String {
        agon_text::humanize_name(&name.to_lowercase())
    }

    /// Whether nothing counts as read of which no prompt showed a passage.
    fn counts_passages(&self, _record: &Record) -> bool {
        false
    }

    /// The graph as a Mermaid diagram of the protocol's own make, where it has one.
    fn render_diagram(&self, _record: &Record) -> Option<String> {
        None
    }

    /// Every source as it was cited, with what is known of it, in the order of the statements. `graph` is
    /// that of the record.
    fn list_cited_sources(&self, record: &Record, _graph: &Graph) -> Vec<CitedSource> {
        cited_source::collect_declared_sources(record)
    }

    /// What was said with the addresses of its sources, where the protocol has those in fields of their
    /// own; `None` where they stand in the words.
    fn list_passages(&self, _record: &Record) -> Option<Vec<Passage>> {
        None
    }

    /// What the side `side` of `graph` holds.
    fn build_voice(&self, record: &Record, graph: &Graph, side: usize) -> Option<Voice> {
        part::positions::build_ends_voice(graph, side, part::positions::describe_persona(record, side))
    }

    /// What they disagreed about, where the protocol names it.
    fn build_disagreement_table(&self, _record: &Record) -> Option<Table> {
        None
    }

    /// Turning points that the protocol's own fields tell.
    fn turning_points(&self, _record: &Record, _graph: &Graph) -> Vec<Point> {
        Vec::new()
    }

    /// Who moved towards whom, where the protocol records it.
    fn build_move_table(&self, _record: &Record) -> Option<Table> {
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
    fn list_votes(&self, _record: &Record) -> Vec<Vec<VoteView>> {
        Vec::new()
    }

    /// In how many orders judgments were heard.
    fn judgment_orders(&self, record: &Record) -> Orders {
        Orders::from_votes(&self.list_votes(record))
    }

    /// What the outcome follows from where nobody judges, as the end of a sentence.
    fn decided_by(&self) -> &'static str {
        "the outcome is read from the answers by the protocol's rules"
    }

    /// How much of what was quoted stands in the material, where quotations are compared with it.
    fn describe_quotations(&self, _entries: &QuotedEntries<'_>) -> Option<Sentence> {
        None
    }

    /// What would change the outcome by the protocol's rules.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _graph: &Graph) -> Vec<Sentence> {
        declared::list_outcome_changes(entries)
    }

    /// What the protocol knows to be left open.
    fn open_points(&self, _entries: &QuotedEntries<'_>, _graph: &Graph) -> Vec<Sentence> {
        Vec::new()
    }

    /// Statements with what was found of their sources, as an answer would have it, by the statement's key.
    fn tag_statements(&self, record: &Record) -> BTreeMap<Key, String> {
        declared::tag_statements(record)
    }

    /// What each argument of a statement is called, in its order, by the statement's key.
    fn collect_argument_marks(&self, _record: &Record) -> BTreeMap<Key, Vec<Mark>> {
        BTreeMap::new()
    }

    /// The name of each who argues and the position that it was given, where positions are given.
    fn given_positions(&self, _record: &Record) -> Vec<(String, String)> {
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
        Some(tell_ruling(ruling).into_owned())
    }

    /// What was found at lines of the material, gravest first.
    fn list_annotations(&self, _record: &Record) -> Vec<Annotation> {
        Vec::new()
    }

    /// Whether statements in prose are documents, with headings of their own.
    fn are_documents(&self) -> bool {
        false
    }

    /// What an answer to `request` says, with sides and arguments by the names that readers know.
    fn name_for_readers<'t>(&self, _request: &Request, text: Cow<'t, str>) -> Cow<'t, str> {
        text
    }

    /// The names that readers know of what `request` calls otherwise, for who shows an answer while it is written.
    fn readers_names(&self, _request: &Request) -> Option<String> {
        None
    }

    /// Whether `extraction`, a debate of this protocol, read the debate `record` and has a result.
    fn is_extraction_of(&self, _extraction: &Record, _record: &Record) -> bool {
        false
    }

    /// Adds to `graph`, which is that of the debate `record`, the edges that such an `extraction` found in its prose.
    fn add_extracted_edges(&self, _graph: &mut Graph, _record: &Record, _extraction: &Record) {}

    /// The file of a companion of another debate, once it has ended.
    fn companion_file(&self, record: &Record) -> Option<File> {
        companion::mirror_file(record)
    }

    /// The side that is read first for an answer to `request`, where that is told.
    fn side_read_first(&self, _request: &Request) -> Option<&'static str> {
        None
    }
}

/// The defaults.
pub struct Common;

impl Views for Common {}
