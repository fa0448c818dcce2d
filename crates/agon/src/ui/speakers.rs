//! Names and colours of speakers on the screen.

use std::collections::BTreeMap;

use agon_core::{Manifest, Opened, Role, Ruling, Seat};
use agon_protocols::common::lineup::list_ruled_members;
use anstyle::Style;

use super::{BLUE, GREEN, INDIGO, MAGENTA, YELLOW};

/// Colours of those who argue, in their order.
const VOICES: [Style; 4] = [GREEN, MAGENTA, BLUE, INDIGO];

/// The speakers of one debate.
#[derive(Debug, Default)]
pub struct Speakers {
    names: BTreeMap<Seat, String>,
    styles: BTreeMap<Seat, Style>,
}

impl Speakers {
    /// By the line-up and the roles of its seats.
    pub fn from_opened(opened: &Opened, manifest: Option<&Manifest>) -> Self {
        let mut speakers = Self::default();
        let mut voices = VOICES.iter().cycle();
        for sat in &opened.lineup {
            let role = manifest.and_then(|manifest| manifest.find_seat(sat.seat.as_str())).map(|seat| seat.role);
            let style = match role {
                Some(Role::Debater) => voices.next().copied().unwrap_or(BLUE),
                Some(Role::Judge | Role::Moderator | Role::Chair) => YELLOW,
                _ => BLUE,
            };
            speakers.styles.insert(sat.seat.clone(), style.bold());
            speakers.names.extend(sat.name.clone().map(|name| (sat.seat.clone(), name)));
        }
        speakers
    }

    /// Takes the names that a ruling about the line-up gives; gives a line for each member.
    pub fn apply_lineup(&mut self, ruling: &Ruling) -> Vec<(String, String)> {
        let mut told = Vec::new();
        for member in list_ruled_members(ruling).into_iter().filter(|member| !member.name.is_empty()) {
            let known = [member.persona.as_str(), member.detail("starting_position"), member.detail("incentives")];
            let known: Vec<&str> = known.into_iter().filter(|text| !text.is_empty()).collect();
            told.push((member.name.clone(), known.join(" | ")));
            self.names.insert(member.seat, member.name);
        }
        told
    }

    /// What readers call a seat.
    pub fn seat_name<'a>(&'a self, seat: &'a Seat) -> &'a str {
        self.names.get(seat).map_or(seat.as_str(), String::as_str)
    }

    /// How a seat's name is painted.
    pub fn seat_style(&self, seat: &Seat) -> Style {
        self.styles.get(seat).copied().unwrap_or(BLUE.bold())
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{RulingKind, sample};
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_called_by_their_names_as_soon_as_they_have_some() {
        let mut manifest = agon_protocols::find_protocol("chaired").unwrap().manifest().clone();
        (manifest.seats[0].name, manifest.seats[1].name) = ("member".into(), "judge".into());
        manifest.seats[1].role = agon_core::Role::Judge;
        let mut opened = sample::sample_opened("x", &["member-1", "member-2", "judge"]);
        opened.lineup[0].name = Some("Ann".into());
        let mut speakers = Speakers::from_opened(&opened, Some(&manifest));
        let seat = |name: &str| Seat::new(name).unwrap();
        assert_eq!((speakers.seat_name(&seat("member-1")), speakers.seat_name(&seat("member-2"))), ("Ann", "member-2"));
        let members = json!({"members": [{"seat": "member-2", "name": "Bo", "persona": "P"}]});
        let told = speakers.apply_lineup(&Ruling::new(RulingKind::Lineup, "x").with_data(members));
        assert_eq!(told, [("Bo".to_owned(), "P".to_owned())]);
        assert_eq!(speakers.seat_name(&seat("member-2")), "Bo");
        assert_ne!(speakers.seat_style(&seat("member-1")), speakers.seat_style(&seat("member-2")));
        assert_eq!(speakers.seat_style(&seat("judge")), YELLOW.bold());
    }
}
