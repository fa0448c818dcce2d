//! The embedded language model: a [catalogue] of small models, their [download](pull_model()), and an
//! [`Engine`] that runs one of them with llama.cpp, on any GGUF file.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use agon_local::*;
//! let model = catalogue::resolve_model_name("qwen2.5-coder-1.5b")?;
//! let path = pull_model(&model, "models".as_ref(), PullOptions::default(), &mut |_| ()).await?;
//! let folder = find_engine("models".as_ref(), PullOptions::default(), &mut |_| ()).await?;
//! let library = folder.load_engine(&path, None).await?;
//! let engine = Engine::load(&library, &path, EngineOptions::default()).await?;
//! let prompt = LocalPrompt::new(vec![PromptMessage::user("Name one planet.")]);
//! let answer = engine.generate(prompt, CancelToken::default(), |text| print!("{text}")).await?;
//! # Ok(()) }
//! ```
//!
//! This crate does not know about debates: it turns texts into text, and reports every limit that it meets.
//! - [`catalogue`], `pull`: the known models, pinned by SHA-256, and their download
//! - [`engine_package`], `engine_folder`: the libraries of llama.cpp, pinned likewise, and the folder that they are loaded from
//! - `llama`: llama.cpp behind safe types; nothing else is unsafe
//! - `engine`, `worker`, `generation`: a loaded model, the thread that owns it, and each answer that it writes
//! - `chat`, `prompt`: from messages to tokens, without forged control tokens
//! - `sampling`, `choice`, `grammar`, `stream`: choosing tokens, by schema, and turning them into text
//! - `cache`, `threads`: reuse of evaluated beginnings; the number of threads

mod cache;
pub mod catalogue;
mod chat;
mod choice;
mod engine;
mod engine_folder;
pub mod engine_package;
mod error;
mod generation;
mod grammar;
mod job;
mod llama;
mod prompt;
mod pull;
mod sampling;
mod stream;
mod threads;
mod worker;

pub use catalogue::{Model, ModelRef};
pub use engine::Engine;
pub use engine_folder::{
    ENGINE_VARIABLE, EngineFolder, LoadedEngine, Trial, TrialReport, choose_engine, engine_to_fetch, try_engine,
};
pub use engine_package::{EngineKind, EnginePackage};
pub use error::EngineError;
pub use job::{CancelToken, EngineOptions};
pub use prompt::{Generation, LocalPrompt, PromptMessage, PromptRole, StopReason};
pub use pull::{
    EngineSource, FailedSource, Progress, PullError, PullOptions, Stage, check_file, find_engine, is_present,
    no_package, pull_engine, pull_model,
};
pub use threads::most_threads;
