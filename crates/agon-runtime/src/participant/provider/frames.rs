//! Cuts the bytes of an answer into frames: the events of a stream, lines of JSON, or one whole JSON value where a
//! server does not stream though it was asked to. It does not matter how the bytes arrive.

use std::str::Utf8Error;

use memchr::memchr2;
use serde_json::{StreamDeserializer, de::StrRead, json, value::RawValue};

/// How an interface cuts its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events; the frame is their data.
    Events,
    /// A line of JSON each.
    Lines,
}

/// What can be wrong with a frame.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameFault {
    /// It is not text.
    #[error("the answer is not valid UTF-8")]
    Utf8(#[from] Utf8Error),
    /// It is not JSON, or not of the form that the interface promises.
    #[error("a frame is not JSON of this interface: {0}")]
    Json(#[from] serde_json::Error),
}

/// Takes a frame; an error says what is wrong with it.
type TakeFrame<'t> = dyn FnMut(&str) -> Result<(), FrameFault> + 't;

/// What came of the body and is not yet cut into frames.
#[derive(Debug)]
pub(super) struct FrameReader {
    framing: Framing,
    shape: BodyShape,
    buffer: Vec<u8>,
    /// Where the line begins that is not complete yet.
    line: usize,
    /// What was searched for the end of a line.
    searched: usize,
}

/// What the body turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyShape {
    /// Only blanks came.
    Unknown,
    /// What the interface promises.
    Framed,
    /// JSON where events were promised.
    Whole,
    /// A page of markup.
    Page,
}

impl FrameReader {
    pub fn new(framing: Framing) -> Self {
        Self { framing, shape: BodyShape::Unknown, buffer: Vec::new(), line: 0, searched: 0 }
    }

    /// Adds bytes as they came, and gives `take` each frame that is complete.
    ///
    /// # Errors
    ///
    /// What is wrong with a frame, also where `take` says so.
    pub fn push(&mut self, bytes: &[u8], take: &mut TakeFrame<'_>) -> Result<(), FrameFault> {
        self.buffer.extend_from_slice(bytes);
        if self.shape == BodyShape::Unknown {
            self.detect_shape();
        }
        if self.shape == BodyShape::Framed { self.cut_frames(take) } else { Ok(()) }
    }

    /// The body ends here: what is left is a frame whose end is missing, or the whole answer.
    pub fn finish(&mut self, take: &mut TakeFrame<'_>) -> Result<(), FrameFault> {
        match self.shape {
            BodyShape::Framed => self.push(b"\n\n", take),
            BodyShape::Whole => take_values(std::str::from_utf8(&self.buffer)?, take),
            BodyShape::Unknown | BodyShape::Page => Ok(()),
        }
    }

    /// Whether a page of markup came.
    pub fn is_page(&self) -> bool {
        self.shape == BodyShape::Page
    }

    /// What the body is, by its first character.
    fn detect_shape(&mut self) {
        let text = self.buffer.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.buffer);
        let blanks = self.buffer.len() - text.trim_ascii_start().len();
        self.shape = match (self.buffer.get(blanks), self.framing) {
            (None, _) => return,
            (Some(b'<'), _) => BodyShape::Page,
            (Some(b'{' | b'['), Framing::Events) => BodyShape::Whole,
            _ => BodyShape::Framed,
        };
        self.buffer.drain(..blanks);
    }

    fn cut_frames(&mut self, take: &mut TakeFrame<'_>) -> Result<(), FrameFault> {
        let (mut start, mut fault) = (0, Ok(()));
        while fault.is_ok()
            && let Some(end) = self.end_of_line()
        {
            let line = &self.buffer[self.line..end];
            match self.framing {
                // An empty line ends an event.
                Framing::Events if without_return(line).is_empty() => {
                    fault = take_event(&self.buffer[start..self.line], take);
                    start = end + 1;
                }
                Framing::Events => {}
                Framing::Lines => {
                    let line = line.trim_ascii();
                    fault = if line.is_empty() { Ok(()) } else { text_of(line).and_then(&mut *take) };
                    start = end + 1;
                }
            }
            self.line = end + 1;
        }
        self.discard_read(start);
        fault
    }

    /// The next end of a line: a line feed, a return, or both; what was searched is not searched again.
    fn end_of_line(&mut self) -> Option<usize> {
        let from = self.searched.max(self.line);
        let found = memchr2(b'\n', b'\r', &self.buffer[from..]).map(|at| from + at);
        let end = found.and_then(|at| match self.buffer[at..] {
            // Whether a line feed follows is not known yet.
            [b'\r'] => None,
            [b'\r', b'\n', ..] => Some(at + 1),
            _ => Some(at),
        });
        self.searched = end.map(|end| end + 1).or(found).unwrap_or(self.buffer.len());
        end
    }

    /// Drops what was read.
    fn discard_read(&mut self, read: usize) {
        self.buffer.drain(..read);
        self.line -= read;
        self.searched -= read;
    }
}

/// The data of an event, also where servers leave its name out before JSON; comments, names and ids are skipped, apart
/// from the name of an error.
fn take_event(event: &[u8], take: &mut TakeFrame<'_>) -> Result<(), FrameFault> {
    let lines = || event.split(is_line_end);
    let is_error = lines().any(|line| line.strip_prefix(b"event:").is_some_and(|name| name.trim_ascii() == b"error"));
    let take = &mut |frame: &str| if is_error { take(&name_error(frame)) } else { take(frame) };
    let data = lines().filter_map(|line| line.strip_prefix(b"data:").or(line.starts_with(b"{").then_some(line)));
    let mut data = data.map(<[u8]>::trim_ascii_start);
    match (data.next(), data.next()) {
        (None | Some(b""), None) => text_of(event).map(drop),
        (Some(only), None) => take(text_of(only)?),
        (first, second) => {
            let all: Vec<&[u8]> = first.into_iter().chain(second).chain(data).collect();
            take(text_of(&all.join(&b'\n'))?)
        }
    }
}

/// What an event says that is called an error, as all interfaces report one.
fn name_error(data: &str) -> String {
    let error = serde_json::from_str(data).unwrap_or_else(|_| json!(data));
    let is_named = error.get("error").is_some_and(|error| !error.is_null());
    if is_named { data.to_owned() } else { json!({ "error": error }).to_string() }
}

/// Each of the JSON values in `text`, those of a list one by one.
fn take_values(text: &str, take: &mut TakeFrame<'_>) -> Result<(), FrameFault> {
    let values: StreamDeserializer<'_, StrRead<'_>, &RawValue> = serde_json::Deserializer::from_str(text).into_iter();
    for value in values {
        let value = value?.get();
        if value.starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(value)?;
            items.into_iter().try_for_each(|item| take(item.get()))?;
        } else {
            take(value)?;
        }
    }
    Ok(())
}

fn text_of(frame: &[u8]) -> Result<&str, FrameFault> {
    Ok(std::str::from_utf8(frame)?)
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of `body`, which comes in pieces of `size` bytes.
    fn frames(framing: Framing, body: &[u8], size: usize) -> Vec<String> {
        let mut frames = Vec::new();
        let mut reader = FrameReader::new(framing);
        let mut take = |frame: &str| {
            frames.push(frame.to_owned());
            Ok(())
        };
        for piece in body.chunks(size) {
            reader.push(piece, &mut take).unwrap();
        }
        reader.finish(&mut take).unwrap();
        frames
    }

    #[test]
    fn frames_are_the_same_however_the_bytes_arrive() {
        let events: &[u8] = "\u{feff}: hello\r\n\r\nevent: x\r\ndata: {\"a\":1}\r\n\r\ndata:{\"b\":\ndata: \"ü\"}\n\n\n\nid: 7\n\ndata:\n\ndata: [DONE]\n\n".as_bytes();
        let wanted = ["{\"a\":1}", "{\"b\":\n\"ü\"}", "[DONE]"];
        let returns = String::from_utf8_lossy(events).replace("\r\n", "\n").replace('\n', "\r");
        let lines = "{\"a\":\"ü\"}\r\n\n  {\"b\":2}".as_bytes();
        let list = b" [ {\"a\": 1},\n {\"error\": {}} ] ";
        for size in 1..=events.len() {
            assert_eq!(frames(Framing::Events, events, size), wanted, "{size}");
            assert_eq!(frames(Framing::Events, returns.as_bytes(), size), wanted, "{size}");
            assert_eq!(frames(Framing::Lines, lines, size), ["{\"a\":\"ü\"}", "{\"b\":2}"], "{size}");
            assert_eq!(frames(Framing::Events, list, size), ["{\"a\": 1}", "{\"error\": {}}"], "{size}");
            assert_eq!(frames(Framing::Events, b"{\"a\":1}\n{\"b\":2}", size), ["{\"a\":1}", "{\"b\":2}"]);
            assert_eq!(frames(Framing::Events, b"data: {\"cut\":1}", size), ["{\"cut\":1}"], "{size}");
        }
        for none in ["", " \n", ": only comments\n\n", "words of another program\n\n"] {
            assert_eq!(frames(Framing::Events, none.as_bytes(), 3), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn an_error_is_one_by_the_name_of_its_event_or_without_any() {
        for (body, wanted) in [
            ("event: error\ndata: {\"message\":\"no\"}\n\n", r#"{"error":{"message":"no"}}"#),
            ("event:error\r\ndata: overloaded\r\n\r\n", r#"{"error":"overloaded"}"#),
            ("event: error\ndata: {\"error\":{\"type\":\"x\"}}\n\n", r#"{"error":{"type":"x"}}"#),
            (": hello\n\n{\"error\":{\"code\":500}}\n\n", r#"{"error":{"code":500}}"#),
        ] {
            assert_eq!(frames(Framing::Events, body.as_bytes(), 5), [wanted], "{body}");
        }
    }

    #[test]
    fn what_is_no_frame_is_a_fault_or_a_page() {
        let read = |framing, body: &[u8]| {
            let mut reader = FrameReader::new(framing);
            let mut ignore = |_: &str| Ok(());
            let fault = reader.push(body, &mut ignore).and_then(|()| reader.finish(&mut ignore));
            (fault.err().map(|fault| fault.to_string()), reader.is_page())
        };
        for body in [&b"data: \xff\n\n"[..], b"{\"a\": \"\xff\"}"] {
            assert_eq!(read(Framing::Events, body), (Some("the answer is not valid UTF-8".into()), false));
        }
        let (fault, _) = read(Framing::Events, b"{\"a\": ");
        assert!(fault.unwrap().contains("not JSON"));
        assert_eq!(read(Framing::Events, b"\n<html>"), (None, true));
        assert_eq!(read(Framing::Lines, b"<!DOCTYPE html>"), (None, true));
    }

    #[test]
    fn a_fault_of_a_frame_ends_the_reading() {
        let mut reader = FrameReader::new(Framing::Events);
        let mut seen = 0;
        let mut refuse = |frame: &str| {
            seen += 1;
            serde_json::from_str::<u8>(frame).map(drop).map_err(FrameFault::from)
        };
        assert!(reader.push(b"data: 1\n\ndata: x\n\ndata: 2\n\n", &mut refuse).is_err());
        assert_eq!(seen, 2);
    }
}
