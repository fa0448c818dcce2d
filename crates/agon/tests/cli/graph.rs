//! The argument graph and the report on the command line.

use serde_json::json;

use crate::room::Room;

#[test]
fn a_debate_s_graph_is_had_in_every_language_and_without_what_was_said() {
    let room = Room::new();
    assert_eq!(room.debate(&[]).code, 0);
    let mermaid = room.agon(&["graph", "d1", "--format", "mermaid"]);
    assert_eq!((mermaid.code, mermaid.out), (0, room.read("d/argument-graph.mmd")), "byte for byte");
    for (language, begins) in
        [("dot", "digraph \"d1\" {"), ("argdown", "===\ntitle: "), ("aif", "{\n"), ("json", "{\n")]
    {
        let ran = room.agon(&["graph", "d1", "--format", language]);
        assert!(ran.code == 0 && ran.out.starts_with(begins), "{language}: {}", ran.out);
    }
    let people = room.agon(&["graph", "d1"]).out;
    assert!(people.contains("prop_000a") && people.contains("statements"), "{people}");
    let struck = || room.json(&["graph", "d1", "--without", "prop_000a", "--without", "opp_000b"]);
    let once = struck();
    assert_eq!(once["without"], json!(["prop_000a", "opp_000b"]));
    assert_eq!(once, struck(), "the same every time");
    let whole = room.json(&["graph", "d1"]);
    let seq = whole["statements"][0]["seq"].to_string();
    let turn = room.json(&["graph", "d1", "--without", &seq]);
    assert_eq!(turn["without"].as_array().unwrap().len(), 3, "all that was said in that entry");
}

#[test]
fn what_a_graph_cannot_mean_is_refused() {
    let room = Room::new();
    assert_eq!(room.debate(&[]).code, 0);
    let ran = room.agon(&["graph", "d1", "--format", "mermade"]);
    assert!(ran.code == 2 && ran.err.contains("did you mean mermaid?"), "{}", ran.err);
    let ran = room.agon(&["graph", "d1", "--without", "prop_999"]);
    assert!(ran.code == 8 && ran.err.contains("prop_000a"), "{}", ran.err);
}

#[test]
fn every_debate_leaves_its_report_and_replay_compares_it() {
    let room = Room::new();
    assert_eq!(room.debate(&[]).code, 0);
    let page = room.read("d/report.html");
    assert!(page.contains("What did not work") && page.contains("<svg"), "{page}");
    assert_eq!(room.json(&["replay", "d1"])["files_different"], json!([]));
    assert_eq!(room.agon(&["export", "d1", "--format", "report", "--out", "again"]).code, 0);
    assert_eq!(room.read("again/report.html"), page);
    std::fs::write(room.work().join("d/report.html"), "edited").unwrap();
    let replay = room.agon(&["replay", "d1"]);
    assert!(replay.code == 6 && replay.out.contains("report.html is missing, was changed"), "{}", replay.out);
}
