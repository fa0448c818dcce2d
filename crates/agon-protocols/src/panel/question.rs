//! The moderator's next step: a question to one panelist, or the word that none is left.
//!
//! Rules Q1 to Q8 are those of the panel format. A question that keeps breaking them is replaced by
//! one of the program's, which quotes the claim; none is ever cut.

use agon_core::{Faults, Key, Seat};
use serde_json::{Value, json};

use super::{
    disagreement::{Disagreement, State},
    fields::{object, text},
    speech::{QUOTE_WORDS_MAX, QUOTE_WORDS_MIN, plain, quotations, trimmed},
    state::{Asked, Panel, Panelist},
};
use crate::common::fields::{Fields, words};

/// A question has fewer words than this (Q1).
pub const QUESTION_WORDS_BELOW: usize = 75;
/// Quotations in a question that are shorter may be terms and need not be anybody's words.
const QUOTATION_WORDS_CHECKED: usize = 4;
/// Most passages that a question to one panelist may quote.
const QUOTES_EACH_MAX: usize = 24;
/// Most passages that the moderator is offered for quoting.
const OFFERED_MAX: usize = 64;

/// Questions that a restatement answers, or nothing (Q4, Q5).
const EMPTY: [(&str, &str); 14] = [
    ("Q5", "what do you think"),
    ("Q5", "what are your thoughts"),
    ("Q5", "what is your opinion"),
    ("Q5", "what's your opinion"),
    ("Q5", "how do you feel about"),
    ("Q5", "any comment"),
    ("Q5", "elaborate"),
    ("Q5", "tell us more"),
    ("Q5", "say more"),
    ("Q5", "expand on"),
    ("Q4", "restate"),
    ("Q4", "summarize your"),
    ("Q4", "summarise your"),
    ("Q4", "remind us"),
];
/// Words by which a moderator takes a side (Q7).
const PARTIAL: [&str; 18] = [
    "i think",
    "i believe",
    "i feel",
    "i agree",
    "i disagree",
    "i doubt",
    "i suspect",
    "i find",
    "in my view",
    "in my opinion",
    "my opinion",
    "my view",
    "to my mind",
    "personally",
    "clearly",
    "obviously",
    "of course",
    "as we all know",
];
/// Words that ask for more than yes or no.
const ASKING: [&str; 9] = ["what", "which", "how", "why", "where", "when", "who", "whose", "name"];

/// What the moderator wants next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// One question to one panelist.
    Ask(Asked),
    /// No question would bring new reasoning (S4).
    Stop,
}

impl Next {
    /// The same, where the question is the moderator's own, as found in the answer `key`.
    pub fn said_by(self, key: &Key) -> Self {
        match self {
            Next::Ask(asked) => Next::Ask(Asked { of: asked.of.map(|_| key.clone()), ..asked }),
            Next::Stop => Next::Stop,
        }
    }
}

/// The rules for the next step of one panel.
#[derive(Debug, Clone, Copy)]
pub struct Routing<'p> {
    /// Where it stands.
    pub panel: &'p Panel,
    /// Set for the first question, which is about the most productive disagreement.
    pub first: bool,
}

impl Routing<'_> {
    /// JSON Schema of the next step: for each panelist who may be asked, what others said. What the
    /// program would do stands first in each list.
    pub fn schema(&self) -> Value {
        let due = self.template();
        let quotes = self.quotes(&due);
        let mut targets: Vec<&Panelist> = self.panel.speakers().collect();
        targets.sort_by_key(|target| target.seat != due.seat);
        let steps = targets.iter().filter_map(|target| {
            let others = || self.panel.speakers().filter(|other| other.seat != target.seat);
            let said_by_others =
                |quote: &&String| others().any(|other| self.panel.said.by(&other.seat, quote));
            let quotes: Vec<&str> =
                quotes.iter().filter(said_by_others).map(String::as_str).take(QUOTES_EACH_MAX).collect();
            let mut fields = json!({});
            if !self.first {
                let ids = self.panel.active().chain(&self.panel.disagreements);
                let ids: Vec<&str> =
                    ids.filter(|about| about.concerns(&target.seat)).map(|about| about.id.as_str()).collect();
                let due = [due.disagreement.as_str()].into_iter().filter(|id| ids.contains(id));
                fields["action"] = json!({"type": "string", "enum": ["ask", "stop"]});
                fields["disagreement"] = choice(due.chain(ids.iter().copied()));
            }
            fields["target"] = choice([target.name.as_str()]);
            fields["quote"] = choice(quotes);
            fields["question"] = text(20, 600);
            let empty = |field: &Value| field["enum"].as_array().is_some_and(Vec::is_empty);
            (!fields.as_object()?.values().any(empty)).then(|| object(fields))
        });
        let steps: Vec<Value> = steps.collect();
        if steps.is_empty() { json!({"type": "object"}) } else { json!({"anyOf": steps}) }
    }

    /// Passages that a question may quote: what the program would, the claims, and what was said
    /// last.
    fn quotes(&self, due: &Asked) -> Vec<String> {
        let mut quotes: Vec<String> = self.due(&due.disagreement, &due.seat).into_iter().collect();
        let active = self.panel.active().chain(&self.panel.disagreements);
        quotes.extend(active.flat_map(|d| &d.claims).map(|claim| trimmed(&claim.quote)));
        let latest = self.panel.said.turns().iter().rev();
        quotes.extend(latest.flat_map(|turn| turn.speech.passages()));
        quotes
    }

    /// Reads the next step. `fields` is the object that holds it.
    pub fn read(&self, fields: &Fields<'_>, faults: &mut Faults) -> Next {
        if !self.first {
            let action = fields.choice("action", &["ask", "stop"], "S4", faults);
            if action == "stop" {
                let unmet = self.panel.unmet();
                if !unmet.is_empty() {
                    let message =
                        format!("the panel cannot stop yet. {}. Ask another question", unmet.join(". "));
                    faults.add("stop", fields.path("action"), message);
                }
                return Next::Stop;
            }
        }
        let about = self.about(fields, faults);
        let target = fields.text("target", "Q6", faults);
        let quote = trimmed(&fields.text("quote", "Q2", faults));
        let question = fields.text("question", "Q3", faults);
        let Some(seat) = self.seat(&target, &fields.path("target"), faults) else { return Next::Stop };
        if let Some(about) = about.filter(|about| !about.concerns(&seat)) {
            let sides = about.claims.each_ref().map(|claim| self.panel.name(&claim.seat));
            let message = format!(
                "{target} is no side of {}; ask the one whose position is challenged, {} or {}",
                about.id, sides[0], sides[1]
            );
            faults.add("Q8", fields.path("target"), message);
        }
        let question = self.compose(&seat, &quote, &question, fields, faults);
        let disagreement = about.map(|about| about.id.clone()).unwrap_or_default();
        // Which answer this stands in is known to whoever asked for it.
        let of = Some(Key::of(super::MODERATOR));
        Next::Ask(Asked { disagreement, seat, question, of })
    }

    fn about(&self, fields: &Fields<'_>, faults: &mut Faults) -> Option<&Disagreement> {
        if self.first {
            return self.panel.disagreements.first();
        }
        let all: Vec<&str> = self.panel.disagreements.iter().map(|d| d.id.as_str()).collect();
        let id = fields.choice("disagreement", &all, "Q6", faults);
        let about = self.panel.disagreement(&id)?;
        let active: Vec<&str> = self.panel.active().map(|d| d.id.as_str()).collect();
        if about.state != State::Active && !active.is_empty() {
            let message = format!("{id} is settled or left; ask about {}", active.join(" or "));
            faults.add("S1", fields.path("disagreement"), message);
        }
        Some(about)
    }

    /// The one panelist that is called `name`.
    fn seat(&self, name: &str, at: &str, faults: &mut Faults) -> Option<Seat> {
        let speakers: Vec<_> = self.panel.speakers().collect();
        let found = speakers.iter().find(|p| p.name.eq_ignore_ascii_case(name) || p.seat.as_str() == name);
        if found.is_none() && !name.is_empty() {
            let names: Vec<&str> = speakers.iter().map(|p| p.name.as_str()).collect();
            faults.add("Q6", at, format!("{name:?} is nobody of the panel; ask one of {}", names.join(", ")));
        }
        found.map(|p| p.seat.clone())
    }

    /// The question with the claim that it quotes, checked.
    fn compose(
        &self,
        seat: &Seat,
        quote: &str,
        asked: &str,
        fields: &Fields<'_>,
        faults: &mut Faults,
    ) -> String {
        let panel = self.panel;
        let others: Vec<&Panelist> = panel.speakers().filter(|p| p.seat != *seat).collect();
        let owner = others.iter().find(|p| panel.said.by(&p.seat, quote));
        let (quote_at, at) = (fields.path("quote"), fields.path("question"));
        let count = words(quote);
        if quote.is_empty() || asked.is_empty() {
            return String::new();
        }
        // Somebody who says two words can be quoted with two.
        let whole = || panel.said.turns().iter().any(|turn| trimmed(&turn.speech.plain) == quote);
        if count > QUOTE_WORDS_MAX || (count < QUOTE_WORDS_MIN && !whole()) {
            let message =
                format!("the quote has {count} words; quote {QUOTE_WORDS_MIN} to {QUOTE_WORDS_MAX} of them");
            faults.add("Q2", &quote_at, message);
        } else if owner.is_none() && panel.said.by(seat, quote) {
            let name = panel.name(seat);
            faults.add(
                "Q2",
                &quote_at,
                format!("{name} said that; quote the claim of somebody else that {name} must meet"),
            );
        } else if owner.is_none() {
            let near = others.iter().find_map(|p| panel.said.nearest(&p.seat, quote)).unwrap_or_default();
            let message = format!(
                "nobody else said {quote:?}; copy words of the transcript exactly, for example {near:?}"
            );
            faults.add("Q2", &quote_at, message);
        }
        for quotation in quotations(asked) {
            if words(&quotation) >= QUOTATION_WORDS_CHECKED && panel.said.whose(&quotation).is_none() {
                faults.add(
                    "Q2",
                    &at,
                    format!("nobody said {quotation:?}; quote exactly, or leave the quotation marks out"),
                );
            }
        }
        let question = match (plain(asked).contains(quote), owner) {
            (false, Some(owner)) => format!("{} said: \"{}\" {asked}", owner.name, quote.replace('"', "'")),
            _ => asked.to_owned(),
        };
        for (rule, message) in wording(&question) {
            faults.add(rule, &at, message);
        }
        for other in &others {
            let called = |mark: &str| {
                outside(asked).to_lowercase().starts_with(&format!("{}{mark}", other.name.to_lowercase()))
            };
            if called(",") || called(":") || called(" and ") {
                let message =
                    format!("the question speaks to {}; it goes to {} alone", other.name, panel.name(seat));
                faults.add("Q6", &at, message);
            }
        }
        let same = |earlier: &Asked| earlier.seat == *seat && plain(&earlier.question) == plain(&question);
        if panel.exchanges.iter().any(|exchange| same(&exchange.asked)) {
            let message =
                format!("{} has answered exactly this question; ask something new", panel.name(seat));
            faults.add("Q4", &at, message);
        }
        question
    }

    /// The question of the program: about evidence that waits for an answer, or the most productive
    /// disagreement, to the side that was asked least about it.
    pub fn template(&self) -> Asked {
        let panel = self.panel;
        let left = || panel.disagreements.iter().find(|d| d.state != State::Converged);
        let waiting = panel.unanswered.first();
        let about = waiting.and_then(|w| panel.disagreement(&w.disagreement));
        let about = about.or_else(|| panel.active().next()).or_else(left).or(panel.disagreements.last());
        let Some(about) = about else {
            unreachable!("questions are asked about disagreements only");
        };
        let asked_of = |seat: &Seat| {
            let about = panel.exchanges.iter().filter(|e| e.asked.disagreement == about.id);
            about.filter(|exchange| exchange.asked.seat == *seat).count()
        };
        let [one, other] = &about.claims;
        let least = if asked_of(&other.seat) <= asked_of(&one.seat) { other } else { one };
        let seat = waiting.map_or(&least.seat, |w| &w.to).clone();
        let quote = self.due(&about.id, &seat).unwrap_or_default();
        let against = about.against(&seat).map_or("", |claim| panel.name(&claim.seat));
        let own = about.claims.iter().find(|claim| claim.seat == seat);
        let said = |who: &str, quote: &str| format!("{who} said: \"{}\"", quote.replace('"', "'"));
        let ask =
            "Which evidence or reason decides here, and what would show that your own claim has to change?";
        let both = own.map(|own| format!("{} {} {ask}", said(against, &quote), said("You", &own.quote)));
        let both = both.filter(|question| words(question) < QUESTION_WORDS_BELOW);
        let question = both.unwrap_or_else(|| format!("{} {ask}", said(against, &quote)));
        Asked { disagreement: about.id.clone(), seat, question, of: None }
    }

    /// What the side against `seat` said last on a disagreement: its claim, or of its answers the
    /// passage nearest to the point.
    fn due(&self, id: &str, seat: &Seat) -> Option<String> {
        let panel = self.panel;
        let about = panel.disagreement(id)?;
        let against = about.against(seat)?;
        let theirs = |e: &&super::state::Exchange| e.asked.disagreement == id && e.asked.seat == against.seat;
        let last = panel.exchanges.iter().rev().filter(theirs).find_map(|exchange| exchange.answer.as_ref());
        let said =
            last.and_then(|answer| panel.said.of(&against.seat).find(|turn| turn.round == answer.round));
        let evidence = panel.unanswered.iter().find(|w| w.to == *seat).map(|w| w.evidence.as_str());
        let passage = said.and_then(|turn| turn.speech.nearest(evidence.unwrap_or(&about.topic)));
        Some(passage.unwrap_or_else(|| trimmed(&against.quote)))
    }
}

/// What is wrong with the wording of a question, whoever it goes to.
pub fn wording(question: &str) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    let count = words(question);
    if count >= QUESTION_WORDS_BELOW {
        let message = format!(
            "the question has {count} words with its quotes; it must have fewer than {QUESTION_WORDS_BELOW}"
        );
        faults.push(("Q1", message));
    }
    let own = outside(question).to_lowercase();
    if !own.contains(['?', '？', '؟']) {
        faults.push((
            "Q3",
            "it asks nothing; end with a question that evidence or reasoning can answer".into(),
        ));
    }
    if let Some((rule, words)) = EMPTY.iter().find(|(_, words)| has_words(&own, words)) {
        let message =
            format!("{words:?} invites a restatement; ask how the claim stands against the one quoted");
        faults.push((rule, message));
    }
    let agreement = ["agree", "disagree"].iter().any(|word| has_words(&own, word)) && has_words(&own, "you");
    if agreement && !ASKING.iter().any(|word| has_words(&own, word)) {
        let message = "agree or disagree is answered in a word; ask for what decides it, and why";
        faults.push(("Q5", message.into()));
    }
    if let Some(words) = PARTIAL.iter().find(|words| has_words(&own, words)) {
        faults.push((
            "Q7",
            format!("{words:?} is an opinion of yours; the moderator has none, ask without it"),
        ));
    }
    faults
}

/// `text` without what stands in quotation marks.
fn outside(text: &str) -> String {
    plain(text).split('"').step_by(2).collect::<Vec<_>>().join(" … ").trim().to_owned()
}

/// Whether `words` stand in `text` where a word begins.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}

/// JSON Schema of one of `values`, each once.
pub fn choice<'v>(values: impl IntoIterator<Item = &'v str>) -> Value {
    let mut each: Vec<&str> = Vec::new();
    for value in values {
        if !value.is_empty() && !each.contains(&value) && each.len() < OFFERED_MAX {
            each.push(value);
        }
    }
    json!({"type": "string", "enum": each})
}
