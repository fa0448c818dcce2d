//! What the moderator writes at the end. Status, rounds and agents are computed, never written.

use agon_core::{Attempt, Faults, parse, repetition::KnownTexts};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    RULES_SETTLED,
    analysis::texts,
    disagreement::DisagreementState,
    echo::is_echo,
    fields::{list, object, text},
    question::choice,
    state::Panel,
};
use crate::common::fields::ObjectReader;

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
}

/// Something that panelists found together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelFinding {
    /// What.
    pub finding: String,
    /// Names of those who agreed.
    pub agreed: Vec<String>,
    /// What it rests on.
    pub evidence: String,
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

fn left(panel: &Panel) -> Vec<&str> {
    panel
        .disagreements
        .iter()
        .filter(|d| d.state != DisagreementState::Converged)
        .map(|d| d.id.as_str())
        .collect()
}

/// JSON Schema of the synthesis.
pub fn schema(panel: &Panel) -> Value {
    let left = left(panel);
    let names = || choice(panel.speakers().map(|p| p.name.as_str()));
    let finding = object(json!({
        "finding": text(20, 600), "agreed": list(1, panel.panelists.len(), names()), "evidence": text(12, 600),
    }));
    let id = if left.is_empty() { json!({"type": "string"}) } else { choice(left.iter().copied()) };
    let open = object(json!({
        "disagreement": id, "one_side": text(12, 600), "other_side": text(12, 600), "why": text(12, 600),
    }));
    object(json!({
        "findings": list(1, ENTRIES_MAX, finding),
        "modifications": list(0, ENTRIES_MAX, text(12, 600)),
        "unresolved": list(left.len(), left.len(), open),
        "insights": list(0, ENTRIES_MAX, text(12, 600)),
    }))
}

/// A synthesis that was accepted, as it counts: without insights that stand in an opening.
pub fn accepted(panel: &Panel, text: &str) -> Option<PanelSynthesis> {
    let mut written: PanelSynthesis = parse::typed(parse::json(text).ok()?).ok()?;
    let known = openings(panel);
    written.insights.retain(|insight| known.copied(insight).is_none());
    let left = left(panel);
    written.unresolved.retain(|open| left.contains(&open.disagreement.as_str()));
    written.unresolved.sort_by(|a, b| a.disagreement.cmp(&b.disagreement));
    Some(written)
}

fn openings(panel: &Panel) -> KnownTexts {
    let openings = panel.said.turns().iter().filter(|turn| turn.round == 0);
    KnownTexts::of(openings.map(|turn| turn.speech.text.as_str()))
}

/// Whether the case of a side is no more than a name, or an id.
fn is_name(panel: &Panel, case: &str) -> bool {
    let folded = crate::common::prose::folded;
    let names: Vec<String> =
        panel.panelists.iter().flat_map(|p| [folded(&p.name), folded(p.seat.as_str())]).collect();
    let names: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
    let small = ["said", "says", "and", "s", "the", "side", "of"];
    let case = folded(case);
    !case.is_empty() && case.split(' ').all(|word| names.contains(&word) || small.contains(&word))
}

/// The synthesis in a draft, or every rule it breaks.
pub fn read(panel: &Panel, draft: Attempt<'_>) -> Result<PanelSynthesis, Faults> {
    let value = parse::json(draft.text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut findings = Vec::new();
    let items = fields.list("findings", "synthesis", &mut faults);
    if items.is_empty() {
        faults.add(
            "synthesis",
            "findings",
            "at least one finding is wanted, if only what stayed open and why",
        );
    }
    for (i, item) in items.iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("findings[{i}]"), &mut faults) else { continue };
        let mut agreed = texts(&item, "agreed", "synthesis", &mut faults);
        let called = |name: &String| panel.speakers().any(|p| p.name.eq_ignore_ascii_case(name));
        if let Some(stranger) = agreed.iter().find(|name| !called(name)) {
            let names: Vec<&str> = panel.speakers().map(|p| p.name.as_str()).collect();
            let message = format!("{stranger:?} is not one of {}", names.join(", "));
            faults.add("synthesis", item.path("agreed"), message);
        } else if agreed.is_empty() {
            faults.add("synthesis", item.path("agreed"), "name who agreed");
        }
        agreed.dedup();
        let finding = item.text("finding", "synthesis", &mut faults);
        if panel.goes_by(RULES_SETTLED) && is_echo(&finding) {
            faults.add(
                "synthesis",
                item.path("finding"),
                "this is a line of what you were asked; write what came out",
            );
        }
        findings.push(PanelFinding {
            finding,
            agreed,
            evidence: item.text("evidence", "synthesis", &mut faults),
        });
    }
    let unresolved = opens(panel, &fields, draft, &mut faults);
    let modifications = texts(&fields, "modifications", "synthesis", &mut faults);
    let insights = texts(&fields, "insights", "synthesis", &mut faults);
    let known = openings(panel);
    for (i, insight) in insights.iter().enumerate() {
        if known.copied(insight).is_some() && !draft.was_told("insights") {
            let message =
                "this stands in an opening; only what came up later is an insight, and none is a fair answer";
            faults.add("insights", format!("insights[{i}]"), message);
        }
    }
    let insights = insights.into_iter().filter(|insight| known.copied(insight).is_none()).collect();
    faults.or(PanelSynthesis { findings, modifications, unresolved, insights })
}

/// What is left by the draft. What has converged is told once, and then left out.
fn opens(
    panel: &Panel,
    fields: &ObjectReader<'_>,
    draft: Attempt<'_>,
    faults: &mut Faults,
) -> Vec<OpenDisagreement> {
    let left = left(panel);
    let mut opens: Vec<OpenDisagreement> = Vec::new();
    for (i, item) in fields.list("unresolved", "synthesis", faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("unresolved[{i}]"), faults) else { continue };
        let disagreement = item.text("disagreement", "synthesis", faults);
        if panel.goes_by(RULES_SETTLED)
            && draft.was_told("settled")
            && panel
                .disagreement(&disagreement)
                .is_some_and(|about| about.state == DisagreementState::Converged)
        {
            continue;
        }
        if !disagreement.is_empty() && !left.contains(&disagreement.as_str()) {
            let is_known = panel.disagreement(&disagreement).is_some() && panel.goes_by(RULES_SETTLED);
            let message = match left.is_empty() {
                true => format!("{disagreement:?} converged; nothing is unresolved, the list must be empty"),
                false => format!("{disagreement:?} is not one of {}", left.join(", ")),
            };
            let rule = if is_known { "settled" } else { "synthesis" };
            faults.add(rule, item.path("disagreement"), message);
        }
        if opens.iter().any(|open| open.disagreement == disagreement) {
            faults.add("synthesis", item.path("disagreement"), format!("{disagreement} stands here twice"));
        }
        let mut case = |name: &str| {
            let case = item.text(name, "synthesis", faults);
            if panel.goes_by(RULES_SETTLED) && (is_name(panel, &case) || is_echo(&case)) {
                faults.add(
                    "synthesis",
                    item.path(name),
                    format!("{case:?} is no case; write what this side holds"),
                );
            }
            case
        };
        let (one_side, other_side) = (case("one_side"), case("other_side"));
        opens.push(OpenDisagreement {
            disagreement,
            one_side,
            other_side,
            why: item.text("why", "synthesis", faults),
        });
    }
    for id in left.iter().filter(|id| !opens.iter().any(|open| open.disagreement == **id)) {
        faults.add("synthesis", "unresolved", format!("{id} did not converge and is missing here"));
    }
    opens.sort_by(|a, b| a.disagreement.cmp(&b.disagreement));
    opens
}
