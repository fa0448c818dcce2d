//! What joins the last versions of a plan or a draft: the document, and notes of what was adopted,
//! overruled and left unresolved.

use std::collections::BTreeSet;

use agon_core::Faults;

use super::{
    critique::shorten_text,
    document,
    plan::{self, SharedTask, Task},
    settings::ReviseMode,
};
use crate::common::{
    fields::one_line,
    final_answer::{FinalAnswer, answer_field, parse_answer},
    form::{Form, Kind, Reader, form_field, list_kind, text_kind},
};

/// What a note names that is about none of the weaknesses.
const NO_WEAKNESS: &str = "none";
/// Maximum number of entries of a list of notes.
const ENTRIES_MAX: usize = 48;
/// Upper bound of one note, in characters.
const TEXT_CHARS_MAX: u32 = 800;

/// A point of the debate and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SynthesisNote {
    /// The point.
    pub point: String,
    /// Where an adopted point comes from, why another was overruled, or what broke the tie.
    pub why: String,
    /// The weakness that it is about, by its name in the debate; none of another point.
    pub weakness: Option<String>,
}

/// The joined document, and what the synthesizer decided on each disagreement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synthesis {
    /// How parts were merged that nobody contested.
    pub merged: Vec<String>,
    /// Points of critiques that were taken over; `why` is the critique's file.
    pub adopted: Vec<SynthesisNote>,
    /// Points that were not.
    pub overruled: Vec<SynthesisNote>,
    /// What the authors still disagree about, and what decided it here.
    pub unresolved: Vec<SynthesisNote>,
    /// Tasks of a plan that all versions have and the joined plan has not, with the reason.
    pub left_out: Vec<SynthesisNote>,
    /// What it says to those who asked; none in one that was made elsewhere or by earlier rules.
    pub answer: Option<FinalAnswer>,
    /// The document.
    pub document: String,
}

/// What a synthesis must fit.
#[derive(Debug, Clone, Default)]
pub struct SynthesisRequirements {
    /// What is written.
    pub mode: ReviseMode,
    /// Phase of a plan.
    pub phase: u32,
    /// Names of the critiques there are; none without a debate.
    pub critiques: Vec<String>,
    /// Names of the weaknesses that they name.
    pub weaknesses: Vec<String>,
    /// Points that are left and must be named.
    pub open: Vec<String>,
    /// Tasks that all last versions of a plan have.
    pub shared: Vec<SharedTask>,
}

impl SynthesisRequirements {
    /// The form of it: with notes on a debate and on tasks where there are any, or where it is read.
    pub fn synthesis_form(&self, is_read: bool) -> Form {
        let notes = |name: &str, why: &str, kind: Kind| {
            let weaknesses = std::iter::once(NO_WEAKNESS).chain(self.weaknesses.iter().map(String::as_str));
            let weakness = Kind::Reference(weaknesses.map(str::to_owned).collect());
            let weakness = form_field("weakness", weakness).as_optional();
            let note = Form::new("notes", [form_field("point", words_kind()), form_field(why, kind), weakness]);
            form_field(name, list_kind(0, ENTRIES_MAX, Kind::Object(note))).with_rule("notes")
        };
        let debate = [
            notes("adopted", "critique", Kind::Reference(self.critiques.clone())),
            notes("overruled", "reason", words_kind()),
            form_field("unresolved", self.unresolved_kind()).with_rule("notes"),
        ];
        let fields = [form_field("merged", list_kind(0, ENTRIES_MAX, words_kind())).with_rule("notes")].into_iter();
        let tasks = self.shared.iter().map(|shared| shared.task.id.clone()).collect();
        let left_out = [form_field("task", Kind::Reference(tasks)), form_field("reason", words_kind())];
        let left_out = Form::new("tasks", left_out);
        let left_out =
            form_field("left_out", list_kind(0, ENTRIES_MAX, Kind::Object(left_out))).with_rule("tasks").as_optional();
        let fields = fields.chain(debate.into_iter().filter(|_| is_read || !self.critiques.is_empty()));
        let fields = fields.chain((is_read || !self.shared.is_empty()).then_some(left_out));
        let document = Kind::Text { chars_min: Some(40), chars_max: None };
        Form::new("document", fields.chain([answer_field(), form_field("document", document)]))
    }

    /// What is unresolved: one note for each open point, under its own name.
    fn unresolved_kind(&self) -> Kind {
        let mut told = BTreeSet::new();
        let points = self.open.iter().filter(|point| told.insert(document::normalise_words(point))).cloned();
        let points: Vec<String> = points.collect();
        let (least, point) = match points.len() {
            0 => (0, words_kind()),
            count => (count, Kind::Reference(points)),
        };
        let note = Form::new("notes", [form_field("point", point), form_field("tie_break", words_kind())]);
        list_kind(least, ENTRIES_MAX.max(least), Kind::Object(note))
    }

    /// Open points that a synthesis does not name: no note has their words.
    pub fn find_unnamed_points(&self, synthesis: &Synthesis) -> Vec<&str> {
        let notes: Vec<String> =
            synthesis.unresolved.iter().map(|note| document::normalise_words(&note.point)).collect();
        let is_named = |point: &&String| notes.iter().any(|note| note.contains(&document::normalise_words(point)));
        self.open.iter().filter(|point| !is_named(point)).map(String::as_str).collect()
    }

    /// The tasks of all versions that a joined plan neither has nor leaves out with a reason.
    fn lost_tasks<'s>(&'s self, synthesis: &'s Synthesis) -> impl Iterator<Item = &'s SharedTask> {
        let joined = plan::parse_tasks(&synthesis.document);
        let is_told = |task: &Task| synthesis.left_out.iter().any(|note| note.point == task.id);
        let is_lost = move |task: &Task| !joined.iter().any(|other| task.is_same(other)) && !is_told(task);
        self.shared.iter().filter(move |shared| is_lost(&shared.task))
    }

    /// The synthesis as it is published: a task that it lost without a reason stands as a version has it.
    pub fn restore_lost_tasks(&self, mut synthesis: Synthesis) -> Synthesis {
        let lost: Vec<SharedTask> = self.lost_tasks(&synthesis).cloned().collect();
        for shared in lost {
            synthesis.document = plan::with_task(&synthesis.document, &shared);
            let id = shared.task.id;
            let note = format!("{id} was left out without a reason; it stands as the first of the plans has it.");
            synthesis.merged.push(note);
        }
        synthesis
    }

    /// The synthesis in an answer, with the rules that make it unusable.
    pub fn parse_synthesis(&self, text: &str) -> Result<(Synthesis, Faults), Faults> {
        self.synthesis_form(true).read_draft(text, |fields, faults| {
            let mut merged = Vec::new();
            for (at, item) in fields.read_items("merged", faults).iter().enumerate() {
                match item.as_str() {
                    Some(text) => merged.push(one_line(text)),
                    None => faults.add("notes", format!("merged[{at}]"), "a text is wanted here"),
                }
            }
            merged.retain(|text| !text.is_empty());
            let adopted = parse_notes(fields, "adopted", ["point", "critique"], true, faults);
            let overruled = parse_notes(fields, "overruled", ["point", "reason"], true, faults);
            let unresolved = parse_notes(fields, "unresolved", ["point", "tie_break"], false, faults);
            let left_out = parse_notes(fields, "left_out", ["task", "reason"], false, faults);
            let document = document::clean_document(fields.raw_value("document").as_str().unwrap_or_default());
            let plan = || plan::check_plan(&document).filter(|_| self.mode == ReviseMode::Plan).map(str::to_owned);
            if let Some(why) = document::check_document(&document).or_else(plan) {
                fields.add_fault("document", why, faults);
            }
            // Whether it must be there is for `lapses` to say: one that was accepted is as good without.
            let answer = parse_answer(fields, &mut Faults::default());
            Synthesis { merged, adopted, overruled, unresolved, left_out, answer, document }
        })
    }

    /// Rules that it breaks and that do not make it useless.
    pub fn check_lapses(&self, synthesis: &Synthesis) -> Faults {
        let mut faults = Faults::default();
        for (name, notes) in [("adopted", &synthesis.adopted), ("overruled", &synthesis.overruled)] {
            for (at, note) in notes.iter().enumerate().filter(|_| !self.critiques.is_empty()) {
                if let Some(named) = note.weakness.as_ref().filter(|named| !self.weaknesses.contains(named)) {
                    let message = format!("{named:?} is not one of {}, or {NO_WEAKNESS}", self.weaknesses.join(", "));
                    faults.add("weakness", format!("{name}[{at}].weakness"), message);
                }
            }
        }
        for (at, note) in synthesis.adopted.iter().enumerate() {
            // Without a debate nobody was asked for this.
            if !self.critiques.is_empty() && !self.critiques.contains(&note.why) {
                let message = format!("{:?} is not one of {}", note.why, self.critiques.join(", "));
                faults.add("source", format!("adopted[{at}].critique"), message);
            }
        }
        if !self.open.is_empty() && synthesis.unresolved.is_empty() {
            let message = "the authors still disagree; name each point and what decided it";
            faults.add("unresolved", "unresolved", message);
        } else if let missing = self.find_unnamed_points(synthesis)
            && !missing.is_empty()
        {
            let missing: Vec<String> = missing.iter().map(|point| format!("{:?}", shorten_text(point))).collect();
            let message = format!("not named: {}; name each point and what decided it", missing.join(", "));
            faults.add("unresolved", "unresolved", message);
        }
        let lost: Vec<&str> = self.lost_tasks(synthesis).map(|shared| shared.task.id.as_str()).collect();
        if !lost.is_empty() {
            let message = format!(
                "all versions have {}, and your plan has not; keep each, or say in left_out why not",
                lost.join(", ")
            );
            faults.add("tasks", "document", message);
        }
        if self.mode == ReviseMode::Plan {
            for problem in plan::check_plan_layout(&synthesis.document, self.phase) {
                faults.add("layout", "document", problem);
            }
        }
        faults
    }
}

impl Synthesis {
    /// What its author wrote, by name: the document and the notes, without names of files.
    pub fn named_texts(&mut self) -> Vec<(String, &mut String)> {
        let merged = self.merged.iter_mut().enumerate().map(|(i, text)| (format!("merged[{i}]"), text));
        let mut texts: Vec<(String, &mut String)> =
            [("document".to_owned(), &mut self.document)].into_iter().chain(merged).collect();
        let adopted = self.adopted.iter_mut().enumerate();
        texts.extend(adopted.map(|(i, note)| (format!("adopted[{i}].point"), &mut note.point)));
        for (name, why, notes) in
            [("overruled", "reason", &mut self.overruled), ("unresolved", "tie_break", &mut self.unresolved)]
        {
            for (i, note) in notes.iter_mut().enumerate() {
                texts.push((format!("{name}[{i}].point"), &mut note.point));
                texts.push((format!("{name}[{i}].{why}"), &mut note.why));
            }
        }
        let left_out = self.left_out.iter_mut().enumerate();
        texts.extend(left_out.map(|(i, note)| (format!("left_out[{i}].reason"), &mut note.why)));
        texts
    }

    /// The synthesis in an answer that was accepted.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        let (synthesis, faults) = Self::parse_with_faults(text)?;
        faults.into_result(synthesis)
    }

    /// What can be read in an answer, and the rules of its form that it breaks.
    pub fn parse_with_faults(text: &str) -> Result<(Self, Faults), Faults> {
        SynthesisRequirements::default().parse_synthesis(text)
    }
}

/// A note of one point.
fn words_kind() -> Kind {
    text_kind(8, TEXT_CHARS_MAX)
}

/// The notes of a list, which has their points and reasons under these names; `name_weakness` where they may name the
/// weakness that they are about.
fn parse_notes(
    fields: &Reader<'_, '_>,
    name: &str,
    [point, why]: [&str; 2],
    name_weakness: bool,
    faults: &mut Faults,
) -> Vec<SynthesisNote> {
    let mut notes = Vec::new();
    for item in fields.read_parts(name, faults) {
        let Some(item) = item.open(faults) else { continue };
        let (point, why) = (item.read_text(point, faults), item.read_text(why, faults));
        let weakness = if name_weakness { item.read_text("weakness", faults) } else { String::new() };
        let weakness = Some(weakness).filter(|named| !named.is_empty() && named != NO_WEAKNESS);
        notes.push(SynthesisNote { point, why, weakness });
    }
    notes
}
