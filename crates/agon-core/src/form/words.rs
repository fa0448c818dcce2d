//! From plain words to a form: a sentence into the field that is for words, lines with labels into
//! theirs. What cannot be told is asked for, never guessed.

use agon_text::has_word;
use serde_json::{Map, Value};

use super::{
    FormField, Holds,
    labelled_lines::parse_labelled,
    render_word,
    values::{is_no, is_nothing, nonblank_lines},
};
use crate::Plain;

/// Whether `text` says that there is nothing to say in `form` (merged): in a word, or as `no` with the
/// name of one of its fields, such as "No questions" or "no rulings".
pub fn says_nothing(form: &FormField, text: &str) -> bool {
    is_nothing(text) || form.fields.iter().any(|(name, field)| is_no(name, field, text))
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

/// The statement that `text` makes in `form` (merged): a field for each line `label: words`
/// where all are labelled so, else everything in the field that `plain` has for words.
pub fn fit_words(form: &FormField, plain: Option<&Plain>, text: &str) -> Fitted {
    let text = text.trim();
    if let Ok(statement) = parse_labelled(form, text) {
        return Fitted::Statement(statement);
    }
    let path = plain.and_then(|plain| plain.words.as_deref()).or_else(|| only_words(form));
    let Some(path) = path else { return Fitted::Unfit(list_field_labels(form)) };
    let path: Vec<&str> = path.split('.').collect();
    put_text_at(form, &path, text)
}

/// The only field that must be filled in, where it holds words.
fn only_words(form: &FormField) -> Option<&str> {
    let mut open =
        form.fields.iter().filter(|(name, field)| form.requires_field(name) && field.default_value().is_none());
    let (name, field) = open.next()?;
    (open.next().is_none() && field.holds() == Some(Holds::Text)).then_some(name.as_str())
}

/// The names of all fields of a form that have to be filled in.
fn list_field_labels(form: &FormField) -> Vec<String> {
    let open = form.fields.iter().filter(|(_, field)| field.default_value().is_none());
    open.map(|(name, field)| field.field_label(name)).collect()
}

/// `text` at `path` within an object of `form`, everything else as it is given.
fn put_text_at(form: &FormField, path: &[&str], text: &str) -> Fitted {
    let [name, rest @ ..] = path else { return Fitted::Statement(text.into()) };
    let field = form.fields.get(*name);
    let value: Value = match field.and_then(|field| Some((field, field.holds()?))) {
        Some((FormField { items: Some(items), max_items, .. }, Holds::List)) if !rest.is_empty() => {
            let mut each = Vec::new();
            for part in split_list_text(text, max_items.unwrap_or(1), rest) {
                match put_text_at(items, rest, part) {
                    Fitted::Statement(item) => each.push(item),
                    other => return other,
                }
            }
            each.into()
        }
        Some((field, Holds::Fields)) => match put_text_at(field, rest, text) {
            Fitted::Statement(inner) => inner,
            other => return other,
        },
        Some((_, Holds::List)) => nonblank_lines(text).collect(),
        _ => text.into(),
    };
    complete_object(form, name, value, text)
}

/// Questions stand a line each; a statement in paragraphs is one.
fn split_list_text<'t>(text: &'t str, most: usize, path: &[&str]) -> Vec<&'t str> {
    let each: Vec<&str> = nonblank_lines(text).collect();
    let are_questions = path.last() == Some(&"question") && each.iter().all(|line| line.ends_with('?'));
    if are_questions && (2..=most).contains(&each.len()) { each } else { vec![text] }
}

/// An object of `form` with `value` in `name`; other fields are given, or read off `text`.
fn complete_object(form: &FormField, name: &str, value: Value, text: &str) -> Fitted {
    let mut object = Map::new();
    for (key, field) in &form.fields {
        if key == name {
            object.insert(key.clone(), value.clone());
        } else if form.requires_field(key) {
            match field.default_value().or_else(|| find_named_choice(field, text)) {
                Some(given) => drop(object.insert(key.clone(), given)),
                None if field.holds() == Some(Holds::Choice) => {
                    return Fitted::Which(field.field_label(key), field.list_choices().map(render_word).collect());
                }
                None => return Fitted::Unfit(list_field_labels(form)),
            }
        }
    }
    infer_entry_fields(form, &mut object);
    extract_addressee(&mut object);
    Fitted::Statement(object.into())
}

/// A question that begins with whom it is for says so in its field, and once.
fn extract_addressee(object: &mut Map<String, Value>) {
    let [to, text] = ["to", "question"].map(|name| object.get(name).and_then(Value::as_str));
    let (Some(to), Some(text)) = (to, text) else { return };
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
fn infer_entry_fields(form: &FormField, object: &mut Map<String, Value>) {
    let choices = |name: &str| form.fields.get(name).into_iter().flat_map(FormField::list_choices);
    let content = object.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let answered = parse_seq_reference(&content)
        .and_then(|(seq, rest)| Some((choices("rebuttal_to_seq").find(|known| render_word(known) == seq)?, rest)));
    let kind = match answered {
        Some((seq, rest)) if choices("type").any(|kind| kind == "rebuttal") => {
            object.insert("rebuttal_to_seq".into(), seq.clone());
            object.insert("content".into(), rest.into());
            "rebuttal"
        }
        _ if content.starts_with("[CONJECTURE]") => "conjecture",
        _ => "new_point",
    };
    if choices("type").count() > 1 && choices("type").any(|known| known == kind) {
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

/// The one choice of a field that `text` names as a word of its own. Kinds of entries follow from the words.
fn find_named_choice(field: &FormField, text: &str) -> Option<Value> {
    if let Some(kind) = field.list_choices().find(|kind| *kind == "new_point") {
        return Some(kind.clone());
    }
    let mut said = field.list_choices().filter(|choice| has_word(text, &render_word(choice)));
    said.next().filter(|_| said.next().is_none()).cloned()
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
        let form = FormField::from_schema(&questions());
        let fit = |text: &str| fit_words(&form, Some(&plain("questions.question")), text);
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
        let form = FormField::from_schema(&schema);
        let said = |text: &str| match fit_words(&form, Some(&plain("entries.content")), text) {
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
        let one = FormField::from_schema(&one);
        let Fitted::Statement(value) = fit_words(&one, Some(&plain("entries.content")), "It is so.") else { panic!() };
        assert!(value["entries"][0].get("rebuttal_to_seq").is_none(), "{value}");
    }

    #[test]
    fn plain_words_say_that_a_list_is_empty() {
        let ruling = json!({"type": "object", "required": ["reason"], "properties": {"reason": {"type": "string"}}});
        let rulings = json!({"type": "array", "minItems": 0, "items": ruling, "title": "Rulings on conduct"});
        let schema = json!({"type": "object", "required": ["rulings", "reason"], "properties": {
            "rulings": rulings, "reason": {"type": "string", "minLength": 1}}});
        let schema = FormField::from_schema(&schema);
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
        assert_eq!(
            parse_field_value(&FormField::from_schema(&places), "none"),
            Some(json!(["none"])),
            "a choice of that name is chosen"
        );
        let least = json!({"type": "array", "minItems": 1, "items": {"type": "string"}});
        assert_eq!(parse_field_value(&FormField::from_schema(&least), "none"), Some(json!(["none"])));
    }

    #[test]
    fn lines_with_labels_fill_their_fields() {
        let schema = json!({"type": "object", "required": ["reason", "natural_end"], "properties": {
            "reason": {"type": "string", "minLength": 1}, "seqs": {"type": "array", "items": {"enum": ["3", "4"]}},
            "natural_end": {"type": "boolean", "title": "At its natural end"}}});
        let schema = FormField::from_schema(&schema);
        let text = "Reason: nothing new\nwas said.\nat its natural end: Yes\nseqs: 3, 4";
        let wanted = json!({"reason": "nothing new\nwas said.", "natural_end": true, "seqs": ["3", "4"]});
        assert_eq!(fit_words(&schema, None, text), Fitted::Statement(wanted));
        let unfit = Fitted::Unfit(vec!["Reason".into(), "At its natural end".into()]);
        assert_eq!(fit_words(&schema, None, "I think it is over."), unfit);
    }

    #[test]
    fn a_form_of_one_field_takes_any_words() {
        let schema = json!({"type": "object", "required": ["ruling"], "properties": {"ruling": {"type": "string", "minLength": 2}}});
        let schema = FormField::from_schema(&schema);
        assert_eq!(fit_words(&schema, None, " One minute. "), Fitted::Statement(json!({"ruling": "One minute."})));
    }
}
