//! Pages on a server with accounts: where a record names a person by id, readers see the name, and the masthead leads
//! to the account. Only the text of a page is changed, never its marks, scripts, styles and fields.

use std::{borrow::Cow, collections::BTreeMap};

use agon_journal::accounts::{PERSON_PREFIX, PrincipalId};
use agon_report::page::prose::escape_invisible;
use axum::{
    body::{Body, to_bytes},
    http::header,
    response::{IntoResponse, Response},
};
use maud::{Markup, Render, html};

use crate::{Refusal, State, accounts::shown_name, visitor::Visitor};

/// Largest page, in bytes.
const PAGE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Characters of an id: `p-` and 16 digits.
const ID_BYTES: usize = 18;
/// Where the masthead's links begin.
const NAV: &str = "<nav aria-label=\"Site\">";

/// The page, with names.
pub(crate) async fn show_names(shared: &State, visitor: Visitor, response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, PAGE_BYTES_MAX).await else {
        return Refusal::new(500, "internal", "the page is too large", "").into_response();
    };
    let Ok(page) = std::str::from_utf8(&bytes) else { return Response::from_parts(parts, Body::from(bytes)) };
    let mut names = BTreeMap::new();
    let mut page = with_names(page, |person| {
        names
            .entry(person)
            .or_insert_with(|| escape_invisible(&shown_name(&shared.journal, person)).render().into_string())
            .clone()
    });
    let link = match visitor.person {
        Some(_) => "<a href=\"/account\">Account</a> ",
        None => "<a href=\"/login\">Log in</a> ",
    };
    if page.contains(NAV) {
        page = page.replacen(NAV, &format!("{NAV}{link}"), 1).into();
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(page.into_owned()))
}

/// What records call a person, on pages that are about the id itself: the mark within keeps it from being named.
pub(super) fn id_on_record(person: PrincipalId) -> Markup {
    html! { code { (PERSON_PREFIX) wbr; (person) } }
}

/// The id at the beginning of `text`, where there is one.
fn parse_person_id(text: &str) -> Option<PrincipalId> {
    let rest = text.strip_prefix(PERSON_PREFIX)?;
    rest.get(..ID_BYTES)?.parse().ok()
}

/// `page` with what `name` makes of each person in its text.
fn with_names(page: &str, mut name: impl FnMut(PrincipalId) -> String) -> Cow<'_, str> {
    if !page.contains(PERSON_PREFIX) {
        return page.into();
    }
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(tag) = rest.find('<') {
        let (text, marks) = rest.split_at(tag);
        replace_person_ids(text, &mut out, &mut name);
        // What must stay as it is goes to its end tag; every other tag to its own end.
        let whole = ["textarea", "script", "style", "title"].iter().find_map(|element| {
            let begins = marks.get(1..).is_some_and(|marks| marks.starts_with(element));
            let end = format!("</{element}>");
            begins.then(|| marks.find(&end).map_or(marks.len(), |at| at + end.len()))
        });
        let end = whole.or_else(|| marks.find('>').map(|at| at + 1)).unwrap_or(marks.len());
        out.push_str(&marks[..end]);
        rest = &marks[end..];
    }
    replace_person_ids(rest, &mut out, &mut name);
    out.into()
}

fn replace_person_ids(text: &str, out: &mut String, name: &mut impl FnMut(PrincipalId) -> String) {
    let mut rest = text;
    while let Some(at) = rest.find(PERSON_PREFIX) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match parse_person_id(rest) {
            Some(person) => {
                out.push_str(&name(person));
                rest = &rest[PERSON_PREFIX.len() + ID_BYTES..];
            }
            None => {
                out.push_str(PERSON_PREFIX);
                rest = &rest[PERSON_PREFIX.len()..];
            }
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_text_alone() {
        let id = "person:p-00000000000000aa";
        let page = format!(
            "<p title=\"{id}\">{id}, {id}; person:p-0</p><textarea>{id}</textarea><script>{id}</script><b>{id}</b>"
        );
        let wanted = format!(
            "<p title=\"{id}\">Ada, Ada; person:p-0</p><textarea>{id}</textarea><script>{id}</script><b>Ada</b>"
        );
        assert_eq!(with_names(&page, |_| "Ada".into()), wanted);
        assert_eq!(with_names("<p>ü person:", |_| "Ada".into()), "<p>ü person:");
    }
}
