//! `agon worker`: drives the debates that a Restate cluster gives it.

#[cfg(feature = "cluster")]
pub use with_cluster::{build_engine, run};
#[cfg(not(feature = "cluster"))]
pub use without_cluster::{build_engine, run};

#[cfg(feature = "cluster")]
mod with_cluster {
    use std::sync::Arc;

    use agon_app::{Context, FileSet, Result, exit, remote_engine::DebateEngine};
    use agon_cluster::{ClusterWorker, RestateEngine, WorkerConfig};
    use serde_json::json;

    use super::super::{CommandContext, ending::wait_for_end, open_files};
    use crate::{
        cli::{OnArgs, Output, WorkerArgs},
        ui,
    };

    /// What drives in place of this process, if the command line names it.
    pub fn build_engine(on: &OnArgs) -> Result<Option<Arc<dyn DebateEngine>>> {
        let engine = on.on.as_deref().map(RestateEngine::new).transpose()?;
        Ok(engine.map(|engine| Arc::new(engine) as Arc<dyn DebateEngine>))
    }

    pub async fn run(command_context: &CommandContext, args: WorkerArgs) -> Result<u8> {
        // Nobody is asked here, and the command that follows a debate writes its files.
        let silent = command_context.to_silent();
        let context = Context { files: FileSet::None, ..silent.build_context(args.offline)? };
        open_files::raise_limit();
        let config = WorkerConfig {
            restate: args.restate.clone(),
            listen: args.listen,
            advertise: args.advertise,
            concurrency: args.concurrency,
            identity_keys: args.identity_keys,
        };
        let worker = ClusterWorker::start(context, &config).await?;
        let uri = worker.uri().to_owned();
        command_context.print(&json!({"worker": uri, "concurrency": args.concurrency}), || {
            format!(
                "worker at {uri}, at most {} debates at the same time. Ctrl-C ends it; other workers continue its \
                 debates.",
                args.concurrency
            )
        });
        wait_for_end().await;
        worker.stop().await;
        if command_context.output == Output::Text && !command_context.quiet {
            ui::print_error_line("ended; other workers continue its debates, or the next one that starts");
        }
        Ok(exit::OK)
    }
}

#[cfg(not(feature = "cluster"))]
mod without_cluster {
    use std::sync::Arc;

    use agon_app::{Failure, Result, remote_engine::DebateEngine};

    use super::super::CommandContext;
    use crate::cli::{OnArgs, WorkerArgs};

    fn missing_cluster(what: &str) -> Failure {
        let message = format!("{what}: this build of agon lacks the feature cluster");
        Failure::usage(message, crate::features::REMEDY)
    }

    pub fn build_engine(on: &OnArgs) -> Result<Option<Arc<dyn DebateEngine>>> {
        on.on.as_ref().map_or(Ok(None), |_| Err(missing_cluster("--on")))
    }

    pub async fn run(_: &CommandContext, _: WorkerArgs) -> Result<u8> {
        Err(missing_cluster("agon worker"))
    }
}
