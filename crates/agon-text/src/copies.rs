//! Nearly verbatim copies: the most frequent fault of small models.

use std::sync::Arc;

use crate::words::each_folded_word;

/// Words in a row that count as copied together.
const RUN_WORDS: usize = 5;
/// Fewer words than this are a copy only if they are equal: short answers may agree by chance.
const WORDS_MIN: usize = 12;
/// Share of a text's runs of words from which on it is a copy.
pub const COPY_MIN: f64 = 0.7;

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

/// The words of one text and its runs of five, prepared for comparison with many others.
#[derive(Debug, Clone)]
pub struct WordRuns {
    /// Sorted.
    runs: Arc<[u64]>,
    /// Of all its words in their order.
    whole: u64,
}

impl WordRuns {
    /// Those of `text`.
    pub fn from_text(text: &str) -> Self {
        let words = hash_words(text);
        let mut runs = hash_windows(&words, RUN_WORDS);
        runs.sort_unstable();
        Self { runs: runs.into(), whole: join_hashes(&words) }
    }
}

/// The words and runs of some texts.
#[derive(Debug, Clone, Default)]
pub struct KnownTexts(Vec<WordRuns>);

impl KnownTexts {
    /// Those of `texts`, in order.
    pub fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        texts.into_iter().map(WordRuns::from_text).collect()
    }

    /// Adds one more text at the end.
    pub fn push(&mut self, text: &str) {
        self.0.push(WordRuns::from_text(text));
    }

    /// The known text that `text` copies, if any, in the sense of [`is_copy`]; of several the one that it copies most of.
    pub fn find_copied(&self, text: &str) -> Option<Copied> {
        let words = hash_words(text);
        if words.is_empty() {
            return None;
        }
        let (whole, runs) = (join_hashes(&words), hash_windows(&words, RUN_WORDS));
        let shares = self.0.iter().enumerate().filter_map(|(of, known)| {
            if known.whole == whole {
                return Some(Copied { of, share: 1.0 });
            }
            let share = copied_share(&runs, known);
            (words.len() >= WORDS_MIN && share >= COPY_MIN).then_some(Copied { of, share })
        });
        // Of equals the first.
        shares.reduce(|most, next| if next.share > most.share { next } else { most })
    }
}

impl FromIterator<WordRuns> for KnownTexts {
    fn from_iter<T: IntoIterator<Item = WordRuns>>(runs: T) -> Self {
        Self(runs.into_iter().collect())
    }
}

/// Share of the runs of five words of `one` that stand in `other`, 0 to 1; 0 for a text of fewer words.
pub fn measure_likeness(one: &str, other: &str) -> f64 {
    copied_share(&hash_windows(&hash_words(one), RUN_WORDS), &WordRuns::from_text(other))
}

/// Whether `one` is a copy of `other`: equal but for typography and case, at any length, or of twelve words or more,
/// with [`COPY_MIN`] of its runs of five words in the other.
pub fn is_copy(one: &str, other: &str) -> bool {
    KnownTexts::from_texts([other]).find_copied(one).is_some()
}

/// Whether `text` says the same words again and again: of its five-word runs 15 % or more stood in it before.
pub fn goes_in_circles(text: &str) -> bool {
    let mut different = hash_runs(text, RUN_WORDS);
    let all = different.len();
    if all + RUN_WORDS <= CIRCLE_WORDS_MIN {
        return false;
    }
    different.sort_unstable();
    different.dedup();
    1.0 - different.len() as f64 / all as f64 >= CIRCLE_SHARE
}

/// Hashes of the runs of `length` words in `text`, in order. A collision would need two different runs in two
/// short texts to agree in 64 bits.
pub fn hash_runs(text: &str, length: usize) -> Vec<u64> {
    hash_windows(&hash_words(text), length)
}

fn copied_share(runs: &[u64], known: &WordRuns) -> f64 {
    let copied = runs.iter().filter(|run| known.runs.binary_search(run).is_ok()).count();
    if runs.is_empty() { 0.0 } else { copied as f64 / runs.len() as f64 }
}

fn hash_windows(words: &[u64], length: usize) -> Vec<u64> {
    words.windows(length).map(join_hashes).collect()
}

fn hash_words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    each_folded_word(text, |_, word| {
        words.push(word.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| mix_hash(sum, byte.into())))
    });
    words
}

fn join_hashes(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, word| mix_hash(sum, *word))
}

/// One step of FNV-1a.
fn mix_hash(sum: u64, next: u64) -> u64 {
    (sum ^ next).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str =
        "Remote teams write their decisions down, and what is written down can be found again by those who join later.";

    #[test]
    fn a_copy_is_found_whatever_its_case_and_commas() {
        let copy = A.to_uppercase().replace(',', "");
        let found = KnownTexts::from_texts(["something else entirely", A]).find_copied(&copy).unwrap();
        assert_eq!((found.of, found.share), (1, 1.0));
        assert!(is_copy(&A[..A.find(" who join").unwrap()], A), "a part of it");
        assert!(!is_copy(A, "what is written down can be found again"), "more than it");
    }

    #[test]
    fn typography_makes_no_copy_new_at_any_length() {
        for (copy, of) in [
            ("I AGREE with this", "I agree with this."),
            ("Yes!", "yes"),
            ("It’s “so” — truly", "It's \"so\" - truly."),
            ("ig\u{200b}nore me", "ignore me"),
            ("cafe\u{301}", "CAFÉ"),
            ("如此。", "如此"),
            ("ＦＵＬＬ width", "full width"),
        ] {
            assert!(is_copy(copy, of), "{copy}");
        }
        for (text, of) in [("No", "yes"), ("I agree with that.", "I agree with this."), ("", ""), ("…", "—")] {
            assert!(!is_copy(text, of), "{text}");
        }
    }

    #[test]
    fn an_answer_to_a_text_is_not_a_copy_of_it() {
        let answer = "That what is written down can be found again helps only those who know where to look, and newcomers do not.";
        assert!(!is_copy(answer, A));
        assert!((0.1..0.5).contains(&measure_likeness(answer, A)), "{}", measure_likeness(answer, A));
        assert_eq!((measure_likeness("so it is", A), measure_likeness(A, A)), (0.0, 1.0));
    }

    #[test]
    fn a_copy_is_found_in_a_script_without_spaces() {
        let text = "每周一天的休息可以减少工伤事故，也让家庭有时间相聚，城市因此更有活力。";
        let copy = "每周一天的休息可以减少工伤事故也让家庭有时间相聚，城市因此更有动力";
        assert!(is_copy(copy, text));
        let answer = "减少工伤事故的是安全规则，休息的时间并不让城市更有活力，家庭相聚也不需要法律。";
        assert!(!is_copy(answer, text));
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
