//! Whether the end of a phase and the outcome of the debate can be read from what is said.

use super::{CHOICE_CHARS_MAX, Checked, SoundnessCheck};
use crate::declared::{
    candidate_sides::CANDIDATES,
    decision,
    declaration::{Ask, DeclaredField, DeclaredPhase, FieldKind, OutcomeReading, Until},
    outcome::DECIDED,
};

impl SoundnessCheck<'_> {
    pub(super) fn check_until(&self, at: &str, phase: &DeclaredPhase, until: &Until) -> Checked {
        let key = |key: &str| format!("{at}.{key}");
        let Some(ask) = phase.asks.iter().find(|ask| ask.name == until.ask) else {
            let message = format!("the phase {:?} has no ask {:?}", phase.name, until.ask);
            return self.report_fault(&key("ask"), message, "name an ask of this phase");
        };
        let field = until.field.as_deref().map(|name| self.field_of(&key("field"), ask, name)).transpose()?;
        let remedy = "write one of says = \"…\"; field and is; field and stable; field and agree = true";
        match (&until.says, field, &until.is, until.stable, until.agree) {
            (Some(word), None, None, None, None) => {
                let message = format!("{:?} is answered in fields, not in prose", ask.name);
                self.check_condition(ask.fields.is_empty(), &key("says"), message, "use field and is")?;
                self.check_line(&key("says"), Some(word), CHOICE_CHARS_MAX)
            }
            (None, Some(field), Some(value), None, None) => match (field.kind, value.as_str(), value.as_bool()) {
                (FieldKind::YesNo, Some("yes" | "no"), _) | (FieldKind::YesNo, _, Some(_)) => Ok(()),
                (FieldKind::Choice, Some(word), _) if field.of.iter().any(|of| of == word) => Ok(()),
                _ => self.report_fault(
                    &key("is"),
                    format!("the field {:?} never has the value {value}", field.name),
                    "take a word of its of, or true and false for yes-no",
                ),
            },
            (None, Some(field), None, Some(share), None) => {
                let (message, remedy) =
                    (format!("{:?} is no number", field.name), "name a field of the type number or whole");
                self.check_condition(field.kind.is_number(), &key("field"), message, remedy)?;
                self.check_range(&key("stable"), share, 0.0, 1.0)
            }
            (None, Some(field), None, None, Some(true)) => self.check_votable(&key("field"), field),
            _ => self.report_fault(at, "it does not say when the phase ends", remedy),
        }
    }

    pub(super) fn check_outcome(&self) -> Checked {
        let rule = &self.all.outcome;
        let ask = rule.ask.as_ref().map(|name| self.known_ask("outcome.ask", name)).transpose()?;
        if let Some(tie) = &rule.tie {
            let has_tie = matches!(rule.read, OutcomeReading::Vote | OutcomeReading::Answer);
            let remedy = "take it out, or write read = \"vote\"";
            self.check_condition(has_tie, "outcome.tie", "only a vote or an answer has a tie", remedy)?;
            self.check_line("outcome.tie", Some(tie), CHOICE_CHARS_MAX)?;
        }
        let of_answers = [
            ("outcome.also", !rule.also.is_empty()),
            ("outcome.before", rule.before.is_some()),
            ("outcome.critic", rule.critic.is_some()),
        ];
        for (key, is_given) in of_answers {
            let is_sound = !is_given || rule.read == OutcomeReading::Answer;
            let remedy = "take it out, or write read = \"answer\"";
            self.check_condition(is_sound, key, "only an answer has this", remedy)?;
        }
        let Some(ask) = ask else {
            return match rule.read {
                OutcomeReading::Closed if rule.field.is_none() => Ok(()),
                _ => self.report_fault("outcome", "it does not say which ask it is read from", "add ask = \"NAME\""),
            };
        };
        if rule.read != OutcomeReading::Closed {
            self.check_answered("outcome.ask", ask)?;
        }
        let field = rule.field.as_deref().map(|name| self.field_of("outcome.field", ask, name)).transpose()?;
        match (rule.read, field) {
            (OutcomeReading::Answer, None) => self.check_answers(ask),
            (OutcomeReading::Closed, None) => Ok(()),
            (OutcomeReading::Word, None) if !ask.says_one_of.is_empty() => self.check_single_seat(ask),
            (OutcomeReading::Word, None) => self.report_fault(
                "outcome.ask",
                format!("{:?} need say none of several words", ask.name),
                format!("add says_one_of = [\"…\", \"…\"] to {}", ask.name),
            ),
            (OutcomeReading::Field, Some(field)) if matches!(field.kind, FieldKind::Choice | FieldKind::YesNo) => {
                self.check_single_seat(ask)
            }
            (OutcomeReading::Median, Some(field)) if field.kind.is_number() => Ok(()),
            (OutcomeReading::Vote, Some(field)) => self.check_votable("outcome.field", field),
            (OutcomeReading::Closed | OutcomeReading::Word | OutcomeReading::Answer, Some(_)) => {
                self.report_fault("outcome.field", "this way of reading has no field", "take it out")
            }
            (_, None) => {
                self.report_fault("outcome", "it does not say which field it is read from", "add field = \"NAME\"")
            }
            (_, Some(field)) => self.report_fault(
                "outcome.field",
                format!("{:?} cannot be read so", field.name),
                "field needs a choice or yes-no, median a number, vote a choice, yes-no, pick or picks",
            ),
        }
    }

    /// Whether each ask that decides for a choice, and the one from before the debate, has a field for it.
    fn check_answers(&self, ask: &Ask) -> Checked {
        let rule = &self.all.outcome;
        self.check_answer_field("outcome.ask", ask)?;
        for (n, name) in rule.also.iter().enumerate() {
            let at = format!("outcome.also[{n}]");
            let ask = self.known_ask(&at, name)?;
            let before = rule.ask.iter().chain(&rule.also[..n]).map(String::as_str);
            self.check_unique(&at, name, before)?;
            self.check_answer_field(&at, ask)?;
        }
        for (at, name) in [("outcome.before", &rule.before), ("outcome.critic", &rule.critic)] {
            let Some(name) = name else { continue };
            self.check_answer_field(at, self.known_ask(at, name)?)?;
        }
        let is_free = self.all.find_ask(DECIDED).is_none();
        self.check_condition(is_free, "outcome", format!("an ask is called {DECIDED:?}"), "give the ask another name")
    }

    /// Whether a seat must answer `ask`, from which the outcome is read.
    fn check_answered(&self, at: &str, ask: &Ask) -> Checked {
        let message = format!("nobody need answer {:?}, and the outcome is read from it", ask.name);
        let remedy = format!("give {} a quorum of 1 or more", ask.name);
        self.check_condition(ask.quorum != Some(0), at, message, remedy)
    }

    fn check_answer_field(&self, at: &str, ask: &Ask) -> Checked {
        self.check_answered(at, ask)?;
        let message = format!("{:?} has no field of the type answer", ask.name);
        let remedy = "add { name = \"answer\", type = \"answer\" } to its fields";
        self.check_condition(decision::field_of(ask, FieldKind::Answer).is_some(), at, message, remedy)
    }

    /// Whether the answer stands in texts of one ask.
    pub(super) fn answer_place(&self) -> Checked {
        let Some(place) = &self.all.answer else { return Ok(()) };
        let ask = self.known_ask("answer.ask", &place.ask)?;
        for (at, name) in [("answer.field", Some(&place.field)), ("answer.unless", place.unless.as_ref())] {
            let Some(name) = name else { continue };
            let is_text = self.field_of(at, ask, name)?.kind == FieldKind::Text;
            self.check_condition(is_text, at, format!("{name:?} is not a text"), "name a field of the type text")?;
        }
        Ok(())
    }

    /// Whether those who argue have something to argue for.
    pub(super) fn check_candidates(&self) -> Checked {
        for (s, seat) in self.all.seats.iter().enumerate() {
            let Some(argues) = seat.argues else { continue };
            let at = format!("seat[{s}].argues");
            self.check_range(&at, f64::from(argues), 1.0, CANDIDATES.into())?;
            let message = "the seats of a row cannot argue for an answer";
            self.check_condition(seat.members.is_none(), &at, message, "declare them as single seats")?;
        }
        let argued = self.all.seats.iter().any(|seat| seat.argues.is_some());
        let check_argued = |at: &str| {
            let remedy = "add argues = 1 to a seat, or take this out";
            self.check_condition(argued, at, "nobody argues for an answer", remedy)
        };
        if let Some(p) = self.all.phases.iter().position(|phase| phase.swap) {
            check_argued(&format!("phase[{p}].swap"))?;
        }
        let Some(from) = &self.all.candidates else { return Ok(()) };
        check_argued("candidates")?;
        let ask = self.known_ask("candidates.ask", &from.ask)?;
        let is_ranking = self.field_of("candidates.field", ask, &from.field)?.kind == FieldKind::Probabilities;
        let message = format!("{:?} holds no probabilities", from.field);
        self.check_condition(is_ranking, "candidates.field", message, "name a field of the type probabilities")?;
        // Who argues for what must not change while they do.
        let place = |name: &str| self.all.phases.iter().position(|phase| phase.asks.iter().any(|ask| ask.name == name));
        let argues =
            |ask: &Ask| ask.seats.iter().any(|seat| self.all.find_seat(seat).is_some_and(|s| s.argues.is_some()));
        let first =
            self.all.phases.iter().position(|phase| phase.asks.iter().any(|ask| ask.name != from.ask && argues(ask)));
        let repeated = place(&from.ask).and_then(|p| self.all.phases[p].rounds).is_some();
        let comes_first = !repeated && place(&from.ask) < first;
        let message = format!("{:?} does not come once, in a phase before those who argue", from.ask);
        self.check_condition(comes_first, "candidates.ask", message, "ask it in a phase of its own, without rounds")
    }

    /// Whether one seat answers `ask`, whose word decides.
    fn check_single_seat(&self, ask: &Ask) -> Checked {
        let message = format!("several seats answer {:?}", ask.name);
        self.check_condition(self.seats_of(ask).1 == 1, "outcome.ask", message, "read a vote, or ask one seat")
    }

    fn check_votable(&self, at: &str, field: &DeclaredField) -> Checked {
        use FieldKind::{Answer, Choice, Pick, Picks, YesNo};
        let is_votable = matches!(field.kind, Choice | YesNo | Pick | Picks | Answer);
        let message = format!("nobody can vote by {:?}", field.name);
        self.check_condition(is_votable, at, message, "name a field of the type choice, yes-no, pick or picks")
    }
}
