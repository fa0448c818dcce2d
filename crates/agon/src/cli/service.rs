//! Arguments of the commands that operate agon: server, workers, journal, backups, deletion, webhooks.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; on a public address, other machines can connect with the token
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878")]
    pub listen: std::net::SocketAddr,
    /// Additional host name to accept; repeatable
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Folder with runs of agon eval, to show at /evaluations
    #[arg(long, value_name = "DIR", default_value = "evaluations")]
    pub evaluations: PathBuf,
    /// Let every user of this machine read without the token
    #[arg(long)]
    pub read_without_token: bool,
    /// Let people log in, with roles in each debate; the token then counts nowhere: see docs/accounts.md
    #[arg(long, conflicts_with = "read_without_token")]
    pub accounts: bool,
    /// Let clients with the token use files of this machine as models: scripted:FILE, local:FILE
    #[arg(long)]
    pub allow_model_files: bool,
    /// Continue the debates that this server drove when it ended; with accounts, this is the default
    #[arg(long)]
    pub resume: bool,
    /// Address of a reverse proxy whose X-Forwarded-For names the client; repeatable
    #[arg(long = "trust-proxy", value_name = "ADDR")]
    pub trust_proxies: Vec<std::net::IpAddr>,
    /// Multiply the rates of the table in docs/serve.md; 0 turns them off
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub rate_factor: f64,
    /// Seconds between the signal that ends the server and its end, in which /readyz says no
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=300))]
    pub drain_seconds: u16,
    /// Limits for every debate that this server starts
    #[command(flatten)]
    pub budget: super::BudgetArgs,
    /// Do not use the network to download a model
    #[arg(long)]
    pub offline: bool,
    #[command(flatten)]
    pub on: super::OnArgs,
}

#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Ids of the debates
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Why; agon show and agon check repeat it
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Your name [default: the name of the user]
    #[arg(long)]
    pub name: Option<String>,
    /// Delete only the words of this entry, and keep the other entries as a record; repeatable
    #[arg(long = "entry", value_name = "SEQ")]
    pub entries: Vec<u64>,
}

#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// Label to add: a-z, 0-9, - _ . and :; repeatable
    #[arg(long = "add", value_name = "LABEL")]
    pub add: Vec<String>,
    /// Label to remove; repeatable
    #[arg(long = "remove", value_name = "LABEL")]
    pub remove: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum WebhooksAction {
    /// List the webhooks of the configuration, and how many messages wait
    List,
    /// List messages and their attempts, newest first
    Deliveries {
        /// Only those of this webhook
        name: Option<String>,
        /// Maximum number of messages
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Send a message again, under its id
    Redeliver {
        /// Id of the message
        id: String,
    },
    /// Send a test message, and say what the receiver answers
    Test {
        /// Name of the webhook
        name: String,
    },
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

#[derive(Debug, Subcommand)]
pub enum JournalAction {
    /// Copy debates, calls, leases and texts, and compare what arrived line by line
    ///
    /// A copy that was interrupted continues. If both have gone on with a debate, nothing is copied.
    Copy {
        /// A data directory (see AGON_HOME), or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM")]
        from: String,
        /// The same; it is made if it does not exist
        #[arg(value_name = "TO")]
        to: String,
    },
}
