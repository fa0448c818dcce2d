//! Prompt templates: where they come from, and how they become the messages of a call.

pub mod assembly;
mod bounds;
pub mod chain;
#[cfg(test)]
mod chain_tests;
pub mod conversation;
pub mod description;
mod layers;
pub mod material;
pub mod notes;
pub mod plain;
mod render;
mod tame;

pub use self::{
    chain::ModelSize,
    description::{RequestDescription, objections, told},
    layers::{Layer, Layers, Template, path},
    render::{PromptError, RenderedPrompt, Renderer},
    tame::shown_char,
};
