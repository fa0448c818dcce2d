//! Arguments of `agon run`. The options of protocols come from their manifests.

use std::path::PathBuf;

use agon_app::request::{
    Budget, ContextRequest, DebaterRequest, LineupRequest, OpeningRequest, SeatRequest, SourceRequest,
};
use agon_runtime::cancellation::StopFlag;
use clap::Args;

use super::{
    gate::{GateArgs, RevisionArgs},
    options::OptionArgs,
};

#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// Kind of debate (see `agon protocols list`), or a file that declares one
    #[arg(required_unless_present = "request")]
    pub protocol: Option<String>,
    /// What to debate: a text, a file that holds it (duel: the Markdown document), or - for standard input
    pub motion: Option<String>,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub lineup: LineupArgs,
    #[command(flatten)]
    pub rounds: RoundArgs,
    #[command(flatten)]
    pub options: OptionArgs,
    /// After the debate, use this model to extract relations for the argument graph that the typed fields
    /// do not state; it reads each statement twice (docs/graph.md)
    #[arg(long, value_name = "MODEL", help_heading = JUDGING)]
    pub extract: Option<String>,
    #[command(flatten)]
    pub context: ContextArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Seed of all random choices [default: derived from the id]
    #[arg(long, value_name = "N", help_heading = "Options", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Folder for the debate's files [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// Id of the debate [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
    /// Show calls, cost, time and recipients; send nothing
    #[arg(long, help_heading = "Options")]
    pub plan: bool,
    /// Accept a proposed line-up without asking (the default without a terminal)
    #[arg(long, short, help_heading = "Options")]
    pub yes: bool,
    /// Do not use the network to download a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
    /// Read the whole request as JSON from a file, or from standard input (-), instead of the options
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub request: Option<PathBuf>,
    #[command(flatten)]
    pub gate: GateArgs,
    #[command(flatten)]
    pub revision: RevisionArgs,
    #[command(flatten)]
    pub on: OnArgs,
}

/// Heading of the options of judging.
const JUDGING: &str = "Judging (docs/judging.md)";

const EXAMPLES: &str = "Examples:
  agon run exchange \"This house would teach programming in every school\" --rounds 2
  agon run duel proposal.md --topic \"Should we migrate?\"
  agon run panel question.md --debater \"Ann:engineer\" --debater \"Bo:economist\"
  agon run revise task.md --mode plan --strategy debate --rounds 2
  agon run revise --draft first=a.md --draft second=b.md
  agon run review --context git:main..HEAD
  agon run chaired \"Should we move?\" --lineup debate-config.json --max-rounds 5 --seat chair=human

agon protocols show KIND lists the seats and the outcomes of a kind.";

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Who takes part")]
pub struct SeatArgs {
    /// Model for one seat (judge), for every seat of a row (panelist), or for one member (by name);
    /// repeatable
    #[arg(long = "seat", value_name = "NAME=MODEL")]
    pub seats: Vec<String>,
    /// Model for every other seat: local, human, outside, cli:AGENT, claude, gpt, gemini, PROVIDER:MODEL,
    /// scripted:FILE or recorded:DEBATE
    #[arg(long)]
    pub model: Option<String>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Who takes part")]
pub struct LineupArgs {
    /// A member of the line-up, for protocols with a row of seats; repeatable. For chaired:
    /// `NAME: PERSONA | POSITION | INCENTIVES`; the chair proposes the parts that you omit
    #[arg(long = "debater", value_name = "NAME[:PERSONA]")]
    pub debaters: Vec<String>,
    /// Number of members, if the line-up does not name them all
    #[arg(long = "debaters", value_name = "N", allow_negative_numbers = true)]
    pub count: Option<u32>,
    /// File with the line-up: `Name: persona` lines, or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "debaters")]
    pub lineup: Option<PathBuf>,
}

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Material (docs/context.md)")]
pub struct ContextArgs {
    /// Material that prompts show and statements can quote: a file, a folder, git:BASE..HEAD, git:BASE...,
    /// git:. (what is not committed), an address, or - for standard input; for one seat alone with SEAT=; repeatable
    #[arg(long = "context", value_name = "[SEAT=]WHAT")]
    pub sources: Vec<String>,
    /// Maximum number of tokens of material in one prompt [default: 6000, 1500 for the embedded model]
    #[arg(long = "context-tokens", value_name = "N", allow_negative_numbers = true)]
    pub tokens: Option<u32>,
    /// Use material even if it seems to contain secrets
    #[arg(long)]
    pub allow_secrets: bool,
    /// Refuse models and addresses for which anything would leave this machine
    #[arg(long)]
    pub local_only: bool,
}

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Budgets of the whole debate, including restarts")]
pub struct BudgetArgs {
    /// Maximum number of model calls
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_requests: Option<u64>,
    /// Maximum number of tokens
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_tokens: Option<u64>,
    /// Maximum cost in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub max_cost: Option<f64>,
    /// Maximum running time, for example 30m
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<String>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "How long")]
pub struct RoundArgs {
    #[arg(long, value_name = "N", allow_negative_numbers = true, help = agon_app::request::describe_rounds())]
    pub rounds: Option<u32>,
}

impl From<SeatArgs> for SeatRequest {
    fn from(SeatArgs { seats, model }: SeatArgs) -> Self {
        Self { seats, model }
    }
}

impl From<ContextArgs> for ContextRequest {
    fn from(args: ContextArgs) -> Self {
        let ContextArgs { sources, tokens, allow_secrets, local_only } = args;
        Self { sources: sources.into_iter().map(SourceRequest::Named).collect(), tokens, allow_secrets, local_only }
    }
}

impl From<BudgetArgs> for Budget {
    fn from(args: BudgetArgs) -> Self {
        let BudgetArgs { max_requests, max_tokens, max_cost, max_time } = args;
        Self { max_requests, max_tokens, max_cost, max_time }
    }
}

impl From<LineupArgs> for LineupRequest {
    fn from(LineupArgs { debaters, count, lineup }: LineupArgs) -> Self {
        Self { debaters: debaters.into_iter().map(DebaterRequest::Line).collect(), count, file: lineup }
    }
}

impl From<RunArgs> for OpeningRequest {
    fn from(args: RunArgs) -> Self {
        Self {
            protocol: args.protocol.unwrap_or_default(),
            motion: args.motion,
            id: args.id,
            seats: args.seats.into(),
            lineup: args.lineup.into(),
            rounds: args.rounds.rounds,
            options: args.options.0,
            extract: args.extract,
            context: args.context.into(),
            budget: args.budget.into(),
            seed: args.seed,
            out: args.out,
            yes: args.yes || args.plan,
            offline: args.offline,
            stop: StopFlag::default(),
            asker: agon_app::asker::Asker::MachineUser,
        }
    }
}

#[derive(Debug, Default, Clone, Args)]
pub struct OnArgs {
    /// Let the workers of a Restate cluster drive: its ingress address, or those of several nodes, separated by
    /// commas (docs/cluster.md)
    #[arg(long, value_name = "ADDRESS", help_heading = "Options")]
    pub on: Option<String>,
}
