//! A protocol and a request for tests of what opens a debate, and the three steps together.

use std::{path::Path, sync::Arc};

use agon_core::Manifest;
use agon_journal::Journal;
use agon_runtime::{
    config::{Config, Paths, ProcessTrust},
    prompts::Layers,
};

use super::*;
use crate::{context::SilentFrontend, output_files::FileSet, request::SourceRequest};

/// A manifest with a row of two to four members and a judge, 1 to 10 rounds, and what the protocol called
/// `name` says of its options.
pub fn manifest(name: &str) -> Manifest {
    let toml = format!(
        "name = \"{name}\"\nsummary = \"x\"\nrules = 1\nmotion = \"text\"\nfit = \"whole\"\n\
         rounds = {{ default = 8, min = 1, max = 10 }}\n\
         [[seat]]\nname = \"member\"\nrole = \"debater\"\nabout = \"x\"\n\
         members = {{ min = 2, max = 4, default = 3 }}\n\
         [[seat]]\nname = \"judge\"\nrole = \"judge\"\nabout = \"x\"\n\
         [prompt.x]\ntokens_max = 1\ntemperature = 0.0\n"
    );
    let mut manifest = agon_protocols::common::options::parse_manifest(&toml).unwrap();
    if let Some(protocol) = agon_protocols::find_protocol(name) {
        let Manifest { options, approval, member_details, opens_sources, rounds, .. } = protocol.manifest().clone();
        manifest.rounds.fewest = rounds.fewest;
        manifest.rounds.clamped = rounds.clamped;
        manifest = Manifest { options, approval, member_details, opens_sources, ..manifest };
    }
    manifest
}

/// A request that names a protocol and a motion.
pub fn request(protocol: &str) -> OpeningRequest {
    let motion = Some("This house would.".to_owned());
    OpeningRequest { protocol: protocol.to_owned(), motion, ..OpeningRequest::default() }
}

/// `request` with what a test needs of it.
pub fn requested(request: &OpeningRequest) -> RequestedDebate<'_> {
    RequestedDebate {
        request,
        protocol: agon_protocols::find_protocol(&request.protocol).unwrap(),
        declared: None,
        id: choose_debate_id(None).unwrap(),
        seed: None,
        intake: subject::DebateIntake::default(),
        limits: agon_core::Limits::default(),
        material: None,
    }
}

fn context(home: &Path, config: &str) -> Context {
    let places = Paths {
        home: home.to_owned(),
        journal: None,
        models: home.join("models"),
        user_config: None,
        project_config: None,
        project: None,
        trust: ProcessTrust::default(),
        prompts: Layers::default(),
        protocols: Layers::default(),
    };
    Context {
        config: toml::from_str::<Config>(config).unwrap(),
        places,
        journal: Arc::new(Journal::open(home).unwrap()),
        frontend: Arc::new(SilentFrontend),
        is_attended: false,
        offline: true,
        files: FileSet::None,
        engine: None,
        patience: None,
    }
}

#[test]
fn material_is_stored_once_nothing_else_is_wrong() {
    let home = tempfile::tempdir().unwrap();
    let context = context(home.path(), "");
    let mut request = request("review");
    let source = SourceRequest::Text { path: "a.rs".into(), text: "fn main() {}\n".into(), seats: Vec::new() };
    request.context.sources.push(source);
    request.seats.model = Some("nobody:x".into());
    let store = home.path().join("material.db");
    assert!(check_request(&context, &request).err().unwrap().message.contains("no provider"));
    assert!(!store.exists());
    request.seats.model = Some("scripted:x.jsonl".into());
    check_request(&context, &request).unwrap();
    assert!(store.exists());
}

#[test]
fn a_bare_name_of_a_provider_is_whole_from_the_second_step_on() {
    let home = tempfile::tempdir().unwrap();
    let context = context(home.path(), "[providers.ollama]\nkind = \"ollama\"\nmodel = \"m\"");
    let mut request = request("exchange");
    request.seats.model = Some("ollama".into());
    request.extract = Some("ollama?temperature=1".into());
    let checked = check_request(&context, &request).unwrap();
    assert!(checked.lineup.iter().all(|sat| sat.entry.model == "ollama:m" || sat.entry.model == "fetched"));
    assert!(checked.lineup.iter().map(|sat| &sat.entry).eq(&checked.opened.lineup));
    assert_eq!(checked.opened.options["extractor"], "ollama:m?temperature=1");
}

#[test]
fn the_price_of_the_host_counts_too() {
    let home = tempfile::tempdir().unwrap();
    let context = context(home.path(), "");
    let mut request = request("chaired");
    request.budget.max_cost = Some(1.0);
    request.seats.model = Some("scripted:x.jsonl".into());
    check_request(&context, &request).unwrap();
    request.seats.seats.push("host=openai:unheard-of".into());
    let refused = check_request(&context, &request).err().unwrap();
    assert!(refused.message.contains("openai:unheard-of (seat host) is not known"), "{}", refused.message);
}
