//! Prompt templates: where they come from, and how they become the messages of a call.

mod layers;
mod render;

pub use self::{
    layers::{Layer, Layers, Template, path},
    render::{PromptError, Renderer},
};
