//! The tutorial of CONTRIBUTING.md is true: its code is the code that the laws cover.

const TUTORIAL: &str = include_str!("../../../../CONTRIBUTING.md");
const FILES: [(&str, &str, &str); 6] = [
    ("poll.toml", "toml", include_str!("poll/poll.toml")),
    ("prompts/answer.md", "jinja", include_str!("poll/prompts/answer.md")),
    ("people.toml", "toml", include_str!("poll/people.toml")),
    ("skill.md", "markdown", include_str!("poll/skill.md")),
    ("answer.rs", "rust", include_str!("poll/answer.rs")),
    ("mod.rs", "rust", include_str!("poll/mod.rs")),
];

#[test]
fn the_tutorial_shows_the_files_that_are_tested() {
    for (file, language, text) in FILES {
        // Within the crate it is `crate`.
        let text = text.replace("agon_protocols::", "crate::");
        let shown = format!("```{language}\n{text}```\n");
        assert!(
            TUTORIAL.contains(&shown),
            "CONTRIBUTING.md does not show tests/laws/poll/{file} as it stands"
        );
    }
}
