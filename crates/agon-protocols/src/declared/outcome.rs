//! How the outcome of a declared protocol is read from what was said.

use agon_core::{Absent, GateClass, Opened, Outcome, OutcomeSpec};
use agon_text::has_word;
use serde_json::json;

use super::{
    decision::{self, ChoiceDecision},
    declaration::{Ask, Declaration, OutcomeReading, OutcomeRule},
    figures, form,
    state::{DeclaredState, seat_name},
};
use crate::common::form::choice_letters;

/// Among the figures of an outcome: which choice was decided for.
pub const DECIDED: &str = "decided";
/// Longest part of a statement that stands in an outcome, in characters.
const SUMMARY_CHARS_MAX: usize = 600;
/// The outcome of a vote in which several are first, where the file does not say.
const TIE: &str = "undecided";

impl OutcomeRule {
    /// What each outcome means for a pipeline: those that the file lists, a tie, and any other, which passes.
    pub(super) fn outcome_specs(&self) -> Vec<OutcomeSpec> {
        let tie = self.tie.as_deref().unwrap_or(TIE);
        let spec = |name: &str, gate: GateClass, about: &str| OutcomeSpec {
            name: name.to_owned(),
            gate,
            dissent: name == tie,
            about: about.to_owned(),
        };
        let fail = self.fail.iter().map(|name| spec(name, GateClass::Fail, "negative, as declared"));
        let unclear = self.unclear.iter().map(|name| spec(name, GateClass::Unclear, "unclear, as declared"));
        let has_tie = matches!(self.read, OutcomeReading::Vote | OutcomeReading::Answer);
        let tie = (has_tie && !self.fail.iter().any(|name| name == tie))
            .then(|| spec(tie, GateClass::Unclear, "a vote has several winners"));
        let other = spec("*", GateClass::Pass, "any other result");
        fail.chain(unclear).chain(tie).chain([other]).collect()
    }
}

/// The outcome of a debate that went through all its phases, and in which `absent` did not answer something.
pub(super) fn compute_outcome(
    declaration: &Declaration,
    state: &DeclaredState,
    absent: &[Absent],
    opened: &Opened,
) -> Outcome {
    let OutcomeRule { read, ask, field, tie, .. } = &declaration.outcome;
    let ask = ask.as_ref().and_then(|name| declaration.find_ask(name));
    let said = ask.map(|ask| state.last_statements(&ask.name)).unwrap_or_default();
    let field = ask.zip(field.as_ref()).and_then(|(ask, field)| ask.find_field(field));
    let words = said.first().map(|said| said.statement.text.as_str()).unwrap_or_default();
    let mut figures = figures::collect_figures(declaration, state);
    let (name, summary) = match (read, field) {
        (OutcomeReading::Field, Some(field)) => {
            let value = said.first().and_then(|said| said.statement.values.get(&field.name));
            let value = value.map(form::format_value).unwrap_or_default();
            let summary = format!("{}: {}.", ask.map(Ask::title).unwrap_or_default(), truncate_summary(words));
            (value, summary)
        }
        (OutcomeReading::Word, _) => {
            let given = said.first().map(|said| said.given.text.as_str()).unwrap_or_default();
            let word = ask.and_then(|ask| ask.says_one_of.iter().find(|word| has_word(given, word)));
            (word.cloned().unwrap_or_default(), truncate_summary(words))
        }
        (OutcomeReading::Vote, Some(field)) => {
            let votes = figures::count_votes(field, &said, &state.things_then(field, &said));
            let most = votes.first().map_or(0, |vote| vote.votes);
            let first: Vec<_> = votes.iter().filter(|vote| vote.votes == most).collect();
            match first.as_slice() {
                [one] => {
                    // A thing that was picked is too long a name.
                    let name = if one.number.is_some() { "chosen".to_owned() } else { one.text.clone() };
                    (name, format!("{} of {} chose: {}", one.votes, said.len(), truncate_summary(&one.text)))
                }
                several => {
                    let texts: Vec<String> =
                        several.iter().map(|vote| format!("{:?}", truncate_summary(&vote.text))).collect();
                    let name = tie.clone().unwrap_or_else(|| TIE.to_owned());
                    (name, truncate_summary(&format!("With {most} votes each, these are first: {}", texts.join(", "))))
                }
            }
        }
        (OutcomeReading::Median, Some(field)) => match figures::summarise_numbers(field, &said) {
            Some(middle) => {
                let [median, low, high] = [middle.median, middle.low, middle.high].map(figures::round_number);
                let name = field.name.replace(['-', '_'], " ");
                let count = middle.count;
                let summary = format!(
                    "The median of {name} is {median}; the middle half of {count} answers lies between {low} and {high}."
                );
                ("estimated".to_owned(), summary)
            }
            None => ("closed".to_owned(), String::new()),
        },
        (OutcomeReading::Answer, _) => {
            let choices = &state.choices;
            let decision = decision::count_decision(decision::list_deciding_asks(declaration), state, choices.len());
            let (name, summary) = name_outcome(decision.as_ref(), choices, tie.as_deref());
            // Where nothing is counted, there are no figures.
            if let Some(decision) = decision.filter(|_| !figures.is_empty()) {
                figures.insert(DECIDED.to_owned(), decision.render_figures(choices).into());
            }
            (name, summary)
        }
        _ => ("closed".to_owned(), truncate_summary(words)),
    };
    let summary = match summary.trim() {
        "" => "The debate went through all its phases.".to_owned(),
        summary => summary.to_owned(),
    };
    let missing: String =
        absent.iter().map(|a| format!("{} did not answer ({}). ", seat_name(opened, &a.seat), a.why)).collect();
    let outcome = Outcome::valid(name, format!("{missing}{summary}"));
    let figures = json!((!figures.is_empty()).then_some(figures));
    Outcome { absent: absent.to_vec(), figures, ..outcome }
}

/// The name and the summary of an outcome that is one of `choices`.
fn name_outcome(decision: Option<&ChoiceDecision>, choices: &[String], tie: Option<&str>) -> (String, String) {
    let undecided = || tie.unwrap_or(TIE).to_owned();
    let Some(decision) = decision else { return (undecided(), "Nobody named a choice.".into()) };
    let all: usize = decision.votes.iter().sum();
    let text = |choice: usize| choices.get(choice).map(|text| truncate_summary(text)).unwrap_or_default();
    let letter = |choice: usize| choice_letters(choices.len()).nth(choice).unwrap_or_default();
    let Some(choice) = decision.choice else {
        return (undecided(), "Several answers are first, with equal probability.".into());
    };
    let sure = decision.probabilities.as_ref().and_then(|of| of.get(choice));
    let sure = sure.map(|share| format!(", with a mean probability of {}", figures::round_number(*share)));
    let votes = decision.votes.get(choice).copied().unwrap_or_default();
    let summary = format!("{}: {} ({votes} of {all}{})", letter(choice), text(choice), sure.unwrap_or_default());
    (letter(choice), summary)
}

/// The end of a debate in which too few answered `ask`.
pub(super) fn void_outcome(ask: &Ask, opened: &Opened, absent: Vec<Absent>, asked: usize, needed: usize) -> Outcome {
    let who: Vec<String> = absent.iter().map(|a| format!("{} ({})", seat_name(opened, &a.seat), a.why)).collect();
    let summary = format!(
        "No result: {} of {asked} answered {:?}, and {needed} are needed. No usable answer came from {}.",
        asked - absent.len(),
        ask.title(),
        who.join(" and "),
    );
    Outcome { absent, ..Outcome::void("no_quorum", summary) }
}

fn truncate_summary(text: &str) -> String {
    match text.char_indices().nth(SUMMARY_CHARS_MAX) {
        None => text.to_owned(),
        Some((at, _)) => format!("{} …", text[..at].trim_end()),
    }
}
