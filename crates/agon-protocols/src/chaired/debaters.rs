//! The debaters: the members of the line-up, each with its name in the log, and letters for their names, where a debate
//! was opened with the option `orders`: the chair reads of `Debater-A`, `Debater-B` and so on when it concludes, and of
//! no name or persona. The assessor then reads of letters as well; its words are told by names.

use agon_core::{Opened, Request, Seat, View};
use agon_text::{end_sentence, without_marks};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::common::{
    lineup::{self, LineupRequirements, Member},
    request_values::{read_fact, read_option},
};

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
    pub fn from_members(members: &[Member]) -> Self {
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
        Self::from_members(&lineup::ruled_members(view))
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

/// The option, and the fact of a request that says who bears which letter.
pub const ORDERS: &str = "orders";
pub(super) const LABELS: &str = "labels";

/// Whom a letter stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelledDebater {
    name: String,
    title: String,
}

/// Debaters in the order of their letters; none where they are called by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebaterLabels(Vec<LabelledDebater>);

impl DebaterLabels {
    /// Letters for `debaters` in their order, or the other way round, where the debate was opened so.
    pub(super) fn new(opened: &Opened, debaters: &Debaters, is_reversed: bool) -> Self {
        if read_orders_option(opened).is_none() {
            return Self::default();
        }
        let label = |debater: &Debater| LabelledDebater { name: debater.name.clone(), title: debater.title.clone() };
        let mut all = Self(debaters.0.iter().map(label).collect());
        if is_reversed {
            all.0.reverse();
        }
        all
    }

    /// As a request hands them out; none where it is not blind.
    pub fn from_request(request: &Request) -> Self {
        read_fact(request, LABELS).unwrap_or_default()
    }

    /// Whether names stay as they are.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn label_at(at: usize) -> String {
        format!("Debater-{}", char::from(b'A' + (at % 26) as u8))
    }

    /// `text` with letters for names.
    pub(super) fn hide_names(&self, text: &str) -> String {
        let names = |(at, of): (usize, &'_ LabelledDebater)| {
            [(of.name.clone(), Self::label_at(at)), (of.title.clone(), Self::label_at(at))]
        };
        let mut pairs: Vec<(String, String)> = self.0.iter().enumerate().flat_map(names).collect();
        // A name that begins as another goes first.
        pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        pairs.iter().fold(text.to_owned(), |text, (name, label)| replace_word(&text, name, label))
    }

    /// `request` with what [`DebaterLabels::from_request`] reads.
    pub(super) fn add_to(&self, request: Request) -> Request {
        if self.is_empty() { request } else { request.with_fact(LABELS, json!(self)) }
    }

    /// What `debaters` are called: the letters in their order, or the written names.
    pub(super) fn list_names(&self, debaters: &Debaters) -> Vec<String> {
        match self.is_empty() {
            true => debaters.titles().into_iter().map(str::to_owned).collect(),
            false => (0..self.0.len()).map(Self::label_at).collect(),
        }
    }

    /// The letter of the debater that the log calls `name`.
    pub(super) fn find_label(&self, name: &str) -> Option<String> {
        self.0.iter().position(|of| of.name == name).map(Self::label_at)
    }

    /// `text` with names for letters.
    pub fn restore_names(&self, text: &str) -> String {
        self.0.iter().enumerate().fold(text.to_owned(), |text, (at, of)| {
            let label = Self::label_at(at);
            replace_word(&replace_word(&text, &label, &of.title), &label.replace('-', " "), &of.title)
        })
    }

    /// An outcome by the names of the log.
    pub(super) fn tell_outcome(&self, outcome: &str) -> String {
        let won = self.0.iter().enumerate().find(|(at, _)| outcome == format!("{}_wins", Self::label_at(*at)));
        won.map_or_else(|| outcome.to_owned(), |(_, of)| format!("{}_wins", of.name))
    }

    /// The cast by letters, in their order and without what tells who someone is.
    pub(super) fn label_debaters(&self, debaters: &Debaters) -> Vec<ShownDebater> {
        let named = self.0.iter().enumerate().filter_map(|(at, of)| Some((at, debaters.find_by_name(&of.name)?)));
        let shown = named.map(|(at, debater)| {
            let (name, position) = (Self::label_at(at), self.hide_names(&debater.position));
            ShownDebater { log_name: name.clone(), name, position, ..ShownDebater::default() }
        });
        shown.collect()
    }
}

/// `text` with every whole word `from` replaced, whatever its capitals.
fn replace_word(text: &str, from: &str, to: &str) -> String {
    let (mut whole, mut at) = (String::new(), 0);
    let is_spaced = from.chars().all(|c| !agon_text::is_unspaced(c));
    while at < text.len() {
        let here = text.get(at..at + from.len()).is_some_and(|part| part.to_lowercase() == from.to_lowercase());
        let word = |c: Option<char>| is_spaced && c.is_some_and(char::is_alphanumeric);
        let alone = here && !word(text[..at].chars().next_back()) && !word(text[at + from.len()..].chars().next());
        if alone && !from.is_empty() {
            whole.push_str(to);
            at += from.len();
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        whole.push(c);
        at += c.len_utf8();
    }
    whole
}

/// Whether the chair is blind, and asked in both orders.
pub(super) fn read_orders_option(opened: &Opened) -> Option<bool> {
    read_option::<String>(opened, ORDERS).map(|orders| orders == "both")
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
        let debaters = Debaters::from_members(&members);
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
            assert_eq!(Debaters::from_members(&[member(persona)]).prompt_facts()[0].persona, shown);
        }
    }

    #[test]
    fn names_are_whole_words_and_come_back() {
        let label = |name: &str, title: &str| LabelledDebater { name: name.into(), title: title.into() };
        let labels = DebaterLabels(vec![label("Ada", "Ada"), label("Ada-Bo", "Ada-Bo"), label("debater-3", "王芳")]);
        let hidden = labels.hide_names("ADA and Ada-Bo's; Adam, (ada). 据王芳说");
        assert_eq!(hidden, "Debater-A and Debater-B's; Adam, (Debater-A). 据Debater-C说");
        assert_eq!(labels.restore_names("Debater A beats debater-b and Debater-C"), "Ada beats Ada-Bo and 王芳");
        assert_eq!(labels.tell_outcome("Debater-C_wins"), "debater-3_wins");
    }
}
