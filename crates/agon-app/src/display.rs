//! Wordings that several modules share: suggestions, large numbers, money.

use agon_core::{Basis, Usage};
use agon_runtime::{
    config::with_provider,
    participant::{command, provider::ProviderKind},
};

/// What a name of a model can begin with, apart from providers.
const MODEL_KINDS: [&str; 6] = ["local", "human", "outside", "cli", "scripted", "recorded"];

/// `did you mean judge? `, where something is near.
pub fn suggest_name(given: &str, known: &[&str]) -> String {
    find_near_name(given, known).map_or(String::new(), |name| format!("did you mean {name}? "))
}

/// The name of `known` that is most probably meant by `given`.
fn find_near_name<'k>(given: &str, known: &[&'k str]) -> Option<&'k str> {
    let likeness = |name: &str| strsim::jaro_winkler(given, name);
    let near = known.iter().filter(|name| likeness(name) > 0.75);
    // The fewest slips of a finger; of several, the one that looks most like it.
    let slips = |name: &str| strsim::damerau_levenshtein(given, name);
    near.min_by(|a, b| slips(a).cmp(&slips(b)).then(likeness(b).total_cmp(&likeness(a)))).copied()
}

/// `did you mean openai:gpt-5? ` for the name of a model that is unknown, where a known one is near.
pub fn model_suggestion(given: &str) -> String {
    let full = with_provider(given);
    if full != given {
        return format!("did you mean {full}? ");
    }
    let kinds: Vec<&str> = MODEL_KINDS.into_iter().chain(ProviderKind::known_names()).collect();
    let agents: Vec<&str> = command::list_agent_names().collect();
    let name = match given.split_once(':') {
        Some(("cli", agent)) => find_near_name(agent, &agents).map(|agent| format!("cli:{agent}")),
        Some((kind, model)) if !kinds.contains(&kind) => {
            find_near_name(kind, &kinds).map(|kind| format!("{kind}:{model}"))
        }
        Some(_) => None,
        None => find_near_name(given, &kinds).map(str::to_owned),
    };
    name.map_or(String::new(), |name| format!("did you mean {name}? "))
}

/// `12`, `4.1k`, `2.3M`.
pub fn format_count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.1}k", n as f64 / 1e3),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// `0.0123 USD`.
pub fn format_money(microusd: u64) -> String {
    format!("{:.4} USD", microusd as f64 / 1e6)
}

/// `1.2k tokens (reported), 0.0123 USD (estimated)`: what calls used, and how far that is known.
pub fn describe_usage(usage: &Usage) -> String {
    let tokens = format!("{} tokens ({})", format_count(usage.total_tokens()), usage.tokens_basis().name());
    format!("{tokens}, {}", describe_cost(usage))
}

/// What calls cost, and how far that is known.
pub fn describe_cost(usage: &Usage) -> String {
    match (usage.cost_basis, usage.cost_microusd) {
        (Basis::Unknown, 0) => "cost unknown".into(),
        (Basis::Unknown, known) => format!("at least {} (cost partly unknown)", format_money(known)),
        (Basis::Reported, 0) => "no cost".into(),
        (basis, cost) => format!("{} ({})", format_money(cost), basis.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_with_the_fewest_slips_is_suggested() {
        let known = ["resume", "run", "review", "show", "serve"];
        for (given, wanted) in [("rum", "run"), ("shwo", "show"), ("reveiw", "review"), ("resum", "resume")] {
            assert_eq!(suggest_name(given, &known), format!("did you mean {wanted}? "));
        }
        assert_eq!(suggest_name("xyz", &known), "");
    }

    #[test]
    fn the_model_that_was_meant_is_named() {
        for (given, wanted) in [
            ("gpt-5", "did you mean openai:gpt-5? "),
            ("claude-nobody", "did you mean anthropic:claude-nobody? "),
            ("opnai:gpt-5", "did you mean openai:gpt-5? "),
            ("cli:claud", "did you mean cli:claude? "),
            ("locl", "did you mean local? "),
            ("openai:", ""),
            ("xyz", ""),
        ] {
            assert_eq!(model_suggestion(given), wanted);
        }
    }

    #[test]
    fn an_unknown_cost_is_called_so() {
        let cost =
            |cost_microusd, cost_basis| super::describe_cost(&Usage { cost_microusd, cost_basis, ..Usage::default() });
        assert_eq!(cost(0, Basis::Unknown), "cost unknown");
        assert_eq!(cost(5, Basis::Unknown), "at least 0.0000 USD (cost partly unknown)");
        assert_eq!(cost(12_300, Basis::Estimated), "0.0123 USD (estimated)");
        assert_eq!(cost(0, Basis::Reported), "no cost");
    }
}
