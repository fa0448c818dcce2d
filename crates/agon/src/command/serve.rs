//! `agon serve`: debates in a browser and for programs. Debates that are started there are driven
//! here.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use agon_app::{
    Failure, Result, exit,
    launcher::{InProcess, Terms},
    opening::budget,
};
use agon_server::{EventHub, OperationConfig, Server, ServerConfig, WriteToken};
use serde_json::json;

use super::{
    CommandContext,
    operation::{self, Operation},
};
use crate::{
    cli::{Output, ServeArgs},
    ui,
};

/// Longest wait until the debates have stopped.
const STOP_WAIT: Duration = Duration::from_secs(10);

pub async fn run(command_context: &CommandContext, args: ServeArgs) -> Result<u8> {
    // Nobody is asked at a terminal, and nothing of a debate is printed.
    let silent = CommandContext {
        output: Output::Json,
        quiet: true,
        lines: true,
        places: command_context.places.clone(),
    };
    let context = silent.context(args.offline)?;
    if !args.rate_factor.is_finite() || args.rate_factor < 0.0 {
        return Err(Failure::usage(
            "--rate-factor must be 0 or more",
            "use 1 for the rates of docs/serve.md",
        ));
    }
    let terms = Terms { ceiling: budget(&args.budget.into())?, allow_model_files: args.allow_model_files };
    let io = |error: std::io::Error, remedy: &str| Failure::new(exit::IO, "io", error.to_string(), remedy);
    let token = WriteToken::of(&command_context.places.home)
        .map_err(|error| io(error, "grant permission to write below AGON_HOME, or choose another folder"))?;
    let events = EventHub::new(Arc::clone(&context.journal));
    let journal = Arc::clone(&context.journal);
    let (operation, observer) = Operation::start(&context, events.observer()).await?;
    let (launcher, driving) = InProcess::start(context, terms, observer);
    let server = ServerConfig {
        journal,
        home: command_context.places.home.clone(),
        token: token.clone(),
        read_without_token: args.read_without_token,
        hosts: args.hosts.clone(),
        launcher: Arc::new(launcher),
        events,
        models: vec!["local".into(), "outside".into()],
        evaluations: args.evaluations.clone(),
        operation: OperationConfig { rate_factor: args.rate_factor, trust_proxies: args.trust_proxies },
    };
    let server = Server::bind(server, args.listen).await.map_err(|error| {
        Failure::new(
            exit::IO,
            "io",
            format!("{}: {error}", args.listen),
            "choose another address with --listen",
        )
    })?;
    let address = server.address();
    let link = link(address, &args.hosts);
    let url = format!("http://{link}/?token={}", token.text());
    command_context.print(&json!({"listening": address.to_string(), "url": url}), || {
        format!("{url}\nEveryone with this link can read, start debates and answer. Ctrl-C ends the server.")
    });
    let health = server.health();
    let drained = async {
        operation::told_to_end().await;
        health.drain();
        tokio::time::sleep(Duration::from_secs(args.drain_seconds.into())).await;
    };
    server.serve(drained).await;
    // Debates stop where they are; what is on the record can be resumed.
    let _ = tokio::time::timeout(STOP_WAIT, driving.end()).await;
    operation.end().await;
    if command_context.output == Output::Text && !command_context.quiet {
        ui::err("ended; continue unfinished debates with agon resume");
    }
    Ok(exit::OK)
}

/// What others call the server: the first name that was allowed, else where it is reached.
fn link(address: SocketAddr, hosts: &[String]) -> String {
    let port = address.port();
    if let Some(host) = hosts.first() {
        return if host.contains(':') { host.clone() } else { format!("{host}:{port}") };
    }
    let reached = if address.ip().is_unspecified() {
        let own = IpAddr::V4(Ipv4Addr::LOCALHOST);
        agon_server::outward(address).unwrap_or(own)
    } else {
        address.ip()
    };
    SocketAddr::new(reached, port).to_string()
}
