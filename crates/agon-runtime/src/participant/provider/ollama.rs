//! Ollama's own interface: it takes a schema, a seed and the size of the context, which its
//! OpenAI-like interface and genai do not all pass on.

use std::sync::Arc;

use futures::{StreamExt, stream};
use reqwest::{RequestBuilder, Response, header::CONTENT_TYPE};
use serde_json::{Value, json};

use super::{
    endpoint::Endpoint,
    failure::{BrokenCall, ErrorStatus},
    fields::RequestFields,
    listen::{Source, StreamItem},
    notes::StreamMetadata,
};
use crate::participant::{BYTES_PER_TOKEN, Call, ChatRole, Effort, written};

/// Bytes of an error's body that are read.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// Bytes of a line for one byte of text: a control character is written in six.
const LINE_BYTES_PER_TEXT_BYTE: usize = 6;
const LINE_BYTES_SPARE: usize = 256 << 10;
/// Ollama takes this context where none is asked for, and drops the head of longer prompts without
/// a word.
const CONTEXT_TOKENS_DEFAULT: u64 = 4_096;
const CONTEXT_TOKENS_MAX: u64 = 131_072;
const SEED_MASK: u64 = 0x7fff_ffff;

/// The stream of the answer to `call`. Nothing is sent before it is listened to.
pub(super) fn source(
    endpoint: &Arc<Endpoint>,
    model: &str,
    call: &Call,
    fields: &RequestFields,
    notes: &Arc<StreamMetadata>,
) -> Result<Source, BrokenCall> {
    let request = endpoint
        .client
        .post(endpoint.generation_url(model))
        .headers(endpoint.headers())
        .json(&body(model, call, fields));
    let lines = StreamLines {
        state: StreamState::Unsent(request),
        buffer: Vec::new(),
        read: 0,
        searched: 0,
        line_bytes_max: call
            .bytes_max
            .saturating_mul(LINE_BYTES_PER_TEXT_BYTE)
            .saturating_add(LINE_BYTES_SPARE),
        endpoint: endpoint.clone(),
        notes: notes.clone(),
    };
    let heard = stream::unfold(lines, |mut lines| async move { Some((lines.next().await?, lines)) });
    Ok(heard.boxed())
}

fn body(model: &str, call: &Call, fields: &RequestFields) -> Value {
    let messages = call.messages.iter().map(|message| {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        };
        json!({"role": role, "content": message.text})
    });
    let mut options = json!({"num_predict": call.tokens_max});
    if fields.temperature {
        options["temperature"] = json!((f64::from(call.temperature) * 1_000.0).round() / 1_000.0);
    }
    if fields.seed {
        options["seed"] = json!(call.seed & SEED_MASK);
    }
    let bytes: usize = call.messages.iter().map(|message| message.text.len()).sum();
    let needed = (bytes as u64).div_ceil(BYTES_PER_TOKEN) + u64::from(call.tokens_max);
    if needed > CONTEXT_TOKENS_DEFAULT {
        // In powers of two, because every change makes Ollama load the model again.
        options["num_ctx"] = json!(needed.next_power_of_two().min(CONTEXT_TOKENS_MAX));
    }
    let mut body = json!({
        "model": model,
        "stream": true,
        "messages": messages.collect::<Vec<_>>(),
        "options": options,
    });
    if let Some(effort) = fields.effort {
        body["think"] = match effort {
            Effort::None => json!(false),
            Effort::Minimal | Effort::Low => json!("low"),
            Effort::Medium => json!("medium"),
            Effort::High => json!("high"),
        };
    }
    if let Some(schema) = call.schema.as_deref().filter(|_| fields.schema) {
        body["format"] = schema.clone();
    }
    body
}

/// The body of `response`, cut at `bytes_max`.
pub(super) async fn head(response: &mut Response, bytes_max: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk[..chunk.len().min(bytes_max - body.len())]);
        if body.len() == bytes_max {
            break;
        }
    }
    Ok(body)
}

enum StreamState {
    Unsent(RequestBuilder),
    Reading(Response),
    Ended,
}

struct StreamLines {
    state: StreamState,
    /// What came and was not yet read: from `read` on. No line ends before `searched`.
    buffer: Vec<u8>,
    read: usize,
    searched: usize,
    line_bytes_max: usize,
    endpoint: Arc<Endpoint>,
    notes: Arc<StreamMetadata>,
}

impl StreamLines {
    /// The next thing heard; `None` after the end or a failure.
    async fn next(&mut self) -> Option<Result<StreamItem, BrokenCall>> {
        let next = self.heard().await.transpose();
        if matches!(next, None | Some(Err(_)) | Some(Ok(StreamItem::End))) {
            self.state = StreamState::Ended;
        }
        next
    }

    async fn heard(&mut self) -> Result<Option<StreamItem>, BrokenCall> {
        loop {
            if let Some(line) = self.line() {
                return self.hear(&line).map(Some);
            }
            match std::mem::replace(&mut self.state, StreamState::Ended) {
                StreamState::Unsent(request) => self.state = StreamState::Reading(self.send(request).await?),
                StreamState::Ended => return Ok(None),
                StreamState::Reading(mut response) => {
                    match response
                        .chunk()
                        .await
                        .map_err(|error| BrokenCall::from_http(&error, &self.endpoint))?
                    {
                        Some(chunk) => {
                            self.fill(&chunk)?;
                            self.state = StreamState::Reading(response);
                        }
                        // The last line may lack its end.
                        None if !self.buffer.is_empty() => self.buffer.push(b'\n'),
                        None => return Ok(None),
                    }
                }
            }
        }
    }

    /// Takes the next whole line out of the buffer.
    fn line(&mut self) -> Option<Vec<u8>> {
        match self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                let end = self.searched + at + 1;
                let line = self.buffer[self.read..end].to_vec();
                (self.read, self.searched) = (end, end);
                Some(line)
            }
            None => {
                self.buffer.drain(..self.read);
                (self.read, self.searched) = (0, self.buffer.len());
                None
            }
        }
    }

    fn fill(&mut self, chunk: &[u8]) -> Result<(), BrokenCall> {
        if self.buffer.len() + chunk.len() > self.line_bytes_max {
            self.notes.overflow();
            return Err(BrokenCall::Garbled("a line without an end".to_owned()));
        }
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, BrokenCall> {
        let http = |error: reqwest::Error| BrokenCall::from_http(&error, &self.endpoint);
        let mut response = request.send().await.map_err(http)?;
        if response.status().is_success() {
            let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            if kind.is_some_and(|kind| kind.starts_with("text/html")) {
                return Err(BrokenCall::Page);
            }
            return Ok(response);
        }
        let body = head(&mut response, ERROR_BYTES_MAX).await.map_err(http)?;
        Err(BrokenCall::Status(Box::new(ErrorStatus {
            code: response.status().as_u16(),
            headers: response.headers().clone(),
            body: String::from_utf8_lossy(&body).into_owned(),
        })))
    }

    fn hear(&self, line: &[u8]) -> Result<StreamItem, BrokenCall> {
        let line = std::str::from_utf8(line);
        let line = line.map_err(|_| BrokenCall::Garbled("the answer is not valid UTF-8".to_owned()))?.trim();
        self.notes.frame(line);
        if line.is_empty() {
            return Ok(StreamItem::Nothing);
        }
        let value: Value = serde_json::from_str(line)
            .map_err(|error| BrokenCall::Garbled(format!("a line is not JSON: {error}")))?;
        if value.get("error").is_some() {
            return Err(BrokenCall::Reported(value));
        }
        let said = |name: &str| value["message"][name].as_str().filter(|text| !text.is_empty());
        Ok(match (said("content"), said("thinking")) {
            (Some(text), _) => StreamItem::Text(text.to_owned()),
            (None, _) if value["done"] == true => StreamItem::End,
            (None, Some(thought)) => StreamItem::Thought(written(thought)),
            (None, None) => StreamItem::Nothing,
        })
    }
}
