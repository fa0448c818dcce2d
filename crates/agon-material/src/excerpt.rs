//! The part of a passage that is shown where the whole does not fit.

use std::collections::{HashMap, HashSet};

use crate::search_words::each_word;

/// Longest piece of a line that is shown or left out as one.
const PIECE_BYTES: usize = 400;
/// Bytes of the marks at the ends of an excerpt, and of the number of its first line.
const MARK_BYTES: usize = 24;
const MARK: &str = "…";

/// The part of `shown`, a passage as prompts show it, that has the most and the rarest of `words` within `bytes_max`; the
/// first of equals. What is left out at its ends is marked.
pub(crate) fn cut_excerpt(shown: &str, words: &[String], bytes_max: usize) -> String {
    let bytes_max = bytes_max.saturating_sub(MARK_BYTES).max(PIECE_BYTES);
    let pieces = split_pieces(shown);
    let (first, last) = find_best_range(&pieces, words, bytes_max);
    let start: usize = pieces[..first].iter().map(|piece| piece.len()).sum();
    let end = start + pieces[first..last].iter().map(|piece| piece.len()).sum::<usize>();
    let line = shown[..start].rfind('\n').map_or(0, |at| at + 1);
    let number = match (start == line, shown[line..].split_once("| ")) {
        (false, Some((number, _))) => format!("{number}| {MARK} "),
        _ => String::new(),
    };
    let cut = if shown[..end].ends_with('\n') || end == shown.len() { "" } else { " …\n" };
    format!("{number}{}{cut}", shown[start..end].trim_end_matches(' '))
}

/// `text` in pieces: lines, and long lines cut behind a blank where there is one.
fn split_pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for mut line in text.split_inclusive('\n') {
        while line.len() > PIECE_BYTES {
            let end = line.floor_char_boundary(PIECE_BYTES);
            let end = line[..end].rfind(' ').map_or(end, |blank| blank + 1);
            let (piece, rest) = line.split_at(end);
            pieces.push(piece);
            line = rest;
        }
        pieces.push(line);
    }
    pieces
}

/// The consecutive pieces, as first and end, that say most.
fn find_best_range(pieces: &[&str], words: &[String], bytes_max: usize) -> (usize, usize) {
    let wanted: HashMap<&str, usize> = words.iter().enumerate().map(|(at, word)| (word.as_str(), at)).collect();
    let said: Vec<HashSet<usize>> = pieces
        .iter()
        .map(|piece| {
            let mut said = HashSet::new();
            each_word(piece, |word| said.extend(wanted.get(word)));
            said
        })
        .collect();
    let mut frequency = vec![0_usize; words.len()];
    said.iter().flatten().for_each(|word| frequency[*word] += 1);
    let (mut found, mut most, mut end) = ((0, 1), 0.0, 0);
    let mut bytes = 0;
    for first in 0..pieces.len() {
        end = end.max(first);
        while end < pieces.len() && (end == first || bytes + pieces[end].len() <= bytes_max) {
            bytes += pieces[end].len();
            end += 1;
        }
        let window: HashSet<usize> = said[first..end].iter().flatten().copied().collect();
        let mut window: Vec<usize> = window.into_iter().collect();
        // A sum of floats depends on its order.
        window.sort_unstable();
        let score: f64 = window.into_iter().map(|word| 1.0 / frequency[word] as f64).sum();
        if first == 0 || score > most + 1e-9 {
            (found, most) = ((first, end), score);
        }
        bytes -= pieces[first].len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_the_query_asks_for_is_shown_of_a_long_line() {
        let filler = "The staff canteen opens at eight. Parking is free for visitors. ";
        let line = format!("1| {}Refunds are paid within thirty days. {}\n", filler.repeat(300), filler.repeat(300));
        let shown = cut_excerpt(&line, &words(&["the", "refunds", "parking"]), 1_500);
        assert!(shown.contains("Refunds are paid within thirty days."), "{shown}");
        assert!(shown.starts_with("1| … ") && shown.ends_with(" …\n") && shown.len() <= 1_500, "{shown}");
        let nothing = cut_excerpt(&line, &words(&["absent"]), 1_500);
        assert!(nothing.starts_with("1| The staff"), "without a word that is there, the beginning");
    }

    #[test]
    fn lines_keep_their_numbers_and_scripts_without_blanks_are_cut_between_characters() {
        let lines: String = (1..200).map(|number| format!("{number}| line of text {number}\n")).collect();
        let shown = cut_excerpt(&lines, &words(&["150"]), 800);
        assert!(
            shown.contains("150| line of text 150\n") && shown.lines().all(|line| line.contains("| line")),
            "{shown}"
        );
        let thai = format!("1| {}\n", "ค่าธรรมเนียมการคืนเงิน".repeat(400));
        let shown = cut_excerpt(&thai, &words(&["ค"]), 900);
        assert!(shown.len() <= 900 && shown.len() > 400, "{}", shown.len());
    }
}
