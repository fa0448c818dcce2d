//! `review.md`: the verdict, what holds, what is open, and what was dropped and why.

use agon_core::Record;
use agon_protocols::review::{
    answers::{CriticStance, HoldRuling},
    heard::{Heard, QuotingAnswer},
    state::{FindingCase, FindingStatus, ReviewState},
};
use agon_text::{
    is_unprintable,
    markdown::{escape_cell, escape_line, escape_prose, escape_sentence, escape_start},
};

use super::by_severity;

/// Shortest fence of a code block.
const FENCE_MIN: usize = 3;

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
        let cases = by_severity(state, status);
        if !cases.is_empty() {
            blocks.push(format!("## {heading}"));
            blocks.extend(cases.into_iter().map(|case| render_finding(state, case)));
        }
    }
    let dropped = [FindingStatus::Refuted, FindingStatus::Demoted, FindingStatus::Merged];
    let dropped: Vec<String> = dropped
        .into_iter()
        .flat_map(|status| by_severity(state, status))
        .map(|case| format!("- {}", describe_drop_reason(state, case)))
        .collect();
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
    facts.extend(
        state.merged_into(case).map(|other| format!("- Also {}: {}", other.id, escape_sentence(&other.finding.claim))),
    );
    facts.push(format!("- It would be refuted by: {}", escape_sentence(&said.refuted_by)));
    facts.extend(
        case.check
            .as_ref()
            .filter(|check| !check.note.is_empty())
            .map(|check| format!("- Place: {}", escape_sentence(&check.note))),
    );
    facts.extend(render_answer_lines(case));
    blocks.push(facts.join("\n"));
    blocks.join("\n\n")
}

/// What critic and judge said, one line each.
fn render_answer_lines(case: &FindingCase) -> Vec<String> {
    let looks = case.looks.iter().map(|look| {
        let said = &look.said;
        let is_quoted = said.stance == CriticStance::Refuted || said.lowered.is_some() || !look.is_counted();
        let verb = match said.stance {
            CriticStance::Agree => "agrees",
            CriticStance::Refuted => "refutes it",
            CriticStance::Concern => "has no evidence",
        };
        format!(
            "- The critic {verb}{}: {}{}{}",
            said.lowered.map(|lower| format!(", as {}", lower.name())).unwrap_or_default(),
            escape_sentence(&said.checked),
            render_quotation(&said.quote, is_quoted),
            render_uncounted_note(look)
        )
    });
    let rulings = case.rulings.iter().map(|ruling| {
        let said = &ruling.said;
        let verb = match said.ruling {
            HoldRuling::Holds => "says that it holds",
            HoldRuling::DoesNotHold => "says that it does not hold",
            HoldRuling::CannotTell => "cannot tell",
        };
        format!(
            "- The judge {verb}: {}{}{}",
            escape_sentence(&said.reasoning),
            render_quotation(&said.quote, true),
            render_uncounted_note(ruling)
        )
    });
    looks.chain(rulings).collect()
}

fn render_quotation(quote: &str, is_shown: bool) -> String {
    if quote.is_empty() || !is_shown { String::new() } else { format!(" “{}”", escape_line(quote)) }
}

/// That an answer does not count, and why.
fn render_uncounted_note<T: QuotingAnswer>(heard: &Heard<T>) -> String {
    match &heard.check {
        _ if heard.is_counted() => String::new(),
        Some(check) => {
            format!(" This does not count ({}): {}", check.code.name(), escape_sentence(&check.note))
        }
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
    let is = |case: &FindingCase, status: FindingStatus| case.status() == status;
    let contested = |case: &FindingCase| case.is_contested();
    let rows = [
        ("the reviewers", "found", count(&|_| true)),
        ("the verifier", "demoted: they cite nothing that is there", count(&|case| is(case, FindingStatus::Demoted))),
        ("agon", "merged: another reviewer found the same", count(&|case| is(case, FindingStatus::Merged))),
        ("the critic", "agreed to", count(&|case| !contested(case) && is(case, FindingStatus::Held))),
        ("the critic", "left as concerns", count(&|case| is(case, FindingStatus::Concern))),
        ("the critic", "refuted", count(&contested)),
        (
            "the judge",
            "rescued: they hold in both orders",
            count(&|case| contested(case) && is(case, FindingStatus::Held)),
        ),
        ("the judge", "destroyed: they do not hold in both orders", count(&|case| is(case, FindingStatus::Refuted))),
        (
            "the verifier",
            "critic or judge quoted what is not there",
            count(&|case| !case.looks.iter().all(Heard::is_counted) || !case.rulings.iter().all(Heard::is_counted)),
        ),
        ("the judge", "left undecided", count(&|case| contested(case) && is(case, FindingStatus::Undecided))),
    ];
    let rows = rows.map(|(who, what, count)| format!("| {} | {} | {count} |", escape_cell(who), escape_cell(what)));
    format!("| who | what | findings |\n|---|---|---|\n{}", rows.join("\n"))
}

/// Words of the material as they stand there, in a fence that they cannot close.
fn fence_code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(FENCE_MIN.max(longest + 1));
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push(c),
            c if is_unprintable(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    format!("{fence}\n{shown}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_cannot_close_its_fence() {
        assert_eq!(fence_code("a\n```\n# b"), "````\na\n```\n# b\n````");
        assert_eq!(fence_code("x\u{202e}y"), "```\nx\\u{202e}y\n```");
    }
}
