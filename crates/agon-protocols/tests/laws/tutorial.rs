//! The tutorial of CONTRIBUTING.md is true: its code is the code that the laws cover.

const TUTORIAL: &str = include_str!("../../../../CONTRIBUTING.md");
const FILES: [(&str, &str, &str); 4] = [
    ("poll.toml", "toml", include_str!("poll/poll.toml")),
    ("prompts/answer.md", "jinja", include_str!("poll/prompts/answer.md")),
    ("answer.rs", "rust", include_str!("poll/answer.rs")),
    ("mod.rs", "rust", include_str!("poll/mod.rs")),
];

#[test]
fn the_tutorial_shows_the_files_that_are_tested() {
    for (file, language, text) in FILES {
        let shown = format!("```{language}\n{text}```\n");
        assert!(
            TUTORIAL.contains(&shown),
            "CONTRIBUTING.md does not show tests/laws/poll/{file} as it stands"
        );
    }
}
