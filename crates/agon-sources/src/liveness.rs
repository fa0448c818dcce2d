//! Step 4: whether a page still exists.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::text::PageText;

/// Whether a page exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Liveness {
    /// It is there.
    Live,
    /// It is there, under another address.
    Moved,
    /// The server answers, and says that there is not such a page.
    Soft404,
    /// It is gone, and an archive holds a copy.
    DeadArchived,
    /// It is gone; whether it ever was is not known.
    Missing,
    /// It is not there, and an archive that was asked has never seen it; or its name cannot exist.
    NeverSeen,
    /// Access was refused: by the server, by its robots.txt, or by the rules of this program.
    Blocked,
    /// It could not be reached, or not be read whole.
    Unreachable,
    /// Nobody looked.
    Unchecked,
}

impl Liveness {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Liveness::Live => "live",
            Liveness::Moved => "moved",
            Liveness::Soft404 => "soft-404",
            Liveness::DeadArchived => "dead-archived",
            Liveness::Missing => "missing",
            Liveness::NeverSeen => "never-seen",
            Liveness::Blocked => "blocked",
            Liveness::Unreachable => "unreachable",
            Liveness::Unchecked => "unchecked",
        }
    }

    /// By an HTTP status that is neither a success nor a redirect. Gone is not yet known to be missing for
    /// ever: an archive may be asked.
    pub fn of_status(status: u16) -> Self {
        match status {
            404 | 410 => Liveness::Missing,
            401 | 402 | 403 | 407 | 429 | 451 => Liveness::Blocked,
            _ => Liveness::Unreachable,
        }
    }
}

/// Words by which a page says that it is none.
const GONE: [&str; 16] = [
    "page not found",
    "404 not found",
    "error 404",
    "404 error",
    "not found (404)",
    "page cannot be found",
    "page can't be found",
    "page could not be found",
    "page doesn't exist",
    "page does not exist",
    "no longer available",
    "page you requested",
    "page you are looking for",
    "seite nicht gefunden",
    "page introuvable",
    "página no encontrada",
];
/// A page of more letters than these holds something else as well.
const GONE_CHARS_MAX: usize = 1_500;

/// Whether a page that the server gave as good says that there is none, or is merely the front page.
pub fn is_soft_404(asked: &Url, given: &Url, page: &PageText) -> bool {
    let fold = |text: &str| text.to_lowercase().replace('’', "'");
    let head = format!("{}\n{}", fold(&page.title), fold(&page.heading));
    let says = |text: &str| GONE.iter().any(|words| text.contains(words));
    let short = page.text.chars().count() <= GONE_CHARS_MAX;
    let titled = head.lines().any(|line| line.trim() == "404" || line.trim() == "not found" || says(line));
    let deep =
        |url: &Url| url.path().trim_matches('/').contains(char::is_alphanumeric) || url.query().is_some();
    let front = deep(asked) && !deep(given);
    if short {
        return titled || says(&fold(&page.text)) || front;
    }
    front || (titled && page.title.to_lowercase().contains("404"))
}

/// Whether `given` is another page's address than `asked`: scheme, `www.` and a slash at the end make
/// no other page.
pub fn is_moved(asked: &Url, given: &Url) -> bool {
    let key = |url: &Url| {
        let host = url.host_str().unwrap_or_default().trim_start_matches("www.").to_owned();
        (host, url.path().trim_end_matches('/').to_owned(), url.query().map(str::to_owned))
    };
    key(asked) != key(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_says_it_is_none_is_a_soft_404() {
        let url = |text: &str| Url::parse(text).unwrap();
        let page = |title: &str, text: &str| PageText {
            title: title.into(),
            text: text.into(),
            ..PageText::default()
        };
        let (deep, front) = (url("https://a.b/x/y"), url("https://a.b/"));
        let long = "Words about the report. ".repeat(100);
        for (given, page, wanted) in [
            (&deep, page("Page not found | A", "Sorry."), true),
            (&deep, page("A", "The page you are looking for has moved on."), true),
            (&deep, page("404", ""), true),
            (&deep, page("Report", &format!("{long} a page not found there {long}")), false),
            (&deep, page("Report", "A short report."), false),
            (&front, page("A", &long), true),
        ] {
            assert_eq!(is_soft_404(&deep, given, &page), wanted, "{given} {page:?}");
        }
        assert!(!is_soft_404(&front, &front, &page("A", "Home")));
        assert!(!is_moved(&url("http://www.a.b/x"), &url("https://a.b/x/")));
        assert!(is_moved(&url("http://a.b/x"), &url("https://a.b/y")));
    }

    #[test]
    fn v4_only_404_and_410_say_that_a_page_is_gone() {
        for status in [401, 402, 403, 407, 429, 451] {
            assert_eq!(Liveness::of_status(status), Liveness::Blocked);
        }
        for status in [500, 502, 503, 504, 418, 400, 300] {
            assert_eq!(Liveness::of_status(status), Liveness::Unreachable);
        }
        assert_eq!(
            (Liveness::of_status(404), Liveness::of_status(410)),
            (Liveness::Missing, Liveness::Missing)
        );
    }
}
