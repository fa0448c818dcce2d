//! The chair's announcements, in the words of the source system's log.

use super::{
    chair::CitedPoint,
    conduct_rules::{Conduct, RulingVerdict, rule_name},
    log::{DebateLog, Logged},
};

/// First entry of a log.
pub fn setup_text(names: &[&str]) -> String {
    format!("Debate session initialised. Chair is ready. Debaters: {}", names.join(", "))
}

/// Once every seat was found able to answer.
pub fn ready_text(topic: &str) -> String {
    format!("All agents confirmed ready. Beginning Phase 1: Opening Statements. Topic: {topic}")
}

/// After the openings.
pub const OPENED: &str = "Phase 1 complete. Opening statements delivered. Proceeding to Phase 2.";
/// After the closings.
pub const CLOSED: &str = "Phase 3 complete. Closing statements delivered. Proceeding to Phase 4.";

/// Before each round.
pub fn round_text(round: u32, rounds_max: u32) -> String {
    format!("Round {round} of {rounds_max} beginning.")
}

/// After each round; `summary` is what was relayed to the debaters.
pub fn relay_text(summary: &str) -> String {
    format!("Verifier findings relayed this round: {}", if summary.is_empty() { "none" } else { summary })
}

/// References such as `seq 4, seq 9`.
pub fn format_references(seqs: &[u64]) -> String {
    seqs.iter().map(|seq| format!("seq {seq}")).collect::<Vec<_>>().join(", ")
}

/// How the review before the closings begins.
const REVIEW: &str = "Pre-Phase-3 review:";

/// Before the closings: up to three points, each with the entries that it is about.
pub fn unresolved_text(points: &[CitedPoint]) -> String {
    if points.is_empty() {
        return format!("{REVIEW} No point was named as unresolved entering the closing round.");
    }
    let mut text = format!("{REVIEW} The following points remain unresolved entering the closing round:");
    for (i, CitedPoint { point, seqs }) in points.iter().enumerate() {
        text += &format!("\n{}. {point}", i + 1);
        if !seqs.is_empty() {
            text += &format!(" — {}", format_references(seqs));
        }
    }
    text + "\nDebaters are encouraged to address these in their closing statements."
}

/// The review before the closings in `log`, the last one after an extension.
pub fn find_review(log: &DebateLog) -> Option<&Logged> {
    log.0.iter().rfind(|l| l.item.content.as_deref().is_some_and(|text| text.starts_with(REVIEW)))
}

/// The end.
pub fn conclusion_text(outcome: &str, reason: &str) -> String {
    format!("Debate concluded. Outcome: {outcome}. Reason: {reason}")
}

/// A ruling about an entry.
pub fn ruling_text(seq: u64, text: &str) -> String {
    format!("Ruling on seq {seq}: {text}")
}

/// A ruling on the conduct of an entry.
pub fn conduct_text(conduct: &Conduct, reason: &str) -> String {
    let rule = format!("rule {} ({})", conduct.rule, rule_name(conduct.rule).unwrap_or("unknown"));
    let what = match conduct.verdict {
        RulingVerdict::Lifted => format!("what was ruled under {rule} is lifted"),
        verdict => format!("{} under {rule}", verdict.describe_verdict()),
    };
    let quote = match conduct.quote.as_str() {
        "" => String::new(),
        quote => format!(" It says: \u{201c}{quote}\u{201d}"),
    };
    ruling_text(conduct.of, &format!("{what}. {}.{quote}", reason.trim_end_matches('.')))
}

/// An entry is struck.
pub fn redaction_text(seq: u64, speaker: &str, reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    format!("REDACTED: seq {seq} ({speaker}). Reason: {reason}. Entry is struck from the record.")
}

/// Outcome and reason out of the words of a conclusion, as the source system or agon write it.
pub fn parse_conclusion(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("Debate concluded. Outcome: ")?;
    let (outcome, rest) = rest.split_once('.')?;
    let reason = rest.trim_start().strip_prefix("Reason:").unwrap_or(rest);
    Some((outcome.trim(), reason.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chair_s_words_are_those_of_the_format() {
        assert_eq!(setup_text(&["a", "b"]), "Debate session initialised. Chair is ready. Debaters: a, b");
        assert_eq!(ready_text("T"), "All agents confirmed ready. Beginning Phase 1: Opening Statements. Topic: T");
        assert_eq!(round_text(2, 8), "Round 2 of 8 beginning.");
        assert_eq!(relay_text(""), "Verifier findings relayed this round: none");
        assert_eq!(
            unresolved_text(&[CitedPoint { point: "Who pays".into(), seqs: vec![3, 9] }]),
            "Pre-Phase-3 review: The following points remain unresolved entering the closing round:\n1. Who pays — seq 3, seq 9\nDebaters are encouraged to address these in their closing statements."
        );
        assert_eq!(
            redaction_text(3, "a", "made up."),
            "REDACTED: seq 3 (a). Reason: made up. Entry is struck from the record."
        );
        assert_eq!(ruling_text(3, "x"), "Ruling on seq 3: x");
    }

    #[test]
    fn a_conclusion_reads_back() {
        assert_eq!(
            parse_conclusion(&conclusion_text("a_wins", "It held. Twice.")),
            Some(("a_wins", "It held. Twice."))
        );
        assert_eq!(parse_conclusion("Debate concluded. Outcome: draw.\n\nReason: Even."), Some(("draw", "Even.")));
        assert_eq!(parse_conclusion("It is over."), None);
    }
}
