//! What can answer here next to the embedded model, with the command that uses it: for `agon doctor`, and for
//! one line after the first debate that the embedded model held.

use std::{env, time::Duration};

use agon_app::{Context, Failure, participants};
use agon_core::Opened;
use agon_runtime::{
    config::{Config, ModelSpec, keyed_providers},
    participant::{CallFailure, Participant, Probe, command},
};

use super::CommandContext;
use crate::{cli::Output, ui};

/// How long Ollama may take to list its models.
const OLLAMA_WAIT: Duration = Duration::from_secs(1);
/// How long a debate's last line may wait for all of it.
const OFFER_WAIT: Duration = Duration::from_secs(5);
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
pub struct Available {
    /// What it is.
    pub what: String,
    /// The name to give to `--model`, where it can be asked.
    pub model: Option<String>,
    /// What keeps it from being asked.
    pub problem: Option<Failure>,
    /// The size of a model on this machine, where known.
    bytes: Option<u64>,
}

impl Available {
    /// The exact command that uses it.
    pub fn command(&self) -> Option<String> {
        self.model.as_deref().filter(|_| self.problem.is_none()).map(command_with)
    }
}

fn command_with(model: &str) -> String {
    // What a server calls its models is foreign text, and this line is meant to be copied.
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:/@+-".contains(c);
    let model = if model.chars().all(plain) { model.to_owned() } else { "MODEL".to_owned() };
    format!("agon run exchange \"…\" --model {model}")
}

/// Everything that was found, the best first: hosted models whose key is set, agents, Ollama.
pub async fn available(config: &Config) -> Vec<Available> {
    let (agents, ollama) = futures::join!(agents(config), ollama(config));
    keys(config).into_iter().chain(agents).chain([ollama]).collect()
}

/// Keys in the environment.
fn keys(config: &Config) -> Vec<Available> {
    let keyed = keyed_providers(config);
    let set = |variable: &&&str| env::var_os(variable).is_some_and(|value| !value.is_empty());
    let used = |variable: &&&str| keyed.iter().any(|keyed| keyed.variable == **variable);
    let unused = NEED_CONFIGURATION.iter().filter(set).filter(|variable| !used(variable));
    let unused = unused.map(|variable| Available {
        what: format!("{variable} is set, and no provider uses it"),
        model: None,
        problem: Some(Failure::usage("", "docs/configuration.md shows the [providers] section that does")),
        bytes: None,
    });
    let found = keyed.iter().map(|keyed| {
        let (provider, variable) = (&keyed.provider, &keyed.variable);
        let stands =
            keyed.model.as_ref().map_or(String::new(), |model| format!(" ({provider} stands for {model})"));
        // Without a default, the user must name one.
        let model = keyed.model.as_ref().map_or_else(|| format!("{provider}:MODEL"), |_| provider.clone());
        Available {
            what: format!("{variable} is set{stands}"),
            model: Some(model),
            problem: None,
            bytes: None,
        }
    });
    found.chain(unused).collect()
}

/// Ollama, where it answers.
async fn ollama(config: &Config) -> Available {
    let missing = |host: &str, why: &str, remedy: &str| Available {
        what: format!("Ollama at {host}"),
        model: None,
        problem: Some(Failure::usage(why, remedy)),
        bytes: None,
    };
    // Which model does not matter for where it is.
    let server = match ModelSpec::parse("ollama:any", config) {
        Ok(ModelSpec::Provider(choice)) => participants::server(&choice),
        _ => return missing("its address", "it is configured as another kind", "see [providers.ollama]"),
    };
    let server = match server {
        Ok(server) => server,
        Err(failure) => return missing("its address", &failure.message, &failure.remedy),
    };
    let host = server.host();
    let Some(models) = server.served(OLLAMA_WAIT).await else {
        return missing(&host, "no answer", "start it, or set OLLAMA_HOST if it is elsewhere");
    };
    let chat: Vec<_> = models.iter().filter(|(name, _)| !name.contains("embed")).collect();
    let Some((largest, bytes)) = chat.first() else {
        return missing(&host, "it answers, and has no model", "get one, for example: ollama pull llama3.2");
    };
    let named = chat.iter().take(NAMED_MAX).map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let more = if chat.len() > NAMED_MAX { ", …" } else { "" };
    Available {
        what: format!("Ollama answers at {host} ({named}{more})"),
        model: Some(format!("ollama:{largest}")),
        problem: None,
        bytes: Some(*bytes),
    }
}

/// Every command-line agent that is known or configured, and what keeps it from being asked.
async fn agents(config: &Config) -> Vec<Available> {
    let known = command::names().filter(|name| !config.commands.contains_key(*name));
    let known = known.map(|name| format!("cli:{name}"));
    let configured = config.commands.keys().map(|name| format!("cli:{name}"));
    let looks = known.chain(configured).map(|name| async move {
        let mut what = format!("agent {name}");
        let problem = match ModelSpec::parse(&name, config) {
            Ok(ModelSpec::Command(choice)) => {
                let command = command::CommandParticipant::new(choice);
                let probed = command.probe().await;
                what.extend(command.version().map(|version| format!(", {version}")));
                match probed {
                    Ok(Probe::Ready) => None,
                    Ok(Probe::Doubtful(why)) => Some(Failure::usage(why, "")),
                    Err(CallFailure::Unavailable { message, remedy }) => {
                        Some(Failure::usage(message, remedy))
                    }
                    Err(failure) => Some(Failure::usage(failure.to_string(), "")),
                }
            }
            Ok(_) => None,
            Err(error) => Some(error.into()),
        };
        Available { what, model: Some(name), problem, bytes: None }
    });
    futures::future::join_all(looks).await
}

/// After the first debate that the embedded model held: one line with the best of what was found.
pub async fn after(command_context: &CommandContext, context: &Context, opened: &Opened) {
    if command_context.quiet || command_context.output == Output::Json || !is_embedded(opened) {
        return;
    }
    if context.journal.has_other_with(&opened.debate, "local").unwrap_or(true) {
        return;
    }
    let Ok(found) = tokio::time::timeout(OFFER_WAIT, available(&context.config)).await else { return };
    if let Some(line) = offer(&found) {
        ui::out(&ui::paint(&ui::visible(&line), ui::DIM));
    }
}

/// Whether models answered, and the embedded one alone.
fn is_embedded(opened: &Opened) -> bool {
    let is_local = |model: &str| model == "local" || model.starts_with("local:");
    let mut models = opened.lineup.iter().map(|sat| sat.model.as_str());
    let mut asked =
        models.by_ref().filter(|model| !matches!(*model, "human" | "outside" | "fetched")).peekable();
    asked.peek().is_some() && asked.all(is_local)
}

fn offer(found: &[Available]) -> Option<String> {
    let better = |found: &&Available| {
        let named = found.model.as_deref().is_some_and(|model| !model.ends_with(":MODEL"));
        named && found.problem.is_none() && found.bytes.is_none_or(|bytes| bytes >= BETTER_BYTES)
    };
    let best = found.iter().find(better)?;
    Some(format!("A stronger model can answer here: {}", best.command()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(model: &str, bytes: Option<u64>, works: bool) -> Available {
        let problem = (!works).then(|| Failure::usage("no", ""));
        Available { what: "x".into(), model: Some(model.into()), problem, bytes }
    }

    #[test]
    fn the_first_that_works_and_is_better_is_offered() {
        let (key, agent) = (found("anthropic", None, true), found("cli:claude", None, false));
        let (large, small) =
            (found("ollama:qwen3:8b", Some(5_200_000_000), true), found("ollama:tiny", Some(9), true));
        let line = |found: &[Available]| offer(found).unwrap_or_default();
        assert!(
            line(&[key, found("cli:codex", None, true)])
                .ends_with("agon run exchange \"…\" --model anthropic")
        );
        assert!(line(&[agent, large]).ends_with("--model ollama:qwen3:8b"));
        assert_eq!(line(&[found("lab:MODEL", None, true), small]), "");
        let hostile = found("ollama:a; rm -rf ~", Some(BETTER_BYTES), true);
        assert!(hostile.command().is_some_and(|command| command.ends_with("--model MODEL")));
    }

    #[test]
    fn only_the_embedded_model_is_offered_something_better() {
        use agon_core::{Seat, SeatModel};
        let record = |models: [&str; 3]| {
            let seats = ["proposition", "opposition", "judge"].into_iter().zip(models);
            let lineup = seats.map(|(seat, model)| SeatModel::new(Seat::new(seat).unwrap(), model));
            Opened { lineup: lineup.collect(), ..agon_core_opened() }
        };
        assert!(is_embedded(&record(["local", "local:qwen", "human"])));
        assert!(!is_embedded(&record(["local", "openai:gpt-5", "local"])));
        assert!(!is_embedded(&record(["human", "outside", "human"])));
        assert!(!is_embedded(&record(["scripted:local", "scripted:local", "human"])));
    }

    fn agon_core_opened() -> Opened {
        serde_json::from_value(serde_json::json!({
            "debate": "d", "protocol": "exchange", "rules": 1, "motion": "m", "options": {}, "lineup": [],
            "limits": {"rounds": 1}, "seed": 1, "prompts": {}, "documents": {},
        }))
        .unwrap()
    }
}
