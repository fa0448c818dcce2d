//! A model that reads whether a page bears out a claim, for `agon verify`, as a seat of a debate reads it. Its word changes
//! no standing; it is shown next to what was compared.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{DebateId, Key, SeatModel};
use agon_protocols::common::{
    claim_reading::{
        self, SaidReading, SupportReading, compare_answers, parse_readings, reading_facts, reading_schema,
    },
    named_seat,
};
use agon_runtime::{
    drive::SeatHandle,
    participant::{Call, Deltas},
    prompts::Renderer,
};

use crate::{
    context::Context,
    failure::{Failure, Result},
    models::SeatedModel,
    session,
};

/// Longest answer, in bytes.
const BYTES_MAX: usize = 64 * 1024;

/// A model as a reader.
pub struct ClaimReader {
    seated: SeatHandle,
    renderer: Renderer,
}

struct Unseen;

impl Deltas for Unseen {
    fn push_delta(&self, _: &str) {}
}

impl ClaimReader {
    /// The model that the user calls `name`; an error where it cannot be asked.
    pub async fn new(context: &Context, name: &str) -> Result<Self> {
        let unknown = |error: agon_core::NameError| Failure::usage(error.to_string(), "");
        let debate = DebateId::new("verify").map_err(unknown)?;
        let reader = SeatedModel::parse(SeatModel::new(named_seat(claim_reading::READER), name), &context.config)?;
        let seats = session::seat_and_probe(&[reader], context, &debate).await?;
        let seated = seats.into_values().next();
        let seated = seated.filter(|seated| !seated.participant.is_outside() && !seated.participant.is_program());
        let (prompt, text) = claim_reading::PROMPT;
        let renderer = Renderer::new(&BTreeMap::from([(prompt.to_owned(), text.to_owned())]))
            .map_err(|error| Failure::usage(error.to_string(), ""))?;
        seated.map(|seated| Self { seated, renderer }).ok_or_else(|| {
            Failure::usage(format!("{name} cannot check pages for a claim"), "name a model, for example --reader local")
        })
    }

    /// What the model reads in `shown`, the page around the quotation, of `claim`: asked twice, with the choices in
    /// another order; once where it is not known to read well. `None` where it gave no usable answer.
    pub async fn read_support(&self, claim: &str, quote: &str, shown: &str) -> Option<SupportReading> {
        let first = self.ask_model(claim, quote, shown, false).await?;
        if self.seated.is_unfit_reader {
            return Some(SupportReading::of_unfit(&first));
        }
        let again = self.ask_model(claim, quote, shown, true).await;
        Some(compare_answers(&first, again.as_ref()))
    }

    async fn ask_model(&self, claim: &str, quote: &str, shown: &str, is_reversed: bool) -> Option<SaidReading> {
        let facts = reading_facts([(claim, quote, shown)].into_iter(), is_reversed);
        let number = 1 + u64::from(is_reversed);
        let call = Call {
            key: Key::of(format!("reading-{number}")),
            attempt: 0,
            turn: 0,
            messages: self.renderer.fill_messages(claim_reading::PROMPT.0, &facts).ok()?,
            chain: [].into(),
            schema: Some(Arc::new(reading_schema(1, is_reversed))),
            tokens_max: claim_reading::SPEC.tokens_max,
            bytes_max: BYTES_MAX,
            temperature: claim_reading::SPEC.temperature,
            seed: number,
            earlier: Vec::new().into(),
            lookups: None,
        };
        self.seated.participant.admit_call(&call).await.ok()?;
        let answer = self.seated.participant.answer(&call, &Unseen).await.ok()?;
        parse_readings(&answer.text, &[shown]).ok()?.pop()
    }
}
