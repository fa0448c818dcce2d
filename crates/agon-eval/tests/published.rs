//! Published debates over stories (Michael et al. 2023), imported and reported: accuracy of judges by arm, with bounds.
//! They are not part of this repository; without AGON_TEST_NYU_DEBATES=FOLDER the test says so and passes. FOLDER holds
//! `debates.jsonl`, one debate on each line: name, human, debate, article_id, question, answers, correct, turns.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // Helpers are part of the tests.
// The crate has neither environment nor disk; data of others needs both.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use agon_eval::{
    published::PublishedReader,
    report::{
        EvaluationReport,
        builder::{ReportBuilder, ReportOptions},
        text::render_text,
    },
};
use serde_json::{Value, json};

/// Judgments of the judge, from the first to the last.
fn judged(debate: &Value) -> Vec<Vec<f64>> {
    let turns = debate["turns"].as_array().unwrap().iter();
    let judging = turns.filter(|turn| turn["role"] == "Judge" && turn["distribution"].is_array());
    judging.map(|turn| serde_json::from_value(turn["distribution"].clone()).unwrap()).collect()
}

fn arm(debate: &Value) -> String {
    let who = if debate["human"].as_bool().unwrap() { "people" } else { "models" };
    let how = if debate["debate"].as_bool().unwrap() { "debate" } else { "consultancy" };
    format!("{how} of {who}")
}

/// A line that the importer reads. Choices are sorted: the same question occurs with both orders of its answers.
fn line(debate: &Value) -> Value {
    let answers: Vec<String> = serde_json::from_value(debate["answers"].clone()).unwrap();
    let mut order: Vec<usize> = (0..answers.len()).collect();
    order.sort_by_key(|at| &answers[*at]);
    let last = judged(debate).pop().unwrap();
    let judge = debate["roles"]["Judge"].as_str().unwrap();
    let debaters = ["Debater A", "Debater B"].into_iter().zip(&answers);
    let sides: Vec<Value> = debaters
        .filter(|(seat, _)| debate["roles"].get(*seat).is_some())
        .map(|(_, answer)| json!({ "choice": answer }))
        .collect();
    let question: String = debate["question"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let id = format!("{}: {}", debate["article_id"].as_str().unwrap(), question.chars().take(60).collect::<String>());
    json!({ "debate": {
        "id": debate["name"], "item": id, "cluster": debate["article_id"], "arm": arm(debate),
        "choices": order.iter().map(|at| &answers[*at]).collect::<Vec<_>>(),
        "gold": answers[debate["correct"].as_u64().unwrap() as usize],
        "sides": sides,
        "judgments": [{
            "judge": judge,
            "probabilities": order.iter().map(|at| last[*at]).collect::<Vec<_>>(),
        }],
    }})
}

fn report(lines: &str) -> EvaluationReport {
    let mut builder = ReportBuilder::new(ReportOptions {
        title: "Debates over stories, by people and models".into(),
        ..ReportOptions::default()
    });
    for observation in PublishedReader::new(lines.as_bytes()) {
        builder.add_observation(&observation.unwrap()).unwrap();
    }
    builder.build_report()
}

#[test]
fn accuracy_of_judges_by_arm_is_that_of_the_published_debates() {
    let Some(folder) = std::env::var_os("AGON_TEST_NYU_DEBATES") else {
        println!("skipped: AGON_TEST_NYU_DEBATES names no folder with the published debates");
        return;
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join("debates.jsonl")).unwrap();
    let debates: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Counted here without the importer, for comparison: right if the right answer has the larger probability.
    let mut counted: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for debate in &debates {
        let last = judged(debate).pop().unwrap();
        let count = counted.entry(arm(debate)).or_default();
        count.0 += u64::from(last[debate["correct"].as_u64().unwrap() as usize] > 0.5);
        count.1 += 1;
    }
    let lines: String = debates.iter().map(|debate| format!("{}\n", line(debate))).collect();
    let found = report(&lines);
    println!("{}", render_text(&found));
    for arm in &found.arms {
        assert_eq!((arm.accuracy.all.hits, arm.accuracy.all.n), counted[&arm.name], "{}", arm.name);
        assert_eq!(arm.probabilities.n, arm.accuracy.all.n);
    }
    // Both of each kind together, as the paper counts them.
    let merged = lines.replace(" of people", "").replace(" of models", "");
    let merged = report(&merged);
    println!("{}", render_text(&merged));
}
