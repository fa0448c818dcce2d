//! The files of a review: `review.md` for people, `findings.json` for programs, and `review.sarif` for code
//! hosts and editors.

mod answers;
mod findings;
mod html;
mod page;
mod sarif;
mod views;

use agon_core::View;
use agon_protocols::review::{
    finding::FindingSeverity,
    state::{FindingCase, FindingStatus, ReviewState},
};
use agon_text::parse_place;

use crate::{File, Format};

/// `review.md`, `findings.json` and `review.sarif`.
pub static FORMAT: Format = Format {
    views: &views::ReviewViews,
    ..Format::new("review", "a review's verdict and findings as Markdown, JSON and SARIF", |record, _, _| {
        let state = ReviewState::from_view(&View::of_whole_record(record));
        vec![
            File::new("review.md", page::render_page(record, &state)),
            File::new("findings.json", findings::render_findings(record, &state)),
            File::new("review.sarif", sarif::render_sarif(record, &state)),
        ]
    })
};

/// The findings of each status in turn, those of a higher severity first.
fn by_severity(state: &ReviewState, of: impl IntoIterator<Item = FindingStatus>) -> Vec<&FindingCase> {
    let of_status = |status| {
        let mut cases: Vec<&FindingCase> = state.with_status(status).collect();
        cases.sort_by_key(|case| std::cmp::Reverse(case.severity()));
        cases
    };
    of.into_iter().flat_map(of_status).collect()
}

/// The file of a finding, and its lines where it has some in the new version.
fn locate_finding(case: &FindingCase) -> (String, Option<(u32, u32)>) {
    use agon_protocols::review::answers::PlaceCode;
    let is_removed = case.check.as_ref().is_some_and(|check| check.code == PlaceCode::QuoteRemoved);
    match parse_place(case.place()) {
        Ok(cited) if is_removed => (cited.path, None),
        Ok(cited) => (cited.path, Some((cited.first, cited.last))),
        Err(_) => (without_lines(case.place()).to_owned(), None),
    }
}

/// The path of a place whose lines no file has: `a.rs:0`, `a.rs:9-3`.
fn without_lines(place: &str) -> &str {
    let is_lines = |tail: &str| !tail.is_empty() && tail.chars().all(|c| c.is_ascii_digit() || "-– ".contains(c));
    place.rsplit_once(':').filter(|(_, tail)| is_lines(tail)).map_or(place, |(path, _)| path)
}

/// How a code host shows a finding: a concern blocks nothing, so it is a note.
fn finding_level(case: &FindingCase) -> &'static str {
    match (case.status(), case.severity()) {
        (FindingStatus::Held, FindingSeverity::High) => "error",
        (FindingStatus::Held, FindingSeverity::Medium) => "warning",
        _ => "note",
    }
}
