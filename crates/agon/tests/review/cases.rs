//! The changes of `tests/corpus`, with the error that was planted in each and the false findings about it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// A change, and what a review should make of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusCase {
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    pub diff: String,
    pub language: String,
    #[serde(default)]
    pub orders: bool,
    pub order: Option<String>,
    pub planted: Option<PlantedError>,
    pub false_findings: Vec<FalseFinding>,
}

/// The only real error of a change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedError {
    pub path: String,
    pub first: u32,
    pub last: u32,
    pub quote: String,
    pub claim: String,
    pub in_other_words: String,
    pub why: String,
    pub refuted_by: String,
    pub severity: String,
}

/// A finding that sounds right and is not.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FalseFinding {
    pub place: String,
    pub quote: String,
    pub claim: String,
    pub severity: String,
    pub refutation_place: Option<String>,
    pub refutation_quote: Option<String>,
    pub refutation: Option<String>,
}

impl PlantedError {
    pub fn place(&self) -> String {
        format!("{}:{}-{}", self.path, self.first, self.last)
    }

    pub fn is_high(&self) -> bool {
        self.severity == "high"
    }
}

impl CorpusCase {
    fn read(folder: &Path) -> Self {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let case = toml::from_str(&text("case.toml"));
        let case: Self = case.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        Self { name, diff: text("change.diff"), ..case }
    }

    /// The finding that quotes what is not there.
    pub fn invented(&self) -> &FalseFinding {
        &self.false_findings[0]
    }

    /// The finding that another line refutes.
    pub fn refutable(&self) -> &FalseFinding {
        &self.false_findings[1]
    }

    /// The change with an empty line in the place of the order, so that all numbers stay.
    pub fn without_order(&self) -> String {
        self.diff.replace(self.order.as_deref().unwrap(), "")
    }

    /// The lines that the diff shows of the new versions.
    pub fn lines(&self) -> ShownLines {
        let mut lines = BTreeMap::new();
        let (mut path, mut number, mut left) = (String::new(), 0, (0, 0));
        for line in self.diff.split('\n').map(|line| line.trim_end_matches('\r')) {
            match line.as_bytes().first() {
                Some(b' ' | b'+') if left.1 > 0 => {
                    lines.insert((path.clone(), number), normal(&line[1..]));
                    number += 1;
                    left = (left.0 - i32::from(line.starts_with(' ')), left.1 - 1);
                }
                Some(b'-') if left.0 > 0 => left.0 -= 1,
                _ => {
                    if let Some(new) = line.strip_prefix("+++ b/") {
                        path = new.to_owned();
                    } else if let Some(ranges) = line.strip_prefix("@@ -") {
                        let ranges = ranges.split(" @@").next().unwrap();
                        let (old, new) = ranges.split_once(" +").unwrap();
                        let range = |text: &str| -> (u32, i32) {
                            let (first, count) = text.split_once(',').unwrap();
                            (first.parse().unwrap(), count.parse().unwrap())
                        };
                        (number, left) = (range(new).0, (range(old).1, range(new).1));
                    }
                }
            }
        }
        assert_eq!(left, (0, 0), "{}: a hunk ends early", self.name);
        ShownLines(lines)
    }
}

/// Lines of the new versions, without spaces at their ends, by path and number.
pub struct ShownLines(pub BTreeMap<(String, u32), String>);

impl ShownLines {
    /// Whether `quote` stands in the lines `first` to `last`.
    pub fn hold(&self, path: &str, first: u32, last: u32, quote: &str) -> bool {
        let lines: Option<Vec<&str>> =
            (first..=last).map(|line| self.0.get(&(path.to_owned(), line)).map(String::as_str)).collect();
        lines.is_some_and(|lines| lines.join("\n").contains(&plain(quote)))
    }

    /// The same for a place, `path:line` or `path:first-last`.
    pub fn hold_at(&self, place: &str, quote: &str) -> bool {
        let (path, lines) = place.rsplit_once(':').unwrap();
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        self.hold(path, first.parse().unwrap(), last.parse().unwrap(), quote)
    }

    /// At how many lines `quote` begins.
    pub fn count(&self, quote: &str) -> usize {
        let height = quote.matches('\n').count() as u32;
        self.0.keys().filter(|(path, first)| self.hold(path, *first, first + height, quote)).count()
    }
}

fn normal(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain(quote: &str) -> String {
    quote.lines().map(normal).collect::<Vec<_>>().join("\n")
}

/// All cases, by number.
pub fn all() -> Vec<CorpusCase> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().map(|folder| CorpusCase::read(folder)).collect()
}
