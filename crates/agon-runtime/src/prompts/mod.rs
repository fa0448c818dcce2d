//! Prompt templates: where they come from, and how they become the messages of a call.

mod layers;
pub mod plain;
mod render;
pub mod told;

pub use self::{
    layers::{Layer, Layers, Template, path},
    render::{PromptError, Renderer},
    told::{RequestDescription, objections, told},
};
