//! A model that reads beside the verifier.

use super::*;

#[test]
fn a_model_reads_beside_and_changes_nothing() {
    let (site, workspace) = (site(), workspace());
    workspace.write("text.md", format!("They say \"the harbour of Norvik handled 4,500 ships\" ({0}/harbour).\n\nTimber matters to the harbour ({0}/harbour).\n", site.base));
    for (sentence, wanted) in [
        (
            "In 2021 the harbour of Norvik handled 5,400 ships, and 62 per cent of them carried timber.",
            json!("supports"),
        ),
        ("Timber is what this harbour lives on above everything.", Value::Null),
    ] {
        let says = json!({"readings": [{"number": 1, "choice": "supports", "quote": sentence}]});
        workspace.write("reader.json", json!({"rules": [{"key": "*", "reply": says}]}).to_string());
        let report = workspace.json(&["verify", "text.md", "--reader", "scripted:reader.json"]);
        let standings: Vec<String> = codes(&report).into_iter().map(|(standing, _)| standing).collect();
        assert_eq!(standings, ["unreliable", "unverified"]);
        assert_eq!(report["sources"][0].get("reading"), None, "what is wrong is not read for");
        assert_eq!(report["sources"][1]["reading"]["verdict"], wanted);
    }
}

#[test]
fn who_looks_is_said_once() {
    let workspace = workspace();
    let model = workspace.willing();
    let run = ["run", "chaired", "Why?", "--debater", "Ann", "--debater", "Bo", "--model", &model];
    for (more, says) in [
        (&["--verify", "on", "--offline"][..], "--offline"),
        (&["--seat", "chair=fetched"], "cannot answer for the seat"),
    ] {
        let ran = workspace.agon(&[&run, more].concat());
        assert!(ran.code == 2 && ran.err.contains(says), "{more:?}: {}", ran.err);
    }
    let ran = workspace.agon(&[&run[..], &["--verify", "off", "--reader", &model]].concat());
    assert!(ran.code == 2 && ran.err.contains("--reader"), "{}", ran.err);
    for (more, option, model) in [
        (&[][..], Some("fetched"), "fetched"),
        (&["--verify", "off"], Some("off"), model.as_str()),
        (&["--offline"], None, model.as_str()),
        (&["--seat", "verifier=scripted:willing.json"], Some("fetched"), "fetched"),
    ] {
        let id = format!("d{}", more.len() + usize::from(more.contains(&"--seat")) * 10);
        let out = format!("out-{id}");
        let ran = workspace.agon(&[&run, more, &["--rounds", "1", "--id", &id, "--out", &out, "--yes"]].concat());
        assert!([0, 9].contains(&ran.code), "{}", ran.err);
        let opened = workspace.json(&["show", &id])["opened"].clone();
        assert_eq!(opened["options"]["verify"].as_str(), option, "{more:?}");
        let sat = opened["lineup"].as_array().unwrap().iter().find(|sat| sat["seat"] == "verifier").unwrap().clone();
        assert_eq!(sat["model"], *model, "{more:?}");
        let reads = opened["lineup"].as_array().unwrap().iter().any(|sat| sat["seat"] == "reader");
        assert_eq!(reads, more.contains(&"--seat"), "a model at the verifier's seat reads what was opened: {more:?}");
    }
}
