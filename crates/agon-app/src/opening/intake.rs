//! What a protocol takes of a request: its motion, its documents, who takes part, its options and its rounds.

use agon_core::{Manifest, MotionKind};
use agon_protocols::common::fields::one_line;
use agon_report::{StatedMotion, find_format};
use agon_runtime::config::parse_seconds;
use serde_json::json;

use super::{
    document, drafts, input_text,
    limits::{self, FileRounds},
    member::Lineup,
    members,
    subject::DebateIntake,
};
use crate::{
    failure::{Failure, Result},
    prompt_templates::RecordOptions,
    request::OpeningRequest,
};

/// Longest time budget, in minutes: a day.
const MINUTES_MAX: u32 = 24 * 60;
/// Longest wait for a participant, in seconds: a day.
const WAIT_SECONDS_MAX: u64 = 24 * 60 * 60;

/// Reads and checks what a request says to the protocol of `manifest`.
///
/// # Errors
///
/// The first thing that it cannot be told, and what cannot be read.
pub fn read_intake(manifest: &Manifest, request: &OpeningRequest) -> Result<DebateIntake> {
    request.options.check_for_protocol(manifest)?;
    check_lineup(manifest, request)?;
    let lineup = members::build_lineup(manifest, &request.lineup)?;
    let mut intake = read_subject(manifest, request, &lineup)?;
    if !lineup.members.is_empty() {
        intake.members = lineup.members;
    }
    members::check_members(manifest, &intake.members)?;
    intake.models = lineup.models;
    intake.notes.splice(..0, lineup.notes);
    intake.notes.extend(members::collect_lineup_notes(manifest, &intake.members, request.lineup.file.is_some()));
    let file_rounds = FileRounds { max: intake.track_rounds.or(lineup.rounds.max), ..lineup.rounds };
    intake.rounds = limits::choose_round_limits(manifest, request, &file_rounds)?;
    if let Some(note) = intake.rounds_note.clone().or(intake.rounds.note.clone()) {
        intake.options.insert("rounds_note".into(), note.as_str().into());
        intake.notes.push(note);
    }
    let takes_minutes = manifest.find_option("time_budget").is_some();
    let minutes = request.options.number("time_budget").or(lineup.time_budget_minutes.filter(|_| takes_minutes));
    if let Some(minutes) = minutes {
        if !(1..=MINUTES_MAX).contains(&minutes) {
            return Err(Failure::usage(
                format!("a time budget of {minutes} minutes"),
                format!("choose 1 to {MINUTES_MAX} minutes"),
            ));
        }
        intake.options.insert("time_budget_minutes".into(), minutes.into());
    }
    Ok(intake)
}

/// What the debate is about, in the form that the protocol of `manifest` takes it in.
fn read_subject(manifest: &Manifest, request: &OpeningRequest, lineup: &Lineup) -> Result<DebateIntake> {
    let mut stated = StatedMotion::default();
    let mut subject = if manifest.motion == MotionKind::Document {
        document::read_document(request.motion.as_deref(), request.options.text("topic"), request.is_remote())?
    } else if manifest.find_option("drafts").is_some() {
        if request.options.has("drafts") && !lineup.members.is_empty() {
            return Err(Failure::usage("the drafts already name the authors", "omit --debater and --lineup"));
        }
        drafts::read_drafts(request)?
    } else {
        let given = request.motion.as_deref().or(lineup.topic.as_deref()).or(manifest.motion_default.as_deref());
        let mut motion = input_text::read_motion(given, request.is_remote())?;
        if let Some(read) = find_format(&manifest.name).and_then(|format| (format.read_motion)(&motion)) {
            stated = read.map_err(|line| {
                let message = format!("the motion's definitions: {line:?} is not a definition");
                Failure::usage(message, "write a list with one term per line: - **term**: what it means")
            })?;
            motion = input_text::check_motion(&stated.motion)?;
        }
        DebateIntake { motion, ..DebateIntake::default() }
    };
    subject.options.extend(collect_stipulations(request, &stated)?);
    Ok(subject)
}

/// Refuses a line-up where the protocol has no row of seats.
fn check_lineup(manifest: &Manifest, request: &OpeningRequest) -> Result<()> {
    let given = [
        ("--debater", !request.lineup.debaters.is_empty()),
        ("--debaters", request.lineup.count.is_some()),
        ("--lineup", request.lineup.file.is_some()),
    ];
    let Some((flag, _)) = given.into_iter().find(|(_, given)| *given && manifest.find_seat_row().is_none()) else {
        return Ok(());
    };
    let rows = agon_protocols::ALL.iter().filter(|protocol| protocol.manifest().find_seat_row().is_some());
    let rows: Vec<&str> = rows.map(|protocol| protocol.name()).collect();
    let who = if rows.is_empty() { String::new() } else { format!("{} take one; ", rows.join(", ")) };
    Err(Failure::usage(
        format!("{} takes no line-up ({flag}): its seats are fixed", manifest.name),
        format!("{who}assign a model to a seat with --seat NAME=MODEL"),
    ))
}

/// Whether a debate by `manifest` still lacks what it is about, which a person can say in a line.
pub fn lacks_motion(manifest: &Manifest, request: &OpeningRequest) -> Result<bool> {
    let is_text = manifest.motion == MotionKind::Text && manifest.find_option("drafts").is_none();
    let named = || Ok::<_, Failure>(members::build_lineup(manifest, &request.lineup)?.topic.is_some());
    Ok(is_text && manifest.motion_default.is_none() && request.motion.is_none() && !named()?)
}

/// What everyone takes for granted, by the file of the motion and by flags, which win; and how long seats are waited
/// for.
fn collect_stipulations(request: &OpeningRequest, stated: &StatedMotion) -> Result<RecordOptions> {
    let mut options = RecordOptions::new();
    let mut definitions: Vec<(String, String)> =
        stated.definitions.iter().map(|(term, definition)| (one_line(term), one_line(definition))).collect();
    for (term, definition) in request.options.pairs("definitions") {
        let (term, definition) = (one_line(term), one_line(definition));
        definitions.retain(|(known, _)| *known != term);
        definitions.push((term, definition));
    }
    if !definitions.is_empty() {
        let definitions = definitions.iter().map(|(term, definition)| json!({"term": term, "definition": definition}));
        options.insert("definitions".into(), definitions.collect());
    }
    let scope = request.options.text("scope").or(stated.scope.as_deref());
    if let Some(scope) = scope.map(one_line).filter(|scope| !scope.is_empty()) {
        options.insert("scope".into(), scope.into());
    }
    if let Some(wait) = request.options.text("wait") {
        let seconds = parse_seconds(wait).and_then(|seconds| match seconds {
            0..=WAIT_SECONDS_MAX => Ok(seconds),
            _ => Err(format!("{wait} is longer than a day")),
        });
        let seconds = seconds.map_err(|why| Failure::usage(format!("--wait: {why}"), ""))?;
        options.insert("wait_seconds".into(), seconds.into());
    }
    let length: usize = options.values().map(|value| value.to_string().chars().count()).sum();
    if length > input_text::MOTION_CHARS_MAX {
        return Err(Failure::usage(
            format!("definitions and scope have more than {} characters", input_text::MOTION_CHARS_MAX),
            "say less",
        ));
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::tests::{manifest, request};

    #[test]
    fn a_debate_config_opens_a_chaired_debate_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("debate-config.json");
        let config = r#"{"topic": "T?", "max_rounds": 4, "time_budget_minutes": 9, "debaters": [], "models": {"judge": "gpt-5"}}"#;
        std::fs::write(&path, config).unwrap();
        let mut request = request("chaired");
        request.motion = None;
        request.lineup.file = Some(path);
        let intake = read_intake(&manifest("chaired"), &request).unwrap();
        assert_eq!((intake.motion.as_str(), intake.rounds.max, intake.rounds.min), ("T?", 4, Some(3)));
        assert_eq!(intake.options["time_budget_minutes"], 9);
        assert_eq!(intake.models["judge"], "openai:gpt-5");
        request.motion = Some("Mine".into());
        request.options.set("time_budget", &30.into()).unwrap();
        let intake = read_intake(&manifest("chaired"), &request).unwrap();
        assert_eq!((intake.motion.as_str(), &intake.options["time_budget_minutes"]), ("Mine", &json!(30)));
    }
}
