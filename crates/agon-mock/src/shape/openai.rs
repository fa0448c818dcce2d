//! Chat completions.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Shape, TextRequest, data, messages, word};
use crate::reply::{FinishReason, ReplyText};

/// `/v1/chat/completions` and `/v1/models`.
#[derive(Debug)]
pub struct OpenAi;

fn usage(said: &ReplyText) -> Value {
    let Some((prompt, cached, completion)) = said.shown.counts() else { return Value::Null };
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt.saturating_add(completion),
        "prompt_tokens_details": {"cached_tokens": cached},
    })
}

fn finish(said: &ReplyText) -> &'static str {
    word(said.finish, ["stop", "length", "stop", "content_filter"])
}

fn chunk(said: &ReplyText, choices: Value) -> Value {
    json!({"id": said.id, "object": "chat.completion.chunk", "created": 0, "model": said.model, "choices": choices})
}

impl Shape for OpenAi {
    fn ask(&self, _call: &str, body: &Value) -> TextRequest {
        let (prompt, count) = messages(&body["messages"], "content");
        TextRequest {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            prompt,
            messages: count,
            schema: body.pointer("/response_format/json_schema/schema").cloned(),
            tokens_max: body["max_completion_tokens"].as_u64().or_else(|| body["max_tokens"].as_u64()),
            stream: body["stream"] == json!(true),
            usage: body.pointer("/stream_options/include_usage") == Some(&json!(true)),
            ..TextRequest::default()
        }
    }

    fn opening(&self, said: &ReplyText) -> Vec<Bytes> {
        let delta = json!({"role": "assistant", "content": ""});
        vec![data(&chunk(said, json!([{"index": 0, "delta": delta, "finish_reason": null}])))]
    }

    fn piece(&self, said: &ReplyText, content: &Value) -> Bytes {
        let field = if said.finish == FinishReason::Refusal { "refusal" } else { "content" };
        data(&chunk(said, json!([{"index": 0, "delta": {field: content}, "finish_reason": null}])))
    }

    fn closing(&self, ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let end = chunk(said, json!([{"index": 0, "delta": {}, "finish_reason": finish(said)}]));
        let mut closing = vec![data(&end)];
        if ask.usage && said.shown.counts().is_some() {
            let mut last = chunk(said, json!([]));
            last["usage"] = usage(said);
            closing.push(data(&last));
        }
        closing.push(Bytes::from_static(b"data: [DONE]\n\n"));
        closing
    }

    fn whole(&self, said: &ReplyText) -> Value {
        let content = said.content();
        let message = match said.finish {
            FinishReason::Refusal => json!({"role": "assistant", "content": null, "refusal": content}),
            _ => json!({"role": "assistant", "content": content, "refusal": null}),
        };
        json!({
            "id": said.id, "object": "chat.completion", "created": 0, "model": said.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish(said)}],
            "usage": usage(said),
        })
    }

    fn ping(&self) -> Bytes {
        Bytes::from_static(b": keep-alive\n\n")
    }

    fn error(&self, kind: &str, message: &str) -> Value {
        json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
    }

    fn models(&self, names: &[String]) -> Value {
        let list = names.iter().map(|name| json!({"id": name, "object": "model", "owned_by": "agon-mock"}));
        json!({"object": "list", "data": list.collect::<Vec<_>>()})
    }
}
