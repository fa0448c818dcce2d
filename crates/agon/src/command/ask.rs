//! `agon ask`: proposes a debate for a question, says what it costs, and holds it on yes.

use std::{env, io::IsTerminal};

use agon_app::{
    Failure, Result,
    ask::{AskChoice, AskTold, at_hand, list_choices, propose_debate},
    available, exit,
    opening::check_request,
    speed::MeasuredSpeeds,
};
use agon_core::Manifest;

use super::{
    CommandContext,
    gate::Pipeline,
    run::{hold_debate, read_text},
};
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
    let question = read_text(args.question.clone(), &args.context.clone().into())?;
    let mut wishes = args.into_request();
    // Without a person to ask about the debate there is none to ask about its line-up.
    wishes.yes |= takes;
    command_context.load_config()?;
    let here = env::current_dir();
    let here = here.map_err(|error| Failure::new(exit::IO, "io", format!("the current folder: {error}"), ""))?;
    let kinds: Vec<&Manifest> = agon_protocols::ALL.iter().map(|protocol| protocol.manifest()).collect();
    let proposal = propose_debate(&question, wishes, &at_hand(&question, &here)?, &kinds)?;
    let context = command_context.build_context(proposal.request.offline)?;
    let checked = check_request(&context, &proposal.request)?;
    let pipeline = Pipeline::new(&gate, checked.protocol)?;
    let speeds = MeasuredSpeeds::of(&context.journal, &context.config);
    let plan = checked.build_plan(&speeds)?;
    let found = match available::is_fallback(&checked.lineup, &proposal.request, &context.config) {
        true => available::find_soon(&context.config).await,
        false => Vec::new(),
    };
    let mut choices = list_choices(&context, &proposal.request, &found, &speeds);
    let told = AskTold::of(&proposal, (&checked, &plan), &context.config, (&found, &choices));
    if !command_context.quiet {
        checked.notes.iter().for_each(|note| context.frontend.warn(note));
    }
    if plan_only || !command_context.quiet || !takes {
        command_context.print(&told.json, || ui::escape_invisible(&told.text));
    }
    if plan_only {
        return Ok(exit::OK);
    }
    let (request, checked) = match if takes { AskAnswer::Yes } else { ask_for_consent(command_context, &choices) } {
        AskAnswer::No => {
            ui::print_error_line("Nothing was sent.");
            return Ok(exit::OK);
        }
        AskAnswer::Yes => (proposal.request, checked),
        AskAnswer::Choice(at) => {
            let AskChoice { request, checked, .. } = choices.swap_remove(at);
            (request, checked)
        }
    };
    hold_debate(command_context, &context, &request, checked, pipeline).await
}

/// What a person says to a proposal.
#[derive(Debug, PartialEq, Eq)]
enum AskAnswer {
    No,
    Yes,
    /// The debate by another model, by its place among the choices.
    Choice(usize),
}

impl AskAnswer {
    fn parse(line: &str, choices: usize) -> Self {
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            number => match number.parse::<usize>() {
                Ok(number) if (1..=choices).contains(&number) => Self::Choice(number - 1),
                _ => Self::No,
            },
        }
    }
}

/// Asks a person whether the proposed debate is held, or one of `choices`.
fn ask_for_consent(command_context: &CommandContext, choices: &[AskChoice]) -> AskAnswer {
    let held = ui::hold_screen();
    let others = choices.iter().zip(1..).map(|(choice, number)| format!(", {number} for {}", choice.model));
    let question = ui::escape_invisible(&format!("Hold this debate? [y/N{}] ", others.collect::<String>()));
    // Standard output is for the program that reads JSON.
    match command_context.output {
        Output::Text => held.print_prompt(&question),
        Output::Json => held.print_error(&question),
    }
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(_) => AskAnswer::parse(&line, choices.len()),
        Err(_) => AskAnswer::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_chooses_another_model() {
        for (line, wanted) in [
            ("y\n", AskAnswer::Yes),
            (" YES ", AskAnswer::Yes),
            ("2\n", AskAnswer::Choice(1)),
            ("3", AskAnswer::No),
            ("0", AskAnswer::No),
            ("", AskAnswer::No),
            ("no", AskAnswer::No),
        ] {
            assert_eq!(AskAnswer::parse(line, 2), wanted, "{line}");
        }
    }
}
