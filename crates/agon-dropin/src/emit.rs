//! `agon agent-tools emit`: events of workflows, kept in the journal.

use std::path::Path;

use agon_journal::time::now;
use serde_json::json;

use super::{
    VerbResponse,
    flags::{Flags, VerbFlags},
    refused_response, result_response,
    single_execution::Once,
};
use crate::store::{
    events::{self, Emission, EventData, Workflow},
    runs::{self, RunEvent, WorkflowRun},
};

pub const TOOL: &str = "emit";

const KNOWN: VerbFlags = VerbFlags {
    required: &["workflow", "type", "run-id"],
    optional: &["step", "unit", "data", "project", "name", "harness"],
    switches: &["close-run"],
};

/// Kinds of events, and the texts that the data of each must hold.
const TYPES: [(&str, &[&str]); 6] = [
    ("status_change", &["status"]),
    ("artifact_registered", &["path"]),
    ("annotation_updated", &["docId", "content"]),
    ("waiting_for_user", &["prompt"]),
    ("btw_update", &["message"]),
    ("subflow_registered", &["parentStepId", "subflowName"]),
];

const STATUSES: [&str; 9] =
    ["not_started", "running", "waiting", "inactive", "completed", "failed", "skipped", "cancelled", "abandoned"];

/// The states of a duel, as its skill draws them.
const DUEL: Workflow = Workflow {
    steps: &["preparing", "waiting_for_participant", "debating", "closing", "completed", "invalidated"],
    edges: &[
        ("preparing", "waiting_for_participant"),
        ("preparing", "debating"),
        ("preparing", "invalidated"),
        ("waiting_for_participant", "debating"),
        ("waiting_for_participant", "closing"),
        ("debating", "debating"),
        ("debating", "waiting_for_participant"),
        ("debating", "closing"),
        ("closing", "completed"),
        ("closing", "invalidated"),
    ],
};

pub fn run(words: &[String], once: &Once) -> VerbResponse {
    match parse_emission(words).and_then(|emission| store_emission(&emission, once)) {
        Ok(said) => said,
        Err(why) => refused_response(TOOL, why),
    }
}

fn store_emission(emission: &Emission, once: &Once) -> Result<VerbResponse, String> {
    let flow = find_workflow(&emission.workflow);
    let kept = events::emit_event(once.acquire_receipt()?, emission, flow, now()).map_err(|error| error.to_string())?;
    let mut data = json!({"eventId": kept.event, "runId": emission.run, "type": emission.kind});
    if let Some(document) = kept.document {
        data["docId"] = json!(document);
    }
    for (key, steps) in [("skippedSteps", kept.skipped), ("completedPredecessors", kept.completed)] {
        if !steps.is_empty() {
            data[key] = json!(steps);
        }
    }
    data["runStatus"] = json!(kept.run_status);
    Ok(result_response(TOOL, &data))
}

/// The state machine of a workflow, where it is known here.
fn find_workflow(workflow: &str) -> Option<&'static Workflow> {
    (workflow == "socratic-duel").then_some(&DUEL)
}

/// The event that the command line describes; what is wrong with it is said.
fn parse_emission(words: &[String]) -> Result<Emission, String> {
    let flags = Flags::parse(words, &KNOWN)?;
    for flag in KNOWN.required {
        if flags.required_value(flag).trim().is_empty() {
            return Err(format!("--{flag} is required"));
        }
    }
    let kind = flags.required_value("type");
    let Some((_, wanted)) = TYPES.iter().find(|(known, _)| *known == kind) else {
        let known = TYPES.map(|(known, _)| known).join(", ");
        return Err(format!("Invalid event type: '{kind}'. Must be one of: {known}"));
    };
    let data = parse_data(flags.optional_value("data").unwrap_or_default())?;
    let step = flags.optional_value("step").filter(|step| !step.is_empty());
    check_required_data(kind, wanted, step, &data)?;
    if let Some(project) = flags.optional_value("project").filter(|project| !Path::new(project).is_absolute()) {
        return Err(format!("Project path must be absolute. Received: {project}"));
    }
    let workflow = flags.required_value("workflow").trim();
    is_state(workflow, step)?;
    let text = |flag: &str| flags.optional_value(flag).map(str::to_owned);
    Ok(Emission {
        run: flags.required_value("run-id").to_owned(),
        workflow: workflow.to_owned(),
        kind: kind.to_owned(),
        step: step.map(str::to_owned),
        unit: text("unit").filter(|unit| !unit.is_empty()),
        data,
        project: text("project"),
        name: text("name"),
        harness: text("harness"),
        close: flags.has_switch("close-run"),
    })
}

/// Whether an event has everything that its kind wants.
fn check_required_data(kind: &str, wanted: &[&str], step: Option<&str>, data: &EventData) -> Result<(), String> {
    if step.is_none() && matches!(kind, "status_change" | "subflow_registered") {
        return Err(format!("--step is required for '{kind}' events"));
    }
    for key in wanted {
        if data.find_text(key).is_none_or(str::is_empty) {
            return Err(format!("{kind} events require a '{key}' field (string) in --data"));
        }
    }
    match data.find_text("status").filter(|_| kind == "status_change") {
        Some(status) if !STATUSES.contains(&status) => {
            Err(format!("Invalid status value: '{status}'. Must be one of: {}", STATUSES.join(", ")))
        }
        _ => Ok(()),
    }
}

/// Whether `step` is one of a workflow that is known here. A step of an agent within it has a name of its
/// own, with a colon.
fn is_state(workflow: &str, step: Option<&str>) -> Result<(), String> {
    let Some((step, flow)) = step.filter(|step| !step.contains(':')).zip(find_workflow(workflow)) else {
        return Ok(());
    };
    if flow.steps.contains(&step) {
        return Ok(());
    }
    let steps = flow.steps.join(", ");
    Err(format!("step \"{step}\" is not a valid state in the \"{workflow}\" state machine. Valid states: [{steps}]."))
}

/// What is wrong with a run as it is kept: events that would not have been taken, and a status that does
/// not follow from them.
pub fn check_run_events(run: &WorkflowRun, events: &[RunEvent]) -> Vec<String> {
    let mut wrong = Vec::new();
    for RunEvent { id, kind, step, data, .. } in events {
        let known = TYPES.iter().find(|(known, _)| known == kind);
        let taken = match (known, data.0.is_object()) {
            (Some((_, wanted)), true) => check_required_data(kind, wanted, step.as_deref(), data)
                .and_then(|()| is_state(&run.workflow, step.as_deref())),
            (None, _) => Err(format!("there are no events of type '{kind}'")),
            (_, false) => Err("its data is not a JSON object".into()),
        };
        wrong.extend(taken.err().map(|why| format!("event {id}: {why}")));
    }
    let stands = runs::derive_status(events);
    if run.status != stands {
        wrong.push(format!("the run is {}, but its events lead to {stands}", run.status));
    }
    wrong
}

/// `events.jsonl` of a run: its events as they were reported, in the order in which they came.
pub fn render_event_lines(run: &WorkflowRun, events: &[RunEvent]) -> String {
    let line = |event: &RunEvent| {
        let mut line = json!({
            "workflow": run.workflow, "type": event.kind, "run_id": run.id, "harness": run.harness,
            "step": event.step, "unit": event.unit, "data": event.data, "event_id": event.id, "at": event.at,
        });
        if let Some(line) = line.as_object_mut() {
            line.retain(|_, value| !value.is_null());
        }
        format!("{line}\n")
    };
    events.iter().map(line).collect()
}

fn parse_data(text: &str) -> Result<EventData, String> {
    match serde_json::from_str::<EventData>(if text.is_empty() { "{}" } else { text }) {
        Ok(data) if data.0.is_object() => Ok(data),
        Ok(_) => Err("--data must be a JSON object (not array or primitive)".into()),
        Err(_) => {
            let shown: String = text.chars().take(400).collect();
            Err(format!("--data must be valid JSON. Received: {shown}"))
        }
    }
}
