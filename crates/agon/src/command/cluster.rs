//! `agon cluster`: a whole cluster on this machine, with one command.

#[cfg(feature = "cluster")]
pub use with_cluster::run;
#[cfg(not(feature = "cluster"))]
pub use without_cluster::run;

#[cfg(feature = "cluster")]
mod with_cluster {
    use std::{
        path::{Path, PathBuf},
        process::Stdio,
    };

    use agon_app::{Failure, Result, exit};
    use agon_cluster::local::{LocalCluster, LocalClusterConfig, LocalStart, RunningCluster, down, status};
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncBufReadExt, AsyncReadExt, BufReader},
        process::Command,
    };

    use super::super::{CommandContext, ending::interrupted, worker::terminated};
    use crate::{
        cli::{ClusterAction, ClusterArgs, ClusterStatusArgs, ClusterUpArgs, Output},
        ui,
    };

    /// Most bytes that a cluster in the background says when it could not start.
    const SAID_BYTES_MAX: u64 = 64 * 1024;

    pub async fn run(command_context: &CommandContext, args: ClusterArgs) -> Result<u8> {
        match args.action {
            ClusterAction::Up(args) if args.detach => detached(command_context, &args).await,
            ClusterAction::Up(args) => up(command_context, args).await,
            ClusterAction::Status(args) => show(command_context, &args),
            ClusterAction::Down { folder } => {
                let folder = place(command_context, folder.as_deref());
                let ran = down(&folder).await?;
                command_context.print(&json!({"ended": ran, "folder": folder}), || {
                    let what = if ran { "ended the cluster in" } else { "no cluster runs in" };
                    format!("{what} {}", folder.display())
                });
                Ok(exit::OK)
            }
        }
    }

    fn place(command_context: &CommandContext, given: Option<&Path>) -> PathBuf {
        given.map_or_else(|| command_context.places.home.join("cluster"), Path::to_owned)
    }

    async fn up(command_context: &CommandContext, args: ClusterUpArgs) -> Result<u8> {
        let folder = place(command_context, args.folder.as_deref());
        let agon = own_program()?;
        let config =
            LocalClusterConfig { folder, restate_server: args.restate_server, journal: args.journal, agon };
        if command_context.output == Output::Text && !command_context.quiet {
            ui::err("starting Restate, Postgres and a worker");
        }
        let started = tokio::select! {
            started = LocalCluster::up(&config) => started?,
            () = told_to_end() => {
                return Err(Failure::new(exit::INTERRUPTED, "interrupted", "interrupted", ""));
            }
        };
        let mut cluster = match started {
            LocalStart::Running(running) => {
                tell(command_context, &running, "It runs already");
                return Ok(exit::OK);
            }
            LocalStart::Started(cluster) => cluster,
        };
        tell(command_context, cluster.running(), "It runs until Ctrl-C or agon cluster down");
        let broken = tokio::select! {
            broken = cluster.broken() => Some(broken),
            () = told_to_end() => None,
        };
        cluster.end().await;
        match broken {
            Some(failure) => Err(failure),
            None => {
                if command_context.output == Output::Text && !command_context.quiet {
                    ui::err("ended; debates continue at the next start");
                }
                Ok(exit::OK)
            }
        }
    }

    /// Starts the same command in the background, and returns once its cluster is up.
    async fn detached(command_context: &CommandContext, args: &ClusterUpArgs) -> Result<u8> {
        let io = |error: std::io::Error| Failure::new(exit::IO, "io", error.to_string(), "");
        let mut command = Command::new(own_program()?);
        command
            .args(["cluster", "up", "--output", "json"])
            .arg(place(command_context, args.folder.as_deref()));
        if let Some(program) = &args.restate_server {
            command.arg("--restate-server").arg(program);
        }
        if let Some(journal) = &args.journal {
            command.arg("--journal").arg(journal);
        }
        // Ctrl-C at this terminal is not meant for it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(io)?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out.take(SAID_BYTES_MAX)).read_line(&mut line).await.map_err(io)?;
        }
        if serde_json::from_str::<Value>(&line).is_ok_and(|told| told.get("ingress").is_some()) {
            let folder = place(command_context, args.folder.as_deref());
            let running = status(&folder)?;
            let gone = || Failure::new(exit::PROVIDER, "cluster", "the cluster ended at once", "");
            tell(command_context, &running.ok_or_else(gone)?, "It runs until agon cluster down");
            return Ok(exit::OK);
        }
        let mut said = String::new();
        if let Some(err) = child.stderr.take() {
            let _ = err.take(SAID_BYTES_MAX).read_to_string(&mut said).await;
        }
        let told = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).next_back();
        let error = told.map(|told| told["error"].clone()).unwrap_or_default();
        let code =
            child.wait().await.ok().and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok());
        let text = |name: &str| error[name].as_str().map(str::to_owned);
        Err(Failure::new(
            code.unwrap_or(exit::PROVIDER),
            text("code").unwrap_or_else(|| "cluster".into()),
            text("message").unwrap_or_else(|| format!("the cluster did not start: {}", said.trim())),
            text("remedy").unwrap_or_default(),
        ))
    }

    fn show(command_context: &CommandContext, args: &ClusterStatusArgs) -> Result<u8> {
        let folder = place(command_context, args.folder.as_deref());
        let Some(running) = status(&folder)? else {
            let what = format!("no cluster runs in {}", folder.display());
            return Err(Failure::unknown(what, "start one with agon cluster up"));
        };
        if args.shell {
            ui::out(&format!(
                "export AGON_JOURNAL={} AGON_ON={}",
                quoted(&running.journal),
                quoted(&running.ingress())
            ));
        } else {
            tell(command_context, &running, "It runs until agon cluster down");
        }
        Ok(exit::OK)
    }

    fn tell(command_context: &CommandContext, running: &RunningCluster, first: &str) {
        let (ingress, admin, worker) = (running.ingress(), running.admin(), running.worker());
        let RunningCluster { folder, journal, .. } = running;
        let told = json!({
            "ingress": ingress, "admin": admin, "worker": worker, "journal": journal, "folder": folder,
            "keeper": running.keeper,
        });
        command_context.print(&told, || {
            let own = *folder == command_context.places.home.join("cluster")
                || folder.canonicalize().ok()
                    == command_context.places.home.join("cluster").canonicalize().ok();
            let named = if own { String::new() } else { format!(" {}", quoted(&folder.to_string_lossy())) };
            format!(
                "{first}: Restate at {ingress}, its data in {}.\n\n\
                 export AGON_JOURNAL={}\n\
                 agon run exchange \"This house would write its decisions down\" --on {ingress}\n\
                 agon worker --restate {admin} --listen {worker}\n\
                 agon cluster down{named}",
                folder.display(),
                quoted(journal)
            )
        });
    }

    /// A word as a shell reads it.
    fn quoted(word: &str) -> String {
        format!("'{}'", word.replace('\'', r"'\''"))
    }

    fn own_program() -> Result<PathBuf> {
        std::env::current_exe().map_err(|error| Failure::new(exit::IO, "io", error.to_string(), ""))
    }

    async fn told_to_end() {
        tokio::select! {
            () = interrupted() => {}
            () = terminated() => {}
        }
    }
}

#[cfg(not(feature = "cluster"))]
mod without_cluster {
    use agon_app::{Failure, Result};

    use super::super::CommandContext;
    use crate::cli::ClusterArgs;

    pub async fn run(_: &CommandContext, _: ClusterArgs) -> Result<u8> {
        let message = "agon cluster: this build of agon lacks the feature cluster";
        Err(Failure::usage(message, crate::features::REMEDY))
    }
}
