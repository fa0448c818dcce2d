//! The Argument Interchange Format (Chesñevar et al. 2006; Rahwan and Reed 2009) in the JSON of
//! AIFdb: statements are I-nodes, each asserted by a locution (L); attack is a conflict (CA), support an
//! inference (RA), a concession is agreement with the statement (YA), and a citation joins the locutions
//! (TA).

use agon_core::Record;
use serde_json::json;

use super::{replace_unprintable, statement_label};
use crate::graph::{Graph, GraphStatement, Relation};

/// A graph under construction: AIF numbers its nodes and edges.
#[derive(Default)]
struct Aif {
    /// Text, kind and time of each.
    nodes: Vec<(String, String, String)>,
    edges: Vec<(usize, usize)>,
}

impl Aif {
    fn add_node(&mut self, text: &str, kind: &str, at: &str) -> usize {
        self.nodes.push((replace_unprintable(text), kind.to_owned(), at.to_owned()));
        self.nodes.len()
    }

    /// A node of `kind` that leads from one to the other.
    fn add_link_node(&mut self, from: usize, to: usize, text: &str, kind: &str, at: &str) {
        let middle = self.add_node(text, kind, at);
        self.edges.extend([(from, middle), (middle, to)]);
    }
}

pub(super) fn render_aif(record: &Record, graph: &Graph) -> String {
    let mut aif = Aif::default();
    let mut locutions = Vec::new();
    // Of each statement, its locution and its information.
    let mut of: Vec<(usize, usize)> = Vec::new();
    for statement in &graph.statements {
        let at = statement_time(record, statement);
        let said = statement.text.clone().unwrap_or_else(|| statement_label(statement));
        let locution = aif.add_node(&format!("{} : {said}", statement.speaker), "L", &at);
        let information = aif.add_node(&said, "I", &at);
        aif.add_link_node(locution, information, "Asserting", "YA", &at);
        locutions.push(json!({
            "nodeID": locution.to_string(), "personID": (statement.side + 1).to_string(), "timestamp": at,
            "start": null, "end": null, "source": statement.id,
        }));
        of.push((locution, information));
    }
    for edge in &graph.edges {
        let at = statement_time(record, &graph.statements[edge.from]);
        let ((from_l, from_i), (to_l, to_i)) = (of[edge.from], of[edge.to]);
        let (from, to, scheme, kind) = match edge.relation {
            Relation::Attack => (from_i, to_i, "Default Conflict", "CA"),
            Relation::Support => (from_i, to_i, "Default Inference", "RA"),
            Relation::Concession => (from_l, to_i, "Agreeing", "YA"),
            Relation::Citation => (to_l, from_l, "Default Transition", "TA"),
        };
        let mark = graph.extraction_label(edge.extracted).map(|by| format!(" ({by})")).unwrap_or_default();
        aif.add_link_node(from, to, &format!("{scheme}{mark}"), kind, &at);
    }
    let participants = graph.sides.iter().enumerate().map(|(at, name)| {
        json!({"participantID": (at + 1).to_string(), "firstname": replace_unprintable(name), "surname": ""})
    });
    let nodes =
        aif.nodes.iter().zip(1..).map(
            |((text, kind, at), id)| json!({"nodeID": id.to_string(), "text": text, "type": kind, "timestamp": at}),
        );
    let edges = aif.edges.iter().zip(1..).map(|((from, to), id)| {
        json!({"edgeID": id.to_string(), "fromID": from.to_string(), "toID": to.to_string(), "formEdgeID": null})
    });
    let whole = json!({
        "nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>(), "locutions": locutions,
        "participants": participants.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

/// When a statement was put on the record, as AIF writes it.
fn statement_time(record: &Record, statement: &GraphStatement) -> String {
    let entry = record.entries().get(statement.seq as usize);
    let at = entry.map_or("", |entry| entry.at.0.as_str());
    at.split('.').next().unwrap_or_default().trim_end_matches('Z').replace('T', " ")
}
