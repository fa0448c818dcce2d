//! The second answer of the chair to a ruling that decides something: an infraction, words out of order, and a
//! ruling that is lifted. It is asked without the first answer, with the choices in another order. Where it differs,
//! or there is none, nothing is ruled.

use agon_core::{
    Attempt, Floor, Flow, Key, Request, Ruling, RulingKind, Statement,
    draft::Draft,
    reading::{Doubt, Meaning, ReadText, Reading},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    conduct::{self, ConductRuling},
    conduct_rules::{Conduct, ConductChoice, OMISSIONS, RulingVerdict, rule_name},
    debaters::Debaters,
    log::{DebateLog, Logged},
    state::ChairedState,
};
use crate::common::{
    form::Form,
    named_seat,
    prompt_facts::FactSheet,
    readings::{confirmation_key, is_fit_reader, reading_fields, unclear_reading},
    request_values::read_fact,
};

/// The prompt of second readings.
pub(super) const PROMPT: &str = "confirm";

/// The data of the ruling about a ruling on conduct that was not confirmed. It exists only where nothing follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnconfirmedRuling {
    /// What the first answer ruled.
    pub conduct: Conduct,
    /// Why it said so.
    pub reason: String,
    /// What both answers come to.
    pub meaning: Meaning<ConductChoice>,
}

/// What a second reading is about, as its request says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConductQuestion {
    seq: u64,
    rule: u32,
    lifts: bool,
}

/// Puts the rulings of the answer under `answer` into the log, in the chair's name: those that decide once the chair
/// has confirmed them. What is not confirmed is told, and changes nothing.
pub(super) fn rule_on_conduct(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    answer: &Key,
    rulings: &[ConductRuling],
) -> Flow<()> {
    let is_fit = is_fit_reader(floor, answer);
    let asked = rulings.iter().map(|ruling| &ruling.conduct).filter(|conduct| is_fit && needs_second(conduct));
    let drafts = asked.map(|conduct| ask_again(answer, conduct, &state.log)).collect();
    let mut second = floor.ask_each_until_valid(drafts)?.into_iter();
    for ConductRuling { conduct, reason } in rulings.iter().cloned() {
        if is_fit && !needs_second(&conduct) {
            state.write_conduct(floor, conduct, &reason)?;
            continue;
        }
        let meaning = match second.next() {
            _ if !is_fit => unclear_reading(answer, Doubt::UnfitReader),
            Some(Ok(Statement { key: confirmed, value: second })) => {
                let choice = ConductChoice::Ruled(conduct.verdict);
                let first = Reading { choice, quote: conduct.quote.clone() };
                if OMISSIONS.contains(&conduct.rule) && second.choice == choice {
                    Meaning::Settled { choice, quote: first.quote, read: answer.clone(), confirmed }
                } else {
                    let content = state.log.entry_at(conduct.of).map(Logged::visible_content).unwrap_or_default();
                    let text = ReadText { text: &content, not_from: &[] };
                    text.compare_readings((answer, &first), (&confirmed, &*second))
                }
            }
            _ => unclear_reading(answer, Doubt::NotConfirmed),
        };
        match meaning {
            Meaning::Settled { confirmed, .. } => {
                state.write_conduct(floor, Conduct { confirmed: Some(confirmed), ..conduct }, &reason)?;
            }
            meaning => tell_unconfirmed(floor, answer, UnconfirmedRuling { conduct, reason, meaning })?,
        }
    }
    Ok(())
}

fn needs_second(conduct: &Conduct) -> bool {
    conduct.verdict != RulingVerdict::Warning
}

fn ask_again(answer: &Key, conduct: &Conduct, log: &DebateLog) -> Draft<'static, Reading<ConductChoice>> {
    let question =
        ConductQuestion { seq: conduct.of, rule: conduct.rule, lifts: conduct.verdict == RulingVerdict::Lifted };
    let key = confirmation_key(answer.as_str(), &format!("seq-{}-rule-{}", conduct.of, conduct.rule));
    let request = Request::new(key, &named_seat("chair"), PROMPT).or_absent();
    let request = request.with_fact("matter", "conduct").with_fact("conduct", json!(question));
    let entry = log.entry_at(conduct.of);
    let content = entry.map(Logged::visible_content).unwrap_or_default();
    let before = entry.map(|entry| conduct::said_before(entry, log)).unwrap_or_default();
    let form = confirmation_form(question.lifts);
    Draft::new(request, move |draft: Attempt<'_>| {
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let read = ReadText { text: &content, not_from: &before };
        form.read_statement(draft.text, |fields, faults| {
            let choice: ConductChoice = fields.read_enum("choice", faults)?;
            let quote = fields.optional_text("quote", faults).unwrap_or_default();
            if choice != ConductChoice::None
                && let Err(fault) = conduct::check_quote(&read, question.rule, &quote)
            {
                fields.add_fault("quote", format!("{quote:?}: {fault}"), faults);
            }
            Some(Reading { choice, quote })
        })
    })
}

fn confirmation_form(lifts: bool) -> Form {
    Form::new("confirm", reading_fields(ConductChoice::confirmation_choices(lifts).iter().copied()))
}

fn tell_unconfirmed(floor: &mut Floor<'_>, answer: &Key, ruling: UnconfirmedRuling) -> Flow<()> {
    let why = match ruling.meaning.doubt() {
        Some(Doubt::UnfitReader) => "this model is not known to read well enough to rule",
        Some(Doubt::NotConfirmed) => "the chair did not answer a second time",
        _ => "the chair's second answer differs",
    };
    let Conduct { of, rule, verdict, .. } = &ruling.conduct;
    let what = verdict.describe_verdict();
    let text =
        format!("The ruling on seq {of} under rule {rule} ({what}) is not confirmed: {why}. Nothing follows from it.");
    let key = format!("{answer}/unconfirmed/seq-{of}-rule-{rule}");
    floor.rule_by(key, || Ruling::new(RulingKind::Warned, text).with_data(&ruling))
}

/// The form of the second answer.
pub(super) fn request_form(request: &Request) -> Option<Form> {
    read_fact(request, "conduct").map(|question: ConductQuestion| confirmation_form(question.lifts))
}

/// What the prompt of the second answer shows: the entry, the entries that it answers or is answered by name, the
/// rule, and the ruling that may be lifted.
pub(super) fn confirmation_facts(log: &DebateLog, request: &Request, debaters: &Debaters, facts: &mut FactSheet) {
    let Some(ConductQuestion { seq, rule, lifts }) = read_fact(request, "conduct") else { return };
    let Some(entry) = log.entry_at(seq) else { return };
    let named = super::audience::find_seq_references(&entry.visible_content());
    let answers = |other: &&Logged| {
        let at = other.item.seq;
        at != seq && (entry.item.rebuttal_to_seq == Some(at) || named.contains(&at)) && other.is_standing_argument()
    };
    let show = |logged: &Logged| {
        let by = debaters.title_of(&logged.item.speaker);
        json!({"seq": logged.item.seq, "by": by, "content": logged.visible_content()})
    };
    facts.put("entry", show(entry));
    facts.put("context", log.0.iter().filter(answers).map(show).collect::<Vec<_>>());
    facts.put("rule", json!({"number": rule, "name": rule_name(rule)}));
    let ruled = |(_, conduct): &(&Logged, &Conduct)| (conduct.of, conduct.rule) == (seq, rule);
    let standing = conduct::standing_rulings(log).into_iter().find(ruled).filter(|_| lifts);
    facts.put("standing", standing.map(|(logged, _)| logged.visible_content()));
    facts.put("choices", ConductChoice::confirmation_choices(lifts));
}
