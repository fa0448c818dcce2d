//! A protocol is complete in its own folders, and nothing else knows it by name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use agon_core::{Answered, Answerer, Event, Protocol, Record, Reply, Stamp, Step, View, compute_next_step, sample};
use agon_protocols::common::skill::draw_skill;
use agon_report::graph::Graph;

use super::{rehearsed, root, sources, walk};

/// Files that say the name of a protocol and mean something else.
const OTHERWISE: [(&str, &str); 2] = [
    ("crates/agon-core/src/sample.rs", "a word of samples"),
    ("crates/agon/src/command/stored.rs", "a duel that a drop-in verb keeps, which is no debate"),
];

#[test]
fn every_protocol_is_complete() {
    for protocol in agon_protocols::ALL {
        let name = protocol.name();
        let folder = root().join("crates/agon-protocols/src").join(name);
        assert!(folder.join(format!("{name}.toml")).is_file(), "{name}: no toml");
        assert!(root().join("docs/protocols").join(format!("{name}.md")).is_file(), "{name}: no page for people");
        let plain = fs::read_to_string(folder.join("people.toml")).unwrap_or_default();
        assert_eq!(plain.is_empty(), protocol.human_prompts().is_empty(), "{name}: people.toml is not shipped");
        assert_eq!(
            folder.join("skill.md").is_file(),
            protocol.skill_text().is_some(),
            "{name}: skill.md is not shipped"
        );
        assert!(draw_skill(*protocol, "1").contains(name), "{name}: no skill for agents");
        assert!(!Graph::from_record(&debate(*protocol)).statements.is_empty(), "{name}: a debate without a graph");
        let shipped: BTreeMap<&str, &str> = protocol.prompt_templates().iter().copied().collect();
        let mut files = Vec::new();
        walk(&folder.join("prompts"), &mut files);
        for path in files {
            let stem = path.strip_prefix(folder.join("prompts")).unwrap().with_extension("");
            let text = fs::read_to_string(&path).unwrap();
            let of = shipped.get(&*stem.to_string_lossy());
            assert_eq!(of, Some(&text.as_str()), "{name}: {} is not shipped", stem.display());
        }
        for prompt in protocol.manifest().prompts.keys() {
            assert!(shipped.contains_key(prompt.as_str()), "{name}: the toml names {prompt}, which does not exist");
        }
        let asked: BTreeSet<String> = rehearsed(*protocol).into_iter().map(|(_, prompt, _)| prompt).collect();
        // A rehearsal breaks no rule and opens no page; its host agrees, its authors concede nothing, its panelists have
        // lenses, and its chair and assessor find nothing. So nobody is asked again, to read, what a host means, what
        // both concede, for a lens, or to confirm a finding.
        let unasked = ["redraft", "reading", "consent", "concessions", "lenses", "confirm"];
        let is_asked = |prompt: &str| !unasked.contains(&prompt.strip_prefix("small/").unwrap_or(prompt));
        for (prompt, _) in shipped.iter().filter(|(prompt, _)| is_asked(prompt)) {
            // What large models are asked with tells what small ones are.
            let prompt = prompt.strip_prefix("small/").filter(|of| shipped.contains_key(of)).unwrap_or(prompt);
            let included = shipped.values().any(|text| text.contains(&format!("include \"{prompt}\"")));
            assert!(included || asked.contains(prompt), "{name}: nobody is asked with {prompt}");
            assert!(included || protocol.manifest().prompts.contains_key(prompt), "{name}: the toml lacks {prompt}");
        }
    }
}

/// A debate in which everybody answers, to its end.
fn debate(protocol: &dyn Protocol) -> Record {
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let manifest = protocol.manifest();
    let mut opened = sample::opened_for(manifest);
    opened.limits.rounds = manifest.rounds.default;
    let mut record = Record::open(opened, at()).unwrap().with_documents(&sample::sample_documents());
    for seed in 0..200 {
        match compute_next_step(protocol, &record).unwrap() {
            Step::Close(_) if record.latest_outcome().is_some() => break,
            Step::Close(outcome) => {
                record.append_event(at(), Event::Closed { outcome }).unwrap();
            }
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(at(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let request = open[0].clone();
                let view = View::new(&record, &request);
                let schema = protocol.answer_schema(&view, &request);
                let text = protocol.sample_answer(&view, &request);
                let text = text.unwrap_or_else(|| sample::sample_answer(schema.as_ref(), seed));
                let reply = if request.prompt.is_empty() { Reply::Elapsed } else { Reply::Said { text } };
                let answered = Answered::new(request.key, reply, Answerer::default());
                record.append_event(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
    record
}

/// Whether a file is in the folder of a protocol, where the name of another is a word like any other.
fn is_of_protocol(path: &Path) -> bool {
    let folder = |package: &str, name: &str| format!("crates/{package}/src/{name}");
    let packages = ["agon-protocols", "agon-report"];
    let own = |name: &str| packages.iter().any(|package| path.starts_with(folder(package, name)));
    agon_protocols::ALL.iter().any(|protocol| own(protocol.name()))
}

/// What stands as a whole string on a line of code, and is no key of an object.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = line.split('"').collect();
    let is_key = |at: usize| parts.get(at + 1).is_some_and(|next| next.starts_with(':') || next.starts_with(']'));
    let found: Vec<&str> = (1..parts.len()).step_by(2).filter(|at| !is_key(*at)).map(|at| parts[at]).collect();
    found.into_iter()
}

#[test]
fn nothing_else_knows_a_protocol_by_name() {
    let folders = ["tests", "benches"];
    for (path, text) in sources() {
        let path = path.strip_prefix(root()).unwrap();
        let is_test = path.components().any(|part| folders.iter().any(|folder| part.as_os_str() == *folder));
        let is_drop_in = path.starts_with("crates/agon-dropin");
        if is_test || is_drop_in || is_of_protocol(path) || OTHERWISE.iter().any(|(other, _)| path == Path::new(other))
        {
            continue;
        }
        let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        for (number, line) in code.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for protocol in agon_protocols::ALL {
                let name = protocol.name();
                let is_named = literals(line).any(|literal| literal == name);
                assert!(
                    !is_named,
                    "{}:{}: {name:?} belongs into its own folders (docs/dev/new-protocol.md)",
                    path.display(),
                    number + 1,
                );
            }
        }
    }
}
