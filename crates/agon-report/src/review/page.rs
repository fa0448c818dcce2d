//! `review.md`: the verdict, what holds, what is open, and what was dropped and why.

use agon_core::Record;
use agon_protocols::review::state::{FindingCase, FindingStatus, ReviewState};
use agon_text::markdown::{escape_cell, escape_line, escape_prose, escape_sentence, escape_start};

use super::{
    answers::{FindingAnswer, list_answers},
    by_severity,
};
use crate::markup::fence_code;

/// The page.
pub(super) fn render_page(record: &Record, state: &ReviewState) -> String {
    let outcome = record.closing_outcome();
    let verdict = outcome.map_or("under way", |outcome| outcome.name.as_str());
    let mut blocks = vec![format!("# Review: {}", verdict.replace('_', " "))];
    blocks.extend(outcome.map(|outcome| escape_prose(&outcome.render_summary())));
    blocks.push(format!("Task: {}", escape_line(&record.opened().motion)));
    for (status, heading) in [
        (FindingStatus::Held, "Findings that hold"),
        (FindingStatus::Concern, "Concerns, without evidence for or against them"),
        (FindingStatus::Undecided, "Undecided"),
    ] {
        let cases = by_severity(state, [status]);
        if !cases.is_empty() {
            blocks.push(format!("## {heading}"));
            blocks.extend(cases.into_iter().map(|case| render_finding(state, case)));
        }
    }
    let dropped = by_severity(state, [FindingStatus::Refuted, FindingStatus::Demoted, FindingStatus::Merged]);
    let dropped: Vec<String> =
        dropped.into_iter().map(|case| format!("- {}", describe_drop_reason(state, case))).collect();
    if !dropped.is_empty() {
        blocks.push(format!("## Dropped\n\n{}", dropped.join("\n")));
    }
    blocks.push(format!("## What became of the findings\n\n{}", describe_step_counts(state)));
    blocks.join("\n\n") + "\n"
}

fn render_finding(state: &ReviewState, case: &FindingCase) -> String {
    let said = &case.finding;
    let mut blocks = vec![
        format!("### {}, {}: {}", case.id, case.severity().name(), escape_line(case.place())),
        escape_prose(&said.claim),
        fence_code(&said.quote),
    ];
    let mut facts = vec![format!("- Why: {}", escape_sentence(&said.why))];
    let also = |other: &FindingCase| format!("- Also {}: {}", other.id, escape_sentence(&other.finding.claim));
    facts.extend(state.merged_into(case).map(also));
    facts.push(format!("- It would be refuted by: {}", escape_sentence(&said.refuted_by)));
    let check = case.check.as_ref().filter(|check| !check.note.is_empty());
    facts.extend(check.map(|check| format!("- Place: {}", escape_sentence(&check.note))));
    facts.extend(render_answer_lines(case));
    blocks.push(facts.join("\n"));
    blocks.join("\n\n")
}

/// What critic and judge said, one line each.
fn render_answer_lines(case: &FindingCase) -> Vec<String> {
    let answers = list_answers(case).into_iter().map(|answer| {
        let is_quoted =
            !answer.is_critic || answer.holds == Some(false) || answer.lowered.is_some() || !answer.is_counted;
        let who = match answer.holds {
            _ if answer.is_critic => "The critic",
            Some(_) => "The judge says that it",
            None => "The judge",
        };
        format!(
            "- {who} {}{}: {}{}{}",
            answer.verdict,
            answer.lowered.map(|lower| format!(", as {}", lower.name())).unwrap_or_default(),
            escape_sentence(answer.text),
            render_quotation(answer.quote, is_quoted),
            render_uncounted_note(&answer)
        )
    });
    answers.collect()
}

fn render_quotation(quote: &str, is_shown: bool) -> String {
    if quote.is_empty() || !is_shown { String::new() } else { format!(" “{}”", escape_line(quote)) }
}

/// That an answer does not count, and why.
fn render_uncounted_note(answer: &FindingAnswer<'_>) -> String {
    match answer.check {
        _ if answer.is_counted => String::new(),
        Some(check) => format!(" This does not count ({}): {}", check.code.name(), escape_sentence(&check.note)),
        None => " This does not count: the quote could not be looked up.".to_owned(),
    }
}

/// Why a finding was dropped, in a line.
fn describe_drop_reason(state: &ReviewState, case: &FindingCase) -> String {
    let head = format!("{}, {}, {}", case.id, case.severity().name(), escape_line(case.place()));
    let claim = escape_sentence(&case.finding.claim);
    let why = match (case.status(), case.merged_into, &case.check) {
        (FindingStatus::Merged, Some(into), _) => format!("the same as {}.", state.cases[into].id),
        (FindingStatus::Demoted, _, Some(check)) => {
            let note = if check.note.is_empty() { String::new() } else { format!(" {}", escape_sentence(&check.note)) };
            format!("it cites nothing that is there ({}).{note}", check.code.name())
        }
        _ => {
            let last = case.rulings.last().map(|ruling| &ruling.said);
            let because = last
                .map(|said| format!(" {}{}", escape_sentence(&said.reasoning), render_quotation(&said.quote, true)));
            format!("refuted.{}", because.unwrap_or_default())
        }
    };
    format!("{}: {claim} Dropped: {why}", escape_start(&head))
}

/// How many findings each step kept and dropped.
fn describe_step_counts(state: &ReviewState) -> String {
    let count = |which: &dyn Fn(&FindingCase) -> bool| state.cases.iter().filter(|case| which(case)).count();
    let of_status = |status: FindingStatus| count(&|case| case.status() == status);
    let contested = |status: FindingStatus| count(&|case| case.is_contested() && case.status() == status);
    let rows = [
        ("the reviewers", "found", state.cases.len()),
        ("the verifier", "demoted: they cite nothing that is there", of_status(FindingStatus::Demoted)),
        ("agon", "merged: another reviewer found the same", of_status(FindingStatus::Merged)),
        ("the critic", "agreed to", of_status(FindingStatus::Held) - contested(FindingStatus::Held)),
        ("the critic", "left as concerns", of_status(FindingStatus::Concern)),
        ("the critic", "refuted", count(&FindingCase::is_contested)),
        ("the judge", "rescued: they hold in both orders", contested(FindingStatus::Held)),
        ("the judge", "destroyed: they do not hold in both orders", of_status(FindingStatus::Refuted)),
        (
            "the verifier",
            "critic or judge quoted what is not there",
            count(&|case| list_answers(case).iter().any(|answer| !answer.is_counted)),
        ),
        ("the judge", "left undecided", contested(FindingStatus::Undecided)),
    ];
    let rows = rows.map(|(who, what, count)| format!("| {} | {} | {count} |", escape_cell(who), escape_cell(what)));
    format!("| who | what | findings |\n|---|---|---|\n{}", rows.join("\n"))
}
