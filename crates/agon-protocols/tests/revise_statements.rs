//! Statements of critique and revision: every rule of the format, and what its fault says.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

use agon_core::{Attempt, Fault, Faults};
use agon_protocols::revise::{
    critique::{self, Critique, Severity, is_place},
    plan,
    revision::{self, Revision, RevisionRequirements, check_heading_sequence},
    settings::ReviseMode,
    synthesis::SynthesisRequirements as Joined,
    tolerated_faults::AcceptedStatement,
};
use serde_json::{Value, json};

const DOCUMENT: &str = "# Notes\n\n## Costs\n\nWriting takes a quarter of an hour for each decision that is made.\n\n## Open questions\n\nWho reads src/store.rs:12 and when?";

fn critique() -> Value {
    json!({
        "strengths": ["It is short."],
        "weaknesses": [{"place": "Costs", "problem": "Reading is not counted.", "severity": "HIGH"}],
        "disagreements": [{"point": "Order", "reason": "Questions come first.", "severity": "LOW"}],
        "concessions": [],
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut critique = critique();
    match value {
        Value::Null => drop(critique.as_object_mut().unwrap().remove(field)),
        value => critique[field] = value,
    }
    critique
}

fn faults<T>(read: Result<(T, Faults), Faults>) -> Vec<(String, String)> {
    let faults = read.map_or_else(|faults| faults, |(_, faults)| faults);
    faults.0.into_iter().map(|fault| (fault.rule, fault.at)).collect()
}

#[test]
fn every_rule_for_critiques_names_itself_and_its_place() {
    let weakness = |place: Value, problem: Value, severity: Value| {
        with("weaknesses", json!([{"place": place, "problem": problem, "severity": severity}]))
    };
    let many: Vec<Value> = (0..17).map(|n| json!(format!("Reason number {n}."))).collect();
    let table = [
        ("C2", with("strengths", json!(null)), "strengths"),
        ("C2", with("weaknesses", json!(null)), "weaknesses"),
        ("C2", with("disagreements", json!("none")), "disagreements"),
        ("C2", with("strengths", json!(many)), "strengths"),
        ("C2", with("concessions", json!([3])), "concessions[0]"),
        ("C3", weakness(json!(""), json!("It is wrong."), json!("HIGH")), "weaknesses[0].place"),
        ("C3", weakness(json!("Costs"), json!("..."), json!("HIGH")), "weaknesses[0].problem"),
        ("severity", weakness(json!("Costs"), json!("It is wrong."), json!("AWFUL")), "weaknesses[0].severity"),
        ("C4", with("disagreements", json!([{"point": "Order", "severity": "LOW"}])), "disagreements[0].reason"),
        ("schema", with("weaknesses", json!(["Costs: wrong"])), "weaknesses[0]"),
    ];
    for (rule, value, at) in table {
        assert_eq!(
            faults(Critique::parse_with_faults(&value.to_string())),
            [(rule.to_owned(), at.to_owned())],
            "{value}"
        );
    }
    assert_eq!(faults(Critique::parse_with_faults(&critique().to_string())), []);
}

#[test]
fn a_missing_list_of_weaknesses_is_a_fault_and_never_convergence() {
    assert!(Critique::parse(&with("weaknesses", json!(null)).to_string()).is_err());
    for none in [json!([]), json!([{"place": "none", "problem": "None.", "severity": "LOW"}])] {
        let critique = Critique::parse(&with("weaknesses", none).to_string()).unwrap();
        assert_eq!(critique.weaknesses, []);
    }
    let silent = json!({"strengths": [], "weaknesses": [], "disagreements": [], "concessions": []});
    assert!(Critique::parse(&silent.to_string()).unwrap_err().to_string().contains("it says nothing"));
}

#[test]
fn one_problem_said_of_every_place_is_one_weakness() {
    let of = |place: &str| json!({"place": place, "problem": format!("The section {place} is not clear and does not give a final statement."), "severity": "HIGH"});
    let other = json!({"place": "Costs", "problem": "The time for reading what was written is not counted.", "severity": "LOW"});
    let value = with("weaknesses", json!([of("Notes"), of("Costs"), other, of("Open questions")]));
    let critique = Critique::parse(&value.to_string()).unwrap();
    let places: Vec<_> = critique.weaknesses.iter().map(|weakness| weakness.place.as_str()).collect();
    assert_eq!((places, critique.repeated), (vec!["Notes", "Costs"], 2));
}

#[test]
fn what_a_weakness_repeats_its_author_says() {
    let repeats = |value: Value| {
        let weakness =
            json!([{"place": "Costs", "problem": "Reading is not counted.", "severity": "HIGH", "repeats": value}]);
        Critique::parse(&with("weaknesses", weakness).to_string()).unwrap().weaknesses[0].repeats
    };
    assert_eq!([json!("W3"), json!("new"), json!(null), json!("")].map(repeats), [Some(3), None, None, None]);
}

#[test]
fn two_problems_that_differ_in_one_word_are_two() {
    let of = |what: &str| json!({"place": "Costs", "problem": format!("The {what} has no limit and returns the whole ledger at once."), "severity": "HIGH"});
    let critique = Critique::parse(&with("weaknesses", json!([of("lookup"), of("export")])).to_string()).unwrap();
    assert_eq!((critique.weaknesses.len(), critique.repeated), (2, 0));
}

#[test]
fn a_plan_keeps_the_tasks_that_all_versions_have() {
    let plan = include_str!("../src/revise/testdata/plan.md");
    let other = plan.replace("Store the notes", "Keep notes").replace("Search the notes", "Find by a word");
    let wanted = Joined {
        mode: ReviseMode::Plan,
        phase: 1,
        critiques: Vec::new(),
        weaknesses: Vec::new(),
        open: Vec::new(),
        shared: plan::find_shared_tasks(&[plan, &other]),
    };
    assert_eq!(wanted.shared.iter().map(|shared| shared.task.id.as_str()).collect::<Vec<_>>(), ["P1-T01", "P1-T02"]);
    assert!(plan::find_shared_tasks(&[plan]).is_empty() && plan::find_shared_tasks(&[plan, "# Plan"]).is_empty());
    let (head, rest) = plan.split_once("---\n\n### Task P1-T02").unwrap();
    let summary = rest.split_once("## Wave Summary").unwrap().1.replace("| 2 | P1-T02 | no |\n", "");
    let without = format!("{head}## Wave Summary{summary}");
    let answer = |left_out: Value| {
        let text = json!({"merged": [], "document": without, "left_out": left_out}).to_string();
        let (synthesis, faults) = wanted.parse_synthesis(&text).unwrap();
        assert_eq!(faults.0, []);
        let rules: Vec<String> = wanted.check_lapses(&synthesis).0.into_iter().map(|fault| fault.rule).collect();
        (rules, wanted.restore_lost_tasks(synthesis))
    };
    let (rules, kept) = answer(json!([]));
    assert_eq!(rules, ["tasks"]);
    assert!(
        kept.document.contains("### Task P1-T02: Search the notes\n") && kept.document.contains("| 2 | P1-T02 | no |"),
        "{}",
        kept.document
    );
    assert_eq!((plan::check_plan_layout(&kept.document, 1), kept.merged.len()), (Vec::new(), 1));
    let (rules, left) = answer(json!([{"task": "P1-T02", "reason": "The store has a search of its own."}]));
    assert_eq!(rules, Vec::<String>::new());
    assert!(!left.document.contains("P1-T02"));
}

#[test]
fn a_severity_that_nobody_gave_is_medium() {
    let value = with("weaknesses", json!([{"place": "Costs", "problem": "Reading is not counted."}]));
    assert_eq!(Critique::parse(&value.to_string()).unwrap().weaknesses[0].severity, Severity::Medium);
}

#[test]
fn c3_a_place_is_a_section_a_file_and_line_an_id_or_words_of_the_document() {
    for place in [
        "Costs",
        "## costs",
        "section 2",
        "the section Open questions",
        "src/a.rs:4",
        "P2-T03",
        "AC-01",
        "F3",
        "a quarter of an hour",
        "line 7",
    ] {
        assert!(is_place(place, DOCUMENT), "{place}");
    }
    for place in ["", "none", "everywhere", "somewhere else", "F", "overall", "in general:"] {
        assert!(!is_place(place, DOCUMENT), "{place}");
    }
    let critique =
        Critique::parse(&with("weaknesses", json!([{"place": "everywhere", "problem": "It is weak."}])).to_string())
            .unwrap();
    let fault = critique.find_unplaced(DOCUMENT).to_string();
    assert!(fault.contains("\"everywhere\" is no place of the document") && fault.contains("\"Costs\""), "{fault}");
}

#[test]
fn samples_by_the_schemas_can_be_used() {
    for seed in 0..50 {
        let places = agon_protocols::revise::document::list_places(DOCUMENT);
        let schema = critique::critique_form(places, &[]).to_schema();
        let sample = agon_core::sample::sample_answer(Some(&schema), seed);
        let critique = Critique::parse(&sample).unwrap();
        assert!(!critique.weaknesses.is_empty() && critique.find_unplaced(DOCUMENT).0.is_empty(), "{sample}");
        let sample = agon_core::sample::sample_answer(Some(&revision::revision_form(3, true).to_schema()), seed);
        let revision = Revision::parse(&sample, 3, DOCUMENT).unwrap();
        assert_eq!(revision.unanswered_weaknesses(3).count(), 0);
    }
}

fn revision(points: Value, document: &str) -> String {
    json!({"points": points, "document": document}).to_string()
}

fn lapses(text: &str, wanted: &RevisionRequirements<'_>) -> Vec<String> {
    let revision = Revision::parse(text, wanted.weaknesses, wanted.previous).unwrap();
    revision.check_lapses(wanted).0.into_iter().map(|fault| fault.rule).collect()
}

#[test]
fn every_rule_for_revisions_names_itself_and_its_place() {
    let changed = DOCUMENT.replace("a quarter", "half");
    let point = |id: &str, answer: &str, words: &str| json!({"weakness": id, "answer": answer, "words": words});
    let both = json!([point("W2", "defended", "It is on purpose."), point("W1", "addressed", "Counted.")]);
    let wanted =
        RevisionRequirements { mode: ReviseMode::Draft, phase: 1, weaknesses: 2, previous: DOCUMENT, others: &[] };
    assert_eq!(lapses(&revision(both.clone(), &changed), &wanted), Vec::<String>::new());
    // R2: the heading sequence of the version before.
    assert_eq!(lapses(&revision(both.clone(), &changed.replace("## Costs", "## Price")), &wanted), ["R2"]);
    assert_eq!(lapses(&revision(both.clone(), &changed.replace("## Costs", "### Costs")), &wanted), ["R2"]);
    // R3: each weakness is addressed or defended.
    assert_eq!(lapses(&revision(json!([point("W1", "addressed", "Counted.")]), &changed), &wanted), ["R3"]);
    assert_eq!(lapses(&revision(both.clone(), DOCUMENT), &wanted), ["unchanged"]);
    let other = "words of another author that nobody else has written in this order before today or ever, ".repeat(3);
    let copy = RevisionRequirements { others: &[&other], previous: "Plain text of my own.", ..wanted };
    assert_eq!(lapses(&revision(both.clone(), &other), &copy), ["repetition"]);
    let hard = |text: &str| faults(Revision::parse_with_faults(text, 2, DOCUMENT));
    let one = |rule: &str, at: &str| vec![(rule.to_owned(), at.to_owned())];
    let (strange, lost) = Revision::parse_with_faults(
        &revision(json!([point("W9", "ignored", ""), point("W1", "addressed", "Counted.")]), &changed),
        2,
        DOCUMENT,
    )
    .unwrap();
    assert_eq!(
        (strange.strange, strange.points.len(), lost.0),
        (vec!["W9".to_owned()], 1, Vec::new()),
        "an answer to nothing is dropped"
    );
    assert_eq!(hard(&revision(json!([point("W1", "ignored", "Counted.")]), &changed)), one("R3", "points[0].answer"));
    // R4: what is defended has a reason.
    assert_eq!(hard(&revision(json!([point("W1", "defended", "")]), &changed)), one("R4", "points[0].words"));
    assert_eq!(hard(&revision(both.clone(), "Done.")), one("document", "document"));
    assert_eq!(hard(&json!({"points": both}).to_string()), one("document", "document"));
}

#[test]
fn sections_that_changed_make_the_new_version_and_a_whole_document_counts_before_them() {
    let answer = |sections: Value, document: Value| {
        json!({"points": [], "sections": sections, "document": document}).to_string()
    };
    let costs = json!([{"heading": "## Costs", "text": "Writing takes half of an hour.\n\n- Reading: none."}]);
    let wanted = DOCUMENT.replace(
        "Writing takes a quarter of an hour for each decision that is made.",
        "Writing takes half of an hour.\n\n- Reading: none.",
    );
    for nothing in [json!(""), json!(null), json!("As above.")] {
        let revision = Revision::parse(&answer(costs.clone(), nothing), 0, DOCUMENT).unwrap();
        assert_eq!(revision.document, wanted);
    }
    let whole = DOCUMENT.replace("a quarter", "a third");
    let both = Revision::parse(&answer(costs, json!(whole)), 0, DOCUMENT).unwrap();
    assert_eq!(both.document, whole);
    let hard = |sections: Value| faults(Revision::parse_with_faults(&answer(sections, json!("")), 0, DOCUMENT));
    let one = |at: &str| vec![("sections".to_owned(), at.to_owned())];
    assert_eq!(hard(json!([{"heading": "## Price", "text": "None."}])), one("sections"));
    assert_eq!(hard(json!([{"heading": "Costs", "text": 3}]))[0], one("sections[0].text")[0]);
    assert_eq!(hard(json!([])), [("document".to_owned(), "document".to_owned())]);
    let lost = Revision { document: String::new(), ..Revision::default() };
    let requirements =
        RevisionRequirements { mode: ReviseMode::Draft, phase: 1, weaknesses: 0, previous: DOCUMENT, others: &[] };
    assert_eq!(lost.check_lapses(&requirements).0, [], "what could not be read is told once");
}

#[test]
fn r2_tasks_of_a_plan_come_and_go_and_its_sections_do_not() {
    let plan = include_str!("../src/revise/testdata/plan.md");
    let (without, rest) = plan.split_once("### Task P1-T02").unwrap();
    let fewer = format!("{without}## Wave Summary{}", rest.split_once("## Wave Summary").unwrap().1);
    assert_eq!(check_heading_sequence(ReviseMode::Plan, 1, plan, &fewer), None);
    assert!(check_heading_sequence(ReviseMode::Draft, 1, plan, &fewer).is_some());
    let message = check_heading_sequence(ReviseMode::Plan, 1, plan, &plan.replace("## Context", "## Setting")).unwrap();
    assert!(
        message.contains("Wanted: # Plan: Phase 1 — Notes, ## Context") && message.contains("## Setting"),
        "{message}"
    );
    assert_eq!(
        check_heading_sequence(ReviseMode::Draft, 1, DOCUMENT, &format!("### Defense\n- W1: no.\n\n{DOCUMENT}")),
        None
    );
}

#[test]
fn r2_a_revision_may_mend_what_the_layout_demands() {
    let plan = include_str!("../src/revise/testdata/plan.md");
    let review = include_str!("../src/revise/testdata/review.md");
    let summary = plan.find("## Wave Summary").unwrap();
    for (mode, lacking, mended) in [
        (ReviseMode::Plan, plan[..summary].to_owned(), plan.to_owned()),
        (ReviseMode::Plan, plan.replace("## Context", "### Context"), plan.to_owned()),
        (ReviseMode::Plan, plan.replace("# Plan: Phase 1 — Notes", "# Notes"), plan.to_owned()),
        (ReviseMode::Plan, plan.replace("# Plan: Phase 1 — Notes\n", ""), plan.to_owned()),
        (ReviseMode::Plan, plan.replace("\n\n## Context", " ## Context"), plan.to_owned()),
        (ReviseMode::Review, review.replace("## Verdict", ""), review.to_owned()),
        (ReviseMode::Review, review.replace("## Findings", ""), review.to_owned()),
        (
            ReviseMode::Draft,
            "# Rules ## Who may borrow\nAll.".to_owned(),
            "# Rules\n\n## Who may borrow\n\nAll.".to_owned(),
        ),
    ] {
        assert_ne!(lacking, mended);
        assert_eq!(check_heading_sequence(mode, 1, &lacking, &mended), None, "{lacking}");
    }
    let lacking = &plan[..summary];
    assert_eq!(
        check_heading_sequence(ReviseMode::Plan, 1, lacking, lacking),
        None,
        "to keep the headings is no breach of this rule"
    );
    let other = format!("{plan}\n## Appendix\n");
    assert!(check_heading_sequence(ReviseMode::Plan, 1, lacking, &other).is_some(), "nobody asks for an appendix");
    assert!(check_heading_sequence(ReviseMode::Plan, 1, plan, lacking).is_some(), "what was there stays");
    assert!(check_heading_sequence(ReviseMode::Plan, 2, plan, &plan.replace("— Notes", "— Songs")).is_some());
}

#[test]
fn a_rule_that_makes_nothing_useless_is_told_once_and_then_stands() {
    let told = || Faults::one("R2", "document", "the headings must stay");
    let attempt = |number: u32, quoted: &'static [Fault]| Attempt { text: "", number, quoted, imported: false };
    assert!(AcceptedStatement::accept_or_reject((), told(), &attempt(0, &[])).is_err());
    let quoted: &'static [Fault] = Box::leak(Box::new(told().0));
    assert_eq!(
        AcceptedStatement::accept_or_reject((), told(), &attempt(1, quoted)).unwrap().warnings,
        ["document: the headings must stay"]
    );
    assert!(
        AcceptedStatement::accept_or_reject((), told(), &attempt(2, &[])).is_ok(),
        "the last draft is not lost to a rule nobody told"
    );
    assert!(AcceptedStatement::accept_or_reject((), Faults::one("R3", "", "x"), &attempt(1, quoted)).is_err());
}

#[test]
fn a_synthesis_names_its_sources_and_what_is_unresolved() {
    let wanted = Joined {
        mode: ReviseMode::Draft,
        phase: 1,
        critiques: vec!["critique_of_a_r1.md".into()],
        weaknesses: vec!["a W1".into()],
        open: vec!["The order".into(), "Store of notes".into()],
        shared: Vec::new(),
    };
    let answer = |source: &str, unresolved: Value| {
        json!({"merged": [], "adopted": [{"point": "It counts.", "critique": source}], "overruled": [],
            "unresolved": unresolved, "document": DOCUMENT})
        .to_string()
    };
    let rules = |text: &str| {
        let (synthesis, faults) = wanted.parse_synthesis(text).unwrap();
        faults.0.into_iter().chain(wanted.check_lapses(&synthesis).0).map(|fault| fault.rule).collect::<Vec<_>>()
    };
    let order = json!({"point": "The order", "tie_break": "The task says so."});
    let store = json!({"point": "On the store of notes", "tie_break": "It is simpler."});
    let tie = json!([order, store]);
    let one = wanted.parse_synthesis(&answer("critique_of_a_r1.md", json!([order]))).unwrap().0;
    assert_eq!(wanted.find_unnamed_points(&one), ["Store of notes"]);
    let told = wanted.check_lapses(&one).0;
    assert!(told.iter().any(|fault| fault.message.contains("not named: \"Store of notes\"")), "{told:?}");
    assert_eq!(rules(&answer("critique_of_a_r1.md", tie.clone())), Vec::<String>::new());
    assert_eq!(rules(&answer("critique_of_b_r9.md", tie.clone())), ["source"]);
    assert_eq!(rules(&answer("critique_of_a_r1.md", json!([]))), ["unresolved"]);
    let reasonless = json!([order, {"point": "Store of notes"}]);
    assert_eq!(rules(&answer("critique_of_a_r1.md", reasonless)), ["notes"]);
    assert_eq!(rules(r#"{"merged": [], "document": "Done."}"#), ["document", "unresolved"]);
    let about = |weakness: &str| {
        let note = json!({"point": "It counts.", "critique": "critique_of_a_r1.md", "weakness": weakness});
        json!({"adopted": [note], "overruled": [], "unresolved": tie, "document": DOCUMENT}).to_string()
    };
    assert_eq!(rules(&about("a W1")), Vec::<String>::new());
    assert_eq!(rules(&about("none")), Vec::<String>::new());
    assert_eq!(rules(&about("b W7")), ["weakness"]);
    let named = wanted.parse_synthesis(&about("a W1")).unwrap().0;
    assert_eq!(named.adopted[0].weakness.as_deref(), Some("a W1"));
}
