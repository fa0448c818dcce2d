//! The kind of debate that a question wants, as a model reads it: where no word of the question tells it, and no person
//! is there to choose.

use agon_core::{Facts, Manifest, PromptSpec};
use agon_protocols::common::form::{Form, choice_kind, form_field};
use serde_json::json;

use crate::{context::Context, participants::unrecorded::UnrecordedModel};

/// The prompt.
const PROMPT: (&str, &str) = ("kind", include_str!("prompts/kind.md"));
/// Its limits.
const SPEC: PromptSpec =
    PromptSpec { tokens_max: 400, temperature: 0.0, rewrites: false, speech: false, lookups: false };

/// The one of `kinds` that `model` reads from `question`. `None` where it cannot be asked or gives no usable answer:
/// what is wrong with it, the debate itself will say.
pub async fn read_kind<'m>(
    context: &Context,
    model: &str,
    question: &str,
    kinds: &[&'m Manifest],
) -> Option<&'m Manifest> {
    let model = UnrecordedModel::new(context, model, "kind-reader", PROMPT).await.ok()??;
    let shown = kinds.iter().map(|kind| {
        let why = kind.ask.as_ref().map(|ask| ask.why.as_str());
        json!({"name": kind.name, "summary": kind.summary, "why": why})
    });
    let facts = Facts::from_iter([("question".to_owned(), question.into()), ("kinds".to_owned(), shown.collect())]);
    let form = Form::new("kind", [form_field("kind", choice_kind(kinds.iter().map(|kind| kind.name.as_str())))]);
    let answer = model.ask(&facts, &form, SPEC, 1).await?;
    let chosen = form.read_statement(&answer, |fields, faults| Some(fields.read_text("kind", faults))).ok()?;
    kinds.iter().find(|kind| kind.name == chosen).copied()
}
