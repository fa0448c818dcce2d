//! Claims about pages, true ones and false ones, in several languages: what is quoted stands there or does not, and
//! about prose nothing is said. See `claims.txt`.

#![allow(clippy::unwrap_used)] // Helpers are part of the test.

use agon_sources::{
    check::{
        Page,
        ruling::{SourceReport, SourceStanding, compare_passage},
    },
    fetch::Fetched,
    liveness::Liveness,
    text::{self, Media},
};

/// Words that make a page long enough to be read, and say nothing.
const FILLER: &str = "More words that fill the page with something to read. ";

/// The page of a line of the table.
fn page(line: &str) -> Fetched {
    let line = unescaped(line);
    let filler = FILLER.repeat(25);
    let (declared, media, body) = match line.split_once(':') {
        Some(("csv", body)) => ("text/csv", Media::Plain, body.to_owned()),
        Some(("json", body)) => ("application/json", Media::Plain, body.to_owned()),
        Some(("html", body)) => ("text/html", Media::Html, format!("{body}<p>{filler}</p>")),
        _ => ("text/plain", Media::Plain, format!("{line}\n\n{filler}")),
    };
    let said = text::read_page_text(media, declared, body.as_bytes()).unwrap();
    Fetched { page: Some(Page::from_text(said).into()), ..Fetched::unread("https://a.b", Liveness::Live, "") }
}

/// `\n` and `\u{…}` as the characters that they stand for.
fn unescaped(line: &str) -> String {
    let mut made = line.replace("\\n", "\n");
    while let Some(at) = made.find("\\u{") {
        let end = at + made[at..].find('}').unwrap();
        let code = u32::from_str_radix(&made[at + 3..end], 16).unwrap();
        made.replace_range(at..=end, &char::from_u32(code).unwrap().to_string());
    }
    made
}

#[test]
fn quotations_are_compared_and_prose_is_not_judged() {
    let table = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claims.txt")).unwrap();
    let mut here = None;
    let (mut counts, mut wrong) = ([0; 3], Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(text) = line.strip_prefix("page: ") {
            here = Some(page(text));
            continue;
        }
        let (mark, claim) = line.split_once(' ').unwrap();
        let claim = unescaped(claim);
        let report: SourceReport = compare_passage(&claim, &[here.clone().unwrap()]).remove(0);
        let (at, wanted) = match mark {
            "=" => (0, SourceStanding::Unverified),
            "+" => (1, SourceStanding::Verified),
            _ => (2, SourceStanding::Unreliable),
        };
        counts[at] += 1;
        if report.standing != wanted || mark == "=" && report.code != "no-quote" {
            wrong.push(format!("{line}\n      {} {}: {}", report.standing.name(), report.code, report.why));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts[0] >= 250 && counts[1] >= 10 && counts[2] >= 5, "{counts:?}");
}
