//! `agon ask`: proposes a debate for a question, says what it costs, and holds it on yes. Where no word of the question
//! tells the kind, a person chooses it; without one, the model that is to debate reads it.

use std::{env, io::IsTerminal};

use agon_app::{
    Failure, Result,
    ask::{AskChoice, AskProposal, at_hand, list_choices, propose_debate, propose_kind, read_kind, tell_proposal},
    available_models,
    context::Context,
    exit,
    model_speed::MeasuredSpeeds,
    models::SeatedModel,
    opening::check_request,
};
use agon_core::Manifest;
use agon_runtime::config::ModelSpec;

use super::{
    CommandContext,
    gate::Pipeline,
    run::{read_text, run_debate},
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
    let found = at_hand(&question, &here)?;
    let mut proposal = propose_debate(&question, wishes.clone(), &found, &kinds)?;
    let context = command_context.build_context(proposal.request.offline)?;
    // What cannot be held as everything else is wished is nothing to choose, and nobody is asked for it.
    let can_hold = |kind| {
        let proposed = propose_kind(&question, wishes.clone(), &found, (kind, String::new()));
        let checked = proposed.and_then(|proposal| check_request(&context, &proposal.request));
        checked.and_then(|checked| Pipeline::new(&gate, checked.protocol).map(drop)).is_ok()
    };
    let possible = kinds.iter().filter(|kind| !plan_only && proposal.possible_kinds.contains(&kind.name));
    let mut possible: Vec<&Manifest> = possible.copied().filter(|kind| can_hold(kind)).collect();
    possible.sort_by_key(|kind| kind.name != proposal.request.protocol);
    if possible.len() > 1
        && let Some(kind) = settle_kind(command_context, &context, &question, (&proposal, &possible), takes).await?
    {
        proposal = propose_kind(&question, wishes, &found, kind)?;
    }
    let checked = check_request(&context, &proposal.request)?;
    let pipeline = Pipeline::new(&gate, checked.protocol)?;
    let speeds = MeasuredSpeeds::from_journal(&context.journal, &context.config);
    let plan = checked.build_plan(&speeds)?;
    let found = match available_models::is_fallback(&checked.lineup, &proposal.request, &context.config) {
        true => available_models::find_soon(&context.config).await,
        false => Vec::new(),
    };
    let mut choices = list_choices(&context, &proposal.request, &found, &speeds);
    let (told, text) = tell_proposal(&proposal, (&checked, &plan), &context.config, (&found, &choices));
    if !command_context.quiet {
        checked.notes.iter().for_each(|note| context.frontend.warn(note));
    }
    if plan_only || !command_context.quiet || !takes {
        command_context.print(&told, || ui::escape_invisible(&text));
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
    run_debate(command_context, &context, &request, checked, pipeline).await
}

/// The one of `kinds` that the question wants, and why, where no word of it tells: as the person chooses, or else as the
/// model of the proposal reads. `None` where the proposal stands.
async fn settle_kind<'m>(
    command_context: &CommandContext,
    context: &Context,
    question: &str,
    (proposal, kinds): (&AskProposal, &[&'m Manifest]),
    takes: bool,
) -> Result<Option<(&'m Manifest, String)>> {
    if takes {
        let checked = check_request(context, &proposal.request)?;
        let is_model = |seated: &&SeatedModel| {
            matches!(
                seated.spec,
                ModelSpec::Provider(_) | ModelSpec::Command(_) | ModelSpec::Local(_) | ModelSpec::Scripted(_)
            )
        };
        let Some(seated) = checked.lineup.iter().find(is_model) else { return Ok(None) };
        let model = &seated.entry.model;
        let read = read_kind(context, model, question, kinds).await;
        return Ok(read.map(|kind| (kind, format!("{model} reads the question so"))));
    }
    let lines = kinds.iter().zip(1..).map(|(kind, number)| format!("  {number}  {:9} {}\n", kind.name, kind.summary));
    let lines: String = lines.collect();
    let answer =
        ask_person(command_context, &format!("No word of the question tells the kind of debate:\n{lines}Kind [1]: "));
    let chosen = answer.trim();
    let chosen = kinds.iter().zip(1..).find(|(kind, number)| chosen == kind.name || chosen == i32::to_string(number));
    Ok(chosen.map(|(kind, _)| (*kind, "you chose it".to_owned())))
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
    let others = choices.iter().zip(1..).map(|(choice, number)| format!(", {number} for {}", choice.model));
    let question = format!("Hold this debate? [y/N{}] ", others.collect::<String>());
    AskAnswer::parse(&ask_person(command_context, &question), choices.len())
}

/// The line that a person types after `question`; empty where none comes.
fn ask_person(command_context: &CommandContext, question: &str) -> String {
    let held = ui::hold_screen();
    let question = ui::escape_invisible(question);
    // Standard output is for the program that reads JSON.
    match command_context.output {
        Output::Text => held.print_prompt(&question),
        Output::Json => held.print_error(&question),
    }
    let mut line = String::new();
    // A line that cannot be read answers nothing.
    let _ = std::io::stdin().read_line(&mut line);
    line
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
