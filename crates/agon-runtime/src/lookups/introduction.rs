//! What a participant is told of its lookups, behind the first message of its prompt.

use super::{LOOKUPS_MAX, LookupTool};
use crate::message::ChatMessage;

/// For models and agents, which have the tools.
const TOOLS: &str = include_str!("texts/introduction.md");
/// For people and programs at outside seats.
const COMMANDS: &str = include_str!("texts/outside.md");

/// A prompt for a participant that is offered tools.
pub(crate) fn introduce_tools(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    end_first_message(messages, &TOOLS.replace("{{ most }}", &LOOKUPS_MAX.to_string()))
}

/// A prompt for the person or program at the outside seat `seat` of `debate`, which may use `tools`.
pub(crate) fn introduce_commands(
    messages: Vec<ChatMessage>,
    tools: &[LookupTool],
    debate: &str,
    seat: &str,
) -> Vec<ChatMessage> {
    let commands: Vec<&str> = tools.iter().map(|tool| tool.command()).collect();
    let text = COMMANDS.replace("{{ most }}", &LOOKUPS_MAX.to_string()).replace("{{ commands }}", &commands.join(", "));
    end_first_message(messages, &text.replace("{{ debate }}", debate).replace("{{ seat }}", seat))
}

fn end_first_message(mut messages: Vec<ChatMessage>, text: &str) -> Vec<ChatMessage> {
    if let Some(first) = messages.first_mut() {
        first.add_paragraph(text.trim_end());
    }
    messages
}
