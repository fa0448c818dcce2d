//! `agon webhooks`: what the configuration names, what was sent, and how it went.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use agon_app::{
    Failure, Result, exit,
    webhooks::{WebhookEndpoint, deliver_message, load_endpoints, test_message},
};
use agon_journal::{
    Journal,
    webhook_queue::{DeliveryCounts, DeliveryLine},
};
use agon_runtime::config::WebhookConfig;
use serde_json::json;

use super::CommandContext;
use crate::{cli::WebhooksAction, ui};

/// Longest wait until another process has sent a message.
const SEND_WAIT: Duration = Duration::from_secs(20);
/// How often it is looked at meanwhile.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

pub async fn run(command_context: &CommandContext, action: Option<WebhooksAction>) -> Result<u8> {
    let webhooks = command_context.load_config()?.webhooks;
    let journal = command_context.open_journal()?;
    match action.unwrap_or(WebhooksAction::List) {
        WebhooksAction::List => list_webhooks(command_context, &journal, &webhooks),
        WebhooksAction::Deliveries { name, limit } => {
            if let Some(name) = &name {
                find_webhook(&webhooks, name)?;
            }
            let lines = journal.list_deliveries(name.as_deref(), None, limit)?;
            command_context.print_success(&lines, || match lines.is_empty() {
                true => "no messages yet".into(),
                false => lines.iter().map(format_delivery).collect::<Vec<_>>().join("\n"),
            })
        }
        WebhooksAction::Redeliver { id } => {
            let found = journal.list_deliveries(None, Some(&id), 1)?.pop();
            let message = found.ok_or_else(|| {
                Failure::unknown(format!("no message {id:?}"), "agon webhooks deliveries lists the messages")
            })?;
            let endpoint = build_endpoint(&webhooks, &message.webhook)?;
            journal.redeliver_message(&id).await?;
            send_message(command_context, &journal, &endpoint, &id, message.attempts).await
        }
        WebhooksAction::Test { name } => {
            let endpoint = build_endpoint(&webhooks, &name)?;
            let message =
                test_message(&name).ok_or_else(|| Failure::io("the system gives no random numbers", "try again"))?;
            let id = message.id.clone();
            journal.register_webhooks(vec![name]).await?;
            journal.queue_messages(vec![message], None).await?;
            send_message(command_context, &journal, &endpoint, &id, 0).await
        }
    }
}

fn find_webhook<'w>(webhooks: &'w BTreeMap<String, WebhookConfig>, name: &str) -> Result<&'w WebhookConfig> {
    webhooks.get(name).ok_or_else(|| {
        let names: Vec<&str> = webhooks.keys().map(String::as_str).collect();
        let remedy = match names.is_empty() {
            true => "add a section [webhooks.NAME] to your configuration".into(),
            false => format!("available: {}", names.join(", ")),
        };
        Failure::unknown(format!("no webhook {name:?}"), remedy)
    })
}

fn build_endpoint(webhooks: &BTreeMap<String, WebhookConfig>, name: &str) -> Result<WebhookEndpoint> {
    let alone = BTreeMap::from([(name.to_owned(), find_webhook(webhooks, name)?.clone())]);
    let remedy = "add a section [webhooks.NAME] to your configuration";
    load_endpoints(&alone)?.pop().ok_or_else(|| Failure::unknown(format!("no webhook {name:?}"), remedy))
}

fn list_webhooks(
    command_context: &CommandContext,
    journal: &Journal,
    webhooks: &BTreeMap<String, WebhookConfig>,
) -> Result<u8> {
    let (mut listed, mut lines) = (Vec::new(), Vec::new());
    for (name, webhook) in webhooks {
        let counts = journal.delivery_counts(name)?;
        let has_secret = std::env::var_os(&webhook.secret_env).is_some();
        // Its path can be a secret.
        let host = webhook.url.split('/').take(3).collect::<Vec<_>>().join("/");
        listed.push(json!({
            "name": name, "host": host, "events": webhook.events, "secret_env": webhook.secret_env,
            "has_secret": has_secret, "messages": counts,
        }));
        let secret = if has_secret { "" } else { ", its secret is not set" };
        let events = webhook.events.join(",");
        let DeliveryCounts { pending, delivered, failed } = counts;
        lines.push(ui::escape_invisible(&format!(
            "{name}  {host}  {events}  {pending} pending, {delivered} delivered, {failed} failed{secret}"
        )));
    }
    command_context.print_success(&listed, || match lines.is_empty() {
        true => "no webhooks; add a section [webhooks.NAME] to your configuration".into(),
        false => lines.join("\n"),
    })
}

fn format_delivery(message: &DeliveryLine) -> String {
    let about = message.debate.as_deref().unwrap_or("-");
    let result = match (&message.error, message.status) {
        (Some(error), _) => format!(": {error}"),
        (None, Some(status)) => format!(": HTTP status {status}"),
        (None, None) => String::new(),
    };
    let attempts = agon_text::count_noun(message.attempts, "attempt", "attempts");
    ui::escape_invisible(&format!(
        "{}  {}  {}  {}  {about}  {}, {attempts}{result}",
        message.id,
        message.created_at.get(..19).unwrap_or_default(),
        message.webhook,
        message.event,
        message.state
    ))
}

/// Sends the message `id`, of which `before` attempts were made, once. Where the server takes it first, waits until that
/// has sent it.
async fn send_message(
    command_context: &CommandContext,
    journal: &Journal,
    endpoint: &WebhookEndpoint,
    id: &str,
    before: u32,
) -> Result<u8> {
    let since = Instant::now();
    let message = loop {
        if let Some(message) = journal.claim_message(&endpoint.name, Some(id)).await? {
            deliver_message(journal, endpoint, message).await?;
        }
        let message = journal.list_deliveries(None, Some(id), 1)?.pop();
        let is_sent = message.as_ref().is_none_or(|message| message.attempts > before);
        if is_sent || since.elapsed() > SEND_WAIT {
            break message;
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    };
    command_context.print(&message, || message.as_ref().map(format_delivery).unwrap_or_default());
    match message.filter(|message| message.state != "delivered") {
        None => Ok(exit::OK),
        Some(message) => {
            let why = message.error.unwrap_or_else(|| "another process sends it".into());
            let remedy = "agon serve tries again; agon webhooks deliveries shows the attempts";
            Err(Failure::io(format!("{}: not delivered: {why}", endpoint.name), remedy))
        }
    }
}
