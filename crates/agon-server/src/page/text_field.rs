//! A field of one line, with its label.

use maud::{Markup, html};

/// What is written into a field.
#[derive(Clone, Copy)]
pub(super) enum TextKind {
    /// A number that is whole.
    Number,
    /// An amount of money.
    Amount,
    /// A login name or an id; how browsers complete it.
    Login(&'static str),
    /// A password; how browsers complete it.
    Password(&'static str),
    /// Words: how browsers complete them, their most characters, and whether some are required.
    Words(&'static str, u32, bool),
}

/// The field that has this id, and the name that stands there behind the last hyphen; `hint` follows the label.
pub(super) fn render_text_field(id: &str, label: &str, hint: &str, kind: TextKind, value: Option<&str>) -> Markup {
    let name = id.rsplit('-').next().unwrap_or(id);
    let (mode, complete, most, required) = match kind {
        TextKind::Number => (Some("numeric"), "off", None, false),
        TextKind::Amount => (Some("decimal"), "off", None, false),
        TextKind::Login(complete) => (None, complete, Some(64), true),
        TextKind::Password(complete) => (None, complete, Some(1024), true),
        TextKind::Words(complete, most, required) => (None, complete, Some(most), required),
    };
    let input = if matches!(kind, TextKind::Password(_)) { "password" } else { "text" };
    let is_login = matches!(kind, TextKind::Login(_));
    html! {
        div .field {
            label for=(id) { (label) @if !hint.is_empty() { " " small { (hint) } } }
            input type=(input) inputmode=[mode] id=(id) name=(name) autocomplete=(complete) autocapitalize=[is_login.then_some("none")] spellcheck=[is_login.then_some("false")] maxlength=[most] required[required] value=[value];
        }
    }
}
