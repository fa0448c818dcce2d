//! The rules of the files' format, one test each, and their readers.

use agon_protocols::revise::critique::{CriticDisagreement, Critique, Severity, Weakness};
use agon_report::revise::{
    critique::CritiqueFile,
    log::{Log, LogRound, LoggedDebate},
    revision::RevisionFile,
};
use proptest::prelude::*;

const CRITIQUE: &str = "## Critique of Codex Plan (Round 2)

### Strengths
- The store comes first (P1-T01).

### Weaknesses
- [HIGH] P1-T02: nothing says what an empty search gives.
- src/store.rs:12 is said to exist, and does not.

### Disagreements
- [LOW] Order: the summary reads better first.
- Index: a full scan takes 3 s, measured.

### Concessions
- (none)
";

fn rules(text: &str, round: Option<u32>) -> Vec<String> {
    let faults = CritiqueFile::parse(text, round).err().unwrap_or_default();
    faults.0.into_iter().map(|fault| fault.rule).collect()
}

#[test]
fn a_critique_is_read_and_a_missing_severity_is_medium() {
    let file = CritiqueFile::parse(CRITIQUE, Some(2)).unwrap();
    assert_eq!((file.source.as_str(), file.round), ("Codex Plan", 2));
    let severities: Vec<Severity> = file.critique.weaknesses.iter().map(|weakness| weakness.severity).collect();
    assert_eq!(severities, [Severity::High, Severity::Medium]);
    assert_eq!(file.critique.weaknesses[0].place, "P1-T02");
    assert_eq!(file.critique.disagreements[1].severity, Severity::Medium);
    assert_eq!(file.critique.concessions, Vec::<String>::new());
}

#[test]
fn c1_the_title_s_round_matches_the_file() {
    assert_eq!(rules(CRITIQUE, Some(1)), ["C1"]);
    assert_eq!(rules(&CRITIQUE.replace("(Round 2)", ""), None), ["C1"]);
}

#[test]
fn c2_four_sections_once_each_in_order() {
    assert_eq!(rules(&CRITIQUE.replace("### Weaknesses", "### Flaws"), None), ["C2"]);
    assert_eq!(rules(&CRITIQUE.replace("### Concessions\n- (none)\n", ""), None), ["C2"]);
    assert_eq!(rules(&format!("{CRITIQUE}\n### Strengths\n"), None), ["C2"]);
    let swapped = CRITIQUE
        .replace("### Strengths", "### X")
        .replace("### Concessions", "### Strengths")
        .replace("### X", "### Concessions");
    assert_eq!(rules(&swapped, None), ["C2"]);
}

#[test]
fn c2_a_missing_section_of_weaknesses_is_no_empty_one() {
    let (before, rest) = CRITIQUE.split_once("### Weaknesses").unwrap();
    let (_, after) = rest.split_once("### Disagreements").unwrap();
    assert_eq!(rules(&format!("{before}### Disagreements{after}"), None), ["C2"]);
}

#[test]
fn c3_every_weakness_names_a_place() {
    assert_eq!(rules(&CRITIQUE.replace("src/store.rs:12 is said", "A file is said"), None), ["C3"]);
}

#[test]
fn c4_a_disagreement_has_a_colon_and_a_reason() {
    assert_eq!(rules(&CRITIQUE.replace("Index: a full", "Index a full"), None), ["C4"]);
    assert_eq!(rules(&CRITIQUE.replace("- Index: a full scan takes 3 s, measured.", "- Index:"), None), ["C4"]);
}

#[test]
fn all_faults_of_a_critique_are_found_at_once() {
    let text =
        CRITIQUE.replace("src/store.rs:12", "It").replace("Index: a", "Index a").replace("### Strengths", "### Praise");
    assert_eq!(rules(&text, Some(7)), ["C1", "C2", "C3", "C4"]);
}

#[test]
fn an_empty_section_has_no_bullets_and_a_lone_none_is_empty() {
    for none in ["- None", "- (none)", "None", ""] {
        let text = CRITIQUE.replace("- (none)", none);
        assert!(CritiqueFile::parse(&text, None).unwrap().critique.concessions.is_empty(), "{none}");
    }
}

const REVISION: &str = "<!-- Revision v3: Addressed critique points [1, 3]. Defended: [2]. -->
### Defense
The order is on purpose.

# Plan

Text.
";

fn revision_rules(text: &str, version: Option<u32>) -> Vec<String> {
    RevisionFile::parse(text, version).err().unwrap_or_default().0.into_iter().map(|fault| fault.rule).collect()
}

#[test]
fn r1_the_comment_is_there_and_its_version_is_the_file_s() {
    let file = RevisionFile::parse(REVISION, Some(3)).unwrap();
    assert_eq!(
        (file.addressed.as_slice(), file.defended.as_slice()),
        (&["1".to_owned(), "3".into()][..], &["2".to_owned()][..])
    );
    assert_eq!(file.document, "# Plan\n\nText.");
    assert_eq!(revision_rules(REVISION, Some(2)), ["R1"]);
    assert_eq!(revision_rules("# Plan\n", None), ["R1"]);
    assert_eq!(revision_rules(&REVISION.replace("v3", "vX"), None), ["R1"]);
}

#[test]
fn r1_a_review_s_comment_and_the_short_form_are_read_too() {
    for verb in ["Incorporated", "Addressed"] {
        let file = RevisionFile::parse(&REVISION.replace("Addressed critique points", verb), None).unwrap();
        assert_eq!(file.review, verb == "Incorporated");
    }
}

#[test]
fn r4_what_is_defended_needs_a_section_defense() {
    assert_eq!(revision_rules(&REVISION.replace("### Defense\nThe order is on purpose.\n\n", ""), None), ["R4"]);
    let nothing = REVISION.replace("[2]", "[]").replace("### Defense\nThe order is on purpose.\n\n", "");
    assert_eq!(revision_rules(&nothing, None), Vec::<String>::new());
}

#[test]
fn a_log_with_stray_lines_is_refused_with_the_line() {
    let error = |text: &str| Log::parse(text).unwrap_err().to_string();
    assert_eq!(error(""), "it does not begin with \"# Debate Log — Phase N\"");
    let stray = "# Debate Log — Phase 1\n\n## Configuration\nhello\n";
    assert_eq!(error(stray), "line 4: \"hello\" belongs to no section of a debate log");
    assert!(error("# Debate Log — Phase 1\n- a: b\n").starts_with("line 2"));
    assert!(error("# Debate Log — Phase 1\n### Round 1\n").starts_with("line 2"));
}

fn words() -> impl Strategy<Value = String> {
    "[a-z]{1,8}( [a-z]{1,8}){0,5}"
}

prop_compose! {
    fn severity()(at in 0..3_usize) -> Severity { Severity::ALL[at] }
}
prop_compose! {
    fn weaknesses()(all in prop::collection::vec((severity(), words(), words()), 0..4)) -> Vec<Weakness> {
        all.into_iter().map(|(severity, place, problem)| Weakness { severity, place, problem, repeats: None }).collect()
    }
}
prop_compose! {
    fn critiques()(
        strengths in prop::collection::vec("x [a-z]{1,9}", 0..4), weaknesses in weaknesses(),
        points in weaknesses(), concessions in prop::collection::vec("x [a-z]{1,9}", 0..3),
    ) -> Critique {
        let disagreements = points.into_iter().map(|w| CriticDisagreement { severity: w.severity, point: w.place, reason: w.problem });
        Critique { strengths, weaknesses, disagreements: disagreements.collect(), concessions, repeated: 0 }
    }
}

proptest! {
    #[test]
    fn a_critique_that_was_written_is_read_back(critique in critiques(), round in 1..4_u32) {
        let file = CritiqueFile { source: "Codex Plan".into(), round, critique };
        prop_assert_eq!(CritiqueFile::parse(&file.render(), Some(round)).unwrap(), file);
    }

    #[test]
    fn a_revision_that_was_written_is_read_back(
        addressed in prop::collection::vec("W[1-9]: [a-z]{1,9}", 0..3),
        defense in prop::collection::vec("W[1-9]: [a-z]{1,9}", 0..3),
        review in any::<bool>(), title in any::<bool>(), body in "[a-z]{1,9}\n\n[a-z]{1,9}",
    ) {
        let document = if title { format!("# T\n\n{body}") } else { body };
        let defended = defense.iter().map(|text| text[..2].to_owned()).collect();
        let file = RevisionFile { version: 2, review, addressed, defended, defense, document };
        prop_assert_eq!(RevisionFile::parse(&file.render(), Some(2)).unwrap(), file);
    }

    #[test]
    fn a_log_that_was_written_is_read_back(
        lines in prop::collection::vec((words(), words()), 0..4), notes in any::<bool>(), rounds in 0..4_u32, over in any::<bool>(),
    ) {
        let round = |number| LogRound { number, lines: lines.clone(), record: lines.clone() };
        let debate = |stage: &str| LoggedDebate {
            stage: stage.into(),
            notes: if notes { lines.clone() } else { Vec::new() },
            rounds: (1..=rounds).map(round).collect(),
            outcome: if over { lines.clone() } else { Vec::new() },
        };
        let log = Log { phase: 3, configuration: lines.clone(), debates: vec![debate("Plan"), debate("Review")] };
        prop_assert_eq!(Log::parse(&log.render()).unwrap(), log);
    }

    #[test]
    fn whatever_was_said_a_critique_that_is_written_again_is_the_same(text in any::<String>(), place in any::<String>()) {
        let weakness = Weakness { severity: Severity::Low, place: format!("x{place}"), problem: format!("y{text}"), repeats: None };
        let critique = Critique { weaknesses: vec![weakness], ..Critique::default() };
        let once = CritiqueFile { source: "A".into(), round: 1, critique }.render();
        prop_assert_eq!(once.lines().filter(|line| line.starts_with('#')).count(), 5);
        prop_assert_eq!(once.matches("\n- ").count(), 1);
    }
}
