//! The engine: a loaded model on a thread of its own.
//!
//! Requests queue and run one after the other; each can be cancelled. Dropping the future of a
//! request cancels it, and dropping the engine ends the thread and frees the model.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use tokio::sync::{mpsc as async_mpsc, oneshot};

use crate::prompt::{Generation, Prompt};
use crate::worker;

/// How to run a model.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Threads to compute with; `None` or 0: see [`crate::choose_threads`].
    pub threads: Option<u32>,
    /// Tokens a prompt and its answer may have together; `None`: 16,384. Never more than the model
    /// was trained for. All kept sequences share this room.
    pub context_tokens: Option<u32>,
    /// Evaluated conversations to keep for reuse, at least 1: one a speaker.
    pub sequences: u32,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { threads: None, context_tokens: None, sequences: 4 }
    }
}

/// What can go wrong when a model is loaded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The file is missing, is no GGUF, holds an unknown kind of model or needs too much memory.
    #[error("cannot load the model {path}: {reason}")]
    Load {
        /// The model file.
        path: PathBuf,
        /// What was wrong.
        reason: String,
    },
    /// The chat template of the model cannot be used, or not with these messages.
    #[error("the model's chat template cannot be used: {0}")]
    Template(String),
    /// The JSON schema cannot be turned into a grammar.
    #[error("the JSON schema cannot guide the model: {0}")]
    Schema(String),
    /// Prompt and answer do not fit into the context. Nothing was cut and nothing was run.
    #[error(
        "the prompt has {tokens} tokens; with {answer} for the answer it exceeds the context of {context}"
    )]
    TooLong {
        /// Tokens of the prompt.
        tokens: u32,
        /// Tokens asked for the answer.
        answer: u32,
        /// Tokens of the context.
        context: u32,
    },
    /// llama.cpp or the grammar failed while running.
    #[error("the local model failed: {0}")]
    Runtime(String),
    /// The thread of the engine has ended: load the model anew.
    #[error("the local model has stopped; its thread ended unexpectedly")]
    Gone,
}

impl EngineError {
    pub(crate) fn runtime(error: impl Display) -> Self {
        Self::Runtime(error.to_string())
    }

    /// The error with its detail: minijinja keeps the message of `raise_exception` there.
    pub(crate) fn template(error: minijinja::Error) -> Self {
        Self::Template(error.to_string())
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
    pub prompt: Prompt,
    pub cancel: CancelToken,
    pub events: async_mpsc::UnboundedSender<GenerationEvent>,
}

/// What a loaded model turned out to be.
#[derive(Clone, Debug)]
pub(crate) struct LoadedModel {
    pub name: String,
    pub context: u32,
    pub threads: u32,
}

/// A loaded model. Cheap to share behind an `Arc`.
#[derive(Debug)]
pub struct Engine {
    /// `None` only while dropping.
    jobs: Option<mpsc::Sender<EngineJob>>,
    thread: Option<JoinHandle<()>>,
    loaded: LoadedModel,
}

impl Engine {
    /// Loads the GGUF file at `path`. This maps the file and takes about a second.
    ///
    /// # Errors
    /// [`EngineError::Load`], or [`EngineError::Template`] if it is not a chat model.
    pub async fn load(path: &Path, options: EngineOptions) -> Result<Self, EngineError> {
        let (jobs, queue) = mpsc::channel();
        let (ready, loaded) = oneshot::channel();
        let file = path.to_path_buf();
        let builder = std::thread::Builder::new().name("agon-local".into());
        let thread = builder
            .spawn(move || worker::run(&file, &options, &queue, ready))
            .map_err(|error| EngineError::Load { path: path.into(), reason: error.to_string() })?;
        let loaded = loaded.await.map_err(|_| EngineError::Gone)??;
        Ok(Self { jobs: Some(jobs), thread: Some(thread), loaded })
    }

    /// Generates text, waiting for requests before it. `on_delta` gets each piece of the answer as
    /// soon as it is certain. A cancelled request is no error: see [`crate::StopReason::Cancelled`].
    ///
    /// # Errors
    /// Any [`EngineError`] but `Load`; the engine stays usable, except after `Gone`.
    pub async fn generate(
        &self,
        prompt: Prompt,
        cancel: CancelToken,
        mut on_delta: impl FnMut(&str),
    ) -> Result<Generation, EngineError> {
        let (events, mut receiver) = async_mpsc::unbounded_channel();
        let jobs = self.jobs.as_ref().ok_or(EngineError::Gone)?;
        jobs.send(EngineJob { prompt, cancel, events }).map_err(|_| EngineError::Gone)?;
        loop {
            match receiver.recv().await {
                Some(GenerationEvent::Delta(text)) => on_delta(&text),
                Some(GenerationEvent::Done(result)) => return result,
                None => return Err(EngineError::Gone),
            }
        }
    }

    /// The name the model file gives itself, or else its file name.
    pub fn model_name(&self) -> &str {
        &self.loaded.name
    }

    /// Tokens a prompt and its answer may have together.
    pub fn context_tokens(&self) -> u32 {
        self.loaded.context
    }

    /// Threads it computes with.
    pub fn threads(&self) -> u32 {
        self.loaded.threads
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // An error means that it panicked, which its requests were told already.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_can_run_on_any_executor() {
        fn sendable<T: Send>(value: T) -> T {
            value
        }
        fn check(engine: &Engine) {
            drop(sendable(engine.generate(Prompt::new(vec![]), CancelToken::default(), |_| ())));
        }
        let _ = (check, sendable(Engine::load("".as_ref(), EngineOptions::default())));
    }
}
