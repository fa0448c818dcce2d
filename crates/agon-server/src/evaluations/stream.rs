//! Those who watch a run: they are told when it has grown, and ask for the page again.

use std::{sync::Arc, time::Duration};

use axum::body::Bytes;
use futures::{Stream, stream};

use super::EvaluationRuns;

/// How often the observations are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Looks between two lines that mean nothing, so that nobody takes the connection for dead.
const LOOKS_A_HEARTBEAT: u32 = 15;

/// An event for each time that the run `name` has grown beyond `known` bytes; ends where it is gone, or once `ended`
/// says so.
pub fn follow_run(
    runs: Arc<EvaluationRuns>,
    name: String,
    known: Option<u64>,
    ended: impl Fn() -> bool + Send + 'static,
) -> impl Stream<Item = Bytes> + Send {
    stream::unfold((runs, name, known, ended), |(runs, name, known, ended)| async move {
        for _ in 0..LOOKS_A_HEARTBEAT {
            if ended() {
                return None;
            }
            let (looked, asked) = (Arc::clone(&runs), name.clone());
            let length =
                tokio::task::spawn_blocking(move || looked.observations_length(&asked)).await.ok().flatten()?;
            if known != Some(length) {
                let frame = format!("retry: 1500\nid: {length}\nevent: entry\ndata: {{\"bytes\":{length}}}\n\n");
                return Some((frame.into(), (runs, name, Some(length), ended)));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Some((Bytes::from_static(b": still here\n\n"), (runs, name, known, ended)))
    })
}
