//! The events of the source system, payload by payload.

use agon_core::{Event, Outcome, Record, Reply, Stamp};
use serde_json::{Value, json};

use crate::duel::scripted::{
    FILE, PATH, TOPIC, artifact, canned_answer, cut_after, duel, duel_with, opened, play, said,
};

fn events(record: &Record) -> Vec<Value> {
    let files = agon_report::find_format("events").unwrap().render_files(record);
    assert_eq!((files.len(), files[0].path.as_str()), (1, "events.jsonl"));
    files[0].content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn named<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["data"]["event"] == name).collect()
}

#[test]
fn golden_events_of_a_whole_duel() {
    let files = agon_report::find_format("events").unwrap().render_files(&duel());
    insta::assert_snapshot!("events", files[0].content);
}

#[test]
fn every_event_names_workflow_type_run_and_step() {
    for event in events(&duel()) {
        assert_eq!((&event["workflow"], &event["run_id"]), (&json!("socratic-duel"), &json!("sample")));
        let kinds = ["status_change", "artifact_registered", "btw_update"];
        assert!(kinds.contains(&event["type"].as_str().unwrap()), "{event}");
        let steps = ["preparing", "waiting_for_participant", "debating", "closing", "completed", "invalidated"];
        assert!(steps.contains(&event["step"].as_str().unwrap()), "{event}");
        let statuses = ["running", "waiting", "completed", "failed"];
        assert!(event["type"] != "status_change" || statuses.contains(&event["data"]["status"].as_str().unwrap()));
    }
}

#[test]
fn each_primary_state_is_entered_once_with_target_and_topic() {
    let events = events(&duel());
    let entered = events.iter().filter(|event| event["data"]["status"] == "running" && event.get("unit").is_none());
    let entered: Vec<&Value> = entered.collect();
    let steps: Vec<&str> = entered.iter().map(|event| event["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["preparing", "debating", "closing"]);
    assert!(entered.iter().all(|event| event["data"]["target"] == PATH && event["data"]["topic"] == TOPIC));
}

#[test]
fn both_participants_are_registered_with_their_count() {
    let events = events(&duel());
    let registered = named(&events, "participant_registered");
    let units: Vec<&str> = registered.iter().map(|event| event["unit"].as_str().unwrap()).collect();
    assert_eq!(units, ["participant:participant-1", "participant:participant-2"]);
    assert_eq!(registered[1]["data"]["participant_count"], "2");
    assert_eq!(registered[0]["data"]["debate_path"], FILE);
}

#[test]
fn artifact_registered_comes_exactly_once_and_before_the_first_update() {
    for record in [duel(), duel_with(|key| (key == "turn-1").then_some(Reply::Elapsed))] {
        let events = events(&record);
        let at: Vec<usize> = (0..events.len()).filter(|at| events[*at]["type"] == "artifact_registered").collect();
        assert_eq!(at.len(), 1);
        let update = events.iter().position(|event| event["data"]["event"] == "artifact_updated").unwrap();
        assert!(at[0] < update);
        let data = &events[at[0]]["data"];
        assert_eq!(
            (&data["path"], &data["storageRoot"], &data["type"]),
            (&json!(FILE), &json!("work_dir"), &json!("markdown"))
        );
    }
}

#[test]
fn a_turn_is_composed_and_updates_the_artifact() {
    let events = events(&duel());
    assert_eq!(named(&events, "turn_composing").len(), 5);
    let updated = named(&events, "artifact_updated");
    let units: Vec<&str> = updated.iter().map(|event| event["unit"].as_str().unwrap()).collect();
    assert_eq!(units, ["turn:1", "turn:2", "turn:3", "turn:4", "turn:5", "conclusion:ACCEPTED_CONSENSUS"]);
    assert_eq!(updated[2]["data"]["candidate_convergence"], "true");
    assert_eq!(updated[3]["data"]["terminal_outcome"], "");
    assert_eq!(updated[4]["data"]["terminal_outcome"], "ACCEPTED_CONSENSUS");
    assert_eq!((&updated[5]["step"], &updated[4]["step"]), (&json!("closing"), &json!("debating")));
}

#[test]
fn candidate_convergence_is_a_btw_update_and_nothing_else() {
    let events = events(&duel());
    let told: Vec<&Value> = events.iter().filter(|event| event["type"] == "btw_update").collect();
    let turns: Vec<&str> =
        told.iter().map(|event| event["data"]["metadata"]["turn_number"].as_str().unwrap()).collect();
    assert_eq!(turns, ["3", "4"]);
    let message = "Candidate convergence detected; duel remains active until explicit terminal criteria are met.";
    assert_eq!(told[0]["data"]["message"], message);
    assert_eq!(told[0]["data"]["metadata"]["candidate_convergence"], true);
}

#[test]
fn a_consensus_before_the_fewest_turns_is_a_candidate_and_the_duel_goes_on() {
    let mut opened = opened();
    opened.limits.rounds_min = Some(6);
    let events = events(&play(opened, canned_answer));
    let told = events.iter().filter(|event| event["type"] == "btw_update");
    let turns: Vec<&str> = told.map(|event| event["data"]["metadata"]["turn_number"].as_str().unwrap()).collect();
    assert_eq!(turns, ["3", "4", "5"]);
    assert_eq!(events.last().unwrap()["data"]["event"], "turn_composing");
}

#[test]
fn the_lock_is_released_after_each_turn_and_closed_once() {
    let events = events(&duel());
    let released = named(&events, "lock_released");
    let closed: Vec<&str> = released.iter().map(|event| event["data"]["closed"].as_str().unwrap()).collect();
    assert_eq!(closed, ["false", "false", "false", "false", "true"]);
    assert_eq!(named(&events, "lock_acquired").len(), 5);
}

#[test]
fn terminal_completion_closes_the_run_as_completed() {
    for (record, outcome) in
        [(duel(), "ACCEPTED_CONSENSUS"), (duel_with(|key| (key == "turn-2").then_some(Reply::Elapsed)), "TIMEOUT")]
    {
        let events = events(&record);
        let last = events.last().unwrap();
        assert_eq!((&last["step"], &last["close_run"]), (&json!("completed"), &json!(true)));
        assert_eq!((&last["data"]["status"], &last["data"]["outcome"]), (&json!("completed"), &json!(outcome)));
        assert_eq!(last["data"]["summary"], record.closing_outcome().unwrap().summary.as_str());
        assert_eq!(events.iter().filter(|event| event.get("close_run").is_some()).count(), 1);
    }
}

#[test]
fn terminal_invalidation_closes_the_run_as_failed_with_its_reason() {
    let changed = said("{\"source\": \"unreadable\", \"artifact\": \"unchanged\"}");
    let record = duel_with(|key| (key == "turn-2/witness").then(|| changed.clone()));
    let events = events(&record);
    let last = events.last().unwrap();
    assert_eq!((&last["step"], &last["data"]["status"]), (&json!("invalidated"), &json!("failed")));
    assert_eq!(last["data"]["message"], record.closing_outcome().unwrap().summary.as_str());
    assert!(last["data"].get("summary").is_none());
}

#[test]
fn a_cancelled_duel_is_invalidated_in_its_files() {
    let mut record = cut_after(&duel(), "turn-2/accepted");
    let outcome = Outcome::void(agon_core::CANCELLED, "The user ended this debate before its rules did.");
    record.append_event(Stamp("2026-01-31T10:00:00.000Z".into()), Event::Closed { outcome }).unwrap();
    let text = artifact(&record);
    assert!(text.contains("**Outcome**: INVALIDATED\n") && !text.contains("CANCELLED"), "{text}");
    assert!(text.contains("The user ended this debate before its rules did"), "the reason is told");
    let read = agon_report::duel::artifact_parser::parse_artifact(&text).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(read.conclusion.outcome, "INVALIDATED");
    let events = events(&record);
    let last = events.last().unwrap();
    assert_eq!(last["data"]["outcome"], "INVALIDATED");
    assert_eq!((&last["step"], &last["data"]["status"]), (&"invalidated".into(), &"failed".into()));
    assert!(!events.iter().any(|event| event.to_string().contains("CANCELLED")));
    let completion = agon_report::find_format("duel").unwrap().render_completion(&record).unwrap();
    assert!(completion.contains("**Outcome**: INVALIDATED\n"), "{completion}");
}

#[test]
fn what_turns_cannot_show_is_not_held_against_an_import() {
    let invalidated = artifact(&duel_with(|key| (key == "turn-3").then_some(Reply::Elapsed)));
    let timeout = artifact(&duel_with(|key| (key == "turn-1").then_some(Reply::Elapsed)));
    let reader = agon_report::find_format("duel").unwrap().import_reader.unwrap();
    for (text, outcome) in
        [(invalidated, "INVALIDATED"), (timeout, "TIMEOUT"), (artifact(&duel()), "ACCEPTED_CONSENSUS")]
    {
        assert!(text.contains(&format!("**Outcome**: {outcome}\n")), "{text}");
        let files = [("debates/a.md".to_owned(), text)].into();
        let import = (reader.read)(&files).unwrap();
        let claimed = (outcome == "ACCEPTED_CONSENSUS").then(|| outcome.to_owned());
        assert_eq!((import.claimed, import.warnings), (claimed, Vec::<String>::new()), "{outcome}");
    }
}

#[test]
fn the_registered_artifact_is_relative_to_the_folder_and_its_updates_are_not() {
    let record = duel();
    let file = agon_report::duel::events::render_events_file(&record, "/home/ada/out");
    let events: Vec<Value> = file.content.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let registered = events.iter().find(|event| event["type"] == "artifact_registered").unwrap();
    assert_eq!(registered["data"]["path"], FILE);
    let update = events.iter().find(|event| event["data"]["event"] == "artifact_updated").unwrap();
    assert_eq!(update["data"]["debate_path"], format!("/home/ada/out/{FILE}"));
}

#[test]
fn a_silent_peer_is_waited_for() {
    let events = events(&duel_with(|key| (key == "turn-2").then_some(Reply::Elapsed)));
    let waiting = named(&events, "participant_waiting");
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["unit"], "participant:participant-1");
    assert_eq!(
        (&waiting[0]["step"], &waiting[0]["data"]["retry_after_seconds"]),
        (&json!("waiting_for_participant"), &json!("30"))
    );
    assert_eq!(waiting[0]["data"]["reason"], "Participant B did not answer: no answer in time");
}
