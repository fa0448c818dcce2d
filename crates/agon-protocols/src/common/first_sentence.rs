//! The beginning of a text, for who reads it in a list.

use agon_text::split_sentences;

use super::fields::one_line;

/// Longest gist, in characters.
const GIST_CHARS_MAX: usize = 240;
/// A shorter sentence says nothing by itself, and the next one is told with it.
const GIST_BYTES_MIN: usize = 20;

/// The first sentence of `text` on one line, cut where it is long.
pub fn extract_gist(text: &str) -> String {
    let line = one_line(text);
    let mut ends = split_sentences(&line).into_iter().map(|sentence| sentence.trim().range.end);
    let sentence = ends.find(|end| *end > GIST_BYTES_MIN).map_or(line.as_str(), |end| &line[..end]);
    let cut: String = sentence.chars().take(GIST_CHARS_MAX).collect();
    if cut.len() < sentence.len() { cut + "…" } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gist_is_the_first_sentence() {
        assert_eq!(
            extract_gist("Costs fell. Yes, a lot of them did fall. More."),
            "Costs fell. Yes, a lot of them did fall."
        );
        assert_eq!(extract_gist("no end at all"), "no end at all");
        assert!(extract_gist(&"word ".repeat(200)).ends_with('…'));
    }
}
