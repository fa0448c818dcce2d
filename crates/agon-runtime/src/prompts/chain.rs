//! Prompt chains: one answer, asked for piece by piece (decomposed prompting, Khot et al. 2023). A model of
//! one or two billion parameters writes a good sentence, and no good form of thirty fields. The template of a
//! small model therefore says where the model speaks, and which part of the answer each piece becomes:
//!
//! - `{{ generate("/arguments/0/claim", tokens=60) }}`: the model writes here, one paragraph
//! - `{{ generate("/arguments/0", fields=["title", "warrant"]) }}`: it fills these fields, by the answer's schema
//! - `{{ generate("/entries/0/content", begins="[CONJECTURE]") }}`: the text begins with these words, which the model
//!   continues
//! - `{{ generate("/arguments/0/claim", after="It is right because") }}`: the model continues these words, and the
//!   text is what follows them
//! - `{{ generate("/grades/0/grade", scale=[2, 5, 8]) }}`: it is asked for a grade from 1 to 3, and the number
//!   is the mean of these values, weighted by how likely it finds each grade (Liu et al. 2023, G-Eval)
//! - `{{ generate("/answers/0/quote", verbatim=true) }}`: the text is one line, kept as it is
//! - `{{ generate("/arguments/0/warrant", own_words=true) }}`: without sentences that state a figure
//! - `{{ generate("", note="opinion", temperature=0) }}`: the text is kept under a name, and not a part of the answer
//! - `{{ written("opinion") }}`: what was written under this name; a piece of the answer can have one, too
//! - `{{ generate("/arguments/0/grounds/0/content", continues=true) }}`: the text continues where the model's last message
//!   ended
//! - `{{ fix("/stance", position) }}`: the program writes this part
//! - `{{ part() }}`: a part begins, in which the model sees what was said before the first part, and nothing of the parts
//!   between
//!
//! A pointer is a JSON pointer (RFC 6901) into the answer; in an answer of plain prose it is empty. A text that is asked
//! for again gets another paragraph. The pieces of a part stay in the conversation, so the model
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

/// One step of a chain, in order, as the renderer carries it between its private marks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum ChainStep {
    /// Something is said to the model, or in its name. No mark says so.
    #[serde(skip)]
    Say(ChatMessage),
    /// The model writes.
    Generate(AnswerPiece),
    /// The conversation returns to where it was when the first part began.
    Part,
    /// The program writes `value` at the pointer `at`.
    Fix {
        /// Where.
        at: String,
        /// What.
        value: Value,
    },
}

/// A piece of an answer that the model writes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerPiece {
    /// Where it goes, as a JSON pointer.
    pub at: String,
    /// The fields of an object that are filled in; none for a text, or for a value by its schema.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Of alternative objects, the one whose field `kind` has this value.
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
    /// The text is a quotation: one line that is kept as the model wrote it.
    #[serde(default)]
    pub verbatim: bool,
    /// Of a text: sentences that state a figure are left out. A small model invents figures.
    #[serde(default)]
    pub own_words: bool,
    /// Of a text: most sentences that are kept; 0 keeps all.
    #[serde(default)]
    pub sentences: usize,
    /// The name under which the text is kept for later prompts; empty for none. Without a place in the answer the text
    /// is nothing else.
    #[serde(default)]
    pub note: String,
    /// The text continues the message before it, where that is the model's.
    #[serde(default)]
    pub continues: bool,
    /// Another temperature than the call's.
    pub temperature: Option<f32>,
    /// Most tokens.
    #[serde(default = "tokens_default")]
    pub tokens: u32,
}

fn tokens_default() -> u32 {
    TOKENS_DEFAULT
}

/// The list of an answer has at most so many places: a template of a project must not exhaust the memory.
pub(super) const PLACES_MAX: usize = 1_000;

impl ChainStep {
    /// Why this step has no place in an answer of the schema `whole`, as a sentence.
    pub fn find_fault(&self, whole: &Value) -> Option<String> {
        let (at, fault) = match self {
            Self::Say(_) | Self::Part => return None,
            Self::Generate(piece) => (&piece.at, piece.piece_schema(whole).err()),
            Self::Fix { at, .. } => (at, None),
        };
        let is_beyond = |segment: &str| segment.parse::<usize>().is_ok_and(|index| index >= PLACES_MAX);
        match at.split('/').any(is_beyond) {
            true => Some(format!("{at}: a list has {PLACES_MAX} places at most, counted from 0")),
            false => fault,
        }
    }
}

impl AnswerPiece {
    /// The schema that the piece must keep to, out of the answer's; `None` where it is a text in prose.
    ///
    /// # Errors
    /// A sentence, where the answer's schema has no such place.
    pub fn piece_schema(&self, answer: &Value) -> Result<Option<Value>, String> {
        let is_prose = answer.is_null() && self.at.is_empty() && self.fields.is_empty() && self.scale.is_empty();
        if self.is_aside() || is_prose {
            return Ok(None);
        }
        let place = schema_at(answer, &self.at).ok_or_else(|| format!("the answer has no place {}", self.at))?;
        let place = match &self.kind {
            Some(kind) => find_alternative(place, kind).ok_or_else(|| format!("{} has no kind {kind}", self.at))?,
            None => place,
        };
        if self.scale.len() > GRADES_MAX {
            return Err(format!("{}: a scale has {GRADES_MAX} grades at most", self.at));
        }
        if !self.scale.is_empty() && place["type"] != "number" {
            return Err(format!("{} is not a number", self.at));
        }
        if self.fields.is_empty() {
            let is_text = place["type"] == "string" && place.get("enum").is_none() && place.get("examples").is_none();
            return Ok((!is_text).then(|| examples_only(place)));
        }
        let mut properties = Map::new();
        for field in &self.fields {
            let schema = &place["properties"][field];
            if schema.is_null() {
                return Err(format!("{} has no field {field}", self.at));
            }
            properties.insert(field.clone(), examples_only(schema));
        }
        Ok(Some(json!({
            "type": "object", "properties": properties, "required": self.fields, "additionalProperties": false,
        })))
    }

    /// Whether the text is kept for later prompts only, and no part of the answer.
    pub fn is_aside(&self) -> bool {
        self.at.is_empty() && !self.note.is_empty()
    }

    /// Words that the model continues, as if it had written them.
    pub fn lead_words(&self) -> String {
        format!("{} {}", self.after, self.begins).trim().to_owned()
    }

    /// The grades to choose from, as the model writes them.
    pub fn grade_labels(&self) -> Vec<String> {
        (1..=self.scale.len()).map(|grade| grade.to_string()).collect()
    }

    /// The number that grades with these probabilities stand for, to two decimals.
    pub fn weigh_grades(&self, weights: &[f32]) -> Value {
        let mean: f64 = self.scale.iter().zip(weights).map(|(value, weight)| value * f64::from(*weight)).sum();
        json!((mean * SCORE_STEPS).round() / SCORE_STEPS)
    }
}

/// The schema of the place that `pointer` names in an answer of `schema`; of alternative objects, the first that has it.
fn schema_at<'s>(schema: &'s Value, pointer: &str) -> Option<&'s Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, segment| {
        let step = |schema: &'s Value| match segment.parse::<usize>() {
            Ok(_) => schema.get("items"),
            Err(_) => schema.get("properties")?.get(segment),
        };
        step(schema).or_else(|| schema.get("anyOf")?.as_array()?.iter().find_map(step))
    })
}

/// `schema` with the examples of its texts as the only values: a small model does not copy a sentence letter by letter.
fn examples_only(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(examples_only).collect(),
        Value::Object(fields) => {
            let name = |name: &String, value: &Value| match name == "examples" && value.is_array() {
                true => "enum".to_owned(),
                false => name.clone(),
            };
            let each = fields.iter().map(|(key, value)| (name(key, value), examples_only(value)));
            Value::Object(each.collect())
        }
        other => other.clone(),
    }
}

/// The alternative of a place whose field `kind` is `kind`.
fn find_alternative<'s>(place: &'s Value, kind: &str) -> Option<&'s Value> {
    let is_kind = |one: &&Value| {
        one["properties"]["kind"]["enum"].as_array().is_some_and(|kinds| kinds.iter().any(|each| each == kind))
    };
    place["anyOf"].as_array()?.iter().find(is_kind)
}
