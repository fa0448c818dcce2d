//! What the engine and its thread tell each other: how to run a model, what to generate, what came of it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::mpsc;

use crate::error::EngineError;
use crate::prompt::{Generation, LocalPrompt};

/// How to run a model.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Threads to compute with. `None` or 0: `AGON_THREADS`, or else the cores that no other process uses, as often as
    /// this changes.
    pub threads: Option<u32>,
    /// Tokens a prompt and its answer may have together; `None`: 16,384. Never more than the model
    /// was trained for. All kept sequences share this room.
    pub context_tokens: Option<u32>,
    /// Evaluated conversations to keep for reuse, at least 1: one a speaker. Up to four answers are written at
    /// once, each in one of them.
    pub sequences: u32,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { threads: None, context_tokens: None, sequences: 16 }
    }
}

/// Cancels a generation. Clones cancel the same one.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Cancels: the generation ends before its next token or piece of the prompt.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What the worker sends back.
pub(crate) enum GenerationEvent {
    Delta(String),
    Done(Result<Generation, EngineError>),
}

/// A queued request.
pub(crate) struct EngineJob {
    pub prompt: LocalPrompt,
    pub cancel: CancelToken,
    pub events: mpsc::UnboundedSender<GenerationEvent>,
}

impl EngineJob {
    /// Whether nobody wants it any more: a dropped future counts as cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled() || self.events.is_closed()
    }
}

/// What a loaded model turned out to be.
#[derive(Clone, Debug)]
pub(crate) struct LoadedModel {
    pub name: String,
    pub context: u32,
    /// The release of llama.cpp, and what computes.
    pub engine: String,
    /// Whether a graphics processor computes.
    pub has_device: bool,
}

impl LoadedModel {
    /// What computes an answer.
    pub fn computed_by(&self, threads: u32) -> String {
        if self.has_device { self.engine.clone() } else { format!("{}, {threads} threads", self.engine) }
    }
}
