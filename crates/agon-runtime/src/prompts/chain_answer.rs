//! The answer that the pieces of a chain are put together to.

use agon_core::form::{FormField, Holds};
use agon_text::{Span, capitalise_first, ends_sentence, find_figures, split_sentences};
use serde::Serialize;
use serde_json::{Value, json};

use super::chain::{AnswerPiece, PLACES_MAX};

/// An answer that is put together.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainAnswer(Value);

impl Default for ChainAnswer {
    fn default() -> Self {
        Self(json!({}))
    }
}

impl ChainAnswer {
    /// Puts what the model wrote for `piece` where it belongs; fields join those that are there.
    ///
    /// # Errors
    /// A sentence, where the text is not what the piece asks for.
    pub fn put_piece(&mut self, piece: &AnswerPiece, text: &str, schema: Option<&FormField>) -> Result<(), String> {
        let Some(schema) = schema else {
            if piece.is_aside() {
                return Ok(());
            }
            if piece.verbatim {
                *self.place_at(&piece.at) = quoted_line(text).into();
                return Ok(());
            }
            let text = format!("{} {}", piece.begins, extract_prose(piece, text)).trim().to_owned();
            let is_led = !piece.after.is_empty() || (piece.continues && piece.begins.is_empty());
            let text = if is_led { capitalise_first(&text) } else { text };
            match self.place_at(&piece.at) {
                Value::String(prose) => {
                    prose.push_str("\n\n");
                    prose.push_str(&text);
                }
                place => *place = text.into(),
            }
            return Ok(());
        };
        let value = serde_json::from_str(text.trim()).map_err(|error| format!("{}: {error}", piece.at))?;
        match (value, self.place_at(&piece.at)) {
            (Value::Object(fields), Value::Object(known)) if schema.named_type == Some(Holds::Fields) => {
                known.extend(fields)
            }
            (value, place) => *place = value,
        }
        Ok(())
    }

    /// Writes `value` at the pointer `at`.
    pub fn set_value(&mut self, at: &str, value: impl Serialize) {
        *self.place_at(at) = json!(value);
    }

    /// The answer: prose, or JSON.
    pub fn render_text(&self) -> String {
        match &self.0 {
            Value::String(prose) => prose.clone(),
            form => form.to_string(),
        }
    }

    /// The place of `pointer`, made where it is missing.
    fn place_at(&mut self, pointer: &str) -> &mut Value {
        let mut place = &mut self.0;
        for segment in pointer.split('/').skip(1) {
            place = match segment.parse::<usize>() {
                Ok(index) => {
                    // Larger ones are refused before anything is asked.
                    let index = index.min(PLACES_MAX);
                    if !place.is_array() {
                        *place = json!([]);
                    }
                    if let Some(items) = place.as_array_mut() {
                        items.resize(items.len().max(index + 1), json!(null));
                    }
                    &mut place[index]
                }
                Err(_) => {
                    if !place.is_object() {
                        *place = json!({});
                    }
                    &mut place[segment]
                }
            };
        }
        place
    }
}

/// What is kept of a text that the model wrote for `piece`, without the words that it was to continue.
pub fn extract_prose(piece: &AnswerPiece, text: &str) -> String {
    strip_lead(&first_sentences(&normalize_paragraph(text), piece.sentences), &piece.lead_words()).to_owned()
}

/// Whether `text` has as many sentences as `piece` takes, and more.
pub fn is_enough(piece: &AnswerPiece, text: &str) -> bool {
    let end = piece.sentences.checked_sub(1).and_then(|last| sentence_ends(text).nth(last));
    end.is_some_and(|end| !text[end..].trim().is_empty())
}

/// `text` as one paragraph that ends with a sentence: what follows the last full stop was cut off.
fn normalize_paragraph(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(|c: char| c == '"' || c == '*' || c == '`' || c.is_whitespace());
    sentence_ends(text).last().map_or(text, |end| &text[..end]).to_owned()
}

/// The line that a model quotes, without the marks that it puts around all of it.
fn quoted_line(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    ['`', '"'].iter().fold(line, |line, mark| {
        let within = line.strip_prefix(*mark).and_then(|rest| rest.strip_suffix(*mark));
        within.filter(|within| !within.is_empty() && !within.contains(*mark)).unwrap_or(line)
    })
}

/// What followed `lead`, also where the model wrote the lead again.
fn strip_lead<'t>(text: &'t str, lead: &str) -> &'t str {
    if lead.is_empty() {
        return text;
    }
    let again = text.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead));
    let rest = if again { &text[lead.len()..] } else { text };
    rest.trim_start_matches([' ', ',', ':', '\u{2026}'])
}

/// A word with its full stop of at most so many characters may be an abbreviation, as `Prof.`, and ends no sentence.
const SHORT_CHARS_MAX: usize = 5;

/// Where sentences of `text` end: behind their mark.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let is_whole = |one: &Span<'_>| !one.text.ends_with('.') || one.text.chars().count() > SHORT_CHARS_MAX;
    let all = split_sentences(text).into_iter().map(Span::trim);
    all.filter(move |one| ends_sentence(one.text) && is_whole(one)).map(|one| one.range.end)
}

/// The sentences of `text` that state no figure: a small model makes them up.
pub fn own_words(text: &str) -> String {
    let mut from = 0;
    let mut kept = Vec::new();
    for end in sentence_ends(text).chain([text.len()]) {
        let sentence = text[from..end].trim();
        if !sentence.is_empty() && find_figures(sentence).is_empty() {
            kept.push(sentence);
        }
        from = end;
    }
    kept.join(" ")
}

/// Whether `kept` still begins with the first words of `text`.
pub fn begins_alike(text: &str, kept: &str) -> bool {
    let words = |text: &str| text.split_whitespace().take(4).map(str::to_owned).collect::<Vec<_>>();
    words(text) == words(kept)
}

/// The first `count` sentences of `text`; all of them where it is 0.
fn first_sentences(text: &str, count: usize) -> String {
    match sentence_ends(text).nth(count.wrapping_sub(1)) {
        Some(end) if count > 0 => text[..end].to_owned(),
        _ => text.to_owned(),
    }
}
