//! Measures gathering, indexing and searching: a folder of 200 MB and a diff of 20,000 lines.
//!
//! `cargo run --package agon-material --example index -- [MEGABYTES]`
#![allow(clippy::print_stdout)] // Its output is its purpose.

use std::{error::Error, fs, path::Path, time::Instant};

use agon_material::{
    gather::{GatherRules, MaterialSource, SourceForSeats, gather_sources},
    quotes::QuotedMaterial,
    search::SeatMaterial,
    secrets::find_secrets,
    store::MaterialStore,
};

/// Size of the folder, if none is named.
const MEGABYTES: usize = 200;
/// Size of each of its files.
const FILE_BYTES: usize = 20_000;
/// Lines that the diff adds.
const DIFF_LINES: usize = 20_000;
/// Different words; as in real texts, few of them are frequent.
const WORDS: u64 = 40_000;
/// Tokens of a request.
const TOKENS: usize = 6_000;

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A word; the smaller its number, the more frequent it is.
    fn word(&mut self) -> String {
        let share = self.next() as f64 / (1_u64 << 31) as f64;
        let number = (WORDS as f64).powf(share) as u64;
        format!("{}{}", ["get", "set", "find", "row", "value", "list"][(number % 6) as usize], base_26(number))
    }

    fn line(&mut self, line: &mut String) {
        for _ in 0..4 + self.next() % 8 {
            line.push_str(&self.word());
            line.push(if self.next().is_multiple_of(3) { '(' } else { ' ' });
        }
        line.push('\n');
        if self.next().is_multiple_of(12) {
            line.push('\n');
        }
    }
}

fn base_26(mut number: u64) -> String {
    let mut letters = String::new();
    loop {
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return letters;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes = std::env::args().nth(1).map_or(Ok(MEGABYTES), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let mut numbers = Numbers(1);
    make_tree(&folder.path().join("tree"), megabytes << 20, &mut numbers)?;
    let sources = [MaterialSource::Stdin(diff(&mut numbers)), MaterialSource::Path("tree".into())];
    let sources = sources.map(|source| SourceForSeats { source, seats: Vec::new() });

    let gathered = timed("gather", || {
        gather_sources(folder.path(), &sources, GatherRules { is_own: &|_| false, with_tree: false })
    })?;
    let bytes: usize = gathered.files.iter().map(|file| file.text.len()).sum();
    println!("  {} contents, {} MB", gathered.files.len(), bytes >> 20);
    let found = timed("look for secrets", || Ok::<_, Box<dyn Error>>(find_secrets(&gathered)))?;
    println!("  {} found", found.len());
    let path = folder.path().join("material.db");
    let store = MaterialStore::open(&path)?;
    println!("  {:?}", timed("first index", || store.store_contents(&gathered))?);
    println!("  {:?}", timed("second index", || store.store_contents(&gathered))?);
    println!("  the store has {} MB", fs::metadata(&path)?.len() >> 20);
    let manifest = gathered.build_manifest();
    drop(gathered);
    for query in
        ["findbcd rowxyz valuebbb", "geta setb findc rowd valuee listf where does the value of a row come from"]
    {
        let seen = SeatMaterial { manifest: &manifest, store: &store, seat: "critic" };
        let shown = timed("search", || seen.select_passages(query, TOKENS, true))?;
        println!("  {} passages, {} tokens, {} not shown", shown.passages.len(), shown.tokens, shown.not_shown);
    }
    let place = format!("{}:1", manifest.files[manifest.files.len() - 1].path);
    let quoted = QuotedMaterial { manifest: &manifest, store: &store, shown: Some };
    let checked = timed("check of a quote", || quoted.check_quote(&place, Some("not in the file")))?;
    println!("  {:?}", checked.code);
    Ok(())
}

fn make_tree(tree: &Path, bytes: usize, numbers: &mut Numbers) -> std::io::Result<()> {
    for file in 0..bytes / FILE_BYTES {
        let folder = tree.join(format!("part-{}", file / 100));
        fs::create_dir_all(&folder)?;
        let mut text = String::new();
        while text.len() < FILE_BYTES {
            numbers.line(&mut text);
        }
        fs::write(folder.join(format!("file-{file}.rs")), text)?;
    }
    Ok(())
}

fn diff(numbers: &mut Numbers) -> String {
    let mut diff = String::new();
    for file in 0..DIFF_LINES / 200 {
        diff.push_str(&format!(
            "diff --git a/src/{file}.rs b/src/{file}.rs\n--- a/src/{file}.rs\n+++ b/src/{file}.rs\n"
        ));
        for hunk in 0..20 {
            let first = hunk * 50 + 1;
            diff.push_str(&format!("@@ -{first},2 +{first},12 @@\n context\n"));
            for _ in 0..10 {
                diff.push_str(&format!("+{} {}\n", numbers.word(), numbers.word()));
            }
            diff.push_str(" context\n");
        }
    }
    diff
}

fn timed<T, E>(what: &str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let started = Instant::now();
    let result = work()?;
    println!("{what}: {:.2} s, peak memory {} MB", started.elapsed().as_secs_f64(), peak_megabytes());
    Ok(result)
}

/// The most memory that this process had so far; 0 where the system does not tell.
fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) >> 10
}
