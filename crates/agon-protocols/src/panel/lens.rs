//! The lenses through which panelists look: the catalogue, and who gets which.
//!
//! A lens comes from the line-up file or from the moderator, who chooses those that are missing in one answer. One
//! of them is always critical: a panel of friends of an idea finds nothing.

use std::sync::LazyLock;

use agon_core::{Attempt, Faults};
use serde::{Deserialize, Serialize};

use crate::common::{
    fields::one_line,
    form::{Form, Kind, choice_kind, form_field, list_kind},
    lineup::{Member, NAME_CHARS_MAX},
    parse_shipped_toml,
};

/// A way of looking at a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[serde(deny_unknown_fields)]
pub struct LensEntry {
    /// The kind of topic it suits best.
    pub domain: String,
    /// The lens.
    #[serde(flatten)]
    pub lens: Lens,
}

/// The lens that suits every topic and every panel.
pub const CONTRARIAN: &str = "Contrarian";
static CATALOGUE: LazyLock<Vec<LensEntry>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct LensList {
        lens: Vec<LensEntry>,
    }
    parse_shipped_toml::<LensList>(include_str!("lenses.toml")).lens
});

/// Every lens, in the catalogue's order.
pub fn lens_catalogue() -> &'static [LensEntry] {
    &CATALOGUE
}

/// The lens called `name`, whatever its case and blanks.
pub fn find_lens(name: &str) -> Option<&'static Lens> {
    let folded = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let wanted = folded(name);
    CATALOGUE.iter().find(|entry| folded(&entry.lens.name) == wanted).map(|entry| &entry.lens)
}

/// A panelist's lens, and how they came to it where that is worth saying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assigned {
    /// Exactly one.
    pub lens: Lens,
    /// For a reader: what was replaced, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The lens of each of `members` that needs no asking, in their order: one that the opener gave (`given` are the same
/// seats as the opener filled them), in the catalogue or not; or a proposed one of the catalogue that is still free.
pub fn known_lenses(members: &[Member], given: &[Member]) -> Vec<Option<Lens>> {
    let mut known: Vec<Option<Lens>> = Vec::new();
    for (member, given) in members.iter().zip(given) {
        let lens = match given.detail("lens") {
            "" => find_lens(member.detail("lens")).filter(|lens| is_free(lens, &known)).cloned(),
            wished => Some(custom_lens(wished, given.detail("lens_description"))),
        };
        known.push(lens);
    }
    known
}

fn is_free(lens: &Lens, known: &[Option<Lens>]) -> bool {
    !known.iter().flatten().any(|taken| taken.name == lens.name)
}

/// The form of a choice of lenses for those of `members` who have none.
pub fn lens_form(members: &[Member], known: &[Option<Lens>]) -> Form {
    let free: Vec<&str> =
        CATALOGUE.iter().filter(|entry| is_free(&entry.lens, known)).map(|entry| entry.lens.name.as_str()).collect();
    let open = members.iter().zip(known).filter(|(_, lens)| lens.is_none()).enumerate();
    let each = open.map(|(at, (member, _))| {
        // Each list begins with another lens, so that a model that takes the first takes different ones.
        let mut names = free.clone();
        names.rotate_left(at % free.len().max(1));
        let panelist = form_field("panelist", Kind::Reference(vec![member.name.clone()]));
        Form::new("lenses", [panelist, form_field("lens", choice_kind(names))])
    });
    let each: Vec<Form> = each.collect();
    Form::new("lenses", [form_field("lenses", list_kind(each.len(), each.len(), Kind::AnyOf(each)))])
}

/// `known` with the lenses that a draft chooses for the rest: different ones of the catalogue, one of all critical.
pub fn parse_choice(members: &[Member], known: &[Option<Lens>], draft: Attempt<'_>) -> Result<Vec<Lens>, Faults> {
    lens_form(members, known).read_statement(draft.text, |fields, faults| {
        let mut chosen = known.to_vec();
        for part in fields.read_parts("lenses", faults) {
            let Some(item) = part.open(faults) else { continue };
            let name = item.optional_text("panelist", faults).unwrap_or_default().to_lowercase();
            let lens = item.read_text("lens", faults);
            let place = members.iter().position(|member| member.name.to_lowercase() == name);
            let Some(place) = place.filter(|at| known[*at].is_none()) else {
                item.add_fault("panelist", format!("{name:?} is nobody who needs a lens"), faults);
                continue;
            };
            let Some(lens) = find_lens(&lens).filter(|lens| is_free(lens, &chosen)) else {
                item.add_fault("lens", format!("{lens:?} has been chosen already; each panelist has another"), faults);
                continue;
            };
            chosen[place] = Some(lens.clone());
        }
        if let Some((member, _)) = members.iter().zip(&chosen).find(|(_, lens)| lens.is_none()) {
            fields.add_fault("lenses", format!("{} has no lens yet", member.name), faults);
            return None;
        }
        let chosen: Vec<Lens> = chosen.into_iter().flatten().collect();
        if !chosen.iter().any(|lens| lens.critical) {
            fields.add_fault("lenses", "one lens of the panel must be a critical one", faults);
        }
        Some(chosen)
    })
}

/// `known` with free lenses in the catalogue's order for the rest.
pub fn by_catalogue(known: &[Option<Lens>]) -> Vec<Lens> {
    let mut all = known.to_vec();
    for at in 0..all.len() {
        if all[at].is_none() {
            let free = CATALOGUE.iter().map(|entry| &entry.lens).find(|lens| is_free(lens, &all));
            all[at] = free.or(CATALOGUE.first().map(|entry| &entry.lens)).cloned();
        }
    }
    all.into_iter().flatten().collect()
}

/// `lenses` with a critical one among them, unless the opener chose them all.
pub fn assign_lenses(lenses: Vec<Lens>, given: &[Member]) -> Vec<Assigned> {
    let mut assigned: Vec<Assigned> = lenses.into_iter().map(|lens| Assigned { lens, note: None }).collect();
    if assigned.iter().any(|a| a.lens.critical) {
        return assigned;
    }
    if let Some(at) = given.iter().rposition(|member| member.detail("lens").is_empty()) {
        if let (Some(place), Some(contrarian)) = (assigned.get_mut(at), find_lens(CONTRARIAN)) {
            let replaced = &place.lens.name;
            let note = format!("{CONTRARIAN} instead of {replaced}, so that one of the panel looks for what is wrong");
            *place = Assigned { lens: contrarian.clone(), note: Some(note) };
        }
    } else if let Some(last) = assigned.last_mut() {
        let note = format!("{} stays: no lens of the panel is known as critical, and each was chosen", last.lens.name);
        last.note = Some(note);
    }
    assigned
}

/// A lens that the opener named: one of the catalogue, or one of their own. Whether one of their own is critical
/// nobody has said.
fn custom_lens(name: &str, description: &str) -> Lens {
    if let Some(lens) = find_lens(name).filter(|_| description.is_empty()) {
        return lens.clone();
    }
    let name: String = one_line(name).chars().filter(|c| !"()[]:".contains(*c)).take(NAME_CHARS_MAX).collect();
    let description = match one_line(description) {
        text if text.is_empty() => {
            format!("Look at everything as {name} would, and say what only that shows.")
        }
        text => text,
    };
    Lens { name, description, critical: false }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::common::named_seat;

    fn member(n: usize, name: &str, lens: &str) -> Member {
        let details = if lens.is_empty() { json!({}) } else { json!({"lens": lens}) };
        let details = details.as_object().cloned().unwrap_or_default();
        Member { seat: named_seat(&format!("panelist-{n}")), name: name.into(), persona: String::new(), details }
    }

    fn names(lenses: &[Lens]) -> Vec<&str> {
        lenses.iter().map(|lens| lens.name.as_str()).collect()
    }

    fn choose(members: &[Member], lenses: &[(&str, &str)]) -> Result<Vec<Lens>, Faults> {
        let lenses: Vec<_> = lenses.iter().map(|(name, lens)| json!({"panelist": name, "lens": lens})).collect();
        let text = json!({"lenses": lenses}).to_string();
        let draft = Attempt { text: &text, number: 0, quoted: &[], imported: false };
        parse_choice(members, &known_lenses(members, members), draft)
    }

    #[test]
    fn the_catalogue_has_the_lenses_of_the_source_system_once_each() {
        let mut all: Vec<&str> = lens_catalogue().iter().map(|entry| entry.lens.name.as_str()).collect();
        assert_eq!(all.len(), 30);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30);
        assert!(find_lens("contrarian").is_some_and(|lens| lens.critical));
        assert!(lens_catalogue().iter().all(|entry| entry.lens.description.len() > 80));
    }

    #[test]
    fn the_moderator_chooses_different_lenses_with_a_critical_one_for_whoever_has_none() {
        let panel = [member(1, "王芳", ""), member(2, "Bob", "Authenticity"), member(3, "Cy", "")];
        let chosen = choose(&panel, &[("Cy", "Contrarian"), ("王芳", "Field Experience")]).unwrap();
        assert_eq!(names(&chosen), ["Field Experience", "Authenticity", "Contrarian"]);
        for (lenses, says) in [
            (vec![("Cy", "Contrarian")], "王芳 has no lens yet"),
            (vec![("Cy", "Contrarian"), ("王芳", "Authenticity")], "not one of"),
            (vec![("Cy", "Contrarian"), ("王芳", "Contrarian")], "chosen already"),
            (vec![("Cy", "Contrarian"), ("Bob", "First Principles")], "nobody who needs a lens"),
            (vec![("Cy", "First Principles"), ("王芳", "Field Experience")], "must be a critical one"),
        ] {
            let faults = choose(&panel, &lenses).unwrap_err().to_string();
            assert!(faults.contains(says), "{says}: {faults}");
        }
        let sample =
            agon_core::sample::sample_answer(Some(&lens_form(&panel, &known_lenses(&panel, &panel)).to_schema()), 1);
        let draft = Attempt { text: &sample, number: 0, quoted: &[], imported: false };
        assert!(
            !parse_choice(&panel, &known_lenses(&panel, &panel), draft)
                .unwrap_err()
                .to_string()
                .contains("chosen already")
        );
    }

    #[test]
    fn a_critical_lens_is_always_present_and_what_it_replaced_is_said() {
        let panel = [member(1, "Ada", ""), member(2, "Bob", ""), member(3, "Cy", "Authenticity")];
        let known = known_lenses(&panel, &panel);
        let lenses = by_catalogue(&known);
        assert_eq!(names(&lenses), ["Empirical Evidence", "Practitioner Experience", "Authenticity"]);
        let assigned = assign_lenses(lenses, &panel);
        assert_eq!(assigned[1].lens.name, "Contrarian");
        let note = assigned[1].note.as_deref().unwrap_or_default();
        assert_eq!(
            note,
            "Contrarian instead of Practitioner Experience, so that one of the panel looks for what is wrong"
        );
        let all = [member(1, "Ada", "Authenticity"), member(2, "Bob", "My [own]:")];
        let known = known_lenses(&all, &all);
        assert!(known.iter().all(Option::is_some), "whoever chose all has chosen");
        let assigned = assign_lenses(by_catalogue(&known), &all);
        assert_eq!(assigned[1].lens.name, "My own");
        let note = assigned[1].note.as_deref().unwrap_or_default();
        assert_eq!(note, "My own stays: no lens of the panel is known as critical, and each was chosen");
    }

    #[test]
    fn a_proposal_takes_lenses_of_the_catalogue_once_each() {
        let open = [member(1, "", ""), member(2, "", ""), member(3, "", "")];
        let proposal = [member(1, "A", "risk assessor"), member(2, "B", "Risk Assessor"), member(3, "C", "Magic")];
        let known = known_lenses(&proposal, &open);
        assert_eq!(known.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(known[0].as_ref().unwrap().name, "Risk Assessor");
    }
}
