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

use agon_core::form::{FormField, Holds};
use serde::Deserialize;
use serde_json::Value;

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
    /// Why this step has no place in an answer of the form `whole`, or in prose without one, as a sentence.
    pub fn find_fault(&self, whole: Option<&FormField>) -> Option<String> {
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
    /// The form that the piece must keep to, out of the answer's, which is `None` for prose; `None` where the piece is a text
    /// in prose.
    ///
    /// # Errors
    /// A sentence, where the answer's form has no such place.
    pub fn piece_schema(&self, answer: Option<&FormField>) -> Result<Option<FormField>, String> {
        let is_whole = self.at.is_empty() && self.fields.is_empty() && self.scale.is_empty();
        if self.is_aside() || (answer.is_none() && is_whole) {
            return Ok(None);
        }
        let place = answer.and_then(|form| form.find_field(&self.at));
        let place = place.ok_or_else(|| format!("the answer has no place {}", self.at))?;
        let place = match &self.kind {
            Some(kind) => find_alternative(place, kind).ok_or_else(|| format!("{} has no kind {kind}", self.at))?,
            None => place,
        };
        if self.scale.len() > GRADES_MAX {
            return Err(format!("{}: a scale has {GRADES_MAX} grades at most", self.at));
        }
        if !self.scale.is_empty() && place.named_type != Some(Holds::Number) {
            return Err(format!("{} is not a number", self.at));
        }
        if self.fields.is_empty() {
            let is_text = place.holds() == Some(Holds::Text) && place.examples.is_empty();
            return Ok((!is_text).then(|| place.clone().with_examples_as_choices()));
        }
        let named = self.fields.iter().map(|name| match place.fields.get(name) {
            Some(field) => Ok((name.clone(), field.clone().with_examples_as_choices())),
            None => Err(format!("{} has no field {name}", self.at)),
        });
        Ok(Some(FormField::from_fields(named.collect::<Result<_, _>>()?)))
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
    pub fn weigh_grades(&self, weights: &[f32]) -> f64 {
        let mean: f64 = self.scale.iter().zip(weights).map(|(value, weight)| value * f64::from(*weight)).sum();
        (mean * SCORE_STEPS).round() / SCORE_STEPS
    }
}

/// The alternative of a place whose field `kind` is `kind`.
fn find_alternative<'f>(place: &'f FormField, kind: &str) -> Option<&'f FormField> {
    let is_kind =
        |one: &&FormField| one.fields.get("kind").is_some_and(|field| field.list_choices().any(|each| each == kind));
    place.variants.iter().find(is_kind)
}
