//! Which fields of a request a server takes. Found out by its refusals, once a process and model.

use super::{ProviderKind, failure::ErrorStatus, plain};
use crate::participant::{Effort, Settings};

/// The fields that are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestFields {
    kind: ProviderKind,
    /// The JSON schema of the answer.
    pub schema: bool,
    /// The sampling temperature.
    pub temperature: bool,
    /// The sampling seed.
    pub seed: bool,
    /// The wish for token counts in a stream.
    pub stream_options: bool,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub completion_limit: bool,
    /// How long to think, where a seat says so.
    pub effort: Option<Effort>,
}

impl RequestFields {
    /// What `model` is expected to take.
    pub fn new(kind: ProviderKind, model: &str, settings: Settings) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model);
        let reasoning = ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|prefix| name.starts_with(prefix));
        let reasoning = matches!(kind, ProviderKind::OpenAi | ProviderKind::Azure) && reasoning;
        // Claude takes no other temperature than its own where it thinks.
        let thinks = settings.effort.is_some_and(|effort| effort != Effort::None);
        let thinks = kind == ProviderKind::Anthropic && thinks;
        Self {
            kind,
            schema: true,
            // OpenAI's reasoning models take no other temperature than their own.
            temperature: !reasoning && !thinks || settings.temperature.is_some(),
            seed: true,
            stream_options: true,
            completion_limit: reasoning,
            effort: settings.effort,
        }
    }

    /// These fields without the one that `status` complains about; `None` where it complains about
    /// something else. `schema` says whether the request carried one.
    pub fn without_refused(&self, status: &ErrorStatus, schema: bool) -> Option<Self> {
        if !matches!(status.code, 400 | 422) {
            return None;
        }
        let complaint = plain::reason(&status.body).to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        let mut fewer = self.clone();
        if schema && self.schema && names(self.schema_words()) {
            fewer.schema = false;
        } else if self.temperature && names(&["temperature"]) {
            fewer.temperature = false;
        } else if self.effort.is_some() && names(&["effort", "think", "reasoning"]) {
            fewer.effort = None;
        } else if !self.completion_limit
            && matches!(self.kind, ProviderKind::OpenAi | ProviderKind::Azure)
            && names(&["max_completion_tokens"])
        {
            fewer.completion_limit = true;
        } else if self.stream_options && names(&["stream_options", "include_usage"]) {
            fewer.stream_options = false;
        } else if self.seed && names(&["seed"]) {
            fewer.seed = false;
        } else {
            return None;
        }
        Some(fewer)
    }

    fn schema_words(&self) -> &'static [&'static str] {
        match self.kind {
            ProviderKind::Ollama => &["schema", "format", "grammar"],
            _ => &[
                "response_format",
                "schema",
                "output_config",
                "output_format",
                "structured output",
                "response_mime_type",
                "responsemimetype",
                "json mode",
                "grammar",
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &str) -> ErrorStatus {
        let body = serde_json::json!({"error": {"message": message}}).to_string();
        ErrorStatus { code: 400, body, ..ErrorStatus::default() }
    }

    #[test]
    fn one_field_is_left_out_for_one_complaint() {
        let all = RequestFields::new(ProviderKind::OpenAi, "m", Settings::default());
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
            (
                "stream_options: extra inputs are not permitted",
                RequestFields { stream_options: false, ..all.clone() },
            ),
        ];
        for (message, wanted) in table {
            assert_eq!(all.without_refused(&refused(message), true), Some(wanted), "{message}");
        }
        assert_eq!(all.without_refused(&refused("bad schema"), false), None, "no schema was sent");
        assert_eq!(all.without_refused(&refused("the model does not exist"), true), None);
        let none = RequestFields { schema: false, ..all.clone() };
        assert_eq!(none.without_refused(&refused("bad schema"), true), None, "left out already");
        let other = ErrorStatus { code: 500, ..refused("response_format") };
        assert_eq!(all.without_refused(&other, true), None);
    }

    #[test]
    fn what_a_seat_wants_is_sent_until_it_is_refused() {
        let wants = Settings { temperature: Some(0.2), effort: Some(Effort::High), tokens_max: None };
        let all = RequestFields::new(ProviderKind::OpenAi, "gpt-5", wants);
        assert!(all.temperature && all.effort == Some(Effort::High));
        let fewer = all.without_refused(&refused("Unrecognized request argument: reasoning_effort"), true);
        assert_eq!(fewer, Some(RequestFields { effort: None, ..all }));
        let thinks = Settings { effort: Some(Effort::Low), ..Settings::default() };
        assert!(!RequestFields::new(ProviderKind::Anthropic, "claude", thinks).temperature);
    }

    #[test]
    fn what_was_sent_and_is_quoted_is_no_complaint() {
        let body =
            r#"{"detail":[{"loc":["body","messages"],"msg":"too few","input":{"response_format":{}}}]}"#;
        let status = ErrorStatus { code: 422, body: body.into(), ..ErrorStatus::default() };
        assert_eq!(
            RequestFields::new(ProviderKind::OpenAi, "m", Settings::default()).without_refused(&status, true),
            None
        );
    }
}
