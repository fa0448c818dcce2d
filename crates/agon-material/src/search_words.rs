//! The words by which material is found. Index and queries use the same function, so that they agree.

use agon_text::is_unspaced;

/// Longer words are data, not words: digests, encoded files.
const WORD_BYTES_MAX: usize = 64;

/// Frequent English words, which tell little about what is looked for. Few, because identifiers are short
/// words too.
const STOP_WORDS: [&str; 40] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "but", "can", "does", "for", "from", "has", "have", "in", "is",
    "it", "its", "not", "of", "on", "or", "should", "so", "that", "the", "their", "then", "there", "these", "they",
    "this", "to", "was", "what", "which", "will", "with", "would",
];

/// Calls `each` with every word of `text`, in lower case. An identifier like `quoteCheck` counts as a whole
/// and by its parts; a script without spaces counts by its characters.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        if run.len() > WORD_BYTES_MAX && run.is_ascii() {
            continue;
        }
        if run.chars().any(is_unspaced) {
            for c in run.chars() {
                each(c.encode_utf8(&mut [0; 4]));
            }
            continue;
        }
        let mut give = |part: &str| {
            word.clear();
            word.extend(part.chars().flat_map(char::to_lowercase));
            if word.len() <= WORD_BYTES_MAX {
                each(&word);
            }
        };
        give(run);
        let mut start = 0;
        for at in find_part_starts(run) {
            give(&run[start..at]);
            start = at;
        }
        if start > 0 {
            give(&run[start..]);
        }
    }
}

/// Where a new part of an identifier begins: `quote|Check`, `HTTP|Server`.
fn find_part_starts(run: &str) -> impl Iterator<Item = usize> {
    let bytes = run.as_bytes();
    let is_upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let is_lower = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (1..bytes.len()).filter(move |at| is_upper(*at) && (is_lower(at - 1) || (is_upper(at - 1) && is_lower(at + 1))))
}

/// The first `count_max` different words of a query, without those that occur everywhere.
pub(crate) fn query_words(query: &str, count_max: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    each_word(query, |word| {
        if words.len() < count_max && !STOP_WORDS.contains(&word) && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_prose_and_code() {
        for (text, words) in [
            ("The record, once.", "record once"),
            ("fn put_all(&self)", "fn put all self"),
            ("MaterialStore::open", "materialstore material store open"),
            ("HTTPServer parseURL x1", "httpserver http server parseurl parse url x1"),
            ("Straße ÄRGER", "straße ärger"),
            ("检查 한글", "检 查 한글"),
            (&"f".repeat(65), ""),
        ] {
            assert_eq!(query_words(text, 100).join(" "), words, "{text}");
        }
        assert_eq!(query_words("b b c d", 2), ["b", "c"]);
    }
}
