//! Arguments for debates on many machines: `agon worker`, `agon cluster`, and `--on` of the commands that run debates.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Default, Clone, Args)]
pub struct OnArgs {
    /// Let the workers of a Restate cluster drive: its ingress address, or those of several nodes, separated by
    /// commas (docs/cluster.md)
    #[arg(long, value_name = "ADDRESS", help_heading = "Options")]
    pub on: Option<String>,
}

#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Admin address of Restate, or those of several nodes, separated by commas
    #[arg(long, value_name = "ADDRESS", default_value = "http://127.0.0.1:9070")]
    pub restate: String,
    /// Address to listen on for Restate; workers of one user on one machine may share it
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:9080")]
    pub listen: std::net::SocketAddr,
    /// Address at which Restate reaches this worker, or all workers behind a load balancer [default: --listen]
    #[arg(long, value_name = "URL")]
    pub advertise: Option<String>,
    /// Maximum number of debates to drive at the same time
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub concurrency: u16,
    /// Do not use the network to download a model
    #[arg(long)]
    pub offline: bool,
}

#[derive(Debug, Args)]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub action: ClusterAction,
}

#[derive(Debug, Subcommand)]
pub enum ClusterAction {
    /// Start a Restate server, a Postgres server and a worker, and print the commands that use them
    ///
    /// Ctrl-C or agon cluster down ends them. Debates stay in the folder and continue at the next start.
    Up(ClusterUpArgs),
    /// Show whether the cluster runs, and the commands that use it
    Status(ClusterStatusArgs),
    /// End the cluster
    Down {
        /// Its folder [default: cluster in AGON_HOME]
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct ClusterUpArgs {
    /// Folder of its data; it is made if it does not exist [default: cluster in AGON_HOME]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Program of Restate's server [default: the npm package in this folder or one above, or on the PATH]
    #[arg(long, value_name = "FILE", env = "AGON_RESTATE_SERVER", hide_env_values = true)]
    pub restate_server: Option<PathBuf>,
    /// Use this database in place of an own Postgres: postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "ADDRESS")]
    pub journal: Option<String>,
    /// Return once it is up, and leave it running
    #[arg(long)]
    pub detach: bool,
}

#[derive(Debug, Args)]
pub struct ClusterStatusArgs {
    /// Its folder [default: cluster in AGON_HOME]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print lines that set AGON_JOURNAL and AGON_ON, for eval in a shell
    #[arg(long)]
    pub shell: bool,
}
