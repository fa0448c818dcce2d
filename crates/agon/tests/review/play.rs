//! A scripted review by the real program, and what it makes of correct and of false findings.

use serde_json::Value;

use crate::{
    cases::CorpusCase,
    scripts::{ReviewConduct, script},
    workspace::Workspace,
};

/// How a review ended.
pub struct EndedReview {
    /// Exit code, with a gate on `blocked`.
    pub code: i32,
    /// `findings.json`.
    pub file: Value,
}

/// Runs `agon run review` on a change.
pub fn review(case: &CorpusCase, diff: &str, conduct: ReviewConduct) -> EndedReview {
    let workspace = Workspace::new();
    workspace.write("change.diff", diff);
    workspace.write("script.json", script(case, conduct).to_string());
    let run = ["run", "review", "--context", "change.diff", "--model", "scripted:script.json"];
    let ran = workspace.agon(&[&run[..], &["--id", "r1", "--out", "r", "--fail-on", "blocked"]].concat());
    assert!(
        [0, 10, 11].contains(&ran.code),
        "{}, {conduct:?}: exit {}\n{}{}",
        case.name,
        ran.code,
        ran.out,
        ran.err
    );
    let replayed = workspace.agon(&["replay", "r1"]);
    assert_eq!(replayed.code, 0, "{}: {}", case.name, replayed.err);
    EndedReview { code: ran.code, file: serde_json::from_str(&workspace.read("r/findings.json")).unwrap() }
}

impl EndedReview {
    pub fn verdict(&self) -> &str {
        self.file["verdict"].as_str().unwrap()
    }

    pub fn findings(&self) -> &[Value] {
        self.file["findings"].as_array().unwrap()
    }

    /// The findings with this quote.
    pub fn about<'s>(&'s self, quote: &'s str) -> impl Iterator<Item = &'s Value> {
        self.findings().iter().filter(move |finding| finding["quote"] == quote)
    }

    /// What became of each finding.
    pub fn statuses(&self) -> Vec<&str> {
        self.findings().iter().map(|finding| finding["status"].as_str().unwrap()).collect()
    }

    /// Every accepted finding quotes lines that are in the change, and the exit code says what the verdict says.
    pub fn check(&self, case: &CorpusCase) {
        let lines = case.lines();
        for finding in self.findings() {
            let text = |name: &str| finding[name].as_str().unwrap();
            if ["held", "concern"].contains(&text("status")) {
                let line = |name: &str| finding[name].as_u64().unwrap() as u32;
                let (first, last) = (line("first_line"), line("last_line"));
                assert!(lines.hold(text("path"), first, last, text("quote")), "{}: {finding}", case.name);
            }
        }
        let code = match self.verdict() {
            "blocked" => 10,
            "unclear" => 11,
            _ => 0,
        };
        assert_eq!(self.code, code, "{}: {}", case.name, self.verdict());
    }
}

/// What became of correct and of false findings, case by case.
#[derive(Default)]
pub struct FindingTally {
    rows: Vec<String>,
    kept: usize,
    rescued: usize,
    destroyed: usize,
    dropped: [usize; 2],
    left: usize,
}

impl FindingTally {
    /// Adds a review. A correct finding is rescued if the critic refuted it and the judge kept it, and destroyed
    /// if it neither holds nor stands as a concern.
    pub fn add(&mut self, case: &CorpusCase, ended: &EndedReview) {
        let (mut kept, mut rescued, mut destroyed, mut dropped, mut left) = (0, 0, 0, [0, 0], 0);
        let correct = case.planted.as_ref().map(|planted| planted.quote.as_str());
        for finding in ended.findings() {
            let is_correct = finding["quote"].as_str() == correct;
            let critic = finding["critic"].as_array().unwrap();
            let was_refuted = critic.iter().any(|look| look["answer"] == "refuted");
            match (finding["status"].as_str().unwrap(), is_correct) {
                ("merged", _) => {}
                ("held" | "concern", true) if was_refuted => rescued += 1,
                ("held" | "concern", true) => kept += 1,
                (_, true) => destroyed += 1,
                ("demoted", false) => dropped[0] += 1,
                ("refuted", false) => dropped[1] += 1,
                (_, false) => left += 1,
            }
        }
        self.rows.push(format!(
            "{:<24} {:<11} {kept:>5} {rescued:>8} {destroyed:>10} {:>9} {:>6} {left:>5}  {}",
            case.name,
            case.language,
            dropped[0],
            dropped[1],
            ended.verdict()
        ));
        self.kept += kept;
        self.rescued += rescued;
        self.destroyed += destroyed;
        self.dropped = [self.dropped[0] + dropped[0], self.dropped[1] + dropped[1]];
        self.left += left;
    }

    /// Correct findings that were kept, rescued and destroyed; false ones that the program and the judge dropped, and
    /// those that are left.
    pub fn sums(&self) -> [usize; 6] {
        [self.kept, self.rescued, self.destroyed, self.dropped[0], self.dropped[1], self.left]
    }

    /// The table, for readers of the test's output.
    pub fn print(&self, title: &str) {
        let [kept, rescued, destroyed, program, judge, left] = self.sums();
        let head = format!(
            "{:<36} correct: {:>28}\n{:<24} {:<11} {:>5} {:>8} {:>10} {:>9} {:>6} {:>5}  {}",
            "",
            "false, dropped by:",
            "case",
            "language",
            "kept",
            "rescued",
            "destroyed",
            "verifier",
            "judge",
            "left",
            "verdict"
        );
        let sums =
            format!("{:<36} {kept:>5} {rescued:>8} {destroyed:>10} {program:>9} {judge:>6} {left:>5}", "all");
        println!("\n{title}\n{head}\n{}\n{sums}", self.rows.join("\n"));
    }
}
