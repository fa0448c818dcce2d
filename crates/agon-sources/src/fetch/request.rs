//! One request to one checked address: no redirect is followed, no proxy asked, no cookie kept, and
//! nothing is read beyond the limits.

use std::{
    io::Read,
    net::SocketAddr,
    time::{Duration, Instant},
};

use reqwest::{
    Client,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION},
    redirect,
};
use url::{Host, Url};

/// As this program calls itself.
pub const AGENT: &str = concat!("agon-verifier/", env!("CARGO_PKG_VERSION"), " (checks citations of debates)");
/// As robots.txt calls it.
pub const ROBOT: &str = "agon-verifier";

/// The response of a server, cut at the size limit.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub location: Option<String>,
    pub media: String,
    pub body: Vec<u8>,
    /// Whether the body continues beyond the limit.
    pub is_cut: bool,
}

/// Asks for `url` at `addresses`, all of which were checked.
pub async fn request_page(
    url: &Url,
    addresses: &[SocketAddr],
    until: Instant,
    bytes_max: usize,
) -> Result<Response, String> {
    let since = Instant::now();
    let wait = until.saturating_duration_since(since);
    let sent = send_request(url, addresses, bytes_max);
    let answer = tokio::time::timeout(wait.max(Duration::from_millis(1)), sent).await;
    let answer = answer.unwrap_or_else(|_| Err("timed out".into()));
    let (host, took_ms) = (url.host_str().unwrap_or_default(), since.elapsed().as_millis() as u64);
    match &answer {
        Ok(Response { status, body, .. }) => {
            tracing::debug!(host, status, took_ms, bytes = body.len(), "fetched");
        }
        Err(why) => tracing::debug!(host, took_ms, why, "not fetched"),
    }
    answer
}

/// A client that calls itself `agent` and connects to the host of `url` at `addresses` alone.
pub fn build_client(agent: &str, url: &Url, addresses: &[SocketAddr]) -> Result<Client, String> {
    let mut client = Client::builder()
        .user_agent(agent)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .pool_max_idle_per_host(0);
    if let Some(Host::Domain(name)) = url.host() {
        client = client.resolve_to_addrs(name, addresses);
    }
    client.build().map_err(|_| "the HTTP client could not be created".to_owned())
}

async fn send_request(url: &Url, addresses: &[SocketAddr], bytes_max: usize) -> Result<Response, String> {
    let request = build_client(AGENT, url, addresses)?
        .get(url.clone())
        .header(ACCEPT, "text/html, application/xhtml+xml, application/pdf, text/plain;q=0.9, */*;q=0.5")
        .header(ACCEPT_ENCODING, "gzip");
    let response = request.send().await.map_err(|error| describe_failure(&error))?;
    let header =
        |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (status, location) = (response.status().as_u16(), header(LOCATION));
    let (media, encoding) = (header(CONTENT_TYPE), header(CONTENT_ENCODING));
    let body = read_body(response, bytes_max).await;
    let (packed, mut is_cut) = body.map_err(|error| describe_failure(&error))?;
    let body = match encoding.trim().to_lowercase().as_str() {
        "" | "identity" => packed,
        "gzip" | "x-gzip" => {
            let mut body = Vec::new();
            let unpacked =
                flate2::read::MultiGzDecoder::new(&packed[..]).take(bytes_max as u64 + 1).read_to_end(&mut body);
            if unpacked.is_err() && body.is_empty() {
                return Err("its compression is broken".into());
            }
            if body.len() > bytes_max {
                body.truncate(bytes_max);
                is_cut = true;
            }
            is_cut |= unpacked.is_err();
            body
        }
        _ => return Err("a compression that was not asked for".into()),
    };
    Ok(Response { status, location: Some(location).filter(|to| !to.is_empty()), media, body, is_cut })
}

/// The body of `response`, and whether it continues beyond `bytes_max`.
pub async fn read_body(mut response: reqwest::Response, bytes_max: usize) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await? {
        let room = bytes_max - body.len();
        body.extend_from_slice(&part[..part.len().min(room)]);
        if part.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

/// One line, without the address.
fn describe_failure(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "timed out".into()
    } else if error.is_connect() {
        "no connection".into()
    } else if error.is_body() || error.is_decode() {
        "the answer is incomplete".into()
    } else {
        "the server's answer is not HTTP".into()
    }
}
