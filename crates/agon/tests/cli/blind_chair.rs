//! A chair that concludes blind: it reads letters for names, in both orders, and a conclusion that
//! follows the order is a draw.

use agon_core::{Key, View};
use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

fn assessment() -> Value {
    let role = |name: &str| {
        let text = format!("The {name} of this debate did what could be expected of it.");
        json!({"role": name, "strengths": text, "improvements": text, "suggestions": text})
    };
    let roles = ["chair", "Debater-A", "Debater-B", "reporter", "verifier", "audience"].map(role);
    let ways: Vec<String> =
        (1..=3).map(|n| format!("Give Debater-B {n} minutes more to answer what was said.")).collect();
    json!({"reason": "Both debaters kept to the rules, and Debater A answered most of what was said.",
        "quality": "Good", "roles": roles, "execution": ways, "output": ways})
}

fn conclusion(outcome: &str) -> Value {
    let each = |name: &str| json!({"for": name, "text": "It argued from what it knows, and answered what was said.", "entries": ["3"]});
    json!({"reasons": [each("Debater-A"), each("Debater-B")], "answer": {"do": "Keep the harbour as it is."},
        "reason": "The entries of Debater-A and Debater B were weighed against each other with the same care.", "outcome": outcome})
}

fn run(workspace: &Workspace, id: &str, first: &str, swapped: &str) -> Value {
    let opening = |words: &str| json!({"entries": [{"type": "opening_statement", "content": words, "sources": []}], "framework": ""});
    let script = json!({"rules": [
        {"key": "opening/debater-1", "reply": opening("[CONJECTURE] I am Ann, and unlike Bo I would keep the harbour as it is for many years.")},
        {"key": "opening/debater-2", "reply": opening("[CONJECTURE] Ann is wrong, as the harbour has become too small for the ships that want to come.")},
        {"key": "conclusion", "reply": conclusion(first)},
        {"key": "conclusion/swapped", "reply": conclusion(swapped)},
        {"key": "assessment", "reply": assessment()},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    let ran = workspace.agon(&[
        "run",
        "chaired",
        "Is the harbour large enough?",
        "--debater",
        "Ann:keeps the harbour",
        "--debater",
        "Bo",
        "--rounds",
        "1",
        "--orders",
        "both",
        "--verify",
        "off",
        "--model",
        "scripted:script.json",
        "--id",
        id,
        "--out",
        id,
        "--yes",
    ]);
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    assert_eq!(workspace.json(&["replay", id])["files_different"], json!([]));
    workspace.json(&["show", id])["outcome"].clone()
}

#[test]
fn a_chair_that_follows_the_order_gives_a_draw() {
    let workspace = Workspace::new();
    let flipped = run(&workspace, "d1", "Debater-A_wins", "Debater-A_wins");
    assert_eq!((&flipped["name"], &flipped["winner"]), (&json!("draw"), &Value::Null), "{flipped}");
    assert_eq!(flipped["figures"]["judged"], json!({"asked": 2, "answered": 2, "flip": true}));
    assert!(workspace.read("d1/report.md").contains("The order of the debaters decided"), "it is said");
    let firm = run(&workspace, "d2", "Debater-A_wins", "Debater-B_wins");
    assert_eq!(firm["winner"], "Ann", "{firm}");
    assert!(firm["summary"].as_str().unwrap().contains("The entries of Ann and Bo were weighed"), "{firm}");
}

#[test]
fn a_blind_chair_reads_no_name() {
    let workspace = Workspace::new();
    run(&workspace, "d1", "draw", "draw");
    let told = workspace.read("d1/assessor-report.md");
    assert!(told.contains("### Ann") && told.contains("### Bo") && !told.contains("Debater"), "{told}");
    let (record, _) = agon_report::record_jsonl::read_record(workspace.read("d1/record.jsonl")).unwrap();
    let chaired = agon_protocols::find_protocol("chaired").unwrap();
    for key in ["conclusion", "conclusion/swapped", "assessment"] {
        let (_, request) = record.find_request(&Key::from_parts(key)).unwrap();
        let facts = chaired.prompt_facts(&View::new(&record, request), request);
        let shown = format!("{} {}", facts["cast"], facts["log"]);
        assert!(shown.contains("Debater-A") && shown.contains("unlike Debater-"), "{shown}");
        for hidden in ["Ann", "Bo ", "\"Bo\"", "keeps"] {
            assert!(!shown.contains(hidden), "{key} shows {hidden}: {shown}");
        }
    }
}
