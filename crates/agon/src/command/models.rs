//! `agon models`: the models that can run on this machine.

use agon_app::Result;

use super::CommandContext;
use crate::cli::{ModelsAction, ModelsArgs};

#[cfg(feature = "local")]
pub async fn run(command_context: &CommandContext, args: ModelsArgs) -> Result<u8> {
    use agon_app::{Failure, exit, participants::embedded};
    use agon_local::{ModelRef, catalogue::MODELS, is_present};
    use serde_json::json;

    use crate::{frontend::StandardError, ui};

    let dir = &command_context.places.models;
    match args.action {
        None | Some(ModelsAction::List) => {
            let rows: Vec<_> =
                MODELS.iter().map(|model| (model, is_present(&ModelRef::Known(model), dir))).collect();
            let all = rows.iter().map(|(model, here)| {
                json!({"name": model.name, "title": model.title, "bytes": model.size, "licence": model.licence,
                       "sha256": model.sha256, "purpose": model.purpose, "here": here})
            });
            command_context.print(&all.collect(), || {
                let line = |(model, here): &(&agon_local::Model, bool)| {
                    let here = if *here { "here" } else { "not here" };
                    format!(
                        "local:{:<20} {:>8}  {:<10}  {here:<8}  {}, {}",
                        model.name,
                        ui::bytes(model.size),
                        model.licence,
                        model.title,
                        model.purpose
                    )
                };
                let mut lines: Vec<String> = rows.iter().map(line).collect();
                lines.push("local:/path/to/model.gguf uses any other chat model.".into());
                lines.join("\n")
            });
        }
        Some(ModelsAction::Pull { name, offline }) => {
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
