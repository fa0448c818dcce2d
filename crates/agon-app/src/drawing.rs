//! Files of debates that go on: one thread draws them for every debate of the process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use agon_core::{Digest, Record};
use agon_runtime::files::{FileError, Lasting};

use crate::output_dir::{self, OutputDir};

/// Least time between two drawings of one debate: no reader is faster, and quick models are not slowed down.
const PAUSE: Duration = Duration::from_millis(300);
/// How many times as long as it drew the thread rests then, so that it takes a twentieth of a processor at most,
/// however many debates go on.
const REST: u32 = 19;

/// The drawing of one debate's files.
pub struct Drawing {
    desk: Arc<Desk>,
    ask: mpsc::Sender<Arc<Desk>>,
}

/// What the thread is given, and what it leaves there.
struct Desk {
    output: Arc<OutputDir>,
    /// The newest record that no file shows yet; `None` also once nobody wants it drawn.
    newest: Mutex<Option<Record>>,
    /// Held while it draws.
    drawn: Mutex<Drawn>,
    failed: Mutex<Option<FileError>>,
}

#[derive(Default)]
struct Drawn {
    /// Digests of what it drew, by path.
    files: BTreeMap<String, Digest>,
    /// When it drew last.
    at: Option<Instant>,
}

impl Drawing {
    /// Of the debate whose files are on `output`.
    pub fn new(output: Arc<OutputDir>) -> Self {
        let desk =
            Desk { output, newest: Mutex::default(), drawn: Mutex::default(), failed: Mutex::default() };
        Self { desk: Arc::new(desk), ask: artist() }
    }

    /// Has `record` drawn soon, unless a newer one comes before.
    pub fn draw(&self, record: Record) {
        // A debate that waits already is drawn as it stands by then.
        if held(&self.desk.newest).replace(record).is_none() {
            let _ = self.ask.send(Arc::clone(&self.desk));
        }
    }

    /// Why the files could not be written, told once.
    pub fn failure(&self) -> Option<FileError> {
        held(&self.desk.failed).take()
    }
}

/// Nothing is drawn after it.
impl Drop for Drawing {
    fn drop(&mut self) {
        held(&self.desk.newest).take();
        drop(held(&self.desk.drawn));
    }
}

impl Desk {
    /// Draws what is newest, and tells how long that took.
    fn draw(&self) -> Duration {
        let last = held(&self.drawn).at.map_or(PAUSE, |at| at.elapsed());
        thread::sleep(PAUSE.saturating_sub(last));
        let mut drawn = held(&self.drawn);
        let Some(record) = held(&self.newest).take() else { return Duration::ZERO };
        let began = Instant::now();
        let mut files = output_dir::growing(&record);
        files.retain(|(path, content)| {
            let digest = Digest::of(content);
            drawn.files.insert(path.clone(), digest.clone()) != Some(digest)
        });
        if let Err(error) = self.output.put(files, Lasting::Drawn) {
            held(&self.failed).get_or_insert(error);
        }
        drawn.at = Some(Instant::now());
        began.elapsed()
    }
}

/// The thread that draws; it begins with the first debate.
fn artist() -> mpsc::Sender<Arc<Desk>> {
    static ARTIST: OnceLock<mpsc::Sender<Arc<Desk>>> = OnceLock::new();
    let start = || {
        let (ask, asked) = mpsc::channel::<Arc<Desk>>();
        thread::spawn(move || {
            while let Ok(desk) = asked.recv() {
                thread::sleep(desk.draw() * REST);
            }
        });
        ask
    };
    ARTIST.get_or_init(start).clone()
}

fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
