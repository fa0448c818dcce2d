//! What graphs hold, what follows from them, and their exports.

use std::collections::BTreeSet;

use agon_core::{Event, Record, Stamp};
use agon_report::graph::{
    Graph, Relation,
    export::{self, GraphLanguage},
    opinion::{self, Opinion},
    semantics::StatementLabel,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reports::debates::{self, chaired, exchange, revise};

fn whole(record: &Record, language: GraphLanguage) -> String {
    export::export_graph(record, &Graph::from_record(record), &BTreeSet::new(), language)
}

fn says(graph: &Graph, from: &str, relation: Relation, to: &str) -> bool {
    let ends = graph.index(from).zip(graph.index(to)).expect("both are there");
    graph.edges.iter().any(|edge| (edge.from, edge.to) == ends && edge.relation == relation)
}

#[test]
fn golden_graphs_of_every_protocol() {
    for (name, record) in debates::all() {
        insta::assert_snapshot!(format!("{name}-graph"), whole(&record, GraphLanguage::Json));
    }
}

#[test]
fn golden_exports() {
    let (exchange, panel) = (exchange::debate(1), debates::panel::panel());
    insta::assert_snapshot!("exchange-dot", whole(&exchange, GraphLanguage::Dot));
    insta::assert_snapshot!("exchange-argdown", whole(&exchange, GraphLanguage::Argdown));
    insta::assert_snapshot!("panel-mermaid", whole(&panel, GraphLanguage::Mermaid));
}

#[test]
fn the_mermaid_of_an_exchange_is_its_own_file_byte_for_byte() {
    let record = exchange::debate(1);
    assert_eq!(whole(&record, GraphLanguage::Mermaid), exchange::file(&record, "argument-graph.mmd"));
}

#[test]
fn typed_fields_become_edges() {
    let graph = Graph::from_record(&exchange::debate(1));
    assert!(says(&graph, "prop_001", Relation::Attack, "opp_000a"));
    assert!(says(&graph, "prop_001", Relation::Concession, "prop_000c"), "concede and pivot");
    assert!(says(&graph, "opp_001", Relation::Support, "opp_000a"), "reinforce");
    let graph = Graph::from_record(&debates::duel::duel());
    assert!(says(&graph, "turn-2", Relation::Attack, "turn-1"), "a counterpoint");
    assert!(says(&graph, "turn-2", Relation::Concession, "turn-1"), "an agreement");
    let graph = Graph::from_record(&revise::play(revise::track("plan"), |_| None));
    assert!(says(&graph, "codex-of-claude-1", Relation::Attack, "claude-0"), "a weakness");
    assert!(says(&graph, "codex-of-claude-1", Relation::Support, "claude-0"), "a strength");
    assert!(says(&graph, "claude-1", Relation::Concession, "codex-of-claude-1"), "addressed");
    assert!(says(&graph, "codex-1", Relation::Attack, "claude-of-codex-1"), "defended");
    let graph = Graph::from_record(&debates::panel::panel());
    assert!(says(&graph, "opening-1", Relation::Attack, "opening-2"), "a disagreement");
    assert!(says(&graph, "opening-2", Relation::Attack, "opening-1"), "goes both ways");
    assert!(says(&graph, "round-1", Relation::Concession, "opening-1"), "converged");
    let graph = Graph::from_record(&chaired::debate());
    assert!(says(&graph, "seq-6", Relation::Attack, "seq-3"), "a rebuttal");
    assert!(says(&graph, "seq-19", Relation::Support, "seq-6"), "names an own entry");
}

#[test]
fn aif_has_a_scheme_node_for_every_relation_and_a_locution_for_every_statement() {
    for (name, record) in debates::all() {
        let graph = Graph::from_record(&record);
        let aif: Value = serde_json::from_str(&whole(&record, GraphLanguage::Aif)).unwrap();
        let nodes = aif["nodes"].as_array().unwrap();
        let count = |kind: &str| nodes.iter().filter(|node| node["type"] == kind).count();
        let edges = |relation: Relation| graph.edges.iter().filter(|edge| edge.relation == relation).count();
        assert_eq!((count("I"), count("L")), (graph.statements.len(), graph.statements.len()), "{name}");
        assert_eq!((count("CA"), count("RA")), (edges(Relation::Attack), edges(Relation::Support)), "{name}");
        assert_eq!(count("YA"), graph.statements.len() + edges(Relation::Concession), "{name}");
        let kind = |id: &Value| nodes.iter().find(|node| node["nodeID"] == *id).unwrap()["type"].as_str().unwrap();
        for edge in aif["edges"].as_array().unwrap() {
            let ends = [kind(&edge["fromID"]), kind(&edge["toID"])];
            let information = ends.iter().filter(|kind| ["I", "L"].contains(kind)).count();
            assert_eq!(information, 1, "{name}: two statements are joined by a scheme only, {ends:?}");
        }
    }
}

#[test]
fn the_judge_is_compared_with_the_graph_in_a_sentence() {
    let said = |record: &Record| {
        let graph = Graph::from_record(record);
        opinion::describe_agreement(&opinion::find_judgment(record, &graph), &Opinion::from_graph(&graph))
    };
    let undecided = "The judge favours Proposition; the graph neither confirms nor contradicts this.";
    assert_eq!(said(&exchange::debate(1)), undecided, "each side has one attack that stands");
    // The opposition answers nothing: by the graph it loses ground.
    let silent = |key: &str| {
        let mut said = (key == "exchange-001/opposition").then(|| exchange::canned(key).unwrap())?;
        for field in ["attacks", "defends"] {
            said["arguments"][0][field] = json!([]);
        }
        Some(exchange::said(said))
    };
    let agreed = exchange::debate_with(1, silent);
    assert_eq!(said(&agreed), "The judge and the graph agree: both favour Proposition.");
    // And with the grades of the opening turned round.
    let turned = exchange::debate_with(1, |key| {
        if key != "exchange-000/judgment" {
            return silent(key);
        }
        let mut judgment = exchange::canned(key)?;
        for given in judgment["grades"].as_array_mut()? {
            given["grade"] = json!(10.0 - given["grade"].as_f64()?);
        }
        Some(exchange::said(judgment))
    });
    let disagreed = "The judge and the graph disagree: the judge favours Opposition, the graph favours Proposition.";
    assert_eq!(said(&turned), disagreed);
    assert_eq!(
        said(&exchange::debate(0)),
        "The judge favours Proposition; the graph neither confirms nor contradicts this."
    );
    assert_eq!(
        said(&debates::panel::panel()),
        "This protocol has no judge, so the graph cannot be compared with a judgment."
    );
}

#[test]
fn a_statement_that_is_struck_takes_its_attacks_with_it() {
    let record = exchange::debate(1);
    let graph = Graph::from_record(&record);
    let standing = |graph: &Graph, id: &str| Opinion::from_graph(graph).standing[graph.index(id).unwrap()];
    assert_eq!(standing(&graph, "opp_000c"), StatementLabel::Falls);
    let struck = graph.find_statements("prop_001");
    let without = graph.without_statements(&struck);
    assert_eq!(standing(&without, "opp_000c"), StatementLabel::Stands);
    let changes = opinion::describe_changes(&graph, &without);
    assert!(changes.contains(&"opp_000c now stands; it fell before.".to_owned()), "{changes:?}");
    assert!(changes.contains(&"An attack on opp_000a, opp_000c is gone.".to_owned()), "{changes:?}");
    let json: Value =
        serde_json::from_str(&export::export_graph(&record, &graph, &struck, GraphLanguage::Json)).unwrap();
    assert_eq!(json["without"], json!(["prop_001"]));
    assert_eq!(json["changes"], json!(changes));
    // By the number of an entry all that was said in it goes.
    let opening = graph.statements[0].seq.to_string();
    assert_eq!(graph.find_statements(&opening).len(), 3);
    assert!(graph.find_statements("prop_999").is_empty());
}

#[test]
fn a_redacted_statement_keeps_its_place_and_loses_its_words() {
    let mut record = exchange::debate(0);
    let more = agon_core::Extension { rounds: 1, ..Default::default() };
    record.append_event(Stamp("2026-02-01T00:00:00.000Z".into()), Event::Extended { limits: more }).unwrap();
    revise::redact(&mut record, "exchange-000/opposition");
    let graph = Graph::from_record(&record);
    let at = graph.index("opp_000a").expect("its place is kept");
    assert_eq!((graph.statements[at].text.as_ref(), graph.statements[at].title.as_str()), (None, ""));
    for language in GraphLanguage::ALL {
        let drawn = whole(&record, language);
        assert!(!drawn.contains("Writing Slows the Quick"), "{}", language);
        // The diagram of the format knows no argument without words.
        assert!(drawn.contains("opp_000a") || language == GraphLanguage::Mermaid, "{}", language);
    }
    for file in agon_report::find_format("report").unwrap().render_files(&record) {
        assert!(!file.content.contains("Slows the Quick"), "{}", file.path);
        assert!(file.content.contains("redacted"), "{}", file.path);
    }
}

#[test]
fn what_was_struck_in_a_chaired_debate_is_in_no_report_and_no_graph() {
    let record = chaired::debate_fetched("census", "fabricated", |_| None);
    let struck = Graph::from_record(&record).statements.iter().filter(|statement| statement.text.is_none()).count();
    assert!(struck > 0, "the fixture redacts an entry");
    let exports = GraphLanguage::ALL.map(|language| whole(&record, language));
    let report = agon_report::find_format("report").unwrap().render_files(&record).into_iter().map(|file| file.content);
    for drawn in exports.into_iter().chain(report) {
        assert!(!drawn.contains("census of forgetting"), "{drawn}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_if_is_the_same_every_time(picked in proptest::collection::btree_set(0_usize..8, 0..5)) {
        let record = exchange::debate(1);
        let graph = Graph::from_record(&record);
        let without = graph.without_statements(&picked);
        prop_assert_eq!(&without, &Graph::from_record(&record).without_statements(&picked));
        prop_assert_eq!(without.statements.len(), graph.statements.len() - picked.len());
        prop_assert_eq!(Opinion::from_graph(&without), Opinion::from_graph(&without.clone()));
        for language in GraphLanguage::ALL {
            let once = export::export_graph(&record, &graph, &picked, language);
            prop_assert_eq!(&once, &export::export_graph(&record, &graph, &picked, language));
        }
    }
}

#[test]
fn after_a_consensus_no_statement_falls() {
    let record = debates::duel::duel();
    assert_eq!(record.closing_outcome().unwrap().name, "ACCEPTED_CONSENSUS");
    let graph = Graph::from_record(&record);
    let opinion = Opinion::from_graph(&graph);
    assert!(opinion.standing.iter().all(|standing| *standing == StatementLabel::Stands), "{:?}", opinion.standing);
    assert_eq!(opinion.favours, None, "{}", opinion.describe_opinion());
    assert!(opinion.describe_tally().contains("agreed in the end"), "{}", opinion.describe_tally());
    let before = Opinion::from_graph(&Graph { agreed: false, ..graph });
    assert!(before.standing.iter().any(|standing| *standing != StatementLabel::Stands), "they did attack each other");
}

#[test]
fn who_moved_without_saying_so_granted_nothing() {
    let mut graph = Graph::from_record(&debates::panel::panel());
    graph.edges.truncate(1);
    graph.edges[0].relation = Relation::Concession;
    let (from, to) = (graph.edges[0].from, graph.statements[graph.edges[0].to].id.clone());
    for (kind, verb) in [("converged", "grants"), (agon_report::graph::MOVED, "moves towards")] {
        graph.edges[0].kind = kind.into();
        assert_eq!(graph.describe_relations(from), [format!("{verb} {to}")]);
    }
}
