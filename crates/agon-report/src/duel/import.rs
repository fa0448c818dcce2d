//! The artifact of a duel: every turn becomes the statement of its participant.

use agon_core::Fault;
use agon_protocols::duel::{
    outcome::{INVALIDATED, TIMEOUT},
    state::{SPEAKERS, TURNS_MAX},
    turn::Contribution,
};
use serde::Serialize;
use serde_json::json;

use crate::duel::{artifact::PENDING, artifact_parser as artifact};
use crate::import::{Files, Import, ImportError, ImportReader, ImportedMember, Layout};

/// How an artifact begins.
const TITLE: &str = "# Socratic Duel:";
/// Where artifacts are.
const FOLDER: &str = "debates/";
/// Participants of a duel.
const PARTICIPANTS: usize = 2;
/// Names of those who are not there yet.
const UNNAMED: [&str; PARTICIPANTS] = ["Participant A", "Participant B"];

pub(super) static READER: ImportReader = ImportReader {
    layout: Layout { below: &["debates"], beside: &[], stands_for: None },
    has_source: true,
    read: import_debate,
};

fn import_debate(files: &Files) -> Result<Import, ImportError> {
    let mut import = Import { protocol: super::PROTOCOL, ..Import::default() };
    let (path, text) = find_artifact(files)?;
    let (artifact, faults) = artifact::parse_with_faults(text);
    for fault in faults.0.iter().filter(|fault| is_of_file(fault)) {
        import.warnings.push(format!("{} {fault}", fault.rule));
    }
    import.motion = artifact.topic.clone();
    import.rounds = artifact.turns_max;
    import.options.insert("source_path".into(), artifact.source_path.as_str().into());
    if let Some(first) = artifact.participants.first() {
        import.options.insert("harness".into(), first.harness.as_str().into());
    }

    // Who spoke comes first, in the order of speaking.
    let mut names: Vec<String> = Vec::new();
    let spoke = artifact.turns.iter().map(|turn| &turn.participant);
    for name in spoke.chain(artifact.participants.iter().map(|one| &one.name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.len() > PARTICIPANTS {
        let why = format!("it has {} participants ({}); a duel has two", names.len(), names.join(", "));
        return Err(ImportError::new(path, why));
    }
    let listed = |name: &String| artifact.participants.iter().any(|one| one.name == *name);
    for name in names.iter().filter(|name| !listed(name)) {
        import.add_warning(path, format!("A7 {name} speaks, but is not in the table of participants"));
    }
    names.extend(UNNAMED.into_iter().skip(names.len()).map(str::to_owned));
    import.members =
        names.iter().map(|name| ImportedMember { name: name.clone(), ..ImportedMember::default() }).collect();

    let turns = artifact.turns.iter().take(TURNS_MAX as usize);
    let places = turns.clone().map(|turn| names.iter().position(|name| *name == turn.participant).unwrap_or_default());
    import.options.insert(SPEAKERS.into(), places.collect());
    for (turn, number) in turns.zip(1..) {
        import.record_statement(format!("turn-{number}"), build_turn_statement(&turn.said));
    }
    // What turns cannot show is not held against them.
    let outcome = artifact.conclusion.outcome;
    let is_silent = artifact.turns.iter().all(|turn| turn.participant == names[0]);
    let is_shown = match outcome.as_str() {
        INVALIDATED => false,
        TIMEOUT => !is_silent,
        _ => true,
    };
    if is_shown && outcome != PENDING && artifact.turns.is_empty() {
        import.add_warning(path, format!("it says {outcome}, but has no turn"));
    }
    import.claimed = is_shown.then_some(outcome);
    let name = path.rsplit('/').next().unwrap_or(path);
    import.documents.insert(format!("{}{FOLDER}{name}", crate::imported_files::PREFIX), text.to_owned());
    Ok(import)
}

/// Whether a fault is one of the file. What the rules of a turn say is said turn by turn, but how an item
/// ends is a matter of the file.
pub(crate) fn is_of_file(fault: &Fault) -> bool {
    !fault.rule.starts_with('D') || fault.message.contains("does not end with")
}

/// The only artifact there is.
fn find_artifact(files: &Files) -> Result<(&str, &str), ImportError> {
    let begins = |text: &str| text.trim_start_matches('\u{feff}').trim_start().starts_with(TITLE);
    let all: Vec<(&str, &str)> =
        files.iter().filter(|(_, text)| begins(text)).map(|(path, text)| (path.as_str(), text.as_str())).collect();
    match all.as_slice() {
        [one] => Ok(*one),
        [] => {
            let path = files.keys().next().map_or(FOLDER, String::as_str);
            Err(ImportError::new(path, format!("no debate artifact; an artifact begins with {TITLE:?}")))
        }
        many => {
            let names: Vec<&str> = many.iter().map(|(path, _)| *path).collect();
            Err(ImportError::new(FOLDER, format!("there are several artifacts; name one of {}", names.join(", "))))
        }
    }
}

/// A turn as a participant hands it in.
pub(crate) fn build_turn_statement(said: &Contribution) -> impl Serialize {
    let points = said.counterpoints.iter();
    let points = points.map(|p| json!({"addresses": p.addresses, "claim": p.claim, "support": p.support}));
    let items = said.unresolved.iter().map(|item| json!({"text": item.text, "blocking": item.blocking}));
    json!({
        "position": said.position,
        "counterpoints": points.collect::<Vec<_>>(),
        "agreements": said.agreements,
        "novel_argument": {"claim": said.novel.claim, "support": said.novel.support},
        "unresolved_items": items.collect::<Vec<_>>(),
        "stance": said.stance,
        "stance_revision_support": said.stance_support,
    })
}
