//! Events of debates that this process drives, before they are on the record.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use agon_core::{DebateId, Entry, Event, Key, Seat};
use agon_runtime::drive::{Notice, Watch};
use serde::Serialize;

use super::{EventHub, lock_ignoring_poison};
use crate::refusal::{Refusal, Refused};

/// Maximum number of bytes of one answer that are shown while it is being written; the rest shows when it stands.
const TEXT_BYTES_MAX: usize = 256 * 1024;
/// Maximum number of notices that wait for someone to watch.
const NOTICES_MAX: usize = 64;

/// An event that is not on the record.
#[derive(Debug, Clone, Serialize, strum::IntoStaticStr)]
#[serde(untagged)]
#[strum(serialize_all = "lowercase")]
pub(super) enum LiveEvent {
    /// Text that is being written.
    Delta { key: Key, seat: Seat, attempt: u32, begins: bool, text: String },
    /// A line for readers.
    Notice { text: String },
    /// Why driving stopped.
    Stopped(Refused),
}

impl LiveEvent {
    /// Its name in the stream.
    pub(super) fn kind(&self) -> &'static str {
        self.into()
    }

    fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped(_))
    }
}

/// A debate that this process drives, or drove.
#[derive(Default)]
pub(super) struct DrivenDebate {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    speaking: BTreeMap<Key, Speaking>,
    notices: Vec<LiveEvent>,
    is_over: bool,
    /// Why it stopped before its end, and how many entries the record had.
    stopped: Option<(Refusal, u64)>,
}

/// An answer that is being written.
struct Speaking {
    seat: Seat,
    attempt: u32,
    text: String,
    /// Bytes of it that were sent.
    sent: usize,
}

impl Speaking {
    fn build_delta_event(&self, key: &Key, from: usize, to: usize) -> LiveEvent {
        let (key, seat, text) = (key.clone(), self.seat.clone(), self.text[from..to].to_owned());
        LiveEvent::Delta { key, seat, attempt: self.attempt, begins: from == 0, text }
    }
}

impl DrivenDebate {
    pub(super) fn is_under_way(&self) -> bool {
        !lock_ignoring_poison(&self.inner).is_over
    }

    /// One that nobody drives, since at a record of so many entries, and why.
    pub(super) fn new_interrupted(why: Refusal, entries: u64) -> Self {
        let driven = Self::default();
        lock_ignoring_poison(&driven.inner).is_over = true;
        driven.record_stop(why, entries);
        driven
    }

    /// Why driving stopped before the end, and how many entries the record had.
    pub(super) fn stop_reason(&self) -> Option<(Refusal, u64)> {
        lock_ignoring_poison(&self.inner).stopped.clone()
    }

    /// Another process drove it since: why it stopped here says nothing any more.
    pub(super) fn forget_stop(&self) {
        let mut inner = lock_ignoring_poison(&self.inner);
        inner.stopped = None;
        inner.notices.retain(|event| !event.is_stop());
    }

    /// Says why driving stopped before the end, at a record of so many entries.
    pub(super) fn record_stop(&self, why: Refusal, entries: u64) {
        lock_ignoring_poison(&self.inner).stopped = Some((why.clone(), entries));
        self.push_event(LiveEvent::Stopped(Refused { error: why }));
    }

    fn push_event(&self, event: LiveEvent) {
        let mut inner = lock_ignoring_poison(&self.inner);
        // Why it stopped is never lost.
        if inner.notices.len() < NOTICES_MAX || event.is_stop() {
            inner.notices.push(event);
        }
    }

    /// What came since the last time.
    pub(super) fn take_events(&self) -> Vec<LiveEvent> {
        let mut inner = lock_ignoring_poison(&self.inner);
        let mut events = std::mem::take(&mut inner.notices);
        for (key, speaking) in &mut inner.speaking {
            let to = speaking.text.len();
            if speaking.sent < to {
                events.push(speaking.build_delta_event(key, speaking.sent, to));
                speaking.sent = to;
            }
        }
        events
    }

    /// For someone who comes later: that driving stopped, if others heard that already.
    pub(super) fn told_stop(&self) -> Option<LiveEvent> {
        let inner = lock_ignoring_poison(&self.inner);
        let is_pending = inner.notices.iter().any(LiveEvent::is_stop);
        let (error, _) = inner.stopped.clone().filter(|_| !is_pending)?;
        Some(LiveEvent::Stopped(Refused { error }))
    }

    /// For someone who comes in between: everything that was sent of what is being written.
    pub(super) fn so_far(&self) -> Vec<LiveEvent> {
        let inner = lock_ignoring_poison(&self.inner);
        let begun = inner.speaking.iter().filter(|(_, speaking)| speaking.sent > 0);
        begun.map(|(key, speaking)| speaking.build_delta_event(key, 0, speaking.sent)).collect()
    }
}

/// Tells those who watch what happens in one debate, while this process drives it.
pub struct EventPublisher {
    events: Arc<EventHub>,
    debate: DebateId,
    driven: Arc<DrivenDebate>,
}

impl EventPublisher {
    pub(super) fn new(events: Arc<EventHub>, debate: DebateId, driven: Arc<DrivenDebate>) -> Self {
        Self { events, debate, driven }
    }
}

impl Watch for EventPublisher {
    fn on_entry(&self, entry: &Entry) {
        let mut inner = lock_ignoring_poison(&self.driven.inner);
        match &entry.what {
            Event::Asked(request) => {
                let seat = request.seat.clone();
                let speaking = Speaking { seat, attempt: 0, text: String::new(), sent: 0 };
                inner.speaking.insert(request.key.clone(), speaking);
            }
            Event::Answered(answered) => drop(inner.speaking.remove(&answered.key)),
            Event::Opened(_)
            | Event::Ruled { .. }
            | Event::Extended { .. }
            | Event::Acted(_)
            | Event::Closed { .. } => {}
        }
        drop(inner);
        self.events.refresh_debate(&self.debate);
    }

    fn on_delta(&self, key: &Key, attempt: u32, text: &str) {
        let mut inner = lock_ignoring_poison(&self.driven.inner);
        let Some(speaking) = inner.speaking.get_mut(key) else { return };
        if speaking.attempt != attempt {
            speaking.attempt = attempt;
            speaking.text.clear();
            speaking.sent = 0;
        }
        if speaking.text.len() + text.len() <= TEXT_BYTES_MAX {
            speaking.text.push_str(text);
        }
    }

    fn on_notice(&self, notice: &Notice) {
        let text = match notice {
            Notice::Retry { key, why, wait_ms, attempt, attempts_max } => {
                let seconds = wait_ms.div_ceil(1000);
                format!("{key}: {why}; trying again in {seconds} s (attempt {attempt} of {attempts_max})")
            }
            Notice::Outside { seat, .. } => format!("waiting for an answer from {seat}"),
            Notice::Shortened { key, statements } => {
                format!(
                    "{key}: the {statements} oldest statements were shortened to their claims, to fit the model's context"
                )
            }
        };
        self.driven.push_event(LiveEvent::Notice { text });
    }
}

impl Drop for EventPublisher {
    fn drop(&mut self) {
        let mut inner = lock_ignoring_poison(&self.driven.inner);
        inner.is_over = true;
        inner.speaking.clear();
        drop(inner);
        self.events.refresh_debate(&self.debate);
    }
}
