//! The house in order: what reviewers would otherwise have to look for by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod book;
mod chains;
mod circles;
mod conformance;
mod english;
mod limits;
mod names;
mod options;
mod outcomes;
mod plugin;
mod protocols;
mod setup;
mod sizes;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use agon_core::{
    Answered, Answerer, Digest, Event, Extension, Opened, Protocol, Record, Reply, Stamp, Step, Usage, View,
    sample, step,
};
use agon_runtime::{
    participant::{ChatMessage, ChatRole},
    prompts::Renderer,
    rehearse::rehearse,
};
use serde_json::Value;

const LINES_MAX: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            walk(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    walk(&root().join("crates"), &mut files);
    let sources = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    sources.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn no_file_is_long() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= LINES_MAX, "{} has {lines} lines; split it", path.display());
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{} begins without a module doc", path.display());
        let doc: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let paragraphs = doc.split(|line| line.trim() == "//!").filter(|p| !p.is_empty()).count();
        assert!(paragraphs <= 3, "{}: a module doc has at most three paragraphs", path.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    let marks = [
        ["to", "do!("].concat(),
        ["unimple", "mented!("].concat(),
        ["FIX", "ME"].concat(),
        ["#[ig", "nore"].concat(),
    ];
    for (path, text) in sources() {
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{}: {mark}", path.display());
        }
    }
}

/// Prose for models is in prompts; a long literal in a protocol is probably a prompt that strayed.
#[test]
fn text_for_models_lives_in_prompts() {
    for (path, text) in
        sources().into_iter().filter(|(path, _)| path.starts_with(root().join("crates/agon-protocols/src")))
    {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let longest = line.split('"').skip(1).step_by(2).map(str::len).max().unwrap_or(0);
            assert!(longest < 200, "{}: {line}", path.display());
        }
    }
}

/// Every prompt renders with the facts that its protocol gives, and changes to it are reviewed.
#[test]
fn prompts_read_as_reviewed() {
    for protocol in agon_protocols::ALL {
        let mut seen = BTreeSet::new();
        let mut text = String::new();
        for (key, prompt, messages) in rehearsed(*protocol) {
            if seen.insert(prompt.clone()) {
                text.push_str(&format!("===== {prompt} ({key})\n{messages}\n"));
            }
        }
        insta::assert_snapshot!(format!("{}-prompts", protocol.name()), text);
    }
}

/// Every request of a debate in which all goes well, extended at its end, and of one in which
/// everything that may be answered by yes or no is answered by yes: some things are asked then only.
fn rehearsed(protocol: &dyn Protocol) -> Vec<(String, String, String)> {
    let manifest = protocol.manifest();
    let templates: BTreeMap<String, String> =
        protocol.prompts().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut opened: Opened = sample::opened_for(manifest);
    opened.limits.rounds = manifest.rounds.default;
    opened.prompts = templates.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect();
    let renderer = Renderer::new(&templates).unwrap();
    let calls = rehearse(protocol, opened.clone(), &sample::documents(), &renderer).unwrap();
    let mut shown: Vec<_> =
        calls.into_iter().map(|call| (call.key, call.prompt, shown(&call.messages))).collect();
    shown.extend(played(protocol, opened.clone(), &renderer, false));
    opened.options.insert("approve".into(), true.into());
    shown.extend(played(protocol, opened, &renderer, true));
    shown
}

fn played(
    protocol: &dyn Protocol,
    opened: Opened,
    renderer: &Renderer,
    yes: bool,
) -> Vec<(String, String, String)> {
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let mut record = Record::open(opened, at()).unwrap().with_documents(&sample::documents());
    let mut asked = Vec::new();
    while asked.len() < 200 {
        match step(protocol, &record).unwrap() {
            Step::Close(_) if record.closed().is_some() => {
                let limits = Extension { rounds: 1, ..Extension::default() };
                record.append(at(), Event::Extended { limits }).unwrap();
            }
            Step::Close(_) if record.outcome().is_some() => break,
            Step::Close(outcome) => drop(record.append(at(), Event::Closed { outcome })),
            Step::Record(whats) => {
                for what in whats {
                    record.append(at(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let request = open[0].clone();
                let view = View::new(&record, &request);
                let mut reply = Reply::Elapsed;
                if !request.prompt.is_empty() {
                    let messages =
                        renderer.render(&request, &protocol.facts(&view, &request), &view).unwrap();
                    asked.push((request.key.to_string(), request.prompt.clone(), shown(&messages)));
                    let text = match protocol.schema(&view, &request) {
                        Some(schema) => {
                            let mut value = sample::instance(&schema, asked.len() as u64);
                            if yes {
                                affirm(&mut value);
                            }
                            value.to_string()
                        }
                        None if request.seat.as_str() == "host" => "yes".into(),
                        None => sample::answer(None, asked.len() as u64),
                    };
                    reply = Reply::Said { text };
                }
                let (usage, by) = (Usage::default(), Answerer::default());
                let answered = Answered {
                    key: request.key,
                    reply,
                    usage,
                    by,
                    prompt: None,
                    shortened: 0,
                    shown: Vec::new(),
                };
                record.append(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
    asked
}

fn affirm(value: &mut Value) {
    match value {
        Value::Bool(flag) => *flag = true,
        Value::Array(items) => items.iter_mut().for_each(affirm),
        Value::Object(fields) => fields.values_mut().for_each(affirm),
        _ => {}
    }
}

fn shown(messages: &[ChatMessage]) -> String {
    let messages = messages.iter().map(|message| {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        };
        format!("--- {role}\n{}\n", message.text)
    });
    messages.collect()
}
