//! Whether a quote stands in the material, and where.
//!
//! Lines are compared exactly, apart from spaces at their ends, runs of spaces, and CRLF, in the form in which prompts
//! show them: those who quote have read a prompt. A quote may begin and end within a line. Where the manifest has a file and its diff, the file tells which lines there are,
//! and the diff which were removed.

mod lines;

use std::collections::BTreeSet;

use agon_text::{LinePlace, PlaceError, parse_place, plain_path};
use serde::{Deserialize, Serialize};

use self::lines::{PathLines, load_lines, normalize_line};
pub use crate::prompt_display::ShownChar;
use crate::{
    manifest::MaterialManifest,
    passages::{MaterialKind, without_numbers},
    store::{MaterialStore, MaterialStoreError},
};

/// A quote with fewer characters that are not spaces stands almost everywhere.
pub const QUOTE_CHARS_MIN: usize = 4;
/// Places of a quote that a note names.
const PLACES_NAMED_MAX: usize = 3;

/// What a check found, as records write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteCode {
    /// The quote stands at the place.
    QuoteThere,
    /// The quote stands once in the file, at another place.
    QuoteMoved,
    /// The quote stands at several places, and the named one is not among them.
    QuoteAmbiguous,
    /// The quote stands only in lines that the diff removed.
    QuoteRemoved,
    /// The quote does not stand in the file, or is too short to tell.
    QuoteAbsent,
    /// The material has no file with this path.
    NoSuchFile,
    /// The file has no such line.
    NoSuchLine,
    /// The place exists, and no quote was given.
    PlaceThere,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteCheck {
    /// What was found.
    pub code: QuoteCode,
    /// Where the quote stands: the named place or the corrected one; of several the one nearest to it. Without a quote,
    /// the named one.
    pub place: Option<String>,
    /// What was found, as a sentence.
    pub note: String,
}

impl QuoteCheck {
    /// What was found where the quote stands nowhere.
    fn nowhere(code: QuoteCode, note: String) -> Self {
        Self { code, place: None, note }
    }
}

/// The material with which quotes are compared, as prompts show it.
#[derive(Debug, Clone, Copy)]
pub struct QuotedMaterial<'m> {
    /// What there is.
    pub manifest: &'m MaterialManifest,
    /// Where the contents are.
    pub store: &'m MaterialStore,
    /// How prompts show the characters of contents and quotes.
    pub shown: ShownChar,
}

impl QuotedMaterial<'_> {
    /// Whether `quote` stands at `place`, which is `path:line`, `path:first-last`, or a path alone.
    pub fn check_quote(self, place: &str, quote: Option<&str>) -> Result<QuoteCheck, MaterialStoreError> {
        let parsed = parse_place(place);
        let (path, is_whole) = match self.path_of(place, &parsed) {
            Ok(found) => found,
            Err(path) => return Ok(no_such_file(self.manifest, &path)),
        };
        let named = parsed.as_ref().ok().filter(|_| !is_whole);
        let named = named.map(|named| LinePlace::new(path.as_str(), named.first, named.last));
        let named = named.as_ref();
        let fault = parsed.as_ref().err().copied();
        let lines = load_lines(self, &path)?;
        let place_is_there = named.is_some_and(|place| lines.has_line(place.first) && lines.has_line(place.last));
        let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
        let Some(quote) = quote else { return Ok(without_quote(&lines, &path, named, fault, place_is_there)) };
        if quote.chars().filter(|c| !c.is_whitespace()).count() < QUOTE_CHARS_MIN {
            let note = format!("A quote needs at least {QUOTE_CHARS_MIN} characters that are not spaces.");
            return Ok(QuoteCheck::nowhere(QuoteCode::QuoteAbsent, note));
        }
        let readings = list_readings(quote, self.shown);
        let is_removed = readings.iter().any(|quote| lines.is_removed(quote));
        let places = places_of(&lines, &path, &readings, is_removed);
        Ok(match places.is_empty() {
            false => check_places(&places, place, named),
            true if readings.iter().any(|quote| lines.is_remarked(quote)) => only_remarked(path),
            true if is_removed => only_removed(&path),
            true if named.is_some() && !place_is_there => {
                let span = format_span(named);
                let note = format!("{path} has no line {span} in the material, and the quote does not stand in it.");
                QuoteCheck::nowhere(QuoteCode::NoSuchLine, note)
            }
            true => QuoteCheck::nowhere(QuoteCode::QuoteAbsent, format!("The quote does not stand in {path}.")),
        })
    }

    /// Whether each of `quotes` stands anywhere in the material, for those who do not say where. The files that the
    /// places `near` name are searched first.
    pub fn find_quotes(self, near: &[String], quotes: &[String]) -> Result<Vec<QuoteCheck>, MaterialStoreError> {
        let readings: Vec<Vec<String>> = quotes.iter().map(|quote| list_readings(quote.trim(), self.shown)).collect();
        let mut found: Vec<Option<QuoteCheck>> = vec![None; quotes.len()];
        let mut removed_from: Vec<Option<String>> = vec![None; quotes.len()];
        let near = near.iter().filter_map(|place| self.path_of(place, &parse_place(place)).ok());
        let near = near.map(|(path, _)| path);
        let mut searched = BTreeSet::new();
        for path in near.chain(self.manifest.files.iter().map(|file| file.path.clone())) {
            if found.iter().all(Option::is_some) {
                break;
            }
            if !searched.insert(path.clone()) {
                continue;
            }
            let lines = load_lines(self, &path)?;
            let missing: Vec<_> = readings.iter().enumerate().filter(|(at, _)| found[*at].is_none()).collect();
            for (at, readings) in missing {
                let is_removed = readings.iter().any(|quote| lines.is_removed(quote));
                if let Some(place) = places_of(&lines, &path, readings, is_removed).into_iter().next() {
                    let (place, code) = (place.to_string(), QuoteCode::QuoteThere);
                    let note = format!("The quote stands at {place}.");
                    found[at] = Some(QuoteCheck { code, place: Some(place), note });
                } else if readings.iter().any(|quote| lines.is_remarked(quote)) {
                    found[at] = Some(only_remarked(path.clone()));
                } else if removed_from[at].is_none() && is_removed {
                    removed_from[at] = Some(path.clone());
                }
            }
        }
        let checks = found.into_iter().zip(removed_from).map(|(found, removed_from)| {
            found.unwrap_or_else(|| match removed_from {
                Some(path) => only_removed(&path),
                None => QuoteCheck::nowhere(QuoteCode::QuoteAbsent, "The quote does not stand in the material.".into()),
            })
        });
        Ok(checks.collect())
    }

    /// The path of the material that a place names, and whether it is the whole text: a path can end like lines do. Or else
    /// what was named, which the material does not have.
    fn path_of(self, place: &str, parsed: &Result<LinePlace, PlaceError>) -> Result<(String, bool), String> {
        let whole = plain_path(place);
        let before = |text: &'_ str| text.rsplit_once(':').map(|(path, _)| plain_path(path).to_owned());
        let part = match parsed {
            Ok(place) => Some(place.path.clone()),
            Err(PlaceError::Order) => before(whole),
            Err(_) => None,
        };
        let is_there = |path: &&str| self.manifest.entries_at(path).next().is_some();
        if let Some(path) = Some(whole).filter(is_there) {
            return Ok((path.to_owned(), true));
        }
        if let Some(path) = part.as_deref().filter(|path| is_there(path)) {
            return Ok((path.to_owned(), false));
        }
        let similar = |text: &str| self.manifest.shown_as(text, self.shown).map(str::to_owned);
        let similar = |text: &str| similar(text).or_else(|| self.renamed_from(text));
        match (similar(whole), part) {
            (Some(path), _) => Ok((path, true)),
            (None, Some(part)) => similar(&part).map(|path| (path, false)).ok_or(part),
            (None, None) => Err(whole.to_owned()),
        }
    }

    /// The path that a file has now which a diff says was renamed from `path`.
    fn renamed_from(self, path: &str) -> Option<String> {
        let says = |content: String| content.lines().any(|line| line.strip_prefix("rename from ") == Some(path));
        let mut diffs = self.manifest.files.iter().filter(|entry| entry.kind == MaterialKind::Diff);
        let found = diffs.find(|entry| self.store.load_content(&entry.digest).is_ok_and(says))?;
        Some(found.path.clone())
    }
}

/// A quote that stands at `places`, of which none may be the one that was `named` as `place`.
fn check_places(places: &[LinePlace], place: &str, named: Option<&LinePlace>) -> QuoteCheck {
    let there = places.iter().find(|place| named.is_some_and(|named| named.overlaps(place)));
    // A line that the file has, whatever was named.
    let near = |at: &&LinePlace| named.map_or(0, |named| at.first.abs_diff(named.first));
    let (code, at, note) = match (there, places) {
        (Some(there), _) => (QuoteCode::QuoteThere, Some(there), format!("The quote stands at {there}.")),
        (None, [only]) => {
            let note = format!("The quote does not stand at {place}, but once elsewhere: at {only}.");
            (QuoteCode::QuoteMoved, Some(only), note)
        }
        (None, _) => (QuoteCode::QuoteAmbiguous, places.iter().min_by_key(near), describe_places(place, places)),
    };
    QuoteCheck { code, place: at.map(ToString::to_string), note }
}

fn only_remarked(path: String) -> QuoteCheck {
    let note = format!("The quote stands in what the diff says of {path} besides its lines.");
    QuoteCheck { code: QuoteCode::QuoteThere, place: Some(path), note }
}

fn only_removed(path: &str) -> QuoteCheck {
    let note = format!("The quote stands only in lines of {path} that the diff removed.");
    QuoteCheck::nowhere(QuoteCode::QuoteRemoved, note)
}

/// Where a quote stands, by the first of its `readings` that does: in the new version, or in a change as a whole.
fn places_of(lines: &PathLines, path: &str, readings: &[String], is_removed: bool) -> Vec<LinePlace> {
    let new = readings.iter().map(|quote| lines.find_places(path, quote));
    let changes = readings.iter().filter(|_| !is_removed).map(|quote| lines.find_changed_places(path, quote));
    new.chain(changes).find(|places| !places.is_empty()).unwrap_or_default()
}

fn without_quote(
    lines: &PathLines,
    path: &str,
    named: Option<&LinePlace>,
    fault: Option<PlaceError>,
    is_there: bool,
) -> QuoteCheck {
    match (named, fault) {
        (Some(named), _) if is_there => QuoteCheck {
            code: QuoteCode::PlaceThere,
            place: Some(named.to_string()),
            note: format!("{named} exists. Nothing was quoted."),
        },
        (None, Some(fault)) => QuoteCheck::nowhere(QuoteCode::NoSuchLine, format!("{fault}.")),
        _ => {
            let last = lines.last_line().map_or("has no lines".to_owned(), |last| format!("ends at line {last}"));
            let note = format!("{path} has no line {} in the material; what is there {last}.", format_span(named));
            QuoteCheck::nowhere(QuoteCode::NoSuchLine, note)
        }
    }
}

fn no_such_file(manifest: &MaterialManifest, path: &str) -> QuoteCheck {
    let mut note = format!("The material has no file {path}.");
    let left_out = manifest.left_out.iter().find(|item| item.path == path);
    let tail = format!("/{path}");
    let similar = manifest.files.iter().find(|file| file.path.ends_with(&tail));
    match (left_out, similar) {
        (Some(item), _) => note.push_str(&format!(" It was left out: {}.", item.reason)),
        (None, Some(file)) => note.push_str(&format!(" It has {}.", file.path)),
        (None, None) => {}
    }
    QuoteCheck::nowhere(QuoteCode::NoSuchFile, note)
}

fn format_span(place: Option<&LinePlace>) -> String {
    place.map_or(String::new(), |place| match place.first == place.last {
        true => place.first.to_string(),
        false => format!("{}-{}", place.first, place.last),
    })
}

fn describe_places(place: &str, places: &[LinePlace]) -> String {
    let named: Vec<String> = places.iter().take(PLACES_NAMED_MAX).map(ToString::to_string).collect();
    let more = if places.len() > PLACES_NAMED_MAX { ", …" } else { "" };
    let count = places.len();
    format!("The quote does not stand at {place}, but at {count} other places: {}{more}.", named.join(", "))
}

/// The quote as it is; without the numbers that prompts show; without the marks of a diff.
fn list_readings(quote: &str, shown: ShownChar) -> Vec<String> {
    let plain = |quote: &str| {
        let lines: Vec<String> = quote.lines().map(|line| normalize_line(line, shown)).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    };
    let mut readings = vec![plain(quote)];
    readings.extend(without_numbers(quote).as_deref().map(plain));
    // The blank that marks a first line of context was trimmed with the others around the quote.
    let is_marked = |line: &str| line.starts_with(['+', '-']);
    let mut lines = quote.lines().skip(1).filter(|line| !line.trim().is_empty());
    if lines.all(|line| is_marked(line) || line.starts_with(' ')) && quote.lines().any(is_marked) {
        let unmarked = |(at, line): (usize, &'_ str)| match at {
            0 if !is_marked(line) => line.to_owned(),
            _ => line.get(1..).unwrap_or_default().to_owned(),
        };
        let unmarked: Vec<String> = quote.lines().enumerate().map(unmarked).collect();
        readings.push(plain(&unmarked.join("\n")));
    }
    // Without its marks, a quote can be too short.
    readings.retain(|quote| quote.chars().filter(|c| !c.is_whitespace()).count() >= QUOTE_CHARS_MIN);
    readings
}

#[cfg(test)]
mod tests;
