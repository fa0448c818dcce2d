//! The debaters: the members of the line-up, each with its name in the log.

use agon_core::{Seat, View};
use agon_text::{end_sentence, without_marks};
use serde::Serialize;

use crate::common::lineup::{self, LineupRequirements, Member};

/// Words that are roles or phases in the log and therefore no names.
pub const ROLES: [&str; 6] = ["chair", "reporter", "verifier", "audience", "assessor", "system"];

/// What the protocol wants of its line-up.
pub const WANTED: LineupRequirements<'static> = LineupRequirements {
    row: "debater",
    proposer: "chair",
    details: &["starting_position", "incentives"],
    reserved: &ROLES,
    needed: &["persona", "starting_position", "incentives"],
    side: Some("starting_position"),
};

/// A debater of the line-up: seat, name, persona, position and incentives.
#[derive(Debug, Clone, PartialEq)]
pub struct Debater {
    /// Where it sits.
    pub seat: Seat,
    /// Its name in the log and in the outcome: letters, digits and hyphens only (log rule L3).
    pub name: String,
    /// Its name as it was written, which prompts and files show.
    pub title: String,
    /// Who it represents.
    pub persona: String,
    /// Its opening stance.
    pub position: String,
    /// What it cares about.
    pub incentives: String,
}

/// A debater as prompts show it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ShownDebater {
    /// Its name as it was written.
    pub name: String,
    /// Its name in the log.
    pub log_name: String,
    /// Who it represents, in a sentence.
    pub persona: String,
    /// Its opening stance, in a sentence.
    pub position: String,
    /// What it cares about.
    pub incentives: String,
}

/// The debaters, in turn order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Debaters(pub Vec<Debater>);

impl Debaters {
    /// The members with the names of the log. A name without a letter or digit of the log's
    /// alphabet, or that another bears already, is replaced by the name of its seat.
    pub fn of(members: &[Member]) -> Self {
        let mut debaters: Vec<Debater> = Vec::new();
        for member in members {
            let slug = log_name(&member.name);
            let taken = debaters.iter().any(|other| other.name.eq_ignore_ascii_case(&slug));
            let role = ROLES.iter().any(|role| slug.eq_ignore_ascii_case(role));
            let name = if slug.is_empty() || taken || role { member.seat.to_string() } else { slug };
            let title = if member.name.is_empty() { name.clone() } else { member.name.clone() };
            debaters.push(Debater {
                seat: member.seat.clone(),
                name,
                title,
                persona: member.persona.clone(),
                position: member.detail("starting_position").to_owned(),
                incentives: member.detail("incentives").to_owned(),
            });
        }
        Self(debaters)
    }

    /// As ruled, in a view; empty before.
    pub fn in_view(view: &View<'_>) -> Self {
        Self::of(&lineup::of(view))
    }

    /// The debater that the log calls `name`.
    pub fn find_by_name(&self, name: &str) -> Option<&Debater> {
        self.0.iter().find(|debater| debater.name == name)
    }

    /// The debater at `seat`.
    pub fn find_by_seat(&self, seat: &Seat) -> Option<&Debater> {
        self.0.iter().find(|debater| debater.seat == *seat)
    }

    /// The debater whom `said` names, by either of its names and in any case of letters.
    pub fn find_by_any_name(&self, said: &str) -> Option<&Debater> {
        let said = said.trim().to_lowercase();
        self.0.iter().find(|debater| [&debater.name, &debater.title].iter().any(|own| own.to_lowercase() == said))
    }

    /// The names of the log, in turn order.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|debater| debater.name.as_str()).collect()
    }

    /// The names as they were written, in turn order.
    pub fn titles(&self) -> Vec<&str> {
        self.0.iter().map(|debater| debater.title.as_str()).collect()
    }

    /// The written name of the `speaker` of an entry; itself where it does not debate.
    pub fn title_of<'n>(&'n self, speaker: &'n str) -> &'n str {
        self.find_by_name(speaker).map_or(speaker, |debater| debater.title.as_str())
    }

    /// As prompts show it, one sentence behind the other.
    pub fn prompt_facts(&self) -> Vec<ShownDebater> {
        let show = |debater: &Debater| ShownDebater {
            name: debater.title.clone(),
            log_name: debater.name.clone(),
            persona: end_sentence(&debater.persona),
            position: end_sentence(&debater.position),
            incentives: debater.incentives.clone(),
        };
        self.0.iter().map(show).collect()
    }
}

/// `name` in the log's alphabet: letters without their accents; whatever does not belong there becomes a hyphen.
pub fn log_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let hyphened: String = without_marks(name).chars().map(plain).collect();
    hyphened.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::named_seat;

    #[test]
    fn speaker_names_have_the_log_s_alphabet_and_are_unique() {
        let member = |n: usize, name: &str| Member {
            seat: named_seat(&format!("debater-{n}")),
            name: name.into(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        let members = [
            member(1, "Dr. Ada Smith"),
            member(2, "dr ada smith"),
            member(3, "日本"),
            member(4, "the-chair"),
            member(5, ".chair"),
            member(6, "Jörg Müller"),
        ];
        let debaters = Debaters::of(&members);
        assert_eq!(
            debaters.names(),
            ["Dr-Ada-Smith", "debater-2", "debater-3", "the-chair", "debater-5", "Jorg-Muller"]
        );
        assert_eq!(debaters.title_of("debater-3"), "日本");
        assert_eq!(debaters.find_by_any_name(" jörg müller").map(|debater| debater.name.as_str()), Some("Jorg-Muller"));
        assert!(debaters.find_by_any_name("nobody").is_none());
    }

    #[test]
    fn what_prompts_say_of_a_debater_is_a_sentence_each() {
        let member = |persona: &str| Member {
            seat: named_seat("debater-1"),
            name: "Mara".into(),
            persona: persona.into(),
            details: serde_json::Map::new(),
        };
        for (persona, shown) in [("a tram driver", "a tram driver."), ("A tram driver.", "A tram driver."), ("", "")] {
            assert_eq!(Debaters::of(&[member(persona)]).prompt_facts()[0].persona, shown);
        }
    }
}
