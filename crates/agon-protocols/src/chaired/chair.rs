//! The chair's statements: rulings on requests, unresolved points, and the conclusion.

use agon_core::{Attempt, Faults, parse};
use agon_text::count_words;
use serde_json::{Value, json};

use super::{
    conduct,
    log::DebateLog,
    object,
    verified_figures::{self, VerifiedFigures},
};
use crate::common::fields::ObjectReader;

/// Longest ruling, point or reason, in characters.
const TEXT_CHARS_MAX: usize = 1_500;
/// Maximum number of words of a ruling, of a reason, of a point, and of the reason of the conclusion: what prompts ask for.
/// What is longer stands with a warning.
pub const RULING_WORDS_MAX: usize = 80;
/// See [`RULING_WORDS_MAX`].
pub const REASON_WORDS_MAX: usize = 60;
/// See [`RULING_WORDS_MAX`].
pub const POINT_WORDS_MAX: usize = 40;
/// See [`RULING_WORDS_MAX`].
pub const CONCLUSION_WORDS_MAX: usize = 180;
/// Points that a closing round can take up.
const POINTS_MAX: usize = 3;
/// Ways to say that someone prevailed.
const PREVAILS: [&str; 6] = ["wins", "won", "has won", "prevails", "prevailed", "is the winner"];

fn text(chars_min: usize) -> Value {
    json!({"type": "string", "minLength": chars_min, "maxLength": TEXT_CHARS_MAX})
}

/// A text of the chair that is not longer than it may be.
fn bounded(fields: &ObjectReader<'_>, name: &str, faults: &mut Faults) -> String {
    let text = fields.text(name, "chair", faults);
    if text.chars().count() > TEXT_CHARS_MAX {
        faults.add("chair", fields.path(name), format!("{name} is longer than {TEXT_CHARS_MAX} characters"));
    }
    text
}

/// A warning about a text of more than `most` words.
pub fn too_long(what: &str, text: &str, most: usize) -> Option<String> {
    let count = count_words(text);
    (count > most).then(|| format!("length: {what} has {count} words; at most {most} are wanted"))
}

/// `answer`, the schema of an answer, with rulings on conduct where there is something to rule on.
pub fn with_rulings(mut answer: Value, log: &DebateLog) -> Value {
    if let Some(rulings) = conduct::schema(log) {
        answer["properties"]["rulings"] = rulings;
        if let Some(required) = answer["required"].as_array_mut() {
            required.push("rulings".into());
        }
    }
    answer
}

/// JSON Schema of a look back at a round before the debate may end.
pub fn look_back_schema(log: &DebateLog) -> Value {
    with_rulings(object(json!({})), log)
}

/// JSON Schema of the answer to a clarification request.
pub fn clarification_schema() -> Value {
    object(json!({"ruling": text(20)}))
}

/// The answer to a clarification request.
pub fn clarification(said: &str) -> Result<String, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let ruling = bounded(&fields, "ruling", &mut faults);
    faults.or(ruling)
}

/// JSON Schema of the decision which of `count` audience questions are relayed.
pub fn questions_schema(count: usize) -> Value {
    object(
        json!({"relay": {"type": "array", "minItems": count, "maxItems": count, "items": {"type": "boolean"}}}),
    )
}

/// Which of `count` audience questions are relayed.
pub fn questions(said: &str, count: usize) -> Result<Vec<bool>, Faults> {
    let value = parse::json(said)?;
    let relay: Option<Vec<bool>> =
        value["relay"].as_array().and_then(|all| all.iter().map(Value::as_bool).collect());
    match relay.filter(|relay| relay.len() == count) {
        Some(relay) => Ok(relay),
        None => {
            Err(Faults::one("chair", "relay", format!("a list of {count} times true or false is wanted")))
        }
    }
}

/// JSON Schema of the decision whether the debate has come to its natural end.
pub fn ending_schema() -> Value {
    object(json!({"reason": text(20), "natural_end": {"type": "boolean"}}))
}

/// Whether the debate has come to its natural end, and why.
pub fn ending(said: &str) -> Result<(bool, String), Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let reason = bounded(&fields, "reason", &mut faults);
    let end = fields.get("natural_end").and_then(Value::as_bool);
    if end.is_none() {
        faults.add("chair", "natural_end", "natural_end must be true or false");
    }
    faults.or((end.unwrap_or_default(), reason))
}

/// JSON Schema of the unresolved points.
pub fn unresolved_schema(log: &DebateLog) -> Value {
    let seqs: Vec<String> = log.arguments().map(|logged| logged.item.seq.to_string()).collect();
    let seq = json!({"type": "string", "enum": seqs});
    let point = object(json!({
        "point": text(20), "seqs": {"type": "array", "minItems": 1, "maxItems": 4, "items": seq},
    }));
    object(json!({"points": {"type": "array", "minItems": 1, "maxItems": POINTS_MAX, "items": point}}))
}

/// One to three unresolved points, each with the entries that it is about.
pub fn unresolved(said: &str, log: &DebateLog) -> Result<Vec<(String, Vec<u64>)>, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let items = fields.list("points", "chair", &mut faults);
    if !(1..=POINTS_MAX).contains(&items.len()) {
        faults.add("chair", "points", format!("1 to {POINTS_MAX} points are wanted, found {}", items.len()));
    }
    let mut points = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("points[{i}]"), &mut faults) else { continue };
        points.push((bounded(&item, "point", &mut faults), seqs(&item, log, &mut faults)));
    }
    faults.or(points)
}

/// References to standing arguments; at least one.
pub fn seqs(fields: &ObjectReader<'_>, log: &DebateLog, faults: &mut Faults) -> Vec<u64> {
    let mut seqs = Vec::new();
    for item in fields.list("seqs", "seqs", faults) {
        let text = item.as_str().map(|text| text.trim().trim_start_matches("seq").trim());
        let number = item.as_u64().or_else(|| text.and_then(|text| text.parse().ok()));
        match number.filter(|seq| log.at(*seq).is_some_and(|logged| logged.argues())) {
            Some(seq) if !seqs.contains(&seq) => seqs.push(seq),
            Some(_) => {}
            None => faults.add(
                "seqs",
                fields.path("seqs"),
                format!("{item} is not the seq of an argument that stands"),
            ),
        }
    }
    if seqs.is_empty() {
        faults.add("seqs", fields.path("seqs"), "name the seq of at least one argument");
    }
    seqs
}

/// The parsed conclusion of the chair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concluded {
    /// `draw`, a debater's name with `_wins`, or `void`.
    pub outcome: String,
    /// Why, without what may not be shown.
    pub reason: String,
    /// Whether something of the reason may not be shown.
    pub withheld: bool,
}

/// The debaters that the chair can declare the winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest {
    /// Every debater, in turn order.
    pub names: Vec<String>,
    /// Those who can win: none of their sources is fabricated, and nobody was lost for good.
    pub eligible: Vec<String>,
}

/// Whether `claim` stands in `text`, at the beginning of a word: a name within another one is not that name.
fn claims(text: &str, claim: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(claim).any(|(at, _)| !text[..at].ends_with(inside))
}

impl Contest {
    /// `draw`, a debater's name with `_wins`, or `void`.
    pub fn outcomes(&self) -> Vec<String> {
        let wins = self.eligible.iter().map(|name| format!("{name}_wins"));
        std::iter::once("draw".to_owned()).chain(wins).chain(["void".into()]).collect()
    }

    /// JSON Schema of the conclusion: each debater is assessed by itself before all are compared.
    pub fn schema(&self) -> Value {
        let count = self.names.len();
        let each = object(json!({"debater": {"type": "string", "enum": self.names}, "assessment": text(40)}));
        object(json!({
            "assessments": {"type": "array", "minItems": count, "maxItems": count, "items": each},
            "reason": text(40),
            "outcome": {"type": "string", "enum": self.outcomes()},
        }))
    }

    /// The conclusion in `draft`, held to the figures of the debate.
    pub fn conclude(&self, draft: Attempt<'_>, held: &VerifiedFigures) -> Result<Concluded, Faults> {
        let (outcome, reason) = verified_figures::once(held, draft, false, self.read(draft.text))?;
        let shown = held.withheld(&reason, false);
        Ok(Concluded { outcome, withheld: shown.is_some(), reason: shown.unwrap_or(reason) })
    }

    /// Outcome and reason, or every rule that the conclusion breaks.
    pub fn read(&self, said: &str) -> Result<(String, String), Faults> {
        let value = parse::json(said)?;
        let mut faults = Faults::default();
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let mut assessed = Vec::new();
        for (i, item) in fields.list("assessments", "chair", &mut faults).iter().enumerate() {
            let Some(item) = ObjectReader::of(item, format!("assessments[{i}]"), &mut faults) else {
                continue;
            };
            bounded(&item, "assessment", &mut faults);
            assessed.push(item.text("debater", "chair", &mut faults));
        }
        for name in self.names.iter().filter(|name| !assessed.contains(name)) {
            faults.add("chair", "assessments", format!("{name} is not assessed"));
        }
        let outcomes = self.outcomes();
        let outcome = fields.text("outcome", "chair", &mut faults);
        if !outcome.is_empty() && !outcomes.contains(&outcome) {
            let barred = self.names.iter().any(|name| outcome == format!("{name}_wins"));
            let why = if barred {
                "cannot be: a debater with a fabricated source, or in a debate that lost somebody, wins nothing; choose"
            } else {
                "is not"
            };
            faults.add("chair", "outcome", format!("{outcome:?} {why} one of {}", outcomes.join(", ")));
        }
        let reason = bounded(&fields, "reason", &mut faults);
        let lower = reason.to_lowercase();
        for name in self.names.iter().filter(|name| outcome != format!("{name}_wins")) {
            let said = PREVAILS.iter().map(|word| format!("{} {word}", name.to_lowercase()));
            if let Some(claim) = said.into_iter().find(|claim| claims(&lower, claim)) {
                faults.add("chair", "reason", format!("it says {claim:?}, but the outcome is {outcome:?}"));
            }
        }
        faults.or((outcome, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(eligible: &[&str]) -> Contest {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Contest { names: owned(&["ada", "bob"]), eligible: owned(eligible) }
    }

    fn conclusion(outcome: &str, reason: &str) -> String {
        let each =
            |name: &str| json!({"debater": name, "assessment": "It argued from its sources and answered."});
        json!({"assessments": [each("ada"), each("bob")], "reason": reason, "outcome": outcome}).to_string()
    }

    #[test]
    fn the_outcome_names_somebody_of_the_line_up_a_draw_or_void() {
        let all = contest(&["ada", "bob"]);
        for outcome in ["ada_wins", "bob_wins", "draw", "void"] {
            assert_eq!(all.read(&conclusion(outcome, "Its case held.")).unwrap().0, outcome);
        }
        for outcome in ["eve_wins", "affirmative_wins", "negative_wins", "ada", "Draw"] {
            assert!(all.read(&conclusion(outcome, "Its case held.")).is_err(), "{outcome}");
        }
    }

    #[test]
    fn a_debater_with_a_fabricated_source_cannot_win() {
        let faults = contest(&["bob"]).read(&conclusion("ada_wins", "Its case held.")).unwrap_err();
        assert!(faults.to_string().contains("fabricated source"), "{faults}");
        assert!(!contest(&["bob"]).schema().to_string().contains("ada_wins"));
    }

    #[test]
    fn the_reason_names_no_other_winner_than_the_outcome() {
        let faults = contest(&["ada", "bob"]).read(&conclusion("draw", "Clearly Ada wins.")).unwrap_err();
        assert_eq!(faults.0[0].at, "reason");
    }

    #[test]
    fn a_name_within_another_name_is_not_that_name() {
        let names: Vec<String> = ["ann", "mary-ann"].map(String::from).into();
        let contest = Contest { names: names.clone(), eligible: names };
        let each = |name: &str| json!({"debater": name, "assessment": "It argued from its sources."});
        let read = |outcome: &str| {
            let value = json!({"assessments": [each("ann"), each("mary-ann")],
                "reason": "Clearly mary-ann wins on seq 4.", "outcome": outcome});
            contest.read(&value.to_string())
        };
        assert!(read("mary-ann_wins").is_ok() && read("ann_wins").is_err());
    }

    #[test]
    fn every_debater_is_assessed() {
        let value = r#"{"assessments": [], "reason": "It held.", "outcome": "draw"}"#;
        assert_eq!(contest(&[]).read(value).unwrap_err().0.len(), 2);
    }

    #[test]
    fn small_decisions_have_one_form() {
        assert_eq!(questions(r#"{"relay": [true, false]}"#, 2), Ok(vec![true, false]));
        assert!(questions(r#"{"relay": [true]}"#, 2).is_err());
        assert_eq!(
            ending(r#"{"reason": "All is said.", "natural_end": true}"#),
            Ok((true, "All is said.".into()))
        );
        assert!(ending(r#"{"reason": "All is said.", "natural_end": "yes"}"#).is_err());
        assert!(clarification(r#"{"ruling": ""}"#).is_err());
        assert!(unresolved(r#"{"points": []}"#, &DebateLog::default()).is_err());
    }
}
