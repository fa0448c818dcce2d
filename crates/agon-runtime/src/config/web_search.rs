//! `[web_search]`: the service by which seats that may open pages find them. Without it nobody searches the web.

use serde::Deserialize;

use crate::value_fault::{ValueFault, is_web_address, refuse_found, refuse_if};

/// Whose interface is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebSearchKind {
    /// A SearXNG server, which must offer JSON.
    SearXng,
    /// Brave's search.
    Brave,
    /// Tavily's search.
    Tavily,
}

/// The section `[web_search]` of the configuration; the user's file only.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSearchConfig {
    /// Whose interface it speaks.
    pub kind: WebSearchKind,
    /// Where it is; the service's own address where not given. A SearXNG server has none.
    pub url: Option<String>,
    /// Name of the environment variable that holds its key.
    pub api_key_env: Option<String>,
}

impl WebSearchConfig {
    /// Refuses the first field whose value cannot be meant.
    pub(super) fn check(&self) -> Result<(), ValueFault> {
        refuse_found(self.url.as_ref().filter(|url| !is_web_address(url)), "url", |url| {
            format!("{url:?} is not an address; an address begins with https://")
        })?;
        let lacks_url = self.kind == WebSearchKind::SearXng && self.url.is_none();
        refuse_if(lacks_url, "url", "say where the SearXNG server is, for example http://127.0.0.1:8888")?;
        let lacks_key = self.kind != WebSearchKind::SearXng && self.api_key_env.is_none();
        refuse_if(lacks_key, "api_key_env", "name the environment variable that holds the key")
    }
}
