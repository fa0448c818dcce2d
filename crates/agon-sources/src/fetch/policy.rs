//! Step 1: which hosts agon may contact, and how much it may read.

use std::time::Duration;

use url::{Host, Url};

/// What agon may fetch. The default is the public web, within the limits of the ladder of trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Hosts, subdomains included, that alone may be asked; all where empty.
    pub allow: Vec<String>,
    /// Hosts, subdomains included, that are never asked.
    pub deny: Vec<String>,
    /// Hosts by their exact name, `host` or `host:port`, that may have private addresses and any port.
    pub allow_private: Vec<String>,
    /// The archive that is asked about pages that are gone; `None` for no archive.
    pub archive: Option<String>,
    /// Longest time for one source, redirects and robots.txt included.
    pub wait: Duration,
    /// Maximum number of bytes of a body, inflated.
    pub bytes_max: usize,
    /// Maximum number of redirects.
    pub redirects_max: usize,
    /// Least time between two requests to one host.
    pub pause: Duration,
}

/// Where the archive is that is asked by default.
pub const ARCHIVE: &str = "https://web.archive.org";

impl Default for Policy {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            allow_private: Vec::new(),
            archive: Some(ARCHIVE.into()),
            wait: Duration::from_secs(10),
            bytes_max: 2 * 1024 * 1024,
            redirects_max: 5,
            pause: Duration::from_millis(500),
        }
    }
}

impl Policy {
    /// Whether the host of `url` may be asked; says why not. `as_archive` lets the archive itself pass
    /// the lists.
    pub fn check_host(&self, url: &Url, as_archive: bool) -> Result<(), &'static str> {
        let host = host_name(url);
        if self.deny.iter().any(|rule| is_host_covered(rule, &host)) {
            return Err("denied by the configuration");
        }
        let is_private = self.is_private_allowed(url);
        let is_listed = self.allow.is_empty() || self.allow.iter().any(|rule| is_host_covered(rule, &host));
        if !as_archive && !is_listed && !is_private {
            return Err("not among the hosts that the configuration allows");
        }
        let port = url.port_or_known_default();
        if !matches!(port, Some(80 | 443)) && !is_private {
            return Err("not fetched: a port other than 80 and 443");
        }
        Ok(())
    }

    /// Whether the host of `url` is allowed by name, wherever it is.
    pub fn is_private_allowed(&self, url: &Url) -> bool {
        let host = host_name(url);
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        self.allow_private.iter().any(|rule| [&host, &with_port].contains(&&rule.to_lowercase()))
    }
}

/// The host as lists name it: in lower case, IPv6 in brackets, without a dot at the end.
pub fn host_name(url: &Url) -> String {
    match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.').to_lowercase(),
        Some(host) => host.to_string(),
        None => String::new(),
    }
}

fn is_host_covered(rule: &str, host: &str) -> bool {
    let rule = rule.trim_start_matches("*.").trim_end_matches('.').to_lowercase();
    host == rule || host.strip_suffix(&rule).is_some_and(|sub| sub.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_mean_a_host_and_those_below_it() {
        let policy = Policy {
            allow: vec!["good.org".into()],
            deny: vec!["bad.good.org".into()],
            allow_private: vec!["intranet".into(), "127.0.0.1:8080".into()],
            ..Policy::default()
        };
        for (url, wanted) in [
            ("https://good.org/x", true),
            ("https://www.GOOD.org./x", true),
            ("https://notgood.org/", false),
            ("https://x.bad.good.org/", false),
            ("https://good.org:8443/", false),
            ("http://good.org:80/", true),
            ("http://intranet:9999/", true),
            ("http://127.0.0.1:8080/", true),
            ("http://127.0.0.1:8081/", false),
            ("http://sub.intranet/", false),
        ] {
            assert_eq!(policy.check_host(&Url::parse(url).unwrap(), false).is_ok(), wanted, "{url}");
        }
    }
}
