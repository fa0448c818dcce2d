//! The models that can answer on this machine next to the embedded one: hosted ones whose key is set, command-line agents,
//! Ollama. `agon doctor` lists all of them; a debate that falls back on the embedded model names the best.

use std::{collections::BTreeSet, env, time::Duration};

use agon_runtime::{
    config::{Config, ModelSpec, default_model, keyed_providers},
    participant::{
        CallFailure, Participant, Probe,
        command::{self, CommandParticipant},
    },
};

use crate::{failure::Failure, models::SeatedModel, participants, request::OpeningRequest};

/// How long Ollama may take to list its models.
const OLLAMA_WAIT: Duration = Duration::from_secs(1);
/// How long an agent may take to say its version and whether it is signed in, before a debate that does not use it.
const AGENT_WAIT: Duration = Duration::from_secs(3);
/// A model of Ollama's below this size is not better than the embedded one.
const BETTER_BYTES: u64 = 2_000_000_000;
/// Models of Ollama's that are named.
const NAMED_MAX: usize = 3;

/// Keys of services that are reached by configuration only.
const NEED_CONFIGURATION: [&str; 9] = [
    "OPENROUTER_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "DEEPSEEK_API_KEY",
    "XAI_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
];

/// Something that may answer.
#[derive(Debug, Default)]
pub struct AvailableModel {
    /// What it is.
    pub what: String,
    /// The name to give to `--model`, where it can be asked.
    pub model: Option<String>,
    /// What keeps it from being asked.
    pub problem: Option<Failure>,
    /// Whether it is on this machine, whatever keeps it from being asked.
    pub is_here: bool,
    /// The size of a model on this machine, where known.
    bytes: Option<u64>,
}

impl AvailableModel {
    /// The exact command that uses it.
    pub fn example_command(&self) -> Option<String> {
        let model = self.typed_name().filter(|_| self.problem.is_none());
        model.map(|model| format!("agon run exchange \"…\" --model {model}"))
    }

    /// Its name as it can be copied into a command line.
    fn typed_name(&self) -> Option<&str> {
        // What a server calls its models is foreign text.
        let plain = |c: char| c.is_ascii_alphanumeric() || "._:/@+-".contains(c);
        self.model.as_deref().map(|model| if model.chars().all(plain) { model } else { "MODEL" })
    }

    /// Whether it can be asked now, and is stronger than the embedded model.
    pub fn is_better(&self) -> bool {
        let is_named = self.model.as_deref().is_some_and(|model| !model.ends_with(":MODEL"));
        is_named && self.problem.is_none() && self.bytes.is_none_or(|bytes| bytes >= BETTER_BYTES)
    }
}

/// Whether the embedded model answers at a seat of `lineup` because nobody named a model, and another one may be named.
pub fn is_fallback(lineup: &[SeatedModel], request: &OpeningRequest, config: &Config) -> bool {
    let is_embedded = |name: &str| name == "local";
    let mut seats = request.seats.seats.iter().filter_map(|pair| pair.split_once('='));
    let is_settled = request.context.local_only
        || request.seats.model.is_some()
        || config.model.is_some()
        || seats.any(|(_, model)| is_embedded(model.trim()));
    !is_settled && is_embedded(&default_model(config)) && lineup.iter().any(|sat| is_embedded(&sat.entry.model))
}

/// Everything that is known, the best first: hosted models whose key is set, agents, Ollama. What is not there is among
/// them, with what to do.
pub async fn find_models(config: &Config) -> Vec<AvailableModel> {
    let (agents, ollama) = futures::join!(find_agents(config, None), find_ollama(config));
    find_keyed_models(config).into_iter().chain(agents).chain([ollama]).collect()
}

/// Names that `--model` takes here, found without asking anything: by configuration, keys, and agents on the path.
pub fn list_model_names(config: &Config) -> Vec<String> {
    let keyed = find_keyed_models(config).into_iter().filter_map(|found| found.model);
    let keyed = keyed.filter(|model| !model.ends_with(":MODEL"));
    let agents = name_agents(config).filter(|name| match ModelSpec::parse(name, config) {
        Ok(ModelSpec::Command(choice)) => CommandParticipant::new(choice).is_installed(),
        _ => false,
    });
    let mut names: Vec<String> = config.model.iter().cloned().chain(keyed).chain(agents).collect();
    names.extend(["local", "outside", "human"].map(str::to_owned));
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// What is here. It takes a few seconds at most, and no other machine is asked.
pub async fn find_soon(config: &Config) -> Vec<AvailableModel> {
    let is_loopback = matches!(
        ModelSpec::parse("ollama:any", config),
        Ok(ModelSpec::Provider(choice)) if choice.leaves_machine().is_none()
    );
    let ollama = async { if is_loopback { Some(find_ollama(config).await) } else { None } };
    let (agents, ollama) = futures::join!(find_agents(config, Some(AGENT_WAIT)), ollama);
    let all = find_keyed_models(config).into_iter().chain(agents).chain(ollama);
    all.filter(|found| found.is_here).collect()
}

/// What a debate that falls back on the embedded model says of `found`, as a sentence without its full stop.
pub fn describe_available(found: &[AvailableModel]) -> String {
    let ready = found.iter().find(|found| found.is_better());
    let ready = ready.or_else(|| found.iter().find(|found| found.problem.is_none() && found.model.is_some()));
    if let Some((found, model)) = ready.and_then(|found| Some((found, found.typed_name()?))) {
        let kind = if found.is_better() { "a stronger model is here" } else { "another model is here" };
        return format!("{kind}, {model}: add --model {model}");
    }
    let told = |found: &AvailableModel| {
        let problem = found.problem.as_ref()?;
        let parts = [found.what.as_str(), &problem.message, &problem.remedy];
        Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "))
    };
    found.iter().find_map(told).unwrap_or_else(|| {
        "no key, no command-line agent and no Ollama was found here; agon doctor says how to add one".to_owned()
    })
}

/// Keys in the environment.
fn find_keyed_models(config: &Config) -> Vec<AvailableModel> {
    let keyed = keyed_providers(config);
    let set = |variable: &&&str| env::var_os(variable).is_some_and(|value| !value.is_empty());
    let used = |variable: &&&str| keyed.iter().any(|keyed| keyed.variable == **variable);
    let unused = NEED_CONFIGURATION.iter().filter(set).filter(|variable| !used(variable));
    let unused = unused.map(|variable| AvailableModel {
        what: format!("{variable} is set, and no provider uses it"),
        problem: Some(Failure::usage("", "docs/configuration.md shows the [providers] section that does")),
        is_here: true,
        ..AvailableModel::default()
    });
    let found = keyed.iter().map(|keyed| {
        let (provider, variable) = (&keyed.provider, &keyed.variable);
        let stands = keyed.model.as_ref().map_or(String::new(), |model| format!(" ({provider} stands for {model})"));
        // Without a default, the user must name one.
        let model = keyed.model.as_ref().map_or_else(|| format!("{provider}:MODEL"), |_| provider.clone());
        let what = format!("{variable} is set{stands}");
        AvailableModel { what, model: Some(model), is_here: true, ..AvailableModel::default() }
    });
    found.chain(unused).collect()
}

/// Ollama, where it answers.
async fn find_ollama(config: &Config) -> AvailableModel {
    let lacking = |host: &str, is_here: bool, why: &str, remedy: &str| AvailableModel {
        what: format!("Ollama at {host}"),
        problem: Some(Failure::usage(why, remedy)),
        is_here,
        ..AvailableModel::default()
    };
    // Which model does not matter for where it is.
    let server = match ModelSpec::parse("ollama:any", config) {
        Ok(ModelSpec::Provider(choice)) => participants::build_server(&choice),
        _ => Err(Failure::usage("it is configured as another kind", "see [providers.ollama]")),
    };
    let server = match server {
        Ok(server) => server,
        Err(failure) => return lacking("its address", false, &failure.message, &failure.remedy),
    };
    let host = server.host_and_port();
    let Some(models) = server.list_served_models(OLLAMA_WAIT).await else {
        return lacking(&host, false, "no answer", "start it, or set OLLAMA_HOST if it is elsewhere");
    };
    let chat: Vec<_> = models.iter().filter(|(name, _)| !name.contains("embed")).collect();
    let Some((largest, bytes)) = chat.first() else {
        let remedy = "get one, for example: ollama pull llama3.2";
        return lacking(&host, true, "it answers, and has no model", remedy);
    };
    let named = chat.iter().take(NAMED_MAX).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let more = if chat.len() > NAMED_MAX { ", …" } else { "" };
    AvailableModel {
        what: format!("Ollama answers at {host} ({named}{more})"),
        model: Some(format!("ollama:{largest}")),
        problem: None,
        is_here: true,
        bytes: Some(*bytes),
    }
}

/// The names of every command-line agent that is known or configured.
fn name_agents(config: &Config) -> impl Iterator<Item = String> {
    let known = command::list_agent_names().filter(|name| !config.commands.contains_key(*name)).map(str::to_owned);
    known.chain(config.commands.keys().cloned()).map(|name| format!("cli:{name}"))
}

/// Every command-line agent that is known or configured, and what keeps it from being asked; each within `wait`, where
/// there is such a limit.
async fn find_agents(config: &Config, wait: Option<Duration>) -> Vec<AvailableModel> {
    let looks = name_agents(config).map(|name| async move {
        let (mut what, mut is_here) = (format!("agent {name}"), false);
        let problem = match ModelSpec::parse(&name, config) {
            Ok(ModelSpec::Command(choice)) => {
                let command = CommandParticipant::new(choice);
                is_here = command.is_installed();
                let problem = find_agent_problem(&command, wait).await;
                what.extend(command.version().map(|version| format!(", {version}")));
                problem
            }
            Ok(_) => None,
            Err(error) => Some(error.into()),
        };
        AvailableModel { what, model: Some(name), problem, is_here, bytes: None }
    });
    futures::future::join_all(looks).await
}

/// What keeps an agent from being asked.
async fn find_agent_problem(command: &CommandParticipant, wait: Option<Duration>) -> Option<Failure> {
    let probed = match wait {
        None => command.probe().await,
        Some(wait) => match tokio::time::timeout(wait, command.probe()).await {
            Ok(probed) => probed,
            Err(_) => {
                let why = format!("it did not say within {} s whether it is signed in", wait.as_secs());
                return Some(Failure::usage(why, "agon doctor waits longer"));
            }
        },
    };
    match probed {
        Ok(Probe::Ready) => None,
        Ok(Probe::Doubtful(why)) => Some(Failure::usage(why, "")),
        Err(CallFailure::Unavailable { message, remedy }) => Some(Failure::usage(message, remedy)),
        Err(failure) => Some(Failure::usage(failure.to_string(), "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(model: &str, bytes: Option<u64>, works: bool) -> AvailableModel {
        let problem = (!works).then(|| Failure::usage("it is not signed in", "sign in"));
        AvailableModel { what: format!("agent {model}"), model: Some(model.into()), problem, is_here: true, bytes }
    }

    #[test]
    fn the_best_that_is_here_is_named() {
        let large = || found("ollama:qwen3:8b", Some(5_200_000_000), true);
        let small = || found("ollama:tiny", Some(9), true);
        let signed_out = || found("cli:claude", None, false);
        let line = |found: &[AvailableModel]| describe_available(found);
        assert_eq!(
            line(&[found("anthropic", None, true), found("cli:codex", None, true)]),
            "a stronger model is here, anthropic: add --model anthropic"
        );
        assert!(line(&[signed_out(), large()]).ends_with("add --model ollama:qwen3:8b"));
        assert_eq!(line(&[small()]), "another model is here, ollama:tiny: add --model ollama:tiny");
        assert_eq!(line(&[signed_out()]), "agent cli:claude; it is not signed in; sign in");
        assert!(line(&[]).starts_with("no key, no command-line agent and no Ollama was found here"));
        let hostile = found("ollama:a; rm -rf ~", Some(BETTER_BYTES), true);
        assert!(hostile.example_command().is_some_and(|command| command.ends_with("--model MODEL")));
        assert!(!found("lab:MODEL", None, true).is_better());
    }
}
