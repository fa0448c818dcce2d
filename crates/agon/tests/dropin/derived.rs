//! What in a folder follows from its arguments and scores is right after an import, whatever was there.

use serde_json::json;

use crate::dropin::{
    import::{comes_back, exported, find_file, golden, import, lay, run_on, warnings},
    workspace::Workspace,
};

fn sound(workspace: &Workspace) {
    for verb in ["check", "replay"] {
        assert_eq!(workspace.agon(&[verb, "d"]).code, 0, "{verb}");
    }
}

#[test]
fn a_graph_that_is_absent_is_drawn() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let graph = workspace.read("there/argument-graph.mmd");
    std::fs::remove_file(workspace.work().join("there/argument-graph.mmd")).unwrap();
    let report = import(&workspace, "exchange", &[]);
    assert!(!warnings(&report).contains("argument-graph"), "what is absent says nothing wrong");
    let drawn = workspace.read("d/argument-graph.mmd");
    assert_eq!(drawn.lines().count(), graph.lines().count(), "{drawn}");
    for (name, text) in workspace.files("there") {
        assert_eq!(workspace.read(&format!("d/{name}")), text, "the rest comes back: {name}");
    }
    sound(&workspace);
}

#[test]
fn a_stale_graph_is_named_and_drawn_anew() {
    for stale in ["stale\n", "graph TD\n\n    prop_000a[\"x\"]\n"] {
        let workspace = Workspace::new();
        lay(&workspace, &golden("exchange"));
        workspace.write("there/argument-graph.mmd", stale);
        let said = warnings(&import(&workspace, "exchange", &[]));
        assert!(said.contains("argument-graph.mmd: it is not the graph of arguments and scores: line 1 is"), "{said}");
        let drawn = workspace.read("d/argument-graph.mmd");
        assert!(drawn.starts_with("---\nconfig:") && drawn.contains("    prop_001["), "{drawn}");
        let checked = workspace.agon(&["check", "d"]);
        assert!(
            checked.code == 0 && checked.out.contains("imported: argument-graph.mmd: it is not"),
            "{}",
            checked.out
        );
        assert!(workspace.read("d/record.jsonl").contains(stale.trim_end().lines().next().unwrap()), "it is kept");
        sound(&workspace);
    }
}

#[test]
fn a_graph_with_an_old_score_is_stale_and_one_with_other_line_ends_is_not() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let graph = workspace.read("there/argument-graph.mmd");
    workspace.write("there/argument-graph.mmd", graph.replace('\n', "\r\n"));
    assert!(!warnings(&import(&workspace, "exchange", &[])).contains("argument-graph"));
    comes_back(&workspace, "exchange");
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let at = graph.find("⭐ ").unwrap() + "⭐ ".len();
    let end = at + graph[at..].find('"').unwrap();
    workspace.write("there/argument-graph.mmd", format!("{}9.99{}", &graph[..at], &graph[end..]));
    let said = warnings(&import(&workspace, "exchange", &[]));
    assert!(said.contains("argument-graph.mmd: it is not the graph") && said.contains("9.99"), "{said}");
    assert!(!workspace.read("d/argument-graph.mmd").contains("9.99"));
}

#[test]
fn totals_and_current_scores_are_summed_anew() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let state = workspace.read("there/debate.md");
    let total = state.split("\"total\": ").nth(1).unwrap().split([',', '\n']).next().unwrap().to_owned();
    workspace.write("there/debate.md", state.replacen(&format!("\"total\": {total}"), "\"total\": 7.77", 1));
    let said = warnings(&import(&workspace, "exchange", &[]));
    assert!(said.contains("debate.md: cumulative_scores are not the sums of scores.json: 7.77 ("), "{said}");
    assert_eq!(workspace.read("d/debate.md"), state, "the right total, and all else as it was");
    assert!(workspace.agon(&["check", "d"]).out.contains("imported: debate.md: cumulative_scores"));
    assert!(workspace.read("d/record.jsonl").contains("7.77"), "the record keeps what stood there");
    let back = exported(&workspace, "exchange", "back");
    assert!(!find_file(&back, "debate.md").contains("7.77"));
    run_on(&workspace, &["extend", "d", "--rounds", "1"]);
    assert!(!find_file(&exported(&workspace, "exchange", "after"), "debate.md").contains("7.77"));

    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let scores = workspace.read("there/scores.json");
    let (head, rest) = scores.split_once("\"current_score\": ").unwrap();
    let (_, tail) = rest.split_once(',').unwrap();
    workspace.write("there/scores.json", format!("{head}\"current_score\": 0.999,{tail}"));
    let said = warnings(&import(&workspace, "exchange", &[]));
    assert!(said.contains("scores.json: current_score of ") && said.contains("is 0.999, but the last score"), "{said}");
    assert!(!said.contains("cumulative_scores"), "the totals were those of the history: {said}");
    assert_eq!(workspace.read("d/scores.json"), scores);
}

#[test]
fn a_debate_is_called_as_its_folder_was() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    import(&workspace, "exchange", &[]);
    let ran = workspace.agon(&["extend", "d", "--rounds", "1"]);
    assert!(ran.out.contains("Completed 3 exchanges for 'rest'"), "{}", ran.out);
    assert!(ran.out.contains("`agon extend d --rounds X`") && !ran.out.contains("Generate report"), "{}", ran.out);
    let report = workspace.read("d/report.md");
    for noise in ["was assigned", "imported) spoke", "answered instead"] {
        assert!(!report.contains(noise), "{noise}: {report}");
    }
}

#[test]
fn the_state_file_stands_for_its_folder() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let model = workspace.willing();
    let line = ["import", "exchange", "there/debate.md", "--id", "d", "--out", "d", "--model", &model];
    assert_eq!(workspace.json(&line)["outcome"], "proposition_ahead");
    assert!(workspace.work().join("d/arguments/prop_001.md").is_file());
}

#[test]
fn times_that_are_none_are_named() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let scores = workspace.read("there/scores.json");
    let (head, rest) = scores.split_once("\"scored_at\": \"").unwrap();
    workspace
        .write("there/scores.json", format!("{head}\"scored_at\": \"yesterday{}", &rest[rest.find('"').unwrap()..]));
    let said = warnings(&import(&workspace, "exchange", &[]));
    assert!(said.contains("is \"yesterday\", which is not a time"), "{said}");
    comes_back(&workspace, "exchange");
}

#[test]
fn a_folder_is_checked_as_it_stands() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let before = workspace.agon(&["check", "there"]);
    assert!(before.code == 0 && before.out.contains("there: 0 findings"), "{}", before.out);
    workspace.write("there/argument-graph.mmd", "stale\n");
    let found = workspace.agon(&["check", "there"]);
    assert_eq!(found.code, 6, "{}", found.out);
    assert!(
        found.out.contains("now  argument-graph.mmd: it is not the graph of arguments and scores"),
        "{}",
        found.out
    );
}

#[test]
fn strict_takes_nothing_where_there_is_anything_to_warn_of() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("exchange"));
    let model = workspace.willing();
    let line = ["import", "exchange", "there", "--id", "d", "--out", "d", "--model", &model];
    let ran = workspace.agon(&[&line[..], &["--strict"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (6, ""), "{}", ran.err);
    assert!(ran.err.contains("--strict allows none") && ran.err.contains("\"opp_999\""), "{}", ran.err);
    assert_eq!(workspace.json(&["list"]), json!([]));
    assert!(!workspace.work().join("d").exists());
    // Without it warnings are no part of the result.
    let ran = workspace.agon(&line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("\"opp_999\"") && !ran.out.contains("opp_999"), "{}\n{}", ran.out, ran.err);

    let workspace = Workspace::new();
    let log = r#"{"seq":0,"timestamp":"2026-02-21T15:15:43Z","phase":"system","speaker":"chair","type":"setup","content":"Topic: Rest?","sources":null}"#;
    workspace.write("sound.jsonl", format!("{log}\n"));
    let config = r#"{"topic": "Rest?", "debaters": [{"name": "ann"}, {"name": "bo"}]}"#;
    workspace.write("debate-config.json", config);
    let model = workspace.willing();
    let ran = workspace.agon(&["import", "chaired", "sound.jsonl", "--strict", "--model", &model]);
    assert!(ran.code == 6 || ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn who_is_not_in_the_line_up_is_named_and_never_asked() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("chaired"));
    let log = workspace.read("there/debate-log.jsonl");
    let whole: Vec<&str> = log.lines().take(7).collect();
    let time = "2026-01-01T00:00:00Z";
    let intruder = format!(
        "{{\"seq\":7,\"timestamp\":\"{time}\",\"phase\":\"closing\",\"speaker\":\"intruder\",\"type\":\"closing_statement\",\"content\":\"I close this.\",\"sources\":null}}"
    );
    workspace.write("there/debate-log.jsonl", format!("{}\n{intruder}\n", whole.join("\n")));
    for name in ["metadata.json", "transcript.md", "summary.md"] {
        std::fs::remove_file(workspace.work().join("there").join(name)).unwrap();
    }
    let report = import(&workspace, "chaired", &[]);
    let said = warnings(&report);
    assert!(
        said.contains("\"intruder\" is not in the line-up (reader, keeper); seq 7 by it stays in the log"),
        "{said}"
    );
    assert!(said.contains("L3 seq 7: intruder is not in the line-up"), "{said}");
    assert_eq!(report["open"], json!(["round-001/debater-2"]), "its words move nothing on");
    let seats = workspace.json(&["show", "d"]).to_string();
    assert!(!seats.contains("\"intruder\""), "{seats}");
    comes_back(&workspace, "chaired");
    run_on(&workspace, &["resume", "d"]);
    let record = workspace.read("d/record.jsonl");
    let asked = record.lines().filter(|line| line.contains("\"asked\"")).filter(|line| line.contains("debater-3"));
    assert_eq!(asked.count(), 0);
    let log = workspace.read("d/debate-log.jsonl");
    assert_eq!(log.matches("\"speaker\":\"intruder\"").count(), 1, "{log}");
}

#[test]
fn a_log_by_itself_is_read_with_the_files_beside_it() {
    let workspace = Workspace::new();
    lay(&workspace, &golden("chaired"));
    let model = workspace.willing();
    let log = workspace.read("there/debate-log.jsonl");
    workspace.write("there/debate-log.jsonl", log.replacen("\"timestamp\":\"2", "\"timestamp\":\"yesterday 2", 1));
    let line = ["import", "chaired", "there/debate-log.jsonl", "--id", "d", "--out", "d", "--model", &model];
    let report = workspace.json(&line);
    let said = warnings(&report);
    assert!(said.contains("metadata.json: total_entries is 13"), "{said}");
    assert!(said.contains("L2 seq 0: \"yesterday 2"), "{said}");
    let shown = workspace.json(&["show", "d"]);
    assert!(shown.to_string().contains("Should the library open on Sundays?"), "{shown}");
    sound(&workspace);
}
