//! What a site's robots.txt lets a program read (RFC 9309).

use url::Url;

/// A rule of a robots.txt: whether it allows, and the normalized pattern of paths.
type Rule = (bool, String);

/// Whether a robots.txt lets `agent` read `url`: of the rules that fit, the longest counts, and of equally long
/// ones the one that allows.
pub fn is_allowed(text: &[u8], agent: &str, url: &Url) -> bool {
    let path = normalize_path(&url[url::Position::BeforePath..url::Position::AfterQuery]);
    let fitting = parse_rules(text, agent).into_iter().filter(|(_, pattern)| pattern_matches(pattern, &path));
    fitting.max_by_key(|(allowed, pattern)| (pattern.len(), *allowed)).is_none_or(|(allowed, _)| allowed)
}

/// The rules of all groups that name `agent`; where none does, those of the groups for everybody.
fn parse_rules(text: &[u8], agent: &str) -> Vec<Rule> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start_matches('\u{feff}');
    let (mut own, mut common) = (Vec::new(), Vec::new());
    let (mut is_own, mut is_common, mut is_named) = (false, false, false);
    // Names that follow each other share the rules after them.
    let mut in_names = false;
    for line in text.split(['\n', '\r']) {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "user-agent" => {
                if !in_names {
                    (is_own, is_common) = (false, false);
                }
                in_names = true;
                is_common |= value.starts_with('*');
                let end = value.find(|c: char| !c.is_ascii_alphabetic() && c != '_' && c != '-');
                is_own |= value[..end.unwrap_or(value.len())].eq_ignore_ascii_case(agent);
                is_named |= is_own;
            }
            key @ ("allow" | "disallow") => {
                in_names = false;
                // An empty rule says nothing.
                if !value.is_empty() {
                    let rule = (key == "allow", normalize_path(value));
                    common.extend(is_common.then(|| rule.clone()));
                    own.extend(is_own.then_some(rule));
                }
            }
            // Sitemaps and what RFC 9309 does not have.
            _ => {}
        }
    }
    if is_named { own } else { common }
}

/// Whether a path begins with what a pattern says: `*` is any text, `$` at its end the end of the path.
fn pattern_matches(pattern: &str, path: &str) -> bool {
    let whole = pattern.ends_with('$');
    let mut parts = pattern.strip_suffix('$').unwrap_or(pattern).split('*');
    let Some(rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return !whole || rest.is_empty() };
    let rest = between.iter().try_fold(rest, |rest, part| Some(rest.split_once(part)?.1));
    rest.is_some_and(|rest| if whole { rest.ends_with(last) } else { rest.contains(last) })
}

/// One form for paths that mean the same: letters, digits and `-._~` as they are, other encoded bytes in capitals,
/// bytes beyond ASCII encoded.
fn normalize_path(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut text = String::with_capacity(path.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let encoded = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let encoded = encoded.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, is_plain, length) = match (bytes[at], encoded) {
            (b'%', Some(byte)) => (byte, byte.is_ascii_alphanumeric() || b"-._~".contains(&byte), 3),
            (byte, _) => (byte, byte.is_ascii(), 1),
        };
        match is_plain {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
        at += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str, path: &str) -> bool {
        let url = Url::parse("https://example.org").unwrap().join(path).unwrap();
        is_allowed(text.as_bytes(), "agon-verifier", &url)
    }

    #[test]
    fn without_rules_everything_is_allowed() {
        for text in ["", "\u{feff}", "Sitemap: https://example.org/map\n", "User-agent: *\nDisallow:\n", "<html>"] {
            assert!(allowed(text, "/a"), "{text:?}");
        }
    }

    #[test]
    fn the_longest_rule_that_fits_counts_and_of_equals_the_one_that_allows() {
        let text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d\nDisallow: /d\n";
        for (path, expected) in
            [("/", true), ("/a", false), ("/ab", false), ("/a/b", true), ("/a/b/cd", false), ("/d/e", true)]
        {
            assert_eq!(allowed(text, path), expected, "{path}");
        }
    }

    #[test]
    fn groups_for_this_program_replace_those_for_everybody() {
        let everybody = "User-Agent: *\nDisallow: /\n";
        let own = "user-agent: other\r\nUser-agent: AGON-Verifier/1.0 # ours\r\nDisallow: /private\r\n";
        assert!(!allowed(everybody, "/a"));
        for text in [format!("{everybody}{own}"), format!("{own}{everybody}")] {
            assert!(allowed(&text, "/a"), "{text}");
            assert!(!allowed(&text, "/private/x"), "{text}");
        }
        // Groups of one name are one group; a name that only begins like this one is another's.
        assert!(!allowed("User-agent: agon-verifier\nAllow: /\n\nUser-agent: agon-verifier\nDisallow: /x\n", "/x"));
        assert!(allowed("User-agent: agon-verifier-2\nDisallow: /\nUser-agent: agon\nDisallow: /\n", "/x"));
        // A name after a rule begins a new group.
        assert!(allowed("User-agent: agon-verifier\nAllow: /\nUser-agent: other\nDisallow: /\n", "/x"));
    }

    #[test]
    fn stars_and_dollars_stand_for_any_text_and_for_the_end() {
        for (rule, path, fits) in [
            ("/*.pdf$", "/a/b.pdf", true),
            ("/*.pdf$", "/a/b.pdf?x", false),
            ("/a*b*c", "/a-b-b-c-d", true),
            ("/a*b*c", "/a-c-b", false),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a*$", "/abc", true),
            ("*/x", "/y/x", true),
            ("/?q=", "/?q=1", true),
            ("/aba*aba$", "/aba", false),
        ] {
            assert_eq!(!allowed(&format!("User-agent: *\nDisallow: {rule}\n"), path), fits, "{rule} {path}");
        }
    }

    #[test]
    fn encoded_and_plain_paths_are_compared_alike() {
        for (rule, path) in
            [("/%7euser", "/~user"), ("/~user", "/%7Euser"), ("/%61b", "/ab"), ("/ä", "/%C3%A4"), ("/%c3%a4", "/ä")]
        {
            assert!(!allowed(&format!("User-agent: *\nDisallow: {rule}\n"), path), "{rule} {path}");
        }
        // An encoded slash is not a slash, and a percent sign alone is one.
        assert!(allowed("User-agent: *\nDisallow: /a/b\n", "/a%2Fb"));
        assert!(!allowed("User-agent: *\nDisallow: /100%\n", "/100%/x"));
    }

    #[test]
    fn bytes_that_are_no_text_end_nothing() {
        let text = b"\xff\xfe\nUser-agent: *\nDisallow: /\xff\nDisallow: /x\n";
        assert!(!is_allowed(text, "agon-verifier", &Url::parse("https://example.org/x").unwrap()));
    }
}
