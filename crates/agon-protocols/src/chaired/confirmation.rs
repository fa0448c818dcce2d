//! The second answer of the chair to a ruling that decides something: an infraction, words out of order, and a
//! ruling that is lifted. It is asked without the first answer, with the choices in another order. Where it differs,
//! or there is none, nothing is ruled.

use agon_core::{
    Attempt, Faults, Floor, Flow, Key, Request, Ruling, RulingKind, Statement, View,
    draft::Draft,
    reading::{Doubt, Meaning, ReadText, Reading},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    announce,
    conduct::{self, ConductRuling},
    log::{DebateLog, EntryRuling, Logged, Phase, Type},
    rule::{Conduct, ConductChoice, RulingVerdict, is_omission, rule_name},
    state::ChairedState,
};
use crate::common::{
    form::Form,
    named_seat,
    readings::{confirmation_key, is_fit_reader, reading_fields, unclear_reading},
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
    let asked: Vec<&Conduct> =
        rulings.iter().map(|ruling| &ruling.conduct).filter(|conduct| is_fit && needs_second(conduct)).collect();
    let drafts = asked.iter().map(|conduct| ask_again(answer, conduct, &state.log)).collect();
    let mut second = floor.ask_each_until_valid(drafts)?.into_iter();
    for ruling in rulings {
        let meaning = match (is_fit, needs_second(&ruling.conduct)) {
            (false, _) => Some(unclear_reading(answer, Doubt::UnfitReader)),
            (true, false) => None,
            (true, true) => match second.next() {
                Some(Ok(statement)) => Some(compare_rulings(answer, &ruling.conduct, &statement, &state.log)),
                _ => Some(unclear_reading(answer, Doubt::NotConfirmed)),
            },
        };
        match meaning {
            Some(meaning @ Meaning::Unclear { .. }) => tell_unconfirmed(floor, answer, ruling, meaning)?,
            Some(Meaning::Settled { confirmed, .. }) => write_ruling(floor, state, ruling, Some(confirmed))?,
            None => write_ruling(floor, state, ruling, None)?,
        }
    }
    Ok(())
}

/// Puts one ruling into the log.
pub(super) fn write_ruling(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    ruling: &ConductRuling,
    confirmed: Option<Key>,
) -> Flow<()> {
    let conduct = Conduct { confirmed, ..ruling.conduct.clone() };
    let text = announce::conduct_text(&conduct, &ruling.reason);
    let mut item = EntryRuling::by_chair(Phase::System, Type::Ruling, text);
    item.conduct = Some(conduct);
    state.log.write_script_entry(floor, item).map(drop)
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
        parse_confirmation(&form, question.rule, draft.text, &read)
    })
}

fn confirmation_form(lifts: bool) -> Form {
    Form::new("confirm", reading_fields(ConductChoice::confirmation_choices(lifts).iter().copied()))
}

fn parse_confirmation(
    form: &Form,
    rule: u32,
    answer: &str,
    read: &ReadText<'_>,
) -> Result<Reading<ConductChoice>, Faults> {
    form.read_statement(answer, |fields, faults| {
        let choice: ConductChoice = fields.read_enum("choice", faults)?;
        let quote = fields.optional_text("quote", faults).unwrap_or_default();
        if choice != ConductChoice::None
            && let Err(fault) = conduct::check_quote(read, rule, &quote)
        {
            fields.add_fault("quote", format!("{quote:?}: {fault}"), faults);
        }
        Some(Reading { choice, quote })
    })
}

fn compare_rulings(
    answer: &Key,
    conduct: &Conduct,
    second: &Statement<Reading<ConductChoice>>,
    log: &DebateLog,
) -> Meaning<ConductChoice> {
    let choice = match conduct.verdict {
        RulingVerdict::Warning => ConductChoice::Warning,
        RulingVerdict::Infraction => ConductChoice::Infraction,
        RulingVerdict::OutOfOrder => ConductChoice::OutOfOrder,
        RulingVerdict::Lifted => ConductChoice::Lifted,
    };
    let first = Reading { choice, quote: conduct.quote.clone() };
    if is_omission(conduct.rule) && second.value.choice == choice {
        return Meaning::Settled { choice, quote: first.quote, read: answer.clone(), confirmed: second.key.clone() };
    }
    let content = log.entry_at(conduct.of).map(Logged::visible_content).unwrap_or_default();
    let read = ReadText { text: &content, not_from: &[] };
    read.compare_readings((answer, &first), (&second.key, &*second.value))
}

fn tell_unconfirmed(
    floor: &mut Floor<'_>,
    answer: &Key,
    ruling: &ConductRuling,
    meaning: Meaning<ConductChoice>,
) -> Flow<()> {
    let conduct = &ruling.conduct;
    let why = match meaning.doubt() {
        Some(Doubt::UnfitReader) => "this model is not known to read well enough to rule",
        Some(Doubt::NotConfirmed) => "the chair did not answer a second time",
        _ => "the chair's second answer differs",
    };
    let what = conduct.verdict.name().replace('_', " ");
    let text = format!(
        "The ruling on seq {} under rule {} ({what}) is not confirmed: {why}. Nothing follows from it.",
        conduct.of, conduct.rule
    );
    let key = format!("{answer}/unconfirmed/seq-{}-rule-{}", conduct.of, conduct.rule);
    floor.rule_by(key, || {
        let (conduct, reason) = (conduct.clone(), ruling.reason.clone());
        Ruling::new(RulingKind::Warned, text).with_data(UnconfirmedRuling { conduct, reason, meaning })
    })
}

fn read_conduct_question(request: &Request) -> Option<ConductQuestion> {
    ConductQuestion::deserialize(request.facts.get("conduct")?).ok()
}

/// JSON Schema of the second answer.
pub(super) fn confirmation_schema(request: &Request) -> Option<Value> {
    Some(confirmation_form(read_conduct_question(request)?.lifts).json_schema())
}

/// What the prompt of the second answer shows: the entry, the entries that it answers or is answered by name, the
/// rule, and the ruling that may be lifted.
pub(super) fn confirmation_facts(heard: &View<'_>, request: &Request, put: &mut dyn FnMut(&str, Value)) {
    let Some(ConductQuestion { seq, rule, lifts }) = read_conduct_question(request) else { return };
    let log = DebateLog::of(heard);
    let Some(entry) = log.entry_at(seq) else { return };
    let named = super::audience::find_seq_references(&entry.visible_content());
    let answers = |other: &&Logged| {
        let at = other.item.seq;
        at != seq && (entry.item.rebuttal_to_seq == Some(at) || named.contains(&at)) && other.is_standing_argument()
    };
    let show = |logged: &Logged| json!({"seq": logged.item.seq, "by": logged.item.speaker, "content": logged.visible_content()});
    put("entry", show(entry));
    put("context", log.0.iter().filter(answers).map(show).collect());
    put("rule", json!({"number": rule, "name": rule_name(rule)}));
    let ruled = |(_, conduct): &(&Logged, &Conduct)| (conduct.of, conduct.rule) == (seq, rule);
    let standing = conduct::standing_rulings(&log).into_iter().find(ruled).filter(|_| lifts);
    put("standing", json!(standing.map(|(logged, _)| logged.visible_content())));
    put("choices", json!(ConductChoice::confirmation_choices(lifts)));
}
