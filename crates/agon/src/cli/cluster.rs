//! Arguments for debates on many machines: `agon worker`, and `--on` of the commands that run debates.

use clap::Args;

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
    /// Public key of Restate's request identity, so that Restate alone can invoke this worker; repeat it for more keys
    #[arg(long = "identity-key", value_name = "KEY")]
    pub identity_keys: Vec<String>,
    /// Do not use the network to download a model
    #[arg(long)]
    pub offline: bool,
}
