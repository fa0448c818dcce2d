//! Secrets in the material: keys, tokens and passwords, which should not be sent to a provider.
//!
//! The rules are in `secrets.toml`. A finding names place and rule, never the secret.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};

use crate::{
    diff::read_diff,
    gathered_content::{Gathered, GatheredFile},
    passages::MaterialKind,
};

/// Findings of one content: enough to see that it should not be sent.
const FINDINGS_MAX: usize = 100;

/// Memory in which all rules together are searched for at once. With too little, the search falls back to a way that is
/// many times slower.
const DFA_BYTES_MAX: usize = 64 << 20;

/// Parts of values in documentation and tests that are not secrets, in lower case.
const PLACEHOLDERS: [&str; 14] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "redacted",
    "dummy",
    "sample",
    "your",
    "xxxx",
    "****",
    "....",
    "0000000",
    "1234567890",
];
/// Values of documentation that are not secrets as a whole, in lower case.
const PLACEHOLDER_WORDS: [&str; 8] = ["password", "passwd", "pass", "pwd", "secret", "token", "user", "test"];

/// Something that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Secret {
    /// Of the entry.
    pub path: String,
    /// Line of the new version; none if a diff removed it.
    pub line: Option<u32>,
    /// What it looks like.
    pub rule: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretRule {
    name: String,
    pattern: String,
    entropy_min: Option<f64>,
}

struct SecretRules {
    /// Tells which rules occur in a text at all.
    all: RegexSet,
    each: Vec<(SecretRule, Regex)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretRulesFile {
    rule: Vec<SecretRule>,
}

/// The tests of this module read the same file.
static RULES: LazyLock<SecretRules> = LazyLock::new(|| {
    parse_rules(include_str!("../secrets.toml")).unwrap_or_else(|error| unreachable!("secrets.toml is sound: {error}"))
});

fn parse_rules(text: &str) -> Result<SecretRules, String> {
    let file: SecretRulesFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut all = RegexSetBuilder::new(file.rule.iter().map(|rule| &rule.pattern));
    let all = all.unicode(false).dfa_size_limit(DFA_BYTES_MAX).build().map_err(|error| error.to_string())?;
    let each = file.rule.into_iter().map(|rule| {
        let pattern = RegexBuilder::new(&rule.pattern).unicode(false).build();
        let pattern = pattern.map_err(|error| error.to_string())?;
        Ok((rule, pattern))
    });
    Ok(SecretRules { all, each: each.collect::<Result<_, String>>()? })
}

/// What looks like a secret, in the order of path and line, one finding for each line.
pub fn find_secrets(gathered: &Gathered) -> Vec<Secret> {
    let found: BTreeSet<Secret> = gathered.files.iter().flat_map(in_file).collect();
    found.into_iter().collect()
}

/// The same in one text called `name`.
pub fn in_document(name: &str, text: &str) -> Vec<Secret> {
    let found = in_text(text).into_iter();
    found
        .map(|(line, rule)| Secret { path: name.to_owned(), line: u32::try_from(line + 1).ok(), rule: rule.to_owned() })
        .collect()
}

fn in_file(file: &GatheredFile) -> Vec<Secret> {
    if file.kind != MaterialKind::Diff {
        return in_document(&file.path, &file.text);
    }
    // Without marks, so that patterns for whole lines fit.
    let diffs = read_diff(&file.text).unwrap_or_default();
    let mut lines: Vec<(Option<u32>, &str)> = Vec::new();
    for diff in &diffs {
        lines.extend(diff.remark_lines().map(|remark| (None, remark)));
        for hunk in &diff.hunks {
            // Prompts show the line of the file that git puts at the head of a hunk, too.
            lines.push((None, hunk.section_heading()));
            lines.extend(hunk.lines.iter().map(|line| (line.new, line.text.as_str())));
        }
    }
    let text: String = lines.iter().flat_map(|(_, line)| [line, "\n"]).collect();
    let found = in_text(&text).into_iter().filter_map(|(at, rule)| Some((lines.get(at)?.0, rule)));
    found.map(|(line, rule)| Secret { path: file.path.clone(), line, rule: rule.to_owned() }).collect()
}

/// Indices of lines with the first rule that fits each.
fn in_text(text: &str) -> BTreeMap<usize, &'static str> {
    let mut found: BTreeMap<usize, &'static str> = BTreeMap::new();
    let rules: &'static SecretRules = &RULES;
    let bytes = text.as_bytes();
    for at in rules.all.matches(bytes) {
        let (rule, pattern) = &rules.each[at];
        let (mut line, mut counted) = (0, 0);
        for captures in pattern.captures_iter(bytes) {
            let Some(value) = captures.name("value").or(captures.get(0)) else { continue };
            let secret = String::from_utf8_lossy(value.as_bytes());
            if is_placeholder(&secret) || !is_random(&secret, rule.entropy_min) {
                continue;
            }
            line += bytes[counted..value.start()].iter().filter(|byte| **byte == b'\n').count();
            counted = value.start();
            found.entry(line).or_insert(&rule.name);
            if found.len() >= FINDINGS_MAX {
                return found;
            }
        }
    }
    found
}

fn is_placeholder(value: &str) -> bool {
    let value = value.to_lowercase();
    PLACEHOLDERS.iter().any(|part| value.contains(part)) || PLACEHOLDER_WORDS.contains(&value.as_str())
}

/// Whether a value looks random enough for a rule.
fn is_random(value: &str, entropy_min: Option<f64>) -> bool {
    let Some(entropy_min) = entropy_min else { return true };
    let has_both =
        value.bytes().any(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_both && measure_entropy(value) >= entropy_min
}

/// Bits per byte, by the frequencies within the value.
fn measure_entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests;
