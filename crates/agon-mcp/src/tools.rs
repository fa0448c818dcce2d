//! The tools: names, titles, descriptions and schemas. Every client puts all of them before its model in each
//! conversation, so they are kept short: what a schema here leaves open, the reader of the arguments refuses.

use std::sync::Arc;

use agon_app::request;
use agon_core::Manifest;
use agon_journal::leases::{LEASE_SECONDS, LEASE_SECONDS_MAX, Lease, Receipt, SeatClaim};
use agon_runtime::outside_seats::Acted;
use rmcp::model::{JsonObject, Tool};
use serde::Serialize;
use serde_json::json;

use crate::{
    calls::LIST_LIMIT_MAX,
    debate_tool::default_protocol,
    results::{
        ContinuedResult, DebateResult, ExportResult, ListedResult, LookupResult, PlanResult, ScoresResult,
        StartedResult, StatusResult, ToolResult, TranscriptResult, WaitResult,
    },
    wait::{WAIT_SECONDS, WAIT_SECONDS_MAX},
};

/// The tools as clients are told of them, with places for what is known elsewhere: a whole debate in one call first, then
/// the single steps, in the order in which a debate needs them. Claude Code defers none of those that hold a debate without
/// knowing its steps. Hints stand where they differ from what holds without them; arguments have two alternatives rather
/// than a list of types, which some hosts do not accept.
const TOOLS: &str = include_str!("tools.json");

/// Every tool. Debates of `kinds` can be started.
pub(crate) fn list_tools(kinds: &[Manifest]) -> Vec<Tool> {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let about = kinds.iter().map(|kind| format!("{}: {}", kind.name, first_clause(&kind.summary)));
    let about = about.collect::<Vec<_>>().join("; ");
    // What others wrote comes last, so that nothing within it is taken for a place to fill.
    let places = [
        ("\"{wait_seconds_max}\"", WAIT_SECONDS_MAX.to_string()),
        ("{wait_seconds_max}", WAIT_SECONDS_MAX.to_string()),
        ("\"{wait_seconds}\"", WAIT_SECONDS.to_string()),
        ("\"{lease_seconds_max}\"", LEASE_SECONDS_MAX.to_string()),
        ("\"{lease_seconds}\"", LEASE_SECONDS.to_string()),
        ("\"{list_limit_max}\"", LIST_LIMIT_MAX.to_string()),
        ("\"{default_kind}\"", json!(default_protocol(kinds)).to_string()),
        ("\"{kinds}\"", json!(names).to_string()),
        ("\"{opening}\"", json!(opening_arguments(&names)).to_string()),
        ("{options}", describe_options(kinds)),
        ("\"{kinds_about}\"", json!(about).to_string()),
    ];
    let filled = places.into_iter().fold(TOOLS.to_owned(), |text, (place, what)| text.replace(place, &what));
    let tools: Vec<Tool> =
        serde_json::from_str(&filled).unwrap_or_else(|error| unreachable!("a test reads the tools: {error}"));
    tools.into_iter().map(with_result_schema).collect()
}

/// The beginning of a summary, which tells one kind from another.
fn first_clause(summary: &str) -> &str {
    summary.split([';', ',']).next().unwrap_or(summary)
}

/// Everything that a debate of one of `kinds` can be opened with, as a model must know it: each argument with its type and,
/// where the name does not tell, with what it holds.
fn opening_arguments(kinds: &[&str]) -> impl Serialize + use<> {
    let mut opening = json!(request::request_schema(false))["properties"].take();
    for (name, schema) in opening.as_object_mut().into_iter().flatten() {
        schema.as_object_mut().into_iter().for_each(|schema| {
            schema.retain(|key, _| match key.as_str() {
                "type" | "enum" => true,
                "description" => matches!(name.as_str(), "motion" | "seats" | "debaters"),
                _ => false,
            });
        });
    }
    opening["protocol"] = json!({"type": "string", "enum": kinds});
    opening
}

/// Which kind takes which options; what all take is said once.
fn describe_options(kinds: &[Manifest]) -> String {
    let takes = |kind: &Manifest, name: &str| kind.find_option(name).is_some();
    let is_common = |name: &str| kinds.iter().all(|kind| takes(kind, name));
    let names = |kind: &Manifest, common: bool| -> Vec<String> {
        let named = kind.options.iter().filter(|option| is_common(&option.name) == common);
        named.map(|option| option.name.clone()).collect()
    };
    let all = kinds.first().map(|kind| ("all".to_owned(), names(kind, true)));
    let each = kinds.iter().map(|kind| (kind.name.clone(), names(kind, false)));
    let each = all.into_iter().chain(each).filter(|(_, names)| !names.is_empty());
    each.map(|(kind, names)| format!("{kind}: {}", names.join(", "))).collect::<Vec<_>>().join("; ")
}

/// `tool` with the schema of its result.
fn with_result_schema(mut tool: Tool) -> Tool {
    let schema: fn() -> JsonObject = match &*tool.name {
        "debate" | "debate_result" => DebateResult::schema,
        "start_debate" => StartedResult::schema,
        "plan_debate" => PlanResult::schema,
        "list_debates" => ListedResult::schema,
        "status" => StatusResult::schema,
        "wait_for_turn" => WaitResult::schema,
        "claim_seat" => SeatClaim::schema,
        "refresh_seat" | "release_seat" => Lease::schema,
        "answer" => Receipt::schema,
        "lookup" => LookupResult::schema,
        "interject" | "pause_debate" | "cancel_debate" => Acted::schema,
        "resume_debate" | "extend_debate" => ContinuedResult::schema,
        "transcript" => TranscriptResult::schema,
        "scores" => ScoresResult::schema,
        "export" => ExportResult::schema,
        _ => return tool,
    };
    tool.output_schema = Some(Arc::new(schema()));
    tool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_read_with_its_places_filled_and_says_what_it_gives() {
        let kinds: Vec<Manifest> = agon_protocols::ALL.iter().map(|protocol| protocol.manifest().clone()).collect();
        for kinds in [&kinds[..], &[]] {
            let tools = list_tools(kinds);
            assert_eq!(tools.len(), 20);
            for tool in tools {
                let told = json!(tool).to_string();
                assert!(tool.output_schema.is_some() && !told.contains("\"{") && !told.contains("_max}"), "{told}");
            }
        }
    }
}
