//! Names of hosts that nobody has.

/// Reserved for examples (RFC 2606): a page there is made up.
const RESERVED: [&str; 4] = ["example.com", "example.org", "example.net", "example.edu"];

/// Whether `text` names a host that is reserved for examples, or one below it.
pub fn names_reserved_host(text: &str) -> bool {
    let lower = text.to_lowercase();
    let names = lower.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.')));
    names.map(|name| name.trim_matches('.')).any(|name| {
        let mut before = RESERVED.iter().filter_map(|reserved| name.strip_suffix(reserved));
        before.any(|before| before.is_empty() || before.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_reserved_by_its_whole_name() {
        for text in
            ["https://example.com/a", "siehe www.Example.ORG.", "见example.net。", "(http://a.b.example.edu:80/x)"]
        {
            assert!(names_reserved_host(text), "{text}");
        }
        for text in ["https://counterexample.com/a", "my-example.com", "example.community", "an example. Com", ""] {
            assert!(!names_reserved_host(text), "{text}");
        }
    }
}
