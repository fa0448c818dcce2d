//! The usage of a debate, and links to its files.

use agon_app::display;
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
                div { dt { "Cost" } dd { (display::describe_cost(usage)) } }
            }
            div { dt { "Entries" } dd { (group_digits(entries, NARROW_SPACE)) } }
        }
    }
}

/// Links to every file.
pub fn render_file_links(id: &DebateId, paths: &[String]) -> Markup {
    html! {
        ul .files {
            @for path in paths { li { a href=(format!("/api/v1/debates/{id}/files/{path}")) { (render_path(path)) } } }
        }
    }
}

/// A path that ends a line behind a folder or a word, or before its ending, rather than within one.
fn render_path(path: &str) -> Markup {
    let (stem, ending) = path.split_at(path.rfind('.').unwrap_or(path.len()));
    html! { @for part in stem.split_inclusive(['/', '_', '-']) { (part) wbr; } (ending) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_breaks_between_its_parts() {
        assert_eq!(render_path("a/prop_000a.md").into_string(), "a/<wbr>prop_<wbr>000a<wbr>.md");
        assert_eq!(render_path("README").into_string(), "README<wbr>");
    }
}
