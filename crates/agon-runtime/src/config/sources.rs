//! `[sources]`: which cited pages agon fetches, and how much of them.

use serde::Deserialize;

use crate::value_fault::{ValueFault, is_web_address, refuse_found};

/// Longest time for one source, in seconds.
const SECONDS_MAX: f64 = 60.0;
/// Maximum number of bytes of one page.
const BYTES_MAX: usize = 20 * 1024 * 1024;

/// The section `[sources]` of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourcesConfig {
    /// Hosts, subdomains included, that alone are asked; all where empty.
    pub allow: Vec<String>,
    /// Hosts, subdomains included, that are never asked.
    pub deny: Vec<String>,
    /// Hosts by their exact name, `host` or `host:port`, that may be on a private network. Only the
    /// user's own configuration may name them.
    pub allow_private: Vec<String>,
    /// Whether an archive is asked about pages that are gone; it is, where nobody says.
    pub archive: Option<bool>,
    /// Another archive than web.archive.org with the same interface.
    pub archive_url: Option<String>,
    /// Longest time for one source, in seconds.
    pub timeout_seconds: Option<f64>,
    /// Maximum number of bytes of a page, inflated.
    pub max_bytes: Option<usize>,
}

impl SourcesConfig {
    /// With what a project says: it can forbid more and allow no more.
    pub(super) fn overlay_with(self, over: Self) -> Self {
        let smaller = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
        Self {
            allow: if self.allow.is_empty() { over.allow } else { self.allow },
            deny: self.deny.into_iter().chain(over.deny).collect(),
            allow_private: self.allow_private,
            archive: if over.archive == Some(false) { over.archive } else { self.archive.or(over.archive) },
            archive_url: self.archive_url,
            timeout_seconds: smaller(self.timeout_seconds, over.timeout_seconds),
            max_bytes: self.max_bytes.into_iter().chain(over.max_bytes).min(),
        }
    }

    /// Refuses the first field whose value cannot be meant.
    pub(super) fn check(&self) -> Result<(), ValueFault> {
        let lists = [("allow", &self.allow), ("deny", &self.deny), ("allow_private", &self.allow_private)];
        for (field, hosts) in lists {
            let plain = |c: char| c.is_alphanumeric() || "-.:[]*_".contains(c);
            let wrong = hosts.iter().find(|host| host.is_empty() || !host.chars().all(plain));
            refuse_found(wrong, field, |host| {
                format!("{host:?} is not a host; write a name such as example.org, without http:// and path")
            })?;
        }
        refuse_found(self.archive_url.as_ref().filter(|url| !is_web_address(url)), "archive_url", |url| {
            format!("{url:?} is not an address; an address begins with https://")
        })?;
        let wrong = self.timeout_seconds.filter(|s| !s.is_finite() || *s <= 0.0 || *s > SECONDS_MAX);
        refuse_found(wrong, "timeout_seconds", |seconds| {
            format!("{seconds} is not a valid duration; it must be more than zero and at most {SECONDS_MAX}")
        })?;
        refuse_found(self.max_bytes.filter(|bytes| !(1024..=BYTES_MAX).contains(bytes)), "max_bytes", |bytes| {
            format!("{bytes} is not within 1024 and {BYTES_MAX}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SourcesConfig {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_project_forbids_more_and_allows_no_more() {
        let user = read("allow = [\"a.org\"]\nallow_private = [\"intranet\"]\ntimeout_seconds = 5.0");
        let project =
            read("allow = [\"b.org\"]\ndeny = [\"x.org\"]\narchive = false\ntimeout_seconds = 9.0\nmax_bytes = 4096");
        let both = user.overlay_with(project);
        assert_eq!(
            (both.allow, both.deny, both.archive),
            (vec!["a.org".to_owned()], vec!["x.org".to_owned()], Some(false))
        );
        assert_eq!((both.timeout_seconds, both.max_bytes), (Some(5.0), Some(4096)));
        assert_eq!(both.allow_private, ["intranet"]);
    }

    #[test]
    fn values_that_cannot_be_meant_are_named() {
        for (text, field) in [
            ("allow = [\"http://a.org/\"]", "allow"),
            ("deny = [\"\"]", "deny"),
            ("timeout_seconds = 0.0", "timeout_seconds"),
            ("max_bytes = 1", "max_bytes"),
            ("archive_url = \"ftp://a\"", "archive_url"),
        ] {
            assert_eq!(read(text).check().map_err(|fault| fault.key), Err(field.to_owned()));
        }
        assert!(toml::from_str::<SourcesConfig>("alow = []").is_err());
        assert_eq!(read("allow = [\"a.org\", \"*.b.org\"]\nallow_private = [\"[::1]:80\"]").check(), Ok(()));
    }
}
