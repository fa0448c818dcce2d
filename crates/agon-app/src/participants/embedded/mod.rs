//! The embedded model as a participant.

mod chain;

use std::{path::PathBuf, sync::Arc};

use agon_core::{FailureKind, Usage, form::FormField};
use agon_local::{
    CancelToken, Engine, EngineError, EngineFolder, EngineOptions, EnginePackage, EngineSource, Generation,
    LoadedEngine, LocalPrompt, ModelRef, Progress, PromptMessage, PromptRole, PullError, PullOptions, Stage,
    StopReason, Trial, catalogue::resolve_model_name, engine_package::ENGINE_LICENCE, engine_to_fetch, find_engine,
    is_present, pull_engine, pull_model,
};
use agon_runtime::{
    message::{ChatMessage, ChatRole},
    participant::{Answer, Call, CallFailure, Deltas, Participant, Probe},
    prompts::ModelSize,
};
use tokio::sync::OnceCell;

use crate::{
    context::{Context, Frontend},
    failure::{Failure, Result, exit},
};

/// What to do about an engine that cannot be used.
const ANOTHER_ENGINE: &str = "fetch it again with agon models pull, unset AGON_ENGINE if that is set, or name another model, for \
                              example --model ollama:llama3.2";

/// What to say of a processor that is too old for fast kernels.
const SLOW: &str = "this processor lacks the instructions that make the embedded model fast (AVX2, on Arm the dot \
                    product), so it is several times slower here";

/// What to do about it.
const ANOTHER_PROCESSOR: &str = "name another model, for example --model ollama:llama3.2";

/// The embedded model; loaded when it is first asked.
struct EmbeddedModel {
    name: String,
    path: PathBuf,
    folder: EngineFolder,
    options: EngineOptions,
    size: ModelSize,
    libraries: OnceCell<LoadedEngine>,
    engine: OnceCell<Engine>,
}

/// Files up to this size hold models of up to about four billion parameters, at four to five bits each.
const SMALL_BYTES_MAX: u64 = 3_000_000_000;

/// The model called `name`, fetched first where it is not here.
pub async fn prepare_participant(name: Option<&str>, context: &Context) -> Result<Arc<dyn Participant>> {
    let model = resolve_model(name)?;
    let (models, frontend) = (&context.places.models, &*context.frontend);
    // The engine first: it is small, and without it a model is of no use.
    let folder = fetch_engine(models, context.offline, frontend).await?;
    let path = fetch_model(&model, models, context.offline, frontend).await?;
    let options = EngineOptions {
        threads: context.config.local.threads,
        context_tokens: context.config.local.context_tokens,
        ..EngineOptions::default()
    };
    let name = match &model {
        ModelRef::Known(model) => model.title.to_owned(),
        ModelRef::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let is_small = std::fs::metadata(&path).is_ok_and(|file| file.len() <= SMALL_BYTES_MAX);
    let size = if is_small { ModelSize::Small } else { ModelSize::Large };
    let (libraries, engine) = (OnceCell::new(), OnceCell::new());
    Ok(Arc::new(EmbeddedModel { name, path, folder, options, size, libraries, engine }))
}

/// Whether a local model was measured to read well enough that what it reads may decide.
pub fn is_fit_reader(name: Option<&str>) -> bool {
    matches!(resolve_model(name), Ok(ModelRef::Known(model)) if model.is_fit_reader())
}

/// What all names of one local model have in common.
pub fn model_identity(name: Option<&str>) -> Result<String> {
    Ok(match resolve_model(name)? {
        ModelRef::Known(model) => format!("local:{}", model.title),
        ModelRef::File(path) => format!("local:{}", path.display()),
    })
}

/// What the name of a local model stands for; none is the default.
pub fn resolve_model(name: Option<&str>) -> Result<ModelRef> {
    resolve_model_name(name.unwrap_or("local"))
        .map_err(|error| Failure::unknown(error.to_string(), "agon models list shows the available models"))
}

/// What is downloaded for the local model called `name`, as sentences; none where nothing is.
pub fn describe_downloads(name: Option<&str>, dir: &std::path::Path) -> Vec<String> {
    let model = resolve_model(name).ok().and_then(|model| to_download(&model, dir));
    model.into_iter().chain(engine_to_fetch(dir).map(|package| engine_download(package, dir))).collect()
}

fn engine_download(package: &EnginePackage, dir: &std::path::Path) -> String {
    format!(
        "The engine of the embedded model, llama.cpp {} ({:.0} MB, licence {ENGINE_LICENCE}), is downloaded once into {}.",
        package.release,
        package.packed as f64 / 1e6,
        dir.display()
    )
}

fn to_download(model: &ModelRef, dir: &std::path::Path) -> Option<String> {
    let ModelRef::Known(known) = model else { return None };
    let tried = if known.tried { "" } else { "; never run by this project" };
    (!is_present(model, dir)).then(|| {
        format!(
            "The embedded model {} ({:.2} GB, licence {}{tried}) is downloaded once into {}.",
            known.title,
            known.size as f64 / 1e9,
            known.licence,
            dir.display()
        )
    })
}

/// Makes sure that a model is here: says what is fetched, how large it is and under which licence,
/// before anything is.
pub async fn fetch_model(
    model: &ModelRef,
    dir: &std::path::Path,
    offline: bool,
    frontend: &dyn Frontend,
) -> Result<PathBuf> {
    if !offline && let Some(told) = to_download(model, dir) {
        frontend.note(&told);
    }
    pull_model(model, dir, PullOptions { offline }, &mut progress_reporter(frontend)).await.map_err(download_failure)
}

/// Makes sure that the libraries that run models are here, likewise.
pub async fn fetch_engine(dir: &std::path::Path, offline: bool, frontend: &dyn Frontend) -> Result<EngineFolder> {
    if !offline && let Some(package) = engine_to_fetch(dir) {
        frontend.note(&engine_download(package, dir));
    }
    find_engine(dir, PullOptions { offline }, &mut progress_reporter(frontend)).await.map_err(download_failure)
}

/// Fetches `package` from `source`, likewise, and gives its folder.
pub async fn fetch_package(
    package: &'static EnginePackage,
    source: &EngineSource,
    dir: &std::path::Path,
    offline: bool,
    frontend: &dyn Frontend,
) -> Result<PathBuf> {
    if !offline && !package.is_in(&package.folder_in(dir)) {
        frontend.note(&engine_download(package, dir));
    }
    let fetched = pull_engine(package, dir, source, PullOptions { offline }, &mut progress_reporter(frontend)).await;
    fetched.map_err(download_failure)
}

/// Shows how far a download has come.
fn progress_reporter(frontend: &dyn Frontend) -> impl FnMut(Progress) + Send {
    let mut show = frontend.download_progress();
    move |progress: Progress| {
        let doing = match progress.stage {
            Stage::Waiting => "another process is downloading it",
            Stage::Fetching => "fetching",
            Stage::Verifying => "verifying",
        };
        show(doing, progress.done, progress.total);
    }
}

/// Checks that the local model called `name` can be one, where it is a file of the user. Nothing is fetched or loaded.
pub fn check_file(name: Option<&str>) -> Result<()> {
    match resolve_model(name)? {
        ModelRef::File(path) => agon_local::check_file(&path).map_err(download_failure),
        ModelRef::Known(_) => Ok(()),
    }
}

/// A download that failed, or is not possible.
pub fn download_failure(error: PullError) -> Failure {
    let (exit, code, remedy) = match &error {
        PullError::NoFile(_) | PullError::NoModel(_) => (exit::UNKNOWN, "unknown", OWN_FILE),
        PullError::Disk { .. } => (exit::IO, "io", ANOTHER_FOLDER),
        PullError::Engine(_) => (exit::USAGE, "engine", ANOTHER_ENGINE),
        PullError::Platform(_) => (exit::USAGE, "engine", ANOTHER_PROCESSOR),
        _ => (exit::PROVIDER, "provider", ANOTHER_MODEL),
    };
    Failure::new(exit, code, error.to_string(), remedy)
}

/// What to do about a model that cannot be fetched.
const ANOTHER_MODEL: &str = "or name another model, for example --model ollama:llama3.2";

/// What to do about a file of the user that is not a model.
const OWN_FILE: &str = "give the path of a GGUF file, or a name that agon models list shows";

/// What to do about a folder in which models cannot be kept.
const ANOTHER_FOLDER: &str =
    "free space or grant permission there, or set AGON_MODELS to another folder, then repeat the command";

#[async_trait::async_trait]
impl Participant for EmbeddedModel {
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let libraries = self.load_libraries().await.map_err(to_call_failure)?;
        let load = || Engine::load(libraries, &self.path, self.options.clone());
        let engine = self.engine.get_or_try_init(load).await.map_err(to_call_failure)?;
        if !call.chain.is_empty() {
            return chain::answer_by_chain(engine, &self.name, call, deltas).await;
        }
        let prompt = LocalPrompt {
            schema: call.schema.as_deref().map(FormField::to_string),
            tokens_max: call.tokens_max,
            seed: call.seed,
            temperature: call.temperature,
            earlier: call.earlier.to_vec(),
            ..LocalPrompt::new(call.messages.iter().map(to_prompt_message).collect())
        };
        // Dropping this future must not leave the model computing an answer that is not wanted any more.
        let cancel = CancelOnDrop(CancelToken::default());
        let generated = engine.generate(prompt, cancel.0.clone(), |text| deltas.push_delta(text)).await;
        let Generation { text, prompt_tokens, cached_tokens, completion_tokens, finish, computed_by, .. } =
            generated.map_err(to_call_failure)?;
        let usage = Some(Usage {
            requests: 1,
            prompt_tokens: prompt_tokens.into(),
            cached_tokens: cached_tokens.into(),
            completion_tokens: completion_tokens.into(),
            ..Usage::default()
        });
        match finish {
            StopReason::Stop => Ok(Answer { text, usage, model: Some(self.name.clone()), engine: Some(computed_by) }),
            StopReason::Length | StopReason::Cancelled => {
                let message = format!("the answer was cut at {} tokens", call.tokens_max);
                Err(CallFailure::Answered { kind: FailureKind::Truncated, message, usage })
            }
        }
    }

    fn model_size(&self) -> ModelSize {
        self.size
    }

    /// An engine that cannot be used is found before anything is asked.
    fn is_model(&self) -> bool {
        true
    }

    async fn probe(&self) -> std::result::Result<Probe, CallFailure> {
        let libraries = self.load_libraries().await.map_err(to_call_failure)?;
        Ok(match &libraries.note {
            Some(note) => Probe::Doubtful(note.clone()),
            None if libraries.is_slow() => Probe::Doubtful(format!("{SLOW}; {ANOTHER_PROCESSOR}")),
            None => Probe::Ready,
        })
    }
}

impl EmbeddedModel {
    async fn load_libraries(&self) -> std::result::Result<&LoadedEngine, EngineError> {
        self.libraries.get_or_try_init(|| load_engine(&self.folder, &self.path)).await
    }
}

async fn load_engine(folder: &EngineFolder, model: &std::path::Path) -> std::result::Result<LoadedEngine, EngineError> {
    let program = std::env::current_exe().ok();
    let trial = program.map(|program| Trial { program, arguments: vec![TRY_ENGINE.into()] });
    folder.load_engine(model, trial.as_ref()).await
}

/// The command by which agon tries an engine in a process of its own.
const TRY_ENGINE: &str = "try-engine";

/// A message of a prompt, as the engine takes it.
fn to_prompt_message(message: &ChatMessage) -> PromptMessage {
    let role = match message.role {
        ChatRole::System => PromptRole::System,
        ChatRole::User => PromptRole::User,
        ChatRole::Assistant => PromptRole::Assistant,
    };
    PromptMessage { role, text: message.text.clone() }
}

fn default_model_path(models: &std::path::Path) -> PathBuf {
    models.join(agon_local::catalogue::MODELS[0].file_name())
}

/// The engine of the embedded model, as `agon doctor` tells of it: what it is, or that it is fetched with the first debate,
/// and what is wrong with it.
pub async fn engine_health(models: &std::path::Path) -> (String, Option<Failure>) {
    let what = "engine of the embedded model".to_owned();
    match EngineFolder::locate(models) {
        Err(error) => (what, Some(download_failure(error.into()))),
        Ok(None) => match engine_to_fetch(models) {
            Some(package) => {
                let told = engine_download(package, models);
                (
                    what,
                    Some(Failure::usage(
                        "",
                        format!("{told} To do it now: agon models pull --engine {}", package.kind.name()),
                    )),
                )
            }
            None => (what, Some(download_failure(agon_local::no_package()))),
        },
        Ok(Some(folder)) if folder.needs_trial() && !default_model_path(models).is_file() => {
            (format!("{what} (it is tried when there is a model: agon models pull)"), None)
        }
        Ok(Some(folder)) => match load_engine(&folder, &default_model_path(models)).await {
            Ok(engine) => {
                let problem = engine.note.clone().or_else(|| engine.is_slow().then(|| SLOW.to_owned()));
                let what = format!("{what}: {}", engine.description());
                (what, problem.map(|problem| Failure::usage(problem, ANOTHER_PROCESSOR)))
            }
            Err(error) => (what, Some(download_failure(error.into()))),
        },
    }
}

fn to_call_failure(error: EngineError) -> CallFailure {
    match error {
        EngineError::Folder { .. } => {
            CallFailure::Unavailable { message: error.to_string(), remedy: ANOTHER_ENGINE.into() }
        }
        EngineError::TooLong { tokens, answer, context } => {
            let tokens = u64::from(tokens) + u64::from(answer);
            let message = format!("the prompt has {tokens} tokens, but the model's context has {context}");
            CallFailure::TooLong { message, usage: None }
        }
        error => CallFailure::Unavailable {
            message: error.to_string(),
            remedy: "download it again with agon models pull, or name another model".into(),
        },
    }
}

struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
