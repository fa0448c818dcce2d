//! What can go wrong when a model is loaded or run.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

/// What can go wrong when a model is loaded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The file is missing, is not GGUF, holds an unknown kind of model or needs too much memory.
    #[error("cannot load the model {path}: {reason}")]
    Load {
        /// The model file.
        path: PathBuf,
        /// What was wrong.
        reason: String,
    },
    /// The libraries of llama.cpp cannot be used.
    #[error("the engine in {folder} cannot be used: {reason}")]
    Folder {
        /// The folder that holds them.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The chat template of the model cannot be used, or not with these messages.
    #[error("the model's chat template cannot be used: {0}")]
    Template(String),
    /// The JSON schema cannot be turned into a grammar.
    #[error("the JSON schema cannot guide the model: {0}")]
    Schema(String),
    /// Prompt and answer do not fit into the context. Nothing was cut and nothing was run.
    #[error("the prompt has {tokens} tokens; with {answer} for the answer it exceeds the context of {context}")]
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
    /// The thread of the engine has ended: load the model again.
    #[error("the local model has stopped; its thread ended unexpectedly")]
    Gone,
}

impl EngineError {
    pub(crate) fn folder(folder: &Path, reason: impl Display) -> Self {
        Self::Folder { folder: folder.into(), reason: reason.to_string() }
    }

    pub(crate) fn runtime(error: impl Display) -> Self {
        Self::Runtime(error.to_string())
    }

    /// The error with its detail: minijinja keeps the message of `raise_exception` there.
    pub(crate) fn template(error: minijinja::Error) -> Self {
        Self::Template(error.to_string())
    }
}
