//! What seats look up before they answer: on the record, in the report, and nowhere outside the material.

use serde_json::{Value, json};

use crate::cli::{verify, workspace::Workspace};

const MOTION: &str = "This house would merge the change.";

/// A repository whose last change calls what another file defines.
fn repository() -> Workspace {
    let workspace = Workspace::new();
    workspace.git(&["init", "-q"]);
    workspace
        .write("src/tax.py", "def tax_rate(country):\n    \"\"\"In percent.\"\"\"\n    return {\"de\": 19}[country]\n");
    workspace.write(
        "src/key.py",
        "API = \"sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"  # tax_rate\n",
    );
    workspace.write("src/bill.py", "def total(net, country):\n    return net\n");
    workspace.git(&["add", "src"]);
    workspace.git(&["commit", "-qm", "first"]);
    workspace.write("src/bill.py", "def total(net, country):\n    return net * (1 + tax_rate(country))\n");
    workspace.write("notes.txt", "tax_rate is not committed\n");
    workspace.git(&["commit", "-qam", "second"]);
    workspace
}

/// A script in which the seat of `key` looks these things up before it answers.
fn looking(workspace: &Workspace, key: &str, lookups: &Value) -> String {
    let rules = json!({"rules": [{"key": key, "lookups": lookups, "sample": true}, {"key": "*", "sample": true}]});
    let path = workspace.write("looking.json", rules.to_string());
    format!("scripted:{}", path.display())
}

/// The lookups on the record `d/record.jsonl`, each with what it showed.
fn lookups(workspace: &Workspace) -> Vec<(Value, String)> {
    let record = workspace.read("d/record.jsonl");
    let lines: Vec<Value> = record.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let shown = |digest: &Value| {
        let line = lines.iter().find(|line| line["text"] == *digest).unwrap();
        line["content"].as_str().unwrap().to_owned()
    };
    let all = lines.iter().flat_map(|line| line["what"]["answered"]["lookups"].as_array().cloned().unwrap_or_default());
    all.map(|lookup| (lookup.clone(), shown(&lookup["result"]))).collect()
}

#[test]
fn what_is_looked_up_is_on_the_record_in_the_report_and_replays_without_the_material() {
    let workspace = repository();
    let wanted = json!([
        {"tool": "search", "words": "tax_rate"},
        {"tool": "read", "path": "../../../etc/passwd"},
        {"tool": "shell", "command": "ls"},
        {"tool": "open", "address": "https://example.org/"},
        {"tool": "read", "path": "src/tax.py", "first_line": 2},
    ]);
    let model = looking(&workspace, "*proposition*", &wanted);
    let run = ["run", "exchange", MOTION, "--rounds", "0", "--id", "d1", "--out", "d", "--model", &model];
    let ran = workspace.agon(&[&run[..], &["--context", "git:HEAD~1..HEAD"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let made = lookups(&workspace);
    let asked: Vec<(&Value, bool)> =
        made.iter().map(|(one, _)| (&one["asked"]["tool"], one["failed"] == true)).collect();
    assert_eq!(asked, [(&json!("search"), false), (&json!("read"), true), (&json!("read"), false)]);
    let (found, read) = (&made[0].1, &made[2].1);
    assert!(found.contains("src/tax.py:1-3") && found.contains("src/bill.py"), "{found}");
    assert!(
        !found.contains("sk-ant") && !found.contains("not committed"),
        "neither secrets nor what nobody pinned: {found}"
    );
    assert!(read.starts_with("<material>\nsrc/tax.py:2-3 of 3 lines\n2|     \"\"\"In percent.\"\"\"\n"), "{read}");
    let report = workspace.read("d/report.md");
    for told in ["## What was looked up", "3 lookups by 1 seat", "| search | tax_rate |", "src/tax.py:2"] {
        assert!(report.contains(told), "{told}: {report}");
    }
    assert!(
        report.contains("1 file; prompts showed"),
        "the files around a change are not those of the debate: {report}"
    );
    std::fs::remove_file(workspace.home().join("material.db")).unwrap();
    assert_eq!(workspace.agon(&["replay", "d1"]).code, 0);
    assert_eq!(workspace.agon(&["check", "d1"]).code, 0);
    // A changed result is found, in the file and in the journal.
    let record = workspace.read("d/record.jsonl");
    workspace.write("d/record.jsonl", record.replace("In percent", "In euros"));
    let checked = workspace.agon(&["check", "d"]);
    assert!(checked.code == 6 && checked.err.contains("the text was changed"), "{} {}", checked.code, checked.err);
    let journal = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    let changed = "UPDATE texts SET content = replace(content, 'In percent', 'In euros')";
    assert!(journal.execute(changed, []).unwrap() > 0);
    drop(journal);
    assert_eq!(workspace.agon(&["check", "d1"]).code, 6);
}

#[test]
fn what_cannot_be_looked_up_is_refused_before_anything_is_asked() {
    let workspace = repository();
    let model = workspace.willing();
    let run = ["run", "exchange", MOTION, "--rounds", "0", "--model", &model];
    for (more, why) in [
        (&["--lookups", "material"][..], "there is none"),
        (&["--lookups", "web", "--local-only"], "--local-only forbids it"),
        (&["--lookups", "web", "--offline"], "--offline forbids it"),
        (&["--lookups", "everything"], "material"),
    ] {
        let ran = workspace.agon(&[&run[..], more].concat());
        assert!(ran.code == 2 && ran.err.contains(why), "{more:?}: {} {}", ran.code, ran.err);
    }
    let plan =
        |more: &[&str]| workspace.agon(&[&run[..], &["--plan", "--context", "git:HEAD~1..HEAD"], more].concat()).out;
    let told = plan(&[]);
    assert!(
        told.contains("lookups: seats can search and read the material and the 1 file around the change"),
        "{told}"
    );
    assert!(plan(&["--lookups", "web"]).contains("leave this machine"), "{told}");
    assert!(!plan(&["--lookups", "off"]).contains("lookups:"));
}

#[test]
fn someone_at_an_outside_seat_looks_things_up_and_the_answer_carries_them() {
    let workspace = repository();
    let model = workspace.willing();
    let seats = ["--seat", "proposition=outside", "--seat", "reporter=outside", "--model", &model];
    let run = ["run", "exchange", MOTION, "--rounds", "0", "--id", "d1", "--out", "d", "--context", "git:HEAD~1..HEAD"];
    let mut driver = workspace.command(&[&run[..], &seats, &["--output", "json"]].concat()).spawn().unwrap();
    let look = |seat: &str, more: &[&str]| workspace.agon(&[&["lookup", "d1", "--seat", seat][..], more].concat());
    let began = std::time::Instant::now();
    while look("proposition", &["search", "tax_rate"]).code != 0 {
        assert!(began.elapsed().as_secs() < 60, "nobody is asked");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let read = look("proposition", &["read", "src/tax.py", "--first", "3"]);
    assert!(read.out.contains("3|     return {\"de\": 19}[country]"), "{}", read.out);
    let refused = look("reporter", &["search", "tax_rate"]);
    assert_ne!(refused.code, 0, "{}", refused.out);
    let refused = look("proposition", &["open", "https://example.test/"]);
    assert!(refused.code != 0 && refused.err.contains("it has search, read"), "{}{}", refused.out, refused.err);
    let prompt = workspace.agon(&["seats", "d1", "--seat", "proposition", "-v"]).out;
    let plain = workspace.agon(&["seats", "d1", "--seat", "proposition"]).out;
    assert!(plain.contains("agon lookup d1 --seat proposition with `search WORDS`"), "{plain}");
    assert!(prompt.contains("`read PATH`") && !prompt.contains("`open ADDRESS`"), "{prompt}");
    for _ in 0..6 {
        look("proposition", &["search", "absent"]);
    }
    assert!(look("proposition", &["search", "tax_rate"]).out.contains("Nothing more can be looked up"));
    let template = workspace.agon(&["seats", "d1", "--seat", "proposition", "--template"]);
    assert_eq!(template.code, 0);
    let argument = |n: u32| {
        json!({"title": format!("Point {n}"), "claim": format!("Claim {n} about rates."),
        "grounds": [], "warrant": format!("Warrant {n} carries it."), "attacks": [], "defends": []})
    };
    let answer = json!({"arguments": [argument(1), argument(2), argument(3)]}).to_string();
    let said = workspace.agon(&["answer", "d1", "--seat", "proposition", "--name", "Ada", "--text", &answer]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let record = workspace.agon(&["export", "d1", "--format", "record", "--out", "d"]);
    assert_eq!(record.code, 0, "{}", record.err);
    let made = lookups(&workspace);
    assert_eq!(made.len(), 8, "{made:?}");
    assert_eq!(made[1].0["asked"], json!({"tool": "read", "path": "src/tax.py", "first": 3}));
    driver.kill().unwrap();
    driver.wait().unwrap();
}

#[test]
fn an_answer_that_was_killed_between_its_lookups_begins_again_and_counts_what_it_took() {
    let workspace = repository();
    let rules = json!({"rules": [
        {"key": "*proposition*", "lookups": [{"tool": "search", "words": "tax_rate"}, {"tool": "read", "path": "src/tax.py"}],
            "delay_ms": 700, "sample": true},
        {"key": "*", "sample": true},
    ]});
    let path = workspace.write("slow.json", rules.to_string());
    let model = format!("scripted:{}", path.display());
    let run = ["run", "exchange", MOTION, "--rounds", "0", "--id", "d1", "--out", "d", "--model", &model];
    let mut driver = workspace.command(&[&run[..], &["--context", "git:HEAD~1..HEAD"]].concat()).spawn().unwrap();
    let count_calls = |of: &str| {
        let journal = rusqlite::Connection::open(workspace.home().join("journal.db")).ok()?;
        let sql = format!("SELECT count(*) FROM calls WHERE key LIKE '%proposition%' AND {of}");
        journal.query_row(&sql, [], |row| row.get::<_, u32>(0)).ok()
    };
    let turns = || count_calls("state = 'failed' AND counted = 0");
    let began = std::time::Instant::now();
    while turns() != Some(1) {
        assert!(began.elapsed().as_secs() < 60 && turns() != Some(2), "{:?}", turns());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    driver.kill().unwrap();
    driver.wait().unwrap();
    // The turn that was settled and, where it had begun, the one that the kill came into.
    let begun = count_calls("true").unwrap();
    let resumed = workspace.agon(&["resume", "d1"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    let made = lookups(&workspace);
    let tools: Vec<&str> = made.iter().map(|(one, _)| one["asked"]["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["search", "read"]);
    let record = workspace.read("d/record.jsonl");
    let lines = record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answer = lines.map(|line| line["what"]["answered"].clone()).find(|one| one["lookups"].is_array()).unwrap();
    assert_eq!(answer["usage"]["requests"], begun + 3, "{answer}");
    assert_eq!(workspace.agon(&["check", "d1"]).code, 0);
}

#[test]
fn what_a_seat_quotes_is_compared_with_the_page_that_it_opened_however_it_changes_afterwards() {
    let (site, workspace) = (verify::site(), verify::workspace());
    // The page says 5,400 when it is asked for first, and 6,600 from then on.
    let page = format!("{}/changing", site.base.replace("localhost", "127.0.0.1"));
    let said =
        "In 2021 the harbour of Norvik handled 5,400 ships, more than in any year before, which shows that it works.";
    let opened = json!([{"tool": "open", "address": page}]);
    let script = json!({"rules": [
        {"key": "opening/debater-1", "lookups": opened, "reply": verify::opening(said, &page)},
        {"key": "*", "sample": true},
    ]});
    workspace.write("script.json", script.to_string());
    verify::harbour(&workspace, &["--lookups", "web", "--verify", "on"]);
    assert_eq!(site.asked.lock().unwrap().iter().filter(|path| *path == "/changing").count(), 1);
    let (_, shown) = &lookups(&workspace)[0];
    assert!(shown.contains("5,400 ships"), "{shown}");
    let record = workspace.read("d/record.jsonl");
    assert!(record.contains(r#"\"status\":\"verified\""#) && !record.contains(r#"\"status\":\"fabricated\""#));
}
