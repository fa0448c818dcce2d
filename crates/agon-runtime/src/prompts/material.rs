//! The passages of a debate's material that a prompt shows: chosen for each request, equal for equal records.

use std::{path::Path, sync::Arc};

use agon_core::{Digest, Facts, LookupRequest, Manifest, Opened, Request, Seat, ShownPassage, View};
use agon_material::{
    lookup::LookupAnswer,
    manifest::{ManifestError, MaterialManifest},
    search::{MaterialPassage, SeatMaterial, Selection},
    store::{MaterialStore, MaterialStoreError},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::ModelSize;

/// Name of the document that lists the material, and of the option that limits how much of it a prompt shows.
pub const MATERIAL: &str = "material";
/// The option that limits it, in tokens.
pub const CONTEXT_TOKENS: &str = "context_tokens";
/// Tokens of material in one prompt, where nobody says: for a model that reads fast, and for a small one.
const TOKENS_LARGE: u32 = 6_000;
const TOKENS_SMALL: u32 = 1_500;
/// The store of all material, in the data directory.
const STORE: &str = "material.db";
/// How much of a request's values and of the latest statements is searched for, in characters.
const QUERY_CHARS_MAX: usize = 8_000;
/// How many of the latest statements are searched for.
const STATEMENTS_MAX: usize = 3;

/// The material of one debate.
#[derive(Debug)]
pub struct PromptMaterial {
    manifest: MaterialManifest,
    store: Arc<MaterialStore>,
    tokens_max: Option<u32>,
    /// Whether a passage that does not fit is shown in part.
    parts: bool,
}

/// Why material cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum MaterialError {
    /// The list that the record is pinned to is not one.
    Manifest(#[from] ManifestError),
    /// The store cannot be read.
    Store(#[from] MaterialStoreError),
}

/// The store of the data directory `home`.
///
/// # Errors
///
/// Where it cannot be opened.
pub fn open_material_store(home: &Path) -> Result<MaterialStore, MaterialStoreError> {
    MaterialStore::open(&home.join(STORE))
}

impl PromptMaterial {
    /// The material of the debate that is `opened` by the protocol of `manifest`, whose list is `text`; `None` where it has none.
    ///
    /// # Errors
    ///
    /// Where the list or the store cannot be read.
    pub fn from_opened(
        opened: &Opened,
        manifest: &Manifest,
        text: Option<&str>,
        home: &Path,
    ) -> Result<Option<Arc<Self>>, MaterialError> {
        let Some(text) = text else { return Ok(None) };
        let tokens_max = opened.options.get(CONTEXT_TOKENS).and_then(Value::as_u64);
        let tokens_max = tokens_max.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
        let store = Arc::new(open_material_store(home)?);
        let list = store.load_tree(MaterialManifest::parse(text)?)?;
        // Where the material itself is examined, what was shown counts as read: a part would count for the whole.
        let parts = !manifest.needs_material;
        Ok(Some(Arc::new(Self { manifest: list, store, tokens_max, parts })))
    }

    /// What `request`, whose prompt is filled with `facts`, shows to a model of this size.
    pub(super) fn select_passages(
        &self,
        size: ModelSize,
        request: &Request,
        facts: &Facts,
        view: &View<'_>,
    ) -> Result<Selection, MaterialStoreError> {
        let usual = if size == ModelSize::Small { TOKENS_SMALL } else { TOKENS_LARGE };
        let tokens = self.tokens_max.unwrap_or(usual) as usize;
        let query = build_query(request, facts, view);
        self.shown_to(&request.seat).select_passages(&query, tokens, self.parts)
    }

    fn shown_to<'s>(&'s self, seat: &'s Seat) -> SeatMaterial<'s> {
        SeatMaterial { manifest: &self.manifest, store: &self.store, seat: seat.as_str() }
    }

    /// What `seat` finds of it.
    ///
    /// # Errors
    ///
    /// Where the store cannot be read.
    pub fn look_up(
        &self,
        seat: &Seat,
        asked: &LookupRequest,
        bytes_max: usize,
    ) -> Result<LookupAnswer, MaterialStoreError> {
        let material = self.shown_to(seat);
        match asked {
            LookupRequest::Search { words } => material.search_words(words, bytes_max),
            LookupRequest::Read { path, first, last } => material.read_lines(path, (*first, *last), bytes_max),
            LookupRequest::Open { .. } | LookupRequest::Find { .. } => {
                Ok(LookupAnswer::Nothing("The material has no pages of the web.".into()))
            }
        }
    }
}

/// What is searched for: the values of the request, the motion, the latest statements, and what else the prompt says.
fn build_query(request: &Request, facts: &Facts, view: &View<'_>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    request.facts.values().for_each(|value| collect_texts(value, &mut parts));
    parts.push(&view.opened().motion);
    let said: Vec<&str> = view.everything_said().map(|(_, text)| text).collect();
    parts.extend(said.iter().rev().take(STATEMENTS_MAX));
    facts.values().for_each(|value| collect_texts(value, &mut parts));
    let mut query = String::new();
    for part in parts {
        let left = QUERY_CHARS_MAX.saturating_sub(query.len());
        query.extend(part.chars().take(left));
        query.push('\n');
    }
    query
}

/// Every text in `value`.
pub(super) fn collect_texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    found.extend(value.as_str());
    value.as_array().into_iter().flatten().for_each(|item| collect_texts(item, found));
    value.as_object().into_iter().flatten().for_each(|(_, field)| collect_texts(field, found));
}

/// What the template of the material is filled with.
pub(super) fn material_facts(selection: &Selection) -> impl Serialize + use<> {
    let passages = selection.passages.iter().map(|passage| {
        let MaterialPassage { path, kind, lines, shown, .. } = passage;
        let lines = lines.map(|(first, last)| format!("{first}-{last}"));
        // It stands between quotes, on one line.
        let path = path.replace('"', "'").replace(char::is_control, " ");
        json!({"path": path, "kind": kind, "lines": lines, "shown": shown.trim_end_matches('\n')})
    });
    json!({"passages": passages.collect::<Vec<_>>(), "not_shown": selection.not_shown})
}

/// The passages as the record keeps them.
pub(super) fn shown_passages(selection: &Selection) -> Vec<ShownPassage> {
    let shown = selection.passages.iter();
    shown
        .map(|passage| ShownPassage { place: passage.format_place(), digest: Digest::from_content(&passage.shown) })
        .collect()
}
