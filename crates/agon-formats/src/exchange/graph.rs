//! The exchange: arguments with their attacks and defences, and the arguments whose ids they name.

use agon_core::{Record, View};
use agon_protocols::exchange::{
    argument::{Argument, Side},
    state::{AcceptedArguments, ExchangeState},
};

use crate::graph::{Graph, GraphStatement, Relation, answer_seq, humanise_name};

pub(super) fn of(record: &Record) -> Graph {
    let view = View::of_whole_record(record);
    let state = ExchangeState::of(&view);
    let mut graph = Graph { sides: Side::BOTH.map(|side| humanise_name(side.name())).into(), ..Graph::default() };
    for accepted in AcceptedArguments::list_all(&view) {
        let exchange = accepted.exchange;
        for (number, side) in Side::BOTH.into_iter().enumerate() {
            for id in side.argument_ids(exchange) {
                let said = state.find_argument(&id).map(|held| held.argument());
                graph.statements.push(GraphStatement {
                    seq: answer_seq(record, accepted.draft_key(side)),
                    speaker: graph.sides[number].clone(),
                    side: number,
                    step: exchange,
                    when: if exchange == 0 { "Opening".into() } else { format!("Exchange {exchange}") },
                    title: said.map(|argument| argument.title.clone()).unwrap_or_default(),
                    text: said.map(|argument| argument.claim.clone()),
                    words: said.map(|argument| argument.field_texts().join("\n")).unwrap_or_default(),
                    score: state.current.get(&id).copied(),
                    id,
                });
            }
        }
    }
    for held in &state.arguments {
        let Some(from) = graph.index(&held.id) else { continue };
        link_engagements(&mut graph, from, held.argument());
    }
    graph
}

fn link_engagements(graph: &mut Graph, from: usize, argument: &Argument) {
    let mut named = Vec::new();
    let attacks = argument.attacks.iter().map(|attack| (attack, Relation::Attack));
    let defends = argument.defends.iter().map(|defence| match defence.kind.as_str() {
        "concede_and_pivot" => (defence, Relation::Concession),
        _ => (defence, Relation::Support),
    });
    for (engagement, relation) in attacks.chain(defends) {
        let Some(to) = graph.index(&engagement.target_id) else { continue };
        graph.add_edge(from, to, relation, &engagement.kind, &engagement.content);
        named.push(to);
    }
    // What else it names by id, in its claim or in what it rests on.
    let sources = argument.grounds.iter().flat_map(|ground| [&ground.source, &ground.content]);
    let texts: Vec<&String> = [&argument.claim, &argument.warrant].into_iter().chain(sources).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for to in (0..from).filter(|to| !named.contains(to)) {
        let id = &graph.statements[to].id;
        let found = texts.iter().find(|text| text.split(|c: char| !is_word(c)).any(|word| word == id));
        if let Some(text) = found {
            graph.add_edge(from, to, Relation::Citation, "names", text);
        }
    }
}
