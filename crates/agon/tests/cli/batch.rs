//! Many debates out of a file.

use serde_json::{Value, json};

use crate::room::Room;

fn results(out: &str) -> (Vec<Value>, Value) {
    let mut lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.pop().unwrap();
    lines.sort_by_key(|line| line["line"].as_u64());
    (lines, last)
}

/// A judge that scores by the letters of ids, whatever they mean.
fn by_letter(first: f64) -> String {
    let scores: Vec<Value> = ["a_000a", "a_000b", "a_000c", "b_000a", "b_000b", "b_000c"]
        .iter()
        .map(|id| json!({"argument_id": id, "reasoning": "It is so.", "score": if id.starts_with('a') { first } else { -first }}))
        .collect();
    json!({"rules": [{"key": "*judgment*", "reply": {"scores": scores}}, {"key": "*", "sample": true}]})
        .to_string()
}

#[test]
fn every_line_has_its_own_code_and_the_batch_says_whether_all_went_well() {
    let room = Room::new();
    let model = room.willing();
    let line = |more: Value| {
        let mut line =
            json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "rounds": 0});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    room.write(
        "good.jsonl",
        [line(json!({"id": "a"})), String::new(), line(json!({"id": "b", "judges": 3}))].join("\n"),
    );
    let ran = room.agon(&["batch", "good.jsonl", "--concurrency", "2", "--output", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let (lines, last) = results(&ran.out);
    assert_eq!(lines.iter().map(|line| line["line"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(
        (&lines[1]["id"], &lines[1]["code"], &lines[1]["outcome"]["name"]),
        (&json!("b"), &json!(0), &json!("even"))
    );
    assert_eq!((&last["event"], &last["closed_well"]), (&json!("batch"), &json!(2)));
    assert_eq!(room.json(&["check", "b"])["sound"], true);

    room.write("silent.json", r#"{"rules": [{"key": "*", "fail": "refused"}]}"#);
    let bad = [
        line(json!({"id": "c"})),
        "{".into(),
        line(json!({"id": "a"})),
        line(json!({"id": "e", "model": "scripted:silent.json"})),
        line(json!({"protocol": "exchagne"})),
    ];
    room.write("bad.jsonl", bad.join("\n"));
    let ran = room.agon(&["batch", "bad.jsonl", "--output", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let codes: Vec<u64> = results(&ran.out).0.iter().map(|line| line["code"].as_u64().unwrap()).collect();
    assert_eq!(codes, [0, 2, 5, 9, 8]);
    let ran = room.agon(&["batch", "bad.jsonl"]);
    assert!(ran.out.contains("line 2: no debate: not a JSON object"), "{}", ran.out);
    assert_eq!(room.agon(&["batch", "none.jsonl"]).code, 7);
}

#[test]
fn three_copies_of_one_judge_have_one_effective_vote() {
    let room = Room::new();
    for (n, first) in [0.1, 0.3, -0.2, 0.2].into_iter().enumerate() {
        room.write(&format!("judge-{n}.json"), by_letter(first));
    }
    // Each debate has another line of scores, the same for all three judges.
    let lines: Vec<String> = (0..4)
        .map(|n| {
            json!({"protocol": "exchange", "motion": "This house would rest.", "model": room.willing(), "rounds": 0,
                   "orders": "both", "seats": {"judge": format!("scripted:judge-{n}.json")}, "judges": 3, "id": format!("d{n}")})
            .to_string()
        })
        .collect();
    room.write("flip.jsonl", lines.join("\n"));
    let ran = room.agon(&["batch", "flip.jsonl", "--output", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let agreement = results(&ran.out).1["agreement"].clone();
    assert_eq!((&agreement["effective_votes"], &agreement["judges"]), (&json!(1.0), &json!(3)));
    // They score by the letter alone, so that every vote flips.
    assert_eq!((&agreement["flip_rate"], &agreement["flips"]), (&json!(1.0), &json!(12)));
    let one = room.write("one.jsonl", lines[0].replace("d0", "d9"));
    let ran = room.agon(&["batch", one.to_str().unwrap()]);
    assert!(ran.out.contains("effective votes: not computable from one debate"), "{}", ran.out);
}
