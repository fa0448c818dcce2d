//! The thread that owns the model: evaluates prompts, generates, keeps evaluated sequences.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::{OnceLock, mpsc};
use std::time::Instant;

use llama_cpp_2::DecodeError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use tokio::sync::oneshot;

use crate::cache::Slots;
use crate::chat::ChatTemplate;
use crate::error::EngineError;
use crate::grammar::Grammars;
use crate::job::{EngineJob, EngineOptions, GenerationEvent, LoadedModel};
use crate::kernels::{self, KernelSupport};
use crate::prompt::{Generation, LocalPrompt, StopReason};
use crate::sampling::{SamplerFactory, TokenSampler};
use crate::stream::TextStream;
use crate::threads;

/// Tokens of a prompt evaluated at once, for each thread. Cancelling takes effect between such
/// pieces, and within a second for the default model: twice as many would be a tenth faster and
/// too slow to cancel.
const CHUNK: usize = 16;

/// The same for a graphics processor, and the most for any number of threads.
const CHUNK_MAX: usize = 512;

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
    let model = match load(path) {
        Ok(model) => model,
        Err(reason) => return drop(ready.send(Err(EngineError::Load { path: path.into(), reason }))),
    };
    match Worker::new(&model, path, options) {
        Ok(mut worker) => {
            let _ = ready.send(Ok(worker.loaded.clone()));
            while let Ok(job) = queue.recv() {
                let result = worker.generate(&job);
                let _ = job.events.send(GenerationEvent::Done(result));
            }
        }
        Err(error) => drop(ready.send(Err(error))),
    }
}

fn load(path: &Path) -> Result<LlamaModel, String> {
    // llama.cpp gives no reason: find the usual ones first.
    let mut magic = [0; 4];
    let mut file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    std::io::Read::read_exact(&mut file, &mut magic).map_err(|error| error.to_string())?;
    if &magic != b"GGUF" {
        return Err("it is not a GGUF file".into());
    }
    LlamaModel::load_from_file(backend()?, path, &LlamaModelParams::default())
        .map_err(|_| "llama.cpp refused it: damaged, of an unknown kind, or too large for the memory".into())
}

struct Worker<'model> {
    model: &'model LlamaModel,
    context: LlamaContext<'model>,
    batch: LlamaBatch<'static>,
    /// Tokens it has room for.
    chunk: usize,
    slots: Slots,
    /// Recurrent models cannot return to an earlier position.
    rewindable: bool,
    template: ChatTemplate,
    samplers: SamplerFactory,
    /// Made on first use: it takes some tenths of a second.
    grammars: Option<Grammars>,
    loaded: LoadedModel,
}

impl<'model> Worker<'model> {
    fn new(model: &'model LlamaModel, path: &Path, options: &EngineOptions) -> Result<Self, EngineError> {
        let failed = |reason: String| EngineError::Load { path: path.into(), reason };
        let template = ChatTemplate::of(model)?;
        let threads = threads::choose(options.threads);
        let trained = model.n_ctx_train().max(1);
        let context = options.context_tokens.filter(|&n| n > 0).unwrap_or(CONTEXT).min(trained);
        let sequences = options.sequences.clamp(1, 64);
        let backend = backend().map_err(failed)?;
        let chunk = if backend.supports_gpu_offload() { CHUNK_MAX } else { CHUNK * threads as usize };
        let chunk = chunk.min(CHUNK_MAX);
        let parameters = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(context))
            .with_n_batch(chunk as u32)
            .with_n_ubatch(chunk as u32)
            .with_n_seq_max(sequences)
            // One store for all sequences: a copied beginning takes no room and no time.
            .with_kv_unified(true)
            .with_n_threads(threads.cast_signed())
            .with_n_threads_batch(threads.cast_signed())
            .with_no_perf(true);
        let context = model
            .new_context(backend, parameters)
            .map_err(|_| failed(format!("not enough memory for a context of {context} tokens")))?;
        let file_name = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = model.meta_val_str("general.name").ok().filter(|name| !name.is_empty());
        let loaded = LoadedModel { name: name.unwrap_or_else(file_name), context: context.n_ctx(), threads };
        Ok(Self {
            model,
            context,
            batch: LlamaBatch::new(chunk, 1),
            chunk,
            slots: Slots::new(sequences as usize),
            rewindable: !model.is_recurrent() && !model.is_hybrid(),
            template,
            samplers: SamplerFactory::new(model),
            grammars: None,
            loaded,
        })
    }

    fn generate(&mut self, job: &EngineJob) -> Result<Generation, EngineError> {
        // A dropped future counts as cancelled.
        let cancelled = || job.cancel.is_cancelled() || job.events.is_closed();
        let send = |text: String| {
            if !text.is_empty() {
                let _ = job.events.send(GenerationEvent::Delta(text));
            }
        };
        let prompt = &job.prompt;
        let tokens = self.template.tokenize(self.model, &prompt.messages)?;
        let (count, answer, context) = (tokens.len() as u32, prompt.tokens_max.max(1), self.loaded.context);
        if count.saturating_add(answer) > context {
            return Err(EngineError::TooLong { tokens: count, answer, context });
        }
        let mut sampler = self.sampler(prompt)?;
        let mut stream = TextStream::new(prompt.stop.clone());

        let start = Instant::now();
        let (slot, cached) = self.reuse(&tokens)?;
        let mut text = String::new();
        let mut finish = StopReason::Length;
        for chunk in tokens[cached..].chunks(self.chunk) {
            if cancelled() {
                finish = StopReason::Cancelled;
                break;
            }
            self.evaluate(slot, chunk)?;
        }
        let prompt_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut completion_tokens = 0;
        while finish != StopReason::Cancelled {
            if cancelled() {
                finish = StopReason::Cancelled;
                break;
            }
            let token = sampler.next(self.context.get_logits_ith(self.batch.n_tokens() - 1))?;
            completion_tokens += 1;
            let vocabulary = self.model.vocab();
            // A control token other than the end would open somebody else's turn.
            if vocabulary.is_eog(token) || vocabulary.is_control(token) {
                finish = StopReason::Stop;
                break;
            }
            let delta = stream.push(&vocabulary.token_to_piece(token, false, None));
            text.push_str(&delta);
            send(delta);
            if stream.stopped() || sampler.complete() {
                finish = StopReason::Stop;
                break;
            }
            if completion_tokens == answer {
                break;
            }
            self.evaluate(slot, &[token])?;
        }
        let rest = stream.finish();
        text.push_str(&rest);
        send(rest);
        Ok(Generation {
            text,
            prompt_tokens: count,
            cached_tokens: cached as u32,
            completion_tokens,
            finish,
            model_name: self.loaded.name.clone(),
            prompt_seconds,
            generation_seconds: start.elapsed().as_secs_f64(),
        })
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
        if !self.rewindable {
            self.forget(plan.slot)?;
            return Ok((plan.slot, 0));
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
                return Ok((plan.slot, 0));
            }
        }
        Ok((plan.slot, plan.keep))
    }

    /// Evaluates at most `chunk` tokens at the end of a slot. Other slots give way if room is short.
    fn evaluate(&mut self, slot: usize, tokens: &[LlamaToken]) -> Result<(), EngineError> {
        let start = self.slots.len(slot);
        self.batch.clear();
        for (i, &token) in tokens.iter().enumerate() {
            let last = i + 1 == tokens.len();
            let position = (start + i) as i32;
            self.batch.add(token, position, &[slot as i32], last).map_err(EngineError::runtime)?;
        }
        loop {
            match self.context.decode(&mut self.batch) {
                Ok(()) => break,
                Err(error @ DecodeError::NoKvCacheSlot) => match self.slots.evict(slot) {
                    Some(other) => self.forget(other)?,
                    None => return Err(self.abandon(slot, error)),
                },
                Err(error) => return Err(self.abandon(slot, error)),
            }
        }
        self.slots.extend(slot, tokens);
        Ok(())
    }

    /// After a failure it is not known what was evaluated.
    fn abandon(&mut self, slot: usize, error: DecodeError) -> EngineError {
        let _ = self.forget(slot);
        EngineError::runtime(error)
    }

    fn forget(&mut self, slot: usize) -> Result<(), EngineError> {
        self.slots.clear(slot);
        self.context.clear_kv_cache_seq(Some(slot as u32), None, None).map(drop).map_err(EngineError::runtime)
    }
}
