//! The seat `verifier` of a debate about material: compares the quotes of statements with the lines that they name. A
//! replay reads its answer, never the material.

use std::{path::PathBuf, sync::Arc};

use agon_context::{
    manifest::MaterialManifest,
    quotes::{QuoteCheck, check_quote, find_quotes},
    store::MaterialStore,
};
use agon_core::{DebateId, View};
use agon_journal::Journal;
use agon_runtime::{
    participant::{Answer, Call, CallFailure, Deltas, Participant, Probe},
    prompts::{
        material::{self, MATERIAL},
        shown_char,
    },
};
use serde_json::{Value, json};

use crate::context::Context;

/// Who sits at a seat where quotes are compared with the material.
pub const QUOTES: &str = "material";

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
    fn check_entries(&self, call: &Call) -> std::result::Result<Vec<Value>, String> {
        let record = self.journal.read_record(&self.debate).map_err(|error| error.to_string())?;
        let protocol = agon_protocols::of(&record).map_err(|error| error.to_string())?;
        let (_, request) = record.find_request(&call.key).ok_or("it was not asked")?;
        let facts = protocol.prompt_facts(&View::new(&record, request), request);
        let entries = facts.get("entries").and_then(Value::as_array).ok_or("nothing to compare")?;
        let list = record.document(MATERIAL).ok_or("the debate has no material")?;
        let store = material::open_material_store(&self.home).map_err(|error| error.to_string())?;
        let manifest = MaterialManifest::parse(list).map_err(|error| error.to_string())?;
        let manifest = store.load_tree(manifest).map_err(|error| error.to_string())?;
        let (placed, elsewhere): (Vec<_>, Vec<_>) = entries
            .iter()
            .partition(|entry| entry["near"].is_null() || !entry["place"].as_str().unwrap_or_default().is_empty());
        let mut checks = check_unplaced(&manifest, &store, &elsewhere)?;
        for entry in placed {
            checks.push(check_placed(&manifest, &store, entry)?);
        }
        Ok(checks)
    }
}

/// The results for entries without a place: their quotes can stand anywhere.
fn check_unplaced(
    manifest: &MaterialManifest,
    store: &MaterialStore,
    entries: &[&Value],
) -> std::result::Result<Vec<Value>, String> {
    let near = entries.iter().flat_map(|entry| entry["near"].as_array().into_iter().flatten());
    let near: Vec<String> = near.filter_map(Value::as_str).map(str::to_owned).collect();
    let quotes: Vec<String> =
        entries.iter().map(|entry| entry["quote"].as_str().unwrap_or_default().to_owned()).collect();
    let checks = find_quotes(manifest, store, shown_char, &near, &quotes).map_err(|error| error.to_string())?;
    Ok(entries.iter().zip(checks).map(|(entry, check)| check_to_json(entry, check)).collect())
}

/// The result for one entry: `at`, which it keeps, and its `place` and `quote`.
fn check_placed(
    manifest: &MaterialManifest,
    store: &MaterialStore,
    entry: &Value,
) -> std::result::Result<Value, String> {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let quote = Some(text("quote")).filter(|quote| !quote.trim().is_empty());
    let found = check_quote(manifest, store, shown_char, text("place"), quote).map_err(|error| error.to_string())?;
    Ok(check_to_json(entry, found))
}

fn check_to_json(entry: &Value, check: QuoteCheck) -> Value {
    let QuoteCheck { code, place: at, note } = check;
    json!({"at": entry["at"], "code": code, "place": at.unwrap_or_default(), "note": note})
}

#[async_trait::async_trait]
impl Participant for QuoteVerifier {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let checks = self.check_entries(call);
        let checks = checks.map_err(|message| CallFailure::Unavailable { message, remedy: String::new() })?;
        Ok(Answer { text: json!({ "checks": checks }).to_string(), usage: None, model: None, engine: None })
    }

    async fn probe(&self) -> std::result::Result<Probe, CallFailure> {
        Ok(Probe::Ready)
    }

    fn is_program(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use agon_context::{
        gathered::{Gathered, GatheredFile},
        passages::MaterialKind,
    };

    use super::*;

    #[test]
    fn a_line_is_found_as_the_prompt_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = material::open_material_store(folder.path()).unwrap();
        let text = "if (\u{202e}admin\u{2066}) {\u{200b}\ngrant\u{b}(⟨system>);\u{e000}\nx = ［INST] + y\n";
        let files = vec![GatheredFile::new("a.rs", MaterialKind::File, text)];
        let gathered = Gathered { files, ..Gathered::default() };
        store.store_contents(&gathered).unwrap();
        let manifest = gathered.build_manifest();
        for (place, quote, code) in [
            ("a.rs:1", "if (admin) {", "quote-there"),
            ("a.rs:2", "grant (‹system>);", "quote-there"),
            ("a.rs:3", "x = ⟦INST] + y", "quote-there"),
            // A line feed of old texts is a blank. Where the named line does not exist, it is still found.
            ("a.rs:40", "grant (‹system>);", "quote-moved"),
            ("a.rs:3", "x = INST] + y", "quote-absent"),
        ] {
            let entry = json!({"at": "F1", "place": place, "quote": quote});
            assert_eq!(check_placed(&manifest, &store, &entry).unwrap()["code"], code, "{quote}");
            let code = if code == "quote-absent" { code } else { "quote-there" };
            let entry = json!({"at": "F1", "near": [], "quote": quote});
            assert_eq!(check_unplaced(&manifest, &store, &[&entry]).unwrap()[0]["code"], code, "{quote}");
        }
    }
}
