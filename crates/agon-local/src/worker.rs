//! The thread that owns the model: evaluates prompts, generates, keeps evaluated sequences.
//!
//! Answers of several requests are written at once, one token of each in every step: the weights are read from
//! memory once for all, and reading them is what takes the time. One prompt at a time is evaluated, in pieces
//! between those steps, so that a later prompt finds what it shares with an earlier one.

use std::{path::Path, sync::mpsc};

use tokio::sync::oneshot;

use crate::cache::{PrefixPlan, Slots};
use crate::chat::ChatTemplate;
use crate::engine_folder::describe_library;
use crate::error::EngineError;
use crate::generation::ActiveGeneration;
use crate::grammar::Grammars;
use crate::job::{EngineJob, EngineOptions, GenerationEvent, LoadedModel};
use crate::llama::{Batch, ContextOptions, DecodeError, Library, LlamaContext, LlamaModel, Token};
use crate::prompt::{LocalPrompt, StopReason};
use crate::pull::is_gguf;
use crate::sampling::{SamplerFactory, TokenSampler};
use crate::threads::{self, IdleCores};

/// Tokens of a prompt evaluated at once. A longer piece is hardly faster, and needs more memory.
const CHUNK: usize = 256;

/// The same while other answers are written, for each thread: they get their next token after each piece.
const SHARED_CHUNK: usize = 16;

/// Answers that are written at once.
const PARALLEL_MAX: usize = 4;

/// Context by default, in tokens.
const CONTEXT: u32 = 16_384;

/// Loads the model, says so, and works off the queue until its other end is dropped.
pub fn run(
    library: &'static Library,
    path: &Path,
    options: &EngineOptions,
    queue: &mpsc::Receiver<EngineJob>,
    ready: oneshot::Sender<Result<LoadedModel, EngineError>>,
) {
    let idle = IdleCores::start_watching(options.threads);
    let model = match load_model(library, path) {
        Ok(model) => model,
        Err(reason) => return drop(ready.send(Err(EngineError::Load { path: path.into(), reason }))),
    };
    match Worker::new(library, &model, path, options, idle) {
        Ok(mut worker) => {
            let _ = ready.send(Ok(worker.loaded.clone()));
            while worker.admit_jobs(queue) {
                worker.run_step();
            }
        }
        Err(error) => drop(ready.send(Err(error))),
    }
}

fn load_model(library: &'static Library, path: &Path) -> Result<LlamaModel, String> {
    if !is_gguf(path).map_err(|error| error.to_string())? {
        return Err("it is not a GGUF file".into());
    }
    LlamaModel::load(library, path)
}

struct Worker<'model> {
    model: &'model LlamaModel,
    context: LlamaContext<'model>,
    batch: Batch,
    /// The most answers that are written at once.
    parallel: usize,
    /// Threads that `context` computes with.
    threads: u32,
    idle: IdleCores,
    slots: Slots,
    /// Recurrent models cannot return to an earlier position.
    can_return: bool,
    template: ChatTemplate,
    samplers: SamplerFactory,
    /// Made on first use: it takes some tenths of a second.
    grammars: Option<Grammars>,
    loaded: LoadedModel,
    /// Answers that are being written, oldest first.
    active: Vec<ActiveGeneration>,
    /// The next request, with the tokens of its prompt, if it cannot begin yet.
    waiting: Option<(EngineJob, Vec<Token>)>,
}

impl<'model> Worker<'model> {
    fn new(
        library: &'static Library,
        model: &'model LlamaModel,
        path: &Path,
        options: &EngineOptions,
        mut idle: IdleCores,
    ) -> Result<Self, EngineError> {
        let failed = |reason: String| EngineError::Load { path: path.into(), reason };
        let template = ChatTemplate::from_model(model)?;
        let threads = idle.choose_threads().unwrap_or_else(|| threads::most_threads(options.threads));
        let tokens = options.context_tokens.filter(|&n| n > 0).unwrap_or(CONTEXT).min(model.trained_tokens());
        let sequences = options.sequences.clamp(1, 64);
        let parallel = PARALLEL_MAX.min(sequences as usize);
        let room = CHUNK + parallel;
        let size = ContextOptions { tokens, batch: room as u32, sequences, threads };
        let no_memory = || failed(format!("not enough memory for a context of {tokens} tokens"));
        let context = LlamaContext::new(model, size).ok_or_else(no_memory)?;
        let file_name = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = model.read_metadata(c"general.name").filter(|name| !name.is_empty());
        let has_device = library.device().is_some();
        let (name, engine) = (name.unwrap_or_else(file_name), describe_library(library));
        let loaded = LoadedModel { name, context: context.token_capacity(), engine, has_device };
        Ok(Self {
            model,
            context,
            batch: Batch::new(library, room),
            parallel,
            threads,
            idle,
            slots: Slots::new(sequences as usize),
            can_return: model.can_return(),
            template,
            samplers: SamplerFactory::new(model.vocabulary())?,
            grammars: None,
            loaded,
            active: Vec::new(),
            waiting: None,
        })
    }

    /// Computes with as many threads as there are idle cores now, if that is another number than before.
    fn follow_load(&mut self) {
        let threads = self.idle.choose_threads().filter(|threads| !self.loaded.has_device && *threads != self.threads);
        if let Some(threads) = threads {
            self.context.set_threads(threads);
            self.threads = threads;
        }
    }

    /// Begins requests of the queue as long as there is room. Waits for one if nothing else is to be done, and
    /// gives `false` if none will come.
    fn admit_jobs(&mut self, queue: &mpsc::Receiver<EngineJob>) -> bool {
        loop {
            let (job, tokens) = match self.waiting.take() {
                Some(waiting) => waiting,
                None => {
                    let is_idle = self.active.is_empty();
                    let job = if is_idle { queue.recv().ok() } else { queue.try_recv().ok() };
                    let Some(job) = job else { return !self.active.is_empty() };
                    if is_idle {
                        self.follow_load();
                    }
                    match self.tokenize_prompt(&job.prompt) {
                        Ok(tokens) => (job, tokens),
                        Err(error) => {
                            let _ = job.events.send(GenerationEvent::Done(Err(error)));
                            continue;
                        }
                    }
                }
            };
            if !self.has_room(tokens.len() + job.prompt.tokens_max.max(1) as usize) {
                self.waiting = Some((job, tokens));
                return true;
            }
            match self.build_sampler(&job.prompt) {
                Ok(sampler) => {
                    let plan = self.slots.reserve_slot(&tokens);
                    let cached = self.apply_prefix_plan(&plan);
                    self.active.push(ActiveGeneration::new(job, sampler, tokens, plan.slot, cached));
                }
                Err(error) => drop(job.events.send(GenerationEvent::Done(Err(error)))),
            }
        }
    }

    fn tokenize_prompt(&self, prompt: &LocalPrompt) -> Result<Vec<Token>, EngineError> {
        let vocabulary = self.model.vocabulary();
        let mut tokens = self.template.tokenize_messages(vocabulary, &prompt.messages)?;
        vocabulary.tokenize(&prompt.lead, false, &mut tokens);
        let (count, answer, context) = (tokens.len() as u32, prompt.tokens_max.max(1), self.loaded.context);
        if count.saturating_add(answer) > context {
            return Err(EngineError::TooLong { tokens: count, answer, context });
        }
        Ok(tokens)
    }

    /// Whether a request of so many tokens, its answer included, can begin.
    fn has_room(&self, tokens: usize) -> bool {
        let reads = self.active.iter().any(ActiveGeneration::is_reading);
        let taken: usize = self.active.iter().map(ActiveGeneration::tokens_most).sum();
        let fits = taken + tokens <= self.loaded.context as usize;
        self.active.is_empty() || (!reads && fits && self.active.len() < self.parallel)
    }

    fn build_sampler(&mut self, prompt: &LocalPrompt) -> Result<TokenSampler, EngineError> {
        let vocabulary = self.model.vocabulary();
        let matcher = match (&prompt.schema, &mut self.grammars) {
            (None, _) => None,
            (Some(schema), Some(grammars)) => Some(grammars.build_matcher(schema)?),
            (Some(schema), none) => Some(none.insert(Grammars::new(vocabulary)?).build_matcher(schema)?),
        };
        let mut earlier = Vec::new();
        for statement in &prompt.earlier {
            vocabulary.tokenize(statement, false, &mut earlier);
            // A line break ends a phrase, so none runs from one statement into the next.
            vocabulary.tokenize("\n", false, &mut earlier);
        }
        self.samplers.build_sampler(prompt, &earlier, matcher)
    }

    /// Makes the slot of `plan` hold what is kept; returns the number of tokens that it then holds, which need no
    /// evaluation.
    fn apply_prefix_plan(&mut self, plan: &PrefixPlan) -> usize {
        if self.can_return
            && let Some(source) = plan.copy_from
        {
            self.context.forget_positions(plan.slot, 0);
            self.context.copy_positions(source, plan.slot, plan.keep);
            return plan.keep;
        }
        if self.can_return && self.context.forget_positions(plan.slot, plan.keep) {
            return plan.keep;
        }
        self.forget_slot(plan.slot);
        0
    }

    /// Evaluates the next token of every answer and a piece of a prompt, and chooses what follows.
    fn run_step(&mut self) {
        self.end_answers(|answer| answer.job.is_cancelled().then_some(Ok(StopReason::Cancelled)));
        if self.active.is_empty() {
            return;
        }
        match self.evaluate_batch() {
            Ok(()) => {}
            // Nobody wants any of them.
            Err(DecodeError::Stopped) => return self.take_back(),
            Err(error) => return self.fail_answers(error),
        }
        let vocabulary = self.model.vocabulary();
        let advanced =
            self.active.iter_mut().map(|answer| answer.choose_next_token(vocabulary, &self.context).transpose());
        let mut advanced = advanced.collect::<Vec<_>>().into_iter();
        self.end_answers(|_| advanced.next().flatten());
    }

    /// Ends the answers for which `over` says how, and tells their requests.
    fn end_answers(&mut self, mut over: impl FnMut(&mut ActiveGeneration) -> Option<Result<StopReason, EngineError>>) {
        for mut answer in std::mem::take(&mut self.active) {
            match over(&mut answer) {
                None => self.active.push(answer),
                Some(result) => {
                    self.slots.release_slot(answer.slot);
                    answer.finish(result, &self.loaded, self.threads);
                }
            }
        }
    }

    /// After a failure it is not known what was evaluated: all answers in progress fail.
    fn fail_answers(&mut self, error: DecodeError) {
        let reason = error.to_string();
        self.end_answers(|_| Some(Err(EngineError::runtime(&reason))));
        while let Some(slot) = self.slots.evict_oldest() {
            self.forget_slot(slot);
        }
    }

    /// After a batch that was stopped: nothing of it counts.
    fn take_back(&mut self) {
        for at in 0..self.active.len() {
            let slot = self.active[at].slot;
            self.active[at].take_back();
            if !self.context.forget_positions(slot, self.slots.token_count(slot)) {
                self.forget_slot(slot);
            }
        }
        self.end_answers(|_| Some(Ok(StopReason::Cancelled)));
    }

    /// Tokens of a prompt in the next batch.
    fn prompt_chunk_size(&self) -> usize {
        if self.loaded.has_device || self.active.len() == 1 {
            CHUNK
        } else {
            CHUNK.min(SHARED_CHUNK * self.threads as usize)
        }
    }

    /// Evaluates one batch. Slots that are not in use give way if room is short.
    fn evaluate_batch(&mut self) -> Result<(), DecodeError> {
        self.batch.clear();
        let chunk = self.prompt_chunk_size();
        for answer in &mut self.active {
            let start = self.slots.token_count(answer.slot);
            answer.add_to(&mut self.batch, start, chunk);
        }
        let jobs: Vec<_> = self.active.iter().map(|answer| &answer.job).collect();
        let is_wanted = || !jobs.iter().all(|job| job.is_cancelled());
        loop {
            match self.context.decode_batch(&self.batch, &is_wanted) {
                Ok(()) => break,
                Err(error @ DecodeError::NoRoom) => match self.slots.evict_oldest() {
                    Some(other) => {
                        self.context.forget_positions(other, 0);
                    }
                    None => return Err(error),
                },
                Err(error) => return Err(error),
            }
        }
        for answer in &mut self.active {
            self.slots.append_tokens(answer.slot, answer.batch_tokens());
        }
        Ok(())
    }

    fn forget_slot(&mut self, slot: usize) {
        self.slots.clear_slot(slot);
        self.context.forget_positions(slot, 0);
    }
}
