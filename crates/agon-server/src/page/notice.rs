//! What is said at the top of a page about what was just done there.

use axum::http::StatusCode;
use maud::{Markup, html};

use super::render_complaint;
use crate::Refusal;

/// What was done, or why not.
pub(super) enum PageNotice {
    Nothing,
    Done(&'static str),
    Refused(Refusal),
    /// What is shown this once.
    Secret(Markup),
}

impl PageNotice {
    /// A secret, with what is said before it and behind it.
    pub(super) fn of_secret(before: Markup, secret: &str, behind: Markup) -> Self {
        Self::Secret(html! {
            div .notice role="status" { p { strong { (before) } } p { code { (secret) } } (behind) }
        })
    }

    /// The status of the page.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Refused(refusal) => refusal.status,
            _ => StatusCode::OK,
        }
    }

    pub(super) fn render_notice(&self) -> Markup {
        match self {
            Self::Nothing => html! {},
            Self::Done(what) => html! { p role="status" { (what) } },
            Self::Refused(refusal) => render_complaint(refusal),
            Self::Secret(secret) => secret.clone(),
        }
    }
}
