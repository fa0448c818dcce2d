//! The reporter's answer to the motion, and what it rests on: the clash that decided as the judge tells it, the attack
//! that moved a score most, and the best argument of each side.

use agon_core::{Record, View};
use agon_protocols::exchange::{
    argument::Side,
    exchange_title,
    judgment::round_score,
    state::{AcceptedArguments, ExchangeState, PlacedArgument},
};

use super::{find_accepted_report, find_best_argument, public_state};
use crate::{
    first_page::{AnswerBasis, BasisPoint, StatedAnswer},
    graph::answer_seq,
    statement::format_score,
};

/// What the reporter tells those who asked; nothing where there is no report, or one that was made elsewhere.
pub(super) fn collect_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let stated = record.closing_outcome().and_then(|_| {
        let (of, report) = find_accepted_report(record)?;
        let (by, answer) = ("the reporter".to_owned(), report.answer?);
        Some(StatedAnswer { by, answer, seq: answer_seq(record, &of) })
    });
    stated.into_iter().collect()
}

/// The clash that decided, each side's argument with the highest score, and the attack that hit hardest, if there are
/// any: where a page has no room for all, neither side is left out before the other.
pub(super) fn collect_answer_basis(record: &Record) -> AnswerBasis {
    let state = public_state(record);
    let (told, hit) = (told_clash(record, &state), hardest_hit(record, &state));
    let title = match told.is_none() && hit.is_none() {
        true => "Best of each side",
        false => "Clash that decided, and the best of each side",
    };
    let best = Side::BOTH.into_iter().filter_map(|side| build_best_point(record, &state, side));
    let (first, last) = if told.is_some() { (told, hit) } else { (hit, None) };
    let points: Vec<BasisPoint> = first.into_iter().chain(best).chain(last).collect();
    AnswerBasis { title: if points.is_empty() { "" } else { title }, points }
}

/// What the judge says of the exchange in which the winner gained most.
pub(super) fn told_clash(record: &Record, state: &ExchangeState) -> Option<BasisPoint> {
    let winner = record.closing_outcome()?.winner.as_deref()?;
    let sign = if winner == Side::Proposition.name() { 1.0 } else { -1.0 };
    let mut before = 0.0;
    let gains = state.judgments.iter().map(|scored| {
        let lead = sign * (scored.totals.proposition.total - scored.totals.opposition.total);
        let gain = round_score(lead - before);
        before = lead;
        (gain, scored)
    });
    let (gain, scored) = gains.filter(|(gain, _)| *gain > 0.0).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let clash = scored.clash.as_ref()?;
    let moved = format!("{}: {} for the {winner}", exchange_title(scored.exchange), format_score(gain));
    Some(BasisPoint {
        text: clash.text.clone(),
        notes: vec![("Moved the lead", moved)],
        ..BasisPoint::new("clash", answer_seq(record, &clash.key))
    })
}

/// The attack after which a score fell most, in the judgment that followed it. None where the sides are even, or two
/// scores fell as far.
pub(super) fn hardest_hit(record: &Record, state: &ExchangeState) -> Option<BasisPoint> {
    record.closing_outcome()?.winner.as_ref()?;
    let mut hits = Vec::new();
    for scored in &state.judgments {
        for correction in &scored.rescores {
            let Some(target) = state.find_argument(&correction.argument_id) else { continue };
            let drop = round_score(correction.old_score - correction.new_score);
            let attackers = state.of_exchange(scored.exchange).filter(|held| drop > 0.0 && held.side != target.side);
            hits.extend(attackers.filter_map(|attacker| {
                let attack = attacker.argument().attacks.iter().find(|attack| attack.target_id == target.id)?;
                Some((drop, attacker, attack, target, correction))
            }));
        }
    }
    hits.sort_by(|a, b| b.0.total_cmp(&a.0));
    if let [first, second, ..] = hits.as_slice()
        && second.0.total_cmp(&first.0).is_eq()
    {
        return None;
    }
    let (_, attacker, attack, target, correction) = hits.first()?;
    let fall = format!("{} → {}", format_score(correction.old_score), format_score(correction.new_score));
    let notes = [
        ("Hits", format!("{}, {}: {}", target.id, target.argument().title, target.argument().claim)),
        ("Its score", fall),
        ("The judge", correction.reasoning.clone()),
    ];
    Some(BasisPoint {
        id: attacker.id.clone(),
        text: attack.content.clone(),
        notes: notes.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        ..BasisPoint::new("decided", said_at(record, attacker))
    })
}

/// The argument of `side` with the highest score: its claim and its grounds, and not where it says that it does not hold.
fn build_best_point(record: &Record, state: &ExchangeState, side: Side) -> Option<BasisPoint> {
    let (held, score) = find_best_argument(state, side)?;
    let argument = held.argument();
    let grounds = argument.grounds.iter().map(|ground| match ground.is_own_reasoning() {
        true => ground.content.trim_end_matches('.').to_owned(),
        false => format!("{} ({})", ground.content.trim_end_matches('.'), ground.source),
    });
    let grounds = grounds.collect::<Vec<_>>().join("; ");
    Some(BasisPoint {
        id: held.id.clone(),
        text: argument.claim.clone(),
        notes: vec![("Score", format_score(score)), ("Grounds", grounds), ("Because", argument.warrant.clone())],
        ..BasisPoint::new(side.pick(["best of the proposition", "best of the opposition"]), said_at(record, held))
    })
}

/// The entry of the statement that an argument stands in.
fn said_at(record: &Record, held: &PlacedArgument) -> u64 {
    let accepted =
        AcceptedArguments::list_all(&View::of_whole_record(record)).find(|accepted| accepted.exchange == held.exchange);
    accepted.map_or(0, |accepted| answer_seq(record, accepted.draft_key(held.side)))
}
