//! How a panel ends: a status that is computed, and who was missing.

use agon_core::{Absent, Outcome};
use serde_json::{Value, json};

use super::{
    MODERATOR,
    disagreement::{DisagreementState, PanelStatus},
    state::{ExaminationEnd, Panel},
};

/// The end by the rules. The moderator's absence from the synthesis takes away the prose alone.
pub(super) fn panel_outcome(panel: &Panel, lost: &[Absent], synthesis: Vec<Absent>) -> Outcome {
    let status = panel.status();
    let mut absent = lost.to_vec();
    absent.retain(|earlier| synthesis.iter().all(|later| later.seat != earlier.seat));
    absent.extend(synthesis);
    let count = |state: DisagreementState| panel.disagreements.iter().filter(|d| d.state == state).count();
    let ended = match panel.ended {
        Some(ExaminationEnd::Limit) => " The limit of exchanges was reached.",
        Some(ExaminationEnd::TooLong) => " The transcript no longer fits the context of a seat, and is never cut.",
        Some(ExaminationEnd::NoQuestion) => " The moderator gave no usable question.",
        Some(ExaminationEnd::Exhausted) | None => "",
    };
    let course = match panel.disagreements.len() {
        0 => "all agree, and the strongest case against it changed nobody's mind".to_owned(),
        all => format!(
            "{} of {all} disagreement{} converged, {} deadlocked, {} unresolved",
            count(DisagreementState::Converged),
            if all == 1 { "" } else { "s" },
            count(DisagreementState::Deadlocked),
            count(DisagreementState::Unresolved)
        ),
    };
    let readings = describe_readings(panel);
    let summary = format!("{}{}: {course}.{readings}{ended}", describe_missing(panel, &absent), status.title());
    Outcome { absent, figures: outcome_figures(panel, Some(status)), ..Outcome::valid(status.outcome_name(), summary) }
}

/// Who read and who confirmed what decided, or why nothing was decided.
fn describe_readings(panel: &Panel) -> String {
    if panel.disagreements.is_empty() {
        let challenger = panel.valves.last().map(|valve| panel.panelist_name(&valve.seat));
        return challenger.map(|name| format!(" Read by the moderator, confirmed by {name}.")).unwrap_or_default();
    }
    let each = panel.disagreements.iter();
    let each = each.filter_map(|about| Some(format!(" {}: {}.", about.id, panel.reading_line(about)?)));
    each.collect()
}

/// The end without a verdict.
pub(super) fn void_outcome(panel: &Panel, lost: &[Absent]) -> Outcome {
    let absent = lost.to_vec();
    let names: Vec<String> = absent.iter().map(|a| format!("{} ({})", absent_name(panel, a), a.why)).collect();
    let summary = format!("No verdict: no usable answer came from {}.", names.join(" and "));
    Outcome { absent, figures: outcome_figures(panel, None), ..Outcome::void("no_verdict", summary) }
}

fn describe_missing(panel: &Panel, absent: &[Absent]) -> String {
    absent
        .iter()
        .map(|a| format!("{} did not answer ({}). ", capitalise_first(&absent_name(panel, a)), a.why))
        .collect()
}

fn absent_name(panel: &Panel, absent: &Absent) -> String {
    if absent.seat.as_str() == MODERATOR {
        "the moderator".into()
    } else {
        panel.panelist_name(&absent.seat).to_owned()
    }
}

fn capitalise_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default() + chars.as_str()
}

fn outcome_figures(panel: &Panel, status: Option<PanelStatus>) -> Value {
    let states = panel.disagreements.iter().map(|d| {
        let mut about = json!({"id": d.id, "topic": d.topic, "state": d.state});
        let sided = panel
            .sides_of_thirds(d)
            .into_iter()
            .map(|(third, side)| json!({"third": panel.panelist_name(third), "with": panel.panelist_name(side)}));
        let sided: Vec<Value> = sided.collect();
        if !sided.is_empty() {
            about["sided"] = sided.into();
        }
        about
    });
    json!({
        "openings": panel.openings.len(), "exchanges": panel.count_answers(), "status": status.map(PanelStatus::title),
        "ended": panel.ended, "disagreements": states.collect::<Vec<_>>(),
    })
}
