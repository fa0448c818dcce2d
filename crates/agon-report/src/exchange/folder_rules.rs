//! Where what is handed in breaks the protocol's rules: in a folder of the format, though its source system takes it, and
//! in an open debate.

use agon_core::{Faults, Record, View, parse};
use agon_protocols::{
    common::imported_debate::format_warnings,
    exchange::{
        argument::{ArgumentRules, Side},
        judgment::JudgmentScope,
        state::ExchangeState,
    },
};
use serde_json::json;

use super::{diagram::Node, frontmatter::Document, scores::ScoreFile, verdict::Verdict};
use crate::python_json;

/// The exchange of the open debate `record` that is to be argued or judged next.
pub fn due_exchange(record: &Record) -> u32 {
    ExchangeState::from_view(&View::of_whole_record(record)).judgments.len() as u32
}

/// What an answer of `side` in it breaks, each with the name of its rule.
pub fn check_argument(record: &Record, side: Side, text: &str) -> Vec<String> {
    let rules = ExchangeState::from_view(&View::of_whole_record(record)).argument_rules(side, due_exchange(record));
    rules.parse_statement(text).err().iter().flat_map(format_warnings).collect()
}

/// What an answer of the judge in it breaks; `None` where there is nothing to judge yet.
pub fn check_judgment(record: &Record, text: &str) -> Option<Vec<String>> {
    let batch = ExchangeState::from_view(&View::of_whole_record(record)).judgment_scope(due_exchange(record), None);
    let faults = || batch.parse_judgment(text, false).err().iter().flat_map(format_warnings).collect();
    (!batch.ids.is_empty()).then(faults)
}

/// Where the debate stands is not where this belongs (rule S9).
pub fn check_state(debate: &Document, phase: &str, exchange: Option<u32>) -> Vec<String> {
    let mut found = Vec::new();
    let stands = debate.find_text("current_phase").unwrap_or_default();
    if stands != phase {
        found.push(format!("the debate is in phase {stands:?}, not {phase:?}"));
    }
    let current = debate.find_number("current_exchange");
    if let Some(exchange) = exchange.filter(|exchange| current != Some(u64::from(*exchange))) {
        let current = current.map_or("none".into(), |current| current.to_string());
        found.push(format!("the debate is in exchange {current}, not {exchange}"));
    }
    found
}

/// What the arguments of one side break, `before` being those of the folder.
pub fn check_side(text: &str, side: Side, exchange: u32, before: &[Node]) -> Vec<String> {
    let earlier = |side: Side| {
        let own = before.iter().filter(|argument| argument.side == side);
        let earlier = own.filter(|argument| argument.exchange.is_some_and(|n| n < u64::from(exchange)));
        earlier.map(|argument| argument.id.clone()).collect()
    };
    let turn = ArgumentRules { side, exchange, own: earlier(side), opposing: earlier(side.opposite()) };
    turn.parse_statement(text).err().map(list_faults).unwrap_or_default()
}

/// What a judgment breaks.
pub fn check_verdict(
    text: &str,
    verdict: &Verdict,
    exchange: u32,
    arguments: &[Node],
    scores: &ScoreFile,
) -> Vec<String> {
    let new = |argument: &&Node| argument.exchange == Some(u64::from(exchange));
    let of = |side: Side| arguments.iter().filter(new).filter(move |argument| argument.side == side);
    let ids: Vec<String> = Side::BOTH.into_iter().flat_map(of).map(|argument| argument.id.clone()).collect();
    let older = scores.0.iter().filter(|(id, _)| !ids.contains(id));
    let current = older.filter_map(|(id, scores)| Some((id.clone(), scores.current_score.as_f64()?))).collect();
    let mut value = match parse::parse_json_answer(text) {
        Ok(value) => value,
        Err(faults) => return list_faults(faults),
    };
    if value.get("scores").is_none() {
        // The form for a single argument, which is enough where one is new.
        value = json!({"scores": verdict.scores, "rescores": value["rescores"]});
    }
    let has_nothing = ids.is_empty();
    let mut found = match (JudgmentScope { ids, current, labels: None })
        .parse_judgment(&python_json::render_json_line(&value), false)
    {
        Ok(judgment) => judgment.warnings,
        Err(faults) => list_faults(faults),
    };
    if has_nothing {
        found.retain(|fault| !fault.contains("there is none yet that it could be"));
        found.push(format!("exchange {exchange} has no argument here, so there is nothing to score"));
    }
    found
}

fn list_faults(faults: Faults) -> Vec<String> {
    faults.0.iter().map(ToString::to_string).collect()
}
