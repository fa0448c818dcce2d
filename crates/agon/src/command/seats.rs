//! `agon seats`: whose turn it is, what a seat is asked, and who holds it.

use std::fmt::Display;

use agon_app::Result;
use agon_core::{
    Act, Seat, SeatModel, Stamp,
    form::{self, FormField, Holds},
};
use agon_journal::{
    leases::{Lease, SeatClaim},
    time,
};
use agon_runtime::{
    outside_seats::{OutsideSeatError, UnansweredRequest, is_outside},
    participant::ChatMessage,
    prompts::RequestDescription,
};
use agon_text::count_noun;
use serde::Serialize;
use serde_json::json;

use super::{CommandContext, outside_seats::CommandDebate};
use crate::{
    cli::{OneSeat, SeatsAction, SeatsArgs},
    ui,
};

/// Maximum number of debates that are looked through for open ones.
const DEBATES_MAX: u32 = 500;

pub async fn run(command_context: &CommandContext, args: SeatsArgs) -> Result<u8> {
    match (args.action, args.id, args.seat) {
        (Some(action), ..) => change_lease(command_context, action).await,
        (None, Some(id), Some(seat)) => show_request(command_context, &id, &seat, args.template).await,
        (None, id, _) => list_seats(command_context, id.as_deref()).await,
    }
}

/// One debate that waits, and for whom.
struct Waiting {
    id: String,
    protocol: String,
    motion: String,
    /// Who paused it, where someone did.
    paused: Option<String>,
    /// Each with the name that the line-up gives it.
    seats: Vec<(UnansweredRequest, Option<String>)>,
}

async fn list_seats(command_context: &CommandContext, id: Option<&str>) -> Result<u8> {
    let ids = match id {
        Some(id) => vec![id.to_owned()],
        None => {
            let all = command_context.open_journal()?.list_debates(DEBATES_MAX)?;
            all.into_iter().filter(|debate| debate.outcome.is_none()).map(|debate| debate.id.into()).collect()
        }
    };
    let mut waiting = Vec::new();
    for one in ids {
        match read_waiting(command_context, &one).await {
            Ok(found) if id.is_some() || found.seats.iter().any(|(open, _)| open.outside) => waiting.push(found),
            Ok(_) => {}
            Err(failure) if id.is_some() => return Err(failure),
            // One debate that cannot be read hides no other.
            Err(failure) => ui::print_warning(&format!("{one}: {}", failure.message)),
        }
    }
    command_context.print_success(&waiting.iter().map(to_json).collect::<Vec<_>>(), || match waiting.as_slice() {
        [] => "No outside seat has an open request.".into(),
        some => some.iter().map(to_text).collect::<Vec<_>>().join("\n\n"),
    })
}

async fn read_waiting(command_context: &CommandContext, id: &str) -> Result<Waiting> {
    let target = CommandDebate::open(command_context, id)?;
    let record = target.journal.read_record(&target.id)?;
    // A debate without such a seat is its driver's alone.
    let seats = match record.opened().lineup.iter().any(|sat| is_outside(&sat.model)) {
        true => target.outside_seats().list_open_requests().await?,
        false => Vec::new(),
    };
    let named = |open: UnansweredRequest| {
        let name = agon_report::participation::participant_name(&record, &open.request.seat);
        (open, name)
    };
    let seats = seats.into_iter().map(named).collect();
    let opened = record.opened();
    let paused = record.find_pause().map(Act::describe_act);
    let (protocol, motion) = (opened.protocol.clone(), opened.motion.clone());
    Ok(Waiting { id: target.id.to_string(), protocol, motion, paused, seats })
}

fn to_json(waiting: &Waiting) -> impl Serialize {
    let seats = waiting.seats.iter().map(|(open, name)| {
        json!({"seat": open.request.seat, "name": name, "key": open.request.key, "model": open.model, "outside": open.outside,
               "redraft": open.request.redraft, "lease": open.lease, "until": open.until})
    });
    json!({"debate": waiting.id, "protocol": waiting.protocol, "motion": waiting.motion, "paused": waiting.paused,
           "seats": seats.collect::<Vec<_>>()})
}

fn to_text(waiting: &Waiting) -> String {
    let motion: String = waiting.motion.split_whitespace().collect::<Vec<_>>().join(" ");
    let motion: String = motion.chars().take(70).collect();
    let head = format!("{}  {}  {}", waiting.id, waiting.protocol, ui::escape_invisible(&motion));
    let mut lines = vec![ui::paint_text(&head, ui::BOLD)];
    if let Some(paused) = &waiting.paused {
        let line = format!("  {paused}; continue with: agon resume {}", waiting.id);
        lines.push(ui::paint_text(&ui::escape_invisible(&line), ui::YELLOW));
    }
    for (at, (open, name)) in waiting.seats.iter().enumerate() {
        let (seat, key) = (&open.request.seat, &open.request.key);
        let of_seat = |others: &[(UnansweredRequest, Option<String>)]| {
            others.iter().filter(|(other, _)| other.request.seat == *seat).count()
        };
        // A seat that is asked several things at once answers them one after another.
        if of_seat(&waiting.seats[..at]) > 0 && !ui::is_verbose() {
            continue;
        }
        let more = match of_seat(&waiting.seats) {
            1 => String::new(),
            _ if ui::is_verbose() => String::new(),
            all => format!("; {all} requests, one after another"),
        };
        let state = match &open.lease {
            _ if !open.outside => format!("is answered by {}", open.model),
            Some(lease) => format!("is held by {} until {}", lease.holder, time::format_local_time(&lease.until)),
            None => "is free".into(),
        };
        let again = if open.request.redraft.is_some() { ", again because the last answer broke rules" } else { "" };
        let until = open.until.as_ref().map_or(String::new(), |until| format!("; {}", describe_time_left(until)));
        let key = if ui::is_verbose() { format!(" ({key})") } else { String::new() };
        let name = name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        lines.push(ui::escape_invisible(&format!("  {seat}{name} {state}{key}{again}{more}{until}")));
        if open.outside {
            lines.push(format!("    agon seats {} --seat {seat}                shows the request", waiting.id));
            lines.push(format!("    agon answer {} --seat {seat} --file FILE   answers it", waiting.id));
        }
    }
    if waiting.seats.is_empty() {
        lines.push("  no outside seat has an open request".into());
    }
    lines.join("\n")
}

/// What a seat is asked, or the form of its answer to fill in.
async fn show_request(command_context: &CommandContext, id: &str, name: &str, is_template: bool) -> Result<u8> {
    let target = CommandDebate::open(command_context, id)?;
    let seat = find_seat(&target, name)?;
    let seats = target.outside_seats();
    let (open, messages, schema) = seats.find_prompt(&seat, None).await?;
    let record = target.journal.read_record(&target.id)?;
    let told = seats.describe_for_person(&record, &open.request)?;
    if is_template {
        let template = told.form.as_ref().map(form::render_template);
        let value = json!({"debate": target.id, "seat": seat, "key": open.request.key, "template": template});
        let prose = "The answer is prose: write it in your own words.";
        return command_context.print_success(&value, || ui::escape_invisible(template.as_deref().unwrap_or(prose)));
    }
    let all = messages.iter().map(|message| json!({"role": message.role.name(), "text": message.text}));
    let value = json!({"debate": target.id, "seat": seat, "key": open.request.key, "outside": open.outside,
                       "lease": open.lease, "ask": told.ask, "wait_seconds": told.wait_seconds,
                       "until": told.until, "messages": all.collect::<Vec<_>>(), "schema": schema});
    command_context.print_success(&value, || match ui::is_verbose() {
        true => as_models_get_it(&messages, schema),
        false => as_people_get_it(&target, &seat, &told),
    })
}

/// The whole prompt, and the schema of the answer.
fn as_models_get_it(messages: &[ChatMessage], schema: Option<impl Display>) -> String {
    let mut parts: Vec<String> = messages.iter().map(|message| ui::escape_invisible(message.text.trim())).collect();
    if let Some(schema) = schema {
        let schema = ui::escape_invisible(&schema.to_string());
        parts.push(format!("The answer is one JSON object that fits this schema:\n{schema}"));
    }
    parts.join("\n\n")
}

/// What is asked, what is new, in which time, and how it is answered.
fn as_people_get_it(target: &CommandDebate<'_>, seat: &Seat, told: &RequestDescription<'_>) -> String {
    let mut parts = Vec::new();
    let since = if told.has_answered { "Statements since this seat's last answer" } else { "Statements so far" };
    for (heading, blocks) in told.list_news(since) {
        let blocks = blocks.iter().map(|block| {
            let head = ui::paint_text(&ui::wrap_text(&block.head, ""), ui::BOLD);
            let body = ui::wrap_text(&block.body, "  ");
            if block.head.is_empty() { body } else { format!("{head}\n{body}") }
        });
        parts.push(format!("{heading}:\n{}", blocks.collect::<Vec<_>>().join("\n\n")));
    }
    if !told.faults.is_empty() {
        let faults = told.faults.iter().map(|fault| ui::wrap_text(&format!("- {fault}"), "  "));
        parts.push(format!("The last answer broke rules:\n{}", faults.collect::<Vec<_>>().join("\n")));
    }
    parts.push(ui::wrap_text(&told.ask, ""));
    if let Some(form) = &told.form {
        let mut lines = vec!["The answer has these fields:".to_owned()];
        add_field_lines(form, 1, &mut lines);
        parts.push(lines.join("\n"));
    }
    parts.extend(told.until.as_ref().map(|until| ui::paint_text(&describe_time_left(until), ui::YELLOW)));
    let (id, worded) = (&target.id, told.form.is_none() || told.plain.is_some_and(|plain| plain.words.is_some()));
    let mut how = vec![match worded {
        true => format!("Answer in your own words: agon answer {id} --seat {seat} --text \"...\"   (or --file FILE)"),
        false => format!(
            "Answer: agon seats {id} --seat {seat} --template >FILE writes the lines to fill in (JSON will do, too); then agon answer {id} --seat {seat} --file FILE"
        ),
    }];
    if let Some(skip) = told.plain.and_then(|plain| plain.skip.as_ref()) {
        how.push(format!("Skip it ({}): agon answer {id} --seat {seat} --skip", skip.means));
    }
    if !told.lookups.is_empty() {
        let tools: Vec<&str> = told.lookups.iter().map(|tool| tool.command()).collect();
        how.push(format!("Look something up: agon lookup {id} --seat {seat} with {}", tools.join(", ")));
    }
    how.push(format!("The whole prompt of a model: agon seats {id} --seat {seat} -v"));
    parts.push(ui::paint_text(&how.join("\n"), ui::DIM));
    parts.join("\n\n")
}

/// A line for each field of `form`, with what it means.
fn add_field_lines(form: &FormField, depth: usize, lines: &mut Vec<String>) {
    for (name, field) in &form.fields {
        // What has one answer is not asked for.
        if field.holds() == Some(Holds::Choice) && field.default_value().is_some() {
            continue;
        }
        let choices: Vec<String> = field.list_choices().map(form::render_word).collect();
        let about = field.description.as_deref().unwrap_or_default();
        let choices = if (2..=12).contains(&choices.len()) { choices.join(", ") } else { String::new() };
        let more: Vec<&str> = [about, choices.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        let label = field.field_label(name);
        let line = if more.is_empty() { label } else { format!("{label}: {}", more.join(". One of: ")) };
        lines.push(ui::wrap_text(&line, &"  ".repeat(depth)));
        add_field_lines(field, depth + 1, lines);
        if let Some(items) = &field.items {
            add_field_lines(items, depth + 1, lines);
        }
    }
}

/// How long there still is.
fn describe_time_left(until: &Stamp) -> String {
    match time::seconds_until(until) {
        0 => "The time is up.".into(),
        seconds => {
            format!("{} left, until {}.", count_noun(seconds, "second", "seconds"), time::format_local_time(until))
        }
    }
}

/// The seat that a person names, by its own name or by its member's.
fn find_seat(target: &CommandDebate<'_>, name: &str) -> Result<Seat> {
    let record = target.journal.read_record(&target.id)?;
    let is_called = |own: &str| own.eq_ignore_ascii_case(name);
    let is_named = |sat: &&SeatModel| sat.seat.as_str() == name || sat.name.as_deref().is_some_and(is_called);
    let sat = record.opened().lineup.iter().find(is_named);
    let (debate, seat) = (target.id.clone(), name.chars().take(80).collect());
    Ok(sat.ok_or(OutsideSeatError::NoSuchSeat { debate, seat })?.seat.clone())
}

async fn change_lease(command_context: &CommandContext, action: SeatsAction) -> Result<u8> {
    let say =
        |lease: &Lease, what: &str| format!("{} is {what} by {} until {}", lease.seat, lease.holder, lease.until.0);
    match action {
        SeatsAction::Claim { seat: OneSeat { id, seat }, name, seconds } => {
            let debate = CommandDebate::open(command_context, &id)?;
            let claim = debate.outside_seats().claim_seat(&seat, &name, seconds).await?;
            let SeatClaim { token, lease } = &claim;
            command_context.print_success(&claim, || {
                format!("{}\ntoken {token}\nThe token is shown only once. Answer with: agon answer {id} --seat {seat} --token {token} --file FILE", ui::escape_invisible(&say(lease, "held")))
            })
        }
        SeatsAction::Refresh { seat: OneSeat { id, seat }, token, seconds } => {
            let debate = CommandDebate::open(command_context, &id)?;
            let lease = debate.outside_seats().renew_lease(&seat, &token, seconds).await?;
            command_context.print_success(&lease, || ui::escape_invisible(&say(&lease, "held")))
        }
        SeatsAction::Release { seat: OneSeat { id, seat }, token } => {
            let debate = CommandDebate::open(command_context, &id)?;
            let lease = debate.outside_seats().release_seat(&seat, &token).await?;
            command_context.print_success(&lease, || ui::escape_invisible(&format!("{} is free", lease.seat)))
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Request;

    use super::*;

    #[test]
    fn a_seat_that_is_asked_twice_is_one_line() {
        let asked = |key: &str, seat: &str| {
            let request = Request::new(key, &Seat::new(seat).unwrap(), "critique");
            let model = "outside".to_owned();
            (UnansweredRequest { request, model, outside: true, lease: None, until: None }, None)
        };
        let waiting = Waiting {
            id: "d1".into(),
            protocol: "review".into(),
            motion: "Find the errors.".into(),
            paused: None,
            seats: vec![asked("a", "critic"), asked("b", "critic"), asked("c", "judge")],
        };
        let text = to_text(&waiting);
        assert_eq!(text.matches("critic is free; 2 requests, one after another\n").count(), 1, "{text}");
        assert_eq!(text.matches("--seat critic --file").count(), 1, "{text}");
        assert_eq!(text.matches("judge is free\n").count(), 1, "{text}");
    }
}
