//! `agon protocols`: the shipped and declared protocols, and a new declaration to start from.

use std::{fs, path::Path};

use agon_app::{
    Failure, Result,
    declarations::{self, END, NamedProtocol},
};
use agon_core::{Manifest, Members, Protocol, SeatSpec};
use agon_protocols::declared::{
    Declaration, SKELETON,
    declaration::{Ask, Order, OutcomeReading, PhaseRounds, Sees},
};
use agon_runtime::files::{self, Lasting};
use agon_text::count_noun;
use serde::Serialize;
use serde_json::json;

use super::CommandContext;
use crate::{cli::ProtocolsAction, ui};

pub fn run(command_context: &CommandContext, action: Option<ProtocolsAction>) -> Result<u8> {
    match action {
        None | Some(ProtocolsAction::List) => list_protocols(command_context),
        Some(ProtocolsAction::Show { name }) => {
            show_protocol(command_context, declarations::find_protocol(&command_context.places, &name, false)?)
        }
        Some(ProtocolsAction::New { name, dir }) => write_declaration(command_context, &name, dir.as_deref()),
    }
}

fn list_protocols(command_context: &CommandContext) -> Result<u8> {
    let shipped: Vec<&Manifest> = agon_protocols::ALL.iter().map(|protocol| protocol.manifest()).collect();
    let own = declarations::load_all_declarations(&command_context.places);
    let arms = declarations::all_shipped(&command_context.places);
    let mut all: Vec<_> = shipped.iter().map(|manifest| json!(manifest)).collect();
    all.extend(arms.iter().map(|arm| json!(arm.declared.manifest())));
    all.extend(own.iter().map(|(name, (path, loaded))| match loaded {
        Ok(loaded) => json!(ToldProtocol { manifest: loaded.declared.manifest(), file: Some(&loaded.path) }),
        Err(failure) => json!({"name": name, "file": path, "error": failure}),
    }));
    command_context.print_success(&all, || {
        let mut lines: Vec<String> = shipped.iter().map(|manifest| format_protocol(manifest, NAME_COLUMNS)).collect();
        let head = ui::paint_text("Arms of agon eval, for questions with answers to choose from", ui::DIM);
        lines.push(format!("\n{head}"));
        lines.extend(arms.iter().map(|arm| format_protocol(arm.declared.manifest(), ARM_COLUMNS)));
        if !own.is_empty() {
            lines.push(format!("\n{}", ui::paint_text("Your own", ui::DIM)));
        }
        lines.extend(own.iter().map(|(name, (path, loaded))| match loaded {
            Ok(loaded) => {
                let path = ui::escape_invisible(&path.display().to_string());
                let told = format_protocol(loaded.declared.manifest(), NAME_COLUMNS);
                format!("{told}\n{:12}{}", "", ui::paint_text(&path, ui::DIM))
            }
            Err(failure) => {
                let name = ui::paint_text(&format!("{:<10}", ui::escape_invisible(name)), ui::BOLD);
                format!("{name}  {}", ui::paint_text(&ui::escape_invisible(&failure.message), ui::RED))
            }
        }));
        lines.join("\n")
    })
}

/// Columns of a name in a list, and of the longer names of arms.
const NAME_COLUMNS: usize = 10;
const ARM_COLUMNS: usize = 17;

fn format_protocol(manifest: &Manifest, columns: usize) -> String {
    let row = manifest.find_seat_row().map(|(row, _)| format!("\n{:12}{}{}", "", row.name, describe_seat_count(row)));
    let name = ui::paint_text(&format!("{:<columns$}", manifest.name), ui::BOLD);
    format!("{name}  {}{}", ui::escape_invisible(&manifest.summary), row.unwrap_or_default())
}

/// `: 2 to 8, 3 by default`, for a row of seats.
fn describe_seat_count(seat: &SeatSpec) -> String {
    match seat.members {
        None => String::new(),
        Some(Members { min, max, .. }) if min == max => format!(": {min} of them"),
        Some(Members { min, max, default }) => format!(": {min} to {max}, {default} by default"),
    }
}

/// A protocol for programs, with the file of one that is declared.
#[derive(Serialize)]
struct ToldProtocol<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a Path>,
}

/// Shows a protocol; a declared one is checked to its last prompt.
fn show_protocol(command_context: &CommandContext, NamedProtocol { protocol, file }: NamedProtocol) -> Result<u8> {
    if let Some(loaded) = &file {
        loaded.check_prompts()?;
    }
    let manifest = protocol.manifest();
    let told = ToldProtocol { manifest, file: file.as_ref().map(|loaded| loaded.path.as_path()) };
    command_context.print_success(&told, || {
        let mut lines = vec![
            ui::paint_text(&manifest.name, ui::BOLD),
            format!("  {}", ui::escape_invisible(&manifest.summary)),
            String::new(),
        ];
        lines.push("Seats".into());
        lines.extend(manifest.seats.iter().map(|seat| {
            format!("  {:<14} {}{}", seat.name, ui::escape_invisible(&seat.about), describe_seat_count(seat))
        }));
        if let Some(loaded) = &file {
            lines.extend(describe_phases(loaded.declared.declaration()));
        }
        let rounds = &manifest.rounds;
        lines.push(format!("\nRounds: {} by default, {} to {}", rounds.default, rounds.min, rounds.max));
        let prompts: Vec<&str> = protocol.prompt_templates().iter().map(|(name, _)| *name).collect();
        lines.push(format!("Prompts: {}", prompts.join(", ")));
        if let Some(loaded) = &file {
            lines.push(format!("File: {}", ui::escape_invisible(&loaded.path.display().to_string())));
        }
        lines.join("\n")
    })
}

/// What happens, phase by phase.
fn describe_phases(declaration: &Declaration) -> Vec<String> {
    let mut lines = vec!["\nCourse".to_owned()];
    let alone = |ask: &Ask| match ask.seats.as_slice() {
        [seat] => declaration.find_seat(seat).is_some_and(|seat| seat.members.is_none()),
        _ => false,
    };
    for phase in &declaration.phases {
        let rounds = match phase.rounds {
            None | Some(PhaseRounds::Fixed(1)) => String::new(),
            Some(PhaseRounds::Fixed(rounds)) => count_noun(rounds, "round", "rounds"),
            Some(PhaseRounds::Debate) => "the rounds of the debate".to_owned(),
        };
        let most = if phase.until.is_some() { "at most " } else { "" };
        let rounds = if rounds.is_empty() { rounds } else { format!(": {most}{rounds}") };
        lines.push(format!("  {}{rounds}", ui::escape_invisible(&phase.title())));
        lines.extend(phase.asks.iter().map(|ask| format!("    {}", describe_ask(ask, alone(ask)))));
    }
    let outcome = &declaration.outcome;
    let of = [&outcome.ask, &outcome.field].into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
    let how = match outcome.read {
        OutcomeReading::Closed => "the end of the debate",
        OutcomeReading::Field => "given by a field",
        OutcomeReading::Word => "given by a word",
        OutcomeReading::Vote => "the majority's choice",
        OutcomeReading::Median => "the median",
        OutcomeReading::Answer => "the answer that was chosen",
    };
    let of = if of.is_empty() { String::new() } else { format!(" ({})", of.join(".")) };
    lines.push(format!("Outcome: {how}{of}"));
    lines
}

fn describe_ask(ask: &Ask, alone: bool) -> String {
    let order = match ask.order {
        _ if alone => "",
        Order::Together => " together",
        Order::InTurn => " in turn",
    };
    let mut parts = vec![format!("{}: {}{order}", ask.name, ask.seats.join(", "))];
    parts.extend(ask.anonymous.then(|| "anonymous".to_owned()));
    parts.extend(ask.quorum.map(|quorum| format!("at least {quorum} must answer")));
    if let Sees::Only(names) = &ask.sees {
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        parts.push(format!("of others sees {names}"));
    }
    let fields: Vec<&str> = ask.fields.iter().map(|field| field.name.as_str()).collect();
    parts.push(if fields.is_empty() { "prose".to_owned() } else { fields.join(", ") });
    parts.join("; ")
}

/// Writes a declaration to start from.
fn write_declaration(command_context: &CommandContext, name: &str, dir: Option<&Path>) -> Result<u8> {
    let folder = match dir {
        Some(dir) => dir.to_owned(),
        None => {
            let project = declarations::protocol_folders(&command_context.places).pop().map(|(_, folder)| folder);
            project.ok_or_else(|| Failure::usage("this user has no configuration folder", "name one with --dir"))?
        }
    };
    let text = SKELETON.replace("NAME", name);
    declarations::check_new(&text, name)?;
    let file = format!("{name}.{END}");
    let path = folder.join(&file);
    // A link that leads nowhere is in the way, too.
    if fs::symlink_metadata(&path).is_ok() {
        return Err(Failure::exists(format!("{} already exists", path.display()), "edit it, or choose another name"));
    }
    files::write_files(&folder, [(file, text)], Lasting::Synced)?;
    command_context.print_success(&json!({"name": name, "file": path}), || {
        let shown = ui::escape_invisible(&path.display().to_string());
        let run = if dir.is_none() { name } else { &shown };
        format!("{shown}: edit it, check it with agon protocols show {run}, then: agon run {run} \"...\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_how_many_seats_it_has() {
        let manifest = agon_protocols::find_protocol("chaired").unwrap().manifest();
        let shown: Vec<String> = manifest.seats.iter().take(2).map(describe_seat_count).collect();
        assert_eq!(shown, [": 2 to 6, 2 by default", ""]);
    }
}
