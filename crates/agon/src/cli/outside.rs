//! What the verbs for seats that are answered from outside take.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct SeatsArgs {
    #[command(subcommand)]
    pub action: Option<SeatsAction>,
    /// The debate [default: every open one]
    pub id: Option<String>,
    /// Show what this seat is asked now, and how it is answered; -v: its prompt, and the schema of its answer
    #[arg(long, requires = "id")]
    pub seat: Option<String>,
}

const EXAMPLES: &str = "Examples:
  agon seats                                        whose turn it is, in every open debate
  agon seats ID --seat judge                        what the judge is asked now
  agon answer ID --seat judge --file verdict.json   answers it
  agon answer ID --seat audience --text \"Who pays, ada?\"
  agon seats claim ID --seat judge --name Ada       takes the seat for 15 minutes";

#[derive(Debug, Subcommand)]
pub enum SeatsAction {
    /// Take a seat; prints the token that proves it
    Claim {
        #[command(flatten)]
        seat: OneSeat,
        /// Who takes it, as others are to see it
        #[arg(long)]
        name: String,
        /// For how long
        #[arg(long, default_value_t = agon_runtime::journal::leases::LEASE_SECONDS)]
        seconds: u32,
    },
    /// Hold a seat for longer, from now
    Refresh {
        #[command(flatten)]
        seat: OneSeat,
        /// The token of the claim
        #[arg(long)]
        token: String,
        /// For how long
        #[arg(long, default_value_t = agon_runtime::journal::leases::LEASE_SECONDS)]
        seconds: u32,
    },
    /// Give a seat back
    Release {
        #[command(flatten)]
        seat: OneSeat,
        /// The token of the claim
        #[arg(long)]
        token: String,
    },
}

#[derive(Debug, Args)]
pub struct OneSeat {
    /// The debate
    pub id: String,
    /// The seat
    #[arg(long)]
    pub seat: String,
}

#[derive(Debug, Args)]
pub struct AnswerArgs {
    #[command(flatten)]
    pub seat: OneSeat,
    /// The token of a claim; without one the seat is claimed for this answer
    #[arg(long)]
    pub token: Option<String>,
    /// Who answers, where no token is given [default: the user's name]
    #[arg(long, conflicts_with = "token")]
    pub name: Option<String>,
    /// The file that holds the answer, in plain words or as JSON; - is standard input
    #[arg(long, default_value = "-")]
    pub file: PathBuf,
    /// The answer itself
    #[arg(long, conflicts_with = "file")]
    pub text: Option<String>,
    /// Leave out what is asked, where the protocol lets a person do so
    #[arg(long, conflicts_with_all = ["file", "text", "token"])]
    pub skip: bool,
}

#[derive(Debug, Args)]
pub struct InterjectArgs {
    /// The debate
    pub id: String,
    /// The file that holds the words; - is standard input
    #[arg(long, default_value = "-")]
    pub file: PathBuf,
    /// Who says them [default: the user's name]
    #[arg(long)]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct ActArgs {
    /// The debate
    pub id: String,
    /// The reason, for readers
    #[arg(long, default_value = "", hide_default_value = true)]
    pub why: String,
    /// Who does it [default: the user's name]
    #[arg(long)]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct SkillsArgs {
    #[command(subcommand)]
    pub action: SkillsAction,
}

#[derive(Debug, Subcommand)]
pub enum SkillsAction {
    /// Write the skills where an agent finds them
    Install {
        #[command(flatten)]
        place: SkillPlace,
        /// Also write rp1, write-log.sh and debate_ops, for skills that call these
        #[arg(long)]
        shims: bool,
        /// Overwrite skills that were changed by hand, too
        #[arg(long)]
        force: bool,
    },
    /// Show which skills are installed, and whether they were changed
    List {
        #[command(flatten)]
        place: SkillPlace,
    },
    /// Remove the skills that agon wrote and nobody changed
    Remove {
        #[command(flatten)]
        place: SkillPlace,
        /// Remove skills that were changed by hand, too
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
pub struct SkillPlace {
    /// For which agent
    #[arg(long, value_enum, default_value_t = Host::ClaudeCode)]
    pub host: Host,
    /// In the current folder's project (the default)
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// In the user's home, for all projects
    #[arg(long)]
    pub user: bool,
}

/// Agents that read skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Host {
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    GhCopilot,
    Amp,
}
