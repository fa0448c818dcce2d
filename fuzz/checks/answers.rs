//! What must hold of every answer, whatever its text: reading ends, its statement is JSON wherever the text was read as JSON,
//! and reading the statement again changes nothing.

use agon_core::{
    answer::{read_answer, speech_fault},
    form::FormField,
};
use serde_json::json;

/// Reads `bytes` as an answer, and panics where that does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let choice = FormField::from_schema(&json!({"type": "object", "required": ["vote", "score"], "properties": {
        "vote": {"enum": ["yes", "no"]}, "score": {"type": "number", "minimum": -1, "maximum": 1},
        "list": {"type": "array", "items": {"type": "string"}}}}));
    for schema in [None, Some(&choice)] {
        let Ok(read) = read_answer(text, schema, &[]) else { continue };
        let again = read_answer(&read.text, schema, &[]);
        let same = again.as_ref().is_ok_and(|again| again.text == read.text && again.notes.is_empty());
        assert!(same || read.text.trim().is_empty(), "{text:?} is read as {read:?} and then as {again:?}");
        assert!(schema.is_some() || read.notes.is_empty(), "prose is not read otherwise: {read:?}");
    }
    let _ = speech_fault(text);
}
