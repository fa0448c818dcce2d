//! The forms of a debate's page as they are sent: an answer at a seat, an act. What is refused is shown again
//! in its form.

use std::sync::Arc;

use agon_core::DebateId;
use axum::{
    extract::Path,
    response::{IntoResponse, Redirect},
};

use super::{DebatePath, PageResult, SubmittedFields, acts, debate, no_such_debate, shown_form::ShownForm, submit};
use crate::visitor::{Called, Visitor};

pub(super) async fn submit_act(
    Called(shared, visitor): Called<Visitor>,
    DebatePath(id): DebatePath,
    fields: SubmittedFields,
) -> PageResult {
    match acts::perform_act(&shared, visitor, &id, &fields).await {
        Ok(()) => {
            shared.events.refresh_debate(&id);
            Ok(Redirect::to(&format!("/debates/{id}")).into_response())
        }
        Err(refusal) => {
            let attempt = ShownForm { seat: None, fields, said: Some(Err(refusal)) };
            debate::show_rejected_form(&shared, id, visitor, attempt).await
        }
    }
}

pub(super) async fn submit_seat_form(
    Called(shared, visitor): Called<Visitor>,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    fields: SubmittedFields,
) -> PageResult {
    let named = path.ok().and_then(|Path((id, seat))| Some((DebateId::new(id).ok()?, seat)));
    let (id, seat) = named.ok_or_else(no_such_debate)?;
    // A browser that goes elsewhere, or presses again, drops its request; what it sent is still taken to its
    // end, or the seat would be held and nothing be said.
    let (of, at) = (Arc::clone(&shared), id.clone());
    let given = tokio::spawn(async move {
        if fields.trimmed_value("act") == Some("lookup") {
            let shown = submit::look_up(&of, visitor, &at, &seat, &fields).await;
            return Err(ShownForm { seat: Some(seat), fields, said: Some(shown) });
        }
        let given = submit::submit_answer(&of, visitor, &at, &seat, &fields).await;
        if given.is_ok() {
            of.events.refresh_debate(&at);
        }
        given.map_err(|refusal| ShownForm { seat: Some(seat), fields, said: Some(Err(refusal)) })
    });
    match given.await {
        Ok(Ok(())) => Ok(Redirect::to(&format!("/debates/{id}#asked")).into_response()),
        Ok(Err(attempt)) => debate::show_rejected_form(&shared, id, visitor, attempt).await,
        Err(fault) => std::panic::resume_unwind(fault.into_panic()),
    }
}
