//! What a person may do to a debate from its page without having been asked: say something to all,
//! pause it, let it continue, allow it more, end it.

use agon_app::ContinueRequest;
use agon_core::{DebateId, Record};
use maud::{Markup, html};

use super::{
    SubmittedFields,
    field_faults::FieldFaults,
    form::Filled,
    render_form_complaint,
    shown_form::ShownForm,
    text_field::{TextKind, render_text_field},
};
use crate::{Refusal, RouteContext, State, accounts::not_permitted, api, authorization::Permission, visitor::Visitor};

/// The forms of what may be done now; nothing for visitors who may only read.
pub(super) fn render_controls(
    shared: &RouteContext,
    record: &Record,
    visitor: Visitor,
    attempt: Option<&ShownForm>,
) -> Markup {
    let id = &record.opened().debate;
    let Ok(protocol) = agon_protocols::find_rules(record) else { return html! {} };
    let may = |permission| shared.is_permitted(visitor, permission, id, None).unwrap_or(false);
    let (speaks, steers) = (may(Permission::Speak), may(Permission::Steer));
    let interjects = protocol.manifest().interjections && speaks && record.closing_outcome().is_none();
    if !steers && !interjects {
        return html! {};
    }
    let attempt = attempt.filter(|attempt| attempt.seat.is_none());
    let kept =
        |name: &str| attempt.and_then(|attempt| attempt.fields.trimmed_value(name)).unwrap_or_default().to_owned();
    let paused = record.find_pause();
    let closed = record.closing_outcome().is_some();
    html! {
        details .acts open[attempt.is_some() || paused.is_some()] {
            summary { @if closed { "Continue this debate" } @else { "Act in this debate" } }
            form method="post" action=(format!("/debates/{id}/acts#acts")) {
                @if let Some(refusal) = attempt.and_then(ShownForm::refusal) {
                    (render_form_complaint(refusal, &refusal.faults, &|field| format!("acts-{field}")))
                }
                // A person who is logged in has a name already.
                @if visitor.person.is_none() {
                    (render_text_field("acts-name", "Your name", "", TextKind::Words("name", 80, true), Some(&kept("name"))))
                }
                @if closed {
                    @let faults = FieldFaults::from_faults(attempt.map_or(&[], Filled::faults), "rounds", "acts-rounds");
                    div .field {
                        label for="acts-rounds" { "Additional rounds" }
                        (faults.render())
                        input type="text" inputmode="numeric" autocomplete="off" id="acts-rounds" name="rounds" value=(attempt.map_or("1".into(), |_| kept("rounds"))) aria-invalid=[faults.invalid()] aria-describedby=[faults.described_by()];
                    }
                    button type="submit" name="act" value="extend" { "Continue" }
                } @else {
                    @if interjects {
                        div .field {
                            label for="acts-text" { "To all participants " small { "every later prompt shows it" } }
                            textarea id="acts-text" name="text" rows="3" maxlength="4000" { "\n" (kept("text")) }
                        }
                        button type="submit" name="act" value="interject" { "Interject" }
                    }
                    @if steers { (render_text_field("acts-why", "Reason", "for a pause or a cancellation, after which the debate can be extended; optional", TextKind::Words("off", 400, false), Some(&kept("why")))) }
                    @if steers && (paused.is_some() || !shared.events.is_driven(id)) { button type="submit" name="act" value="resume" { "Continue" } " " }
                    @if steers && paused.is_none() { button .plain-button type="submit" name="act" value="pause" { "Pause" } " " }
                    @if steers { button .plain-button .grave type="submit" name="act" value="cancel" { "Cancel the debate" } }
                }
            }
        }
        @if shared.accounts.is_some() && steers { p { a href=(format!("/debates/{id}/share")) { "Who takes part, and links for readers" } } }
    }
}

pub(super) async fn perform_act(
    shared: &State,
    visitor: Visitor,
    id: &DebateId,
    fields: &SubmittedFields,
) -> Result<(), Refusal> {
    let text = |name: &str| fields.trimmed_value(name).unwrap_or_default();
    let seats = shared.find_outside_seats(id)?;
    let by = visitor.claimant(text("name"));
    if text("act") != "interject" && !shared.is_permitted(visitor, Permission::Steer, id, None)? {
        return Err(not_permitted());
    }
    match text("act") {
        "interject" => drop(seats.interject(by, text("text")).await?),
        "pause" => drop(seats.pause_debate(by, text("why")).await?),
        "cancel" => drop(seats.cancel_debate(by, text("why")).await?),
        "resume" => {
            let name = Some(text("name").to_owned());
            let wanted = ContinueRequest { name, ..ContinueRequest::new(id.clone()) };
            api::continue_debate(shared, visitor, wanted).await?;
        }
        "extend" => {
            let rounds = super::start_fields::parse_number(fields, "rounds")?.unwrap_or(0);
            let request = ContinueRequest { extends: true, rounds: Some(rounds), ..ContinueRequest::new(id.clone()) };
            api::continue_debate(shared, visitor, request).await?;
        }
        _ => return Err(Refusal::no_action()),
    }
    Ok(())
}
