//! Claims about pages, true ones and false ones, in several languages: no false one is said to stand there,
//! and no true one is said to be wrong. The table was written before the rules; see `claims.txt`.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // Helpers are part of the test.

use agon_sources::{
    check::{
        Page,
        ruling::{SourceReport, SourceStanding, judge},
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
    let filler = FILLER.repeat(4);
    let (declared, media, body) = match line.split_once(':') {
        Some(("csv", body)) => ("text/csv", Media::Plain, body.to_owned()),
        Some(("json", body)) => ("application/json", Media::Plain, body.to_owned()),
        Some(("html", body)) => ("text/html", Media::Html, format!("{body}<p>{filler}</p>")),
        _ => ("text/plain", Media::Plain, format!("{line}\n\n{filler}")),
    };
    let said = text::read(media, declared, body.as_bytes()).unwrap();
    Fetched { page: Some(Page::of(said).into()), ..Fetched::unread("https://a.b", Liveness::Live, "") }
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
fn no_false_claim_stands_there_and_no_true_one_is_wrong() {
    let table = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claims.txt")).unwrap();
    let mut here = None;
    let (mut stand, mut trues, mut falses) = (0, 0, 0);
    let (mut wrong, mut open) = (Vec::new(), Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(text) = line.strip_prefix("page: ") {
            here = Some(page(text));
            continue;
        }
        let (mark, claim) = line.split_once(' ').unwrap();
        let claim = unescaped(claim);
        let report: SourceReport = judge(&claim, &[here.clone().unwrap()]).remove(0);
        let shown =
            format!("{mark} {claim}\n      {} {}: {}", report.standing.name(), report.code, report.why);
        match (mark, report.standing) {
            ("+", SourceStanding::Verified) => (stand, trues) = (stand + 1, trues + 1),
            ("+", SourceStanding::Unverified) => {
                trues += 1;
                open.push(shown);
            }
            ("-", SourceStanding::Unverified | SourceStanding::Unreliable) => falses += 1,
            _ => wrong.push(shown),
        }
    }
    eprintln!("true claims that stand there: {stand} of {trues}; false ones: 0 of {falses}");
    open.iter().for_each(|line| eprintln!("open: {line}"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(trues >= 60 && falses >= 60, "{trues} true, {falses} false");
    assert!(stand * 10 >= trues * 8, "only {stand} of {trues} true claims are found");
}
