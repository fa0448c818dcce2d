//! From plain words to a form: a sentence into the field that is for words, lines with labels into
//! theirs. What cannot be told is asked for, never guessed.

use serde_json::{Map, Value};

use super::{
    Holds, default_value, entry_bounds, field_label, field_type,
    labelled::parse_labelled,
    list_choices, render_word, requires_field,
    values::{is_no, is_nothing, nonblank_lines},
};
use crate::Plain;

/// Whether `text` says that there is nothing to say in a form of `schema` (merged): in a word, or as `no` with the
/// name of one of its fields, such as "No questions" or "no rulings".
pub fn says_nothing(schema: &Value, text: &str) -> bool {
    let fields = schema["properties"].as_object().into_iter().flatten();
    is_nothing(text) || fields.into_iter().any(|(name, of)| is_no(name, of, text))
}

/// The result of fitting plain words into a form.
#[derive(Debug, Clone, PartialEq)]
pub enum Fitted {
    /// A statement.
    Statement(Value),
    /// Which one of several was meant cannot be told: the field, and what may be chosen.
    Which(String, Vec<String>),
    /// They fit no field; the names of those that exist.
    Unfit(Vec<String>),
}

/// The statement that `text` makes in a form of `schema` (merged): a field for each line `label: words`
/// where all are labelled so, else everything in the field that `plain` has for words.
pub fn fit_words(schema: &Value, plain: Option<&Plain>, text: &str) -> Fitted {
    let text = text.trim();
    if let Some(statement) = parse_labelled(schema, text) {
        return Fitted::Statement(statement);
    }
    let path = plain.and_then(|plain| plain.words.as_deref()).or_else(|| only_words(schema));
    let Some(path) = path else { return Fitted::Unfit(list_field_labels(schema)) };
    let path: Vec<&str> = path.split('.').collect();
    put_text_at(schema, &path, text)
}

/// The only field that must be filled in, where it holds words.
fn only_words(schema: &Value) -> Option<&str> {
    let fields = schema["properties"].as_object()?;
    let mut open = fields.iter().filter(|(name, field)| requires_field(schema, name) && default_value(field).is_none());
    let (name, field) = open.next()?;
    (open.next().is_none() && field_type(field) == Some(Holds::Text)).then_some(name.as_str())
}

/// The names of all fields of a form, the inner ones within theirs.
fn list_field_labels(schema: &Value) -> Vec<String> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.filter(|(_, field)| default_value(field).is_none()).map(|(name, field)| field_label(field, name)).collect()
}

/// `text` at `path` within an object of `schema`, everything else as it is given.
fn put_text_at(schema: &Value, path: &[&str], text: &str) -> Fitted {
    let [name, rest @ ..] = path else { return Fitted::Statement(text.into()) };
    let field = &schema["properties"][name];
    match field_type(field) {
        Some(Holds::List) if !rest.is_empty() => {
            let (_, most) = entry_bounds(field);
            let parts = split_list_text(text, most.unwrap_or(1), rest);
            let mut items = Vec::new();
            for part in parts {
                match put_text_at(&field["items"], rest, part) {
                    Fitted::Statement(item) => items.push(item),
                    other => return other,
                }
            }
            complete_object(schema, name, items.into(), text)
        }
        Some(Holds::Fields) => match put_text_at(field, rest, text) {
            Fitted::Statement(inner) => complete_object(schema, name, inner, text),
            other => other,
        },
        Some(Holds::List) => {
            let lines: Vec<Value> = nonblank_lines(text).map(Value::from).collect();
            complete_object(schema, name, lines.into(), text)
        }
        _ => complete_object(schema, name, text.into(), text),
    }
}

/// Questions stand a line each; a statement in paragraphs is one.
fn split_list_text<'t>(text: &'t str, most: usize, path: &[&str]) -> Vec<&'t str> {
    let each: Vec<&str> = nonblank_lines(text).collect();
    let are_questions = path.last() == Some(&"question") && each.iter().all(|line| line.ends_with('?'));
    if are_questions && (2..=most).contains(&each.len()) { each } else { vec![text] }
}

/// An object of `schema` with `value` in `name`; other fields are given, or read off `text`.
fn complete_object(schema: &Value, name: &str, value: Value, text: &str) -> Fitted {
    let mut object = Map::new();
    let mut value = Some(value);
    for (field, of) in schema["properties"].as_object().into_iter().flatten() {
        if field == name {
            object.extend(value.take().map(|value| (field.clone(), value)));
            continue;
        }
        match (default_value(of), requires_field(schema, field)) {
            (Some(given), true) => drop(object.insert(field.clone(), given)),
            (_, false) => {}
            (None, true) => match find_named_choice(of, text) {
                Some(choice) => drop(object.insert(field.clone(), choice)),
                None if field_type(of) == Some(Holds::Choice) => {
                    return Fitted::Which(field_label(of, field), list_choices(of).iter().map(render_word).collect());
                }
                None => return Fitted::Unfit(list_field_labels(schema)),
            },
        }
    }
    infer_entry_fields(schema, &mut object);
    extract_addressee(&mut object);
    Fitted::Statement(object.into())
}

/// A question that begins with whom it is for says so in its field, and once.
fn extract_addressee(object: &mut Map<String, Value>) {
    let (Some(to), Some(text)) =
        (object.get("to").and_then(Value::as_str), object.get("question").and_then(Value::as_str))
    else {
        return;
    };
    let Some((address, question)) = text.split_once(':') else { return };
    let mut words = address.split_whitespace();
    let named = match (words.next(), words.next(), words.next()) {
        (Some(name), None, _) => name,
        (Some(first), Some(name), None) if first.eq_ignore_ascii_case("to") => name,
        _ => return,
    };
    let question = question.trim().to_owned();
    if named.eq_ignore_ascii_case(to) && !question.is_empty() {
        object.insert("question".into(), question.into());
    }
}

/// What an entry of a log is follows from its words: `seq 4: …` answers entry 4, what begins with
/// `[CONJECTURE]` is one, everything else is a new point.
fn infer_entry_fields(schema: &Value, object: &mut Map<String, Value>) {
    let kinds = list_choices(&schema["properties"]["type"]);
    let content = object.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let answered = list_choices(&schema["properties"]["rebuttal_to_seq"]);
    let answers = parse_seq_reference(&content).and_then(|(seq, rest)| {
        Some((answered.iter().find(|known| render_word(known) == seq)?.clone(), rest.to_owned()))
    });
    let kind = match &answers {
        Some((seq, rest)) if kinds.contains(&"rebuttal".into()) => {
            object.insert("rebuttal_to_seq".into(), seq.clone());
            object.insert("content".into(), rest.as_str().into());
            "rebuttal"
        }
        _ if content.starts_with("[CONJECTURE]") => "conjecture",
        _ => "new_point",
    };
    if kinds.len() > 1 && kinds.contains(&kind.into()) {
        object.insert("type".into(), kind.into());
    }
}

/// `seq 4: words` as number and words.
fn parse_seq_reference(text: &str) -> Option<(&str, &str)> {
    let rest = text.get(..3).filter(|start| start.eq_ignore_ascii_case("seq")).map(|_| text[3..].trim_start())?;
    let (seq, words) = rest.split_once(':')?;
    let seq = seq.trim();
    (!seq.is_empty() && seq.bytes().all(|b| b.is_ascii_digit())).then_some((seq, words.trim()))
}

/// The one choice of a field that `text` names as a word of its own.
fn find_named_choice(schema: &Value, text: &str) -> Option<Value> {
    if let Some(kind) = kind_of(schema) {
        return Some(kind);
    }
    let text = text.to_lowercase();
    let says = |choice: &Value| {
        let name = render_word(choice).to_lowercase();
        let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        !name.is_empty()
            && text.match_indices(&name).any(|(at, found)| {
                bound(text[..at].chars().next_back()) && bound(text[at + found.len()..].chars().next())
            })
    };
    let said: Vec<Value> = list_choices(schema).into_iter().filter(says).collect();
    match &said[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Kinds of entries follow from the words.
fn kind_of(schema: &Value) -> Option<Value> {
    list_choices(schema).into_iter().find(|kind| kind == "new_point")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::form::parse_field_value;

    fn questions() -> Value {
        let item = json!({"type": "object", "required": ["to", "question"], "properties": {
            "to": {"type": "string", "enum": ["ada", "bob"], "title": "To"},
            "question": {"type": "string", "minLength": 10}}});
        json!({"type": "object", "required": ["questions"], "properties": {
            "questions": {"type": "array", "minItems": 0, "maxItems": 2, "items": item}}})
    }

    fn plain(words: &str) -> Plain {
        Plain { words: Some(words.into()), ..Plain::default() }
    }

    #[test]
    fn a_question_goes_to_whom_it_names() {
        let fit = |text: &str| fit_words(&questions(), Some(&plain("questions.question")), text);
        let asked = |pairs: &[(&str, &str)]| {
            let all: Vec<Value> = pairs.iter().map(|(to, q)| json!({"to": to, "question": q})).collect();
            Fitted::Statement(json!({"questions": all}))
        };
        let text = "Who pays for the signs, Ada?";
        assert_eq!(fit(text), asked(&[("ada", text)]));
        let two = "Ada, who pays?\n\n  Bob: since when?";
        assert_eq!(fit(two), asked(&[("ada", "Ada, who pays?"), ("bob", "since when?")]));
        assert_eq!(fit("To ada: Who pays?"), asked(&[("ada", "Who pays?")]), "it is said once to whom");
        let which = Fitted::Which("To".into(), vec!["ada".into(), "bob".into()]);
        assert_eq!(fit("Who pays for the signs?"), which);
        assert_eq!(fit("Do ada and bob agree?"), which);
        assert_eq!(fit("Is there a canada goose?"), which);
    }

    #[test]
    fn a_statement_goes_into_its_field_and_the_rest_is_given() {
        let schema = json!({"type": "object", "required": ["entries", "framework"], "properties": {
            "entries": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "object",
                "required": ["type", "content", "sources"], "properties": {
                    "type": {"enum": ["new_point", "rebuttal", "conjecture"]},
                    "rebuttal_to_seq": {"enum": [null, "4", "6"]},
                    "content": {"type": "string", "minLength": 40}, "sources": {"type": "array", "minItems": 0}}}},
            "framework": {"type": "string", "maxLength": 300}}});
        let said = |text: &str| match fit_words(&schema, Some(&plain("entries.content")), text) {
            Fitted::Statement(value) => (value["entries"][0].clone(), value["framework"].clone()),
            other => panic!("{other:?}"),
        };
        let (entry, framework) = said("Signs cost money.\n\nThey do.");
        assert_eq!(entry, json!({"type": "new_point", "content": "Signs cost money.\n\nThey do.", "sources": []}));
        assert_eq!(framework, "");
        let (entry, _) = said("Seq 4: that is not so.");
        assert_eq!((&entry["type"], &entry["rebuttal_to_seq"]), (&json!("rebuttal"), &json!("4")));
        assert_eq!(entry["content"], "that is not so.");
        assert_eq!(said("seq 9: nobody said that.").0["type"], "new_point");
        assert_eq!(said("[CONJECTURE] It may rain.").0["type"], "conjecture");
        // What may be left out is left out, also where only one thing could be chosen.
        let mut one = schema.clone();
        one["properties"]["entries"]["items"]["properties"]["rebuttal_to_seq"] = json!({"enum": ["4"]});
        let Fitted::Statement(value) = fit_words(&one, Some(&plain("entries.content")), "It is so.") else { panic!() };
        assert!(value["entries"][0].get("rebuttal_to_seq").is_none(), "{value}");
    }

    #[test]
    fn plain_words_say_that_a_list_is_empty() {
        let ruling = json!({"type": "object", "required": ["reason"], "properties": {"reason": {"type": "string"}}});
        let rulings = json!({"type": "array", "minItems": 0, "items": ruling, "title": "Rulings on conduct"});
        let schema = json!({"type": "object", "required": ["rulings", "reason"], "properties": {
            "rulings": rulings, "reason": {"type": "string", "minLength": 1}}});
        for words in ["No rulings", "no rulings.", "None", "nothing!", "no ruling", "No rulings on conduct"] {
            assert!(says_nothing(&schema, words), "{words}");
            let text = format!("Reason: it goes on.\nRulings on conduct: {words}");
            let wanted = json!({"rulings": [], "reason": "it goes on."});
            assert_eq!(fit_words(&schema, None, &text), Fitted::Statement(wanted), "{words}");
        }
        for words in ["No rulings are needed but one", "no rule", "no r", "nobody"] {
            assert!(!says_nothing(&schema, words), "{words}");
        }
        let places = json!({"type": "array", "minItems": 0, "items": {"enum": ["none", "top"]}});
        assert_eq!(parse_field_value(&places, "none"), Some(json!(["none"])), "a choice of that name is chosen");
        let least = json!({"type": "array", "minItems": 1, "items": {"type": "string"}});
        assert_eq!(parse_field_value(&least, "none"), Some(json!(["none"])));
    }

    #[test]
    fn lines_with_labels_fill_their_fields() {
        let schema = json!({"type": "object", "required": ["reason", "natural_end"], "properties": {
            "reason": {"type": "string", "minLength": 1}, "seqs": {"type": "array", "items": {"enum": ["3", "4"]}},
            "natural_end": {"type": "boolean", "title": "At its natural end"}}});
        let text = "Reason: nothing new\nwas said.\nat its natural end: Yes\nseqs: 3, 4";
        let wanted = json!({"reason": "nothing new\nwas said.", "natural_end": true, "seqs": ["3", "4"]});
        assert_eq!(fit_words(&schema, None, text), Fitted::Statement(wanted));
        let unfit = Fitted::Unfit(vec!["Reason".into(), "At its natural end".into()]);
        assert_eq!(fit_words(&schema, None, "I think it is over."), unfit);
    }

    #[test]
    fn a_form_of_one_field_takes_any_words() {
        let schema = json!({"type": "object", "required": ["ruling"], "properties": {"ruling": {"type": "string", "minLength": 2}}});
        assert_eq!(fit_words(&schema, None, " One minute. "), Fitted::Statement(json!({"ruling": "One minute."})));
    }
}
