//! The bytes of a stream over time, and the ways in which it can break.

use std::{
    convert::Infallible,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::body::{Body, Bytes};
use futures::{Stream, StreamExt, stream};
use tokio::{task::yield_now, time::sleep};

/// What happens next in a stream.
#[derive(Debug)]
pub enum StreamStep {
    /// These bytes are sent.
    Send(Bytes),
    /// Nothing happens for so long.
    Wait(Duration),
    /// These bytes are sent again and again, with so long between.
    Forever(Bytes, Duration),
    /// Nothing more is ever sent.
    Hang,
    /// The connection breaks.
    Break,
}

/// Counts streams that the client left before their end.
#[derive(Debug, Clone, Default)]
pub struct AbandonedStreams(Arc<AtomicUsize>);

impl AbandonedStreams {
    /// How many so far.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn watch_stream(&self) -> StreamGuard {
        StreamGuard { left: self.clone(), finished: false }
    }
}

/// Counts a stream that is dropped before it has finished.
struct StreamGuard {
    left: AbandonedStreams,
    finished: bool,
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        if !self.finished {
            self.left.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// A body that plays `parts`.
pub fn play_steps(parts: Vec<StreamStep>, left: &AbandonedStreams) -> Body {
    let watch = left.watch_stream();
    let played = stream::iter(parts).flat_map(|part| stream_step_bytes(part).boxed());
    let watched = stream::unfold((Box::pin(played), watch), |(mut played, mut watch)| async move {
        let bytes = played.next().await;
        watch.finished = !matches!(bytes, Some(Ok(_)));
        Some((bytes?, (played, watch)))
    });
    Body::from_stream(watched)
}

fn stream_step_bytes(part: StreamStep) -> impl Stream<Item = io::Result<Bytes>> + Send {
    match part {
        StreamStep::Send(bytes) => stream::once(async move { Ok(bytes) }).boxed(),
        StreamStep::Wait(pause) => stream::once(sleep(pause)).filter_map(async |()| None).boxed(),
        StreamStep::Forever(bytes, pause) => stream::repeat(bytes)
            .then(move |bytes| async move {
                // A sleep of nothing takes a millisecond, which is not a flood.
                if pause.is_zero() {
                    yield_now().await
                } else {
                    sleep(pause).await
                }
                Ok(bytes)
            })
            .boxed(),
        StreamStep::Hang => stream::pending().boxed(),
        StreamStep::Break => {
            stream::once(async { Err(io::Error::other("the mock breaks the connection on request")) }).boxed()
        }
    }
}

/// Never comes back; counted when the client leaves.
pub async fn hang_forever(left: &AbandonedStreams) -> Infallible {
    let _watch = left.watch_stream();
    std::future::pending().await
}
