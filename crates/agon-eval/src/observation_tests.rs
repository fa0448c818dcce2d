//! Observations are read back as they were written, and each fault is named.

use serde_json::{Value, json};

use super::*;
use crate::published::PublishedReader;

fn whole() -> Value {
    json!({
        "item": "i", "cluster": "c", "arm": "debate", "repetition": 1, "gold": "x", "choices": ["x", "y"],
        "state": "answered", "answer": "x", "probabilities": [0.75, 0.25], "initial": "y", "critic": "x",
        "votes": [{"judge": "j", "family": "f", "answer": "x", "margin": 1.5, "first_shown": "y", "flip": false,
                   "probabilities": [1.0, 0.0]}],
        "sides": [{"choice": "x", "model": "m", "family": "f"}, {"choice": "y"}],
        "mirror": {"debate": 0, "mirror": null}, "verified_quote": true,
        "usage": {"calls": 3, "input_tokens": 10, "cached_tokens": 4, "output_tokens": 5, "money": 0.5, "seconds": 2.0},
        "models": ["m"], "seed": 7, "debate": "d", "record_hash": "h", "item_digest": "a", "prompt_digest": "b"
    })
}

fn read(text: &str) -> Vec<Result<Observation, String>> {
    PublishedReader::new(text.as_bytes()).map(|read| read.map_err(|error| error.to_string())).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let observation = read(&whole().to_string()).remove(0).unwrap();
    let written = serde_json::to_value(&observation).unwrap();
    assert_eq!(written, whole());
    let least = r#"{"item":"i","arm":"a","state":{"failed":{"reason":"down"}}}"#;
    let observation = read(least).remove(0).unwrap();
    assert_eq!(observation.state, ObservationState::Failed { reason: "down".into() });
    assert_eq!(observation.usage.money, None, "unknown money is not 0");
}

#[test]
fn each_fault_is_named_with_its_line() {
    let cases = [
        ("/item", json!(""), "item"),
        ("/arm", json!("a\nb"), "arm"),
        ("/choices", json!(["x", "x"]), "different"),
        ("/choices", json!(["x"]), "at least two"),
        ("/gold", json!("z"), "gold answer"),
        ("/answer", json!("z"), "not among the choices"),
        ("/initial", json!("z"), "initial"),
        ("/critic", json!("z"), "critic"),
        ("/votes/0/answer", json!("z"), "vote"),
        ("/votes/0/first_shown", json!("z"), "first_shown"),
        ("/sides/0/choice", json!("z"), "side"),
        ("/probabilities", json!([1.0]), "one probability for each choice"),
        ("/probabilities", json!([1.5, -0.5]), "from 0 to 1"),
        ("/probabilities", json!([0.5, 0.4]), "sum to 0.900"),
        ("/votes/0/probabilities", json!([0.5, 0.6]), "of a vote sum to 1.100"),
        ("/mirror/debate", json!(2), "side 2"),
        ("/usage/money", json!(-1.0), "money"),
        ("/usage/seconds", json!(-1.0), "seconds"),
        ("/usage/cached_tokens", json!(11), "cached_tokens"),
        ("/state", json!("asleep"), "unknown variant"),
    ];
    for (place, value, what) in cases {
        let mut wrong = whole();
        *wrong.pointer_mut(place).unwrap() = value;
        let found = read(&format!("{wrong}\n{}\n", whole()));
        let error = found[0].as_ref().expect_err(place);
        assert!(error.starts_with("line 1: ") && error.contains(what), "{place}: {error}");
        assert!(found[1].is_ok(), "the next line is read");
    }
}

#[test]
fn a_misspelt_key_is_not_passed_over() {
    let mut wrong = whole();
    wrong["probabilites"] = json!([0.5, 0.5]);
    assert!(read(&wrong.to_string())[0].as_ref().unwrap_err().contains("unknown field `probabilites`"));
}

#[test]
fn probabilities_may_be_rounded() {
    let mut rounded = whole();
    rounded["choices"] = json!(["x", "y", "z"]);
    rounded["probabilities"] = json!([0.33, 0.33, 0.33]);
    rounded["votes"] = json!([]);
    assert!(read(&rounded.to_string())[0].is_ok());
}

#[test]
fn no_answer_is_not_right_and_without_gold_nothing_is() {
    let mut observation = read(&whole().to_string()).remove(0).unwrap();
    assert_eq!(observation.is_right(), Some(true));
    observation.answer = None;
    assert_eq!(observation.is_right(), Some(false));
    observation.gold = None;
    assert_eq!(observation.is_right(), None);
}
