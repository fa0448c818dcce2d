//! Arguments of the commands for outside seats.

use std::path::PathBuf;

use agon_runtime::lookups::LookupTool;
use clap::{
    Args, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct SeatsArgs {
    #[command(subcommand)]
    pub action: Option<SeatsAction>,
    /// Id of the debate, its beginning, or last [default: every open debate]
    pub id: Option<String>,
    /// Show what this seat is asked now and how to answer; -v adds its prompt and the schema of its answer
    #[arg(long, requires = "id")]
    pub seat: Option<String>,
    /// Print the form of the answer to fill in, a line per field
    #[arg(long, requires = "seat")]
    pub template: bool,
}

const EXAMPLES: &str = "Examples:
  agon seats                                        show whose turn it is, in every open debate
  agon seats ID --seat judge                        show what the judge is asked now
  agon seats ID --seat judge --template >FILE       write the form that the judge is asked to fill in
  agon answer ID --seat judge --file FILE           answer for the judge: lines of the form, or JSON
  agon answer ID --seat audience --text \"Who pays, ada?\"
  agon seats claim ID --seat judge --name Ada       claim the seat for 15 minutes";

#[derive(Debug, Subcommand)]
pub enum SeatsAction {
    /// Claim a seat; prints the token that proves the claim
    Claim {
        #[command(flatten)]
        seat: OneSeat,
        /// Your name, as others see it
        #[arg(long)]
        name: String,
        /// How long the claim lasts, in seconds
        #[arg(long, default_value_t = agon_journal::leases::LEASE_SECONDS)]
        seconds: u32,
    },
    /// Extend the claim on a seat, from now
    Refresh {
        #[command(flatten)]
        seat: OneSeat,
        /// The token of your claim
        #[arg(long)]
        token: String,
        /// How long the claim lasts, in seconds
        #[arg(long, default_value_t = agon_journal::leases::LEASE_SECONDS)]
        seconds: u32,
    },
    /// Release a seat
    Release {
        #[command(flatten)]
        seat: OneSeat,
        /// The token of your claim
        #[arg(long)]
        token: String,
    },
}

#[derive(Debug, Args)]
pub struct OneSeat {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// Name of the seat
    #[arg(long)]
    pub seat: String,
}

#[derive(Debug, Args)]
pub struct AnswerArgs {
    #[command(flatten)]
    pub seat: OneSeat,
    /// The token of your claim; without it, the seat is claimed for this answer only
    #[arg(long)]
    pub token: Option<String>,
    /// Your name, if you give no token [default: the name of the operating system's user]
    #[arg(long, conflicts_with = "token")]
    pub name: Option<String>,
    /// File that holds the answer, as plain text or JSON; - is standard input
    #[arg(long, default_value = "-")]
    pub file: PathBuf,
    /// The answer itself, instead of a file
    #[arg(long, conflicts_with = "file")]
    pub text: Option<String>,
    /// Decline to answer, if the protocol allows it
    #[arg(long, conflicts_with_all = ["file", "text", "token"])]
    pub skip: bool,
}

#[derive(Debug, Args)]
pub struct InterjectArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// File that holds the remark; - is standard input
    #[arg(long, default_value = "-")]
    pub file: PathBuf,
    /// The remark itself, instead of a file
    #[arg(long, conflicts_with = "file")]
    pub text: Option<String>,
    /// Your name [default: the name of the operating system's user]
    #[arg(long)]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct ActArgs {
    /// Id of the debate, the first 4 or more characters of it, or last
    pub id: String,
    /// The reason, shown to readers
    #[arg(long, default_value = "", hide_default_value = true)]
    pub why: String,
    /// Your name [default: the name of the operating system's user]
    #[arg(long)]
    pub name: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum SkillsAction {
    /// Install the skills where an agent finds them
    Install {
        #[command(flatten)]
        place: SkillPlace,
        /// Also install rp1, write-log.sh and debate_ops, for skills that call these programs
        #[arg(long)]
        shims: bool,
        /// Also overwrite skills that you changed
        #[arg(long)]
        force: bool,
    },
    /// List installed skills, and whether they were changed
    List {
        #[command(flatten)]
        place: SkillPlace,
    },
    /// Remove the skills that agon installed, except changed ones
    Remove {
        #[command(flatten)]
        place: SkillPlace,
        /// Also remove skills that you changed
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
pub struct SkillPlace {
    /// The agent
    #[arg(long, value_enum, default_value_t = SkillHost::ClaudeCode)]
    pub host: SkillHost,
    /// For the project of the current folder (the default)
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// For all projects of the user
    #[arg(long)]
    pub user: bool,
}

/// Agents that read skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SkillHost {
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    GhCopilot,
    Amp,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agon lookup ID --seat reviewer-1 search parse_statement
  agon lookup ID --seat reviewer-1 read src/main.rs --first 40 --last 80
  agon lookup ID --seat ada open https://example.org/report      (a debate with --lookups web)")]
pub struct LookupArgs {
    #[command(flatten)]
    pub seat: OneSeat,
    /// What to do: search or read the material, open a page, find pages
    #[arg(value_parser = PossibleValuesParser::new(LookupTool::ALL.map(LookupTool::name))
        .try_map(|name| LookupTool::from_name(&name).ok_or(name)))]
    pub tool: LookupTool,
    /// Words, a path, an address, or what to search the web for
    #[arg(required = true, num_args = 1..)]
    pub object: Vec<String>,
    /// From this line of the file; from this character of the page
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub first: Option<u32>,
    /// To this line of the file
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub last: Option<u32>,
}
