//! Measures the engine against a bare decode loop over the same runtime, and a prompt with a shared
//! beginning against a cold one. Run with `AGON_TEST_MODELS=<dir> cargo bench -p agon-local`.
//!
//! Prints ratios, because tokens per second say more about the machine than about the engine.
//! Targets: generation at 0.9 or more of the bare loop, a shared beginning 5 times faster or more.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Instant;

use agon_local::{CancelToken, Engine, EngineOptions, LocalPrompt, PromptMessage, catalogue, most_threads};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;

const ROUNDS: usize = 3;
const TOKENS: u32 = 96;
const CONTEXT: u32 = 4096;
const QUESTION: &str = "Write a long essay about the history of cities and of trade between them.";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let Some(dir) = std::env::var_os("AGON_TEST_MODELS").map(PathBuf::from) else {
        println!("skipped: AGON_TEST_MODELS names no directory with models");
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    for model in catalogue::MODELS {
        let path = dir.join(model.file_name());
        if path.is_file() {
            println!("{}", model.title);
            runtime.block_on(generation(&path))?;
            runtime.block_on(shared_beginning(&path))?;
        } else {
            println!("skipped: {} is not in {}", model.name, dir.display());
        }
    }
    Ok(())
}

fn options() -> EngineOptions {
    EngineOptions { context_tokens: Some(CONTEXT), ..EngineOptions::default() }
}

/// Tokens per second of the engine with all its samplers, beside greedy sampling on the bare runtime.
async fn generation(path: &Path) -> Outcome<()> {
    let backend = agon_local::backend()?;
    let model = LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())?;
    let threads = most_threads(None).cast_signed();
    let parameters = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(CONTEXT))
        .with_n_threads(threads)
        .with_n_threads_batch(threads);
    let mut context = model.new_context(backend, parameters)?;

    let engine = Engine::load(path, options()).await?;
    let mut prompt = LocalPrompt::new(vec![PromptMessage::user(QUESTION)]);
    prompt.tokens_max = TOKENS;
    // As many as the sampler looks back on.
    prompt.earlier = (0..400).map(|n| format!("Statement {n}.")).collect();

    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        prompt.seed = round as u64;
        let done = engine.generate(prompt.clone(), CancelToken::default(), |_| ()).await?;
        ours.push(f64::from(done.completion_tokens) / done.generation_seconds);
        bare.push(bare_loop(&model, &mut context)?);
    }
    let (ours, bare) = (best(ours), best(bare));
    println!("  generation: {ours:.1} tokens/s, bare loop {bare:.1}, ratio {:.2}", ours / bare);
    Ok(())
}

fn bare_loop(model: &LlamaModel, context: &mut LlamaContext<'_>) -> Outcome<f64> {
    context.clear_kv_cache();
    let tokens = model.vocab().tokenize(QUESTION.as_bytes(), true, false);
    let mut batch = LlamaBatch::new(512, 1);
    batch.add_sequence(&tokens, 0, false)?;
    context.decode(&mut batch)?;
    context.synchronize();
    let mut sampler = LlamaSampler::greedy();
    let start = Instant::now();
    for position in (tokens.len() as i32..).take(TOKENS as usize) {
        let token = sampler.sample(context, batch.n_tokens() - 1);
        batch.clear();
        batch.add(token, position, &[0], true)?;
        context.decode(&mut batch)?;
    }
    context.synchronize();
    Ok(f64::from(TOKENS) / start.elapsed().as_secs_f64())
}

/// Time to evaluate a prompt, cold and after another with the same beginning of some 2,000 tokens.
async fn shared_beginning(path: &Path) -> Outcome<()> {
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let engine = Engine::load(path, options()).await?;
        let beginning: String = (0..200).map(|n| format!("Point {round}.{n}: trade grew. ")).collect();
        let ask = async |question: &str| {
            let messages = vec![PromptMessage::system(beginning.clone()), PromptMessage::user(question)];
            let prompt = LocalPrompt { tokens_max: 1, ..LocalPrompt::new(messages) };
            engine.generate(prompt, CancelToken::default(), |_| ()).await
        };
        let first = ask("Who is right?").await?;
        let second = ask("What is missing?").await?;
        if round == 0 {
            println!("  prompt of {} tokens, {} shared", second.prompt_tokens, second.cached_tokens);
        }
        cold.push(1.0 / first.prompt_seconds);
        warm.push(1.0 / second.prompt_seconds);
    }
    let (cold, warm) = (best(cold), best(warm));
    println!(
        "  {:.2} s cold, {:.3} s with the shared beginning, ratio {:.0}",
        1.0 / cold,
        1.0 / warm,
        warm / cold
    );
    Ok(())
}

/// The highest rate: other programs can only slow a round down.
fn best(rates: Vec<f64>) -> f64 {
    rates.into_iter().fold(0.0, f64::max)
}
