//! The moderator's next step: a question to one panelist, or the word that none is left.
//!
//! A question breaks only rules that can be checked exactly: its number of words (Q1), the quotation (Q2), one addressee
//! (Q6), the side that is challenged (Q8). What it asks for is the moderator's to choose.

use agon_core::{Faults, Key, Seat, draft::REDRAFTS_MAX};
use agon_text::{collect_different, count_words, is_copy};

use super::{
    disagreement::Disagreement,
    panelist_prose::{QUOTE_WORDS_MAX, QUOTE_WORDS_MIN, Speech, extract_quotations, to_plain_line, trim_quote},
    state::{Panel, PanelQuestion, Panelist},
};
use crate::common::form::{Form, Kind, Reader, choice_kind, form_field, quotation_kind, text_kind};

/// Fewer words than this make a question (Q1).
pub const QUESTION_WORDS_BELOW: usize = 75;
/// Quotations in a question that are shorter may be terms and need not be anybody's words.
const QUOTATION_WORDS_CHECKED: usize = 4;
/// Most passages that a question to one panelist is offered to quote.
const QUOTES_EACH_MAX: usize = 24;

/// The rule that everybody is asked something.
pub const TURNS: &str = "turns";

/// What the moderator wants next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextQuestion {
    /// One question to one panelist.
    Ask(PanelQuestion),
    /// No question would bring new reasoning (S4).
    Stop,
    /// The last draft still held no question that can be put, or there is none.
    Unusable,
    /// The transcript no longer fits the context of the moderator.
    TooLong,
}

impl NextQuestion {
    /// The same, as found in the answer `key`.
    pub fn said_by(self, key: &Key) -> Self {
        match self {
            NextQuestion::Ask(asked) => NextQuestion::Ask(PanelQuestion { of: key.clone(), ..asked }),
            other => other,
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
    /// Exchanges that are left, this one included.
    pub left: u32,
}

impl Routing<'_> {
    /// The next step, one form for each panelist who may be asked. The one who has evidence to answer, then the
    /// one asked least, stands first; of the first question, the `challenger`. Who could be asked only as a third, if
    /// the review finds a circle, stands last.
    pub fn next_step_kind(&self, challenger: Option<&Seat>) -> Kind {
        let panel = self.panel;
        let asked = |seat: &Seat| panel.exchanges.iter().filter(|e| e.asked.seat == *seat).count();
        let waits = |seat: &Seat| panel.unanswered.iter().any(|waiting| waiting.to == *seat);
        let mut targets: Vec<&Panelist> = panel.speakers().collect();
        targets.sort_by_key(|target| {
            let seat = &target.seat;
            let is_third = !self.first && panel.askable_disagreements(target, self.left).is_empty();
            (is_third, Some(seat) != challenger, !waits(seat), asked(seat))
        });
        let steps = targets.into_iter().filter_map(|target| {
            let mut askable = panel.askable_disagreements(target, self.left);
            let may = |about: &&Disagreement| panel.may_want_a_third(about) && !about.has_side(&target.seat);
            askable.extend(panel.disagreements.iter().filter(may));
            // Anybody may be a side of what the first question is about: the answer that asks it names that.
            let is_asked = self.first || !askable.is_empty();
            let ids = each_once(askable.iter().map(|about| about.id.as_str()));
            is_asked.then(|| self.next_step_form(ids, Some(target.name.as_str()), self.list_passages(target)))
        });
        Kind::AnyOf(steps.collect())
    }

    /// The form of a next step that may name `ids`, the panelist `target` and these passages.
    fn next_step_form(&self, ids: Vec<&str>, target: Option<&str>, passages: Vec<String>) -> Form {
        let course = [
            form_field("action", choice_kind(["ask", "stop"])).with_rule("S4"),
            form_field("disagreement", choice_kind(ids)).with_rule("Q6"),
        ];
        let question = [
            form_field("target", reference_kind(target)).with_rule("Q6"),
            form_field("quote", quotation_kind(passages)).with_rule("Q2"),
            form_field("question", text_kind(4, 600)),
        ];
        Form::new("question", course.into_iter().filter(|_| !self.first).chain(question))
    }

    /// Passages that a question to `target` may quote: claims against theirs, then what others said, the latest first.
    fn list_passages(&self, target: &Panelist) -> Vec<String> {
        let panel = self.panel;
        let against = panel.active_disagreements().filter_map(|about| about.opposing_claim(&target.seat));
        let against = against.map(|claim| trim_quote(&claim.quote));
        let turns = panel.said.0.iter().rev().filter(|turn| turn.seat != target.seat);
        let mut passages: Vec<String> = Vec::new();
        for passage in against.chain(turns.flat_map(|turn| turn.speech.list_passages())) {
            if !passages.contains(&passage) && passages.len() < QUOTES_EACH_MAX {
                passages.push(passage);
            }
        }
        passages
    }

    /// The next step in the field `next` of a draft with this number. What the last draft breaks makes it unusable, and is
    /// warned of.
    pub fn parse_next(
        &self,
        fields: &Reader<'_, '_>,
        draft: u32,
        faults: &mut Faults,
        warnings: &mut Vec<String>,
    ) -> NextQuestion {
        let mut own = Faults::default();
        let next = self.parse_step(fields, &mut own, warnings);
        let is_last = draft >= REDRAFTS_MAX;
        if own.0.is_empty() {
            return next;
        }
        if !is_last {
            faults.0.extend(own.0);
            return next;
        }
        // Whose turn it is matters less than that one is asked.
        let is_late = matches!(next, NextQuestion::Ask(_)) && own.0.iter().all(|fault| fault.rule == TURNS);
        warnings.extend(own.0.iter().map(|fault| format!("{}: {fault}", fault.rule)));
        if is_late { next } else { NextQuestion::Unusable }
    }

    fn parse_step(&self, of: &Reader<'_, '_>, faults: &mut Faults, warnings: &mut Vec<String>) -> NextQuestion {
        // Faults name every disagreement; whom it concerns and whose words are quoted is checked below.
        let ids = self.panel.disagreements.iter().map(|about| about.id.as_str()).collect();
        let form = self.next_step_form(ids, None, Vec::new());
        let next = form.open_reader(of.raw_value("next"), of.field_path("next"), faults);
        let Some(fields) = next else { return NextQuestion::Unusable };
        if !self.first && fields.read_text("action", faults) == "stop" {
            let unmet = self.panel.list_unmet_rules(self.left);
            if !unmet.is_empty() {
                let message = format!("the panel cannot stop yet. {}. Ask another question", unmet.join(". "));
                faults.add("stop", fields.field_path("action"), message);
            }
            return NextQuestion::Stop;
        }
        let about = self.parse_disagreement(&fields, faults);
        let target = fields.read_text("target", faults);
        let quote = trim_quote(&fields.read_text("quote", faults));
        let question = fields.read_text("question", faults);
        let Some(seat) = self.parse_seat(&target, &fields.field_path("target"), faults) else {
            return NextQuestion::Unusable;
        };
        self.check_target(&seat, about, &fields, faults);
        let question = self.compose_question(&seat, &quote, &question, &fields, faults, warnings);
        let disagreement = about.map(|about| about.id.clone()).unwrap_or_default();
        // The caller knows which answer this stands in.
        let of = Key::from_parts(super::MODERATOR);
        NextQuestion::Ask(PanelQuestion { disagreement, seat, question, of })
    }

    /// Whether this panelist can be asked about this disagreement now.
    fn check_target(&self, seat: &Seat, about: Option<&Disagreement>, fields: &Reader<'_, '_>, faults: &mut Faults) {
        let panel = self.panel;
        let (Some(about), Some(target)) = (about, panel.find_panelist(seat)) else { return };
        let due = panel.list_due_panelists(self.left);
        if !self.first && !due.is_empty() && !due.iter().any(|p| p.seat == *seat) {
            let names: Vec<&str> = due.iter().map(|p| p.name.as_str()).collect();
            let message = format!("nobody has asked {} anything yet; ask now", names.join(" or "));
            faults.add(TURNS, fields.field_path("target"), message);
            return;
        }
        let is_askable = match self.first {
            true => about.has_side(seat),
            false => panel.askable_disagreements(target, self.left).iter().any(|other| other.id == about.id),
        };
        if is_askable {
            return;
        }
        if about.has_side(seat) {
            let open: Vec<&str> = panel.active_disagreements().map(|d| d.id.as_str()).collect();
            let open = if open.is_empty() { "what is left".to_owned() } else { open.join(" or ") };
            let message = format!("{} is settled or left; ask about {open}", about.id);
            faults.add("S1", fields.field_path("disagreement"), message);
            return;
        }
        let sides = about.claims.each_ref().map(|claim| panel.panelist_name(&claim.seat));
        let message = format!(
            "{} is no side of {}; ask the one whose position is challenged, {} or {}",
            target.name, about.id, sides[0], sides[1]
        );
        faults.add("Q8", fields.field_path("target"), message);
    }

    fn parse_disagreement(&self, fields: &Reader<'_, '_>, faults: &mut Faults) -> Option<&Disagreement> {
        if self.first {
            return self.panel.disagreements.first();
        }
        self.panel.find_disagreement(&fields.read_text("disagreement", faults))
    }

    /// The one panelist that is called `name`.
    fn parse_seat(&self, name: &str, at: &str, faults: &mut Faults) -> Option<Seat> {
        let found = self.panel.find_speaker(name);
        if found.is_none() && !name.is_empty() {
            let names: Vec<&str> = self.panel.speakers().map(|p| p.name.as_str()).collect();
            faults.add("Q6", at, format!("{name:?} is nobody of the panel; ask one of {}", names.join(", ")));
        }
        found.map(|p| p.seat.clone())
    }

    /// The question with the claim that it quotes, checked.
    fn compose_question(
        &self,
        seat: &Seat,
        quote: &str,
        asked: &str,
        fields: &Reader<'_, '_>,
        faults: &mut Faults,
        warnings: &mut Vec<String>,
    ) -> String {
        let panel = self.panel;
        if quote.is_empty() || asked.is_empty() {
            return String::new();
        }
        let at = fields.field_path("question");
        let by = self.check_quote(seat, quote, &fields.field_path("quote"), faults);
        let is_from_the_floor =
            |words: &str| panel.interjections.iter().any(|one| Speech::from_text(&one.text).has_quote(words));
        for words in extract_quotations(asked) {
            let is_checked = count_words(&words) >= QUOTATION_WORDS_CHECKED;
            if is_checked && panel.said.find_speaker(&words).is_none() && !is_from_the_floor(&words) {
                let message = format!("nobody said {words:?}; quote exactly, or leave the quotation marks out");
                faults.add("Q2", &at, message);
            }
        }
        let question = match (to_plain_line(asked).contains(quote), by) {
            (false, Some(by)) => format!("{by}: \"{}\" {asked}", quote.replace('"', "'")),
            _ => asked.to_owned(),
        };
        let count = count_words(&question);
        if count >= QUESTION_WORDS_BELOW {
            let message =
                format!("the question has {count} words with the quote; fewer than {QUESTION_WORDS_BELOW} are allowed");
            faults.add("Q1", &at, message);
        }
        let mut earlier = panel.exchanges.iter().map(|exchange| &exchange.asked).filter(|e| e.seat == *seat);
        if earlier.any(|earlier| is_copy(&question, &earlier.question)) {
            warnings.push(format!("{} was asked the same before", panel.panelist_name(seat)));
        }
        question
    }

    /// Whose words `quote` is: those of another panelist, or of a person on the floor.
    fn check_quote(&self, seat: &Seat, quote: &str, at: &str, faults: &mut Faults) -> Option<&str> {
        let panel = self.panel;
        let others: Vec<&Panelist> = panel.speakers().filter(|p| p.seat != *seat).collect();
        let owner = others.iter().find(|p| panel.said.has_said(&p.seat, quote)).map(|p| p.name.as_str());
        let floor = || panel.interjections.iter().find(|one| Speech::from_text(&one.text).has_quote(quote));
        let by = owner.or_else(|| floor().map(|one| one.by.as_str()));
        let count = count_words(quote);
        // A participant who says two words can be quoted with two.
        let whole = || panel.said.0.iter().any(|turn| trim_quote(&turn.speech.plain) == quote);
        let message = if count > QUOTE_WORDS_MAX || (count < QUOTE_WORDS_MIN && !whole()) {
            format!("the quote has {count} words; quote {QUOTE_WORDS_MIN} to {QUOTE_WORDS_MAX} of them")
        } else if by.is_some() {
            return by;
        } else if panel.said.has_said(seat, quote) {
            let name = panel.panelist_name(seat);
            format!("{name} said that; quote the claim of somebody else that {name} must meet")
        } else {
            let near = others.iter().find_map(|p| panel.said.find_nearest_words(&p.seat, quote)).unwrap_or_default();
            format!("nobody else said {quote:?}; copy words of the transcript exactly, for example {near:?}")
        };
        faults.add("Q2", at, message);
        by
    }
}

/// `values`, each once.
pub fn each_once<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<&'v str> {
    collect_different(values.into_iter().filter(|value| !value.is_empty()))
}

/// A reference to one of `values`.
pub fn reference_kind<'v>(values: impl IntoIterator<Item = &'v str>) -> Kind {
    Kind::Reference(each_once(values).into_iter().map(str::to_owned).collect())
}
