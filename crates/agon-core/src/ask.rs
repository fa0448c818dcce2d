//! When a protocol is proposed for a question: the words that ask for it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The part of a manifest that says which questions a protocol is proposed for.
///
/// A phrase is words in lower case; a word that ends with `*` stands for every word that begins so.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskSpec {
    /// Phrases that name its kind of work: where one stands in the question, it is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Phrases that a question begins with; a name of another protocol weighs more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begins: Vec<String>,
    /// Why such a question is for it, to follow "because".
    pub why: String,
    /// Whether it is proposed where no phrase fits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub otherwise: bool,
    /// Options that a question gets which asks for something quick.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub quick: Map<String, Value>,
    /// The option that gets the question where the motion is a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// The phrase of `phrases` that stands in `words`, which are in lower case; at their beginning only if `begins`.
pub fn phrase_in<'p>(phrases: &'p [String], words: &[&str], begins: bool) -> Option<&'p str> {
    let fits = |phrase: &&String| {
        let parts: Vec<&str> = phrase.split_whitespace().collect();
        let is_word = |(part, word): (&&str, &&str)| match part.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == part,
        };
        let is_here = |from: &[&str]| parts.iter().zip(from).all(is_word);
        let mut places = words.windows(parts.len().max(1)).filter(|_| !parts.is_empty());
        if begins { places.next().is_some_and(is_here) } else { places.any(is_here) }
    };
    phrases.iter().find(fits).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_as_whole_words() {
        let phrases = ["second opinion".to_owned(), "bug*".to_owned()];
        for (question, begins, found) in [
            ("a second opinion please", false, Some("second opinion")),
            ("second opinions", false, None),
            ("find the bugs", false, Some("bug*")),
            ("debug it", false, None),
            ("find the bugs", true, None),
            ("bugs here", true, Some("bug*")),
            ("", false, None),
        ] {
            let words: Vec<&str> = question.split_whitespace().collect();
            assert_eq!(phrase_in(&phrases, &words, begins), found, "{question}");
        }
    }
}
