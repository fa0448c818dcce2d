//! Webhooks: signed messages about what happens in debates, by the [Standard Webhooks] specification.
//!
//! - `message`: from entries of a record to messages, without the words of anyone
//! - `signature`: the secret of a webhook, and the headers of an attempt
//! - `worker`: stores messages in the journal and sends them, again and again until they arrive or are given up
//!
//! [Standard Webhooks]: https://www.standardwebhooks.com

mod message;
mod signature;
mod worker;

pub use self::{
    message::test_message,
    signature::WebhookSecret,
    worker::{Suspensions, WebhookEndpoint, WebhookWorker, deliver_message, load_endpoints},
};
