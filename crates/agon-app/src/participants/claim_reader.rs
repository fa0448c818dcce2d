//! A model that reads whether a page bears out a claim, for `agon verify`, as a seat of a debate reads it. Its word changes
//! no standing; it is shown next to what was compared.

use agon_protocols::common::claim_reading::{
    self, SaidReading, SupportReading, compare_answers, parse_readings, reading_facts, readings_form,
};

use super::unrecorded::UnrecordedModel;
use crate::{
    context::Context,
    failure::{Failure, Result},
};

/// A model as a reader.
pub struct ClaimReader(UnrecordedModel);

impl ClaimReader {
    /// The model that the user calls `name`; an error where it cannot be asked.
    pub async fn new(context: &Context, name: &str) -> Result<Self> {
        let model = UnrecordedModel::new(context, name, claim_reading::READER, claim_reading::PROMPT).await?;
        model.map(Self).ok_or_else(|| {
            Failure::usage(format!("{name} cannot check pages for a claim"), "name a model, for example --reader local")
        })
    }

    /// What the model reads in `shown`, the page around the quotation, of `claim`: asked twice, with the choices in
    /// another order; once where it is not known to read well. `None` where it gave no usable answer.
    pub async fn read_support(&self, claim: &str, quote: &str, shown: &str) -> Option<SupportReading> {
        let first = self.ask_model(claim, quote, shown, false).await?;
        if self.0.is_unfit_reader() {
            return Some(SupportReading::of_unfit(&first));
        }
        let again = self.ask_model(claim, quote, shown, true).await;
        Some(compare_answers(&first, again.as_ref()))
    }

    async fn ask_model(&self, claim: &str, quote: &str, shown: &str, is_reversed: bool) -> Option<SaidReading> {
        let facts = reading_facts([(claim, quote, shown)].into_iter(), is_reversed);
        let number = 1 + u64::from(is_reversed);
        let answer = self.0.ask(&facts, &readings_form(1, is_reversed), claim_reading::SPEC, number).await?;
        parse_readings(&answer, &[shown]).ok()?.pop()
    }
}
