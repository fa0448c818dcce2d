//! The layout of a code review: seven dimensions, findings, a verdict. What a program reads of it,
//! and the verdict that follows.

use serde_json::{Value, json};

use super::{
    critique::Severity,
    document::{headings, lines, normalised},
    findings::{self, FindingLine},
};

/// What a review looks at, in its order.
pub const DIMENSIONS: [&str; 7] =
    ["correctness", "completeness", "security", "integration", "stub detection", "quality", "regressions"];
/// What it says of each, the longer word before the shorter one that begins it.
pub const RESULTS: [&str; 3] = ["pass-with-advisory", "pass", "fail"];
/// Other words for them.
const ALSO: [(&str, &str); 5] = [
    ("pass with advisory", "pass-with-advisory"),
    ("passed", "pass"),
    ("passes", "pass"),
    ("failed", "fail"),
    ("fails", "fail"),
];
/// Sections of a review, in their order.
pub(super) const SECTIONS: [&str; 3] = ["dimensions", "findings", "verdict"];
/// So many findings of medium severity reject.
pub const MEDIUM_REJECTS: usize = 3;

/// A finding of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its number within the review, as `F1`.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// One of [`DIMENSIONS`]; empty where the finding names none.
    pub dimension: String,
    /// File and line; empty where the finding names none.
    pub place: String,
    /// The finding as it was written, without number and severity.
    pub text: String,
}

/// A parsed review: results of its dimensions, findings, and the verdict and counts that it states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// Dimension and result, in the order of the review.
    pub dimensions: Vec<(&'static str, &'static str)>,
    /// In the order of the review.
    pub findings: Vec<Finding>,
    /// Ids of the findings whose severity it does not say.
    pub untagged: Vec<String>,
    /// The verdict that it states.
    pub stated: Option<ReviewVerdict>,
    /// What its closing record says: status, then high, medium, low.
    pub record: Option<(String, [Option<usize>; 3])>,
}

/// The verdict of a review on the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewVerdict {
    /// It is.
    Approved,
    /// It is not: the stricter of the two.
    Rejected,
}

impl ReviewVerdict {
    /// What findings of these severities lead to: one of high severity, or three of medium, reject.
    pub fn of(severities: impl Iterator<Item = Severity>) -> Self {
        let severities: Vec<Severity> = severities.collect();
        let count = |wanted: Severity| severities.iter().filter(|severity| **severity == wanted).count();
        let rejected = count(Severity::High) > 0 || count(Severity::Medium) >= MEDIUM_REJECTS;
        if rejected { ReviewVerdict::Rejected } else { ReviewVerdict::Approved }
    }

    /// As reviews have it.
    pub fn name(self) -> &'static str {
        match self {
            ReviewVerdict::Approved => "APPROVED",
            ReviewVerdict::Rejected => "REJECTED",
        }
    }

    /// As the closing record has it.
    pub fn status(self) -> &'static str {
        match self {
            ReviewVerdict::Approved => "pass",
            ReviewVerdict::Rejected => "fail",
        }
    }
}

impl Review {
    /// Reads `text`.
    pub fn of(text: &str) -> Self {
        let mut review = Self { record: record(text), ..Self::default() };
        let (mut section, mut reader) = (String::new(), findings::FindingsReader::default());
        for (_, line) in lines(text) {
            let heading = heading(line);
            if let Some(heading) = &heading {
                section.clone_from(heading);
            }
            let listed = section.contains("finding") && heading.is_none();
            let result = dimension(line).filter(|_| !listed);
            let items =
                if heading.is_none() { reader.read(line, listed) } else { Vec::from_iter(reader.end()) };
            if let Some((name, result)) = result {
                match review.dimensions.iter_mut().find(|(known, _)| *known == name) {
                    // Said twice, the stricter counts.
                    Some(known) if result == "fail" => known.1 = result,
                    Some(_) => {}
                    None => review.dimensions.push((name, result)),
                }
            }
            items.into_iter().for_each(|item| review.push(item));
            review.hear(&section, line);
        }
        reader.end().into_iter().for_each(|item| review.push(item));
        review
    }

    fn push(&mut self, item: FindingLine) {
        let finding = finding(&item, self.findings.len() + 1);
        if !item.tagged {
            self.untagged.push(finding.id.clone());
        }
        self.findings.push(finding);
    }

    /// Takes the first verdict that a line of its section states.
    fn hear(&mut self, section: &str, line: &str) {
        if section.contains("verdict") && self.stated.is_none() {
            let words = line.to_ascii_uppercase();
            self.stated = [ReviewVerdict::Rejected, ReviewVerdict::Approved]
                .into_iter()
                .find(|v| words.contains(v.name()));
        }
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The verdict that its findings and dimensions lead to, whatever it states: any finding of high
    /// severity, three of medium, or a failed dimension reject. `None` where it holds nothing that a
    /// verdict could rest on.
    pub fn verdict(&self) -> Option<ReviewVerdict> {
        if self.dimensions.is_empty() && self.findings.is_empty() {
            return None;
        }
        let failed = self.dimensions.iter().any(|(_, result)| *result == "fail");
        let counted = ReviewVerdict::of(self.findings.iter().map(|finding| finding.severity));
        Some(if failed { ReviewVerdict::Rejected } else { counted })
    }

    /// The counts as a program keeps them.
    pub fn figures(&self) -> Value {
        json!({
            "verdict": self.verdict().map(ReviewVerdict::name),
            "high": self.count(Severity::High), "medium": self.count(Severity::Medium),
            "low": self.count(Severity::Low),
        })
    }
}

/// What keeps a text from being a review at all.
pub fn unusable(review: &Review) -> Option<&'static str> {
    let nothing = review.verdict().is_none();
    nothing.then_some("no dimension has a result; write each as \"- correctness: pass\"")
}

/// Where a review leaves its layout, one line each.
pub fn problems(review: &Review) -> Vec<String> {
    let mut problems = Vec::new();
    let has = |name: &&str| !review.dimensions.iter().any(|(known, _)| known == name);
    let missing: Vec<&str> = DIMENSIONS.into_iter().filter(has).collect();
    if !missing.is_empty() {
        problems.push(format!("dimensions without a result: {}", missing.join(", ")));
    }
    for id in &review.untagged {
        problems.push(format!("{id} has no severity; write [HIGH], [MEDIUM] or [LOW]"));
    }
    for finding in &review.findings {
        if finding.dimension.is_empty() {
            problems.push(format!("{} names no dimension", finding.id));
        }
        if finding.place.is_empty() {
            problems.push(format!("{} names no file and line, such as src/a.rs:12", finding.id));
        }
    }
    match (review.stated, review.verdict()) {
        (None, _) => problems.push("it states no verdict: APPROVED or REJECTED".into()),
        (Some(stated), Some(verdict)) if stated != verdict => {
            problems.push(format!("it states {}, its findings lead to {}", stated.name(), verdict.name()));
        }
        _ => {}
    }
    if let Some((status, counts)) = &review.record {
        for (severity, stated) in Severity::ALL.into_iter().zip(counts) {
            let count = review.count(severity);
            if stated.is_some_and(|stated| stated != count) {
                let name = severity.name().to_lowercase();
                problems
                    .push(format!("its record counts {} {name}, found {count}", stated.unwrap_or_default()));
            }
        }
        let wanted = review.verdict().map(ReviewVerdict::status);
        if !status.is_empty() && wanted.is_some_and(|wanted| wanted != status) {
            problems.push(format!("its record says {status}, its findings {}", wanted.unwrap_or_default()));
        }
    }
    problems
}

/// `text` without the closing record: the program counts again.
pub fn without_record(text: &str) -> &str {
    let Some(at) = text.rfind("sentinel: review-verdict") else { return text };
    let before = text[..at].trim_end();
    let Some(fence) = before.strip_suffix("```yaml").or_else(|| before.strip_suffix("```yml")) else {
        return text;
    };
    // Only what closes the text is taken away.
    match text[at..].split_once("```") {
        Some((_, rest)) if rest.trim().is_empty() => fence.trim_end(),
        None => fence.trim_end(),
        Some(_) => text,
    }
}

fn heading(line: &str) -> Option<String> {
    let found = headings(line).pop()?;
    (found.level <= 2).then(|| normalised(&found.text))
}

fn finding(item: &FindingLine, number: usize) -> Finding {
    let (severity, text) = (item.severity, &item.text);
    let own = format!("F{number}");
    let text = text.trim().strip_prefix(&own).unwrap_or(text.trim());
    let text =
        text.trim_matches([' ', ':', '-', '—', '|', ',']).split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = text.to_lowercase();
    let dimension = DIMENSIONS.into_iter().filter_map(|name| Some((lower.find(name)?, name))).min();
    let is_place = |word: &&str| {
        let line =
            word.rsplit_once(':').map(|(file, line)| (file, line.starts_with(|c: char| c.is_ascii_digit())));
        line.is_some_and(|(file, number)| number && !file.is_empty())
    };
    let words = text.split_whitespace().map(|word| word.trim_matches(['`', ',', ';', ':', '(', ')', '.']));
    let place = words.clone().find(is_place).unwrap_or_default().to_owned();
    let dimension = dimension.map_or("", |(_, name)| name).to_owned();
    Finding { id: own, severity, dimension, place, text }
}

/// A dimension and its result, where a line is about nothing else.
fn dimension(line: &str) -> Option<(&'static str, &'static str)> {
    let words = line.trim().trim_start_matches(['-', '*', '|', ' ']).to_lowercase();
    let words = words.replace("stub-detection", "stub detection");
    let name = DIMENSIONS.into_iter().find(|name| words.starts_with(name))?;
    let rest = words[name.len()..].trim_start_matches(['*', ':', '|', ' ', '-', '—']);
    let known = RESULTS.map(|result| (result, result)).into_iter().chain(ALSO);
    let result = known.into_iter().find(|(word, _)| {
        let after = rest.strip_prefix(word);
        after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    });
    Some((name, result?.1))
}

/// Status and counts of the closing record.
fn record(text: &str) -> Option<(String, [Option<usize>; 3])> {
    let (_, record) = text.rsplit_once("sentinel: review-verdict")?;
    let value = |key: &str| {
        let mut lines = record.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
    };
    let count = |key: &str| value(key).and_then(|count| count.parse().ok());
    let counts = ["severity_high", "severity_medium", "severity_low"].map(count);
    Some((value("status").unwrap_or_default().to_owned(), counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: &str = include_str!("testdata/review.md");

    #[test]
    fn a_review_in_the_layout_has_no_problems() {
        let review = Review::of(REVIEW);
        assert_eq!(review.dimensions.len(), 7);
        assert_eq!(review.dimensions[2], ("security", "pass-with-advisory"));
        let finding = &review.findings[0];
        assert_eq!((finding.dimension.as_str(), finding.place.as_str()), ("security", "src/store.rs:42"));
        assert_eq!(finding.text, "security, src/store.rs:42: the path is not checked. Fix: reject `..`.");
        assert_eq!([2, 0, 1].map(|i| review.count(Severity::ALL[i])), [1, 0, 1]);
        assert_eq!(
            (review.stated, review.verdict()),
            (Some(ReviewVerdict::Approved), Some(ReviewVerdict::Approved))
        );
        assert_eq!(problems(&review), Vec::<String>::new());
    }

    #[test]
    fn the_verdict_follows_from_findings_and_dimensions() {
        let medium = "- F1 [MEDIUM] quality, src/a.rs:1: long. Fix: split.\n";
        let table = [
            ("- correctness: pass\n".to_owned(), Some(ReviewVerdict::Approved)),
            ("- correctness: fail\n".to_owned(), Some(ReviewVerdict::Rejected)),
            (format!("- correctness: pass\n{}", medium.repeat(2)), Some(ReviewVerdict::Approved)),
            (format!("- correctness: pass\n{}", medium.repeat(3)), Some(ReviewVerdict::Rejected)),
            (medium.replace("MEDIUM", "HIGH"), Some(ReviewVerdict::Rejected)),
            ("- **Correctness**: pass-with-advisory\n".to_owned(), Some(ReviewVerdict::Approved)),
            ("| correctness | fail |\n".to_owned(), Some(ReviewVerdict::Rejected)),
            ("Nice work.\n".to_owned(), None),
            ("```\n- correctness: fail\n```\n".to_owned(), None),
        ];
        for (text, want) in table {
            assert_eq!(Review::of(&text).verdict(), want, "{text}");
        }
        assert!(ReviewVerdict::Rejected > ReviewVerdict::Approved, "the stricter wins");
    }

    #[test]
    fn counts_and_verdict_that_disagree_with_the_findings_are_noticed() {
        let table = [
            ("severity_medium: 1", "severity_medium: 4", "its record counts 4 medium, found 1"),
            ("status: pass", "status: fail", "its record says fail, its findings pass"),
            ("APPROVED", "REJECTED", "it states REJECTED, its findings lead to APPROVED"),
            ("- quality: pass\n", "", "dimensions without a result: quality"),
            ("src/store.rs:42", "somewhere", "F1 names no file and line"),
            ("security, src", "it, src", "F1 names no dimension"),
        ];
        for (from, to, want) in table {
            assert!(REVIEW.contains(from), "{from}");
            let found = problems(&Review::of(&REVIEW.replace(from, to)));
            assert!(found.iter().any(|problem| problem.starts_with(want)), "{want}: {found:?}");
        }
    }

    #[test]
    fn severities_and_results_in_other_words_count() {
        let review = |finding: &str, dimension: &str| {
            format!("## Dimensions\n{dimension}\n## Findings\n{finding}\n## Verdict\nAPPROVED\n")
        };
        let (pass, none) = ("- correctness: pass", "- None");
        let high = "- F1 [High] security, src/a.rs:1: open. Fix: close.";
        for (text, verdict) in [
            (review(high, pass), ReviewVerdict::Rejected),
            (review("| F1 | high | security | src/a.rs:1 | open |", pass), ReviewVerdict::Rejected),
            (review(none, "- correctness: pass\n- correctness: fail"), ReviewVerdict::Rejected),
            (review(none, "- quality: pass\n- correctness: failed"), ReviewVerdict::Rejected),
            (review(none, "- security: pass (low risk)"), ReviewVerdict::Approved),
        ] {
            assert_eq!(Review::of(&text).verdict(), Some(verdict), "{text}");
        }
        let untagged = Review::of(&review("- F1 security, src/a.rs:1: open. Fix: close.", pass));
        assert!(problems(&untagged).iter().any(|problem| problem.starts_with("F1 has no severity")));
        assert_eq!(
            (untagged.findings[0].severity, untagged.findings[0].place.as_str()),
            (Severity::Medium, "src/a.rs:1")
        );
    }

    #[test]
    fn only_a_closing_record_is_taken_off() {
        assert!(without_record(REVIEW).ends_with("APPROVED"));
        let inside = REVIEW.replace("## Verdict", "```yaml\nsentinel: review-verdict\n```\n\n## Verdict");
        assert!(without_record(&inside).contains("sentinel: review-verdict"));
        assert_eq!(without_record("no record"), "no record");
    }
}
