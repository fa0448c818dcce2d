//! Letters for the names of debaters, where a debate was opened with the option `orders`: the chair reads of
//! `Debater-A`, `Debater-B` and so on when it concludes, and of no name or persona. The assessor then reads of letters
//! as well; its words are told by names.

use agon_core::{Opened, Request};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    debaters::{Debater, Debaters, ShownDebater},
    outcome::{Contest, Contestant},
};
use crate::common::values::{read_fact, read_option};

/// The option, and the fact of a request that says who bears which letter.
pub const ORDERS: &str = "orders";
pub(super) const LABELS: &str = "labels";

/// Whom a letter stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelledDebater {
    name: String,
    title: String,
}

/// Debaters in the order of their letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebaterLabels(Vec<LabelledDebater>);

impl DebaterLabels {
    /// Letters for `debaters` in their order, or the other way round.
    pub(super) fn new(debaters: &Debaters, is_reversed: bool) -> Self {
        let label = |debater: &Debater| LabelledDebater { name: debater.name.clone(), title: debater.title.clone() };
        let mut all = Self(debaters.0.iter().map(label).collect());
        if is_reversed {
            all.0.reverse();
        }
        all
    }

    /// As a request hands them out; `None` where it is not blind.
    pub fn of(request: &Request) -> Option<Self> {
        read_fact(request, LABELS)
    }

    fn label_at(at: usize) -> String {
        format!("Debater-{}", char::from(b'A' + (at % 26) as u8))
    }

    /// `text` with letters for names.
    pub(super) fn hide_names(&self, text: &str) -> String {
        let names = |(at, of): (usize, &'_ LabelledDebater)| {
            [(of.name.clone(), Self::label_at(at)), (of.title.clone(), Self::label_at(at))]
        };
        let mut pairs: Vec<(String, String)> = self.0.iter().enumerate().flat_map(names).collect();
        // A name that begins as another goes first.
        pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        pairs.iter().fold(text.to_owned(), |text, (name, label)| replace_word(&text, name, label))
    }

    /// For those who are assessed, where the debate was opened so. Who is read first follows from the
    /// seed.
    pub(super) fn for_assessor(opened: &Opened, debaters: &Debaters) -> Option<Self> {
        read_orders_option(opened).map(|_| Self::new(debaters, opened.seed % 2 == 1))
    }

    /// `request` with what [`DebaterLabels::of`] reads.
    pub(super) fn add_to(&self, request: Request) -> Request {
        request.with_fact(LABELS, json!(self))
    }

    /// The letters in their order.
    pub(super) fn list_labels(&self) -> Vec<String> {
        (0..self.0.len()).map(Self::label_at).collect()
    }

    /// `text` with names for letters.
    pub fn restore_names(&self, text: &str) -> String {
        self.0.iter().enumerate().fold(text.to_owned(), |text, (at, of)| {
            let label = Self::label_at(at);
            replace_word(&replace_word(&text, &label, &of.title), &label.replace('-', " "), &of.title)
        })
    }

    /// An outcome by the names of the log.
    pub(super) fn tell_outcome(&self, outcome: &str) -> String {
        let won = self.0.iter().enumerate().find(|(at, _)| outcome == format!("{}_wins", Self::label_at(*at)));
        won.map_or_else(|| outcome.to_owned(), |(_, of)| format!("{}_wins", of.name))
    }

    /// Who may win, by letters.
    pub(super) fn label_contest(&self, contest: &Contest) -> Contest {
        let labelled = |(at, of): (usize, &LabelledDebater)| {
            let is_eligible = contest.0.iter().any(|known| known.name == of.name && known.is_eligible);
            Contestant { name: Self::label_at(at), title: Self::label_at(at), is_eligible }
        };
        Contest(self.0.iter().enumerate().map(labelled).collect())
    }

    /// The cast by letters, in their order and without what tells who someone is.
    pub(super) fn label_debaters(&self, debaters: &Debaters) -> Vec<ShownDebater> {
        let named = self.0.iter().enumerate().filter_map(|(at, of)| Some((at, debaters.find_by_name(&of.name)?)));
        let shown = named.map(|(at, debater)| {
            let (name, position) = (Self::label_at(at), self.hide_names(&debater.position));
            ShownDebater { log_name: name.clone(), name, position, ..ShownDebater::default() }
        });
        shown.collect()
    }
}

/// `text` with every whole word `from` replaced, whatever its capitals.
fn replace_word(text: &str, from: &str, to: &str) -> String {
    let (mut whole, mut at) = (String::new(), 0);
    let is_spaced = from.chars().all(|c| !agon_text::is_unspaced(c));
    while at < text.len() {
        let here = text.get(at..at + from.len()).is_some_and(|part| part.to_lowercase() == from.to_lowercase());
        let word = |c: Option<char>| is_spaced && c.is_some_and(char::is_alphanumeric);
        let alone = here && !word(text[..at].chars().next_back()) && !word(text[at + from.len()..].chars().next());
        if alone && !from.is_empty() {
            whole.push_str(to);
            at += from.len();
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        whole.push(c);
        at += c.len_utf8();
    }
    whole
}

/// Whether the chair is blind, and asked in both orders.
pub(super) fn read_orders_option(opened: &Opened) -> Option<bool> {
    read_option::<String>(opened, ORDERS).map(|orders| orders == "both")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words_and_come_back() {
        let label = |name: &str, title: &str| LabelledDebater { name: name.into(), title: title.into() };
        let labels = DebaterLabels(vec![label("Ada", "Ada"), label("Ada-Bo", "Ada-Bo"), label("debater-3", "王芳")]);
        let hidden = labels.hide_names("ADA and Ada-Bo's; Adam, (ada). 据王芳说");
        assert_eq!(hidden, "Debater-A and Debater-B's; Adam, (Debater-A). 据Debater-C说");
        assert_eq!(labels.restore_names("Debater A beats debater-b and Debater-C"), "Ada beats Ada-Bo and 王芳");
        assert_eq!(labels.tell_outcome("Debater-C_wins"), "debater-3_wins");
    }
}
