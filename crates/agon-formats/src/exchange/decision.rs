//! What would change the outcome of an exchange, by the sums that decide it, and which arguments nobody answered.

use agon_core::{RulingKind, View};
use agon_protocols::exchange::{
    judges::JudgePanel,
    state::{ExchangeState, Totals},
};

use crate::{
    first_page::{Sentence, quote::QuotedEntries},
    graph::{Graph, GraphStatement, Relation},
    statement::format_signed_figure,
};

/// Arguments that are named.
const NAMED_MAX: usize = 3;

/// Arguments that decide by their score alone, and judges that a majority needs.
pub(super) fn list_outcome_changes(entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
    let record = entries.record;
    let state = ExchangeState::of(&View::of_whole_record(record));
    let judge_panel = JudgePanel::of(record.opened());
    let scored = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored).last();
    let Some((seq, ..)) = scored else { return Vec::new() };
    let totals = state.totals();
    let mut all = Vec::new();
    if let (true, Some(side)) = (judge_panel.is_panel(), judge_panel.leading_side(&state)) {
        let agree = judge_panel.count_preferring(&state, side);
        if agree == judge_panel.quorum() {
            let text = format!(
                "{agree} of {} judges prefer the {}, no more than a majority needs: one of them less leaves no winner.",
                judge_panel.seats.len(),
                side.name()
            );
            all.push(Sentence::new(seq, text));
        }
    }
    let Some(ahead) = totals.leading_side() else {
        all.push(Sentence::new(seq, "The sides are even: a score that is corrected by little puts one ahead."));
        return all;
    };
    let without = |id: &str| {
        let others = state.current.iter().filter(|(other, _)| *other != id);
        Totals::of(others.map(|(id, score)| (id.as_str(), *score))).leading_side()
    };
    let mut scores = state.rank_arguments();
    scores.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let deciding = scores.iter().filter(|(held, _)| without(&held.id) != Some(ahead)).map(|(held, score)| {
        let id = &held.id;
        let (title, seq) = match graph.index(id).map(|at| &graph.statements[at]) {
            Some(GraphStatement { title, seq, .. }) => (format!(" ({title})"), *seq),
            None => (String::new(), seq),
        };
        let then = match without(id) {
            Some(side) => format!("the {} would be ahead", side.name()),
            None => "the sides would be even".into(),
        };
        let score = format_signed_figure(*score);
        Sentence::new(seq, format!("If {id}{title} were worth nothing and not {score}, {then}."))
    });
    let deciding: Vec<Sentence> = deciding.take(NAMED_MAX).collect();
    if let (true, Some((held, largest))) = (deciding.is_empty(), scores.first()) {
        let lead = (totals.proposition.total - totals.opposition.total).abs();
        let (id, largest) = (&held.id, format_signed_figure(*largest));
        let text = format!(
            "No single score decides: the totals are {lead:.2} apart, and the largest score is {largest} for {id}."
        );
        all.push(Sentence::new(seq, text));
    }
    all.extend(deciding);
    all
}

/// Arguments that no argument of the other side attacks, the best scored first.
pub(super) fn list_open_points(graph: &Graph) -> Vec<Sentence> {
    let answered = |at: usize| {
        let mut attacks = graph.edges_into(at, Relation::Attack);
        attacks.any(|edge| graph.statements[edge.from].side != graph.statements[at].side)
    };
    // What is said last cannot be answered.
    let last = graph.statements.iter().map(|statement| statement.step).max().unwrap_or_default();
    if last == 0 {
        let text = "Neither side answered the other: there was no rebuttal.";
        return graph.statements.first().map(|first| Sentence::new(first.seq, text)).into_iter().collect();
    }
    let left = graph.statements.iter().enumerate();
    let left = left.filter(|(at, said)| said.text.is_some() && said.step != last && !answered(*at));
    let mut left: Vec<&GraphStatement> = left.map(|(_, statement)| statement).collect();
    left.sort_by(|a, b| b.score.unwrap_or_default().total_cmp(&a.score.unwrap_or_default()));
    let told = left.into_iter().map(|statement| {
        let GraphStatement { id, title, seq, .. } = statement;
        Sentence::new(*seq, format!("No argument of the other side attacks {id} ({title})."))
    });
    told.take(NAMED_MAX).collect()
}
