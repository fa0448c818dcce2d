//! What opens a debate, out of the command line and the files it names. Everything is checked here,
//! before anybody is asked and anything is paid for.

mod drafts;
mod flags;
mod folder;
pub mod host;
pub mod judging;
mod limits;
mod lookalike;
mod members;
mod source;
mod text;
mod track;

use std::{collections::BTreeMap, path::PathBuf};

use agon_core::{Limits, Manifest, MotionKind};
use agon_formats::exchange::body::Body;
use agon_protocols::common::fields::one_line;
use agon_runtime::config::{LimitsConfig, seconds};
use serde_json::{Map, Value, json};

pub use self::{
    drafts::LOG_FILE,
    flags::Takes,
    folder::{Folder, id, name_folder, seed},
    limits::{budget, fixed as fixed_limits, imported as imported_limits},
    members::Member,
    source::{SOURCE, SOURCE_PATH, taken as source},
    text::{check_motion, document},
    track::Track,
};
use crate::{
    cli::RunArgs,
    failure::{Failure, Result},
};

/// Longest time budget, in minutes: a day.
const MINUTES_MAX: u32 = 24 * 60;
/// Longest wait for a participant of a duel, in seconds: a day.
const WAIT_SECONDS_MAX: u64 = 24 * 60 * 60;

/// A debate as it is wanted, without who answers.
#[derive(Debug)]
pub struct Opening {
    pub motion: String,
    pub options: Map<String, Value>,
    /// Texts by name, which the record is pinned to.
    pub documents: BTreeMap<String, String>,
    /// Members of the protocol's row of seats; none where nobody was named.
    pub members: Vec<Member>,
    /// Who answers at other seats, as a file has it.
    pub models: BTreeMap<String, String>,
    pub limits: Limits,
    /// The folder that its files go into, beside others'.
    pub track: Option<PathBuf>,
    /// What a reader should know before it begins, in words.
    pub notes: Vec<String>,
}

/// Reads and checks what the command line says.
pub fn read(manifest: &Manifest, args: &RunArgs, config: &LimitsConfig) -> Result<Opening> {
    flags::check(manifest, args)?;
    let takes = Takes::of(manifest);
    let mut lineup = members::given(manifest, &args.lineup)?;
    let mut body = Body::default();
    let mut documents = BTreeMap::new();
    let (mut track, mut rounds_note) = (None, None);
    let mut notes = std::mem::take(&mut lineup.notes);
    let mut options = Map::new();
    let motion = if manifest.motion == MotionKind::Document {
        if args.from_elsewhere {
            return Err(Failure::usage(
                format!("a {} is about a file of this machine", manifest.name),
                format!("start it there: agon run {} FILE", manifest.name),
            ));
        }
        let source = source::read(args.motion.as_deref(), args.own.topic.as_deref())?;
        options.insert(SOURCE_PATH.into(), source.path.display().to_string().into());
        documents.insert(SOURCE.to_owned(), source.text);
        source.topic
    } else if takes.takes("--draft") {
        let drafts = drafts::read(args)?;
        if !args.own.drafts.is_empty() && !lineup.members.is_empty() {
            return Err(Failure::usage(
                "drafts name their authors already",
                "leave --debater and --lineup out",
            ));
        }
        if lineup.members.is_empty() {
            lineup.members = drafts.members;
        }
        options.extend(drafts.options);
        documents = drafts.documents;
        if let Some(found) = drafts.track {
            // A flag makes what the track wants irrelevant, its odd number included.
            if args.rounds.rounds.is_none() {
                lineup.rounds.max = Some(found.rounds);
                rounds_note = found.rounds_note;
            }
            notes.extend(found.notes);
            track = Some(found.folder);
        }
        drafts.motion
    } else {
        let text = text::motion(args.motion.as_deref().or(lineup.topic.as_deref()), args.from_elsewhere)?;
        // The form that the source system of the exchange writes its motions in.
        match Body::of_file(&text).filter(|_| takes.takes("--define")) {
            Some(read) => {
                body = read;
                check_motion(&text::whole_motion(&body)?)?
            }
            None => text,
        }
    };
    options.extend(stipulations(args, &body)?);
    members::check(manifest, &lineup.members)?;
    notes.extend(members::notes(manifest, &lineup.members, args.lineup.lineup.is_some()));
    let rounds = limits::rounds(manifest, &args.rounds, &lineup.rounds)?;
    if let Some(note) = rounds_note.or(rounds.note.clone()) {
        options.insert("rounds_note".into(), note.as_str().into());
        notes.push(note);
    }
    let minutes =
        args.rounds.time_budget.or(lineup.time_budget_minutes.filter(|_| takes.takes("--time-budget")));
    if let Some(minutes) = minutes {
        if !(1..=MINUTES_MAX).contains(&minutes) {
            return Err(Failure::usage(
                format!("a time budget of {minutes} minutes"),
                format!("choose 1 to {MINUTES_MAX} minutes"),
            ));
        }
        options.insert("time_budget_minutes".into(), minutes.into());
    }
    let limits = limits::limits(&rounds, &args.budget, config)?;
    Ok(Opening {
        motion,
        options,
        documents,
        members: lineup.members,
        models: lineup.models,
        limits,
        track,
        notes,
    })
}

/// Whether a debate by `manifest` still lacks what it is about, which a person can say in a line.
pub fn lacks_motion(manifest: &Manifest, args: &RunArgs) -> Result<bool> {
    let is_text = manifest.motion == MotionKind::Text && !Takes::of(manifest).takes("--draft");
    let named = || Ok::<_, Failure>(members::given(manifest, &args.lineup)?.topic.is_some());
    Ok(is_text && args.motion.is_none() && !named()?)
}

/// What both sides of an exchange take for granted, by the file of the motion and by flags, which win;
/// and how long the peers of a duel wait.
fn stipulations(args: &RunArgs, body: &Body) -> Result<Map<String, Value>> {
    let mut options = Map::new();
    let mut definitions: Vec<(String, String)> =
        body.definitions.iter().map(|(term, definition)| (one_line(term), one_line(definition))).collect();
    for pair in &args.own.definitions {
        let Some((term, definition)) =
            pair.split_once('=').filter(|(t, d)| !t.trim().is_empty() && !d.trim().is_empty())
        else {
            return Err(Failure::usage(
                format!("--define {pair:?} defines nothing"),
                "write --define TERM=MEANING",
            ));
        };
        let (term, definition) = (one_line(term), one_line(definition));
        definitions.retain(|(known, _)| *known != term);
        definitions.push((term, definition));
    }
    if !definitions.is_empty() {
        let definitions =
            definitions.iter().map(|(term, definition)| json!({"term": term, "definition": definition}));
        options.insert("definitions".into(), definitions.collect());
    }
    let scope = args.own.scope.as_ref().or(body.scope.as_ref());
    if let Some(scope) = scope.map(|scope| one_line(scope)).filter(|scope| !scope.is_empty()) {
        options.insert("scope".into(), scope.into());
    }
    if let Some(wait) = &args.own.wait {
        let seconds = seconds(wait).and_then(|seconds| match seconds {
            0..=WAIT_SECONDS_MAX => Ok(seconds),
            _ => Err(format!("{wait} is longer than a day")),
        });
        let seconds = seconds.map_err(|why| Failure::usage(format!("--wait: {why}"), ""))?;
        options.insert("wait_seconds".into(), seconds.into());
    }
    let length: usize = options.values().map(|value| value.to_string().chars().count()).sum();
    if length > text::MOTION_CHARS_MAX {
        return Err(Failure::usage(
            format!("definitions and scope have more than {} characters", text::MOTION_CHARS_MAX),
            "say less",
        ));
    }
    Ok(options)
}

#[cfg(test)]
pub mod testing {
    //! A protocol and a command line for tests of what opens a debate.

    use super::*;

    /// A manifest with a row of two to four members and a judge, 1 to 10 rounds.
    pub fn manifest(name: &str) -> Manifest {
        let toml = format!(
            "name = \"{name}\"\nsummary = \"x\"\nrules = 1\nmotion = \"text\"\nfit = \"whole\"\n\
             rounds = {{ default = 8, min = 1, max = 10 }}\n\
             [[seat]]\nname = \"member\"\nrole = \"debater\"\nabout = \"x\"\n\
             members = {{ min = 2, max = 4, default = 3 }}\n\
             [[seat]]\nname = \"judge\"\nrole = \"judge\"\nabout = \"x\"\n\
             [prompt.x]\ntokens_max = 1\ntemperature = 0.0\n"
        );
        toml::from_str(&toml).unwrap()
    }

    /// A command line that names a protocol and a motion.
    pub fn args(protocol: &str) -> RunArgs {
        use clap::Parser;
        let cli = crate::cli::Cli::parse_from(["agon", "run", protocol, "This house would."]);
        match cli.command {
            crate::cli::Command::Run(args) => *args,
            _ => panic!(),
        }
    }

    #[test]
    fn a_debate_config_opens_a_chaired_debate_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("debate-config.json");
        let config = r#"{"topic": "T?", "max_rounds": 4, "time_budget_minutes": 9, "debaters": [], "models": {"judge": "gpt-5"}}"#;
        std::fs::write(&path, config).unwrap();
        let mut args = args("chaired");
        args.motion = None;
        args.lineup.lineup = Some(path);
        let opening = super::read(&manifest("chaired"), &args, &LimitsConfig::default()).unwrap();
        assert_eq!(
            (opening.motion.as_str(), opening.limits.rounds, opening.limits.rounds_min),
            ("T?", 4, Some(3))
        );
        assert_eq!(opening.options["time_budget_minutes"], 9);
        assert_eq!(opening.models["judge"], "openai:gpt-5");
        args.motion = Some("Mine".into());
        args.rounds.time_budget = Some(30);
        let opening = super::read(&manifest("chaired"), &args, &LimitsConfig::default()).unwrap();
        assert_eq!((opening.motion.as_str(), &opening.options["time_budget_minutes"]), ("Mine", &json!(30)));
    }
}
