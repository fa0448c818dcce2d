//! An answer that the embedded model gives piece by piece, in one conversation.

use agon_core::{FailureKind, Usage};
use agon_local::{CancelToken, Engine, Generation, LocalPrompt, StopReason};
use agon_runtime::{
    participant::{Answer, Call, CallFailure, Deltas},
    prompts::{
        assembly::{Assembly, capitalized, own_words},
        chain::{AnswerPiece, ChainStep},
        conversation::Conversation,
    },
};
use serde_json::Value;

use super::{CancelOnDrop, failure, message};

/// How often a piece that cannot be used is written again, with another seed.
const TRIES_MAX: u64 = 3;

/// The answer that the chain of `call` puts together.
///
/// # Errors
/// As [`agon_runtime::participant::Participant::answer`]; a piece that stays unusable is an empty answer.
pub(super) async fn answer(
    engine: &Engine,
    name: &str,
    call: &Call,
    deltas: &dyn Deltas,
) -> Result<Answer, CallFailure> {
    let mut writing =
        Writing { engine, call, deltas, said: Conversation::default(), usage: Usage::default(), pieces: 0 };
    let mut answer = Assembly::default();
    for step in &*call.chain {
        match step {
            ChainStep::Say(said) => writing.said.say(said.clone()),
            ChainStep::Part => writing.said.begin_part(),
            ChainStep::Fix { at, value } => answer.fix(at, value.clone()),
            ChainStep::Balance { at, field } => answer.balance(at, field),
            ChainStep::Generate(piece) => writing.write(piece, &mut answer).await?,
        }
    }
    let usage = Usage { requests: 1, ..writing.usage };
    Ok(Answer { text: answer.text(), usage: Some(usage), model: Some(name.to_owned()) })
}

/// An answer under way.
struct Writing<'a> {
    engine: &'a Engine,
    call: &'a Call,
    deltas: &'a dyn Deltas,
    said: Conversation,
    usage: Usage,
    pieces: u64,
}

impl Writing<'_> {
    /// Has `piece` written and puts it into `answer`.
    async fn write(&mut self, piece: &AnswerPiece, answer: &mut Assembly) -> Result<(), CallFailure> {
        let unusable = |message: String, usage: Usage| CallFailure::Answered {
            kind: FailureKind::Empty,
            message,
            usage: Some(Usage { requests: 1, ..usage }),
        };
        let whole = self.call.schema.as_deref().unwrap_or(&Value::Null);
        let schema = piece.schema(whole).map_err(|why| unusable(why, self.usage))?;
        let mut last = String::new();
        for attempt in 0..TRIES_MAX {
            let (text, weights) = self.generate(piece, schema.as_ref(), attempt).await?;
            if !piece.scale.is_empty() {
                answer.fix(&piece.at, piece.graded(&weights));
                self.said.hear(text);
                return Ok(());
            }
            // The last try is taken as it is: a question can be about figures.
            let text = match piece.own_words && attempt + 1 < TRIES_MAX {
                true => own_words(&text),
                false => text,
            };
            // A paragraph that announces a list has lost it.
            let is_cut = !piece.verbatim && text.trim_end().ends_with(':') && attempt + 1 < TRIES_MAX;
            if schema.is_none() && (is_cut || !text.chars().any(char::is_alphanumeric)) {
                last = format!("{}: no paragraph was written", piece.at);
                continue;
            }
            match answer.put(piece, &text, schema.as_ref()) {
                Ok(()) => {
                    // Words that the text begins with are a label; seen here, it would be put before every later text.
                    let is_led = schema.is_none() && !piece.after.is_empty();
                    let text = if is_led { format!("{} {}", piece.lead(), text.trim_start()) } else { text };
                    self.said.hear(text);
                    self.deltas.delta("\n");
                    return Ok(());
                }
                Err(why) => last = why,
            }
        }
        Err(unusable(last, self.usage))
    }

    /// What the model wrote, and where it gave a grade, how likely it finds each.
    async fn generate(
        &mut self,
        piece: &AnswerPiece,
        schema: Option<&Value>,
        attempt: u64,
    ) -> Result<(String, Vec<f32>), CallFailure> {
        let Call { seed, temperature, earlier, .. } = self.call;
        let prompt = LocalPrompt {
            schema: schema.filter(|_| piece.scale.is_empty()).cloned(),
            choices: piece.grades(),
            tokens_max: piece.tokens,
            // Pieces of one answer must not begin alike because they are drawn alike.
            seed: seed.wrapping_add(self.pieces).wrapping_add(attempt << 32),
            temperature: *temperature,
            earlier: earlier.iter().chain(self.said.written()).cloned().collect(),
            lead: if schema.is_none() { piece.lead() } else { String::new() },
            // Prose is one paragraph.
            stop: if schema.is_none() { vec!["\n".into()] } else { Vec::new() },
            ..LocalPrompt::new(self.said.messages().iter().map(message).collect())
        };
        self.pieces += 1;
        let cancel = CancelOnDrop(CancelToken::default());
        // A grade is a figure without a word; readers see it in its place in the form.
        let is_grade = !piece.scale.is_empty();
        let show = |text: &str| {
            if !is_grade {
                self.deltas.delta(text);
            }
        };
        if schema.is_none() && !piece.begins.is_empty() {
            // As the text will stand in the form.
            show(&if piece.after.is_empty() { piece.begins.clone() } else { capitalized(&piece.begins) });
        }
        let generated = self.engine.generate(prompt, cancel.0.clone(), show).await;
        let Generation { text, weights, prompt_tokens, cached_tokens, completion_tokens, finish, .. } =
            generated.map_err(failure)?;
        let Usage { prompt_tokens: read, cached_tokens: kept, completion_tokens: written, .. } = self.usage;
        // The pieces are one conversation: what was read for an earlier piece is not counted again.
        let (prompt, cached) = match self.pieces {
            1 => (prompt_tokens, cached_tokens),
            _ => (prompt_tokens.saturating_sub(cached_tokens), 0),
        };
        self.usage = Usage {
            prompt_tokens: read + u64::from(prompt),
            cached_tokens: kept + u64::from(cached),
            completion_tokens: written + u64::from(completion_tokens),
            ..self.usage
        };
        // A form that was cut fails to parse, and prose ends with its last sentence.
        debug_assert!(finish != StopReason::Cancelled, "the token is dropped with this future");
        Ok((text, weights))
    }
}
