//! Those who watch a run: they are told when it has grown, and ask for the page again.

use std::{sync::Arc, time::Duration};

use axum::body::Bytes;
use futures::{Stream, stream};

use super::EvaluationRuns;

/// How often the observations are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Looks between two lines that mean nothing, so that nobody takes the connection for dead.
const LOOKS_A_HEARTBEAT: u32 = 15;

/// What a watcher knows.
struct EvaluationWatcher {
    runs: Arc<EvaluationRuns>,
    name: String,
    known: Option<u64>,
    idle: u32,
}

/// An event for each time that the run `name` has grown beyond `known` bytes; ends where it is gone, or once `ended`
/// says so.
pub fn follow(
    runs: Arc<EvaluationRuns>,
    name: String,
    known: Option<u64>,
    ended: impl Fn() -> bool + Send + 'static,
) -> impl Stream<Item = Bytes> + Send {
    let watcher = EvaluationWatcher { runs, name, known, idle: 0 };
    stream::unfold((watcher, ended), |(mut watcher, ended)| async move {
        loop {
            if ended() {
                return None;
            }
            let (runs, name) = (Arc::clone(&watcher.runs), watcher.name.clone());
            let length = tokio::task::spawn_blocking(move || runs.length(&name)).await.ok().flatten()?;
            if watcher.known != Some(length) {
                watcher.known = Some(length);
                watcher.idle = 0;
                let frame =
                    format!("retry: 1500\nid: {length}\nevent: entry\ndata: {{\"bytes\":{length}}}\n\n");
                return Some((frame.into(), (watcher, ended)));
            }
            if watcher.idle >= LOOKS_A_HEARTBEAT {
                watcher.idle = 0;
                return Some((Bytes::from_static(b": still here\n\n"), (watcher, ended)));
            }
            watcher.idle += 1;
            tokio::time::sleep(LOOK_EVERY).await;
        }
    })
}
