//! `agon models`: the models that can run on this machine.

use agon_app::{Failure, Result};

use super::CommandContext;
#[cfg(feature = "local")]
use crate::cli::PullArgs;
use crate::cli::{ModelsAction, TryEngineArgs};

#[cfg(feature = "local")]
pub async fn run(command_context: &CommandContext, action: Option<ModelsAction>) -> Result<u8> {
    use agon_app::hardware;
    use agon_local::{
        ModelRef,
        catalogue::{MODELS, recommend_model},
        is_present,
    };
    use serde_json::json;

    use crate::ui;

    let dir = &command_context.places.models;
    match action {
        None | Some(ModelsAction::List) => {
            let rows: Vec<_> = MODELS.iter().map(|model| (model, is_present(&ModelRef::Known(model), dir))).collect();
            let (memory, cores) = (hardware::free_memory(), hardware::count_cores());
            let best = recommend_model(memory, cores);
            let all = rows.iter().map(|(model, here)| {
                json!({"name": model.name, "title": model.title, "bytes": model.size, "licence": model.licence,
                       "sha256": model.sha256, "purpose": model.purpose, "here": here, "tried": model.tried,
                       "recommended": model.name == best.name})
            });
            command_context.print_success(&all.collect::<Vec<_>>(), || {
                let line = |(model, here): &(&agon_local::Model, bool)| {
                    let here = if *here { "here" } else { "not here" };
                    let tried = if model.tried { "" } else { "; never run by this project" };
                    format!(
                        "local:{:<20} {:>8}  {:<10}  {here:<8}  {}, {}{tried}",
                        model.name,
                        ui::format_bytes(model.size),
                        model.licence,
                        model.title,
                        model.purpose
                    )
                };
                let mut lines: Vec<String> = rows.iter().map(line).collect();
                lines.push("local:/path/to/model.gguf takes any other chat model.".into());
                let debate = memory.map_or("memory unknown".into(), |free| format!("{} of memory free", ui::format_bytes(free)));
                let tried = if best.tried { "" } else { "; never run by this project" };
                lines.push(format!(
                    "Recommended here ({debate}, {cores} processor threads): agon models pull {} ({}, {}{tried}), then --model local:{}",
                    best.name,
                    ui::format_bytes(best.size),
                    best.licence,
                    best.name
                ));
                lines.join("\n")
            })
        }
        Some(ModelsAction::Pull(args)) => pull(command_context, args).await,
        Some(ModelsAction::Where) => {
            command_context.print_success(&json!({"path": dir}), || ui::escape_invisible(&dir.display().to_string()))
        }
    }
}

/// Downloads what the arguments name: an engine, a model, or both.
#[cfg(feature = "local")]
async fn pull(command_context: &CommandContext, args: PullArgs) -> Result<u8> {
    use agon_app::{exit, participants::embedded};
    use agon_local::{EngineKind, EnginePackage, EngineSource, choose_engine};
    use serde_json::json;

    use crate::{frontend::Terminal, ui};

    let dir = &command_context.places.models;
    if args.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Failure::unknown("the name of the model is empty", "agon models list shows the available models"));
    }
    let model = embedded::resolve_model(args.name.as_deref())?;
    let kind = args.engine.as_deref().and_then(EngineKind::from_name);
    let frontend = Terminal { quiet: command_context.quiet, ..Terminal::default() };
    let fetch = async {
        let engine = if kind.is_some() || args.engine_from.is_some() {
            let kind = kind.unwrap_or(EngineKind::Cpu);
            let package = EnginePackage::of_kind(kind).ok_or_else(|| no_kind(kind))?;
            let source = args.engine_from.as_deref().map_or(EngineSource::Npm, EngineSource::from_place);
            let path = embedded::fetch_package(package, &source, dir, args.offline, &frontend).await?;
            choose_engine(kind, dir)
                .map_err(|error| Failure::io(error.to_string(), "grant permission to write there"))?;
            path
        } else {
            embedded::fetch_engine(dir, args.offline, &frontend).await?.path
        };
        let is_engine_alone = args.name.is_none() && (kind.is_some() || args.engine_from.is_some());
        let path = match is_engine_alone {
            true => None,
            false => Some(embedded::fetch_model(&model, dir, args.offline, &frontend).await?),
        };
        Ok::<_, Failure>((engine, path))
    };
    let (engine, path) = tokio::select! {
        fetched = fetch => fetched?,
        _ = tokio::signal::ctrl_c() => {
            return Err(Failure::new(exit::INTERRUPTED, "interrupted", "interrupted", "repeat the command to continue the download"));
        }
    };
    command_context.print_success(&json!({"path": path, "engine": engine}), || {
        ui::escape_invisible(&path.as_ref().unwrap_or(&engine).display().to_string())
    })
}

#[cfg(feature = "local")]
fn no_kind(kind: agon_local::EngineKind) -> Failure {
    let has = agon_local::EnginePackage::of_platform().map(|package| package.kind.name()).collect::<Vec<_>>();
    let remedy = if has.is_empty() {
        "name a model elsewhere, for example --model ollama:llama3.2".to_owned()
    } else {
        format!("there is {}", has.join(", "))
    };
    Failure::usage(format!("no engine {} is published for this platform", kind.name()), remedy)
}

/// Tries an engine in this process, which may not survive it, and prints what was found.
#[cfg(feature = "local")]
pub fn try_engine(args: &TryEngineArgs) -> Result<u8> {
    let report =
        agon_local::try_engine(&args.folder, &args.model, args.devices).map_err(|reason| Failure::usage(reason, ""))?;
    crate::ui::print_line(&serde_json::json!(report).to_string());
    Ok(agon_app::exit::OK)
}

#[cfg(not(feature = "local"))]
pub fn try_engine(_: &TryEngineArgs) -> Result<u8> {
    Err(no_embedded_model())
}

#[cfg(not(feature = "local"))]
pub async fn run(_: &CommandContext, _: Option<ModelsAction>) -> Result<u8> {
    Err(no_embedded_model())
}

#[cfg(not(feature = "local"))]
fn no_embedded_model() -> Failure {
    let remedy = "build it with its default features, or name a model elsewhere, for example --model ollama:llama3.2";
    Failure::unknown("this agon was built without the embedded model", remedy)
}
