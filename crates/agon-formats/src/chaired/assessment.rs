//! `assessor-report.md`: how the debate was conducted, in the assessor's words.

use agon_protocols::chaired::report::{self, Assessment};
use agon_text::markdown::{escape_line, escape_prose, escape_start};

use super::{DebateView, objections};
use crate::{conduct, markup::number_items};

/// The file. Without an assessor it says so and lists what did not work.
pub fn of(debate: &DebateView<'_>) -> String {
    let roles = report::assessed_roles(debate.debaters.titles().into_iter().map(str::to_owned).collect());
    let told = debate.accepted_text("assessment");
    let told = told.and_then(|text| report::parse_assessment(&text, &roles, &debate.log, &[], true).ok());
    let mut blocks = vec!["# Debate Process Assessment".to_owned()];
    let Some(Assessment { quality, reason, roles, execution, output, .. }) = told else {
        blocks.push(debate.describe_missing("assessor", "assessment"));
        blocks.push("## What did not work".into());
        let mut notes = conduct::describe_absences(debate.record);
        notes.extend(conduct::describe_troubles(debate.record));
        blocks.push(number_notes(&notes));
        return blocks.join("\n\n") + "\n";
    };
    blocks.extend(["## Overall Debate Quality".into(), format!("**{quality}**"), escape_prose(&reason)]);
    blocks.push("## Role Performance Evaluations".into());
    for (role, [strengths, improvements, suggestions]) in &roles {
        // Debaters keep their name as it is; roles of the debate begin with a capital.
        let heading =
            if debate.debaters.find_by_any_name(role).is_some() { escape_line(role) } else { capitalise_name(role) };
        blocks.push(format!("### {heading}"));
        blocks.push(format!("**Strengths:** {}", escape_prose(strengths)));
        blocks.push(format!("**Areas for improvement:** {}", escape_prose(improvements)));
        blocks.push(format!("**Suggestions:** {}", escape_prose(suggestions)));
    }
    blocks.extend(["## Debate Execution Improvements".into(), number_notes(&execution)]);
    blocks.extend(["## Output Quality Improvements".into(), number_notes(&output)]);
    let objected = objections::describe_objections(debate);
    if !objected.is_empty() {
        blocks.extend(["## Objections".into(), objected.join("\n")]);
    }
    blocks.join("\n\n") + "\n"
}

fn number_notes(notes: &[String]) -> String {
    number_items(notes.iter().map(|note| escape_start(note)), "Nothing to report.")
}

fn capitalise_name(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}
