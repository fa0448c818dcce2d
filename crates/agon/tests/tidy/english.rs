//! The language of pages, help, messages and comments: the standard word, and no phrase that a reader has to decode.

use std::{fs, process::Command};

use crate::tidy::{root, sources, walk};

/// Phrases to avoid, each with what to write in its place.
const PHRASES: &[(&str, &str)] = &[
    ("is no", "is not a"),
    ("are no", "are not"),
    ("whoever", "the person, program or seat that"),
    ("anew", "again"),
    ("afresh", "again"),
    ("beside", "next to, or in addition to"),
    ("changed about", "swapped"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("going on", "in progress"),
    ("that there are", "available, or existing"),
    ("somebody", "a person, or another process"),
    ("where they are to be", "if they"),
    ("as far as", "if, or where"),
    ("nobody sits", "has no participant"),
    ("dear", "expensive"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("for nothing", "at no cost"),
    ("stands in for", "replaces"),
    ("in passing", "temporarily"),
    ("over again", "again"),
    ("of its own accord", "by itself"),
];

/// A text without fenced blocks, inline code and quotations: what programs print is quoted as it is.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let outside = |line: &str, mark| line.split(mark).step_by(2).collect::<Vec<_>>().join(" . ");
            let plain = outside(&outside(line, '`'), '"');
            lines.push((number + 1, plain.to_lowercase()));
        }
    }
    lines
}

/// Phrases of a line, as whole words.
fn found(line: &str) -> Vec<&'static (&'static str, &'static str)> {
    let words = line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let spaced = format!(" {} ", words.collect::<Vec<_>>().join(" ")).replace(" no longer ", " not ");
    PHRASES.iter().filter(|(phrase, _)| spaced.contains(&format!(" {phrase} "))).collect()
}

fn faults(name: &str, text: &str) -> Vec<String> {
    let lines = prose(text).into_iter();
    let faults = lines.flat_map(|(number, line)| {
        let found = found(&line).into_iter();
        found.map(|(phrase, better)| format!("{name}:{number}: {phrase:?}; write {better}")).collect::<Vec<_>>()
    });
    faults.collect()
}

#[test]
fn pages_are_in_plain_english() {
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("ARCHITECTURE.md")];
    walk(&root().join("docs"), &mut files);
    let pages = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "md"));
    let faults: Vec<String> =
        pages.flat_map(|path| faults(&path.display().to_string(), &fs::read_to_string(&path).unwrap())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The help of a command, and of every command below it.
fn helps(words: &[String], helps: &mut Vec<(String, String)>) {
    let output = Command::new(env!("CARGO_BIN_EXE_agon")).args(words).arg("--help").output().unwrap();
    assert!(output.status.success(), "{words:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    // The commands of agon are in groups.
    let blocks = help.split("\n\n").skip_while(|block| !block.starts_with("Usage:")).skip(1);
    let listed = blocks.take_while(|block| !block.starts_with("Options:"));
    let below: Vec<String> = listed
        .filter(|block| !block.starts_with("Arguments:"))
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase())))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| *word != "help")
        .map(str::to_owned)
        .collect();
    helps.push((format!("agon {}", words.join(" ")), help));
    for verb in below {
        self::helps(&[words, &[verb]].concat(), helps);
    }
}

#[test]
fn help_is_in_plain_english() {
    let mut all = Vec::new();
    helps(&[], &mut all);
    assert!(all.len() > 40, "{} helps", all.len());
    let faults: Vec<String> = all.iter().flat_map(|(name, help)| faults(name, help)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Sources whose string literals are not read, each with the reason.
const PINNED: &[(&str, &str)] = &[
    ("agon-protocols/src/", "records hold the texts of faults and rulings, and replay compares them"),
    ("agon-report/src/chaired/", "the texts belong to the format of another system"),
    ("agon-report/src/duel/", "the texts belong to the format of another system"),
    ("agon-report/src/exchange/", "the texts belong to the format of another system"),
    ("agon-report/src/revise/", "the texts belong to the format of another system"),
    ("agon-dropin/src/store/duels/", "programs of another system read these messages"),
];

/// A comment or a string literal of a source, with the number of its first line.
struct SourceText<'t> {
    line: usize,
    is_comment: bool,
    text: &'t str,
}

/// The comments and string literals of a source. Character literals and lifetimes are skipped.
fn texts(source: &str) -> Vec<SourceText<'_>> {
    let mut texts = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let behind_word = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = rest.strip_prefix('r').map(|raw| raw.chars().take_while(|c| *c == '#').count());
        let raw = hashes.filter(|hashes| !behind_word && rest[1 + hashes..].starts_with('"'));
        let (start, length, is_comment) = if rest.starts_with("//") {
            (0, rest.find('\n').unwrap_or(rest.len()), true)
        } else if let Some(hashes) = raw {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            (start, rest[start..].find(&end).map_or(rest.len(), |length| start + length), false)
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = quoted.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            (1, end.map_or(rest.len(), |end| end + 1), false)
        } else {
            let quoted = ["'\"'", "'\\\"'", "'\\''", "'\\\\'"].iter().find(|quoted| rest.starts_with(**quoted));
            at += quoted.map_or(rest.chars().next().map_or(1, char::len_utf8), |quoted| quoted.len());
            continue;
        };
        let line = source[..at].matches('\n').count() + 1;
        texts.push(SourceText { line, is_comment, text: &rest[start.min(length)..length] });
        at += length + if is_comment { 0 } else { 1 + raw.unwrap_or(0) };
    }
    texts
}

/// Phrases to avoid in a source, outside of its tests; in comments alone if its literals are `pinned`.
/// "There is no" is fine here.
fn source_faults(name: &str, source: &str, pinned: bool) -> Vec<String> {
    let shipped = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let read = texts(shipped).into_iter().filter(|text| text.is_comment || !pinned);
    let lines = read.flat_map(|SourceText { line, is_comment, text }| {
        let plain = if is_comment { text.to_owned() } else { without_placeholders(text) };
        let lines = prose(&plain).into_iter();
        lines.map(|(below, text)| (line + below - 1, text)).collect::<Vec<_>>()
    });
    let faults = lines.flat_map(|(number, line)| {
        let line = line.replace("there is no ", "").replace("there are no ", "");
        let found = found(&line).into_iter();
        found.map(|(phrase, better)| format!("{name}:{number}: {phrase:?}; write {better}")).collect::<Vec<_>>()
    });
    faults.collect()
}

/// A literal without the names of what is put into it, and without escapes.
fn without_placeholders(literal: &str) -> String {
    let mut plain = String::new();
    for part in literal.replace("\\n", " ").replace("\\\"", " ").split('{') {
        plain.push(' ');
        plain.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    plain
}

#[test]
fn sources_are_in_plain_english() {
    let crates = root().join("crates");
    let mut read = 0;
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let name = path.strip_prefix(&crates).unwrap().display().to_string();
        let is_test = !name.contains("/src/") || name.ends_with("tests.rs");
        if is_test {
            continue;
        }
        read += 1;
        let pinned = PINNED.iter().any(|(start, _)| name.starts_with(start));
        faults.extend(source_faults(&name, &text, pinned));
    }
    assert!(read > 400, "only {read} sources read");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn comments_and_literals_of_a_source_are_read() {
    let source = "// Whoever asks.\nfn f() { g('\"', \"it is no {anew}\\n time\", r#\"goes \"on\" anew\"#); }\n\
                  /// There is no page; `is no`.\n#[cfg(test)]\nmod tests { \"anew\" }\n";
    let found = source_faults("a.rs", source, false);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("a.rs:1: \"whoever\"") && found[1].starts_with("a.rs:2: \"is no\""), "{found:?}");
    assert_eq!(source_faults("a.rs", source, true).len(), 1);
}

#[test]
fn phrases_are_found_as_whole_words_outside_of_code() {
    assert_eq!(faults("a", "Whoever asks. `is no`\n```\nanew\n```\nThis is\u{a0}no page.").len(), 2);
    assert_eq!(faults("a", "A renewed list is not known.").len(), 0);
}
