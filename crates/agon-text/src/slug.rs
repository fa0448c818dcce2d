//! Texts as parts of file names: lower-case letters, digits and hyphens.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// The letters and digits of ASCII in `lower`, which is in lower case; whatever stands between them is one hyphen.
pub fn hyphenate(lower: impl IntoIterator<Item = char>) -> String {
    let mut slug = String::new();
    for c in lower {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// `text` in compatibility decomposition, without the marks on its letters.
pub fn without_marks(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    decomposed.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect()
}

/// A topic by the rule of the duel's source system. Compatibility decomposition, marks dropped, lower case, whatever is
/// neither a letter nor a digit of ASCII one hyphen; `debate` where nothing is left.
pub fn topic_slug(topic: &str) -> String {
    let slug = hyphenate(without_marks(topic).chars().flat_map(char::to_lowercase));
    if slug.is_empty() { "debate".into() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::topic_slug;

    #[test]
    fn a_slug_follows_the_rule_of_the_format() {
        for (topic, want) in [
            ("Should we write decisions down?", "should-we-write-decisions-down"),
            ("Übergrößen & Cafés: 2½ ﬁelds", "ubergro-en-cafes-21-2-fields"),
            ("  --A--  B__C  ", "a-b-c"),
            ("Ångström Ⅷ ｆｕｌｌ", "angstrom-viii-full"),
            ("決定を書く", "debate"),
            ("", "debate"),
            ("../../etc/passwd", "etc-passwd"),
        ] {
            assert_eq!(topic_slug(topic), want, "{topic:?}");
        }
    }
}
