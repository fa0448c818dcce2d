//! The embedded model as a participant.

mod chain;

use std::{path::PathBuf, sync::Arc};

use agon_core::{FailureKind, Usage};
use agon_local::{
    CancelToken, Engine, EngineError, EngineOptions, Generation, KernelSupport, LocalPrompt, ModelRef,
    Progress, PromptMessage, PromptRole, PullError, PullOptions, Stage, StopReason, catalogue::resolve,
    is_present, kernel_support, pull,
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

/// What to do about kernels that use less than the processor has.
const REBUILD: &str = "build it again as docs/install.md says of kernels";

/// What to do about kernels that use more than the processor has.
const ANOTHER_PROCESSOR: &str = "name another model, for example --model ollama:llama3.2, or build agon for this \
                                 processor as docs/install.md says of kernels";

/// The embedded model; loaded when it is first asked.
struct EmbeddedModel {
    name: String,
    path: PathBuf,
    options: EngineOptions,
    size: ModelSize,
    engine: OnceCell<Engine>,
}

/// Files up to this size hold models of up to about four billion parameters, at four to five bits each.
const SMALL_BYTES_MAX: u64 = 3_000_000_000;

/// The model called `name`, fetched first where it is not here.
pub async fn seat(name: Option<&str>, context: &Context) -> Result<Arc<dyn Participant>> {
    let model = model(name)?;
    let path = fetch(&model, &context.places.models, context.offline, &*context.frontend).await?;
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
    Ok(Arc::new(EmbeddedModel { name, path, options, size, engine: OnceCell::new() }))
}

/// What all names of one local model have in common.
pub fn identity(name: Option<&str>) -> Result<String> {
    Ok(match model(name)? {
        ModelRef::Known(model) => format!("local:{}", model.title),
        ModelRef::File(path) => format!("local:{}", path.display()),
    })
}

/// What the name of a local model stands for; none is the default.
pub fn model(name: Option<&str>) -> Result<ModelRef> {
    resolve(name.unwrap_or("local"))
        .map_err(|error| Failure::unknown(error.to_string(), "agon models list shows the available models"))
}

/// What is downloaded for the local model called `name`, as a sentence; none where nothing is.
pub fn download(name: Option<&str>, dir: &std::path::Path) -> Option<String> {
    to_download(&model(name).ok()?, dir)
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
pub async fn fetch(
    model: &ModelRef,
    dir: &std::path::Path,
    offline: bool,
    frontend: &dyn Frontend,
) -> Result<PathBuf> {
    if !offline && let Some(told) = to_download(model, dir) {
        frontend.note(&told);
    }
    let mut show = frontend.download();
    let mut report = |progress: Progress| {
        let doing = match progress.stage {
            Stage::Waiting => "another process is downloading it",
            Stage::Fetching => "fetching",
            Stage::Verifying => "verifying",
        };
        show(doing, progress.done, progress.total);
    };
    let path = pull(model, dir, PullOptions { offline }, &mut report).await;
    drop(show);
    path.map_err(unfetched)
}

/// Checks that the local model called `name` can be one, where it is a file of the user. Nothing is fetched or loaded.
pub fn check_file(name: Option<&str>) -> Result<()> {
    match model(name)? {
        ModelRef::File(path) => agon_local::check_file(&path).map_err(unfetched),
        ModelRef::Known(_) => Ok(()),
    }
}

fn unfetched(error: PullError) -> Failure {
    let (exit, code, remedy) = match &error {
        PullError::NoFile(_) | PullError::NoModel(_) => (exit::UNKNOWN, "unknown", OWN_FILE),
        PullError::Disk { .. } => (exit::IO, "io", ANOTHER_FOLDER),
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
        let load = || Engine::load(&self.path, self.options.clone());
        let engine = self.engine.get_or_try_init(load).await.map_err(failure)?;
        if !call.chain.is_empty() {
            return chain::answer(engine, &self.name, call, deltas).await;
        }
        let prompt = LocalPrompt {
            schema: call.schema.as_deref().cloned(),
            tokens_max: call.tokens_max,
            seed: call.seed,
            temperature: call.temperature,
            earlier: call.earlier.to_vec(),
            ..LocalPrompt::new(call.messages.iter().map(message).collect())
        };
        // Dropping this future must not leave the model computing an answer that is not wanted any more.
        let cancel = CancelOnDrop(CancelToken::default());
        let generated = engine.generate(prompt, cancel.0.clone(), |text| deltas.delta(text)).await;
        let Generation { text, prompt_tokens, cached_tokens, completion_tokens, finish, .. } =
            generated.map_err(failure)?;
        let usage = Some(Usage {
            requests: 1,
            prompt_tokens: prompt_tokens.into(),
            cached_tokens: cached_tokens.into(),
            completion_tokens: completion_tokens.into(),
            ..Usage::default()
        });
        match finish {
            StopReason::Stop => Ok(Answer { text, usage, model: Some(self.name.clone()) }),
            StopReason::Length | StopReason::Cancelled => {
                let message = format!("the answer was cut at {} tokens", call.tokens_max);
                Err(CallFailure::Answered { kind: FailureKind::Truncated, message, usage })
            }
        }
    }

    fn size(&self) -> ModelSize {
        self.size
    }

    /// A processor on which the model cannot run is found before anything is asked.
    async fn probe(&self) -> std::result::Result<Probe, CallFailure> {
        match kernel_support() {
            KernelSupport::Full => Ok(Probe::Ready),
            KernelSupport::Slow(unused) => Ok(Probe::Doubtful(format!("{}; {REBUILD}", slow(&unused)))),
            KernelSupport::Unsupported(absent) => Err(failure(EngineError::Processor(absent))),
        }
    }
}

/// A message of a prompt, as the engine takes it.
fn message(message: &ChatMessage) -> PromptMessage {
    let role = match message.role {
        ChatRole::System => PromptRole::System,
        ChatRole::User => PromptRole::User,
        ChatRole::Assistant => PromptRole::Assistant,
    };
    PromptMessage { role, text: message.text.clone() }
}

/// What keeps the embedded model from running on this processor, or from running as fast as it could.
pub fn processor_problem() -> Option<Failure> {
    match kernel_support() {
        KernelSupport::Full => None,
        KernelSupport::Slow(unused) => Some(Failure::usage(slow(&unused), REBUILD)),
        KernelSupport::Unsupported(absent) => {
            Some(Failure::usage(EngineError::Processor(absent).to_string(), ANOTHER_PROCESSOR))
        }
    }
}

fn slow(unused: &[&str]) -> String {
    format!("it was built without {}, which makes it several times slower here", unused.join(", "))
}

fn failure(error: EngineError) -> CallFailure {
    match error {
        EngineError::Processor(_) => {
            CallFailure::Unavailable { message: error.to_string(), remedy: ANOTHER_PROCESSOR.into() }
        }
        EngineError::TooLong { tokens, answer, context } => {
            CallFailure::TooLong { tokens: u64::from(tokens) + u64::from(answer), context: context.into() }
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
