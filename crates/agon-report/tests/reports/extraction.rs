//! What a model extracted from prose: where it stands in graphs, what it is marked with, and what takes
//! it away.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Answerer, DebateId, Digest, Event, Extension, Opened, Protocol, Record, Reply, Stamp, Usage, sample};
use agon_protocols::extraction::{
    Extraction, OF,
    material::{Material, STATEMENTS},
};
use agon_report::{
    companion, extraction as extracted,
    graph::{
        Graph, Relation,
        export::{self, GraphLanguage},
        map,
        opinion::Opinion,
    },
};
use serde_json::{Value, json};

use crate::reports::debates::{self, chaired};

#[path = "../common/drive.rs"]
mod drive;

/// What a reader finds: from a statement to another, and by which words of the first.
type Finds<'f> = &'f dyn Fn(&str, bool) -> Vec<(&'static str, &'static str, String)>;

/// An extraction of `of`: `finds` says, by statement and order, the target, the relation and the words.
fn extraction(of: &Record, finds: Finds<'_>) -> Record {
    let material = extracted::build_material(of, &Graph::from_record(of));
    let (statements, at) = (material.to_document(), || Stamp("2026-03-01T00:00:00.000Z".into()));
    let mut opened = sample::opened_for(Extraction.manifest());
    opened.debate = companion::extraction_ids(&of.opened().debate).next().unwrap();
    opened.limits.rounds = 60;
    opened.options.insert(OF.into(), json!({"debate": of.opened().debate}));
    opened.documents.insert(STATEMENTS.into(), Digest::from_content(&statements));
    let documents = BTreeMap::from([(Digest::from_content(&statements), statements.clone())]);
    let mut record = Record::open(opened, at()).unwrap().with_documents(&documents);
    let by = |_: &agon_core::Request| (Answerer::new("local:reader"), Usage::default());
    drive::drive(
        &Extraction,
        &mut record,
        |_| at(),
        by,
        |request, _| {
            let fact = |name: &str| request.facts[name].as_str().unwrap();
            let (of, turned) = (fact("of"), fact("order") == "latest-first");
            let place = |id: &str| material.0.iter().position(|statement| statement.id == id);
            let listed = material.listed_places(place(of).unwrap(), turned);
            let relations = finds(of, turned).into_iter().map(|(to, relation, quote)| {
                let to = listed.iter().position(|at| Some(*at) == place(to)).expect("it is listed") + 1;
                json!({"quote": quote, "relation": relation, "to": to})
            });
            Some(Reply::Said { text: json!({"relations": relations.collect::<Value>()}).to_string() })
        },
    );
    record
}

/// The first words of the statement `id`.
fn begins(record: &Record, id: &str) -> String {
    let graph = Graph::from_record(record);
    let words: Vec<&str> = graph.statements[graph.index(id).unwrap()].words.split_whitespace().collect();
    words[..8.min(words.len())].join(" ")
}

fn kept(graph: &Graph) -> Vec<(String, Relation, String)> {
    let id = |at: usize| graph.statements[at].id.clone();
    let extracted = graph.edges.iter().filter(|edge| edge.extracted);
    extracted.map(|edge| (id(edge.from), edge.relation, id(edge.to))).collect()
}

/// A panel in which a model finds an attack that no field says, and an attack where a field has a
/// concession.
fn read_panel() -> (Record, Record) {
    let panel = debates::panel::panel();
    let quote = begins(&panel, "round-2");
    let extraction = extraction(&panel, &|id, _| match id {
        "round-2" => vec![("opening-1", "attack", quote.clone()), ("opening-2", "attack", quote.clone())],
        _ => Vec::new(),
    });
    (panel, extraction)
}

#[test]
fn extracted_edges_stand_beside_typed_ones_and_never_in_their_place() {
    let (panel, extraction) = read_panel();
    let (typed, graph) = (Graph::from_record(&panel), Graph::with_extraction(&panel, Some(&extraction)));
    assert_eq!(kept(&graph), [("round-2".to_owned(), Relation::Attack, "opening-2".to_owned())]);
    assert_eq!(graph.typed_only(), typed, "the typed edges are as they were");
    assert_eq!(extraction.closing_outcome().unwrap().figures["kept"], 2);
    let by = graph.extracted.unwrap();
    assert_eq!((by.by.as_str(), by.read, by.follow), ("local:reader", 5, 5));
    // Of another debate it says nothing, nor before it has ended.
    let elsewhere = Opened { debate: DebateId::new("other").unwrap(), ..panel.opened().clone() };
    let other = Record::open(elsewhere, panel.entries()[0].at.clone()).unwrap();
    assert_eq!(Graph::with_extraction(&other, Some(&extraction)).extracted, None);
    let mut open = extraction.clone();
    let more = Extension { rounds: 1, ..Extension::default() };
    open.append_event(Stamp("2026-03-02T00:00:00.000Z".into()), Event::Extended { limits: more }).unwrap();
    assert_eq!(Graph::with_extraction(&panel, Some(&open)), typed);
}

#[test]
fn whatever_shows_an_extracted_edge_says_so() {
    let (panel, extraction) = read_panel();
    let graph = Graph::with_extraction(&panel, Some(&extraction));
    for (language, mark) in [
        (GraphLanguage::Mermaid, "s_round_2 -.->|⚔️ extracted by local:reader| s_opening_2"),
        (GraphLanguage::Dot, "label=\"attack: extracted by local:reader\", color=\"#b3261e\", style=dashed"),
        (GraphLanguage::Argdown, "/* extracted by local:reader */"),
        (GraphLanguage::Aif, "\"Default Conflict (extracted by local:reader)\""),
        (GraphLanguage::Json, "\"extracted_by\": \"local:reader\""),
    ] {
        let drawn = export::export_graph(&panel, &graph, &BTreeSet::new(), language);
        assert!(drawn.contains(mark), "{}: {drawn}", language);
        let typed = export::export_graph(&panel, &graph.typed_only(), &BTreeSet::new(), language);
        assert!(!typed.contains("extracted"), "{}: {typed}", language);
    }
    let opinion = Opinion::from_graph(&graph);
    let basis = opinion.basis.clone().unwrap();
    let told = "Relations extracted from prose by local:reader: 1 of ";
    assert!(basis.starts_with(told) && basis.contains("(5 of 5 statements that follow others were read)"), "{basis}");
    let map = map::draw_map(&graph, &opinion).unwrap().into_string();
    assert!(map.contains("class=\"edge attack extracted\"") && map.contains("url(#map-attack-extracted)"), "{map}");
    assert!(map::CSS.contains(".edge.extracted { stroke-dasharray:"), "dashed");
    assert!(map::render_legend(&graph, &opinion).into_string().contains("attacks, extracted by local:reader"));
    for file in agon_report::find_format("report").unwrap().render_in(&panel, Some(&extraction), "") {
        // The memo says nothing of the graph.
        if file.path == "memo.md" {
            continue;
        }
        assert!(file.content.contains("attacks opening-2 (extracted)"), "{}", file.path);
        assert!(file.content.contains("Relations extracted from prose by local:reader"), "{}", file.path);
        assert!(file.content.contains(told), "{}", file.path);
    }
    let own = agon_report::render_debate_files(&extraction, None).into_iter().find(|file| file.path == "extraction.md");
    assert!(own.unwrap().content.contains("| round-2 | attack | opening-2 |"));
}

#[test]
fn what_the_orders_disagree_on_or_nobody_said_is_no_edge() {
    let panel = debates::panel::panel();
    let quote = |id: &str| begins(&panel, id);
    let read = |finds: Finds<'_>| {
        let extraction = extraction(&panel, finds);
        let figures = extraction.closing_outcome().unwrap().figures.clone();
        let counts = ["kept", "contested", "unfounded"].map(|name| figures[name].as_u64().unwrap());
        (kept(&Graph::with_extraction(&panel, Some(&extraction))).len(), counts)
    };
    let same = |id: &str, _| match id {
        "round-5" => vec![("round-2", "attack", quote(id))],
        _ => Vec::new(),
    };
    assert_eq!(read(&same), (1, [1, 0, 0]));
    let one_order = |id: &str, turned| if turned { Vec::new() } else { same(id, turned) };
    assert_eq!(read(&one_order), (0, [0, 1, 0]));
    let otherwise = |id: &str, turned| {
        let relation = if turned { "support" } else { "attack" };
        same(id, turned).into_iter().map(|(to, _, quote)| (to, relation, quote)).collect()
    };
    assert_eq!(read(&otherwise), (0, [0, 1, 0]));
    let nowhere = |id: &str, turned| {
        let made_up = |(to, relation, _)| (to, relation, "Nobody has ever said any of this.".to_owned());
        same(id, turned).into_iter().map(made_up).collect()
    };
    assert_eq!(read(&nowhere), (0, [0, 0, 1]));
}

#[test]
fn nobody_is_shown_what_was_redacted() {
    let record = chaired::debate_fetched("census", "fabricated", |_| None);
    let graph = Graph::from_record(&record);
    let redacted = graph.statements.iter().filter(|statement| statement.text.is_none()).count();
    let material = extracted::build_material(&record, &graph);
    assert!(redacted > 0, "the fixture redacts an entry");
    assert_eq!(material.0.len(), graph.statements.len() - redacted);
    assert!(!material.to_document().contains("census of forgetting"), "{}", material.to_document());
    // What is redacted later takes with it what was extracted of it.
    let mut panel = debates::panel::panel();
    let quote = begins(&panel, "round-1");
    let extraction = extraction(&panel, &|id, _| match id {
        "round-1" => vec![("opening-3", "attack", quote.clone())],
        _ => Vec::new(),
    });
    assert_eq!(kept(&Graph::with_extraction(&panel, Some(&extraction))).len(), 1);
    let key = panel.answers().map(|(seq, answered)| (seq, answered.key.clone()));
    let seq = Graph::from_record(&panel).statements.iter().find(|statement| statement.id == "round-1").unwrap().seq;
    let key = key.into_iter().find(|(at, _)| *at == seq).unwrap().1;
    let more = Extension { rounds: 1, ..Extension::default() };
    panel.append_event(Stamp("2026-03-02T00:00:00.000Z".into()), Event::Extended { limits: more }).unwrap();
    debates::revise::redact(&mut panel, key.as_str());
    let graph = Graph::with_extraction(&panel, Some(&extraction));
    assert!(graph.statements[graph.index("round-1").unwrap()].text.is_none());
    assert_eq!(kept(&graph), []);
    assert!(!extracted::is_current(&extraction, &panel), "it would be read anew");
}

#[test]
fn striking_a_statement_strikes_what_was_extracted_of_it_every_time() {
    let (panel, extraction) = read_panel();
    let graph = Graph::with_extraction(&panel, Some(&extraction));
    let without = graph.without_statements(&graph.find_statements("opening-2"));
    assert_eq!(kept(&without), []);
    assert_eq!(kept(&graph.without_statements(&graph.find_statements("round-5"))).len(), 1);
    for language in GraphLanguage::ALL {
        let struck = graph.find_statements("round-2");
        let once = export::export_graph(&panel, &graph, &struck, language);
        let again = Graph::with_extraction(&panel, Some(&extraction));
        assert_eq!(once, export::export_graph(&panel, &again, &struck, language));
    }
}

#[test]
fn those_who_argue_by_a_declared_protocol_make_statements() {
    let record = debates::declared::debate(debates::declared::DELPHI);
    let graph = Graph::from_record(&record);
    let experts = graph.sides.len();
    assert!(experts > 1 && graph.edges.is_empty() && graph.statements.len() >= 2 * experts, "{graph:?}");
    let first = &graph.statements[0];
    assert!(first.id.starts_with("estimate-1-expert-1") && first.text.is_some(), "{first:?}");
    assert!(graph.statements[..experts].iter().all(|statement| statement.step == first.step), "sealed");
    assert!(graph.statements[experts].step > first.step);
    let ids: BTreeSet<&str> = graph.statements.iter().map(|statement| statement.id.as_str()).collect();
    assert_eq!(ids.len(), graph.statements.len());
    // Whoever facilitates or reports is no debater.
    assert!(graph.statements.iter().all(|statement| statement.speaker.starts_with("Expert")), "{graph:?}");
    let quote = begins(&record, &graph.statements[experts].id);
    let (from, to) = (graph.statements[experts].id.clone(), "estimate-1-expert-2");
    let extraction = extraction(&record, &|id, _| match id == from {
        true => vec![(to, "concession", quote.clone())],
        false => Vec::new(),
    });
    assert_eq!(
        kept(&Graph::with_extraction(&record, Some(&extraction))),
        [(from, Relation::Concession, to.to_owned())]
    );
    assert_eq!(Material::from_document(extraction.document(STATEMENTS)).0.len(), graph.statements.len());
}
