//! Items: questions with choices and gold answers, one JSON object on each line.
//!
//! Choices overlap, and are refused, where two are equal without regard to case, spaces and a full stop at the end, or
//! where one consists of the first words of another: "Paris" and "Paris, Texas". A free text that begins with the
//! longer one would fit both. A letter before each choice ("A. Paris") makes them distinct.

use std::{collections::BTreeSet, io::BufRead};

use serde::{Deserialize, Serialize};

use crate::json_lines::{BoundedLines, LocatedFault, quote_text};

/// Items of one file. Their ids are kept to find duplicates; all else is read item by item.
pub const ITEMS_MAX: usize = 1_000_000;
/// Choices of one item: as many as there are letters.
pub const CHOICES_MAX: usize = 26;
/// Bytes of an id or of a cluster's name; they become parts of file names and of table rows.
pub const ID_BYTES_MAX: usize = 200;
/// Characters of a question, as of a motion.
pub const QUESTION_CHARS_MAX: usize = 20_000;
/// Characters of one choice.
pub const CHOICE_CHARS_MAX: usize = 4_000;

/// A question of an evaluation.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name; no other item of the file has it.
    pub id: String,
    /// What it shares with other items, for example the story that they are about. Items of one cluster are drawn
    /// together when intervals are computed.
    pub cluster: Option<String>,
    /// What is asked.
    pub question: String,
    /// The answers to choose from; empty where the answer is free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The right answer, exactly as among the choices. An item without one counts for agreement and cost, not for
    /// accuracy.
    pub gold: Option<String>,
    /// What debaters may read, and a judge may or may not.
    pub context: Option<String>,
}

impl Item {
    /// Whether it can be asked. Ids that occur twice are found by [`ItemReader`].
    ///
    /// # Errors
    /// The first thing that is wrong, and what to do.
    pub fn check(&self) -> Result<(), String> {
        if !is_name(&self.id) {
            return Err(format!("the id {} must have 1 to 200 bytes and no control characters", quote_text(&self.id)));
        }
        if let Some(cluster) = self.cluster.as_ref().filter(|cluster| !is_name(cluster)) {
            let must = "must have 1 to 200 bytes and no control characters; leave it out if there is none";
            return Err(format!("the cluster {} {must}", quote_text(cluster)));
        }
        if !has_chars(&self.question, QUESTION_CHARS_MAX) {
            return Err("the question must have 1 to 20000 characters; put long texts into context".into());
        }
        let count = self.choices.len();
        if count == 1 || count > CHOICES_MAX {
            return Err(format!("there must be 2 to 26 choices, or none for a free answer, and there are {count}"));
        }
        if let Some(at) = self.choices.iter().position(|choice| !has_chars(choice, CHOICE_CHARS_MAX)) {
            return Err(format!("choice {} must have 1 to 4000 characters", at + 1));
        }
        if let Some((one, other)) = find_overlapping_choices(&self.choices) {
            return Err(format!(
                "the choices {} and {} overlap: an answer could mean either; reword them, or put a letter before each",
                quote_text(one),
                quote_text(other)
            ));
        }
        match &self.gold {
            Some(gold) if gold.trim().is_empty() => {
                Err("the gold answer is empty; leave it out if it is not known".into())
            }
            Some(gold) if !self.choices.is_empty() && !self.choices.contains(gold) => Err(format!(
                "the gold answer {} is not among the choices; write it exactly as one of them",
                quote_text(gold)
            )),
            _ => Ok(()),
        }
    }
}

/// Reads items one by one. After a faulty line it continues, so that all faults can be told at once.
#[derive(Debug)]
pub struct ItemReader<R> {
    lines: BoundedLines<R>,
    ids: BTreeSet<String>,
}

impl<R: BufRead> ItemReader<R> {
    /// From the beginning of `reader`.
    pub fn new(reader: R) -> Self {
        Self { lines: BoundedLines::new(reader), ids: BTreeSet::new() }
    }
}

impl<R: BufRead> Iterator for ItemReader<R> {
    type Item = Result<Item, LocatedFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ids.len() > ITEMS_MAX {
            return None;
        }
        let (line, item) = self.lines.next_value::<Item>()?;
        let keys = "an item has the keys id, question, and, if it has them, cluster, choices, gold, context";
        let checked = item.map_err(|fault| format!("{fault}; {keys}")).and_then(|item| {
            item.check()?;
            if !self.ids.insert(item.id.clone()) {
                return Err(format!("the id {} occurs twice; give each item an id of its own", quote_text(&item.id)));
            }
            if self.ids.len() > ITEMS_MAX {
                return Err("there are more than 1000000 items; split the file".into());
            }
            Ok(item)
        });
        Some(checked.map_err(|fault| LocatedFault { line, fault }))
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= ID_BYTES_MAX && !name.chars().any(char::is_control)
}

fn has_chars(text: &str, max: usize) -> bool {
    !text.trim().is_empty() && text.chars().take(max + 1).count() <= max
}

/// The words of a choice without regard to case and punctuation, except signs that make another number or symbol.
fn normalized_words(text: &str) -> Vec<String> {
    let separates = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '!' | '?' | '"');
    let trimmed = text.trim().trim_end_matches('.');
    let words = trimmed.split(separates).filter(|word| !word.is_empty());
    words.map(|word| word.trim_end_matches('.').to_lowercase()).collect()
}

/// Two choices that an answer may both mean.
fn find_overlapping_choices(choices: &[String]) -> Option<(&str, &str)> {
    let split: Vec<Vec<String>> = choices.iter().map(|choice| normalized_words(choice)).collect();
    let mut pairs = (0..split.len()).flat_map(|i| (i + 1..split.len()).map(move |j| (i, j)));
    let (i, j) = pairs.find(|(i, j)| split[*i].starts_with(&split[*j]) || split[*j].starts_with(&split[*i]))?;
    Some((&choices[i], &choices[j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Item, String>> {
        ItemReader::new(text.as_bytes()).map(|item| item.map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn items_are_read_with_and_without_choices_gold_and_cluster() {
        let items = read(
            "{\"id\":\"1\",\"question\":\"Q\",\"choices\":[\"yes\",\"no\"],\"gold\":\"no\",\"cluster\":\"s\"}\n\
             {\"id\":\"2\",\"question\":\"Q\",\"context\":\"text\"}\n",
        );
        assert_eq!(items[0].as_ref().unwrap().gold.as_deref(), Some("no"));
        assert_eq!(items[1].as_ref().unwrap().choices, Vec::<String>::new());
        let again = serde_json::to_string(items[1].as_ref().unwrap()).unwrap();
        assert_eq!(again, r#"{"id":"2","question":"Q","context":"text"}"#, "absent keys stay absent");
    }

    #[test]
    fn each_fault_is_named_with_its_line_and_a_remedy() {
        let cases = [
            (r#"{"id":"","question":"Q"}"#, "id"),
            (r#"{"id":"a\u001bb","question":"Q"}"#, r"\u{1b}"),
            (r#"{"id":"a","question":" "}"#, "question"),
            (r#"{"id":"a","question":"Q","cluster":""}"#, "cluster"),
            (r#"{"id":"a","question":"Q","choices":["x"]}"#, "2 to 26 choices"),
            (r#"{"id":"a","question":"Q","choices":["x",""]}"#, "choice 2"),
            (r#"{"id":"a","question":"Q","choices":["Yes","yes."]}"#, "overlap"),
            (r#"{"id":"a","question":"Q","choices":["Paris","Paris, Texas"]}"#, "overlap"),
            (r#"{"id":"a","question":"Q","choices":["!","x"]}"#, "overlap"),
            (r#"{"id":"a","question":"Q","choices":["x","y"],"gold":"z"}"#, "not among"),
            (r#"{"id":"a","question":"Q","gold":""}"#, "gold"),
            (r#"{"id":"a","question":"Q","answer":"x"}"#, "unknown field `answer`"),
            (r#"{"id":"a"}"#, "missing field `question`"),
            (r#"{"id":7,"question":"Q"}"#, "invalid type"),
        ];
        for (line, what) in cases {
            let found = read(&format!("\n{line}\n{{\"id\":\"ok\",\"question\":\"Q\"}}\n"));
            let error = found[0].as_ref().unwrap_err();
            assert!(error.starts_with("line 2: ") && error.contains(what), "{line}: {error}");
            assert!(found[1].is_ok(), "the next line is read");
        }
    }

    #[test]
    fn an_id_occurs_once() {
        let line = "{\"id\":\"a\",\"question\":\"Q\"}\n";
        let found = read(&line.repeat(2));
        assert!(found[0].is_ok() && found[1].as_ref().unwrap_err().contains("twice"), "{found:?}");
    }

    #[test]
    fn numbers_that_differ_in_sign_or_digits_are_distinct_choices() {
        for choices in [["-1", "1"], ["10", "100"], ["1.5", "15"], ["A. Paris", "B. Paris, Texas"], ["C", "C++"]] {
            assert_eq!(find_overlapping_choices(&choices.map(str::to_owned)), None, "{choices:?}");
        }
    }
}
