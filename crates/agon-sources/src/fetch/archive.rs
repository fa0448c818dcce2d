//! Pages that are gone: an archive may know them. Only where it was asked and has never seen a page is
//! that page called never seen.

use std::time::Instant;

use url::Url;

use super::{Fetched, Fetcher, WantedPage};
use crate::{check::citations, liveness::Liveness};

/// What an archive knows of a page.
enum ArchiveLookup {
    /// Its copy of this time (`yyyymmddhhmmss`).
    Copy(String),
    /// It never saw it.
    Never,
}

impl Fetcher {
    /// The result of asking the archive for a page that is gone.
    pub(super) async fn ask_archive(&self, wanted: WantedPage<'_>, status: Option<u16>, why: &str) -> Fetched {
        let WantedPage { cited, url, until } = wanted;
        let missing = Fetched { http_status: status, ..Fetched::unread(cited, Liveness::Missing, why) };
        let Some(archive) = self.policy.archive.clone() else { return missing };
        // The archive is slow, and no part of the page's own time.
        let until = until.max(Instant::now() + self.policy.wait / 2);
        match self.find_archived_copy(&archive, url, until).await {
            None => missing,
            Some(ArchiveLookup::Never) => {
                Fetched { liveness: Liveness::NeverSeen, why: format!("{why}, and the archive has no copy"), ..missing }
            }
            Some(ArchiveLookup::Copy(time)) => {
                let copy = Url::parse(&format!("{archive}/web/{time}id_/{url}"));
                let Ok(copy) = copy else { return missing };
                let why = format!("{why}; archived copy of {}", time.get(..8).unwrap_or(&time));
                let dead = Fetched { liveness: Liveness::DeadArchived, why, ..missing };
                match self.follow_redirects(&copy, until, true).await {
                    Ok((given, response)) if (200..=299).contains(&response.status) => {
                        // A copy of a page that says it is none is none.
                        let wanted = WantedPage { cited, url: &copy, until };
                        let read = Box::pin(self.read_response(wanted, &given, response)).await;
                        Fetched { liveness: Liveness::DeadArchived, why: dead.why, http_status: status, ..read }
                    }
                    _ => dead,
                }
            }
        }
    }

    /// What it knows of `url`; `None` where it could not be asked.
    async fn find_archived_copy(&self, archive: &str, url: &Url, until: Instant) -> Option<ArchiveLookup> {
        let index = Url::parse_with_params(
            &format!("{archive}/cdx/search/cdx"),
            [
                ("url", url.as_str()),
                ("output", "json"),
                ("limit", "-1"),
                ("filter", "statuscode:200"),
                ("fl", "timestamp"),
            ],
        );
        let index = index.ok()?;
        citations::parse_fetchable_url(index.as_str()).ok()?;
        let (_, response) = self.follow_redirects(&index, until, true).await.ok()?;
        if response.status != 200 || response.is_cut {
            return None;
        }
        // [["timestamp"], ["20200102030405"]], or [] where it knows none.
        let rows: Vec<Vec<String>> = serde_json::from_slice(&response.body).ok()?;
        match rows.last().and_then(|row| row.first()) {
            Some(time) if time.len() == 14 && time.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(ArchiveLookup::Copy(time.clone()))
            }
            None if rows.is_empty() => Some(ArchiveLookup::Never),
            Some(head) if head == "timestamp" && rows.len() == 1 => Some(ArchiveLookup::Never),
            _ => None,
        }
    }
}
