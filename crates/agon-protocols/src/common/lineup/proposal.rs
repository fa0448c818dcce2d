//! A proposed line-up: its fixed parts, its request and its parsing.

use std::{ops::RangeInclusive, sync::Arc};

use agon_core::{Attempt, Faults, Floor, Flow, Lost, Request, form::FormField};
use agon_text::is_copy;
use serde_json::{Map, Value, json};

use super::{LineupRequirements, Member, MemberNumber, NAME_CHARS_MAX, TEXT_CHARS_MAX, check_name};
use crate::common::{
    fields::{ObjectReader, read_object},
    form::{Field, Form, Kind, form_field, list_kind, text_kind},
    named_seat,
    request_values::read_fact,
};

/// What the host said to an earlier proposal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wishes {
    /// Its words.
    pub words: String,
    /// The proposal that it answers.
    pub to: Vec<Member>,
    /// Whether nobody of it is to stay.
    pub afresh: bool,
}

/// A proposal to be asked for.
#[derive(Debug, Clone)]
pub(super) struct Proposal<'w> {
    pub wanted: LineupRequirements<'w>,
    /// The seats of the row. What the opener said of them is kept, unless the host wished otherwise since.
    pub seats: &'w [Member],
    /// How many members it may have.
    pub number: RangeInclusive<usize>,
    /// What the host wishes, of a revision.
    pub wishes: Option<Wishes>,
    /// Members of the proposal before that stay word for word.
    pub kept: Vec<Member>,
}

impl Proposal<'_> {
    /// Asks for it under `key`.
    pub fn ask_proposer(&self, floor: &mut Floor<'_>, key: &str) -> Flow<Result<Vec<Member>, Lost>> {
        let most = *self.number.end();
        let mut request = Request::new(key, &named_seat(self.wanted.proposer), "lineup")
            .with_fact("members", most)
            .with_fact("number", json!(MemberNumber { min: Some(*self.number.start()), max: Some(most) }));
        if let Some(Wishes { words, to, afresh }) = &self.wishes {
            let kept: Vec<&str> = self.kept.iter().map(|member| member.name.as_str()).collect();
            request = request.with_fact("wishes", words.as_str()).with_fact("proposal", json!(to));
            request = request.with_fact("afresh", *afresh).with_fact("kept", kept);
        }
        let check = |draft: Attempt<'_>| self.parse_members(draft.text, draft.was_told("side"));
        Ok(floor.ask_until_valid(request, check)?.map(|statement| Arc::unwrap_or_clone(statement.value)))
    }

    /// A proposal in the order of the seats, or every rule it breaks. Two members on one side are a fault
    /// until its author was `told`.
    pub fn parse_members(&self, text: &str, told: bool) -> Result<Vec<Member>, Faults> {
        read_object(text, |fields, faults| {
            let items = fields.read_list("members", "lineup", faults);
            if !self.number.contains(&items.len()) {
                let (min, max) = (self.number.start(), self.number.end());
                let wanted = if min == max { min.to_string() } else { format!("{min} to {max}") };
                faults.add("lineup", "members", format!("{wanted} are wanted, found {}", items.len()));
            }
            let mut members: Vec<Member> = Vec::new();
            for (i, place) in self.assign_places(items).into_iter().enumerate().take(self.seats.len()) {
                let Some(fields) = ObjectReader::from_value(&items[i], format!("members[{i}]"), faults) else {
                    continue;
                };
                let member = self.parse_member(&fields, place, faults);
                let others = members.iter().map(|member| member.name.as_str());
                if let Err(why) = check_name(&member.name, others, self.wanted.reserved) {
                    faults.add("lineup", format!("members[{i}].name"), why);
                }
                members.push(member);
            }
            for stays in self.kept.iter().filter(|kept| !members.iter().any(|member| member.seat == kept.seat)) {
                faults.add("lineup", "members", format!("{:?} is to stay", stays.name));
            }
            if let Some(Wishes { to, afresh: true, .. }) = &self.wishes
                && let Some(again) = members.iter().find(|member| find_member(to, &member.name).is_some())
            {
                faults.add("lineup", "members", format!("{:?} was there before; others are wanted", again.name));
            }
            if !told {
                self.check_sides(&members, faults);
            }
            members.sort_by_key(|member| self.seats.iter().position(|seat| seat.seat == member.seat));
            members
        })
    }

    /// Who was there before this proposal: the members that the request describes, or the proposal that the
    /// host answered.
    fn previous_members(&self) -> Vec<Member> {
        match &self.wishes {
            Some(wishes) => wishes.to.clone(),
            None => self.seats.iter().filter(|seat| **seat != empty_member(seat)).cloned().collect(),
        }
    }

    /// The seat of each item, by its place in the row: a member who was there before keeps the seat, others
    /// take what is left in order.
    fn assign_places(&self, items: &[Value]) -> Vec<usize> {
        let before = self.previous_members();
        let at = |member: &Member| self.seats.iter().position(|seat| seat.seat == member.seat);
        let known = |item: &Value| find_member(&before, item["name"].as_str().unwrap_or_default()).and_then(at);
        let known: Vec<Option<usize>> = items.iter().map(known).collect();
        // A seat that stays with someone is nobody else's.
        let kept = |place: usize| self.kept.iter().any(|kept| self.seats[place].seat == kept.seat);
        let mut free = (0..self.seats.len()).filter(|place| !known.contains(&Some(*place)) && !kept(*place));
        let mut places: Vec<usize> = Vec::new();
        for place in known.iter().copied() {
            let own = place.filter(|place| !places.contains(place));
            // More than there are seats are a fault of their own.
            places.push(own.or_else(|| free.next()).unwrap_or_default());
        }
        places
    }

    fn parse_member(&self, fields: &ObjectReader<'_>, place: usize, faults: &mut Faults) -> Member {
        let sat = &self.seats[place];
        if let Some(kept) = self.kept.iter().find(|kept| kept.seat == sat.seat) {
            return kept.clone();
        }
        // What the opener said stays as long as the host has not spoken.
        let said = if self.wishes.is_none() { sat.clone() } else { empty_member(sat) };
        let mut text = |name: &str, said: &str| match said {
            "" => fields.read_text(name, "lineup", faults),
            said => said.to_owned(),
        };
        let mut details = said.details.clone();
        for name in self.wanted.details {
            let text = text(name, said.detail(name));
            details.insert((*name).to_owned(), text.into());
        }
        let (name, persona) = (text("name", &said.name), text("persona", &said.persona));
        Member { seat: sat.seat.clone(), name, persona, details }
    }

    /// Members on one side, unless the opener put both there.
    fn check_sides(&self, members: &[Member], faults: &mut Faults) {
        let Some(side) = self.wanted.side else { return };
        let said = |name: &str| {
            let member = members.iter().find(|member| member.name == name);
            let seat = member.and_then(|member| self.seats.iter().find(|seat| seat.seat == member.seat));
            self.wishes.is_none() && seat.is_some_and(|seat| !seat.detail(side).is_empty())
        };
        for (a, b) in list_alike_pairs(members, side).into_iter().filter(|(a, b)| !(said(a) && said(b))) {
            faults.add("side", "members", format!("{a} and {b} hold the same {side}; give each a side of its own"));
        }
    }
}

/// A seat of which nothing was said.
fn empty_member(seat: &Member) -> Member {
    Member { seat: seat.seat.clone(), name: String::new(), persona: String::new(), details: Map::new() }
}

/// The one of `members` that is called `name`.
fn find_member<'m>(members: &'m [Member], name: &str) -> Option<&'m Member> {
    let name = name.trim().to_lowercase();
    members.iter().find(|member| !name.is_empty() && member.name.to_lowercase() == name)
}

/// Pairs of members whose detail `side` says the same, by name.
pub(super) fn list_alike_pairs(members: &[Member], side: &str) -> Vec<(String, String)> {
    let pairs = members.iter().enumerate().flat_map(|(i, one)| members[i + 1..].iter().map(move |other| (one, other)));
    let alike = pairs.filter(|(one, other)| is_copy(other.detail(side), one.detail(side)));
    alike.map(|(one, other)| (one.name.clone(), other.name.clone())).collect()
}

/// The schema of the proposal that `request` asks for, with the fields `more` of each member.
pub fn proposal_schema(
    wanted: LineupRequirements<'_>,
    request: &Request,
    more: impl IntoIterator<Item = Field>,
) -> FormField {
    let text = |name: &str, most: usize| form_field(name, text_kind(1, most as u32));
    let fields = [text("name", NAME_CHARS_MAX), text("persona", TEXT_CHARS_MAX)];
    let details = wanted.details.iter().map(|name| text(name, TEXT_CHARS_MAX));
    let member = Form::new("lineup", fields.into_iter().chain(details).chain(more));
    let MemberNumber { min, max } = read_fact(request, "number").unwrap_or_default();
    let (min, max) = (min.unwrap_or(0), max.unwrap_or(0));
    Form::new("lineup", [form_field("members", list_kind(min, max, Kind::Object(member)))]).to_schema()
}
