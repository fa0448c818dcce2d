//! Which fields of a request a server takes. Found out by its refusals, once a process and model.

use super::{
    ProviderKind, redact,
    status::{ErrorStatus, LIMIT_FIELDS},
};
use crate::participant::{Call, Effort, Settings};

/// Fewest tokens of an answer that a server can be taken to mean by a limit.
const TOKENS_MIN: u32 = 16;
/// Tokens for which an answer has room where its model thinks, and where it is asked to think long.
const THINKING_ROOM: u32 = 8_000;
const LONG_THINKING_ROOM: u32 = 24_000;

/// The fields that are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestFields {
    kind: ProviderKind,
    /// The JSON schema of the answer.
    pub schema: bool,
    /// Tools by which something is looked up.
    pub tools: bool,
    /// The sampling temperature.
    pub temperature: bool,
    /// The sampling seed.
    pub seed: bool,
    /// Messages of a system role; else its text stands before the first message.
    pub system: bool,
    /// The wish for token counts in a stream.
    pub stream_options: bool,
    /// The name of what other prompts of the debate begin with as well.
    pub cache_key: bool,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub completion_limit: bool,
    /// Most tokens of an answer that the server takes, where it said so.
    pub tokens_cap: Option<u32>,
    /// How long to think, where a seat says so.
    pub effort: Option<Effort>,
    /// How that is asked for.
    pub effort_form: EffortForm,
}

/// How an effort is asked for, where a family of models has two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffortForm {
    /// In a word, as newer models take it.
    Words,
    /// In tokens of thinking, as older ones do.
    Tokens,
}

impl RequestFields {
    /// What `model` is expected to take.
    pub fn new(kind: ProviderKind, model: &str, settings: Settings) -> Self {
        let reasoning = is_reasoning_model(kind, model);
        // Claude takes no other temperature than its own where it thinks.
        let thinks = settings.effort.is_some_and(|effort| effort != Effort::None);
        let thinks = kind == ProviderKind::Anthropic && thinks;
        Self {
            kind,
            schema: true,
            tools: true,
            // OpenAI's reasoning models take no other temperature than their own.
            temperature: !reasoning && !thinks || settings.temperature.is_some(),
            seed: true,
            system: true,
            stream_options: true,
            cache_key: false,
            completion_limit: reasoning,
            tokens_cap: None,
            effort: settings.effort,
            effort_form: EffortForm::Words,
        }
    }

    /// Most tokens that the answer to `call` may have.
    pub fn tokens_max(&self, call: &Call) -> u32 {
        self.tokens_cap.map_or(call.tokens_max, |cap| cap.min(call.tokens_max))
    }

    /// These fields without the one that `status` complains about; `None` where it complains about something else.
    /// `schema_fields` is how such a server names the field of the schema.
    pub fn without_refused(&self, status: &ErrorStatus, call: &Call, schema_fields: &[&str]) -> Option<Self> {
        let complaint = redact::error_reason(&status.body).to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        let refuses_tools = call.lookups.is_some() && self.tools && names(&["tool", "function"]);
        // A router finds nobody who takes them.
        // A server whose template knows no such message breaks on it.
        let refuses_system = self.system && names(&["system role", "roles must"]) && status.code == 500;
        if !(matches!(status.code, 400 | 422) || refuses_tools && status.code == 404 || refuses_system) {
            return None;
        }
        let chat = matches!(self.kind, ProviderKind::OpenAi | ProviderKind::Azure);
        let mut fewer = self.clone();
        if let Some(cap) = names(&LIMIT_FIELDS).then(|| self.find_token_cap(&complaint, call)).flatten() {
            fewer.tokens_cap = Some(cap);
        } else if refuses_tools {
            fewer.tools = false;
        } else if call.schema.is_some() && self.schema && names(schema_fields) {
            fewer.schema = false;
        } else if self.temperature && names(&["temperature"]) {
            fewer.temperature = false;
        } else if self.effort.is_some() && names(&["effort", "think", "reasoning"]) {
            match (self.effort_form, self.kind) {
                (EffortForm::Words, ProviderKind::Anthropic | ProviderKind::Gemini) => {
                    fewer.effort_form = EffortForm::Tokens;
                }
                _ => fewer.effort = None,
            }
        } else if !self.completion_limit && chat && names(&["max_completion_tokens"]) {
            fewer.completion_limit = true;
        } else {
            let flags: [(&mut bool, &[&str]); 4] = [
                (&mut fewer.stream_options, &["stream_options", "include_usage"]),
                (&mut fewer.cache_key, &["prompt_cache_key"]),
                (&mut fewer.seed, &["seed"]),
                (&mut fewer.system, &["role", "developer instruction"]),
            ];
            *flags.into_iter().find(|(flag, words)| **flag && names(words))?.0 = false;
        }
        Some(fewer)
    }

    /// The limit that a complaint about too high a limit names: the highest number below the one that was sent.
    fn find_token_cap(&self, complaint: &str, call: &Call) -> Option<u32> {
        let digits = complaint.replace(',', "");
        let numbers = digits.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
        numbers.filter(|number| (TOKENS_MIN..self.tokens_max(call)).contains(number)).max()
    }
}

/// Tokens that the limit of an answer of `model` gets in addition, since thinking counts as a part of the answer;
/// `None` where the user named the limit.
pub fn thinking_room(kind: ProviderKind, model: &str, settings: Settings) -> Option<u32> {
    let room = match settings.effort {
        Some(Effort::None) => 0,
        Some(Effort::High) => LONG_THINKING_ROOM,
        Some(_) => THINKING_ROOM,
        // Gemini's models think unless they are told not to.
        None if kind == ProviderKind::Gemini || is_reasoning_model(kind, model) => THINKING_ROOM,
        None => 0,
    };
    settings.tokens_max.is_none().then_some(room)
}

/// Whether `model` is one that OpenAI made to think before it answers.
fn is_reasoning_model(kind: ProviderKind, model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let reasoning = ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|prefix| name.starts_with(prefix));
    matches!(kind, ProviderKind::OpenAi | ProviderKind::Azure) && reasoning
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agon_core::Key;
    use agon_core::form::{FormField, Holds};

    use super::{
        super::{ProviderSpec, endpoint::Endpoint},
        *,
    };
    use crate::participant::{ChatMessage, ChatRole};

    /// A call of at most 2,400 tokens, with or without a schema.
    fn call(schema: bool) -> Call {
        Call {
            key: Key::from_parts("x"),
            attempt: 0,
            turn: 0,
            messages: vec![ChatMessage::new(ChatRole::User, "Why?")],
            chain: [].into(),
            schema: schema.then(|| Arc::new(FormField::new(Holds::Fields))),
            schema_bytes: 0,
            tokens_max: 2_400,
            bytes_max: 1_000,
            temperature: 0.7,
            seed: 1,
            earlier: [].into(),
            lookups: None,
        }
    }

    fn fewer(fields: &RequestFields, status: &ErrorStatus, schema: bool) -> Option<RequestFields> {
        fields.without_refused(status, &call(schema), fields.kind.wire().profile().schema_fields)
    }

    fn refused(message: &str) -> ErrorStatus {
        let body = serde_json::json!({"error": {"message": message}}).to_string();
        ErrorStatus { code: 400, body, ..ErrorStatus::default() }
    }

    #[test]
    fn one_field_is_left_out_for_one_complaint() {
        let all =
            RequestFields { cache_key: true, ..RequestFields::new(ProviderKind::OpenAi, "m", Settings::default()) };
        let table = [
            ("'response_format' is not supported", RequestFields { schema: false, ..all.clone() }),
            ("Invalid schema for response_format 'x'", RequestFields { schema: false, ..all.clone() }),
            (
                "Unsupported value: 'temperature' does not support 0.7",
                RequestFields { temperature: false, ..all.clone() },
            ),
            (
                "'max_tokens' is not supported. Use 'max_completion_tokens' instead",
                RequestFields { completion_limit: true, ..all.clone() },
            ),
            ("stream_options: extra inputs are not permitted", RequestFields { stream_options: false, ..all.clone() }),
            ("Unrecognized argument: prompt_cache_key", RequestFields { cache_key: false, ..all.clone() }),
            ("System role not supported", RequestFields { system: false, ..all.clone() }),
            ("Developer instruction is not enabled for m", RequestFields { system: false, ..all.clone() }),
            (
                "Conversation roles must alternate user/assistant/user/assistant/...",
                RequestFields { system: false, ..all.clone() },
            ),
            (
                "max_tokens is too large: 2400. This model supports at most 1024 completion tokens.",
                RequestFields { tokens_cap: Some(1024), ..all.clone() },
            ),
            (
                "max_tokens: 2,400 > 2,048, which is the maximum allowed number of output tokens",
                RequestFields { tokens_cap: Some(2048), ..all.clone() },
            ),
        ];
        for (message, wanted) in table {
            assert_eq!(fewer(&all, &refused(message), true), Some(wanted), "{message}");
        }
        assert_eq!(fewer(&all, &refused("bad schema"), false), None, "no schema was sent");
        assert_eq!(fewer(&all, &refused("the model does not exist"), true), None);
        let none = RequestFields { schema: false, ..all.clone() };
        assert_eq!(fewer(&none, &refused("bad schema"), true), None, "left out already");
        let other = ErrorStatus { code: 500, ..refused("response_format") };
        assert_eq!(fewer(&all, &other, true), None);
        let template = ErrorStatus { code: 500, ..refused("jinja template: System role not supported") };
        assert!(!fewer(&all, &template, true).unwrap().system);
    }

    #[test]
    fn what_a_seat_wants_is_sent_until_it_is_refused() {
        let wants = Settings { temperature: Some(0.2), effort: Some(Effort::High), tokens_max: None };
        let all = RequestFields::new(ProviderKind::OpenAi, "gpt-5", wants);
        assert!(all.temperature && all.effort == Some(Effort::High));
        let without = fewer(&all, &refused("Unrecognized request argument: reasoning_effort"), true);
        assert_eq!(without, Some(RequestFields { effort: None, ..all }));
        let thinks = Settings { effort: Some(Effort::Low), ..Settings::default() };
        let claude = RequestFields::new(ProviderKind::Anthropic, "claude", thinks);
        assert!(!claude.temperature);
        // An older model takes tokens of thinking in place of a word, or nothing.
        let older = fewer(&claude, &refused("adaptive thinking is not supported on this model"), true).unwrap();
        assert_eq!((older.effort, older.effort_form), (Some(Effort::Low), EffortForm::Tokens));
        assert_eq!(fewer(&older, &refused("thinking is not supported"), true).unwrap().effort, None);
    }

    #[test]
    fn a_model_that_thinks_has_room_for_it_unless_the_user_named_the_limit() {
        let room = |kind, model, effort| thinking_room(kind, model, Settings { effort, ..Settings::default() });
        assert_eq!(room(ProviderKind::OpenAi, "gpt-5", None), Some(8_000));
        assert_eq!(room(ProviderKind::OpenAi, "openai/gpt-5-mini", Some(Effort::High)), Some(24_000));
        assert_eq!(room(ProviderKind::OpenAi, "gpt-5", Some(Effort::None)), Some(0));
        assert_eq!(room(ProviderKind::OpenAi, "gpt-4o", None), Some(0));
        assert_eq!(room(ProviderKind::Gemini, "gemini", None), Some(8_000));
        assert_eq!(room(ProviderKind::Anthropic, "claude", None), Some(0));
        assert_eq!(room(ProviderKind::Anthropic, "claude", Some(Effort::Low)), Some(8_000));
        let named = Settings { tokens_max: Some(900), ..Settings::default() };
        assert_eq!(thinking_room(ProviderKind::OpenAi, "gpt-5", named), None);
    }

    #[test]
    fn what_was_sent_and_is_quoted_is_no_complaint() {
        let body = r#"{"detail":[{"loc":["body","messages"],"msg":"too few","input":{"response_format":{}}}]}"#;
        let status = ErrorStatus { code: 422, body: body.into(), ..ErrorStatus::default() };
        assert_eq!(fewer(&RequestFields::new(ProviderKind::OpenAi, "m", Settings::default()), &status, true), None);
    }

    #[test]
    fn prompts_that_begin_alike_share_a_key_of_openais_cache() {
        let key = |base: Option<&str>, motion: &str, question: &str| {
            let spec =
                ProviderSpec { base_url: base.map(str::to_owned), ..ProviderSpec::new(ProviderKind::OpenAi, "m") };
            let fields = Endpoint::new(spec).unwrap().expected_fields("m", Settings::default());
            let mut asked = ChatMessage::new(ChatRole::User, motion);
            asked.end_prefix(question);
            let call = Call { messages: vec![ChatMessage::new(ChatRole::System, "Rules."), asked], ..call(false) };
            let body = fields.kind.wire().build_body("m", &call, &fields);
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            body["prompt_cache_key"].as_str().map(str::to_owned)
        };
        let first = key(None, "Motion.", "Why?");
        assert_eq!(first.as_ref().map(String::len), Some(32));
        assert_eq!(key(None, "Motion.", "Why not?"), first);
        assert_ne!(key(None, "Another motion.", "Why?"), first);
        // Other servers may refuse a field that they do not know.
        assert_eq!(key(Some("http://localhost:8000/v1"), "Motion.", "Why?"), None);
    }
}
