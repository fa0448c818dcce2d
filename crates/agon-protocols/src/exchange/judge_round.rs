//! Judging an exchange: the judges are asked until there are enough of them, and from what they say come votes
//! and scores.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{Absent, Attempt, Floor, Flow, Lost, Request, Ruling, RulingKind, Statement, draft::Draft};
use agon_text::format_signed;
use serde::Serialize;
use serde_json::json;

use super::{
    argument::Side,
    attempt_key,
    clash::{QUOTATION, nearest_clash, quotable_terms},
    judge_seats::JudgePanel,
    judgment::round_score,
    side_labels::{FIRST, SideLabels},
    state::{ExchangeState, Scored, exchange_key},
    verdict::{self, JudgeVote, OrderedJudgment, VoteTally, leading_side},
    void_outcome, warn_once_told,
};
use crate::common::absence::{record_warnings, rule_absent};

impl JudgePanel {
    /// The side that is ahead: by the totals, and with a panel by a majority of the judges, too.
    pub fn leading_side(&self, state: &ExchangeState) -> Option<Side> {
        let ahead = state.totals().leading_side()?;
        (!self.is_panel() || self.count_preferring(state, ahead) >= self.quorum()).then_some(ahead)
    }

    /// How many judges prefer `side`, over the whole debate.
    pub fn count_preferring(&self, state: &ExchangeState, side: Side) -> usize {
        self.margins_by_judge(state).values().filter(|margin| leading_side(**margin) == Some(side)).count()
    }

    /// Each judge's margin over the whole debate: the proposition's scores less the opposition's.
    pub fn margins_by_judge<'h>(&self, state: &'h ExchangeState) -> BTreeMap<&'h str, f64> {
        let mut margins = BTreeMap::new();
        for vote in &state.votes {
            let margin = margins.entry(vote.judge.as_str()).or_insert(0.0);
            *margin = round_score(*margin + vote.corrected_margin());
        }
        margins
    }

    /// What a reader of figures wants to know of the judges; nothing where they are not blind.
    pub fn judge_figures(&self, state: &ExchangeState) -> Option<impl Serialize + use<>> {
        let count = |of: &dyn Fn(&JudgeVote) -> bool| state.votes.iter().filter(|vote| of(vote)).count();
        self.has_votes().then(|| {
            json!({
                "seats": self.seats, "quorum": self.quorum(), "margins": self.margins_by_judge(state),
                "in_both_orders": count(&|vote| vote.orders.len() > 1), "flips": count(&|vote| vote.flip),
            })
        })
    }
}

/// The judges score what is new, and each is asked for itself. Below the quorum the debate has no
/// result; an extension gives those who are missing another try.
pub(super) fn judge_exchange(
    floor: &mut Floor<'_>,
    state: &mut ExchangeState,
    judge_panel: &JudgePanel,
    exchange: u32,
) -> Flow<(VoteTally, Vec<Absent>)> {
    let mut heard: Vec<Vec<OrderedJudgment>> = vec![Vec::new(); judge_panel.seats.len()];
    let terms = quotable_terms(floor.opened());
    for attempt in 0.. {
        let of = |at: usize| {
            let orders = judge_panel.ordered_judgments(at, exchange).into_iter();
            orders.map(move |(what, labels)| (at, what, labels))
        };
        let missing = (0..heard.len()).filter(|at| heard[*at].is_empty());
        let wanted: Vec<(usize, String, Option<SideLabels>)> = missing.flat_map(of).collect();
        let drafts = wanted.iter().map(|(at, what, labels)| {
            let mut request = Request::new(attempt_key(exchange, what, attempt), &judge_panel.seats[*at], "judgment")
                .with_fact("exchange", exchange);
            if let Some(labels) = labels {
                request = request.with_fact(FIRST, labels.first.name());
            }
            // The debate can do without one judge of several, and without the second order of one.
            if judge_panel.is_panel() || what.ends_with("/swapped") {
                request = request.or_absent();
            }
            let (state, labels, terms) = (&*state, *labels, &terms);
            Draft::new(request, move |draft: Attempt<'_>| {
                let batch = state.judgment_scope(exchange, labels);
                if draft.imported {
                    return batch.parse_imported(draft.text);
                }
                // A judge that gives scores and misses zero is told so once; after that its scores are centred.
                let mut judgment = batch.parse_judgment(draft.text, draft.was_told("J5"))?;
                // The second time it stands: a judge that cannot copy must not cost the debate its verdict.
                let misquoted = state.check_clash_quotes(&judgment.clash, terms);
                warn_once_told(&draft, QUOTATION, &misquoted, &mut judgment.warnings)?;
                Ok(judgment)
            })
        });
        let answers = floor.ask_each_until_valid(drafts.collect())?;
        let mut lost: Vec<(usize, String, Lost)> = Vec::new();
        for ((at, what, labels), answer) in wanted.into_iter().zip(answers) {
            let key = attempt_key(exchange, &what, attempt);
            match answer {
                Ok(Statement { key: stands, value }) => {
                    record_warnings(floor, &key, &what, &value.warnings)?;
                    let first = labels.map(|labels| labels.first);
                    heard[at].push(OrderedJudgment { key: stands, first, judgment: value });
                }
                Err(why) => lost.push((at, key, why)),
            }
        }
        let absent = record_absences(floor, judge_panel, &heard, lost)?;
        if heard.iter().filter(|heard| !heard.is_empty()).count() >= judge_panel.quorum() {
            return Ok((record_scores(floor, state, judge_panel, exchange, heard)?, absent));
        }
        floor.adjourn_debate(void_outcome(exchange, absent, state.totals()))?;
        floor.current_limits();
    }
    unreachable!("a debate without judges ends, extended or not")
}

/// Says who did not answer at all, and who answered for one order alone.
fn record_absences(
    floor: &mut Floor<'_>,
    judge_panel: &JudgePanel,
    heard: &[Vec<OrderedJudgment>],
    lost: Vec<(usize, String, Lost)>,
) -> Flow<Vec<Absent>> {
    let mut absent: Vec<Absent> = Vec::new();
    for (at, key, why) in lost {
        let judge = &judge_panel.seats[at];
        if !heard[at].is_empty() {
            let warning = format!("{judge} judged in one order only; in the other: {why}");
            record_warnings(floor, &format!("{key}/one-order"), judge.as_str(), &[warning])?;
        } else if absent.iter().all(|absent| absent.seat != *judge) {
            absent.push(rule_absent(floor, judge, judge.as_str(), &key, &why)?);
        }
    }
    Ok(absent)
}

/// Puts votes and scores on the record and into force.
fn record_scores(
    floor: &mut Floor<'_>,
    state: &mut ExchangeState,
    judge_panel: &JudgePanel,
    exchange: u32,
    heard: Vec<Vec<OrderedJudgment>>,
) -> Flow<VoteTally> {
    let asked = judge_panel.orders.unwrap_or(1);
    let answered = judge_panel.seats.iter().zip(&heard).filter(|(_, heard)| !heard.is_empty());
    let votes = answered.map(|(judge, heard)| verdict::build_vote(exchange, judge.clone(), heard, asked));
    let votes: Vec<JudgeVote> = votes.collect();
    let tally = verdict::tally_votes(&votes, judge_panel.seats.len(), judge_panel.quorum());
    let heard: Vec<OrderedJudgment> = heard.into_iter().flatten().collect();
    let (scores, rescores, shift) = match heard.as_slice() {
        // One judge in one order: its judgment is what counts, word for word.
        [OrderedJudgment { judgment: one, .. }] => (one.scores.clone(), one.rescores.clone(), one.shift),
        heard => verdict::combine_votes(&state.judgment_scope(exchange, None), &votes, heard),
    };
    if judge_panel.has_votes() {
        for vote in &votes {
            let key = exchange_key(exchange, &format!("votes/{}", vote.judge));
            floor.rule_by(&key, || Ruling::new(RulingKind::Noted, describe_vote(vote)).with_data(vote))?;
            if vote.flip {
                let warning = format!(
                    "{} preferred one side in one order and the other side in the other; its vote is a tie",
                    vote.judge
                );
                record_warnings(floor, &key, vote.judge.as_str(), &[warning])?;
            }
        }
    }
    let clash = nearest_clash(&heard, &scores);
    state.apply_scores(&scores, &rescores);
    state.votes.extend(votes.into_iter().map(Arc::new));
    let key = heard.into_iter().next().map(|heard| heard.key);
    let panel = judge_panel.has_votes().then(|| tally.clone());
    floor.rule_by(exchange_key(exchange, "scores"), || {
        let totals = state.totals();
        let key = key.unwrap_or_else(|| unreachable!("a quorum is one judge at least"));
        let [pro, con] = [totals.proposition, totals.opposition].map(|side| format_signed(side.total, 2));
        let text = format!("proposition {pro}, opposition {con}");
        let scored = Scored { exchange, key, clash, scores, rescores, shift, totals, panel };
        Ruling::new(RulingKind::Scored, text).with_data(scored)
    })?;
    Ok(tally)
}

/// A vote in a line.
fn describe_vote(vote: &JudgeVote) -> String {
    let orders = vote.orders.iter();
    let orders =
        orders.map(|heard| format!("{} with the {} first", format_signed(heard.margin, 2), heard.first.name()));
    let orders: Vec<String> = orders.collect();
    let stands = match (vote.flip, vote.leader()) {
        (true, _) => "the order decided, a tie".to_owned(),
        (false, Some(side)) => format!("for the {}", side.name()),
        (false, None) => "for neither".to_owned(),
    };
    format!("{}: {stands} (margin {})", vote.judge, orders.join(", "))
}
