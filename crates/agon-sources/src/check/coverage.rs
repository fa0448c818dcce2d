//! How many of the cited sources were checked.

use super::ruling::{SourceReport, UNOPENABLE};

/// How much of what was cited was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Sources, each in its passage.
    pub all: usize,
    /// Those whose page was read.
    pub opened: usize,
    /// Those with something that can be looked up: a page, and a quotation.
    pub checkable: usize,
    /// Those of which that was done.
    pub checked: usize,
}

impl Coverage {
    /// Of all reports.
    pub fn from_reports(reports: &[SourceReport]) -> Self {
        let checked = reports.iter().filter(|report| report.is_checked()).count();
        let is_open = |report: &&SourceReport| {
            !report.is_checked() && !report.liveness.is_readable() && report.code != UNOPENABLE
        };
        let checkable = checked + reports.iter().filter(is_open).count();
        let opened = reports.iter().filter(|report| report.liveness.is_readable()).count();
        Self { all: reports.len(), opened, checkable, checked }
    }

    /// In words; "nothing checked" looks like nothing else.
    pub fn summary_line(&self) -> String {
        let Self { all, opened, checkable, checked } = self;
        match (*all, *checked) {
            (0, _) => "NOTHING CHECKED: there are no sources".into(),
            (_, 0) if *opened == 0 => format!("NOTHING CHECKED: none of {all} sources could be opened"),
            (_, 0) => format!("NOTHING CHECKED: {opened} of {all} sources opened, and nothing was to be compared"),
            _ => format!("{checked} checked of {checkable} checkable, {all} in all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Page, ruling::compare_passage};
    use super::*;
    use crate::{fetch::Fetched, liveness::Liveness, text::PageText};

    fn page(url: &str, text: &str) -> Fetched {
        let text = format!("{text} {}", "More words that fill the page with something to read. ".repeat(6));
        let said = PageText { text, ..PageText::default() };
        Fetched { page: Some(Page::from_text(said).into()), ..Fetched::unread(url, Liveness::Live, "") }
    }

    #[test]
    fn coverage_never_makes_nothing_look_like_everything() {
        let one = compare_passage("It is 5%.", &[Fetched::unread("https://a.b", Liveness::Unreachable, "")]);
        assert_eq!(Coverage::from_reports(&one).summary_line(), "NOTHING CHECKED: none of 1 sources could be opened");
        assert!(Coverage::from_reports(&[]).summary_line().starts_with("NOTHING CHECKED"));
        let named = compare_passage("See https://a.b.", &[page("https://a.b", "The town planted 4,000 trees.")]);
        let named = Coverage::from_reports(&named).summary_line();
        assert_eq!(named, "NOTHING CHECKED: 1 of 1 sources opened, and nothing was to be compared");
        let said = "They write: \"The town planted 4,000 trees.\"";
        let two = compare_passage(said, &[page("https://a.b", "The town planted 4,000 trees.")]);
        assert_eq!(Coverage::from_reports(&two).summary_line(), "1 checked of 1 checkable, 1 in all");
    }
}
