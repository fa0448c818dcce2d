//! Whether two short texts say the same. Models hardly ever write a sentence twice, so what counts is
//! the words that bear the meaning: not their order, nor articles and words of comparison.

use std::collections::BTreeSet;

use super::document::normalised;

/// Share of the words of two texts that makes them the same.
const SAME_SHARE: f64 = 0.6;
/// Words that tell no two points apart.
const EMPTY: [&str; 42] = [
    "a", "an", "the", "this", "that", "these", "its", "it", "is", "are", "was", "were", "be", "been", "of",
    "to", "in", "on", "at", "for", "and", "or", "as", "by", "with", "from", "than", "my", "mine", "our",
    "your", "their", "own", "has", "have", "does", "do", "so", "more", "better", "also", "very",
];
/// Words that turn what is said into its opposite.
const DENIALS: [&str; 9] = ["no", "not", "never", "without", "none", "neither", "nor", "cannot", "t"];

/// The words of a text that bear its meaning.
fn words(text: &str) -> BTreeSet<String> {
    let plain = normalised(text);
    let words = plain.split(' ').filter(|word| !word.is_empty() && !EMPTY.contains(word));
    let words = words.filter(|word| !DENIALS.contains(word));
    // The plural of a word is the word.
    words
        .map(|word| word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word).to_owned())
        .collect()
}

fn denied(text: &str) -> bool {
    normalised(text).split(' ').any(|word| DENIALS.contains(&word))
}

/// Whether two texts make the same point: most of their words are the same, numbers and ids all of them,
/// and one does not deny what the other says.
pub fn same(one: &str, other: &str) -> bool {
    if normalised(one) == normalised(other) {
        return !normalised(one).is_empty();
    }
    let (left, right) = (words(one), words(other));
    let (both, either) = (left.intersection(&right).count(), left.union(&right).count());
    let numbered = left.symmetric_difference(&right).any(|word| word.contains(|c: char| c.is_ascii_digit()));
    both > 0 && both as f64 >= SAME_SHARE * either as f64 && !numbered && denied(one) == denied(other)
}

/// The points that none of `notes` names. A note names every point whose words it has, and one point
/// more of whose words it has most.
pub fn unnamed<'p>(points: &[&'p str], notes: &[String]) -> Vec<&'p str> {
    let notes: Vec<(String, BTreeSet<String>)> =
        notes.iter().map(|note| (normalised(note), words(note))).collect();
    let share = |point: &str, note: &(String, BTreeSet<String>)| {
        let wanted = words(point);
        match wanted.len() {
            0 => f64::from(u8::from(note.0.contains(&normalised(point)))),
            all => wanted.intersection(&note.1).count() as f64 / all as f64,
        }
    };
    let mut left: Vec<&str> =
        points.iter().copied().filter(|point| !notes.iter().any(|note| share(point, note) >= 1.0)).collect();
    let whole = |note: &&(String, BTreeSet<String>)| !points.iter().any(|point| share(point, note) >= 1.0);
    for note in notes.iter().filter(whole) {
        let closest = left.iter().map(|point| share(point, note)).enumerate().rev();
        if let Some((at, _)) =
            closest.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, most)| *most >= SAME_SHARE)
        {
            let named = left.remove(at);
            left.retain(|point| normalised(point) != normalised(named));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_in_other_words_is_the_same_and_its_denial_is_not() {
        for (one, other, want) in [
            ("A b.", "a  B", true),
            ("The error handling is better than mine.", "Error handling is better", true),
            (
                "Its acceptance criteria are sharper.",
                "The criteria for acceptance are sharper than mine",
                true,
            ),
            ("The cache is needed.", "The cache is not needed.", false),
            ("The cache is simpler.", "The queue is simpler.", false),
            ("Task P1-T02 has sharper criteria", "Task P1-T03 has sharper criteria", false),
            ("a", "b", false),
            (".", "!", false),
            ("", "", false),
        ] {
            assert_eq!((same(one, other), same(other, one)), (want, want), "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_note_names_the_points_whose_words_it_has() {
        let points = ["Order of the tasks of 1", "Order of the tasks of 2"];
        let left = |notes: &[&str]| {
            let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
            unnamed(&points, &notes).len()
        };
        assert_eq!(left(&[]), 2);
        assert_eq!(left(&["Order of the tasks"]), 1, "one note, one point");
        assert_eq!(left(&["Order of the tasks", "Tasks: their order"]), 0);
        assert_eq!(left(&["The order of tasks of 1 and of 2"]), 0, "both are named");
        assert_eq!(left(&["The tasks of 1, whose order is open", "The store"]), 1);
        let twice = ["Order of tasks", "order of  tasks."];
        assert_eq!(unnamed(&twice, &["Tasks, in which order".to_owned()]), Vec::<&str>::new());
    }
}
