//! The conclusion by a blind chair, where a debate was opened with the option `orders`: it reads of
//! `Debater-A`, `Debater-B` and so on, and of no name or persona. With both orders it is asked twice, the
//! letters handed out the other way round; where the two answers differ the order has decided, and that
//! is a draw. The assessor then reads of letters as well; its words are told by names.

use std::cell::LazyCell;

use agon_core::{Attempt, Floor, Flow, Lost, Opened, Request, Ruling, RulingKind, draft::Draft};
use serde_json::{Value, json};

use super::{
    chair::{Concluded, Contest},
    debaters::Debaters,
    state::ChairedState,
    verified_figures::VerifiedFigures,
};
use crate::common::{absence::warn, seat};

/// The option, and the fact of a request that says who bears which letter.
pub const ORDERS: &str = "orders";
pub(super) const LABELS: &str = "labels";

/// Names in the order of their letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebaterLabels(Vec<String>);

impl DebaterLabels {
    /// As a request hands them out; `None` where it is not blind.
    pub fn of(request: &Request) -> Option<Self> {
        serde_json::from_value(request.facts.get(LABELS)?.clone()).ok().map(Self)
    }

    fn label(at: usize) -> String {
        format!("Debater-{}", char::from(b'A' + (at % 26) as u8))
    }

    /// `text` with letters for names.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut pairs: Vec<(&str, String)> =
            self.0.iter().enumerate().map(|(at, name)| (name.as_str(), Self::label(at))).collect();
        // A name that begins as another goes first.
        pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        pairs.iter().fold(text.to_owned(), |text, (name, label)| exchanged(&text, name, label))
    }

    /// For those who are assessed, where the debate was opened so. Who is read first follows from the
    /// seed.
    pub(super) fn for_assessor(opened: &Opened, names: &[&str]) -> Option<Self> {
        let mut names: Vec<String> = names.iter().copied().map(str::to_owned).collect();
        if opened.seed % 2 == 1 {
            names.reverse();
        }
        orders(opened).map(|_| Self(names))
    }

    /// As [`DebaterLabels::of`] reads them.
    pub(super) fn fact(&self) -> Value {
        json!(self.0)
    }

    /// The letters in their order.
    pub(super) fn letters(&self) -> Vec<String> {
        (0..self.0.len()).map(Self::label).collect()
    }

    /// `text` with names for letters.
    pub fn tell(&self, text: &str) -> String {
        let all = self.0.iter().enumerate();
        all.fold(text.to_owned(), |text, (at, name)| {
            let label = Self::label(at);
            exchanged(&exchanged(&text, &label, name), &label.replace('-', " "), name)
        })
    }

    /// Who may win, by letters.
    pub(super) fn contest(&self, contest: &Contest) -> Contest {
        let eligible = |(_, name): &(usize, &String)| contest.eligible.contains(name);
        let all = self.0.iter().enumerate();
        Contest {
            names: self.letters(),
            eligible: all.filter(eligible).map(|(at, _)| Self::label(at)).collect(),
        }
    }

    /// The cast by letters, in their order and without what tells who someone is.
    pub(super) fn debaters(&self, debaters: &Debaters) -> Vec<Value> {
        let named = self.0.iter().enumerate().filter_map(|(at, name)| Some((at, debaters.named(name)?)));
        let shown = named.map(|(at, debater)| {
            json!({
                "name": Self::label(at), "persona": "", "incentives": "",
                "position": self.hide(&debater.position),
            })
        });
        shown.collect()
    }

    /// Rulings on conduct by letters.
    pub(super) fn rulings(&self, rulings: Vec<Value>) -> Value {
        let veiled = |mut ruling: Value| {
            for field in ["by", "text"] {
                ruling[field] = ruling[field].as_str().map(|text| self.hide(text)).into();
            }
            ruling
        };
        rulings.into_iter().map(veiled).collect()
    }

    /// Every text of `log` by letters.
    pub(super) fn log(&self, mut log: Value) -> Value {
        for entry in log.as_array_mut().into_iter().flatten() {
            for field in ["by", "content"] {
                let hidden = entry[field].as_str().map(|text| self.hide(text));
                entry[field] = hidden.into();
            }
        }
        log
    }
}

/// `text` with every whole word `from` replaced, whatever its capitals.
fn exchanged(text: &str, from: &str, to: &str) -> String {
    let (mut whole, mut at) = (String::new(), 0);
    while at < text.len() {
        let here = text.get(at..at + from.len()).is_some_and(|part| part.eq_ignore_ascii_case(from));
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let alone =
            here && !word(text[..at].chars().next_back()) && !word(text[at + from.len()..].chars().next());
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
pub(super) fn orders(opened: &Opened) -> Option<bool> {
    opened.options.get(ORDERS).and_then(Value::as_str).map(|orders| orders == "both")
}

/// Outcome and reason, by a chair that does not know who is who.
pub(super) fn conclude(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    contest: &Contest,
    key: &str,
    both: bool,
    held: &LazyCell<VerifiedFigures, impl FnOnce() -> VerifiedFigures>,
) -> Flow<Result<Concluded, Lost>> {
    let mut labels = vec![DebaterLabels(contest.names.clone())];
    let turned = DebaterLabels(contest.names.iter().rev().cloned().collect());
    match both {
        true => labels.push(turned),
        // Who is read first follows from the seed.
        false if floor.opened().seed % 2 == 1 => labels = vec![turned],
        false => {}
    }
    let keys = [key.to_owned(), format!("{key}/swapped")];
    let drafts = labels.iter().zip(&keys).map(|(labels, key)| {
        let veiled = labels.contest(contest);
        let request = Request::new(key, &seat("chair"), "conclusion");
        let request = request.fact("eligible", json!(contest.eligible)).fact(LABELS, labels.fact());
        Draft::new(request, move |draft: Attempt<'_>| veiled.conclude(draft, held))
    });
    let (mut told, mut lost) = (Vec::new(), None);
    for (at, answer) in floor.ask_each_until_valid(drafts.collect())?.into_iter().enumerate() {
        match answer {
            Ok(statement) => {
                let Concluded { outcome, reason, withheld } = &*statement.value;
                let (outcome, reason) = (labels[at].tell(outcome), labels[at].tell(reason));
                told.push(Concluded { outcome, reason, withheld: *withheld });
            }
            Err(why) => {
                if both {
                    let text = format!("one of its orders is missing: {why}");
                    warn(floor, &format!("{}/one-order", keys[at]), "chair", &[text])?;
                }
                lost = Some(why);
            }
        }
    }
    let Some(first) = told.first().cloned() else {
        return Ok(Err(lost.unwrap_or(Lost::Elapsed)));
    };
    let flip = told.iter().find(|other| other.outcome != first.outcome);
    state.judged = Some(json!({"asked": labels.len(), "answered": told.len(), "flip": flip.is_some()}));
    let Some(Concluded { outcome: other, .. }) = flip else { return Ok(Ok(first)) };
    let outcome = &first.outcome;
    let text = format!(
        "The order of the debaters decided: read in one order the conclusion is {outcome}, in the other {other}. It counts as a draw."
    );
    floor.rule(format!("{key}/flip"), Ruling::new(RulingKind::Warned, text.clone()))?;
    Ok(Ok(Concluded { outcome: "draw".to_owned(), reason: text, withheld: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words_and_come_back() {
        let labels = DebaterLabels(["Ada", "Ada-Bo"].map(String::from).into());
        let hidden = labels.hide("ADA and Ada-Bo's; Adam, (ada).");
        assert_eq!(hidden, "Debater-A and Debater-B's; Adam, (Debater-A).");
        assert_eq!(labels.tell("Debater A beats debater-b_wins"), "Ada beats Ada-Bo_wins");
    }
}
