//! What `agon run` takes. The options of protocols come from their manifests.

use std::path::PathBuf;

use agon_app::request::{Budget, LineupRequest, OpeningRequest, SeatRequest};
use clap::Args;

use super::options::OptionArgs;

#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// Kind of debate: see `agon protocols list`, or a file that declares one
    #[arg(required_unless_present = "request")]
    pub protocol: Option<String>,
    /// What is debated: a text, or a file that holds it (duel: the Markdown document)
    pub motion: Option<String>,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub lineup: LineupArgs,
    #[command(flatten)]
    pub rounds: RoundArgs,
    #[command(flatten)]
    pub options: OptionArgs,
    /// Have a model read what the statements say of earlier ones, for the argument graph: each twice, once
    /// the debate has ended (docs/graph.md)
    #[arg(long, value_name = "MODEL", help_heading = JUDGING)]
    pub extract: Option<String>,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Source of all randomness; by default derived from the id
    #[arg(long, value_name = "N", help_heading = "Options", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Where the debate's files are written [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// The debate's id [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
    /// Say what it would ask, cost and send away; send nothing
    #[arg(long, help_heading = "Options")]
    pub plan: bool,
    /// Accept a proposed line-up without asking; so does a run without a terminal
    #[arg(long, short, help_heading = "Options")]
    pub yes: bool,
    /// Never use the network to fetch a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
    /// The whole request as JSON in a file, or on standard input (-), instead of the options
    #[arg(long, value_name = "FILE", hide = true, exclusive = false)]
    pub request: Option<PathBuf>,
}

/// Heading of the options of judging.
const JUDGING: &str = "Judging (docs/judging.md)";

const EXAMPLES: &str = "Examples:
  agon run exchange \"This house would teach programming in every school\" --rounds 2
  agon run duel proposal.md --topic \"Should we migrate?\"
  agon run panel question.md --debater \"Ann:engineer\" --debater \"Bo:economist\"
  agon run revise task.md --mode plan --strategy debate --rounds 2
  agon run revise --draft first=a.md --draft second=b.md
  agon run chaired \"...\" --lineup debate-config.json --max-rounds 5 --seat chair=human";

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Who takes part")]
pub struct SeatArgs {
    /// Who answers at a seat, at every seat of a row (panelist), or as a member (its name);
    /// repeatable
    #[arg(long = "seat", value_name = "NAME=MODEL")]
    pub seats: Vec<String>,
    /// Who answers at every other seat: local, human, outside, cli:AGENT, PROVIDER:MODEL, scripted:FILE or
    /// recorded:DEBATE
    #[arg(long)]
    pub model: Option<String>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Who takes part")]
pub struct LineupArgs {
    /// A member of the line-up, for protocols with a row of seats; repeatable. In chaired
    /// `NAME: PERSONA | POSITION | INCENTIVES`, of which each may be left out: the chair proposes it
    #[arg(long = "debater", value_name = "NAME[:PERSONA]")]
    pub debaters: Vec<String>,
    /// How many take part, where the line-up does not name them all
    #[arg(long = "debaters", value_name = "N", allow_negative_numbers = true)]
    pub count: Option<u32>,
    /// The line-up in a file: `Name: persona` lines, or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "debaters")]
    pub lineup: Option<PathBuf>,
}

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Budgets of the whole debate, restarts included")]
pub struct BudgetArgs {
    /// Most calls
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_requests: Option<u64>,
    /// Most tokens
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_tokens: Option<u64>,
    /// Most money, in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub max_cost: Option<f64>,
    /// Most driven time, for example 30m
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<String>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "How long")]
pub struct RoundArgs {
    #[arg(long, value_name = "N", allow_negative_numbers = true, help = agon_app::request::rounds())]
    pub rounds: Option<u32>,
}

impl From<SeatArgs> for SeatRequest {
    fn from(SeatArgs { seats, model }: SeatArgs) -> Self {
        Self { seats, model }
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
        Self { debaters: debaters.into_iter().map(Into::into).collect(), count, file: lineup }
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
            budget: args.budget.into(),
            seed: args.seed,
            out: args.out,
            yes: args.yes || args.plan,
            offline: args.offline,
            from_elsewhere: false,
        }
    }
}
