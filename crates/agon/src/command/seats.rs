//! `agon seats`: whose turn it is, what a seat is asked, and who holds it.

use agon_core::Seat;
use agon_runtime::{
    desk::{Open, is_outside},
    journal::leases::{Claim, Lease},
    participant::ChatRole,
};
use serde_json::{Value, json};

use super::{Hand, desk::Room};
use crate::{
    cli::{OneSeat, SeatsAction, SeatsArgs},
    failure::{Result, exit},
    ui,
};

/// Most debates that are looked through for open ones.
const DEBATES_MAX: u32 = 500;

pub async fn run(hand: &Hand, args: SeatsArgs) -> Result<u8> {
    match (args.action, args.id, args.seat) {
        (Some(action), ..) => hold(hand, action).await,
        (None, Some(id), Some(seat)) => prompt(hand, &id, &seat).await,
        (None, id, _) => list(hand, id.as_deref()).await,
    }
}

/// One debate that waits, and for whom.
struct Waiting {
    id: String,
    protocol: String,
    motion: String,
    /// Who paused it, where somebody did.
    paused: Option<String>,
    seats: Vec<Open>,
}

async fn list(hand: &Hand, id: Option<&str>) -> Result<u8> {
    let ids = match id {
        Some(id) => vec![id.to_owned()],
        None => {
            let all = hand.journal()?.list(DEBATES_MAX)?;
            all.into_iter().filter(|debate| debate.outcome.is_none()).map(|debate| debate.id.into()).collect()
        }
    };
    let mut waiting = Vec::new();
    for one in ids {
        match look(hand, &one).await {
            Ok(found) if id.is_some() || found.seats.iter().any(|open| open.outside) => waiting.push(found),
            Ok(_) => {}
            Err(failure) if id.is_some() => return Err(failure),
            // One debate that cannot be read hides no other.
            Err(failure) => {
                ui::err(&ui::paint(&ui::visible(&format!("{one}: {}", failure.message)), ui::YELLOW))
            }
        }
    }
    let all: Vec<Value> = waiting.iter().map(to_json).collect();
    hand.print(&all.into(), || match waiting.as_slice() {
        [] => "Nobody outside is awaited.".into(),
        some => some.iter().map(to_text).collect::<Vec<_>>().join("\n\n"),
    });
    Ok(exit::OK)
}

async fn look(hand: &Hand, id: &str) -> Result<Waiting> {
    let room = Room::enter(hand, id)?;
    let record = room.journal.read(&room.id)?;
    // A debate without such a seat is its driver's alone.
    let seats = match record.opened().lineup.iter().any(|sat| is_outside(&sat.model)) {
        true => room.desk().open().await?,
        false => Vec::new(),
    };
    let opened = record.opened();
    let paused = record.paused().map(agon_core::Act::line);
    Ok(Waiting {
        id: id.into(),
        protocol: opened.protocol.clone(),
        motion: opened.motion.clone(),
        paused,
        seats,
    })
}

fn to_json(waiting: &Waiting) -> Value {
    let seats = waiting.seats.iter().map(|open| {
        json!({"seat": open.request.seat, "key": open.request.key, "model": open.model, "outside": open.outside,
               "redraft": open.request.redraft, "lease": open.lease})
    });
    json!({"debate": waiting.id, "protocol": waiting.protocol, "motion": waiting.motion, "paused": waiting.paused,
           "seats": seats.collect::<Vec<_>>()})
}

fn to_text(waiting: &Waiting) -> String {
    let motion: String = waiting.motion.split_whitespace().collect::<Vec<_>>().join(" ");
    let motion: String = motion.chars().take(70).collect();
    let head = format!("{}  {}  {}", waiting.id, waiting.protocol, ui::visible(&motion));
    let mut lines = vec![ui::paint(&head, ui::BOLD)];
    if let Some(paused) = &waiting.paused {
        let line = format!("  {paused}; agon resume {} lets it go on", waiting.id);
        lines.push(ui::paint(&ui::visible(&line), ui::YELLOW));
    }
    for open in &waiting.seats {
        let (seat, key) = (&open.request.seat, &open.request.key);
        let state = match &open.lease {
            _ if !open.outside => format!("is answered by {}", open.model),
            Some(lease) => format!("is held by {} until {}", lease.holder, lease.until.0),
            None => "is free".into(),
        };
        let again =
            if open.request.redraft.is_some() { ", again since the last answer broke rules" } else { "" };
        lines.push(ui::visible(&format!("  {seat} {state} ({key}{again})")));
        if open.outside {
            lines.push(format!(
                "    agon seats {} --seat {seat}                shows what is asked",
                waiting.id
            ));
            lines.push(format!("    agon answer {} --seat {seat} --file FILE   answers it", waiting.id));
        }
    }
    if waiting.seats.is_empty() {
        lines.push("  nobody outside is awaited".into());
    }
    lines.join("\n")
}

async fn prompt(hand: &Hand, id: &str, name: &str) -> Result<u8> {
    let room = Room::enter(hand, id)?;
    let seat = seat(&room, name)?;
    let (open, messages, schema) = room.desk().prompt(&seat).await?;
    let role = |role: ChatRole| match role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
    };
    let all = messages.iter().map(|message| json!({"role": role(message.role), "text": message.text}));
    let value = json!({"debate": room.id, "seat": seat, "key": open.request.key, "outside": open.outside,
                       "lease": open.lease, "messages": all.collect::<Vec<_>>(), "schema": schema});
    hand.print(&value, || {
        let mut parts: Vec<String> =
            messages.iter().map(|message| ui::visible(message.text.trim())).collect();
        if let Some(schema) = &schema {
            let schema = serde_json::to_string_pretty(schema).unwrap_or_default();
            parts.push(format!(
                "The answer is one JSON object that fits this schema:\n{}",
                ui::visible(&schema)
            ));
        }
        parts.join("\n\n")
    });
    Ok(exit::OK)
}

/// The seat that a person names, by its own name or by its member's.
fn seat(room: &Room<'_>, name: &str) -> Result<Seat> {
    let record = room.journal.read(&room.id)?;
    let sat = record.opened().lineup.iter().find(|sat| {
        sat.seat.as_str() == name || sat.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
    });
    let missing = || agon_runtime::desk::DeskError::NoSuchSeat {
        debate: room.id.clone(),
        seat: name.chars().take(80).collect(),
    };
    Ok(sat.ok_or_else(missing)?.seat.clone())
}

async fn hold(hand: &Hand, action: SeatsAction) -> Result<u8> {
    let say = |lease: &Lease, what: &str| {
        format!("{} is {what} by {} until {}", lease.seat, lease.holder, lease.until.0)
    };
    match action {
        SeatsAction::Claim { seat: OneSeat { id, seat }, name, seconds } => {
            let claim = Room::enter(hand, &id)?.desk().claim(&seat, &name, seconds).await?;
            let Claim { token, lease } = &claim;
            hand.print(&json!(claim), || {
                format!("{}\ntoken {token}\nIt is shown this once. Answer with: agon answer {id} --seat {seat} --token {token} --file FILE", ui::visible(&say(lease, "held")))
            });
        }
        SeatsAction::Refresh { seat: OneSeat { id, seat }, token, seconds } => {
            let lease = Room::enter(hand, &id)?.desk().refresh(&seat, &token, seconds).await?;
            hand.print(&json!(lease), || ui::visible(&say(&lease, "held")));
        }
        SeatsAction::Release { seat: OneSeat { id, seat }, token } => {
            let lease = Room::enter(hand, &id)?.desk().release(&seat, &token).await?;
            hand.print(&json!(lease), || ui::visible(&format!("{} is free", lease.seat)));
        }
    }
    Ok(exit::OK)
}
