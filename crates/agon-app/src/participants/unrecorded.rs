//! A model that is asked something outside of every debate: what it says stands on no record, and decides nothing that
//! is on one.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{DebateId, Facts, Key, PromptSpec, SeatModel};
use agon_protocols::common::{form::Form, named_seat};
use agon_runtime::{
    drive::SeatHandle,
    participant::{Call, Deltas, count_schema_bytes},
    prompts::Renderer,
};

use crate::{
    context::Context,
    failure::{Failure, Result},
    local_run,
    models::SeatedModel,
};

/// Longest answer, in bytes.
const BYTES_MAX: usize = 64 * 1024;

/// A model, and the one template by which it is asked.
pub struct UnrecordedModel {
    seated: SeatHandle,
    renderer: Renderer,
    template: &'static str,
}

struct Unseen;

impl Deltas for Unseen {
    fn push_delta(&self, _: &str) {}
}

impl UnrecordedModel {
    /// The model that the user calls `name`, at the seat `seat`; `None` where the name means a person or a program.
    ///
    /// # Errors
    ///
    /// Where the name means nothing, or the model cannot be asked now.
    pub async fn new(
        context: &Context,
        name: &str,
        seat: &str,
        (template, text): (&'static str, &str),
    ) -> Result<Option<Self>> {
        let unknown = |error: agon_core::NameError| Failure::usage(error.to_string(), "");
        let debate = DebateId::new(seat).map_err(unknown)?;
        let seated = SeatedModel::parse(SeatModel::new(named_seat(seat), name), &context.config)?;
        let seats = local_run::seat_and_probe(&[seated], context, &debate).await?;
        let seated = seats.into_values().next();
        let seated = seated.filter(|seated| !seated.participant.is_outside() && !seated.participant.is_program());
        let renderer = Renderer::new(&BTreeMap::from([(template.to_owned(), text.to_owned())]))
            .map_err(|error| Failure::usage(error.to_string(), ""))?;
        Ok(seated.map(|seated| Self { seated, renderer, template }))
    }

    /// Whether what it reads decides nothing, since nobody has measured that it reads well enough.
    pub fn is_unfit_reader(&self) -> bool {
        self.seated.is_unfit_reader
    }

    /// Its answer in `form` to the template with these facts; `number` tells one call from the next. `None` where it
    /// gave none.
    pub async fn ask(&self, facts: &Facts, form: &Form, spec: PromptSpec, number: u64) -> Option<String> {
        let schema = form.to_schema();
        let call = Call {
            key: Key::from_parts(format!("{}-{number}", self.template)),
            attempt: 0,
            turn: 0,
            messages: self.renderer.fill_messages(self.template, facts).ok()?,
            chain: [].into(),
            schema_bytes: count_schema_bytes(Some(&schema)),
            schema: Some(Arc::new(schema)),
            tokens_max: spec.tokens_max,
            bytes_max: BYTES_MAX,
            temperature: spec.temperature,
            seed: number,
            earlier: Vec::new().into(),
            lookups: None,
        };
        self.seated.participant.admit_call(&call).await.ok()?;
        Some(self.seated.participant.answer(&call, &Unseen).await.ok()?.text)
    }
}
