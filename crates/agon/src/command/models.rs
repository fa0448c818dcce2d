//! `agon models`: the models that can run on this machine.

use agon_app::Result;

use super::CommandContext;
use crate::cli::{ModelsAction, ModelsArgs};

#[cfg(feature = "local")]
pub async fn run(command_context: &CommandContext, args: ModelsArgs) -> Result<u8> {
    use agon_app::{Failure, exit, machine, participants::embedded};
    use agon_local::{
        ModelRef,
        catalogue::{MODELS, recommended},
        is_present,
    };
    use serde_json::json;

    use crate::{frontend::StandardError, ui};

    let dir = &command_context.places.models;
    match args.action {
        None | Some(ModelsAction::List) => {
            let rows: Vec<_> =
                MODELS.iter().map(|model| (model, is_present(&ModelRef::Known(model), dir))).collect();
            let (memory, cores) = (machine::free_memory(), machine::cores());
            let best = recommended(memory, cores);
            let all = rows.iter().map(|(model, here)| {
                json!({"name": model.name, "title": model.title, "bytes": model.size, "licence": model.licence,
                       "sha256": model.sha256, "purpose": model.purpose, "here": here, "tried": model.tried,
                       "recommended": model.name == best.name})
            });
            command_context.print(&all.collect(), || {
                let line = |(model, here): &(&agon_local::Model, bool)| {
                    let here = if *here { "here" } else { "not here" };
                    let tried = if model.tried { "" } else { "; never run by this project" };
                    format!(
                        "local:{:<20} {:>8}  {:<10}  {here:<8}  {}, {}{tried}",
                        model.name,
                        ui::bytes(model.size),
                        model.licence,
                        model.title,
                        model.purpose
                    )
                };
                let mut lines: Vec<String> = rows.iter().map(line).collect();
                lines.push("local:/path/to/model.gguf takes any other chat model.".into());
                let debate = memory.map_or("memory unknown".into(), |free| format!("{} of memory free", ui::bytes(free)));
                let tried = if best.tried { "" } else { "; never run by this project" };
                lines.push(format!(
                    "Recommended here ({debate}, {cores} processor threads): agon models pull {} ({}, {}{tried}), then --model local:{}",
                    best.name,
                    ui::bytes(best.size),
                    best.licence,
                    best.name
                ));
                lines.join("\n")
            });
        }
        Some(ModelsAction::Pull { name, offline }) => {
            if name.as_deref().is_some_and(|name| name.trim().is_empty()) {
                return Err(Failure::unknown(
                    "the name of the model is empty",
                    "agon models list shows the available models",
                ));
            }
            let model = embedded::model(name.as_deref())?;
            let frontend = StandardError { quiet: command_context.quiet };
            let path = tokio::select! {
                path = embedded::fetch(&model, dir, offline, &frontend) => path?,
                _ = tokio::signal::ctrl_c() => {
                    return Err(Failure::new(exit::INTERRUPTED, "interrupted", "interrupted", "repeat the command to continue the download"));
                }
            };
            command_context.print(&json!({"path": path}), || ui::visible(&path.display().to_string()));
        }
        Some(ModelsAction::Where) => {
            command_context.print(&json!({"path": dir}), || ui::visible(&dir.display().to_string()));
        }
    }
    Ok(exit::OK)
}

#[cfg(not(feature = "local"))]
pub async fn run(_: &CommandContext, args: ModelsArgs) -> Result<u8> {
    let _ = args.action.map(|action| match action {
        ModelsAction::Pull { name, offline } => (name, offline),
        ModelsAction::List | ModelsAction::Where => (None, true),
    });
    Err(agon_app::Failure::unknown(
        "this agon was built without the embedded model",
        "build it with --features local, or name a model elsewhere, for example --model ollama:llama3.2",
    ))
}
