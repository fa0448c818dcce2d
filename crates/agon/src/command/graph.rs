//! `agon graph`: the argument graph of a debate, for people and for other programs; and what would
//! follow had something not been said.

use std::collections::BTreeSet;

use agon_app::{Failure, Result, display::suggest_name, exit, local_run::exit_code, output_folder};
use agon_protocols::common::struck_text;
use agon_report::graph::{
    Graph,
    export::{self, GraphLanguage},
    opinion::{self, Opinion},
};

use super::{
    CommandContext,
    extraction::{self, ExtractionRun},
};
use crate::{
    cli::{GraphArgs, Output},
    ui,
};

pub async fn run(command_context: &CommandContext, args: GraphArgs) -> Result<u8> {
    let language = args.format.as_deref().map(parse_language).transpose()?;
    // JSON is one value here, too.
    let language = language.or((command_context.output == Output::Json).then_some(GraphLanguage::Json));
    let (journal, _, record) = command_context.open_debate(&args.id)?;
    let record = struck_text::publishable_record(&record).into_owned();
    find_struck_statements(&args, &Graph::from_record(&record))?;
    let extraction = match &args.extract {
        Some(model) => {
            let (context, is_text) = (command_context.build_context(args.offline)?, language.is_none());
            match extraction::run_extraction(command_context, &context, &record, model, &args, is_text).await? {
                ExtractionRun::Ended(extraction) => Some(*extraction),
                ExtractionRun::Planned(plan) => {
                    return command_context.print_success(&plan, || ui::escape_invisible(&plan.text));
                }
            }
        }
        None if args.typed_only => None,
        None => output_folder::find_extraction(&journal, &record)?,
    };
    let ended = extraction.as_ref().and_then(|record| record.closing_outcome());
    if let Some(outcome) = ended.filter(|outcome| exit_code(outcome) != exit::OK) {
        ui::print_warning(&outcome.render_summary());
    }
    let graph = Graph::with_extraction(&record, extraction.as_ref());
    let struck = find_struck_statements(&args, &graph)?;
    match language {
        Some(language) => {
            let text = export::export_graph(&record, &graph, &struck, language);
            if ui::is_terminal() { ui::out_part(&ui::escape_invisible(&text)) } else { ui::out_part(&text) }
        }
        None => ui::print_line(&ui::escape_invisible(&describe_graph(&record, &graph, &struck))),
    }
    Ok(ended.map_or(exit::OK, exit_code))
}

/// The statements that are to be struck.
fn find_struck_statements(args: &GraphArgs, graph: &Graph) -> Result<BTreeSet<usize>> {
    let mut struck = BTreeSet::new();
    for named in &args.without {
        let found = graph.find_statements(named);
        if found.is_empty() {
            return Err(unknown_statement(named, graph));
        }
        struck.extend(found);
    }
    Ok(struck)
}

/// The graph for people: each statement with what it says of others, and what follows.
fn describe_graph(record: &agon_core::Record, whole: &Graph, struck: &BTreeSet<usize>) -> String {
    let graph = whole.without_statements(struck);
    let opinion = Opinion::from_graph(&graph);
    if graph.statements.is_empty() {
        let none = || "The debate has no statements that a graph can show.".into();
        return agon_report::other_rules(record).unwrap_or_else(none);
    }
    let mut lines = Vec::new();
    for (at, statement) in graph.statements.iter().enumerate() {
        let title = if statement.text.is_some() { statement.title.as_str() } else { "(redacted)" };
        let strength = opinion.strengths[1].as_ref().map(|all| format!(" {:.2}", all[at])).unwrap_or_default();
        lines.push(format!(
            "{:>5}  {}  {}{strength}  {}: {title}",
            statement.seq, statement.id, opinion.standing[at], statement.speaker
        ));
        lines.extend(graph.describe_relations(at).into_iter().map(|says| format!("         {says}")));
    }
    lines.push(String::new());
    lines.extend(graph.has_sides().then(|| opinion.describe_tally()));
    lines.push(opinion.describe_opinion());
    let agreement = opinion::describe_agreement(&opinion::find_judgment(record, whole), &opinion);
    lines.extend(Some(agreement).filter(|told| !told.is_empty()));
    lines.extend(opinion.basis.clone());
    if !struck.is_empty() {
        let names: Vec<&str> = struck.iter().map(|at| whole.statements[*at].id.as_str()).collect();
        let changes = opinion::describe_changes(whole, &graph);
        lines.extend([String::new(), format!("Without {}:", names.join(", "))]);
        match changes.is_empty() {
            true => lines.push("  nothing else changes.".into()),
            false => lines.extend(changes.iter().map(|change| format!("  {change}"))),
        }
    }
    lines.join("\n")
}

fn parse_language(name: &str) -> Result<GraphLanguage> {
    name.parse().map_err(|_| {
        let names = GraphLanguage::NAMES;
        let hint = suggest_name(name, names);
        Failure::usage(format!("unknown graph language {name:?}"), format!("{hint}available: {}", names.join(", ")))
    })
}

fn unknown_statement(named: &str, graph: &Graph) -> Failure {
    let ids: Vec<&str> = graph.statements.iter().map(|statement| statement.id.as_str()).collect();
    let remedy = match ids.is_empty() {
        true => "this debate has no statements yet".to_owned(),
        false => {
            let shown = ids.iter().take(8).copied().collect::<Vec<_>>().join(", ");
            let more = if ids.len() > 8 { " and others; agon graph lists all" } else { "" };
            format!("{}available: {shown}{more}, or the number of an entry", suggest_name(named, &ids))
        }
    };
    Failure::unknown(format!("this debate has no statement {named:?}"), remedy)
}
