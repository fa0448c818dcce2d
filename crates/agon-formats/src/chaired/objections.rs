//! What the assessor objected to in the texts about a debate, as files tell it.

use agon_core::View;
use agon_protocols::chaired::{
    objections::{self, ObjectionEnd, ObjectionKind, RuledObjection},
    published::ObjectedText,
};
use agon_text::markdown::escape_line;

use super::DebateView;

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
