//! Arguments of `agon eval`.

use std::path::PathBuf;

use agon_app::evaluation::{EvaluationRequest, SampleCount};
use clap::{Args, Subcommand};

use super::run::{BudgetArgs, OnArgs, SeatArgs};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvalArgs {
    #[command(subcommand)]
    pub action: Option<EvalAction>,
    /// JSON Lines file with one item per line: {"id", "question", "choices", "gold", "cluster", "context"}
    #[arg(required = true)]
    pub items: Option<PathBuf>,
    /// A way to answer: a shipped arm (direct, cot, self-consistency, critique, consultancy, debate,
    /// debate-mirrored, judge-with-source), a protocol, or a file that declares one; repeatable
    #[arg(long = "arm", value_name = "NAME")]
    pub arms: Vec<String>,
    /// Answer a random sample of N items, and predict whether a debate will help. Without --arm, the arms are
    /// direct and debate-mirrored
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub pilot: Option<u32>,
    /// How often each arm answers each item
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// How many debates to run at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrency: u16,
    /// How many samples an arm with samples takes [default: as its declaration says]
    #[arg(long, value_name = "N", conflicts_with = "equal_tokens", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: Option<u32>,
    /// Let an arm with samples take as many as reach the tokens of the arm that takes most
    #[arg(long)]
    pub equal_tokens: bool,
    /// Folder of the run; the same command continues the run in it [default: evaluations/<name of the items>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of the sample, of the order of choices and of the debates
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Show debates, calls, tokens and cost; send nothing
    #[arg(long)]
    pub plan: bool,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Do not use the network to download a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
    #[command(flatten)]
    pub on: OnArgs,
}

const EXAMPLES: &str = "Examples:
  agon eval items.jsonl --arm direct --arm debate-mirrored --plan
  agon eval items.jsonl --pilot 30
  agon eval items.jsonl --arm direct --arm self-consistency --arm debate --equal-tokens
  agon eval report evaluations/items      draw the report again
  agon eval import judgments.jsonl --out elsewhere

docs/eval.md describes items, arms and figures.";

#[derive(Debug, Subcommand)]
pub enum EvalAction {
    /// Draw the report of a run again from its observations
    Report {
        /// Folder of the run
        dir: PathBuf,
    },
    /// Read observations that were made elsewhere, and draw their report
    Import {
        /// JSON Lines file with one observation per line (docs/eval.md)
        file: PathBuf,
        /// New folder for them
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// Arms of a pilot where none are named: those that its prediction needs.
const PILOT_ARMS: [&str; 2] = ["direct", "debate-mirrored"];

impl EvalArgs {
    /// What the use case is asked for.
    pub fn into_request(self) -> EvaluationRequest {
        let mut arms = self.arms;
        if arms.is_empty() && self.pilot.is_some() {
            arms = PILOT_ARMS.map(str::to_owned).into();
        }
        let samples = match (self.samples, self.equal_tokens) {
            (Some(samples), _) => SampleCount::Fixed(samples),
            (None, true) => SampleCount::EqualTokens,
            (None, false) => SampleCount::Declared,
        };
        EvaluationRequest {
            items: self.items.unwrap_or_default(),
            arms,
            pilot: self.pilot,
            repeat: self.repeat,
            concurrency: self.concurrency,
            out: self.out,
            seed: self.seed,
            seats: self.seats.into(),
            samples,
            budget: self.budget.into(),
            offline: self.offline,
        }
    }
}
