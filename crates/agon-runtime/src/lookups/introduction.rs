//! What a participant is told of its lookups, behind the first message of its prompt.

use super::LOOKUPS_MAX;
use crate::message::ChatMessage;

/// For models and agents, which have the tools.
const TOOLS: &str = include_str!("texts/introduction.md");
/// For people and programs at outside seats.
const COMMANDS: &str = include_str!("texts/outside.md");

/// A prompt for a participant that is offered tools.
pub(crate) fn introduce_tools(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    end_first_message(messages, &fill(TOOLS, "", ""))
}

/// A prompt for the person or program at the outside seat `seat` of `debate`.
pub(crate) fn introduce_commands(messages: Vec<ChatMessage>, debate: &str, seat: &str) -> Vec<ChatMessage> {
    end_first_message(messages, &fill(COMMANDS, debate, seat))
}

fn fill(text: &str, debate: &str, seat: &str) -> String {
    let most = LOOKUPS_MAX.to_string();
    text.replace("{{ most }}", &most).replace("{{ debate }}", debate).replace("{{ seat }}", seat)
}

fn end_first_message(mut messages: Vec<ChatMessage>, text: &str) -> Vec<ChatMessage> {
    if let Some(first) = messages.first_mut() {
        first.text.push_str("\n\n");
        first.text.push_str(text.trim_end());
    }
    messages
}
