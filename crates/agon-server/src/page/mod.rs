//! Pages for people. They work without JavaScript; with it they keep themselves up to date.

mod account;
mod account_forms;
mod acts;
mod audit;
mod costs;
mod debate;
mod evaluation;
mod evaluations;
mod field_faults;
mod form;
mod invitation;
mod layout;
mod list;
mod login;
mod map;
mod notice;
mod openapi_pages;
mod people;
mod person;
mod person_names;
mod remedy;
mod seats;
mod share;
mod shown_form;
mod start_fields;
mod start_form;
mod submit;
mod submitted_form;
mod text_field;

use std::convert::Infallible;

use agon_core::DebateId;
use agon_journal::accounts::{DebateRole, GrantsTaken};
use agon_report::page::{add_full_stop, prose::escape_invisible};
use agon_text::capitalise_first;
use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query},
    http::{StatusCode, Uri, header, request::Parts},
    response::{IntoResponse, Response},
};
use maud::{Markup, html};
use serde::de::DeserializeOwned;

pub(crate) use self::{
    debate::PageCache,
    login::{login_address, login_again},
    openapi_pages::AccountPagesDocument,
    person_names::show_names,
};
use crate::{
    Refusal, RouteContext, State,
    authorization::{
        Permission::{Administer, Answer, Browser, Manage, Member, Open, Read, Speak, Start},
        Route, reading_route, writing_route,
    },
    refusal::FormFault,
};

/// The routes of pages, in the order of the page about permissions.
pub(crate) fn page_routes() -> Vec<Route> {
    vec![
        reading_route("/assets/agon.css", Open, || asset_response("text/css; charset=utf-8", layout::STYLE.as_str())),
        reading_route("/assets/agon.js", Open, || asset_response("text/javascript; charset=utf-8", layout::JS)),
        reading_route("/assets/passkeys.js", Open, || {
            asset_response("text/javascript; charset=utf-8", layout::PASSKEYS_JS)
        })
        .with_accounts(),
        reading_route("/assets/agon.svg", Open, || asset_response("image/svg+xml", layout::MARK)),
        reading_route("/login", Open, login::show_login).with_accounts(),
        writing_route("/login", Open, "", login::log_in).with_accounts(),
        reading_route("/login/provider", Open, login::to_provider).with_accounts(),
        reading_route("/login/callback", Open, login::from_provider).with_accounts(),
        reading_route("/shared", Open, login::shared_link).with_accounts(),
        writing_route("/logout", Browser, "", login::log_out).with_accounts(),
        reading_route("/account", Browser, account::show_account).with_accounts(),
        writing_route("/account", Browser, "", account::change_account).with_accounts(),
        writing_route("/account/tokens", Browser, "", account::make_token).with_accounts(),
        writing_route("/account/tokens/{token}", Browser, "", account::revoke_token).with_accounts(),
        writing_route("/account/passkeys/{passkey}", Browser, "", account::remove_passkey).with_accounts(),
        reading_route("/invitation", Open, invitation::show_invitation).with_accounts(),
        writing_route("/invitation", Open, "", invitation::accept_invitation).with_accounts(),
        reading_route("/people", Administer, people::list_people).with_accounts(),
        writing_route("/people", Administer, "", people::add_person).with_accounts(),
        reading_route("/people/{person}", Administer, person::show_person).with_accounts(),
        writing_route("/people/{person}", Administer, "", person::change_person).with_accounts(),
        reading_route("/drafts/{draft}", Browser, login::show_draft).with_accounts(),
        reading_route("/audit", Administer, audit::show_audit).with_accounts(),
        reading_route("/", Member, list::show_debates),
        writing_route("/debates", Start, "start_debate", list::start_debate),
        reading_route("/debates/{id}", Read, debate::show_debate),
        reading_route("/debates/{id}/report", Read, map::show_report),
        writing_route("/debates/{id}/acts", Speak, "act", submitted_form::submit_act),
        writing_route("/debates/{id}/seats/{seat}", Answer, "answer", submitted_form::submit_seat_form),
        reading_route("/debates/{id}/share", Manage, share::show_roles).with_accounts(),
        writing_route("/debates/{id}/share", Manage, "", share::change_roles).with_accounts(),
        reading_route("/evaluations", Member, evaluations::show_evaluations),
        reading_route("/evaluations/{name}", Member, evaluation::show_evaluation),
        reading_route("/evaluations/{name}/events", Member, evaluation::watch_evaluation),
        reading_route("/evaluations/{name}/report", Member, evaluations::show_evaluation_report),
    ]
}

/// A refusal that people read: a page.
pub(crate) struct PageRefusal(Refusal);

/// A page, or another one that says why there is none.
pub(crate) type PageResult = Result<Response, PageRefusal>;

impl<E: Into<Refusal>> From<E> for PageRefusal {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for PageRefusal {
    fn into_response(self) -> Response {
        refusal_page(&self.0)
    }
}

/// The page that `draw` makes of what it reads, where that holds up nobody.
async fn blocking_page(
    shared: &State,
    status: StatusCode,
    draw: impl FnOnce(&RouteContext) -> Result<Markup, Refusal> + Send + 'static,
) -> PageResult {
    Ok(page_response(status, shared.run_blocking(draw).await?))
}

/// The debate that a path names.
struct DebatePath(DebateId);

impl FromRequestParts<State> for DebatePath {
    type Rejection = PageRefusal;
    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, PageRefusal> {
        let id = Path::<String>::from_request_parts(parts, state).await.ok();
        let id = id.and_then(|Path(id)| DebateId::new(id).ok());
        Ok(Self(id.ok_or_else(no_such_debate)?))
    }
}

/// What the query of a page says; the defaults where it cannot be read.
struct PageQuery<T>(T);

impl<T: DeserializeOwned + Default> FromRequestParts<State> for PageQuery<T> {
    type Rejection = Infallible;
    async fn from_request_parts(parts: &mut Parts, _: &State) -> Result<Self, Infallible> {
        Ok(Self(Query::try_from_uri(&parts.uri).map(|Query(query)| query).unwrap_or_default()))
    }
}

/// The date of a moment.
fn format_day(stamp: &agon_core::Stamp) -> &str {
    agon_journal::time::stamp_date(stamp)
}

/// The heading of a column with buttons, which nobody needs to see.
const ACTION: &str = "";

/// A table with these headings above its `rows`; where it is wider than its column, it is moved by hand or by key. Where
/// it has no rows, `none` says so.
fn render_table(label: &str, headings: &[&str], rows: &Markup, none: &str) -> Markup {
    if rows.0.is_empty() {
        return html! { @if !none.is_empty() { p .quiet { (none) } } };
    }
    html! {
        div .wide tabindex="0" role="group" aria-label=(label) {
            table {
                thead { tr { @for heading in headings { th scope="col" { @if *heading == ACTION { span .unseen { "Action" } } @else { (heading) } } } } }
                tbody { (rows) }
            }
        }
    }
}

/// The button of a row of a table: what it sends, what it does by its `act`, and what it says; `about` tells it from those
/// of other rows.
fn render_row_button(to: &str, hidden: &[(&str, &str)], act: Option<&str>, about: &str, words: &str) -> Markup {
    html! {
        form method="post" action=(to) {
            @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
            button .plain-button type="submit" name=[act.map(|_| "act")] value=[act] aria-label=(about) { (words) }
        }
    }
}

/// What is served where there is not a page, or where it does not take such a request.
pub(crate) fn with_fallbacks(router: axum::Router<State>) -> axum::Router<State> {
    router.method_not_allowed_fallback(wrong_method).fallback(show_missing_page)
}

async fn asset_response(kind: &'static str, content: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=3600")], content).into_response()
}

async fn show_missing_page(uri: Uri) -> Response {
    let path: String = uri.path().chars().take(200).collect();
    refusal_page(&Refusal::new(404, "no_such_page", format!("No page at {path}"), "Go to the list of debates."))
}

fn no_such_page() -> Refusal {
    Refusal::new(404, "no_such_page", "There is not such a page", "Go to the list of debates.")
}

pub(crate) fn no_such_debate() -> Refusal {
    Refusal::new(404, "no_such_debate", "Unknown debate", "The list shows all debates.")
}

async fn wrong_method() -> Response {
    let why = "This page does not take such a request";
    refusal_page(&Refusal::new(405, "wrong_method", why, "Go to the list of debates."))
}

/// A page that says why there is no other.
pub(crate) fn refusal_page(refusal: &Refusal) -> Response {
    let body = html! {
        main #main .plain {
            h1 { (escape_invisible(&to_sentence(&refusal.message))) }
            (render_remedy(refusal))
            p { a href="/" { "All debates" } }
        }
    };
    page_response(refusal.status, layout::render_page("Error: agon", false, body))
}

/// What was refused, next to the form that it concerns.
fn render_complaint(refusal: &Refusal) -> Markup {
    render_form_complaint(refusal, &[], &str::to_owned)
}

/// The same with a link to each field that is wrong; `id_of` gives the id of a field's input.
fn render_form_complaint(refusal: &Refusal, faults: &[FormFault], id_of: &dyn Fn(&str) -> String) -> Markup {
    let said = |what: &str, field: Option<&str>| {
        html! {
            @match field {
                Some(field) => a href=(format!("#{}", id_of(field))) { (escape_invisible(&to_sentence(what))) },
                None => (escape_invisible(&to_sentence(what))),
            }
        }
    };
    let of_message = faults.iter().find(|fault| fault.what == refusal.message);
    let others: Vec<&FormFault> = faults.iter().filter(|fault| fault.what != refusal.message).collect();
    html! {
        // A reader is where it says what is wrong: agon.js sees to it where the address names another place.
        div .complaint role="alert" tabindex="-1" autofocus {
            p { strong { (said(&refusal.message, of_message.and_then(|fault| fault.field.as_deref()))) } }
            @if !others.is_empty() { ul { @for fault in others { li { (said(&fault.what, fault.field.as_deref())) } } } }
            (render_remedy(refusal))
            @if let Some(kept) = &refusal.kept {
                p { "Your text is kept in the server's data directory, at " code { (escape_invisible(&kept.display().to_string())) } }
            }
        }
    }
}

/// What a reader of a page can do, where that is anything.
fn render_remedy(refusal: &Refusal) -> Markup {
    let told = remedy::page_remedy(refusal, &|_| None);
    html! { @if !told.is_empty() { p { (escape_invisible(&to_sentence(&told))) } } }
}

fn to_sentence(text: &str) -> String {
    add_full_stop(&capitalise_first(text))
}

fn page_response(status: StatusCode, page: Markup) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page.into_string()).into_response()
}

/// Most fields of a form.
const FIELDS_MAX: usize = 2_000;

/// What was filled into a form, in order.
pub(crate) struct SubmittedFields(Vec<(String, String)>);

impl FromRequest<State> for SubmittedFields {
    type Rejection = Response;
    async fn from_request(request: axum::extract::Request, state: &State) -> Result<Self, Response> {
        let form = axum::Form::<Vec<(String, String)>>::from_request(request, state).await;
        let remedy = "Go back and shorten it.";
        let axum::Form(fields) = form.map_err(|error| {
            refusal_page(&Refusal::new(error.status().as_u16(), "malformed", error.body_text(), remedy))
        })?;
        if fields.len() > FIELDS_MAX {
            let why = format!("the form has {} fields; at most {FIELDS_MAX} are allowed", fields.len());
            return Err(refusal_page(&Refusal::unusable(why, remedy)));
        }
        Ok(Self(fields))
    }
}

/// The roles that a form takes back: with a field `seat`, also an empty one, what was given for that seat alone.
fn grants_taken(fields: &SubmittedFields) -> Result<GrantsTaken, Refusal> {
    let role = parse_role(fields)?;
    Ok(match fields.all_values("seat").next() {
        None => GrantsTaken::Role(role),
        Some(seat) => GrantsTaken::One(role, Some(seat.to_owned()).filter(|seat| !seat.is_empty())),
    })
}

/// The role that a form names.
fn parse_role(fields: &SubmittedFields) -> Result<DebateRole, Refusal> {
    let unknown = || Refusal::unusable("there is not such a role", "choose one of the list");
    fields.trimmed_value("role").and_then(DebateRole::parse).ok_or_else(unknown)
}

impl SubmittedFields {
    /// What was filled in, without blanks at its ends; nothing where that is nothing.
    fn trimmed_value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// What was filled in, character by character; empty where nothing was.
    fn exact_value(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Everything that was chosen under one name.
    fn all_values<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A number of days, or the usual one; 0, which nothing lasts, for what is not a number.
    fn parse_days(&self, usual: u32) -> u32 {
        self.trimmed_value("days").map_or(Some(usual), |days| days.parse().ok()).unwrap_or(0)
    }

    /// A text as it was filled in, with its blanks; line breaks as in files.
    fn verbatim_text(&self, name: &str) -> Option<String> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        (!value.trim().is_empty()).then(|| value.replace("\r\n", "\n"))
    }
}
