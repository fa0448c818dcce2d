//! What the assessor objected to in the texts about a debate, as files tell it.

use agon_core::View;
use agon_protocols::chaired::{
    objections::{self, ObjectionEnd, ObjectionKind, RuledObjection},
    published::ObjectedText,
};
use agon_text::markdown::escape_line;

use super::DebateView;

/// Everything that was ruled since the debate was concluded.
fn ruled(debate: &DebateView<'_>) -> Vec<RuledObjection> {
    let conclusion = debate.log.conclusion().map(|logged| logged.item.seq);
    conclusion.map_or_else(Vec::new, |of| objections::all(&View::whole(debate.record), Some(of)))
}

/// The mark that `texts` are printed with; none where nothing in them was objected to, or nothing of it was confirmed.
pub(super) fn mark(debate: &DebateView<'_>, texts: &[ObjectedText]) -> Option<String> {
    let of = ruled(debate).into_iter().filter(|ruled| texts.contains(&ruled.objection.text));
    let lines: Vec<String> = of.filter_map(|ruled| marked(&ruled)).collect();
    (!lines.is_empty()).then(|| lines.join("\n>\n"))
}

fn marked(ruled: &RuledObjection) -> Option<String> {
    let objection = &ruled.objection;
    match ruled.end {
        ObjectionEnd::Marked => Some(format!(
            "> **Read with care.** Of \u{201c}{}\u{201d} the assessor said twice: {}.",
            escape_line(&objection.quote),
            objection.kind.about()
        )),
        ObjectionEnd::Withheld => {
            Some("> A sentence is withheld here: it told again what was struck from the debate.".to_owned())
        }
        ObjectionEnd::Stands | ObjectionEnd::Redrafted => None,
    }
}

/// Every objection with what came of it, a line each.
pub(super) fn lines(debate: &DebateView<'_>) -> Vec<String> {
    let told = ruled(debate).into_iter().map(|ruled| {
        let quote = match ruled.objection.kind {
            ObjectionKind::Struck => String::new(),
            _ => format!(" \u{201c}{}\u{201d}", escape_line(&ruled.objection.quote)),
        };
        format!("- {}{quote}", ruled.line())
    });
    told.collect()
}
