//! Arguments of the commands that read debates: list, show, export, graph, import, check, verify.

use std::path::PathBuf;

use clap::Args;

use super::{BudgetArgs, GateArgs, SeatArgs, SummaryArgs};

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// Everything that was said, in place of the first page
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub gate: GateArgs,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// Files to write: all, record, transcript, report, events (of a duel or a run), or the name of a protocol
    #[arg(long, default_value = "all", conflicts_with = "summary")]
    pub format: String,
    /// Destination folder; without it, a single file goes to standard output
    #[arg(long, value_name = "DIR", conflicts_with = "summary")]
    pub out: Option<PathBuf>,
    /// Overwrite files that agon did not write
    #[arg(long, requires = "out")]
    pub force: bool,
    #[command(flatten)]
    pub summary: SummaryArgs,
}

#[derive(Debug, Args)]
pub struct GraphArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// mermaid, dot, argdown, aif (AIF-JSON) or json; without it, a description in prose
    #[arg(long)]
    pub format: Option<String>,
    /// Recompute the graph without this statement: the number of an entry, or the id of a statement;
    /// repeatable
    #[arg(long, value_name = "SEQ")]
    pub without: Vec<String>,
    /// Use a model to extract relations that the typed fields do not state. It reads each statement twice;
    /// the result is stored as a companion debate and reused
    #[arg(long, value_name = "MODEL")]
    pub extract: Option<String>,
    /// Use typed fields only; ignore extracted relations
    #[arg(long, conflicts_with = "extract")]
    pub typed_only: bool,
    /// Show the calls, cost and recipients of --extract; send nothing
    #[arg(long, requires = "extract")]
    pub plan: bool,
    /// Do not use the network to download a model
    #[arg(long)]
    pub offline: bool,
    #[command(flatten)]
    pub budget: BudgetArgs,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Format of PATH: record, or exchange, chaired, duel or revise for files that another program wrote
    pub format: String,
    /// A record.jsonl, or the debate's folder, log or artifact
    pub path: PathBuf,
    /// Folder for the debate's files [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// Id of the debate [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
    /// The document that a duel examines [default: the one that its artifact names]
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub source: Option<PathBuf>,
    /// Treat every warning as an error, and import nothing
    #[arg(long, help_heading = "Options")]
    pub strict: bool,
    #[command(flatten)]
    pub seats: SeatArgs,
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A text file, an address, or a debate
    pub what: String,
    /// Host or host:port that agon may fetch from even on a private network; repeatable
    #[arg(long = "allow-host", value_name = "HOST")]
    pub allow_hosts: Vec<String>,
    /// A model that reads, twice, whether each page bears out what is cited from it; its reading changes no status
    #[arg(long, value_name = "MODEL")]
    pub reader: Option<String>,
}
