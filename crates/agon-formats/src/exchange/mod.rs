//! The files of the exchange protocol, as its source system has them.
//!
//! Reading and writing of each file is exact and works on plain values, so that folders made
//! elsewhere can be read and continued; [`ExchangeFiles`] draws them from a record, with every text
//! guarded where it could pass for the file's own structure.

pub mod argument;
mod basis;
pub mod body;
pub mod completion;
pub mod debate;
mod decision;
pub mod derived;
pub mod diagram;
pub mod frontmatter;
mod graph;
mod html;
mod import;
pub mod intake;
mod reading_order;
pub mod readme;
pub mod scores;
pub mod verdict;
mod views;

use std::sync::Arc;

use agon_core::{Key, Record, View};
use agon_protocols::exchange::{
    report,
    state::{ExchangeState, Scored, Totals},
};
use agon_text::format_signed;

use self::{argument::ArgumentFile, debate::DebateFile, derived::Sources, diagram::Node, scores::ScoreFile};
use crate::{File, Format, import::ImportReader, imported, views::Views};

/// `debate.md`, `scores.json`, `arguments/*.md`, `argument-graph.mmd` and `README.md`.
pub struct ExchangeFiles;

const PROTOCOL: &str = "exchange";
const GRAPH: &str = "argument-graph.mmd";

impl Format for ExchangeFiles {
    fn name(&self) -> &'static str {
        PROTOCOL
    }

    fn about(&self) -> &'static str {
        "the folder of an exchange debate: state, scores, arguments, graph and report"
    }

    fn draw(&self, record: &Record) -> Vec<File> {
        imported::set_right(record, draw, |path, original| stands(record, path, original))
    }

    fn complete(&self, record: &Record) -> Option<String> {
        Some(completion::of(record))
    }

    fn reading(&self, record: &Record) -> Option<String> {
        Some(reading_order::render(record, &argued(record)))
    }

    fn views(&self) -> &dyn Views {
        self
    }

    fn reader(&self) -> Option<&'static ImportReader> {
        Some(&import::READER)
    }
}

fn draw(record: &Record) -> Vec<File> {
    let argued = argued(record);
    let scores = ScoreFile::of(record, &argued);
    let debate = DebateFile::of(record, &argued, scores.totals());
    let debate = match imported::original(record, "debate.md") {
        Some(original) => debate.renew(original),
        None => debate.render(),
    };
    let mut files = vec![File::new("debate.md", debate), File::new("scores.json", scores.render())];
    let arguments: Vec<ArgumentFile> = argued.arguments.iter().map(ArgumentFile::from).collect();
    files.extend(arguments.iter().map(|file| File::new(format!("arguments/{}.md", file.id), file.guarded())));
    let graph = drawn(&argued, &arguments, &scores);
    files.extend(graph.as_ref().map(|graph| File::new(GRAPH, graph)));
    let report = readme::render(record, &argued, graph.as_deref());
    files.extend(report.map(|report| File::new("README.md", report)));
    files
}

/// The graph; `None` before the first judgment.
fn drawn(argued: &ExchangeState, arguments: &[ArgumentFile], scores: &ScoreFile) -> Option<String> {
    let last = argued.judgments.last()?;
    // Drawn at every judgment: what came after the last is not in it yet.
    let judged = arguments.iter().filter(|file| file.exchange <= last.exchange);
    let nodes = judged.map(|file| Node::from(file).guarded()).collect();
    Some(diagram::render(nodes, |id| scores.current(id)))
}

/// Whether a file that was taken over says what follows from the others, or nothing follows; so that
/// it comes back as it was. What says otherwise is drawn again, and the record keeps the original.
fn stands(record: &Record, path: &str, original: Option<&str>) -> bool {
    match (path, original) {
        (GRAPH, None) => false,
        (GRAPH, Some(graph)) => Sources::taken(record).graph_fault(graph).is_none(),
        ("scores.json", Some(scores)) => {
            ScoreFile::parse(scores).is_ok_and(|it| it.faults().next().is_none())
        }
        ("debate.md", Some(original)) => {
            let argued = argued(record);
            let now = DebateFile::of(record, &argued, ScoreFile::of(record, &argued).totals());
            DebateFile::parse(original).is_ok_and(|says| derived::is_state(&says, &now))
        }
        _ => true,
    }
}

/// What the debate is called in its files: as in the folder that it was taken from, else after its
/// folder.
fn slug(record: &Record) -> String {
    let original = imported::original(record, "debate.md").and_then(|text| DebateFile::parse(text).ok());
    original.map_or_else(|| crate::slug::of(record), |original| original.debate_id)
}

/// Everything argued and scored, without the words of judgments that were redacted.
fn argued(record: &Record) -> Arc<ExchangeState> {
    let view = View::whole(record);
    let mut argued = ExchangeState::of(&view);
    let is_clash_redacted =
        |judgment: &Scored| judgment.clash.as_ref().is_some_and(|clash| view.redacted(&clash.key));
    let is_redacted = |judgment: &Scored| view.redacted(&judgment.key);
    if argued.judgments.iter().all(|judgment| !is_redacted(judgment) && !is_clash_redacted(judgment)) {
        return argued;
    }
    for judgment in Arc::make_mut(&mut argued).judgments.iter_mut().map(Arc::make_mut) {
        if is_clash_redacted(judgment) {
            judgment.clash = None;
        }
        if !is_redacted(judgment) {
            continue;
        }
        let scores = judgment.scores.iter_mut().map(|given| &mut given.reasoning);
        let rescores = judgment.rescores.iter_mut().map(|given| &mut given.reasoning);
        scores.chain(rescores).for_each(|reasoning| *reasoning = "This text was redacted.".into());
    }
    argued
}

/// What the reporter said after `exchanges` exchanges, if a draft of it stands, and which draft that is.
fn reported(record: &Record, exchanges: u32) -> Option<(Key, report::ReportProse)> {
    let view = View::whole(record);
    let accepted = view.ruled::<report::AcceptedReport>(format!("report-{exchanges:03}/accepted"))?;
    // It was checked against the scores before it was accepted; only its form is read here.
    let read = if view.imported(&accepted.key) { report::admit } else { report::parse };
    let report = view.statement(&accepted.key, |text| read(text, None).map(Arc::new))?;
    let report = report.as_ref().as_ref().ok()?;
    Some((accepted.key.clone(), report::ReportProse::clone(report)))
}

/// A table with these `columns`, whose `rows` are written out.
fn table(columns: &[&str], rows: impl IntoIterator<Item = String>) -> String {
    let head = [format!("| {} |", columns.join(" | ")), format!("|{}", "---|".repeat(columns.len()))];
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// The totals of both sides for a reader: of the proposition, and of the opposition.
fn signed_totals(totals: &Totals) -> (String, String) {
    (signed(totals.proposition.total), signed(totals.opposition.total))
}

/// A score for a reader: signed, two decimals, three where they matter.
fn signed(score: f64) -> String {
    let text = format_signed(scores::round(score), 3);
    text.strip_suffix('0').unwrap_or(&text).to_owned()
}
