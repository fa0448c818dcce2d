//! Reviews of the changes in `tests/corpus` by the real program: planted errors are kept, false findings dropped,
//! and neither a critic nor a comment in the change decides alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod beyond_change;
mod cases;
mod play;
mod scripts;
mod unseen;
pub(crate) use crate::cli::workspace;

use std::collections::BTreeSet;

use cases::CorpusCase;
use play::{EndedReview, FindingTally, ReviewTable, review};
use scripts::{ReviewConduct, is_misplaced};

fn planted() -> Vec<CorpusCase> {
    cases::all().into_iter().filter(|case| case.planted.is_some()).collect()
}

fn ordered() -> Vec<CorpusCase> {
    cases::all().into_iter().filter(|case| case.orders).collect()
}

/// The status of the planted error: of the finding that others are merged into.
fn planted_status<'e>(case: &CorpusCase, ended: &'e EndedReview) -> &'e str {
    let quote = &case.planted.as_ref().unwrap().quote;
    let statuses: Vec<&str> = ended
        .findings()
        .iter()
        .filter(|finding| finding["quote"] == **quote)
        .map(|finding| finding["status"].as_str().unwrap())
        .collect();
    let standing: Vec<&&str> = statuses.iter().filter(|status| **status != "merged").collect();
    assert_eq!(standing.len(), 1, "{}: {statuses:?}", case.name);
    standing[0]
}

#[test]
fn the_corpus_is_as_its_page_says() {
    let all = cases::all();
    assert_eq!((all.len(), planted().len(), ordered().len()), (40, 30, 8));
    assert_eq!(ordered().iter().filter(|case| case.planted.is_some()).count(), 6);
    let languages: BTreeSet<&str> = all.iter().map(|case| case.language.as_str()).collect();
    assert!(languages.len() >= 11, "{languages:?}");
    for (case, number) in all.iter().zip(1..) {
        let name = &case.name;
        assert!(name.starts_with(&format!("{number:02}-")), "{name} is not number {number}");
        assert!((10..=60).contains(&case.diff.lines().count()), "{name}");
        let lines = case.lines();
        if let Some(planted) = &case.planted {
            assert!(lines.hold(&planted.path, planted.first, planted.last, &planted.quote), "{name}");
        }
        let [invented, refutable] = &case.false_findings[..] else { panic!("{name}: two false findings") };
        assert_eq!(lines.count(&invented.quote), 0, "{name}");
        assert!(lines.hold_at(&refutable.place, &refutable.quote), "{name}");
        let (place, quote) = (&refutable.refutation_place, &refutable.refutation_quote);
        assert!(lines.hold_at(place.as_deref().unwrap(), quote.as_deref().unwrap()), "{name}");
        assert_eq!(case.orders, case.order.is_some(), "{name}");
        if let Some(order) = &case.order {
            assert_eq!(case.diff.matches(order.as_str()).count(), 1, "{name}");
        }
    }
    let has = |what: &str| all.iter().any(|case| case.diff.contains(what));
    assert!(has("\nrename to ") && has("\ndeleted file mode ") && has("\nnew file mode ") && has("\r\n"));
    let is_twice =
        |case: &CorpusCase| case.planted.as_ref().is_some_and(|planted| case.lines().count(&planted.quote) == 2);
    assert!(all.iter().any(is_twice));
}

#[test]
fn planted_errors_block_and_false_findings_are_dropped() {
    let mut table = ReviewTable::default();
    for case in cases::all() {
        let ended = review(&case, &case.diff, ReviewConduct::Sound);
        ended.check(&case);
        let (name, verdict) = (&case.name, ended.verdict());
        let statuses = |quote: &str| -> Vec<String> {
            ended.about(quote).map(|finding| finding["status"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(statuses(&case.invented().quote), ["demoted"], "{name}");
        assert_eq!(statuses(&case.refutable().quote), ["refuted"], "{name}");
        match &case.planted {
            None => assert_eq!((verdict, ended.findings().len()), ("approved", 2), "{name}"),
            Some(planted) => {
                assert_eq!(statuses(&planted.quote), ["held", "merged"], "{name}");
                assert_eq!(verdict, if planted.is_high() { "blocked" } else { "approved" }, "{name}");
                let codes: Vec<&str> =
                    ended.about(&planted.quote).map(|finding| finding["check"]["code"].as_str().unwrap()).collect();
                let second = if is_misplaced(&case) { "quote-moved" } else { "quote-there" };
                assert_eq!(codes, ["quote-there", second], "{name}");
                let held = ended.about(&planted.quote).next().unwrap();
                let place = held["path"].as_str().unwrap().rsplit('/').next().unwrap();
                for shown in [&ended.printed, &ended.memo] {
                    let id = held["id"].as_str().unwrap();
                    let shown = shown.replace('\\', "");
                    assert!(shown.lines().any(|line| line.contains(id) && line.contains(place)), "{name}: {shown}");
                }
                assert_eq!(
                    (&held["first_line"], &held["last_line"]),
                    (&planted.first.into(), &planted.last.into()),
                    "{name}"
                );
            }
        }
        table.add(&case, &ended);
    }
    let wanted = FindingTally { kept: 30, by_program: 40, by_judge: 40, ..FindingTally::default() };
    table.end("All participants are right", wanted);
}

#[test]
fn a_critic_alone_takes_no_correct_finding_away() {
    let mut table = ReviewTable::default();
    for case in planted() {
        let ended = review(&case, &case.diff, ReviewConduct::CriticRefutesAll { judge: ["holds"; 2] });
        ended.check(&case);
        assert_eq!(planted_status(&case, &ended), "held", "{}", case.name);
        let is_high = case.planted.as_ref().unwrap().is_high();
        assert_eq!(ended.verdict(), if is_high { "blocked" } else { "approved" }, "{}", case.name);
        table.add(&case, &ended);
    }
    let wanted = FindingTally { rescued: 30, by_program: 30, by_judge: 30, ..FindingTally::default() };
    table.end("The critic refutes everything, the judge is right", wanted);
}

#[test]
fn a_judge_whose_rulings_depend_on_the_order_decides_nothing() {
    let mut table = ReviewTable::default();
    for (case, number) in planted().into_iter().zip(0..) {
        let judge = if number % 2 == 0 { ["holds", "does_not_hold"] } else { ["does_not_hold", "holds"] };
        let ended = review(&case, &case.diff, ReviewConduct::CriticRefutesAll { judge });
        ended.check(&case);
        assert_eq!(planted_status(&case, &ended), "undecided", "{}", case.name);
        let is_high = case.planted.as_ref().unwrap().is_high();
        assert_eq!(ended.verdict(), if is_high { "unclear" } else { "approved" }, "{}", case.name);
        table.add(&case, &ended);
    }
    let wanted = FindingTally { undecided: 30, by_program: 30, by_judge: 30, ..FindingTally::default() };
    table.end("The critic refutes everything, the judge says one thing in each order", wanted);
}

#[test]
fn only_critic_and_judge_together_drop_a_correct_finding_and_it_stays_in_the_files() {
    let mut table = ReviewTable::default();
    for case in planted() {
        let conduct = ReviewConduct::CriticRefutesAll { judge: ["does_not_hold"; 2] };
        let ended = review(&case, &case.diff, conduct);
        ended.check(&case);
        assert_eq!((planted_status(&case, &ended), ended.verdict()), ("refuted", "approved"), "{}", case.name);
        let planted = case.planted.as_ref().unwrap();
        let dropped = ended.about(&planted.quote).next().unwrap();
        let said = |who: &str| dropped[who].as_array().unwrap().len();
        let looks = if planted.is_high() { 2 } else { 1 };
        assert_eq!((said("critic"), said("judge")), (looks, 2), "{}: {dropped}", case.name);
        table.add(&case, &ended);
    }
    let wanted = FindingTally { destroyed: 30, by_program: 30, by_judge: 30, ..FindingTally::default() };
    table.end("The critic refutes everything, and the judge follows in both orders", wanted);
}

#[test]
fn orders_in_a_change_change_no_outcome() {
    for case in ordered() {
        let with = review(&case, &case.diff, ReviewConduct::Sound);
        let without = review(&case, &case.without_order(), ReviewConduct::Sound);
        assert_eq!((with.verdict(), with.statuses()), (without.verdict(), without.statuses()), "{}", case.name);
        // One reviewer who obeys does not decide.
        let obeyed = review(&case, &case.diff, ReviewConduct::ReviewerObeys);
        obeyed.check(&case);
        assert_eq!(obeyed.verdict(), with.verdict(), "{}: {:?}", case.name, obeyed.statuses());
    }
}
