//! Every rule that an artifact made elsewhere breaks: those of the file, and those of each turn as the
//! protocol has them.

use agon_protocols::duel::turn::DuelTurnRules;
use serde_json::json;

use super::{
    artifact::Artifact,
    artifact_parser,
    import::{build_turn_statement, is_of_file},
};

/// What breaks a rule in the artifact `text`, each with its rule and the place; evidence is looked up in
/// `document`, the source document, where that is at hand.
pub fn check_artifact(text: &str, document: Option<&str>) -> Vec<String> {
    let (artifact, faults) = artifact_parser::parse_with_faults(text);
    let of_file = faults.0.iter().filter(|fault| is_of_file(fault));
    let mut findings: Vec<String> = of_file.map(|fault| format!("{} {fault}", fault.rule)).collect();
    for (at, turn) in artifact.turns.iter().enumerate() {
        let from = format!("Turn {}", turn.number);
        let said = json!(build_turn_statement(&turn.said)).to_string();
        let warnings = match build_turn_rules(&artifact, at, document).parse_imported(&said) {
            Ok(said) => said.warnings,
            Err(faults) => faults.0.iter().map(|fault| format!("{} {fault}", fault.rule)).collect(),
        };
        findings.extend(warnings.into_iter().map(|warning| format!("{from}: {warning}")));
    }
    findings
}

/// What the turn at the place `at` had to keep, given the turns before it.
fn build_turn_rules<'r>(artifact: &'r Artifact, at: usize, document: Option<&'r str>) -> DuelTurnRules<'r> {
    let (before, turn) = (&artifact.turns[..at], &artifact.turns[at]);
    let own = before.iter().rev().find(|earlier| earlier.participant == turn.participant);
    let asserted =
        before.iter().flat_map(|earlier| earlier.said.claims().into_iter().map(|(_, text)| (earlier.number, text)));
    DuelTurnRules {
        turn: before.len() as u32 + 1,
        before: own.map(|own| own.said.stance),
        asserted: asserted.collect(),
        said: before.iter().map(|earlier| (earlier.number, earlier.said.searchable_text())).collect(),
        path: &artifact.source_path,
        document,
        ..DuelTurnRules::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn that keeps every rule; `n` gives it words of its own.
    fn turn(number: u32, n: usize, by: &str) -> String {
        let words = ["archives", "meetings", "newcomers", "deadlines", "margins"];
        let (one, two) = (words[n % 5], words[(n + 1) % 5]);
        let about = if n == 0 { "Source".to_owned() } else { "Turn 1".to_owned() };
        format!(
            "---\n\n## Turn {number} — {by} (codex / m) — OPEN_TO_DEBATE\n\n**Position**\nHere {one} decide before {two} do, in case {n}.\n\n\
             **Counterpoints**\n- Addresses: {about}\n  Claim: Nobody weighs {two} against {one} in step {n}.\n  Support:\n    - Principle: what serves {one} is no waste\n\n\
             **Agreements**\n- That {one} are kept is right.\n\n**Novel Argument**\nOnly {two} of round {n} outlive {one}.\n\nSupport:\n    - Principle: {two} are read\n\n\
             **Unresolved Items**\n- Who pays for {two}? (non-blocking)\n\n**Stance Revision Support**\n- None\n\n"
        )
    }

    fn artifact(turns: &[String]) -> String {
        format!(
            "# Socratic Duel: T\n\n**Source Document**: `/x/plan.md`\n**Source Link**: [plan.md](/x/plan.md)\n**Status**: ACTIVE\n**Created**: now\n\n\
             ## Metadata\n\n| Field | Value |\n|---|---|\n| Duel ID | d |\n| Source Path | /x/plan.md |\n| Topic | T |\n| Topic Slug | t |\n| Max Turns | 6 |\n| Status | ACTIVE |\n| Candidate Convergence | No |\n\n\
             ## Participants\n\n| Participant | Harness | Model | Joined |\n|---|---|---|---|\n| Ada | codex | m | now |\n| Bob | codex | m | now |\n\n\
             {}## Terminal Conclusion\n\n**Outcome**: PENDING\n**Closed At**: Pending\n**Candidate Convergence**: No\n**Reason**: Pending\n\nThe duel goes on.\n",
            turns.concat()
        )
    }

    #[test]
    fn an_artifact_that_keeps_every_rule_has_no_findings() {
        let sound = artifact(&[turn(1, 0, "Ada"), turn(2, 1, "Bob"), turn(3, 2, "Ada")]);
        assert_eq!(check_artifact(&sound, Some("# Plan\n")), Vec::<String>::new());
    }

    #[test]
    fn rules_of_the_file_and_of_its_turns_are_found_with_their_place() {
        let broken = artifact(&[turn(1, 0, "Ada"), turn(3, 1, "Ada").replace("- Principle: margins", "- none")]);
        let found = check_artifact(&broken, None).join("\n");
        for wanted in ["A1 Turn 3", "A3 Turn 3"] {
            assert!(found.contains(wanted), "{wanted}: {found}");
        }
        let cited =
            turn(2, 1, "Bob").replacen("- Principle: what serves", "- plan.md: \"it says\" that what serves", 1);
        let found = check_artifact(&artifact(&[turn(1, 0, "Ada"), cited]), Some("# Plan\n")).join("\n");
        assert!(found.starts_with("Turn 2: D11") && found.contains("does not stand in plan.md"), "{found}");
        let again = turn(2, 0, "Bob").replace("Addresses: Source", "Addresses: Turn 1");
        let found = check_artifact(&artifact(&[turn(1, 0, "Ada"), again]), None).join("\n");
        assert!(found.contains("Turn 2: D8"), "{found}");
    }
}
