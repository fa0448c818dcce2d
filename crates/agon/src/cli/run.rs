//! What `agon run` takes. Which protocol takes which of it is said in one place: `opening/flags.rs`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// Kind of debate: see `agon protocols list`, or a file that declares one
    pub protocol: String,
    /// What is debated: a text, or a file that holds it (duel: the Markdown document)
    pub motion: Option<String>,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub lineup: LineupArgs,
    #[command(flatten)]
    pub rounds: RoundArgs,
    #[command(flatten)]
    pub own: ProtocolArgs,
    #[command(flatten)]
    pub judging: JudgingArgs,
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
    /// Whether somebody asks for it who may not name files of this machine.
    #[arg(skip)]
    pub from_elsewhere: bool,
}

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

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "How long")]
pub struct RoundArgs {
    /// Rounds: exchange, rebuttals after the opening; duel, turns; panel, exchanges at most;
    /// revise, rounds of critique; chaired, fewest and most at once
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub rounds: Option<u32>,
    /// Fewest rounds (chaired)
    #[arg(long, value_name = "N", conflicts_with = "rounds", allow_negative_numbers = true)]
    pub min_rounds: Option<u32>,
    /// Most rounds (chaired, panel)
    #[arg(long, value_name = "N", conflicts_with = "rounds", allow_negative_numbers = true)]
    pub max_rounds: Option<u32>,
    /// Minutes after which the closing statements begin (chaired)
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true)]
    pub time_budget: Option<u32>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Of one protocol")]
pub struct ProtocolArgs {
    /// A word of the motion that both sides take in one sense; repeatable (exchange)
    #[arg(long = "define", value_name = "TERM=MEANING")]
    pub definitions: Vec<String>,
    /// What the debate is and is not about (exchange)
    #[arg(long)]
    pub scope: Option<String>,
    /// What the document is examined for [default: its first heading] (duel)
    #[arg(long)]
    pub topic: Option<String>,
    /// How long a participant may be silent, for example 90s or 20m [default: 20m] (duel)
    #[arg(long, value_name = "TIME")]
    pub wait: Option<String>,
    /// What is being written [default: draft, in a track plan] (revise)
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// A draft that exists already, two to four of them (revise)
    #[arg(long = "draft", value_name = "NAME=PATH")]
    pub drafts: Vec<String>,
    /// A track folder below .kiln, where files are found and left (revise)
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub track: Option<PathBuf>,
    /// Number of the phase [default: by the track's name, or 1] (revise)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub phase: Option<u32>,
    /// Title of the phase (revise)
    #[arg(long)]
    pub title: Option<String>,
    /// Whether drafts are debated, only joined, or written by one alone (revise)
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Whether cited pages are opened and looked through while the debate goes on [default: on for
    /// chaired, else off]
    #[arg(long, value_enum, value_name = "off|on")]
    pub verify: Option<Verify>,
    /// A model that reads the sentences around each cited claim, twice; what it says is shown beside what
    /// was looked up and changes nothing
    #[arg(long, value_name = "MODEL")]
    pub reader: Option<String>,
}

/// Whether cited pages are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Verify {
    /// No.
    Off,
    /// Yes, by this program.
    On,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Judging (docs/judging.md)")]
pub struct JudgingArgs {
    /// How many judges, an odd number; or who they are (exchange)
    #[arg(long, value_name = "N|MODEL,MODEL,...")]
    pub judges: Option<String>,
    /// In which orders of the sides a judge is asked [default: both for one judge, one for a panel]
    /// (exchange)
    #[arg(long, value_enum)]
    pub orders: Option<Orders>,
    /// Let a model judge what it said itself (exchange)
    #[arg(long)]
    pub self_judging: bool,
    /// Stop before the last round where the judges' margin is stable and decisive (exchange)
    #[arg(long, value_enum)]
    pub stop: Option<Stop>,
    /// Hold the debate again with those who argue changed about, and compare (not revise)
    #[arg(long)]
    pub mirror: bool,
    /// Ask the judge's model the same question alone, at the same cost, and compare (exchange)
    #[arg(long)]
    pub baseline: bool,
    /// Have a model read what the statements say of earlier ones, for the argument graph: each twice, once
    /// the debate has ended (docs/graph.md)
    #[arg(long, value_name = "MODEL")]
    pub extract: Option<String>,
}

/// In which orders a judge reads the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Orders {
    /// Each judgment is asked for twice, with the sides changed about.
    Both,
    /// In one order, drawn from the seed.
    One,
}

impl Orders {
    pub fn name(self) -> &'static str {
        match self {
            Orders::Both => "both",
            Orders::One => "one",
        }
    }
}

/// When a debate may end before its last round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stop {
    /// Where the same side has led decisively and steadily.
    Stable,
}

/// What a revise debate writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// A plan of task packets.
    Plan,
    /// A review with a verdict.
    Review,
    /// Any other text.
    Draft,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Plan => "plan",
            Mode::Review => "review",
            Mode::Draft => "draft",
        }
    }
}

/// What happens to the drafts of a revise debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Critique and revision, then one text.
    Debate,
    /// One text at once.
    Synthesize,
    /// One author alone.
    Single,
}

impl Strategy {
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Debate => "debate",
            Strategy::Synthesize => "synthesize",
            Strategy::Single => "single",
        }
    }
}

#[derive(Debug, Default, Args)]
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
