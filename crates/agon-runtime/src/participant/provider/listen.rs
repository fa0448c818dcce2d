//! Hears one answer out, within its limits of time and size.

use std::{pin::pin, time::Duration};

use futures::{StreamExt, stream::BoxStream};
use tokio::time::{Instant, sleep_until};

use super::{
    Timeouts,
    failure::{BrokenCall, ErrorStatus},
    notes::{Moments, StreamMetadata},
};
use crate::participant::{Deltas, written};

/// After the provider said that this was all: how long the rest of the stream, which holds the
/// token counts, is waited for.
const REST: Duration = Duration::from_secs(5);

/// After the head of an error: how long its body, which holds the reason, is waited for. genai reads
/// it whole, so this is also what bounds the memory that an endless one takes.
const REASON: Duration = Duration::from_millis(250);

/// One thing heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StreamItem {
    /// Text of the answer.
    Text(String),
    /// Thinking that is not part of it, of this length ([`written`]).
    Thought(usize),
    /// A sign of life.
    Nothing,
    /// The end.
    End,
}

/// The stream of an answer.
pub(super) type Source = BoxStream<'static, Result<StreamItem, BrokenCall>>;

/// What bounds an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamLimits {
    pub timeouts: Timeouts,
    pub bytes_max: usize,
    /// Of text and thinking together, as [`written`] measures.
    pub written_max: usize,
}

/// Why listening stopped.
#[derive(Debug, Clone)]
pub(super) enum StreamStop {
    /// The stream ended.
    Ended,
    /// More came than is allowed.
    TooLarge,
    /// More was written, thinking included, than the tokens that were allowed can be.
    TooLong,
    /// A limit in time passed; which one, for the user.
    Elapsed(String),
    /// It broke.
    Broken(BrokenCall),
}

impl StreamStop {
    /// The HTTP status of a request that was turned away.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Broken(BrokenCall::Status(status)) => Some(status.code),
            _ => None,
        }
    }

    /// What happened, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ended => "stream ended",
            Self::TooLarge | Self::TooLong => "too long",
            Self::Elapsed(_) => "too slow",
            Self::Broken(BrokenCall::Status(_)) => "turned away",
            Self::Broken(BrokenCall::Reported(_)) => "error in the stream",
            Self::Broken(BrokenCall::Unreached(_)) => "not reached",
            Self::Broken(BrokenCall::Connection(_)) => "connection broke",
            Self::Broken(BrokenCall::Garbled(_) | BrokenCall::Page) => "no stream of the interface",
            Self::Broken(BrokenCall::Unsent(_)) => "not sent",
        }
    }
}

/// Listens to the end, passing the text on as it comes. Dropping the future closes the connection.
pub(super) async fn listen(
    source: Source,
    notes: &StreamMetadata,
    limits: StreamLimits,
    deltas: &dyn Deltas,
) -> (String, StreamStop) {
    let mut text = String::new();
    let mut source = pin!(source);
    let clock = StreamClock { started: Instant::now(), timeouts: limits.timeouts };
    let mut spoke = None;
    let mut length: usize = 0;
    loop {
        let deadline = clock.deadline(spoke, notes);
        let next = tokio::select! {
            biased;
            () = notes.news() => {
                if notes.is_over() {
                    return (text, StreamStop::TooLarge);
                }
                continue;
            }
            next = source.next() => next,
            () = sleep_until(deadline) => {
                // The first frame may have come meanwhile, which moves the deadline.
                if clock.deadline(spoke, notes) <= Instant::now() {
                    if let Some((code, _)) = notes.heard().refused {
                        let status = ErrorStatus { code, ..ErrorStatus::default() };
                        return (text, StreamStop::Broken(BrokenCall::Status(Box::new(status))));
                    }
                    let why = clock.elapsed(spoke, notes);
                    return (text, StreamStop::Elapsed(why));
                }
                continue;
            }
        };
        match next {
            None | Some(Ok(StreamItem::End)) => return (text, StreamStop::Ended),
            Some(Err(broken)) => return (text, StreamStop::Broken(broken)),
            Some(Ok(StreamItem::Nothing)) => {}
            Some(Ok(StreamItem::Thought(thought))) => {
                length = length.saturating_add(thought);
                if length > limits.written_max {
                    return (text, StreamStop::TooLong);
                }
                spoke = Some(Instant::now());
            }
            Some(Ok(StreamItem::Text(piece))) => {
                if text.len().saturating_add(piece.len()) > limits.bytes_max {
                    return (text, StreamStop::TooLarge);
                }
                length = length.saturating_add(written(&piece));
                if length > limits.written_max {
                    return (text, StreamStop::TooLong);
                }
                spoke = Some(Instant::now());
                deltas.delta(&piece);
                text.push_str(&piece);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct StreamClock {
    started: Instant,
    timeouts: Timeouts,
}

impl StreamClock {
    /// When listening stops if nothing more is said; `spoke` is when something was said last.
    fn deadline(&self, spoke: Option<Instant>, notes: &StreamMetadata) -> Instant {
        let Moments { first, last, refused } = notes.moments();
        let total = self.started + self.timeouts.total;
        if let Some(at) = refused {
            return (Instant::from_std(at) + REASON).min(total);
        }
        if let Some(last) = last {
            return (Instant::from_std(last) + REST).min(total);
        }
        let silent = match spoke.or(first.map(Instant::from_std)) {
            Some(since) => since + self.timeouts.idle,
            None => self.started + self.timeouts.first_byte,
        };
        silent.min(total)
    }

    /// Which limit passed.
    fn elapsed(&self, spoke: Option<Instant>, notes: &StreamMetadata) -> String {
        let seconds = |duration: Duration| format!("{} s", duration.as_secs_f64());
        if self.started.elapsed() >= self.timeouts.total {
            return format!("longer than {} in all", seconds(self.timeouts.total));
        }
        match (spoke, notes.moments().first) {
            (None, None) => format!("no answer for {}", seconds(self.timeouts.first_byte)),
            (None, Some(_)) => format!("no text for {}", seconds(self.timeouts.idle)),
            (Some(_), _) => format!("no more text for {}", seconds(self.timeouts.idle)),
        }
    }
}
