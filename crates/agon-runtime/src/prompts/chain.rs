//! Prompt chains: one answer, asked for piece by piece (decomposed prompting, Khot et al. 2023). A model of
//! one or two billion parameters writes a good sentence, and no good form of thirty fields. The template of a
//! small model therefore says where the model speaks, and which part of the answer each piece becomes:
//!
//! - `{{ generate("/arguments/0/claim", tokens=60) }}`: the model writes here, one paragraph
//! - `{{ generate("/arguments/0", fields=["title", "warrant"]) }}`: it fills these fields, by the answer's schema
//! - `{{ generate("/entries/0/content", begins="[CONJECTURE]") }}`: the text begins with these words, from which the
//!   model goes on
//! - `{{ generate("/arguments/0/claim", after="It is right because") }}`: the model goes on from these words, and the
//!   text is what follows them
//! - `{{ generate("/scores/0/score", scale=[-0.6, 0, 0.6]) }}`: it is asked for a grade from 1 to 3, and the number
//!   is the mean of these values, weighted by how likely it finds each grade (Liu et al. 2023, G-Eval)
//! - `{{ fix("/stance", position) }}`: the program writes this part
//! - `{{ balance("/scores", "score") }}`: the program moves these numbers so that they sum to zero
//!
//! A pointer is a JSON pointer (RFC 6901) into the answer; in an answer of plain prose it is empty. A text that is asked
//! for again gets another paragraph. The pieces stay in the conversation, so the model
//! sees what it wrote, and nothing is read twice.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::message::ChatMessage;

/// Most tokens of a piece whose template does not say how many.
const TOKENS_DEFAULT: u32 = 160;
/// Numbers are multiples of one divided by this.
const SCORE_STEPS: f64 = 100.0;
/// Most grades of a scale: each is one digit.
const GRADES_MAX: usize = 9;

/// Which layer of templates a model is asked with: a property of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModelSize {
    /// A model that follows a page of instructions and fills a large form at once.
    #[default]
    Large,
    /// A model of a few billion parameters. It gets the template `small/NAME` where there is one.
    Small,
}

/// One step of a chain, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum ChainStep {
    /// Something is said to the model, or in its name.
    Say(ChatMessage),
    /// The model writes.
    Generate(AnswerPiece),
    /// The program writes `value` at the pointer `at`.
    Fix {
        /// Where.
        at: String,
        /// What.
        value: Value,
    },
    /// The numbers `field` of the list at the pointer `at` are moved so that they sum to zero.
    Balance {
        /// The list.
        at: String,
        /// The number of each of its objects.
        field: String,
    },
}

/// A piece of an answer that the model writes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AnswerPiece {
    /// Where it goes, as a JSON pointer.
    pub at: String,
    /// The fields of an object that are filled in; none for a text, or for a value by its schema.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Of alternative objects, the one whose field `kind` has this value.
    #[serde(default)]
    pub kind: Option<String>,
    /// Words with which the text begins, put into the model's mouth.
    #[serde(default)]
    pub begins: String,
    /// Words that are put into its mouth before these, and are not part of the text.
    #[serde(default)]
    pub after: String,
    /// What the grades 1, 2, 3, … stand for, where a number is asked for as a grade; at most nine.
    #[serde(default)]
    pub scale: Vec<f64>,
    /// Of a text: most sentences that are kept; 0 keeps all.
    #[serde(default)]
    pub sentences: usize,
    /// Most tokens.
    #[serde(default = "tokens_default")]
    pub tokens: u32,
}

fn tokens_default() -> u32 {
    TOKENS_DEFAULT
}

/// What a template marks, as the renderer carries it between its private marks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub(super) enum StepMark {
    Generate(AnswerPiece),
    Fix { at: String, value: Value },
    Balance { at: String, field: String },
}

impl From<StepMark> for ChainStep {
    fn from(mark: StepMark) -> Self {
        match mark {
            StepMark::Generate(piece) => Self::Generate(piece),
            StepMark::Fix { at, value } => Self::Fix { at, value },
            StepMark::Balance { at, field } => Self::Balance { at, field },
        }
    }
}

impl AnswerPiece {
    /// The schema that the piece must keep to, out of the answer's; `None` where it is a text in prose.
    ///
    /// # Errors
    /// A sentence, where the answer's schema has no such place.
    pub fn schema(&self, answer: &Value) -> Result<Option<Value>, String> {
        if answer.is_null() && self.at.is_empty() && self.fields.is_empty() && self.scale.is_empty() {
            return Ok(None);
        }
        let place = below(answer, &self.at).ok_or_else(|| format!("the answer has no place {}", self.at))?;
        let place = match &self.kind {
            Some(kind) => {
                alternative(place, kind).ok_or_else(|| format!("{} has no kind {kind}", self.at))?
            }
            None => place,
        };
        if self.scale.len() > GRADES_MAX {
            return Err(format!("{}: a scale has {GRADES_MAX} grades at most", self.at));
        }
        if !self.scale.is_empty() && place["type"] != "number" {
            return Err(format!("{} is not a number", self.at));
        }
        if self.fields.is_empty() {
            let is_text = place["type"] == "string" && place.get("enum").is_none();
            return Ok((!is_text).then(|| place.clone()));
        }
        let mut properties = Map::new();
        for field in &self.fields {
            let schema = &place["properties"][field];
            if schema.is_null() {
                return Err(format!("{} has no field {field}", self.at));
            }
            properties.insert(field.clone(), schema.clone());
        }
        Ok(Some(json!({
            "type": "object", "properties": properties, "required": self.fields, "additionalProperties": false,
        })))
    }

    /// Words that the model goes on from, as if it had written them.
    pub fn lead(&self) -> String {
        format!("{} {}", self.after, self.begins).trim().to_owned()
    }

    /// The grades to choose from, as the model writes them.
    pub fn grades(&self) -> Vec<String> {
        (1..=self.scale.len()).map(|grade| grade.to_string()).collect()
    }

    /// The number that grades with these probabilities stand for, to two decimals.
    pub fn graded(&self, weights: &[f32]) -> Value {
        let mean: f64 =
            self.scale.iter().zip(weights).map(|(value, weight)| value * f64::from(*weight)).sum();
        json!((mean * SCORE_STEPS).round() / SCORE_STEPS)
    }
}

/// The schema of the place that `pointer` names in an answer of `schema`; of alternative objects, the first that has it.
fn below<'s>(schema: &'s Value, pointer: &str) -> Option<&'s Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, segment| {
        let step = |schema: &'s Value| match segment.parse::<usize>() {
            Ok(_) => schema.get("items"),
            Err(_) => schema.get("properties")?.get(segment),
        };
        step(schema).or_else(|| schema.get("anyOf")?.as_array()?.iter().find_map(step))
    })
}

/// The alternative of a place whose field `kind` is `kind`.
fn alternative<'s>(place: &'s Value, kind: &str) -> Option<&'s Value> {
    let is_kind = |one: &&Value| {
        one["properties"]["kind"]["enum"]
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(|each| each == kind))
    };
    place["anyOf"].as_array()?.iter().find(is_kind)
}

/// An answer that is put together.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembly(Value);

impl Default for Assembly {
    fn default() -> Self {
        Self(Value::Object(Map::new()))
    }
}

impl Assembly {
    /// Puts what the model wrote for `piece` where it belongs; fields join those that are there.
    ///
    /// # Errors
    /// A sentence, where the text is not what the piece asks for.
    pub fn put(&mut self, piece: &AnswerPiece, text: &str, schema: Option<&Value>) -> Result<(), String> {
        let Some(schema) = schema else {
            let text = first_sentences(&paragraph(text), piece.sentences);
            let text = format!("{} {}", piece.begins, behind(&text, &piece.lead())).trim().to_owned();
            let text = if piece.after.is_empty() { text } else { capitalized(&text) };
            match self.at(&piece.at) {
                Value::String(prose) => {
                    prose.push_str("\n\n");
                    prose.push_str(&text);
                }
                place => *place = Value::String(text),
            }
            return Ok(());
        };
        let value: Value =
            serde_json::from_str(text.trim()).map_err(|error| format!("{}: {error}", piece.at))?;
        match (schema["type"] == "object", value) {
            (true, Value::Object(fields)) => {
                let place = self.at(&piece.at);
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                if let Value::Object(known) = place {
                    known.extend(fields);
                }
            }
            (_, value) => *self.at(&piece.at) = value,
        }
        Ok(())
    }

    /// Writes `value` at the pointer `at`.
    pub fn fix(&mut self, at: &str, value: Value) {
        *self.at(at) = value;
    }

    /// Moves the numbers `field` of the list at `at` so that they sum to zero: their mean is taken from each,
    /// and the one furthest from zero bears what rounding leaves.
    pub fn balance(&mut self, at: &str, field: &str) {
        let Value::Array(items) = self.at(at) else { return };
        let given: Vec<f64> = items.iter().filter_map(|item| item[field].as_f64()).collect();
        if given.is_empty() || given.len() < items.len() {
            return;
        }
        let mean = given.iter().sum::<f64>() / given.len() as f64;
        let widest = given.iter().map(|number| (number - mean).abs()).fold(1.0, f64::max);
        // Whole steps, so that the sum is exact.
        let mut steps: Vec<i64> =
            given.iter().map(|number| ((number - mean) / widest * SCORE_STEPS).round() as i64).collect();
        let rest: i64 = steps.iter().sum();
        let may = steps.iter_mut().filter(|step| (**step - rest).abs() as f64 <= SCORE_STEPS);
        if let Some(bearer) = may.max_by_key(|step| step.abs()) {
            *bearer -= rest;
        }
        for (item, step) in items.iter_mut().zip(steps) {
            item[field] = json!(step as f64 / SCORE_STEPS);
        }
    }

    /// The answer: prose, or JSON.
    pub fn text(&self) -> String {
        match &self.0 {
            Value::String(prose) => prose.clone(),
            form => form.to_string(),
        }
    }

    /// The place of `pointer`, made where it is missing.
    fn at(&mut self, pointer: &str) -> &mut Value {
        let mut place = &mut self.0;
        for segment in pointer.split('/').skip(1) {
            place = match segment.parse::<usize>() {
                Ok(index) => {
                    if !place.is_array() {
                        *place = Value::Array(Vec::new());
                    }
                    let Value::Array(items) = place else { unreachable!("made an array above") };
                    if items.len() <= index {
                        items.resize(index + 1, Value::Null);
                    }
                    &mut items[index]
                }
                Err(_) => {
                    if !place.is_object() {
                        *place = Value::Object(Map::new());
                    }
                    let Value::Object(fields) = place else { unreachable!("made an object above") };
                    fields.entry(segment.to_owned()).or_insert(Value::Null)
                }
            };
        }
        place
    }
}

/// `text` as one paragraph that ends with a sentence: what follows the last full stop was cut off.
fn paragraph(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(|c: char| c == '"' || c == '*' || c == '`' || c.is_whitespace());
    let ends = |c: char| matches!(c, '.' | '!' | '?');
    match text.rfind(ends) {
        Some(end) if !text.ends_with(ends) => text[..=end].to_owned(),
        _ => text.to_owned(),
    }
}

/// What followed `lead`, also where the model wrote the lead again.
fn behind<'t>(text: &'t str, lead: &str) -> &'t str {
    if lead.is_empty() {
        return text;
    }
    let again = text.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead));
    let rest = if again { &text[lead.len()..] } else { text };
    rest.trim_start_matches([' ', ',', ':', '\u{2026}'])
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Where sentences of `text` end: behind the sign, where a blank and no small letter follow.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1).filter(|end| {
        let mut rest = text[*end..].chars();
        rest.next().is_none_or(char::is_whitespace) && rest.next().is_none_or(|next| !next.is_lowercase())
    })
}

/// The first `count` sentences of `text`; all of them where it is 0.
fn first_sentences(text: &str, count: usize) -> String {
    match sentence_ends(text).nth(count.wrapping_sub(1)) {
        Some(end) if count > 0 => text[..end].to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        let text = json!({"type": "string"});
        json!({"type": "object", "properties": {
            "stance": {"type": "string", "enum": ["for"]},
            "arguments": {"type": "array", "items": {"type": "object", "properties": {
                "title": text, "claim": text, "grounds": {"type": "array", "items": {
                    "type": "object", "properties": {"source": text, "content": text}}},
            }}},
            "scores": {"type": "array", "items": {"type": "object", "properties": {"score": {"type": "number"}}}},
        }})
    }

    fn piece(at: &str, fields: &[&str]) -> AnswerPiece {
        AnswerPiece {
            at: at.into(),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
            kind: None,
            begins: String::new(),
            after: String::new(),
            scale: Vec::new(),
            sentences: 0,
            tokens: 10,
        }
    }

    #[test]
    fn of_alternatives_the_one_of_a_kind_is_asked_for() {
        let one = |kind: &str| json!({"type": "object", "properties": {"kind": {"enum": [kind]}, "text": {"type": "string"}}});
        let answer = json!({"properties": {"support": {"items": {"anyOf": [one("source"), one("turn")]}}}});
        let of = |kind: &str| AnswerPiece { kind: Some(kind.into()), ..piece("/support/0", &[]) };
        assert_eq!(of("turn").schema(&answer), Ok(Some(one("turn"))));
        assert_eq!(of("url").schema(&answer), Err("/support/0 has no kind url".into()));
    }

    #[test]
    fn a_piece_takes_its_schema_from_the_answers() {
        let prose = piece("/arguments/1/grounds/0/content", &[]);
        assert_eq!(prose.schema(&schema()), Ok(None));
        let fields = piece("/arguments/0", &["claim", "title"]).schema(&schema()).unwrap().unwrap();
        assert_eq!(fields["required"], json!(["claim", "title"]));
        assert_eq!(piece("/stance", &[]).schema(&schema()).unwrap().unwrap()["enum"], json!(["for"]));
        assert!(piece("/arguments/0", &["colour"]).schema(&schema()).is_err());
        assert!(piece("/motion", &[]).schema(&schema()).is_err());
    }

    #[test]
    fn pieces_become_one_answer() {
        let mut answer = Assembly::default();
        let put = |answer: &mut Assembly, piece: AnswerPiece, text: &str| {
            let schema = piece.schema(&schema()).unwrap();
            answer.put(&piece, text, schema.as_ref())
        };
        put(&mut answer, piece("/arguments/0/grounds/0/content", &[]), "It\n helps. It also").unwrap();
        put(&mut answer, piece("/arguments/0", &["title"]), "{\"title\": \"Help\"}").unwrap();
        put(&mut answer, piece("/arguments/0", &["claim"]), "{\"claim\": \"It helps\"}").unwrap();
        answer.fix("/arguments/0/grounds/0/source", json!("own reasoning"));
        answer.fix("/stance", json!("for"));
        let given: Value = serde_json::from_str(&answer.text()).unwrap();
        assert_eq!(
            given,
            json!({"stance": "for", "arguments": [{"title": "Help", "claim": "It helps",
                "grounds": [{"content": "It helps.", "source": "own reasoning"}]}]})
        );
        assert!(put(&mut answer, piece("/arguments/0", &["title"]), "no form").is_err());
    }

    #[test]
    fn pieces_of_an_answer_without_a_form_are_paragraphs() {
        let mut answer = Assembly::default();
        for text in ["I think so. It", "**One more thing.**"] {
            let piece = piece("", &[]);
            assert_eq!(piece.schema(&Value::Null), Ok(None));
            answer.put(&piece, text, None).unwrap();
        }
        assert_eq!(answer.text(), "I think so.\n\nOne more thing.");
        assert!(piece("/claim", &[]).schema(&Value::Null).is_err());
        assert!(piece("", &["claim"]).schema(&Value::Null).is_err());
    }

    #[test]
    fn a_text_that_is_asked_for_again_gets_another_paragraph_behind_its_first_words() {
        let one =
            |kind: &str| json!({"properties": {"type": {"enum": [kind]}, "content": {"type": "string"}}});
        let schema = json!({"properties": {"entries": {"items": {"anyOf": [one("point"), one("guess")]}}}});
        let mut answer = Assembly::default();
        let first = AnswerPiece { begins: "[CONJECTURE]".into(), ..piece("/entries/0/content", &[]) };
        for (piece, text) in [(first, "It may help."), (piece("/entries/0/content", &[]), "It also may not.")]
        {
            assert_eq!(piece.schema(&schema), Ok(None));
            answer.put(&piece, text, None).unwrap();
        }
        let given: Value = serde_json::from_str(&answer.text()).unwrap();
        assert_eq!(given["entries"][0]["content"], "[CONJECTURE] It may help.\n\nIt also may not.");
    }

    #[test]
    fn what_follows_a_lead_is_a_sentence_of_its_own() {
        let piece = AnswerPiece { after: "We should, because".into(), ..piece("/stance", &[]) };
        assert_eq!(piece.lead(), "We should, because");
        for text in ["it helps.", " it helps. And", "we should, because it helps."] {
            let mut answer = Assembly::default();
            answer.put(&piece, text, None).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&answer.text()).unwrap()["stance"], "It helps.");
        }
        let piece = AnswerPiece { after: "If we do,".into(), begins: "we gain".into(), ..piece };
        assert_eq!(piece.lead(), "If we do, we gain");
        let mut answer = Assembly::default();
        answer.put(&piece, "time for more.", None).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&answer.text()).unwrap()["stance"],
            "We gain time for more."
        );
    }

    #[test]
    fn a_place_that_no_alternative_has_is_told() {
        let schema =
            json!({"properties": {"entries": {"items": {"anyOf": [{"properties": {"content": {}}}]}}}});
        assert!(piece("/entries/0/colour", &[]).schema(&schema).is_err());
    }

    #[test]
    fn a_text_keeps_as_many_sentences_as_were_asked_for() {
        for (count, wanted) in [
            (0, "It costs 3.5 hours, e.g. here. So no. Never."),
            (1, "It costs 3.5 hours, e.g. here."),
            (2, "It costs 3.5 hours, e.g. here. So no."),
        ] {
            let mut answer = Assembly::default();
            let piece = AnswerPiece { sentences: count, ..piece("/stance", &[]) };
            answer.put(&piece, "It costs 3.5 hours, e.g. here. So no. Never. And", None).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&answer.text()).unwrap()["stance"], wanted);
        }
    }

    #[test]
    fn a_grade_is_the_mean_of_its_scale_by_probability() {
        let score = AnswerPiece { scale: vec![-0.6, 0.0, 0.6], ..piece("/scores/0/score", &[]) };
        assert_eq!(score.grades(), ["1", "2", "3"]);
        assert_eq!(score.graded(&[0.0, 0.0, 1.0]), json!(0.6));
        assert_eq!(score.graded(&[0.25, 0.5, 0.25]), json!(0.0));
        assert_eq!(score.graded(&[0.1, 0.4, 0.5]), json!(0.24));
        assert!(score.schema(&schema()).is_ok());
        assert!(AnswerPiece { at: "/stance".into(), ..score.clone() }.schema(&schema()).is_err());
        assert!(
            AnswerPiece { scale: vec![0.0; 10], ..score }.schema(&schema()).is_err(),
            "ten is two digits"
        );
    }

    #[test]
    fn balanced_numbers_sum_to_zero_and_keep_their_order() {
        for given in
            [vec![0.8, 0.7, 0.7], vec![1.0, -1.0, -1.0, 0.9], vec![0.3], vec![0.5; 7], vec![-1.0, 1.0, 1.0]]
        {
            let mut answer = Assembly::default();
            given
                .iter()
                .enumerate()
                .for_each(|(i, score)| answer.fix(&format!("/scores/{i}/score"), json!(score)));
            answer.balance("/scores", "score");
            let balanced: Value = serde_json::from_str(&answer.text()).unwrap();
            let balanced: Vec<f64> = balanced["scores"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["score"].as_f64().unwrap())
                .collect();
            let sum: f64 = balanced.iter().sum();
            assert!(
                sum.abs() < 1e-9 && balanced.iter().all(|score| score.abs() <= 1.0),
                "{given:?}: {balanced:?}"
            );
            for (i, j) in (0..given.len()).flat_map(|i| (0..given.len()).map(move |j| (i, j))) {
                assert!(
                    given[i] <= given[j] || balanced[i] >= balanced[j] - 0.021,
                    "{given:?}: {balanced:?}"
                );
            }
        }
    }
}
