//! The arguments of `agon models`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum ModelsAction {
    /// List models, and which are downloaded
    List,
    /// Download a model, and the engine that runs it
    Pull(PullArgs),
    /// Print the folder that holds the models
    Where,
}

/// What `agon models pull` downloads.
#[derive(Debug, Args)]
pub struct PullArgs {
    /// Name of the model [default: the default model]
    pub name: Option<String>,
    /// Only check whether it is downloaded
    #[arg(long)]
    pub offline: bool,
    /// Download this engine, and use it from now on: cpu; vulkan or cuda for a graphics processor. Without a name, no model
    #[arg(long, value_name = "KIND", value_parser = ["cpu", "vulkan", "cuda"])]
    pub engine: Option<String>,
    /// The engine's package, instead of the one from npm
    #[arg(long, value_name = "FILE|ADDRESS")]
    pub engine_from: Option<String>,
}

/// What is tried.
#[derive(Debug, Args)]
pub struct TryEngineArgs {
    /// The folder with the engine
    pub folder: PathBuf,
    /// A model file
    pub model: PathBuf,
    /// Whether graphics processors are used
    #[arg(action = clap::ArgAction::Set)]
    pub devices: bool,
}
