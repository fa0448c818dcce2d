//! What the moderator writes at the end. Status, rounds and agents are computed, never written.

use agon_core::{Attempt, Faults, parse, reading::ReadText};
use agon_text::{KnownTexts, folded_words};
use serde::{Deserialize, Serialize};

use super::{disagreement::DisagreementState, question::reference_kind, state::Panel};
use crate::common::{
    final_answer::{FinalAnswer, accepted_answer, answer_field, parse_answer},
    form::{Field, Form, Kind, Reader, choice_kind, form_field, list_kind, quotation_kind, text_kind},
};

/// What a finding bears on that bears on no disagreement.
pub const NO_DISAGREEMENT: &str = "none";
/// Most passages of one panelist that are offered to be quoted.
const PASSAGES_EACH_MAX: usize = 12;
/// Most entries of one part.
const ENTRIES_MAX: usize = 8;

/// What the panel found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelSynthesis {
    /// What stands at the end.
    pub findings: Vec<PanelFinding>,
    /// What the panel would change in what was put before it.
    pub modifications: Vec<String>,
    /// Each disagreement that did not converge.
    pub unresolved: Vec<OpenDisagreement>,
    /// What came up that no opening holds.
    pub insights: Vec<String>,
    /// What the panel says to those who asked; none in one that was accepted by earlier rules.
    #[serde(skip_deserializing)]
    pub answer: Option<FinalAnswer>,
}

/// A point that at least one panelist holds at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelFinding {
    /// What.
    pub finding: String,
    /// The disagreement that it bears on, or [`NO_DISAGREEMENT`].
    #[serde(default)]
    pub disagreement: String,
    /// Those who agreed, each in words of their own.
    pub agreed: Vec<QuotedStance>,
    /// Those who say the opposite, likewise.
    #[serde(default)]
    pub objected: Vec<QuotedStance>,
    /// What it rests on.
    pub evidence: String,
}

/// A panelist who agrees or objects to a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedStance {
    /// Who.
    pub name: String,
    /// What they said that shows it, word for word.
    pub quote: String,
}

/// A disagreement that is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDisagreement {
    /// For example `D2`.
    pub disagreement: String,
    /// The case of one side.
    pub one_side: String,
    /// The case of the other.
    pub other_side: String,
    /// Why it could not be settled.
    pub why: String,
}

fn open_disagreement_ids(panel: &Panel) -> Vec<&str> {
    panel.disagreements.iter().filter(|d| d.state != DisagreementState::Converged).map(|d| d.id.as_str()).collect()
}

/// The form of the synthesis.
pub fn synthesis_form(panel: &Panel) -> Form {
    let left = open_disagreement_ids(panel);
    let form = |fields: Vec<Field>| Form::new("synthesis", fields);
    let stances = panel.speakers().map(|speaker| {
        let turns = panel.said.list_turns(&speaker.seat).rev();
        let passages = turns.flat_map(|turn| turn.speech.list_passages()).take(PASSAGES_EACH_MAX);
        form(vec![
            form_field("name", reference_kind([speaker.name.as_str()])),
            form_field("quote", quotation_kind(passages)),
        ])
    });
    let stances = list_kind(0, panel.panelists.len(), Kind::AnyOf(stances.collect()));
    let ids = [NO_DISAGREEMENT].into_iter().chain(panel.disagreements.iter().map(|about| about.id.as_str()));
    let finding = form(vec![
        form_field("finding", text_kind(4, 600)),
        form_field("disagreement", choice_kind(ids)),
        form_field("agreed", stances.clone()),
        form_field("objected", stances),
        form_field("evidence", text_kind(2, 600)),
    ]);
    let id = match left.is_empty() {
        true => Kind::Text { chars_min: None, chars_max: None },
        false => reference_kind(left.iter().copied()),
    };
    let open = form(vec![
        form_field("disagreement", id),
        form_field("one_side", text_kind(2, 600)),
        form_field("other_side", text_kind(2, 600)),
        form_field("why", text_kind(2, 600)),
    ]);
    form(vec![
        form_field("findings", list_kind(1, ENTRIES_MAX, Kind::Object(finding))),
        form_field("modifications", list_kind(0, ENTRIES_MAX, text_kind(2, 600))),
        form_field("unresolved", list_kind(left.len(), left.len(), Kind::Object(open))),
        form_field("insights", list_kind(0, ENTRIES_MAX, text_kind(2, 600))),
        answer_field(),
    ])
}

/// A synthesis that was accepted, as it counts: without insights that stand in an opening.
pub fn parse_accepted_synthesis(panel: &Panel, text: &str) -> Option<PanelSynthesis> {
    let mut written: PanelSynthesis = parse::decode_statement(parse::parse_json_answer(text).ok()?).ok()?;
    written.answer = accepted_answer(text);
    let known = collect_openings(panel);
    written.insights.retain(|insight| known.find_copied(insight).is_none());
    let left = open_disagreement_ids(panel);
    written.unresolved.retain(|open| left.contains(&open.disagreement.as_str()));
    written.unresolved.sort_by(|a, b| a.disagreement.cmp(&b.disagreement));
    Some(written)
}

fn collect_openings(panel: &Panel) -> KnownTexts {
    KnownTexts::from_texts(panel.said.0.iter().filter(|turn| turn.round == 0).map(|turn| turn.speech.text.as_str()))
}

/// Whether the case of a side is only a name, or an id.
fn is_name(panel: &Panel, case: &str) -> bool {
    let names = panel.panelists.iter().flat_map(|p| [p.name.as_str(), p.seat.as_str()]);
    let names: Vec<String> = names.flat_map(folded_words).collect();
    let case = folded_words(case);
    !case.is_empty() && case.iter().all(|word| names.contains(word))
}

/// The synthesis in a draft, or every rule it breaks.
pub fn parse_synthesis(panel: &Panel, draft: Attempt<'_>) -> Result<PanelSynthesis, Faults> {
    synthesis_form(panel).read_statement(draft.text, |fields, faults| {
        let mut findings = Vec::new();
        let parts = fields.read_parts("findings", faults);
        if parts.is_empty() {
            fields.add_fault("findings", "at least one finding is wanted, if only what stayed open and why", faults);
        }
        for item in &parts {
            let Some(item) = item.open(faults) else { continue };
            let (finding, evidence) = (item.read_text("finding", faults), item.read_text("evidence", faults));
            let disagreement = item.read_text("disagreement", faults);
            let agreed = parse_stances(panel, &item, "agreed", faults);
            let objected = parse_stances(panel, &item, "objected", faults);
            check_sides(panel, &disagreement, &agreed, &item, faults);
            if let Some(both) = objected.iter().find(|one| agreed.iter().any(|other| other.name == one.name)) {
                let message = format!("{} agreed to it; nobody agrees and objects to the same", both.name);
                item.add_fault("objected", message, faults);
            }
            findings.push(PanelFinding { finding, disagreement, agreed, objected, evidence });
        }
        let unresolved = parse_open_disagreements(panel, fields, draft, faults);
        let modifications = fields.read_texts("modifications", faults);
        let mut insights = fields.read_texts("insights", faults);
        let known = collect_openings(panel);
        for (i, insight) in insights.iter().enumerate() {
            if known.find_copied(insight).is_some() && !draft.was_told("insights") {
                let message =
                    "this stands in an opening; only what came up later is an insight, and none is a fair answer";
                faults.add("insights", format!("insights[{i}]"), message);
            }
        }
        insights.retain(|insight| known.find_copied(insight).is_none());
        let answer = parse_answer(fields, faults);
        Some(PanelSynthesis { findings, modifications, unresolved, insights, answer })
    })
}

/// Who agreed or objected by a list of a finding, each with words that this panelist said.
fn parse_stances(panel: &Panel, item: &Reader<'_, '_>, list: &str, faults: &mut Faults) -> Vec<QuotedStance> {
    let mut stances: Vec<QuotedStance> = Vec::new();
    for part in item.read_parts(list, faults) {
        let Some(one) = part.open(faults) else { continue };
        let (name, quote) = (one.optional_text("name", faults).unwrap_or_default(), one.read_text("quote", faults));
        let Some(speaker) = panel.find_speaker(&name) else {
            let names: Vec<&str> = panel.speakers().map(|p| p.name.as_str()).collect();
            one.add_fault("name", format!("{name:?} is not one of {}", names.join(", ")), faults);
            continue;
        };
        let said = |text: &str| ReadText { text, not_from: &[] }.check_quote(&quote).is_ok();
        if !quote.is_empty() && !panel.said.list_turns(&speaker.seat).any(|turn| said(&turn.speech.text)) {
            let near = panel.said.find_nearest_words(&speaker.seat, &quote).unwrap_or_default();
            let message = format!(
                "{name} did not say {quote:?}; copy words of {name} exactly, for example {near:?}, or leave {name} out"
            );
            one.add_fault("quote", message, faults);
        }
        if !stances.iter().any(|known| known.name == speaker.name) {
            stances.push(QuotedStance { name: speaker.name.clone(), quote });
        }
    }
    stances
}

/// Panelists on opposite sides of a disagreement that did not converge did not agree on it.
fn check_sides(panel: &Panel, id: &str, agreed: &[QuotedStance], item: &Reader<'_, '_>, faults: &mut Faults) {
    let about = panel.find_disagreement(id).filter(|about| about.state != DisagreementState::Converged);
    let Some(about) = about else { return };
    let sides = about.claims.each_ref().map(|claim| panel.panelist_name(&claim.seat));
    if sides.iter().all(|side| agreed.iter().any(|one| one.name == **side)) {
        let message = format!("{} and {} did not converge on {id}; they cannot both have agreed", sides[0], sides[1]);
        item.add_fault("agreed", message, faults);
    }
}

/// What is left by the draft. What has converged is told once, and then left out.
fn parse_open_disagreements(
    panel: &Panel,
    fields: &Reader<'_, '_>,
    draft: Attempt<'_>,
    faults: &mut Faults,
) -> Vec<OpenDisagreement> {
    let left = open_disagreement_ids(panel);
    let mut opens: Vec<OpenDisagreement> = Vec::new();
    for item in fields.read_parts("unresolved", faults) {
        let Some(item) = item.open(faults) else { continue };
        let disagreement = item.read_text("disagreement", faults);
        let known = panel.find_disagreement(&disagreement);
        if draft.was_told("settled") && known.is_some_and(|about| about.state == DisagreementState::Converged) {
            continue;
        }
        if !disagreement.is_empty() && !left.contains(&disagreement.as_str()) {
            let message = match left.is_empty() {
                true => format!("{disagreement:?} converged; nothing is unresolved, the list must be empty"),
                false => format!("{disagreement:?} is not one of {}", left.join(", ")),
            };
            let rule = if known.is_some() { "settled" } else { "synthesis" };
            faults.add(rule, item.field_path("disagreement"), message);
        }
        if opens.iter().any(|open| open.disagreement == disagreement) {
            item.add_fault("disagreement", format!("{disagreement} stands here twice"), faults);
        }
        let mut case = |name: &str| {
            let case = item.read_text(name, faults);
            if is_name(panel, &case) {
                item.add_fault(name, format!("{case:?} is no case; write what this side holds"), faults);
            }
            case
        };
        let (one_side, other_side) = (case("one_side"), case("other_side"));
        opens.push(OpenDisagreement { disagreement, one_side, other_side, why: item.read_text("why", faults) });
    }
    for id in left.iter().filter(|id| !opens.iter().any(|open| open.disagreement == **id)) {
        fields.add_fault("unresolved", format!("{id} did not converge and is missing here"), faults);
    }
    opens.sort_by(|a, b| a.disagreement.cmp(&b.disagreement));
    opens
}
