//! `critique_of_*_r{R}.md`: one author's critique of another's document, written and read.

use agon_core::{Fault, Faults};
use agon_protocols::revise::critique::{CriticDisagreement, Critique, Severity, Weakness, is_nothing, names_place};
use agon_text::markdown::{escape_line, escape_start};

/// The sections of a critique, in their order.
pub const SECTIONS: [&str; 4] = ["Strengths", "Weaknesses", "Disagreements", "Concessions"];
/// Longer beginnings of a bullet are not a place.
const PLACE_CHARS_MAX: usize = 140;

/// A critique with its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CritiqueFile {
    /// What is criticised, for example `Codex Plan`.
    pub source: String,
    /// From 1.
    pub round: u32,
    /// What it says.
    pub critique: Critique,
}

impl CritiqueFile {
    /// The file, every text guarded. An empty section has no bullets.
    pub fn render(&self) -> String {
        let Critique { strengths, weaknesses, disagreements, concessions, repeated: _ } = &self.critique;
        let plain = |texts: &[String]| texts.iter().map(|text| format!("- {}", escape_start(text))).collect::<Vec<_>>();
        let tagged = |severity: Severity, about: &str, text: &str| {
            // The first colon ends what a point is about.
            let about = escape_line(about).replace(": ", ", ");
            let colon = if about.is_empty() { "" } else { ": " };
            format!("- [{}] {about}{colon}{}", severity.name(), escape_line(text))
        };
        let weaknesses = weaknesses.iter().map(|w| tagged(w.severity, &w.place, &w.problem)).collect();
        let disagreements = disagreements.iter().map(|d| tagged(d.severity, &d.point, &d.reason)).collect();
        let sections = [plain(strengths), weaknesses, disagreements, plain(concessions)];
        let mut blocks = vec![format!("## Critique of {} (Round {})", escape_line(&self.source), self.round)];
        let sections = SECTIONS.into_iter().zip(sections);
        blocks.extend(sections.map(|(name, bullets)| [vec![format!("### {name}")], bullets].concat().join("\n")));
        blocks.join("\n\n") + "\n"
    }

    /// Reads a file. `round` is the one that its name bears, where it is known. All broken rules are
    /// given at once: C1 the title, C2 the sections, C3 the places, C4 the reasons.
    pub fn parse(text: &str, round: Option<u32>) -> Result<Self, Faults> {
        let (file, faults) = Self::parse_leniently(text, round);
        faults.into_result(file)
    }

    /// What can be read in a file, and every rule that it breaks.
    pub fn parse_leniently(text: &str, round: Option<u32>) -> (Self, Faults) {
        let mut faults = Faults::default();
        let title = text.lines().map(str::trim).find(|line| !line.is_empty()).and_then(parse_title);
        match (&title, round) {
            (None, _) => faults.add("C1", "", "it does not begin with \"## Critique of SOURCE (Round N)\""),
            (Some((_, found)), Some(wanted)) if *found != wanted => {
                faults.add("C1", "", format!("its title says round {found}, its name round {wanted}"));
            }
            _ => {}
        }
        let sections = split_sections(text);
        let names: Vec<&str> = sections.iter().map(|(name, _)| name.as_str()).collect();
        if names != SECTIONS {
            let message = format!("its sections are {}; wanted are {}", names.join(", "), SECTIONS.join(", "));
            faults.add("C2", "", message);
        }
        let bullets = |name: &str| {
            let found = sections.iter().find(|(section, _)| section == name);
            found.map(|(_, bullets)| bullets.as_slice()).unwrap_or_default()
        };
        let [strengths, weaknesses, disagreements, concessions] = SECTIONS.map(bullets);
        let critique = Critique {
            strengths: strengths.to_vec(),
            weaknesses: weaknesses.iter().map(|bullet| parse_weakness(bullet, &mut faults)).collect(),
            disagreements: disagreements.iter().map(|bullet| parse_disagreement(bullet, &mut faults)).collect(),
            concessions: concessions.to_vec(),
            repeated: 0,
        };
        let (source, round) = title.unwrap_or_default();
        (Self { source, round, critique }, faults)
    }
}

fn parse_title(line: &str) -> Option<(String, u32)> {
    let (source, round) = line.strip_prefix("## Critique of ")?.rsplit_once(" (Round ")?;
    Some((source.trim().to_owned(), round.strip_suffix(')')?.parse().ok()?))
}

/// Sections and their bullets; a lone "None" is not a bullet.
fn split_sections(text: &str) -> Vec<(String, Vec<String>)> {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            sections.push((name.trim().to_owned(), Vec::new()));
            continue;
        }
        let Some((_, bullets)) = sections.last_mut() else { continue };
        match (line.strip_prefix("- "), line.trim()) {
            (Some(bullet), _) => bullets.push(bullet.trim().to_owned()),
            (None, "") => {}
            (None, more) => match bullets.last_mut() {
                Some(bullet) => *bullet = format!("{bullet} {more}"),
                // A paragraph is an entry too: nothing that was said may look like convergence.
                None => bullets.push(more.to_owned()),
            },
        }
    }
    for (_, bullets) in &mut sections {
        if bullets.len() == 1 && is_nothing(&bullets[0]) {
            bullets.clear();
        }
    }
    sections
}

/// The severity tag of a bullet, medium where there is none, and the rest.
fn parse_severity_tag(bullet: &str) -> (Severity, &str) {
    let tag = bullet.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let tag = tag.and_then(|(name, rest)| Some((Severity::parse(name)?, rest.trim_start())));
    tag.unwrap_or((Severity::Medium, bullet))
}

fn parse_weakness(bullet: &str, faults: &mut Faults) -> Weakness {
    let (severity, text) = parse_severity_tag(bullet);
    let split = text.split_once(": ").filter(|(place, _)| place.chars().count() <= PLACE_CHARS_MAX);
    let (place, problem) = split.unwrap_or(("", text));
    if place.is_empty() && !names_place(text) {
        let message = format!("{bullet:?} names no place: a section, file and line, task or criterion");
        faults.0.push(Fault { rule: "C3".into(), at: "Weaknesses".into(), message });
    }
    Weakness { severity, place: place.trim().to_owned(), problem: problem.trim().to_owned(), repeats: None }
}

fn parse_disagreement(bullet: &str, faults: &mut Faults) -> CriticDisagreement {
    let (severity, text) = parse_severity_tag(bullet);
    let (point, reason) = text.split_once(':').unwrap_or((text, ""));
    if reason.trim().is_empty() {
        let message = format!("{bullet:?} gives no reason; write \"point: reason\"");
        faults.0.push(Fault { rule: "C4".into(), at: "Disagreements".into(), message });
    }
    CriticDisagreement { severity, point: point.trim().to_owned(), reason: reason.trim().to_owned() }
}
