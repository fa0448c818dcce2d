//! Whether a quote stands in the material, and where.
//!
//! Lines are compared exactly, apart from spaces at their ends, runs of spaces, and CRLF. A quote may begin and end
//! within a line. Where the manifest has a file and its diff, the file tells which lines there are, and the diff which
//! were removed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    diff::{LineMark, read_diff},
    manifest::MaterialManifest,
    passages::{MaterialKind, without_numbers},
    place::{LinePlace, PlaceError, plain_path},
    store::{MaterialStore, MaterialStoreError},
};

/// A quote with fewer characters that are not spaces stands almost everywhere.
pub const QUOTE_CHARS_MIN: usize = 4;
/// Places of a quote that a note names.
const PLACES_NAMED_MAX: usize = 3;

/// What a check found.
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

impl QuoteCode {
    /// As records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::QuoteThere => "quote-there",
            Self::QuoteMoved => "quote-moved",
            Self::QuoteAmbiguous => "quote-ambiguous",
            Self::QuoteRemoved => "quote-removed",
            Self::QuoteAbsent => "quote-absent",
            Self::NoSuchFile => "no-such-file",
            Self::NoSuchLine => "no-such-line",
            Self::PlaceThere => "place-there",
        }
    }
}

impl fmt::Display for QuoteCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteCheck {
    /// What was found.
    pub code: QuoteCode,
    /// Where the quote stands, if that is one place: the named or the corrected one. Without a quote, the named one.
    pub place: Option<String>,
    /// What was found, as a sentence.
    pub note: String,
}

/// Consecutive lines, normalised, with their numbers.
#[derive(Default)]
struct Stretch {
    /// Number of each line; none if it was removed.
    numbers: Vec<Option<u32>>,
    /// The lines, joined by line feeds.
    text: String,
}

impl Stretch {
    fn push(&mut self, number: Option<u32>, line: &str) {
        if !self.numbers.is_empty() {
            self.text.push('\n');
        }
        self.numbers.push(number);
        self.text.push_str(&normal(line));
    }

    /// The lines of each occurrence of `quote`. Occurrences of several lines may overlap.
    fn find(&self, quote: &str) -> Vec<&[Option<u32>]> {
        let height = quote.matches('\n').count();
        let (mut found, mut line, mut counted, mut start) = (Vec::new(), 0, 0, 0);
        while let Some(offset) = self.text.get(start..).and_then(|rest| rest.find(quote)) {
            let at = start + offset;
            line += self.text[counted..at].matches('\n').count();
            counted = at;
            found.push(&self.numbers[line..=line + height]);
            let step = quote.find('\n').map_or(quote.len(), |first_line| first_line + 1);
            start = at + step;
        }
        found
    }
}

/// What the material says of one path.
#[derive(Default)]
struct Lines {
    new: Vec<Stretch>,
    old: Vec<Stretch>,
}

impl Lines {
    fn has(&self, number: u32) -> bool {
        self.new.iter().any(|stretch| stretch.numbers.contains(&Some(number)))
    }

    /// Places of a quote in the new version, in their order.
    fn places(&self, path: &str, quote: &str) -> Vec<LinePlace> {
        let found = self.new.iter().flat_map(|stretch| stretch.find(quote));
        let places = found.filter_map(|numbers| {
            let (first, last) = (numbers.first()?.as_ref()?, numbers.last()?.as_ref()?);
            Some(LinePlace::new(path, *first, *last))
        });
        let mut places: Vec<LinePlace> = places.collect();
        // Twice in one line is one place.
        places.dedup();
        places
    }

    fn is_removed(&self, quote: &str) -> bool {
        self.old.iter().flat_map(|stretch| stretch.find(quote)).any(|numbers| numbers.contains(&None))
    }
}

/// Whether `quote` stands at `place`, which is `path:line`, `path:first-last`, or a path alone.
pub fn check(
    manifest: &MaterialManifest,
    store: &MaterialStore,
    place: &str,
    quote: Option<&str>,
) -> Result<QuoteCheck, MaterialStoreError> {
    // A path can end like lines do, so the whole text may be a path.
    let whole = plain_path(place);
    let parsed = place.parse::<LinePlace>();
    let path = match &parsed {
        Ok(place) if manifest.at(whole).next().is_none() => place.path.clone(),
        Err(PlaceError::Order) => {
            whole.rsplit_once(':').map_or(whole, |(path, _)| plain_path(path)).to_owned()
        }
        _ => whole.to_owned(),
    };
    if manifest.at(&path).next().is_none() {
        return Ok(no_such_file(manifest, &path));
    }
    let named = parsed.as_ref().ok().filter(|place| place.path == path);
    let fault = parsed.as_ref().err().copied();
    let lines = lines(manifest, store, &path)?;
    let place_is_there = named.is_some_and(|place| lines.has(place.first) && lines.has(place.last));
    let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
    let Some(quote) = quote else { return Ok(without_quote(&lines, &path, named, fault, place_is_there)) };
    if quote.chars().filter(|c| !c.is_whitespace()).count() < QUOTE_CHARS_MIN {
        let note = format!("A quote needs at least {QUOTE_CHARS_MIN} characters that are not spaces.");
        return Ok(QuoteCheck { code: QuoteCode::QuoteAbsent, place: None, note });
    }
    let readings = readings(quote);
    let places = readings.iter().map(|quote| lines.places(&path, quote)).find(|places| !places.is_empty());
    let places = places.unwrap_or_default();
    let there = places.iter().find(|place| named.is_some_and(|named| named.overlaps(place)));
    let found = |code, place: Option<&LinePlace>, note| QuoteCheck {
        code,
        place: place.map(ToString::to_string),
        note,
    };
    Ok(match (there, places.as_slice()) {
        (Some(there), _) => {
            found(QuoteCode::QuoteThere, Some(there), format!("The quote stands at {there}."))
        }
        (None, [only]) => {
            let note = format!("The quote does not stand at {place}, but once elsewhere: at {only}.");
            found(QuoteCode::QuoteMoved, Some(only), note)
        }
        (None, [_, _, ..]) => found(QuoteCode::QuoteAmbiguous, None, several(place, &places)),
        (None, []) if readings.iter().any(|quote| lines.is_removed(quote)) => {
            let note = format!("The quote stands only in lines of {path} that the diff removed.");
            found(QuoteCode::QuoteRemoved, None, note)
        }
        (None, []) if named.is_some() && !place_is_there => QuoteCheck {
            note: format!(
                "{path} has no line {} in the material, and the quote does not stand in it.",
                span(named)
            ),
            ..no_such_line()
        },
        (None, []) => found(QuoteCode::QuoteAbsent, None, format!("The quote does not stand in {path}.")),
    })
}

fn without_quote(
    lines: &Lines,
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
        (None, Some(fault)) => QuoteCheck { note: format!("{fault}."), ..no_such_line() },
        _ => {
            let all = lines.new.iter().flat_map(|stretch| &stretch.numbers).flatten();
            let last = all.max().map_or("has no lines".to_owned(), |last| format!("ends at line {last}"));
            let note = format!("{path} has no line {} in the material; what is there {last}.", span(named));
            QuoteCheck { note, ..no_such_line() }
        }
    }
}

fn no_such_line() -> QuoteCheck {
    QuoteCheck { code: QuoteCode::NoSuchLine, place: None, note: String::new() }
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
    QuoteCheck { code: QuoteCode::NoSuchFile, place: None, note }
}

fn span(place: Option<&LinePlace>) -> String {
    place.map_or(String::new(), |place| match place.first == place.last {
        true => place.first.to_string(),
        false => format!("{}-{}", place.first, place.last),
    })
}

fn several(place: &str, places: &[LinePlace]) -> String {
    let named: Vec<String> = places.iter().take(PLACES_NAMED_MAX).map(ToString::to_string).collect();
    let more = if places.len() > PLACES_NAMED_MAX { ", …" } else { "" };
    let count = places.len();
    format!("The quote does not stand at {place}, but at {count} other places: {}{more}.", named.join(", "))
}

/// The quote as it is; without the numbers that prompts show; without the marks of a diff.
fn readings(quote: &str) -> Vec<String> {
    let plain = |quote: &str| {
        let lines: Vec<String> = quote.lines().map(normal).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    };
    let mut readings = vec![plain(quote)];
    readings.extend(without_numbers(quote).as_deref().map(plain));
    let mut lines = quote.lines().filter(|line| !line.trim().is_empty());
    if lines.all(|line| line.starts_with(['+', '-', ' '])) && quote.starts_with(['+', '-']) {
        let unmarked: Vec<&str> = quote.lines().map(|line| line.get(1..).unwrap_or_default()).collect();
        readings.push(plain(&unmarked.join("\n")));
    }
    // Without its marks, a quote can be too short.
    readings.retain(|quote| quote.chars().filter(|c| !c.is_whitespace()).count() >= QUOTE_CHARS_MIN);
    readings
}

/// A line without spaces at its ends, and with single spaces.
fn normal(line: &str) -> String {
    let line = line.trim_start_matches('\u{feff}');
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lines(
    manifest: &MaterialManifest,
    store: &MaterialStore,
    path: &str,
) -> Result<Lines, MaterialStoreError> {
    let mut lines = Lines::default();
    let has_file = manifest.at(path).any(|entry| entry.kind != MaterialKind::Diff);
    for entry in manifest.at(path) {
        let content = store.content(&entry.digest)?;
        if entry.kind != MaterialKind::Diff {
            let mut stretch = Stretch::default();
            for (number, line) in (1..).zip(content.lines()) {
                stretch.push(Some(number), line);
            }
            lines.new.push(stretch);
            continue;
        }
        for hunk in read_diff(&content).unwrap_or_default().iter().flat_map(|file| &file.hunks) {
            let (mut new, mut old) = (Stretch::default(), Stretch::default());
            for line in &hunk.lines {
                if line.mark != LineMark::Removed && !has_file {
                    new.push(line.new, &line.text);
                }
                if line.mark != LineMark::Added {
                    old.push(line.new, &line.text);
                }
            }
            lines.new.push(new);
            lines.old.push(old);
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
