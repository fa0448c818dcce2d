//! The baseline of a debate: its question answered by one model alone, at the same cost. The first
//! answer is what one call gives; the majority of all is what the tokens of the debate would have
//! bought without a debate (self-consistency).
//!
//! It is a separate debate; its options name the debate that it belongs to.

use std::collections::BTreeMap;

use agon_core::{
    Absent, Facts, Faults, Floor, Flow, Lost, Opened, Outcome, Protocol, Reply, Request, Ruling, RulingKind, View,
    form::FormField,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::common::{
    self,
    absence::rule_absent,
    fields::read_object,
    form::{Form, choice_kind, form_field, text_kind},
    request_values::read_option,
};

/// Option: the debate that this is the baseline of, with its `outcome`, `winner`, `summary` and
/// `tokens`.
pub const OF: &str = "baseline_of";
/// Option: what the debaters of a chaired debate stood for, each with `name` and `position`.
pub const POSITIONS: &str = "positions";
/// Words of an answer about a motion, and the side that each is for.
const ANSWERS: [(&str, &str); 3] = [("for", "proposition"), ("against", "opposition"), ("even", "even")];
/// The answer, and the side, that is for nobody.
const EVEN: &str = "even";

/// The baseline of a debate.
pub struct Baseline;

/// What one answer says: data of the ruling `…/answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampledAnswer {
    /// One of the choices.
    pub answer: String,
}

impl Protocol for Baseline {
    crate::shipped_files! { "baseline.toml"; "answer"; common::REDRAFT }

    fn parent_option(&self) -> Option<&str> {
        Some(OF)
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let of = floor.opened().options.get(OF).cloned().unwrap_or_default();
        let most = of["tokens"].as_u64().unwrap_or(u64::MAX);
        let seat = common::named_seat("answerer");
        let mut spent = 0;
        let sides = list_sides(floor.opened());
        let mut answers: Vec<String> = Vec::new();
        let mut asked: u32 = 0;
        let mut absent = None;
        loop {
            // The next sample costs what one did on average.
            let next = |spent: u64, asked: u32| spent + spent / u64::from(asked.max(1));
            while asked < floor.current_limits().rounds && (asked == 0 || next(spent, asked) <= most) {
                asked += 1;
                let key = format!("sample-{asked:03}");
                let answered = floor.ask_seat(Request::new(&key, &seat, "answer").or_absent())?;
                spent += answered.usage.total_tokens();
                let answer = match &answered.reply {
                    Reply::Said { text } => parse_side(text, &sides).map_err(Lost::Unusable),
                    Reply::Failed(failed) => Err(Lost::Failed(failed.clone())),
                    Reply::Elapsed => Err(Lost::Elapsed),
                };
                match answer {
                    Ok(side) => {
                        let ruling = Ruling::new(RulingKind::Noted, side.clone())
                            .with_data(SampledAnswer { answer: side.clone() });
                        floor.record_ruling(format!("{key}/answer"), ruling)?;
                        answers.push(side);
                    }
                    // Nothing is asked again: a sample that cannot be used has cost its tokens.
                    Err(lost) => absent = Some(rule_absent(floor, &seat, "answerer", &key, &lost)?),
                }
            }
            floor.adjourn_debate(build_outcome(&of, &sides, &answers, asked, spent, absent.clone()))?;
        }
    }

    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        let mut facts = request.facts.clone();
        let opened = heard.opened();
        facts.insert("motion".into(), opened.motion.clone().into());
        for option in ["definitions", "scope", POSITIONS] {
            facts.extend(opened.options.get(option).map(|value| (option.to_owned(), value.clone())));
        }
        facts
    }

    fn answer_schema(&self, heard: &View<'_>, _: &Request) -> Option<FormField> {
        let words = list_sides(heard.opened()).into_iter().map(|(word, _)| word);
        let form = Form::new(
            "answer",
            [
                form_field("reasons_for", text_kind(20, 2_000)),
                form_field("reasons_against", text_kind(20, 2_000)),
                form_field("weighing", text_kind(20, 1_400)),
                form_field("answer", choice_kind(words)),
            ],
        );
        Some(form.to_schema())
    }
}

/// What a debater of a chaired debate stood for, by the name that answers give.
#[derive(Deserialize)]
struct GivenPosition {
    name: String,
}

/// Words of an answer, and the side that each is for.
fn list_sides(opened: &Opened) -> Vec<(String, String)> {
    let owned = |(word, side): (&str, &str)| (word.to_owned(), side.to_owned());
    let Some(positions) = read_option::<Vec<GivenPosition>>(opened, POSITIONS) else {
        return ANSWERS.map(owned).into();
    };
    positions.iter().map(|given| (given.name.as_str(), given.name.as_str())).chain([(EVEN, EVEN)]).map(owned).collect()
}

/// The side that an answer is for.
fn parse_side(text: &str, sides: &[(String, String)]) -> Result<String, Faults> {
    let words: Vec<&str> = sides.iter().map(|(word, _)| word.as_str()).collect();
    let word = read_object(text, |fields, faults| fields.read_choice("answer", &words, "answer", faults))?;
    Ok(sides.iter().find(|(known, _)| *known == word).map_or(EVEN, |(_, side)| side).to_owned())
}

fn build_outcome(
    of: &Value,
    sides: &[(String, String)],
    answers: &[String],
    asked: u32,
    spent: u64,
    absent: Option<Absent>,
) -> Outcome {
    let counted = |side: &String| answers.iter().filter(|answer| *answer == side).count();
    let counts: BTreeMap<&str, usize> = sides.iter().map(|(_, side)| (side.as_str(), counted(side))).collect();
    let Some(first) = answers.first() else {
        let why = absent.as_ref().map(|absent| absent.why.clone()).unwrap_or_default();
        let summary = format!("No baseline: none of {asked} answers could be used ({why}).");
        return Outcome { absent: absent.into_iter().collect(), ..Outcome::void("no_baseline", summary) };
    };
    let most = counts.values().max().copied().unwrap_or(0);
    let leading: Vec<&str> = counts.iter().filter(|(_, count)| **count == most).map(|(side, _)| *side).collect();
    let majority = if leading.len() == 1 { leading[0] } else { EVEN };
    let debate = of["outcome"].as_str().map(|_| of["winner"].as_str().unwrap_or(EVEN));
    let changed = debate.map(|debate| json!({"first": debate != *first, "majority": debate != majority}));
    let told = debate.map(|debate| match (debate == majority, debate == *first) {
        (true, true) => format!(" The debate ended the same way ({debate})."),
        (true, false) => format!(" The debate ended as the majority did ({debate}), unlike the first answer."),
        (false, true) => format!(" The debate ended as the first answer did ({debate}), unlike the majority."),
        (false, false) => format!(" The debate ended otherwise ({debate})."),
    });
    let told = told.unwrap_or_default();
    let each: Vec<String> = sides.iter().map(|(_, side)| format!("{side} {}", counted(side))).collect();
    // The samples are limited, so that a long debate may have cost more: both figures are told.
    let beside = of["tokens"].as_u64().map(|tokens| format!(" beside {tokens} of the debate")).unwrap_or_default();
    let summary = format!(
        "One model alone: {first}. {} samples for {spent} tokens{beside}: {}; the majority: {majority}.{told}",
        answers.len(),
        each.join(", "),
    );
    let figures = json!({
        "first": first, "majority": majority, "counts": counts, "asked": asked, "usable": answers.len(),
        "tokens": spent, "debate": of, "changed": changed,
    });
    Outcome { figures, ..Outcome::valid(format!("{majority}_alone"), summary) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_of_three_words() {
        let sides = list_sides(&agon_core::sample::sample_opened("baseline", &["answerer"]));
        assert_eq!(parse_side(r#"{"answer": "against"}"#, &sides).unwrap(), "opposition");
        assert!(parse_side(r#"{"answer": "maybe"}"#, &sides).is_err());
        assert!(parse_side("for", &sides).is_err());
        let mut opened = agon_core::sample::sample_opened("baseline", &["answerer"]);
        opened.options.insert(POSITIONS.into(), json!([{"name": "Ann"}, {"name": "Bo"}]));
        assert_eq!(parse_side(r#"{"answer": "Bo"}"#, &super::list_sides(&opened)).unwrap(), "Bo");
    }

    #[test]
    fn the_majority_stands_beside_the_debate() {
        let of = json!({"debate": "d1", "outcome": "proposition_ahead", "winner": "proposition", "tokens": 9});
        let sides = list_sides(&agon_core::sample::sample_opened("baseline", &["answerer"]));
        let outcome = |answers: &[&str]| {
            let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
            super::build_outcome(&of, &sides, &answers, 3, 9, None)
        };
        let ended = outcome(&["opposition", "proposition", "proposition"]);
        assert_eq!(ended.figures["changed"], json!({"first": true, "majority": false}));
        assert!(ended.summary.contains("as the majority did"), "{}", ended.summary);
        assert_eq!(outcome(&["opposition", "proposition"]).figures["majority"], "even");
        assert_eq!(outcome(&[]).standing, agon_core::Standing::Void);
    }
}
