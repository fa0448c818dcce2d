//! What became of all lines of a batch, in counts: as large after a million lines as after ten.

use std::collections::BTreeMap;

use agon_app::{display, exit};
use agon_core::Usage;
use agon_report::agreement::Agreement;
use agon_text::count_noun;
use serde::Serialize;
use serde_json::json;

use super::result::{LineResult, LineState};

/// Debates that are named of each kind of failure.
const NAMED: usize = 5;
/// Kinds of failure that are told apart.
const KINDS_MAX: usize = 40;
/// The kind of all others.
const OTHER: &str = "other";

/// Failures of one kind.
#[derive(Debug, Clone)]
struct FailureTally {
    code: u8,
    count: usize,
    /// The first lines, each with its debate where there is one.
    first: Vec<(usize, Option<String>)>,
    /// What the first of them says.
    message: String,
    remedy: String,
}

/// Counts of the lines of a batch.
#[derive(Debug, Default)]
pub struct BatchTally {
    /// Lines that were told.
    pub told: usize,
    closed_well: usize,
    new: usize,
    resumed: usize,
    repeated: usize,
    /// What was spent by this run.
    pub spent: Usage,
    failures: BTreeMap<String, FailureTally>,
    /// Whether Ctrl-C left a line undone.
    pub is_interrupted: bool,
}

impl BatchTally {
    /// Counts a line.
    pub fn count_line(&mut self, line: &LineResult) {
        self.told += 1;
        self.spent += line.spent;
        match line.at.as_ref().map(|at| at.state) {
            Some(LineState::New) => self.new += 1,
            Some(LineState::Resumed) => self.resumed += 1,
            Some(LineState::Repeated) => self.repeated += 1,
            None => {}
        }
        let code = line.exit_code();
        self.is_interrupted |= code == exit::INTERRUPTED;
        if code == exit::OK {
            self.closed_well += 1;
            return;
        }
        let (kind, message, remedy) = describe_failure(line);
        let kind =
            if self.failures.len() < KINDS_MAX || self.failures.contains_key(&kind) { kind } else { OTHER.to_owned() };
        let failures = self.failures.entry(kind);
        let failures = failures.or_insert(FailureTally { code, count: 0, first: Vec::new(), message, remedy });
        failures.count += 1;
        if failures.first.len() < NAMED {
            failures.first.push((line.number, line.at.as_ref().map(|at| at.id.to_string())));
        }
    }

    /// Lines that failed.
    pub fn count_failed(&self) -> usize {
        self.told - self.closed_well
    }

    /// Debates that were held now, not those that were over already.
    pub fn count_held(&self) -> usize {
        self.new + self.resumed
    }

    /// The exit code of the batch.
    pub fn exit_code(&self) -> u8 {
        match self.count_failed() {
            _ if self.is_interrupted => exit::INTERRUPTED,
            0 => exit::OK,
            _ => exit::PROVIDER,
        }
    }

    /// As programs read it; `left` lines were not begun, where that is known.
    pub fn to_json(&self, agreement: &Agreement, left: Option<usize>, seconds: f64) -> impl Serialize {
        let failures = self.by_count().into_iter().map(|(kind, failures)| {
            let FailureTally { code, count, first, message, remedy } = failures;
            let lines: Vec<usize> = first.iter().map(|(line, _)| *line).collect();
            let ids: Vec<&String> = first.iter().filter_map(|(_, id)| id.as_ref()).collect();
            json!({
                "kind": kind, "code": code, "count": count, "lines": lines, "ids": ids, "message": message,
                "remedy": remedy,
            })
        });
        json!({
            "event": "batch", "debates": self.told, "closed_well": self.closed_well, "new": self.new,
            "resumed": self.resumed, "repeated": self.repeated, "not_started": left,
            "failures": failures.collect::<Vec<_>>(), "used": self.spent.render_receipt(),
            "seconds": (seconds * 10.0).round() / 10.0, "agreement": agreement, "in_words": agreement.render_lines(),
        })
    }

    /// In lines for people.
    pub fn render_text(&self, agreement: &Agreement, left: Option<usize>) -> String {
        let states = format!("{} new, {} resumed, {} repeated", self.new, self.resumed, self.repeated);
        let debates = count_noun(self.told, "debate", "debates");
        let mut lines = vec![format!("{} of {debates} closed with exit code 0 ({states})", self.closed_well)];
        for (kind, failures) in self.by_count() {
            let first = failures.first.iter().map(|(line, id)| match id {
                Some(id) => format!("{id} (line {line})"),
                None => format!("line {line}"),
            });
            let mut first = first.collect::<Vec<_>>().join(", ");
            if failures.count > failures.first.len() {
                first.push_str(&format!(" and {} more", failures.count - failures.first.len()));
            }
            lines.push(format!("failed: {} × {kind} (code {}): {first}", failures.count, failures.code));
            lines.push(format!("  the first: {}", failures.message));
            lines.push(format!("  remedy: {}", failures.remedy));
        }
        if let Some(left) = left.filter(|left| *left > 0) {
            lines.push(format!("{} not started; run the batch again", count_noun(left, "line", "lines")));
        }
        if self.count_held() > 0 {
            lines.push(format!("used: {}", display::describe_usage(&self.spent)));
        }
        if agreement.debates > 0 {
            lines.extend(agreement.render_lines());
        }
        lines.join("\n")
    }

    /// The most frequent first.
    fn by_count(&self) -> Vec<(&String, &FailureTally)> {
        let mut failures: Vec<_> = self.failures.iter().collect();
        failures.sort_by_key(|(_, failures)| std::cmp::Reverse(failures.count));
        failures
    }
}

/// The kind of a line's failure, what it says, and what to do about all of its kind.
fn describe_failure(line: &LineResult) -> (String, String, String) {
    match &line.ended {
        Ok(outcome) => {
            let id = line.at.as_ref().map(|at| at.id.to_string()).unwrap_or_default();
            let remedy = format!("ask those again who did not answer, for example: agon extend {id}");
            (outcome.name.clone(), outcome.summary.clone(), remedy)
        }
        Err(failure) => {
            let id = line.at.as_ref().map(|at| at.id.to_string()).unwrap_or_default();
            // The batch continues all of them.
            let single = format!("continue with: agon resume {id}");
            let remedy = match failure.remedy.strip_suffix(&single) {
                Some("") => "run the batch again".into(),
                Some(more) => format!("{more}run the batch again"),
                None if failure.remedy.is_empty() => "run the batch again".into(),
                None => failure.remedy.clone(),
            };
            (failure.code.to_string(), failure.message.clone(), remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_app::Failure;
    use agon_core::{DebateId, Outcome};

    use super::{super::result::LineDebate, *};

    fn line(number: usize, id: Option<&str>, ended: agon_app::Result<Outcome>) -> LineResult {
        let at = id.map(|id| LineDebate { id: DebateId::new(id).unwrap(), directory: None, state: LineState::New });
        LineResult { at, ended, ..LineResult::from_failure(number, Failure::usage("", "")) }
    }

    #[test]
    fn failures_are_told_by_kind_with_the_first_of_each() {
        let mut tally = BatchTally::default();
        for number in 1..=9 {
            let id = format!("d{number}");
            let failure = Failure::new(exit::PROVIDER, "provider", format!("{id}: 401"), "set KEY");
            let failure = failure.with_resume_hint(&DebateId::new(&id).unwrap());
            tally.count_line(&line(number, Some(&id), Err(failure)));
        }
        tally.count_line(&line(10, None, Err(Failure::usage("not a JSON object", "write one"))));
        tally.count_line(&line(11, Some("v"), Ok(Outcome::void("no_quorum", "No result."))));
        tally.count_line(&line(12, Some("w"), Ok(Outcome::valid("even", "Even."))));
        assert_eq!((tally.told, tally.count_failed(), tally.exit_code()), (12, 11, exit::PROVIDER));
        let agreement = agon_report::agreement::Votes::default().to_agreement();
        let told = json!(tally.to_json(&agreement, Some(0), 1.0));
        let kinds: Vec<_> =
            told["failures"].as_array().unwrap().iter().map(|kind| (&kind["kind"], &kind["count"])).collect();
        assert_eq!(
            kinds,
            [(&json!("provider"), &json!(9)), (&json!("no_quorum"), &json!(1)), (&json!("usage"), &json!(1))]
        );
        assert_eq!(told["failures"][0]["ids"], json!(["d1", "d2", "d3", "d4", "d5"]));
        assert_eq!(told["failures"][0]["remedy"], "set KEY; then run the batch again");
        let text = tally.render_text(&agreement, Some(3));
        for says in [
            "1 of 12 debates closed with exit code 0",
            "failed: 9 × provider (code 3): d1 (line 1), d2 (line 2), d3 (line 3), d4 (line 4), d5 (line 5) and 4 more",
            "the first: d1: 401",
            "remedy: set KEY; then run the batch again",
            "failed: 1 × no_quorum (code 9): v (line 11)",
            "agon extend v",
            "failed: 1 × usage (code 2): line 10",
            "3 lines not started; run the batch again",
        ] {
            assert!(text.contains(says), "{says}: {text}");
        }
    }

    #[test]
    fn kinds_that_nobody_foresaw_do_not_fill_the_memory() {
        let mut tally = BatchTally::default();
        for number in 0..1_000 {
            tally.count_line(&line(number, None, Ok(Outcome::void(format!("kind-{number}"), ""))));
        }
        assert_eq!(tally.failures.len(), KINDS_MAX + 1);
        assert_eq!(tally.failures[OTHER].count, 1_000 - KINDS_MAX);
    }
}
