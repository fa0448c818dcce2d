//! Tokens a second of the engine, at each kernel level that this processor has, and what a shared beginning saves:
//!
//!     AGON_TEST_MODELS=FOLDER cargo bench -p agon-local
//!
//! One process loads one level, so this program starts itself again for each. Figures say more about the machine than about
//! the engine: compare those of one run.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use agon_local::{
    CancelToken, Engine, EngineFolder, EngineOptions, LoadedEngine, LocalPrompt, PromptMessage, catalogue,
};

const ROUNDS: usize = 3;
const TOKENS: u32 = 96;
const CONTEXT: u32 = 4096;
const QUESTION: &str = "Write a long essay about the history of cities and of trade between them.";
/// Levels of kernels, from old to new. Those that the processor lacks are left out.
const LEVELS: [&str; 12] = [
    "x64",
    "sse42",
    "sandybridge",
    "haswell",
    "alderlake",
    "skylakex",
    "icelake",
    "cooperlake",
    "zen4",
    "sapphirerapids",
    "armv8.2_1",
    "armv8.6_1",
];
/// Set for the process of one level.
const LEVEL: &str = "AGON_KERNELS";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let Some(folder) = std::env::var_os("AGON_TEST_MODELS").map(PathBuf::from) else {
        println!("skipped: AGON_TEST_MODELS names no folder with models and an engine");
        return Ok(());
    };
    if std::env::var_os(LEVEL).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        return runtime.block_on(measure(&folder));
    }
    for level in LEVELS {
        let ran = Command::new(std::env::current_exe()?).env(LEVEL, level).output()?;
        if ran.status.success() {
            print!("{}", String::from_utf8_lossy(&ran.stdout));
        }
    }
    Ok(())
}

async fn measure(models: &Path) -> Outcome<()> {
    let folder = EngineFolder::locate(models)?.ok_or("there is no engine")?;
    let library = folder.load_engine(models, None).await?;
    println!("{}", library.description());
    for model in catalogue::MODELS {
        let path = models.join(model.file_name());
        if path.is_file() {
            println!("  {}", model.title);
            rates(&library, &path).await?;
            shared_beginning(&library, &path).await?;
        }
    }
    Ok(())
}

async fn load(library: &LoadedEngine, path: &Path) -> Outcome<Engine> {
    let options = EngineOptions { context_tokens: Some(CONTEXT), ..EngineOptions::default() };
    Ok(Engine::load(library, path, options).await?)
}

/// Tokens a second, read and written, and the beginning of a text, which is the same for a seed at one level.
async fn rates(library: &LoadedEngine, path: &Path) -> Outcome<()> {
    let (mut read, mut written, mut text) = (0.0_f64, 0.0_f64, String::new());
    for _ in 0..ROUNDS {
        let engine = load(library, path).await?;
        let long: String = (0..60).map(|n| format!("Point {n}: trade grew. ")).collect();
        let messages = vec![PromptMessage::system(long), PromptMessage::user(QUESTION)];
        let prompt = LocalPrompt { tokens_max: TOKENS, seed: 7, ..LocalPrompt::new(messages) };
        let done = engine.generate(prompt, CancelToken::default(), |_| ()).await?;
        // The highest rate: other programs can only slow a round down.
        read = read.max(f64::from(done.prompt_tokens) / done.prompt_seconds);
        written = written.max(f64::from(done.completion_tokens) / done.generation_seconds);
        text = done.text.chars().take(60).collect();
    }
    println!("    {read:.1} tokens/s read, {written:.1} written: {text:?}");
    Ok(())
}

/// Time to evaluate a prompt after another with the same beginning of some 2,000 tokens, and without.
async fn shared_beginning(library: &LoadedEngine, path: &Path) -> Outcome<()> {
    let engine = load(library, path).await?;
    let beginning: String = (0..200).map(|n| format!("Point {n}: trade grew. ")).collect();
    let ask = async |question: &str| {
        let messages = vec![PromptMessage::system(beginning.clone()), PromptMessage::user(question)];
        let prompt = LocalPrompt { tokens_max: 1, ..LocalPrompt::new(messages) };
        engine.generate(prompt, CancelToken::default(), |_| ()).await
    };
    let first = ask("Who is right?").await?;
    let second = ask("What is missing?").await?;
    let (cold, warm) = (first.prompt_seconds, second.prompt_seconds);
    println!("    {cold:.2} s cold, {warm:.3} s with the shared beginning, ratio {:.0}", cold / warm);
    Ok(())
}
