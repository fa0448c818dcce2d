//! The verbs on the folder of an open debate of agon's own: they answer what it asks.

use serde_json::{Value, json};

use crate::dropin::{
    exchange::{argument, judgment, side},
    workspace::{Ran, Workspace},
};

const SEATS: [&str; 6] = ["--seat", "proposition=outside", "--seat", "opposition=outside", "--seat", "judge=outside"];

/// An open debate `d` with its files in `rest`.
fn open() -> Workspace {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let nothing = "{\"total\": 0, \"count\": 0}";
    let totals =
        format!("\"cumulative_scores\": {{\"proposition\": {nothing}, \"opposition\": {nothing}}},\n  \"mine\"");
    workspace.write("there/debate.md", crate::dropin::exchange::DEBATE.replace("\"mine\"", &totals));
    let line = ["import", "exchange", "there", "--id", "d", "--out", "rest", "--model", &model];
    let report = workspace.json(&[&line[..], &SEATS].concat());
    assert_eq!(report["open"], json!(["exchange-000/proposition", "exchange-000/opposition"]));
    workspace
}

fn argue(workspace: &Workspace, prop: &str, opp: &str) -> Ran {
    crate::dropin::exchange::process_exchange(workspace, "0", prop, opp, &[])
}

const FOR: [&str; 3] = ["Rest restores attention", "Mistakes come of haste", "Neighbours meet outside"];
const AGAINST: [&str; 3] = ["Work feeds families", "Monday is soon enough", "Idle machines cost money"];

/// Arguments that do not repeat each other.
fn distinct(titles: &[&str]) -> String {
    let each = titles.iter().map(|title| {
        let mut one = argument(title);
        one["grounds"][0]["content"] = json!(format!("Whoever looks at how {title} sees it again and again."));
        one["grounds"][0]["relevance"] = json!(format!("It shows that {title} bears on the motion."));
        one["warrant"] = json!(format!("What shows as often as that {title} is no accident at all."));
        one
    });
    Value::from(each.collect::<Vec<_>>()).to_string()
}

#[test]
fn debate_ops_answers_both_sides_and_the_judge_of_an_open_debate() {
    let workspace = open();
    let ran = argue(&workspace, &distinct(&FOR), &side(&["One alone"]));
    assert!(ran.code == 1 && ran.err.contains("S1") && ran.err.contains("opposition"), "{}", ran.err);
    let seats = workspace.agon(&["show", "d"]).out;
    assert!(!seats.contains("restores"), "neither side is on record before both are valid: {seats}");

    let ran = argue(&workspace, &distinct(&FOR), &distinct(&AGAINST));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["argument_id"]["opposition"], json!(["opp_000a", "opp_000b", "opp_000c"]));
    assert!(workspace.read("rest/arguments/prop_000a.md").contains("Rest restores attention"));
    assert!(workspace.read("rest/debate.md").contains("awaiting_judgment"));
    let again = argue(&workspace, &distinct(&FOR), &distinct(&AGAINST));
    assert_eq!((again.code, again.out), (0, ran.out), "the same call gives the same answer");

    let scores = [0.3, 0.2, -0.1, -0.2, -0.1, -0.1];
    let ids = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"];
    let given: Vec<(&str, f64)> = ids.into_iter().zip(scores).collect();
    let twice = judgment(&[&given[..], &given[..1]].concat()).to_string().replacen("0.3", "0.0", 1);
    let ran = crate::dropin::exchange::process_judge(&workspace, &twice, &[]);
    assert!(ran.code == 1 && ran.out.contains("scored twice"), "{}{}", ran.out, ran.err);
    let ran = crate::dropin::exchange::process_judge(&workspace, &judgment(&given).to_string(), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(workspace.read("rest/scores.json").contains("\"opp_000c\""));
    assert_eq!(workspace.agon(&["check", "d"]).code, 0);
    let done = workspace.agon(&["resume", "d", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let late = crate::dropin::exchange::process_judge(&workspace, &judgment(&given[..2]).to_string(), &[]);
    assert!(late.code == 1 && late.err.contains("closed"), "{}", late.err);
}

#[test]
fn write_log_answers_for_a_debater_of_an_open_debate() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dropin/golden/chaired/debate-log.jsonl");
    let log: String = std::fs::read_to_string(golden).unwrap().lines().take(6).map(|l| format!("{l}\n")).collect();
    workspace.write("log.jsonl", log);
    let line =
        ["import", "chaired", "log.jsonl", "--id", "d", "--out", "out", "--model", &model, "--seat", "debater=outside"];
    assert_eq!(workspace.json(&line)["open"], json!(["round-001/debater-1"]));
    workspace.write("say.txt", "[CONJECTURE] People who study at home would come, for they have no quiet table there.");
    let write = |speaker: &str, kind: &str| {
        let mut command = workspace.command(&["write-log", "rebuttal", speaker, kind, "say.txt"]);
        let output = command.env("DEBATE_OUTPUT_DIR", "out").output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let chair = write("chair", "ruling");
    assert!(chair.0 == 1 && chair.2.contains("agon answer"), "{}", chair.2);
    let wrong = write("keeper", "conjecture");
    assert!(wrong.0 == 1 && wrong.2.contains("the next request is for debater-1"), "{}", wrong.2);
    let (code, number, error) = write("reader", "conjecture");
    assert_eq!((code, number.trim(), error.as_str()), (0, "6", ""));
    assert!(workspace.read("out/debate-log.jsonl").contains("{\"seq\":6,"));
    assert_eq!(workspace.agon(&["check", "d"]).code, 0);
}
