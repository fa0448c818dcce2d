//! The tables of docs/exit-codes.md say what every outcome means for a pipeline.

use std::fs;

use agon_core::gate::GATE_CODES;
use agon_protocols::ALL;

use crate::tidy::root;

/// One row for each outcome of a shipped protocol, in the order of the manifests.
fn rows() -> Vec<String> {
    let mut rows = Vec::new();
    for protocol in ALL {
        for outcome in &protocol.manifest().outcomes {
            let (name, gate) = (&outcome.name, outcome.gate.name());
            let dissent = if outcome.dissent { "yes" } else { "" };
            rows.push(format!("| {} | `{name}` | {gate} | {dissent} | {} |", protocol.name(), outcome.about));
        }
    }
    rows
}

fn listed(page: &str, head: &str) -> Vec<String> {
    let table = page.split_once(head).unwrap_or_else(|| panic!("no table {head}")).1;
    table.lines().take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

#[test]
fn the_page_on_exit_codes_lists_every_outcome_of_every_protocol() {
    let page = fs::read_to_string(root().join("docs/exit-codes.md")).unwrap();
    let head = "| protocol | outcome | gate | dissent | when |\n|---|---|---|---|---|\n";
    let wanted = rows();
    assert_eq!(listed(&page, head), wanted, "the table is to be:\n{}\n", wanted.join("\n"));
    let head = "| code | applies if |\n|---|---|\n";
    let codes = GATE_CODES.iter().map(|(code, about)| format!("| `{code}` | {about} |"));
    let wanted: Vec<String> = codes.collect();
    assert_eq!(listed(&page, head), wanted, "the table is to be:\n{}\n", wanted.join("\n"));
}

#[test]
fn every_protocol_can_pass_a_gate_and_lists_each_outcome_once() {
    for protocol in ALL {
        let manifest = protocol.manifest();
        let mut names: Vec<&str> = manifest.outcomes.iter().map(|spec| spec.name.as_str()).collect();
        assert!(manifest.outcomes.iter().any(|spec| spec.gate.name() == "pass"), "{}", manifest.name);
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "{} lists an outcome twice", manifest.name);
    }
}
