//! The exchange: arguments with their attacks and defences, and the arguments whose ids they name.

use agon_core::{Record, View};
use agon_protocols::exchange::{
    argument::{Argument, Side},
    state::{AcceptedArguments, ExchangeState, exchange_key},
};
use serde::Deserialize;

use crate::graph::{Graph, GraphStatement, Relation, entry, spelled};

pub(super) fn of(record: &Record) -> Graph {
    let view = View::whole(record);
    let state = ExchangeState::of(&view);
    let mut graph = Graph { sides: Side::BOTH.map(|side| spelled(side.name())).into(), ..Graph::default() };
    for exchange in 0.. {
        let Some(ruling) = view.ruling(exchange_key(exchange, "arguments")) else { break };
        let Ok(accepted) = AcceptedArguments::deserialize(&ruling.data) else { break };
        for (number, side) in Side::BOTH.into_iter().enumerate() {
            for id in side.ids(exchange) {
                let said = state.held(&id).map(|held| held.argument());
                graph.statements.push(GraphStatement {
                    seq: entry(record, accepted.key(side)),
                    speaker: graph.sides[number].clone(),
                    side: number,
                    step: exchange,
                    when: if exchange == 0 { "Opening".into() } else { format!("Exchange {exchange}") },
                    title: said.map(|argument| argument.title.clone()).unwrap_or_default(),
                    text: said.map(|argument| argument.claim.clone()),
                    words: said.map(|argument| argument.texts().join("\n")).unwrap_or_default(),
                    score: state.current.get(&id).copied(),
                    id,
                });
            }
        }
    }
    for held in &state.arguments {
        let Some(from) = graph.index(&held.id) else { continue };
        engage(&mut graph, from, held.argument());
    }
    graph
}

fn engage(graph: &mut Graph, from: usize, argument: &Argument) {
    let mut named = Vec::new();
    for attack in &argument.attacks {
        let Some(to) = graph.index(&attack.target_id) else { continue };
        graph.link(from, to, Relation::Attack, &attack.kind, &attack.content);
        named.push(to);
    }
    for defence in &argument.defends {
        let Some(to) = graph.index(&defence.target_id) else { continue };
        let concedes = defence.kind == "concede_and_pivot";
        let relation = if concedes { Relation::Concession } else { Relation::Support };
        graph.link(from, to, relation, &defence.kind, &defence.content);
        named.push(to);
    }
    // What else it names by id, in its claim or in what it rests on.
    let sources = argument.grounds.iter().flat_map(|ground| [&ground.source, &ground.content]);
    let texts: Vec<&String> = [&argument.claim, &argument.warrant].into_iter().chain(sources).collect();
    let cited: Vec<(usize, String)> = (graph.statements.iter().enumerate().take(from))
        .filter(|(to, _)| !named.contains(to))
        .filter_map(|(to, statement)| {
            let text = texts.iter().find(|text| names(text, &statement.id))?;
            Some((to, (*text).clone()))
        })
        .collect();
    for (to, text) in cited {
        graph.link(from, to, Relation::Citation, "names", &text);
    }
}

/// Whether `id` stands in `text` as a word of its own.
fn names(text: &str, id: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == id)
}
