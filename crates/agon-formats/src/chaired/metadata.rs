//! `metadata.json`: figures of a debate. All but the agents are counted from the log.

use agon_protocols::chaired::verification::SourceStatus;
use serde_json::{Value, json};

use super::{DebateView, config::seat_model, find_log_conclusion, log::LogEntry, redaction_reasons, slug};
use crate::json;

/// The file of a debate; `entries` with redacted ones hidden.
pub fn of(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let model = |seat: &str| seat_model(debate, seat);
    let debaters = debate.debaters.0.iter().map(|d| json!({"name": d.name, "model": model(d.seat.as_str())}));
    let mut metadata = compute_metadata(&debate.record.opened().motion, entries);
    // The log holds results alone; a source without one would be missing from the figures. A file that was
    // taken over counts as its system does.
    for status in [SourceStatus::Unverified, SourceStatus::Unchecked] {
        let count = debate.findings.iter().filter(|found| found.status == status).count();
        if count > 0 && debate.record.opened().import_details().is_none() {
            metadata["verification_results"][status.name()] = count.into();
        }
    }
    metadata["agents"] = json!({
        "chair": model("chair"), "debaters": debaters.collect::<Value>(), "reporter": model("reporter"),
        "verifier": model("verifier"), "audience": model("audience"), "assessor": model("assessor"),
    });
    json::render_indented_json(&metadata) + "\n"
}

/// What a log tells, in the order of the file. Times, outcome and reason are null while there are
/// none.
pub fn compute_metadata(topic: &str, entries: &[LogEntry]) -> Value {
    let outcome = find_log_conclusion(entries);
    let end = outcome.and(entries.iter().rev().find(|entry| entry.kind == "conclusion"));
    let struck = redaction_reasons(entries).into_iter().map(|(seq, reason)| {
        let speaker = entries.iter().find(|entry| entry.seq == seq).map(|entry| &entry.speaker);
        json!({"seq": seq, "speaker": speaker, "reason": reason})
    });
    let struck: Vec<Value> = struck.collect();
    let results = list_verification_results(entries);
    let count = |status: &str| results.iter().filter(|(_, found)| found["status"] == status).count();
    json!({
        "topic": topic,
        "topic_slug": slug::of(topic),
        "debate_start": entries.first().map(|entry| &entry.timestamp),
        "debate_end": end.map(|entry| &entry.timestamp),
        "total_rounds": count_rounds(entries),
        "outcome": outcome.map(|(outcome, _)| outcome),
        "outcome_reason": outcome.map(|(_, reason)| reason),
        "total_entries": entries.len(),
        "redaction_count": struck.len(),
        "redactions": struck,
        "verification_results": {
            "verified": count("verified"), "unreliable": count("unreliable"), "fabricated": count("fabricated"),
        },
    })
}

/// Rounds that were begun.
pub fn count_rounds(entries: &[LogEntry]) -> usize {
    let begins = |entry: &&LogEntry| {
        entry.kind == "announcement" && entry.content.starts_with("Round ") && entry.content.contains(" beginning.")
    };
    entries.iter().filter(begins).count()
}

/// Verification results, each with the number of its entry; of a source that was looked up again the last.
pub fn list_verification_results(entries: &[LogEntry]) -> Vec<(u64, Value)> {
    let found = entries.iter().filter(|entry| entry.kind == "verification_result");
    let found = found.filter_map(|entry| Some((entry.seq, serde_json::from_str::<Value>(&entry.content).ok()?)));
    let mut latest: Vec<(u64, Value)> = Vec::new();
    for (seq, result) in found {
        let same = |known: &&mut (u64, Value)| ["verified_seq", "url"].iter().all(|of| known.1[*of] == result[*of]);
        match latest.iter_mut().find(same).filter(|_| !result["url"].is_null()) {
            Some(known) => *known = (seq, result),
            None => latest.push((seq, result)),
        }
    }
    latest
}
