//! The embedded language model: a [catalogue] of small models, their [download](pull()), and an
//! [`Engine`] that runs one of them with llama.cpp, on any GGUF file.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use agon_local::*;
//! let model = catalogue::resolve("qwen2.5-coder-1.5b")?;
//! let path = pull(&model, "models".as_ref(), PullOptions::default(), &mut |_| ()).await?;
//! let engine = Engine::load(&path, EngineOptions::default()).await?;
//! let prompt = Prompt::new(vec![PromptMessage::user("Name one planet.")]);
//! let answer = engine.generate(prompt, CancelToken::default(), |text| print!("{text}")).await?;
//! # Ok(()) }
//! ```
//!
//! Nothing here knows about debates: texts go in, text comes out, and every limit that was met is
//! reported instead of cutting anything silently.

mod cache;
pub mod catalogue;
mod chat;
mod engine;
mod error;
mod grammar;
mod job;
mod prompt;
mod pull;
mod sampling;
mod stream;
mod threads;
mod worker;

pub use catalogue::{Model, ModelRef};
pub use engine::Engine;
pub use error::EngineError;
pub use job::{CancelToken, EngineOptions};
pub use prompt::{Generation, Prompt, PromptMessage, Role, StopReason};
pub use pull::{Attempt, Progress, PullError, PullOptions, Stage, is_present, pull};
pub use threads::choose as choose_threads;

#[doc(hidden)]
pub use worker::backend;
