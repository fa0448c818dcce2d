//! Files of debates: one thread draws them for every debate of the process, so that no call waits for them.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use agon_core::{Digest, Record};
use agon_runtime::files::{FileError, Lasting};
use tokio::sync::oneshot;

use crate::output_folder::{self, OutputDir};

/// Least time between two drawings of one debate: no reader is faster, and quick models are not slowed down.
const PAUSE: Duration = Duration::from_millis(300);
/// How many times as long as it drew the thread rests then, so that it takes a twentieth of a processor at most,
/// however many debates continue.
const REST: u32 = 19;

/// The drawing of one debate's files.
pub struct DebateFiles {
    queue: Arc<FileQueue>,
    ask: mpsc::Sender<FileJob>,
}

/// What the thread is given, and what it leaves there.
struct FileQueue {
    output: Arc<OutputDir>,
    /// The newest record that no file shows yet; `None` also once nobody wants it drawn.
    newest: Mutex<Option<Record>>,
    /// Held while it draws.
    drawn: Mutex<WrittenFiles>,
    failed: Mutex<Option<FileError>>,
}

#[derive(Default)]
struct WrittenFiles {
    /// Digests of what it drew, by path.
    files: BTreeMap<String, Digest>,
    /// When it drew last.
    at: Option<Instant>,
}

impl DebateFiles {
    /// Of the debate whose files are on `output`.
    pub fn new(output: Arc<OutputDir>) -> Self {
        let queue = FileQueue { output, newest: Mutex::default(), drawn: Mutex::default(), failed: Mutex::default() };
        Self { queue: Arc::new(queue), ask: drawing_thread() }
    }

    /// Has `record` drawn soon, unless a newer one comes before.
    pub fn schedule_drawing(&self, record: Record) {
        // A debate that waits already is drawn as it stands by then.
        if lock_value(&self.queue.newest).replace(record).is_none() {
            let _ = self.ask.send(FileJob::Soon(Arc::clone(&self.queue)));
        }
    }

    /// Why the files could not be written, told once.
    pub fn take_failure(&self) -> Option<FileError> {
        lock_value(&self.queue.failed).take()
    }
}

/// Nothing is drawn after it.
impl Drop for DebateFiles {
    fn drop(&mut self) {
        lock_value(&self.queue.newest).take();
        drop(lock_value(&self.queue.drawn));
    }
}

impl FileQueue {
    /// When it may be drawn again.
    fn due_time(&self) -> Instant {
        lock_value(&self.drawn).at.map_or_else(Instant::now, |at| at + PAUSE)
    }

    /// Draws what is newest, and tells how long that took.
    fn draw_newest(&self) -> Duration {
        let mut drawn = lock_value(&self.drawn);
        let Some(record) = lock_value(&self.newest).take() else { return Duration::ZERO };
        let began = Instant::now();
        let mut files = output_folder::render_growing_files(&record);
        files.retain(|(path, content)| {
            let digest = Digest::from_content(content);
            drawn.files.insert(path.clone(), digest.clone()) != Some(digest)
        });
        if let Err(error) = self.output.write_changed_files(files, Lasting::Drawn) {
            lock_value(&self.failed).get_or_insert(error);
        }
        drawn.at = Some(Instant::now());
        began.elapsed()
    }
}

/// What the thread is asked for.
enum FileJob {
    /// The files of a debate that continues.
    Soon(Arc<FileQueue>),
    /// Those of one that has ended or stops, before anything else.
    Now(Box<dyn FnOnce() + Send>),
}

/// Has the thread do `work`, the last drawing of a debate, before all others.
pub async fn run_last_drawing<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = oneshot::channel();
    let work = move || drop(done.send(work()));
    let _ = drawing_thread().send(FileJob::Now(Box::new(work)));
    result.await.ok()
}

/// The thread that draws; it begins with the first debate.
fn drawing_thread() -> mpsc::Sender<FileJob> {
    static ARTIST: OnceLock<mpsc::Sender<FileJob>> = OnceLock::new();
    let start = || {
        let (ask, asked) = mpsc::channel();
        thread::spawn(move || draw_all(&asked));
        ask
    };
    ARTIST.get_or_init(start).clone()
}

fn draw_all(asked: &mpsc::Receiver<FileJob>) {
    let mut waiting: VecDeque<Arc<FileQueue>> = VecDeque::new();
    let mut rested = Instant::now();
    loop {
        let job = match waiting.front().map(|next| rested.max(next.due_time())) {
            Some(due) => asked.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => asked.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match job {
            Ok(FileJob::Now(work)) => work(),
            Ok(FileJob::Soon(queue)) => waiting.push_back(queue),
            Err(RecvTimeoutError::Timeout) => {
                let took = waiting.pop_front().map_or(Duration::ZERO, |queue| queue.draw_newest());
                rested = Instant::now() + took * REST;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn lock_value<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
