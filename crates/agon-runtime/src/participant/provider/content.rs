//! What was heard of an answer: its text, who answers, why it ended, and what it took.

use agon_core::{
    Usage,
    answer::read_answer,
    form::{FormField, check_statement},
    parse,
};
use tokio::time::Instant;

use super::wire::{AnswerEnd, StreamEvent, ToolCallPiece, UsageReport};
use crate::{
    lookups::{RequestedLookups, Thought, ToolCall},
    participant::{BYTES_PER_TOKEN, Call, count_weighted_chars},
};

/// Token counts above this are not believed.
const TOKENS_MAX: u64 = 50_000_000;
/// Costs above this, in US dollars, are not believed.
const COST_USD_MAX: f64 = 1_000.0;

/// Calls of tools that one turn may have, and bytes of the arguments of one.
const CALLS_MAX: usize = 32;
const ARGUMENTS_BYTES_MAX: usize = 16 * 1024;

/// How an answer gets more room: settings behind the name of the model, the second for one that thinks.
pub(super) const MORE_TOKENS: &str = "allow more with ?tokens= behind its name";
pub(super) const LESS_THINKING: &str = ", or ask for less thinking with ?effort=";

/// What was heard so far.
#[derive(Debug, Clone, Default)]
pub(super) struct AnswerContent {
    /// The answer.
    pub text: String,
    /// Thinking that the provider keeps apart from it.
    pub reasoning: String,
    /// The model that answers.
    pub model: Option<String>,
    /// The provider's name of the answer.
    pub id: Option<String>,
    /// When the end was told; counts may follow.
    pub ended: Option<Instant>,
    /// Whether nothing follows.
    pub done: bool,
    /// The first error that the server reported, as JSON.
    pub error: Option<String>,
    /// Bytes of the body that came.
    pub bytes: usize,
    /// Frames that came.
    pub frames: usize,
    /// Calls of tools, each with the number that the provider gives it.
    pub calls: Vec<(Option<u32>, ToolCall)>,
    /// Thinking that its provider wants back.
    pub thoughts: Vec<Thought>,
    /// Where the thinking begins that is not among these.
    thought_start: usize,
    /// Text and thinking together, as [`count_weighted_chars`] measures.
    pub written: usize,
    end: Option<AnswerEnd>,
    refusal: String,
    usage: UsageReport,
}

impl AnswerContent {
    /// Takes over what a frame says; whether it is text or thinking.
    pub fn apply_event(&mut self, event: StreamEvent<'_>) -> bool {
        match event {
            StreamEvent::Text(piece) => {
                self.written = self.written.saturating_add(count_weighted_chars(piece));
                self.text.push_str(piece);
                return true;
            }
            StreamEvent::Reasoning(piece) => {
                self.written = self.written.saturating_add(count_weighted_chars(piece));
                self.reasoning.push_str(piece);
                return true;
            }
            // Every frame names them: the memory is taken once.
            StreamEvent::Model(model) => model.clone_into(self.model.get_or_insert_default()),
            StreamEvent::Id(id) => id.clone_into(self.id.get_or_insert_default()),
            StreamEvent::ToolCall(piece) => self.add_tool_call(piece),
            StreamEvent::ThoughtSignature(signature) => {
                let text = self.reasoning[self.thought_start..].to_owned();
                self.thought_start = self.reasoning.len();
                self.thoughts.push(Thought { text, signature: signature.to_owned() });
            }
            StreamEvent::Usage(report) => self.merge_usage(report),
            StreamEvent::Refusal(words) => self.refusal.push_str(words),
            StreamEvent::Failed(error) => {
                self.error.get_or_insert_with(|| error.to_owned());
            }
            StreamEvent::Done => self.done = true,
            StreamEvent::End(end) => self.end = Some(end),
        }
        if self.end.is_some() || self.done {
            self.ended.get_or_insert_with(Instant::now);
        }
        false
    }

    /// Arguments of calls count as text against the limits.
    fn add_tool_call(&mut self, piece: ToolCallPiece<'_>) {
        let known = self.calls.iter().position(|(index, _)| index.is_some() && *index == piece.index);
        let at = match known {
            Some(at) => at,
            None if self.calls.len() >= CALLS_MAX => return,
            None => {
                self.calls.push((piece.index, ToolCall::default()));
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[at].1;
        let take = |field: &mut String, text: Option<&str>| field.push_str(text.unwrap_or_default());
        // Some servers repeat the name of the call with every piece.
        if call.id.is_empty() {
            take(&mut call.id, piece.id);
        }
        if call.name.is_empty() {
            take(&mut call.name, piece.name);
        }
        let left = ARGUMENTS_BYTES_MAX.saturating_sub(call.arguments.len());
        take(&mut call.arguments, piece.arguments.filter(|more| more.len() <= left));
        call.signature = piece.signature.map(str::to_owned).or(call.signature.take());
    }

    /// What the model wants to look up before it answers.
    pub fn take_requested_lookups(&mut self) -> RequestedLookups {
        let number = |(at, (_, call)): (usize, (Option<u32>, ToolCall))| match call.id.is_empty() {
            true => ToolCall { id: format!("call_{at}"), ..call },
            false => call,
        };
        RequestedLookups {
            thoughts: std::mem::take(&mut self.thoughts),
            said: std::mem::take(&mut self.text),
            calls: std::mem::take(&mut self.calls).into_iter().enumerate().map(number).collect(),
        }
    }

    /// How it ended, as the provider says; `None` where it did not say. A statement of the form that `schema` asks for
    /// is whole by itself; of a speech nobody can tell.
    pub fn find_end(&self, schema: Option<&FormField>) -> Option<AnswerEnd> {
        if !self.refusal.is_empty() && (self.end.is_some() || self.done) {
            return Some(AnswerEnd::Refused(self.refusal.clone()));
        }
        let is_whole = || self.done && find_statement(&self.text, schema).is_some();
        self.end.clone().or_else(|| is_whole().then_some(AnswerEnd::Complete))
    }

    /// The statement that a server put into the field for thinking, which some do where a form is asked for.
    pub fn thought_statement(&self, schema: Option<&FormField>) -> Option<String> {
        find_statement(&self.reasoning, schema)
    }

    /// Why a complete answer has no text.
    pub fn why_empty(&self) -> String {
        match (self.reasoning.chars().count(), !self.calls.is_empty()) {
            (0, false) => "the answer is empty".to_owned(),
            (0, true) => "the model called a tool and wrote no answer".to_owned(),
            (thought, _) => {
                format!("the model wrote {thought} characters of thinking and no answer; {MORE_TOKENS}{LESS_THINKING}")
            }
        }
    }

    fn merge_usage(&mut self, report: UsageReport) {
        let UsageReport { prompt, cached, cache_write, completion, cost_usd } = report;
        let known = &mut self.usage;
        // A prompt and what of it was cached belong together.
        if prompt.is_some() {
            (known.prompt, known.cached, known.cache_write) = (prompt, cached, cache_write);
        }
        known.completion = completion.or(known.completion);
        known.cost_usd = cost_usd.or(known.cost_usd);
    }

    /// The tokens; `None` where they are missing or cannot be true.
    pub fn reported_usage(&self) -> Option<Usage> {
        let (prompt_tokens, completion_tokens) = (self.usage.prompt?, self.usage.completion?);
        let nothing_for_something = !self.text.is_empty() && (completion_tokens == 0 || prompt_tokens == 0);
        if prompt_tokens > TOKENS_MAX || completion_tokens > TOKENS_MAX || nothing_for_something {
            return None;
        }
        let cost = self.usage.cost_usd.filter(|cost| (0.0..COST_USD_MAX).contains(cost)).unwrap_or(0.0);
        let cost_microusd = (cost * 1e6).ceil() as u64;
        Some(self.with_cache(Usage {
            requests: 1,
            prompt_tokens,
            completion_tokens,
            cost_microusd,
            ..Usage::default()
        }))
    }

    /// What an answer that was not heard out took at least: what the provider said so far, else what the lengths of
    /// `call` and the text let expect.
    pub fn at_least(&self, call: &Call) -> Usage {
        let tokens = |bytes: usize| (bytes as u64).div_ceil(BYTES_PER_TOKEN);
        let asked = call.prompt_bytes();
        let believed = |count: Option<u64>| count.filter(|count| *count <= TOKENS_MAX);
        let prompt_tokens = believed(self.usage.prompt).unwrap_or_else(|| tokens(asked));
        let said = believed(self.usage.completion).unwrap_or(0);
        let completion_tokens = said.max(tokens(count_weighted_chars(&self.text)));
        self.with_cache(Usage { requests: 1, prompt_tokens, completion_tokens, estimated: true, ..Usage::default() })
    }

    /// `usage` with what of its prompt a cache held or took. More than the whole prompt cannot be true: then nothing is
    /// taken off its price, and the cost is an estimate.
    fn with_cache(&self, usage: Usage) -> Usage {
        let (cached_tokens, cache_write_tokens) = (self.usage.cached.unwrap_or(0), self.usage.cache_write.unwrap_or(0));
        if cached_tokens.saturating_add(cache_write_tokens) > usage.prompt_tokens {
            return Usage { estimated: true, ..usage };
        }
        Usage { cached_tokens, cache_write_tokens, ..usage }
    }
}

/// The statement of the form of `schema` that `text` holds.
fn find_statement(text: &str, schema: Option<&FormField>) -> Option<String> {
    let text = read_answer(text, Some(schema?), &[]).ok()?.text;
    let value = parse::parse_strict_json(&text).ok()?;
    check_statement(schema?, &value).is_empty().then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn without_a_reason_for_its_end_a_speech_is_broken_off_and_a_whole_statement_is_none() {
        let schema = json!({"type": "object", "required": ["vote"], "properties": {"vote": {"enum": ["yes", "no"]}}});
        let schema = FormField::from_schema(&schema);
        let heard = |text: &str, schema: Option<&FormField>| {
            let mut content = AnswerContent::default();
            content.apply_event(StreamEvent::Text(text));
            content.apply_event(StreamEvent::Done);
            content.find_end(schema)
        };
        assert_eq!(heard("We should wait. Tests", None), None);
        assert_eq!(heard("{\"vote\": \"yes\"}", Some(&schema)), Some(AnswerEnd::Complete));
        assert_eq!(heard("{\"vote\": \"ye", Some(&schema)), None);
    }

    #[test]
    fn an_answer_in_the_field_for_thinking_is_read_where_a_form_is_asked_for() {
        let schema = json!({"type": "object", "required": ["vote"], "properties": {"vote": {"enum": ["yes", "no"]}}});
        let schema = FormField::from_schema(&schema);
        let thought = |text: &str| {
            let mut content = AnswerContent::default();
            content.apply_event(StreamEvent::Reasoning(text));
            content
        };
        let said = thought("They are right. {\"vote\": \"yes\"}").thought_statement(Some(&schema));
        assert_eq!(said.as_deref(), Some("{\"vote\": \"yes\"}"));
        assert_eq!(thought("{\"vote\": \"yes\"} or {\"vote\": \"no\"}").thought_statement(Some(&schema)), None);
        assert_eq!(thought("We should wait. Tests come first.").thought_statement(None), None, "thinking is no speech");
        assert!(thought("Hm.").why_empty().contains("3 characters of thinking and no answer"));
        let mut content = AnswerContent::default();
        content.apply_event(StreamEvent::ToolCall(ToolCallPiece::default()));
        assert!(content.why_empty().contains("called a tool"));
    }
}
