//! The answer of a panel in the moderator's words, and the points that it rests on: agreed, contradicted, said by one,
//! and left open.

use agon_core::{Key, Record, Standing, View};
use agon_protocols::panel::{
    answer_effect::{AnswerEffect, ClaimReading},
    disagreement::{Disagreement, DisagreementState},
    panelist_prose::PanelTurn,
    state::Panel,
    synthesis::{OpenDisagreement, PanelFinding, PanelSynthesis, QuotedStance},
};

use super::synthesis::{find_synthesis, strip_speaker};
use crate::{
    first_page::{AnswerBasis, BasisPoint, StatedAnswer},
    graph::answer_seq,
};

/// What the moderator tells those who asked; nothing where no synthesis stands.
pub(super) fn list_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let panel = Panel::from_view(&View::of_whole_record(record));
    let Some((of, written)) = find_standing_synthesis(record, &panel) else { return Vec::new() };
    let stated = written.answer.map(|answer| StatedAnswer {
        by: "the moderator".to_owned(),
        answer,
        seq: answer_seq(record, &of),
    });
    stated.into_iter().collect()
}

/// The points of the synthesis; without one, the disagreements as the record has them.
pub(super) fn collect_answer_basis(record: &Record) -> AnswerBasis {
    let panel = Panel::from_view(&View::of_whole_record(record));
    let mut points: Vec<BasisPoint> = Vec::new();
    match find_standing_synthesis(record, &panel) {
        Some((of, written)) => {
            let seq = answer_seq(record, &of);
            points.extend(written.findings.iter().map(|finding| build_finding_point(&panel, finding, seq)));
            let is_told = |about: &Disagreement| written.findings.iter().any(|one| one.disagreement == about.id);
            let settled = panel.disagreements.iter().filter(|about| !is_told(about));
            points.extend(settled.filter_map(|about| build_settled_point(record, &panel, about)));
            points.extend(written.unresolved.iter().filter_map(|open| {
                let about = panel.find_disagreement(&open.disagreement)?;
                Some(build_unsettled_point(record, &panel, about, Some(open)))
            }));
        }
        None => {
            let left = panel.disagreements.iter().filter(|about| about.state != DisagreementState::Converged);
            points.extend(left.map(|about| build_unsettled_point(record, &panel, about, None)));
        }
    }
    points.sort_by_key(|point| GROUPS.iter().position(|group| *group == point.state));
    AnswerBasis { title: if points.is_empty() { "" } else { "Who holds what" }, points }
}

/// What a point can be, in the order of readers.
pub(super) const GROUPS: [&str; 6] = [AGREED, SETTLED, CONTRADICTED, UNSETTLED, BY_ONE, BY_NOBODY];
const AGREED: &str = "agreed";
pub(super) const SETTLED: &str = "settled";
const CONTRADICTED: &str = "contradicted";
pub(super) const UNSETTLED: &str = "unsettled";
const BY_ONE: &str = "said by one";
const BY_NOBODY: &str = "nobody's own words";

/// The synthesis of a debate that is over, and the answer that holds it.
pub(super) fn find_standing_synthesis(record: &Record, panel: &Panel) -> Option<(Key, PanelSynthesis)> {
    record.closing_outcome().filter(|outcome| outcome.standing == Standing::Valid)?;
    Some((panel.synthesis.clone()?, find_synthesis(record, panel)?))
}

/// What a finding of the synthesis is: a word of [`GROUPS`].
pub(super) fn group_of(finding: &PanelFinding) -> &'static str {
    match (finding.agreed.len(), finding.objected.len()) {
        (0, 0) => BY_NOBODY,
        (1, 0) | (0, 1) => BY_ONE,
        (_, 0) => AGREED,
        _ => CONTRADICTED,
    }
}

fn build_finding_point(panel: &Panel, finding: &PanelFinding, seq: u64) -> BasisPoint {
    let state = group_of(finding);
    let id = panel.find_disagreement(&finding.disagreement).map(|about| about.id.clone()).unwrap_or_default();
    let held = [("Held by", &finding.agreed), ("Objected", &finding.objected)].into_iter();
    let held = held.filter(|(_, stances)| !stances.is_empty()).map(|(label, stances)| {
        let each = stances.iter().map(|stance| describe_stance(panel, stance));
        (label, each.collect::<Vec<_>>().join("; "))
    });
    BasisPoint {
        is_open: state == CONTRADICTED,
        id,
        text: finding.finding.clone(),
        notes: held.chain([("Rests on", finding.evidence.clone())]).collect(),
        ..BasisPoint::new(state, seq)
    }
}

/// Who holds it, since when, and in which words. Words that may no longer be shown stand nowhere.
fn describe_stance(panel: &Panel, stance: &QuotedStance) -> String {
    match turn_of(panel, stance).map(|turn| turn.round) {
        Some(0) => format!("{}, opening: “{}”", stance.name, stance.quote),
        Some(round) => format!("{}, round {round}: “{}”", stance.name, stance.quote),
        None => stance.name.clone(),
    }
}

/// The turn in which a panelist says what a stance quotes; nothing where it may no longer be shown.
pub(super) fn turn_of<'p>(panel: &'p Panel, stance: &QuotedStance) -> Option<&'p PanelTurn> {
    panel.said.list_turns(&panel.find_speaker(&stance.name)?.seat).find(|turn| turn.speech.has_quote(&stance.quote))
}

/// A disagreement that converged, with the words in which one side gave its claim up; nothing for others, and where those
/// words may no longer be shown.
fn build_settled_point(record: &Record, panel: &Panel, about: &Disagreement) -> Option<BasisPoint> {
    let (seat, quote) = panel.exchanges.iter().rev().find_map(|exchange| {
        let given_up = exchange
            .found
            .iter()
            .flat_map(AnswerEffect::claims)
            .find(|read| read.disagreement == about.id && read.settled_reading() == Some(ClaimReading::GivesUp));
        Some((&exchange.asked.seat, &given_up?.reading.quote))
    })?;
    let turn = panel.said.list_turns(seat).find(|turn| turn.speech.has_quote(quote))?;
    let claims = about.claims.iter().map(|claim| format!("{}: “{}”", panel.panelist_name(&claim.seat), claim.quote));
    let notes = ["One side", "The other"].into_iter().zip(claims);
    let given_up = ("Given up by", format!("{}, round {}: “{quote}”", panel.panelist_name(seat), turn.round));
    (about.state == DisagreementState::Converged).then(|| BasisPoint {
        id: about.id.clone(),
        text: about.topic.clone(),
        notes: notes.chain([given_up]).collect(),
        ..BasisPoint::new(SETTLED, answer_seq(record, &turn.key))
    })
}

/// A disagreement that did not converge, by the moderator's account of it or by the claims of both sides. It rests on
/// the answer in which the moderator found it.
fn build_unsettled_point(
    record: &Record,
    panel: &Panel,
    about: &Disagreement,
    open: Option<&OpenDisagreement>,
) -> BasisPoint {
    let analysed = panel.analysed.iter().find(|found| found.disagreements.iter().any(|one| one.id == about.id));
    let of = analysed.map(|found| &found.of).or(panel.weighed.as_ref().map(|weighed| &weighed.of));
    let [one, other] = about.claims.each_ref().map(|claim| panel.panelist_name(&claim.seat));
    let [own, against] = about.claims.each_ref().map(|claim| format!("“{}”", claim.quote));
    let (own, against) = open.map_or((own, against), |open| {
        (strip_speaker(&open.one_side, one).to_owned(), strip_speaker(&open.other_side, other).to_owned())
    });
    let mut notes = vec![("One side", format!("{one}: {own}")), ("The other", format!("{other}: {against}"))];
    notes.extend(open.map(|open| ("Why open", open.why.clone())));
    BasisPoint {
        is_open: true,
        id: about.id.clone(),
        text: about.topic.clone(),
        notes,
        ..BasisPoint::new(UNSETTLED, of.map_or(0, |of| answer_seq(record, of)))
    }
}
