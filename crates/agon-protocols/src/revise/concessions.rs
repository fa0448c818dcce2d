//! V3, mutual concession: whether two authors concede the same set of points. The synthesizer pairs the numbered
//! concessions of both, and pairs them again with the lists swapped; a pair counts where both answers have it.

use std::collections::BTreeSet;

use agon_core::{Attempt, Faults, Floor, Flow, Key, Request, reading::Doubt};
use serde_json::json;

use super::{
    critique::{Critique, ENTRIES_MAX},
    document::normalise_words,
    settings::SYNTHESIZER,
    state::{MutualConcession, ReviseState, round_key},
};
use crate::common::{
    self,
    absence::record_warnings,
    form::{Form, Kind, form_field, list_kind},
    readings::{confirmation_key, is_fit_reader},
    request_values::read_fact,
};

/// Name of its prompt.
pub const PROMPT: &str = "concessions";

/// A pair of numbers, one of each list, from 1.
type Pair = (usize, usize);

/// What each of two authors concedes in a round, in their order; `None` unless there are two and both concede
/// something.
fn list_concessions(state: &ReviseState, round: u32) -> Option<[Vec<&str>; 2]> {
    let [one, other] = state.present_authors()[..] else { return None };
    let held = &state.rounds.get((round as usize).checked_sub(1)?)?.critiques;
    let of = |critic: usize| {
        let critiques = held.iter().filter(|held| held.critic == critic).filter_map(|held| held.critique.as_ref());
        let points = critiques.flat_map(|critique: &Critique| &critique.concessions).map(String::as_str);
        points.filter(|point| !normalise_words(point).is_empty()).collect::<Vec<_>>()
    };
    let lists = [of(one), of(other)];
    lists.iter().all(|points| !points.is_empty()).then_some(lists)
}

/// The lists as `request` shows them: who concedes, to whom, and what.
pub fn list_shown<'s>(state: &'s ReviseState, request: &Request) -> Option<[(usize, usize, Vec<&'s str>); 2]> {
    let [one, other] = state.present_authors()[..] else { return None };
    let [first, second] = list_concessions(state, read_fact(request, "round").unwrap_or_default())?;
    let mut lists = [(one, other, first), (other, one, second)];
    if is_swapped(request) {
        lists.reverse();
    }
    Some(lists)
}

/// Whether the lists are shown in the other order.
fn is_swapped(request: &Request) -> bool {
    read_fact(request, "swapped") == Some(true)
}

/// Has the concessions of a round paired; nothing where there is nothing to pair, or nobody who does.
pub fn pair_concessions(floor: &mut Floor<'_>, state: &ReviseState, round: u32) -> Flow<Option<MutualConcession>> {
    let Some(counts) = list_concessions(state, round).map(|lists| lists.map(|points| points.len())) else {
        return Ok(None);
    };
    let key = round_key(round, PROMPT);
    let Some((read, first)) = ask_pairs(floor, &key, round, counts, false)? else { return Ok(None) };
    if !is_whole(&first, counts) {
        return Ok(Some(MutualConcession::Different { read }));
    }
    if !is_fit_reader(floor, &read) {
        return Ok(Some(MutualConcession::Unclear { read, why: Doubt::UnfitReader }));
    }
    let again = confirmation_key(&key, "pairs");
    Ok(Some(match ask_pairs(floor, &again, round, counts, true)? {
        None => MutualConcession::Unclear { read, why: Doubt::NotConfirmed },
        Some((confirmed, second)) => {
            let both: BTreeSet<Pair> = first.intersection(&second).copied().collect();
            match is_whole(&both, counts) {
                true => MutualConcession::Same { read, confirmed },
                false => MutualConcession::Unclear { read, why: Doubt::Differs },
            }
        }
    }))
}

/// One answer: the pairs, each with the number of the first author's point first.
fn ask_pairs(
    floor: &mut Floor<'_>,
    key: &str,
    round: u32,
    counts: [usize; 2],
    is_swapped: bool,
) -> Flow<Option<(Key, BTreeSet<Pair>)>> {
    let request = Request::new(key, &common::named_seat(SYNTHESIZER), PROMPT)
        .with_fact("round", round)
        .with_fact("swapped", is_swapped)
        .or_absent();
    let shown = if is_swapped { [counts[1], counts[0]] } else { counts };
    match floor.ask_until_valid(request, |draft: Attempt<'_>| parse_pairs(draft.text, shown))? {
        Ok(said) => {
            let turned = |(one, other): &Pair| if is_swapped { (*other, *one) } else { (*one, *other) };
            Ok(Some((said.key.clone(), said.value.iter().map(turned).collect())))
        }
        Err(lost) => {
            record_warnings(floor, key, SYNTHESIZER, &[format!("nobody paired the concessions: {lost}")])?;
            Ok(None)
        }
    }
}

/// Whether every point of both lists is in a pair.
fn is_whole(pairs: &BTreeSet<Pair>, counts: [usize; 2]) -> bool {
    (1..=counts[0]).all(|number| pairs.iter().any(|(one, _)| *one == number))
        && (1..=counts[1]).all(|number| pairs.iter().any(|(_, other)| *other == number))
}

/// The form of an answer that pairs lists of so many points.
pub fn pairs_form([one, other]: [usize; 2]) -> Form {
    let pair = Form::new("pairs", [form_field("a", Kind::Pick(one)), form_field("b", Kind::Pick(other))]);
    Form::new("pairs", [form_field("pairs", list_kind(0, ENTRIES_MAX, Kind::Object(pair)))])
}

/// An answer for rehearsals: all points are paired at first, and none when that is asked again.
pub fn sample_pairs(state: &ReviseState, request: &Request) -> Option<String> {
    let [one, other] = list_shown(state, request)?.map(|(.., points)| points.len());
    let pairs = (1..=one.max(other)).filter(|_| !is_swapped(request));
    let pairs = pairs.map(|number| json!({"a": number.min(one), "b": number.min(other)}));
    Some(json!({"pairs": pairs.collect::<Vec<_>>()}).to_string())
}

/// The pairs in an answer, or every rule that it breaks.
fn parse_pairs(text: &str, counts: [usize; 2]) -> Result<BTreeSet<Pair>, Faults> {
    let (pairs, faults) = pairs_form(counts).read_draft(text, |fields, faults| {
        if fields.raw_value("pairs").is_null() {
            fields.add_fault("pairs", "pairs is missing; write an empty list if no two points are the same", faults);
        }
        let mut pairs = BTreeSet::new();
        for item in fields.read_parts("pairs", faults) {
            let Some(item) = item.open(faults) else { continue };
            let number = |name: &str, count: usize, faults: &mut Faults| {
                let number = item.read_number(name, faults);
                let found = (1..=count).find(|known| *known as f64 == number);
                if found.is_none() {
                    item.add_fault(name, format!("{name} must be a number of its list, 1 to {count}"), faults);
                }
                found
            };
            let (one, other) = (number("a", counts[0], faults), number("b", counts[1], faults));
            pairs.extend(one.zip(other));
        }
        pairs
    })?;
    faults.into_result(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbers_of_both_lists() {
        assert_eq!(parse_pairs(r#"{"pairs": [{"a": 1, "b": 2}]}"#, [1, 2]).unwrap(), [(1, 2)].into());
        assert_eq!(parse_pairs(r#"{"pairs": []}"#, [1, 2]).unwrap(), BTreeSet::new());
        for text in [r#"{}"#, r#"{"pairs": [{"a": 2, "b": 1}]}"#, r#"{"pairs": [{"a": 1}]}"#, r#"{"pairs": [[1, 1]]}"#]
        {
            assert!(parse_pairs(text, [1, 2]).is_err(), "{text}");
        }
    }

    #[test]
    fn the_same_set_of_points_leaves_no_point_of_either_alone() {
        for (pairs, wanted) in [
            (vec![(1, 1), (2, 2)], true),
            (vec![(1, 1), (1, 2), (2, 2)], true),
            (vec![(1, 1), (2, 1)], false),
            (vec![(1, 1)], false),
            (vec![], false),
        ] {
            assert_eq!(is_whole(&pairs.into_iter().collect(), [2, 2]), wanted);
        }
    }
}
