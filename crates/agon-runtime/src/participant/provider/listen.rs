//! Hears one answer out, within its limits of time and size.

use std::{pin::pin, time::Duration};

use futures::{StreamExt, stream::BoxStream};
use tokio::time::{Instant, sleep_until};

use super::{
    Timeouts,
    failure::{Broken, Status},
    notes::{Moments, Notes},
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
pub(super) enum Heard {
    /// Text of the answer.
    Text(String),
    /// Thinking that is no part of it, of this length ([`written`]).
    Thought(usize),
    /// A sign of life.
    Nothing,
    /// The end.
    End,
}

/// The stream of an answer.
pub(super) type Source = BoxStream<'static, Result<Heard, Broken>>;

/// What bounds an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub timeouts: Timeouts,
    pub bytes_max: usize,
    /// Of text and thinking together, as [`written`] measures.
    pub written_max: usize,
}

/// Why listening stopped.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// The stream ended.
    Ended,
    /// More came than is allowed.
    TooLarge,
    /// More was written, thinking included, than the tokens that were allowed can be.
    TooLong,
    /// A limit in time passed; which one, for the user.
    Elapsed(String),
    /// It broke.
    Broken(Broken),
}

impl Stop {
    /// The HTTP status of a request that was turned away.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Broken(Broken::Status(status)) => Some(status.code),
            _ => None,
        }
    }

    /// What happened, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ended => "stream ended",
            Self::TooLarge | Self::TooLong => "too long",
            Self::Elapsed(_) => "too slow",
            Self::Broken(Broken::Status(_)) => "turned away",
            Self::Broken(Broken::Reported(_)) => "error in the stream",
            Self::Broken(Broken::Unreached(_)) => "not reached",
            Self::Broken(Broken::Connection(_)) => "connection broke",
            Self::Broken(Broken::Garbled(_) | Broken::Page) => "no stream of the interface",
            Self::Broken(Broken::Unsent(_)) => "not sent",
        }
    }
}

/// Listens to the end, passing the text on as it comes. Dropping the future closes the connection.
pub(super) async fn listen(
    source: Source,
    notes: &Notes,
    limits: Limits,
    deltas: &dyn Deltas,
) -> (String, Stop) {
    let mut text = String::new();
    let mut source = pin!(source);
    let clock = Clock { started: Instant::now(), timeouts: limits.timeouts };
    let mut spoke = None;
    let mut length: usize = 0;
    loop {
        let deadline = clock.deadline(spoke, notes);
        let next = tokio::select! {
            biased;
            () = notes.news() => {
                if notes.is_over() {
                    return (text, Stop::TooLarge);
                }
                continue;
            }
            next = source.next() => next,
            () = sleep_until(deadline) => {
                // The first frame may have come meanwhile, which moves the deadline.
                if clock.deadline(spoke, notes) <= Instant::now() {
                    if let Some((code, _)) = notes.heard().refused {
                        let status = Status { code, ..Status::default() };
                        return (text, Stop::Broken(Broken::Status(Box::new(status))));
                    }
                    let why = clock.elapsed(spoke, notes);
                    return (text, Stop::Elapsed(why));
                }
                continue;
            }
        };
        match next {
            None | Some(Ok(Heard::End)) => return (text, Stop::Ended),
            Some(Err(broken)) => return (text, Stop::Broken(broken)),
            Some(Ok(Heard::Nothing)) => {}
            Some(Ok(Heard::Thought(thought))) => {
                length = length.saturating_add(thought);
                if length > limits.written_max {
                    return (text, Stop::TooLong);
                }
                spoke = Some(Instant::now());
            }
            Some(Ok(Heard::Text(piece))) => {
                if text.len().saturating_add(piece.len()) > limits.bytes_max {
                    return (text, Stop::TooLarge);
                }
                length = length.saturating_add(written(&piece));
                if length > limits.written_max {
                    return (text, Stop::TooLong);
                }
                spoke = Some(Instant::now());
                deltas.delta(&piece);
                text.push_str(&piece);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Clock {
    started: Instant,
    timeouts: Timeouts,
}

impl Clock {
    /// When listening stops if nothing more is said; `spoke` is when something was said last.
    fn deadline(&self, spoke: Option<Instant>, notes: &Notes) -> Instant {
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
    fn elapsed(&self, spoke: Option<Instant>, notes: &Notes) -> String {
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
