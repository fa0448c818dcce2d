//! Hears one answer out, within its limits of time and size.

use std::time::Duration;

use reqwest::{RequestBuilder, Response, header::CONTENT_TYPE};
use tokio::time::{Instant, timeout_at};

use super::{
    content::AnswerContent,
    endpoint::Endpoint,
    failure::BrokenCall,
    frames::{FrameFault, FrameReader},
    rate::RateReport,
    status::ErrorStatus,
    wire::StreamEvent,
};
use crate::participant::{Call, Deltas, count_weighted_chars};

/// After the provider said that the answer is complete: how long the rest of the stream, which holds the token counts,
/// is waited for.
const REST: Duration = Duration::from_secs(5);
/// After the last frame: how long the end of the body is waited for, so that the connection can be used again.
const DRAIN: Duration = Duration::from_secs(1);
/// After the head of an error: how long its body, which holds the reason, is waited for.
const REASON: Duration = Duration::from_millis(250);
/// Bytes of an error's body that are read.
const REASON_BYTES_MAX: usize = 64 << 10;
/// Bytes of frames for one byte of text: a piece of four characters comes in a frame of 250.
const FRAME_BYTES_PER_TEXT_BYTE: usize = 64;
const FRAME_BYTES_SPARE: usize = 1 << 20;

/// Why reading stopped.
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
    pub fn status(&self) -> Option<&ErrorStatus> {
        match self {
            Self::Broken(BrokenCall::Status(status)) => Some(status),
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

/// What was heard of an answer.
#[derive(Debug)]
pub(super) struct StreamedAnswer {
    pub content: AnswerContent,
    pub stop: StreamStop,
    /// What the head of the answer tells of limits of rate.
    pub rates: RateReport,
}

/// Sends `request` and reads the answer to its end, passing the text on as it comes. Dropping the future closes the
/// connection.
pub(super) async fn read_answer(
    request: RequestBuilder,
    endpoint: &Endpoint,
    call: &Call,
    deltas: &dyn Deltas,
) -> StreamedAnswer {
    let stream = AnswerStream { started: Instant::now(), endpoint, call, deltas };
    let (mut content, mut rates) = (AnswerContent::default(), RateReport::default());
    let stop = match stream.send_request(request).await {
        Ok(response) => {
            rates = RateReport::from_headers(response.headers());
            stream.read_body(response, &mut content).await
        }
        Err(stop) => stop,
    };
    StreamedAnswer { content, stop, rates }
}

/// What comes of the body of `response` until `deadline`, cut at `bytes_max`.
pub(super) async fn read_head(response: &mut Response, bytes_max: usize, deadline: Instant) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await {
        body.extend_from_slice(&chunk[..chunk.len().min(bytes_max - body.len())]);
        if body.len() == bytes_max {
            break;
        }
    }
    body
}

/// An answer that is heard out.
struct AnswerStream<'a> {
    started: Instant,
    endpoint: &'a Endpoint,
    call: &'a Call,
    deltas: &'a dyn Deltas,
}

impl AnswerStream<'_> {
    /// The head of the answer, if it is one.
    async fn send_request(&self, request: RequestBuilder) -> Result<Response, StreamStop> {
        let sent = timeout_at(self.reading_deadline(None, None), request.send()).await;
        let response = sent.map_err(|_| StreamStop::Elapsed(self.describe_elapsed(None, None)))?;
        let mut response =
            response.map_err(|error| StreamStop::Broken(BrokenCall::from_http(&error, self.endpoint)))?;
        if !response.status().is_success() {
            let deadline = (Instant::now() + REASON).min(self.total_deadline());
            let body = read_head(&mut response, REASON_BYTES_MAX, deadline).await;
            return Err(StreamStop::Broken(BrokenCall::Status(ErrorStatus::from_response(&response, &body))));
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("text/html")) {
            return Err(StreamStop::Broken(BrokenCall::Page));
        }
        Ok(response)
    }

    async fn read_body(&self, mut response: Response, content: &mut AnswerContent) -> StreamStop {
        let Self { endpoint, call, deltas, .. } = *self;
        let body_bytes_max = call.bytes_max.saturating_mul(FRAME_BYTES_PER_TEXT_BYTE).saturating_add(FRAME_BYTES_SPARE);
        let (mut first, mut spoke) = (None, None);
        let mut frames = FrameReader::new(endpoint.wire().framing());
        loop {
            let deadline = content
                .ended
                .map(|ended| ended + REST)
                .unwrap_or_else(|| self.reading_deadline(first, spoke))
                .min(self.total_deadline());
            let chunk = match timeout_at(deadline, response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                // What comes after the end does not matter: the answer is complete.
                Err(_) | Ok(Err(_)) if content.ended.is_some() => return StreamStop::Ended,
                Ok(Err(error)) => return StreamStop::Broken(BrokenCall::from_http(&error, endpoint)),
                Err(_) => return StreamStop::Elapsed(self.describe_elapsed(first, spoke)),
            };
            let now = Instant::now();
            first.get_or_insert(now);
            content.bytes = content.bytes.saturating_add(chunk.as_ref().map_or(0, |chunk| chunk.len()));
            let mut stop = None;
            let mut take = |frame: &str| {
                content.frames += 1;
                let sink = &mut |event: StreamEvent<'_>| {
                    let (text, said) = match &event {
                        StreamEvent::Text(piece) => (*piece, count_weighted_chars(piece)),
                        StreamEvent::Reasoning(piece) => ("", count_weighted_chars(piece)),
                        _ => ("", 0),
                    };
                    if content.text.len().saturating_add(text.len()) > call.bytes_max {
                        stop.get_or_insert(StreamStop::TooLarge);
                    } else if content.written.saturating_add(said) > call.written_max() {
                        stop.get_or_insert(StreamStop::TooLong);
                    }
                    // What exceeds a limit is not kept.
                    if stop.is_none() {
                        spoke = if content.apply_event(event) { Some(now) } else { spoke };
                        if !text.is_empty() {
                            deltas.push_delta(text);
                        }
                    }
                };
                Ok(endpoint.wire().decode_frame(frame, sink)?)
            };
            let read = match &chunk {
                Some(chunk) => frames.push(chunk, &mut take),
                None => frames.finish(&mut take),
            };
            if let Some(stop) = stop {
                return stop;
            }
            match read {
                // An error in the stream wins over everything that came before it.
                _ if content.error.is_some() => {
                    let error = content.error.as_deref().unwrap_or_default();
                    let error = serde_json::from_str(error).unwrap_or_else(|_| error.into());
                    return StreamStop::Broken(BrokenCall::Reported(error));
                }
                Err(fault @ (FrameFault::Utf8(_) | FrameFault::Json(_))) => {
                    return StreamStop::Broken(BrokenCall::Garbled(fault.to_string()));
                }
                Ok(()) if frames.is_page() => return StreamStop::Broken(BrokenCall::Page),
                Ok(()) if chunk.is_none() => return StreamStop::Ended,
                Ok(()) if content.done => {
                    // What is left of the body, so that its connection serves the next call; a moment, and not much.
                    tokio::spawn(
                        async move { read_head(&mut response, REASON_BYTES_MAX, Instant::now() + DRAIN).await },
                    );
                    return StreamStop::Ended;
                }
                Ok(()) if content.bytes > body_bytes_max => return StreamStop::TooLarge,
                Ok(()) => {}
            }
        }
    }

    /// When everything stops.
    fn total_deadline(&self) -> Instant {
        self.started + self.endpoint.timeouts.total
    }

    /// When reading stops if nothing more comes: `first` is when the first byte of the body came, `spoke` when something
    /// was said last. Keep-alives say nothing.
    fn reading_deadline(&self, first: Option<Instant>, spoke: Option<Instant>) -> Instant {
        (spoke.or(first).unwrap_or(self.started) + self.endpoint.timeouts.silence).min(self.total_deadline())
    }

    /// Which limit passed.
    fn describe_elapsed(&self, first: Option<Instant>, spoke: Option<Instant>) -> String {
        if self.started.elapsed() >= self.endpoint.timeouts.total {
            return format!("longer than {} s in all", self.endpoint.timeouts.total.as_secs_f64());
        }
        let missing = match (first, spoke) {
            (None, None) => "answer",
            (_, None) => "text",
            (_, Some(_)) => "more text",
        };
        format!("no {missing} for {} s", self.endpoint.timeouts.silence.as_secs_f64())
    }
}
