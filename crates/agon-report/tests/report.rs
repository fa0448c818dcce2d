//! The report and the completion report of the exchange.
#![allow(clippy::unwrap_used)]

use crate::common;

use agon_core::{Event, Stamp};
use agon_report::exchange::completion;
use common::{debate, debate_with, failed, file, paths, said};
use serde_json::Value;

#[test]
fn the_report_has_the_format_s_headings_and_no_dashes() {
    let report = file(&debate(1), "README.md");
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        [
            "# Ink or Memory",
            "## The Question",
            "## The Clash",
            "## Turning Points",
            "## The Verdict",
            "## Argument Graph"
        ]
    );
    assert!(!report.contains(['\u{2013}', '\u{2014}']));
    assert!(!report.contains("argument-graph.png"), "no image is made, so none is shown");
}

#[test]
fn totals_strongest_and_weakest_are_computed_and_come_before_the_prose() {
    let report = file(&debate(1), "README.md");
    let (_, verdict) = report.split_once("## The Verdict\n\n").unwrap();
    let computed = "**Final score: proposition +0.325 (4 arguments), opposition -0.475 (4 arguments).** The proposition is ahead.\n\nStrongest argument: prop_000a (+0.45), Memory Fades, Ink Stays. Weakest argument: opp_000c (-0.45), Records Chill Candour.\n\nMeasurement carried the day";
    assert!(verdict.starts_with(computed), "{verdict}");
}

#[test]
fn a_report_redrafted_is_the_redraft() {
    let better = || common::canned("report-001").unwrap();
    let record = debate_with(0, |key| match key {
        "report-001" => Some(said("I would rather not.")),
        "report-001/redraft-1" => Some(said(better())),
        _ => None,
    });
    let report = file(&record, "README.md");
    assert!(report.starts_with("# Ink or Memory\n"), "{report}");
    assert!(report.contains("- 1 answer had to be requested again: reporter 1."));
}

#[test]
fn without_a_reporter_the_report_says_so_first_and_holds_what_can_be_computed() {
    let record = debate_with(1, |key| key.starts_with("report").then(|| failed("declined")));
    let report = file(&record, "README.md");
    let first = format!("# {}\n\nThe reporter gave no report (declined). What follows is computed", common::MOTION);
    assert!(report.starts_with(&first), "{report}");
    insta::assert_snapshot!("README-without-reporter", report);
}

#[test]
fn without_a_verdict_the_report_says_so_first_and_names_no_winner() {
    let record = debate_with(1, |key| key.starts_with("exchange-001/judgment").then(|| failed("filtered")));
    assert!(record.closing_outcome().is_some());
    let report = file(&record, "README.md");
    let first = format!(
        "# {}\n\nNo verdict: in the exchange 1 no usable answer came from the judge (filtered).",
        common::MOTION
    );
    assert!(report.starts_with(&first), "{report}");
    assert!(!report.contains("ahead") && !report.contains("won") && !report.contains("Final score"));
    assert!(report.contains("There is no verdict. Scores so far: proposition +0.60 (3 arguments)"));
    insta::assert_snapshot!("README-without-verdict", report);
}

#[test]
fn an_earlier_report_is_not_told_as_that_of_a_debate_without_verdict() {
    let mut record = debate(0);
    let more = agon_core::Extension { rounds: 1, ..Default::default() };
    record.append_event(Stamp("2026-02-01T00:00:00.000Z".into()), Event::Extended { limits: more }).unwrap();
    assert!(!paths(&record).contains(&"README.md".into()), "an extended debate is not over");
}

#[test]
fn the_completion_report_names_totals_warnings_and_next_steps() {
    let mut wordy = common::canned("exchange-001/proposition").unwrap();
    wordy["arguments"][0]["extra"] = Value::Bool(true);
    let record = debate_with(1, |key| (key == "exchange-001/proposition").then(|| said(&wordy)));
    insta::assert_snapshot!("completion", completion::render_completion(&record));
    assert!(completion::render_completion(&debate(0)).starts_with("✓ Completed 1 exchanges for 'this-house-would-write-its-decisions-down'\n\n**Current Scores** (zero-sum tug-of-war):\n- Proposition: 0.6 (3 arguments)\n"));
}

#[test]
fn a_debate_is_called_by_its_slug_and_run_on_by_its_id() {
    let record = debate(0);
    let state: Value = serde_json::from_str(file(&record, "debate.md").split("\n\n").next().unwrap()).unwrap();
    assert_eq!(state["debate_id"], "this-house-would-write-its-decisions-down");
    assert!(completion::render_completion(&record).contains("`agon extend sample --rounds X`"));
    let mut opened = common::opened(0);
    opened.options.insert(agon_report::slug::OPTION.into(), "another-2".into());
    let answer = |request: &agon_core::Request| common::canned(request.key.as_str()).map(said);
    let record = common::Play { opened, answer: &answer, reversed: false }.record();
    assert!(completion::render_completion(&record).contains("for 'another-2'"), "as its folder is called");
}

#[test]
fn a_closed_debate_is_not_told_to_make_the_report_that_it_has() {
    let over = completion::render_completion(&debate(0));
    assert!(over.contains("Read the report: README.md") && !over.contains("Generate report"), "{over}");
}

#[test]
fn a_void_debate_ends_without_a_tick() {
    let record = debate_with(1, |key| key.starts_with("exchange-001/judgment").then(|| failed("filtered")));
    let report = completion::render_completion(&record);
    assert!(report.starts_with("No verdict: "), "{report}");
    assert!(!report.contains('✓') && !report.contains("Completed"), "{report}");
    assert!(report.contains("✗ Stopped after 1 complete exchanges"), "{report}");
    assert!(report.contains("Ask again who is missing: `agon extend sample --rounds X`"), "{report}");
}

#[test]
fn the_report_shows_the_graph_of_its_own_file() {
    let record = debate(1);
    let graph = file(&record, "argument-graph.mmd");
    let readme = file(&record, "README.md");
    assert!(readme.ends_with(&format!("\n## Argument Graph\n\n```mermaid\n{graph}```\n")), "{readme}");
    let drawn = agon_report::find_format("report").unwrap().render_files(&record);
    let report = &drawn.iter().find(|file| file.path == "report.md").unwrap().content;
    assert!(report.contains(&format!("\n```mermaid\n{graph}```\n")), "{report}");
}
