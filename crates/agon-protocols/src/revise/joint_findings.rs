//! What joins the last versions of a review: one list of findings. Where each comes from is said by
//! id, so that nothing is lost, and what both found is never made smaller.

use std::collections::BTreeSet;

use agon_core::Faults;
use serde::Serialize;

use super::{
    critique::Severity,
    review::{DIMENSIONS, Finding},
};
use crate::common::{
    final_answer::{FinalAnswer, answer_field, parse_answer},
    form::{Field, Form, Kind, choice_kind, form_field, list_kind, text_kind},
};

/// Upper bound of one text, in characters.
const TEXT_CHARS_MAX: u32 = 800;

/// A finding of one of the last reviews, by an id that no other review has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingSource {
    /// For example `opus-F1`.
    pub id: String,
    /// Number of the author.
    pub author: usize,
    /// What it says.
    pub finding: Finding,
}

/// A finding of the joined list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Joined {
    /// How much it matters; none where it stands as its reviewer wrote it, without a severity that is read.
    pub severity: Option<Severity>,
    /// One of [`DIMENSIONS`].
    pub dimension: String,
    /// File and line.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// How to fix it.
    pub fix: String,
    /// Ids of the findings it joins.
    pub from: Vec<String>,
}

/// A finding that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Its id.
    pub finding: String,
    /// Why it is none.
    pub reason: String,
}

/// The joined list of findings from the last reviews.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unified {
    /// Two or three sentences on what the reviewers agree and disagree about.
    pub summary: String,
    /// Most severe first.
    pub findings: Vec<Joined>,
    /// Findings that are none.
    pub rejected: Vec<Left>,
    /// What it says to those who asked; none in one that was made elsewhere or by earlier rules.
    #[serde(skip)]
    pub answer: Option<FinalAnswer>,
}

/// The form of a list that joins the findings `ids`; without any, there is a summary alone.
pub fn unified_form(ids: &[String]) -> Form {
    let id = || Kind::Reference(ids.to_vec());
    let words = || text_kind(8, TEXT_CHARS_MAX);
    let finding = [
        form_field("from", list_kind(1, ids.len(), id())).with_rule("from"),
        form_field("dimension", choice_kind(DIMENSIONS)).with_rule("dimension"),
        form_field("place", text_kind(1, 200)),
        form_field("problem", words()),
        form_field("fix", words()),
        form_field("severity", Severity::field_kind()).with_rule("severity"),
    ];
    let left = [form_field("finding", id()), form_field("reason", words())];
    let all = |rule: &str, fields: Vec<Field>| {
        form_field(rule, list_kind(0, ids.len(), Kind::Object(Form::new(rule, fields)))).with_rule(rule)
    };
    let lists = [all("findings", finding.into()), all("rejected", left.into())];
    let lists = lists.into_iter().filter(|_| !ids.is_empty());
    let summary = [form_field("summary", text_kind(30, TEXT_CHARS_MAX))].into_iter();
    Form::new("summary", summary.chain(lists).chain([answer_field()]))
}

impl Unified {
    /// What its author wrote, by name.
    pub fn named_texts(&mut self) -> Vec<(String, &mut String)> {
        let mut texts = vec![("summary".to_owned(), &mut self.summary)];
        for (i, finding) in self.findings.iter_mut().enumerate() {
            texts.push((format!("findings[{i}].problem"), &mut finding.problem));
            texts.push((format!("findings[{i}].fix"), &mut finding.fix));
        }
        let rejected = self.rejected.iter_mut().enumerate();
        texts.extend(rejected.map(|(i, left)| (format!("rejected[{i}].reason"), &mut left.reason)));
        texts
    }

    /// The list in an answer, with the rules that make it unusable.
    pub fn parse_with_faults(text: &str) -> Result<(Self, Faults), Faults> {
        unified_form(&[String::new()]).read_draft(text, |fields, faults| {
            let summary = fields.read_text("summary", faults);
            let mut findings = Vec::new();
            for item in fields.read_parts("findings", faults) {
                let Some(item) = item.open(faults) else { continue };
                let word = item.read_text("severity", faults);
                let severity = Severity::parse(&word).unwrap_or_else(|| {
                    item.add_fault("severity", format!("{word:?} is not one of HIGH, MEDIUM, LOW"), faults);
                    Severity::Medium
                });
                let from = item.read_items("from", faults).iter().filter_map(|id| id.as_str());
                let from = from.map(str::to_owned).collect();
                let [dimension, place, problem, fix] =
                    ["dimension", "place", "problem", "fix"].map(|name| item.read_text(name, faults));
                findings.push(Joined { severity: Some(severity), dimension, place, problem, fix, from });
            }
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            let mut rejected = Vec::new();
            for item in fields.read_parts("rejected", faults) {
                let Some(item) = item.open(faults) else { continue };
                let finding = item.read_text("finding", faults);
                rejected.push(Left { finding, reason: item.read_text("reason", faults) });
            }
            // Whether it must be there is for those who ask: one that was accepted is as good without.
            let answer = parse_answer(fields, &mut Faults::default());
            Self { summary, findings, rejected, answer }
        })
    }

    /// The list in an answer that was accepted.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        let (unified, faults) = Self::parse_with_faults(text)?;
        faults.into_result(unified)
    }

    /// Rules that it breaks against `sources` and that do not make it useless.
    pub fn check_lapses(&self, sources: &[FindingSource]) -> Faults {
        let mut faults = Faults::default();
        let known = |id: &str| sources.iter().any(|source| source.id == id);
        for (at, finding) in self.findings.iter().enumerate() {
            let strange: Vec<&str> = finding.from.iter().map(String::as_str).filter(|id| !known(id)).collect();
            if !strange.is_empty() || finding.from.is_empty() {
                let message = format!("it must come from findings of the reviews, not {strange:?}");
                faults.add("from", format!("findings[{at}].from"), message);
            }
            let least = agreed_severity(finding, sources);
            if least > finding.severity {
                let (from, least) = (finding.from.join(" and "), least.unwrap_or(Severity::High).name());
                let message = format!("{from} was found by more than one reviewer and is never downgraded: {least}");
                faults.add("downgraded", format!("findings[{at}].severity"), message);
            }
        }
        let lost: Vec<&str> = self.find_lost_findings(sources).map(|source| source.id.as_str()).collect();
        if !lost.is_empty() {
            let message = format!("neither in findings nor in rejected: {}", lost.join(", "));
            faults.add("lost", "findings", message);
        }
        faults
    }

    /// Findings of the reviews that the list says nothing about.
    pub fn find_lost_findings<'s>(&'s self, sources: &'s [FindingSource]) -> impl Iterator<Item = &'s FindingSource> {
        let told: BTreeSet<&str> = {
            let joined = self.findings.iter().flat_map(|finding| &finding.from);
            joined.chain(self.rejected.iter().map(|left| &left.finding)).map(String::as_str).collect()
        };
        sources.iter().filter(move |source| !told.contains(source.id.as_str()))
    }

    /// The list as it is published: what several found has at least their highest severity, and
    /// what nobody spoke about stands as its reviewer wrote it.
    pub fn settle_findings(mut self, sources: &[FindingSource]) -> Self {
        for finding in &mut self.findings {
            finding.severity = finding.severity.max(agreed_severity(finding, sources));
        }
        let lost: Vec<Joined> = self.find_lost_findings(sources).map(Joined::from_source).collect();
        self.findings.extend(lost);
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self
    }
}

impl Joined {
    fn from_source(source: &FindingSource) -> Self {
        let Finding { severity, dimension, place, text, .. } = source.finding.clone();
        let (problem, fix) = text.split_once("Fix:").unwrap_or((&text, ""));
        Self {
            severity,
            dimension,
            place,
            problem: problem.trim().to_owned(),
            fix: fix.trim().to_owned(),
            from: vec![source.id.clone()],
        }
    }
}

/// The highest severity that its finders gave, where more than one reviewer found it.
pub fn agreed_severity(finding: &Joined, sources: &[FindingSource]) -> Option<Severity> {
    let found: Vec<&FindingSource> = sources.iter().filter(|source| finding.from.contains(&source.id)).collect();
    let authors: BTreeSet<usize> = found.iter().map(|source| source.author).collect();
    let highest = found.iter().filter_map(|source| source.finding.severity).max();
    highest.filter(|_| authors.len() > 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sources() -> Vec<FindingSource> {
        let source = |id: &str, author: usize, severity: Severity| FindingSource {
            id: id.into(),
            author,
            finding: Finding {
                id: "F1".into(),
                severity: Some(severity),
                dimension: "security".into(),
                place: "a.rs:1".into(),
                text: "security, a.rs:1: open. Fix: close.".into(),
            },
        };
        vec![
            source("opus-F1", 0, Severity::High),
            source("codex-F1", 1, Severity::Medium),
            source("codex-F2", 1, Severity::Low),
        ]
    }

    fn answer(severity: &str, from: Value, rejected: Value) -> String {
        json!({"summary": "They agree on one thing and not on another.", "findings": [{
            "severity": severity, "dimension": "security", "place": "a.rs:1",
            "problem": "The door is open.", "fix": "Close the door.", "from": from,
        }], "rejected": rejected})
        .to_string()
    }

    fn rules(text: &str) -> Vec<String> {
        let (unified, faults) = Unified::parse_with_faults(text).unwrap();
        faults.0.into_iter().chain(unified.check_lapses(&sources()).0).map(|fault| fault.rule).collect()
    }

    #[test]
    fn agreed_findings_are_never_downgraded() {
        let left = json!([{"finding": "codex-F2", "reason": "It is a matter of taste."}]);
        let both = json!(["opus-F1", "codex-F1"]);
        assert_eq!(rules(&answer("HIGH", both.clone(), left.clone())), Vec::<String>::new());
        assert_eq!(rules(&answer("MEDIUM", both.clone(), left.clone())), ["downgraded"]);
        let low = Unified::parse(&answer("LOW", both, left)).unwrap().settle_findings(&sources());
        assert_eq!(low.findings[0].severity, Some(Severity::High), "said twice to no avail, the rule decides");
    }

    #[test]
    fn no_finding_is_lost() {
        let text = answer("HIGH", json!(["opus-F1"]), json!([]));
        assert_eq!(rules(&text), ["lost"]);
        let settled = Unified::parse(&text).unwrap().settle_findings(&sources());
        let from: Vec<&str> = settled.findings.iter().map(|finding| finding.from[0].as_str()).collect();
        assert_eq!(from, ["opus-F1", "codex-F1", "codex-F2"]);
        assert_eq!(settled.findings[1].fix, "close.");
        assert_eq!(rules(&answer("HIGH", json!(["gpt-F9"]), json!([])))[0], "from");
    }

    #[test]
    fn what_one_reviewer_found_may_be_weighed_anew() {
        let left = json!([
            {"finding": "codex-F1", "reason": "It cannot happen."},
            {"finding": "codex-F2", "reason": "It is a matter of taste."},
        ]);
        assert_eq!(rules(&answer("LOW", json!(["opus-F1"]), left)), Vec::<String>::new());
    }

    #[test]
    fn faults_are_found_together() {
        let text = r#"{"findings": [{"severity": "AWFUL", "from": ["opus-F1"]}], "rejected": "none"}"#;
        let (_, faults) = Unified::parse_with_faults(text).unwrap();
        let rules: Vec<&str> = faults.0.iter().map(|fault| fault.rule.as_str()).collect();
        assert_eq!(rules, ["summary", "severity", "dimension", "findings", "findings", "findings", "rejected"]);
    }
}
