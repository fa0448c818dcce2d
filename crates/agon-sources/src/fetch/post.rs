//! Sending a message to an address that a user configured, with the same care as pages are fetched: names are resolved
//! once, every address is checked, no redirect is followed, no proxy, cookie or credential is used.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use reqwest::header::RETRY_AFTER;
use url::Url;

use super::{
    address::{Resolved, is_public, resolve_url},
    request::build_client,
};

/// What a receiver answered. Its words are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverAnswer {
    /// HTTP status.
    pub status: u16,
    /// Seconds after which it wants to be asked again.
    pub retry_after: Option<u64>,
}

/// Why nothing was sent, or no answer came, in a few words without the address: it may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostFailure {
    /// The address is one that nothing is sent to, now or later.
    Refused(&'static str),
    /// It did not succeed this time.
    Failed(String),
}

/// Posts `body` to `url` within `wait`. Without `allow_private`, only ports 80 and 443 of public addresses are
/// connected to.
///
/// # Errors
///
/// [`PostFailure`].
pub async fn post_body(
    url: &str,
    headers: &[(&'static str, String)],
    body: String,
    allow_private: bool,
    wait: Duration,
) -> Result<ReceiverAnswer, PostFailure> {
    let sent = send_request(url, headers, body, allow_private, wait);
    tokio::time::timeout(wait, sent).await.unwrap_or_else(|_| Err(PostFailure::Failed("no answer in time".into())))
}

async fn send_request(
    url: &str,
    headers: &[(&'static str, String)],
    body: String,
    allow_private: bool,
    wait: Duration,
) -> Result<ReceiverAnswer, PostFailure> {
    let url = Url::parse(url).map_err(|_| PostFailure::Refused("the address cannot be read"))?;
    let port = url.port_or_known_default().unwrap_or_default();
    if !allow_private && ![80, 443].contains(&port) {
        return Err(PostFailure::Refused("not sent: a port other than 80 and 443"));
    }
    let addresses = resolve_allowed_addresses(&url, allow_private, wait).await?;
    let sockets: Vec<SocketAddr> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
    let client = build_client(concat!("agon/", env!("CARGO_PKG_VERSION")), &url, &sockets).map_err(PostFailure::Failed)?;
    let mut request = client.post(url).header("content-type", "application/json").body(body);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let response = request.send().await.map_err(|error| match () {
        () if error.is_connect() => PostFailure::Failed("no connection".to_owned()),
        () => PostFailure::Failed("no answer of HTTP".to_owned()),
    })?;
    let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after = after.and_then(|seconds| seconds.trim().parse().ok());
    Ok(ReceiverAnswer { status: response.status().as_u16(), retry_after })
}

/// The addresses of the host, each of which may be connected to.
async fn resolve_allowed_addresses(url: &Url, allow_private: bool, wait: Duration) -> Result<Vec<IpAddr>, PostFailure> {
    let addresses = match resolve_url(url, wait).await {
        Some(Resolved::To(addresses)) => addresses,
        Some(Resolved::NoSuchName | Resolved::Impossible) => {
            return Err(PostFailure::Failed("there is no such host".into()));
        }
        Some(Resolved::Unknown(why)) => return Err(PostFailure::Failed(why)),
        None => return Err(PostFailure::Refused("the address has no host")),
    };
    match addresses.iter().all(|address| allow_private || is_public(*address)) {
        true => Ok(addresses),
        false => Err(PostFailure::Refused("not sent: a private address")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_is_sent_to_private_addresses_or_odd_ports() {
        let wait = Duration::from_secs(2);
        for (url, why) in [
            ("http://127.0.0.1/", "private"),
            ("http://[::1]/", "private"),
            ("http://[::ffff:10.0.0.1]/", "private"),
            ("http://2130706433/", "private"),
            ("http://0x7f.1/", "private"),
            ("http://localhost/", "private"),
            ("http://169.254.169.254/latest/meta-data", "private"),
            ("http://1.1.1.1:8080/", "port"),
            ("http://hook.invalid/", "no such host"),
            ("not an address", "cannot be read"),
        ] {
            let told = match post_body(url, &[], String::new(), false, wait).await.unwrap_err() {
                PostFailure::Refused(told) => told.to_owned(),
                // A name can be given to a host later.
                PostFailure::Failed(told) if why == "no such host" => told,
                PostFailure::Failed(told) => panic!("{url} is asked again: {told}"),
            };
            assert!(told.contains(why), "{url}: {told}");
        }
    }
}
