//! Sending a message to an address that a user configured, with the same care as pages are fetched: names are resolved
//! once, every address is checked, no redirect is followed, no proxy, cookie or credential is used.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use url::{Host, Url};

use super::{address, request::build_client};

/// Why nothing is sent to this machine or network, unless the user allows it.
const PRIVATE: &str = "not sent: a private address";

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
    let failed = |why: &str| PostFailure::Failed(why.to_owned());
    let sent = async {
        let url = Url::parse(url).map_err(|_| PostFailure::Refused("the address cannot be read"))?;
        let port = url.port_or_known_default().unwrap_or_default();
        if !allow_private && ![80, 443].contains(&port) {
            return Err(PostFailure::Refused("not sent: a port other than 80 and 443"));
        }
        let found = match address::resolve_url(&url, wait).await {
            Some(address::Resolved::To(found)) => found,
            Some(address::Resolved::NoSuchName | address::Resolved::Impossible) => {
                return Err(failed("there is no such host"));
            }
            Some(address::Resolved::Unknown(why)) => return Err(PostFailure::Failed(why)),
            None => return Err(PostFailure::Refused("the address has no host")),
        };
        let addresses = address::check_addresses(&found, port, allow_private);
        let addresses = addresses.map_err(|_| match url.host() {
            // A name may be given to another host before it is tried again.
            Some(Host::Domain(_)) => failed(PRIVATE),
            _ => PostFailure::Refused(PRIVATE),
        })?;
        let client = build_client(concat!("agon/", env!("CARGO_PKG_VERSION")), &url, &addresses);
        let request =
            client.map_err(PostFailure::Failed)?.post(url).header("content-type", "application/json").body(body);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        let response = request.send().await;
        let response =
            response.map_err(|error| failed(if error.is_connect() { "no connection" } else { "no answer of HTTP" }))?;
        let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = after.and_then(|seconds| seconds.trim().parse().ok());
        Ok(ReceiverAnswer { status: response.status().as_u16(), retry_after })
    };
    tokio::time::timeout(wait, sent).await.unwrap_or_else(|_| Err(failed("no answer in time")))
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
                PostFailure::Failed(told) if why == "no such host" || url.contains("localhost") => told,
                PostFailure::Failed(told) => panic!("{url} is asked again: {told}"),
            };
            assert!(told.contains(why), "{url}: {told}");
        }
    }
}
