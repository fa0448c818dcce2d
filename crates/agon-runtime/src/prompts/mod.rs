//! Prompt templates: where they come from, and how they become the messages of a call.

mod layers;
pub mod plain;
mod render;
pub mod description;

pub use self::{
    layers::{Layer, Layers, Template, path},
    render::{PromptError, Renderer},
    description::{RequestDescription, objections, told},
};
