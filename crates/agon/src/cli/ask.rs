//! Arguments of `agon ask`.

use std::path::PathBuf;

use agon_app::request::OpeningRequest;
use clap::Args;

use super::{
    gate::{GateArgs, RevisionArgs},
    run::{BudgetArgs, ContextArgs, RoundArgs, SeatArgs},
};

#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub struct AskArgs {
    /// What you want to know or have done, in plain words, or - for standard input; files and git:BASE..HEAD in it
    /// become material
    pub question: String,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub rounds: RoundArgs,
    #[command(flatten)]
    pub context: ContextArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Folder for the debate's files [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// Id of the debate [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
    /// Show the proposal and what it costs; send nothing
    #[arg(long, help_heading = "Options")]
    pub plan: bool,
    /// Take the proposal without asking (the default without a terminal, and if CI is set)
    #[arg(long, short, help_heading = "Options")]
    pub yes: bool,
    /// Do not use the network to download a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
    #[command(flatten)]
    pub gate: GateArgs,
    #[command(flatten)]
    pub revision: RevisionArgs,
}

const EXAMPLES: &str = "Examples:
  agon ask \"review my changes\"
  agon ask \"attack docs/design.md\"
  agon ask \"Should we rewrite the parser? Look at src/parser.rs\" --plan
  agon ask \"a quick review of git:main..HEAD\" --yes --fail-on blocked";

impl AskArgs {
    /// What the command line decides already; kind, motion and the rest are proposed.
    pub fn into_request(self) -> OpeningRequest {
        OpeningRequest {
            seats: self.seats.into(),
            rounds: self.rounds.rounds,
            context: self.context.into(),
            budget: self.budget.into(),
            out: self.out,
            id: self.id,
            yes: self.yes || self.plan,
            offline: self.offline,
            ..OpeningRequest::default()
        }
    }
}
