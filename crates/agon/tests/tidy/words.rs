//! No list of natural words decides anything: every list of words in code and TOML is named here, with its reason.
//!
//! A list is a list as an array, a string of words, a pattern, arms of a match, or a table. Words of forms and formats,
//! of other programs' errors and of search are named one by one; whatever else turns up fails the test.

use std::{fs, path::Path, str::FromStr};

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use super::{root, sources, walk};

/// So many words make a list.
const WORDS_MIN: usize = 7;
/// So many words in one string make a list.
const WORDS_IN_STRING_MIN: usize = 15;
/// Longest word or phrase of a list, in characters.
const WORD_CHARS_MAX: usize = 24;

/// Lists that may stand: the file, the first word, and who says that they must, or what they do.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("agon-core/src/answer/reasoning.rs", "think", "names of tags around the reasoning of models"),
    ("agon-core/src/tombstone.rs", "opened", "kinds of entries of the record"),
    ("agon-core/src/form/mod.rs", "action", "names of fields"),
    ("agon-core/src/gate.rs", "fail", "names of outcomes and their sentences"),
    ("agon-core/src/sample.rs", "plain", "words that samples are made of"),
    ("agon/src/features.rs", "local", "features of the build"),
    ("agon/src/cli/help.rs", "run", "commands of the program"),
    ("agon/src/command/stored.rs", "status", "columns of a table"),
    ("agon-eval/src/report/tables.rs", "judges", "columns of a table"),
    ("agon-eval/src/report/text.rs", "accuracy", "sections of a report"),
    ("agon-eval/src/report/csv.rs", "of", "columns of a table"),
    ("agon-eval/src/item.rs", "an", "a sentence for people"),
    ("agon-material/src/diff/parser.rs", "index", "lines of a diff of git"),
    ("agon-sources/src/text/html.rs", "script", "elements of HTML"),
    ("agon-sources/src/text/html.rs", "area", "elements of HTML"),
    ("agon-sources/src/text/html.rs", "textarea", "elements of HTML"),
    ("agon-sources/src/check/citations.rs", "file", "schemes of addresses"),
    ("agon-local/src/catalogue.rs", "size", "a sentence for people"),
    ("agon-server/src/authorization/document.rs", "anonymous", "roles of accounts"),
    ("agon-dropin/src/emit.rs", "running", "states of a run of agent-tools"),
    ("agon-dropin/src/emit.rs", "preparing", "states of a run of agent-tools"),
    ("agon-dropin/src/files/commit.rs", "killed", "a sentence for people"),
    ("agon-protocols/src/review/answers.rs", "quote-there", "codes of the verifier"),
    ("agon-protocols/src/declared/shipped_arms.rs", "direct", "names of shipped declarations"),
    ("agon-protocols/src/revise/joint_findings.rs", "from", "fields of a form"),
    ("agon-protocols/src/revise/dimensions.rs", "correctness", "dimensions of a review in the source system"),
    ("agon-runtime/src/config/accounts.rs", "authorization", "headers of HTTP"),
    ("agon-runtime/src/config/check.rs", "local", "kinds of participants"),
    ("agon-runtime/src/config/check.rs", "authorization", "headers of HTTP"),
    ("agon-runtime/src/participant/provider/failure.rs", "too long", "errors of providers"),
    ("agon-runtime/src/participant/command/failure.rs", "json-schema", "errors of agents"),
    ("agon-runtime/src/participant/command/tool.rs", "--output-format", "options of agents"),
    ("agon-runtime/src/prompts/bounds.rs", "if", "words of the template language"),
    ("agon-runtime/src/prompts/bounds.rs", "and", "words of the template language"),
    ("agon-runtime/src/prompts/bounds.rs", "tojson", "filters of the template language"),
    ("agon-runtime/src/prompts/render.rs", "role", "a sentence for people"),
    ("agon-mock/src/fault.rs", "status", "faults that the mock plays"),
    ("agon-app/src/request/counts.rs", "context", "fields of a request"),
    ("agon-app/src/ask/mod.rs", "change", "agon ask proposes"),
    ("agon-app/src/ask/mod.rs", "write", "agon ask proposes"),
    ("agon-app/src/opening/members.rs", "moderator", "seats of the protocols"),
    ("agon-material/src/secrets/mod.rs", "password", "names of fields that hold secrets"),
    ("agon-material/src/diff/mod.rs", "new file", "headers of a diff"),
    ("agon-material/src/search_words.rs", "an", "stop words of a search"),
    ("agon-report/src/statement.rs", "title", "names of fields"),
    ("agon-report/src/statement.rs", "claim", "names of fields"),
    ("agon-report/src/revise/graph.rs", "weakness", "sections of a critique, counted"),
    ("agon-protocols/src/exchange/exchange.toml", "should", "agon ask proposes"),
    ("agon-protocols/src/revise/revise.toml", "write", "agon ask proposes"),
    ("agon-protocols/src/revise/revise.toml", "write a", "agon ask proposes"),
    ("agon-protocols/src/panel/panel.toml", "what", "agon ask proposes"),
];

/// Words that stand together in a file.
#[derive(Debug, PartialEq)]
struct WordList {
    words: Vec<String>,
}

/// Whether `text` is a natural word or a short phrase: letters, blanks, apostrophes and hyphens, nothing in capitals.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    let fits = |c: char| c.is_alphabetic() || matches!(c, ' ' | '\'' | '’' | '-');
    let chars = text.chars().count();
    (2..=WORD_CHARS_MAX).contains(&chars)
        && text.chars().all(fits)
        && text.chars().any(char::is_alphabetic)
        && !text.chars().any(char::is_uppercase)
}

fn text_of(literal: &Literal) -> Option<String> {
    let source = literal.to_string();
    let raw = source.strip_prefix('r').map(|raw| raw.trim_matches('#'));
    raw.unwrap_or(&source).strip_prefix('"')?.strip_suffix('"').map(str::to_owned)
}

/// Lists among `strings`, which stand together: most of them words.
fn list_of(strings: &[String]) -> Option<WordList> {
    let words: Vec<String> = strings.iter().filter(|text| is_word(text)).cloned().collect();
    (words.len() >= WORDS_MIN && words.len() * 5 >= strings.len() * 4).then_some(WordList { words })
}

/// A list within one string: words with blanks or bars between them, and no sentence.
fn list_in(text: &str) -> Option<WordList> {
    let bars: Vec<String> =
        text.split('|').map(|part| part.trim_matches(['(', ')', '?', ':', ' ']).to_owned()).collect();
    if let Some(list) = list_of(&bars) {
        return Some(list);
    }
    let plain = text.replace('\\', " ");
    let words: Vec<String> = plain.split_whitespace().map(|word| word.trim_matches(',').to_owned()).collect();
    let is_list = words.len() >= WORDS_IN_STRING_MIN && words.iter().all(|word| is_word(word));
    is_list.then_some(WordList { words })
}

/// Finds lists in code. A group is looked at as a whole first, so that a list of pairs is one list.
fn find_lists(tokens: TokenStream, lists: &mut Vec<WordList>) {
    let mut trees = tokens.into_iter().peekable();
    let mut is_test = false;
    let mut pattern: Vec<String> = Vec::new();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                if let Some(TokenTree::Group(attribute)) = trees.next_if(|next| matches!(next, TokenTree::Group(_))) {
                    is_test |= attribute.stream().to_string().starts_with("cfg (test)")
                        || attribute.stream().to_string().starts_with("cfg(test)");
                }
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => is_test = false,
            TokenTree::Punct(mark) if mark.as_char() == '|' => {}
            TokenTree::Literal(literal) => {
                if let Some(text) = text_of(&literal) {
                    lists.extend(list_in(&text));
                    pattern.push(text);
                    if matches!(trees.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '|') {
                        continue;
                    }
                }
                lists.extend(list_of(&pattern));
                pattern.clear();
            }
            TokenTree::Group(group) => {
                if std::mem::take(&mut is_test) && group.delimiter() == Delimiter::Brace {
                    continue;
                }
                let mut inside = Vec::new();
                strings_in(group.stream(), &mut inside, group.delimiter() == Delimiter::Brace);
                match list_of(&inside).filter(|_| group.delimiter() != Delimiter::Parenthesis) {
                    Some(list) => lists.push(list),
                    None => find_lists(group.stream(), lists),
                }
            }
            _ => {}
        }
    }
}

/// The strings of an array, or the strings before the arrows of a match.
fn strings_in(tokens: TokenStream, strings: &mut Vec<String>, is_match: bool) {
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Literal(literal) => {
                let is_arm =
                    matches!(trees.peek(), Some(TokenTree::Punct(mark)) if matches!(mark.as_char(), '|' | '='));
                strings.extend(text_of(&literal).filter(|_| !is_match || is_arm));
            }
            TokenTree::Group(group) if !is_match => strings_in(group.stream(), strings, false),
            _ => {}
        }
    }
}

/// Lists in a TOML value: arrays of words, and strings of words.
fn find_toml_lists(value: &toml::Value, lists: &mut Vec<WordList>) {
    match value {
        toml::Value::String(text) => lists.extend(list_in(text)),
        toml::Value::Array(items) => {
            let strings: Vec<String> = items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect();
            match list_of(&strings) {
                Some(list) => lists.push(list),
                None => items.iter().for_each(|item| find_toml_lists(item, lists)),
            }
        }
        toml::Value::Table(fields) => fields.values().for_each(|field| find_toml_lists(field, lists)),
        _ => {}
    }
}

fn is_of_tests(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    let folders = ["/tests/", "/benches/", "/examples/"];
    name == "tests.rs"
        || name.ends_with("_tests.rs")
        || folders.iter().any(|folder| path.to_string_lossy().contains(folder))
}

#[test]
fn every_list_of_words_is_one_that_may_stand() {
    let mut found: Vec<(String, WordList)> = Vec::new();
    let short = |path: &Path| path.strip_prefix(root().join("crates")).unwrap().to_string_lossy().into_owned();
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_of_tests(path)) {
        let mut lists = Vec::new();
        find_lists(TokenStream::from_str(&text).unwrap(), &mut lists);
        found.extend(lists.into_iter().map(|list| (short(&path), list)));
    }
    let mut files = Vec::new();
    walk(&root().join("crates"), &mut files);
    for path in files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml") && !is_of_tests(path))
    {
        let mut lists = Vec::new();
        let table: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        find_toml_lists(&toml::Value::Table(table), &mut lists);
        found.extend(lists.into_iter().map(|list| (short(&path), list)));
    }
    let is_allowed = |(path, list): &&(String, WordList)| {
        ALLOWED.iter().any(|(file, first, _)| path == file && list.words[0].trim() == *first)
    };
    let unknown: Vec<String> = found
        .iter()
        .filter(|list| !is_allowed(list))
        .map(|(path, list)| format!("{path}: {} words: {}", list.words.len(), list.words[..5].join(", ")))
        .collect();
    assert!(unknown.is_empty(), "lists of words that nothing allows:\n{}", unknown.join("\n"));
    for (file, first, _) in ALLOWED {
        let is_there = found.iter().any(|(path, list)| path == file && list.words[0].trim() == *first);
        assert!(is_there, "{file} has no list that begins with {first:?}; take it out here");
    }
}

#[test]
fn a_list_is_found_in_every_form() {
    let lists = |code: &str| {
        let mut lists = Vec::new();
        find_lists(TokenStream::from_str(code).unwrap(), &mut lists);
        lists.len()
    };
    let words = r#""wrong", "right", "agree", "ja", "recht", "同意", "oui""#;
    for (code, wanted) in [
        (format!("const A: [&str; 7] = [{words}];"), 1),
        (
            format!(
                "const A: &[(&str, u8)] = &[{}];",
                words.split(", ").map(|word| format!("({word}, 1)")).collect::<Vec<_>>().join(", ")
            ),
            1,
        ),
        (format!("fn a(b: &str) -> bool {{ matches!(b, {}) }}", words.replace(", ", " | ")), 1),
        (format!("fn a(b: &str) -> u8 {{ match b {{ {} => 1, _ => 2 }} }}", words.replace(", ", " => 0, ")), 1),
        (r#"const A: &str = "was wrong she is right we agree you have the point there fair enough indeed";"#.into(), 1),
        (r#"static A: &str = r"(?:wrong|right|agree|concede|yield|granted|touché)";"#.into(), 1),
        (
            r#"const A: &str = "This is a sentence for people, which says what they can do about it next time.";"#
                .into(),
            0,
        ),
        (format!("#[cfg(test)]\nmod tests {{ const A: [&str; 7] = [{words}]; }}"), 0),
        (r#"const A: [&str; 3] = ["yes", "no", "maybe"];"#.into(), 0),
    ] {
        assert_eq!(lists(&code), wanted, "{code}");
    }
}
