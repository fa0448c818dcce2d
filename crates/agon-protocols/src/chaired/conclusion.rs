//! The conclusion, asked of the chair in both orders: once with the debaters in turn order, once the other way round.
//! Where the two outcomes differ, the order has decided, and that is a draw; so it is where only one order was
//! answered. A chair that is blind (the option `orders`) reads of letters, and with `one` it is asked in one order.

use agon_core::{Attempt, Floor, Flow, Key, Lost, Request, Ruling, RulingKind, draft::Draft};

use super::{
    debater_labels::{self, DebaterLabels},
    outcome::{Concluded, Contest, Contestant},
    state::{ChairedState, JudgedOrders},
};
use crate::common::{absence::record_warnings, named_seat};

/// The fact of a request that lists the debaters the other way round.
pub(super) const REVERSED: &str = "reversed";

/// One order in which the chair is asked.
struct ConclusionOrder {
    key: String,
    is_reversed: bool,
    labels: Option<DebaterLabels>,
}

/// Who may be declared the winner. A debater lost for good bars a winner: the others were not
/// answered by it.
pub(super) fn build_contest(state: &ChairedState) -> Contest {
    let whole = state.active_debaters().len() == state.debaters.0.len();
    let is_eligible = |name: &String| whole && !state.fabricators.contains(name);
    let all = state.debaters.0.iter();
    Contest(all.map(|debater| Contestant::of(debater, is_eligible(&debater.name))).collect())
}

/// Outcome and reason with the answer that stands, where one does; lost where no order was answered.
pub(super) fn ask_conclusion(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    key: &str,
) -> Flow<Result<(Concluded, Option<Key>), Lost>> {
    let contest = build_contest(state);
    let orders = list_orders(floor, state, key);
    let eligible: Vec<&str> = contest.0.iter().filter(|one| one.is_eligible).map(|one| one.name.as_str()).collect();
    let drafts = orders.iter().map(|order| {
        let log = state.log.clone();
        let asked = order.order_contest(&contest);
        let request = Request::new(&order.key, &named_seat("chair"), "conclusion");
        let mut request = request.with_fact("eligible", eligible.clone());
        if order.is_reversed {
            request = request.with_fact(REVERSED, true);
        }
        if let Some(labels) = &order.labels {
            request = labels.add_to(request);
        }
        Draft::new(request, move |draft: Attempt<'_>| asked.parse_conclusion(&log, draft))
    });
    let (mut told, mut lost) = (Vec::new(), None);
    for (order, answer) in orders.iter().zip(floor.ask_each_until_valid(drafts.collect())?) {
        match answer {
            Ok(statement) => told.push((order.restore_names(&statement.value), statement.key)),
            Err(why) => {
                if orders.len() > 1 {
                    let text = format!("one of its orders is missing: {why}");
                    record_warnings(floor, &format!("{}/one-order", order.key), "chair", &[text])?;
                }
                lost = Some(why);
            }
        }
    }
    let Some((first, of)) = told.first().cloned() else {
        return Ok(Err(lost.unwrap_or(Lost::Elapsed)));
    };
    let flip = told.iter().map(|(other, _)| other).find(|other| other.outcome != first.outcome);
    state.judged = Some(JudgedOrders { asked: orders.len(), answered: told.len(), flip: flip.is_some() });
    let text = match flip {
        Some(Concluded { outcome: other, .. }) => format!(
            "The order of the debaters decided: read in one order the conclusion is {}, in the other {other}. It counts as a draw.",
            first.outcome
        ),
        None if told.len() < orders.len() && first.outcome != "draw" => format!(
            "The chair concluded in one order only ({}), so that nothing confirms it. It counts as a draw.",
            first.outcome
        ),
        None => return Ok(Ok((first, Some(of)))),
    };
    floor.record_ruling(format!("{key}/flip"), Ruling::new(RulingKind::Warned, text.clone()))?;
    Ok(Ok((Concluded { outcome: "draw".to_owned(), reason: text }, None)))
}

/// The orders in which this debate is concluded.
fn list_orders(floor: &Floor<'_>, state: &ChairedState, key: &str) -> Vec<ConclusionOrder> {
    let blind = debater_labels::read_orders_option(floor.opened());
    let order = |key: String, is_reversed: bool| ConclusionOrder {
        key,
        is_reversed,
        labels: blind.map(|_| DebaterLabels::new(&state.debaters, is_reversed)),
    };
    if blind == Some(false) {
        // Who is read first follows from the seed.
        return vec![order(key.to_owned(), floor.opened().seed % 2 == 1)];
    }
    vec![order(key.to_owned(), false), order(format!("{key}/swapped"), true)]
}

impl ConclusionOrder {
    fn order_contest(&self, contest: &Contest) -> Contest {
        match &self.labels {
            Some(labels) => labels.label_contest(contest),
            None if self.is_reversed => Contest(contest.0.iter().rev().cloned().collect()),
            None => contest.clone(),
        }
    }

    /// What was concluded, by names.
    fn restore_names(&self, concluded: &Concluded) -> Concluded {
        let Some(labels) = &self.labels else { return concluded.clone() };
        Concluded { outcome: labels.tell_outcome(&concluded.outcome), reason: labels.restore_names(&concluded.reason) }
    }
}
