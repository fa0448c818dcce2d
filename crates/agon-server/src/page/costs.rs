//! The usage of a debate, and links to its files.

use agon_app::words;
use agon_core::{Basis, DebateId, Usage};
use agon_text::group_digits;
use maud::{Markup, html};

/// What sets the thousands of a number apart.
const NARROW_SPACE: &str = "\u{202f}";

/// Calls, tokens and money, in a line.
pub fn render_costs(usage: &Usage, entries: u64) -> Markup {
    let about = if usage.estimated { "about " } else { "" };
    html! {
        dl .figures {
            div { dt { "Calls" } dd { (group_digits(usage.requests, NARROW_SPACE)) } }
            div { dt { "Tokens read" } dd { (about) (group_digits(usage.prompt_tokens, NARROW_SPACE)) } }
            div { dt { "Tokens written" } dd { (about) (group_digits(usage.completion_tokens, NARROW_SPACE)) } }
            @if usage.cost_microusd > 0 || usage.cost_basis == Basis::Unknown {
                div { dt { "Cost" } dd { (words::describe_cost(usage)) } }
            }
            div { dt { "Entries" } dd { (group_digits(entries, NARROW_SPACE)) } }
        }
    }
}

/// Links to every file.
pub fn render_file_links(id: &DebateId, paths: &[String]) -> Markup {
    html! {
        ul .files {
            @for path in paths { li { a href=(format!("/api/v1/debates/{id}/files/{path}")) { (path) } } }
        }
    }
}
