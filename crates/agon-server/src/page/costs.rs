//! The usage of a debate, and links to its files.

use agon_app::words;
use agon_core::{Basis, DebateId, Usage};
use maud::{Markup, html};

/// Calls, tokens and money, in a line.
pub fn render_costs(usage: &Usage, entries: u64) -> Markup {
    let about = if usage.estimated { "about " } else { "" };
    html! {
        dl .figures {
            div { dt { "Calls" } dd { (format_count(usage.requests.into())) } }
            div { dt { "Tokens read" } dd { (about) (format_count(usage.prompt_tokens)) } }
            div { dt { "Tokens written" } dd { (about) (format_count(usage.completion_tokens)) } }
            @if usage.cost_microusd > 0 || usage.cost_basis == Basis::Unknown {
                div { dt { "Cost" } dd { (words::describe_cost(usage)) } }
            }
            div { dt { "Entries" } dd { (format_count(entries)) } }
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

/// A number with its thousands set apart.
fn format_count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
