//! The lines of a diff before the first hunk of a file: names, modes, renames.

use super::FileDiff;

/// Prefixes that git puts before the old and the new path; the second and the reversed ones come from
/// options.
const PREFIXES: [(&str, &str); 6] =
    [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/")];

/// A path that is not there.
const NONE: &str = "/dev/null";

/// Fills in what the lines of `diff.header` say.
pub(super) fn interpret_header(diff: &mut FileDiff) {
    let mut names = (None, None);
    let mut moved = (None, None);
    let mut git_line = None;
    let (mut is_new, mut is_deleted) = (false, false);
    for line in diff.header.clone() {
        // A diff that was saved with CRLF has a carriage return here too.
        let line = line.trim_end_matches('\r');
        if let Some(rest) = line.strip_prefix("diff --git ") {
            git_line = Some(rest.to_owned());
        } else if let Some(name) = line.strip_prefix("--- ") {
            names.0 = Some(name.to_owned());
        } else if let Some(name) = line.strip_prefix("+++ ") {
            names.1 = Some(name.to_owned());
        } else if let Some(name) = line.strip_prefix("rename from ").or(line.strip_prefix("copy from ")) {
            moved.0 = Some(name.to_owned());
        } else if let Some(name) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to ")) {
            moved.1 = Some(name.to_owned());
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            (is_new, diff.mode) = (true, Some(mode.to_owned()));
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            (is_deleted, diff.mode) = (true, Some(mode.to_owned()));
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            diff.mode = Some(mode.to_owned());
        } else if let Some(rest) = line.strip_prefix("index ") {
            if let Some((_, mode)) = rest.split_once(' ') {
                diff.mode = Some(mode.to_owned());
            }
        } else if (line.starts_with("Binary files ") && line.ends_with(" differ")) || line == "GIT binary patch" {
            diff.is_binary = true;
        }
    }
    let is_git = git_line.is_some();
    let is_bare = git_line.as_deref().is_some_and(is_bare);
    let without_prefixes = |old, new| match is_bare {
        true => (old, new),
        false => without_prefixes(old, new, is_git),
    };
    let (old, new) = match (names, moved) {
        // Names of a rename are written without prefixes.
        (_, (Some(old), Some(new))) => (unquote_path(&old, diff), unquote_path(&new, diff)),
        ((Some(old), Some(new)), _) => {
            let old = unquote_path(without_time(&old), diff);
            let new = unquote_path(without_time(&new), diff);
            without_prefixes(old, new)
        }
        _ => {
            let (old, new) = git_line.as_deref().and_then(split_equal_paths).unwrap_or_default();
            let (old, new) = (unquote_path(&old, diff), unquote_path(&new, diff));
            without_prefixes(old, new)
        }
    };
    diff.old_path = (!is_new && old != NONE).then_some(old);
    diff.new_path = (!is_deleted && new != NONE).then_some(new);
}

/// `diff -u` writes a tab and the time behind a path; git writes a tab behind a path with spaces.
fn without_time(name: &str) -> &str {
    match name.strip_prefix('"').and_then(closing_quote) {
        Some(end) => &name[..end + 2],
        None => name.split_once('\t').map_or(name, |(name, _)| name),
    }
}

/// The two paths of `diff --git`. Without quotes they are told apart only because both are the same; the
/// other cases have lines of their own for them.
fn split_equal_paths(line: &str) -> Option<(String, String)> {
    if let Some(rest) = line.strip_prefix('"') {
        let end = closing_quote(rest)?;
        let (old, new) = (&line[..end + 2], rest[end + 1..].trim_start());
        return Some((old.to_owned(), new.to_owned()));
    }
    let halves = line.match_indices(' ').map(|(at, _)| (&line[..at], &line[at + 1..]));
    let without = |name: &str| name.split_once('/').map_or(name.to_owned(), |(_, rest)| rest.to_owned());
    let mut equal = halves.filter(|(old, new)| old == new || without(old) == without(new));
    equal.next().map(|(old, new)| (old.to_owned(), new.to_owned()))
}

/// Whether both names of `diff --git` are the same: only where git sets no prefixes, and then a folder can be called `b`.
fn is_bare(line: &str) -> bool {
    let half = line.len() / 2;
    line.as_bytes().get(half) == Some(&b' ') && line[..half] == line[half + 1..]
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })
}

fn without_prefixes(old: String, new: String, is_git: bool) -> (String, String) {
    let strip = |path: &str, prefix: &str| match path == NONE {
        true => Some(path.to_owned()),
        false => path.strip_prefix(prefix).map(str::to_owned),
    };
    // `diff -u` sets no prefixes; those who name their folders `a` and `b` want what git does.
    let known = if is_git { &PREFIXES[..] } else { &PREFIXES[..1] };
    for (first, second) in known.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]) {
        if let (Some(old), Some(new)) = (strip(&old, first), strip(&new, second)) {
            return (old, new);
        }
    }
    (old, new)
}

/// A path, unquoted if it is in quotes. A path that is not UTF-8 is marked in `diff`.
fn unquote_path(name: &str, diff: &mut FileDiff) -> String {
    let Some(quoted) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                // Three octal digits make a byte; a fourth bit of the first would not fit.
                let append = |value: u32, digit: u8| value * 8 + u32::from(digit.wrapping_sub(b'0') & 7);
                let value = rest.by_ref().take(2).fold(u32::from(digit - b'0'), append);
                bytes.push((value & 255) as u8);
            }
            Some(letter) => bytes.push(match letter {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            }),
            None => {}
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| {
        diff.has_foreign_path = true;
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}
