//! Nearly verbatim copies: the most frequent fault of small models.

use std::sync::Arc;

/// Words in a row that count as copied together.
const GRAM: usize = 5;
/// Fewer words than this are never called a copy: short answers may agree by chance.
const WORDS_MIN: usize = 12;
/// Share of a text's five-word runs that make it a copy.
pub const COPY_SHARE: f64 = 0.7;

/// Fewer words than this cannot go in circles.
const CIRCLE_WORDS_MIN: usize = 60;
/// Share of a text's five-word runs that stood in it before which makes it go in circles. Kept debates of
/// small models: 0.17 to 0.25 where a reader sees a loop, 0.12 at most elsewhere.
const CIRCLE_SHARE: f64 = 0.15;

/// An earlier text that a new one copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Copied {
    /// Index among the earlier texts.
    pub of: usize,
    /// Share of the new text's five-word runs that stand in the earlier one, 0 to 1.
    pub share: f64,
}

/// The runs of words of one text, prepared for comparison with many others.
#[derive(Debug, Clone)]
pub struct Runs(Arc<[u64]>);

impl Runs {
    /// The runs of `text`.
    pub fn of(text: &str) -> Self {
        let mut runs = runs(text, GRAM);
        runs.sort_unstable();
        Self(runs.into())
    }
}

/// The runs of some texts.
#[derive(Debug, Clone, Default)]
pub struct KnownTexts(Vec<Runs>);

impl KnownTexts {
    /// The runs of `texts`, in order.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        texts.into_iter().map(Runs::of).collect()
    }

    /// Adds one more text at the end.
    pub fn push(&mut self, text: &str) {
        self.0.push(Runs::of(text));
    }

    /// The known text that `text` copies nearly verbatim, if any: [`COPY_SHARE`] of its five-word
    /// runs or more. Case and punctuation do not count.
    pub fn copied(&self, text: &str) -> Option<Copied> {
        let runs = runs(text, GRAM);
        if runs.len() + GRAM <= WORDS_MIN {
            return None;
        }
        let shares = self.0.iter().enumerate().map(|(of, known)| {
            let copied = runs.iter().filter(|run| known.0.binary_search(run).is_ok()).count();
            Copied { of, share: copied as f64 / runs.len() as f64 }
        });
        shares.filter(|c| c.share >= COPY_SHARE).max_by(|a, b| a.share.total_cmp(&b.share))
    }
}

impl FromIterator<Runs> for KnownTexts {
    fn from_iter<T: IntoIterator<Item = Runs>>(runs: T) -> Self {
        Self(runs.into_iter().collect())
    }
}

/// Whether `text` says the same words again and again: of its five-word runs 15 % or more stood in it before.
pub fn goes_in_circles(text: &str) -> bool {
    let mut different = runs(text, GRAM);
    let all = different.len();
    if all + GRAM <= CIRCLE_WORDS_MIN {
        return false;
    }
    different.sort_unstable();
    different.dedup();
    1.0 - different.len() as f64 / all as f64 >= CIRCLE_SHARE
}

/// Hashes of the runs of `length` words in `text`, in order. A collision would need two different runs in two
/// short texts to agree in 64 bits.
pub fn runs(text: &str, length: usize) -> Vec<u64> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<u64> = words.map(hash).collect();
    words.windows(length).map(|run| run.iter().fold(0, |sum, word| fold(sum, *word))).collect()
}

/// FNV-1a over the lower-case letters of a word.
fn hash(word: &str) -> u64 {
    const BEGIN: u64 = 0xcbf2_9ce4_8422_2325;
    if word.is_ascii() {
        // The same, without looking up what is small in other scripts.
        return word.bytes().fold(BEGIN, |sum, byte| fold(sum, u64::from(byte.to_ascii_lowercase())));
    }
    word.chars().flat_map(char::to_lowercase).fold(BEGIN, |sum, c| fold(sum, u64::from(c)))
}

fn fold(sum: u64, next: u64) -> u64 {
    (sum ^ next).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_alike_whatever_its_letters_are_in() {
        assert_eq!(hash("WORD"), hash("word"));
        // The sign for kelvin is a k in small letters.
        assert_eq!(hash("\u{212a}EY"), hash("key"));
    }

    const A: &str = "Remote teams write their decisions down, and what is written down can be found again by those who join later.";

    #[test]
    fn a_copy_is_found_whatever_its_case_and_commas() {
        let copy = A.to_uppercase().replace(',', "");
        let found = KnownTexts::of(["something else entirely", A]).copied(&copy).unwrap();
        assert_eq!((found.of, found.share), (1, 1.0));
    }

    #[test]
    fn an_answer_to_a_text_is_no_copy_of_it() {
        let answer = "That what is written down can be found again helps only those who know where to look, and newcomers do not.";
        assert_eq!(KnownTexts::of([A]).copied(answer), None);
        assert_eq!(KnownTexts::of(["I agree with this."]).copied("I agree with this."), None);
    }

    #[test]
    fn a_text_that_says_the_same_again_and_again_goes_in_circles() {
        let told = |subject: &str| {
            format!(
                "The first side provides an argument that {subject} is a skill, while the second side provides an argument that {subject} is not a skill at all. "
            )
        };
        let subjects = ["writing", "reading", "counting", "drawing"];
        assert!(goes_in_circles(&subjects.map(told).concat()));
        let plain = "Meetings end and leave nothing behind, the proposition said, and its strongest reason was that whoever joins a team in spring cannot ask what was decided in autumn. The opposition met this with the cost of writing: each hour at the keyboard is an hour without talk, and minutes that nobody reads help nobody. The judge gave more to the first, since the cost was named but never weighed against what is lost.";
        assert!(!goes_in_circles(plain));
        assert!(!goes_in_circles(&"Again. ".repeat(50)), "too short to tell");
    }
}
