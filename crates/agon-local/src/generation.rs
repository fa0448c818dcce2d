//! One answer that is being written: what of its prompt is still to be read, and what came of it so far.

use std::time::Instant;

use crate::choice;
use crate::error::EngineError;
use crate::job::{EngineJob, GenerationEvent, LoadedModel};
use crate::llama::{Batch, LlamaContext, Token, Vocabulary};
use crate::prompt::{Generation, StopReason};
use crate::sampling::TokenSampler;
use crate::stream::TextStream;

/// A request on its way to an answer.
pub struct ActiveGeneration {
    pub job: EngineJob,
    sampler: TokenSampler,
    stream: TextStream,
    /// The sequence that it is evaluated in.
    pub slot: usize,
    /// Tokens of the prompt, and then each chosen token, of which the first `read` are evaluated or in the batch.
    tokens: Vec<Token>,
    prompt_tokens: usize,
    cached: usize,
    read: usize,
    /// How many of the tokens before `read` are in the batch.
    added: usize,
    /// Where the batch has the last of them, if its logits are wanted.
    logits_at: Option<usize>,
    text: String,
    weights: Vec<f32>,
    completion_tokens: u32,
    began: Instant,
    /// When its prompt was read.
    answering: Option<Instant>,
}

impl ActiveGeneration {
    /// A request whose prompt has these tokens, of which `cached` are evaluated in `slot`.
    pub fn new(job: EngineJob, sampler: TokenSampler, tokens: Vec<Token>, slot: usize, cached: usize) -> Self {
        Self {
            stream: TextStream::new(job.prompt.stop.clone()),
            job,
            sampler,
            slot,
            prompt_tokens: tokens.len(),
            tokens,
            cached,
            read: cached,
            added: 0,
            logits_at: None,
            text: String::new(),
            weights: Vec::new(),
            completion_tokens: 0,
            began: Instant::now(),
            answering: None,
        }
    }

    /// Whether its prompt is not yet read.
    pub fn is_reading(&self) -> bool {
        self.answering.is_none()
    }

    /// Tokens that it can have in the end.
    pub fn tokens_most(&self) -> usize {
        self.prompt_tokens + self.answer_most() as usize
    }

    fn answer_most(&self) -> u32 {
        self.job.prompt.tokens_max.max(1)
    }

    /// Adds its next tokens to `batch`, at most `chunk`, at the position `start`.
    pub fn add_to(&mut self, batch: &mut Batch, start: usize, chunk: usize) {
        let until = self.tokens.len().min(self.read + chunk);
        self.added = 0;
        self.logits_at = None;
        for at in self.read..until {
            let is_last = at + 1 == self.tokens.len();
            if !batch.add(self.tokens[at], start + self.added, self.slot, is_last) {
                // The batch is full: the rest comes in the next one.
                break;
            }
            self.added += 1;
            if is_last {
                self.logits_at = Some(batch.len() - 1);
            }
        }
        self.read += self.added;
    }

    /// Its tokens in the batch.
    pub fn batch_tokens(&self) -> &[Token] {
        &self.tokens[self.read - self.added..self.read]
    }

    /// Chooses the next token, if the batch that was evaluated has what it needs for that. `Some` if the answer
    /// ends with it.
    ///
    /// # Errors
    /// [`EngineError::Runtime`] if nothing can be chosen.
    pub fn choose_next_token(
        &mut self,
        vocabulary: Vocabulary<'_>,
        context: &LlamaContext<'_>,
    ) -> Result<Option<StopReason>, EngineError> {
        let Some(at) = self.logits_at.take() else { return Ok(None) };
        self.answering.get_or_insert_with(Instant::now);
        let logits = context.logits_at(at);
        self.completion_tokens += 1;
        let choices = &self.job.prompt.choices;
        if !choices.is_empty() {
            self.weights = choice::compute_choice_weights(logits, &choice::list_choice_tokens(vocabulary, choices)?)?;
            let likeliest = (0..choices.len()).max_by(|a, b| self.weights[*a].total_cmp(&self.weights[*b]));
            let text = likeliest.map(|likeliest| choices[likeliest].clone()).unwrap_or_default();
            self.send_text(text);
            return Ok(Some(StopReason::Stop));
        }
        let token = self.sampler.next(logits)?;
        // A control token other than the end would open the turn of another participant.
        if vocabulary.is_end(token) || vocabulary.is_control(token) {
            return Ok(Some(StopReason::Stop));
        }
        let delta = self.stream.push(&vocabulary.token_bytes(token, false));
        self.send_text(delta);
        if self.stream.is_stopped() || self.sampler.is_complete() {
            return Ok(Some(StopReason::Stop));
        }
        self.tokens.push(token);
        Ok((self.completion_tokens == self.answer_most()).then_some(StopReason::Length))
    }

    fn send_text(&mut self, text: String) {
        if !text.is_empty() {
            self.text.push_str(&text);
            let _ = self.job.events.send(GenerationEvent::Delta(text));
        }
    }

    /// Takes the tokens of the batch back: they were not evaluated.
    pub fn take_back(&mut self) {
        self.read -= self.added;
        (self.added, self.logits_at) = (0, None);
    }

    /// Tells the request how it ended, in the name of a model that computes with `threads`.
    pub fn finish(mut self, result: Result<StopReason, EngineError>, model: &LoadedModel, threads: u32) {
        let result = result.map(|finish| {
            let rest = self.stream.finish();
            self.send_text(rest);
            let answering = self.answering.unwrap_or_else(Instant::now);
            Generation {
                text: std::mem::take(&mut self.text),
                prompt_tokens: self.prompt_tokens as u32,
                cached_tokens: self.cached as u32,
                completion_tokens: self.completion_tokens,
                weights: std::mem::take(&mut self.weights),
                finish,
                model_name: model.name.clone(),
                computed_by: model.computed_by(threads),
                threads,
                prompt_seconds: (answering - self.began).as_secs_f64(),
                generation_seconds: answering.elapsed().as_secs_f64(),
            }
        });
        let _ = self.job.events.send(GenerationEvent::Done(result));
    }
}
