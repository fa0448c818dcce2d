//! What a person types, and what comes of it.

use std::sync::Mutex;

use agon_core::{Fault, Plain, form};
use agon_runtime::prompts::{RequestDescription, person_blocks::PromptBlock};
use serde_json::{Value, json};

use super::{dialogue::*, draft::AnswerDraft, lines::InputLines};

#[derive(Default)]
struct Page(Mutex<String>);

impl Screen for Page {
    fn show_line(&self, line: &str) {
        self.0.lock().unwrap().push_str(&format!("{line}\n"));
    }

    fn show_prompt(&self, text: &str) {
        self.0.lock().unwrap().push_str(text);
    }
}

fn told(plain: Option<&Plain>, schema: Option<&Value>) -> RequestDescription<'static> {
    RequestDescription {
        filled: None,
        ask: "Have you a question?".into(),
        news: vec![PromptBlock::new("seq 4, ada", "Signs cost money.")],
        has_answered: true,
        all: Vec::new(),
        form: schema.map(|schema| form::FormField::from_schema(schema).merge_variants()),
        plain: plain.map(|plain| &*Box::leak(Box::new(plain.clone()))),
        faults: Vec::new(),
        wait_seconds: Some(120),
        until: Some(agon_core::Stamp("2999-01-01T00:00:00.000Z".into())),
        may_be_absent: true,
        lookups: Vec::new(),
    }
}

/// What comes of `lines`, and everything that was said to the person.
fn answered(
    plain: Option<&Plain>,
    schema: Option<&Value>,
    lines: &[&str],
    objections: &(dyn Fn(&str) -> Vec<Fault> + Sync),
) -> (Result<Value, String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let (page, mut lines) = (Page::default(), InputLines::from_lines(lines));
    let told = told(plain, schema);
    let (may_be_empty, is_about_material) = (false, false);
    let form = schema.map(form::FormField::from_schema);
    let asked = DialogueRequest {
        title: "audience",
        told: &told,
        schema: form.as_ref(),
        may_be_empty,
        is_about_material,
        objections,
    };
    let draft = AnswerDraft::from_folder(folder.path(), &agon_core::Key::from_parts("k"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let said = runtime.block_on(Dialogue::new(asked, &mut lines, &page, draft).take_answer());
    let said = said.map(|text| serde_json::from_str(&text).unwrap_or_else(|_| text.into()));
    (said.map_err(|turn| format!("{turn:?}")), page.0.into_inner().unwrap())
}

fn questions() -> (Plain, Value) {
    let plain = toml::from_str(
        "words = \"questions.question\"\nskip = { means = \"no question\", answer = '{\"questions\": []}' }",
    );
    let question = json!({"type": "object", "required": ["to", "question"], "properties": {
        "to": {"enum": ["ada", "bob"], "title": "To"}, "question": {"type": "string", "minLength": 10, "maxLength": 40}}});
    let list = json!({"type": "array", "minItems": 0, "maxItems": 2, "items": question});
    (plain.unwrap(), json!({"type": "object", "required": ["questions"], "properties": {"questions": list}}))
}

fn nothing(_: &str) -> Vec<Fault> {
    Vec::new()
}

#[test]
fn a_person_is_told_what_is_asked_what_is_new_and_how_long_there_is() {
    let (plain, schema) = questions();
    let (said, shown) = answered(Some(&plain), Some(&schema), &["Who pays, Ada?", ""], &nothing);
    assert_eq!(said.unwrap(), json!({"questions": [{"to": "ada", "question": "Who pays, Ada?"}]}));
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["AUDIENCE (you)", "Have you a question?", "seq 4, ada", "2 minutes", "no question"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn whom_a_question_is_for_is_asked_about_before_anything_is_sent() {
    let (plain, schema) = questions();
    let lines = ["Who pays for the signs?", "", "carl", "2"];
    let (said, shown) = answered(Some(&plain), Some(&schema), &lines, &nothing);
    assert_eq!(said.unwrap()["questions"][0]["to"], "bob");
    assert!(shown.contains("To? [1-2]") && shown.contains("Type a number from the list"), "{shown}");
}

#[test]
fn an_empty_line_and_the_end_of_input_leave_a_question_out() {
    let (plain, schema) = questions();
    for lines in [&[""][..], &[], &["/skip"]] {
        let (said, _) = answered(Some(&plain), Some(&schema), lines, &nothing);
        assert_eq!(said.unwrap(), json!({"questions": []}), "{lines:?}");
    }
}

#[test]
fn the_end_of_input_leaves_a_turn_out_and_does_not_end_the_debate() {
    let schema =
        json!({"type": "object", "required": ["ruling"], "properties": {"ruling": {"type": "string", "minLength": 2}}});
    let (said, shown) = answered(None, Some(&schema), &[], &nothing);
    assert_eq!(said.unwrap_err(), "LeftOut");
    assert!(shown.contains("continues without your answer"), "{shown}");
}

#[test]
fn what_is_too_long_or_against_the_rules_is_written_again_and_nothing_is_lost() {
    let (plain, schema) = questions();
    let long = "Ada, what would you say to somebody who asks far too much at once?";
    let refuses = |text: &str| match text.contains("dogs") {
        true => vec![Fault { rule: "x".into(), at: String::new(), message: "dogs are no topic".into() }],
        false => Vec::new(),
    };
    let lines = [long, "", "Ada, what of dogs?", "", "Ada, what of cats?", ""];
    let (said, shown) = answered(Some(&plain), Some(&schema), &lines, &refuses);
    assert_eq!(said.unwrap()["questions"][0]["question"], "Ada, what of cats?");
    assert!(shown.contains("at most 40 are taken") && shown.contains("dogs are no topic"), "{shown}");
    assert!(shown.contains("Your draft:"), "{shown}");
}

#[test]
fn a_form_is_filled_in_field_by_field_and_sent_as_a_whole() {
    let entry = |kind: &str, about: Value| {
        json!({"type": "object", "required": ["kind", "about", "text"], "properties": {
            "kind": {"enum": [kind]}, "about": {"enum": about}, "text": {"type": "string", "minLength": 1}}})
    };
    let schema = json!({"type": "object", "required": ["sure", "score", "names", "entries"], "properties": {
        "sure": {"type": "boolean"}, "score": {"type": "number", "minimum": -1, "maximum": 1},
        "names": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": ["ada", "bob"]}},
        "note": {"type": "string"},
        "entries": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"anyOf": [
            entry("point", json!([null])), entry("answer", json!(["4", "6"]))]}}}});
    let lines = ["maybe", "yes", "7", "0,5", "3", "ada, 2", "", "2", "6", "It is so.", "n", ""];
    let (said, shown) = answered(None, Some(&schema), &lines, &nothing);
    let wanted = json!({"sure": true, "score": 0.5, "names": ["ada", "bob"],
        "entries": [{"kind": "answer", "about": "6", "text": "It is so."}]});
    assert_eq!(said.unwrap(), wanted, "{shown}");
    assert!(shown.contains("-1 to 1 is wanted") && shown.contains("3 is not in the list"), "{shown}");
}

#[test]
fn json_is_taken_at_the_first_field() {
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "string", "minLength": 1}, "b": {"type": "string", "minLength": 1}}});
    let (said, _) = answered(None, Some(&schema), &["{\"a\": \"x\",", "\"b\": \"y\"}", ""], &nothing);
    assert_eq!(said.unwrap(), json!({"a": "x", "b": "y"}));
}
