//! Those who watch one debate. What happened is kept as finished frames, which all watchers share.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use agon_core::DebateId;
use agon_journal::Journal;
use agon_protocols::common::{parallel_answers::ReadableRecord, struck_text::Withheld};
use axum::body::Bytes;
use futures::{Stream, stream};
use serde::Serialize;
use tokio::sync::{Notify, broadcast};

use super::{
    driver::{DrivenDebate, LiveEvent},
    lock_ignoring_poison,
};
use crate::{Refusal, redaction};

/// A piece of an event stream.
pub type Frame = Bytes;
pub(super) type Receiver = broadcast::Receiver<Frame>;

/// How often text that is being written is passed on.
const BEAT: Duration = Duration::from_millis(125);
/// How often a line is sent that means nothing, so that nobody takes the connection for dead: 15 s.
pub(super) const BEATS_A_HEARTBEAT: u32 = 120;
/// Frames that a watcher may lag behind before it is let go; it then continues with a new stream.
const LAG_MAX: usize = 512;
/// Maximum number of frames that are written at once.
const BURST_MAX: usize = 64;

pub(super) struct DebateStream {
    debate: DebateId,
    /// Entry by entry, from 0. Code that adds or sends holds the lock, so that a new watcher gets
    /// every frame either from here or from the channel.
    said: Mutex<Vec<Frame>>,
    sender: Mutex<Option<broadcast::Sender<Frame>>>,
    reading: tokio::sync::Mutex<()>,
    woken: AtomicBool,
    /// The length of the record when it was read, with what may not be read yet.
    length: AtomicU64,
    /// Whether something of the debate may not be shown now.
    withholds: AtomicBool,
    bell: Notify,
}

impl DebateStream {
    pub(super) fn new(debate: DebateId) -> Self {
        let (sender, _) = broadcast::channel(LAG_MAX);
        Self {
            debate,
            said: Mutex::default(),
            sender: Mutex::new(Some(sender)),
            reading: tokio::sync::Mutex::default(),
            woken: AtomicBool::new(false),
            length: AtomicU64::new(0),
            withholds: AtomicBool::new(false),
            bell: Notify::new(),
        }
    }

    pub(super) fn debate(&self) -> &DebateId {
        &self.debate
    }

    pub(super) fn new_receiver(&self) -> Receiver {
        match &*lock_ignoring_poison(&self.sender) {
            Some(sender) => sender.subscribe(),
            // The server ends: a stream that is over.
            None => broadcast::channel(1).1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        lock_ignoring_poison(&self.sender).as_ref().is_none_or(|sender| sender.receiver_count() == 0)
    }

    /// Ends every stream.
    pub(super) fn close(&self) {
        lock_ignoring_poison(&self.sender).take();
    }

    /// How many entries the record had when it was read.
    pub(super) fn count_known_entries(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    /// Has the journal looked at now.
    pub(super) fn wake(&self) {
        self.woken.store(true, Ordering::Relaxed);
        self.bell.notify_one();
    }

    pub(super) fn was_woken(&self) -> bool {
        self.woken.swap(false, Ordering::Relaxed)
    }

    pub(super) async fn wait_for_beat(&self) {
        let _ = tokio::time::timeout(BEAT, self.bell.notified()).await;
    }

    /// Reads what was appended, and sends it.
    pub(super) async fn send_new_entries(&self, journal: &Arc<Journal>) -> Result<(), Refusal> {
        let _one = self.reading.lock().await;
        let known = lock_ignoring_poison(&self.said).len();
        let (journal, debate, length) = (Arc::clone(journal), self.debate.clone(), self.count_known_entries());
        let read = tokio::task::spawn_blocking(move || read_new_frames(&journal, &debate, known, length)).await;
        let Some(Fresh { frames, whole, withholds, length }) = read.unwrap_or(Ok(None))? else {
            return Ok(());
        };
        self.withholds.store(withholds, Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
        let mut said = lock_ignoring_poison(&self.said);
        for one in &frames[known.min(frames.len())..] {
            self.send_frame(one.clone());
        }
        if frames.len() == known && withholds {
            self.send_frame(render_event(&LiveEvent::Notice { text: HELD.into() }));
        }
        if whole {
            *said = frames;
        } else {
            said.extend_from_slice(&frames[known.min(frames.len())..]);
        }
        Ok(())
    }

    /// Sends the text that is being written.
    pub(super) fn send_live_text(&self, driven: &DrivenDebate) {
        let _said = lock_ignoring_poison(&self.said);
        let withholds = self.withholds.load(Ordering::Relaxed);
        // What is being written may quote what was struck: it is shown once it stands.
        for event in
            driven.take_events().into_iter().filter(|event| !(withholds && matches!(event, LiveEvent::Delta { .. })))
        {
            self.send_frame(render_event(&event));
        }
    }

    pub(super) fn send_heartbeat(&self) {
        self.send_frame(Frame::from_static(b": still here\n\n"));
    }

    fn send_frame(&self, frame: Frame) {
        if let Some(sender) = &*lock_ignoring_poison(&self.sender) {
            // Nobody may be there any more.
            let _ = sender.send(frame);
        }
    }

    /// The frames after entry `after`, and then whatever comes.
    pub(super) fn stream_frames(
        &self,
        stale: Receiver,
        after: Option<u64>,
        driven: Option<&DrivenDebate>,
    ) -> impl Stream<Item = Frame> + Send + use<> {
        let said = lock_ignoring_poison(&self.said);
        // What was sent before is in `said` by now: only what is sent from here on is new.
        let receiver = stale.resubscribe();
        drop(stale);
        let from = after.map_or(0, |after| after.saturating_add(1));
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(said.len());
        let mut first: VecDeque<Frame> = VecDeque::from([Frame::from_static(b"retry: 1500\n\n")]);
        first.extend(said[from..].iter().cloned());
        let spoken = driven.filter(|_| !self.withholds.load(Ordering::Relaxed));
        let spoken = spoken.map(DrivenDebate::so_far).unwrap_or_default();
        let stopped = driven.and_then(DrivenDebate::told_stop);
        first.extend(spoken.iter().chain(&stopped).map(render_event));
        stream::unfold((first, receiver), |(mut first, mut receiver)| async move {
            if first.is_empty() {
                match receiver.recv().await {
                    Ok(frame) => first.push_back(frame),
                    // Too slow, or the end: the watcher comes back with what it had last.
                    Err(_) => return None,
                }
                while first.len() < BURST_MAX
                    && let Ok(frame) = receiver.try_recv()
                {
                    first.push_back(frame);
                }
            }
            let next = if first.len() == 1 {
                first.pop_front()?
            } else {
                let many = first.drain(..first.len().min(BURST_MAX));
                many.fold(Vec::new(), |mut all, frame| {
                    all.extend_from_slice(&frame);
                    all
                })
                .into()
            };
            Some((next, (first, receiver)))
        })
    }
}

/// What those who watch are told of an answer that may not be read yet.
const HELD: &str = "a seat has answered; its answer is shown when all have answered who are asked now";

struct Fresh {
    frames: Vec<Frame>,
    /// Whether earlier frames changed too.
    whole: bool,
    /// Whether something of the debate may not be shown.
    withholds: bool,
    /// The length of the record.
    length: u64,
}

/// The frames of those entries of a debate that may be read, from entry 0; those before `known` are left empty where they stand.
/// `None` where the record has not grown since it had `length` entries.
fn read_new_frames(journal: &Journal, debate: &DebateId, known: usize, length: u64) -> Result<Option<Fresh>, Refusal> {
    if journal.find_summary(debate)?.map_or(0, |summary| summary.entries) <= length {
        return Ok(None);
    }
    let record = journal.read_record(debate)?;
    let length = record.len();
    let readable = ReadableRecord::from_record(&record);
    let record = record.copy_first_entries(readable.entries);
    let whole = known == 0 || record.entries().iter().skip(known).any(|entry| redaction::needs_rereading(entry));
    let withheld = Withheld::from_record(&record);
    let frames = record.entries().iter().enumerate().map(|(at, entry)| match at < known && !whole {
        true => Frame::new(),
        false => render_frame(Some(entry.seq), "entry", &redaction::render_served_entry(&record, &withheld, entry)),
    });
    let withholds = !withheld.is_empty() || readable.is_apart;
    Ok(Some(Fresh { frames: frames.collect(), whole, withholds, length }))
}

/// An event that is not on the record.
fn render_event(event: &LiveEvent) -> Frame {
    render_frame(None, event.kind(), event)
}

/// One event. JSON has no line breaks outside its texts, and escapes those within.
fn render_frame(id: Option<u64>, kind: &str, data: &impl Serialize) -> Frame {
    let data = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {kind}\ndata: {data}\n\n").into()
}
