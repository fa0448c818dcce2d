//! The turns of a duel's artifact, in enough detail to see that one was changed.

use agon_core::Digest;

/// Number and digest of each turn, in the order of the text. A turn goes from its heading to the
/// next heading of its level; white space at its end and the rule before the next turn are not part
/// of it.
pub fn digest_turns(artifact: &str) -> Vec<(u32, Digest)> {
    let mut turns: Vec<(u32, String)> = Vec::new();
    let mut within = false;
    for line in artifact.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let number = heading.strip_prefix("Turn ").and_then(|rest| rest.split_whitespace().next());
            let number = number.and_then(|number| number.trim_end_matches(':').parse().ok());
            within = number.is_some();
            turns.extend(number.map(|number| (number, String::new())));
        }
        if let Some((_, text)) = turns.last_mut().filter(|_| within) {
            text.push_str(line);
            text.push('\n');
        }
    }
    let digest = |text: &str| {
        let text = text.trim_end();
        Digest::from_content(text.strip_suffix("\n---").unwrap_or(text).trim_end())
    };
    turns.iter().map(|(number, text)| (*number, digest(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTIFACT: &str = "# Socratic Duel: T\n\n---\n\n## Turn 1 — A (codex / m) — CONVERGING\n\n**Position**\none\n\n---\n\n## Turn 2 -- B (codex / m) -- DISSENTING\n\ntwo\n\n## Terminal Conclusion\n\n**Outcome**: PENDING\n";

    #[test]
    fn a_turn_is_its_own_text_and_nothing_after_it() {
        let turns = digest_turns(ARTIFACT);
        assert_eq!(turns.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2]);
        let closed = ARTIFACT.replace("PENDING", "DISSENT").replace("\n\n---\n\n## Turn 2", "\n\n\n---\n## Turn 2");
        assert_eq!(digest_turns(&closed), turns);
        let longer =
            ARTIFACT.replace("\n## Terminal", "\n---\n\n## Turn 3 - A (x / y) - REVISING\n\nthree\n\n## Terminal");
        assert_eq!(digest_turns(&longer)[..2], turns);
        let forged = digest_turns(&ARTIFACT.replace("one", "won"));
        assert_ne!(forged[0], turns[0]);
        assert_eq!(forged[1], turns[1]);
    }

    #[test]
    fn a_text_without_turns_has_none() {
        assert_eq!(digest_turns("# T\n\n## Turnip\n\n## Turn x\n"), []);
    }
}
