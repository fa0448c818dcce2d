//! The signature of a message: HMAC-SHA256 over its id, the time of the attempt and the body.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How a secret in base64 begins.
const PREFIX: &str = "whsec_";
/// Least number of bytes of a secret.
const BYTES_MIN: usize = 16;

/// The secret of a webhook. It is never printed.
#[derive(Clone)]
pub struct WebhookSecret(Vec<u8>);

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WebhookSecret")
    }
}

impl WebhookSecret {
    /// The secret as a variable holds it: `whsec_` and base64, or any text.
    ///
    /// # Errors
    ///
    /// Why it cannot be used, without it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bytes = match text.strip_prefix(PREFIX) {
            Some(encoded) => STANDARD.decode(encoded).map_err(|_| format!("what follows {PREFIX} is not base64"))?,
            None => text.as_bytes().to_vec(),
        };
        match bytes.len() {
            0..BYTES_MIN => Err(format!("the secret is shorter than {BYTES_MIN} bytes")),
            _ => Ok(Self(bytes)),
        }
    }

    /// The headers of an attempt to send the message `id` at `timestamp`, in seconds since 1970.
    pub fn signature_headers(&self, id: &str, timestamp: i64, body: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![("webhook-id", id.to_owned()), ("webhook-timestamp", timestamp.to_string())];
        // A key of any length is a key, so this has no way to fail.
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) {
            mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
            headers.push(("webhook-signature", format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))));
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn the_signature_is_that_of_the_specification() {
        let secret = WebhookSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let headers =
            secret.signature_headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(headers[2], ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=".into()));
        assert_eq!((&*headers[0].1, &*headers[1].1), ("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330"));
    }

    #[test]
    fn a_secret_that_is_short_or_not_base64_is_refused_without_showing_it() {
        for text in ["", "tiny", "whsec_!!!!", "whsec_c2hvcnQ="] {
            let why = WebhookSecret::parse(text).unwrap_err();
            assert!(text.is_empty() || !why.contains(text), "{why}");
        }
        assert_eq!(format!("{:?}", WebhookSecret::parse("a secret of this length").unwrap()), "WebhookSecret");
    }
}
