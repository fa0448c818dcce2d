//! The lenses through which panelists look: the catalogue, and who gets which.
//!
//! A lens comes from the line-up file, from the moderator's proposal, or from a participant's role. One
//! of them is always critical: a panel of friends of an idea finds nothing.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::common::{
    fields::one_line,
    lineup::{Member, NAME_CHARS_MAX},
    shipped,
};

/// A way of looking at a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lens {
    /// What it is called.
    pub name: String,
    /// What it asks, trusts and doubts.
    pub description: String,
    /// Whether it looks for what fails.
    #[serde(default)]
    pub critical: bool,
}

/// A lens of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LensEntry {
    /// The kind of topic it suits best.
    pub domain: String,
    /// The lens.
    #[serde(flatten)]
    pub lens: Lens,
    /// Beginnings of words in a role that suggest it.
    pub words: Vec<String>,
}

/// The lens that suits every topic and every panel.
pub const CONTRARIAN: &str = "Contrarian";
/// Taken in this order where nothing about a panelist suggests a lens.
const USUAL: [&str; 8] = [
    "Practitioner Experience",
    "Empirical Evidence",
    CONTRARIAN,
    "Systems Thinker",
    "User Advocate",
    "Risk Assessor",
    "First Principles",
    "Historical Pattern",
];

static CATALOGUE: LazyLock<Vec<LensEntry>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct LensList {
        lens: Vec<LensEntry>,
    }
    shipped::<LensList>(include_str!("lenses.toml")).lens
});

/// Every lens, in the catalogue's order.
pub fn catalogue() -> &'static [LensEntry] {
    &CATALOGUE
}

/// The lens called `name`, whatever its case and blanks.
pub fn named(name: &str) -> Option<&'static Lens> {
    let folded = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let wanted = folded(name);
    CATALOGUE.iter().find(|entry| folded(&entry.lens.name) == wanted).map(|entry| &entry.lens)
}

/// A panelist's lens, and how it came to it where that is worth saying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigned {
    /// Exactly one.
    #[serde(flatten)]
    pub lens: Lens,
    /// For a reader: what was replaced, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One lens for each of `members`, in their order; at least one of them is critical, unless the opener
/// chose them all. `given` are the same seats as the opener filled them: a lens that stands there is kept,
/// in the catalogue or not.
pub fn assign(members: &[Member], given: &[Member]) -> Vec<Assigned> {
    let mut assigned: Vec<Assigned> = Vec::new();
    for (member, given) in members.iter().zip(given) {
        let lens = match given.detail("lens") {
            "" => {
                let taken: Vec<&str> = assigned.iter().map(|a| a.lens.name.as_str()).collect();
                fitting(member, &taken)
            }
            wished => custom(wished, given.detail("lens_description")),
        };
        assigned.push(Assigned { lens, note: None });
    }
    if !assigned.iter().any(|a| a.lens.critical) {
        if let Some(at) = given.iter().rposition(|member| member.detail("lens").is_empty()) {
            if let (Some(place), Some(contrarian)) = (assigned.get_mut(at), named(CONTRARIAN)) {
                let replaced = &place.lens.name;
                let note = format!("{CONTRARIAN} instead of {replaced}: no lens of the panel was critical");
                *place = Assigned { lens: contrarian.clone(), note: Some(note) };
            }
        } else if let Some(last) = assigned.last_mut() {
            let note =
                format!("{} stays: no lens of the panel is critical, and each was chosen", last.lens.name);
            last.note = Some(note);
        }
    }
    assigned
}

/// The lens that a participant was proposed for or fits best, and that is still free.
fn fitting(member: &Member, taken: &[&str]) -> Lens {
    let is_free = |lens: &&Lens| !taken.contains(&lens.name.as_str());
    let proposed = named(member.detail("lens")).filter(is_free);
    let usual = || USUAL.iter().filter_map(|name| named(name)).find(is_free);
    let any = || CATALOGUE.iter().map(|entry| &entry.lens).find(is_free);
    let found = proposed.or_else(|| suggested(member, taken)).or_else(usual).or_else(any);
    found.cloned().unwrap_or_else(|| CATALOGUE[0].lens.clone())
}

/// The free lens that shares most words with a participant's role and wished lens.
fn suggested(member: &Member, taken: &[&str]) -> Option<&'static Lens> {
    let about = format!(" {} {} {}", member.persona, member.name, member.detail("lens")).to_lowercase();
    let about: String =
        about.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { ' ' }).collect();
    let hits = |entry: &&LensEntry| {
        let found = |word: &&String| about.contains(&format!(" {word}"));
        // A longer beginning says more: a life coach is not just any coach.
        entry.words.iter().filter(found).map(|word| word.len()).sum::<usize>()
    };
    let free = CATALOGUE.iter().filter(|entry| !taken.contains(&entry.lens.name.as_str()));
    // Of equals the first in the catalogue.
    let best = free.rev().max_by_key(hits).filter(|entry| hits(entry) > 0);
    best.map(|entry| &entry.lens)
}

/// A lens that the opener named: one of the catalogue, or one of their own.
fn custom(name: &str, description: &str) -> Lens {
    if let Some(lens) = named(name).filter(|_| description.is_empty()) {
        return lens.clone();
    }
    let name: String =
        one_line(name).chars().filter(|c| !"()[]:".contains(*c)).take(NAME_CHARS_MAX).collect();
    let text = format!("{name} {description}").to_lowercase();
    let critical = ["contrarian", "critic", "critique", "skeptic", "sceptic", "devil"]
        .iter()
        .any(|word| text.contains(word));
    let description = match one_line(description) {
        text if text.is_empty() => {
            format!("Look at everything as {name} would, and say what only that shows.")
        }
        text => text,
    };
    Lens { name, description, critical }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::common::seat;

    fn member(n: usize, name: &str, persona: &str, lens: &str) -> Member {
        let details = if lens.is_empty() { json!({}) } else { json!({"lens": lens}) };
        let details = details.as_object().cloned().unwrap_or_default();
        Member { seat: seat(&format!("panelist-{n}")), name: name.into(), persona: persona.into(), details }
    }

    fn names(assigned: &[Assigned]) -> Vec<&str> {
        assigned.iter().map(|a| a.lens.name.as_str()).collect()
    }

    #[test]
    fn the_catalogue_has_the_lenses_of_the_source_system_once_each() {
        let mut all: Vec<&str> = catalogue().iter().map(|entry| entry.lens.name.as_str()).collect();
        assert_eq!(all.len(), 30);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30);
        assert!(USUAL.iter().all(|name| named(name).is_some()));
        assert!(named("contrarian").is_some_and(|lens| lens.critical));
        for entry in catalogue() {
            assert!(entry.lens.description.len() > 80 && !entry.words.is_empty(), "{}", entry.lens.name);
        }
    }

    #[test]
    fn a_lens_is_inferred_from_the_role() {
        for (role, lens) in [
            ("a life coach from Leeds", "Emotional Intelligence"),
            ("Entrepreneur, sold two firms", "ROI & Leverage"),
            ("former athlete", "Deliberate Practice"),
            ("software engineer", "Systems Thinker"),
            ("historian of science", "Historical Pattern"),
            ("fact-checker", "Source Skeptic"),
            ("", "Practitioner Experience"),
        ] {
            let panel = [member(1, "Ada", role, ""), member(2, "Bob", "", "Contrarian")];
            assert_eq!(names(&assign(&panel, &panel))[0], lens, "{role}");
        }
    }

    #[test]
    fn a_critical_lens_is_always_present_and_what_it_replaced_is_said() {
        let panel =
            [member(1, "Ada", "engineer", ""), member(2, "Bob", "athlete", ""), member(3, "Cy", "coach", "")];
        let assigned = assign(&panel, &panel);
        assert_eq!(names(&assigned), ["Systems Thinker", "Deliberate Practice", "Contrarian"]);
        let note = assigned[2].note.as_deref().unwrap_or_default();
        assert_eq!(note, "Contrarian instead of Field Experience: no lens of the panel was critical");
        let given = [member(1, "Ada", "", ""), member(2, "Bob", "", "Authenticity")];
        assert_eq!(names(&assign(&given, &given))[1], "Authenticity", "a lens of the opener's stays");
        let all = [member(1, "Ada", "", "Authenticity"), member(2, "Bob", "", "My own")];
        let assigned = assign(&all, &all);
        assert_eq!(names(&assigned), ["Authenticity", "My own"], "whoever chose all has chosen");
        let note = assigned[1].note.as_deref().unwrap_or_default();
        assert_eq!(note, "My own stays: no lens of the panel is critical, and each was chosen");
    }

    #[test]
    fn a_proposal_takes_lenses_of_the_catalogue_once_each() {
        let open = [member(1, "", "", ""), member(2, "", "", ""), member(3, "", "", "")];
        let proposal = [
            member(1, "A", "", "risk assessor"),
            member(2, "B", "", "Risk Assessor"),
            member(3, "C", "", "Magic"),
        ];
        let assigned = assign(&proposal, &open);
        assert_eq!(names(&assigned), ["Risk Assessor", "Practitioner Experience", "Empirical Evidence"]);
    }

    #[test]
    fn the_opener_may_bring_a_lens_of_their_own() {
        let panel = [member(1, "Ada", "", "Feminist [critique]:"), member(2, "Bob", "", "")];
        let assigned = assign(&panel, &panel);
        assert_eq!(names(&assigned)[0], "Feminist critique");
        assert!(assigned[0].lens.critical && assigned[0].note.is_none());
    }
}
