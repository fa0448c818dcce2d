//! Questions in plain words, and the debate that is proposed for each.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use agon_app::{
    OpeningRequest,
    ask::{AskProposal, MaterialAtHand, NamedSource, propose_debate, propose_kind},
    request::SourceRequest,
};
use agon_core::Manifest;
use agon_material::local_changes::ChangesAtHand;

fn kinds() -> Vec<&'static Manifest> {
    agon_protocols::ALL.iter().map(|protocol| protocol.manifest()).collect()
}

fn source(name: &str) -> SourceRequest {
    SourceRequest::Named(name.to_owned())
}

fn named(sources: &[&str]) -> MaterialAtHand {
    let named = sources.iter().map(|source| NamedSource {
        word: (*source).to_owned(),
        source: (*source).to_owned(),
        is_document: source.ends_with(".md"),
    });
    MaterialAtHand { named: named.collect(), ..MaterialAtHand::default() }
}

fn changed() -> MaterialAtHand {
    let changes = ChangesAtHand::Branch { main: "main".into(), commits: 3 };
    MaterialAtHand { changes: Some(changes), ..MaterialAtHand::default() }
}

fn proposed(question: &str, found: &MaterialAtHand) -> AskProposal {
    propose_debate(question, OpeningRequest::default(), found, &kinds()).unwrap()
}

#[test]
fn each_question_gets_the_kind_that_it_asks_for() {
    let none = MaterialAtHand::default();
    let (document, code) = (named(&["plan.md"]), named(&["src/a.rs"]));
    for (question, found, kind) in [
        ("Should we rewrite the parser?", &none, "exchange"),
        ("This house would rest.", &none, "exchange"),
        ("Debate whether tea is better than coffee", &none, "exchange"),
        ("Tea", &none, "exchange"),
        ("Which database suits us?", &none, "panel"),
        ("What do experts say about tea?", &none, "panel"),
        ("I want a second opinion on moving to Rust", &none, "panel"),
        ("Write a plan for the migration", &none, "revise"),
        ("A formal debate with sources on tea", &none, "chaired"),
        ("review my changes", &changed(), "review"),
        ("Are there any bugs in src/a.rs?", &code, "review"),
        ("REVIEW: src/a.rs", &code, "review"),
        ("attack plan.md", &document, "duel"),
        ("poke holes into plan.md please", &document, "duel"),
        // What names a file is no word of the question.
        ("Should we do what review.md says?", &named(&["review.md"]), "exchange"),
        // Without what it needs, a kind is not proposed.
        ("Should a review be mandatory?", &none, "exchange"),
        ("Should we attack the problem now?", &none, "exchange"),
        ("Should a review be mandatory?", &changed(), "exchange"),
        ("Are there any bugs in my changes?", &changed(), "review"),
        ("Rewrite the introduction", &none, "revise"),
    ] {
        let proposal = proposed(question, found);
        assert_eq!(proposal.request.protocol, kind, "{question}: {:?}", proposal.reasons);
        assert_eq!((proposal.reasons[0].what, proposal.reasons[0].value.as_str()), ("kind", kind));
        assert!(proposal.reasons.iter().all(|one| !one.why.is_empty()), "{:?}", proposal.reasons);
    }
}

#[test]
fn where_no_word_tells_the_kind_every_kind_that_can_be_held_is_possible() {
    let none = MaterialAtHand::default();
    for (question, found, possible) in [
        ("Sollten wir den Parser neu schreiben?", &none, &["exchange", "revise", "panel", "chaired"][..]),
        ("我们应该重写解析器吗？", &none, &["exchange", "revise", "panel", "chaired"]),
        ("Vérifie src/a.rs", &named(&["src/a.rs"]), &["exchange", "review", "revise", "panel", "chaired"]),
        ("Should we rewrite the parser?", &none, &[]),
        ("Which database suits us?", &none, &[]),
        ("Tea", &none, &["exchange", "revise", "panel", "chaired"]),
    ] {
        let proposal = proposed(question, found);
        let mut given = proposal.possible_kinds.clone();
        assert_eq!(given.first().map(String::as_str), possible.first().copied(), "{question}");
        let mut wanted = possible.to_vec();
        given.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(given, wanted, "{question}");
    }
    let review = *kinds().iter().find(|kind| kind.name == "review").unwrap();
    let found = MaterialAtHand { changes: Some(ChangesAtHand::Uncommitted { changed: 1, new: 0 }), ..none };
    let proposal =
        propose_kind("Was ist hier falsch?", OpeningRequest::default(), &found, (review, "you chose it".into()))
            .unwrap();
    assert_eq!(proposal.request.protocol, "review");
    assert_eq!(proposal.request.context.sources, [source("git:.")]);
    assert_eq!(proposal.reasons[0].why, "you chose it");
}

#[test]
fn a_kind_that_lacks_something_is_named_with_what_it_lacks() {
    let proposal = proposed("Should a review be mandatory?", &MaterialAtHand::default());
    assert!(proposal.reasons[0].why.contains("review would fit better, but it needs material"));
    let duel: Vec<&Manifest> = kinds().into_iter().filter(|kind| kind.name == "duel").collect();
    let refused = propose_debate("attack it", OpeningRequest::default(), &MaterialAtHand::default(), &duel);
    let refused = refused.unwrap_err();
    assert!(refused.message.contains("Markdown file") && refused.remedy.contains("--context"), "{refused:?}");
    for question in ["", "  \n", &"x".repeat(20_001)] {
        assert!(propose_debate(question, OpeningRequest::default(), &changed(), &kinds()).is_err());
    }
}

#[test]
fn material_is_what_is_named_and_changes_only_where_they_are_asked_for() {
    let sources = |question: &str, found: &MaterialAtHand| proposed(question, found).request.context.sources;
    assert_eq!(
        sources("review src/a.rs and lib/", &named(&["src/a.rs", "lib/"])),
        [source("src/a.rs"), source("lib/")]
    );
    assert_eq!(sources("review", &changed()), [source("git:main...")]);
    assert_eq!(sources("Should I merge this branch?", &changed()), [source("git:main...")]);
    assert!(sources("Should we drink tea?", &changed()).is_empty(), "a question about something else");
    assert!(sources("Write a poem", &changed()).is_empty());
    let changes = |changes| MaterialAtHand { changes: Some(changes), ..MaterialAtHand::default() };
    let last = changes(ChangesAtHand::LastCommit { subject: "fix".into() });
    assert_eq!(sources("review the last commit", &last), [source("git:HEAD")]);
    let uncommitted = changes(ChangesAtHand::Uncommitted { changed: 2, new: 1 });
    let proposal = proposed("review my changes", &uncommitted);
    assert_eq!(proposal.request.context.sources, [source("git:.")]);
    assert!(proposal.reasons.iter().any(|one| one.why.ends_with(": 2 changed files, 1 new one")));
    // The document of a duel is its motion.
    let duel = proposed("attack plan.md: too risky?", &named(&["plan.md"])).request;
    assert_eq!((duel.motion.as_deref(), duel.context.sources.len()), (Some("plan.md"), 0));
    assert_eq!(duel.options.text("topic"), Some("attack plan.md: too risky?"));
}

#[test]
fn a_file_that_is_not_there_is_not_replaced_by_something_else() {
    let question = "Is src/nope.rs:3 worth keeping?";
    let found = MaterialAtHand { missing: Some("src/nope.rs:3".into()), ..changed() };
    let refused = propose_debate(question, OpeningRequest::default(), &found, &kinds()).unwrap_err();
    assert!(refused.message.contains("src/nope.rs:3"), "{refused:?}");
    let mut wishes = OpeningRequest::default();
    wishes.context.sources = vec![source("x.rs")];
    assert!(propose_debate(question, wishes, &found, &kinds()).is_ok());
}

#[test]
fn what_the_command_line_says_is_taken() {
    let mut wishes = OpeningRequest { rounds: Some(2), id: Some("d1".into()), ..OpeningRequest::default() };
    wishes.context.sources = vec![source("x.rs")];
    let proposal = propose_debate("a quick review", wishes, &changed(), &kinds()).unwrap();
    let request = &proposal.request;
    assert_eq!((request.rounds, request.id.as_deref()), (Some(2), Some("d1")));
    assert_eq!(request.context.sources, [source("x.rs")]);
    assert!(proposal.reasons.iter().any(|one| one.what == "rounds" && one.why == "you say so"));
}

#[test]
fn quick_and_thorough_questions_get_fewer_and_more_rounds() {
    let quick = proposed("a quick review of my changes", &changed()).request;
    assert_eq!((quick.rounds, quick.options.text("form")), (None, Some("critique")));
    assert_eq!(proposed("a thorough review of my changes", &changed()).request.rounds, Some(2));
    assert_eq!(proposed("Briefly: is tea good?", &changed()).request.rounds, Some(0));
    assert_eq!(proposed("Is tea good? A brief debate", &changed()).request.rounds, Some(0));
    assert_eq!(proposed("Is tea good?", &changed()).request.rounds, None);
}

#[test]
fn every_shipped_kind_says_when_it_is_proposed() {
    for manifest in kinds() {
        let ask = manifest.ask.as_ref().unwrap_or_else(|| panic!("{} is never proposed", manifest.name));
        assert!(!ask.names.is_empty() && !ask.why.is_empty(), "{}", manifest.name);
        for phrase in ask.names.iter().chain(&ask.begins) {
            assert_eq!(*phrase, phrase.to_lowercase(), "{}", manifest.name);
        }
        for (name, value) in &ask.quick {
            let mut request = OpeningRequest::default();
            request.options.set(name, value).unwrap();
            request.options.check_for_protocol(manifest).unwrap();
        }
        let option = ask.question.as_deref();
        assert!(option.is_none_or(|name| manifest.find_option(name).is_some()), "{}", manifest.name);
    }
    assert_eq!(kinds().iter().filter(|kind| kind.ask.as_ref().is_some_and(|ask| ask.otherwise)).count(), 1);
}
