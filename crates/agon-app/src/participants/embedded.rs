//! The embedded model as a participant.

use std::{path::PathBuf, sync::Arc};

use agon_core::{FailureKind, Usage};
use agon_local::{
    CancelToken, Engine, EngineError, EngineOptions, Generation, LocalPrompt, ModelRef, Progress,
    PromptMessage, PromptRole, PullError, PullOptions, Stage, StopReason, catalogue::resolve, is_present,
    pull,
};
use agon_runtime::participant::{Answer, Call, CallFailure, ChatRole, Deltas, Participant, Probe};
use tokio::sync::OnceCell;

use crate::{
    context::{Context, Frontend},
    failure::{Failure, Result, exit},
};

/// The embedded model; loaded when it is first asked.
struct EmbeddedModel {
    name: String,
    path: PathBuf,
    options: EngineOptions,
    engine: OnceCell<Engine>,
}

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
    Ok(Arc::new(EmbeddedModel { name, path, options, engine: OnceCell::new() }))
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

/// Makes sure that a model is here: says what is fetched, how large it is and under which licence,
/// before anything is.
pub async fn fetch(
    model: &ModelRef,
    dir: &std::path::Path,
    offline: bool,
    frontend: &dyn Frontend,
) -> Result<PathBuf> {
    if let ModelRef::Known(known) = model
        && !is_present(model, dir)
        && !offline
    {
        frontend.note(&format!(
            "The embedded model {} ({:.2} GB, licence {}) is downloaded once to {}.",
            known.title,
            known.size as f64 / 1e9,
            known.licence,
            dir.display()
        ));
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
    path.map_err(|error| {
        let (exit, code) = match &error {
            PullError::NoFile(_) => (exit::UNKNOWN, "unknown"),
            PullError::Disk { .. } => (exit::IO, "io"),
            _ => (exit::PROVIDER, "provider"),
        };
        Failure::new(
            exit,
            code,
            error.to_string(),
            "or name another model, for example --model ollama:llama3.2",
        )
    })
}

#[async_trait::async_trait]
impl Participant for EmbeddedModel {
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let load = || Engine::load(&self.path, self.options.clone());
        let engine = self.engine.get_or_try_init(load).await.map_err(failure)?;
        let messages = call.messages.iter().map(|message| PromptMessage {
            role: match message.role {
                ChatRole::System => PromptRole::System,
                ChatRole::User => PromptRole::User,
                ChatRole::Assistant => PromptRole::Assistant,
            },
            text: message.text.clone(),
        });
        let prompt = LocalPrompt {
            schema: call.schema.as_deref().cloned(),
            tokens_max: call.tokens_max,
            seed: call.seed,
            temperature: call.temperature,
            earlier: call.earlier.to_vec(),
            ..LocalPrompt::new(messages.collect())
        };
        // When this future is dropped, the model must stop computing.
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

    async fn probe(&self) -> std::result::Result<Probe, CallFailure> {
        Ok(Probe::Ready)
    }
}

fn failure(error: EngineError) -> CallFailure {
    match error {
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
