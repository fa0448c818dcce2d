//! `synthesis.md`: what came out. Agents, rounds and status are computed; the rest is what the
//! moderator wrote, or where there is nothing, what the record itself says.

use agon_core::{Outcome, Record, Standing, View};
use agon_protocols::{
    common::unsourced_figures::KnownFigures,
    panel::{
        MODERATOR,
        disagreement::{Disagreement, DisagreementState},
        state::{ExaminationEnd, Panel},
        synthesis::{self, OpenDisagreement, PanelFinding, PanelSynthesis, QuotedStance},
    },
};
use agon_text::{
    capitalise_first,
    markdown::{escape_line, escape_prose, escape_start, escape_title},
};

use super::state_word;
use crate::{
    first_page::motion_title,
    markup::{join_lines, number_items, render_reader_notes},
    participation::{self, SeatSummary},
};

/// How much of one warning stands here; the record has the whole.
const WARNING_CHARS_MAX: usize = 240;

/// The synthesis of a closed panel with its transcript; `None` while it continues.
pub fn render_synthesis(record: &Record, panel: &Panel, transcript: &str) -> Option<String> {
    let outcome = record.closing_outcome()?;
    let valid = outcome.standing == Standing::Valid;
    let written = find_synthesis(record, panel).filter(|_| valid);
    let mut blocks = vec![format!("## Debate: {}", escape_title(&motion_title(&record.opened().motion)))];
    let agents: Vec<String> =
        panel.panelists.iter().map(|p| format!("{} ({})", escape_line(&p.name), escape_line(&p.lens.name))).collect();
    blocks.push(format!("**Agents:** {}", agents.join(", ")));
    blocks.push(format!("**Rounds:** {} opening + {} cross-exam", panel.openings.len(), panel.count_answers()));
    blocks.push(match valid {
        true => format!("**Status:** {}", panel.status().title()),
        false => "**Status:** none, there is no verdict".into(),
    });
    blocks.extend(list_reader_notes(record, outcome, panel, written.is_none()));

    // The figures of the motion and of everything that was said.
    let said = panel.said.0.iter().map(|turn| turn.speech.text.as_str());
    let floor = panel.interjections.iter().map(|one| one.text.as_str());
    let known = KnownFigures::from_texts(said.chain(floor).chain([record.opened().motion.as_str()]));
    blocks.push("### Key Findings".into());
    let recorded = |converged: bool| {
        // Without a verdict none counts as converged.
        let has_converged = |about: &Disagreement| valid && about.state == DisagreementState::Converged;
        let all = panel.disagreements.iter().filter(|about| has_converged(about) == converged);
        number_items(all.map(|about| render_recorded_disagreement(panel, about)), "None.")
    };
    blocks.push(match &written {
        Some(written) => number_items(written.findings.iter().map(|one| render_finding(&known, one)), "None."),
        None => recorded(true),
    });
    blocks.push("### Modifications to Original Proposal".into());
    blocks.push(render_bullet_list(&known, written.as_ref().map(|written| written.modifications.as_slice())));
    blocks.push("### Unresolved Disagreements".into());
    blocks.push(match &written {
        Some(written) => {
            number_items(written.unresolved.iter().map(|open| render_open_disagreement(panel, open)), "None.")
        }
        None => recorded(false),
    });
    blocks.push("### Surprising Insights".into());
    blocks.push(render_bullet_list(&known, written.as_ref().map(|written| written.insights.as_slice())));
    blocks.push("### Full Transcript".into());
    blocks.push(transcript.to_owned());
    Some(blocks.join("\n\n") + "\n")
}

/// What the moderator wrote at the last end, if a draft of it stands.
pub(super) fn find_synthesis(record: &Record, panel: &Panel) -> Option<PanelSynthesis> {
    let text = View::of_whole_record(record).answer_text(panel.synthesis.as_ref()?)?;
    // It was checked when it was accepted: here it is only read.
    synthesis::parse_accepted_synthesis(panel, text)
}

/// What a reader must know first: that there is no verdict or no prose, and what did not work.
fn list_reader_notes(record: &Record, outcome: &Outcome, panel: &Panel, no_prose: bool) -> Vec<String> {
    let mut blocks = Vec::new();
    let is_cut_off = panel.ended.is_some_and(|end| end != ExaminationEnd::Exhausted);
    if outcome.standing == Standing::Void || is_cut_off || !outcome.absent.is_empty() {
        blocks.push(escape_prose(&outcome.render_summary()));
    }
    if no_prose && outcome.standing == Standing::Valid {
        let moderator = outcome.absent.iter().find(|absent| absent.seat.as_str() == MODERATOR);
        let why = moderator.map(|absent| format!(" ({})", escape_line(&absent.why))).unwrap_or_default();
        blocks.push(format!("The moderator gave no synthesis{why}. What follows is computed from the record."));
    }
    let told = |text: &str| outcome.absent.iter().any(|absent| text.ends_with(&absent.why));
    // The panel's own transcript has no place for them.
    let warnings = participation::list_warnings(record).into_iter().map(|(of, text)| {
        let cut: String = text.chars().take(WARNING_CHARS_MAX).collect();
        let more = if cut.len() < text.len() { "…" } else { "" };
        format!("{of}: {cut}{more}")
    });
    let name = |sat: &SeatSummary| panel.panelist_name(&sat.seat).to_owned();
    blocks.extend(render_reader_notes(record, told, warnings.collect(), name));
    blocks
}

/// The figures of what the moderator wrote that nobody gave, as a sentence; nothing is read about what they count.
fn describe_ungiven_figures(known: &KnownFigures, text: &str) -> String {
    let listed = known.list_unsourced(text);
    if listed.is_empty() { String::new() } else { format!(" (Nobody gave: {}.)", listed.join(", ")) }
}

fn render_finding(known: &KnownFigures, finding: &PanelFinding) -> String {
    let PanelFinding { finding, agreed, objected, evidence, .. } = finding;
    let stances = |all: &[QuotedStance]| {
        let each = all.iter().map(|one| format!("{} (“{}”)", escape_line(&one.name), escape_line(&one.quote)));
        each.collect::<Vec<_>>().join(", ")
    };
    let agreed = if agreed.is_empty() { "nobody".to_owned() } else { stances(agreed) };
    let objected = if objected.is_empty() { String::new() } else { format!(" Objected: {}.", stances(objected)) };
    let ungiven = describe_ungiven_figures(known, &format!("{finding} {evidence}"));
    format!("{} Agreed: {agreed}.{objected} Evidence: {}{ungiven}", escape_start(finding), escape_line(evidence))
}

fn render_open_disagreement(panel: &Panel, open: &OpenDisagreement) -> String {
    let Some(about) = panel.find_disagreement(&open.disagreement) else { return escape_line(&open.why) };
    let [one, other] = about.claims.each_ref().map(|claim| escape_line(panel.panelist_name(&claim.seat)));
    format!(
        "{} ({}). {one}: {} {other}: {} Why: {}{}",
        escape_start(&capitalise_first(&about.topic)),
        describe_state(about.state),
        escape_line(strip_speaker(&open.one_side, panel.panelist_name(&about.claims[0].seat))),
        escape_line(strip_speaker(&open.other_side, panel.panelist_name(&about.claims[1].seat))),
        escape_line(&open.why),
        describe_settling(panel, about)
    )
}

/// The case of a side without the name that is shown before it.
pub(super) fn strip_speaker<'c>(case: &'c str, name: &str) -> &'c str {
    case.strip_prefix(name).and_then(|rest| rest.trim_start().strip_prefix(':')).map_or(case, str::trim_start)
}

/// A disagreement by what the record holds of it.
fn render_recorded_disagreement(panel: &Panel, about: &Disagreement) -> String {
    let name = |seat| escape_line(panel.panelist_name(seat));
    let sides =
        about.claims.each_ref().map(|claim| format!("{}: \"{}\"", name(&claim.seat), escape_line(&claim.quote)));
    let topic = escape_start(&capitalise_first(&about.topic));
    format!("{topic} ({}). {}. {}.{}", describe_state(about.state), sides[0], sides[1], describe_settling(panel, about))
}

/// Who read and who confirmed what the answers mean, and with whom thirds sided.
fn describe_settling(panel: &Panel, about: &Disagreement) -> String {
    let read = panel.reading_line(about).map(|line| format!(" {}.", escape_line(&capitalise_first(&line))));
    let name = |seat| escape_line(panel.panelist_name(seat));
    let thirds = panel.sides_of_thirds(about).into_iter();
    let thirds = thirds.map(|(third, side)| format!(" {}, asked as a third, sided with {}.", name(third), name(side)));
    read.into_iter().chain(thirds).collect()
}

fn describe_state(state: DisagreementState) -> &'static str {
    if state == DisagreementState::Active { "still open" } else { state_word(state) }
}

fn render_bullet_list(known: &KnownFigures, items: Option<&[String]>) -> String {
    match items {
        None => "Not written.".into(),
        Some(items) => {
            let item = |item: &String| format!("- {}{}", escape_start(item), describe_ungiven_figures(known, item));
            join_lines(items.iter().map(item), "None.")
        }
    }
}
