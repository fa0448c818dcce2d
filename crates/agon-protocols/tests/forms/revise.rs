//! What authors and reviewers are asked for, and what is refused.

use agon_core::Faults;
use agon_protocols::revise::{
    concessions,
    critique::{self, Critique, Severity},
    joint_findings::{self, Unified},
    revision::{self, Revision},
    settings::ReviseMode,
    synthesis::{Synthesis, SynthesisNote, SynthesisRequirements},
};
use serde_json::{Value, json};

use super::{compare, outcomes};

const DOCUMENT: &str = "# Notes\n\n## Costs\n\nWriting takes a quarter of an hour for each decision that is made.";

fn wanted(mode: ReviseMode, critiques: &[&str], open: &[&str]) -> SynthesisRequirements {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    SynthesisRequirements {
        mode,
        phase: 1,
        critiques: texts(critiques),
        weaknesses: critiques.iter().map(|critique| format!("{critique} W1")).collect(),
        open: texts(open),
        shared: Vec::new(),
    }
}

#[test]
fn revise_schemas_stay_as_they_are() {
    let places = |places: &[&str]| places.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>();
    let wanted = |critiques: &[&str], open: &[&str]| wanted(ReviseMode::Draft, critiques, open).synthesis_form(false);
    let many: Vec<String> = (1..15).map(|n| format!("Point number {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let schemas = [
        ("critique", critique::critique_form(places(&["Costs", "Open questions"]), &[])),
        ("critique after another", critique::critique_form(places(&["Costs"]), &[1, 4])),
        ("critique of nothing", critique::critique_form(Vec::new(), &[])),
        ("critique of none", critique::critique_form(places(&["Costs", "none"]), &[])),
        ("revision of nothing", revision::revision_form(0, false)),
        ("revision", revision::revision_form(3, true)),
        ("synthesis without a debate", wanted(&[], &[])),
        ("synthesis", wanted(&["a.md", "b.md"], &[])),
        ("synthesis of open points", wanted(&["a.md"], &["Order", "order.", "Cost"])),
        ("synthesis of many points", wanted(&["a.md"], &many)),
        ("unified", joint_findings::unified_form(&places(&["a-F1", "b-F1"]))),
        ("concessions", concessions::pairs_form([2, 1])),
        ("unified of nothing", joint_findings::unified_form(&[])),
    ];
    let found: String = schemas.iter().map(|(name, form)| format!("# {name}\n{}\n", form.to_schema())).collect();
    compare("revise_schemas", &found);
}

/// A reading with the faults that it stands in spite of.
fn standing<T>(read: Result<(T, Faults), Faults>, taken: impl Fn(T) -> Value) -> Result<Value, Faults> {
    read.and_then(|(found, faults)| faults.into_result(taken(found)))
}

fn note(note: &SynthesisNote) -> Value {
    json!([note.point, note.why])
}

#[test]
fn revise_faults_stay_as_they_are() {
    let mut found = String::new();
    let critique = json!({
        "strengths": ["It is short."],
        "weaknesses": [
            {"place": "Costs", "problem": "Reading is not counted.", "severity": "HIGH"},
            {"place": "none", "problem": "None.", "severity": "LOW"},
        ],
        "disagreements": [{"point": "Order", "reason": "Questions come first.", "severity": "LOW"}],
        "concessions": ["The costs are right."],
    });
    let critiqued = |it: Critique| {
        let weaknesses: Vec<Value> =
            it.weaknesses.iter().map(|w| json!([w.severity.name(), w.place, w.problem])).collect();
        let disagreements: Vec<Value> =
            it.disagreements.iter().map(|d| json!([d.severity.name(), d.point, d.reason])).collect();
        json!([it.strengths, weaknesses, disagreements, it.concessions, it.repeated])
    };
    found += &outcomes("critique", &critique, true, |text| standing(Critique::parse_with_faults(text), critiqued));
    let revision = json!({
        "points": [
            {"weakness": "W1", "answer": "addressed", "words": "Reading is counted now."},
            {"weakness": "w2", "answer": "defended", "words": "Nobody reads it."},
        ],
        "document": DOCUMENT,
    });
    let revised = |it: Revision| {
        let points: Vec<Value> = it.points.iter().map(|p| json!([p.weakness, p.defended, p.words])).collect();
        json!([points, it.document])
    };
    for weaknesses in [2, 0] {
        let title = format!("revision of {weaknesses}");
        found += &outcomes(&title, &revision, weaknesses == 2, |text| {
            standing(Revision::parse_with_faults(text, weaknesses, DOCUMENT), revised)
        });
    }
    let synthesis = json!({
        "merged": ["Both have the same costs."],
        "adopted": [{"point": "Reading is counted.", "critique": "a.md"}],
        "overruled": [{"point": "The order.", "reason": "It was fine."}],
        "unresolved": [{"point": "Who reads.", "tie_break": "Whoever asks."}],
        "document": DOCUMENT,
    });
    let joined = |it: Synthesis| {
        let notes =
            [&it.adopted, &it.overruled, &it.unresolved].map(|notes| notes.iter().map(note).collect::<Vec<_>>());
        json!([it.merged, notes, it.document])
    };
    for (mode, shown) in [(ReviseMode::Draft, true), (ReviseMode::Plan, false)] {
        let wanted = wanted(mode, &["a.md"], &["Order"]);
        found += &outcomes("synthesis", &synthesis, shown, |text| standing(wanted.parse_synthesis(text), joined));
    }
    let unified = json!({
        "summary": "Both find the same hole.",
        "findings": [{"from": ["a-F1", "b-F1"], "dimension": "security", "place": "src/a.rs:12",
                      "problem": "It is wrong.", "fix": "Mend it.", "severity": "medium"}],
        "rejected": [{"finding": "a-F2", "reason": "It is right."}],
    });
    let listed = |it: Unified| {
        let findings: Vec<Value> = it
            .findings
            .iter()
            .map(|f| json!([Severity::name_or_unread(f.severity), f.dimension, f.place, f.problem, f.fix, f.from]))
            .collect();
        let rejected: Vec<Value> = it.rejected.iter().map(|left| json!([left.finding, left.reason])).collect();
        json!([it.summary, findings, rejected])
    };
    found += &outcomes("unified", &unified, true, |text| standing(Unified::parse_with_faults(text), listed));
    compare("revise_faults", &found);
}
