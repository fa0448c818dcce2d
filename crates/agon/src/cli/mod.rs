//! The command line.

mod ask;
mod eval;
mod gate;
mod help;
mod models;
mod options;
mod outside;
mod reading;
mod refused_line;
mod run;
mod service;
mod shorthand;
mod users;

use std::path::PathBuf;

use agon_app::{Failure, FileSet};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, error::ErrorKind};

pub use self::ask::AskArgs;
pub use self::eval::{EvalAction, EvalArgs};
pub use self::gate::{GateArgs, RevisionArgs, SummaryArgs, SummaryKind};
#[cfg(feature = "local")]
pub use self::models::PullArgs;
pub use self::models::{ModelsAction, TryEngineArgs};
pub use self::outside::{
    ActArgs, AnswerArgs, InterjectArgs, LookupArgs, OneSeat, SeatsAction, SeatsArgs, SkillHost, SkillPlace,
    SkillsAction,
};
pub use self::reading::{ExportArgs, GraphArgs, ImportArgs, ShowArgs, VerifyArgs};
pub use self::run::{BudgetArgs, OnArgs, RunArgs, SeatArgs};
pub use self::service::{DeleteArgs, JournalAction, LabelArgs, ServeArgs, WebhooksAction, WorkerArgs};
pub use self::users::UsersAction;

/// Structured debates between models, agents and people, with outcomes you can check.
#[derive(Debug, Parser)]
#[command(name = "agon", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Format of standard output
    #[arg(long, global = true, value_enum, default_value_t = Output::Text)]
    pub output: Output,
    /// Print only the statements and the result: no progress, no hints
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print every warning in full, and the key of every request
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print a running debate as lines, without the full-screen view
    #[arg(long, global = true)]
    pub plain: bool,
    /// Trust the variables, addresses and commands in the project's agon.toml for this command
    #[arg(long, global = true)]
    pub trust: bool,
}

const EXAMPLES: &str = "Examples:
  agon run exchange \"This house would teach programming in every school\"
  agon run exchange motion.md --rounds 2 --seat judge=anthropic:claude-sonnet-5-5
  agon review --context git:. --plan      show calls, cost, time and recipients; send nothing
  agon \"review my changes\"                propose kind, material and cost; run on yes
  agon resume last                        continue the newest debate after an interruption
  agon extend ID --rounds 1               add one exchange
  agon protocols list                     list the other kinds of debate

agon help COMMAND describes a command, and agon run KIND --help the options of one kind of debate.
agon completions SHELL prints shell completions, agon man the manual page.
Without a model flag, a configuration file or an API key in the environment, a small model on this
machine answers at every seat.";

impl Cli {
    /// What the words of this process ask for.
    ///
    /// # Errors
    ///
    /// A wrong line, or the help or version that was asked for.
    pub fn parse_words() -> Result<Self, NoCommand> {
        let words = shorthand::add_command(std::env::args_os().collect(), &Self::command());
        let mut command = help::build_command(&words);
        let parsed = command
            .try_get_matches_from_mut(&words)
            .and_then(|matches| Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command)));
        parsed.map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => NoCommand::Shown(error),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if wanted_output() == Output::Text => {
                NoCommand::Shown(error)
            }
            _ => NoCommand::Refused(refused_line::explain_parse_error(&error, &words, &command)),
        })
    }
}

/// Why a command line names nothing to do.
pub enum NoCommand {
    /// Help or version was asked for, or the command lacks one of its own.
    Shown(clap::Error),
    /// The line is wrong.
    Refused(Failure),
}

/// The format in which a command line that cannot be parsed is answered.
pub fn wanted_output() -> Output {
    let words: Vec<String> = std::env::args().collect();
    let is_json =
        words.iter().any(|word| word == "--output=json") || words.windows(2).any(|pair| pair == ["--output", "json"]);
    if is_json { Output::Json } else { Output::Text }
}

/// Format of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Text for people
    Text,
    /// One JSON object per line
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a debate and run it to its end
    #[command(alias = "debate")]
    Run(Box<RunArgs>),
    /// Propose a debate for a question in plain words, and run it on yes
    Ask(Box<AskArgs>),
    /// Run the debates listed in a file, several at once
    Batch(BatchArgs),
    /// Compare ways to answer questions on your own items, with statistics
    Eval(Box<EvalArgs>),
    /// Continue an interrupted or paused debate
    Resume(ResumeArgs),
    /// Add rounds or budget to a debate and continue it
    Extend(ExtendArgs),
    /// Start a new debate from the first entries of an existing one
    Fork(ForkArgs),
    /// List debates, newest first
    ///
    /// Duels and runs of agent-tools are listed, too.
    List {
        /// Maximum number of debates to list
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show one debate, or a duel or run of agent-tools
    Show(ShowArgs),
    /// Follow a running debate, or show a finished one again
    Watch {
        /// Id of the debate, the first 4 or more characters of it, or last
        id: String,
    },
    /// Show whose turn it is at seats answered from outside; claim one
    Seats(SeatsArgs),
    /// Answer at a seat from outside
    Answer(AnswerArgs),
    /// Send a remark to every participant of a debate
    Interject(InterjectArgs),
    /// Pause a debate; agon resume continues it
    Pause(ActArgs),
    /// End a debate now, without a result
    Cancel(ActArgs),
    /// Serve debates to agents over the Model Context Protocol
    ///
    /// Messages come on standard input, and answers go to standard output.
    Mcp,
    /// Manage the skills that teach agents to run debates
    Skills {
        #[command(subcommand)]
        action: SkillsAction,
    },
    /// Write a debate's files, or those of a duel or run of agent-tools
    Export(ExportArgs),
    /// Show attacks, supports and concessions, and which arguments survive
    Graph(GraphArgs),
    /// Import a record.jsonl, or files that another program wrote
    Import(ImportArgs),
    /// Recompute every step and file of a debate, and compare
    Replay {
        /// Id of the debate, the first 4 or more characters of it, or last
        id: String,
    },
    /// Check whether a record or an artifact is sound
    ///
    /// It is that of a debate, an exported record.jsonl, a duel's artifact, a run, or a folder of debate-ops.
    Check {
        /// Id of a debate, duel or run; or the path of a folder, of a record.jsonl, or of a duel's artifact
        what: String,
    },
    /// Look up the sources that a text or a debate cites
    Verify(VerifyArgs),
    /// Read a PDF file from standard input, for the verifier
    #[command(hide = true)]
    ExtractPdf,
    /// Look something up for an outside seat before you answer
    Lookup(LookupArgs),
    /// Pass an agent's lookups on to the debate that it answers in
    #[command(hide = true)]
    LookupBridge {
        /// Where that debate is driven
        file: PathBuf,
    },
    /// Compute one token with an engine that may end the process
    #[command(hide = true)]
    TryEngine(TryEngineArgs),
    /// Serve debates to browsers and, over HTTP, to programs
    Serve(ServeArgs),
    /// Drive debates that are run with --on (docs/cluster.md)
    Worker(WorkerArgs),
    /// Manage the accounts of a server: people, roles in debates, tokens
    #[command(after_help = users::EXAMPLES)]
    Users {
        #[command(subcommand)]
        action: Option<UsersAction>,
    },
    /// Write a backup of all debates to one file, while they run
    Backup {
        /// The file to write
        file: PathBuf,
        /// Replace the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Restore a backup into a data directory without debates
    Restore {
        /// The backup
        file: PathBuf,
        /// Data directory to restore into [default: AGON_HOME]
        #[arg(long, value_name = "DIR")]
        home: Option<PathBuf>,
    },
    /// Delete debates; what stays shows that their records were sound
    Delete(DeleteArgs),
    /// Show or change the labels of a debate
    Label(LabelArgs),
    /// Show or delete debates that the configuration no longer keeps
    Retention {
        /// List what would be deleted; delete nothing
        #[arg(long, conflicts_with = "yes")]
        plan: bool,
        /// Delete it
        #[arg(long, required_unless_present = "plan")]
        yes: bool,
    },
    /// Show webhooks and their deliveries, send again, or send a test
    Webhooks {
        #[command(subcommand)]
        action: Option<WebhooksAction>,
    },
    /// List, show or create kinds of debate
    Protocols {
        #[command(subcommand)]
        action: Option<ProtocolsAction>,
    },
    /// List, show or customize the prompts that models receive
    Prompts {
        #[command(subcommand)]
        action: Option<PromptsAction>,
    },
    /// List or download models that run on this machine
    Models {
        #[command(subcommand)]
        action: Option<ModelsAction>,
    },
    /// Show or refresh list prices and context sizes of hosted models
    Prices {
        #[command(subcommand)]
        action: Option<PricesAction>,
    },
    /// Show calls, tokens, cost and failures over all debates
    Stats {
        /// Count only debates that were started since then: 2026-01-31, 2026-01-31T12:00:00Z, or 30d for the
        /// last 30 days
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
    },
    /// Copy the journal from one store into another
    Journal {
        #[command(subcommand)]
        action: JournalAction,
    },
    /// Trust the project's agon.toml with variables and commands
    ///
    /// Shows the variables, addresses and commands that it asks for first.
    Trust {
        /// Forget that this folder is trusted
        #[arg(long)]
        revoke: bool,
    },
    /// Show what is set up, what is missing, and how to fix it
    Doctor,
    /// Stand-in for the program of the exchange format: process-exchange, process-judge
    #[command(hide = true)]
    DebateOps(DropInArgs),
    /// Append an entry to the log of a chaired debate
    #[command(hide = true)]
    WriteLog(DropInArgs),
    /// Stand-in for the tools of the duel's skill: socratic-duel, emit
    #[command(hide = true)]
    AgentTools(DropInArgs),
    /// Print shell completions
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

#[derive(Debug, Args)]
pub struct BatchArgs {
    /// JSON Lines file, or - for standard input; each line holds the options of one `run`: {"protocol", "motion",
    /// "rounds", "seats", …}
    pub file: PathBuf,
    /// How many debates to run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrency: u16,
    /// Which files each debate leaves; the journal holds everything, and agon export writes any file later
    #[arg(long, value_name = "none|report|all", default_value_t)]
    pub files: FileSet,
    /// Show progress also where standard error is not a terminal: a line every 10 seconds
    #[arg(long)]
    pub progress: bool,
    /// Do not use the network to download a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
    #[command(flatten)]
    pub on: OnArgs,
}

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    #[command(flatten)]
    pub seats: SeatArgs,
    /// Do not use the network to download a model
    #[arg(long, help_heading = "Options")]
    pub offline: bool,
    #[command(flatten)]
    pub gate: GateArgs,
    #[command(flatten)]
    pub revision: RevisionArgs,
    #[command(flatten)]
    pub on: OnArgs,
}

#[derive(Debug, Args)]
pub struct ExtendArgs {
    /// Rounds to add
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub rounds: u32,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub resume: ResumeArgs,
}

#[derive(Debug, Args)]
pub struct ForkArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    #[arg(id = "debate", value_name = "ID")]
    pub debate: String,
    /// Last entry to copy into the fork [default: the last entry of the debate]
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    pub at: Option<u64>,
    /// Override the number of rounds
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub seats: SeatArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Override the seed of all random choices
    #[arg(long, value_name = "N", help_heading = "Options")]
    pub seed: Option<u64>,
    /// Folder for the fork's files [default: debates/<slug>]
    #[arg(long, value_name = "DIR", help_heading = "Options")]
    pub out: Option<PathBuf>,
    /// Id of the fork [default: time-ordered and unique]
    #[arg(long, help_heading = "Options")]
    pub id: Option<String>,
}

/// Arguments that are parsed as another program parses them: see docs/drop-in.md.
#[derive(Debug, Args)]
pub struct DropInArgs {
    /// The arguments of the other program: see docs/drop-in.md
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<std::ffi::OsString>,
}

#[derive(Debug, Subcommand)]
pub enum ProtocolsAction {
    /// List the protocols
    List,
    /// Show seats, rounds and prompts of a protocol; check it if a file declares it
    Show {
        /// Name of the protocol, or the file that declares it
        name: String,
    },
    /// Create the file of a new protocol, to start from
    New {
        /// Name of the protocol
        name: String,
        /// Destination folder [default: the project's .agon/protocols]
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub enum PromptsAction {
    /// List prompts, and where each comes from
    List {
        /// List only the prompts of this protocol
        protocol: Option<String>,
    },
    /// Print a prompt
    Show {
        /// PROTOCOL/NAME
        prompt: String,
    },
    /// Show how your prompts differ from the shipped ones
    Diff {
        /// PROTOCOL/NAME [default: all of your prompts]
        prompt: Option<String>,
    },
    /// Copy a prompt into the project, to change it there
    Eject {
        /// PROTOCOL/NAME
        prompt: String,
        /// Copy it into the user's configuration instead
        #[arg(long)]
        user: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum PricesAction {
    /// List models with prices, context sizes, and where and when the prices were published
    List,
    /// Replace prices by newer ones from a catalogue in TOML or JSON
    Refresh {
        /// A file, or an http or https address
        #[arg(value_name = "FILE|URL")]
        from: String,
    },
}
