//! The outcome that the chair declares, why, and who can win. It is a field of the conclusion; the words of its reasons
//! decide nothing.

use agon_core::{Attempt, Faults, Request};
use agon_text::FoldedText;

use super::{
    chair::{TEXT_CHARS_MAX, parse_argument_seqs},
    debaters::{Debater, DebaterLabels, Debaters},
    log::DebateLog,
};
use crate::common::{
    final_answer::{answer_field, parse_answer},
    form::{Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind},
    request_values::read_fact,
};

/// The fact of a request that lists the debaters the other way round.
pub(super) const REVERSED: &str = "reversed";

/// What the name of a debater ends with in an outcome.
const WINS: &str = "_wins";
/// The other outcomes.
const DRAW: &str = "draw";
const VOID: &str = "void";

/// Most reasons of a conclusion beyond one for each debater.
const REASONS_MORE_MAX: usize = 3;
/// Most entries that one reason names.
const ENTRIES_MAX: usize = 4;
/// The rule of faults in the reasons.
const REASONS: &str = "reasons";

/// What speaks for one debater, by the chair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChairReason {
    /// For whom, as the log names them.
    pub debater: String,
    /// In the chair's words.
    pub text: String,
    /// The entries of the log that it rests on.
    pub entries: Vec<u64>,
}

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
    /// Whether one of its names is `name`, but for the case of letters and typography.
    fn is_called(&self, name: &str) -> bool {
        let said = FoldedText::new(name);
        [&self.name, &self.title].into_iter().any(|own| match FoldedText::new(own).as_str() {
            "" => own.trim() == name.trim(),
            folded => folded == said.as_str(),
        })
    }
}

/// The debaters that the chair can declare the winner, in the order in which it reads of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest(pub Vec<Contestant>);

impl Contest {
    /// Whom `request` asks the chair to decide between, under the letters that it hands out.
    pub(super) fn from_request(debaters: &Debaters, request: &Request) -> Self {
        let eligible: Vec<String> = read_fact(request, "eligible").unwrap_or_default();
        let labels = DebaterLabels::from_request(request);
        let contestant = |debater: &Debater| {
            let called = |own: &String| labels.find_label(&debater.name).unwrap_or_else(|| own.clone());
            let is_eligible = eligible.contains(&debater.name);
            Contestant { name: called(&debater.name), title: called(&debater.title), is_eligible }
        };
        let mut all: Vec<Contestant> = debaters.0.iter().map(contestant).collect();
        if request.facts.contains_key(REVERSED) {
            all.reverse();
        }
        Self(all)
    }

    /// `draw`, a debater's name with `_wins`, or `void`.
    pub fn list_outcomes(&self) -> Vec<String> {
        let eligible = self.0.iter().filter(|contestant| contestant.is_eligible);
        let wins = eligible.map(|contestant| format!("{}{WINS}", contestant.name));
        std::iter::once(DRAW.to_owned()).chain(wins).chain([VOID.into()]).collect()
    }

    /// The form of the conclusion on `log`: what speaks for each debater is said before all are compared.
    pub fn conclusion_form(&self, log: &DebateLog) -> Form {
        let names = self.0.iter().map(|contestant| contestant.name.clone()).collect();
        let reasons = Kind::Object(reasons_form(names, log));
        let (least, most) = (self.0.len(), self.0.len() + REASONS_MORE_MAX);
        let fields = [
            form_field(REASONS, list_kind(least, most, reasons)).with_rule(REASONS),
            form_field("reason", text_kind(40, TEXT_CHARS_MAX)).with_rule("reason"),
            form_field("outcome", choice_kind(self.list_outcomes())).with_rule("outcome"),
            answer_field(),
        ];
        Form::new("chair", fields)
    }

    /// The conclusion in `draft`, or every fault of its form. What the reasons lack is told once.
    pub fn parse_conclusion(&self, log: &DebateLog, draft: Attempt<'_>) -> Result<Concluded, Faults> {
        let told = draft.was_told(REASONS);
        self.conclusion_form(log).read_statement(draft.text, |fields, faults| {
            let mut missing = Faults::default();
            let reasons = parse_reasons(fields, log, &mut missing);
            for contestant in &self.0 {
                if !reasons.iter().any(|reason| contestant.is_called(&reason.debater)) {
                    let message = format!("no reason says what speaks for {}", contestant.title);
                    fields.add_fault(REASONS, message, &mut missing);
                }
            }
            if !told {
                faults.0.extend(missing.0);
            }
            let reason = fields.read_text("reason", faults);
            parse_answer(fields, faults);
            match self.parse_outcome(fields.raw_value("outcome").as_str().unwrap_or_default()) {
                Ok(outcome) => Some(Concluded { outcome, reason }),
                Err(why) => {
                    fields.add_fault("outcome", why, faults);
                    None
                }
            }
        })
    }

    /// The outcome that `said` names, in any case of letters, also by the bare name of a debater.
    fn parse_outcome(&self, said: &str) -> Result<String, String> {
        let outcomes = self.list_outcomes();
        let word = said.trim().trim_matches(['"', '.', '*', '`']).trim();
        // `ada wins` is `ada_wins`.
        let spaced = word.rsplit_once(' ').map(|(name, wins)| format!("{}_{wins}", name.trim()));
        let word = spaced.as_deref().filter(|spaced| spaced.to_ascii_lowercase().ends_with(WINS)).unwrap_or(word);
        if let Some(plain) = [DRAW, VOID].into_iter().find(|plain| word.eq_ignore_ascii_case(plain)) {
            return Ok(plain.to_owned());
        }
        let at = word.len().saturating_sub(WINS.len());
        let ends = word.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(WINS));
        let name = if ends { &word[..at] } else { word };
        match self.0.iter().find(|contestant| contestant.is_called(name)) {
            Some(winner) if winner.is_eligible => Ok(format!("{}{WINS}", winner.name)),
            Some(_) => Err(format!(
                "{word:?} cannot be: a debater with a fabricated source, or in a debate that lost somebody, wins nothing; choose one of {}",
                outcomes.join(", ")
            )),
            None => Err(format!("{word:?} is not one of {}", outcomes.join(", "))),
        }
    }
}

/// The form of one reason, for one of the debaters called so.
fn reasons_form(names: Vec<String>, log: &DebateLog) -> Form {
    let seqs = log.list_standing_seqs(None);
    let fewest = usize::from(!seqs.is_empty());
    let fields = [
        form_field("for", Kind::Reference(names)),
        form_field("text", text_kind(40, TEXT_CHARS_MAX)),
        form_field("entries", list_kind(fewest, ENTRIES_MAX, Kind::Reference(seqs))),
    ];
    Form::new(REASONS, fields)
}

fn parse_reasons(fields: &Reader<'_, '_>, log: &DebateLog, faults: &mut Faults) -> Vec<ChairReason> {
    let mut reasons = Vec::new();
    for part in fields.read_parts(REASONS, faults) {
        let Some(item) = part.open(faults) else { continue };
        let (debater, text) = (item.read_text("for", faults), item.read_text("text", faults));
        let entries = parse_argument_seqs(&item, "entries", log, faults);
        if entries.is_empty() && log.standing_arguments().next().is_some() {
            item.add_fault("entries", "name the seq of at least one argument that it rests on", faults);
        }
        reasons.push(ChairReason { debater, text, entries });
    }
    reasons
}

/// The reasons in a conclusion that was accepted and tells of debaters by name, each with the name that the log has.
pub fn accepted_reasons(said: &str, debaters: &Debaters, log: &DebateLog) -> Vec<ChairReason> {
    let form = Form::new("chair", [form_field(REASONS, list_kind(0, 0, Kind::Object(reasons_form(Vec::new(), log))))]);
    let read = form.read_draft(said, |fields, faults| parse_reasons(fields, log, faults));
    let mut reasons = read.map(|(reasons, _)| reasons).unwrap_or_default();
    reasons.retain(|reason| !reason.text.is_empty());
    for reason in &mut reasons {
        if let Some(debater) = debaters.find_by_any_name(&reason.debater) {
            reason.debater.clone_from(&debater.name);
        }
    }
    reasons
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
        let each = |contestant: &Contestant| json!({"for": contestant.title, "text": "It argued from its sources and answered.", "entries": []});
        let all: Vec<_> = contest.0.iter().map(each).collect();
        let answer = json!({"do": "Close the street on Sundays.", "unless": ""});
        let text = json!({"reasons": all, "reason": reason, "outcome": outcome, "answer": answer}).to_string();
        contest
            .parse_conclusion(&DebateLog::default(), Attempt { text: &text, number: 0, quoted: &[], imported: false })
    }

    #[test]
    fn the_outcome_is_read_in_any_case_and_by_the_bare_name() {
        let all = contest(&[("mila", "Mila", true), ("debater-2", "王芳", true)]);
        for (said, wanted) in [
            ("mila_wins", "mila_wins"),
            ("Mila_Wins", "mila_wins"),
            ("MILA", "mila_wins"),
            ("mila wins", "mila_wins"),
            ("**王芳 wins**", "debater-2_wins"),
            ("王芳", "debater-2_wins"),
            ("王芳_wins", "debater-2_wins"),
            ("debater-2_wins", "debater-2_wins"),
            ("Draw", "draw"),
            (" VOID. ", "void"),
        ] {
            assert_eq!(concluded(&all, said, "Its case held.").unwrap().outcome, wanted, "{said}");
        }
        for said in ["eve_wins", "mila and 王芳 wins", "wins", "affirmative_wins", "negative_wins", "", "mil", "王"]
        {
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
        assert!(!barred.conclusion_form(&DebateLog::default()).to_schema().to_string().contains("ada_wins"));
    }

    #[test]
    fn a_debater_without_a_reason_is_told_once() {
        let all = contest(&[("ada", "ada", true), ("bob", "bob", true)]);
        let text = r#"{"reasons": [], "reason": "It held in all its points.", "outcome": "draw", "answer": {"do": "Keep it."}}"#;
        let log = DebateLog::default();
        let first = all.parse_conclusion(&log, Attempt { text, number: 0, quoted: &[], imported: false }).unwrap_err();
        assert_eq!(first.0.len(), 2);
        let again = all.parse_conclusion(&log, Attempt { text, number: 1, quoted: &first.0, imported: false }).unwrap();
        assert_eq!(again.outcome, "draw");
    }

    #[test]
    fn a_conclusion_without_an_answer_is_a_fault() {
        let all = contest(&[("ada", "ada", true)]);
        let reason = json!({"for": "ada", "text": "It argued from its sources.", "entries": []});
        let text = json!({"reasons": [reason], "reason": "It held.", "outcome": "draw"}).to_string();
        let attempt = Attempt { text: &text, number: 0, quoted: &[], imported: false };
        let faults = all.parse_conclusion(&DebateLog::default(), attempt).unwrap_err();
        assert_eq!(faults.0.iter().map(|fault| fault.at.as_str()).collect::<Vec<_>>(), ["answer"], "{faults}");
    }
}
