//! The report: one page that tells a debate from its outcome, and how far that can be trusted, to how it can be
//! replayed.
//!
//! `report.html` is one file that loads nothing and runs nothing; `report.md` says the same in
//! Markdown; `memo.md` says on one page what a reader decides by. All are drawn from one [`ReportDocument`], so that none
//! says what the others do not. Every figure is computed from the record. Unlike the other files a report holds durations and costs: it is equal
//! for equal records, not only for equal replies.

pub mod chart;
pub mod html;
mod markdown;
pub mod memo;
pub(crate) mod part;

use agon_core::{Record, Seat};
use maud::Markup;

use crate::{
    File, Format,
    first_page::{FirstPage, Sentence},
    graph::{Graph, list_debaters, opinion::Opinion},
};

/// `report.html`, `report.md` and `memo.md`.
pub static FORMAT: Format = Format {
    protocol: None,
    ..Format::new(
        "report",
        "the report as one page to read, print or send, as Markdown, and as a memo of one page, for any protocol",
        |record, extraction, _| {
            let sheet = ReportDocument::from_record(record, extraction);
            vec![
                File::new("report.html", html::render_html(&sheet, record)),
                File::new("report.md", markdown::render_markdown(&sheet)),
                File::new("memo.md", memo::render_memo(&sheet)),
            ]
        },
    )
};

/// Everything that a report says, in order.
#[derive(Debug, Clone)]
pub struct ReportDocument {
    /// Protocol, debate, state and day.
    pub kicker: Vec<String>,
    /// The motion, or its beginning.
    pub title: String,
    /// The whole motion, where the title is not.
    pub motion: Option<String>,
    /// What a reader decides by.
    pub first_page: FirstPage,
    /// The rest, in reading order.
    pub sections: Vec<ReportSection>,
}

/// A part of a report.
#[derive(Debug, Clone)]
pub struct ReportSection {
    /// Names it in links.
    pub id: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Whether the page of a debate shows it in a form of its own, so that only Markdown takes it from here.
    pub is_on_page: bool,
    /// In order; never empty.
    pub blocks: Vec<Block>,
}

/// A piece of a part. Texts are plain and come from anyone; the renderer escapes them.
#[derive(Debug, Clone)]
pub enum Block {
    /// Paragraphs.
    Prose(String),
    /// An aside.
    Note(String),
    /// Points of equal weight; grave ones are marked.
    Points {
        /// Each with where it stands in the record, or nothing.
        points: Vec<(String, String)>,
        /// Whether they are what did not work.
        grave: bool,
    },
    /// What a participant holds.
    Voice(Voice),
    /// Figures or short texts.
    Table(Table),
    /// A drawing with its words.
    Figure(Illustration),
    /// Lines for a terminal.
    Commands(Vec<String>),
    /// Sentences of equal weight.
    Sentences(Vec<Sentence>),
    /// What matters to few, behind one line that says what it is.
    Details {
        /// The line.
        summary: String,
        /// What is behind it.
        blocks: Vec<Block>,
    },
    /// An entry of the record that others point to.
    Entry(Cited),
}

/// An entry of the record as a report shows it.
#[derive(Debug, Clone)]
pub struct Cited {
    /// Its number.
    pub seq: u64,
    /// Whose it is, and when it came.
    pub by: String,
    /// Its words, or the first of them.
    pub paragraphs: Vec<String>,
    /// The rest of them; a text that was only begun stands whole here.
    pub rest: Vec<String>,
}

/// What one seat holds.
#[derive(Debug, Clone)]
pub struct Voice {
    /// Its colour, where it argues.
    pub side: Option<usize>,
    /// What readers call it.
    pub name: String,
    /// Where it stands, in a word or two.
    pub tag: String,
    /// Each with where it was said.
    pub items: Vec<(String, String)>,
}

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Heads of columns; `true` for one of figures.
    pub head: Vec<(String, bool)>,
    /// As many cells as heads.
    pub rows: Vec<Vec<String>>,
}

impl Block {
    /// Whether it has nothing to show.
    fn is_empty(&self) -> bool {
        match self {
            Block::Points { points, .. } => points.is_empty(),
            Block::Sentences(all) => all.is_empty(),
            _ => false,
        }
    }
}

impl Table {
    /// One whose columns have these heads; `figures` are the places of those that hold figures.
    pub(crate) fn new(
        caption: impl Into<String>,
        head: &[&str],
        figures: &[usize],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let head = head.iter().enumerate().map(|(at, name)| ((*name).to_owned(), figures.contains(&at)));
        Self { caption: caption.into(), head: head.collect(), rows: rows.into_iter().collect() }
    }

    /// The same; nothing where it has no rows.
    pub(crate) fn if_filled(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// The same without columns in which nothing stands.
    fn without_empty_columns(mut self) -> Self {
        for column in (0..self.head.len()).rev() {
            if self.rows.iter().all(|row| row.get(column).is_none_or(String::is_empty)) {
                self.head.remove(column);
                self.rows.iter_mut().filter(|row| column < row.len()).for_each(|row| drop(row.remove(column)));
            }
        }
        self
    }
}

/// A turning point: the entry that brought it, where it stands, and what it is.
pub type Point = (u64, String, String);

/// A drawing.
#[derive(Debug, Clone)]
pub struct Illustration {
    /// SVG, with a text alternative of its own.
    pub drawing: Markup,
    /// What it shows, with the figures that matter.
    pub caption: String,
    /// What its signs mean.
    pub legend: Option<Markup>,
    /// Whether it needs the whole width.
    pub wide: bool,
    /// The same as text, where `caption` does not say all.
    pub table: Option<Table>,
    /// The same as a Mermaid diagram, for readers that draw those.
    pub mermaid: Option<String>,
}

impl Illustration {
    /// A drawing that its caption alone tells.
    pub(crate) fn new(drawing: Markup, caption: impl Into<String>) -> Self {
        Self { drawing, caption: caption.into(), legend: None, wide: false, table: None, mermaid: None }
    }
}

/// What the parts of a report look at.
struct ReportInput<'r> {
    record: &'r Record,
    graph: Graph,
    opinion: Opinion,
    first_page: FirstPage,
}

impl ReportDocument {
    /// The report of `record`, at any time of the debate, with what `extraction` found in its prose.
    pub fn from_record(record: &Record, extraction: Option<&Record>) -> Self {
        let graph = Graph::with_extraction(record, extraction);
        let opinion = Opinion::from_graph(&graph);
        let first_page = FirstPage::from_record(record, &graph);
        let scene = ReportInput { record, graph, opinion, first_page };
        let opened = record.opened();
        let motion = opened.motion.trim();
        let title = scene.first_page.question.clone();
        let whole = agon_text::to_single_line(motion) == title;
        let state = match record.closing_outcome() {
            Some(outcome) if outcome.standing == agon_core::Standing::Void => "closed without a result",
            Some(_) => "closed",
            None => "not over",
        };
        let day = record.entries().first().and_then(|entry| entry.at.0.get(..10)).unwrap_or_default();
        Self {
            kicker: vec![
                agon_text::humanize_name(&opened.protocol),
                opened.debate.to_string(),
                state.to_owned(),
                day.to_owned(),
            ],
            title,
            motion: (!whole).then(|| motion.to_owned()),
            sections: part::build_sections(&scene),
            first_page: scene.first_page,
        }
    }
}

impl ReportInput<'_> {
    /// The name that readers see for the participant at `seat`, and its colour.
    fn name_and_colour(&self, seat: &Seat) -> (String, Option<usize>) {
        let side = list_debaters(self.record).iter().position(|(other, _)| other == seat);
        let name = side.and_then(|side| self.graph.sides.get(side).cloned());
        (name.unwrap_or_else(|| agon_text::humanize_name(seat.as_str())), side)
    }
}
