//! The seat `verifier` of a debate about material: compares the quotes of statements with the lines that they name. A
//! replay reads its answer, never the material.

use std::{path::PathBuf, sync::Arc};

use agon_context::{
    manifest::MaterialManifest,
    quotes::{QuoteCheck, QuoteCode, check, find},
    store::MaterialStore,
};
use agon_core::{DebateId, View};
use agon_runtime::{
    journal::Journal,
    participant::{Answer, Call, CallFailure, Deltas, Participant, Probe},
    prompts::material::{self, MATERIAL},
};
use serde_json::{Value, json};

use crate::context::Context;

/// Who sits at a seat where quotes are compared with the material.
pub const QUOTES: &str = "material";
/// What a prompt shows in the place of characters that could end its tags, and what they stand for.
const SHOWN_AS: [(char, char); 2] = [('‹', '<'), ('⟦', '[')];

/// A participant that compares quotes with the material.
pub struct QuoteVerifier {
    journal: Arc<Journal>,
    debate: DebateId,
    home: PathBuf,
}

impl QuoteVerifier {
    /// For one debate.
    pub fn new(context: &Context, debate: &DebateId) -> Self {
        let home = context.places.home.clone();
        Self { journal: Arc::clone(&context.journal), debate: debate.clone(), home }
    }

    /// The result for each entry of a request, as its protocol shows them.
    fn checks(&self, call: &Call) -> std::result::Result<Vec<Value>, String> {
        let record = self.journal.read(&self.debate).map_err(|error| error.to_string())?;
        let protocol = agon_protocols::of(&record).map_err(|error| error.to_string())?;
        let (_, request) = record.asked(&call.key).ok_or("it was not asked")?;
        let facts = protocol.facts(&View::new(&record, request), request);
        let entries = facts.get("entries").and_then(Value::as_array).ok_or("nothing to compare")?;
        let list = record.document(MATERIAL).ok_or("the debate has no material")?;
        let manifest = MaterialManifest::read(list).map_err(|error| error.to_string())?;
        let store = material::store(&self.home).map_err(|error| error.to_string())?;
        let (placed, elsewhere): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| {
            entry["near"].is_null() || !entry["place"].as_str().unwrap_or_default().is_empty()
        });
        let mut checks = found(&manifest, &store, &elsewhere)?;
        for entry in placed {
            checks.push(checked(&manifest, &store, entry)?);
        }
        Ok(checks)
    }
}

/// The results for entries without a place: their quotes can stand anywhere.
fn found(
    manifest: &MaterialManifest,
    store: &MaterialStore,
    entries: &[&Value],
) -> std::result::Result<Vec<Value>, String> {
    let near = entries.iter().flat_map(|entry| entry["near"].as_array().into_iter().flatten());
    let near: Vec<String> = near.filter_map(Value::as_str).map(str::to_owned).collect();
    let quotes: Vec<String> =
        entries.iter().map(|entry| entry["quote"].as_str().unwrap_or_default().to_owned()).collect();
    let find = |quotes: &[String]| find(manifest, store, &near, quotes).map_err(|error| error.to_string());
    let mut checks = find(&quotes)?;
    let again: Vec<usize> = (0..quotes.len())
        .filter(|at| checks[*at].code == QuoteCode::QuoteAbsent && meant(&quotes[*at]) != quotes[*at])
        .collect();
    let second = find(&again.iter().map(|at| meant(&quotes[*at])).collect::<Vec<_>>())?;
    for (at, check) in again.into_iter().zip(second) {
        checks[at] = check;
    }
    Ok(entries.iter().zip(checks).map(|(entry, check)| told(entry, check)).collect())
}

/// The result for one entry: `at`, which it keeps, and its `place` and `quote`.
fn checked(
    manifest: &MaterialManifest,
    store: &MaterialStore,
    entry: &Value,
) -> std::result::Result<Value, String> {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let (place, quote) = (text("place"), text("quote"));
    let compared = |quote: &str| {
        check(manifest, store, place, Some(quote).filter(|quote| !quote.trim().is_empty()))
            .map_err(|error| error.to_string())
    };
    let mut found = compared(quote)?;
    let meant = meant(quote);
    if found.code == QuoteCode::QuoteAbsent && meant != quote {
        found = compared(&meant)?;
    }
    Ok(told(entry, found))
}

/// What a quote says, whose author quotes what a prompt shows.
fn meant(quote: &str) -> String {
    let means = |c| SHOWN_AS.iter().find(|(shown, _)| *shown == c).map_or(c, |(_, is)| *is);
    quote.chars().map(means).collect()
}

fn told(entry: &Value, check: QuoteCheck) -> Value {
    let QuoteCheck { code, place: at, note } = check;
    json!({"at": entry["at"], "code": code, "place": at.unwrap_or_default(), "note": note})
}

#[async_trait::async_trait]
impl Participant for QuoteVerifier {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let checks = self.checks(call);
        let checks = checks.map_err(|message| CallFailure::Unavailable { message, remedy: String::new() })?;
        Ok(Answer { text: json!({ "checks": checks }).to_string(), usage: None, model: None })
    }

    async fn probe(&self) -> std::result::Result<Probe, CallFailure> {
        Ok(Probe::Ready)
    }

    fn is_program(&self) -> bool {
        true
    }
}
