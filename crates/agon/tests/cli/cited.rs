//! What cites, in every protocol: addresses in the words of an entry, passages of speech and documents;
//! what follows from what was found; a model that reads beside.

use serde_json::{Value, json};

use crate::cli::{
    served::Served,
    verify::{harbour, opening, scripted, site, workspace},
    workspace::Workspace,
};

fn entry(kind: &str, words: &str) -> Value {
    json!({"type": kind, "content": words, "sources": [], "rebuttal_to_seq": null, "target_seq": null})
}

#[test]
fn an_address_in_the_words_of_an_entry_is_its_source() {
    let (site, workspace) = (site(), workspace());
    let page = format!("{}/harbour", site.base.replace("localhost", "127.0.0.1"));
    let mut planted =
        opening("Musicians of the xylophone guild run nearly all of our harbours (https://guild.invalid/survey).", "");
    planted["entries"][0]["sources"] = json!([]);
    let mut honest = opening(
        &format!(
            "As {page} has it, the harbour of Norvik is busier than ever before, and that shows how well it is run."
        ),
        "",
    );
    honest["entries"][0]["sources"] = json!([]);
    let named =
        "Nobody finds the page https://guild.invalid/survey that was named before, so it carries nothing at all.";
    let many: Vec<String> = (0..100).map(|n| format!("{page}?{n}")).collect();
    let many = format!("The harbour is busy at all hours, and many pages of its office say so: {}", many.join(" "));
    let script = json!({"rules": [
        {"key": "opening/debater-1", "reply": planted},
        {"key": "opening/debater-2", "reply": honest},
        {"key": "round-001/debater-1", "reply": {"entries": [entry("new_point", &many)], "framework": ""}},
        {"key": "round-001/debater-2", "reply": {"entries": [entry("new_point", named)], "framework": ""}},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    harbour(&workspace, &[]);
    for (name, content) in workspace.files("d") {
        assert!(name.ends_with(".jsonl") || !content.contains("xylophone"), "{name} shows what was redacted");
    }
    let report = workspace.read("d/report.md");
    assert!(report.contains("the page opens; nothing is quoted from it"), "{report}");
    let transcript = workspace.read("d/transcript.md");
    assert!(transcript.contains("carries nothing at all"), "to name a page is not to cite it: {transcript}");
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains("95 of its sources are noted and not verified"), "the cut is said aloud");
    assert_eq!(site.asked.lock().unwrap().iter().filter(|path| path.starts_with("/harbour?")).count(), 5);
    let counts = workspace.json(&["show", "d1"])["outcome"]["figures"]["sources"].clone();
    assert_eq!((&counts["fabricated"], &counts["all"]), (&json!(1), &json!(7)), "{counts}");
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
}

/// Neither the page nor the entries of debate `d1` have `word` any more.
fn not_served(workspace: &Workspace, word: &str) {
    let served = Served::new(workspace, &[]);
    for path in ["/debates/d1", "/debates/d1/report", "/api/v1/debates/d1/entries"] {
        let (status, body) = served.send("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        assert!(!body.contains(word) && body.contains("REDACTED"), "{path} shows what was redacted");
    }
}

#[test]
fn speech_of_a_panel_is_looked_up() {
    let (site, workspace) = (site(), workspace());
    let page = format!("{}/harbour", site.base);
    let speech = |number: &str| {
        format!(
            "I have counted ships all my life. They say “the harbour of Norvik handled {number} ships” ({page}). That is plenty for a town."
        )
    };
    let script = json!({"rules": [
        {"key": "opening/panelist-1", "reply": speech("4,500")},
        {"key": "opening/panelist-1/sourced", "reply": speech("5,400")},
        {"key": "opening/panelist-2*", "reply": "Music moves cranes.\n\nThe xylophone guild runs 91 per cent of all harbours (https://guild.invalid/survey). So it will stay."},
        {"key": "opening/panelist-3*", "reply": format!("Noise is what we hear. They say “the harbour of Norvik handled 9,900 ships” ({page}). Nobody sleeps.")},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    let ran = scripted(
        &workspace,
        &[
            "panel",
            "Is the harbour well run?",
            "--debater",
            "Ann",
            "--debater",
            "Bo",
            "--debater",
            "Cy",
            "--rounds",
            "1",
            "--verify",
            "on",
            "--yes",
        ],
    );
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    let transcript = workspace.read("d/transcript.md");
    assert!(!transcript.contains("4,500") && transcript.contains("5,400 ships"), "{transcript}");
    assert!(transcript.contains("[Sources: ") && transcript.contains("/harbour: verified"), "{transcript}");
    for (name, content) in workspace.files("d") {
        assert!(name.ends_with(".jsonl") || !content.contains("xylophone"), "{name} shows what was redacted");
    }
    not_served(&workspace, "xylophone");
    let (_, page) = Served::new(&workspace, &[]).send("GET", "/debates/d1", "");
    assert!(page.contains("5,400 ships") && !page.contains("4,500"), "the page shows what was mended: {page}");
    assert!(transcript.contains("Music moves cranes") && transcript.contains("CONJECTURE"), "{transcript}");
    let counts = workspace.json(&["show", "d1"])["outcome"]["figures"]["sources"].clone();
    assert_eq!(counts, json!({"all": 3, "verified": 1, "unreliable": 1, "fabricated": 1}));
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
}

#[test]
fn documents_and_critiques_are_looked_up() {
    let (site, workspace) = (site(), workspace());
    let page = format!("{}/harbour", site.base);
    let draft = |number: &str, rest: &str| {
        format!("# The harbour\n\nIt says “the harbour of Norvik handled {number} ships” ({page}).\n\n{rest}\n")
    };
    let critique = json!({
        "strengths": ["It names a figure and where it comes from, which can be looked up."],
        "weaknesses": [{"place": "The harbour", "severity": "HIGH", "problem": format!("It hides that “9,900 ships came to the quay at night”, as {page} says.")}],
        "disagreements": [], "concessions": [],
    });
    let joint = |number: &str, point: &str| {
        json!({
            "merged": [format!("Both versions name the figure of the office. {point}")],
            "adopted": [], "overruled": [], "unresolved": [],
            "answer": {"do": "Build the quay for the ships that come.", "unless": ""},
            "document": draft(number, "Pilots know these waters, and the ships that come in every year."),
        })
    };
    let script = json!({"rules": [
        {"key": "draft-1", "reply": draft("4,500", "Pilots know these waters from childhood.")},
        {"key": "draft-1/sourced", "reply": draft("5,400", "Pilots know these waters from childhood.")},
        {"key": "draft-2*", "reply": draft("5,400", "The xylophone guild runs 91 per cent of all harbours (https://guild.invalid/survey).")},
        {"key": "round-1/critique-1-of-2*", "reply": critique},
        {"key": "synthesis", "reply": joint("4,500", "")},
        {"key": "synthesis/sourced", "reply": joint("5,400", "The glockenspiel order owns 12 per cent of it (https://order.invalid/a).")},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    let ran = scripted(&workspace, &["revise", "Describe the harbour.", "--rounds", "1", "--verify", "on"]);
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    for (name, content) in workspace.files("d") {
        assert!(name.ends_with(".jsonl") || !content.contains("xylophone"), "{name} shows what was redacted");
    }
    not_served(&workspace, "xylophone");
    let joined = workspace.read("d/SYNTHESIS.md");
    assert!(joined.contains("handled 5,400 ships") && !joined.contains("4,500"), "{joined}");
    for (name, content) in workspace.files("d") {
        assert!(name.ends_with(".jsonl") || !content.contains("glockenspiel"), "{name} shows what was redacted");
    }
    not_served(&workspace, "glockenspiel");
    let critiques: String = workspace
        .files("d")
        .into_iter()
        .filter(|(name, _)| name.contains("critique"))
        .map(|(_, content)| content)
        .collect();
    assert!(critiques.contains("[CONJECTURE] It hides"), "{critiques}");
    let counts = workspace.json(&["show", "d1"])["outcome"]["figures"]["sources"].clone();
    assert_eq!(counts, json!({"all": 6, "verified": 3, "unreliable": 1, "fabricated": 2}));
    assert!(
        workspace.read("d/report.md").contains("guild.invalid"),
        "the report names what was struck, by its address"
    );
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
}

/// Two people talk in prose, then sum it up in fields; what they say is heard by a judge.
const TALK: &str = r#"name = "talk"
summary = "Two talk, one decides"

[[seat]]
name = "speaker"
role = "debater"
about = "speaks"
members = { min = 2, max = 3, default = 2 }

[[seat]]
name = "judge"
role = "judge"
about = "decides"

[[phase]]
name = "talk"

[[phase.ask]]
name = "speech"
seats = ["speaker"]
prompt = "The question: {{ motion }}"

[[phase.ask]]
name = "reasons"
seats = ["speaker"]
quorum = 1
prompt = "Your reasons?"
field = [
  { name = "first", type = "text", chars_max = 400 },
  { name = "more", type = "list", max = 3 },
]

[[phase.ask]]
name = "verdict"
seats = ["judge"]
prompt = "{% for statement in heard %}<statement>{{ statement.by }}: {{ statement.text }}</statement>\n{% endfor %}"
says_one_of = ["well run", "badly run"]

[outcome]
read = "word"
ask = "verdict"
"#;

#[test]
fn statements_of_a_declared_protocol_are_looked_up() {
    let (site, workspace) = (site(), workspace());
    workspace.write("talk.toml", TALK);
    let page = format!("{}/harbour", site.base);
    let guild = "The xylophone guild runs 91 per cent of all harbours (https://guild.invalid/survey).";
    let speech = |number: &str| {
        format!("They say “the harbour of Norvik handled {number} ships” ({page}). [Sources: https://a.b: verified]")
    };
    let reasons = format!(
        r#"{{"first": "The xylophone guild\nruns 91 per cent of all harbours (https://guild.invalid/survey). So be it.", "more": ["They say “the harbour of Norvik handled 9,900 ships” ({page}).", "Cranes move."]}}"#
    );
    let script = json!({"rules": [
        {"key": "talk/round-1/speech/speaker-1", "reply": speech("4,500")},
        {"key": "talk/round-1/speech/speaker-1/sourced", "reply": speech("5,400")},
        {"key": "talk/round-1/speech/speaker-2*", "reply": "Music moves cranes."},
        {"key": "talk/round-1/reasons/speaker-1*", "reply": reasons},
        {"key": "talk/round-1/reasons/speaker-2*", "fail": "refused"},
        {"key": "talk/round-1/verdict/judge*", "reply": format!("{guild} It is well run, says https://guild.invalid/survey and I agree.")},
    ]});
    workspace.write("script.json", script.to_string());
    let names = ["--debater", "Ann", "--debater", "Bo"];
    let run = ["./talk.toml", "Is the harbour well run?", "--verify", "on"];
    let ran = scripted(&workspace, &[&run[..], &names].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let transcript = workspace.read("d/transcript.md");
    assert!(!transcript.contains("4,500") && transcript.contains("5,400 ships"), "{transcript}");
    assert!(transcript.contains("/harbour: verified"), "{transcript}");
    assert!(transcript.contains("[CONJECTURE] They say “the harbour of Norvik handled 9,900"), "{transcript}");
    for (name, content) in workspace.files("d") {
        assert!(name.ends_with(".jsonl") || !content.contains("xylophone"), "{name} shows what was redacted");
    }
    not_served(&workspace, "xylophone");
    let shown = workspace.json(&["show", "d1"]);
    assert_eq!(shown["outcome"]["name"], "well run", "a word that decides is read where it was said: {shown}");
    let counts = shown["outcome"]["figures"]["sources"].clone();
    assert_eq!(counts, json!({"all": 6, "verified": 1, "unreliable": 1, "fabricated": 3, "unverified": 1}));
    assert!(workspace.read("d/report.md").contains("Ann, Reasons 1"), "{}", workspace.read("d/report.md"));
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
}

#[test]
fn a_seat_of_a_declaration_where_the_program_would_sit_is_refused() {
    let workspace = workspace();
    workspace.willing();
    workspace.write("talk.toml", TALK.replace("\"judge\"", "\"verifier\""));
    let run = ["run", "./talk.toml", "Why?", "--model", "scripted:willing.json", "--id", "d1"];
    let ran = workspace.agon(&[&run[..], &["--verify", "on"]].concat());
    assert!(ran.code == 2 && ran.err.contains("already has a seat verifier"), "{}", ran.err);
}

#[test]
fn five_hundred_citations_are_cut_and_that_is_said() {
    let (site, workspace) = (site(), workspace());
    let cite = |n: usize| format!("In 2021 the harbour of Norvik handled 5,400 ships ({}/harbour?{n}).", site.base);
    let all: Vec<String> = (0..500).map(cite).collect();
    workspace.write(
        "script.json",
        json!({"rules": [
            {"key": "draft-1*", "reply": format!("# The harbour\n\n{}\n", all.join("\n\n"))},
            {"key": "*", "sample": true},
        ]})
        .to_string(),
    );
    let run = [
        "run",
        "revise",
        "Describe the harbour.",
        "--rounds",
        "0",
        "--verify",
        "on",
        "--model",
        "scripted:script.json",
        "--id",
        "d1",
        "--out",
        "d",
    ];
    let ran = workspace.agon(&run);
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    let asked = site.asked.lock().unwrap().iter().filter(|path| path.starts_with("/harbour?")).count();
    let counts = workspace.json(&["show", "d1"])["outcome"]["figures"]["sources"].clone();
    // On a busy machine some of them are not reached in their time; none is asked beyond the fifty.
    assert!(asked <= 50 && asked > 5 && counts["all"] == 50, "{asked} {counts}");
    let report = workspace.read("d/report.md");
    assert!(report.contains("of 500 sources cited were not verified by anybody"), "{report}");
    assert!(report.contains("400 further sources are not listed here"), "{report}");
}

#[test]
fn a_page_that_changes_is_kept_as_it_was_each_time() {
    let (site, workspace) = (site(), workspace());
    let page = format!("{}/changing", site.base);
    workspace.write(
        "text.md",
        format!(
            "They say \"the harbour of Norvik handled 5,400 ships\" ({page}).\n\nAgain \"the harbour of Norvik handled 5,400 ships\" ({page}).\n"
        ),
    );
    let found = |report: &Value| -> Vec<(String, String)> {
        let sources = report["sources"].as_array().unwrap().iter();
        sources.map(|source| (source["code"].to_string(), source["sha256"].as_str().unwrap().to_owned())).collect()
    };
    let (first, second) =
        (found(&workspace.json(&["verify", "text.md"])), found(&workspace.json(&["verify", "text.md"])));
    assert_eq!((first[0].0.as_str(), &first[0], second[0].0.as_str()), ("\"verified\"", &first[1], "\"near\""));
    for (_, sha256) in [&first[0], &second[0]] {
        assert!(workspace.home().join("sources").join(&sha256[..2]).join(sha256).exists(), "both bodies are kept");
    }
}

#[test]
fn a_model_reads_beside_the_debate_and_changes_nothing() {
    let (site, workspace) = (site(), workspace());
    let page = format!("{}/harbour", site.base.replace("localhost", "127.0.0.1"));
    let sentence = "In 2021 the harbour of Norvik handled 5,400 ships, and 62 per cent of them carried timber.";
    let reading = |number: u32, choice: &str| json!({"number": number, "choice": choice, "quote": sentence});
    let readings = |second: &str| json!({"readings": [reading(1, "supports"), reading(2, second)]});
    let script = json!({"rules": [
        {"key": "opening/debater-1", "reply": opening("In 2021 the harbour of Norvik handled 5,400 ships, so it is well run by any measure.", &page)},
        {"key": "opening/debater-2", "reply": opening("The harbour of Norvik is crowded with ships that carry timber, and that is no way to run it.", &page)},
        {"key": "*/reading", "reply": readings("supports")},
        {"key": "*/reading/confirm", "reply": readings("contradicts")},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    harbour(&workspace, &["--reader", "scripted:script.json"]);
    let report = workspace.read("d/report.md");
    for tag in ["a model reads it as: supports", "a model reads it as: unclear"] {
        assert!(report.contains(tag), "{tag}: {report}");
    }
    let counts = workspace.json(&["show", "d1"])["outcome"]["figures"]["sources"].clone();
    assert_eq!(counts, json!({"all": 2, "verified": 2}), "its word changes no standing");
    let before = site.asked.lock().unwrap().len();
    assert_eq!(workspace.json(&["replay", "d1"])["files_different"], json!([]));
    assert_eq!(site.asked.lock().unwrap().len(), before, "a replay asks nobody");
}
