//! The language of the pages and of the help: the standard word, and no phrase that a reader has to decode.

use std::{fs, process::Command};

use crate::{root, walk};

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
        found
            .map(|(phrase, better)| format!("{name}:{number}: {phrase:?}; write {better}"))
            .collect::<Vec<_>>()
    });
    faults.collect()
}

#[test]
fn pages_are_in_plain_english() {
    let mut files =
        vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("ARCHITECTURE.md")];
    walk(&root().join("docs"), &mut files);
    let pages = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "md"));
    let faults: Vec<String> = pages
        .flat_map(|path| faults(&path.display().to_string(), &fs::read_to_string(&path).unwrap()))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Commands without a help text of their own: clap's, and the stand-ins, whose words are those of others.
const NOT_ASKED: [&str; 4] = ["help", "debate-ops", "write-log", "agent-tools"];

/// The help of a command, and of every command below it.
fn helps(words: &[String], helps: &mut Vec<(String, String)>) {
    let output = Command::new(env!("CARGO_BIN_EXE_agon")).args(words).arg("--help").output().unwrap();
    assert!(output.status.success(), "{words:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    let listed =
        help.split_once("Commands:\n").map(|(_, rest)| rest.split("\n\n").next().unwrap_or_default());
    let below: Vec<String> = listed
        .into_iter()
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| !NOT_ASKED.contains(word))
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

#[test]
fn phrases_are_found_as_whole_words_outside_of_code() {
    assert_eq!(faults("a", "Whoever asks. `is no`\n```\nanew\n```\nThis is\u{a0}no page.").len(), 2);
    assert_eq!(faults("a", "A renewed list is not known.").len(), 0);
}
