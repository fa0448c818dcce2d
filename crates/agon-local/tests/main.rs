//! The integration tests of this crate, as one program: each module holds those of one area.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod architectures;
mod engine;
mod pull;

use std::path::{Path, PathBuf};

use agon_local::{Engine, EngineError, EngineFolder, EngineOptions};

/// Engines share the processor: one test at a time keeps the timings meaningful.
pub static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The folder with models and an engine, if the variable names one.
pub fn models() -> Option<PathBuf> {
    std::env::var_os("AGON_TEST_MODELS").map(PathBuf::from)
}

/// Loads a model with the engine that is beside the models. `agon models pull` fetches one.
pub async fn load(model: &Path, options: EngineOptions) -> Result<Engine, EngineError> {
    let folder = EngineFolder::locate(&models().unwrap()).unwrap().expect("there is an engine beside the models");
    Engine::load(&folder.load_engine(model, None).await?, model, options).await
}
