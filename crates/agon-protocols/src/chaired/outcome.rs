//! The outcome that the chair declares, and who can win. It is a field of the conclusion; the words of its reason
//! decide nothing.

use agon_core::{Attempt, Faults};
use agon_text::FoldedText;

use super::{chair::TEXT_CHARS_MAX, debaters::Debater};
use crate::common::form::{Form, Kind, choice, field, list, text};

/// What the name of a debater ends with in an outcome.
const WINS: &str = "_wins";
/// The other outcomes.
const DRAW: &str = "draw";
const VOID: &str = "void";

/// The parsed conclusion of the chair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concluded {
    /// `draw`, a debater's name with `_wins`, or `void`.
    pub outcome: String,
    /// Why.
    pub reason: String,
}

/// A debater as the chair of a conclusion knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contestant {
    /// The name that an outcome carries.
    pub name: String,
    /// The name that the chair reads, which it may use as well.
    pub title: String,
    /// Whether it can win: none of its sources is fabricated, and nobody was lost for good.
    pub is_eligible: bool,
}

impl Contestant {
    /// `debater` under its own names.
    pub fn of(debater: &Debater, is_eligible: bool) -> Self {
        Self { name: debater.name.clone(), title: debater.title.clone(), is_eligible }
    }

    fn is_called(&self, name: &str) -> bool {
        [&self.name, &self.title].into_iter().any(|own| is_alike(own, name))
    }
}

/// The debaters that the chair can declare the winner, in the order in which it reads of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest(pub Vec<Contestant>);

/// Whether two names are one but for the case of letters and typography.
fn is_alike(one: &str, other: &str) -> bool {
    let (a, b) = (FoldedText::new(one), FoldedText::new(other));
    if a.as_str().is_empty() { one.trim() == other.trim() } else { a.as_str() == b.as_str() }
}

impl Contest {
    /// `draw`, a debater's name with `_wins`, or `void`.
    pub fn outcomes(&self) -> Vec<String> {
        let eligible = self.0.iter().filter(|contestant| contestant.is_eligible);
        let wins = eligible.map(|contestant| format!("{}{WINS}", contestant.name));
        std::iter::once(DRAW.to_owned()).chain(wins).chain([VOID.into()]).collect()
    }

    /// The form of the conclusion: each debater is assessed by itself before all are compared.
    pub fn form(&self) -> Form {
        let names = self.0.iter().map(|contestant| contestant.name.clone()).collect();
        let each = Form::new(
            "assessments",
            [field("debater", Kind::Reference(names)), field("assessment", text(40, TEXT_CHARS_MAX))],
        );
        Form::new(
            "chair",
            [
                field("assessments", list(self.0.len(), self.0.len(), Kind::Object(each)))
                    .rule("assessments"),
                field("reason", text(40, TEXT_CHARS_MAX)).rule("reason"),
                field("outcome", choice(self.outcomes())).rule("outcome"),
            ],
        )
    }

    /// The conclusion in `draft`, or every fault of its form. A debater without an assessment is told once.
    pub fn conclude(&self, draft: Attempt<'_>) -> Result<Concluded, Faults> {
        let told = draft.was_told("assessments");
        self.form().read(draft.text, |fields, faults| {
            let mut missing = Faults::default();
            let mut assessed: Vec<String> = Vec::new();
            for part in fields.parts("assessments", &mut missing) {
                let Some(item) = part.open(&mut missing) else { continue };
                item.text("assessment", &mut missing);
                assessed.push(item.text("debater", &mut missing));
            }
            for contestant in &self.0 {
                if !assessed.iter().any(|name| contestant.is_called(name)) {
                    fields.fault(
                        "assessments",
                        format!("{} is not assessed", contestant.title),
                        &mut missing,
                    );
                }
            }
            if !told {
                faults.0.extend(missing.0);
            }
            let reason = fields.text("reason", faults);
            let said = fields.raw("outcome").as_str().unwrap_or_default();
            match self.parse_outcome(said) {
                Ok(outcome) => Some(Concluded { outcome, reason }),
                Err(why) => {
                    fields.fault("outcome", why, faults);
                    None
                }
            }
        })
    }

    /// The outcome that `said` names, in any case of letters, also by the bare name of a debater.
    fn parse_outcome(&self, said: &str) -> Result<String, String> {
        let outcomes = self.outcomes();
        let word = said.trim().trim_matches(['"', '.', '*', '`']).trim();
        if let Some(plain) = [DRAW, VOID].into_iter().find(|plain| word.eq_ignore_ascii_case(plain)) {
            return Ok(plain.to_owned());
        }
        let at = word.len().saturating_sub(WINS.len());
        let ends = word.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(WINS));
        let name = if ends { &word[..at] } else { word };
        let named = self.0.iter().find(|contestant| contestant.is_called(name));
        match named {
            Some(winner) if winner.is_eligible => Ok(format!("{}{WINS}", winner.name)),
            Some(_) => Err(format!(
                "{word:?} cannot be: a debater with a fabricated source, or in a debate that lost somebody, wins nothing; choose one of {}",
                outcomes.join(", ")
            )),
            None => Err(format!("{word:?} is not one of {}", outcomes.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn contest(all: &[(&str, &str, bool)]) -> Contest {
        let contestant = |(name, title, is_eligible): &(&str, &str, bool)| Contestant {
            name: (*name).into(),
            title: (*title).into(),
            is_eligible: *is_eligible,
        };
        Contest(all.iter().map(contestant).collect())
    }

    fn concluded(contest: &Contest, outcome: &str, reason: &str) -> Result<Concluded, Faults> {
        let each = |contestant: &Contestant| json!({"debater": contestant.title, "assessment": "It argued from its sources and answered."});
        let all: Vec<_> = contest.0.iter().map(each).collect();
        let text = json!({"assessments": all, "reason": reason, "outcome": outcome}).to_string();
        contest.conclude(Attempt { text: &text, number: 0, quoted: &[], imported: false })
    }

    #[test]
    fn the_outcome_is_read_in_any_case_and_by_the_bare_name() {
        let all = contest(&[("mila", "Mila", true), ("debater-2", "王芳", true)]);
        for (said, wanted) in [
            ("mila_wins", "mila_wins"),
            ("Mila_Wins", "mila_wins"),
            ("MILA", "mila_wins"),
            ("王芳", "debater-2_wins"),
            ("王芳_wins", "debater-2_wins"),
            ("debater-2_wins", "debater-2_wins"),
            ("Draw", "draw"),
            (" VOID. ", "void"),
        ] {
            assert_eq!(concluded(&all, said, "Its case held.").unwrap().outcome, wanted, "{said}");
        }
        for said in ["eve_wins", "affirmative_wins", "negative_wins", "", "mil", "王"] {
            let faults = concluded(&all, said, "Its case held.").unwrap_err();
            assert_eq!(faults.0[0].rule, "outcome", "{said}");
        }
    }

    #[test]
    fn the_words_of_the_reason_refuse_nothing_and_decide_nothing() {
        let all = contest(&[("mila", "mila", true), ("oskar", "oskar", true)]);
        for reason in [
            "mila won the exchange on noise at seq 6; oskar's sources decided the rest.",
            "It cannot be said that mila wins on any point.",
            "Had the closings been heard alone, mila prevailed; the rounds weigh more.",
            "mila hat in der Frage des Lärms gewonnen, oskar in allen anderen.",
            "米拉赢得了关于噪音的争论，但奥斯卡的来源更可靠。",
        ] {
            assert_eq!(concluded(&all, "oskar_wins", reason).unwrap().outcome, "oskar_wins", "{reason}");
        }
    }

    #[test]
    fn a_debater_with_a_fabricated_source_cannot_win() {
        let barred = contest(&[("ada", "ada", false), ("bob", "bob", true)]);
        for said in ["ada_wins", "Ada"] {
            let faults = concluded(&barred, said, "Its case held.").unwrap_err();
            assert!(faults.to_string().contains("fabricated source"), "{faults}");
        }
        assert!(!barred.form().schema().to_string().contains("ada_wins"));
    }

    #[test]
    fn a_missing_assessment_is_told_once() {
        let all = contest(&[("ada", "ada", true), ("bob", "bob", true)]);
        let text = r#"{"assessments": [], "reason": "It held in all its points.", "outcome": "draw"}"#;
        let first = all.conclude(Attempt { text, number: 0, quoted: &[], imported: false }).unwrap_err();
        assert_eq!(first.0.len(), 2);
        let again = all.conclude(Attempt { text, number: 1, quoted: &first.0, imported: false }).unwrap();
        assert_eq!(again.outcome, "draw");
    }
}
