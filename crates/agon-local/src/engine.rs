//! The engine: a loaded model on a thread of its own.
//!
//! Up to four requests run at once, further ones queue; each can be cancelled. Dropping the future of a
//! request cancels it, and dropping the engine ends the thread and frees the model.

use std::{path::Path, sync::mpsc, thread::JoinHandle};

use tokio::sync::{mpsc as async_mpsc, oneshot};

use crate::engine_folder::LoadedEngine;
use crate::error::EngineError;
use crate::job::{CancelToken, EngineJob, EngineOptions, GenerationEvent, LoadedModel};
use crate::prompt::{Generation, LocalPrompt};
use crate::worker;

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
    pub async fn load(engine: &LoadedEngine, path: &Path, options: EngineOptions) -> Result<Self, EngineError> {
        let (jobs, queue) = mpsc::channel();
        let (ready, loaded) = oneshot::channel();
        let (file, library) = (path.to_path_buf(), engine.library());
        let builder = std::thread::Builder::new().name("agon-local".into());
        let thread = builder
            .spawn(move || worker::run(library, &file, &options, &queue, ready))
            .map_err(|error| EngineError::Load { path: path.into(), reason: error.to_string() })?;
        let loaded = loaded.await.map_err(|_| EngineError::Gone)??;
        Ok(Self { jobs: Some(jobs), thread: Some(thread), loaded })
    }

    /// Generates text, together with other requests or after them. `on_delta` gets each piece of the answer as
    /// soon as it is certain. A cancelled request is not an error: see [`crate::StopReason::Cancelled`].
    ///
    /// # Errors
    /// Any [`EngineError`] but `Load`; the engine stays usable, except after `Gone`.
    pub async fn generate(
        &self,
        prompt: LocalPrompt,
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
        fn check(engine: &Engine, library: &LoadedEngine) {
            drop(sendable(engine.generate(LocalPrompt::new(vec![]), CancelToken::default(), |_| ())));
            drop(sendable(Engine::load(library, "".as_ref(), EngineOptions::default())));
        }
        let _ = check;
    }
}
