//! What the files of a kept debate say of its sources: `examples/night-bus`, whose pages were all opened.

use agon_core::Record;
use agon_formats::record_jsonl;

use super::report::files;

fn record() -> Record {
    let kept = include_bytes!("../../../../examples/night-bus/record.jsonl");
    record_jsonl::read(kept).unwrap().0
}

fn file(record: &Record, path: &str) -> String {
    let files = agon_formats::find("chaired").unwrap().render(record);
    files.into_iter().find(|file| file.path == path).unwrap().content
}

#[test]
fn a_page_that_decides_neither_way_was_opened_all_the_same() {
    let report = files(&record()).1;
    assert!(!report.contains("not verified by anybody"), "{report}");
    let undecided = "9 of 28 sources cited were opened, and what stands there decides neither way.";
    assert!(report.contains(undecided), "{report}");
    let coverage = "28 of 28 sources cited were opened and compared; 9 of them decide neither way.";
    assert!(report.contains(coverage), "{report}");
}

#[test]
fn a_corrected_entry_points_to_its_correction() {
    let transcript = file(&record(), "transcript.md");
    let entry = transcript.split("### [seq 14]").nth(1).unwrap().split("\n---").next().unwrap();
    assert!(entry.contains("*Source corrected at seq 29*"), "{entry}");
    assert_eq!(transcript.matches("*Source corrected at").count(), 1);
    assert!(files(&record()).1.contains("| unreliable | Corrected in seq-29. "));
}

#[test]
fn the_claim_of_a_source_is_what_stands_before_its_address() {
    let report = file(&record(), "verifier-report.md");
    let row = |begin: &str| report.lines().find(|line| line.starts_with(begin)).unwrap().to_owned();
    let ridership = row("| 2 | http://lindenbrook.test/ridership |");
    assert!(ridership.contains("In 2023 it had carried 12,100.\" (http://"), "{ridership}");
    let budget = row("| 3 | http://lindenbrook.test/budget |");
    assert!(budget.contains("The remaining 69,000 euros"), "{budget}");
    assert!(!report.contains("| (http://"), "{report}");
}
