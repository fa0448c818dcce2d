//! A form with everything that a form can have.

use agon_core::{Faults, form as people, sample};
use agon_protocols::common::form::{Form, Kind, choice_kind, form_field, list_kind, text_kind, whole_number_kind};
use serde_json::{Value, json};

fn claim(name: &str) -> Form {
    let name = Kind::Reference(vec![name.into()]);
    Form::new("claim", [form_field("who", name), form_field("quote", text_kind(1, 80)).with_rule("quote")])
}

fn form() -> Form {
    let fields = [
        form_field("why", text_kind(1, 80)).with_description(Some("the reason")),
        form_field("note", text_kind(0, 80)),
        form_field("kind", choice_kind(["facts", "weight"])).as_optional(),
        form_field("go", Kind::YesNo).with_rule("go"),
        form_field("at", whole_number_kind(1, 9)),
        form_field("each", list_kind(1, 2, text_kind(1, 80))),
        form_field("claims", list_kind(2, 2, Kind::AnyOf(vec![claim("Ada"), claim("Bob")]))),
        form_field("counter", Kind::Object(claim("Ada"))),
    ];
    Form::new("form", fields)
}

fn read(form: &Form, answer: &Value) -> Result<Value, Faults> {
    form.read_statement(&answer.to_string(), |fields, faults| Some(fields.read_values(faults).into()))
}

fn good() -> Value {
    json!({
        "why": "it\nis so", "note": "", "kind": "weight", "go": true, "at": 3.0, "each": ["x"],
        "claims": [{"who": "Ada", "quote": "a"}, {"who": "Bob", "quote": "b"}], "counter": {"who": "Ada", "quote": "c"},
    })
}

fn with(changes: Value) -> Value {
    let mut answer = good();
    answer.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    answer
}

#[test]
fn what_the_schema_asks_for_is_read() {
    for form in [form(), form().into_strict()] {
        for seed in 0..5 {
            let sample = sample::sample_value(&form.to_schema(), seed);
            assert!(read(&form, &sample).is_ok(), "{sample}: {:?}", read(&form, &sample));
            // People fill in what the schema says, and nothing else is derived for them.
            let filled = form.to_schema().merge_variants();
            let filled = people::check_statement(&filled, &sample);
            assert!(filled.is_empty(), "{sample}: {filled:?}");
        }
        assert_eq!(read(&form, &good()).unwrap()["why"], "it is so");
    }
}

#[test]
fn the_schema_requires_every_field_and_describes_it() {
    let schema = json!(form().to_schema());
    let names = ["why", "note", "kind", "go", "at", "each", "claims", "counter"];
    assert_eq!(schema["required"], json!(names));
    let fields = &schema["properties"];
    assert_eq!(fields["why"], json!({"type": "string", "minLength": 1, "maxLength": 80, "description": "the reason"}));
    assert_eq!(fields["at"], json!({"type": "integer", "minimum": 1, "maximum": 9}));
    assert_eq!(fields["claims"]["items"]["anyOf"][1]["properties"]["who"]["enum"], json!(["Bob"]));
    assert_eq!(
        Kind::AnyOf(Vec::new()).to_schema(),
        people::FormField::new(people::Holds::Fields),
        "nothing is known of it"
    );
    let open = Form::new("form", [form_field("document", Kind::Text { chars_min: Some(40), chars_max: None })]);
    assert_eq!(json!(open.to_schema())["properties"]["document"], json!({"type": "string", "minLength": 40}));
}

#[test]
fn every_fault_names_its_rule_and_its_place() {
    for (changes, rule, at, says) in [
        (json!({"why": ""}), "form", "why", "missing or empty"),
        (json!({"note": 7}), "form", "note", "must be a text"),
        (json!({"kind": "taste"}), "form", "kind", "not one of facts, weight"),
        (json!({"kind": ""}), "form", "kind", "missing or empty"),
        (json!({"go": "yes"}), "go", "go", "true or false"),
        (json!({"at": "three"}), "form", "at", "a number"),
        (json!({"each": "x"}), "form", "each", "a list"),
        (json!({"each": ["x", ""]}), "form", "each[1]", "a text is wanted"),
        (json!({"claims": [good()["counter"], 7]}), "schema", "claims[1]", "an object"),
        (json!({"claims": [{"who": "Ada"}]}), "quote", "claims[0].quote", "missing"),
        (json!({"counter": null}), "schema", "counter", "an object"),
        (json!({"counter": {"quote": "c"}}), "claim", "counter.who", "missing"),
    ] {
        let faults = read(&form(), &with(changes)).unwrap_err();
        let [fault] = &faults.0[..] else { panic!("{at} {says}: {faults}") };
        assert_eq!((fault.rule.as_str(), fault.at.as_str()), (rule, at), "{faults}");
        assert!(fault.message.contains(says), "{faults}");
    }
    let order = read(&form(), &with(json!({"why": "", "go": 1, "counter": {}}))).unwrap_err();
    let places: Vec<&str> = order.0.iter().map(|fault| fault.at.as_str()).collect();
    assert_eq!(places, ["why", "go", "counter.who", "counter.quote"]);
}

#[test]
fn what_is_optional_or_may_be_empty_may_be_absent() {
    let mut answer = good();
    answer.as_object_mut().unwrap().retain(|name, _| name != "kind" && name != "note");
    let read = read(&form(), &answer).unwrap();
    assert_eq!((&read["kind"], &read["note"]), (&json!(""), &json!("")));
}

#[test]
fn a_strict_form_refuses_what_exceeds_its_bounds() {
    let long = "x".repeat(81);
    for (changes, says) in [
        (json!({"why": long}), "it has 81 characters; say it in at most 80"),
        (json!({"each": ["x", "y", "z"]}), "1 to 2 entries are wanted, found 3"),
        (json!({"each": ["--"]}), "a text is wanted here"),
        (json!({"claims": [good()["counter"]]}), "2 entries are wanted, found 1"),
        (json!({"at": 10}), "at must be 1 to 9"),
        (json!({"at": 1.5}), "at must be a whole number"),
    ] {
        let answer = with(changes);
        assert!(read(&form(), &answer).is_ok(), "{says}");
        let faults = read(&form().into_strict(), &answer).unwrap_err().to_string();
        assert!(faults.contains(says), "{faults}");
    }
}

#[test]
fn a_statement_is_taken_without_faults_only() {
    let form = form();
    let said = |text: &str| {
        form.read_statement(text, |fields, faults| {
            let kind: Option<String> = fields.read_enum("kind", faults);
            if kind.is_none() {
                fields.add_fault("kind", "a kind is wanted here", faults);
            }
            kind
        })
    };
    assert_eq!(said("I say {\"kind\": \"facts\"}").unwrap(), "facts");
    for (text, at) in [("{}", "kind"), ("no", ""), ("[]", "")] {
        assert_eq!(said(text).unwrap_err().0[0].at, at, "{text}");
    }
}
