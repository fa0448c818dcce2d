//! Parses the output of a command line by line: answer, progress, usage and errors.

use std::collections::BTreeMap;

use agon_core::Usage;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{process::Heed, tool::CommandOutput};
use crate::participant::{
    Deltas,
    json::{FrameCount, FrameField, FrameText},
};

/// Longest line of events, in times the longest answer: texts in them are escaped.
const LINE_TIMES: usize = 4;
/// Maximum number of bytes of a whole stream of events, in times the longest answer: it says the answer twice
/// or three times, and how it came to it.
const STREAM_TIMES: usize = 32;

/// What was heard so far.
#[derive(Debug, Default)]
pub(super) struct OutputParser {
    output: CommandOutput,
    bytes_max: usize,
    bytes: usize,
    line: Vec<u8>,
    /// The answer, or what there is of it.
    pub text: String,
    /// Whether it said that this was all.
    pub complete: bool,
    /// Why there is no answer, as it says.
    pub error: Option<String>,
    /// What it said went wrong on the way, which counts only where no answer comes.
    pub trouble: Option<String>,
    pub model: Option<String>,
    pub usage: Option<Usage>,
}

/// A line of an agent, or a part of one; each has some of these fields.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'e"))]
struct AgentEvent<'e> {
    r#type: FrameText<'e>,
    subtype: FrameText<'e>,
    status: FrameText<'e>,
    role: FrameText<'e>,
    model: FrameText<'e>,
    content: FrameText<'e>,
    text: FrameText<'e>,
    partial_json: FrameText<'e>,
    result: FrameText<'e>,
    stop_reason: FrameText<'e>,
    structured_output: Option<&'e RawValue>,
    is_error: FrameField<bool>,
    error: Option<&'e RawValue>,
    message: Option<&'e RawValue>,
    event: Option<&'e RawValue>,
    delta: Option<&'e RawValue>,
    item: Option<&'e RawValue>,
    errors: FrameField<Vec<FrameText<'e>>>,
    error_status: Option<&'e RawValue>,
    usage: FrameField<AgentUsage>,
    stats: FrameField<AgentUsage>,
    total_cost_usd: FrameField<f64>,
}

/// The tokens of an answer, or of one of the models that wrote it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AgentUsage {
    input_tokens: FrameCount,
    output_tokens: FrameCount,
    /// What the agent had kept, as Gemini, Codex and Claude call it.
    cached: FrameCount,
    cached_input_tokens: FrameCount,
    cache_read_input_tokens: FrameCount,
    cache_creation_input_tokens: FrameCount,
    models: FrameField<BTreeMap<String, FrameField<AgentUsage>>>,
}

impl OutputParser {
    pub(super) fn new(output: CommandOutput, bytes_max: usize) -> Self {
        Self { output, bytes_max, ..Self::default() }
    }

    /// Takes what comes next.
    pub(super) fn push(&mut self, bytes: &[u8], deltas: &dyn Deltas) -> Heed {
        self.bytes += bytes.len();
        let (line_max, stream_max) = match self.output {
            CommandOutput::Text => (self.bytes_max, self.bytes_max),
            _ => (self.bytes_max * LINE_TIMES, self.bytes_max * STREAM_TIMES),
        };
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() > line_max || self.bytes > stream_max {
                return Heed::TooLarge;
            }
            if piece.ends_with(b"\n") {
                self.end_line(deltas);
            }
        }
        if self.text.len() > self.bytes_max {
            Heed::TooLarge
        } else if self.complete {
            Heed::Done
        } else {
            Heed::More
        }
    }

    /// Takes a last line without an end.
    pub(super) fn finish(&mut self, deltas: &dyn Deltas) {
        if !self.line.is_empty() {
            self.end_line(deltas);
        }
    }

    fn end_line(&mut self, deltas: &dyn Deltas) {
        let line = std::mem::take(&mut self.line);
        if self.output == CommandOutput::Text {
            match std::str::from_utf8(&line) {
                Ok(line) => self.append_text(&strip_controls(line), deltas),
                Err(_) => self.error = Some("the answer is not UTF-8".into()),
            }
            return;
        }
        // Agents print notices between their events; what is not an event says nothing.
        // The line is read whole first, so that each of its parts can be decoded and none is nested too deep.
        if !line.trim_ascii_start().starts_with(b"{") || serde_json::from_slice::<Value>(&line).is_err() {
            return;
        }
        let Ok(event) = serde_json::from_slice::<AgentEvent<'_>>(&line) else { return };
        self.apply_event(event, deltas);
    }

    fn append_text(&mut self, text: &str, deltas: &dyn Deltas) {
        self.text.push_str(text);
        deltas.push_delta(text);
    }

    fn fail_with(&mut self, message: Option<String>) {
        self.complete = true;
        self.error = Some(message.unwrap_or_else(|| "it failed without a reason".into()));
    }

    fn apply_event(&mut self, event: AgentEvent<'_>, deltas: &dyn Deltas) {
        use CommandOutput::{Claude, Codex, Gemini};
        match (self.output, event.r#type.as_text().unwrap_or_default()) {
            (Claude, "system") if event.subtype.as_text() == Some("api_retry") => {
                let status = event.error_status.map_or("null", RawValue::get);
                let error: FrameText<'_> = read_part(event.error);
                let said = format!("{} ({status})", error.as_text().unwrap_or("provider error"));
                // It would ask again and again with the key that was refused.
                match status {
                    "401" | "403" => self.fail_with(Some(said)),
                    _ => self.trouble = Some(said),
                }
            }
            (Claude, "system") | (Gemini, "init") => self.take_model(&event.model),
            (Claude, "stream_event") => {
                let AgentEvent { delta, message, .. } = read_part(event.event);
                let (delta, message): (AgentEvent<'_>, AgentEvent<'_>) = (read_part(delta), read_part(message));
                // The model that answers, which may be another than the one that was chosen.
                self.take_model(&message.model);
                // Where it was given a schema, its answer is the input of a tool.
                if let Some(text) = delta.text.as_text().or(delta.partial_json.as_text()) {
                    deltas.push_delta(&strip_controls(text));
                }
            }
            (Claude, "result") => {
                self.usage = event.usage.0.map(|used| {
                    let usage = used.build_usage();
                    // What it had kept is not part of its input.
                    let prompt_tokens = usage.prompt_tokens + usage.cached_tokens;
                    Usage { prompt_tokens, cost_microusd: round_microusd(event.total_cost_usd.0), ..usage }
                });
                let subtype = event.subtype.as_text().unwrap_or_default();
                if event.is_error.0 == Some(true) || subtype.starts_with("error") {
                    let said = parse_string(&event.result).or_else(|| parse_string(event.errors.0.as_ref()?.first()?));
                    return self.fail_with(said.or_else(|| Some(subtype.replace('_', " "))));
                }
                // The same good ends as of the interface behind it.
                let ended = event.stop_reason.as_text();
                if ended.is_some_and(|end| !["end_turn", "stop_sequence", "tool_use"].contains(&end)) {
                    return self.fail_with(ended.map(|end| format!("the answer is not complete: it ended with {end}")));
                }
                self.complete = true;
                self.text = match event.structured_output {
                    None => strip_controls(event.result.as_text().unwrap_or_default()),
                    Some(structured) => json!(structured).to_string(),
                };
            }
            (Codex, "item.completed") => {
                let item: AgentEvent<'_> = read_part(event.item);
                if item.r#type.as_text() == Some("agent_message") {
                    // The last message is the answer; those before it are talk on the way.
                    self.text.clear();
                    self.append_text(&strip_controls(item.text.as_text().unwrap_or_default()), deltas);
                }
            }
            (Codex, "turn.completed") => {
                self.usage = event.usage.0.as_ref().map(AgentUsage::build_usage);
                self.complete = true;
            }
            (Codex, "turn.failed") => self.fail_with(parse_message(read_part(event.error))),
            // Codex connects again by itself, and says so in the same way.
            (Codex | Gemini, "error") => self.trouble = parse_string(&read_part(event.message)),
            (Gemini, "message") if event.role.as_text() == Some("assistant") => {
                self.append_text(&strip_controls(event.content.as_text().unwrap_or_default()), deltas);
            }
            // What it said before it used a tool is talk on the way.
            (Gemini, "tool_use") => self.text.clear(),
            (Gemini, "result") => {
                self.usage = event.stats.0.as_ref().map(AgentUsage::build_usage);
                // "auto" is not a model: one of these answered.
                let models = event.stats.0.and_then(|used| used.models.0).into_iter().flatten();
                let written = models.filter_map(|(name, used)| Some((used.0?.output_tokens.0?, name)));
                let most = written.filter(|(tokens, _)| *tokens > 0).max();
                self.model = most.map(|(_, name)| name).or(self.model.take());
                if event.status.as_text() == Some("success") {
                    self.complete = true;
                } else {
                    let said = parse_message(read_part(event.error)).or_else(|| self.trouble.take());
                    self.fail_with(said);
                }
            }
            _ => {}
        }
    }

    fn take_model(&mut self, model: &FrameText<'_>) {
        self.model = parse_string(model).or(self.model.take());
    }
}

impl AgentUsage {
    fn build_usage(&self) -> Usage {
        let cached = self.cached.0.or(self.cached_input_tokens.0).or(self.cache_read_input_tokens.0);
        Usage {
            requests: 1,
            prompt_tokens: self.input_tokens.0.unwrap_or(0) + self.cache_creation_input_tokens.0.unwrap_or(0),
            cached_tokens: cached.unwrap_or(0),
            completion_tokens: self.output_tokens.0.unwrap_or(0),
            ..Usage::default()
        }
    }
}

/// What a part says, where it has the form that is wanted.
fn read_part<'e, T: Default + Deserialize<'e>>(part: Option<&'e RawValue>) -> T {
    part.and_then(|part| serde_json::from_str(part.get()).ok()).unwrap_or_default()
}

fn parse_string(text: &FrameText<'_>) -> Option<String> {
    text.as_text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn parse_message(error: AgentEvent<'_>) -> Option<String> {
    parse_string(&read_part(error.message))
}

fn round_microusd(cost: Option<f64>) -> u64 {
    cost.filter(|cost| *cost > 0.0 && *cost < 1e6).map_or(0, |cost| (cost * 1e6).ceil() as u64)
}

/// `text` without colour codes and other control characters but line breaks and tabs.
pub(super) fn strip_controls(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::failure::{FailedCommand, build_failure},
        *,
    };
    use crate::participant::CallFailure;

    struct Nobody;
    impl Deltas for Nobody {
        fn push_delta(&self, _: &str) {}
    }

    fn hear(output: CommandOutput, lines: &str) -> OutputParser {
        let mut parser = OutputParser::new(output, 1000);
        for byte in lines.as_bytes().chunks(7) {
            parser.push(byte, &Nobody);
        }
        parser.finish(&Nobody);
        parser
    }

    /// What the real programs printed; `docs/agents.md` names their versions.
    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("../../../tests/events/", $name, ".jsonl"))
        };
    }

    #[test]
    fn what_the_real_programs_print_is_heard() {
        use CommandOutput::{Claude, Codex, Gemini};
        for (output, events, model, used) in [
            (Claude, recorded!("claude-prose"), Some("claude-opus-5-5"), (10, 0, 5)),
            (Claude, recorded!("claude-structured"), Some("claude-opus-5-5"), (10, 0, 5)),
            (Codex, recorded!("codex"), None, (10, 4, 5)),
            // It was told "auto", and one of its models answered.
            (Gemini, recorded!("gemini"), Some("gem"), (10, 0, 5)),
        ] {
            let heard = hear(output, events);
            assert_eq!((heard.text.as_str(), heard.complete, heard.error), (r#"{"a":1}"#, true, None));
            assert_eq!(heard.model.as_deref(), model, "{output:?}");
            let usage = heard.usage.unwrap();
            assert_eq!((usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens), used);
        }
        for (output, events, why) in [
            (Claude, recorded!("claude-wrong-key"), "Invalid API key"),
            (Claude, recorded!("claude-signed-out"), "Not logged in"),
            (Codex, recorded!("codex-wrong-key"), "401 Unauthorized"),
            (Codex, recorded!("codex-signed-out"), "Missing environment variable"),
            (Gemini, recorded!("gemini-wrong-key"), "API key not valid"),
        ] {
            let heard = hear(output, events);
            let error = heard.error.unwrap_or_default();
            assert!(heard.complete && error.contains(why), "{output:?}: {error}");
            assert_eq!(heard.text, "", "{output:?}: an error is no answer");
            let who = FailedCommand { name: "cli:x", sign_in: "sign in", install: "install" };
            let failure = build_failure(&who, error, None, None);
            assert!(matches!(&failure, CallFailure::Unavailable { remedy, .. } if remedy == "sign in"), "{failure:?}");
        }
    }

    #[test]
    fn a_line_that_cannot_be_decoded_whole_is_no_event() {
        for line in [
            r#"{"type":"result","structured_output":{"a":"costs 5 \ud83d"}}"#,
            r#"{"type":"result","structured_output":1e999}"#,
            r#"["result"]"#,
            &format!("{}1{}", "{\"stats\":{\"models\":{\"a\":".repeat(200), "}}}".repeat(200)),
        ] {
            let heard = hear(CommandOutput::Claude, &format!("{line}\n"));
            assert_eq!((heard.complete, heard.text.as_str()), (false, ""), "{line:.60}");
        }
    }

    #[test]
    fn a_refused_key_is_not_tried_again() {
        let events = recorded!("claude-wrong-key");
        let upto = events.find("api_retry").unwrap();
        let end = upto + events[upto..].find('\n').unwrap() + 1;
        let mut parser = OutputParser::new(CommandOutput::Claude, 1000);
        assert_eq!(parser.push(&events.as_bytes()[..end], &Nobody), Heed::Done);
        assert_eq!(parser.error.as_deref(), Some("authentication_failed (401)"));
    }

    #[test]
    fn an_answer_is_shown_while_it_is_written() {
        struct Said(std::sync::Mutex<String>);
        impl Deltas for Said {
            fn push_delta(&self, text: &str) {
                self.0.lock().unwrap().push_str(text);
            }
        }
        for events in [recorded!("claude-prose"), recorded!("claude-structured"), recorded!("gemini")] {
            let output = if events.contains("stream_event") { CommandOutput::Claude } else { CommandOutput::Gemini };
            let said = Said(std::sync::Mutex::default());
            OutputParser::new(output, 1000).push(events.as_bytes(), &said);
            assert_eq!(*said.0.lock().unwrap(), r#"{"a":1}"#);
        }
    }

    #[test]
    fn claude_is_heard() {
        let heard = hear(
            CommandOutput::Claude,
            r#"{"type":"system","subtype":"init","model":"claude-x"}
a notice
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hel"}}}
{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"Hello","total_cost_usd":0.0125,
"#,
        );
        assert!(!heard.complete, "half a line is no event");
        let whole = r#"{"type":"result","subtype":"success","is_error":false,"result":"Hello","total_cost_usd":0.0125,"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":5,"output_tokens":2}}"#;
        let heard = hear(CommandOutput::Claude, whole);
        let usage = heard.usage.unwrap();
        assert_eq!((heard.text.as_str(), usage.prompt_tokens, usage.cached_tokens), ("Hello", 18, 5));
        assert_eq!((usage.completion_tokens, usage.cost_microusd), (2, 12_500));
        let structured = r#"{"type":"result","subtype":"success","result":"","structured_output":{"a":1}}"#;
        assert_eq!(hear(CommandOutput::Claude, structured).text, r#"{"a":1}"#);
        for (line, why) in [
            (r#"{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}"#, "Invalid API key"),
            (r#"{"type":"result","subtype":"error_max_turns"}"#, "error max turns"),
            (
                r#"{"type":"result","subtype":"success","result":"Half","stop_reason":"max_tokens"}"#,
                "the answer is not complete: it ended with max_tokens",
            ),
        ] {
            assert_eq!(hear(CommandOutput::Claude, line).error.as_deref(), Some(why));
        }
    }

    #[test]
    fn codex_is_heard() {
        let heard = hear(
            CommandOutput::Codex,
            r#"{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"type":"agent_message","text":"I look first."}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.completed","item":{"type":"agent_message","text":"The answer."}}
{"type":"turn.completed","usage":{"input_tokens":20,"cached_input_tokens":4,"output_tokens":6}}
"#,
        );
        assert_eq!((heard.text.as_str(), heard.complete, heard.error), ("The answer.", true, None));
        assert_eq!(heard.usage.unwrap().total_tokens(), 26);
        let failed = r#"{"type":"turn.failed","error":{"message":"You've hit your usage limit."}}"#;
        assert!(hear(CommandOutput::Codex, failed).error.unwrap().contains("usage limit"));
    }

    #[test]
    fn gemini_is_heard() {
        let heard = hear(
            CommandOutput::Gemini,
            r#"{"type":"init","session_id":"s","model":"gemini-x"}
{"type":"message","role":"user","content":"ask"}
{"type":"message","role":"assistant","content":"Let me see.","delta":true}
{"type":"tool_use","tool_name":"glob"}
{"type":"message","role":"assistant","content":"The ","delta":true}
{"type":"message","role":"assistant","content":"answer.","delta":true}
{"type":"result","status":"success","stats":{"input_tokens":9,"output_tokens":3,"cached":1}}
"#,
        );
        assert_eq!((heard.text.as_str(), heard.model.as_deref()), ("The answer.", Some("gemini-x")));
        assert_eq!(heard.usage.unwrap().cached_tokens, 1);
        let failed = r#"{"type":"result","status":"error","error":{"type":"E","message":"no quota"}}"#;
        assert_eq!(hear(CommandOutput::Gemini, failed).error.as_deref(), Some("no quota"));
    }

    #[test]
    fn text_is_heard_without_what_acts_on_a_terminal() {
        let heard = hear(CommandOutput::Text, "\u{1b}[1;32mgreen\u{1b}[0m\r\n\u{1b}]0;title\u{7}two\u{8}");
        assert_eq!(heard.text, "green\ntwo");
    }

    #[test]
    fn what_is_too_large_is_noticed_while_it_comes() {
        for (output, flood) in [
            (CommandOutput::Text, "x\n".repeat(600)),
            (CommandOutput::Text, "x".repeat(1001)),
            (CommandOutput::Claude, "x".repeat(4001)),
            (CommandOutput::Claude, "{}\n".repeat(11_000)),
        ] {
            assert_eq!(OutputParser::new(output, 1000).push(flood.as_bytes(), &Nobody), Heed::TooLarge);
        }
    }
}
