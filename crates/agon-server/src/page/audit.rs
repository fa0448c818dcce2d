//! The audit for administrators: who did what, and when.

use agon_core::Stamp;
use agon_journal::accounts::{AuditFilter, AuditLine};
use agon_report::page::prose::escape_invisible;
use axum::{extract::State as FromState, http::StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{PageQuery, PageResult, layout};
use crate::{Refusal, RouteContext, State, accounts::shown_name};

/// Lines on a page.
const LINES: u32 = 100;

/// What the audit is narrowed by.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// A login name or an id.
    #[serde(default)]
    person: String,
    /// The id of a debate.
    #[serde(default)]
    debate: String,
    /// The number of a line: older ones are shown.
    before: Option<i64>,
}

fn format_minute(at: &Stamp) -> String {
    at.0.get(..16).unwrap_or_default().replace('T', " ")
}

/// Lines as a table.
pub(super) fn render_audit_table(shared: &RouteContext, lines: &[AuditLine]) -> Markup {
    let person = |id: &str| match id.parse() {
        Ok(known) => shown_name(&shared.journal, known),
        Err(_) => id.to_owned(),
    };
    let rows = html! {
        @for line in lines {
            tr {
                td { (format_minute(&line.at)) }
                td {
                    @match &line.principal {
                        Some(id) => { (escape_invisible(&person(id))) " " small { (escape_invisible(&line.via)) } },
                        None => (escape_invisible(&line.via)),
                    }
                    @if let Some(address) = &line.address { " " small { (escape_invisible(address)) } }
                }
                td { (escape_invisible(&line.action)) @if let Some(target) = &line.target { " " small { (escape_invisible(target)) } } }
                td { @if let Some(debate) = &line.debate { (escape_invisible(debate)) } }
                td { (escape_invisible(&line.result)) }
            }
        }
    };
    super::render_table("Audit", &["When (UTC)", "Who", "What", "Where", "Result"], &rows, "Nothing yet.")
}

#[utoipa::path(get, path = "/audit", operation_id = "showAudit", tag = "accounts",
    params(AuditQuery),
    responses((status = 200, description = "Who did what, newest first", body = String, content_type = "text/html")))]
pub(super) async fn show_audit(
    FromState(shared): FromState<State>,
    PageQuery(query): PageQuery<AuditQuery>,
) -> PageResult {
    let drawn = super::blocking_page(&shared, StatusCode::OK, move |shared| {
        let person = match query.person.trim() {
            "" => None,
            name => {
                let known = shared.journal.principal_named(name)?;
                let unknown = || Refusal::new(404, "unknown", "there is not such an account", "agon users list");
                Some(known.ok_or_else(unknown)?.id)
            }
        };
        let debate = Some(query.debate.trim().to_owned()).filter(|debate| !debate.is_empty());
        let filter = AuditFilter { principal: person, debate, before: query.before, ..AuditFilter::default() };
        let lines = shared.journal.list_audit_lines(&filter, LINES)?;
        let older = lines.last().filter(|_| lines.len() as u32 == LINES).map(|line| line.number);
        let body = html! {
            main #main .plain {
                h1 { "Audit" }
                form .search method="get" action="/audit" role="search" {
                    label for="person" { "Person" }
                    input type="search" id="person" name="person" value=(query.person);
                    label for="debate" { "Debate" }
                    input type="search" id="debate" name="debate" value=(query.debate);
                    button type="submit" { "Show" }
                }
                (render_audit_table(shared, &lines))
                @if let Some(number) = older {
                    p { a href=(format!("/audit?before={number}&person={}&debate={}", encode_query_value(&query.person), encode_query_value(&query.debate))) { "Older" } }
                }
            }
        };
        Ok(layout::render_page("Audit", false, body))
    });
    drawn.await
}

fn encode_query_value(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.trim().as_bytes()).collect()
}
