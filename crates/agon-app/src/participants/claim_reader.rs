//! A model that reads whether a page bears out a claim, for `agon verify`. Its word changes no standing; it is shown
//! next to what was compared.

use std::sync::Arc;

use agon_core::{DebateId, Key, SeatModel, parse};
use agon_protocols::common::{
    claim_reading::{ClaimVerdict, SaidReading, SupportReading, compare, parse_readings},
    seat,
};
use agon_runtime::participant::{Call, ChatMessage, ChatRole, Deltas, Participant};
use serde_json::json;

use crate::{
    context::Context,
    failure::{Failure, Result},
    models::SeatedModel,
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
        let reader = SeatedModel::parse(SeatModel::new(seat("reader"), name), &context.config)?;
        let seats = session::seat(&[reader], context, &debate).await?;
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

impl ClaimReader {
    /// What the model reads in `shown`, the page around the quotation, of `claim`: asked twice, with the choices in
    /// another order. `None` where it gave no usable answer.
    pub async fn read(&self, claim: &str, quote: &str, shown: &str) -> Option<SupportReading> {
        let first = self.ask(claim, quote, shown, false).await?;
        let again = self.ask(claim, quote, shown, true).await;
        Some(compare(&first, again.as_ref()))
    }

    async fn ask(&self, claim: &str, quote: &str, shown: &str, is_reversed: bool) -> Option<SaidReading> {
        // Nothing of a page can close its tag, and nothing of it is read that nobody sees.
        let plain = |text: &str| agon_text::strip_invisible(text).replace('<', "‹").replace('>', "›");
        let mut choices = ClaimVerdict::SAID.map(ClaimVerdict::name).to_vec();
        if is_reversed {
            choices.reverse();
        }
        let words = format!(
            "<claim>{}</claim>\n<quotation>{}</quotation>\n\n<page>\n{}\n</page>\n\nThe choices: {}.",
            plain(claim),
            plain(quote),
            plain(shown),
            choices.join(", ")
        );
        let message = |role, text: &str| ChatMessage::new(role, text);
        let schema = json!({
            "type": "object", "required": ["choice", "quote"], "additionalProperties": false,
            "properties": {
                "choice": {"type": "string", "enum": choices},
                "quote": {"type": "string", "maxLength": 600},
            },
        });
        let number = 1 + u64::from(is_reversed);
        let call = Call {
            key: Key::of(format!("reading-{number}")),
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
            seed: number,
            earlier: Vec::new().into(),
        };
        self.0.admit(&call).await.ok()?;
        let answer = self.0.answer(&call, &Unseen).await.ok()?;
        let reading = parse::json(&answer.text).ok()?;
        let reading =
            json!({"readings": [{"number": 1, "choice": reading["choice"], "quote": reading["quote"]}]});
        parse_readings(&reading.to_string(), &[&plain(shown)]).ok()?.pop()
    }
}
