//! What a run says when the debate is over: how it ended, where the texts are, and how to go on.

use super::{Scene, reading, result};
use crate::markdown::{line, prose};
use agon_protocols::revise::names;

pub(super) fn of(scene: &Scene<'_>) -> String {
    let Some(outcome) = scene.record.closed() else { return "The debate is not over.\n".into() };
    let mut text = format!("{}\n", prose(&outcome.summary));
    let last: Vec<String> = (0..scene.setup.authors.len())
        .filter_map(|author| Some(format!("- {}: {}\n", line(scene.name(author)), scene.last(author)?)))
        .collect();
    if !last.is_empty() {
        text += "\n**Last versions**:\n";
        text.extend(last);
    }
    if result::render(scene).is_some() {
        text += &format!("- Result: {}\n", names::result(scene.setup.mode));
    }
    let warnings = reading::warnings(scene);
    if !warnings.is_empty() {
        text += "\n**Warnings**:\n";
        text.extend(warnings.iter().map(|warning| format!("- {warning}\n")));
    }
    let id = &scene.record.opened().debate;
    text + &format!(
        "\n**Next steps**:\n- Another round: `agon extend {id} --rounds 1`\n- All files: `agon export {id} --format revise`\n"
    )
}
