//! What the raw frames of a stream say in addition to the text: who answered, why it ended, what it took.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use agon_core::Usage;
use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use tokio::sync::Notify;

use super::ProviderKind;
use crate::participant::{BYTES_PER_TOKEN, Call, written};

/// Bytes of frames for one byte of text: a piece of four characters comes in a frame of 250.
const FRAME_BYTES_PER_TEXT_BYTE: usize = 64;
const FRAME_BYTES_SPARE: usize = 1 << 20;
/// Token counts above this are not believed.
const TOKENS_MAX: u64 = 50_000_000;

tokio::task_local! {
    /// The notes of the call that is polled, for what the HTTP client tells of it.
    pub(super) static NOTES: Arc<StreamMetadata>;
}

/// Reads frames as they come, and says when they are too many.
#[derive(Debug)]
pub(super) struct StreamMetadata {
    kind: ProviderKind,
    frame_bytes_max: usize,
    heard: Mutex<StreamContent>,
    over: AtomicBool,
    wake: Notify,
}

/// What was heard so far.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamContent {
    /// The model that answers.
    pub model: Option<String>,
    /// The provider's name of the answer.
    pub id: Option<String>,
    /// When the first frame came.
    pub first: Option<Instant>,
    /// When the end came.
    pub last: Option<Instant>,
    /// The status that turned the request away, and when it came.
    pub refused: Option<(u16, Instant)>,
    /// Whether a frame came that holds something else than JSON.
    pub garbled: bool,
    finish: Option<String>,
    done: bool,
    /// Frames that hold anything.
    filled: usize,
    refusal: String,
    prompt: Option<u64>,
    cached: Option<u64>,
    cache_write: Option<u64>,
    completion: Option<u64>,
    bytes: usize,
}

/// When something was heard, if anything was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// The first frame.
    pub first: Option<Instant>,
    /// The end.
    pub last: Option<Instant>,
    /// The status that turned the request away.
    pub refused: Option<Instant>,
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerEnd {
    /// By itself.
    Complete,
    /// At the token limit.
    Truncated,
    /// The model, or its provider for it, declined; in its words or the provider's.
    Refused(String),
    /// A filter cut it, for this reason.
    Filtered(String),
}

impl StreamMetadata {
    /// For an answer of at most `bytes_max` bytes of text.
    pub fn new(kind: ProviderKind, bytes_max: usize) -> Self {
        Self {
            kind,
            frame_bytes_max: bytes_max
                .saturating_mul(FRAME_BYTES_PER_TEXT_BYTE)
                .saturating_add(FRAME_BYTES_SPARE),
            heard: Mutex::default(),
            over: AtomicBool::new(false),
            wake: Notify::new(),
        }
    }

    /// What was heard so far.
    pub fn heard(&self) -> StreamContent {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When what bounds the wait happened.
    pub fn moments(&self) -> Moments {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        Moments { first: heard.first, last: heard.last, refused: heard.refused.map(|(_, at)| at) }
    }

    /// Whether the frames are larger than an answer can explain.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// More came than a frame may hold.
    pub fn overflow(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.wake.notify_one();
    }

    /// The head of the answer came. Its status is known before a body that may never end.
    pub fn status(&self, code: u16) {
        if !(200..300).contains(&code) {
            self.heard.lock().unwrap_or_else(PoisonError::into_inner).refused = Some((code, Instant::now()));
            self.wake.notify_one();
        }
    }

    /// Returns when the frames became too many or the request was turned away.
    pub async fn news(&self) {
        self.wake.notified().await;
    }

    /// Takes one frame.
    pub fn frame(&self, data: &str) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.first.get_or_insert_with(Instant::now);
        // The least that a frame costs on the wire, so that empty ones count too.
        heard.bytes = heard.bytes.saturating_add(data.len() + 8);
        if heard.bytes > self.frame_bytes_max {
            self.overflow();
        }
        heard.filled += usize::from(!data.is_empty());
        if data == "[DONE]" {
            heard.done = true;
        } else if matches!(self.kind, ProviderKind::OpenAi | ProviderKind::Azure) && heard.piece(data) {
            // Most frames: read without a copy.
        } else if let Ok(frame) = serde_json::from_str::<Value>(data) {
            match self.kind {
                ProviderKind::OpenAi | ProviderKind::Azure => heard.openai(&frame),
                ProviderKind::Anthropic => heard.anthropic(&frame),
                ProviderKind::Gemini => heard.gemini(&frame),
                ProviderKind::Ollama => heard.ollama(&frame),
            }
        } else if !data.is_empty() {
            heard.garbled = true;
        }
        if heard.complete() {
            heard.last.get_or_insert_with(Instant::now);
        }
    }
}

impl ChatFrameSink for StreamMetadata {
    fn on_frame(&self, _ctx: &FrameCtx, frame: RawFrameRef<'_>) {
        self.frame(frame.data);
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A frame of OpenAI's that is only a piece of text.
#[derive(Deserialize)]
struct Piece<'f> {
    model: Option<&'f str>,
    id: Option<&'f str>,
    #[serde(borrow)]
    choices: Vec<PieceChoice<'f>>,
    usage: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct PieceChoice<'f> {
    finish_reason: Option<&'f str>,
    #[serde(borrow)]
    delta: PieceDelta<'f>,
}

#[derive(Deserialize)]
struct PieceDelta<'f> {
    refusal: Option<&'f str>,
}

impl StreamContent {
    /// Takes a frame that is only a piece of text; whether it is one. What it is otherwise is for
    /// [`StreamContent::openai`] to say.
    fn piece(&mut self, data: &str) -> bool {
        let Ok(Piece { model, id, choices, usage: None }) = serde_json::from_str(data) else { return false };
        let [PieceChoice { finish_reason: None, delta: PieceDelta { refusal: None } }, ..] = &choices[..]
        else {
            return false;
        };
        for (known, said) in [(&mut self.model, model), (&mut self.id, id)] {
            if let Some(said) = said.filter(|said| !said.is_empty() && known.as_deref() != Some(*said)) {
                *known = Some(said.to_owned());
            }
        }
        true
    }

    fn openai(&mut self, frame: &Value) {
        self.model = text(&frame["model"]).or(self.model.take());
        self.id = text(&frame["id"]).or(self.id.take());
        let choice = &frame["choices"][0];
        self.finish = text(&choice["finish_reason"]).or(self.finish.take());
        self.refusal += choice["delta"]["refusal"].as_str().unwrap_or_default();
        let usage = &frame["usage"];
        if usage.is_object() {
            self.prompt = usage["prompt_tokens"].as_u64();
            self.completion = usage["completion_tokens"].as_u64();
            let details = &usage["prompt_tokens_details"]["cached_tokens"];
            self.cached = details.as_u64().or_else(|| usage["prompt_cache_hit_tokens"].as_u64());
        }
    }

    fn anthropic(&mut self, frame: &Value) {
        let message = &frame["message"];
        self.model = text(&message["model"]).or(self.model.take());
        self.id = text(&message["id"]).or(self.id.take());
        self.finish = text(&frame["delta"]["stop_reason"]).or(self.finish.take());
        self.done |= frame["type"] == "message_stop";
        let usage = if message["usage"].is_object() { &message["usage"] } else { &frame["usage"] };
        if let Some(input) = usage["input_tokens"].as_u64() {
            let cached = usage["cache_read_input_tokens"].as_u64().unwrap_or(0);
            let created = usage["cache_creation_input_tokens"].as_u64().unwrap_or(0);
            // What was read from or written to the cache is not part of `input_tokens`.
            self.prompt = Some(input.saturating_add(cached).saturating_add(created));
            self.cached = Some(cached);
            self.cache_write = Some(created);
        }
        self.completion = usage["output_tokens"].as_u64().or(self.completion);
    }

    fn gemini(&mut self, frame: &Value) {
        self.model = text(&frame["modelVersion"]).or(self.model.take());
        self.id = text(&frame["responseId"]).or(self.id.take());
        let blocked = text(&frame["promptFeedback"]["blockReason"]);
        self.finish = text(&frame["candidates"][0]["finishReason"]).or(blocked).or(self.finish.take());
        let usage = &frame["usageMetadata"];
        if usage.is_object() {
            let count = |name: &str| usage[name].as_u64();
            let tools = count("toolUsePromptTokenCount").unwrap_or(0);
            self.prompt = count("promptTokenCount").map(|prompt| prompt.saturating_add(tools));
            self.cached = count("cachedContentTokenCount");
            let thought = count("thoughtsTokenCount");
            let written = count("candidatesTokenCount");
            self.completion = match (written, thought) {
                (None, None) => None,
                (written, thought) => Some(written.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
            };
        }
    }

    fn ollama(&mut self, frame: &Value) {
        self.model = text(&frame["model"]).or(self.model.take());
        if frame["done"] == true {
            self.done = true;
            self.finish = text(&frame["done_reason"]);
            self.prompt = frame["prompt_eval_count"].as_u64();
            self.cached = frame["prompt_eval_cached_count"].as_u64();
            self.completion = frame["eval_count"].as_u64();
        }
    }

    /// Whether something came that holds no frame: a page of a proxy, another program's answer.
    pub fn is_no_stream(&self) -> bool {
        self.first.is_some() && self.filled == 0
    }

    /// Whether the provider said that this was all.
    pub fn complete(&self) -> bool {
        self.done || self.finish.is_some()
    }

    /// How it ended, as the provider says.
    pub fn end(&self) -> AnswerEnd {
        if !self.refusal.is_empty() {
            return AnswerEnd::Refused(self.refusal.clone());
        }
        let reason = self.finish.as_deref().unwrap_or_default();
        match reason {
            "refusal" => AnswerEnd::Refused("no reason given".to_owned()),
            "SAFETY" => AnswerEnd::Refused(reason.to_owned()),
            "length" | "max_tokens" | "MAX_TOKENS" | "model_context_window_exceeded" | "model_length" => {
                AnswerEnd::Truncated
            }
            "content_filter" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
            | "OTHER" | "IMAGE_SAFETY" => AnswerEnd::Filtered(reason.to_owned()),
            _ => AnswerEnd::Complete,
        }
    }

    /// The tokens; `None` where they are missing or cannot be true.
    pub fn usage(&self, text: &str) -> Option<Usage> {
        let (prompt_tokens, completion_tokens) = (self.prompt?, self.completion?);
        let nothing_for_something = !text.is_empty() && (completion_tokens == 0 || prompt_tokens == 0);
        if prompt_tokens > TOKENS_MAX || completion_tokens > TOKENS_MAX || nothing_for_something {
            return None;
        }
        Some(self.with_cache(Usage { requests: 1, prompt_tokens, completion_tokens, ..Usage::default() }))
    }

    /// What an answer that was not heard out took at least: what the provider said so far, else what
    /// the lengths of `call` and `text` let expect.
    pub fn at_least(&self, call: &Call, text: &str) -> Usage {
        let tokens = |bytes: usize| (bytes as u64).div_ceil(BYTES_PER_TOKEN);
        let asked = call.messages.iter().map(|message| message.text.len()).sum();
        let prompt_tokens =
            self.prompt.filter(|prompt| *prompt <= TOKENS_MAX).unwrap_or_else(|| tokens(asked));
        let said = self.completion.filter(|written| *written <= TOKENS_MAX).unwrap_or(0);
        let completion_tokens = said.max(tokens(written(text)));
        let usage =
            Usage { requests: 1, prompt_tokens, completion_tokens, estimated: true, ..Usage::default() };
        self.with_cache(usage)
    }

    /// `usage` with what of its prompt a cache held or took. More than the whole prompt cannot be true: then nothing is
    /// taken off its price, and the cost is an estimate.
    fn with_cache(&self, usage: Usage) -> Usage {
        let (cached_tokens, cache_write_tokens) = (self.cached.unwrap_or(0), self.cache_write.unwrap_or(0));
        if cached_tokens.saturating_add(cache_write_tokens) > usage.prompt_tokens {
            return Usage { estimated: true, ..usage };
        }
        Usage { cached_tokens, cache_write_tokens, ..usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(kind: ProviderKind, frames: &[&str]) -> StreamContent {
        let notes = StreamMetadata::new(kind, 1_000);
        frames.iter().for_each(|frame| notes.frame(frame));
        notes.heard()
    }

    #[test]
    fn ends_are_told_apart() {
        use ProviderKind::*;
        let openai = |reason: &str| format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        let gemini = |reason: &str| format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
        let table = [
            (OpenAi, openai("stop"), AnswerEnd::Complete),
            (OpenAi, openai("length"), AnswerEnd::Truncated),
            (OpenAi, openai("content_filter"), AnswerEnd::Filtered("content_filter".into())),
            (OpenAi, r#"{"choices":[{"delta":{"refusal":"No."}}]}"#.into(), AnswerEnd::Refused("No.".into())),
            (Anthropic, r#"{"delta":{"stop_reason":"max_tokens"}}"#.into(), AnswerEnd::Truncated),
            (
                Anthropic,
                r#"{"delta":{"stop_reason":"refusal"}}"#.into(),
                AnswerEnd::Refused("no reason given".into()),
            ),
            (Gemini, gemini("SAFETY"), AnswerEnd::Refused("SAFETY".into())),
            (Gemini, gemini("RECITATION"), AnswerEnd::Filtered("RECITATION".into())),
            (
                Gemini,
                r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#.into(),
                AnswerEnd::Refused("SAFETY".into()),
            ),
            (Ollama, r#"{"done":true,"done_reason":"length"}"#.into(), AnswerEnd::Truncated),
        ];
        for (kind, frame, wanted) in table {
            assert_eq!(heard(kind, &[&frame]).end(), wanted, "{frame}");
        }
    }

    #[test]
    fn tokens_that_a_cache_took_are_part_of_the_prompt_and_told_apart() {
        let frame = r#"{"message":{"usage":{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":100,"output_tokens":1}}}"#;
        let usage = heard(ProviderKind::Anthropic, &[frame]).usage("x").unwrap();
        assert_eq!((usage.prompt_tokens, usage.cached_tokens, usage.cache_write_tokens), (125, 20, 100));
    }

    #[test]
    fn a_cache_that_held_more_than_the_prompt_lowers_no_bill() {
        let frame = r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":500}}}"#;
        let usage = heard(ProviderKind::OpenAi, &[frame]).usage("x").unwrap();
        assert_eq!((usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens), (100, 0, 9));
        assert!(usage.estimated);
    }

    #[test]
    fn a_piece_of_text_is_read_as_any_other_frame() {
        for (frame, is_piece) in [
            (
                r#"{"id":"a","model":"m","choices":[{"delta":{"content":"x"},"finish_reason":null}],"usage":null}"#,
                true,
            ),
            (r#"{"id":"","model":null,"choices":[{"index":0,"delta":{"content":"\"x"}}]}"#, true),
            (r#"{"id":"\u0061","model":"m","choices":[{"delta":{"content":"x"}}]}"#, false),
            (r#"{"model":"m","choices":[{"delta":{"refusal":"No."}}]}"#, false),
            (r#"{"model":"m","choices":[{"delta":{},"finish_reason":"stop"}]}"#, false),
            (r#"{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#, false),
            (r#"{"model":7,"choices":[{"delta":{"content":"x"}}]}"#, false),
            (r#"{"choices":[{"delta":{"content":"x"}}"#, false),
        ] {
            let (mut piece, mut whole) = (StreamContent::default(), StreamContent::default());
            assert_eq!(piece.piece(frame), is_piece, "{frame}");
            if is_piece {
                whole.openai(&serde_json::from_str(frame).unwrap());
                assert_eq!(format!("{piece:?}"), format!("{whole:?}"), "{frame}");
            } else {
                assert_eq!(format!("{piece:?}"), format!("{whole:?}"), "nothing is taken of {frame}");
            }
        }
    }

    #[test]
    fn counts_that_cannot_be_true_are_none() {
        let usage = |prompt: &str, written: &str, text: &str| {
            let frame = format!(r#"{{"usage":{{"prompt_tokens":{prompt},"completion_tokens":{written}}}}}"#);
            heard(ProviderKind::OpenAi, &[&frame]).usage(text)
        };
        assert_eq!(usage("7", "3", "x").map(|u| u.tokens()), Some(10));
        assert_eq!(usage("7", "0", "").map(|u| u.tokens()), Some(7));
        for (prompt, written) in [
            ("0", "3"),
            ("7", "0"),
            ("-7", "3"),
            ("7", "2.5"),
            ("7", "9000000000000000000"),
            ("1e30", "1"),
            ("null", "1"),
        ] {
            assert_eq!(usage(prompt, written, "x"), None, "{prompt} {written}");
        }
    }

    #[tokio::test]
    async fn frames_without_end_are_noticed() {
        let notes = StreamMetadata::new(ProviderKind::OpenAi, 0);
        for _ in 0..=notes.frame_bytes_max / 8 {
            notes.frame("");
        }
        notes.news().await;
        assert!(notes.is_over());
    }
}
