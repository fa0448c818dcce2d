//! The thread that owns the model: evaluates prompts, generates, keeps evaluated sequences.
//!
//! Answers of several requests are written at once, one token of each in every step: the weights are read from
//! memory once for all, and reading them is what takes the time. One prompt at a time is evaluated, in pieces
//! between those steps, so that a later prompt finds what it shares with an earlier one.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::{OnceLock, mpsc};

use llama_cpp_2::DecodeError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::context::session::LlamaStateSeqFlags;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use tokio::sync::oneshot;

use crate::cache::{PrefixPlan, Slots};
use crate::chat::ChatTemplate;
use crate::error::EngineError;
use crate::generation::ActiveGeneration;
use crate::grammar::Grammars;
use crate::job::{EngineJob, EngineOptions, GenerationEvent, LoadedModel};
use crate::kernels::{self, KernelSupport};
use crate::prompt::{LocalPrompt, StopReason};
use crate::pull::is_gguf;
use crate::sampling::{SamplerFactory, TokenSampler};
use crate::threads::{self, IdleCores};

/// Tokens of a prompt evaluated at once, for each thread. Cancelling takes effect between such
/// pieces, and within a second for the default model: twice as many would be a tenth faster and
/// too slow to cancel.
const CHUNK: usize = 16;

/// The same for a graphics processor, and the most for any number of threads.
const CHUNK_MAX: usize = 512;

/// Answers that are written at once.
const PARALLEL_MAX: usize = 4;

/// Context by default, in tokens.
const CONTEXT: u32 = 16_384;

/// llama.cpp, initialised once for the process and without its log.
///
/// # Errors
/// The reason why it cannot be initialised.
pub fn backend() -> Result<&'static LlamaBackend, String> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    let initialise = || {
        let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
        backend.void_logs();
        Ok(backend)
    };
    BACKEND.get_or_init(initialise).as_ref().map_err(Clone::clone)
}

/// Loads the model, says so, and works off the queue until its other end is dropped.
pub fn run(
    path: &Path,
    options: &EngineOptions,
    queue: &mpsc::Receiver<EngineJob>,
    ready: oneshot::Sender<Result<LoadedModel, EngineError>>,
) {
    if let KernelSupport::Unsupported(absent) = kernels::support() {
        return drop(ready.send(Err(EngineError::Processor(absent))));
    }
    let idle = IdleCores::watch(options.threads);
    let model = match load(path) {
        Ok(model) => model,
        Err(reason) => return drop(ready.send(Err(EngineError::Load { path: path.into(), reason }))),
    };
    match Worker::new(&model, path, options, idle) {
        Ok(mut worker) => {
            let _ = ready.send(Ok(worker.loaded.clone()));
            while worker.admit(queue) {
                worker.step();
            }
        }
        Err(error) => drop(ready.send(Err(error))),
    }
}

fn load(path: &Path) -> Result<LlamaModel, String> {
    // llama.cpp gives no reason: find the usual ones first.
    if !is_gguf(path).map_err(|error| error.to_string())? {
        return Err("it is not a GGUF file".into());
    }
    LlamaModel::load_from_file(backend()?, path, &LlamaModelParams::default())
        .map_err(|_| "llama.cpp refused it: damaged, of an unknown kind, or too large for the memory".into())
}

/// How much a context holds, whatever its number of threads.
#[derive(Clone, Copy)]
struct ContextSize {
    tokens: u32,
    sequences: u32,
}

impl ContextSize {
    /// The most answers that are written at once.
    fn parallel(self) -> usize {
        PARALLEL_MAX.min(self.sequences as usize)
    }

    /// An empty context that computes with `threads`.
    ///
    /// # Errors
    /// The reason why there is none.
    fn context(self, model: &LlamaModel, threads: u32) -> Result<LlamaContext<'_>, String> {
        let batch = (chunk(threads) + self.parallel()) as u32;
        let parameters = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(self.tokens))
            .with_n_batch(batch)
            .with_n_ubatch(batch)
            .with_n_seq_max(self.sequences)
            // One store for all sequences: a copied beginning takes no room and no time.
            .with_kv_unified(true)
            .with_n_threads(threads.cast_signed())
            .with_n_threads_batch(threads.cast_signed())
            .with_no_perf(true);
        let context = model.new_context(backend()?, parameters);
        context.map_err(|_| format!("not enough memory for a context of {} tokens", self.tokens))
    }
}

/// Tokens of a prompt in one batch.
fn chunk(threads: u32) -> usize {
    if is_gpu() { CHUNK_MAX } else { (CHUNK * threads as usize).min(CHUNK_MAX) }
}

/// Whether a graphics processor computes: then the threads matter little, and a second context can be too much for it.
fn is_gpu() -> bool {
    backend().is_ok_and(LlamaBackend::supports_gpu_offload)
}

struct Worker<'model> {
    model: &'model LlamaModel,
    context: LlamaContext<'model>,
    batch: LlamaBatch<'static>,
    size: ContextSize,
    /// Threads that `context` computes with.
    threads: u32,
    idle: IdleCores,
    slots: Slots,
    /// Recurrent models cannot return to an earlier position.
    rewindable: bool,
    template: ChatTemplate,
    samplers: SamplerFactory,
    /// Made on first use: it takes some tenths of a second.
    grammars: Option<Grammars>,
    loaded: LoadedModel,
    /// Answers that are being written, oldest first.
    active: Vec<ActiveGeneration>,
    /// The next request, with the tokens of its prompt, if it cannot begin yet.
    waiting: Option<(EngineJob, Vec<LlamaToken>)>,
}

impl<'model> Worker<'model> {
    fn new(
        model: &'model LlamaModel,
        path: &Path,
        options: &EngineOptions,
        mut idle: IdleCores,
    ) -> Result<Self, EngineError> {
        let failed = |reason: String| EngineError::Load { path: path.into(), reason };
        let template = ChatTemplate::of(model)?;
        let threads = idle.threads().unwrap_or_else(|| threads::most(options.threads));
        let trained = model.n_ctx_train().max(1);
        let size = ContextSize {
            tokens: options.context_tokens.filter(|&n| n > 0).unwrap_or(CONTEXT).min(trained),
            sequences: options.sequences.clamp(1, 64),
        };
        let context = size.context(model, threads).map_err(failed)?;
        let file_name = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = model.meta_val_str("general.name").ok().filter(|name| !name.is_empty());
        let loaded = LoadedModel { name: name.unwrap_or_else(file_name), context: context.n_ctx() };
        Ok(Self {
            model,
            context,
            batch: LlamaBatch::new(CHUNK_MAX + size.parallel(), 1),
            size,
            threads,
            idle,
            slots: Slots::new(size.sequences as usize),
            rewindable: !model.is_recurrent() && !model.is_hybrid(),
            template,
            samplers: SamplerFactory::new(model),
            grammars: None,
            loaded,
            active: Vec::new(),
            waiting: None,
        })
    }

    /// Computes with as many threads as there are idle cores now, if that is another number than before. What was
    /// evaluated stays, where there is room for it.
    fn follow_load(&mut self) {
        let Some(threads) = self.idle.threads().filter(|threads| *threads != self.threads) else { return };
        // Two contexts are there for a moment. Without memory for the second the number stays; Linux would not refuse
        // it, but end the process.
        if is_gpu() || !threads::has_memory_again() {
            return;
        }
        let Ok(mut context) = self.size.context(self.model, threads) else { return };
        for slot in self.slots.occupied() {
            let (id, all) = (slot as i32, LlamaStateSeqFlags::empty());
            let state = self.context.state_seq_get(id, all);
            let is_kept = state.is_ok_and(|state| context.state_seq_set(&state, id).is_ok())
                // What a model with a sliding window no longer looks at is not copied; a shorter beginning needs it.
                && context.kv_cache_seq_pos_min(id) == 0;
            if !is_kept {
                self.slots.clear(slot);
                let _ = context.clear_kv_cache_seq(Some(slot as u32), None, None);
            }
        }
        (self.context, self.threads) = (context, threads);
    }

    /// Begins requests of the queue as long as there is room. Waits for one if nothing else is to be done, and
    /// gives `false` if none will come.
    fn admit(&mut self, queue: &mpsc::Receiver<EngineJob>) -> bool {
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
                    match self.tokenize(&job.prompt) {
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
            match self.slot(&job.prompt, &tokens) {
                Ok((sampler, slot, cached)) => {
                    self.active.push(ActiveGeneration::new(job, sampler, tokens, slot, cached));
                }
                Err(error) => drop(job.events.send(GenerationEvent::Done(Err(error)))),
            }
        }
    }

    fn tokenize(&self, prompt: &LocalPrompt) -> Result<Vec<LlamaToken>, EngineError> {
        let mut tokens = self.template.tokenize(self.model, &prompt.messages)?;
        self.model.vocab().tokenize_into(prompt.lead.as_bytes(), &mut tokens, false, false);
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
        self.active.is_empty() || (!reads && fits && self.active.len() < self.size.parallel())
    }

    /// What a generation needs: its sampler, a slot for its prompt, and the number of tokens already evaluated there.
    fn slot(
        &mut self,
        prompt: &LocalPrompt,
        tokens: &[LlamaToken],
    ) -> Result<(TokenSampler, usize, usize), EngineError> {
        let sampler = self.sampler(prompt)?;
        let (slot, cached) = self.reuse(tokens)?;
        Ok((sampler, slot, cached))
    }

    fn sampler(&mut self, prompt: &LocalPrompt) -> Result<TokenSampler, EngineError> {
        let matcher = match (&prompt.schema, &mut self.grammars) {
            (None, _) => None,
            (Some(schema), Some(grammars)) => Some(grammars.matcher(schema)?),
            (Some(schema), none) => Some(none.insert(Grammars::new(self.model)?).matcher(schema)?),
        };
        let vocabulary = self.model.vocab();
        let mut earlier = Vec::new();
        for statement in &prompt.earlier {
            vocabulary.tokenize_into(statement.as_bytes(), &mut earlier, false, false);
            // A line break ends a phrase, so none runs from one statement into the next.
            vocabulary.tokenize_into(b"\n", &mut earlier, false, false);
        }
        Ok(self.samplers.sampler(prompt, &earlier, matcher))
    }

    /// Prepares a slot for the prompt; returns it and the number of tokens already evaluated in it.
    fn reuse(&mut self, prompt: &[LlamaToken]) -> Result<(usize, usize), EngineError> {
        let plan = self.slots.plan(prompt);
        let prepared = self.prepare(&plan);
        if prepared.is_err() {
            self.slots.release(plan.slot);
        }
        Ok((plan.slot, prepared?))
    }

    fn prepare(&mut self, plan: &PrefixPlan) -> Result<usize, EngineError> {
        if !self.rewindable {
            self.forget(plan.slot)?;
            return Ok(0);
        }
        let keep = Some(plan.keep as u32);
        if let Some(source) = plan.copy_from {
            self.context
                .clear_kv_cache_seq(Some(plan.slot as u32), None, None)
                .map_err(EngineError::runtime)?;
            let (source, slot) = (source as i32, plan.slot as i32);
            self.context.copy_kv_cache_seq(source, slot, Some(0), keep).map_err(EngineError::runtime)?;
        } else {
            let removed = self.context.clear_kv_cache_seq(Some(plan.slot as u32), keep, None);
            if !removed.map_err(EngineError::runtime)? {
                self.forget(plan.slot)?;
                return Ok(0);
            }
        }
        Ok(plan.keep)
    }

    /// Evaluates the next token of every answer and a piece of a prompt, and chooses what follows.
    fn step(&mut self) {
        self.end(|answer| answer.is_cancelled().then_some(Ok(StopReason::Cancelled)));
        if self.active.is_empty() {
            return;
        }
        if let Err(error) = self.evaluate() {
            return self.fail(error);
        }
        let advanced =
            self.active.iter_mut().map(|answer| answer.advance(self.model, &self.context).transpose());
        let mut advanced = advanced.collect::<Vec<_>>().into_iter();
        self.end(|_| advanced.next().flatten());
    }

    /// Ends the answers for which `over` says how, and tells their requests.
    fn end(
        &mut self,
        mut over: impl FnMut(&mut ActiveGeneration) -> Option<Result<StopReason, EngineError>>,
    ) {
        for mut answer in std::mem::take(&mut self.active) {
            match over(&mut answer) {
                None => self.active.push(answer),
                Some(result) => {
                    self.slots.release(answer.slot());
                    answer.finish(result, &self.loaded.name, self.threads);
                }
            }
        }
    }

    /// After a failure it is not known what was evaluated: all answers in progress fail.
    fn fail(&mut self, error: DecodeError) {
        let reason = error.to_string();
        self.end(|_| Some(Err(EngineError::runtime(&reason))));
        while let Some(slot) = self.slots.evict() {
            let _ = self.forget(slot);
        }
    }

    /// Evaluates one batch. Slots that are not in use give way if room is short.
    fn evaluate(&mut self) -> Result<(), DecodeError> {
        self.batch.clear();
        let chunk = chunk(self.threads);
        for answer in &mut self.active {
            let start = self.slots.len(answer.slot());
            answer.add_to(&mut self.batch, start, chunk);
        }
        loop {
            match self.context.decode(&mut self.batch) {
                Ok(()) => break,
                Err(error @ DecodeError::NoKvCacheSlot) => match self.slots.evict() {
                    Some(other) => self.forget(other).map_err(|_| error)?,
                    None => return Err(error),
                },
                Err(error) => return Err(error),
            }
        }
        for answer in &mut self.active {
            self.slots.extend(answer.slot(), answer.added());
        }
        Ok(())
    }

    fn forget(&mut self, slot: usize) -> Result<(), EngineError> {
        self.slots.clear(slot);
        self.context.clear_kv_cache_seq(Some(slot as u32), None, None).map(drop).map_err(EngineError::runtime)
    }
}
