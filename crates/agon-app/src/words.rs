//! Wordings that several modules share: suggestions, large numbers, money.

use agon_core::{Basis, Usage};

/// `did you mean judge? `, where something is near.
pub fn suggestion(given: &str, known: &[&str]) -> String {
    let near = known.iter().map(|name| (strsim::jaro_winkler(given, name), name));
    let near = near.filter(|(likeness, _)| *likeness > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    near.map_or(String::new(), |(_, name)| format!("did you mean {name}? "))
}

/// `12`, `4.1k`, `2.3M`.
pub fn count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.1}k", n as f64 / 1e3),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// `0.0123 USD`.
pub fn money(microusd: u64) -> String {
    format!("{:.4} USD", microusd as f64 / 1e6)
}

/// `1.2k tokens (reported), 0.0123 USD (estimated)`: what calls used, and how far that is known.
pub fn used(usage: &Usage) -> String {
    let tokens = format!("{} tokens ({})", count(usage.tokens()), usage.tokens_basis().word());
    format!("{tokens}, {}", cost(usage))
}

/// What calls cost, and how far that is known.
pub fn cost(usage: &Usage) -> String {
    match (usage.cost_basis, usage.cost_microusd) {
        (Basis::Unknown, 0) => "cost unknown".into(),
        (Basis::Unknown, known) => format!("at least {} (cost partly unknown)", money(known)),
        (Basis::Reported, 0) => "no cost".into(),
        (basis, cost) => format!("{} ({})", money(cost), basis.word()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_cost_is_called_so() {
        let cost =
            |cost_microusd, cost_basis| super::cost(&Usage { cost_microusd, cost_basis, ..Usage::default() });
        assert_eq!(cost(0, Basis::Unknown), "cost unknown");
        assert_eq!(cost(5, Basis::Unknown), "at least 0.0000 USD (cost partly unknown)");
        assert_eq!(cost(12_300, Basis::Estimated), "0.0123 USD (estimated)");
        assert_eq!(cost(0, Basis::Reported), "no cost");
    }
}
