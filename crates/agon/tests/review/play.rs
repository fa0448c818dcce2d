//! A scripted review by the real program, and what it makes of correct and of false findings.

use std::fmt::Display;

use serde_json::Value;

use crate::review::{
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
    /// What the run printed.
    pub printed: String,
    /// `memo.md`.
    pub memo: String,
}

/// Runs `agon run review` on a change.
pub fn review(case: &CorpusCase, diff: &str, conduct: ReviewConduct) -> EndedReview {
    let workspace = Workspace::new();
    workspace.write("change.diff", diff);
    workspace.write("script.json", script(case, conduct).to_string());
    let run = ["run", "review", "--context", "change.diff", "--model", "scripted:script.json"];
    let ran = workspace.agon(&[&run[..], &["--id", "r1", "--out", "r", "--fail-on", "blocked"]].concat());
    assert!([0, 10, 11].contains(&ran.code), "{}, {conduct:?}: exit {}\n{}{}", case.name, ran.code, ran.out, ran.err);
    let replayed = workspace.agon(&["replay", "r1"]);
    assert_eq!(replayed.code, 0, "{}: {}", case.name, replayed.err);
    let file = serde_json::from_str(&workspace.read("r/findings.json")).unwrap();
    EndedReview { code: ran.code, file, printed: ran.out, memo: workspace.read("r/memo.md") }
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

/// What became of the findings of one review, or of several.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FindingTally {
    /// Correct findings that the critic agrees with.
    pub kept: usize,
    /// Correct findings that the critic refuted and the judge kept.
    pub rescued: usize,
    /// Correct findings that are undecided: they are not dropped, and a serious one leaves the verdict unclear.
    pub undecided: usize,
    /// Correct findings that are dropped.
    pub destroyed: usize,
    /// False findings that the program dropped, because they cite what is not there.
    pub by_program: usize,
    /// False findings that the critic refuted and the judge dropped.
    pub by_judge: usize,
    /// False findings that are left.
    pub left: usize,
}

impl FindingTally {
    fn from_case(case: &CorpusCase, ended: &EndedReview) -> Self {
        let mut tally = Self::default();
        let correct = case.planted.as_ref().map(|planted| planted.quote.as_str());
        for finding in ended.findings() {
            let is_correct = finding["quote"].as_str() == correct;
            let was_refuted = finding["critic"].as_array().unwrap().iter().any(|look| look["answer"] == "refuted");
            let counted = match (finding["status"].as_str().unwrap(), is_correct) {
                ("merged", _) => continue,
                ("held" | "concern", true) if was_refuted => &mut tally.rescued,
                ("held" | "concern", true) => &mut tally.kept,
                ("undecided", true) => &mut tally.undecided,
                (_, true) => &mut tally.destroyed,
                ("demoted", false) => &mut tally.by_program,
                ("refuted", false) => &mut tally.by_judge,
                (_, false) => &mut tally.left,
            };
            *counted += 1;
        }
        tally
    }

    fn columns(self) -> [usize; 7] {
        [self.kept, self.rescued, self.undecided, self.destroyed, self.by_program, self.by_judge, self.left]
    }
}

/// The table of several reviews.
#[derive(Default)]
pub struct ReviewTable {
    rows: Vec<String>,
    sums: [usize; 7],
}

impl ReviewTable {
    /// Heads of the columns: what became of the correct findings, then of the false ones.
    const HEADS: [&str; 7] = ["kept", "rescued", "undecided", "destroyed", "program", "judge", "left"];

    /// Adds a review.
    pub fn add(&mut self, case: &CorpusCase, ended: &EndedReview) {
        let columns = FindingTally::from_case(case, ended).columns();
        self.sums = std::array::from_fn(|at| self.sums[at] + columns[at]);
        self.rows.push(format!("{}  {}", row(&case.name, &case.language, columns), ended.verdict()));
    }

    /// Prints it, and compares its sums.
    pub fn end(self, title: &str, wanted: FindingTally) {
        let head = format!("{}  verdict", row("case", "language", Self::HEADS));
        let sums = row("all", "", self.sums);
        println!("\n{title}: correct findings, and false ones dropped by\n{head}");
        println!("{}\n{sums}", self.rows.join("\n"));
        assert_eq!(self.sums, wanted.columns(), "{title}");
    }
}

fn row(name: &str, language: &str, columns: [impl Display; 7]) -> String {
    let columns: String = columns.iter().map(|column| format!(" {column:>9}")).collect();
    format!("{name:<24} {language:<11}{columns}")
}
