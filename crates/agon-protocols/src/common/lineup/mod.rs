//! Who takes part: members that the opener named, or that a seat of the debate proposed and a
//! person approved.
//!
//! A row of seats (`panelist-1`, `panelist-2`, …) is fixed when a debate is opened, with its models;
//! a proposal gives the seats their names. Where the number of members is open, some seats are kept in
//! reserve: a seat that the line-up does not hold is never asked.

mod approval;
mod approval_reading;
mod proposal;

use agon_core::{Floor, Flow, Lost, Opened, Ruling, RulingKind, Seat, View};
use agon_text::{is_mark, strip_invisible};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::proposal::Proposal;
pub use self::{
    approval_reading::{PROMPT as CONSENT, consent_facts, consent_schema},
    proposal::proposal_schema,
};
use super::{absence::record_warnings, request_values::read_option};

/// The seat of the person who opened the debate: asked where a proposal wants approval.
pub const HOST: &str = "host";
/// What a host is told about a line-up that is put to it again; part of the prompt `approval`.
pub const APPROVAL_NOTE: (&str, &str) = ("approval-note", include_str!("../prompts/approval-note.md"));
/// Longest name of a member, in characters.
pub const NAME_CHARS_MAX: usize = 40;
/// Longest other text about a member, in characters.
const TEXT_CHARS_MAX: usize = 600;
/// Key of the ruling that says who takes part.
const KEY: &str = "lineup";
/// Option that says how many members may be proposed, as `{"min": 2, "max": 4}`; without it every seat of the
/// row is taken.
pub const NUMBER: &str = "members";
/// Fewest members of any line-up.
pub const MEMBERS_MIN: usize = 2;

/// A participant of a line-up: seat, name, persona and further texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Where.
    pub seat: Seat,
    /// Name shown to peers and readers; unique in the debate.
    pub name: String,
    /// Background, role or character in a sentence or two; may be empty.
    #[serde(default)]
    pub persona: String,
    /// What else the protocol wants to know, by its own names.
    #[serde(default)]
    pub details: Map<String, Value>,
}

impl Member {
    /// A detail that is a text; empty where there is none.
    pub fn detail(&self, name: &str) -> &str {
        self.details.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// A protocol's requirements for the members of a line-up.
#[derive(Debug, Clone, Copy)]
pub struct LineupRequirements<'w> {
    /// The row of seats.
    pub row: &'w str,
    /// Who proposes where nobody was named.
    pub proposer: &'w str,
    /// Names of the texts that a proposal must give in addition to name and persona.
    pub details: &'w [&'w str],
    /// Words that are not names in this protocol, in lower case.
    pub reserved: &'w [&'w str],
    /// What every member needs in addition to a name, of `persona` and `details`: the proposer is asked for what is
    /// missing.
    pub needed: &'w [&'w str],
    /// The detail in which members stand against each other, where there is one: two alike are told.
    pub side: Option<&'w str>,
}

impl LineupRequirements<'_> {
    /// Whether `member` can take part as it is.
    fn has_all(&self, member: &Member) -> bool {
        let has = |name: &&str| match *name {
            "persona" => !member.persona.is_empty(),
            detail => !member.detail(detail).is_empty(),
        };
        !member.name.is_empty() && self.needed.iter().all(has)
    }
}

/// Why there are no members.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfilled {
    /// The proposer gave no usable proposal.
    Lost(Lost),
    /// The host wants no debate, or accepted nothing; a sentence that says so.
    Declined(String),
}

/// The members, or why there are none.
pub type SettledLineup = Result<Vec<Member>, Unfilled>;

/// The seats of `row`, with the names that the opener gave them.
pub fn list_row_members(opened: &Opened, row: &str) -> Vec<Member> {
    let seats = opened.lineup.iter().filter(|sat| {
        let number = sat.seat.as_str().strip_prefix(row).and_then(|rest| rest.strip_prefix('-'));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    });
    let member = seats.map(|sat| Member {
        seat: sat.seat.clone(),
        name: sat.name.clone().unwrap_or_default(),
        persona: sat.persona.clone().unwrap_or_default(),
        details: sat.details.clone(),
    });
    member.collect()
}

/// The line-up as a form begins with it: what the opener said of each of the `members`. Nothing, where that
/// is nothing.
pub fn prefill_lineup(members: &[Member]) -> Value {
    let member = |member: &Member| {
        let mut fields = member.details.clone();
        for (name, text) in [("name", &member.name), ("persona", &member.persona)] {
            if !text.is_empty() {
                fields.insert(name.to_owned(), text.as_str().into());
            }
        }
        fields
    };
    let members: Vec<Map<String, Value>> = members.iter().map(member).collect();
    members.iter().any(|fields| !fields.is_empty()).then(|| json!({"members": members})).into()
}

/// Key under which the line-up is asked for the `attempt`-th time, from 0: an extension of a debate
/// that had none asks again.
pub fn lineup_key(attempt: u32) -> String {
    if attempt == 0 { KEY.to_owned() } else { format!("{KEY}/again-{attempt}") }
}

/// Rules that the host wants no such members, for the reason given.
pub fn record_refusal(floor: &mut Floor<'_>, attempt: u32, why: &str) -> Flow<()> {
    floor.record_ruling(format!("{}/refused", lineup_key(attempt)), Ruling::new(RulingKind::Invalidated, why))
}

/// The option [`NUMBER`], and the fact `number` of a request for a proposal.
#[derive(Default, Serialize, Deserialize)]
struct MemberNumber {
    min: Option<usize>,
    max: Option<usize>,
}

/// The members, put on the record by a ruling. Asks `lineup` of the proposer where a member lacks
/// something, and of [`HOST`] an `approval` where the option `approve` is true. `attempt` counts the
/// extensions after which it is asked again.
pub fn settle_lineup(floor: &mut Floor<'_>, wanted: LineupRequirements<'_>, attempt: u32) -> Flow<SettledLineup> {
    let seats = list_row_members(floor.opened(), wanted.row);
    let key = lineup_key(attempt);
    // What was taken over from files is as they have it.
    let is_imported = floor.opened().import_details().is_some();
    let mut told: Vec<String> = Vec::new();
    let members = if is_imported || seats.iter().all(|member| wanted.has_all(member)) {
        Ok(seats)
    } else {
        let MemberNumber { min, max } = read_option(floor.opened(), NUMBER).unwrap_or_default();
        let number = min.unwrap_or(seats.len())..=max.unwrap_or(seats.len());
        // Of the opener's words everything stays.
        let proposal = Proposal { wanted, seats: &seats, number, wishes: None, kept: Vec::new() };
        match proposal.ask_proposer(floor, &key)? {
            Ok(members) if read_option(floor.opened(), "approve") == Some(true) => {
                proposal.obtain_approval(floor, &key, members)?
            }
            // Who has a name can speak: a debate is not lost for want of what nobody proposed.
            Err(lost) if seats.iter().all(|member| !member.name.is_empty()) => {
                told.push(format!("nobody proposed what the line-up lacks ({lost}); it stands as it was given"));
                Ok(seats)
            }
            other => other.map_err(Unfilled::Lost),
        }
    };
    let members = match members {
        Ok(members) => members,
        Err(unfilled) => return Ok(Err(unfilled)),
    };
    record_lineup(floor, &members)?;
    if !is_imported {
        let alike = wanted.side.map(|side| proposal::list_alike_pairs(&members, side)).unwrap_or_default();
        told.extend(alike.into_iter().map(|(a, b)| format!("{a} and {b} stand on one side")));
        record_warnings(floor, KEY, wanted.row, &told)?;
    }
    Ok(Ok(members))
}

/// Rules who takes part.
pub fn record_lineup(floor: &mut Floor<'_>, members: &[Member]) -> Flow<()> {
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let ruled = RuledLineup { members: members.to_vec() };
    floor.record_ruling(KEY, Ruling::new(RulingKind::Lineup, names.join(", ")).with_data(ruled))
}

/// The seats of a debate as it was opened that someone takes: without those of a row that its line-up
/// left in reserve, once there is one.
pub fn list_taken_seats(opened: &Opened, members: &[Member]) -> Vec<agon_core::SeatModel> {
    let row = |seat: &Seat| seat.as_str().rsplit_once('-').map(|(row, _)| row.to_owned());
    let rows: Vec<String> = members.iter().filter_map(|member| row(&member.seat)).collect();
    let reserve = |seat: &Seat| {
        row(seat).is_some_and(|row| rows.contains(&row)) && !members.iter().any(|member| member.seat == *seat)
    };
    opened.lineup.iter().filter(|sat| !reserve(&sat.seat)).cloned().collect()
}

/// The line-up that stands: data of the ruling [`KEY`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuledLineup {
    /// In the protocol's order.
    pub members: Vec<Member>,
}

/// The members that `ruling` rules on; none where it is on something else.
pub fn list_ruled_members(ruling: &Ruling) -> Vec<Member> {
    ruling.decode_data::<RuledLineup>().map(|ruled| ruled.members).unwrap_or_default()
}

/// The members as ruled, in a view.
pub fn ruled_members(view: &View<'_>) -> Vec<Member> {
    view.find_ruling_data::<RuledLineup>(KEY).map(|ruled| ruled.members.clone()).unwrap_or_default()
}

/// What stands within names besides letters, of any script: the dot between the parts of a name in Japanese, Chinese and
/// Catalan, hyphens, apostrophes, and the marks of Hebrew initials.
const WITHIN_NAMES: &str = " .'’-_·・‧‐‑׳״";

/// Whether a member can be called `name` together with `others`.
pub fn check_name<'o>(name: &str, others: impl IntoIterator<Item = &'o str>, reserved: &[&str]) -> Result<(), String> {
    let lower = name.to_lowercase();
    if name.chars().count() > NAME_CHARS_MAX {
        return Err(format!("the name {name:?} is longer than {NAME_CHARS_MAX} characters"));
    }
    if !name.starts_with(char::is_alphabetic) {
        return Err(format!("the name {name:?} does not begin with a letter"));
    }
    // What follows a name in a transcript must not be forged by it.
    if let Some(c) = name.chars().find(|c| !(c.is_alphanumeric() || is_mark(*c) || WITHIN_NAMES.contains(*c))) {
        return Err(format!(
            "the name \"{}\" has {c:?} in it; letters, digits, blanks and {WITHIN_NAMES} are allowed",
            strip_invisible(name)
        ));
    }
    if reserved.contains(&lower.as_str()) || lower == HOST || lower == "clock" || lower == "witness" {
        return Err(format!("{name:?} is a role of the debate, not a name"));
    }
    match others.into_iter().find(|other| other.to_lowercase() == lower) {
        Some(other) => Err(format!("two are called {other:?}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_begins_with_what_the_opener_said_of_each() {
        let member = |number: u32, name: &str| Member {
            seat: Seat::new(format!("debater-{number}")).unwrap_or_else(|_| unreachable!()),
            name: name.to_owned(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        let named = prefill_lineup(&[member(1, "Ada"), member(2, "")]);
        assert_eq!(named, json!({"members": [{"name": "Ada"}, {}]}));
        assert_eq!(prefill_lineup(&[member(1, ""), member(2, "")]), Value::Null);
    }
}
