//! What an author makes of the critiques of its document: an answer to each weakness, and the sections that change or the
//! whole document again. Rules R2 to R4 are those of the format; R1 is the program's own.

use agon_core::Faults;
use agon_text::KnownTexts;

use super::{
    critique::{shorten_text, weakness_id as id},
    document::{self, ChangedSection, Heading, normalise_words},
    plan, review,
    settings::ReviseMode,
};
use crate::common::form::{Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind};

/// Upper bound of the answer to one weakness, in characters.
const WORDS_CHARS_MAX: u32 = 600;
/// Most headings that a fault quotes.
const QUOTED_MAX: usize = 12;
/// Rule of the sections that changed.
const SECTIONS: &str = "sections";
/// Most sections of one answer, and longest heading of one in characters.
const SECTIONS_MAX: usize = 100;
const HEADING_CHARS_MAX: u32 = 300;

/// What was done about one weakness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeaknessResponse {
    /// Its number among all weaknesses named this round, from 1.
    pub weakness: usize,
    /// Whether it was rejected.
    pub defended: bool,
    /// What was changed and why, or why the weakness is none.
    pub words: String,
}

/// An author's response to the weaknesses, and the revised document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revision {
    /// One for each weakness, in their order.
    pub points: Vec<WeaknessResponse>,
    /// The whole document.
    pub document: String,
    /// Weaknesses that it answers and nobody named, as it calls them.
    pub strange: Vec<String>,
}

/// What a revision must fit.
#[derive(Debug, Clone, Copy)]
pub struct RevisionRequirements<'w> {
    /// What is written.
    pub mode: ReviseMode,
    /// The phase whose layout may be completed.
    pub phase: u32,
    /// How many weaknesses were named.
    pub weaknesses: usize,
    /// The author's latest version.
    pub previous: &'w str,
    /// The latest versions of the others.
    pub others: &'w [&'w str],
}

/// The form of a revision that answers so many weaknesses; sections can be given where the document has headings.
pub fn revision_form(weaknesses: usize, has_sections: bool) -> Form {
    let point = [
        form_field("weakness", Kind::Reference((1..=weaknesses).map(id).collect())),
        form_field("answer", choice_kind(["addressed", "defended"])),
        form_field("words", text_kind(8, WORDS_CHARS_MAX)),
    ];
    let points = list_kind(weaknesses, weaknesses, Kind::Object(Form::new("R3", point)));
    let points = form_field("points", points).with_rule("R3");
    let any = || Kind::Text { chars_min: None, chars_max: None };
    let section = [form_field("heading", text_kind(1, HEADING_CHARS_MAX)), form_field("text", any())];
    let sections = list_kind(0, SECTIONS_MAX, Kind::Object(Form::new(SECTIONS, section)));
    let sections = form_field("sections", sections).with_rule(SECTIONS);
    let chars_min = if has_sections { None } else { Some(40) };
    let document = form_field("document", Kind::Text { chars_min, chars_max: None });
    let fields = (weaknesses > 0).then_some(points).into_iter().chain(has_sections.then_some(sections));
    Form::new("document", fields.chain([document]))
}

impl Revision {
    /// The revision of `previous` in an answer to so many weaknesses, with the rules that make it unusable.
    pub fn parse_with_faults(text: &str, weaknesses: usize, previous: &str) -> Result<(Self, Faults), Faults> {
        // Points and sections are read whether or not any were asked for.
        revision_form(weaknesses.max(1), true).read_draft(text, |fields, faults| {
            let (mut points, mut strange): (Vec<WeaknessResponse>, _) = (Vec::new(), Vec::new());
            for item in fields.read_parts("points", faults) {
                let Some(item) = item.open(faults) else { continue };
                let named = item.read_text("weakness", faults);
                let number = named.trim_start_matches(['W', 'w']).parse().ok();
                let number = number.filter(|number| (1..=weaknesses).contains(number));
                if number.is_none() && !named.is_empty() {
                    strange.extend((weaknesses > 0).then(|| shorten_text(&named)));
                    continue;
                }
                let defended = item.read_text("answer", faults) == "defended";
                let words = item.text_by("words", if defended { "R4" } else { "R3" }, faults);
                // Said twice, the first stands.
                if let Some(weakness) = number.filter(|number| points.iter().all(|point| point.weakness != *number)) {
                    points.push(WeaknessResponse { weakness, defended, words });
                }
            }
            points.sort_by_key(|point| point.weakness);
            Self { points, document: parse_document(fields, previous, faults), strange }
        })
    }

    /// The revision in an answer, or every rule that makes it unusable.
    pub fn parse(text: &str, weaknesses: usize, previous: &str) -> Result<Self, Faults> {
        let (revision, faults) = Self::parse_with_faults(text, weaknesses, previous)?;
        faults.into_result(revision)
    }

    /// Rules that it breaks and that do not make it useless.
    pub fn check_lapses(&self, wanted: &RevisionRequirements<'_>) -> Faults {
        let mut faults = Faults::default();
        let open: Vec<String> = self.unanswered_weaknesses(wanted.weaknesses).map(id).collect();
        if !open.is_empty() {
            let message = format!("neither addressed nor defended: {}", open.join(", "));
            faults.add("R3", "points", message);
        }
        // Nothing can be compared where no document could be read.
        if self.document.is_empty() {
            return faults;
        }
        if let Some(message) = check_heading_sequence(wanted.mode, wanted.phase, wanted.previous, &self.document) {
            faults.add("R2", "document", message);
        }
        let addressed = self.points.iter().any(|point| !point.defended);
        if addressed && normalise_words(&self.document) == normalise_words(wanted.previous) {
            let message = "weaknesses are said to be addressed, but the document has not changed";
            faults.add("unchanged", "document", message);
        }
        if let Some(copied) = KnownTexts::from_texts(wanted.others.iter().copied()).find_copied(&self.document)
            && KnownTexts::from_texts([wanted.previous]).find_copied(&self.document).is_none()
        {
            let message = format!(
                "{:.0} of 100 of its runs of words stand in another author's document; revise your own",
                copied.share * 100.0
            );
            faults.add("repetition", "document", message);
        }
        faults
    }

    /// Numbers of the weaknesses, of so many, that it says nothing about (R3).
    pub fn unanswered_weaknesses(&self, weaknesses: usize) -> impl Iterator<Item = usize> {
        (1..=weaknesses).filter(|number| !self.points.iter().any(|point| point.weakness == *number))
    }
}

/// The document in a revision, whole or out of `previous` and the sections that changed; empty after a fault. A whole
/// document counts where both are given.
fn parse_document(fields: &Reader<'_, '_>, previous: &str, faults: &mut Faults) -> String {
    let whole = fields.raw_value("document");
    if !(whole.is_null() || whole.is_string()) {
        fields.add_fault("document", "document must be a text in Markdown", faults);
        return String::new();
    }
    let document = document::clean_document(whole.as_str().unwrap_or_default());
    let sections = parse_sections(fields, faults);
    let document = match sections.is_empty() || document::check_document(&document).is_none() {
        true => document,
        false => match document::replace_sections(previous, &sections) {
            Ok(document) => document,
            Err(why) => {
                fields.add_fault("sections", why, faults);
                return String::new();
            }
        },
    };
    if document.is_empty() {
        let message =
            "neither sections nor document is given; give the sections that change, or write the whole document again";
        fields.add_fault("document", message, faults);
    } else if let Some(why) = document::check_document(&document) {
        fields.add_fault("document", why, faults);
    }
    document
}

/// The sections that an author says have changed.
fn parse_sections(fields: &Reader<'_, '_>, faults: &mut Faults) -> Vec<ChangedSection> {
    let mut sections = Vec::new();
    for part in fields.read_parts("sections", faults) {
        let Some(section) = part.open(faults) else { continue };
        let heading = section.read_text("heading", faults);
        match section.raw_value("text").as_str() {
            Some(text) => sections.push(ChangedSection { heading, text: text.to_owned() }),
            None => section.add_fault("text", "the text of a section must be a text in Markdown", faults),
        }
    }
    sections
}

/// What is wrong with the heading sequence of `revised`, which must be that of `previous` (R2). What the
/// layout of `phase` demands and `previous` lacks may be fixed.
pub fn check_heading_sequence(mode: ReviseMode, phase: u32, previous: &str, revised: &str) -> Option<String> {
    // Headings that ran into the text have no sequence that could be kept.
    if document::run_together(previous).is_some() {
        return None;
    }
    let (mut wanted, mut found) = (list_fixed_headings(mode, previous), list_fixed_headings(mode, revised));
    remove_repaired_headings(mode, phase, &mut wanted, &mut found);
    if wanted.len() == found.len() && wanted.iter().zip(&found).all(|(a, b)| a.is_same(b)) {
        return None;
    }
    let quote = |headings: &[Heading]| match headings.len() {
        0 => "none".to_owned(),
        count => {
            let shown = headings.iter().take(QUOTED_MAX);
            let shown = shown.map(|heading| format!("{} {}", "#".repeat(heading.level), heading.text));
            let more = if count > QUOTED_MAX { ", …" } else { "" };
            shown.collect::<Vec<_>>().join(", ") + more
        }
    };
    Some(format!("the headings must stay as they were. Wanted: {}. Found: {}", quote(&wanted), quote(&found)))
}

/// Takes out of both sequences what the layout demands and the version before lacked or had at another
/// level: to fix it is not a breach.
fn remove_repaired_headings(mode: ReviseMode, phase: u32, wanted: &mut Vec<Heading>, found: &mut Vec<Heading>) {
    let (title, sections): (_, &[&str]) = match mode {
        ReviseMode::Plan => (format!("plan phase {phase}"), &plan::SECTIONS),
        ReviseMode::Review => (format!("code review phase {phase}"), &review::SECTIONS),
        ReviseMode::Draft => return,
    };
    for section in sections {
        let is = |heading: &Heading| normalise_words(&heading.text) == *section;
        let sound = |heading: &Heading| is(heading) && heading.level == 2;
        if !wanted.iter().any(sound) && found.iter().any(sound) {
            wanted.retain(|heading| !is(heading));
            found.retain(|heading| !sound(heading));
        }
    }
    let titled = |heading: &Heading| {
        let rest = normalise_words(&heading.text);
        let rest = rest.strip_prefix(&title).filter(|_| heading.level == 1);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    if !wanted.iter().any(titled) && found.first().is_some_and(titled) {
        found.remove(0);
        if wanted.first().is_some_and(|heading| heading.level == 1) {
            wanted.remove(0);
        }
    }
}

/// The headings that a revision must keep: tasks of a plan and findings of a review come and go.
fn list_fixed_headings(mode: ReviseMode, text: &str) -> Vec<Heading> {
    let mut headings = document::parse_headings(text);
    headings.retain(|heading| {
        let varies = match mode {
            ReviseMode::Plan => heading.level >= 3 && normalise_words(&heading.text).starts_with("task "),
            ReviseMode::Review => heading.level >= 3,
            ReviseMode::Draft => false,
        };
        !varies && normalise_words(&heading.text) != "defense"
    });
    headings
}
