//! The graph as JSON, with what follows from it and, where statements were struck, what that changed.

use agon_core::Record;
use serde_json::json;

use crate::graph::{
    Graph,
    opinion::{self, Opinion},
    semantics::{Measure, Preferred},
};

pub(super) fn render_json(record: &Record, whole: &Graph, graph: &Graph) -> String {
    let opinion = Opinion::from_graph(graph);
    let round = |strength: f64| (strength * 1e6).round() / 1e6;
    let strength = |measure: usize, at: usize| opinion.strengths[measure].as_ref().map(|all| round(all[at]));
    let statements = graph.statements.iter().enumerate().map(|(at, statement)| {
        let mut value = json!(statement);
        value["standing"] = json!(opinion.standing[at]);
        value["df_quad"] = json!(strength(0, at));
        value["quadratic_energy"] = json!(strength(1, at));
        value
    });
    let id = |at: &usize| graph.statements[*at].id.as_str();
    let edges = graph.edges.iter().map(|edge| {
        let mut value = json!({"from": id(&edge.from), "to": id(&edge.to), "relation": edge.relation, "kind": edge.kind, "text": edge.text});
        if let Some(by) = graph.extracted.as_ref().filter(|_| edge.extracted) {
            value["extracted_by"] = json!(by.by);
        }
        value
    });
    let preferred = match &opinion.preferred {
        Preferred::Known(all) => {
            json!(all.iter().map(|set| set.iter().map(id).collect::<Vec<_>>()).collect::<Vec<_>>())
        }
        Preferred::TooMany(open) => json!({"not_computed": format!("{open} statements are open")}),
    };
    let sides = opinion.sides.iter().map(|side| {
        let mean = |measure: usize| side.strength[measure].map(round);
        let [stands, falls, open] = side.standing;
        json!({"name": side.name, "statements": side.statements, "stands": stands, "falls": falls, "open": open,
            "df_quad": mean(0), "quadratic_energy": mean(1)})
    });
    let struck = whole.statements.iter().filter(|statement| graph.index(&statement.id).is_none());
    let struck: Vec<&str> = struck.map(|statement| statement.id.as_str()).collect();
    let mut value = json!({
        "debate": record.opened().debate, "protocol": record.opened().protocol,
        "statements": statements.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>(),
        "sides": sides.collect::<Vec<_>>(), "preferred": preferred,
        "measures": Measure::ALL.map(|measure| measure.to_string()),
        "opinion": opinion.describe_opinion(), "judge": opinion::describe_agreement(&opinion::find_judgment(record, whole), &opinion),
    });
    if let Some(by) = &graph.extracted {
        value["extracted"] = json!(by);
        value["basis"] = json!(opinion.basis);
    }
    if !struck.is_empty() {
        value["without"] = json!(struck);
        value["changes"] = json!(opinion::describe_changes(whole, graph));
    }
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}
