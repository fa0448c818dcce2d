//! Readings in forms: the two fields of one, its checks, and the second answer that it needs to decide anything.
//!
//! What a text means is said by a seat, as a choice with a quotation ([`agon_core::reading`]). The fields stand in the
//! form of a request that is made anyway. A reading that would decide is confirmed under a permanent key of its own.

use agon_core::{
    Faults, Floor, Key,
    reading::{Doubt, Meaning, QuoteFault, ReadText, Reading},
};
use serde::de::DeserializeOwned;

use super::form::{Field, Reader, choice_kind, form_field, quotation_kind, text_kind};

/// Longest quotation of a reading, in characters.
const QUOTE_CHARS_MAX: u32 = 400;

/// The two fields of a reading: one of `choices`, and the words that decide.
pub fn reading_fields<W: Into<String>>(choices: impl IntoIterator<Item = W>) -> [Field; 2] {
    [form_field("choice", choice_kind(choices)), form_field("quote", text_kind(0, QUOTE_CHARS_MAX))]
}

/// The same for a text that has these passages, of which samples and small models choose one.
pub fn quoting_fields<W: Into<String>>(
    choices: impl IntoIterator<Item = W>,
    passages: impl IntoIterator<Item = String>,
) -> [Field; 2] {
    [form_field("choice", choice_kind(choices)), form_field("quote", quotation_kind(passages))]
}

/// The key under which the reading of an answer `of` is confirmed; `about` tells several of one answer apart.
pub fn confirmation_key(of: &str, about: &str) -> String {
    // Keys have small letters alone.
    format!("{of}/confirm/{}", about.to_lowercase())
}

/// The reading in an object of an answer, or its faults. Where `needs_quote` says so of the choice, the quotation must
/// be words of the text's own author.
pub fn parse_reading<C: DeserializeOwned + Copy>(
    fields: &Reader<'_, '_>,
    text: &ReadText<'_>,
    needs_quote: impl Fn(C) -> bool,
    faults: &mut Faults,
) -> Option<Reading<C>> {
    let choice: C = fields.read_enum("choice", faults)?;
    let quote = fields.optional_text("quote", faults).unwrap_or_default();
    if !needs_quote(choice) {
        // What decides nothing needs no words; those that bear it are kept.
        let quote = Some(quote).filter(|quote| text.check_quote(quote).is_ok()).unwrap_or_default();
        return Some(Reading { choice, quote });
    }
    if let Err(fault) = text.check_quote(&quote) {
        let message = match fault {
            QuoteFault::Missing => fault.to_string(),
            _ => format!("{quote:?}: {fault}"),
        };
        fields.add_fault("quote", message, faults);
        return None;
    }
    Some(Reading { choice, quote })
}

/// Whether the participant that answered under `key` may decide by what it reads.
pub fn is_fit_reader(floor: &Floor<'_>, key: &Key) -> bool {
    floor.answerer(key).is_none_or(|by| !by.is_unfit_reader)
}

/// A reading that decides nothing, for the reason given.
pub fn unclear_reading<C>(read: &Key, why: Doubt) -> Meaning<C> {
    Meaning::Unclear { read: read.clone(), why }
}
