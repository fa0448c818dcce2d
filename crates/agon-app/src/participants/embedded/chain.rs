//! An answer that the embedded model gives piece by piece, in one conversation.

use agon_core::{FailureKind, Usage, form::FormField};
use agon_local::{CancelToken, Engine, LocalPrompt, StopReason};
use agon_runtime::{
    message::ChatMessage,
    participant::{Answer, Call, CallFailure, Deltas},
    prompts::{
        chain::{AnswerPiece, ChainStep},
        chain_answer::{ChainAnswer, begins_alike, extract_prose, is_enough, own_words},
        chain_copies::copies_example,
        chain_notes::ChainNotes,
        conversation::Conversation,
    },
};
use agon_text::capitalise_first;

use super::{CancelOnDrop, to_call_failure, to_prompt_message};

/// How often a piece that cannot be used is written again, with another seed.
const TRIES_MAX: u64 = 3;

/// The answer that the chain of `call` puts together.
///
/// # Errors
/// As [`agon_runtime::participant::Participant::answer`]; a piece that stays unusable is an empty answer.
pub(super) async fn answer_by_chain(
    engine: &Engine,
    name: &str,
    call: &Call,
    deltas: &dyn Deltas,
) -> Result<Answer, CallFailure> {
    let (said, notes) = (Conversation::default(), ChainNotes::default());
    let mut writing =
        Writing { engine, call, deltas, said, notes, usage: Usage::default(), pieces: 0, engine_name: None };
    let mut answer = ChainAnswer::default();
    for step in &*call.chain {
        match step {
            ChainStep::Say(said) => {
                let text = writing.notes.fill_notes(&said.text).into_owned();
                writing.said.add_message(ChatMessage::new(said.role, text));
            }
            ChainStep::Part => writing.said.begin_part(),
            ChainStep::Fix { at, value } => answer.set_value(at, value.clone()),
            ChainStep::Generate(piece) => writing.write_piece(piece, &mut answer).await?,
        }
    }
    let usage = Usage { requests: 1, ..writing.usage };
    Ok(Answer {
        text: answer.render_text(),
        usage: Some(usage),
        model: Some(name.to_owned()),
        engine: writing.engine_name,
    })
}

/// An answer under way.
struct Writing<'a> {
    engine: &'a Engine,
    call: &'a Call,
    deltas: &'a dyn Deltas,
    said: Conversation,
    notes: ChainNotes,
    usage: Usage,
    pieces: u64,
    /// What computed the last piece.
    engine_name: Option<String>,
}

impl Writing<'_> {
    /// Has `piece` written and puts it into `answer`.
    async fn write_piece(&mut self, piece: &AnswerPiece, answer: &mut ChainAnswer) -> Result<(), CallFailure> {
        let unusable = |message: String, usage: Usage| CallFailure::Answered {
            kind: FailureKind::Empty,
            message,
            usage: Some(Usage { requests: 1, ..usage }),
        };
        let schema = piece.piece_schema(self.call.schema.as_deref()).map_err(|why| unusable(why, self.usage))?;
        let mut last = String::new();
        for attempt in 0..TRIES_MAX {
            let (text, weights) = self.generate_piece(piece, schema.as_ref(), attempt).await?;
            if !piece.scale.is_empty() {
                answer.set_value(&piece.at, piece.weigh_grades(&weights));
                self.said.add_reply(text);
                return Ok(());
            }
            // The last try is taken as it is: a question can be about figures.
            let text = match piece.own_words && attempt + 1 < TRIES_MAX {
                true => {
                    let kept = own_words(&text);
                    // Without its first sentence it no longer follows the words that it was to continue.
                    if !piece.lead_words().is_empty() && !begins_alike(&text, &kept) {
                        last = format!("{}: it rests on figures of others", piece.at);
                        continue;
                    }
                    kept
                }
                false => text,
            };
            // A paragraph that announces a list has lost it.
            let is_cut = !piece.verbatim && text.trim_end().ends_with(':') && attempt + 1 < TRIES_MAX;
            if schema.is_none() && (is_cut || !text.chars().any(char::is_alphanumeric)) {
                last = format!("{}: no paragraph was written", piece.at);
                continue;
            }
            // The last try is taken here, too: the protocol has rules for what says nothing.
            if attempt + 1 < TRIES_MAX && self.is_example(piece, &text, schema.as_ref()) {
                last = format!("{}: it is an example of the prompt", piece.at);
                continue;
            }
            match answer.put_piece(piece, &text, schema.as_ref()) {
                Ok(()) => {
                    let heard = match &schema {
                        None if !piece.verbatim => self.record_piece(piece, &text),
                        _ => {
                            self.said.add_reply(text.clone());
                            text
                        }
                    };
                    self.notes.keep_text(&piece.note, &heard);
                    if !piece.is_aside() {
                        self.deltas.push_delta("\n");
                    }
                    return Ok(());
                }
                Err(why) => last = why,
            }
        }
        Err(unusable(last, self.usage))
    }

    /// Whether `text` is what the prompt gives as an example for `piece`.
    fn is_example(&self, piece: &AnswerPiece, text: &str, schema: Option<&FormField>) -> bool {
        let said = self.said.messages();
        match schema {
            None if piece.verbatim => false,
            None => copies_example(said, &extract_prose(piece, text), None),
            form => copies_example(said, text, form),
        }
    }

    /// Keeps what the model wrote for `piece` in the conversation, without what does not count; gives the message.
    fn record_piece(&mut self, piece: &AnswerPiece, text: &str) -> String {
        let text = extract_prose(piece, text);
        if piece.continues {
            return self.said.hear_more(&format!("{} {text}", piece.lead_words()));
        }
        // Words that the text begins with are a label; seen here, it would be put before every later text.
        let text = if piece.after.is_empty() { text } else { format!("{} {text}", piece.lead_words()) };
        self.said.add_reply(text.clone());
        text
    }

    /// What the model is given for `piece`; its form is `schema`, and without one it writes prose.
    fn build_prompt(&self, piece: &AnswerPiece, schema: Option<&FormField>, attempt: u64) -> LocalPrompt {
        let Call { seed, temperature, earlier, .. } = self.call;
        let (messages, begun) = if piece.continues { self.said.split_unfinished() } else { (self.said.messages(), "") };
        let (lead, stop) = match schema {
            // Prose is one paragraph.
            None => (format!("{begun} {}", piece.lead_words()).trim().to_owned(), vec!["\n".into()]),
            Some(_) => (String::new(), Vec::new()),
        };
        LocalPrompt {
            schema: schema.filter(|_| piece.scale.is_empty()).map(FormField::to_string),
            choices: piece.grade_labels(),
            tokens_max: piece.tokens,
            // Pieces of one answer must not begin alike because they are drawn alike.
            seed: seed.wrapping_add(self.pieces).wrapping_add(attempt << 32),
            temperature: piece.temperature.unwrap_or(*temperature),
            earlier: earlier.iter().chain(self.said.written_texts()).cloned().collect(),
            lead,
            stop,
            ..LocalPrompt::new(messages.iter().map(to_prompt_message).collect())
        }
    }

    /// What the model wrote, and where it gave a grade, how likely it finds each.
    async fn generate_piece(
        &mut self,
        piece: &AnswerPiece,
        schema: Option<&FormField>,
        attempt: u64,
    ) -> Result<(String, Vec<f32>), CallFailure> {
        let prompt = self.build_prompt(piece, schema, attempt);
        self.pieces += 1;
        let cancel = CancelOnDrop(CancelToken::default());
        // A grade is a figure without a word; readers see it in its place in the form.
        let is_shown = piece.scale.is_empty() && !piece.is_aside();
        let token = cancel.0.clone();
        let mut so_far = String::new();
        let mut show = |text: &str| {
            if is_shown {
                self.deltas.push_delta(text);
            }
            // What comes behind the sentences that count would be left out.
            so_far.push_str(text);
            if schema.is_none() && is_enough(piece, &so_far) {
                token.cancel();
            }
        };
        if schema.is_none() && !piece.begins.is_empty() {
            // As the text will stand in the form.
            show(&if piece.after.is_empty() { piece.begins.clone() } else { capitalise_first(&piece.begins) });
        }
        let generated = self.engine.generate(prompt, cancel.0.clone(), show).await.map_err(to_call_failure)?;
        // The pieces are one conversation: what was read for an earlier piece is not counted again.
        let (prompt, cached) = match self.pieces {
            1 => (generated.prompt_tokens, generated.cached_tokens),
            _ => (generated.prompt_tokens.saturating_sub(generated.cached_tokens), 0),
        };
        self.usage.prompt_tokens += u64::from(prompt);
        self.usage.cached_tokens += u64::from(cached);
        self.usage.completion_tokens += u64::from(generated.completion_tokens);
        self.engine_name = Some(generated.computed_by);
        // A form that was cut fails to parse, and prose ends with its last sentence.
        debug_assert!(
            generated.finish != StopReason::Cancelled || piece.sentences > 0,
            "the token is dropped with this future"
        );
        Ok((generated.text, generated.weights))
    }
}
