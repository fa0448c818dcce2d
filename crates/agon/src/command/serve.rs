//! `agon serve`: debates in a browser and for programs. Debates that are started there are driven
//! here.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use agon_app::{
    Failure, Result,
    available_models::list_model_names,
    exit,
    launcher::{InProcess, Terms},
    opening::parse_budget,
};
use agon_journal::{
    Journal,
    accounts::{Principal, PrincipalState},
};
use agon_runtime::config::AccountsConfig;
use agon_server::{AccountsSettings, EventHub, OperationConfig, Server, ServerConfig, WriteToken};
use serde_json::json;

use super::{CommandContext, ending::wait_for_end, operation::Operation};
use crate::{
    cli::{Output, ServeArgs},
    ui,
};

/// Longest wait until the debates have stopped.
const STOP_WAIT: Duration = Duration::from_secs(10);

pub async fn run(command_context: &CommandContext, args: ServeArgs) -> Result<u8> {
    // Nobody is asked at a terminal, and nothing of a debate is printed.
    if !args.rate_factor.is_finite() || args.rate_factor < 0.0 {
        return Err(Failure::usage("--rate-factor must be 0 or more", "use 1 for the rates of docs/serve.md"));
    }
    let silent = command_context.to_silent();
    let context = silent.context_on(args.offline, &args.on)?;
    let accounts = accounts_settings(&context.config.accounts, &context.journal, &args)?;
    let terms = Terms { ceiling: parse_budget(&args.budget.into())?, allow_model_files: args.allow_model_files };
    let io = |error: std::io::Error, remedy: &str| Failure::io(error.to_string(), remedy);
    let token = WriteToken::from_home(&command_context.places.home)
        .map_err(|error| io(error, "grant permission to write below AGON_HOME, or choose another folder"))?;
    let public_url = context.config.accounts.public_url.clone();
    let events = EventHub::new(Arc::clone(&context.journal));
    let journal = Arc::clone(&context.journal);
    let models = context.config.serve.models.clone().unwrap_or_else(|| list_model_names(&context.config));
    let (operation, observer) = Operation::start(&context, events.new_observer()).await?;
    // A person who ends a server at a terminal ends what it spends; those who use a service wait for their debates.
    let resumes = args.resume || context.config.serve.resume.unwrap_or(accounts.is_some());
    let (launcher, driving) = InProcess::start(context, terms, observer);
    let launcher = Arc::new(launcher);
    let interrupted = launcher.list_interrupted(resumes);
    events.expect_drivers(&interrupted);
    let server = ServerConfig {
        journal,
        home: command_context.places.home.clone(),
        token: token.clone(),
        read_without_token: args.read_without_token,
        hosts: args.hosts.clone(),
        launcher: Arc::<InProcess>::clone(&launcher),
        events,
        models,
        evaluations: args.evaluations.clone(),
        operation: OperationConfig { rate_factor: args.rate_factor, trust_proxies: args.trust_proxies },
    };
    let has_accounts = accounts.is_some();
    let server = Server::bind_with(server, accounts, args.listen)
        .await
        .map_err(|error| Failure::io(format!("{}: {error}", args.listen), "choose another address with --listen"))?;
    tokio::spawn(async move { launcher.resume_debates(interrupted).await });
    let address = server.address();
    let link = public_address(address, &args.hosts);
    let url = match &public_url {
        Some(url) if has_accounts => format!("{}/", url.trim_end_matches('/')),
        _ if has_accounts => format!("http://{link}/"),
        _ => format!("http://{link}/?token={}", token.text()),
    };
    command_context.print(&json!({"listening": address.to_string(), "url": url}), || {
        if has_accounts {
            return format!("{url}\nPeople log in there. Ctrl-C ends the server.");
        }
        format!("{url}\nEveryone with this link can read, start debates and answer. Ctrl-C ends the server.")
    });
    let health = server.health();
    let drained = async {
        wait_for_end().await;
        health.start_draining();
        tokio::time::sleep(Duration::from_secs(args.drain_seconds.into())).await;
    };
    server.serve_until(drained).await;
    // Debates stop where they are; what is on the record can be resumed.
    let _ = tokio::time::timeout(STOP_WAIT, driving.stop_all()).await;
    operation.end().await;
    if command_context.output == Output::Text && !command_context.quiet {
        ui::print_error_line("ended; continue unfinished debates with agon resume");
    }
    Ok(exit::OK)
}

/// The accounts of the server, where it is to have some. A person must be able to let others in.
fn accounts_settings(config: &AccountsConfig, journal: &Journal, args: &ServeArgs) -> Result<Option<AccountsSettings>> {
    if !args.accounts && !config.enabled {
        return Ok(None);
    }
    if args.read_without_token {
        let why = "--read-without-token lets people read without an account";
        return Err(Failure::usage(why, "omit it, or set accounts.enabled = false"));
    }
    let administers = |person: &Principal| person.administrator && person.state == PrincipalState::Active;
    if !journal.list_principals()?.iter().any(administers) {
        let why = "this server has no administrator";
        return Err(Failure::usage(why, "add one: agon users add NAME --administrator"));
    }
    if config.oidc.is_some() && !cfg!(feature = "oidc") {
        let why = "accounts.oidc: this build of agon lacks the feature oidc";
        return Err(Failure::usage(why, crate::features::REMEDY));
    }
    let variable = config.oidc.as_ref().and_then(|oidc| oidc.client_secret_env.as_deref());
    let client_secret = match variable {
        None => None,
        Some(name) => Some(std::env::var(name).ok().filter(|secret| !secret.is_empty()).ok_or_else(|| {
            let why = format!("the environment variable {name} is not set");
            Failure::usage(why, "set it to the secret of the OpenID Connect client")
        })?),
    };
    Ok(Some(AccountsSettings { config: config.clone(), client_secret }))
}

/// What others call the server: the first name that was allowed, else where it is reached.
fn public_address(address: SocketAddr, hosts: &[String]) -> String {
    let port = address.port();
    if let Some(host) = hosts.first() {
        return if host.contains(':') { host.clone() } else { format!("{host}:{port}") };
    }
    let reached = if address.ip().is_unspecified() {
        let own = IpAddr::V4(Ipv4Addr::LOCALHOST);
        agon_server::find_outward_address(address).unwrap_or(own)
    } else {
        address.ip()
    };
    SocketAddr::new(reached, port).to_string()
}
