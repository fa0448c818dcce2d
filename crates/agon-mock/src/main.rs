//! `agon-mock`: the scripted model provider as a program.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    time::Duration,
};

use agon_mock::{MockConfig, MockFault, MockRate, MockServer};
use anyhow::Context;
use clap::Parser;

/// A scripted model provider on loopback. Prints its address as the first line.
///
/// Base URLs: http://ADDRESS/v1 (OpenAI, Anthropic), http://ADDRESS/v1beta (Gemini),
/// http://ADDRESS (Ollama).
#[derive(Debug, Parser)]
#[command(version)]
struct MockArgs {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Appends every request to this file, one JSON object a line
    #[arg(long)]
    log: Option<PathBuf>,
    /// Time before the first byte of a reply
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// Time between the pieces of a reply
    #[arg(long, default_value_t = 0)]
    pause_ms: u64,
    /// A model that the list names; repeatable
    #[arg(long = "model", default_value = "mock")]
    models: Vec<String>,
    /// The one key that is accepted
    #[arg(long)]
    key: Option<String>,
    /// Takes NUMBER requests in SECONDS and refuses others with 429, for example `60/60`
    #[arg(long, value_name = "NUMBER/SECONDS", value_parser = parse_rate)]
    rate: Option<MockRate>,
    /// A file of replies given first, one a line
    #[arg(long)]
    replies: Option<PathBuf>,
    /// NUMBER=FAULT for one request, counted from 0, or FAULT for all; repeatable. For example
    /// `0=status:429:7`, `cut:3`, `refuses-schema`
    #[arg(long = "fault")]
    faults: Vec<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = MockArgs::parse();
    let mut server = MockServer::start(build_config(arguments)?).await.context("cannot listen")?;
    writeln!(io::stdout(), "{}", server.addr)?;
    io::stdout().flush()?;
    server.wait_until_finished().await;
    Ok(())
}

fn build_config(arguments: MockArgs) -> anyhow::Result<MockConfig> {
    let mut faults = BTreeMap::new();
    let mut always = None;
    for text in &arguments.faults {
        let parse = |fault: &str| fault.parse::<MockFault>().map_err(anyhow::Error::msg);
        match text.split_once('=').and_then(|(number, fault)| Some((number.parse().ok()?, fault))) {
            Some((number, fault)) => {
                faults.insert(number, parse(fault)?);
            }
            None => always = Some(parse(text)?),
        }
    }
    let replies = match &arguments.replies {
        Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?,
        None => String::new(),
    };
    let config = MockConfig {
        listen: arguments.listen,
        log: arguments.log,
        latency: Duration::from_millis(arguments.latency_ms),
        pause: Duration::from_millis(arguments.pause_ms),
        models: arguments.models,
        key: arguments.key,
        rate: arguments.rate,
        faults,
        always,
        ..MockConfig::default()
    };
    Ok(config.with_replies(replies.lines()))
}

fn parse_rate(text: &str) -> Result<MockRate, String> {
    let wrong = || format!("{text:?} is not NUMBER/SECONDS");
    let (requests, seconds) = text.split_once('/').ok_or_else(wrong)?;
    let seconds: f64 = seconds.parse().map_err(|_| wrong())?;
    let window = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    let requests = requests.parse().map_err(|_| wrong())?;
    if requests == 0 || window.is_zero() {
        return Err(wrong());
    }
    Ok(MockRate { requests, window })
}
