//! The line-up by former rules: a name was all that was proposed, the host could wish for one revision,
//! and only a few words were a yes. Records that were opened by them follow them for ever.

use std::sync::Arc;

use agon_core::{Attempt, Faults, Floor, Flow, Lost, Reply, Request, parse};
use serde_json::json;

use super::{HOST, LineupRequirements, Member, TEXT_CHARS_MAX, Unfilled, check_name};
use crate::common::{
    fields::{ObjectReader, one_line},
    seat,
};

/// The members of the `seats`, asked for where one has no name.
pub(super) fn settle(
    floor: &mut Floor<'_>,
    wanted: LineupRequirements<'_>,
    seats: Vec<Member>,
    key: &str,
) -> Flow<Result<Vec<Member>, Unfilled>> {
    if seats.iter().all(|member| !member.name.is_empty()) {
        return Ok(Ok(seats));
    }
    let approve = super::wants_approval(floor.opened());
    let mut members = match propose(floor, wanted, &seats, key, None)? {
        Ok(members) => members,
        Err(lost) => return Ok(Err(Unfilled::Lost(lost))),
    };
    if approve && let Some(wishes) = wishes(floor, &format!("{key}/approval"), &members)? {
        members = match propose(floor, wanted, &seats, &format!("{key}/revised"), Some(&wishes))? {
            Ok(members) => members,
            Err(lost) => return Ok(Err(Unfilled::Lost(lost))),
        };
        if self::wishes(floor, &format!("{key}/revised/approval"), &members)?.is_some() {
            return Ok(Err(Unfilled::Refused));
        }
    }
    Ok(Ok(members))
}

fn propose(
    floor: &mut Floor<'_>,
    wanted: LineupRequirements<'_>,
    seats: &[Member],
    key: &str,
    wishes: Option<&str>,
) -> Flow<Result<Vec<Member>, Lost>> {
    let mut request = Request::new(key, &seat(wanted.proposer), "lineup").fact("members", seats.len());
    if let Some(wishes) = wishes {
        request = request.fact("wishes", wishes);
    }
    let check = |draft: Attempt<'_>| read(draft.text, wanted, seats);
    Ok(floor.ask_until_valid(request, check)?.map(|statement| Arc::unwrap_or_clone(statement.value)))
}

/// What the host wants otherwise; `None` for a yes.
fn wishes(floor: &mut Floor<'_>, key: &str, members: &[Member]) -> Flow<Option<String>> {
    let request = Request::new(key, &seat(HOST), "approval").fact("members", json!(members)).or_absent();
    let answer = floor.ask(request)?;
    Ok(match &answer.reply {
        Reply::Said { text } => {
            let said = one_line(text);
            let yes = ["", "y", "yes", "ok", "approve", "approved"];
            let wishes: String = said.chars().take(TEXT_CHARS_MAX).collect();
            (!yes.contains(&said.trim_end_matches('.').to_lowercase().as_str())).then_some(wishes)
        }
        // Nobody there to object.
        Reply::Failed(_) | Reply::Elapsed => None,
    })
}

/// A proposal, or every rule it breaks. Names that the opener gave stay.
pub fn read(text: &str, wanted: LineupRequirements<'_>, seats: &[Member]) -> Result<Vec<Member>, Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let items = fields.list("members", "lineup", &mut faults);
    if items.len() != seats.len() {
        faults.add("lineup", "members", format!("{} are wanted, found {}", seats.len(), items.len()));
    }
    let mut members: Vec<Member> = Vec::new();
    for (i, (item, given)) in items.iter().zip(seats).enumerate() {
        let Some(fields) = ObjectReader::of(item, format!("members[{i}]"), &mut faults) else { continue };
        let mut member = Member {
            seat: given.seat.clone(),
            name: fields.text("name", "lineup", &mut faults),
            persona: fields.text("persona", "lineup", &mut faults),
            details: given.details.clone(),
        };
        for name in wanted.details {
            let text = fields.text(name, "lineup", &mut faults);
            member.details.entry((*name).to_owned()).or_insert(text.into());
        }
        if !given.name.is_empty() {
            member.name.clone_from(&given.name);
        }
        if !given.persona.is_empty() {
            member.persona.clone_from(&given.persona);
        }
        let others = members.iter().map(|member| member.name.as_str());
        if let Err(why) = check_name(&member.name, others, wanted.reserved) {
            faults.add("lineup", format!("members[{i}].name"), why);
        }
        members.push(member);
    }
    faults.or(members)
}
