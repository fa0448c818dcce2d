//! The summary at the end of a debate: its outcome, where the texts are, and how to continue.

use agon_core::{Outcome, Protocol as _, Standing};
use agon_protocols::revise::{Revise, artifact_names};
use agon_text::markdown::{escape_line, escape_prose};

use super::{ReviseInput, result};
use crate::participation;

pub(super) fn render_completion(scene: &ReviseInput<'_>) -> String {
    let Some(outcome) = scene.record.closing_outcome() else { return "The debate is not over.\n".into() };
    let mut text = format!("{}\n", escape_prose(&outcome.render_summary()));
    let last = (0..scene.state.setup.authors.len()).filter_map(|author| {
        Some(format!("- {}: {}\n", escape_line(scene.author_name(author)), scene.state.latest_version_file(author)?))
    });
    let last: Vec<String> = last.collect();
    if !last.is_empty() {
        text += "\n**Last versions**:\n";
        text.extend(last);
    }
    if result::render_result(scene).is_some() {
        text += &format!("- Result: {}\n", artifact_names::result_file(scene.state.setup.mode));
    }
    let warnings = participation::list_warnings(scene.record);
    if !warnings.is_empty() {
        text += "\n**Warnings**:\n";
        text.extend(warnings.iter().map(|(of, warning)| format!("- {of}: {}\n", escape_line(warning))));
    }
    text + "\n**Next steps**:\n" + &next(scene, outcome).concat()
}

/// What can be done now; nothing that would be refused.
fn next(scene: &ReviseInput<'_>, outcome: &Outcome) -> Vec<String> {
    let id = &scene.record.opened().debate;
    let mut steps = Vec::new();
    let left = (scene.state.rounds.len() as u32) < Revise.manifest().rounds.max;
    // Who missed a round is not asked for it again.
    let wrote = scene.state.present_authors().into_iter().map(|author| &scene.state.setup.authors[author].seat);
    let wrote: Vec<_> = wrote.collect();
    if outcome.absent.iter().any(|absent| !wrote.contains(&&absent.seat)) {
        steps.push(format!("- Ask again who is missing: `agon extend {id}`\n"));
    }
    if left && outcome.standing == Standing::Valid {
        steps.push(format!("- Another round: `agon extend {id} --rounds 1`\n"));
    }
    steps.push(format!("- All files: `agon export {id} --format revise`\n"));
    steps
}
