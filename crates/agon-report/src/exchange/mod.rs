//! The files of the exchange protocol, as its source system has them.
//!
//! Reading and writing of each file is exact and works on plain values, so that folders made
//! elsewhere can be read and continued; [`FORMAT`] draws them from a record, with every text
//! guarded where it could pass for the file's own structure.

pub mod argument;
mod basis;
pub mod completion;
pub mod debate;
pub mod derived_scores;
pub mod diagram;
pub mod folder_rules;
pub mod frontmatter;
mod html;
mod import;
pub mod motion_file;
pub mod readme;
pub mod scores;
pub mod submissions;
pub mod verdict;
mod views;

use std::sync::Arc;

use agon_core::{Key, Record, View};
pub use agon_protocols::exchange::argument::Side;
use agon_protocols::exchange::{
    report,
    state::{ExchangeState, PlacedArgument, Scored, Totals},
};

use self::{
    argument::ArgumentFile, debate::DebateFile, derived_scores::Sources, diagram::Node, motion_file::Body,
    scores::ScoreFile,
};
use crate::{File, Format, imported_files, statement::format_score};

/// `debate.md`, `scores.json`, `arguments/*.md`, `argument-graph.mmd` and `README.md`.
pub static FORMAT: Format = Format {
    draw_completion: |record| Some(completion::render_completion(record)),
    read_motion: |text| Body::of_file(text).map(Body::into_stated_motion),
    views: &views::ExchangeViews,
    import_reader: Some(&import::READER),
    ..Format::new(
        PROTOCOL,
        "the folder of an exchange debate: state, scores, arguments, graph and report",
        |record, _, _| {
            let is_kept = |path: &str, original: Option<&str>| is_consistent(record, path, original);
            imported_files::merge_originals(record, render_files, is_kept, |_, _, _| None)
        },
    )
};

const PROTOCOL: &str = "exchange";
const GRAPH: &str = "argument-graph.mmd";

fn render_files(record: &Record) -> Vec<File> {
    let argued = public_state(record);
    let scores = ScoreFile::from_record(record, &argued);
    let debate = DebateFile::from_record(record, &argued, scores.side_totals());
    let debate = match imported_files::find_original(record, "debate.md") {
        Some(original) => debate.update_original(original),
        None => debate.render(),
    };
    let mut files = vec![File::new("debate.md", debate), File::new("scores.json", scores.render())];
    let arguments = argued.arguments.iter().map(ArgumentFile::from);
    files.extend(arguments.map(|file| File::new(format!("arguments/{}.md", file.id), file.render_escaped())));
    let graph = render_graph(&argued, &scores);
    files.extend(graph.as_ref().map(|graph| File::new(GRAPH, graph)));
    let report = readme::render_readme(record, &argued, graph.as_deref());
    files.extend(report.map(|report| File::new("README.md", report)));
    files
}

/// The graph; `None` before the first judgment.
fn render_graph(argued: &ExchangeState, scores: &ScoreFile) -> Option<String> {
    let last = argued.judgments.last()?;
    // Drawn at every judgment: what came after the last is not in it yet.
    let judged = argued.arguments.iter().filter(|held| held.exchange <= last.exchange);
    let nodes = judged.map(|held| Node::from(&ArgumentFile::from(held)).escape_texts()).collect();
    Some(diagram::render_diagram(nodes, |id| scores.current_score(id)))
}

/// Whether a file that was taken over says what follows from the others, or nothing follows; so that
/// it comes back as it was. What says otherwise is drawn again, and the record keeps the original.
fn is_consistent(record: &Record, path: &str, original: Option<&str>) -> bool {
    match (path, original) {
        (GRAPH, None) => false,
        (GRAPH, Some(graph)) => Sources::from_import(record).graph_fault(graph).is_none(),
        ("scores.json", Some(scores)) => {
            ScoreFile::parse(scores).is_ok_and(|it| it.check_current_scores().next().is_none())
        }
        ("debate.md", Some(original)) => {
            let argued = public_state(record);
            let now = DebateFile::from_record(record, &argued, ScoreFile::from_record(record, &argued).side_totals());
            DebateFile::parse(original).is_ok_and(|says| derived_scores::is_state(&says, &now))
        }
        _ => true,
    }
}

/// What the debate is called in its files: as in the folder that it was taken from, else after its
/// folder.
fn debate_slug(record: &Record) -> String {
    let original = imported_files::find_original(record, "debate.md").and_then(|text| DebateFile::parse(text).ok());
    original.map_or_else(|| crate::slug::debate_name(record), |original| original.debate_id)
}

/// Everything argued and scored, without the words of judgments that were redacted.
fn public_state(record: &Record) -> Arc<ExchangeState> {
    let view = View::of_whole_record(record);
    let mut argued = ExchangeState::from_view(&view);
    let keys =
        |judgment: &Arc<Scored>| [Some(judgment.key.clone()), judgment.clash.as_ref().map(|told| told.key.clone())];
    if !argued.judgments.iter().flat_map(keys).flatten().any(|key| view.is_redacted(&key)) {
        return argued;
    }
    for judgment in Arc::make_mut(&mut argued).judgments.iter_mut().map(Arc::make_mut) {
        judgment.clash = judgment.clash.take().filter(|clash| !view.is_redacted(&clash.key));
        if view.is_redacted(&judgment.key) {
            let scores = judgment.scores.iter_mut().map(|given| &mut given.reasoning);
            let rescores = judgment.rescores.iter_mut().map(|given| &mut given.reasoning);
            scores.chain(rescores).for_each(|reasoning| *reasoning = "This text was redacted.".into());
        }
    }
    argued
}

/// What the reporter said after the last exchange, if a draft of it stands, and which draft that is.
fn find_accepted_report(record: &Record) -> Option<(Key, report::ReportProse)> {
    let view = View::of_whole_record(record);
    let exchanges = ExchangeState::from_view(&view).judgments.len();
    let accepted = view.find_ruling_data::<report::AcceptedReport>(format!("report-{exchanges:03}/accepted"))?;
    // It was checked against the scores before it was accepted; only its form is read here.
    let read = if view.is_imported(&accepted.key) { report::parse_imported_report } else { report::parse_report };
    let report = view.parse_statement(&accepted.key, |text| read(text, None).map(Arc::new))?;
    let report = report.as_ref().as_ref().ok()?;
    Some((accepted.key.clone(), report::ReportProse::clone(report)))
}

/// The argument of `side` with the highest score, and that score.
fn find_best_argument(state: &ExchangeState, side: Side) -> Option<(&PlacedArgument, f64)> {
    state.rank_arguments().into_iter().find(|(held, _)| held.side == side)
}

/// The totals of both sides for a reader: of the proposition, and of the opposition.
fn signed_totals(totals: &Totals) -> (String, String) {
    (format_score(totals.proposition.total), format_score(totals.opposition.total))
}
