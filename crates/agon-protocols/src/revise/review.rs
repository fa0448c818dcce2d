//! The layout of a code review: seven dimensions, findings, a verdict. What a program reads of it,
//! and the verdict that follows.

use serde::Serialize;

use super::{
    critique::Severity,
    dimensions::parse_dimension,
    document::{normalise_words, parse_headings, unfenced_lines},
    findings::{FindingLine, FindingsReader, WITHDRAWN, number_finding},
};
pub use super::{
    dimensions::{DIMENSIONS, RESULTS},
    findings::Finding,
};

/// Sections of a review, in their order.
pub(super) const SECTIONS: [&str; 3] = ["dimensions", "findings", "verdict"];
/// So many findings of medium severity reject.
pub const MEDIUM_REJECTS: usize = 3;

/// A parsed review: results of its dimensions, findings, and the verdict and counts that it states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// Dimension and result, in the order of the review; no result where what stands there is none of the format.
    pub dimensions: Vec<(&'static str, Option<&'static str>)>,
    /// In the order of the review.
    pub findings: Vec<Finding>,
    /// The verdict that it states.
    pub stated: Option<ReviewVerdict>,
    /// What its closing record says: status, then high, medium, low.
    pub record: Option<(String, [Option<usize>; 3])>,
    /// Whether its verdict speaks of approval in words that are not the format's.
    is_verdict_unread: bool,
    /// Whether its list of findings has items, and none is read as a finding.
    is_list_unread: bool,
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
    /// What findings of these severities lead to: one of high severity, or three of medium, reject. One whose
    /// severity is not read counts as none of them.
    pub fn from_severities(severities: impl Iterator<Item = Option<Severity>>) -> Self {
        let severities: Vec<Severity> = severities.flatten().collect();
        let count = |wanted: Severity| severities.iter().filter(|severity| **severity == wanted).count();
        let rejected = count(Severity::High) > 0 || count(Severity::Medium) >= MEDIUM_REJECTS;
        if rejected { ReviewVerdict::Rejected } else { ReviewVerdict::Approved }
    }

    /// As reviews have it.
    pub fn name(self) -> &'static str {
        ["APPROVED", "REJECTED"][self as usize]
    }

    /// As the closing record has it.
    pub fn closing_status(self) -> &'static str {
        ["pass", "fail"][self as usize]
    }
}

impl Review {
    /// Reads `text`.
    pub fn parse(text: &str) -> Self {
        let mut review = Self { record: parse_closing_record(text), ..Self::default() };
        let (mut section, mut reader) = (String::new(), FindingsReader::default());
        for (_, line) in unfenced_lines(text) {
            let heading = parse_headings(line).pop().filter(|heading| heading.level <= 2);
            let heading = heading.map(|heading| normalise_words(&heading.text));
            if let Some(heading) = &heading {
                section.clone_from(heading);
            }
            let listed = section.contains("finding") && heading.is_none();
            let items =
                if heading.is_none() { reader.read_line(line, listed) } else { Vec::from_iter(reader.close_item()) };
            if let Some((name, result)) = parse_dimension(line).filter(|_| !listed && heading.is_none()) {
                // Elsewhere a line may begin with the name of a dimension and continue as a sentence.
                let is_told = result.is_some() || section.is_empty() || section.contains("dimension");
                is_told.then(|| review.add_result(name, result));
            }
            items.into_iter().for_each(|item| review.push_finding(&item));
            if section.contains("verdict") {
                review.take_verdict(line);
            }
        }
        reader.close_item().into_iter().for_each(|item| review.push_finding(&item));
        review.is_list_unread = review.findings.is_empty() && reader.unread > 0;
        review
    }

    /// Said twice, the stricter result counts.
    fn add_result(&mut self, name: &'static str, result: Option<&'static str>) {
        match self.dimensions.iter_mut().find(|(known, _)| *known == name) {
            Some(known) if result == Some("fail") || (result.is_none() && known.1 != Some("fail")) => {
                known.1 = result;
            }
            Some(_) => {}
            None => self.dimensions.push((name, result)),
        }
    }

    /// The findings of high severity that `later` does not have as such.
    pub fn find_dropped_findings(&self, later: &Self) -> Vec<Finding> {
        let is_high = |finding: &&Finding| finding.severity == Some(Severity::High);
        let is_kept = |finding: &Finding| later.findings.iter().filter(is_high).any(|other| finding.is_kept_as(other));
        self.findings.iter().filter(is_high).filter(|finding| !is_kept(finding)).cloned().collect()
    }

    /// Adds a finding that its author dropped.
    pub fn restore_finding(&mut self, finding: &Finding) {
        let text = finding.text.trim_end_matches(WITHDRAWN).trim_end();
        let id = format!("F{}", self.findings.len() + 1);
        self.findings.push(Finding { id, text: format!("{text} {WITHDRAWN}"), ..finding.clone() });
    }

    fn push_finding(&mut self, item: &FindingLine) {
        self.findings.push(number_finding(item, self.findings.len() + 1));
    }

    /// Takes the first verdict that a line of its section states. A line with both words states neither.
    fn take_verdict(&mut self, line: &str) {
        if self.stated.is_some() {
            return;
        }
        let plain = normalise_words(line);
        let verdicts = [ReviewVerdict::Rejected, ReviewVerdict::Approved];
        let named = |verdict: &ReviewVerdict| plain.split(' ').any(|word| word.eq_ignore_ascii_case(verdict.name()));
        let said: Vec<ReviewVerdict> = verdicts.into_iter().filter(named).collect();
        self.stated = match said[..] {
            [verdict] if is_stated(line, verdict) => Some(verdict),
            _ => None,
        };
        self.is_verdict_unread =
            self.stated.is_none() && (self.is_verdict_unread || plain.contains("approve") || plain.contains("reject"));
    }

    /// The findings whose severity is not read.
    pub fn unread_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity.is_none())
    }

    /// What its closing record leads to: a status other than `pass`, a finding of high severity or three of medium
    /// reject.
    fn recorded_verdict(&self) -> Option<ReviewVerdict> {
        let (status, [high, medium, _]) = self.record.as_ref()?;
        let passes = status.eq_ignore_ascii_case(ReviewVerdict::Approved.closing_status());
        let counted = *high > Some(0) || *medium >= Some(MEDIUM_REJECTS);
        match status.is_empty() {
            true if !counted => None,
            _ => Some(if passes && !counted { ReviewVerdict::Approved } else { ReviewVerdict::Rejected }),
        }
    }

    /// How many findings have this severity.
    pub fn count_findings(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Some(severity)).count()
    }

    /// What its findings and dimensions lead to, whatever it states: any finding of high severity, three of
    /// medium, or a dimension whose result is not a pass reject.
    fn compute_verdict(&self) -> ReviewVerdict {
        let passes = self.dimensions.iter().all(|(_, result)| result.is_some_and(|result| result != "fail"));
        let counted = ReviewVerdict::from_severities(self.findings.iter().map(|finding| finding.severity));
        if passes { counted } else { ReviewVerdict::Rejected }
    }

    /// The verdict: the strictest of what it states, what its record says, and what its findings and dimensions
    /// lead to. Where findings are not read, it is an approval only if it is stated or recorded as one. `None`
    /// where it holds nothing that a verdict could rest on.
    pub fn verdict(&self) -> Option<ReviewVerdict> {
        if self.dimensions.is_empty() && self.findings.is_empty() {
            return None;
        }
        let is_unread = self.is_list_unread || self.unread_findings().next().is_some();
        let said = [self.stated, self.recorded_verdict(), Some(self.compute_verdict())];
        let strictest = said.into_iter().flatten().max();
        let is_said = self.stated.is_some() || self.recorded_verdict().is_some();
        if self.is_verdict_unread || (is_unread && !is_said) { Some(ReviewVerdict::Rejected) } else { strictest }
    }

    /// The counts as a program keeps them.
    pub fn review_figures(&self) -> impl Serialize {
        let [high, medium, low] = Severity::ALL.map(|severity| self.count_findings(severity));
        let severity_not_read = Some(self.unread_findings().count()).filter(|unread| *unread > 0);
        ReviewFigures { verdict: self.verdict().map(ReviewVerdict::name), high, medium, low, severity_not_read }
    }
}

#[derive(Serialize)]
struct ReviewFigures {
    verdict: Option<&'static str>,
    high: usize,
    medium: usize,
    low: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity_not_read: Option<usize>,
}

/// What keeps a text from being a review at all.
pub fn check_review(review: &Review) -> Option<&'static str> {
    review.verdict().is_none().then_some("no dimension has a result; write each as \"- correctness: pass\"")
}

/// Where a review leaves its layout, one line each.
pub fn check_review_layout(review: &Review) -> Vec<String> {
    let mut problems = Vec::new();
    let lacks = |name: &&str| !review.dimensions.iter().any(|(known, result)| known == name && result.is_some());
    let missing: Vec<&str> = DIMENSIONS.into_iter().filter(lacks).collect();
    if !missing.is_empty() {
        problems.push(format!("dimensions without a result, pass, pass-with-advisory or fail: {}", missing.join(", ")));
    }
    for finding in review.unread_findings() {
        problems.push(format!("{} has no severity that is read; write [HIGH], [MEDIUM] or [LOW]", finding.id));
    }
    if review.is_list_unread {
        problems.push("no item of the findings is read as one; begin each with its id, such as F1 [HIGH]".into());
    }
    for finding in &review.findings {
        if finding.dimension.is_empty() {
            problems.push(format!("{} names no dimension", finding.id));
        }
        if finding.place.is_empty() {
            problems.push(format!("{} names no file and line, such as src/a.rs:12", finding.id));
        }
    }
    let computed = review.compute_verdict();
    match review.stated {
        None => problems.push("it states no verdict on a line of its own: APPROVED or REJECTED".into()),
        Some(stated) if stated != computed => {
            let (stated, computed) = (stated.name(), computed.name());
            problems.push(format!(
                "it states {stated}, and its findings and dimensions lead to {computed}; the stricter counts, so mend what is wrong"
            ));
        }
        Some(_) => {}
    }
    if let Some((status, counts)) = &review.record {
        for (severity, stated) in Severity::ALL.into_iter().zip(counts) {
            let count = review.count_findings(severity);
            if stated.is_some_and(|stated| stated != count) {
                let name = severity.name().to_lowercase();
                problems.push(format!("its record counts {} {name}, found {count}", stated.unwrap_or_default()));
            }
        }
        if !status.is_empty() && computed.closing_status() != status {
            problems.push(format!("its record says {status}, its findings {}", computed.closing_status()));
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

/// Whether `line` begins with `verdict`, behind the label of its section at most. `APPROVED: no`, `Approved? No.` and
/// `APPROVED/REJECTED` approve nothing.
fn is_stated(line: &str, verdict: ReviewVerdict) -> bool {
    let Some(at) = line.to_ascii_uppercase().find(verdict.name()) else { return false };
    let (before, after) = (&line[..at], &line[at + verdict.name().len()..]);
    let is_first = ["", "verdict"].contains(&normalise_words(before).as_str()) && !before.contains('~');
    let next = after.trim_start_matches(['*', '_', '`', ')', ']', '"']).chars().next();
    let goes_on = next.is_some_and(|next| !next.is_whitespace() && !"(-–—.,;!".contains(next));
    is_first && (verdict == ReviewVerdict::Rejected || !goes_on)
}

/// Status and counts of the closing record.
fn parse_closing_record(text: &str) -> Option<(String, [Option<usize>; 3])> {
    let (_, record) = text.rsplit_once("sentinel: review-verdict")?;
    let value = |key: &str| {
        let mut lines = record.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
    };
    let count = |key: &str| value(key).and_then(|count| count.parse().ok());
    let counts = ["severity_high", "severity_medium", "severity_low"].map(count);
    let status = value("status").unwrap_or_default().trim_matches(['"', '\'']).to_ascii_lowercase();
    Some((status, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: &str = include_str!("testdata/review.md");

    #[test]
    fn a_review_in_the_layout_has_no_problems() {
        let review = Review::parse(REVIEW);
        assert_eq!(review.dimensions.len(), 7);
        assert_eq!(review.dimensions[2], ("security", Some("pass-with-advisory")));
        let finding = &review.findings[0];
        assert_eq!((finding.dimension.as_str(), finding.place.as_str()), ("security", "src/store.rs:42"));
        assert_eq!(finding.text, "security, src/store.rs:42: the path is not checked. Fix: reject `..`.");
        assert_eq!([2, 0, 1].map(|i| review.count_findings(Severity::ALL[i])), [1, 0, 1]);
        assert_eq!((review.stated, review.verdict()), (Some(ReviewVerdict::Approved), Some(ReviewVerdict::Approved)));
        assert_eq!(check_review_layout(&review), Vec::<String>::new());
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
            assert_eq!(Review::parse(&text).verdict(), want, "{text}");
        }
        assert!(ReviewVerdict::Rejected > ReviewVerdict::Approved, "the stricter wins");
    }

    #[test]
    fn counts_and_verdict_that_disagree_with_the_findings_are_noticed() {
        let table = [
            ("severity_medium: 1", "severity_medium: 4", "its record counts 4 medium, found 1"),
            ("status: pass", "status: fail", "its record says fail, its findings pass"),
            ("APPROVED", "REJECTED", "it states REJECTED, and its findings and dimensions lead to APPROVED"),
            ("- quality: pass\n", "", "dimensions without a result, pass, pass-with-advisory or fail: quality"),
            ("src/store.rs:42", "somewhere", "F1 names no file and line"),
            ("security, src", "it, src", "F1 names no dimension"),
        ];
        for (from, to, want) in table {
            assert!(REVIEW.contains(from), "{from}");
            let found = check_review_layout(&Review::parse(&REVIEW.replace(from, to)));
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
            assert_eq!(Review::parse(&text).verdict(), Some(verdict), "{text}");
        }
        let untagged = Review::parse(&review("- F1 security, src/a.rs:1: open. Fix: close.", pass));
        assert!(
            check_review_layout(&untagged).iter().any(|problem| problem.starts_with("F1 has no severity that is read"))
        );
        assert_eq!((untagged.findings[0].severity, untagged.findings[0].place.as_str()), (None, "src/a.rs:1"));
    }

    #[test]
    fn what_is_not_read_is_approved_only_where_somebody_says_so() {
        let review = |finding: &str, stated: &str, record: &str| {
            let record = match record {
                "" => String::new(),
                record => format!("\n```yaml\nsentinel: review-verdict\n{record}\n```\n"),
            };
            let verdict = if stated.is_empty() { String::new() } else { format!("## Verdict\n{stated}\n") };
            format!("## Dimensions\n- correctness: pass\n## Findings\n{finding}\n{verdict}{record}")
        };
        use ReviewVerdict::{Approved, Rejected};
        for finding in
            ["- F1 [CRITICAL] quality, lib/a.py:7: x", "- [BLOCKER] x", "- F1 [严重] 锁没有释放", "- Die Sperre bleibt"]
        {
            for (stated, record, wanted) in [
                ("REJECTED", "status: fail\nseverity_high: 1", Rejected),
                ("REJECTED", "", Rejected),
                ("", "status: fail", Rejected),
                ("APPROVED", "status: pass\nseverity_high: 1", Rejected),
                ("APPROVED", "status: blocked", Rejected),
                ("", "", Rejected),
                ("**NOT APPROVED**", "", Rejected),
                ("**APPROVED** with advisories", "", Approved),
                ("✅ Approved (two notes)", "", Approved),
                ("APPROVED/REJECTED", "", Rejected),
                ("~~APPROVED~~ REJECTED", "", Rejected),
                ("~~APPROVED~~", "", Rejected),
                ("APPROVED: no", "", Rejected),
                ("Approved? No.", "", Rejected),
                ("REJECTED: it leaks", "", Rejected),
                ("Verdict: APPROVED", "status: pass\nseverity_high: 0", Approved),
                ("", "status: \"pass\"", Approved),
            ] {
                let text = review(finding, stated, record);
                assert_eq!(Review::parse(&text).verdict(), Some(wanted), "{text}");
            }
        }
        let low = review("- F1 [LOW] quality, lib/a.py:7: x", "REJECTED", "");
        assert_eq!(Review::parse(&low).verdict(), Some(Rejected), "the stricter counts");
    }

    #[test]
    fn a_finding_is_kept_by_its_place_or_its_words_and_named_by_id_or_place() {
        let of = |findings: &str| Review::parse(&format!("## Findings\n{findings}\n"));
        let before = of("- F1 [HIGH] security, src/a.rs:1: any file can be read.\n- F2 [HIGH] quality: too long.");
        let ids = |after: &str| {
            before.find_dropped_findings(&of(after)).into_iter().map(|finding| finding.id).collect::<Vec<_>>()
        };
        assert_eq!(ids("- None"), ["F1", "F2"]);
        assert_eq!(
            ids("- F1 [HIGH] quality: too long\n- F2 [LOW] security, src/a.rs:1: any file can be read."),
            ["F1"]
        );
        assert_eq!(
            ids("- F1 [HIGH] security, src/a.rs:1: in other words.\n- F2 [HIGH] quality: Too long!"),
            Vec::<String>::new()
        );
        let finding = &before.findings[0];
        assert!(
            finding.is_named("F1 cannot happen")
                && finding.is_named("at src/a.rs:1, too")
                && !finding.is_named("at src/a.rs:12")
                && !finding.is_named("F10 is wrong")
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
