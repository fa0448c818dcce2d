//! The material of an extraction: the statements of a debate when the extraction was opened.

use serde::{Deserialize, Serialize};

/// Document of an extraction: the [`AnonymousStatement`]s, as a JSON list.
pub const STATEMENTS: &str = "statements";

/// Earlier statements that are listed next to the one that is read: the latest.
pub const LISTED_MAX: usize = 16;
/// What is shown of a statement that is read, in characters.
pub const READ_CHARS_MAX: usize = 4_000;
/// What is shown of an earlier one.
pub const LISTED_CHARS_MAX: usize = 500;

/// A statement of the debate that is read, without its author's name: whose it is must not decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnonymousStatement {
    /// As the debate's graph names it.
    pub id: String,
    /// The place of its speaker among those who argue.
    pub side: usize,
    /// The entry of the debate that holds it.
    pub seq: u64,
    /// The last entry that its author could know of.
    pub heard: u64,
    /// All that it says.
    pub text: String,
}

/// Every statement that may be shown, in the order of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Material(pub Vec<AnonymousStatement>);

impl Material {
    /// Out of a document; nothing where there is none.
    pub fn from_document(document: Option<&str>) -> Self {
        Self(document.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
    }

    /// As a document.
    pub fn to_document(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// Places of the statements that follow others, and so can say something of them.
    pub fn following_places(&self) -> impl Iterator<Item = usize> {
        let first = self.0.iter().map(|statement| statement.seq).min();
        (0..self.0.len()).filter(move |at| first.is_some_and(|first| first <= self.0[*at].heard))
    }

    /// Places of the statements that the author of `at` could know, in their order.
    pub fn earlier_places(&self, at: usize) -> Vec<usize> {
        (0..self.0.len()).filter(|other| self.0[*other].seq <= self.0[at].heard).collect()
    }

    /// Those of them that are listed when it is read; `turned`, the latest first.
    pub fn listed_places(&self, at: usize, turned: bool) -> Vec<usize> {
        let earlier = self.earlier_places(at);
        let mut listed = earlier[earlier.len().saturating_sub(LISTED_MAX)..].to_vec();
        if turned {
            listed.reverse();
        }
        listed
    }
}

/// `text` in at most so many characters, and how much that is where it is not all.
pub fn shorten_text(text: &str, chars_max: usize) -> String {
    let chars = text.chars().count();
    if chars <= chars_max {
        return text.to_owned();
    }
    let cut: String = text.chars().take(chars_max).collect();
    format!("{cut} … [the first {chars_max} of {chars} characters]")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statements by their entries, with what each heard.
    fn material(said: &[(u64, u64)]) -> Material {
        let statement = |(at, (seq, heard)): (usize, &(u64, u64))| AnonymousStatement {
            id: format!("s{at}"),
            side: at % 2,
            seq: *seq,
            heard: *heard,
            text: "x".into(),
        };
        Material(said.iter().enumerate().map(statement).collect())
    }

    #[test]
    fn a_statement_is_read_beside_those_that_it_could_know() {
        // Two were asked at once, and so were the next two; whoever answered first counts as well.
        let material = material(&[(4, 1), (3, 1), (9, 4), (8, 4), (12, 9)]);
        assert_eq!(material.following_places().collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(material.listed_places(3, false), [0, 1], "not the one that was asked for at the same time");
        assert_eq!(material.listed_places(4, true), [3, 2, 1, 0]);
        assert_eq!(Material::from_document(Some(&material.to_document())), material);
    }

    #[test]
    fn the_latest_are_listed_in_either_order() {
        let said: Vec<(u64, u64)> = (1..=40).map(|seq| (seq, seq - 1)).collect();
        let material = material(&said);
        let (forth, mut back) = (material.listed_places(39, false), material.listed_places(39, true));
        back.reverse();
        assert_eq!((forth.len(), forth.first(), forth == back), (LISTED_MAX, Some(&23), true));
    }

    #[test]
    fn nothing_is_cut_in_silence() {
        assert_eq!(shorten_text("é".repeat(5).as_str(), 5), "ééééé");
        assert_eq!(shorten_text("éééééé", 5), "ééééé … [the first 5 of 6 characters]");
    }
}
