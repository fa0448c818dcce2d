//! Whether the end of a phase and the outcome of the debate can be read from what is said.

use super::{CHOICE_CHARS_MAX, Checked, SoundnessCheck};
use crate::declared::{
    decision,
    declaration::{Ask, DeclaredField, DeclaredPhase, FieldKind, OutcomeReading, Until},
    outcome::DECIDED,
    sides::CANDIDATES,
};

impl SoundnessCheck<'_> {
    pub(super) fn check_until(&self, at: &str, phase: &DeclaredPhase, until: &Until) -> Checked {
        let Some(ask) = phase.asks.iter().find(|ask| ask.name == until.ask) else {
            let message = format!("the phase {:?} has no ask {:?}", phase.name, until.ask);
            return self.report_fault(&format!("{at}.ask"), message, "name an ask of this phase");
        };
        let field = match &until.field {
            None => None,
            Some(name) => Some(self.field_of(&format!("{at}.field"), ask, name)?),
        };
        let remedy = "write one of says = \"…\"; field and is; field and stable; field and agree = true";
        match (&until.says, field, &until.is, until.stable, until.agree) {
            (Some(word), None, None, None, None) => {
                if !ask.fields.is_empty() {
                    let message = format!("{:?} is answered in fields, not in prose", ask.name);
                    return self.report_fault(&format!("{at}.says"), message, "use field and is");
                }
                self.check_line(&format!("{at}.says"), word, CHOICE_CHARS_MAX)
            }
            (None, Some(field), Some(value), None, None) => match (field.kind, value.as_str(), value.as_bool()) {
                (FieldKind::YesNo, Some("yes" | "no"), _) | (FieldKind::YesNo, _, Some(_)) => Ok(()),
                (FieldKind::Choice, Some(word), _) if field.of.iter().any(|of| of == word) => Ok(()),
                _ => self.report_fault(
                    &format!("{at}.is"),
                    format!("the field {:?} never has the value {value}", field.name),
                    "take a word of its of, or true and false for yes-no",
                ),
            },
            (None, Some(field), None, Some(share), None) => {
                if !matches!(field.kind, FieldKind::Number | FieldKind::Whole) {
                    let message = format!("{:?} is no number", field.name);
                    return self.report_fault(
                        &format!("{at}.field"),
                        message,
                        "name a field of the type number or whole",
                    );
                }
                self.check_range(&format!("{at}.stable"), share, 0.0, 1.0)
            }
            (None, Some(field), None, None, Some(true)) => self.check_votable(&format!("{at}.field"), field),
            _ => self.report_fault(at, "it does not say when the phase ends", remedy),
        }
    }

    pub(super) fn check_outcome(&self) -> Checked {
        let rule = &self.all.outcome;
        let ask = match &rule.ask {
            None => None,
            Some(name) => {
                self.known_ask("outcome.ask", name)?;
                self.all.find_ask(name)
            }
        };
        if !matches!(rule.read, OutcomeReading::Vote | OutcomeReading::Answer) && rule.tie.is_some() {
            return self.report_fault(
                "outcome.tie",
                "only a vote or an answer has a tie",
                "take it out, or write read = \"vote\"",
            );
        }
        if let Some(tie) = &rule.tie {
            self.check_line("outcome.tie", tie, CHOICE_CHARS_MAX)?;
        }
        let of_answers = [
            ("outcome.also", !rule.also.is_empty()),
            ("outcome.before", rule.before.is_some()),
            ("outcome.critic", rule.critic.is_some()),
        ];
        if let Some((key, _)) = of_answers.into_iter().find(|(_, given)| *given && rule.read != OutcomeReading::Answer)
        {
            return self.report_fault(key, "only an answer has this", "take it out, or write read = \"answer\"");
        }
        let Some(ask) = ask else {
            return match rule.read {
                OutcomeReading::Closed if rule.field.is_none() => Ok(()),
                _ => self.report_fault("outcome", "it does not say which ask it is read from", "add ask = \"NAME\""),
            };
        };
        if ask.quorum == Some(0) && rule.read != OutcomeReading::Closed {
            let message = format!("nobody need answer {:?}, and the outcome is read from it", ask.name);
            return self.report_fault("outcome.ask", message, format!("give {} a quorum of 1 or more", ask.name));
        }
        let field = match &rule.field {
            None => None,
            Some(name) => Some(self.field_of("outcome.field", ask, name)?),
        };
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
            (OutcomeReading::Median, Some(field)) if matches!(field.kind, FieldKind::Number | FieldKind::Whole) => {
                Ok(())
            }
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
            self.known_ask(&at, name)?;
            let before = rule.ask.iter().chain(&rule.also[..n]).map(String::as_str);
            self.check_unique(&at, name, before)?;
            self.all.find_ask(name).map_or(Ok(()), |ask| self.check_answer_field(&at, ask))?;
        }
        for (at, name) in [("outcome.before", &rule.before), ("outcome.critic", &rule.critic)] {
            let Some(name) = name else { continue };
            self.known_ask(at, name)?;
            self.all.find_ask(name).map_or(Ok(()), |ask| self.check_answer_field(at, ask))?;
        }
        match self.all.asks_with_phases().any(|(_, ask)| ask.name == DECIDED) {
            true => self.report_fault("outcome", format!("an ask is called {DECIDED:?}"), "give the ask another name"),
            false => Ok(()),
        }
    }

    fn check_answer_field(&self, at: &str, ask: &Ask) -> Checked {
        if ask.quorum == Some(0) {
            let message = format!("nobody need answer {:?}, and the outcome is read from it", ask.name);
            return self.report_fault(at, message, format!("give {} a quorum of 1 or more", ask.name));
        }
        match decision::field_of(ask, FieldKind::Answer) {
            Some(_) => Ok(()),
            None => self.report_fault(
                at,
                format!("{:?} has no field of the type answer", ask.name),
                "add { name = \"answer\", type = \"answer\" } to its fields",
            ),
        }
    }

    /// Whether the answer stands in texts of one ask.
    pub(super) fn answer_place(&self) -> Checked {
        let Some(place) = &self.all.answer else { return Ok(()) };
        self.known_ask("answer.ask", &place.ask)?;
        let Some(ask) = self.all.find_ask(&place.ask) else { return Ok(()) };
        for (at, name) in [("answer.field", Some(&place.field)), ("answer.unless", place.unless.as_ref())] {
            let Some(name) = name else { continue };
            if self.field_of(at, ask, name)?.kind != FieldKind::Text {
                let message = format!("{name:?} is not a text");
                return self.report_fault(at, message, "name a field of the type text");
            }
        }
        Ok(())
    }

    /// Whether those who argue have something to argue for.
    pub(super) fn check_candidates(&self) -> Checked {
        for (s, seat) in self.all.seats.iter().enumerate() {
            let Some(argues) = seat.argues else { continue };
            let at = format!("seat[{s}].argues");
            self.check_range(&at, argues.into(), 1.0, CANDIDATES.into())?;
            if seat.members.is_some() {
                let message = "the seats of a row cannot argue for an answer";
                return self.report_fault(&at, message, "declare them as single seats");
            }
        }
        let argued = self.all.seats.iter().any(|seat| seat.argues.is_some());
        if let Some(p) = self.all.phases.iter().position(|phase| phase.swap).filter(|_| !argued) {
            let at = format!("phase[{p}].swap");
            return self.report_fault(&at, "nobody argues for an answer", "add argues = 1 to a seat, or take this out");
        }
        let Some(from) = &self.all.candidates else { return Ok(()) };
        if !argued {
            let remedy = "add argues = 1 to a seat, or take this out";
            return self.report_fault("candidates", "nobody argues for an answer", remedy);
        }
        self.known_ask("candidates.ask", &from.ask)?;
        let Some(ask) = self.all.find_ask(&from.ask) else { return Ok(()) };
        let field = self.field_of("candidates.field", ask, &from.field)?;
        if field.kind != FieldKind::Probabilities {
            let message = format!("{:?} holds no probabilities", from.field);
            return self.report_fault("candidates.field", message, "name a field of the type probabilities");
        }
        // Who argues for what must not change while they do.
        let place = |name: &str| self.all.phases.iter().position(|phase| phase.asks.iter().any(|ask| ask.name == name));
        let argues =
            |ask: &Ask| ask.seats.iter().any(|seat| self.all.find_seat(seat).is_some_and(|s| s.argues.is_some()));
        let first =
            self.all.phases.iter().position(|phase| phase.asks.iter().any(|ask| ask.name != from.ask && argues(ask)));
        let repeated = place(&from.ask).and_then(|p| self.all.phases[p].rounds).is_some();
        if repeated || place(&from.ask) >= first {
            let message = format!("{:?} does not come once, in a phase before those who argue", from.ask);
            return self.report_fault("candidates.ask", message, "ask it in a phase of its own, without rounds");
        }
        Ok(())
    }

    /// Whether one seat answers `ask`, whose word decides.
    fn check_single_seat(&self, ask: &Ask) -> Checked {
        match self.seats_of(ask).1 {
            1 => Ok(()),
            _ => self.report_fault(
                "outcome.ask",
                format!("several seats answer {:?}", ask.name),
                "read a vote, or ask one seat",
            ),
        }
    }

    fn check_votable(&self, at: &str, field: &DeclaredField) -> Checked {
        match field.kind {
            FieldKind::Choice | FieldKind::YesNo | FieldKind::Pick | FieldKind::Picks | FieldKind::Answer => Ok(()),
            _ => self.report_fault(
                at,
                format!("nobody can vote by {:?}", field.name),
                "name a field of the type choice, yes-no, pick or picks",
            ),
        }
    }
}
