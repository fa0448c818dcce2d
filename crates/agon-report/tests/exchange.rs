//! What the exchange format demands, one test each, named after it.
#![allow(clippy::unwrap_used)]

use crate::common;

use agon_core::{Event, Key, Record, Ruling, RulingKind, Stamp};
use agon_protocols::exchange::argument::{Argument, Engagement, Ground, Side};
use agon_report::{
    File,
    exchange::{
        argument::ArgumentFile,
        debate::{DebateFile, NextPhase},
        diagram::{self, Node},
        frontmatter::Document,
        motion_file::Body,
        scores::{ArgumentScore, ScoreFile, SideTotal, SideTotals, format_timestamp},
    },
};
use common::{debate, file, files, paths, said};
use proptest::prelude::*;
use serde_json::{Number, json};

fn corrected(id: &str, score: Number, previous: Option<Number>) -> ArgumentScore {
    ArgumentScore { argument_id: id.into(), score, previous, reasoning: "r".into() }
}

/// The debate cut after `keep` of its entries.
fn cut(record: &Record, keep: u64) -> Record {
    Record::from_entries(record.entries()[..keep as usize].to_vec()).unwrap()
}

/// The debate cut behind its last entry that `is`.
fn cut_after(record: &Record, is: impl Fn(&Event) -> bool) -> Record {
    let at = record.entries().iter().rposition(|entry| is(&entry.what)).unwrap();
    cut(record, at as u64 + 1)
}

fn ruled(name: &'static str) -> impl Fn(&Event) -> bool {
    move |what| matches!(what, Event::Ruled { key, .. } if key.as_str() == name)
}

#[test]
fn golden_files_of_a_whole_debate() {
    for File { path, content } in files(&debate(1)) {
        if !path.starts_with("arguments/") || path.ends_with("prop_000c.md") || path.ends_with("prop_001.md") {
            insta::assert_snapshot!(path.replace(['/', '.'], "-"), content);
        }
    }
}

#[test]
fn a_debate_leaves_these_files_in_this_order() {
    let opening = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c"];
    let ids = opening.into_iter().chain(["prop_001", "opp_001"]);
    let mut want = vec!["debate.md".to_owned(), "scores.json".into()];
    want.extend(ids.map(|id| format!("arguments/{id}.md")));
    want.extend(["argument-graph.mmd".into(), "README.md".into()]);
    assert_eq!(paths(&debate(1)), want);
}

#[test]
fn files_are_equal_for_equal_replies_in_any_order_of_arrival() {
    let play = |reversed| {
        let answer = |request: &agon_core::Request| common::canned(request.key.as_str()).map(said);
        common::Play { opened: common::opened(1), answer: &answer, reversed }.record()
    };
    let (one, other) = (play(false), play(true));
    assert_ne!(one.entries()[4].what, other.entries()[4].what);
    // The report tells times and costs, which the order of arrival changes.
    let drawn = |record: &Record| {
        let files = agon_report::render_debate_files(record, None).into_iter();
        files.filter(|file| !file.path.starts_with("report.") && file.path != "memo.md").collect::<Vec<_>>()
    };
    assert_eq!(drawn(&one), drawn(&other));
}

#[test]
fn files_hold_no_attempt_duration_or_cost() {
    let told = |file: &File| !file.path.starts_with("report.") && file.path != "memo.md";
    for File { path, content } in agon_report::render_debate_files(&debate(1), None).into_iter().filter(told) {
        for word in ["tokens", "900", "cost_", "attempt"] {
            assert!(!content.contains(word), "{path} holds {word}");
        }
    }
}

#[test]
fn an_opened_debate_has_its_state_and_empty_scores_only() {
    let record = cut(&debate(1), 1);
    assert_eq!(paths(&record), ["debate.md", "scores.json"]);
    assert_eq!(file(&record, "scores.json"), "{}");
    let debate = DebateFile::parse(&file(&record, "debate.md")).unwrap();
    assert_eq!((debate.current_exchange, debate.current_phase), (0, NextPhase::AwaitingArguments));
    assert!(file(&record, "debate.md").contains("\"total\": 0,\n      \"count\": 0"));
}

#[test]
fn accepted_arguments_await_judgment_in_the_same_exchange() {
    let record = cut_after(&debate(1), ruled("exchange-001/arguments"));
    let state = DebateFile::parse(&file(&record, "debate.md")).unwrap();
    assert_eq!((state.current_exchange, state.current_phase), (1, NextPhase::AwaitingJudgment));
    assert!(paths(&record).contains(&"arguments/opp_001.md".into()));
    assert!(!file(&record, "argument-graph.mmd").contains("opp_001"), "the graph is drawn at judgments only");
}

#[test]
fn a_judgment_opens_the_next_exchange() {
    let record = cut_after(&debate(1), ruled("exchange-000/scores"));
    let state = DebateFile::parse(&file(&record, "debate.md")).unwrap();
    assert_eq!((state.current_exchange, state.current_phase), (1, NextPhase::AwaitingArguments));
    assert!(!paths(&record).contains(&"README.md".into()), "the report comes with the end");
}

#[test]
fn one_side_alone_leaves_no_argument_files() {
    let record = cut_after(
        &debate(1),
        |what| matches!(what, Event::Answered(a) if a.key.as_str() == "exchange-000/proposition"),
    );
    assert_eq!(paths(&record), ["debate.md", "scores.json"]);
}

#[test]
fn the_graph_is_absent_before_the_first_judgment() {
    let record = cut_after(&debate(0), ruled("exchange-000/arguments"));
    assert!(!paths(&record).contains(&"argument-graph.mmd".into()));
}

#[test]
fn files_can_be_had_after_every_entry() {
    let record = debate(1);
    for keep in 1..=record.len() {
        for File { path, content } in agon_report::render_debate_files(&cut(&record, keep), None) {
            assert!(!content.is_empty(), "{path}");
            let safe = |part: &str| !part.is_empty() && part != ".." && part != ".";
            assert!(path.split('/').all(safe) && !path.contains(['\\', ':']), "{path}");
        }
    }
}

#[test]
fn definitions_and_scope_follow_the_motion() {
    let mut opened = common::opened(0);
    opened.options = json!({
        "definitions": [{"term": "Decision", "definition": "What binds\nthe team"}, {"term": "", "definition": "x"}, 3],
        "scope": "Teams of five.",
    })
    .as_object()
    .unwrap()
    .clone();
    let record = Record::open(opened, Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    let text = file(&record, "debate.md");
    let body = Document::parse(&text).unwrap().body;
    assert_eq!(
        body,
        format!(
            "# Motion\n\n{}\n\n## Definitions\n\n- **Decision**: What binds the team\n\n## Scope\n\nTeams of five.\n",
            common::MOTION
        )
    );
    let parsed = DebateFile::parse(&text).unwrap();
    assert_eq!(parsed.body.definitions, [("Decision".to_owned(), "What binds the team".to_owned())]);
    assert_eq!(parsed.body.scope.as_deref(), Some("Teams of five."));
    assert_eq!(parsed.render(), text);
}

#[test]
fn a_motion_with_markup_stays_one_motion() {
    let mut opened = common::opened(0);
    opened.motion = "One.\n\n# Two\n<script>alert(1)</script>".into();
    let record = Record::open(opened, Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    let parsed = DebateFile::parse(&file(&record, "debate.md")).unwrap();
    assert_eq!(parsed.body.motion, "One.\n\n\\# Two\n&lt;script>alert(1)&lt;/script>");
}

#[test]
fn scored_at_is_the_time_of_the_entry_in_python_s_form() {
    assert_eq!(format_timestamp(&Stamp("2026-01-31T09:30:00.123Z".into())), "2026-01-31T09:30:00.123000+00:00");
    assert_eq!(format_timestamp(&Stamp("2026-01-31T09:30:00Z".into())), "2026-01-31T09:30:00.000000+00:00");
    assert_eq!(format_timestamp(&Stamp("t".into())), "t");
    let record = debate(0);
    let key = agon_core::Key::from_parts("exchange-000/scores");
    let (seq, _) = record.find_ruling(&key).unwrap();
    let at = format_timestamp(&record.entries()[seq as usize].at);
    let scores = ScoreFile::parse(&file(&record, "scores.json")).unwrap();
    assert!(scores.0.iter().all(|(_, scores)| scores.history[0].scored_at == at));
}

#[test]
fn a_rescore_names_its_trigger_and_what_it_changed() {
    let scores = ScoreFile::parse(&file(&debate(1), "scores.json")).unwrap();
    let scores = scores.0.get("prop_000b").unwrap();
    assert_eq!(scores.history.len(), 2);
    let rescore = serde_json::to_value(&scores.history[1]).unwrap();
    let keys: Vec<&String> = rescore.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["score", "reasoning", "scored_at", "triggered_by", "previous_score", "diff"]);
    assert_eq!(rescore["triggered_by"], "prop_001");
    assert_eq!((&rescore["previous_score"], &rescore["diff"]), (&json!(0.2), &json!(-0.15)));
    assert_eq!(scores.current_score, rescore["score"].as_number().unwrap().clone());
}

#[test]
fn a_rescore_without_old_score_has_no_difference() {
    let mut scores = ScoreFile::default();
    scores.add_score("prop_001", 1.into(), "r", "t");
    scores.add_rescore(&corrected("prop_001", Number::from_f64(0.5).unwrap(), None), "prop_002", "t");
    assert!(!scores.render().contains("diff"));
    scores.add_rescore(&corrected("prop_001", 0.into(), Some(1.into())), "prop_002", "t");
    assert!(scores.render().contains("\"previous_score\": 1,\n        \"diff\": -1\n"), "integers stay integers");
}

#[test]
fn scores_stand_in_the_order_of_scoring() {
    let scores = ScoreFile::parse(&file(&debate(1), "scores.json")).unwrap();
    let ids: Vec<&str> = scores.0.iter().map(|(id, _)| id.as_str()).collect();
    let want = ["prop_000a", "prop_000b", "prop_000c", "opp_000a", "opp_000b", "opp_000c", "prop_001", "opp_001"];
    assert_eq!(ids, want);
}

#[test]
fn a_side_without_scores_keeps_the_integer_0() {
    let mut scores = ScoreFile::default();
    scores.add_score("prop_001", Number::from_f64(0.4).unwrap(), "r", "t");
    scores.add_score("other_001", Number::from_f64(9.0).unwrap(), "r", "t");
    let totals = scores.side_totals();
    assert_eq!(
        json!(totals),
        json!({"proposition": {"total": 0.4, "count": 1}, "opposition": {"total": 0, "count": 0}})
    );
    assert!(totals.opposition.total.is_i64());
}

#[test]
fn totals_are_sums_of_current_scores_with_three_decimals() {
    let state = DebateFile::parse(&file(&debate(1), "debate.md")).unwrap();
    // 0.45 + 0.05 (corrected from 0.2) - 0.05 - 0.125 and 0.1 - 0.25 - 0.45 + 0.125
    assert_eq!(json!(state.cumulative_scores.proposition), json!({"total": 0.325, "count": 4}));
    assert_eq!(json!(state.cumulative_scores.opposition), json!({"total": -0.475, "count": 4}));
}

#[test]
fn an_argument_file_names_sides_in_short_and_types_as_type() {
    let text = file(&debate(1), "arguments/prop_001.md");
    let front = Document::parse(&text).unwrap().front;
    let keys: Vec<&String> = front.keys().collect();
    assert_eq!(keys, ["id", "side", "exchange", "title", "claim", "attacks", "defends"]);
    assert_eq!((&front["side"], &front["exchange"]), (&json!("prop"), &json!(1)));
    assert_eq!(front["attacks"][0], json!({"target_id": "opp_000a", "type": "grounds_attack"}));
    assert!(!text.ends_with('\n'));
}

#[test]
fn an_engagement_without_target_stands_in_the_body_only() {
    let mut held = sample();
    held.argument.attacks[0].target_id.clear();
    held.argument.attacks[0].kind.clear();
    let text = held.render();
    assert_eq!(Document::parse(&text).unwrap().front["attacks"], json!([]));
    assert!(text.contains("### Attacking unknown\n\n**Type:** unspecified\n\n"));
    assert_eq!(ArgumentFile::parse(&text).unwrap(), held);
}

#[test]
fn a_claim_cannot_pass_for_a_part_of_its_file() {
    let mut held = sample();
    held.argument.claim = "## Grounds".into();
    held.argument.grounds[0].content = "> ### 9. Forged <img src=x>".into();
    let text = held.render_escaped();
    assert_eq!(text.matches("\n## Grounds").count(), 1);
    assert!(text.contains("\n\\## Grounds\n") && text.contains("> \\> ### 9. Forged &lt;img"));
}

#[test]
fn frontmatter_and_body_must_agree() {
    let text = sample().render();
    for (from, to, message) in [
        ("\"claim\": \"C\"", "\"claim\": \"D\"", "frontmatter and body differ in claim"),
        ("\"type\": \"claim_attack\"", "\"type\": \"x\"", "frontmatter and body differ in attacks"),
        ("\"side\": \"prop\"", "\"side\": \"pro\"", "frontmatter: side is missing or not what it should be"),
        ("## Warrant", "## Warant", "body: \"## Warrant\" is wanted at"),
    ] {
        let error = ArgumentFile::parse(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn the_graph_shows_scores_with_two_decimals_and_0_where_there_is_none() {
    let node = |id: &str, side| Node {
        id: id.into(),
        side,
        exchange: None,
        title: "T".into(),
        attacks: vec![],
        defends: vec![],
    };
    let nodes = vec![node("prop_001", Side::Proposition), node("opp_001", Side::Opposition)];
    let drawn = diagram::render_diagram(nodes, |id| (id == "prop_001").then_some(0.75));
    let want = "---\nconfig:\n  layout: elk\n  elk:\n    nodePlacementStrategy: NETWORK_SIMPLEX\n---\ngraph TD\n\n    opp_001[\"opp_001<br/>T<br/>⭐ 0.00\"]\n    style opp_001 fill:#B71C1C,stroke:#F44336,stroke-width:2px,color:#FFFFFF\n    prop_001[\"prop_001<br/>T<br/>⭐ 0.75\"]\n    style prop_001 fill:#1B5E20,stroke:#4CAF50,stroke-width:3px,color:#FFFFFF\n\n";
    assert_eq!(drawn, want, "strong arguments have a thick border; without edges the file ends with an empty line");
}

#[test]
fn the_graph_draws_concessions_dotted_and_numbers_its_edges() {
    let drawn = file(&debate(1), "argument-graph.mmd");
    let edges = "    opp_001 -->|⚔️ claim| prop_000b\n    opp_001 -->|🛡️ reinforce| opp_000a\n    prop_001 -->|⚔️ grounds| opp_000a\n    prop_001 -->|⚔️ warrant| opp_000c\n    prop_001 -.->|↩️ concede_and_pivot| prop_000c\n\n    linkStyle 0 stroke:#ff9800,stroke-width:2px\n    linkStyle 1 stroke:#2196F3,stroke-width:2px\n    linkStyle 2 stroke:#ff9800,stroke-width:2px\n    linkStyle 3 stroke:#ff9800,stroke-width:2px\n    linkStyle 4 stroke:#2196F3,stroke-width:2px\n";
    assert!(drawn.ends_with(edges), "{drawn}");
}

#[test]
fn a_missing_title_is_the_claim_s_first_50_characters() {
    let front = json!({"id": "prop_001", "side": "prop", "claim": "é".repeat(60)});
    let file = Document::parse(&front.to_string()).unwrap();
    let drawn = diagram::render_diagram(vec![Node::from_frontmatter(&file)], |_| None);
    assert!(drawn.contains(&format!("<br/>{}...<br/>", "é".repeat(50))));
}

#[test]
fn a_title_cannot_break_the_diagram_of_our_own_debates() {
    let mut held = sample();
    held.argument.title = "Say \"no\"]<img src=x> %%{init: {}}%%".into();
    let drawn = diagram::render_diagram(vec![Node::from(&held).escape_texts()], |_| None);
    assert!(drawn.contains("Say #quot;no#quot;]#lt;img src=x#gt; %%#123;init"), "{drawn}");
}

#[test]
fn redacted_words_are_in_no_file() {
    let mut record = cut_after(&debate(1), ruled("exchange-001/scores"));
    for key in ["exchange-000/judgment", "exchange-001/opposition"] {
        let redacted = Ruling::new(RulingKind::Redacted, "redacted").with_data(json!({"key": key}));
        let key = Key::from_parts(format!("{key}/redacted"));
        record.append_event(Stamp("2026-02-01T00:00:00.000Z".into()), Event::Ruled { key, ruling: redacted }).unwrap();
    }
    for File { path, content } in agon_report::render_debate_files(&record, None) {
        assert!(!content.contains("Asserted") && !content.contains("A Line Is Not a Reason"), "{path}");
    }
    assert!(!paths(&record).contains(&"arguments/opp_001.md".into()));
    assert_eq!(file(&record, "scores.json").matches("This text was redacted.").count(), 6);
}

fn sample() -> ArgumentFile {
    let engagement = Engagement { target_id: "opp_000a".into(), kind: "claim_attack".into(), content: "No.".into() };
    let ground = Ground { source: "S".into(), content: "What it says".into(), relevance: "R".into() };
    let argument = Argument {
        title: "T".into(),
        claim: "C".into(),
        grounds: vec![ground],
        warrant: "W".into(),
        backing: Some("B".into()),
        qualifier: None,
        attacks: vec![engagement.clone()],
        defends: vec![Engagement { kind: "clarify".into(), content: String::new(), ..engagement }],
    };
    ArgumentFile { id: "prop_001".into(), side: Side::Proposition, exchange: 1, argument }
}

prop_compose! {
    fn engagement()(target_id in "(opp|prop)_[0-9]{3}[a-c]?", kind in "[a-z_]{3,12}", content in text()) -> Engagement {
        Engagement { target_id, kind, content }
    }
}

prop_compose! {
    fn ground()(source in text(), content in text(), relevance in text()) -> Ground {
        Ground { source, content, relevance }
    }
}

/// Text of a field: one line, and no part of the file's own structure.
fn text() -> impl Strategy<Value = String> {
    "[a-zA-Zé⚔\\\\\"{}.,:;*_#>`<\\[-]{1}[a-z é⚔\\\\\"{}.,:;*_#>`<\\[-]{0,20}[a-z]"
}

prop_compose! {
    fn argument_file()(
        exchange in 0_u32..1000,
        texts in proptest::array::uniform3(text()),
        grounds in proptest::collection::vec(ground(), 1..4),
        backing in proptest::option::of(text()),
        qualifier in proptest::option::of(text()),
        attacks in proptest::collection::vec(engagement(), 0..4),
        defends in proptest::collection::vec(engagement(), 0..3),
    ) -> ArgumentFile {
        let [title, claim, warrant] = texts;
        let argument = Argument { title, claim, grounds, warrant, backing, qualifier, attacks, defends };
        ArgumentFile { id: format!("opp_{exchange:03}"), side: Side::Opposition, exchange, argument }
    }
}

prop_compose! {
    fn debate_file()(
        id in "[a-z0-9-]{1,20}", exchange in 0..900_u32, judged in any::<bool>(), total in -9.0_f64..9.0,
        motion in "[^#\\s\r\n][^#\r\n]{0,40}[^#\\s\r\n]", scope in proptest::option::of("[a-z{}\"]{1,9}( [a-z]{1,9}){0,5}"),
        definitions in proptest::collection::vec(("[a-z{ ]{1,9}x", "x[a-z}: ]{0,9}x"), 0..3),
    ) -> DebateFile {
        let total = SideTotal { total: Number::from_f64(total).unwrap(), count: 3 };
        let none = SideTotal { total: 0.into(), count: 0 };
        DebateFile {
            debate_id: id, current_exchange: exchange,
            current_phase: if judged { NextPhase::AwaitingArguments } else { NextPhase::AwaitingJudgment },
            cumulative_scores: SideTotals { proposition: total, opposition: none },
            body: Body { motion, definitions, scope, ..Body::default() },
        }
    }
}

proptest! {
    #[test]
    fn a_state_file_reads_back(file in debate_file()) {
        let text = file.render();
        prop_assert_eq!(file.update_original(&text), text.clone());
        prop_assert_eq!(DebateFile::parse(&text), Ok(file));
    }

    #[test]
    fn an_argument_file_reads_back(file in argument_file()) {
        prop_assert_eq!(ArgumentFile::parse(&file.render()), Ok(file));
    }

    #[test]
    fn no_text_makes_parsing_panic(body in "(## Claim|## Grounds|### 1\\. |> |\\*\\*Relevance:\\*\\* |## Warrant|## Attacks|\n|\n\n|x){0,12}") {
        let front = "{\"id\": \"x\", \"side\": \"prop\", \"exchange\": 1, \"title\": \"\", \"claim\": \"\", \"attacks\": [], \"defends\": []}";
        let _ = ArgumentFile::parse(&format!("{front}\n\n{body}"));
        let _ = DebateFile::parse(&format!("{front}\n\n{body}"));
        let _ = ScoreFile::parse(&body);
    }

    #[test]
    fn a_score_file_reads_back(scores in proptest::collection::vec(("(prop|opp)_[0-9]{3}", -1.0_f64..1.0, any::<String>()), 0..8)) {
        let mut file = ScoreFile::default();
        for (id, score, reasoning) in &scores {
            file.add_score(id, Number::from_f64(*score).unwrap(), reasoning, "t");
            file.add_rescore(&corrected(id, 0.into(), Number::from_f64(*score)), id, "t");
        }
        let text = file.render();
        let back = ScoreFile::parse(&text).unwrap();
        prop_assert_eq!(back.render(), text);
        prop_assert_eq!(back, file);
    }
}
