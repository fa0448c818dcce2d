//! Chains: which schema a piece has, and what becomes of the pieces.

use agon_core::form::FormField;
use serde_json::{Value, json};

use super::{
    chain::{AnswerPiece, ChainStep},
    chain_answer::{ChainAnswer, begins_alike, extract_prose, is_enough, own_words},
};

fn schema() -> Option<FormField> {
    let text = json!({"type": "string"});
    Some(FormField::from_schema(&json!({"type": "object", "properties": {
        "stance": {"type": "string", "enum": ["for"]},
        "arguments": {"type": "array", "items": {"type": "object", "properties": {
            "title": text, "claim": text, "grounds": {"type": "array", "items": {
                "type": "object", "properties": {"source": text, "content": text}}},
        }}},
        "scores": {"type": "array", "items": {"type": "object", "properties": {"score": {"type": "number"}}}},
    }})))
}

fn piece(at: &str, fields: &[&str]) -> AnswerPiece {
    AnswerPiece {
        at: at.into(),
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        kind: None,
        begins: String::new(),
        after: String::new(),
        scale: Vec::new(),
        verbatim: false,
        own_words: false,
        sentences: 0,
        note: String::new(),
        continues: false,
        temperature: None,
        tokens: 10,
    }
}

#[test]
fn of_alternatives_the_one_of_a_kind_is_asked_for() {
    let one =
        |kind: &str| json!({"type": "object", "properties": {"kind": {"enum": [kind]}, "text": {"type": "string"}}});
    let answer = json!({"properties": {"support": {"items": {"anyOf": [one("source"), one("turn")]}}}});
    let answer = FormField::from_schema(&answer);
    let of = |kind: &str| AnswerPiece { kind: Some(kind.into()), ..piece("/support/0", &[]) };
    assert_eq!(of("turn").piece_schema(Some(&answer)), Ok(Some(FormField::from_schema(&one("turn")))));
    assert_eq!(of("url").piece_schema(Some(&answer)), Err("/support/0 has no kind url".into()));
}

#[test]
fn a_piece_takes_its_schema_from_the_answers() {
    let prose = piece("/arguments/1/grounds/0/content", &[]);
    assert_eq!(prose.piece_schema(schema().as_ref()), Ok(None));
    let fields = piece("/arguments/0", &["claim", "title"]).piece_schema(schema().as_ref()).unwrap().unwrap();
    assert_eq!(fields.required, ["claim", "title"]);
    assert_eq!(
        piece("/stance", &[]).piece_schema(schema().as_ref()).unwrap().unwrap().choices,
        Some(vec![json!("for")])
    );
    assert!(piece("/arguments/0", &["colour"]).piece_schema(schema().as_ref()).is_err());
    assert!(piece("/motion", &[]).piece_schema(schema().as_ref()).is_err());
}

#[test]
fn pieces_become_one_answer() {
    let mut answer = ChainAnswer::default();
    let put = |answer: &mut ChainAnswer, piece: AnswerPiece, text: &str| {
        let schema = piece.piece_schema(schema().as_ref()).unwrap();
        answer.put_piece(&piece, text, schema.as_ref())
    };
    put(&mut answer, piece("/arguments/0/grounds/0/content", &[]), "It\n helps. It also").unwrap();
    put(&mut answer, piece("/arguments/0", &["title"]), "{\"title\": \"Help\"}").unwrap();
    put(&mut answer, piece("/arguments/0", &["claim"]), "{\"claim\": \"It helps\"}").unwrap();
    answer.set_value("/arguments/0/grounds/0/source", json!("own reasoning"));
    answer.set_value("/stance", json!("for"));
    let given: Value = serde_json::from_str(&answer.render_text()).unwrap();
    assert_eq!(
        given,
        json!({"stance": "for", "arguments": [{"title": "Help", "claim": "It helps",
            "grounds": [{"content": "It helps.", "source": "own reasoning"}]}]})
    );
    assert!(put(&mut answer, piece("/arguments/0", &["title"]), "no form").is_err());
}

#[test]
fn pieces_of_an_answer_without_a_form_are_paragraphs() {
    let mut answer = ChainAnswer::default();
    for text in ["I think so. It", "**One more thing.**"] {
        let piece = piece("", &[]);
        assert_eq!(piece.piece_schema(None), Ok(None));
        answer.put_piece(&piece, text, None).unwrap();
    }
    assert_eq!(answer.render_text(), "I think so.\n\nOne more thing.");
    assert!(piece("/claim", &[]).piece_schema(None).is_err());
    assert!(piece("", &["claim"]).piece_schema(None).is_err());
}

#[test]
fn a_text_that_is_asked_for_again_gets_another_paragraph_behind_its_first_words() {
    let one = |kind: &str| json!({"properties": {"type": {"enum": [kind]}, "content": {"type": "string"}}});
    let schema = json!({"properties": {"entries": {"items": {"anyOf": [one("point"), one("guess")]}}}});
    let schema = FormField::from_schema(&schema);
    let mut answer = ChainAnswer::default();
    let first = AnswerPiece { begins: "[CONJECTURE]".into(), ..piece("/entries/0/content", &[]) };
    for (piece, text) in [(first, "It may help."), (piece("/entries/0/content", &[]), "It also may not.")] {
        assert_eq!(piece.piece_schema(Some(&schema)), Ok(None));
        answer.put_piece(&piece, text, None).unwrap();
    }
    let given: Value = serde_json::from_str(&answer.render_text()).unwrap();
    assert_eq!(given["entries"][0]["content"], "[CONJECTURE] It may help.\n\nIt also may not.");
}

#[test]
fn what_follows_a_lead_is_a_sentence_of_its_own() {
    let piece = AnswerPiece { after: "We should, because".into(), ..piece("/stance", &[]) };
    assert_eq!(piece.lead_words(), "We should, because");
    for text in ["it helps.", " it helps. And", "we should, because it helps."] {
        let mut answer = ChainAnswer::default();
        answer.put_piece(&piece, text, None).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer.render_text()).unwrap()["stance"], "It helps.");
    }
    let piece = AnswerPiece { after: "If we do,".into(), begins: "we gain".into(), ..piece };
    assert_eq!(piece.lead_words(), "If we do, we gain");
    let mut answer = ChainAnswer::default();
    answer.put_piece(&piece, "time for more.", None).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&answer.render_text()).unwrap()["stance"], "We gain time for more.");
}

#[test]
fn a_place_that_no_alternative_has_is_told() {
    let schema = json!({"properties": {"entries": {"items": {"anyOf": [{"properties": {"content": {}}}]}}}});
    let schema = FormField::from_schema(&schema);
    assert!(piece("/entries/0/colour", &[]).piece_schema(Some(&schema)).is_err());
}

#[test]
fn a_text_keeps_as_many_sentences_as_were_asked_for() {
    for (count, wanted) in [
        (0, "It costs 3.5 hours, e.g. here. So no. Never."),
        (1, "It costs 3.5 hours, e.g. here."),
        (2, "It costs 3.5 hours, e.g. here. So no."),
    ] {
        let mut answer = ChainAnswer::default();
        let piece = AnswerPiece { sentences: count, ..piece("/stance", &[]) };
        answer.put_piece(&piece, "It costs 3.5 hours, e.g. here. So no. Never. And", None).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer.render_text()).unwrap()["stance"], wanted);
    }
}

#[test]
fn a_grade_is_the_mean_of_its_scale_by_probability() {
    let score = AnswerPiece { scale: vec![-0.6, 0.0, 0.6], ..piece("/scores/0/score", &[]) };
    assert_eq!(score.grade_labels(), ["1", "2", "3"]);
    assert_eq!(score.weigh_grades(&[0.0, 0.0, 1.0]), json!(0.6));
    assert_eq!(score.weigh_grades(&[0.25, 0.5, 0.25]), json!(0.0));
    assert_eq!(score.weigh_grades(&[0.1, 0.4, 0.5]), json!(0.24));
    assert!(score.piece_schema(schema().as_ref()).is_ok());
    assert!(AnswerPiece { at: "/stance".into(), ..score.clone() }.piece_schema(schema().as_ref()).is_err());
    assert!(
        AnswerPiece { scale: vec![0.0; 10], ..score }.piece_schema(schema().as_ref()).is_err(),
        "ten is two digits"
    );
}

#[test]
fn a_quotation_is_kept_as_it_was_written_and_prose_ends_with_its_last_sentence() {
    let written = |verbatim: bool, text: &str| {
        let mut answer = ChainAnswer::default();
        answer.put_piece(&AnswerPiece { verbatim, ..piece("/quote", &[]) }, text, None).unwrap();
        let answer: Value = serde_json::from_str(&answer.render_text()).unwrap();
        answer["quote"].as_str().unwrap().to_owned()
    };
    for (text, quote) in [
        ("  v.push(1)", "v.push(1)"),
        ("self.retry = false", "self.retry = false"),
        ("`let x = a.b();`", "let x = a.b();"),
        ("\"a\" + \"b\"", "\"a\" + \"b\""),
        ("**kwargs", "**kwargs"),
        ("x = 1\ny = 2", "x = 1"),
    ] {
        assert_eq!(written(true, text), quote);
    }
    for (text, prose) in [
        ("Version 2.0 breaks old clients", "Version 2.0 breaks old clients"),
        ("It fails at 0. It is called by main.rs and", "It fails at 0."),
        ("It calls v.push(1) twice", "It calls v.push(1) twice"),
        ("Is it so? Yes! And the", "Is it so? Yes!"),
        ("Small teams vs. Large ones. Mr. Fox", "Small teams vs. Large ones."),
    ] {
        assert_eq!(written(false, text), prose);
    }
}

#[test]
fn a_place_beyond_every_list_is_refused_and_takes_no_memory() {
    let far = format!("/scores/{}/score", usize::MAX);
    let steps = [ChainStep::Generate(piece(&far, &[])), ChainStep::Fix { at: far.clone(), value: json!(1) }];
    for step in steps {
        assert!(step.find_fault(schema().as_ref()).is_some_and(|fault| fault.contains("1000 places")), "{step:?}");
    }
    assert_eq!(ChainStep::Fix { at: "/scores/7/score".into(), value: json!(1) }.find_fault(schema().as_ref()), None);
    let mut answer = ChainAnswer::default();
    answer.set_value(&far, json!(1));
    assert!(answer.render_text().len() < 10_000);
}

#[test]
fn figures_that_nobody_can_check_are_left_out() {
    let text = "libraries give access to books. A study by Pew found that 37% value them. Pupils study there.";
    assert_eq!(own_words(text), "libraries give access to books. Pupils study there.");
    for text in ["About 25 percent of trips end.", "约三成人即30%同意。", "٢٥ في المئة يوافقون.", ""]
    {
        assert_eq!(own_words(text), "");
    }
}

#[test]
fn a_text_under_a_name_without_a_place_is_no_part_of_the_answer() {
    let aside = AnswerPiece { note: "opinion".into(), ..piece("", &[]) };
    assert_eq!((aside.is_aside(), aside.piece_schema(schema().as_ref())), (true, Ok(None)));
    let mut answer = ChainAnswer::default();
    answer.put_piece(&aside, "Zoos do harm.", None).unwrap();
    assert_eq!(answer.render_text(), "{}");
    let claim = AnswerPiece { note: "claim".into(), ..piece("/stance", &[]) };
    answer.put_piece(&claim, "Zoos do harm.", None).unwrap();
    assert_eq!((claim.is_aside(), answer.render_text().as_str()), (false, "{\"stance\":\"Zoos do harm.\"}"));
}

#[test]
fn what_goes_on_with_a_message_is_a_sentence_of_its_own() {
    for (begins, wanted) in [("", "Zoos teach."), ("For example,", "For example, zoos teach.")] {
        let mut answer = ChainAnswer::default();
        let piece = AnswerPiece { continues: true, begins: begins.into(), ..piece("/stance", &[]) };
        answer.put_piece(&piece, "zoos teach.", None).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer.render_text()).unwrap()["stance"], wanted);
    }
}

#[test]
fn writing_ends_with_the_sentences_that_count() {
    let two = AnswerPiece { sentences: 2, after: "If we do,".into(), ..piece("/stance", &[]) };
    for (text, is_done) in [
        ("it costs 3.5 hours. Nobody", false),
        ("it costs 3.5 hours. Nobody pays.", false),
        ("it costs 3.5 hours. Nobody pays. Then", true),
        ("e.g. here it. costs", false),
    ] {
        assert_eq!(is_enough(&two, text), is_done, "{text}");
    }
    assert!(!is_enough(&piece("/stance", &[]), "One. Two. Three."), "all are taken");
    assert_eq!(
        extract_prose(&two, "If we do, it costs 3.5 hours. Nobody pays. Then"),
        "it costs 3.5 hours. Nobody pays."
    );
}

#[test]
fn a_text_that_lost_its_first_words_is_known() {
    for (text, kept) in [(" a girl reads. She learns.", true), ("in 37 of 40 zoos few die. This harms them.", false)] {
        assert_eq!(begins_alike(text, &own_words(text)), kept, "{text}");
    }
}
