//! A topic as part of a folder's name.

/// Longest slug.
const CHARS_MAX: usize = 50;

/// `topic` as the source system abbreviates it: lower case, what is neither letter nor digit of
/// ASCII becomes a hyphen, several become one, the first 50 characters.
pub fn abbreviate_topic(topic: &str) -> String {
    let mut slug = String::new();
    for c in topic.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.chars().take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_50_characters_and_single_hyphens() {
        assert_eq!(abbreviate_topic("Café: is \"AI\" OK?? — yes!"), "caf-is-ai-ok-yes-");
        assert_eq!(
            abbreviate_topic("With the progress being made with AI in software engineering"),
            "with-the-progress-being-made-with-ai-in-software-e"
        );
        assert_eq!(abbreviate_topic("日本"), "-");
    }
}
