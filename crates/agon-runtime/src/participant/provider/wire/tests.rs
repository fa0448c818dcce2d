//! Answers of real servers, as bytes in `recorded/`, and what they say. However the bytes are cut, it is the same.

use super::super::{ProviderKind, content::AnswerContent, frames::FrameReader};

/// What an answer says, in a line.
fn heard(kind: ProviderKind, body: &[u8], size: usize) -> String {
    let wire = kind.wire();
    let mut content = AnswerContent::default();
    let mut reader = FrameReader::new(wire.framing());
    let mut take = |frame: &str| {
        Ok(wire.decode_frame(frame, &mut |event| {
            content.apply_event(event);
        })?)
    };
    for piece in body.chunks(size) {
        reader.push(piece, &mut take).unwrap();
    }
    reader.finish(&mut take).unwrap();
    let usage = content.reported_usage().map(|usage| {
        let written = format!("{}+{}", usage.prompt_tokens, usage.completion_tokens);
        let cached = format!("{}/{}", usage.cached_tokens, usage.cache_write_tokens);
        format!("{written} cached {cached} cost {}", usage.cost_microusd)
    });
    format!(
        "{:?} thought {:?} end {:?} usage {} by {} {}{}{}",
        content.text,
        content.reasoning,
        content.find_end(None),
        usage.unwrap_or_else(|| "none".into()),
        content.model.as_deref().unwrap_or("?"),
        content.id.as_deref().unwrap_or("?"),
        content.error.as_deref().map(|error| format!(" error {error}")).unwrap_or_default(),
        if !content.calls.is_empty() { " tool" } else { "" },
    )
}

macro_rules! recorded {
    ($name:literal) => {
        include_bytes!(concat!("recorded/", $name)).as_slice()
    };
}

#[test]
fn answers_of_every_server_are_heard_however_their_bytes_arrive() {
    use ProviderKind::*;
    let table = [
        (
            OpenAi,
            recorded!("openai.sse"),
            r#""Grüße \"an\" alle: 你好" thought "" end Some(Complete) usage 20+9 cached 4/0 cost 0 by gpt-5-mini-2025-08-07 chatcmpl-1"#,
        ),
        (
            OpenAi,
            recorded!("openai-reasoning.sse"),
            r#""Yes." thought "Hm.So." end Some(Complete) usage 10+8 cached 0/0 cost 1200 by gpt-5-mini-2025-08-07 chatcmpl-1"#,
        ),
        (
            OpenAi,
            recorded!("openai-error.sse"),
            r#""Half a" thought "" end Some(Broken("error")) usage none by gpt-5-mini-2025-08-07 chatcmpl-1 error {"code": 502, "message": "Provider disconnected unexpectedly"}"#,
        ),
        (
            OpenAi,
            recorded!("openai-refusal.sse"),
            r#""" thought "" end Some(Refused("I can't help.")) usage none by gpt-5-mini-2025-08-07 chatcmpl-1"#,
        ),
        (
            Azure,
            recorded!("openai-azure.sse"),
            r#""Text" thought "" end Some(Filtered("content_filter")) usage none by gpt-5-mini-2025-08-07 chatcmpl-1"#,
        ),
        (
            OpenAi,
            recorded!("openai-whole.json"),
            r#""Whole." thought "" end Some(Complete) usage 9+2 cached 0/0 cost 0 by m x"#,
        ),
        (
            OpenAi,
            recorded!("openai-native.sse"),
            r#""Half" thought "" end Some(Broken("network_error")) usage none by m g tool"#,
        ),
        (
            OpenAi,
            recorded!("openai-object.sse"),
            r#""" thought "" end None usage none by ? ? error {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400}"#,
        ),
        (
            Anthropic,
            recorded!("anthropic.sse"),
            r#""Yes, \"so\"." thought "Hm." end Some(Complete) usage 125+12 cached 20/100 cost 0 by claude-sonnet-4-5-20250929 msg_1"#,
        ),
        (
            Anthropic,
            recorded!("anthropic-pause.sse"),
            r#""" thought "" end Some(Broken("pause_turn")) usage 5+9 cached 0/0 cost 0 by m msg_1 tool"#,
        ),
        (
            Anthropic,
            recorded!("anthropic-error.sse"),
            r#""" thought "" end None usage 5+1 cached 0/0 cost 0 by m msg_1 error {"type": "overloaded_error", "message": "Overloaded"}"#,
        ),
        (
            Anthropic,
            recorded!("anthropic-whole.json"),
            r#""Yes." thought "Hm." end Some(Complete) usage 5+3 cached 0/0 cost 0 by m msg_1"#,
        ),
        (
            Gemini,
            recorded!("gemini.sse"),
            r#""Yes: ü" thought "Hm." end Some(Complete) usage 10+10 cached 2/0 cost 0 by gemini-2.5-flash r1"#,
        ),
        (
            Gemini,
            recorded!("gemini-list.json"),
            r#""One, two." thought "" end Some(Truncated) usage none by gemini-2.5-flash r1"#,
        ),
        (Gemini, recorded!("gemini-blocked.sse"), r#""" thought "" end Some(Refused("SAFETY")) usage none by ? ?"#),
        (
            Gemini,
            recorded!("gemini-malformed.sse"),
            r#""" thought "" end Some(Broken("MALFORMED_FUNCTION_CALL")) usage none by ? ? tool"#,
        ),
        (
            Ollama,
            recorded!("ollama.lines"),
            r#""Yes: 好" thought "Hm." end Some(Complete) usage 11+4 cached 0/0 cost 0 by llama3.2 ?"#,
        ),
        (Ollama, recorded!("ollama-unload.lines"), r#""Half" thought "" end Some(Broken("unload")) usage none by m ?"#),
        (
            Ollama,
            recorded!("ollama-error.lines"),
            r#""" thought "" end None usage none by ? ? error {"error": "model runner has unexpectedly stopped"}"#,
        ),
    ];
    for (kind, body, wanted) in table {
        for size in 1..=body.len() {
            assert_eq!(heard(kind, body, size), wanted, "in pieces of {size} bytes");
        }
    }
}

#[test]
fn a_frame_that_tells_an_error_in_place_of_a_choice_is_one() {
    for frame in [r#"{"detail":"Internal Server Error"}"#, r#"{"message":"no","code":500}"#] {
        let heard = heard(ProviderKind::OpenAi, format!("data: {frame}\n\n").as_bytes(), 9);
        assert!(heard.ends_with(&format!(" error {frame}")), "{heard}");
    }
    let end = |kind, frame: &str| heard(kind, format!("data: {frame}\n\n").as_bytes(), 9).contains("end None");
    assert!(end(ProviderKind::OpenAi, "[DONE]"));
    assert!(end(ProviderKind::Anthropic, r#"{"type":"message_stop"}"#));
    assert!(!end(ProviderKind::OpenAi, r#"{"object":"chat.completion","choices":[{"message":{"content":"Yes."}}]}"#));
    assert!(end(ProviderKind::OpenAi, r#"{"object":"chat.completion","choices":[{"delta":{"content":"Yes."}}]}"#));
}

#[test]
fn the_end_that_a_provider_names_behind_its_router_counts_in_any_case() {
    for (reason, native, wanted) in [
        ("STOP", "STOP", "Complete"),
        ("stop", "COMPLETED", "Complete"),
        ("stop", "MALFORMED_FUNCTION_CALL", "Broken(\"MALFORMED_FUNCTION_CALL\")"),
        ("stop", "pause_turn", "Broken(\"pause_turn\")"),
        ("stop", "max_tokens", "Truncated"),
    ] {
        let frame = format!(
            "data: {{\"choices\":[{{\"finish_reason\":\"{reason}\",\"native_finish_reason\":\"{native}\"}}]}}\r\r"
        );
        let heard = heard(ProviderKind::OpenAi, frame.as_bytes(), 5);
        assert!(heard.contains(&format!("end Some({wanted})")), "{native}: {heard}");
    }
}

#[test]
fn reasoning_is_counted_once_wherever_it_stands() {
    for (usage, written) in [
        (r#""completion_tokens":14,"total_tokens":142,"reasoning_tokens":28"#, 42),
        (r#""completion_tokens":14,"completion_tokens_details":{"reasoning_tokens":28}"#, 42),
        (r#""completion_tokens":14,"total_tokens":114,"completion_tokens_details":{"reasoning_tokens":28}"#, 42),
        (r#""completion_tokens":42,"total_tokens":142,"completion_tokens_details":{"reasoning_tokens":28}"#, 42),
    ] {
        let frame = format!("data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":100,{usage}}}}}\n\n");
        let heard = heard(ProviderKind::OpenAi, frame.as_bytes(), 50);
        assert!(heard.contains(&format!("usage 100+{written} ")), "{usage}: {heard}");
    }
}

#[test]
fn thinking_is_heard_in_every_field_for_it() {
    for field in [r#""thinking":"Hm.""#, r#""reasoning_details":[{"type":"reasoning.text","text":"Hm."}]"#] {
        let heard =
            heard(ProviderKind::OpenAi, format!("data: {{\"choices\":[{{\"delta\":{{{field}}}}}]}}\n\n").as_bytes(), 9);
        assert!(heard.contains("thought \"Hm.\""), "{heard}");
    }
}

#[test]
fn counts_that_cannot_be_true_are_none() {
    let usage = |prompt: &str, written: &str, text: &str| {
        let frame = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}],\"usage\":{{\"prompt_tokens\":{prompt},\"completion_tokens\":{written}}}}}\n\n"
        );
        let heard = heard(ProviderKind::OpenAi, frame.as_bytes(), 7);
        heard.split(" usage ").nth(1).unwrap().split(" by ").next().unwrap().to_owned()
    };
    assert_eq!(usage("7", "3", "x"), "7+3 cached 0/0 cost 0");
    assert_eq!(usage("7", "0", ""), "7+0 cached 0/0 cost 0");
    for (prompt, written) in
        [("0", "3"), ("7", "0"), ("-7", "3"), ("7", "2.5"), ("7", "9000000000000000000"), ("1e30", "1"), ("null", "1")]
    {
        assert_eq!(usage(prompt, written, "x"), "none", "{prompt} {written}");
    }
}

#[test]
fn a_cache_that_held_more_than_the_prompt_lowers_no_bill() {
    let frame = b"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":9,\"prompt_tokens_details\":{\"cached_tokens\":500}}}\n\n";
    assert!(heard(ProviderKind::OpenAi, frame, 50).contains("usage 100+9 cached 0/0"));
}
