//! Evaluated sequences of tokens.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{batch::Batch, bindings::llama_context, library::Library, model::LlamaModel};

/// How much a context holds.
#[derive(Clone, Copy, Debug)]
pub struct ContextOptions {
    /// Tokens of all sequences together.
    pub tokens: u32,
    /// Tokens evaluated at once.
    pub batch: u32,
    /// Sequences.
    pub sequences: u32,
    /// Threads to compute with.
    pub threads: u32,
}

/// Whether what is computed is still needed.
pub type IsWanted<'a> = &'a (dyn Fn() -> bool + Sync);

/// Why a batch was not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The sequences that are kept leave no room for it.
    #[error("there is no room for more tokens")]
    NoRoom,
    /// It was asked to stop. Nothing of the batch was kept.
    #[error("it was stopped")]
    Stopped,
    /// Anything else, with llama.cpp's number for it.
    #[error("llama.cpp failed with code {0}")]
    Failed(i32),
}

/// Evaluated sequences of one model.
pub struct LlamaContext<'model> {
    library: &'static Library,
    raw: NonNull<llama_context>,
    vocabulary: usize,
    /// Whether what is computed is needed: set for the time of a call. llama.cpp keeps its address.
    wanted: Box<AtomicPtr<IsWanted<'static>>>,
    model: PhantomData<&'model LlamaModel>,
}

impl<'model> LlamaContext<'model> {
    /// An empty context of `model`; `None` without memory for it.
    pub fn new(model: &'model LlamaModel, options: ContextOptions) -> Option<Self> {
        let (library, wanted) = (model.library, Box::new(AtomicPtr::default()));
        // SAFETY: the defaults are llama.cpp's own; `wanted` and the model outlive the context.
        let raw = unsafe {
            let mut parameters = library.llama.llama_context_default_params();
            parameters.n_ctx = options.tokens;
            (parameters.n_batch, parameters.n_ubatch) = (options.batch, options.batch);
            parameters.n_seq_max = options.sequences;
            // One store for all sequences: a copied beginning takes no room and no time.
            parameters.kv_unified = true;
            parameters.no_perf = true;
            let threads = options.threads.cast_signed();
            (parameters.n_threads, parameters.n_threads_batch) = (threads, threads);
            parameters.abort_callback = Some(is_stopped);
            parameters.abort_callback_data = std::ptr::from_ref(&*wanted).cast_mut().cast();
            library.llama.llama_init_from_model(model.raw.as_ptr(), parameters)
        };
        let vocabulary = model.vocabulary().len() as usize;
        Some(Self { library, raw: NonNull::new(raw)?, vocabulary, wanted, model: PhantomData })
    }

    /// Tokens that fit into it.
    pub fn token_capacity(&self) -> u32 {
        // SAFETY: the context is there until it is dropped; so below.
        unsafe { self.library.llama.llama_n_ctx(self.raw.as_ptr()) }
    }

    /// Computes with so many threads from now on.
    pub fn set_threads(&mut self, threads: u32) {
        let threads = threads.cast_signed();
        // SAFETY: see `tokens`.
        unsafe { self.library.llama.llama_set_n_threads(self.raw.as_ptr(), threads, threads) }
    }

    /// Evaluates `batch`, until `is_wanted` says that it is not needed: this is asked many times a second, also by other threads.
    ///
    /// # Errors
    /// See [`DecodeError`]; after `NoRoom` and `Stopped` the context is as it was.
    pub fn decode_batch(&mut self, batch: &Batch, is_wanted: IsWanted<'_>) -> Result<(), DecodeError> {
        self.wanted.store(std::ptr::from_ref(&is_wanted).cast_mut().cast(), Ordering::Release);
        // SAFETY: see `tokens`; the batch holds as many tokens as it says.
        let code = unsafe { self.library.llama.llama_decode(self.raw.as_ptr(), batch.raw) };
        self.wanted.store(std::ptr::null_mut(), Ordering::Release);
        match code {
            0 => Ok(()),
            1 => Err(DecodeError::NoRoom),
            2 => Err(DecodeError::Stopped),
            code => Err(DecodeError::Failed(code)),
        }
    }

    /// How likely each token of the vocabulary is after the token at `at` of the batch that was evaluated last, as logits.
    /// Empty if none were wanted there.
    pub fn logits_at(&self, at: usize) -> &[f32] {
        // SAFETY: see `tokens`; it gives null where there are none.
        let logits = unsafe { self.library.llama.llama_get_logits_ith(self.raw.as_ptr(), at as i32) };
        if logits.is_null() {
            return &[];
        }
        // SAFETY: there is one for each token of the vocabulary, and they stay until the next batch, which needs `&mut self`.
        unsafe { std::slice::from_raw_parts(logits, self.vocabulary) }
    }

    /// Forgets what `sequence` holds from position `from` on. `false` if it cannot forget a part.
    pub fn forget_positions(&mut self, sequence: usize, from: usize) -> bool {
        // SAFETY: see `tokens`; positions and sequences that are not there are left alone.
        unsafe {
            let memory = self.library.llama.llama_get_memory(self.raw.as_ptr());
            self.library.llama.llama_memory_seq_rm(memory, sequence as i32, from as i32, -1)
        }
    }

    /// Gives the first `count` positions of one sequence to another, which must be empty.
    pub fn copy_positions(&mut self, from: usize, to: usize, count: usize) {
        // SAFETY: see `forget`.
        unsafe {
            let memory = self.library.llama.llama_get_memory(self.raw.as_ptr());
            self.library.llama.llama_memory_seq_cp(memory, from as i32, to as i32, 0, count as i32);
        }
    }
}

impl Drop for LlamaContext<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing else keeps it, and its model is still there.
        unsafe { self.library.llama.llama_free(self.raw.as_ptr()) }
    }
}

/// Called by ggml between the nodes of a computation.
unsafe extern "C" fn is_stopped(wanted: *mut c_void) -> bool {
    // SAFETY: it is the field of a context that computes, so both it and what it points to are there.
    unsafe {
        let is_wanted = (*wanted.cast::<AtomicPtr<IsWanted<'_>>>()).load(Ordering::Acquire);
        is_wanted.as_ref().is_some_and(|is_wanted| !is_wanted())
    }
}
