//! Prompts that a person can choose in a client: one for each protocol.

use agon_core::Manifest;
use rmcp::{
    ErrorData,
    model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role},
};

const DEBATE: &str = include_str!("debate.md");
/// Longest argument of a prompt, in characters; a motion is no longer either.
const ARGUMENT_CHARS_MAX: usize = 20_000;

pub(crate) fn list_prompts(kinds: &[Manifest]) -> Vec<Prompt> {
    let prompt = |manifest: &Manifest| {
        let seats: Vec<&str> = manifest.seats.iter().map(|seat| seat.name.as_str()).collect();
        let motion = PromptArgument::new("motion").with_description("The motion").with_required(true);
        let about = format!("The seat to take yourself: {}", seats.join(", "));
        let seat = PromptArgument::new("seat").with_description(about).with_required(false);
        Prompt::new(manifest.name.clone(), Some(manifest.summary.clone()), Some(vec![motion, seat]))
    };
    kinds.iter().map(prompt).collect()
}

pub(crate) fn render_prompt(
    kinds: &[Manifest],
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let wrong = |why: String| ErrorData::invalid_params(why, None);
    let manifest = kinds.iter().find(|kind| kind.name == name);
    let manifest = manifest.ok_or_else(|| wrong("unknown prompt".into()))?;
    let text = |name: &str| match arguments.get(name).map(|given| given.as_str()) {
        None => Ok(None),
        Some(Some(text)) if text.chars().count() <= ARGUMENT_CHARS_MAX => Ok(Some(text.trim())),
        Some(_) => Err(wrong(format!("{name} must be a text of at most {ARGUMENT_CHARS_MAX} characters"))),
    };
    let motion = text("motion")?.filter(|motion| !motion.is_empty());
    let motion = motion.ok_or_else(|| wrong("motion is missing".into()))?;
    let seats = match text("seat")?.filter(|seat| !seat.is_empty()) {
        None => "Leave every seat to the models that are set up.".to_owned(),
        Some(seat) if manifest.find_seat(seat).is_some() => {
            format!("Give the seat {seat} the model \"outside\" and claim it: you sit there.")
        }
        Some(_) => return Err(wrong(format!("{name} has no such seat"))),
    };
    // The motion comes last, so that nothing within it is taken for a place to fill.
    let filled = DEBATE.replace("{protocol}", name).replace("{summary}", &manifest.summary);
    let filled = filled.replace("{seats}", &seats).replace("{motion}", motion);
    let message = PromptMessage::new_text(Role::User, filled.trim());
    Ok(GetPromptResult::new(vec![message]).with_description(manifest.summary.clone()))
}
