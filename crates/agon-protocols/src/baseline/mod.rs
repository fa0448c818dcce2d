//! The baseline of a debate: its question answered by one model alone, at the same cost. The first
//! answer is what one call gives; the majority of all is what the tokens of the debate would have
//! bought without a debate (self-consistency).
//!
//! It is a debate of its own beside the one that it belongs to, which its options name.

use std::{collections::BTreeMap, sync::LazyLock};

use agon_core::{
    Absent, Facts, Faults, Floor, Flow, Kind, Lost, Manifest, Outcome, Protocol, Reply, Request, Ruling,
    View, parse,
};
use serde_json::{Value, json};

use crate::common::{self, absence::rule_absent, fields::Fields};

/// Option: the debate that this is the baseline of, with its `outcome`, `winner`, `summary` and
/// `tokens`.
pub const OF: &str = "baseline_of";
/// Words of an answer, and the side that each is for.
const ANSWERS: [(&str, &str); 3] = [("for", "proposition"), ("against", "opposition"), ("even", "even")];

/// The baseline of a debate.
pub struct Baseline;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| common::manifest(include_str!("baseline.toml")));

impl Protocol for Baseline {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }

    fn prompts(&self) -> &[(&str, &str)] {
        &[("answer", include_str!("prompts/answer.md")), common::REDRAFT]
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let of = floor.opened().options.get(OF).cloned().unwrap_or_default();
        let most = of["tokens"].as_u64().unwrap_or(u64::MAX);
        let seat = common::seat("answerer");
        let mut spent = 0;
        let mut answers: Vec<&'static str> = Vec::new();
        let mut asked: u32 = 0;
        let mut absent = None;
        loop {
            // The next sample costs what one did on average.
            let next = |spent: u64, asked: u32| spent + spent / u64::from(asked.max(1));
            while asked < floor.limits().rounds && (asked == 0 || next(spent, asked) <= most) {
                asked += 1;
                let key = format!("sample-{asked:03}");
                let answered = floor.ask(Request::new(&key, &seat, "answer").or_absent())?;
                spent += answered.usage.tokens();
                let answer = match &answered.reply {
                    Reply::Said { text } => read(text).map_err(Lost::Unusable),
                    Reply::Failed(failed) => Err(Lost::Failed(failed.clone())),
                    Reply::Elapsed => Err(Lost::Elapsed),
                };
                match answer {
                    Ok(side) => {
                        answers.push(side);
                        let ruling = Ruling::new(Kind::Noted, side).with(json!({"answer": side}));
                        floor.rule(format!("{key}/answer"), ruling)?;
                    }
                    // Nothing is asked again: a sample that cannot be used has cost its tokens.
                    Err(lost) => absent = Some(rule_absent(floor, &seat, "answerer", &key, &lost)?),
                }
            }
            floor.adjourn(outcome(&of, &answers, asked, spent, absent.clone()))?;
        }
    }

    fn facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        let mut facts = request.facts.clone();
        let opened = heard.opened();
        facts.insert("motion".into(), opened.motion.clone().into());
        for option in ["definitions", "scope"] {
            facts.extend(opened.options.get(option).map(|value| (option.to_owned(), value.clone())));
        }
        facts
    }

    fn schema(&self, _: &View<'_>, _: &Request) -> Option<Value> {
        let text = |most: u32| json!({"type": "string", "minLength": 20, "maxLength": most});
        Some(json!({
            "type": "object", "additionalProperties": false,
            "required": ["reasons_for", "reasons_against", "weighing", "answer"],
            "properties": {
                "reasons_for": text(2000), "reasons_against": text(2000), "weighing": text(1400),
                "answer": {"type": "string", "enum": ANSWERS.map(|(word, _)| word)},
            },
        }))
    }
}

/// The side that an answer is for.
fn read(text: &str) -> Result<&'static str, Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::of(&value, "", &mut faults) else { return Err(faults) };
    let word = fields.choice("answer", &ANSWERS.map(|(word, _)| word), "answer", &mut faults);
    let side = ANSWERS.iter().find(|(known, _)| *known == word).map_or("even", |(_, side)| side);
    faults.or(side)
}

fn outcome(of: &Value, answers: &[&'static str], asked: u32, spent: u64, absent: Option<Absent>) -> Outcome {
    let counts: BTreeMap<&str, usize> = ANSWERS
        .iter()
        .map(|(_, side)| (*side, answers.iter().filter(|answer| *answer == side).count()))
        .collect();
    let Some(first) = answers.first() else {
        let why = absent.as_ref().map(|absent| absent.why.clone()).unwrap_or_default();
        let summary = format!("No baseline: none of {asked} answers could be used ({why}).");
        return Outcome { absent: absent.into_iter().collect(), ..Outcome::void("no_baseline", summary) };
    };
    let most = counts.values().max().copied().unwrap_or(0);
    let leading: Vec<&str> =
        counts.iter().filter(|(_, count)| **count == most).map(|(side, _)| *side).collect();
    let majority = if leading.len() == 1 { leading[0] } else { "even" };
    let debate = of["outcome"].as_str().map(|_| of["winner"].as_str().unwrap_or("even"));
    let changed = debate.map(|debate| json!({"first": debate != *first, "majority": debate != majority}));
    let told = match debate {
        None => String::new(),
        Some(debate) if debate == majority && debate == *first => {
            format!(" The debate ended the same way ({debate}).")
        }
        Some(debate) if debate == majority => {
            format!(" The debate ended as the majority did ({debate}), unlike the first answer.")
        }
        Some(debate) if debate == *first => {
            format!(" The debate ended as the first answer did ({debate}), unlike the majority.")
        }
        Some(debate) => format!(" The debate ended otherwise ({debate})."),
    };
    let summary = format!(
        "One model alone: {first}. {} samples for {spent} tokens: proposition {}, opposition {}, even {}; the majority: {majority}.{told}",
        answers.len(),
        counts["proposition"],
        counts["opposition"],
        counts["even"],
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
        assert_eq!(read(r#"{"answer": "against"}"#).unwrap(), "opposition");
        assert!(read(r#"{"answer": "maybe"}"#).is_err());
        assert!(read("for").is_err());
    }

    #[test]
    fn the_majority_stands_beside_the_debate() {
        let of =
            json!({"debate": "d1", "outcome": "proposition_ahead", "winner": "proposition", "tokens": 9});
        let outcome = |answers: &[&'static str]| super::outcome(&of, answers, 3, 9, None);
        let ended = outcome(&["opposition", "proposition", "proposition"]);
        assert_eq!(ended.figures["changed"], json!({"first": true, "majority": false}));
        assert!(ended.summary.contains("as the majority did"), "{}", ended.summary);
        assert_eq!(outcome(&["opposition", "proposition"]).figures["majority"], "even");
        assert_eq!(outcome(&[]).standing, agon_core::Standing::Void);
    }
}
