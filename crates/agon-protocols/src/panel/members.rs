//! Who sits on the panel, and through which lens each looks.

use agon_core::{Floor, Flow, Outcome, Request};

use super::{
    MODERATOR, PANELIST, Session, WANTED,
    lens::{self, Lens},
    moderator_seat,
    state::{Panel, PanelEvent},
};
use crate::common::{
    absence::{record_warnings, rule_absent},
    lineup::{self, Member, Unfilled},
};

/// The prompt and the key under which lenses are chosen.
pub(super) const LENSES: &str = "lenses";
/// Names and lenses where nobody proposed any, in this order.
const USUAL: [(&str, &str); 8] = [
    ("Practitioner", "Practitioner Experience"),
    ("Contrarian", lens::CONTRARIAN),
    ("Empiricist", "Empirical Evidence"),
    ("Systems Thinker", "Systems Thinker"),
    ("Advocate", "User Advocate"),
    ("Assessor", "Risk Assessor"),
    ("Theorist", "First Principles"),
    ("Historian", "Historical Pattern"),
];

/// The panel with its lenses, on the record; or the end, where the host wants no such panel.
pub(super) fn convene_panel(floor: &mut Floor<'_>, attempt: u32) -> Flow<Result<Panel, Outcome>> {
    let given = lineup::list_row_members(floor.opened(), PANELIST);
    let members = match lineup::settle_lineup(floor, WANTED, attempt)? {
        Ok(members) => members,
        Err(Unfilled::Declined(why)) => {
            lineup::record_refusal(floor, attempt, &why)?;
            return Ok(Err(Outcome::void("no_verdict", format!("No panel. {why}"))));
        }
        Err(Unfilled::Lost(lost)) => {
            rule_absent(floor, &moderator_seat(), MODERATOR, &lineup::lineup_key(attempt), &lost)?;
            let members = default_members(&given);
            lineup::record_lineup(floor, &members)?;
            members
        }
    };
    let known = lens::known_lenses(&members, &given);
    let lenses = match known.iter().any(Option::is_none) {
        true => choose_lenses(floor, &members, &known)?,
        false => lens::by_catalogue(&known),
    };
    let assigned = lens::assign_lenses(lenses, &given);
    let seated = || members.iter().zip(&assigned);
    let replaced = seated().filter_map(|(member, a)| Some(format!("{}: {}", member.name, a.note.as_ref()?)));
    let replaced: Vec<String> = replaced.collect();
    let seated: Vec<String> = seated().map(|(member, a)| format!("{} ({})", member.name, a.lens.name)).collect();
    record_warnings(floor, LENSES, PANELIST, &replaced)?;
    let mut session = Session::new(Panel::of_members(members), 0);
    session.record_event(floor, LENSES, &seated.join(", "), PanelEvent::Lenses(assigned))?;
    Ok(Ok(session.panel))
}

/// The lenses that nobody has chosen yet, by the moderator; in the catalogue's order, where it gives no usable answer.
fn choose_lenses(floor: &mut Floor<'_>, members: &[Member], known: &[Option<Lens>]) -> Flow<Vec<Lens>> {
    let request = Request::new(LENSES, &moderator_seat(), LENSES).or_absent();
    match floor.ask_until_valid(request, |draft| lens::parse_choice(members, known, draft))? {
        Ok(chosen) => Ok(chosen.value.to_vec()),
        Err(lost) => {
            rule_absent(floor, &moderator_seat(), MODERATOR, LENSES, &lost)?;
            Ok(lens::by_catalogue(known))
        }
    }
}

/// A panel without a proposal: the named participants, and the usual lenses for the rest.
fn default_members(given: &[Member]) -> Vec<Member> {
    let named = |name: &str| given.iter().any(|member| member.name.eq_ignore_ascii_case(name));
    let mut free = USUAL.iter().filter(|(name, _)| !named(name));
    let fill = |member: &Member| {
        let mut member = member.clone();
        if member.name.is_empty()
            && let Some((name, lens)) = free.next()
        {
            member.name = (*name).to_owned();
            member.details.entry("lens").or_insert((*lens).into());
        }
        member
    };
    given.iter().map(fill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::named_seat;

    #[test]
    fn a_panel_that_nobody_proposed_has_names_lenses_and_a_critic() {
        let member = |n: usize, name: &str| Member {
            seat: named_seat(&format!("panelist-{n}")),
            name: name.into(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        let open: Vec<Member> = (1..=8).map(|n| member(n, "")).collect();
        let names: Vec<String> = default_members(&open).into_iter().map(|member| member.name).collect();
        assert_eq!(names, USUAL.map(|(name, _)| name));
        let given = [member(1, "contrarian"), member(2, "")];
        let panel = default_members(&given);
        assert_eq!((panel[0].name.as_str(), panel[1].name.as_str()), ("contrarian", "Practitioner"));
        let lenses = lens::by_catalogue(&lens::known_lenses(&panel, &given));
        assert!(lens::assign_lenses(lenses, &given).iter().any(|assigned| assigned.lens.critical));
        assert!(USUAL.iter().all(|(_, name)| lens::find_lens(name).is_some()));
    }
}
