//! The person's own editor, for answers that are longer than a line.

use std::{fs, io, path::PathBuf, process::Command};

use agon_core::form::{FormField, Holds};
use serde_json::{Value, json};

use super::draft::DraftFields;

/// The editor that is set, and its arguments.
pub fn find_editor() -> Option<Vec<String>> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let command = set("VISUAL").or_else(|| set("EDITOR"))?;
    Some(command.split_whitespace().map(str::to_owned).collect())
}

/// Lets the person edit what is at `path`; gives what is there afterwards.
pub async fn edit_file(editor: Vec<String>, path: PathBuf) -> io::Result<String> {
    let edited = tokio::task::spawn_blocking(move || {
        let [program, arguments @ ..] = editor.as_slice() else { return Err(io::Error::other("no editor")) };
        let done = Command::new(program).args(arguments).arg(&path).status()?;
        if done.success() { fs::read_to_string(&path) } else { Err(io::Error::other(format!("{program}: {done}"))) }
    });
    edited.await.map_err(io::Error::other).and_then(|edited| edited)
}

/// What a form wants, to be filled in; at `pointer`, with what is `filled` already.
pub fn build_skeleton(form: &FormField, pointer: &str, filled: &DraftFields) -> Value {
    if let Some(value) = filled.get(pointer) {
        return value.clone();
    }
    match form.holds() {
        Some(Holds::Fields) => {
            let place = |name: &str| format!("{pointer}/{name}");
            let fields = form.fields.iter();
            fields.map(|(name, field)| (name.clone(), build_skeleton(field, &place(name), filled))).collect()
        }
        Some(Holds::List) => {
            let items = form.items.iter().cycle().take(form.min_items.max(1)).enumerate();
            items.map(|(at, item)| build_skeleton(item, &format!("{pointer}/{at}"), filled)).collect()
        }
        Some(Holds::Choice) => form.list_choices().next().cloned().unwrap_or_default(),
        Some(Holds::Whole | Holds::Number) => form.minimum.clone().map_or(json!(0), Into::into),
        Some(Holds::YesNo) => json!(false),
        _ => json!(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_has_every_field_to_fill_in() {
        let schema = json!({"type": "object", "properties": {
            "stance": {"type": "string", "enum": ["for", "against"]},
            "arguments": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {
                "title": {"type": "string"}, "score": {"type": "number", "minimum": -1}}}},
            "blocking": {"type": "boolean"}}});
        let filled = DraftFields::from([("/arguments/1/title".to_owned(), json!("kept"))]);
        let argument = |title: &str| json!({"title": title, "score": -1});
        let wanted = json!({"stance": "for", "arguments": [argument(""), argument("kept")], "blocking": false});
        assert_eq!(build_skeleton(&FormField::from_schema(&schema), "", &filled), wanted);
    }
}
