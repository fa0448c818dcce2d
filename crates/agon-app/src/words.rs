//! Wordings that several modules share: suggestions, large numbers, money.

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
