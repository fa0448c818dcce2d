//! Flags of single protocols, line-ups and rows of seats: what is refused, and what is said.

use crate::cli::{bad_input::refused, workspace::Workspace};

#[test]
fn a_flag_of_another_protocol_names_those_that_take_it() {
    let workspace = Workspace::new();
    workspace.write("a.md", "# A\n");
    for (flag, value, whose) in [
        ("--topic", "x", "duel"),
        ("--mode", "plan", "revise"),
        ("--draft", "a=a.md", "revise"),
        ("--track", ".", "revise"),
        ("--phase", "2", "revise"),
        ("--title", "x", "revise"),
        ("--strategy", "single", "revise"),
        ("--min-rounds", "1", "chaired"),
        ("--max-rounds", "1", "panel and chaired"),
        ("--time-budget", "5", "chaired"),
    ] {
        let says = format!("exchange does not take {flag}");
        refused(&workspace, &["run", "exchange", "x", flag, value], 2, &says);
        let belongs = format!("{flag} is an option of {whose};");
        refused(&workspace, &["run", "exchange", "x", flag, value], 2, &belongs);
    }
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let workspace = Workspace::new();
    for args in [
        &["--rounds", "1", "--max-rounds", "2"][..],
        &["--rounds", "1", "--min-rounds", "2"],
        &["--debater", "Ann", "--lineup", "file"],
        &["--out", "d", "--track", "."],
        &["--phase", "0"],
        &["--mode", "poem"],
        &["--strategy", "win"],
    ] {
        let ran = workspace.agon(&[&["run", "exchange", "x"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_line_up_needs_a_row_of_seats() {
    let workspace = Workspace::new();
    workspace.write("lineup.txt", "Ann: engineer\nBo: economist\n");
    for args in [["--debater", "Ann:engineer"], ["--lineup", "lineup.txt"]] {
        let says = format!("exchange takes no line-up ({})", args[0]);
        refused(&workspace, &["run", "exchange", "x", args[0], args[1]], 2, &says);
        refused(&workspace, &["run", "exchange", "x", args[0], args[1]], 2, "--seat NAME=MODEL");
    }
}

#[test]
fn a_person_needs_a_terminal() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let judge = ["run", "exchange", "x", "--model", &model, "--seat", "judge=human"];
    refused(&workspace, &judge, 2, "the seat judge is answered by a person, but this process has no terminal");
    refused(&workspace, &judge, 2, "--seat judge=MODEL");
    refused(&workspace, &["run", "exchange", "x", "--model", "human:me"], 8, "no provider");
    assert_eq!(workspace.json(&["list"]), serde_json::json!([]), "nothing was opened");
}

#[test]
fn what_a_person_would_do_can_be_planned() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let plan = workspace.json(&["run", "exchange", "x", "--model", &model, "--seat", "judge=human", "--plan"]);
    let models = plan["models"].as_array().unwrap();
    let human = models.iter().find(|part| part["model"] == "human").unwrap();
    assert_eq!(human["seats"], serde_json::json!(["judge"]));
    assert_eq!((&human["cost_microusd"], &human["leaves_machine_to"]), (&0.into(), &serde_json::Value::Null));
    // What is known of pairs of debates is known of models of providers.
    assert_eq!(plan["advice"], serde_json::Value::Null);
    let plan = workspace.json(&["run", "exchange", "x", "--model", "ollama:llama3.2", "--plan"]);
    assert!(plan["advice"].as_str().unwrap().contains("--mirror"), "{plan}");
}

#[test]
fn an_extension_beyond_the_rules_says_so() {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "0"]);
    let ran = workspace.agon(&["extend", "d1", "--rounds", "51"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("51 in all, and exchange allows at most 50"), "{}", ran.err);
}

#[test]
fn names_of_seats_may_be_replaced_when_a_debate_goes_on() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.debate(&["--rounds", "0"]);
    let ran = workspace.agon(&["resume", "d1", "--seat", &format!("jugde={model}")]);
    assert_eq!(ran.code, 8);
    assert!(ran.err.contains("did you mean judge"), "{}", ran.err);
}

#[test]
fn a_speaker_is_shown_with_a_label_for_every_field() {
    let workspace = Workspace::new();
    let ran = workspace.debate(&["--rounds", "0"]);
    assert!(ran.out.contains("▌PROPOSITION") && ran.out.contains("  Warrant: "), "{}", ran.out);
    assert!(!ran.out.contains("stance"), "{}", ran.out);
}

#[test]
fn help_tells_the_flags_of_protocols_apart() {
    let workspace = Workspace::new();
    let help = workspace.agon(&["run", "--help"]).out;
    for heading in
        ["Who takes part:", "How long:", "Options of some protocols:", "Budgets of the whole debate", "Examples:"]
    {
        assert!(help.contains(heading), "{heading}: {help}");
    }
}

#[test]
fn help_on_a_declared_protocol_leaves_out_the_options_of_others() {
    let workspace = Workspace::new();
    assert_eq!(workspace.agon(&["protocols", "new", "vote"]).code, 0);
    for name in ["vote", ".agon/protocols/vote.toml"] {
        let ran = workspace.agon(&["run", name, "--help"]);
        assert!(ran.out.contains(&format!("Usage: agon run {name} [OPTIONS] [MOTION]")), "{}", ran.out);
        assert!(ran.out.contains("--verify") && !ran.out.contains("--topic"), "{}", ran.out);
    }
    assert!(workspace.agon(&["run", "no-such-kind", "--help"]).out.contains("--topic"));
}
