//! The synthesizer's answer, and what it rests on: the joined document, what was decided in it, and the weaknesses with
//! what became of each.

use agon_core::{Record, Standing};
use agon_protocols::revise::{
    critique::{Severity, Weakness},
    names,
    revision::WeaknessResponse,
    state::Criticised,
    synthesis::{Synthesis, SynthesisNote},
    unified::Unified,
};

use super::ReviseInput;
use crate::{
    first_page::{AnswerBasis, BasisPoint, StatedAnswer},
    graph::answer_seq,
};

/// What the synthesizer tells those who asked; nothing where nobody joined the versions that stand.
pub(super) fn list_stated_answers(record: &Record) -> Vec<StatedAnswer> {
    let is_valid = record.closing_outcome().is_some_and(|outcome| outcome.standing == Standing::Valid);
    let input = ReviseInput::of(record).filter(|input| is_valid && !input.state.outdated);
    let stated = input.and_then(|input| {
        let seq = answer_seq(record, &input.state.joint.as_ref()?.key);
        let (synthesis, unified) = input.read_joined();
        let answer = synthesis.map_or_else(|| unified?.answer, |synthesis| synthesis.answer)?;
        Some(StatedAnswer { by: "the synthesizer".to_owned(), answer, seq })
    });
    stated.into_iter().collect()
}

/// The joined document and its decisions or findings, then the weaknesses, those of high severity first.
pub(super) fn collect_answer_basis(record: &Record) -> AnswerBasis {
    let Some(input) = ReviseInput::of(record) else { return AnswerBasis::default() };
    let (synthesis, unified) = input.read_joined();
    // What the file begins with; of a review what its author says of the findings.
    let title = synthesis.as_ref().map(|synthesis| {
        let first = synthesis.document.lines().find(|line| !line.trim().is_empty());
        first.unwrap_or_default().trim_start_matches(['#', ' ']).to_owned()
    });
    let mut points = Vec::new();
    if let (Some(joint), Some(text)) =
        (&input.state.joint, title.or_else(|| unified.as_ref().map(|list| list.summary.clone())))
    {
        let seq = answer_seq(record, &joint.key);
        let place = names::result_file(input.state.setup.mode).to_owned();
        points.push(BasisPoint { place, text, ..BasisPoint::new("joined", seq) });
        let open = synthesis.iter().flat_map(|synthesis| &synthesis.unresolved);
        points.extend(open.map(|note| build_decision_point(note, seq)));
        points.extend(unified.iter().flat_map(|unified| build_finding_points(unified, seq)));
    }
    points.extend(build_weakness_points(&input, synthesis.as_ref()));
    AnswerBasis { title: if points.is_empty() { "" } else { "Answers to weaknesses, and decisions" }, points }
}

/// A point that the authors still disagree about, and what decided it in the joined text.
fn build_decision_point(note: &SynthesisNote, seq: u64) -> BasisPoint {
    BasisPoint {
        is_open: true,
        text: note.point.clone(),
        notes: vec![("Decided by", note.why.clone())],
        ..BasisPoint::new("decided", seq)
    }
}

/// The findings of a joined review, the gravest first.
fn build_finding_points(unified: &Unified, seq: u64) -> impl Iterator<Item = BasisPoint> {
    unified.findings.iter().map(move |finding| {
        let notes = [("Fix", finding.fix.clone()), ("Found by", finding.from.join(", "))];
        BasisPoint {
            is_open: finding.severity == Some(Severity::High),
            place: finding.place.clone(),
            text: finding.problem.clone(),
            notes: notes.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
            ..BasisPoint::new(Severity::name_or_unread(finding.severity), seq)
        }
    })
}

/// Every weakness that nobody named again later, with its author's answer and what the synthesizer made of it.
fn build_weakness_points(input: &ReviseInput<'_>, notes: Option<&Synthesis>) -> Vec<BasisPoint> {
    let state = &input.state;
    let rounds = state.rounds.len() as u32;
    let mut rated: Vec<(Severity, BasisPoint)> = Vec::new();
    for (round, number) in state.rounds.iter().zip(1_u32..) {
        for target in 0..state.setup.authors.len() {
            let revision = round.revisions.iter().find(|held| held.author == target);
            let responses = revision.and_then(|held| held.revision.as_ref()).map(|revision| &revision.points);
            for (at, held, weakness) in state.list_weaknesses(number, target) {
                if is_named_again(input, number, held.critic, weakness) {
                    continue;
                }
                let response = responses.and_then(|all| all.iter().find(|response| response.weakness == at));
                let id = names::weakness_name(&state.setup, target, at, number);
                let point = build_weakness_point(input, id, (held, weakness), response, notes, number == rounds);
                rated.push((weakness.severity, point));
            }
        }
    }
    rated.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    rated.into_iter().map(|(_, point)| point).collect()
}

/// Whether its critic says in a later round that it is still there: then that entry stands for it.
fn is_named_again(input: &ReviseInput<'_>, round: u32, critic: usize, weakness: &Weakness) -> bool {
    let state = &input.state;
    let own = state.named_before(critic, u32::MAX);
    let before = state.named_before(critic, round + 1);
    let number = before.iter().find(|(.., named)| std::ptr::eq(*named, weakness)).map(|(number, ..)| *number);
    number.is_some() && own.iter().any(|(.., later)| later.repeats == number)
}

fn build_weakness_point(
    input: &ReviseInput<'_>,
    id: String,
    (held, weakness): (&Criticised, &Weakness),
    response: Option<&WeaknessResponse>,
    notes: Option<&Synthesis>,
    is_last: bool,
) -> BasisPoint {
    let named = |all: &[SynthesisNote]| all.iter().find(|note| note.weakness.as_deref() == Some(&id)).cloned();
    let adopted = notes.and_then(|notes| named(&notes.adopted));
    let overruled = notes.and_then(|notes| named(&notes.overruled));
    let answer = response.map_or(2, |response| usize::from(response.defended));
    // Without a critique after it, nobody has read what the answer is worth.
    let states = match (adopted.is_some(), overruled.is_some(), is_last) {
        (true, _, _) => ["addressed, adopted", "defended, adopted", "adopted"],
        (false, true, _) => ["addressed, overruled", "defended, overruled", "overruled"],
        (false, false, true) => ["addressed, not read again", "defended, not read again", "no answer"],
        (false, false, false) => ["addressed", "defended", "no answer"],
    };
    let mut said = vec![
        ("Severity", weakness.severity.name().to_lowercase()),
        ("Named by", input.author_name(held.critic).to_owned()),
    ];
    said.extend(response.map(|response| ("Answer", response.words.clone())));
    said.extend(adopted.as_ref().map(|note| ("Adopted", note.point.clone())));
    said.extend(overruled.map(|note| ("Overruled", note.why)));
    BasisPoint {
        is_open: adopted.is_none() && answer != 0,
        place: weakness.place.clone(),
        text: weakness.problem.clone(),
        notes: said,
        id,
        ..BasisPoint::new(states[answer], answer_seq(input.record, &held.key))
    }
}
