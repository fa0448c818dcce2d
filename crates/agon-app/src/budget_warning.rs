//! Whether a debate can come to its end within the budgets that it is opened with. Budgets are reserved
//! before each call at the most that it can take, so one that is too small stops a debate early.

use agon_core::Limits;
use agon_runtime::rehearse::Rehearsed;

/// Share of the longest answer that a statement usually has.
pub const USUAL_SHARE: f64 = 0.35;
/// Tokens that are reserved for each token of a prompt: a reservation counts bytes.
const RESERVED_PER_TOKEN: u64 = 4;

/// The warning for a debate of these `calls` within `limits`; `None` if the limits suffice.
pub fn find_budget_warning(calls: &[Rehearsed], limits: &Limits) -> Option<String> {
    let calls: Vec<&Rehearsed> = calls.iter().filter(|call| !call.redraft).collect();
    let all = calls.len();
    if let Some(most) = limits.requests_max.filter(|most| *most < all as u64) {
        return Some(format!(
            "--max-requests {most} stops this debate before its end: it takes {all} calls if no answer needs a \
             redraft"
        ));
    }
    let budget = limits.tokens_max?;
    let (mut used, mut said, mut needed, mut stops) = (0, 0, 0, None);
    for (at, call) in calls.iter().enumerate() {
        // A rehearsal speaks in samples: what is really said before makes every later prompt longer.
        let prompt = call.prompt_tokens + call.schema_tokens + said;
        let reserved = used + prompt * RESERVED_PER_TOKEN + (call.tokens_max + call.thinking_tokens) * 4 / 3;
        needed = needed.max(reserved);
        if reserved > budget {
            stops = stops.or(Some(at + 1));
        }
        let usual = |tokens: u64| (tokens as f64 * USUAL_SHARE) as u64;
        // Nobody reads what another thought.
        said += usual(call.tokens_max);
        used += prompt + usual(call.tokens_max + call.thinking_tokens);
    }
    let stops = stops?;
    Some(format!(
        "--max-tokens {budget} will probably stop this debate before call {stops} of {all}, since agon reserves the most that a call \
         can take before making it; --max-tokens {} should suffice",
        needed.next_multiple_of(1_000)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(all: usize) -> Vec<Rehearsed> {
        let call = |n: usize| Rehearsed {
            key: n.to_string(),
            seat: "judge".into(),
            prompt: "p".into(),
            messages: Vec::new(),
            prompt_tokens: 1_000,
            schema_tokens: 250,
            tokens_max: 1_500,
            thinking_tokens: 0,
            redraft: false,
        };
        (0..all).map(call).collect()
    }

    #[test]
    fn a_budget_that_cannot_reach_the_end_is_told_before_it_is_spent() {
        let tokens = |tokens_max| Limits { tokens_max: Some(tokens_max), ..Limits::default() };
        let told = find_budget_warning(&calls(7), &tokens(24_000)).unwrap();
        assert!(told.contains("of 7") && told.contains("--max-tokens 24000"), "{told}");
        assert!(find_budget_warning(&calls(7), &tokens(5_000)).unwrap().contains("before call 1 of 7"));
        assert_eq!(find_budget_warning(&calls(7), &tokens(1_000_000)), None);
        assert_eq!(find_budget_warning(&calls(7), &Limits::default()), None);
        let requests = Limits { requests_max: Some(6), ..Limits::default() };
        assert!(find_budget_warning(&calls(7), &requests).unwrap().contains("takes 7 calls"));
        assert_eq!(find_budget_warning(&calls(6), &requests), None);
        let thinks = |call| Rehearsed { thinking_tokens: 8_000, ..call };
        let thinking: Vec<_> = calls(7).into_iter().map(thinks).collect();
        assert_eq!(find_budget_warning(&calls(7), &tokens(45_000)), None);
        assert!(find_budget_warning(&thinking, &tokens(45_000)).is_some(), "thinking is reserved as well");
    }

    #[test]
    fn what_the_warning_asks_for_is_enough_for_the_same_calls() {
        let tokens = |tokens_max| Limits { tokens_max: Some(tokens_max), ..Limits::default() };
        let told = find_budget_warning(&calls(7), &tokens(9_000)).unwrap();
        let enough = told.rsplit("--max-tokens ").next().unwrap().split(' ').next().unwrap();
        let enough: u64 = enough.parse().unwrap();
        assert_eq!(find_budget_warning(&calls(7), &tokens(enough)), None);
        assert!(find_budget_warning(&calls(7), &tokens(enough - 1_001)).is_some());
    }
}
