//! Services that find pages: SearXNG, Brave and Tavily. What they answer is a list of addresses with excerpts, and data
//! like every other text of others.

use std::{fmt, time::Duration};

use reqwest::{Client, RequestBuilder, redirect};
use serde::Deserialize;
use url::Url;

use crate::fetch::request::read_body;

/// Longest wait for an answer.
const WAIT: Duration = Duration::from_secs(20);
/// Largest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 2 << 20;
/// Pages that are asked for and taken.
const PAGES_MAX: usize = 8;

/// Whose interface is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchInterface {
    /// That of a SearXNG server, which must offer JSON.
    SearXng,
    /// Brave's.
    Brave,
    /// Tavily's.
    Tavily,
}

/// A service.
pub struct WebSearch {
    interface: SearchInterface,
    url: String,
    key: Option<String>,
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSearch").field("interface", &self.interface).finish_non_exhaustive()
    }
}

/// A page that was found.
#[derive(Debug, Deserialize)]
pub struct FoundPage {
    /// Its title; can be empty.
    #[serde(default)]
    pub title: String,
    /// Its address.
    pub url: String,
    /// An excerpt; can be empty.
    #[serde(default, alias = "description")]
    pub content: String,
}

/// The answer of SearXNG and of Tavily.
#[derive(Debug, Deserialize)]
struct PageResults {
    results: Vec<FoundPage>,
}

#[derive(Debug, Deserialize)]
struct BraveAnswer {
    web: Option<PageResults>,
}

impl WebSearch {
    /// The service that speaks `interface` at `url`, or at its own address, with this key.
    pub fn new(interface: SearchInterface, url: Option<&str>, key: Option<String>) -> Self {
        let own = match interface {
            SearchInterface::SearXng => "",
            SearchInterface::Brave => "https://api.search.brave.com/res/v1/web/search",
            SearchInterface::Tavily => "https://api.tavily.com/search",
        };
        let url = url.unwrap_or(own).trim_end_matches('/');
        let url = match interface {
            SearchInterface::SearXng if !url.ends_with("/search") => format!("{url}/search"),
            _ => url.to_owned(),
        };
        Self { interface, url, key: key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()) }
    }

    /// The first pages about `query`, as the service ranks them.
    ///
    /// # Errors
    ///
    /// Why there is no answer, in a few words without the address: it may hold a secret.
    pub async fn find_pages(&self, query: &str) -> Result<Vec<FoundPage>, String> {
        let client = Client::builder().redirect(redirect::Policy::none()).referer(false).timeout(WAIT);
        let client = client.build().map_err(|_| "no HTTP client")?;
        let response = self.build_request(&client, query)?.send().await;
        // The address may hold a key.
        let response =
            response.map_err(|error| if error.is_timeout() { "no answer in time" } else { "no connection" })?;
        if !response.status().is_success() {
            return Err(format!("HTTP status {}", response.status().as_u16()));
        }
        let body = read_body(response, ANSWER_BYTES_MAX).await.map_err(|_| "its answer broke off")?;
        let (body, false) = body else { return Err("its answer is too large".into()) };
        let unreadable = |_| "its answer has another form than promised".to_owned();
        let mut found = match self.interface {
            SearchInterface::Brave => {
                let answer: BraveAnswer = serde_json::from_slice(&body).map_err(unreadable)?;
                answer.web.map(|found| found.results).unwrap_or_default()
            }
            SearchInterface::SearXng | SearchInterface::Tavily => {
                serde_json::from_slice::<PageResults>(&body).map_err(unreadable)?.results
            }
        };
        found.truncate(PAGES_MAX);
        Ok(found)
    }

    /// The address with these fields.
    fn query_url(&self, fields: &[(&str, &str)]) -> Result<Url, String> {
        Url::parse_with_params(&self.url, fields).map_err(|_| "its address cannot be read".to_owned())
    }

    fn build_request(&self, client: &Client, query: &str) -> Result<RequestBuilder, String> {
        let key = self.key.as_deref();
        Ok(match self.interface {
            SearchInterface::SearXng => {
                let request = client.get(self.query_url(&[("q", query), ("format", "json")])?);
                key.into_iter().fold(request, |request, key| request.bearer_auth(key))
            }
            SearchInterface::Brave => {
                let request = client.get(self.query_url(&[("q", query)])?).header("accept", "application/json");
                request.header("x-subscription-token", key.unwrap_or_default())
            }
            SearchInterface::Tavily => {
                let asked = serde_json::json!({"query": query, "max_results": PAGES_MAX});
                client.post(&self.url).bearer_auth(key.unwrap_or_default()).json(&asked)
            }
        })
    }
}
