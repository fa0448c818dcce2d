//! From judgments to scores: two orders make one vote, and the votes make the scores.
//!
//! A judge that prefers one side in one order and the other side in the other has judged the order:
//! its vote is a tie. A panel's score is the median of its judges' scores, moved to zero sum.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{Key, Seat};
use serde::{Deserialize, Serialize};

use super::{
    argument::Side,
    judgment::{Judgment, JudgmentScope, Rescore, SUM_TOLERANCE, Score, centre_scores, round_score},
};

/// One judgment in one order.
#[derive(Debug, Clone)]
pub struct OrderedJudgment {
    /// The draft that stands.
    pub key: Key,
    /// The side that was called A and read first; `None` where the judgment was not blind.
    pub first: Option<Side>,
    /// What was said, with the ids of the format.
    pub judgment: Arc<Judgment>,
}

/// A hearing on the record: part of the data of the ruling `exchange-NNN/votes/SEAT`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedJudgment {
    /// The draft that stands; its reasons are there.
    pub key: Key,
    /// The side that was called A and read first.
    pub first: Side,
    /// By argument, zero-sum.
    pub scores: BTreeMap<String, f64>,
    /// What was subtracted from each raw score.
    pub shift: f64,
    /// The proposition's sum less the opposition's, over the new arguments.
    pub margin: f64,
}

/// The vote of one judge on one exchange: data of the ruling `exchange-NNN/votes/SEAT`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeVote {
    /// Which exchange.
    pub exchange: u32,
    /// Whose.
    pub judge: Seat,
    /// What it said in each order that it answered for.
    pub orders: Vec<RecordedJudgment>,
    /// In how many orders it was asked.
    pub asked: usize,
    /// Whether the two orders had opposite winners. The margin is 0 then.
    pub flip: bool,
    /// The proposition's sum less the opposition's, over the new arguments.
    pub margin: f64,
    /// By argument, zero-sum: the mean of the orders.
    pub scores: BTreeMap<String, f64>,
    /// Corrected scores of earlier arguments: before and after.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rescores: BTreeMap<String, (f64, f64)>,
}

impl JudgeVote {
    /// The side that it prefers.
    pub fn leader(&self) -> Option<Side> {
        leading_side(self.margin)
    }

    /// What it adds to a judge's whole margin, its corrections of earlier scores included.
    pub fn corrected_margin(&self) -> f64 {
        let moved = self.rescores.iter().map(|(id, (before, after))| signed_score(id, after - before));
        self.margin + moved.sum::<f64>()
    }
}

/// The count of the votes on one exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VoteTally {
    /// Judges of the debate.
    pub seats: usize,
    /// Those that answered.
    pub answered: Vec<Seat>,
    /// Fewest that must answer.
    pub quorum: usize,
    /// Those whose vote followed the order.
    pub flips: Vec<Seat>,
    /// Those that answered in one order only, though both were asked.
    pub one_order: Vec<Seat>,
    /// Votes for the proposition, for the opposition, and for neither.
    pub votes: [usize; 3],
    /// Whether all judges answered and prefer the same side.
    pub unanimous: bool,
}

/// The side that a margin favours; nobody within the tolerance of one batch.
pub fn leading_side(margin: f64) -> Option<Side> {
    match margin.abs() > SUM_TOLERANCE {
        true if margin > 0.0 => Some(Side::Proposition),
        true => Some(Side::Opposition),
        false => None,
    }
}

/// `score` as it counts for the proposition.
fn signed_score(id: &str, score: f64) -> f64 {
    if id.starts_with(Side::Proposition.prefix()) { score } else { -score }
}

/// The proposition's sum less the opposition's.
pub(super) fn compute_margin<'s>(scores: impl IntoIterator<Item = (&'s String, &'s f64)>) -> f64 {
    round_score(scores.into_iter().map(|(id, score)| signed_score(id, *score)).sum())
}

/// A judge's vote out of its one or two hearings.
pub fn build_vote(exchange: u32, judge: Seat, heard: &[OrderedJudgment], asked: usize) -> JudgeVote {
    let recorded = |heard: &OrderedJudgment| {
        let given = heard.judgment.scores.iter();
        let scores: BTreeMap<_, _> = given.map(|given| (given.argument_id.clone(), given.score)).collect();
        let first = heard.first.unwrap_or(Side::Proposition);
        let (key, shift) = (heard.key.clone(), heard.judgment.shift);
        RecordedJudgment { key, first, margin: compute_margin(&scores), shift, scores }
    };
    let orders: Vec<RecordedJudgment> = heard.iter().map(recorded).collect();
    let mut scores = BTreeMap::new();
    for (id, score) in orders.iter().flat_map(|heard| &heard.scores) {
        *scores.entry(id.clone()).or_insert(0.0) += score / orders.len() as f64;
    }
    let leaders: Vec<_> = orders.iter().filter_map(|heard| leading_side(heard.margin)).collect();
    let flip = leaders.windows(2).any(|pair| pair[0] != pair[1]);
    if flip {
        balance_sides(&mut scores);
    }
    round_to_zero_sum(&mut scores);
    let margin = if flip { 0.0 } else { compute_margin(&scores) };
    JudgeVote { exchange, judge, orders, asked, flip, margin, scores, rescores: agreed_corrections(heard) }
}

/// Takes from each score its side's mean, so that neither side gains; what the arguments of one side
/// are worth next to each other stays.
fn balance_sides(scores: &mut BTreeMap<String, f64>) {
    for side in Side::BOTH {
        let own = |id: &String| id.starts_with(side.prefix());
        let count = scores.keys().filter(|id| own(id)).count().max(1) as f64;
        let mean = scores.iter().filter(|(id, _)| own(id)).map(|(_, score)| score).sum::<f64>() / count;
        scores.iter_mut().filter(|(id, _)| own(id)).for_each(|(_, score)| *score -= mean);
    }
    let widest = scores.values().fold(1.0_f64, |widest, score| widest.max(score.abs()));
    scores.values_mut().for_each(|score| *score /= widest);
}

/// Rounds scores to three decimals so that their sum is as near to zero as it was.
fn round_to_zero_sum(scores: &mut BTreeMap<String, f64>) {
    let mut rest = 0.0;
    for score in scores.values_mut() {
        let exact = *score + rest;
        *score = round_score(exact).clamp(-1.0, 1.0);
        rest = exact - *score;
    }
}

/// Corrections that every order of a judge makes in the same direction: their mean.
fn agreed_corrections(heard: &[OrderedJudgment]) -> BTreeMap<String, (f64, f64)> {
    let Some((first, others)) = heard.split_first() else { return BTreeMap::new() };
    let moved = |rescore: &Rescore| rescore.new_score - rescore.old_score;
    let agreed = first.judgment.rescores.iter().filter_map(|rescore| {
        let id = &rescore.argument_id;
        let mut sum = rescore.new_score;
        for other in others {
            let agrees = |other: &&Rescore| other.argument_id == *id && moved(other) * moved(rescore) > 0.0;
            sum += other.judgment.rescores.iter().find(agrees)?.new_score;
        }
        Some((id.clone(), (rescore.old_score, round_score(sum / heard.len() as f64))))
    });
    agreed.filter(|(_, (before, after))| before != after).collect()
}

/// What counts after the judges of one exchange have voted: scores and corrections with the reasons
/// that are nearest to them, and what was subtracted from each score.
pub fn combine_votes(
    batch: &JudgmentScope,
    votes: &[JudgeVote],
    heard: &[OrderedJudgment],
) -> (Vec<Score>, Vec<Rescore>, f64) {
    let one = votes.len() == 1;
    let off = |told: f64, stands: f64| ((told - stands).abs() * 1000.0) as i64;
    let combined = |id: &String| {
        let score = round_score(median(votes.iter().filter_map(|vote| vote.scores.get(id).copied()).collect()));
        let told = heard.iter().flat_map(|heard| &heard.judgment.scores);
        let told: Vec<&Score> = told.filter(|told| told.argument_id == *id).collect();
        let nearest = told.iter().min_by_key(|told| off(told.score, score));
        let mut reasoning = nearest.map(|told| told.reasoning.clone()).unwrap_or_default();
        if one && votes[0].flip {
            reasoning.insert_str(0, "The order of the sides decided, so they are even here. ");
        }
        let grades: Vec<f64> = told.iter().filter_map(|told| told.grade).collect();
        let is_graded = one && !grades.is_empty() && grades.len() == told.len();
        let grade = is_graded.then(|| round_score(grades.iter().sum::<f64>() / grades.len() as f64));
        let centred = one && told.iter().any(|told| told.raw.is_some());
        let raws = told.iter().map(|told| told.raw.unwrap_or(told.score)).sum::<f64>();
        let raw = centred.then(|| round_score(raws / told.len().max(1) as f64));
        Score { argument_id: id.clone(), score, grade, raw, reasoning }
    };
    let mut scores: Vec<Score> = batch.ids.iter().map(combined).collect();
    let sum: f64 = scores.iter().map(|score| score.score).sum();
    let mut shift = 0.0;
    if one {
        let shifts = votes.iter().flat_map(|vote| &vote.orders).map(|heard| heard.shift);
        shift = round_score(shifts.sum::<f64>() / heard.len().max(1) as f64);
    } else if sum.abs() > SUM_TOLERANCE {
        shift = centre_scores(&mut scores);
        scores.iter_mut().for_each(|score| score.raw = None);
    }
    let rescores = batch.current.iter().filter_map(|(id, before)| {
        let after = votes.iter().map(|vote| vote.rescores.get(id).map_or(*before, |(_, after)| *after));
        let after = round_score(median(after.collect()));
        let told = heard.iter().flat_map(|heard| &heard.judgment.rescores);
        let told = told.filter(|told| told.argument_id == *id).min_by_key(|told| off(told.new_score, after))?;
        let rescore = Rescore { old_score: *before, new_score: after, ..told.clone() };
        (after != *before).then_some(rescore)
    });
    (scores, rescores.collect(), shift)
}

/// The middle of `values`; the mean of the middle two where their number is even.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.len() % 2, values.get(middle)) {
        (_, None) => 0.0,
        (1, Some(value)) => *value,
        (_, Some(value)) => (values[middle - 1] + value) / 2.0,
    }
}

/// How `votes` stand to each other, of a panel of `seats`.
pub fn tally_votes(votes: &[JudgeVote], seats: usize, quorum: usize) -> VoteTally {
    let those = |is: fn(&&JudgeVote) -> bool| votes.iter().filter(is).map(|vote| vote.judge.clone()).collect();
    let count = |side: Option<Side>| votes.iter().filter(|vote| vote.leader() == side).count();
    let counts = [count(Some(Side::Proposition)), count(Some(Side::Opposition)), count(None)];
    VoteTally {
        seats,
        answered: those(|_| true),
        quorum,
        flips: those(|vote| vote.flip),
        one_order: those(|vote| vote.orders.len() < vote.asked),
        votes: counts,
        unanimous: counts.contains(&seats),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(n: usize) -> Seat {
        Seat::new(format!("judge-{n}")).unwrap()
    }

    fn ordered_judgment(first: Side, scores: &[(&str, f64)], rescores: &[(&str, f64, f64)]) -> OrderedJudgment {
        let score = |(id, score): &(&str, f64)| Score {
            argument_id: (*id).into(),
            score: *score,
            grade: None,
            raw: None,
            reasoning: format!("{score}"),
        };
        let rescore = |(id, old, new): &(&str, f64, f64)| Rescore {
            argument_id: (*id).into(),
            old_score: *old,
            new_score: *new,
            reasoning: format!("{new}"),
        };
        let judgment = Judgment {
            clash: String::new(),
            scores: scores.iter().map(score).collect(),
            rescores: rescores.iter().map(rescore).collect(),
            shift: 0.0,
            warnings: Vec::new(),
        };
        OrderedJudgment { key: Key::from_parts("k"), first: Some(first), judgment: judgment.into() }
    }

    fn batch() -> JudgmentScope {
        let current = BTreeMap::from([("prop_000a".to_owned(), 0.2)]);
        JudgmentScope { ids: vec!["prop_001".into(), "opp_001".into()], current, labels: None }
    }

    #[test]
    fn a_judge_that_always_prefers_the_first_side_gives_a_draw() {
        let first = ordered_judgment(Side::Proposition, &[("prop_001", 0.6), ("opp_001", -0.6)], &[]);
        let swapped = ordered_judgment(Side::Opposition, &[("prop_001", -0.6), ("opp_001", 0.6)], &[]);
        let vote = build_vote(1, seat(1), &[first, swapped], 2);
        assert!(vote.flip && vote.margin == 0.0 && vote.leader().is_none());
        assert!(vote.scores.values().all(|score| *score == 0.0), "{:?}", vote.scores);
    }

    #[test]
    fn a_flip_takes_the_margin_and_leaves_what_arguments_of_one_side_are_worth() {
        let first =
            ordered_judgment(Side::Proposition, &[("prop_000a", 0.5), ("prop_000b", 0.1), ("opp_000a", -0.6)], &[]);
        let swapped =
            ordered_judgment(Side::Opposition, &[("prop_000a", 0.1), ("prop_000b", -0.3), ("opp_000a", 0.2)], &[]);
        let vote = build_vote(0, seat(1), &[first, swapped], 2);
        assert!(vote.flip);
        assert_eq!(
            vote.scores,
            BTreeMap::from([("opp_000a".into(), 0.0), ("prop_000a".into(), 0.2), ("prop_000b".into(), -0.2)])
        );
    }

    #[test]
    fn two_orders_with_one_winner_are_averaged() {
        let first =
            ordered_judgment(Side::Proposition, &[("prop_001", 0.6), ("opp_001", -0.6)], &[("prop_000a", 0.2, 0.4)]);
        let swapped =
            ordered_judgment(Side::Opposition, &[("prop_001", 0.2), ("opp_001", -0.2)], &[("prop_000a", 0.2, 0.3)]);
        let one = build_vote(1, seat(1), &[first.clone(), swapped.clone()], 2);
        assert_eq!((one.flip, one.margin), (false, 0.8));
        assert_eq!(one.rescores["prop_000a"], (0.2, 0.35));
        assert_eq!(round_score(one.corrected_margin()), 0.95);
        let (scores, rescores, shift) = combine_votes(&batch(), &[one], &[first.clone(), swapped.clone()]);
        assert_eq!(scores.iter().map(|s| s.score).collect::<Vec<_>>(), [0.4, -0.4]);
        assert_eq!((rescores[0].old_score, rescores[0].new_score, shift), (0.2, 0.35, 0.0));
        // What one order alone corrects is left as it was.
        let judgment = Judgment { rescores: Vec::new(), ..Judgment::clone(&swapped.judgment) };
        let silent = OrderedJudgment { judgment: judgment.into(), ..swapped };
        assert!(build_vote(1, seat(1), &[first, silent], 2).rescores.is_empty());
    }

    #[test]
    fn a_panel_has_the_median_moved_to_zero_and_a_tally() {
        let given = [(0.9, -0.9), (0.1, -0.1), (-0.3, 0.3)];
        let ordered_judgments: Vec<OrderedJudgment> = given
            .iter()
            .map(|(pro, con)| ordered_judgment(Side::Proposition, &[("prop_001", *pro), ("opp_001", *con)], &[]))
            .collect();
        let votes: Vec<JudgeVote> = ordered_judgments
            .iter()
            .enumerate()
            .map(|(i, h)| build_vote(1, seat(i + 1), std::slice::from_ref(h), 2))
            .collect();
        let (scores, _, shift) = combine_votes(&batch(), &votes, &ordered_judgments);
        assert_eq!(scores.iter().map(|s| s.score).collect::<Vec<_>>(), [0.1, -0.1]);
        assert_eq!((shift, scores[0].reasoning.as_str()), (0.0, "0.1"));
        let tally = tally_votes(&votes, 3, 2);
        assert_eq!((tally.votes, tally.unanimous, tally.one_order.len()), ([2, 1, 0], false, 3));
    }

    #[test]
    fn medians_that_miss_zero_are_centred() {
        let ids: Vec<String> = ["prop_000a", "prop_000b", "opp_000a"].map(String::from).into();
        let batch = JudgmentScope { ids, current: BTreeMap::new(), labels: None };
        let given = [[0.6, -0.4, -0.2], [-0.4, 0.6, -0.2], [0.6, 0.4, -1.0]];
        let ordered_judgments: Vec<OrderedJudgment> = given
            .iter()
            .map(|s| {
                ordered_judgment(
                    Side::Proposition,
                    &[("prop_000a", s[0]), ("prop_000b", s[1]), ("opp_000a", s[2])],
                    &[],
                )
            })
            .collect();
        let votes: Vec<JudgeVote> =
            ordered_judgments.iter().map(|h| build_vote(0, seat(1), std::slice::from_ref(h), 1)).collect();
        // Medians 0.6, 0.4, -0.2: their mean is 0.267.
        let (scores, _, shift) = combine_votes(&batch, &votes, &ordered_judgments);
        assert_eq!(shift, 0.267);
        assert!(scores.iter().map(|s| s.score).sum::<f64>().abs() < 1e-9);
        assert_eq!(scores[0].score, 0.333);
    }

    #[test]
    fn rounding_keeps_the_sum() {
        let thirds = [("a", 1.0 / 3.0), ("b", 1.0 / 3.0), ("c", -2.0 / 3.0)];
        let mut scores: BTreeMap<String, f64> = thirds.iter().map(|(id, s)| ((*id).to_owned(), *s)).collect();
        round_to_zero_sum(&mut scores);
        assert!(scores.values().sum::<f64>().abs() < 1e-9, "{scores:?}");
    }
}
