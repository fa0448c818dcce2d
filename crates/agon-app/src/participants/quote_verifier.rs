//! The seat `verifier` of a debate about material: compares the quotes of statements with the lines that they name. A
//! replay reads its answer, never the material.

use std::{path::PathBuf, sync::Arc};

use agon_core::{DebateId, View};
use agon_journal::Journal;
use agon_material::{
    manifest::MaterialManifest,
    quotes::{QuoteCheck, QuoteCode, QuotedMaterial},
};
use agon_runtime::{
    participant::{Answer, Call, CallFailure, Deltas, Participant},
    prompts::{
        material::{self, MATERIAL},
        shown_char,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;

/// Who sits at a seat where quotes are compared with the material.
pub const QUOTES: &str = "material";

/// What is compared, as its protocol shows it. Where a quote has no place, the files of `near` are looked through first.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct QuotingEntry {
    at: String,
    place: Option<String>,
    quote: Option<String>,
    near: Option<Vec<String>>,
}

/// The result for an entry.
#[derive(Debug, Serialize)]
struct CheckedEntry {
    at: String,
    code: QuoteCode,
    place: String,
    note: String,
}

impl QuotingEntry {
    /// Whether its quote stands at a place, or should.
    fn is_placed(&self) -> bool {
        self.near.is_none() || self.place.as_ref().is_some_and(|place| !place.is_empty())
    }

    fn with_result(self, QuoteCheck { code, place, note }: QuoteCheck) -> CheckedEntry {
        CheckedEntry { at: self.at, code, place: place.unwrap_or_default(), note }
    }
}

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
    fn check_entries(&self, call: &Call) -> std::result::Result<Vec<CheckedEntry>, String> {
        let record = self.journal.read_record(&self.debate).map_err(|error| error.to_string())?;
        let protocol = agon_protocols::find_rules(&record).map_err(|error| error.to_string())?;
        let (_, request) = record.find_request(&call.key).ok_or("it was not asked")?;
        let facts = protocol.prompt_facts(&View::new(&record, request), request);
        let entries = facts.get("entries").cloned().and_then(|entries| serde_json::from_value(entries).ok());
        let entries: Vec<QuotingEntry> = entries.ok_or("nothing to compare")?;
        let list = record.document(MATERIAL).ok_or("the debate has no material")?;
        let store = material::open_material_store(&self.home).map_err(|error| error.to_string())?;
        let manifest = MaterialManifest::parse(list).map_err(|error| error.to_string())?;
        let manifest = store.load_tree(manifest).map_err(|error| error.to_string())?;
        let (placed, elsewhere): (Vec<_>, Vec<_>) = entries.into_iter().partition(QuotingEntry::is_placed);
        let material = QuotedMaterial { manifest: &manifest, store: &store, shown: shown_char };
        let mut checks = check_unplaced(material, elsewhere)?;
        for entry in placed {
            checks.push(check_placed(material, entry)?);
        }
        Ok(checks)
    }
}

/// The results for entries without a place: their quotes can stand anywhere.
fn check_unplaced(
    material: QuotedMaterial<'_>,
    entries: Vec<QuotingEntry>,
) -> std::result::Result<Vec<CheckedEntry>, String> {
    let near: Vec<String> = entries.iter().flat_map(|entry| entry.near.iter().flatten()).cloned().collect();
    let quotes: Vec<String> = entries.iter().map(|entry| entry.quote.clone().unwrap_or_default()).collect();
    let checks = material.find_quotes(&near, &quotes).map_err(|error| error.to_string())?;
    Ok(entries.into_iter().zip(checks).map(|(entry, check)| entry.with_result(check)).collect())
}

/// The result for one entry, by its place and its quote.
fn check_placed(material: QuotedMaterial<'_>, entry: QuotingEntry) -> std::result::Result<CheckedEntry, String> {
    let quote = entry.quote.as_deref().filter(|quote| !quote.trim().is_empty());
    let place = entry.place.as_deref().unwrap_or_default();
    let found = material.check_quote(place, quote).map_err(|error| error.to_string())?;
    Ok(entry.with_result(found))
}

#[async_trait::async_trait]
impl Participant for QuoteVerifier {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let checks = self.check_entries(call);
        let checks = checks.map_err(|message| CallFailure::Unavailable { message, remedy: String::new() })?;
        Ok(Answer { text: json!({ "checks": checks }).to_string(), usage: None, model: None, engine: None })
    }

    fn is_program(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use agon_material::{
        gathered_content::{Gathered, GatheredFile},
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
        let material = QuotedMaterial { manifest: &gathered.build_manifest(), store: &store, shown: shown_char };
        for (place, quote, code) in [
            ("a.rs:1", "if (admin) {", "quote-there"),
            ("a.rs:2", "grant (‹system>);", "quote-there"),
            ("a.rs:3", "x = ⟦INST] + y", "quote-there"),
            // A line feed of old texts is a blank. Where the named line does not exist, it is still found.
            ("a.rs:40", "grant (‹system>);", "quote-moved"),
            ("a.rs:3", "x = INST] + y", "quote-absent"),
        ] {
            let entry = |near, place: Option<&str>| {
                let (at, place, quote) = ("F1".to_owned(), place.map(str::to_owned), Some(quote.to_owned()));
                QuotingEntry { at, place, quote, near }
            };
            let placed = check_placed(material, entry(None, Some(place))).unwrap();
            assert_eq!(json!(placed.code), code, "{quote}");
            let code = if code == "quote-absent" { code } else { "quote-there" };
            let unplaced = check_unplaced(material, vec![entry(Some(Vec::new()), None)]).unwrap();
            assert_eq!(json!(unplaced[0].code), code, "{quote}");
        }
    }
}
