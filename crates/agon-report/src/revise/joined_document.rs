//! The joined document of a debate, read back as what its synthesizer said: the notes of a plan or a
//! draft, the list of findings of a review.

use agon_protocols::revise::{
    critique::Severity,
    joint_findings::{Joined, Left, Unified},
    review::DIMENSIONS,
};
use serde::Serialize;

const NOTES: &str = "\n## Synthesis Notes\n";

/// What a synthesizer said, read out of the document that it joined.
#[derive(Default, Serialize)]
struct NotedSynthesis<'t> {
    merged: Vec<&'t str>,
    adopted: Vec<NotedPoint<'t>>,
    overruled: Vec<NotedPoint<'t>>,
    unresolved: Vec<NotedPoint<'t>>,
    document: String,
}

/// A point with what is noted of it: the critique that it comes from, the reason against it, or what broke the tie.
#[serde_with::skip_serializing_none]
#[derive(Default, Serialize)]
struct NotedPoint<'t> {
    point: &'t str,
    critique: Option<&'t str>,
    reason: Option<&'t str>,
    tie_break: Option<&'t str>,
}

/// The statement behind a `PLAN.md` or `SYNTHESIS.md`. Where it has no notes of the known form, all of
/// it is the document.
pub fn parse_synthesis(text: &str) -> impl Serialize {
    let whole = || NotedSynthesis { document: text.to_owned(), ..NotedSynthesis::default() };
    NotedSynthesis::parse(text).unwrap_or_else(whole)
}

impl<'t> NotedSynthesis<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (document, notes) = text.rsplit_once(NOTES)?;
        let mut read = Self { document: without_comments(document), ..Self::default() };
        for (heading, bullet) in list_bullets(notes) {
            match heading {
                "### Standard Merge Decisions" => read.merged.push(bullet),
                "### Debate Resolution" => read.add_resolution(bullet)?,
                _ => return None,
            }
        }
        Some(read)
    }

    /// What became of a point of the debate; nothing where the bullet has not that form.
    fn add_resolution(&mut self, bullet: &'t str) -> Option<()> {
        let none = NotedPoint::default();
        match bullet.split_once(": ")? {
            ("Adopted", note) => {
                let (point, from) = note.strip_suffix(')')?.rsplit_once(" (")?;
                let critique = Some(from.split_once(", round ").map_or(from, |(file, _)| file));
                self.adopted.push(NotedPoint { point, critique, ..none });
            }
            ("Overruled", note) => {
                let (point, reason) = note.rsplit_once(" — ")?;
                self.overruled.push(NotedPoint { point, reason: Some(reason), ..none });
            }
            ("Unresolved", note) => {
                let (point, tie_break) = note.rsplit_once(" — tie-break: ")?;
                self.unresolved.push(NotedPoint { point, tie_break: Some(tie_break), ..none });
            }
            ("Convergence", _) => {}
            _ => return None,
        }
        Some(())
    }
}

/// The statement behind a `REVIEW.md`.
pub fn parse_unified_review(text: &str) -> Unified {
    let text = without_comments(text);
    let (head, rest) = text.split_once("\n## Findings\n").unwrap_or((&text, ""));
    let summary = head.split_once('\n').map_or("", |(_, summary)| summary).trim();
    let listed = rest.split("\n## ").next().unwrap_or_default();
    let findings = list_bullets(listed).filter_map(|(_, bullet)| parse_finding(bullet)).collect();
    let left = list_bullets(rest).filter(|(heading, _)| heading.starts_with("### Rejected from "));
    let left = left.filter_map(|(_, bullet)| bullet.split_once(": "));
    let rejected = left.map(|(id, reason)| Left { finding: id.to_owned(), reason: reason.to_owned() }).collect();
    Unified { summary: summary.to_owned(), findings, rejected, answer: None }
}

/// `F1 [HIGH] dimension, place: problem Fix: how (id, id)`
fn parse_finding(bullet: &str) -> Option<Joined> {
    let (number, rest) = bullet.split_once(' ')?;
    number.strip_prefix('F')?.parse::<u32>().ok()?;
    let (word, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let severity = Severity::parse(word)?;
    let (said, from) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let (problem, fix) = said.split_once(" Fix: ").unwrap_or((said, ""));
    let about = problem.split_once(": ").and_then(|(about, rest)| {
        let (dimension, place) = about.split_once(", ")?;
        DIMENSIONS.contains(&dimension).then_some((dimension, place, rest))
    });
    let (dimension, place, problem) = about.unwrap_or(("", "", problem));
    let [dimension, place, problem, fix] = [dimension, place, problem, fix].map(str::to_owned);
    let from = from.split(", ").map(str::to_owned).collect();
    Some(Joined { severity: Some(severity), dimension, place, problem, fix, from })
}

/// Every bullet that is not a lone `None`, with the heading that it stands below.
fn list_bullets(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut heading = "";
    text.lines().filter_map(move |line| {
        if line.starts_with('#') {
            heading = line;
        }
        line.strip_prefix("- ").filter(|bullet| *bullet != "None").map(|bullet| (heading, bullet))
    })
}

/// The text without the comments behind its title, which the program computes.
fn without_comments(text: &str) -> String {
    let computed = |line: &&str| line.starts_with("<!-- Sources: ") || line.starts_with("<!-- Debate: ");
    let kept: Vec<&str> = text.lines().filter(|line| !computed(line)).collect();
    kept.join("\n").trim_end().to_owned()
}
