//! Reading a debate artifact of any origin, and the rules that the file must keep (A1 to A7). What A4 compares is of
//! [`super::turns`].
//!
//! All three styles of dash in a turn's heading are read, turn sections below `## Turns`, and turns
//! without `Stance Revision Support`. Every fault is reported, each under its rule.

use std::collections::BTreeMap;

use agon_core::Faults;
use agon_protocols::{
    common::citable_document::file_name,
    duel::{outcome::OUTCOMES, state::TURNS_MAX, turn::Stance},
};

use super::{
    artifact::{Artifact, Conclusion, PENDING, ParticipantRow, TurnSection, check_rule},
    body,
};
use crate::ReadArtifact;

/// Styles of dash between the parts of a turn's heading: of the skill, of later versions, of the
/// guide.
const DASHES: [&str; 3] = [" — ", " -- ", " - "];
/// Rows of the table of metadata.
const FIELDS: [&str; 7] =
    ["Duel ID", "Source Path", "Topic", "Topic Slug", "Max Turns", "Status", "Candidate Convergence"];

/// A heading of the second level and what stands below it.
struct HeadingSection<'t> {
    heading: &'t str,
    text: String,
}

/// The artifact in `text`, or every rule of the file that it breaks.
pub fn parse_artifact(text: &str) -> Result<Artifact, Faults> {
    let (reading, faults) = parse_with_faults(text);
    faults.into_result(reading)
}

/// What the artifact in `text` says of its duel; `None` where nothing in it is of this form.
pub fn summarise_artifact(text: &str) -> Option<ReadArtifact> {
    let Artifact { topic, source_path, duel_id, turns, conclusion, .. } = parse_with_faults(text).0;
    let outcome = Some(conclusion.outcome).filter(|outcome| !outcome.is_empty()).unwrap_or_else(|| PENDING.into());
    let is_artifact = !(topic.is_empty() && turns.is_empty() && duel_id.is_empty());
    is_artifact.then_some(ReadArtifact { debate: duel_id, source_path, turns: turns.len(), outcome })
}

/// What can be read in `text`, and every rule of the file that it breaks.
pub fn parse_with_faults(text: &str) -> (Artifact, Faults) {
    let mut faults = Faults::default();
    let (title, preamble, sections) = split_sections(text, &mut faults);
    let labels = parse_labels(&preamble);
    let label = |name: &str| labels.get(name).map(|value| (*value).to_owned()).unwrap_or_default();
    for name in ["Source Document", "Source Link", "Status", "Created"] {
        check_rule(&mut faults, !label(name).is_empty(), "A7", "", format!("the line **{name}** is missing"));
    }
    let metadata = find_section(&sections, "Metadata", "A7", &mut faults);
    let fields: BTreeMap<String, String> = parse_table_rows(metadata).map(|[name, value]| (name, value)).collect();
    for name in FIELDS {
        check_rule(&mut faults, fields.contains_key(name), "A7", "Metadata", format!("the row {name} is missing"));
    }
    let field = |name: &str| fields.get(name).cloned().unwrap_or_default();
    let rows = parse_table_rows(find_section(&sections, "Participants", "A7", &mut faults));
    let participant = |[name, harness, model, joined]: [String; 4]| ParticipantRow { name, harness, model, joined };
    let participants: Vec<ParticipantRow> = rows.map(participant).collect();
    let count = participants.len();
    check_rule(&mut faults, count <= 2, "A7", "Participants", format!("a duel has two participants, not {count}"));

    let written = sections.iter().filter(|section| section.heading.starts_with("Turn "));
    let turns: Vec<TurnSection> = written.filter_map(|section| parse_turn(section, &mut faults)).collect();
    check_turn_sequence(&turns, &mut faults);
    let topic = title.unwrap_or_default();
    let source_path = strip_code_marks(&label("Source Document"));
    let conclusion = parse_conclusion(&sections, [&topic, &source_path], &mut faults);
    let artifact = Artifact {
        topic,
        source_path,
        source_link: label("Source Link"),
        status: label("Status"),
        created: label("Created"),
        duel_id: field("Duel ID"),
        topic_slug: field("Topic Slug"),
        turns_max: field("Max Turns").parse().unwrap_or(TURNS_MAX),
        candidate_convergence: field("Candidate Convergence").eq_ignore_ascii_case("yes"),
        participants,
        turns,
        conclusion,
    };
    (artifact, faults)
}

/// Title, what stands above the first section, and the sections. Headings within a code fence are
/// text.
fn split_sections<'t>(text: &'t str, faults: &mut Faults) -> (Option<String>, String, Vec<HeadingSection<'t>>) {
    let mut title = None;
    let mut preamble = String::new();
    let mut sections: Vec<HeadingSection<'_>> = Vec::new();
    let mut fenced = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let opens = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        fenced ^= opens;
        let rest = line.trim_start_matches('#');
        let level = line.len() - rest.len();
        let is_heading = !fenced && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
        let heading = rest.trim();
        match level {
            1 if is_heading && title.is_none() && sections.is_empty() && heading.starts_with("Socratic Duel:") => {
                title = Some(heading["Socratic Duel:".len()..].trim().to_owned());
            }
            2 if is_heading && is_known(heading) => sections.push(HeadingSection { heading, text: String::new() }),
            _ => {
                if is_heading {
                    faults.add("A7", "", format!("{line:?} is no heading of a debate artifact"));
                }
                let text = sections.last_mut().map_or(&mut preamble, |section| &mut section.text);
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    check_rule(faults, title.is_some(), "A7", "", "the heading \"# Socratic Duel: TOPIC\" is missing");
    for section in &mut sections {
        // The rule before the next turn belongs to that turn.
        let kept = section.text.trim_end();
        let kept = kept.strip_suffix("\n---").unwrap_or(kept).trim_end().to_owned();
        section.text = kept;
    }
    (title, preamble, sections)
}

fn is_known(heading: &str) -> bool {
    ["Metadata", "Participants", "Turns", "Terminal Conclusion"].contains(&heading) || heading.starts_with("Turn ")
}

/// The section called `name`, which must stand there once, in its place.
fn find_section<'s>(sections: &'s [HeadingSection<'_>], name: &str, rule: &str, faults: &mut Faults) -> &'s str {
    let mut all = sections.iter().enumerate().filter(|(_, section)| section.heading == name);
    let Some((at, first)) = all.next() else {
        faults.add(rule, "", format!("the section {name} is missing"));
        return "";
    };
    check_rule(faults, all.next().is_none(), rule, name, "this section stands there twice");
    let turn = sections.iter().position(|section| section.heading.starts_with("Turn "));
    let order = ["Metadata", "Participants"].iter().position(|known| *known == name);
    let is_placed = order.is_none_or(|order| at == order && turn.is_none_or(|turn| turn >= at));
    check_rule(faults, is_placed, "A7", name, "this section stands in another place");
    &first.text
}

/// Lines like `**Status**: ACTIVE`.
fn parse_labels(text: &str) -> BTreeMap<&str, &str> {
    let labelled = text.lines().filter_map(|line| line.strip_prefix("**")?.split_once("**:"));
    labelled.map(|(name, value)| (name, value.trim())).collect()
}

/// Rows of a table below its head that have as many cells.
fn parse_table_rows<const COLUMNS: usize>(text: &str) -> impl Iterator<Item = [String; COLUMNS]> {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with('|')).skip(2);
    lines.filter_map(|line| split_cells(line).try_into().ok())
}

fn split_cells(line: &str) -> Vec<String> {
    let inner = line.trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        let last = cells.len() - 1;
        match c {
            '\\' if chars.peek() == Some(&'|') => cells[last].extend(chars.next()),
            '|' => cells.push(String::new()),
            _ => cells[last].push(c),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn strip_code_marks(text: &str) -> String {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let inner = text.trim_start_matches('`').strip_suffix(&"`".repeat(ticks)).unwrap_or(text);
    if ticks > 1 { inner.trim().to_owned() } else { inner.to_owned() }
}

fn parse_turn(section: &HeadingSection<'_>, faults: &mut Faults) -> Option<TurnSection> {
    let Some((number, participant, harness, model, stance)) = parse_turn_heading(section.heading) else {
        let message =
            "a turn's heading is \"## Turn N — NAME (HARNESS / MODEL) — STANCE\", with a stance of the format";
        faults.add("A7", section.heading, message);
        return None;
    };
    let (said, peer_timeout) = body::parse_turn_body(&section.text, stance, &format!("Turn {number}"), faults);
    Some(TurnSection { number, participant, harness, model, said, peer_timeout })
}

/// The parts of a turn's heading.
fn parse_turn_heading(heading: &str) -> Option<(u32, String, String, String, Stance)> {
    let rest = heading.strip_prefix("Turn ")?;
    let (number, rest) = DASHES.iter().find_map(|dash| {
        let (number, rest) = rest.split_once(dash)?;
        Some((number.trim().parse().ok()?, rest))
    })?;
    let (who, stance) = DASHES.iter().find_map(|dash| {
        let (who, stance) = rest.rsplit_once(dash)?;
        Some((who, Stance::parse(stance.trim())?))
    })?;
    let inner = who.trim_end().strip_suffix(')')?;
    // The last bracket that holds host and model: a model's name may hold brackets of its own.
    let (at, (harness, model)) =
        inner.rmatch_indices(" (").find_map(|(at, _)| Some((at, inner[at + 2..].split_once(" / ")?)))?;
    let name = inner[..at].trim();
    (!name.is_empty()).then(|| (number, name.to_owned(), harness.trim().to_owned(), model.trim().to_owned(), stance))
}

/// A1 to A3, and what a turn owes to those before it.
fn check_turn_sequence(turns: &[TurnSection], faults: &mut Faults) {
    for (i, turn) in turns.iter().enumerate() {
        let at = format!("Turn {}", turn.number);
        let wanted = i as u32 + 1;
        let why = format!("turn {wanted} is wanted here; turns count from 1 without gap or duplicate");
        check_rule(faults, turn.number == wanted, "A1", &at, why);
        check_rule(faults, wanted <= TURNS_MAX, "A2", &at, format!("a duel has {TURNS_MAX} turns at most"));
        let before = i.checked_sub(1).map(|before| &turns[before]);
        let again = before.filter(|before| before.participant == turn.participant && before.peer_timeout.is_none());
        let why = format!("{} speaks twice in a row, and no peer timeout is recorded", turn.participant);
        check_rule(faults, again.is_none(), "A3", &at, why);
        let own = turns[..i].iter().rev().find(|earlier| earlier.participant == turn.participant);
        let is_held = own.is_none_or(|own| own.said.stance == turn.said.stance);
        let holds = is_held || !turn.said.stance_support.is_empty();
        check_rule(faults, holds, "D9", &at, "the stance changed without Stance Revision Support");
    }
}

/// A5 and A6.
fn parse_conclusion(sections: &[HeadingSection<'_>], names: [&str; 2], faults: &mut Faults) -> Conclusion {
    const NAME: &str = "Terminal Conclusion";
    let text = find_section(sections, NAME, "A5", faults);
    let labels = parse_labels(text);
    let label = |name: &str| labels.get(name).copied().unwrap_or_default();
    let count = |name: &str| text.lines().filter(|line| line.starts_with(&format!("**{name}**:"))).count();
    for name in ["Outcome", "Closed At", "Candidate Convergence", "Reason"] {
        let why = format!("the line **{name}** is wanted once, found {}", count(name));
        check_rule(faults, count(name) == 1 || text.is_empty(), "A5", NAME, why);
    }
    let outcome = label("Outcome").to_owned();
    let pending = outcome.eq_ignore_ascii_case(PENDING);
    let is_sound = pending || OUTCOMES.contains(&outcome.as_str()) || outcome.is_empty();
    check_rule(faults, is_sound, "A5", NAME, format!("{outcome:?} is none of {}", OUTCOMES.join(", ")));
    let given =
        |name: &str| Some(label(name)).filter(|value| !value.is_empty() && !value.eq_ignore_ascii_case("pending"));
    let after = text.lines().skip_while(|line| !line.starts_with("**Reason**:")).skip(1);
    let summary = after.collect::<Vec<_>>().join("\n").trim().to_owned();
    let last = sections.iter().rposition(|section| section.heading == NAME);
    let follows = last.is_some_and(|last| last + 1 < sections.len());
    if pending {
        check_rule(faults, !follows, "A7", NAME, "this section is the last one");
        let convergence = label("Candidate Convergence").eq_ignore_ascii_case("yes");
        return Conclusion { outcome: PENDING.into(), ..Conclusion::pending(convergence) };
    }
    check_rule(faults, !follows, "A6", NAME, "nothing follows a terminal outcome");
    if !text.is_empty() {
        for name in ["Closed At", "Reason"] {
            let why = format!("a terminal outcome needs the line **{name}**");
            check_rule(faults, given(name).is_some(), "A5", NAME, why);
        }
        let [topic, source] = names;
        let named = |wanted: &str| text.contains(wanted) || text.contains(file_name(wanted));
        if summary.is_empty() {
            faults.add("A5", NAME, "a terminal outcome needs a summary");
        } else if !text.contains(topic) || !named(source) {
            faults.add("A5", NAME, "the conclusion names the source document and the topic");
        }
    }
    Conclusion {
        outcome,
        closed_at: given("Closed At").map(str::to_owned),
        candidate_convergence: label("Candidate Convergence").eq_ignore_ascii_case("yes"),
        reason: given("Reason").unwrap_or_default().to_owned(),
        summary,
    }
}
