//! The panel: openings and answers. The claims of a disagreement attack each other; an answer meets
//! the other side of the disagreement it was asked about, unless the moderator heard it come round.
//! Agreement that the moderator names of nobody in particular is not an edge.

use agon_core::{Record, Seat, View};
use agon_protocols::panel::{
    disagreement::Claim,
    finding::{AnswerEffect, ClaimReading, Deadlock},
    speech::PanelTurn,
    state::{Examination, Panel},
};

use crate::graph::{Graph, GraphStatement, MOVED, Relation, answer_seq, first_sentence};

pub(super) fn of(record: &Record) -> Graph {
    let view = View::of_whole_record(record);
    let panel = Panel::of(&view);
    let sides = panel.panelists.iter().map(|panelist| panelist.name.clone()).collect();
    let mut graph = Graph { sides, ..Graph::default() };
    for (at, turn) in panel.said.0.iter().enumerate() {
        let side = panel.panelists.iter().position(|panelist| panelist.seat == turn.seat).unwrap_or(0);
        let round = turn.round;
        let challenge = round == 0 && panel.valves.iter().any(|valve| valve.key == turn.key);
        let (id, when) = match (round, challenge) {
            (0, true) => (format!("challenge-{at}"), "Challenge".to_owned()),
            (0, false) => (format!("opening-{}", side + 1), "Opening".to_owned()),
            (round, _) => (format!("round-{round}"), format!("Round {round}")),
        };
        let text = (!view.is_redacted(&turn.key)).then(|| turn.speech.text.clone());
        let before = graph.statements.last().map_or(0, |last| last.step);
        let same = round == 0 && !challenge;
        graph.statements.push(GraphStatement {
            id,
            seq: answer_seq(record, &turn.key),
            speaker: panel.panelist_name(&turn.seat).to_owned(),
            side,
            step: if same { 0 } else { before + 1 },
            when,
            title: text.as_deref().map(first_sentence).unwrap_or_default(),
            words: text.clone().unwrap_or_default(),
            text,
            score: None,
        });
    }
    link_disagreements(&mut graph, &panel);
    for exchange in &panel.exchanges {
        link_answer(&mut graph, &panel, exchange);
    }
    graph
}

/// The statement that holds a claim: the first in which its words stand.
pub(super) fn find_claim_holder(panel: &Panel, claim: &Claim) -> Option<usize> {
    let holds = |turn: &PanelTurn| turn.seat == claim.seat && turn.speech.has_quote(&claim.quote);
    let own = |turn: &PanelTurn| turn.seat == claim.seat;
    let turns = &panel.said.0;
    turns.iter().position(holds).or_else(|| turns.iter().position(own))
}

fn link_disagreements(graph: &mut Graph, panel: &Panel) {
    for about in &panel.disagreements {
        let [Some(one), Some(other)] = about.claims.each_ref().map(|claim| find_claim_holder(panel, claim)) else {
            continue;
        };
        let text = format!("{}: {}", about.id, about.topic);
        graph.add_edge(one, other, Relation::Attack, "disagreement", &text);
        graph.add_edge(other, one, Relation::Attack, "disagreement", &text);
    }
    if let Some(found) = panel.analysed.as_ref().filter(|found| found.disagreements.is_empty()) {
        // All hold the same: each later opening supports the one before.
        let openings = (0..graph.statements.len()).filter(|at| graph.statements[*at].step == 0);
        let openings: Vec<usize> = openings.collect();
        for pair in openings.windows(2) {
            graph.add_edge(pair[1], pair[0], Relation::Support, "agreement", &found.shared);
        }
    }
}

fn link_answer(graph: &mut Graph, panel: &Panel, exchange: &Examination) {
    let Some(answer) = &exchange.answer else { return };
    let turns = &panel.said.0;
    let Some(from) = turns.iter().position(|turn| turn.key == answer.key) else { return };
    let seat = &exchange.asked.seat;
    let latest = |of: &Seat| turns[..from].iter().rposition(|turn| turn.seat == *of);
    let found = exchange.found.as_ref();
    let mut met = Vec::new();
    let gave_up = |id: &str| {
        let mut claims = found.into_iter().flat_map(AnswerEffect::claims);
        claims.any(|read| read.disagreement == id && read.settled_reading() == Some(ClaimReading::GivesUp))
    };
    for read in found.into_iter().flat_map(AnswerEffect::claims) {
        let about = panel.find_disagreement(&read.disagreement).filter(|about| gave_up(&about.id));
        let with = about.and_then(|about| about.opposing_claim(seat)).and_then(|claim| latest(&claim.seat));
        if let (Some(about), Some(to)) = (about, with) {
            graph.add_edge(from, to, Relation::Concession, "converged", &about.topic);
            met.push(to);
        }
    }
    if let Some(shift) = found.and_then(|found| found.shift.as_ref())
        && let Some(to) = latest(&shift.toward).filter(|to| !met.contains(to))
    {
        graph.add_edge(from, to, Relation::Concession, MOVED, &shift.on);
        met.push(to);
    }
    let about = panel.find_disagreement(&exchange.asked.disagreement);
    let against = about.and_then(|about| about.opposing_claim(seat)).and_then(|claim| latest(&claim.seat));
    if let Some(to) = against.filter(|to| !met.contains(to)) {
        let stuck = answer.copies.is_some() || found.is_some_and(|found| found.deadlock != Deadlock::None);
        // A restatement brings nothing against what it was asked about.
        let (relation, kind) = if stuck { (Relation::Citation, "restates") } else { (Relation::Attack, "answer") };
        graph.add_edge(from, to, relation, kind, &exchange.asked.question);
    }
    if let Some(about) = about.filter(|about| about.has_side(seat))
        && let Some(claim) = about.claims.iter().find(|claim| claim.seat == *seat)
        && let Some(to) = find_claim_holder(panel, claim)
        && !gave_up(&about.id)
    {
        graph.add_edge(from, to, Relation::Support, "own claim", &about.topic);
    }
}
