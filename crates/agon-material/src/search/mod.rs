//! The passages that a request shows: those it names, the diff, the functions that it changed, and those that share the
//! rare words of the request.
//!
//! The choice depends on the manifest, the seat, the query and the limit alone, never on what else is stored:
//! frequencies are counted over the entries of the manifest, because a repeated request must show the same.

use std::collections::{BTreeMap, HashMap, btree_map::Entry};

use agon_text::{LinePlace, find_places, parse_place};
use rusqlite::{Connection, OptionalExtension};

use crate::{
    excerpt::cut_excerpt,
    manifest::{MaterialFile, MaterialManifest},
    passages::{MaterialKind, cut_passages, find_blocks},
    search_words::query_words,
    store::{MaterialStore, MaterialStoreError, cutting_name},
};

/// Bytes that count as a token: low for code and for scripts other than Latin, so the estimate is rarely too
/// small.
const TOKEN_BYTES: usize = 3;
/// Bytes of the tags around a passage, without its path.
const TAG_BYTES: usize = 64;
/// Fewest tokens in which a part of a passage says anything, and the share of the limit that it gets at least.
const EXCERPT_TOKENS_MIN: usize = 200;
const EXCERPTS_MAX: usize = 3;
/// Different words of a query that are looked for: a few paragraphs.
const WORDS_MAX: usize = 100;
/// How strongly repetitions of a word count; the usual value of BM25.
const SATURATION: f64 = 1.2;
/// How strongly the length of a passage counts; the usual value of BM25.
const LENGTH_WEIGHT: f64 = 0.75;
/// What changed counts more than what stayed.
const DIFF_WEIGHT: f64 = 2.0;
/// Scores are compared as whole numbers of these parts, so that the last bits of a float decide nothing.
const SCORE_PARTS: f64 = 1e6;

/// The material of a debate, as one seat sees it.
#[derive(Debug, Clone, Copy)]
pub struct SeatMaterial<'m> {
    /// What there is.
    pub manifest: &'m MaterialManifest,
    /// Where the contents are.
    pub store: &'m MaterialStore,
    /// Who sees it.
    pub seat: &'m str,
}

/// A passage, ready to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaterialPassage {
    /// Of its entry.
    pub path: String,
    /// Of its entry.
    pub kind: MaterialKind,
    /// Of its entry's content.
    pub digest: String,
    /// First and last line of the new version; none if a diff only removed lines.
    pub lines: Option<(u32, u32)>,
    /// Each line with its number: `12| text`, of a diff also `12+| added` and `-| removed`.
    pub shown: String,
}

impl MaterialPassage {
    /// `path:first-last`, or the path alone.
    pub fn format_place(&self) -> String {
        match self.lines {
            Some((first, last)) => LinePlace::new(&self.path, first, last).to_string(),
            None => self.path.clone(),
        }
    }
}

/// What a request shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// In the order of the manifest, then by line.
    pub passages: Vec<MaterialPassage>,
    /// Passages of the seat's material that are not among them, since they did not fit.
    pub not_shown: usize,
    /// Estimated tokens of the passages with their tags.
    pub tokens: usize,
}

/// A passage that can be chosen.
struct Candidate<'m> {
    file: usize,
    entry: &'m MaterialFile,
    id: i64,
    ordinal: u32,
    lines: Option<(u32, u32)>,
    tokens: usize,
    words: f64,
    score: f64,
}

/// How close a passage of a file is to the lines that a diff of this file shows, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    /// It has some of them.
    Changed,
    /// So many lines lie between, in the same function.
    Around(u32),
    /// So many lines lie between.
    Apart(u32),
    /// No diff shows lines of its file.
    Unchanged,
}

impl<'m> SeatMaterial<'m> {
    /// The passages for a request of the seat with these words, at most `tokens_max`.
    ///
    /// With `parts`, a passage that would not fit alone is shown in part, around the words of the query.
    /// If everything fits, everything is shown. Otherwise, places that the query names come first, then the diffs
    /// if all of them fit, with the functions that they changed, then passages by their words, then the remaining diffs in
    /// their order; what is closest to the changes fills the room that is left. Of a file, what its diff shows whole is
    /// left out.
    pub fn select_passages(self, query: &str, tokens_max: usize, parts: bool) -> Result<Selection, MaterialStoreError> {
        let mut candidates = self.load_candidates(false)?;
        let order = rank_candidates(&mut candidates, self.store, query, tokens_max)?;
        show_candidates(&candidates, order, self.store, query, tokens_max, parts)
    }

    /// The passages that have words of `query`, the most and the rarest first counted, within `bytes_max`; one that would not
    /// fit alone in part.
    ///
    /// # Errors
    ///
    /// Where the store cannot be read.
    pub(crate) fn find_passages(self, query: &str, bytes_max: usize) -> Result<Selection, MaterialStoreError> {
        let mut candidates = self.load_candidates(true)?;
        self.store.with_database(|db| score_candidates(&mut candidates, db, &query_words(query, WORDS_MAX)))?;
        candidates.retain(|candidate| candidate.score > 0.0);
        let order = rank_by_words(&candidates);
        show_candidates(&candidates, order, self.store, query, bytes_max / TOKEN_BYTES, true)
    }

    fn load_candidates(self, with_tree: bool) -> Result<Vec<Candidate<'m>>, MaterialStoreError> {
        let mut all = Vec::new();
        let missing = self.store.with_database(|db| {
            for (file, entry) in self.manifest.files_of(self.seat).filter(|(_, entry)| with_tree || !entry.is_of_tree) {
                let mut cuts = db.prepare_cached("SELECT id FROM cuts WHERE digest = ?1 AND cutting = ?2")?;
                let cut = [entry.digest.as_str(), cutting_name(entry.kind)];
                let cut: Option<i64> = cuts.query_row(cut, |row| row.get(0)).optional()?;
                let Some(cut) = cut else { return Ok(Some(entry)) };
                let mut rows = db.prepare_cached(
                    "SELECT id, ordinal, first, last, shown_bytes, words FROM passages
                     WHERE cut = ?1 ORDER BY ordinal",
                )?;
                let rows = rows.query_map([cut], |row| {
                    let lines = row.get::<_, Option<u32>>(2)?.zip(row.get::<_, Option<u32>>(3)?);
                    let bytes = row.get::<_, u32>(4)? as usize + entry.path.len() + TAG_BYTES;
                    let (id, ordinal, words) = (row.get(0)?, row.get(1)?, row.get::<_, u32>(5)?);
                    let tokens = bytes.div_ceil(TOKEN_BYTES);
                    Ok(Candidate { file, entry, id, ordinal, lines, tokens, words: words.into(), score: 0.0 })
                })?;
                for row in rows {
                    all.push(row?);
                }
            }
            Ok(None)
        })?;
        match missing {
            None => Ok(all),
            // The error of a content that is not stored, or the fault of one that is stored without an index.
            Some(entry) => {
                self.store.load_content(&entry.digest)?;
                Err(self.store.damaged_content(&entry.digest))
            }
        }
    }
}

/// Those of `candidates` that fit, in this `order`.
fn show_candidates(
    candidates: &[Candidate<'_>],
    order: Vec<usize>,
    store: &MaterialStore,
    query: &str,
    tokens_max: usize,
    parts: bool,
) -> Result<Selection, MaterialStoreError> {
    let oversize = order.iter().filter(|at| candidates[**at].tokens > tokens_max).count();
    let share = (tokens_max / oversize.clamp(1, EXCERPTS_MAX)).max(EXCERPT_TOKENS_MIN);
    let mut tokens = 0;
    // With the tokens of those that are shown in part.
    let mut chosen: Vec<(usize, Option<usize>)> = Vec::new();
    for at in order {
        let (needed, left) = (candidates[at].tokens, tokens_max - tokens);
        if needed <= left {
            tokens += needed;
            chosen.push((at, None));
        } else if parts && needed > tokens_max && left >= EXCERPT_TOKENS_MIN {
            let part = share.min(left);
            tokens += part;
            chosen.push((at, Some(part)));
        }
    }
    // Candidates are in the order of the manifest, and cuts in that of their lines.
    chosen.sort_unstable();
    let mut texts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut shown = Vec::new();
    let words = query_words(query, WORDS_MAX);
    for (at, part) in &chosen {
        let Candidate { file, entry, ordinal, lines, .. } = candidates[*at];
        let cuts = match texts.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let cuts = cut_passages(entry.kind, &store.load_content(&entry.digest)?).into_iter();
                new.insert(cuts.map(|passage| passage.shown).collect())
            }
        };
        let text = cuts.get_mut(ordinal as usize).map(std::mem::take).unwrap_or_default();
        let text = match part {
            Some(tokens) => {
                let bytes = (tokens * TOKEN_BYTES).saturating_sub(entry.path.len() + TAG_BYTES);
                cut_excerpt(&text, &words, bytes)
            }
            None => text,
        };
        shown.push(MaterialPassage {
            path: entry.path.clone(),
            kind: entry.kind,
            digest: entry.digest.clone(),
            lines,
            shown: text,
        });
    }
    Ok(Selection { not_shown: candidates.len() - shown.len(), passages: shown, tokens })
}

/// Indices of candidates, the most wanted first.
fn rank_candidates(
    candidates: &mut Vec<Candidate<'_>>,
    store: &MaterialStore,
    query: &str,
    tokens_max: usize,
) -> Result<Vec<usize>, MaterialStoreError> {
    let all: usize = candidates.iter().map(|candidate| candidate.tokens).sum();
    if all <= tokens_max {
        return Ok((0..candidates.len()).collect());
    }
    store.with_database(|db| score_candidates(candidates, db, &query_words(query, WORDS_MAX)))?;
    // A new file has the lines of its diff: they would take the place of others.
    let mut is_repeated = find_repeated(candidates, tokens_max).into_iter();
    candidates.retain(|_| !is_repeated.next().unwrap_or(false));
    let candidates = &**candidates;
    let closeness = measure_closeness(candidates, store)?;
    let is_diff = |at: &usize| candidates[*at].entry.kind == MaterialKind::Diff;
    let named = find_places(query).into_iter().filter_map(|place| parse_place(place.text).ok());
    let named: Vec<LinePlace> = named.collect();
    let is_named = |at: &usize| {
        let Candidate { entry, lines, .. } = &candidates[*at];
        lines.is_some_and(|(first, last)| {
            let place = LinePlace::new(entry.path.as_str(), first, last);
            named.iter().any(|named| named.overlaps(&place))
        })
    };
    let diff_tokens: usize =
        candidates.iter().filter(|one| one.entry.kind == MaterialKind::Diff).map(|one| one.tokens).sum();
    let diffs_fit = diff_tokens <= tokens_max;
    let indices = || 0..candidates.len();
    let mut by_closeness: Vec<usize> = indices().collect();
    by_closeness.sort_by_key(|at| closeness[*at]);
    let is_near = |at: &usize| matches!(closeness[*at], Closeness::Changed | Closeness::Around(_));
    let near = || by_closeness.iter().copied().filter(is_near);
    let by_words = rank_by_words(candidates);
    let mut order: Vec<usize> = indices().filter(is_named).collect();
    if diffs_fit {
        order.extend(indices().filter(is_diff).chain(near()));
    }
    order.extend(by_words);
    order.extend(indices().filter(is_diff).chain(near()));
    // What nothing speaks for is shown whole or not at all, where there is something better.
    let is_alone = order.is_empty();
    order.extend(by_closeness.iter().copied().filter(|at| is_alone || candidates[*at].tokens <= tokens_max));
    let mut is_listed = vec![false; candidates.len()];
    order.retain(|at| !std::mem::replace(&mut is_listed[*at], true));
    Ok(order)
}

/// Indices of the candidates that have words of the query, by their scores.
fn rank_by_words(candidates: &[Candidate<'_>]) -> Vec<usize> {
    let mut by_words: Vec<usize> = (0..candidates.len()).filter(|at| candidates[*at].score > 0.0).collect();
    by_words.sort_by_key(|at| {
        let Candidate { score, entry, lines, .. } = &candidates[*at];
        (-(score * SCORE_PARTS).round() as i64, entry.path.as_str(), *lines, *at)
    });
    by_words
}

/// The lines that passages of diffs with at most so many tokens show, by path.
fn collect_diff_lines<'m>(candidates: &[Candidate<'m>], tokens_max: usize) -> HashMap<&'m str, Vec<(u32, u32)>> {
    let mut lines: HashMap<&str, Vec<(u32, u32)>> = HashMap::new();
    let diffs = candidates.iter().filter(|one| one.entry.kind == MaterialKind::Diff);
    for candidate in diffs.filter(|one| one.tokens <= tokens_max) {
        lines.entry(candidate.entry.path.as_str()).or_default().extend(candidate.lines);
    }
    lines
}

/// How close each candidate is to what diffs of its file show.
fn measure_closeness(
    candidates: &[Candidate<'_>],
    store: &MaterialStore,
) -> Result<Vec<Closeness>, MaterialStoreError> {
    let changed = collect_diff_lines(candidates, usize::MAX);
    let mut blocks: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
    let mut all = Vec::with_capacity(candidates.len());
    for Candidate { file, entry, lines, .. } in candidates {
        let hunks = changed.get(entry.path.as_str()).filter(|_| entry.kind == MaterialKind::File);
        let (Some(hunks), Some(lines)) = (hunks, *lines) else {
            all.push(Closeness::Unchanged);
            continue;
        };
        let blocks = match blocks.entry(*file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(find_blocks(&store.load_content(&entry.digest)?, hunks)),
        };
        let nearest = hunks.iter().map(|hunk| count_lines_between(*hunk, lines)).min().unwrap_or(u32::MAX);
        all.push(match nearest {
            0 => Closeness::Changed,
            _ if blocks.iter().any(|block| count_lines_between(*block, lines) == 0) => Closeness::Around(nearest),
            _ => Closeness::Apart(nearest),
        });
    }
    Ok(all)
}

/// How far two spans of lines are apart; 0 where they have a line in common.
fn count_lines_between((first, last): (u32, u32), (start, end): (u32, u32)) -> u32 {
    start.saturating_sub(last).max(first.saturating_sub(end))
}

/// Of each candidate, whether it is a part of a file of which diffs that can be shown have every line.
fn find_repeated(candidates: &[Candidate<'_>], tokens_max: usize) -> Vec<bool> {
    let shown = collect_diff_lines(candidates, tokens_max);
    let is_repeated = |candidate: &Candidate<'_>| {
        let (Some((first, last)), false) = (candidate.lines, candidate.entry.kind == MaterialKind::Diff) else {
            return false;
        };
        // Passages of a diff are in the order of their lines.
        let spans = shown.get(candidate.entry.path.as_str()).into_iter().flatten();
        let next = spans.fold(first, |next, (start, end)| if *start <= next { next.max(end + 1) } else { next });
        next > last
    };
    candidates.iter().map(is_repeated).collect()
}

/// Gives every candidate its BM25 score, with the frequencies among the candidates.
fn score_candidates(candidates: &mut [Candidate<'_>], db: &Connection, words: &[String]) -> rusqlite::Result<()> {
    // Two entries can have one content.
    let mut by_id: HashMap<i64, Vec<usize>> = HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        by_id.entry(candidate.id).or_default().push(at);
    }
    let count = candidates.len() as f64;
    let mean_words = (candidates.iter().map(|one| one.words).sum::<f64>() / count).max(1.0);
    let mut occurrences = db.prepare_cached("SELECT doc FROM occurrences WHERE term = ?1")?;
    let mut times = vec![0.0_f64; candidates.len()];
    for word in words {
        let mut found: Vec<usize> = Vec::new();
        let mut rows = occurrences.query([word])?;
        // A frequent word has many rows, those of one passage one after another.
        let mut last: (Option<i64>, &[usize]) = (None, &[]);
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            if last.0 != Some(id) {
                last = (Some(id), by_id.get(&id).map_or(&[], Vec::as_slice));
            }
            for at in last.1 {
                if times[*at] == 0.0 {
                    found.push(*at);
                }
                times[*at] += 1.0;
            }
        }
        let frequency = found.len() as f64;
        let rarity = (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln();
        for at in found {
            let (one, times) = (&mut candidates[at], std::mem::take(&mut times[at]));
            let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * one.words / mean_words;
            let weight = if one.entry.kind == MaterialKind::Diff { DIFF_WEIGHT } else { 1.0 };
            one.score += weight * rarity * times * (SATURATION + 1.0) / (times + SATURATION * length);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
