//! Steps 1 to 4: fetches a cited page safely, and stores it.

pub mod address;
mod archive;
mod pdf;
pub mod policy;
pub mod post;
pub(crate) mod request;
mod robots;
pub mod store;

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use agon_core::Digest;
use tokio::sync::Mutex;
use url::{Host, Url};

use self::{address::Resolved, request::Response};
pub use self::{pdf::PdfReader, policy::Policy};
use crate::{
    check::{Page, citations},
    liveness::{Liveness, is_moved},
    text::{self, Media, PageText},
};

/// The result of fetching one address: its final address, status, and stored content.
#[derive(Debug, Clone, Default)]
pub struct Fetched {
    /// As it was cited.
    pub url: String,
    /// Where it was in the end.
    pub final_url: String,
    /// The result.
    pub liveness: Liveness,
    /// HTTP status, where a server answered.
    pub http_status: Option<u16>,
    /// When, UTC; `None` where nobody was asked.
    pub fetched_at: Option<String>,
    /// SHA-256 of the body.
    pub sha256: Option<String>,
    /// Whether the body continues beyond what was read.
    pub is_cut: bool,
    /// Why it is as it is, in words; may be empty.
    pub why: String,
    /// What it says.
    pub page: Option<Arc<Page>>,
}

impl Fetched {
    /// Of an address of which nothing was read.
    pub fn unread(url: &str, liveness: Liveness, why: &str) -> Self {
        let (url, why) = (url.to_owned(), why.to_owned());
        Self { final_url: url.clone(), url, liveness, why, ..Self::default() }
    }

    /// Of a page that is kept, with what it says.
    fn of_stored(kept: store::StoredPage, page: Option<Arc<Page>>) -> Self {
        let store::StoredPage { url, final_url, status, at, sha256, liveness, is_cut, .. } = kept;
        let (http_status, fetched_at, sha256) = (Some(status), Some(at), Some(sha256));
        let why = if is_cut { "too large to be read whole".into() } else { String::new() };
        Self { url, final_url, liveness, http_status, fetched_at, sha256, is_cut, why, page }
    }
}

/// Bytes of a robots.txt that are read (RFC 9309 wants 500 KiB at least).
const ROBOTS_BYTES_MAX: usize = 512 * 1024;
/// Addresses that are fetched at once.
const AT_ONCE: usize = 8;
/// Pages that are kept in memory; further ones are fetched again.
const PAGES_MAX: usize = 200;
/// A name that exists, to see whether the name service answers at all (RFC 2606).
const CONTROL: &str = "example.com";

/// Fetches pages, each once.
pub struct Fetcher {
    policy: Policy,
    store: Option<store::Store>,
    pdf: Option<PdfReader>,
    robots: Mutex<BTreeMap<String, Option<Arc<[u8]>>>>,
    next: Mutex<BTreeMap<String, Instant>>,
    pages: Mutex<BTreeMap<String, Fetched>>,
}

/// Why nothing came of a request.
struct FetchRefusal(Liveness, String);

type FetchResult<T> = Result<T, FetchRefusal>;

/// A page that is fetched: its address as it was cited, what is asked for, and until when.
#[derive(Clone, Copy)]
struct WantedPage<'a> {
    cited: &'a str,
    url: &'a Url,
    until: Instant,
}

impl Fetcher {
    /// With these rules. Bodies go into `store`; PDF files are read by `pdf`.
    pub fn new(policy: Policy, store: Option<store::Store>, pdf: Option<PdfReader>) -> Self {
        Self { policy, store, pdf, robots: Mutex::default(), next: Mutex::default(), pages: Mutex::default() }
    }

    /// Fetches `urls`; the results are in their order, and equal addresses are fetched once.
    pub async fn fetch_all(&self, urls: &[String]) -> Vec<Fetched> {
        use futures::StreamExt;
        let mut seen = BTreeSet::new();
        let once: Vec<String> = urls.iter().filter(|url| seen.insert(*url)).cloned().collect();
        let calls: Vec<_> = once.into_iter().map(|url| async move { self.fetch_page(&url).await }).collect();
        let fetched = futures::stream::iter(calls).buffer_unordered(AT_ONCE);
        let fetched: Vec<Fetched> = fetched.collect().await;
        let of = |url: &String| fetched.iter().find(|fetched| fetched.url == *url).cloned();
        urls.iter().filter_map(of).collect()
    }

    /// Takes each of these pages as it was fetched last, if it is kept and was not fetched here: it is not asked for again.
    pub async fn remember_kept(&self, urls: &[String]) {
        for url in urls {
            if !self.pages.lock().await.contains_key(url)
                && let Some(fetched) = self.read_kept(url).await
            {
                self.pages.lock().await.insert(url.clone(), fetched);
            }
        }
    }

    async fn read_kept(&self, url: &str) -> Option<Fetched> {
        let store = self.store.as_ref()?;
        let kept = store.find_fetch(url)?;
        let page = self.extract_text(&kept.media, &store.read_body(&kept.sha256)?).await.ok()?;
        Some(Fetched::of_stored(kept, Some(Arc::new(Page::from_text(page)))))
    }

    /// Fetches `url`. It takes hardly longer than the policy's wait.
    pub async fn fetch_page(&self, url: &str) -> Fetched {
        if let Some(known) = self.pages.lock().await.get(url) {
            return known.clone();
        }
        let fetched = self.fetch_new(url).await;
        let mut pages = self.pages.lock().await;
        if pages.len() < PAGES_MAX {
            pages.insert(url.to_owned(), fetched.clone());
        }
        fetched
    }

    async fn fetch_new(&self, url: &str) -> Fetched {
        let parsed = match citations::parse_fetchable_url(url) {
            Ok(parsed) => parsed,
            Err(why) => {
                return Fetched::unread(url, Liveness::Unchecked, &format!("the address cannot be fetched: {why}"));
            }
        };
        let until = Instant::now() + self.policy.wait;
        let wanted = WantedPage { cited: url, url: &parsed, until };
        match self.follow_redirects(&parsed, until, false).await {
            Ok((given, response)) => self.read_response(wanted, &given, response).await,
            Err(FetchRefusal(Liveness::Missing, why)) => self.ask_archive(wanted, None, &why).await,
            Err(FetchRefusal(liveness, why)) => Fetched::unread(url, liveness, &why),
        }
    }

    /// The answer at the end of the redirects, and where that is.
    async fn follow_redirects(&self, asked: &Url, until: Instant, as_archive: bool) -> FetchResult<(Url, Response)> {
        let mut url = asked.clone();
        let mut seen = vec![url.clone()];
        let lost = |why: String| FetchRefusal(Liveness::Unreachable, why);
        loop {
            let addresses = self.resolve_allowed(&url, until, as_archive).await?;
            if !as_archive && !self.robots_allow(&url, &addresses, until).await {
                return Err(FetchRefusal(Liveness::Blocked, "its robots.txt forbids reading it".into()));
            }
            self.take_turn(&url, until).await?;
            let response = request::request_page(&url, &addresses, until, self.policy.bytes_max).await;
            let response = response.map_err(lost)?;
            let to = response.location.as_deref().filter(|_| matches!(response.status, 301 | 302 | 303 | 307 | 308));
            let Some(to) = to else { return Ok((url, response)) };
            let next = url.join(to).map_err(|_| lost("a redirect without an address".into()))?;
            let next = citations::parse_fetchable_url(next.as_str())
                .map_err(|why| lost(format!("a redirect that cannot be followed: {why}")))?;
            if seen.contains(&next) {
                return Err(lost("its redirects form a circle".into()));
            }
            if seen.len() > self.policy.redirects_max {
                return Err(lost(format!("more than {} redirects", self.policy.redirects_max)));
            }
            seen.push(next.clone());
            url = next;
        }
    }

    /// The addresses of the host of `url` that may be connected to.
    async fn resolve_allowed(&self, url: &Url, until: Instant, as_archive: bool) -> FetchResult<Vec<SocketAddr>> {
        // Nobody is asked about such a name, whatever the port.
        if let Some(Host::Domain(name)) = url.host()
            && address::is_impossible(name).await
        {
            return Err(FetchRefusal(Liveness::NeverSeen, "this name cannot belong to a site".into()));
        }
        self.policy.check_host(url, as_archive).map_err(|why| FetchRefusal(Liveness::Blocked, why.into()))?;
        let port = url.port_or_known_default().unwrap_or(443);
        let wait = until.saturating_duration_since(Instant::now());
        let found = match address::resolve_url(url, wait).await {
            Some(Resolved::To(found)) => found,
            Some(Resolved::NoSuchName) if self.names_resolve(wait).await => {
                return Err(FetchRefusal(Liveness::Missing, "there is no site of this name".into()));
            }
            Some(Resolved::Unknown(why)) => return Err(FetchRefusal(Liveness::Unreachable, why)),
            Some(_) => return Err(FetchRefusal(Liveness::Unreachable, "the name could not be resolved".into())),
            None => return Err(FetchRefusal(Liveness::Unchecked, "it names no site".into())),
        };
        address::check_addresses(&found, port, self.policy.is_private_allowed(url))
            .map_err(|why| FetchRefusal(Liveness::Blocked, format!("not fetched: {why}")))
    }

    /// Whether the name service is there: without it nothing can be said not to exist.
    async fn names_resolve(&self, wait: Duration) -> bool {
        matches!(address::resolve_host(CONTROL, wait.min(Duration::from_secs(3))).await, Resolved::To(_))
    }

    /// Whether the site's robots.txt lets this program read `url`. A site that refuses it by a server
    /// error refuses everything, one without it nothing (RFC 9309).
    async fn robots_allow(&self, url: &Url, addresses: &[SocketAddr], until: Instant) -> bool {
        let origin = url.origin().ascii_serialization();
        let known = self.robots.lock().await.get(&origin).cloned();
        let rules = match known {
            Some(rules) => rules,
            None => {
                let Ok(robots) = url.join("/robots.txt") else { return true };
                let wait = Instant::now() + until.saturating_duration_since(Instant::now()) / 2;
                let rules = match request::request_page(&robots, addresses, wait, ROBOTS_BYTES_MAX).await {
                    Ok(Response { status: 200..=299, body, .. }) => Some(body.into()),
                    Ok(Response { status: 500..=599, .. }) => Some(b"User-agent: *\nDisallow: /\n"[..].into()),
                    // What cannot be reached says so itself in a moment.
                    _ => None,
                };
                self.robots.lock().await.insert(origin, rules.clone());
                rules
            }
        };
        rules.is_none_or(|rules| robots::is_allowed(&rules, request::ROBOT, url))
    }

    /// Waits until the host may be asked again.
    async fn take_turn(&self, url: &Url, until: Instant) -> FetchResult<()> {
        let now = Instant::now();
        let turn = {
            let mut next = self.next.lock().await;
            let turn = next.get(&policy::host_name(url)).copied().unwrap_or(now).max(now);
            if turn < until {
                next.insert(policy::host_name(url), turn + self.policy.pause);
            }
            turn
        };
        if turn >= until {
            return Err(FetchRefusal(Liveness::Unchecked, "too many sources of one site; not fetched in time".into()));
        }
        tokio::time::sleep_until(turn.into()).await;
        Ok(())
    }

    async fn read_response(&self, wanted: WantedPage<'_>, given: &Url, response: Response) -> Fetched {
        let Response { status, media, body, is_cut, .. } = response;
        let mut kept = store::StoredPage {
            url: wanted.cited.to_owned(),
            final_url: given.to_string(),
            status,
            at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            media: media.chars().take(100).collect(),
            sha256: Digest::from_content(&body).to_string(),
            liveness: Liveness::of_status(status),
            is_cut,
        };
        if !(200..=299).contains(&status) {
            let why = format!("HTTP status {status}");
            return match kept.liveness {
                Liveness::Missing => self.ask_archive(wanted, Some(status), &why).await,
                _ => Fetched { sha256: None, why, ..Fetched::of_stored(kept, None) },
            };
        }
        let (liveness, page, unread) = match self.extract_text(&media, &body).await {
            Ok(page) if !page.text.is_empty() => {
                let liveness = if is_moved(wanted.url, given) { Liveness::Moved } else { Liveness::Live };
                (liveness, Some(Arc::new(Page::from_text(page))), None)
            }
            Ok(PageText { title: why, .. }) | Err(why) => (Liveness::Unreachable, None, Some(why)),
        };
        kept.liveness = liveness;
        // Step 3. A page that cannot be kept is not evidence: what rests on it could not be shown again.
        let stored = self.store.as_ref().map_or(Ok(()), |store| store.store_body(&body, &kept));
        let fetched = Fetched::of_stored(kept, page);
        match (stored, unread) {
            (Err(error), _) => {
                let why = format!("the page could not be kept: {error}");
                Fetched { liveness: Liveness::Unreachable, page: None, why, ..fetched }
            }
            (Ok(()), Some(why)) if why.is_empty() => Fetched { why: "the page has no text".into(), ..fetched },
            (Ok(()), Some(why)) => Fetched { why, ..fetched },
            (Ok(()), None) => fetched,
        }
    }

    async fn extract_text(&self, media: &str, body: &[u8]) -> Result<PageText, String> {
        let kind = Media::from_declared(media, body);
        match (kind, &self.pdf) {
            (Media::Pdf, Some(pdf)) => {
                Ok(PageText { text: pdf.read_text(body.to_vec()).await?, ..PageText::default() })
            }
            (Media::Pdf, None) => Err("a PDF file, which cannot be read here".into()),
            _ => text::read_page_text(kind, media, body).ok_or_else(|| "neither text nor HTML nor PDF".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
