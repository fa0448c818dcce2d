//! A proposal as people and programs read it: each part with a line of why, what it costs, and the command that
//! opens the same debate.

use agon_core::SeatModel;
use agon_runtime::config::{Config, default_model};
use serde::Serialize;
use serde_json::json;

use super::{AskChoice, AskProposal, AskReason};
use crate::{
    available_models::{AvailableModel, describe_available},
    cost_plan::Plan,
    opening::CheckedDebate,
    participants::{page_verifier::FETCHED, quote_verifier::QUOTES},
    request::{OpeningRequest, SourceRequest, list_known_options},
};

/// Width of the column that names the parts.
const COLUMN: usize = 10;

/// Tells `proposal`, which was checked, and its plan, for programs and for people; with `found`, what can answer in the
/// place of the embedded model, and `choices`, the same debate by some of these.
pub fn tell_proposal(
    proposal: &AskProposal,
    (checked, plan): (&CheckedDebate, &Plan),
    config: &Config,
    (found, choices): (&[AvailableModel], &[AskChoice]),
) -> (impl Serialize + use<>, String) {
    let lineup = &checked.opened.lineup;
    let mut reasons = proposal.reasons.clone();
    reasons.extend(lineup_reasons(lineup, &proposal.request, config, found));
    let command = build_command(&proposal.request);
    let seats = lineup.iter().map(|sat| json!({"seat": sat.seat, "name": sat.name, "model": sat.model}));
    let why = reasons.iter().map(|one| json!({"what": one.what, "value": one.value, "why": one.why}));
    let json = json!({
        "proposal": {
            "protocol": proposal.request.protocol, "motion": checked.opened.motion,
            "rounds": checked.opened.limits.rounds, "context": proposal.request.context.sources,
            "lineup": seats.collect::<Vec<_>>(), "why": why.collect::<Vec<_>>(), "command": command,
        },
        "plan": plan,
        "choices": choices.iter().map(AskChoice::find_planned).collect::<Vec<_>>(),
    });
    let lines = reasons.iter().map(|one| format!("  {:COLUMN$}{}: {}", one.what, one.value, one.why));
    let others = choices.iter().zip(1..);
    let others =
        others.map(|(choice, number)| format!("  {number}: --model {}: {}\n", choice.model, choice.describe_cost()));
    let others: String = others.collect();
    let others = if others.is_empty() { others } else { format!("Instead of the embedded model:\n{others}") };
    let shown: Vec<String> = command.iter().map(|word| quote_for_shell(word)).collect();
    let text = format!(
        "Proposed by the words of the question and by what lies here:\n{}\n{}\n{others}The same debate without the proposal: {}",
        lines.collect::<Vec<_>>().join("\n"),
        plan.text,
        shown.join(" ")
    );
    (json, text)
}

/// Who answers where, a line for each model.
fn lineup_reasons(
    lineup: &[SeatModel],
    request: &OpeningRequest,
    config: &Config,
    found: &[AvailableModel],
) -> Vec<AskReason> {
    let mut models: Vec<(&str, Vec<String>)> = Vec::new();
    for sat in lineup.iter().filter(|sat| ![QUOTES, FETCHED].contains(&sat.model.as_str())) {
        let title = sat.name.clone().unwrap_or_else(|| sat.seat.to_string());
        match models.iter_mut().find(|(model, _)| *model == sat.model) {
            Some((_, seats)) => seats.push(title),
            None => models.push((&sat.model, vec![title])),
        }
    }
    let by_default = default_model(config);
    let named = |model: &str| {
        let seats = request.seats.seats.iter().filter_map(|pair| Some(pair.split_once('=')?.1.trim()));
        seats.chain(request.seats.model.as_deref()).any(|named| model.starts_with(named))
    };
    let told = models.into_iter().map(|(model, seats)| {
        let why = match model {
            _ if named(model) => "you name it".to_owned(),
            _ if model != by_default => "your configuration names it for this seat".to_owned(),
            _ if config.model.is_some() => "the model of your configuration".to_owned(),
            "local" if request.context.local_only => "nothing may leave this machine".to_owned(),
            "local" => format!("the embedded model, since nothing names one; {}", describe_available(found)),
            _ => "its key is set in the environment".to_owned(),
        };
        AskReason { what: "line-up", value: format!("{} by {model}", seats.join(", ")), why }
    });
    told.collect()
}

/// The words of the command that opens the same debate.
fn build_command(request: &OpeningRequest) -> Vec<String> {
    let mut words = vec!["agon".to_owned(), "run".to_owned(), request.protocol.clone()];
    let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), value]);
    for source in request.context.sources.iter().filter_map(SourceRequest::as_named) {
        add("--context", source.to_owned());
    }
    if let Some(rounds) = request.rounds {
        add("--rounds", rounds.to_string());
    }
    for (name, text) in request.options.list_texts() {
        if let Some(spec) = list_known_options().iter().find(|spec| spec.name == name) {
            add(&format!("--{}", spec.flag_name()), text.to_owned());
        }
    }
    for seat in &request.seats.seats {
        add("--seat", seat.clone());
    }
    if let Some(model) = &request.seats.model {
        add("--model", model.clone());
    }
    // A question that looks like an option is not one.
    words.push("--".to_owned());
    words.extend(request.motion.clone());
    words
}

/// A word as a shell takes it.
fn quote_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_for_a_shell() {
        for (word, shown) in
            [("git:main...", "git:main..."), ("a b", "'a b'"), ("it's $(x)", "'it'\\''s $(x)'"), ("", "''")]
        {
            assert_eq!(quote_for_shell(word), shown);
        }
    }
}
