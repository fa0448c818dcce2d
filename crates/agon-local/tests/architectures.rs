//! Architectures that the catalogue offers, or that users bring, load and generate: with tiny models of random
//! weights, which `tests/tiny_models.py` writes. They run only if `AGON_TEST_MODELS` names the directory that holds
//! them; otherwise each test prints that it is skipped.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // The helpers are part of the tests.

use std::path::PathBuf;

use agon_local::{CancelToken, Engine, EngineOptions, Generation, LocalPrompt, PromptMessage, StopReason};
use serde_json::{Value, json};

use crate::{ONE_AT_A_TIME, load, models};

const ARCHITECTURES: [&str; 5] = ["llama", "qwen3", "smollm3", "granitehybrid", "gemma"];

fn tiny(architecture: &str) -> Option<PathBuf> {
    let folder = models()?;
    Some(folder.join(format!("tiny-{architecture}.gguf"))).filter(|path| path.is_file())
}

/// Runs `test` with an engine for each architecture whose model is there.
async fn with_engines(test: impl AsyncFn(&Engine)) {
    let _guard = ONE_AT_A_TIME.lock().await;
    for architecture in ARCHITECTURES {
        let Some(path) = tiny(architecture) else {
            println!("skipped: AGON_TEST_MODELS does not hold tiny-{architecture}.gguf");
            continue;
        };
        println!("{architecture}");
        let options = EngineOptions { threads: Some(1), context_tokens: Some(2048), ..EngineOptions::default() };
        test(&load(&path, options).await.unwrap()).await;
    }
}

fn prompt(question: &str) -> LocalPrompt {
    let messages = vec![PromptMessage::system("Be fair."), PromptMessage::user(question)];
    LocalPrompt { tokens_max: 12, ..LocalPrompt::new(messages) }
}

async fn run(engine: &Engine, prompt: LocalPrompt) -> Generation {
    let mut streamed = String::new();
    let done = engine.generate(prompt, CancelToken::default(), |delta| streamed.push_str(delta)).await.unwrap();
    assert_eq!(streamed, done.text);
    done
}

#[tokio::test]
async fn each_architecture_loads_and_generates_after_instructions_and_a_question() {
    with_engines(async |engine| {
        let done = run(engine, prompt("Which is larger, the sun or the moon?")).await;
        assert!(done.prompt_tokens > 40 && done.completion_tokens > 0, "{done:?}");
        assert!(done.model_name.starts_with("tiny "), "{}", done.model_name);
    })
    .await;
}

#[tokio::test]
async fn each_architecture_follows_a_schema() {
    let schema = json!({
        "type": "object", "required": ["winner"], "additionalProperties": false,
        "properties": {"winner": {"enum": ["A", "B"]}},
    });
    with_engines(async |engine| {
        let ask = LocalPrompt { schema: Some(schema.to_string()), tokens_max: 80, ..prompt("Who is right?") };
        let done = run(engine, ask).await;
        assert_eq!(done.finish, StopReason::Stop, "{done:?}");
        let value: Value = serde_json::from_str(&done.text).unwrap();
        assert!(["A", "B"].contains(&value["winner"].as_str().unwrap()), "{value}");
    })
    .await;
}

#[tokio::test]
async fn each_architecture_answers_alike_from_a_cached_beginning() {
    with_engines(async |engine| {
        let first = run(engine, prompt("Name a colour.")).await;
        let again = run(engine, prompt("Name a colour.")).await;
        assert_eq!(first.prompt_tokens, again.prompt_tokens);
        println!("{} of {} tokens were cached", again.cached_tokens, again.prompt_tokens);
        // A recurrent state cannot be cut back everywhere; what is claimed to be cached must be part of the prompt.
        assert!(again.cached_tokens <= again.prompt_tokens);
        let other = run(engine, prompt("Name a number, and say why you like it.")).await;
        assert!(other.completion_tokens > 0);
    })
    .await;
}
