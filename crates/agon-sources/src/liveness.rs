//! Whether a page still exists.

use serde::{Deserialize, Serialize};
use url::Url;

/// Whether a page exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Liveness {
    /// It is there.
    Live,
    /// It is there, under another address.
    Moved,
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
    #[default]
    Unchecked,
}

impl Liveness {
    /// Whether what the page says can count.
    pub fn is_readable(self) -> bool {
        matches!(self, Liveness::Live | Liveness::Moved | Liveness::DeadArchived)
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
    fn scheme_www_and_a_slash_make_no_other_page() {
        let url = |text: &str| Url::parse(text).unwrap();
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
        assert_eq!((Liveness::of_status(404), Liveness::of_status(410)), (Liveness::Missing, Liveness::Missing));
    }
}
