//! Chat completions.

use axum::body::Bytes;
use serde_json::{Value, json};

use super::{Piece, Shape, TextRequest, choose_finish_word, format_data_event, read_common_fields};
use crate::{
    log::Tokens,
    reply::{FinishReason, ReplyText},
};

/// `/v1/chat/completions` and `/v1/models`.
#[derive(Debug)]
pub struct OpenAi;

fn build_usage(said: &ReplyText) -> Value {
    let Some(Tokens { prompt, cached, completion }) = said.shown else { return Value::Null };
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt.saturating_add(completion),
        "prompt_tokens_details": {"cached_tokens": cached},
    })
}

fn finish_reason(said: &ReplyText) -> &'static str {
    choose_finish_word(said.finish, ["stop", "length", "stop", "content_filter"])
}

fn build_chunk(said: &ReplyText, choices: Value) -> Value {
    json!({"id": said.id, "object": "chat.completion.chunk", "created": 0, "model": said.model, "choices": choices})
}

impl Shape for OpenAi {
    fn parse_request(&self, _call: &str, body: &Value) -> TextRequest {
        TextRequest {
            schema: body.pointer("/response_format/json_schema/schema").cloned(),
            tokens_max: body["max_completion_tokens"].as_u64().or_else(|| body["max_tokens"].as_u64()),
            usage: body.pointer("/stream_options/include_usage") == Some(&json!(true)),
            ..read_common_fields(body, "messages")
        }
    }

    fn render_opening(&self, said: &ReplyText) -> Vec<Bytes> {
        let delta = json!({"role": "assistant", "content": ""});
        vec![format_data_event(&build_chunk(said, json!([{"index": 0, "delta": delta, "finish_reason": null}])))]
    }

    fn render_piece(&self, said: &ReplyText, content: &Piece) -> Bytes {
        let field = if said.finish == FinishReason::Refusal { "refusal" } else { "content" };
        format_data_event(&build_chunk(said, json!([{"index": 0, "delta": {field: content}, "finish_reason": null}])))
    }

    fn render_closing(&self, ask: &TextRequest, said: &ReplyText) -> Vec<Bytes> {
        let end = build_chunk(said, json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(said)}]));
        let mut closing = vec![format_data_event(&end)];
        if ask.usage && said.shown.is_some() {
            let mut last = build_chunk(said, json!([]));
            last["usage"] = build_usage(said);
            closing.push(format_data_event(&last));
        }
        closing.push(Bytes::from_static(b"data: [DONE]\n\n"));
        closing
    }

    fn render_whole_reply(&self, said: &ReplyText) -> Value {
        let content = said.whole_content();
        let message = match said.finish {
            FinishReason::Refusal => json!({"role": "assistant", "content": null, "refusal": content}),
            _ => json!({"role": "assistant", "content": content, "refusal": null}),
        };
        json!({
            "id": said.id, "object": "chat.completion", "created": 0, "model": said.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(said)}],
            "usage": build_usage(said),
        })
    }
}
