//! The layout of every page: head, masthead, style sheet and script.

use std::sync::LazyLock;

use agon_core::Digest;
use maud::{DOCTYPE, Markup, html};

const CSS: &str = include_str!("../assets/agon.css");
pub const JS: &str = include_str!("../assets/agon.js");
pub const PASSKEYS_JS: &str = include_str!("../assets/passkeys.js");
pub const MARK: &str = include_str!("../assets/agon.svg");

/// The whole style sheet: that of the page of a debate, and what other pages add.
pub static STYLE: LazyLock<String> = LazyLock::new(|| format!("{}{CSS}", agon_report::page::STYLE.as_str()));

/// Changes with the files, so that a browser never shows a new page in old clothes.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let digest = Digest::from_content(format!("{}{JS}{PASSKEYS_JS}{MARK}", *STYLE));
    digest.as_str()[..10].to_owned()
});

/// A time stamp to the minute, in universal time, for people and for programs.
pub(super) fn render_time(at: &str) -> Markup {
    html! { time datetime=(at) title="UTC" { (at.get(..16).unwrap_or(at).replace('T', " ")) } }
}

/// A page. `live` ones keep themselves up to date where JavaScript is allowed.
pub fn render_page(title: &str, live: bool, body: Markup) -> Markup {
    render_with_script(title, live.then_some("agon.js"), body)
}

/// A page on which passkeys are used, where JavaScript is allowed.
pub fn page_with_passkeys(title: &str, body: Markup) -> Markup {
    render_with_script(title, Some("passkeys.js"), body)
}

fn render_with_script(title: &str, script: Option<&str>, body: Markup) -> Markup {
    let version = VERSION.as_str();
    let current = |page: &str| (title == page).then_some("page");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (super::escape_invisible(title)) }
                link rel="icon" type="image/svg+xml" href=(format!("/assets/agon.svg?v={version}"));
                link rel="stylesheet" href=(format!("/assets/agon.css?v={version}"));
                @if let Some(script) = script { script defer src=(format!("/assets/{script}?v={version}")) {} }
            }
            body {
                a .skip href="#main" { "Skip to the content" }
                header .masthead {
                    a .wordmark href="/" { "agon" }
                    nav aria-label="Site" { a href="/" aria-current=[current("agon")] { "Debates" } " " a href="/evaluations" aria-current=[current("Evaluations")] { "Evaluations" } " " a href="/api/v1/openapi.json" { "API" } }
                }
                (body)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masthead_says_which_list_is_open() {
        let page = |title: &str| render_page(title, false, html! {}).into_string();
        assert!(page("Evaluations").contains("<a href=\"/evaluations\" aria-current=\"page\">"));
        assert!(page("agon").contains("<a href=\"/\" aria-current=\"page\">"));
        assert!(!page("People").contains("aria-current"));
    }
}
