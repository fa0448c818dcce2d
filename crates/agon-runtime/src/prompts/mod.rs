//! Prompt templates: where they come from, and how they become the messages of a call.

mod bounds;
pub mod chain;
pub mod chain_answer;
pub mod chain_copies;
pub mod chain_notes;
#[cfg(test)]
mod chain_tests;
pub mod conversation;
pub mod description;
mod error;
mod escape;
mod layers;
pub mod material;
pub mod person_blocks;
mod render;

pub use self::{
    chain::ModelSize,
    description::{RequestDescription, describe_request},
    error::PromptError,
    escape::{escape_text, shown_char},
    layers::{Layer, Layers, Template, template_path},
    render::{RenderedPrompt, Renderer},
};
