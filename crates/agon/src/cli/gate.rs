//! Arguments that let a pipeline act on the outcome of a debate.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Where pipelines look for the summary of a step, if no file is named.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "In a pipeline (docs/exit-codes.md)")]
pub struct GateArgs {
    /// Exit with 10 if the outcome is one of these, and with 11 if it is unclear, for example
    /// "fail|dissent": names of outcomes, fail, unclear, void, dissent, degraded
    #[arg(long, value_name = "CODES")]
    pub fail_on: Option<String>,
    #[command(flatten)]
    pub summary: SummaryArgs,
}

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "In a pipeline (docs/exit-codes.md)")]
pub struct SummaryArgs {
    /// Write a summary of at most 60 lines: as Markdown, or for GitHub also with annotations
    #[arg(long, value_name = "KIND", value_enum)]
    pub summary: Option<SummaryKind>,
    /// File for the summary [default: the file that GITHUB_STEP_SUMMARY names, else standard output]
    #[arg(long, value_name = "FILE", requires = "summary")]
    pub summary_file: Option<PathBuf>,
}

#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "In a pipeline (docs/exit-codes.md)")]
pub struct RevisionArgs {
    /// Read the project's configuration, prompts and protocols from a git revision, not from the work tree: for
    /// changes of people whom you do not trust
    #[arg(long, value_name = "REV")]
    pub config_from: Option<String>,
}

/// For whom a summary is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SummaryKind {
    /// Markdown, and annotations if GITHUB_ACTIONS is true
    Github,
    /// Markdown
    Markdown,
}

impl GateArgs {
    /// Whether nothing of it is asked for.
    pub fn is_empty(&self) -> bool {
        self.fail_on.is_none() && self.summary.summary.is_none()
    }
}

impl SummaryArgs {
    /// The file of the summary, if there is one.
    pub fn summary_path(&self) -> Option<PathBuf> {
        let step = || std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()).map(Into::into);
        self.summary_file.clone().or_else(step)
    }
}
