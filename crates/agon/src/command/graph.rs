//! `agon graph`: the argument graph of a debate, for people and for other programs; and what would
//! follow had something not been said.

use std::collections::BTreeSet;

use agon_formats::graph::{
    Graph, Relation,
    export::{self, Language},
    opinion::{self, Opinion},
};

use super::{Hand, debate_id, suggestion};
use crate::{
    cli::{GraphArgs, Output},
    failure::{Failure, Result, exit},
    ui,
};

pub fn run(hand: &Hand, args: &GraphArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    let language = args.format.as_deref().map(language).transpose()?;
    let record = hand.journal()?.read(&id)?;
    let graph = Graph::of(&record);
    let mut struck = BTreeSet::new();
    for named in &args.without {
        let found = graph.named(named);
        if found.is_empty() {
            return Err(unknown(named, &graph));
        }
        struck.extend(found);
    }
    // JSON is one value here, too.
    let language = language.or((hand.output == Output::Json).then_some(Language::Json));
    match language {
        Some(language) => {
            let text = export::render(&record, &struck, language);
            if ui::is_terminal() { ui::out_part(&ui::visible(&text)) } else { ui::out_part(&text) }
        }
        None => ui::out(&ui::visible(&account(&record, &graph, &struck))),
    }
    Ok(exit::OK)
}

/// The graph for people: each statement with what it says of others, and what follows.
fn account(record: &agon_core::Record, whole: &Graph, struck: &BTreeSet<usize>) -> String {
    let graph = whole.without(struck);
    let opinion = Opinion::of(&graph);
    if graph.statements.is_empty() {
        return "Nothing that a graph could show was said.".into();
    }
    let mut lines = Vec::new();
    for (at, statement) in graph.statements.iter().enumerate() {
        let title = if statement.text.is_some() { statement.title.as_str() } else { "(redacted)" };
        let strength =
            opinion.strengths[1].as_ref().map(|all| format!(" {:.2}", all[at])).unwrap_or_default();
        lines.push(format!(
            "{:>5}  {}  {}{strength}  {}: {title}",
            statement.seq,
            statement.id,
            opinion.standing[at].name(),
            statement.speaker
        ));
        for relation in Relation::ALL {
            let edges = graph.edges.iter().filter(|edge| edge.from == at && edge.relation == relation);
            let mut targets: Vec<&str> = edges.map(|edge| graph.statements[edge.to].id.as_str()).collect();
            targets.dedup();
            if !targets.is_empty() {
                lines.push(format!("         {} {}", relation.verb(), targets.join(", ")));
            }
        }
    }
    lines.extend([String::new(), opinion.tally(), opinion.sentence()]);
    lines.push(opinion::compared(&opinion::judged(record, whole), &opinion));
    if !struck.is_empty() {
        let names: Vec<&str> = struck.iter().map(|at| whole.statements[*at].id.as_str()).collect();
        let changes = opinion::changes(whole, &graph);
        lines.extend([String::new(), format!("Without {}:", names.join(", "))]);
        match changes.is_empty() {
            true => lines.push("  nothing else changes.".into()),
            false => lines.extend(changes.iter().map(|change| format!("  {change}"))),
        }
    }
    lines.join("\n")
}

fn language(name: &str) -> Result<Language> {
    Language::of(name).ok_or_else(|| {
        let names = Language::ALL.map(Language::name);
        let hint = suggestion(name, &names);
        Failure::usage(
            format!("no language {name:?} for graphs"),
            format!("{hint}there are {}", names.join(", ")),
        )
    })
}

fn unknown(named: &str, graph: &Graph) -> Failure {
    let ids: Vec<&str> = graph.statements.iter().map(|statement| statement.id.as_str()).collect();
    let remedy = match ids.is_empty() {
        true => "this debate has no statements yet".to_owned(),
        false => {
            let shown = ids.iter().take(8).copied().collect::<Vec<_>>().join(", ");
            let more = if ids.len() > 8 { " and others; agon graph lists all" } else { "" };
            format!("{}there are {shown}{more}, and the numbers of their entries", suggestion(named, &ids))
        }
    };
    Failure::unknown(format!("nobody said {named:?} in this debate"), remedy)
}
