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
    turn::{LookupTurn, RequestedLookups, Thought, ToolCall},
};

use agon_core::{LookupReach, Opened};

/// Name of the option that says what may be looked up in a debate; without it, nothing.
pub const LOOKUPS: &str = "lookups";

/// What may be looked up in the debate that is `opened`; `None` where nothing may.
pub fn find_reach(opened: &Opened) -> Option<LookupReach> {
    match opened.options.get(LOOKUPS)?.as_str()? {
        "material" => Some(LookupReach::Material),
        "web" => Some(LookupReach::Pages),
        _ => None,
    }
}
