//! The lines of one path, as quotes are compared with them.

use agon_text::LinePlace;

use super::QuotedMaterial;
use crate::{
    diff::{LineMark, read_diff},
    passages::MaterialKind,
    prompt_display::ShownChar,
    store::MaterialStoreError,
};

/// Consecutive lines, normalised, with their numbers.
#[derive(Default)]
struct Stretch {
    /// Number of each line; none if it was removed.
    numbers: Vec<Option<u32>>,
    /// The lines, joined by line feeds.
    text: String,
}

impl Stretch {
    fn push_line(&mut self, number: Option<u32>, line: &str, shown: ShownChar) {
        if !self.numbers.is_empty() {
            self.text.push('\n');
        }
        self.numbers.push(number);
        self.text.push_str(&normalize_line(line, shown));
    }

    /// The lines of each occurrence of `quote`. Occurrences of several lines may overlap.
    fn find_occurrences(&self, quote: &str) -> Vec<&[Option<u32>]> {
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
pub(super) struct PathLines {
    new: Vec<Stretch>,
    old: Vec<Stretch>,
    /// All lines of a hunk in the order of the diff, as prompts show them.
    both: Vec<Stretch>,
    /// What prompts show of a change besides its lines: what happens to the file as a whole, and what encloses a hunk.
    remarks: Vec<Stretch>,
}

impl PathLines {
    /// Whether the quote stands in what is said of the change besides its lines.
    pub(super) fn is_remarked(&self, quote: &str) -> bool {
        self.remarks.iter().any(|stretch| !stretch.find_occurrences(quote).is_empty())
    }

    /// The last line of the new version, if it has lines.
    pub(super) fn last_line(&self) -> Option<u32> {
        self.new.iter().flat_map(|stretch| &stretch.numbers).flatten().max().copied()
    }

    /// Whether the new version has this line.
    pub(super) fn has_line(&self, number: u32) -> bool {
        self.new.iter().any(|stretch| stretch.numbers.contains(&Some(number)))
    }

    /// Places of a quote in the new version, in their order.
    pub(super) fn find_places(&self, path: &str, quote: &str) -> Vec<LinePlace> {
        let found = self.new.iter().flat_map(|stretch| stretch.find_occurrences(quote));
        let places = found.filter_map(|numbers| {
            let (first, last) = (numbers.first()?.as_ref()?, numbers.last()?.as_ref()?);
            Some(LinePlace::new(path, *first, *last))
        });
        let mut places: Vec<LinePlace> = places.collect();
        // Twice in one line is one place.
        places.dedup();
        places
    }

    /// Places of a quote of removed and new lines together, as prompts show a change: its lines in the new version.
    pub(super) fn find_changed_places(&self, path: &str, quote: &str) -> Vec<LinePlace> {
        let found = self.both.iter().flat_map(|stretch| stretch.find_occurrences(quote));
        let places = found.filter(|numbers| numbers.contains(&None)).filter_map(|numbers| {
            let new = || numbers.iter().flatten();
            Some(LinePlace::new(path, *new().min()?, *new().max()?))
        });
        places.collect()
    }

    /// Whether the quote stands in lines of which at least one was removed.
    pub(super) fn is_removed(&self, quote: &str) -> bool {
        self.old.iter().flat_map(|stretch| stretch.find_occurrences(quote)).any(|numbers| numbers.contains(&None))
    }
}

/// A line as prompts show it, without spaces at its ends, and with single spaces.
pub(super) fn normalize_line(line: &str, shown: ShownChar) -> String {
    let line: String = line.chars().filter_map(shown).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of all entries with this path.
pub(super) fn load_lines(material: QuotedMaterial<'_>, path: &str) -> Result<PathLines, MaterialStoreError> {
    let QuotedMaterial { manifest, store, shown } = material;
    let mut lines = PathLines::default();
    let has_file = manifest.entries_at(path).any(|entry| entry.kind != MaterialKind::Diff);
    for entry in manifest.entries_at(path) {
        let content = store.load_content(&entry.digest)?;
        if entry.kind != MaterialKind::Diff {
            let mut stretch = Stretch::default();
            for (number, line) in (1..).zip(content.lines()) {
                stretch.push_line(Some(number), line, shown);
            }
            lines.new.push(stretch);
            continue;
        }
        let files = read_diff(&content).unwrap_or_default();
        for file in &files {
            let mut remarks = Stretch::default();
            file.remark_lines().for_each(|line| remarks.push_line(None, line, shown));
            lines.remarks.push(remarks);
        }
        for hunk in files.iter().flat_map(|file| &file.hunks) {
            let mut section = Stretch::default();
            section.push_line(None, &format!("@@ {}", hunk.section_heading()), shown);
            lines.remarks.push(section);
            let [mut new, mut old, mut both] = [(); 3].map(|()| Stretch::default());
            for line in &hunk.lines {
                both.push_line(line.new, &line.text, shown);
                if line.mark != LineMark::Removed && !has_file {
                    new.push_line(line.new, &line.text, shown);
                }
                if line.mark != LineMark::Added {
                    old.push_line(line.new, &line.text, shown);
                }
            }
            lines.new.push(new);
            lines.old.push(old);
            lines.both.push(both);
        }
    }
    Ok(lines)
}
