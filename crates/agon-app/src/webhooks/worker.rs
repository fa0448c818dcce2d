//! Storing and sending the messages of webhooks while a server runs.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use agon_core::{DebateId, Event};
use agon_journal::{
    Journal, JournalError,
    time::now,
    webhook_queue::{ClaimedMessage, DeliveryAttempt, NextDelivery},
};
use agon_runtime::{config::WebhookConfig, drive::Watch};
use agon_sources::fetch::post::{PostFailure, post_body};
use tokio::{sync::mpsc, task::JoinSet};

use super::{
    message::{of_entry, of_suspension},
    signature::WebhookSecret,
};
use crate::{
    failure::{Failure, Result, exit},
    launcher::Observer,
};

/// How often the journal is looked at for entries that were not told.
const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// Longest wait for the answer to a message.
const ANSWER_WAIT: Duration = Duration::from_secs(15);
/// Longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(6 * 3600);
/// Each pause between attempts is so many times as long as the one before.
const BACKOFF: f64 = 3.0;
/// How often old messages are forgotten.
const FORGET_PAUSE: Duration = Duration::from_secs(3600);

/// A webhook that can be sent to.
#[derive(Debug, Clone)]
pub struct WebhookEndpoint {
    /// Its name.
    pub name: String,
    /// Its section of the configuration.
    pub config: WebhookConfig,
    /// Its secret.
    pub secret: WebhookSecret,
}

/// The webhooks of the configuration, each with its secret from the environment.
///
/// # Errors
///
/// Exit code 2 if a variable is not set or holds no usable secret.
pub fn load_endpoints(webhooks: &BTreeMap<String, WebhookConfig>) -> Result<Vec<WebhookEndpoint>> {
    let endpoints = webhooks.iter().map(|(name, config)| {
        let fault = |why: String| {
            let message = format!("webhooks.{name}: {}: {why}", config.secret_env);
            Failure::new(
                exit::USAGE,
                "configuration",
                message,
                "set the variable to whsec_ and base64 of 24 random bytes",
            )
        };
        let text = std::env::var(&config.secret_env).map_err(|_| fault("the variable is not set".into()))?;
        let secret = WebhookSecret::parse(&text).map_err(fault)?;
        Ok(WebhookEndpoint { name: name.clone(), config: config.clone(), secret })
    });
    endpoints.collect()
}

/// A debate that the server stopped before its end, and the code of the error.
type Suspension = (DebateId, String);

/// Passes what an observer is told on, and notes debates that stop.
pub struct Suspensions {
    inner: Arc<dyn Observer>,
    noted: mpsc::UnboundedSender<Suspension>,
}

impl Observer for Suspensions {
    fn watch_debate(&self, debate: &DebateId) -> Box<dyn Watch> {
        self.inner.watch_debate(debate)
    }

    fn gave_up(&self, debate: &DebateId, why: &Failure) {
        // A pause is on the record, and told from there.
        if why.code != "paused" {
            let _ = self.noted.send((debate.clone(), why.code.to_string()));
        }
        self.inner.gave_up(debate, why);
    }
}

/// The tasks that store and send messages.
pub struct WebhookWorker {
    journal: Arc<Journal>,
    endpoints: Vec<WebhookEndpoint>,
    suspensions: mpsc::UnboundedReceiver<Suspension>,
    sending: JoinSet<()>,
}

impl WebhookWorker {
    /// Begins to send for `endpoints`, and gives the observer for the debates of this process: `inner` with notes of
    /// suspensions.
    ///
    /// # Errors
    ///
    /// Whatever prevents the journal from being written.
    pub async fn start(
        journal: Arc<Journal>,
        endpoints: Vec<WebhookEndpoint>,
        inner: Arc<dyn Observer>,
    ) -> Result<(Self, Arc<dyn Observer>)> {
        journal.register_webhooks(endpoints.iter().map(|endpoint| endpoint.name.clone()).collect()).await?;
        let (noted, suspensions) = mpsc::unbounded_channel();
        let mut sending = JoinSet::new();
        for endpoint in &endpoints {
            sending.spawn(keep_sending(Arc::clone(&journal), endpoint.clone()));
        }
        let observer = Arc::new(Suspensions { inner, noted });
        Ok((Self { journal, endpoints, suspensions, sending }, observer))
    }

    /// Stores what must be told until `end` completes and no debate of this process can stop any more; then stops
    /// sending. What is not delivered by then is sent after the next start.
    pub async fn run(mut self, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        let mut forgotten = Instant::now();
        loop {
            tokio::select! {
                Some(noted) = self.suspensions.recv() => self.queue_suspension(noted).await,
                () = tokio::time::sleep(LOOK_PAUSE) => {}
                () = &mut end => break,
            }
            self.queue_new_entries().await;
            if forgotten.elapsed() > FORGET_PAUSE {
                forgotten = Instant::now();
                warn_on_error("forget messages", self.journal.forget_messages().await);
            }
        }
        while let Ok(noted) = self.suspensions.try_recv() {
            self.queue_suspension(noted).await;
        }
        self.queue_new_entries().await;
        self.sending.abort_all();
    }

    async fn queue_suspension(&self, (debate, code): Suspension) {
        let wanting = self.endpoints.iter().filter(|e| e.config.events.iter().any(|event| event == "suspended"));
        let messages: Vec<_> = wanting.filter_map(|e| of_suspension(&e.name, &debate, &code)).collect();
        warn_on_error("store messages", self.journal.queue_messages(messages, None).await);
    }

    /// Turns every entry that is new into messages.
    async fn queue_new_entries(&self) {
        for endpoint in &self.endpoints {
            loop {
                let untold = match self.journal.find_untold_entries(&endpoint.name) {
                    Ok(Some(untold)) => untold,
                    Ok(None) => break,
                    Err(error) => return warn_on_error("read entries", Err(error)),
                };
                let Event::Opened(opened) = &untold.opening.what else { break };
                let events = &endpoint.config.events;
                let messages =
                    untold.entries.iter().filter_map(|entry| of_entry(&endpoint.name, events, opened, entry));
                let messages = messages.collect();
                let told = Some((endpoint.name.clone(), untold.debate.clone(), untold.length));
                if let Err(error) = self.journal.queue_messages(messages, told).await {
                    return warn_on_error("store messages", Err(error));
                }
            }
        }
    }
}

fn warn_on_error(what: &str, done: std::result::Result<(), JournalError>) {
    if let Err(error) = done {
        tracing::warn!(%error, what, "webhooks");
    }
}

async fn keep_sending(journal: Arc<Journal>, endpoint: WebhookEndpoint) {
    loop {
        match journal.claim_message(&endpoint.name, None).await {
            Ok(Some(message)) => {
                let sent = deliver_message(&journal, &endpoint, message).await;
                warn_on_error("settle a message", sent.map(drop));
            }
            Ok(None) => tokio::time::sleep(LOOK_PAUSE).await,
            Err(error) => {
                warn_on_error("claim a message", Err(error));
                tokio::time::sleep(ANSWER_WAIT).await;
            }
        }
    }
}

/// Sends a claimed message once, and stores how it went.
///
/// # Errors
///
/// Only if that cannot be stored; then the message is sent again, under its id.
pub async fn deliver_message(
    journal: &Journal,
    endpoint: &WebhookEndpoint,
    message: ClaimedMessage,
) -> std::result::Result<(DeliveryAttempt, NextDelivery), JournalError> {
    let WebhookEndpoint { name, config, secret } = endpoint;
    let headers = secret.signature_headers(&message.id, now().as_second(), &message.body);
    let since = Instant::now();
    let answered = post_body(&config.url, &headers, message.body, config.allow_private, ANSWER_WAIT).await;
    let took_ms = since.elapsed().as_millis() as u64;
    let number = message.attempts + 1;
    let again = |wanted: Option<u64>| match number {
        number if number >= config.max_attempts() => NextDelivery::GivenUp,
        _ => NextDelivery::After(retry_delay_ms(config.retry_seconds(), number, wanted)),
    };
    let (status, error, next) = match answered {
        Ok(answer) => match answer.status {
            200..=299 => (Some(answer.status), None, NextDelivery::Delivered),
            // The receiver wants no more of it.
            410 => (Some(410), Some("gone".to_owned()), NextDelivery::GivenUp),
            300..=399 => (Some(answer.status), Some("a redirect, which is not followed".into()), again(None)),
            status => (Some(status), Some(format!("HTTP status {status}")), again(answer.retry_after)),
        },
        Err(PostFailure::Refused(why)) => (None, Some(why.to_owned()), NextDelivery::GivenUp),
        Err(PostFailure::Failed(why)) => (None, Some(why), again(None)),
    };
    tracing::info!(webhook = %name, id = %message.id, attempt = number, status, took_ms, error, "webhook");
    let attempt = DeliveryAttempt { status, took_ms, error };
    journal.settle_message(&message.id, attempt.clone(), next).await?;
    Ok((attempt, next))
}

/// Milliseconds until the attempt after attempt `number`.
fn retry_delay_ms(first_seconds: f64, number: u32, wanted_seconds: Option<u64>) -> u64 {
    let exponent = i32::try_from(number.saturating_sub(1)).unwrap_or(i32::MAX);
    let own = (first_seconds * BACKOFF.powi(exponent)).min(PAUSE_MAX.as_secs_f64());
    let wanted = wanted_seconds.unwrap_or_default().min(PAUSE_MAX.as_secs()) as f64;
    (own.max(wanted) * 1_000.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_maximum_and_obey_the_receiver() {
        let pauses: Vec<u64> = (1..=4).map(|number| retry_delay_ms(10.0, number, None)).collect();
        assert_eq!(pauses, [10_000, 30_000, 90_000, 270_000]);
        assert_eq!(retry_delay_ms(10.0, 20, None), PAUSE_MAX.as_millis() as u64);
        assert_eq!(
            (retry_delay_ms(10.0, 1, Some(60)), retry_delay_ms(10.0, 1, Some(u64::MAX))),
            (60_000, PAUSE_MAX.as_millis() as u64)
        );
    }
}
