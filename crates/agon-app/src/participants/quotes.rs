//! The seat `verifier` of a debate about material: compares the quotes of statements with the lines that they name. A
//! replay reads its answer, never the material.

use std::{path::PathBuf, sync::Arc};

use agon_context::{
    manifest::MaterialManifest,
    quotes::{QuoteCheck, QuoteCode, check},
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
        entries.iter().map(|entry| checked(&manifest, &store, entry)).collect()
    }
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
    // A participant quotes what its prompt shows.
    let meant: String = quote
        .chars()
        .map(|c| SHOWN_AS.iter().find(|(shown, _)| *shown == c).map_or(c, |(_, is)| *is))
        .collect();
    if found.code == QuoteCode::QuoteAbsent && meant != quote {
        found = compared(&meant)?;
    }
    let QuoteCheck { code, place: at, note } = found;
    Ok(json!({"at": entry["at"], "code": code, "place": at.unwrap_or_default(), "note": note}))
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
