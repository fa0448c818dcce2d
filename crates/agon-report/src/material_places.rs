//! Places of the material that statements name, like `src/a.rs:12`: whether the list of the material, which the
//! record is pinned to, has this file and this line.
//!
//! Only the list is compared, not the words there. A protocol about material has a verifier for that, and is left
//! out here.

use std::collections::BTreeSet;

use agon_core::{LookupRequest, Record};
use agon_text::{LinePlace, agree_with, count_noun, find_places, name_first, parse_place};
use serde::Deserialize;

use crate::graph::Graph;

/// Name of the document that lists the material.
pub const MATERIAL: &str = "material";
/// Kind of an entry that is the differences of one file.
const DIFF: &str = "diff";
/// Changes that were left out and are named, and characters of the path of one.
const UNREVIEWED_NAMED_MAX: usize = 4;
const PATH_CHARS_MAX: usize = 40;
/// Files that a title names.
const TITLE_FILES_MAX: usize = 2;
/// Why a file was not reviewed that is in the material.
const UNSHOWN: &str = "no prompt had room for it";
/// Places of one debate that are compared.
const PLACES_MAX: usize = 1_000;

/// The list of the material, as a record pins it.
#[derive(Debug, Deserialize)]
pub struct PinnedMaterial {
    /// Its entries.
    pub files: Vec<PinnedFile>,
    /// What was found and left out.
    #[serde(default)]
    pub left_out: Vec<LeftOutFile>,
}

/// A file, one file's differences, or a page.
#[derive(Debug, Deserialize)]
pub struct PinnedFile {
    /// Its path.
    pub path: String,
    /// What it is.
    pub kind: String,
    /// SHA-256 of its content.
    pub digest: String,
    /// Number of its lines.
    pub lines: u64,
    /// Seats that it is shown to; empty for all.
    #[serde(default)]
    pub seats: Vec<String>,
}

/// A file that was left out of the material.
#[derive(Debug, Deserialize)]
pub struct LeftOutFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Whether it is a change of a diff.
    #[serde(default, rename = "changed")]
    pub is_changed: bool,
}

/// Whether `motion` is the one that debates by `protocol` have where nobody gives another.
pub fn is_usual_motion(protocol: &str, motion: &str) -> bool {
    let usual = agon_protocols::find_protocol(protocol).and_then(|found| found.manifest().motion_default.as_deref());
    usual == Some(motion)
}

/// The end of a path, which names the file.
fn shorten_path(path: &str) -> String {
    let skipped = path.chars().count().saturating_sub(PATH_CHARS_MAX);
    let dots = if skipped > 0 { "…" } else { "" };
    format!("{dots}{}", path.chars().skip(skipped).collect::<String>())
}

/// A place that a statement names, and whether it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlace {
    /// The statement, as the graph calls it.
    pub of: String,
    /// The entry that holds it.
    pub seq: u64,
    /// As it is named.
    pub place: String,
    /// Whether the material has it.
    pub is_there: bool,
    /// What was found, in a sentence.
    pub note: String,
}

impl PinnedMaterial {
    /// That of a record; none where it has none, or its protocol compares places itself.
    pub fn from_record(record: &Record) -> Option<Self> {
        serde_json::from_str(record.document(MATERIAL)?).ok()
    }

    /// `title` with the first files that all seats see, and the number of the others: for a title that fits all material.
    pub fn complete_title(&self, title: &str) -> String {
        let mut seen = BTreeSet::new();
        let shared = self.files.iter().filter(|file| file.seats.is_empty()).map(|file| file.path.as_str());
        // A changed file is there twice: as its differences, and as it is now.
        let paths: Vec<&str> = shared.filter(|path| seen.insert(*path)).collect();
        if paths.is_empty() {
            return title.to_owned();
        }
        let paths: Vec<String> = paths.into_iter().map(shorten_path).collect();
        format!("{}: {}", title.trim_end_matches('.'), name_first(&paths, TITLE_FILES_MAX))
    }

    /// Whether a place is in it, and what was found; none for a text that names no place of it.
    pub fn look_up(&self, place: &str) -> Option<(bool, String)> {
        let cited = parse_place(place).ok()?;
        if !self.is_meant(&cited.path) {
            return None;
        }
        let LinePlace { path, first, last } = &cited;
        let span = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        let entries: Vec<&PinnedFile> = self.files.iter().filter(|file| file.path == *path).collect();
        let whole = entries.iter().filter(|file| file.kind != DIFF).map(|file| file.lines).max();
        Some(match (whole, entries.is_empty()) {
            (Some(lines), _) if u64::from(*last) <= lines => (true, format!("{path} has {span}.")),
            (Some(lines), _) => (false, format!("{path} ends at line {lines}.")),
            (None, false) => (true, format!("The material has the differences of {path}; its lines are not compared.")),
            (None, true) => match self.left_out.iter().find(|left| left.path == *path) {
                Some(left) => (false, format!("{path} was left out: {}.", left.reason)),
                None => (false, format!("The material has no file {path}.")),
            },
        })
    }

    /// Which files of a review nobody read, in a sentence; none where all were shown: changes that were left out, and
    /// after its end what no prompt showed. A file for each reason comes first, so that many of one kind hide none of
    /// another.
    pub fn describe_unread_files(&self, record: &Record) -> Option<String> {
        let (mut paths, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        let left_out = self.left_out.iter().filter(|left| left.is_changed);
        let left_out = left_out.map(|left| (left.path.as_str(), left.reason.as_str(), true));
        let unshown = self.list_unshown_files(record).map(|file| (file.path.as_str(), UNSHOWN, file.kind == DIFF));
        let all: Vec<_> = left_out.chain(unshown).filter(|(path, ..)| paths.insert(*path)).collect();
        let is_change = all.iter().all(|(.., is_change)| *is_change);
        let (mut first, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, reason, _)| kinds.insert(reason.split(':').next().unwrap_or_default()));
        first.extend(others);
        let all = first.iter().map(|(path, reason, _)| format!("{} ({reason})", shorten_path(path)));
        let named = name_first(&Vec::from_iter(all), UNREVIEWED_NAMED_MAX);
        let were = agree_with(&first.len(), "was", "were");
        let (one, many) = if is_change { ("changed file", "changed files") } else { ("file", "files") };
        let files = count_noun(first.len(), one, many);
        (!first.is_empty()).then(|| format!("{files} {were} not reviewed: {named}."))
    }

    /// The files of a review that has ended of which no prompt showed a passage; none where the record does not say
    /// what prompts showed.
    fn list_unshown_files<'m>(&'m self, record: &'m Record) -> impl Iterator<Item = &'m PinnedFile> {
        let is_told = record.closing_outcome().is_some() && crate::views_of(record).counts_passages(record);
        let shown = record.answers().filter(|_| is_told).flat_map(|(_, answered)| &answered.shown);
        // A passage of lines is named by the path, a colon and the lines.
        let path = |place: &'m str| match place.rsplit_once(':') {
            Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => [place, path],
            _ => [place, place],
        };
        let read =
            record.answers().flat_map(|(_, answered)| &answered.lookups).filter_map(|lookup| match &lookup.asked {
                LookupRequest::Read { path, .. } if !lookup.failed => Some(path.trim_start_matches("./")),
                _ => None,
            });
        let shown: BTreeSet<&str> = shown.flat_map(|passage| path(&passage.place)).chain(read).collect();
        self.files.iter().filter(move |file| is_told && !shown.contains(file.path.as_str()))
    }

    /// Whether a path can be one of the material: `example.org:443` names no file.
    fn is_meant(&self, path: &str) -> bool {
        let extension = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.rsplit_once('.').map(|(_, extension)| extension.to_owned())
        };
        let known = self.files.iter().map(|file| &file.path).chain(self.left_out.iter().map(|left| &left.path));
        let is_known =
            |other: &String| other == path || extension(other).is_some_and(|own| Some(own) == extension(path));
        let is_path = path.contains('/') && extension(path).is_some();
        !path.contains("//") && (is_path || known.into_iter().any(is_known))
    }
}

/// Every place of the material that a statement of `record` names, once for each statement; none for a protocol
/// that compares places itself. `graph` is that of the record.
pub fn collect_named_places(record: &Record, graph: &Graph) -> Vec<NamedPlace> {
    let compares =
        agon_protocols::find_recorded_protocol(record).is_ok_and(|protocol| protocol.manifest().needs_material);
    let Some(material) = PinnedMaterial::from_record(record).filter(|_| !compares) else { return Vec::new() };
    let material = &material;
    let named = graph.statements.iter().flat_map(|statement| {
        let mut seen = BTreeSet::new();
        let words = [statement.words.as_str(), statement.text.as_deref().unwrap_or_default()];
        words.into_iter().flat_map(find_places).filter_map(move |place| {
            let (is_there, note) = material.look_up(place.text).filter(|_| seen.insert(place.text))?;
            let (of, seq) = (statement.id.clone(), statement.seq);
            Some(NamedPlace { of, seq, place: place.text.to_owned(), is_there, note })
        })
    });
    named.take(PLACES_MAX).collect()
}

/// How many places were named and found, in a sentence; none where no place was named.
pub fn describe_coverage(named: &[NamedPlace]) -> Option<String> {
    let missing = named.iter().filter(|named| !named.is_there).count();
    let all = count_noun(named.len(), "place", "places");
    (!named.is_empty()).then(|| match missing {
        0 => format!("Statements name {all} of the material, and all exist."),
        missing => {
            let verb = agree_with(&missing, "does not exist", "do not exist");
            format!("Statements name {all} of the material; {missing} of them {verb}.")
        }
    })
}

#[cfg(test)]
mod tests {
    use agon_core::{Stamp, sample};

    use super::*;

    fn material() -> PinnedMaterial {
        let file = |path: &str, kind: &str, lines| PinnedFile {
            path: path.into(),
            kind: kind.into(),
            digest: String::new(),
            lines,
            seats: Vec::new(),
        };
        let left_out = vec![LeftOutFile { path: "Cargo.lock".into(), reason: "generated".into(), is_changed: false }];
        let files = vec![
            file("src/a.rs", "file", 20),
            file("src/a.rs", DIFF, 7),
            file("src/d.rs", DIFF, 9),
            file("NOTES", "file", 3),
        ];
        PinnedMaterial { files, left_out }
    }

    #[test]
    fn a_place_is_there_if_the_list_has_its_file_and_its_lines() {
        let material = material();
        for (place, found) in [
            ("src/a.rs:20", Some(true)),
            ("./src/a.rs:3-20", Some(true)),
            ("src/a.rs:21", Some(false)),
            ("src/a.rs:19-21", Some(false)),
            ("src/d.rs:400", Some(true)),
            ("NOTES:3", Some(true)),
            ("NOTES:4", Some(false)),
            ("src/b.rs:1", Some(false)),
            ("b.rs:1", Some(false)),
            ("docs/x.md:1", Some(false)),
            ("Cargo.lock:5", Some(false)),
            // These name no file of the material.
            ("example.org:443", None),
            ("127.0.0.1:8080", None),
            ("12:30", None),
            ("https://a.org/x.rs:1", None),
            ("src/a.rs", None),
            ("and/or:3", None),
        ] {
            assert_eq!(material.look_up(place).map(|(is_there, _)| is_there), found, "{place}");
        }
        assert_eq!(material.look_up("Cargo.lock:5").unwrap().1, "Cargo.lock was left out: generated.");
    }

    #[test]
    fn a_title_that_fits_all_material_names_the_first_files() {
        let mut material = material();
        assert_eq!(material.complete_title("Find it."), "Find it: src/a.rs, src/d.rs and 1 more");
        material.files.truncate(2);
        assert_eq!(material.complete_title("Find it"), "Find it: src/a.rs");
        material.files.iter_mut().for_each(|file| file.seats.push("judge".into()));
        assert_eq!(material.complete_title("Find it."), "Find it.", "material of one seat is not named to all");
    }

    #[test]
    fn changes_that_nobody_reviewed_are_told() {
        let material = |left_out: &[(&str, &str, bool)]| {
            let left_out = left_out.iter().map(|(path, reason, is_changed)| LeftOutFile {
                path: (*path).into(),
                reason: (*reason).into(),
                is_changed: *is_changed,
            });
            PinnedMaterial { files: Vec::new(), left_out: left_out.collect() }
        };
        let record =
            Record::open(sample::sample_opened("x", &["a"]), Stamp("2026-01-01T00:00:00.000Z".into())).unwrap();
        assert_eq!(material(&[("a.png", "binary", false)]).describe_unread_files(&record), None);
        let one = material(&[("src/a.rs", "its diff is too large: 9 bytes", true), ("src/a.rs", "binary", true)]);
        let told = "1 changed file was not reviewed: src/a.rs (its diff is too large: 9 bytes).";
        assert_eq!(one.describe_unread_files(&record).as_deref(), Some(told));
        let pictures: Vec<String> = (0..9).map(|at| format!("{at}.png")).collect();
        let mut all: Vec<(&str, &str, bool)> = pictures.iter().map(|path| (path.as_str(), "binary", true)).collect();
        let long = format!("{}/evil.rs", "deep".repeat(20));
        all.extend([("Cargo.lock", "generated", true), (&long, "too large: 7 bytes", true)]);
        let told = material(&all).describe_unread_files(&record).unwrap();
        assert!(told.starts_with("11 changed files were not reviewed: 0.png (binary), Cargo.lock (gen"), "{told}");
        assert!(told.contains("deep/evil.rs (too large: 7 bytes), 1.png (binary) and 7 more."), "{told}");
        assert!(told.chars().count() < 250, "{told}");
    }
}
