//! What a seat may look up while it answers, and what it has looked up.
//!
//! - `tool`: the four tools, as models and agents are told of them
//! - `desk`: the lookups of one answer, within their limits; `turn`: what a model and its tools said to each other
//! - `bridge`: the tools for a command-line agent, by the Model Context Protocol

mod bridge;
mod desk;
mod introduction;
mod tool;
mod turn;

pub(crate) use self::{
    bridge::LookupBridge,
    introduction::{introduce_commands, introduce_tools},
};
pub use self::{
    bridge::relay_messages,
    desk::{LOOKUPS_MAX, LookupDesk, LookupSource, MadeLookup},
    tool::LookupTool,
    turn::{LookupTurn, MadeCall, RequestedLookups, Thought, ToolCall},
};

/// Name of the option that says what may be looked up in a debate; without it, nothing.
pub const LOOKUPS: &str = "lookups";
