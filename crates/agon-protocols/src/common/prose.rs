//! Prose taken apart: sentences, which are what people quote.

/// Sentences of a text on one line, in their order; what stands behind the last mark is one too.
pub fn sentences(plain: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in plain.char_indices() {
        let after = &plain[at + c.len_utf8()..];
        if ".!?".contains(c) && (after.is_empty() || after.starts_with([' ', '"'])) {
            let end = at + c.len_utf8();
            sentences.push(plain[start..end].trim().trim_start_matches('"').trim_start());
            start = end;
        }
    }
    sentences.push(plain[start..].trim().trim_start_matches('"').trim_start());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_within_a_word_ends_no_sentence() {
        assert_eq!(sentences("It cost 3.5 euros. \"Why?\" Yes"), ["It cost 3.5 euros.", "Why?", "Yes"]);
    }
}
