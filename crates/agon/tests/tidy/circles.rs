//! No two files import each other, directly or by way of others: each can be read after those it rests on.
//!
//! An import is a path through `crate`, `super`, `self` or a module of the file, in a `use` or in the code. It
//! counts for the file that defines the name, whichever module hands it on. A module and those below it are one
//! piece of work: what a parent takes from its children does not count, what they take from it does.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use crate::tidy::root;

/// A module as it is called within its crate; the root has no segments.
pub type Name = Vec<String>;

/// How many re-exports are followed for one name; more would be a loop.
const HOPS_MAX: usize = 16;

pub struct Module {
    pub file: PathBuf,
    pub tokens: Vec<String>,
    children: BTreeSet<String>,
    uses: Vec<Use>,
}

/// One name that a `use` brings in; `*` for all names of a module.
struct Use {
    path: Name,
    bound: String,
    hands_on: bool,
}

/// Words, `::` and single signs, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut tokens, mut at): (Vec<String>, usize) = (Vec::new(), 0);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(&c) = chars.get(at) {
        let rest = &chars[at..];
        let until = |end: &str| {
            let end: Vec<char> = end.chars().collect();
            rest.windows(end.len()).position(|window| window == end).map_or(rest.len(), |found| found + end.len())
        };
        let hashes = rest.iter().skip(1).take_while(|c| **c == '#').count();
        if rest.starts_with(&['/', '/']) {
            at += until("\n");
        } else if rest.starts_with(&['/', '*']) {
            at += until("*/");
        } else if c == 'r' && rest.get(1 + hashes) == Some(&'"') {
            let end: Vec<char> = format!("\"{}", "#".repeat(hashes)).chars().collect();
            let body = &rest[2 + hashes..];
            let found = body.windows(end.len()).position(|window| window == end).unwrap_or(body.len());
            at += 2 + hashes + found + end.len();
        } else if c == '"' {
            at += 1;
            while chars.get(at).is_some_and(|c| *c != '"') {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if c == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
            at += 3;
            while chars[at - 1] != '\'' || (chars[at - 2] == '\\' && chars[at - 3] != '\\') {
                at += 1;
            }
        } else if is_word(c) {
            let word: String = rest.iter().take_while(|c| is_word(**c)).collect();
            at += word.chars().count();
            tokens.push(word);
        } else if rest.starts_with(&[':', ':']) {
            tokens.push("::".into());
            at += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(c.into());
            }
            at += 1;
        }
    }
    tokens
}

/// Without the items that are for tests alone.
fn shipped(tokens: Vec<String>) -> Vec<String> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let marked = tokens[at..].iter().take(7).map(String::as_str).eq(["#", "[", "cfg", "(", "test", ")", "]"]);
        if !marked {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += 7;
        let mut depth = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token.as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 && (token == ";" || token == "}") {
                break;
            }
        }
    }
    kept
}

/// The names of a `use` from its first token after `before`, and how many tokens they take.
fn tree(tokens: &[String], before: &[String], found: &mut Vec<(Name, String)>) -> usize {
    let (mut path, mut at) = (before.to_vec(), 0);
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "::" => {}
            "{" => {
                while tokens.get(at).is_some_and(|token| token != "}") {
                    at += tree(&tokens[at..], &path, found);
                    at += usize::from(tokens.get(at).is_some_and(|token| token == ","));
                }
                return at + 1;
            }
            ";" | "," | "}" => {
                at -= 1;
                break;
            }
            "as" => {
                let bound = tokens.get(at).cloned().unwrap_or_default();
                found.push((path, bound));
                return at + 1;
            }
            "self" if !path.is_empty() => {}
            _ => path.push(token.clone()),
        }
    }
    let bound = path.last().cloned().unwrap_or_default();
    found.push((path, bound));
    at
}

fn read(file: &Path) -> Module {
    let tokens = shipped(tokens(&fs::read_to_string(file).unwrap()));
    let (mut children, mut uses, mut code) = (BTreeSet::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let [first, second, third] = [at, at + 1, at + 2].map(|at| tokens.get(at).map_or("", String::as_str));
        if first == "mod" && third == ";" {
            children.insert(second.to_owned());
            at += 3;
        } else if first == "use" && second != "<" {
            let hands_on = at > 0 && ["pub", ")"].contains(&tokens[at - 1].as_str());
            let mut found = Vec::new();
            at += 1 + tree(&tokens[at + 1..], &[], &mut found);
            uses.extend(found.into_iter().map(|(path, bound)| Use { path, bound, hands_on }));
        } else {
            code.push(first.to_owned());
            at += 1;
        }
    }
    Module { file: file.to_owned(), tokens: code, children, uses }
}

/// Every shipped module of a crate, found as the compiler finds it.
pub fn modules(source: &Path) -> BTreeMap<Name, Module> {
    let mut modules = BTreeMap::new();
    let root = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|file| file.is_file());
    let mut waiting = vec![(Name::new(), root.unwrap())];
    while let Some((name, file)) = waiting.pop() {
        let module = read(&file);
        for child in &module.children {
            let name = [name.as_slice(), std::slice::from_ref(child)].concat();
            let stem = source.join(name.join("/"));
            let files = [stem.with_extension("rs"), stem.join("mod.rs")];
            let file = files.into_iter().find(|file| file.is_file());
            let file = file.unwrap_or_else(|| panic!("{}: no file for mod {child}", module.file.display()));
            waiting.push((name, file));
        }
        modules.insert(name, module);
    }
    modules
}

/// The module that defines what `path` names as seen from `module`, and the name; none for another crate's.
/// The name is empty where the path names a module.
fn defined(all: &BTreeMap<Name, Module>, module: &Name, path: &[String], hops: usize) -> Option<(Name, String)> {
    if hops > HOPS_MAX {
        return None;
    }
    let mut place = module.clone();
    let mut rest = path;
    let relative = ["crate", "self", "super"].contains(&path.first()?.as_str());
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "crate" => place.clear(),
            "self" => {}
            "super" => drop(place.pop()),
            _ => break,
        }
        rest = after;
    }
    while let Some((first, after)) = rest.split_first() {
        let here = &all[&place];
        if here.children.contains(first) {
            place.push(first.clone());
        } else if let Some(handed) = here.uses.iter().find(|used| used.bound == *first && used.path != path) {
            return defined(all, &place, &[handed.path.as_slice(), after].concat(), hops + 1);
        } else if place == *module && !relative {
            return None;
        } else {
            let globs = here.uses.iter().filter(|used| used.bound == "*");
            let mut from = globs.filter_map(|used| {
                let path = [&used.path[..used.path.len() - 1], rest].concat();
                let (place, name) = defined(all, &place, &path, hops + 1)?;
                all[&place].tokens.windows(2).any(|pair| is_item(&pair[0]) && pair[1] == name).then_some((place, name))
            });
            return Some(from.next().unwrap_or_else(|| (place.clone(), first.clone())));
        }
        rest = after;
    }
    Some((place, String::new()))
}

fn is_item(word: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "const", "static", "union"].contains(&word)
}

/// Every path of a module, in its imports and in its code.
pub fn paths(module: &Module) -> Vec<Name> {
    let handed = |used: &&Use| !(used.hands_on && used.path.first().is_some_and(|first| first == "self"));
    let mut paths: Vec<Name> = module.uses.iter().filter(handed).map(|used| used.path.clone()).collect();
    let mut at = 0;
    while at < module.tokens.len() {
        let mut path = vec![module.tokens[at].clone()];
        let begins = at == 0 || !["::", ".", "$"].contains(&module.tokens[at - 1].as_str());
        while let [sign, next, ..] = &module.tokens[at + 1..] {
            if sign != "::" || !next.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                break;
            }
            path.push(next.clone());
            at += 2;
        }
        at += 1;
        if begins && path.len() > 1 {
            paths.push(path);
        }
    }
    paths
}

/// What each module takes from which others.
pub fn imports(all: &BTreeMap<Name, Module>) -> BTreeMap<&Name, BTreeMap<Name, BTreeSet<String>>> {
    let mut imports: BTreeMap<&Name, BTreeMap<Name, BTreeSet<String>>> = BTreeMap::new();
    for (name, module) in all {
        for path in paths(module) {
            // A module itself is no definition: what is taken from it has a longer path.
            let Some((place, what)) = defined(all, name, &path, 0).filter(|(_, what)| !what.is_empty()) else {
                continue;
            };
            if place != *name && !place.starts_with(name) {
                imports.entry(name).or_default().entry(place).or_default().insert(what);
            }
        }
    }
    imports
}

/// The shortest way from a module back to itself.
fn circle<'a>(
    imports: &'a BTreeMap<&'a Name, BTreeMap<Name, BTreeSet<String>>>,
    start: &'a Name,
) -> Option<Vec<&'a Name>> {
    let mut before: BTreeMap<&Name, &Name> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(name) = waiting.pop_front() {
        for next in imports.get(name).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let mut way = vec![start, name];
                while let Some(earlier) = before.get(way[way.len() - 1]).filter(|_| way[way.len() - 1] != start) {
                    way.push(earlier);
                }
                way.reverse();
                way.dedup();
                return Some(way);
            }
            if !before.contains_key(next) {
                before.insert(next, name);
                waiting.push_back(next);
            }
        }
    }
    None
}

fn circles(source: &Path) -> Vec<String> {
    let all = modules(source);
    let imports = imports(&all);
    let mut told: BTreeSet<&Name> = BTreeSet::new();
    let mut circles = Vec::new();
    for start in all.keys() {
        let Some(way) = circle(&imports, start).filter(|_| !told.contains(start)) else { continue };
        told.extend(&way);
        let steps = way.windows(2).map(|pair| {
            let names: Vec<&str> = imports[pair[0]][pair[1]].iter().map(String::as_str).collect();
            let file = |name: &Name| all[name].file.strip_prefix(root()).unwrap().display().to_string();
            format!("  {} takes {} from {}", file(pair[0]), names.join(", "), file(pair[1]))
        });
        circles.push(steps.collect::<Vec<_>>().join("\n"));
    }
    circles
}

#[test]
fn no_files_import_each_other() {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        found.extend(circles(&entry.unwrap().path().join("src")));
    }
    assert!(
        found.is_empty(),
        "files import each other; move what both need into a file below them:\n{}",
        found.join("\n\n")
    );
}
