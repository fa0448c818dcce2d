//! Rulings on conduct: what the chair rules on any entry when it looks back at a round, and warnings for what the
//! program counts.
//!
//! Each names an entry, a rule of the debate and a reason; the chair's quotes the entry. It stands in the log as a
//! `ruling`, and what is not lifted is put to the chair again when it concludes.

use agon_core::{
    Faults, parse,
    reading::{QuoteFault, ReadText},
};
use serde::Serialize;

use super::{
    conduct_rules::{Conduct, ConductChoice, MISREPRESENTATION, RULES, RulingVerdict, rule_name},
    debaters::Debaters,
    log::{DebateLog, Logged},
};
use crate::common::{
    fields::parse_number,
    form::{Field, Form, Kind, Part, choice_kind, form_field, list_kind, text_kind},
};

/// Rulings that one look back may give.
const RULINGS_MAX: usize = 6;
/// Longest reason and longest quotation, in characters.
const TEXT_CHARS_MAX: u32 = 400;
/// The rule that faults name.
pub(super) const RULE: &str = "conduct";

/// A ruling to be put on the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConductRuling {
    /// On what.
    pub conduct: Conduct,
    /// Why, in a sentence.
    pub reason: String,
}

/// Rulings that stand, each in the entry that gives it: the last on an entry and rule counts, and what was
/// lifted or is about a struck entry does not.
pub fn standing_rulings(log: &DebateLog) -> Vec<(&Logged, &Conduct)> {
    let ruled = log.0.iter().filter_map(|logged| Some((logged, logged.item.conduct.as_ref()?)));
    let all: Vec<(&Logged, &Conduct)> = ruled.collect();
    let stands = |at: usize, conduct: &Conduct| {
        !all[at + 1..].iter().any(|(_, other)| other.is_about_same(conduct))
            && conduct.verdict != RulingVerdict::Lifted
            && log.entry_at(conduct.of).is_some_and(|l| l.struck.is_none())
    };
    all.iter().enumerate().filter(|(at, (_, conduct))| stands(*at, conduct)).map(|(_, both)| *both).collect()
}

/// What an entry rules, without the entry that it is about.
pub fn ruling_words(logged: &Logged) -> String {
    let text = logged.visible_content();
    text.split_once(": ").map_or(text.as_str(), |(_, text)| text).to_owned()
}

/// The entry that lifted what was ruled on the entry `seq` under a rule, unless it was ruled on again.
pub fn lifted_at(log: &DebateLog, seq: u64, rule: u32) -> Option<u64> {
    let mut ruled = log.0.iter().filter_map(|logged| Some((logged.item.seq, logged.item.conduct.as_ref()?)));
    let (at, last) = ruled.rfind(|(_, conduct)| (conduct.of, conduct.rule) == (seq, rule))?;
    (last.verdict == RulingVerdict::Lifted).then_some(at)
}

/// A standing ruling as prompts show it.
#[derive(Serialize)]
pub(super) struct ShownRuling {
    /// Whose entry it is about.
    pub by: Option<String>,
    seq: u64,
    rule: u32,
    /// Its words.
    pub text: String,
}

/// Standing rulings as prompts show them, of everyone or of `speaker` alone.
pub(super) fn conduct_facts(log: &DebateLog, debaters: &Debaters, speaker: Option<&str>) -> Vec<ShownRuling> {
    let by = |conduct: &Conduct| log.entry_at(conduct.of).map(|logged| logged.item.speaker.as_str());
    let own = standing_rulings(log).into_iter().filter(|(_, conduct)| speaker.is_none() || by(conduct) == speaker);
    let show = |(logged, conduct): (&Logged, &Conduct)| {
        let by = by(conduct).map(|by| debaters.title_of(by).to_owned());
        ShownRuling { by, seq: conduct.of, rule: conduct.rule, text: ruling_words(logged) }
    };
    own.map(show).collect()
}

/// The field of an answer of the chair that holds its rulings; `None` while there is nothing to rule on.
pub fn rulings_field(log: &DebateLog) -> Option<Field> {
    let seqs = log.list_standing_seqs(None);
    (!seqs.is_empty()).then(|| form_field("rulings", list_kind(0, RULINGS_MAX, Kind::Object(ruling_form(seqs)))))
}

fn ruling_form(seqs: Vec<String>) -> Form {
    let fields = [
        form_field("seq", Kind::Reference(seqs)),
        form_field("rule", Kind::Reference(RULES.map(|(number, _)| number.to_string()).into())),
        form_field("quote", text_kind(0, TEXT_CHARS_MAX)),
        form_field("reason", text_kind(20, TEXT_CHARS_MAX)),
        form_field("ruling", choice_kind(ConductChoice::ALL)),
    ];
    Form::new(RULE, fields)
}

/// The rulings in an answer of the chair, which may have none. One that cannot be is a fault, and left out
/// once its author was `told`.
pub fn parse_rulings(answer: &str, log: &DebateLog, told: bool) -> Result<Vec<ConductRuling>, Faults> {
    let Some(rulings) = rulings_field(log) else { return parse::parse_json_answer(answer).map(|_| Vec::new()) };
    let (given, faults) = Form::new(RULE, [rulings]).read_draft(answer, |fields, faults| {
        let mut given: Vec<ConductRuling> = Vec::new();
        let is_empty_text = fields.raw_value("rulings").as_str().is_some_and(|text| text.trim().is_empty());
        let parts = if is_empty_text { Vec::new() } else { fields.read_parts("rulings", faults) };
        for part in parts.into_iter().take(RULINGS_MAX) {
            let mut own = Faults::default();
            match parse_ruling(&part, log, &mut own).filter(|_| own.0.is_empty()) {
                Some(ruling) if !is_known(&ruling, log, &given) => given.push(ruling),
                _ => faults.0.extend(own.0),
            }
        }
        given
    })?;
    if told { Ok(given) } else { faults.into_result(given) }
}

fn is_known(ruling: &ConductRuling, log: &DebateLog, before: &[ConductRuling]) -> bool {
    before.iter().any(|other| other.conduct.is_about_same(&ruling.conduct))
        || standing_rulings(log)
            .into_iter()
            .any(|(_, other)| other.is_about_same(&ruling.conduct) && other.verdict == ruling.conduct.verdict)
}

fn parse_ruling(part: &Part<'_, '_>, log: &DebateLog, faults: &mut Faults) -> Option<ConductRuling> {
    let fields = part.open(faults)?;
    let choice: Option<ConductChoice> = fields.read_enum("ruling", faults);
    if choice == Some(ConductChoice::None) {
        return None;
    }
    let number = |name: &str| parse_number(fields.raw_value(name), name);
    let entry = number("seq").and_then(|seq| log.standing_argument(seq));
    if entry.is_none() {
        fields.add_fault("seq", "name the seq of a debater's entry that stands", faults);
    }
    let rule = number("rule").and_then(|rule| u32::try_from(rule).ok()).filter(|rule| rule_name(*rule).is_some());
    if rule.is_none() {
        let rules = RULES.map(|(number, _)| number.to_string()).join(", ");
        fields.add_fault("rule", format!("rule must be one of {rules}"), faults);
    }
    let reason: String = fields.read_text("reason", faults).chars().take(TEXT_CHARS_MAX as usize).collect();
    let quote = fields.read_text("quote", faults);
    let (entry, rule, ConductChoice::Ruled(verdict)) = (entry?, rule?, choice?) else { return None };
    let (content, before) = (entry.visible_content(), said_before(entry, log));
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    if let Err(fault) = check_quote(&ReadText { text: &content, not_from: &before }, rule, &quote) {
        fields.add_fault("quote", format!("{quote:?}: {fault}"), faults);
    }
    let conduct = Conduct { of: entry.item.seq, rule, verdict, quote, confirmed: None };
    let standing = standing_rulings(log);
    if verdict == RulingVerdict::Lifted && !standing.iter().any(|(_, other)| other.is_about_same(&conduct)) {
        let known = standing.iter().map(|(_, other)| format!("seq {} under rule {}", other.of, other.rule));
        let known: Vec<String> = known.collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let message = format!(
            "no ruling on seq {} under rule {rule} stands that could be lifted; these stand: {known}",
            conduct.of
        );
        fields.add_fault("ruling", message, faults);
    }
    Some(ConductRuling { conduct, reason })
}

/// What was said by others before an entry: words of it that stand there are not its own.
pub(super) fn said_before(entry: &Logged, log: &DebateLog) -> Vec<String> {
    let (seq, speaker) = (entry.item.seq, &entry.item.speaker);
    let before = log.0.iter().take_while(|logged| logged.item.seq < seq);
    before.filter(|logged| logged.item.speaker != *speaker).map(Logged::visible_content).collect()
}

/// Whether `quote` can bear a reading of an entry under `rule`. Words that an entry puts into another's mouth are how
/// it misrepresents, though it quotes them.
pub(super) fn check_quote(read: &ReadText<'_>, rule: u32, quote: &str) -> Result<(), QuoteFault> {
    match read.check_quote(quote) {
        Err(QuoteFault::Quoted) if rule == MISREPRESENTATION => Ok(()),
        checked => checked,
    }
}
