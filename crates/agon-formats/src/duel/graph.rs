//! The duel: turns, with the counterpoints, agreements and references of each.

use agon_core::{Record, View};
use agon_protocols::duel::{
    history::{History, source_path},
    outcome::ACCEPTED_CONSENSUS,
    support,
    turn::Contribution,
};

use crate::graph::{Graph, GraphStatement, Relation, answer_seq, first_sentence};

pub(super) fn of(record: &Record) -> Graph {
    let history = History::of(&View::of_whole_record(record));
    let sides = history.members.iter().map(|member| member.name.clone()).collect();
    let agreed = record.closing_outcome().is_some_and(|outcome| outcome.name == ACCEPTED_CONSENSUS);
    let mut graph = Graph { sides, agreed, ..Graph::default() };
    for turn in &history.turns {
        let accepted = &turn.accepted;
        let side = history.members.iter().position(|member| member.seat == accepted.seat).unwrap_or(0);
        let said = turn.contribution.as_ref();
        graph.statements.push(GraphStatement {
            id: format!("turn-{}", accepted.turn),
            seq: answer_seq(record, &accepted.key),
            speaker: graph.sides.get(side).cloned().unwrap_or_default(),
            side,
            step: accepted.turn - 1,
            when: format!("Turn {}", accepted.turn),
            title: said.map(|said| first_sentence(&said.position)).unwrap_or_default(),
            text: said.map(|said| said.position.clone()),
            words: said.map(|said| join_claims(said)).unwrap_or_default(),
            score: None,
        });
    }
    let path = source_path(record.opened());
    for (from, turn) in history.turns.iter().enumerate() {
        let Some(said) = &turn.contribution else { continue };
        for point in &said.counterpoints {
            for to in find_earlier_turns(&point.addresses, from) {
                graph.add_edge(from, to, Relation::Attack, "counterpoint", &point.claim);
            }
        }
        let peer = graph.latest_statement(1 - graph.statements[from].side.min(1), from);
        for agreement in &said.agreements {
            let mut granted = find_earlier_turns(agreement, from);
            granted.retain(|to| graph.statements[*to].side != graph.statements[from].side);
            // What is granted without a number is granted to the last speaker.
            if granted.is_empty() {
                granted.extend(peer);
            }
            for to in granted {
                graph.add_edge(from, to, Relation::Concession, "agreement", agreement);
            }
        }
        for line in said.support().filter(|line| !line.starts_with(path)) {
            for to in find_earlier_turns(line, from) {
                let own = graph.statements[to].side == graph.statements[from].side;
                let relation = if own { Relation::Support } else { Relation::Citation };
                graph.add_edge(from, to, relation, "support", line);
            }
        }
    }
    graph
}

fn join_claims(said: &Contribution) -> String {
    let claims = said.claims().into_iter().map(|(_, text)| text);
    claims.chain(said.agreements.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// Turns before the one at `from` that `text` names, as indices.
fn find_earlier_turns(text: &str, from: usize) -> Vec<usize> {
    let mut named: Vec<usize> =
        support::parse_turn_numbers(text).into_iter().filter_map(|turn| (turn as usize).checked_sub(1)).collect();
    named.retain(|to| *to < from);
    named.sort_unstable();
    named.dedup();
    named
}
