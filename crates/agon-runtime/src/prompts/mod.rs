//! Prompt templates: where they come from, and how they become the messages of a call.

pub mod description;
mod layers;
pub mod plain;
mod render;

pub use self::{
    description::{RequestDescription, objections, told},
    layers::{Layer, Layers, Template, path},
    render::{PromptError, Renderer},
};
