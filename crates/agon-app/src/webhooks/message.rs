//! From entries of a record to messages. They name debates, seats and keys, never anyone's words: a receiver that may
//! read them asks the server.

use agon_core::{ActKind, DebateId, Entry, Event, Opened};
use agon_journal::{time::current_stamp, uuid, webhook_queue::QueuedMessage};
use agon_runtime::outside_seats::is_outside;
use serde::Serialize;
use serde_json::json;

/// The message of a webhook about one entry; `None` where the entry is none of its `events`.
pub(super) fn of_entry(webhook: &str, events: &[String], opened: &Opened, entry: &Entry) -> Option<QueuedMessage> {
    let (event, mut payload) = match &entry.what {
        Event::Closed { outcome } => {
            ("closed", json!({"outcome": outcome.name, "standing": outcome.standing, "winner": outcome.winner}))
        }
        Event::Acted(act) => match &act.deed {
            ActKind::Paused { .. } => ("suspended", json!({"code": "paused", "resumable": true})),
            _ => return None,
        },
        Event::Answered(answered) => {
            let key = &answered.key;
            ("turn", json!({"key": key, "failed": answered.reply.text().is_none()}))
        }
        Event::Asked(request) => {
            let model = opened.lineup.iter().find(|sat| sat.seat == request.seat).map(|sat| sat.model.as_str());
            if !model.is_some_and(is_outside) {
                return None;
            }
            ("seat_open", json!({"seat": request.seat, "key": request.key, "wait_seconds": request.wait_seconds}))
        }
        Event::Opened(_) | Event::Ruled { .. } | Event::Extended { .. } => return None,
    };
    if !events.iter().any(|wanted| wanted == event) {
        return None;
    }
    payload["debate"] = json!(opened.debate);
    payload["protocol"] = json!(opened.protocol);
    payload["seq"] = json!(entry.seq);
    let subject = format!("{event}:{}:{}", opened.debate, entry.seq);
    build_message(webhook, event, Some(&opened.debate), subject, &entry.at.0, payload)
}

/// The message that the server stopped a debate that it ran: `code` is that of the error.
pub(super) fn of_suspension(webhook: &str, debate: &DebateId, code: &str) -> Option<QueuedMessage> {
    let at = current_stamp().0;
    let data = json!({"debate": debate, "code": code, "resumable": true});
    build_message(webhook, "suspended", Some(debate), format!("suspended:{debate}:at {at}"), &at, data)
}

/// A message by which a receiver can be tried out.
pub fn test_message(webhook: &str) -> Option<QueuedMessage> {
    let at = current_stamp().0;
    build_message(webhook, "test", None, format!("test:{at}"), &at, json!({"webhook": webhook}))
}

fn build_message(
    webhook: &str,
    event: &str,
    debate: Option<&DebateId>,
    subject: String,
    at: &str,
    data: impl Serialize,
) -> Option<QueuedMessage> {
    let id = format!("msg_{}", uuid::random_uuid().ok()?.replace('-', ""));
    let body = json!({"type": format!("debate.{event}"), "timestamp": at, "data": data}).to_string();
    let (webhook, event) = (webhook.to_owned(), event.to_owned());
    Some(QueuedMessage { id, webhook, event, debate: debate.cloned(), subject, body })
}
