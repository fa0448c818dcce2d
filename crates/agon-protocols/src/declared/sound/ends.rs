//! Whether the end of a phase and the outcome of the debate can be read from what is said.

use super::{CHOICE_CHARS_MAX, Checked, SoundnessCheck};
use crate::declared::declaration::{Ask, DeclaredField, DeclaredPhase, FieldKind, OutcomeReading, Until};

impl SoundnessCheck<'_> {
    pub(super) fn until(&self, at: &str, phase: &DeclaredPhase, until: &Until) -> Checked {
        let Some(ask) = phase.asks.iter().find(|ask| ask.name == until.ask) else {
            let message = format!("the phase {:?} has no ask {:?}", phase.name, until.ask);
            return self.fault(&format!("{at}.ask"), message, "name an ask of this phase");
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
                    return self.fault(&format!("{at}.says"), message, "use field and is");
                }
                self.line(&format!("{at}.says"), word, CHOICE_CHARS_MAX)
            }
            (None, Some(field), Some(value), None, None) => {
                match (field.kind, value.as_str(), value.as_bool()) {
                    (FieldKind::YesNo, Some("yes" | "no"), _) | (FieldKind::YesNo, _, Some(_)) => Ok(()),
                    (FieldKind::Choice, Some(word), _) if field.of.iter().any(|of| of == word) => Ok(()),
                    _ => self.fault(
                        &format!("{at}.is"),
                        format!("the field {:?} never has the value {value}", field.name),
                        "take a word of its of, or true and false for yes-no",
                    ),
                }
            }
            (None, Some(field), None, Some(share), None) => {
                if !matches!(field.kind, FieldKind::Number | FieldKind::Whole) {
                    let message = format!("{:?} is no number", field.name);
                    return self.fault(
                        &format!("{at}.field"),
                        message,
                        "name a field of the type number or whole",
                    );
                }
                self.within(&format!("{at}.stable"), share, 0.0, 1.0)
            }
            (None, Some(field), None, None, Some(true)) => self.votable(&format!("{at}.field"), field),
            _ => self.fault(at, "it does not say when the phase ends", remedy),
        }
    }

    pub(super) fn outcome(&self) -> Checked {
        let rule = &self.all.outcome;
        let ask = match &rule.ask {
            None => None,
            Some(name) => {
                self.known_ask("outcome.ask", name)?;
                self.all.ask(name)
            }
        };
        if rule.read != OutcomeReading::Vote && rule.tie.is_some() {
            return self.fault(
                "outcome.tie",
                "only a vote has a tie",
                "take it out, or write read = \"vote\"",
            );
        }
        if let Some(tie) = &rule.tie {
            self.line("outcome.tie", tie, CHOICE_CHARS_MAX)?;
        }
        let Some(ask) = ask else {
            return match rule.read {
                OutcomeReading::Closed if rule.field.is_none() => Ok(()),
                _ => self.fault("outcome", "it does not say which ask it is read from", "add ask = \"NAME\""),
            };
        };
        if ask.quorum == Some(0) && rule.read != OutcomeReading::Closed {
            let message = format!("nobody need answer {:?}, and the outcome is read from it", ask.name);
            return self.fault("outcome.ask", message, format!("give {} a quorum of 1 or more", ask.name));
        }
        let field = match &rule.field {
            None => None,
            Some(name) => Some(self.field_of("outcome.field", ask, name)?),
        };
        match (rule.read, field) {
            (OutcomeReading::Closed, None) => Ok(()),
            (OutcomeReading::Word, None) if !ask.says_one_of.is_empty() => self.alone(ask),
            (OutcomeReading::Word, None) => self.fault(
                "outcome.ask",
                format!("{:?} need say none of several words", ask.name),
                format!("add says_one_of = [\"…\", \"…\"] to {}", ask.name),
            ),
            (OutcomeReading::Field, Some(field))
                if matches!(field.kind, FieldKind::Choice | FieldKind::YesNo) =>
            {
                self.alone(ask)
            }
            (OutcomeReading::Median, Some(field))
                if matches!(field.kind, FieldKind::Number | FieldKind::Whole) =>
            {
                Ok(())
            }
            (OutcomeReading::Vote, Some(field)) => self.votable("outcome.field", field),
            (OutcomeReading::Closed | OutcomeReading::Word, Some(_)) => {
                self.fault("outcome.field", "this way of reading has no field", "take it out")
            }
            (_, None) => {
                self.fault("outcome", "it does not say which field it is read from", "add field = \"NAME\"")
            }
            (_, Some(field)) => self.fault(
                "outcome.field",
                format!("{:?} cannot be read so", field.name),
                "field needs a choice or yes-no, median a number, vote a choice, yes-no, pick or picks",
            ),
        }
    }

    /// Whether one seat answers `ask`, whose word decides.
    fn alone(&self, ask: &Ask) -> Checked {
        match self.seats_of(ask).1 {
            1 => Ok(()),
            _ => self.fault(
                "outcome.ask",
                format!("several seats answer {:?}", ask.name),
                "read a vote, or ask one seat",
            ),
        }
    }

    fn votable(&self, at: &str, field: &DeclaredField) -> Checked {
        match field.kind {
            FieldKind::Choice | FieldKind::YesNo | FieldKind::Pick | FieldKind::Picks => Ok(()),
            _ => self.fault(
                at,
                format!("nobody can vote by {:?}", field.name),
                "name a field of the type choice, yes-no, pick or picks",
            ),
        }
    }
}
