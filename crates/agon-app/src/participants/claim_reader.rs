//! A model that reads the sentences around a claim: step 9 of the verifier's ladder. Its word changes
//! no standing; it is shown next to what was checked.

use std::sync::Arc;

use agon_core::{DebateId, Key, SeatModel, parse};
use agon_protocols::common::seat;
use agon_runtime::participant::{Call, ChatMessage, ChatRole, Deltas, Participant};
use agon_sources::check::entailment::{EntailmentAnswer, EntailmentReader};
use serde_json::json;

use crate::{
    context::Context,
    failure::{Failure, Result},
    session,
};

/// Maximum number of tokens of an answer, and of bytes.
const TOKENS_MAX: u32 = 300;
const BYTES_MAX: usize = 64 * 1024;

/// A model as a reader.
pub struct ClaimReader(Arc<dyn Participant>);

struct Unseen;

impl Deltas for Unseen {
    fn delta(&self, _: &str) {}
}

impl ClaimReader {
    /// The model that the user calls `name`; an error where it cannot be asked.
    pub async fn new(context: &Context, name: &str) -> Result<Self> {
        let unknown = |error: agon_core::NameError| Failure::usage(error.to_string(), "");
        let debate = DebateId::new("verify").map_err(unknown)?;
        let seats = session::seat(&[SeatModel::new(seat("reader"), name)], context, &debate).await?;
        let seated = seats.into_values().next();
        let seated =
            seated.filter(|seated| !seated.participant.is_outside() && !seated.participant.is_program());
        seated.map(|seated| Self(seated.participant)).ok_or_else(|| {
            Failure::usage(
                format!("{name} cannot check pages for a claim"),
                "name a model, for example --reader local",
            )
        })
    }
}

#[async_trait::async_trait]
impl EntailmentReader for ClaimReader {
    async fn read(
        &self,
        claim: &str,
        sentences: &[String],
        seed: u64,
    ) -> std::result::Result<EntailmentAnswer, String> {
        // Nothing of a page can close its tag, and nothing of it is read that nobody sees.
        let plain = |text: &str| agon_text::strip_invisible(text).replace('<', "‹").replace('>', "›");
        let page: Vec<String> = sentences.iter().map(|sentence| plain(sentence)).collect();
        let words = format!("<claim>{}</claim>\n\n<page>\n{}\n</page>", plain(claim), page.join("\n"));
        let message = |role, text: &str| ChatMessage { role, text: text.to_owned() };
        let schema = json!({
            "type": "object", "required": ["verdict", "sentence"], "additionalProperties": false,
            "properties": {
                "verdict": {"type": "string", "enum": ["supports", "contradicts", "silent"]},
                "sentence": {"type": "string", "maxLength": 600},
            },
        });
        let call = Call {
            key: Key::of(format!("reading-{seed}")),
            attempt: 0,
            turn: 0,
            messages: vec![
                message(ChatRole::System, include_str!("../prompts/entailment.md")),
                message(ChatRole::User, &words),
            ],
            chain: [].into(),
            schema: Some(Arc::new(schema)),
            tokens_max: TOKENS_MAX,
            bytes_max: BYTES_MAX,
            temperature: 0.3,
            seed,
            earlier: Vec::new().into(),
        };
        self.0.admit(&call).await.map_err(|error| error.to_string())?;
        let answer = self.0.answer(&call, &Unseen).await.map_err(|error| error.to_string())?;
        parse::json(&answer.text).and_then(parse::typed).map_err(|faults| faults.to_string())
    }
}
