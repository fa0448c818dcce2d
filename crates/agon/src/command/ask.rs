//! `agon ask`: proposes a debate for a question, says what it costs, and holds it on yes.

use std::{env, io::IsTerminal};

use agon_app::{
    Failure, Result,
    ask::{AskTold, at_hand, propose},
    exit,
    opening::check,
};
use agon_core::Manifest;

use super::{CommandContext, gate::Pipeline, run::hold};
use crate::{
    cli::{AskArgs, Output},
    ui,
};

/// Whether the question whether to hold it can be put to a person.
fn has_person() -> bool {
    // Where CI is set a terminal is not a person.
    let is_ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0");
    !is_ci && std::io::stdin().is_terminal()
}

pub async fn run(command_context: &CommandContext, args: AskArgs) -> Result<u8> {
    let command_context = &command_context.at_revision(args.revision.config_from.as_deref())?;
    let (plan_only, takes, gate) = (args.plan, args.yes || !has_person(), args.gate.clone());
    let question = args.question.clone();
    let mut wishes = args.wishes();
    // Without a person to ask about the debate there is none to ask about its line-up.
    wishes.yes |= takes;
    command_context.config()?;
    let here = env::current_dir();
    let here =
        here.map_err(|error| Failure::new(exit::IO, "io", format!("the current folder: {error}"), ""))?;
    let kinds: Vec<&Manifest> = agon_protocols::ALL.iter().map(|protocol| protocol.manifest()).collect();
    let proposal = propose(&question, wishes, &at_hand(&question, &here)?, &kinds)?;
    let context = command_context.context(proposal.request.offline)?;
    let checked = check(&context, &proposal.request)?;
    let pipeline = Pipeline::new(&gate, checked.protocol)?;
    let plan = checked.plan()?;
    let told = AskTold::of(&proposal, &checked, &plan, &context.config);
    if !command_context.quiet {
        checked.notes.iter().for_each(|note| context.frontend.warn(note));
    }
    if plan_only || !command_context.quiet || !takes {
        command_context.print(&told.json, || ui::visible(&told.text));
    }
    if plan_only {
        return Ok(exit::OK);
    }
    if !takes && !confirmed(command_context) {
        ui::err("Nothing was sent.");
        return Ok(exit::OK);
    }
    hold(command_context, &context, &proposal.request, checked, pipeline).await
}

/// Whether a person says yes.
fn confirmed(command_context: &CommandContext) -> bool {
    let held = ui::hold();
    let question = "Hold this debate? [y/N] ";
    // Standard output is for the program that reads JSON.
    match command_context.output {
        Output::Text => held.prompt(question),
        Output::Json => held.complain(question),
    }
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.is_ok() && ["y", "yes"].contains(&line.trim().to_lowercase().as_str())
}
