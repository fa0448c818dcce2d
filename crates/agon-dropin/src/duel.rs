//! `agon agent-tools socratic-duel`: who takes part in a duel, and whose turn it is to write.

use std::path::Path;

use agon_core::Digest;
use agon_journal::time::{now, today};
use agon_report::duel::turns;
use serde_json::json;

use super::{
    VerbResponse,
    flags::{Flags, VerbFlags},
    invalid_response, journal_home, refused_response, result_response,
    single_execution::Once,
};
use crate::store::duels::{
    ArtifactSnapshot, DuelSnapshot, DuelStatus, Duels, Identity, Joiner, LockAnswer, PARTICIPANTS, RETRY_AFTER_SECONDS,
    Target,
};

pub const TOOL: &str = "socratic-duel";

const OUTCOMES: [&str; 5] = ["ACCEPTED_CONSENSUS", "DISSENT", "MAX_TURNS", "TIMEOUT", "INVALIDATED"];

const JOIN: VerbFlags = VerbFlags {
    required: &["target", "participant-name", "harness"],
    optional: &["topic", "debate-dir", "model-id", "run-id"],
    switches: &[],
};
const STATUS: VerbFlags = VerbFlags { required: &[], optional: &["duel-id", "target", "topic"], switches: &[] };
const CLAIM: VerbFlags =
    VerbFlags { required: &["duel-id", "participant-id"], optional: &[], switches: &["for-timeout"] };
const REFRESH: VerbFlags =
    VerbFlags { required: &["duel-id", "participant-id", "lease-token"], optional: &[], switches: &[] };
const RELEASE: VerbFlags =
    VerbFlags { required: &["duel-id", "participant-id"], optional: &["lease-token", "outcome"], switches: &["close"] };

pub fn run(words: &[String], once: &Once) -> VerbResponse {
    let Some((verb, rest)) = words.split_first() else {
        return refused_response(TOOL, "Use subcommands: join, status, claim-lock, refresh-lock, release-lock");
    };
    type Verb = fn(&Flags, &Once) -> Result<VerbResponse, String>;
    let (known, verb, doing): (&VerbFlags, Verb, &str) = match verb.as_str() {
        "join" => (&JOIN, join_duel, "Failed to join Socratic Duel lock context"),
        "status" => (&STATUS, report_status, "Failed to read Socratic Duel lock status"),
        "claim-lock" => (&CLAIM, claim_lock, "Failed to claim Socratic Duel lock"),
        "refresh-lock" => (&REFRESH, refresh_lock, "Failed to refresh Socratic Duel lock"),
        "release-lock" => (&RELEASE, release_lock, "Failed to release Socratic Duel lock"),
        other => return refused_response(TOOL, format!("unknown command '{other}'")),
    };
    let flags = match Flags::parse(rest, known) {
        Ok(flags) => flags,
        Err(why) => return refused_response(TOOL, why),
    };
    if let Some(outcome) = flags.optional_value("outcome").filter(|outcome| !OUTCOMES.contains(outcome)) {
        return refused_response(
            TOOL,
            format!("Invalid --outcome value: '{outcome}'. Must be one of: {}", OUTCOMES.join(", ")),
        );
    }
    verb(&flags, once).unwrap_or_else(|why| refused_response(TOOL, format!("{doing}: {why}")))
}

/// The artifact at `path`, as a claim or release finds it.
pub fn read_artifact(path: &Path) -> Option<ArtifactSnapshot> {
    let bytes = std::fs::read(path).ok()?;
    let turns = turns::digest_turns(&String::from_utf8_lossy(&bytes));
    Some(ArtifactSnapshot { whole: Digest::from_content(bytes), turns })
}

fn open_duels() -> Result<Duels<'static>, String> {
    Ok(Duels::open(&journal_home()?)?)
}

/// The duels, for a verb that changes something.
fn open_duels_for_change(once: &Once) -> Result<Duels<'_>, String> {
    Ok(Duels::open_for(once.acquire_receipt()?)?)
}

fn join_duel(flags: &Flags, once: &Once) -> Result<VerbResponse, String> {
    let text = |flag: &str| flags.required_value(flag).trim().to_owned();
    let model = flags.optional_value("model-id").unwrap_or("unknown-model").trim().to_owned();
    let joiner = Joiner { name: text("participant-name"), harness: text("harness"), model };
    let blank = [
        (&joiner.name, "Participant name must be non-empty"),
        (&joiner.harness, "Harness must be non-empty"),
        (&joiner.model, "Model ID must be non-empty"),
    ];
    let blank: Vec<&str> = blank.iter().filter(|(text, _)| text.is_empty()).map(|(_, why)| *why).collect();
    if !blank.is_empty() {
        return Ok(invalid_response(TOOL, &blank));
    }
    let target = Target::from_path(flags.required_value("target"))?;
    let identity = Identity::new(target, flags.optional_value("topic"), flags.optional_value("debate-dir"))?;
    let (stands, participant) = open_duels_for_change(once)?.join_duel(&identity, &joiner, now(), &today())?;
    let DuelSnapshot { duel, participants } = &stands;
    let said = json!({
        "duel_id": duel.id, "participant_id": participant, "participant_count": participants.len(),
        "status": duel.status, "target_path": duel.target_path, "target_key": duel.target_key,
        "source_path": duel.target_path, "topic": duel.topic, "topic_slug": duel.topic_slug,
        "debate_path": duel.debate_path,
        "next_step": if participants.len() < PARTICIPANTS { "wait_peer" } else { "claim_lock" },
    });
    Ok(result_response(TOOL, &said))
}

fn report_status(flags: &Flags, _: &Once) -> Result<VerbResponse, String> {
    let given = |flag: &str| flags.optional_value(flag).filter(|value| !value.is_empty());
    let stands = match (given("duel-id"), given("target")) {
        (Some(duel), _) => open_duels()?.load_status(duel, now()),
        (None, Some(target)) => {
            let target = Target::from_path(target)?;
            let topic = given("topic").map(str::trim).filter(|topic| !topic.is_empty());
            let key = topic.map_or(target.clone(), |topic| target.with_topic(topic)).key;
            open_duels()?.status_of_target(&key, now())
        }
        (None, None) => return Err("Either duelId or targetPath is required".into()),
    };
    let DuelSnapshot { mut duel, participants } = stands?;
    // A token is told to nobody but the one it was given to.
    duel.lease_token = None;
    let next_step = match duel.status {
        DuelStatus::Closed => "closed",
        _ if participants.len() < PARTICIPANTS => "wait_peer",
        _ if duel.current_owner_id.is_some() => "wait_turn",
        DuelStatus::Active => "claim_lock",
    };
    let said = json!({
        "duel": duel, "participants": participants, "participant_count": participants.len(),
        "source_path": duel.target_path, "target_key": duel.target_key, "topic": duel.topic,
        "topic_slug": duel.topic_slug, "debate_path": duel.debate_path,
        "lock": {
            "owner_participant_id": duel.current_owner_id, "lease_token": null,
            "lease_expires_at": duel.lease_expires_at, "expired": false,
        },
        "next_step": next_step,
    });
    Ok(result_response(TOOL, &said))
}

fn claim_lock(flags: &Flags, once: &Once) -> Result<VerbResponse, String> {
    let (duel, participant) = (flags.required_value("duel-id"), flags.required_value("participant-id"));
    let for_timeout = flags.has_switch("for-timeout");
    let mut duels = open_duels_for_change(once)?;
    let LockAnswer { now: DuelSnapshot { duel, participants }, reason } =
        duels.claim_lock(duel, participant, for_timeout, now(), &read_artifact)?;
    let acquired = reason.is_none();
    let alone = participants.len() < PARTICIPANTS;
    let closed = duel.status == DuelStatus::Closed;
    let next_step = match acquired {
        _ if closed => "closed",
        true if for_timeout && alone => "update_markdown",
        true => "compose_turn",
        false if alone => "wait_peer",
        false => "wait_turn",
    };
    let retry = if acquired || closed { 0 } else { RETRY_AFTER_SECONDS };
    let said = json!({
        "duel_id": duel.id, "participant_id": participant, "participant_count": participants.len(),
        "acquired": acquired, "lease_token": duel.lease_token.filter(|_| acquired),
        "lease_expires_at": duel.lease_expires_at, "owner_participant_id": duel.current_owner_id,
        "retry_after_seconds": retry, "wait_until": duel.lease_expires_at,
        "reason": reason, "next_step": next_step,
    });
    Ok(result_response(TOOL, &said))
}

fn refresh_lock(flags: &Flags, once: &Once) -> Result<VerbResponse, String> {
    let (duel, participant) = (flags.required_value("duel-id"), flags.required_value("participant-id"));
    let mut duels = open_duels_for_change(once)?;
    let LockAnswer { now: DuelSnapshot { duel, .. }, reason } =
        duels.refresh_lock(duel, participant, flags.required_value("lease-token"), now())?;
    let refreshed = reason.is_none();
    let next_step = match refreshed {
        _ if duel.status == DuelStatus::Closed => "closed",
        true => "compose_turn",
        false => "wait_turn",
    };
    let said = json!({
        "duel_id": duel.id, "participant_id": participant, "refreshed": refreshed,
        "lease_token": duel.lease_token.filter(|_| refreshed), "lease_expires_at": duel.lease_expires_at,
        "reason": reason, "next_step": next_step,
    });
    Ok(result_response(TOOL, &said))
}

fn release_lock(flags: &Flags, once: &Once) -> Result<VerbResponse, String> {
    let (duel, participant) = (flags.required_value("duel-id"), flags.required_value("participant-id"));
    let (token, close) = (flags.optional_value("lease-token"), flags.has_switch("close"));
    let outcome = flags.optional_value("outcome").filter(|_| close);
    let mut duels = open_duels_for_change(once)?;
    let answer = duels.release_lock(duel, participant, token, close, outcome, now(), &read_artifact)?;
    let peer_came = answer.has_peer_come();
    let LockAnswer { now: DuelSnapshot { duel, participants }, reason } = answer;
    let released = reason.is_none();
    let closed = duel.status == DuelStatus::Closed;
    let next_step = match released {
        _ if closed => "closed",
        true => "wait_turn",
        false if peer_came => "compose_turn",
        false => "claim_lock",
    };
    let said = json!({
        "duel_id": duel.id, "participant_id": participant, "participant_count": participants.len(),
        "released": released, "closed": closed, "status": duel.status, "outcome": outcome,
        "owner_participant_id": duel.current_owner_id, "reason": reason, "next_step": next_step,
    });
    Ok(result_response(TOOL, &said))
}
