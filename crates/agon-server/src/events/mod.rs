//! What happens in debates, for those who watch. One task of the server looks at the journal for all watched debates at
//! once, however many are watched and by how many. It does not matter which process drives a debate.

mod debate_stream;
mod driver;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agon_app::{
    Failure,
    interruption::{Interruption, find_interruptions},
    launcher::Observer,
};
use agon_core::{DebateId, Event, Record};
use agon_journal::Journal;
use agon_runtime::drive::Watch;
use futures::Stream;

use self::{debate_stream::DebateStream, driver::DrivenDebate};
pub use self::{debate_stream::Frame, driver::EventPublisher};
use crate::Refusal;

/// How often the journal is looked at for debates that grew.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often a watched debate is looked at for whether someone drives it, in beats: every five seconds.
const BEATS_A_LOOK: u32 = 40;

/// What is told to [`EventHub`] of the debates that this process drives.
struct EventForwarder(Arc<EventHub>);

impl Observer for EventForwarder {
    fn watch_debate(&self, debate: &DebateId) -> Box<dyn Watch> {
        Box::new(self.0.start_publishing(debate))
    }

    fn gave_up(&self, debate: &DebateId, why: &Failure) {
        self.0.gave_up(debate, why);
    }
}

/// The event streams of all watched debates, and the debates that this process drives.
pub struct EventHub {
    journal: Arc<Journal>,
    rooms: Mutex<WatchedDebates>,
    driven: Mutex<BTreeMap<DebateId, Arc<DrivenDebate>>>,
    /// Debates that were interrupted, and will be driven here in a moment.
    expected: Mutex<BTreeSet<DebateId>>,
    ended: AtomicBool,
}

/// The debates that someone watches.
#[derive(Default)]
struct WatchedDebates {
    streams: BTreeMap<DebateId, Arc<DebateStream>>,
    /// Whether a task looks at the journal for them.
    is_looked_at: bool,
}

impl EventHub {
    /// Nothing is watched or driven yet.
    pub fn new(journal: Arc<Journal>) -> Arc<Self> {
        Arc::new(Self {
            journal,
            rooms: Mutex::default(),
            driven: Mutex::default(),
            expected: Mutex::default(),
            ended: AtomicBool::new(false),
        })
    }

    /// Says what happens while this process drives `debate`, until it is dropped.
    pub fn start_publishing(self: &Arc<Self>, debate: &DebateId) -> EventPublisher {
        let driven = Arc::new(DrivenDebate::default());
        lock_ignoring_poison(&self.driven).insert(debate.clone(), Arc::clone(&driven));
        lock_ignoring_poison(&self.expected).remove(debate);
        EventPublisher::new(Arc::clone(self), debate.clone(), driven)
    }

    /// Says that this process is about to drive these debates, which are not told as interrupted.
    pub fn expect_drivers(&self, debates: &[DebateId]) {
        lock_ignoring_poison(&self.expected).extend(debates.iter().cloned());
    }

    /// What is told of the debates that this process drives.
    pub fn new_observer(self: &Arc<Self>) -> Arc<dyn Observer> {
        Arc::new(EventForwarder(Arc::clone(self)))
    }

    /// Says why this process stopped driving `debate` before its end.
    fn gave_up(&self, debate: &DebateId, why: &Failure) {
        let why = Refusal::from(why.clone());
        let entries = self.journal.find_summary(debate).ok().flatten().map_or(0, |summary| summary.entries);
        match self.find_driven(debate) {
            // It is driven again by now.
            Some(driven) if driven.is_under_way() => {}
            Some(driven) => driven.record_stop(why, entries),
            None => self.note_interruption(debate, why, entries),
        }
        self.refresh_debate(debate);
    }

    /// Whether this process drives `debate` now.
    pub(crate) fn is_driven(&self, debate: &DebateId) -> bool {
        self.find_driven(debate).is_some_and(|driven| driven.is_under_way())
    }

    /// How many debates this process drives now.
    pub(crate) fn driven_count(&self) -> usize {
        lock_ignoring_poison(&self.driven).values().filter(|driven| driven.is_under_way()).count()
    }

    /// Why nobody drives `debate` before its end, if it stopped.
    pub(crate) fn find_stop_reason(&self, debate: &DebateId) -> Option<Refusal> {
        self.find_stop_reasons(std::slice::from_ref(debate)).remove(debate)
    }

    /// Why nobody drives those of `debates` that stopped before their end: as this process knows it or, after another has
    /// ended, as the journal says.
    pub(crate) fn find_stop_reasons(&self, debates: &[DebateId]) -> BTreeMap<DebateId, Refusal> {
        let (mut reasons, mut unknown) = (BTreeMap::new(), Vec::new());
        for debate in debates {
            if self.is_driven(debate) || lock_ignoring_poison(&self.expected).contains(debate) {
                continue;
            }
            match self.known_stop(debate) {
                Some(why) => drop(reasons.insert(debate.clone(), why)),
                None => unknown.push(debate.clone()),
            }
        }
        for Interruption { debate, why, entries } in find_interruptions(&self.journal, &unknown) {
            // It may be driven here by now.
            if !self.is_driven(&debate) {
                let why = Refusal::from(why);
                self.note_interruption(&debate, why.clone(), entries);
                reasons.insert(debate, why);
            }
        }
        reasons
    }

    fn note_interruption(&self, debate: &DebateId, why: Refusal, entries: u64) {
        lock_ignoring_poison(&self.expected).remove(debate);
        let interrupted = DrivenDebate::new_interrupted(why, entries);
        lock_ignoring_poison(&self.driven).insert(debate.clone(), Arc::new(interrupted));
    }

    /// Why this process stopped driving `debate` before its end, as long as no other process drove it since.
    fn known_stop(&self, debate: &DebateId) -> Option<Refusal> {
        let driven = self.find_driven(debate)?;
        let (why, entries) = driven.stop_reason()?;
        if self.journal.is_driven(debate).unwrap_or_default() {
            driven.forget_stop();
            return None;
        }
        let went_on = |record: &Record| {
            record.entries().iter().skip(usize::try_from(entries).unwrap_or(usize::MAX)).any(|entry| match entry.what {
                Event::Asked(_) | Event::Answered(_) | Event::Closed { .. } => true,
                Event::Opened(_) | Event::Ruled { .. } | Event::Extended { .. } | Event::Acted(_) => false,
            })
        };
        let summary = self.journal.find_summary(debate).ok().flatten();
        let is_longer = summary.is_some_and(|summary| summary.entries > entries);
        let is_stale = is_longer && self.journal.read_record(debate).is_ok_and(|record| went_on(&record));
        if is_stale {
            driven.forget_stop();
            return None;
        }
        Some(why)
    }

    /// Everything in `debate` from the entry after `after` on, as frames of an event stream: each
    /// entry once. The stream ends where its reader is too slow; the next one continues behind the
    /// last entry that was read.
    pub(crate) async fn watch_debate(
        self: &Arc<Self>,
        debate: &DebateId,
        after: Option<u64>,
    ) -> Result<impl Stream<Item = Frame> + Send + use<>, Refusal> {
        if self.journal.find_summary(debate)?.is_none() {
            return Err(Refusal::no_such_debate(debate.as_str()));
        }
        let (room, receiver) = self.join_stream(debate);
        room.send_new_entries(&self.journal).await?;
        let is_stopped = self.looked_for_stop(debate).await;
        let speaking = self.find_driven(debate).filter(|driven| driven.is_under_way() || is_stopped);
        Ok(room.stream_frames(receiver, after, speaking.as_deref()))
    }

    /// Whether `debate` stopped, looked for where it holds up nobody.
    async fn looked_for_stop(self: &Arc<Self>, debate: &DebateId) -> bool {
        let (events, debate) = (Arc::clone(self), debate.clone());
        let looked = tokio::task::spawn_blocking(move || events.find_stop_reason(&debate).is_some());
        looked.await.unwrap_or_default()
    }

    /// Has the journal looked at now: something was appended to `debate`.
    pub(crate) fn refresh_debate(&self, debate: &DebateId) {
        let room = lock_ignoring_poison(&self.rooms).streams.get(debate).cloned();
        if let Some(room) = room {
            room.wake();
        }
    }

    /// Whether nobody is told anything any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Lets go of everyone who watches.
    pub(crate) fn end_streams(&self) {
        self.ended.store(true, Ordering::Relaxed);
        for room in lock_ignoring_poison(&self.rooms).streams.values() {
            room.wake();
        }
    }

    /// The room of a debate; made, with the task that looks after it, for the first who watches.
    fn join_stream(self: &Arc<Self>, debate: &DebateId) -> (Arc<DebateStream>, debate_stream::Receiver) {
        let mut rooms = lock_ignoring_poison(&self.rooms);
        let room = rooms.streams.entry(debate.clone()).or_insert_with(|| {
            let room = Arc::new(DebateStream::new(debate.clone()));
            tokio::spawn(run_stream(Arc::clone(self), Arc::clone(&room)));
            room
        });
        // Within the lock: a room that someone watches is not given up.
        let entered = (Arc::clone(room), room.new_receiver());
        if !std::mem::replace(&mut rooms.is_looked_at, true) {
            tokio::spawn(look_out(Arc::clone(self)));
        }
        entered
    }

    /// All rooms; `None` where there is none any more, and nobody looks for them from now on.
    fn list_streams(&self) -> Option<Vec<Arc<DebateStream>>> {
        let mut rooms = lock_ignoring_poison(&self.rooms);
        if rooms.streams.is_empty() {
            rooms.is_looked_at = false;
            return None;
        }
        Some(rooms.streams.values().cloned().collect())
    }

    fn find_driven(&self, debate: &DebateId) -> Option<Arc<DrivenDebate>> {
        lock_ignoring_poison(&self.driven).get(debate).cloned()
    }

    /// Gives a room up that nobody watches any more.
    fn close_if_unwatched(&self, room: &DebateStream) -> bool {
        let mut rooms = lock_ignoring_poison(&self.rooms);
        let is_empty = room.is_empty() || self.ended.load(Ordering::Relaxed);
        if is_empty {
            rooms.streams.remove(room.debate());
            room.close();
        }
        is_empty
    }
}

/// Looks after one room as long as someone is in it.
async fn run_stream(events: Arc<EventHub>, room: Arc<DebateStream>) {
    let mut beat = 0_u32;
    while !events.close_if_unwatched(&room) {
        room.wait_for_beat().await;
        // First what was asked: it decides whether the answers are shown while they are written. Damage is reported to
        // readers of the record; the watchers keep what they have.
        if room.was_woken() {
            let _ = room.send_new_entries(&events.journal).await;
        }
        if beat % BEATS_A_LOOK == BEATS_A_LOOK - 1 {
            // What is found is told with the next beat.
            events.looked_for_stop(room.debate()).await;
        }
        if let Some(driven) = events.find_driven(room.debate()) {
            room.send_live_text(&driven);
        }
        if beat.is_multiple_of(debate_stream::BEATS_A_HEARTBEAT) {
            room.send_heartbeat();
        }
        beat = beat.wrapping_add(1);
    }
}

/// Looks at the journal for all rooms, as long as there are some, and wakes those whose debate has grown.
async fn look_out(events: Arc<EventHub>) {
    while let Some(rooms) = events.list_streams() {
        let journal = Arc::clone(&events.journal);
        let looked = tokio::task::spawn_blocking(move || {
            let debates: Vec<&DebateId> = rooms.iter().map(|room| room.debate()).collect();
            // A journal that cannot be read now can be read later.
            let lengths = journal.count_entries(&debates).unwrap_or_default();
            let grew = |room: &&Arc<DebateStream>| {
                lengths.get(room.debate()).is_some_and(|length| *length > room.count_known_entries())
            };
            rooms.iter().filter(grew).for_each(|room| room.wake());
        });
        // One that breaks off is begun again.
        let _ = looked.await;
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
