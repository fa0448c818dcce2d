//! How well questions are told apart: good and bad ones, counted. The built half was at hand while the
//! grammar was written; the held half was written before it and looked at afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Figures are for readers.

use agon_protocols::panel::wording;

const KNOWN: &str = "I have kept archives for twenty years and I want every decision written down. Our archive lost \
    31 of 40 oral decisions within a single year. What nobody can look up gets decided twice. The strongest objection \
    is that it takes time. Writing everything down slows a team more than forgetting does. We spent two hours a week on \
    minutes that nobody opened again, 14 % of our time. A short meeting each Monday keeps people aligned. I grant that \
    newcomers suffer when nothing is on file. People hold back doubts as soon as there is a record of who said what.";

#[test]
fn good_questions_pass_and_bad_ones_do_not() {
    let lines = || include_str!("panel/questions.tsv").lines();
    for half in ["built", "held"] {
        let (mut right, mut refused, mut passed) = (0, Vec::new(), Vec::new());
        for line in lines().filter(|line| line.starts_with(half)) {
            let mut columns = line.split('\t').skip(1);
            let (label, question) = (columns.next().unwrap(), columns.next().unwrap());
            let whole = format!("Ada said: \"Our archive lost 31 of 40 oral decisions\" {question}");
            let faults = wording::faults(&whole, question, "Ben", &["Ada", "Cy"], KNOWN);
            match (label, faults.is_empty()) {
                ("good", true) | ("bad", false) => right += 1,
                ("good", _) => refused.push(format!("{question} {faults:?}")),
                _ => passed.push(question.to_owned()),
            }
        }
        println!("{half}: {right} right, good refused {refused:#?}, bad passed {passed:#?}");
        assert!(refused.len() <= 1 && passed.len() <= 3, "{half}");
    }
}
