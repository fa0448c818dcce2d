//! Lookups in material: the passages that have certain words, and the lines of a file.
//!
//! A result depends on the manifest, the seat and what is asked for alone. It is a text for the seat, with a first line
//! that says what it is.

use std::fmt::Write as _;

use crate::{
    manifest::MaterialFile,
    passages::{MaterialKind, cut_passages},
    search::SeatMaterial,
    store::MaterialStoreError,
};

/// Bytes of a line that are shown; longer ones are data.
const LINE_BYTES_MAX: usize = 1_000;
/// Paths that a list names.
const PATHS_MAX: usize = 60;

/// What a lookup gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupAnswer {
    /// A text that was found.
    Found(String),
    /// Nothing; why, for the seat.
    Nothing(String),
}

impl SeatMaterial<'_> {
    /// The passages of what the seat may see that have the most and the rarest of `words`, within `bytes_max`.
    ///
    /// # Errors
    ///
    /// Where the store cannot be read.
    pub fn search_words(self, words: &str, bytes_max: usize) -> Result<LookupAnswer, MaterialStoreError> {
        let named = list_paths(
            self.manifest.files_of(self.seat).map(|(_, file)| file).filter(|file| has_words(&file.path, words)),
        );
        let found = self.find_passages(words, bytes_max.saturating_sub(named.len()))?;
        if found.passages.is_empty() && named.is_empty() {
            return Ok(LookupAnswer::Nothing(format!("No passage and no path has any of these words: {words}")));
        }
        let mut text = named;
        for passage in &found.passages {
            let kind = if passage.kind == MaterialKind::Diff { " (the change)" } else { "" };
            let _ = writeln!(text, "\n{}{kind}:\n{}", passage.format_place(), passage.shown.trim_end());
        }
        if found.not_shown > 0 {
            let _ = writeln!(text, "\n{} more passages have some of these words.", found.not_shown);
        }
        Ok(LookupAnswer::Found(text.trim_start_matches('\n').to_owned()))
    }

    /// Lines `first` to `last` of the file `path`, numbered, within `bytes_max`; of a folder, the files in it. Of a change
    /// without its file the lines of the change.
    ///
    /// # Errors
    ///
    /// Where the store cannot be read.
    pub fn read_lines(
        self,
        path: &str,
        lines: (Option<u32>, Option<u32>),
        bytes_max: usize,
    ) -> Result<LookupAnswer, MaterialStoreError> {
        let path = path.trim().trim_start_matches("./").trim_end_matches('/');
        let visible = || self.manifest.files_of(self.seat).map(|(_, file)| file);
        let mut files: Vec<&MaterialFile> = visible().filter(|file| file.path == path).collect();
        // The file as it is now has every line of its change.
        files.sort_by_key(|file| file.kind == MaterialKind::Diff);
        let Some(file) = files.first() else {
            let folder = if path.is_empty() || path == "." { String::new() } else { format!("{path}/") };
            let below = list_paths(visible().filter(|file| file.path.starts_with(&folder)));
            return Ok(match below.is_empty() {
                false => LookupAnswer::Found(below),
                true => {
                    let name = path.rsplit('/').next().unwrap_or(path);
                    let alike = list_paths(visible().filter(|file| has_words(&file.path, name)));
                    LookupAnswer::Nothing(format!("The material has no {path}. {alike}").trim_end().to_owned())
                }
            });
        };
        let content = self.store.load_content(&file.digest)?;
        let numbered: Vec<String> = match file.kind {
            MaterialKind::Diff => {
                let cuts = cut_passages(file.kind, &content);
                cuts.iter().flat_map(|passage| passage.shown.lines().map(shorten_line)).collect()
            }
            MaterialKind::File | MaterialKind::Page => {
                (1..).zip(content.lines()).map(|(number, line)| shorten_line(&format!("{number}| {line}"))).collect()
            }
        };
        let (all, first) = (numbered.len(), lines.0.unwrap_or(1).max(1) as usize);
        if first > all {
            return Ok(LookupAnswer::Nothing(format!("{path} has {all} lines.")));
        }
        let last = lines.1.map_or(all, |last| (last as usize).clamp(first, all));
        let (mut text, mut shown) = (String::new(), first);
        for line in &numbered[first - 1..last] {
            if text.len() + line.len() > bytes_max {
                break;
            }
            text.push_str(line);
            text.push('\n');
            shown += 1;
        }
        let kind = if file.kind == MaterialKind::Diff { ", the change alone" } else { "" };
        let more = if shown <= last { format!("; ask for {shown}-{last} to read on") } else { String::new() };
        Ok(LookupAnswer::Found(format!("{path}:{first}-{} of {all} lines{kind}{more}\n{text}", shown - 1)))
    }
}

/// Whether a path has every word of a query, in any case of letters.
fn has_words(path: &str, words: &str) -> bool {
    let path = path.to_lowercase();
    let mut all = words.split_whitespace().peekable();
    all.peek().is_some() && all.all(|word| path.contains(&word.to_lowercase()))
}

/// A paragraph with these paths; empty where there are none.
fn list_paths<'f>(files: impl Iterator<Item = &'f MaterialFile>) -> String {
    let mut paths: Vec<&str> = files.map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.is_empty() {
        return String::new();
    }
    let more = paths.len().saturating_sub(PATHS_MAX);
    let more = if more > 0 { format!("\n(and {more} more)") } else { String::new() };
    format!("Files:\n{}{more}\n", paths[..paths.len().min(PATHS_MAX)].join("\n"))
}

/// The line, cut where it is longer than anyone reads.
fn shorten_line(line: &str) -> String {
    match line.len() > LINE_BYTES_MAX {
        true => format!("{} …", &line[..line.floor_char_boundary(LINE_BYTES_MAX)]),
        false => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
