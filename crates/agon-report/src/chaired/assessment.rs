//! `assessor-report.md`: how the debate was conducted, in the assessor's words. And what it objected to in the
//! texts about a debate, as files tell it.

use agon_core::View;
use agon_protocols::chaired::{
    debaters::DebaterLabels,
    objections::{self, ObjectedText, ObjectionEnd, ObjectionKind, RuledObjection},
    report::{self, Assessment},
};
use agon_text::{
    capitalise_first,
    markdown::{escape_line, escape_prose, escape_start},
};

use super::DebateView;
use crate::{markup::number_items, participation};

/// The file. Without an assessor it says so and lists what did not work.
pub fn render_assessment(debate: &DebateView<'_>) -> String {
    let roles = report::assessed_roles(&debate.debaters, &DebaterLabels::default());
    let told = debate.accepted_text("assessment");
    let told = told.and_then(|text| report::parse_assessment(&text, &roles, &debate.log, &[], true).ok());
    let mut blocks = vec!["# Debate Process Assessment".to_owned()];
    let Some(Assessment { quality, reason, roles, execution, output, .. }) = told else {
        blocks.push(debate.describe_missing("assessor", "assessment"));
        blocks.push("## What did not work".into());
        blocks.push(number_notes(&participation::list_troubles(debate.record)));
        return blocks.join("\n\n") + "\n";
    };
    blocks.extend(["## Overall Debate Quality".into(), format!("**{quality}**"), escape_prose(&reason)]);
    blocks.push("## Role Performance Evaluations".into());
    for (role, [strengths, improvements, suggestions]) in &roles {
        // Debaters keep their name as it is; roles of the debate begin with a capital.
        let heading =
            if debate.debaters.find_by_any_name(role).is_some() { escape_line(role) } else { capitalise_first(role) };
        blocks.push(format!("### {heading}"));
        blocks.push(format!("**Strengths:** {}", escape_prose(strengths)));
        blocks.push(format!("**Areas for improvement:** {}", escape_prose(improvements)));
        blocks.push(format!("**Suggestions:** {}", escape_prose(suggestions)));
    }
    blocks.extend(["## Debate Execution Improvements".into(), number_notes(&execution)]);
    blocks.extend(["## Output Quality Improvements".into(), number_notes(&output)]);
    let objected = describe_objections(debate);
    if !objected.is_empty() {
        blocks.extend(["## Objections".into(), objected.join("\n")]);
    }
    blocks.join("\n\n") + "\n"
}

fn number_notes(notes: &[String]) -> String {
    number_items(notes.iter().map(|note| escape_start(note)), "Nothing to report.")
}

/// Everything that was ruled since the debate was concluded.
fn list_ruled_objections(debate: &DebateView<'_>) -> Vec<RuledObjection> {
    let conclusion = debate.log.find_conclusion().map(|logged| logged.item.seq);
    conclusion.map_or_else(Vec::new, |of| {
        objections::collect_ruled_objections(&View::of_whole_record(debate.record), Some(of))
    })
}

/// The mark that `texts` are printed with; none where nothing in them was objected to, or nothing of it was confirmed.
pub(super) fn render_objection_marks(debate: &DebateView<'_>, texts: &[ObjectedText]) -> Option<String> {
    let of = list_ruled_objections(debate).into_iter().filter(|ruled| texts.contains(&ruled.objection.text));
    let lines: Vec<String> = of.filter_map(|ruled| render_objection(&ruled)).collect();
    (!lines.is_empty()).then(|| lines.join("\n>\n"))
}

fn render_objection(ruled: &RuledObjection) -> Option<String> {
    let objection = &ruled.objection;
    match ruled.end {
        ObjectionEnd::Marked => Some(format!(
            "> **Read with care.** Of \u{201c}{}\u{201d} the assessor said twice: {}.",
            escape_line(&objection.quote),
            objection.kind.description()
        )),
        ObjectionEnd::Withheld => {
            Some("> A sentence is withheld here: it told again what was struck from the debate.".to_owned())
        }
        ObjectionEnd::Stands | ObjectionEnd::Redrafted => None,
    }
}

/// Every objection with what came of it, a line each.
pub(super) fn describe_objections(debate: &DebateView<'_>) -> Vec<String> {
    let told = list_ruled_objections(debate).into_iter().map(|ruled| {
        let quote = match ruled.objection.kind {
            ObjectionKind::Struck => String::new(),
            _ => format!(" \u{201c}{}\u{201d}", escape_line(&ruled.objection.quote)),
        };
        format!("- {}{quote}", ruled.describe_result())
    });
    told.collect()
}
