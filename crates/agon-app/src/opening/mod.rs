//! What opens a debate, from a request and the files it names. Everything is checked here,
//! before anyone is asked and anything is paid for.

mod check;
mod debate_config;
mod document;
mod drafts;
mod folder;
pub mod judging;
mod limits;
pub mod material;
mod member;
mod members;
pub mod proposal;
mod sources;
mod text;
mod track;

use std::{collections::BTreeMap, path::PathBuf};

use agon_core::{Limits, Manifest, MotionKind};
use agon_formats::exchange::body::Body;
use agon_protocols::common::fields::one_line;
use agon_runtime::config::{LimitsConfig, seconds};
use serde_json::{Map, Value, json};

pub(crate) use self::check::has_person;
pub use self::{
    check::{Checked, check},
    document::{SOURCE, SOURCE_PATH, taken as source},
    drafts::LOG_FILE,
    folder::{Folder, debate_id, id, name_folder, seed},
    limits::{budget, fixed as fixed_limits, imported as imported_limits},
    member::MemberRequest,
    text::{DOCUMENT_BYTES_MAX, check_motion, document},
    track::Track,
};
use crate::{
    failure::{Failure, Result},
    request::OpeningRequest,
};

/// Longest time budget, in minutes: a day.
const MINUTES_MAX: u32 = 24 * 60;
/// Longest wait for a participant of a duel, in seconds: a day.
const WAIT_SECONDS_MAX: u64 = 24 * 60 * 60;

/// The protocol's part of a request: motion, options, documents and members, before the line-up is resolved.
#[derive(Debug)]
pub struct Opening {
    /// What is debated.
    pub motion: String,
    /// What its record says in addition to the line-up.
    pub options: Map<String, Value>,
    /// Texts by name, which the record is pinned to.
    pub documents: BTreeMap<String, String>,
    /// Members of the protocol's row of seats; none where nobody was named.
    pub members: Vec<MemberRequest>,
    /// Who answers at other seats, as a file has it.
    pub models: BTreeMap<String, String>,
    /// What it may spend.
    pub limits: Limits,
    /// The shared folder that its files go into.
    pub track: Option<PathBuf>,
    /// What a reader should know before it begins, in words.
    pub notes: Vec<String>,
}

/// Reads and checks what a request says.
pub fn read(manifest: &Manifest, request: &OpeningRequest, config: &LimitsConfig) -> Result<Opening> {
    request.options.check(manifest)?;
    check_lineup(manifest, request)?;
    let takes = |option: &str| manifest.option(option).is_some();
    let mut lineup = members::given(manifest, &request.lineup)?;
    let mut body = Body::default();
    let mut documents = BTreeMap::new();
    let (mut track, mut rounds_note) = (None, None);
    let mut notes = std::mem::take(&mut lineup.notes);
    let mut options = Map::new();
    let motion = if manifest.motion == MotionKind::Document {
        let source =
            document::read(request.motion.as_deref(), request.options.text("topic"), request.is_remote())?;
        let path = source.path.map(|path| path.display().to_string());
        options.extend(path.map(|path| (SOURCE_PATH.to_owned(), path.into())));
        documents.insert(SOURCE.to_owned(), source.text);
        source.topic
    } else if takes("drafts") {
        let drafts = drafts::read(request)?;
        if request.options.has("drafts") && !lineup.members.is_empty() {
            return Err(Failure::usage("the drafts already name the authors", "omit --debater and --lineup"));
        }
        if lineup.members.is_empty() {
            lineup.members = drafts.members;
        }
        options.extend(drafts.options);
        documents = drafts.documents;
        if let Some(found) = drafts.track {
            // A flag makes what the track wants irrelevant, its odd number included.
            if request.rounds.is_none() {
                lineup.rounds.max = Some(found.rounds);
                rounds_note = found.rounds_note;
            }
            notes.extend(found.notes);
            track = Some(found.folder);
        }
        drafts.motion
    } else {
        let given = request.motion.as_deref().or(lineup.topic.as_deref());
        let given = given.or(manifest.motion_default.as_deref());
        let text = text::motion(given, request.is_remote())?;
        // The form that the source system of the exchange writes its motions in.
        match Body::of_file(&text).filter(|_| takes("definitions")) {
            Some(read) => {
                body = read;
                check_motion(&text::whole_motion(&body)?)?
            }
            None => text,
        }
    };
    options.extend(stipulations(request, &body)?);
    members::check(manifest, &lineup.members)?;
    notes.extend(members::notes(manifest, &lineup.members, request.lineup.file.is_some()));
    let rounds = limits::rounds(manifest, request, &lineup.rounds)?;
    if let Some(note) = rounds_note.or(rounds.note.clone()) {
        options.insert("rounds_note".into(), note.as_str().into());
        notes.push(note);
    }
    let minutes =
        request.options.count("time_budget").or(lineup.time_budget_minutes.filter(|_| takes("time_budget")));
    if let Some(minutes) = minutes {
        if !(1..=MINUTES_MAX).contains(&minutes) {
            return Err(Failure::usage(
                format!("a time budget of {minutes} minutes"),
                format!("choose 1 to {MINUTES_MAX} minutes"),
            ));
        }
        options.insert("time_budget_minutes".into(), minutes.into());
    }
    let limits = limits::limits(&rounds, &request.budget, config)?;
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

/// Refuses a line-up where the protocol has no row of seats.
fn check_lineup(manifest: &Manifest, request: &OpeningRequest) -> Result<()> {
    let given = [
        ("--debater", !request.lineup.debaters.is_empty()),
        ("--debaters", request.lineup.count.is_some()),
        ("--lineup", request.lineup.file.is_some()),
    ];
    let Some((flag, _)) = given.into_iter().find(|(_, given)| *given && manifest.row().is_none()) else {
        return Ok(());
    };
    let rows = agon_protocols::ALL.iter().filter(|protocol| protocol.manifest().row().is_some());
    let rows: Vec<&str> = rows.map(|protocol| protocol.name()).collect();
    let who = if rows.is_empty() { String::new() } else { format!("{} take one; ", rows.join(", ")) };
    Err(Failure::usage(
        format!("{} takes no line-up ({flag}): its seats are fixed", manifest.name),
        format!("{who}assign a model to a seat with --seat NAME=MODEL"),
    ))
}

/// Whether a debate by `manifest` still lacks what it is about, which a person can say in a line.
pub fn lacks_motion(manifest: &Manifest, request: &OpeningRequest) -> Result<bool> {
    let is_text = manifest.motion == MotionKind::Text && manifest.option("drafts").is_none();
    let named = || Ok::<_, Failure>(members::given(manifest, &request.lineup)?.topic.is_some());
    Ok(is_text && manifest.motion_default.is_none() && request.motion.is_none() && !named()?)
}

/// What both sides of an exchange take for granted, by the file of the motion and by flags, which win;
/// and how long the peers of a duel wait.
fn stipulations(request: &OpeningRequest, body: &Body) -> Result<Map<String, Value>> {
    let mut options = Map::new();
    let mut definitions: Vec<(String, String)> =
        body.definitions.iter().map(|(term, definition)| (one_line(term), one_line(definition))).collect();
    for (term, definition) in request.options.pairs("definitions") {
        let (term, definition) = (one_line(term), one_line(definition));
        definitions.retain(|(known, _)| *known != term);
        definitions.push((term, definition));
    }
    if !definitions.is_empty() {
        let definitions =
            definitions.iter().map(|(term, definition)| json!({"term": term, "definition": definition}));
        options.insert("definitions".into(), definitions.collect());
    }
    let scope = request.options.text("scope").or(body.scope.as_deref());
    if let Some(scope) = scope.map(one_line).filter(|scope| !scope.is_empty()) {
        options.insert("scope".into(), scope.into());
    }
    if let Some(wait) = request.options.text("wait") {
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
    //! A protocol and a request for tests of what opens a debate.

    use super::*;

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
        let mut manifest = agon_protocols::common::options::manifest(&toml).unwrap();
        if let Some(protocol) = agon_protocols::find(name) {
            let Manifest { options, approval, member_details, opens_sources, rounds, .. } =
                protocol.manifest().clone();
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

    #[test]
    fn a_debate_config_opens_a_chaired_debate_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("debate-config.json");
        let config = r#"{"topic": "T?", "max_rounds": 4, "time_budget_minutes": 9, "debaters": [], "models": {"judge": "gpt-5"}}"#;
        std::fs::write(&path, config).unwrap();
        let mut request = request("chaired");
        request.motion = None;
        request.lineup.file = Some(path);
        let opening = super::read(&manifest("chaired"), &request, &LimitsConfig::default()).unwrap();
        assert_eq!(
            (opening.motion.as_str(), opening.limits.rounds, opening.limits.rounds_min),
            ("T?", 4, Some(3))
        );
        assert_eq!(opening.options["time_budget_minutes"], 9);
        assert_eq!(opening.models["judge"], "openai:gpt-5");
        request.motion = Some("Mine".into());
        request.options.set("time_budget", &30.into()).unwrap();
        let opening = super::read(&manifest("chaired"), &request, &LimitsConfig::default()).unwrap();
        assert_eq!((opening.motion.as_str(), &opening.options["time_budget_minutes"]), ("Mine", &json!(30)));
    }
}
