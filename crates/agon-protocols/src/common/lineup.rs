//! Who takes part: members that the opener named, or that a seat of the debate proposed and a
//! person approved.
//!
//! A row of seats (`panelist-1`, `panelist-2`, …) is fixed when a debate is opened, with its models;
//! a proposal gives the seats their names.

use std::sync::Arc;

use agon_core::{
    Attempt, Faults, Floor, Flow, Kind, Lost, Opened, Reply, Request, Ruling, Seat, View, parse,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    fields::{Fields, one_line},
    seat,
};

/// The seat of the person who opened the debate: asked where a proposal wants approval.
pub const HOST: &str = "host";
/// Longest name of a member, in characters.
pub const NAME_CHARS_MAX: usize = 40;
/// Longest other text about a member, in characters.
const TEXT_CHARS_MAX: usize = 600;
/// Key of the ruling that says who takes part.
const KEY: &str = "lineup";

/// Somebody who takes part.
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

/// What a protocol wants of its members.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// The row of seats.
    pub row: &'w str,
    /// Who proposes where nobody was named.
    pub proposer: &'w str,
    /// Names of the texts that a proposal must give beside name and persona.
    pub details: &'w [&'w str],
    /// Words that are no names in this protocol, in lower case.
    pub reserved: &'w [&'w str],
}

/// Why there are no members.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfilled {
    /// The proposer gave no usable proposal.
    Lost(Lost),
    /// The host did not accept the revision either.
    Refused,
}

/// The seats of `row`, with the names that the opener gave them.
pub fn given(opened: &Opened, row: &str) -> Vec<Member> {
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

/// Key under which the line-up is asked for the `attempt`-th time, from 0: an extension of a debate
/// that had none asks again.
pub fn key(attempt: u32) -> String {
    if attempt == 0 { KEY.to_owned() } else { format!("{KEY}/again-{attempt}") }
}

/// Rules that the host wants no such members, for the reason given.
pub fn refuse(floor: &mut Floor<'_>, attempt: u32, why: &str) -> Flow<()> {
    floor.rule(format!("{}/refused", key(attempt)), Ruling::new(Kind::Invalidated, why))
}

/// The members, put on the record by a ruling. Asks `lineup` of the proposer where a member has no
/// name, and of [`HOST`] an `approval` where the option `approve` is true: a yes, or wishes for one
/// revision. `attempt` counts the extensions after which it is asked again.
pub fn settle(
    floor: &mut Floor<'_>,
    wanted: Wanted<'_>,
    attempt: u32,
) -> Flow<Result<Vec<Member>, Unfilled>> {
    let seats = given(floor.opened(), wanted.row);
    let named = seats.iter().all(|member| !member.name.is_empty());
    let approve = floor.opened().options.get("approve") == Some(&Value::Bool(true));
    let key = key(attempt);
    let members = if named {
        seats
    } else {
        let mut members = match propose(floor, wanted, &seats, &key, None)? {
            Ok(members) => members,
            Err(lost) => return Ok(Err(Unfilled::Lost(lost))),
        };
        if approve && let Some(wishes) = wishes(floor, &format!("{key}/approval"), &members)? {
            members = match propose(floor, wanted, &seats, &format!("{key}/revised"), Some(&wishes))? {
                Ok(members) => members,
                Err(lost) => return Ok(Err(Unfilled::Lost(lost))),
            };
            if self::wishes(floor, &format!("{key}/revised/approval"), &members)?.is_some() {
                return Ok(Err(Unfilled::Refused));
            }
        }
        members
    };
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let ruling = Ruling::new(Kind::Lineup, names.join(", ")).with(json!({"members": members}));
    floor.rule(KEY, ruling)?;
    Ok(Ok(members))
}

/// The members as ruled, in a view.
pub fn of(view: &View<'_>) -> Vec<Member> {
    let ruled = view.ruling(KEY).map(|ruling| ruling.data["members"].clone());
    ruled.and_then(|members| serde_json::from_value(members).ok()).unwrap_or_default()
}

/// JSON Schema of a proposal of `count` members.
pub fn schema(wanted: Wanted<'_>, count: usize) -> Value {
    let text = |most: usize| json!({"type": "string", "minLength": 1, "maxLength": most});
    let mut properties = Map::new();
    properties.insert("name".into(), text(NAME_CHARS_MAX));
    properties.insert("persona".into(), text(TEXT_CHARS_MAX));
    properties.extend(wanted.details.iter().map(|name| ((*name).to_owned(), text(TEXT_CHARS_MAX))));
    let required: Vec<String> = properties.keys().cloned().collect();
    let member = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    json!({
        "type": "object", "required": ["members"], "additionalProperties": false,
        "properties": {"members": {"type": "array", "minItems": count, "maxItems": count, "items": member}},
    })
}

fn propose(
    floor: &mut Floor<'_>,
    wanted: Wanted<'_>,
    seats: &[Member],
    key: &str,
    wishes: Option<&str>,
) -> Flow<Result<Vec<Member>, Lost>> {
    let mut request = Request::new(key, &seat(wanted.proposer), "lineup").fact("members", seats.len());
    if let Some(wishes) = wishes {
        request = request.fact("wishes", wishes);
    }
    let check = |draft: Attempt<'_>| read(draft.text, wanted, seats);
    Ok(floor.ask_until_valid(request, check)?.map(|statement| Arc::unwrap_or_clone(statement.value)))
}

/// What the host wants otherwise; `None` for a yes.
fn wishes(floor: &mut Floor<'_>, key: &str, members: &[Member]) -> Flow<Option<String>> {
    let request = Request::new(key, &seat(HOST), "approval").fact("members", json!(members)).or_absent();
    let answer = floor.ask(request)?;
    Ok(match &answer.reply {
        Reply::Said { text } => {
            let said = one_line(text);
            let yes = ["", "y", "yes", "ok", "approve", "approved"];
            let wishes: String = said.chars().take(TEXT_CHARS_MAX).collect();
            (!yes.contains(&said.trim_end_matches('.').to_lowercase().as_str())).then_some(wishes)
        }
        // Nobody there to object.
        Reply::Failed(_) | Reply::Elapsed => None,
    })
}

/// A proposal, or every rule it breaks. Names that the opener gave stay.
pub fn read(text: &str, wanted: Wanted<'_>, seats: &[Member]) -> Result<Vec<Member>, Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::of(&value, "", &mut faults) else { return Err(faults) };
    let items = fields.list("members", "lineup", &mut faults);
    if items.len() != seats.len() {
        faults.add("lineup", "members", format!("{} are wanted, found {}", seats.len(), items.len()));
    }
    let mut members: Vec<Member> = Vec::new();
    for (i, (item, given)) in items.iter().zip(seats).enumerate() {
        let Some(fields) = Fields::of(item, format!("members[{i}]"), &mut faults) else { continue };
        let mut member = Member {
            seat: given.seat.clone(),
            name: fields.text("name", "lineup", &mut faults),
            persona: fields.text("persona", "lineup", &mut faults),
            details: given.details.clone(),
        };
        for name in wanted.details {
            let text = fields.text(name, "lineup", &mut faults);
            member.details.entry((*name).to_owned()).or_insert(text.into());
        }
        if !given.name.is_empty() {
            member.name.clone_from(&given.name);
        }
        if !given.persona.is_empty() {
            member.persona.clone_from(&given.persona);
        }
        let others = members.iter().map(|member| member.name.as_str());
        if let Err(why) = check_name(&member.name, others, wanted.reserved) {
            faults.add("lineup", format!("members[{i}].name"), why);
        }
        members.push(member);
    }
    faults.or(members)
}

/// Whether somebody may be called `name` beside `others`.
pub fn check_name<'o>(
    name: &str,
    others: impl IntoIterator<Item = &'o str>,
    reserved: &[&str],
) -> Result<(), String> {
    let lower = name.to_lowercase();
    if name.chars().count() > NAME_CHARS_MAX {
        return Err(format!("the name {name:?} is longer than {NAME_CHARS_MAX} characters"));
    }
    if !name.starts_with(char::is_alphabetic) {
        return Err(format!("the name {name:?} does not begin with a letter"));
    }
    // What follows a name in a transcript must not be forged by it.
    if let Some(c) = name.chars().find(|c| !(c.is_alphanumeric() || " .'’-_".contains(*c))) {
        return Err(format!(
            "the name {name:?} has {c:?} in it; letters, digits, blanks and .'-_ are allowed"
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
