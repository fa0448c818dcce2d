//! What an evaluation would ask, take and cost. It is computed by rehearsing each arm on some of the items, and
//! nothing is sent.

use agon_text::count_noun;
use serde::Serialize;
use serde_json::json;

use super::Evaluation;
use crate::{cost_plan::SIDE_SHARE, display};

/// What `evaluation` would ask, for programs and for people; what is done already counts, too.
pub fn plan_evaluation(evaluation: &Evaluation) -> (impl Serialize + use<>, String) {
    let debates = evaluation.item_count() * u64::from(evaluation.request.repeat);
    let times = debates as f64;
    let mut lines = vec![format!(
        "{} and {}: {} in all. Nothing was sent.",
        count_noun(evaluation.item_count(), "item", "items"),
        count_noun(evaluation.arms.len(), "arm", "arms"),
        count_noun(evaluation.count_debates(), "debate", "debates")
    )];
    let mut arms = Vec::new();
    let (mut calls, mut read, mut written, mut minutes) = (0.0, 0.0, 0.0, 0.0);
    let mut cost = Some(0.0);
    for arm in &evaluation.arms {
        let plan = arm.plan;
        calls += plan.calls * times;
        read += plan.prompt_tokens * times;
        written += plan.completion_tokens_max * times;
        minutes += plan.minutes * times;
        cost = cost.zip(plan.cost_microusd).map(|(sum, each)| sum + each * times);
        let samples = arm.run.samples.map(|samples| count_noun(samples, "sample", "samples"));
        let samples = samples.map(|samples| format!(", {samples}")).unwrap_or_default();
        lines.push(format!(
            "  {}: {}{samples}, about {} input tokens, at most {} output tokens, {}",
            arm.run.name,
            count_noun((plan.calls * times).round() as u64, "call", "calls"),
            display::format_count((plan.prompt_tokens * times) as u64),
            display::format_count((plan.completion_tokens_max * times) as u64),
            format_cost(plan.cost_microusd.map(|each| each * times))
        ));
        arms.push(json!({
            "arm": arm.run.name, "models": arm.run.models, "samples": arm.run.samples, "debates": debates,
            "calls": (plan.calls * times).round(), "prompt_tokens": (plan.prompt_tokens * times).round(),
            "completion_tokens_max": (plan.completion_tokens_max * times).round(),
            "cost_microusd": plan.cost_microusd.map(|each| (each * times).round()), "unmirrored": arm.is_unmirrored(),
        }));
    }
    let minutes = minutes / f64::from(evaluation.request.concurrency.max(1));
    lines.push(format!(
        "  together: {}, about {} input tokens, at most {} output tokens, {}, about {}",
        count_noun(calls.round() as u64, "call", "calls"),
        display::format_count(read as u64),
        display::format_count(written as u64),
        format_cost(cost),
        count_noun(minutes.ceil() as u64, "minute", "minutes")
    ));
    let advice = list_advice(evaluation);
    lines.extend(advice.iter().cloned());
    let json = json!({
        "items": evaluation.item_count(), "with_gold": evaluation.items.with_gold, "repeat": evaluation.request.repeat,
        "debates": evaluation.count_debates(), "calls": calls.round(), "prompt_tokens": read.round(),
        "completion_tokens_max": written.round(), "cost_microusd": cost.map(f64::round), "minutes": minutes,
        "arms": arms, "advice": advice, "notes": evaluation.notes,
    });
    (json, lines.join("\n"))
}

fn format_cost(microusd: Option<f64>) -> String {
    match microusd {
        None => "price unknown (agon prices)".to_owned(),
        Some(0.0) => "free".to_owned(),
        Some(cost) => format!("at most about {}", display::format_money(cost.round() as u64)),
    }
}

/// What a careful experimenter would change.
fn list_advice(evaluation: &Evaluation) -> Vec<String> {
    let named = |name: &str| evaluation.arms.iter().any(|arm| arm.run.name == name);
    let mut advice = Vec::new();
    let single: Vec<&str> =
        evaluation.arms.iter().filter(|arm| arm.is_unmirrored()).map(|arm| arm.run.name.as_str()).collect();
    if !single.is_empty() && !named("debate-mirrored") {
        advice.push(format!(
            "Recommended: add --arm debate-mirrored. In {} one debate alone decides, with the sides as they happen to \
             be drawn. In a public benchmark of strong models, {SIDE_SHARE} pairs of debates with swapped \
             sides had the same side as the winner both times, whatever it argued for.",
            single.join(", ")
        ));
    }
    let takes_more = evaluation.arms.iter().any(|arm| arm.plan.calls > 1.0 && arm.run.samples.is_none());
    if takes_more && evaluation.arms.iter().all(|arm| arm.run.samples.is_none()) {
        advice.push(
            "Recommended: add --arm self-consistency --equal-tokens. A debate that is better than one answer, but not \
             better than a vote of answers for the same tokens, does not help."
                .to_owned(),
        );
    }
    advice
}
