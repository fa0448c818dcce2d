//! The tutorial of docs/dev/new-protocol.md is true: its code is the code that the laws cover.

const TUTORIAL: &str = include_str!("../../../../docs/dev/new-protocol.md");
const FILES: [(&str, &str, &str); 3] = [
    ("poll.toml", "toml", include_str!("poll/poll.toml")),
    ("prompts/answer.md", "jinja", include_str!("poll/prompts/answer.md")),
    ("mod.rs", "rust", include_str!("poll/mod.rs")),
];
/// Most lines of a small protocol.
const LINES_MAX: usize = 120;

#[test]
fn the_tutorial_shows_the_files_that_are_tested() {
    for (file, language, text) in FILES {
        // Within the crate it is `crate`.
        let text = text.replace("agon_protocols::", "crate::");
        let shown = format!("```{language}\n{text}```\n");
        assert!(
            TUTORIAL.contains(&shown),
            "docs/dev/new-protocol.md does not show tests/laws/poll/{file} as it stands"
        );
    }
}

#[test]
fn the_tutorial_says_how_many_lines_a_protocol_has() {
    let code = |(_, language, text): (&str, &str, &str)| {
        let comment = if language == "toml" { "#" } else { "//" };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(comment));
        lines.count()
    };
    let count: usize = FILES.into_iter().map(code).sum();
    assert!(count <= LINES_MAX, "a small protocol does not have {count} lines");
    assert!(TUTORIAL.contains(&format!("{count} lines")), "it has {count} lines of code");
}
