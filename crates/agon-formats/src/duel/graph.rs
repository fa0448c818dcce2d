//! The duel: turns, with the counterpoints, agreements and references of each.

use agon_core::{Record, View};
use agon_protocols::duel::{
    history::{History, source_path},
    outcome::ACCEPTED_CONSENSUS,
    support,
    turn::Contribution,
};

use crate::graph::{Graph, GraphStatement, Relation, entry, gist};

pub(super) fn of(record: &Record) -> Graph {
    let history = History::of(&View::whole(record));
    let sides = history.members.iter().map(|member| member.name.clone()).collect();
    let agreed = record.closed().is_some_and(|outcome| outcome.name == ACCEPTED_CONSENSUS);
    let mut graph = Graph { sides, agreed, ..Graph::default() };
    for turn in &history.turns {
        let accepted = &turn.accepted;
        let side = history.members.iter().position(|member| member.seat == accepted.seat).unwrap_or(0);
        let said = turn.contribution.as_ref();
        graph.statements.push(GraphStatement {
            id: format!("turn-{}", accepted.turn),
            seq: entry(record, &accepted.key),
            speaker: graph.sides.get(side).cloned().unwrap_or_default(),
            side,
            step: accepted.turn - 1,
            when: format!("Turn {}", accepted.turn),
            title: said.map(|said| gist(&said.position)).unwrap_or_default(),
            text: said.map(|said| said.position.clone()),
            words: said.map(|said| words(said)).unwrap_or_default(),
            score: None,
        });
    }
    let path = source_path(record.opened());
    for (from, turn) in history.turns.iter().enumerate() {
        let Some(said) = &turn.contribution else { continue };
        for point in &said.counterpoints {
            for to in earlier(&point.addresses, from) {
                graph.link(from, to, Relation::Attack, "counterpoint", &point.claim);
            }
        }
        let peer = graph.latest(1 - graph.statements[from].side.min(1), from);
        for agreement in &said.agreements {
            let named: Vec<usize> = earlier(agreement, from)
                .into_iter()
                .filter(|to| graph.statements[*to].side != graph.statements[from].side)
                .collect();
            // What is granted without a number is granted to the last speaker.
            let granted = if named.is_empty() { peer.into_iter().collect() } else { named };
            for to in granted {
                graph.link(from, to, Relation::Concession, "agreement", agreement);
            }
        }
        for line in said.support().filter(|line| !line.starts_with(path)) {
            for to in earlier(line, from) {
                let own = graph.statements[to].side == graph.statements[from].side;
                let relation = if own { Relation::Support } else { Relation::Citation };
                graph.link(from, to, relation, "support", line);
            }
        }
    }
    graph
}

fn words(said: &Contribution) -> String {
    let claims = said.claims();
    let claims = claims.iter().map(|(_, text)| *text);
    claims.chain(said.agreements.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// Turns before the one at `from` that `text` names, as indices.
fn earlier(text: &str, from: usize) -> Vec<usize> {
    let mut named: Vec<usize> =
        support::turns(text).into_iter().filter_map(|turn| (turn as usize).checked_sub(1)).collect();
    named.retain(|to| *to < from);
    named.sort_unstable();
    named.dedup();
    named
}
