//! Options of a protocol, as its manifest declares them. Command line,
//! HTTP, MCP, forms and documentation are all derived from these.

use serde::{Deserialize, Serialize};

/// An option of a protocol, as its manifest declares it. Flags, schemas and forms are derived from it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionSpec {
    /// Its name for programs, in lower case with underscores, such as `time_budget`.
    pub name: String,
    /// What it means, in one line without a full stop.
    pub about: String,
    /// What its value is.
    pub kind: OptionKind,
    /// Its flag on the command line, without dashes, where that is not its name with hyphens.
    pub flag: Option<String>,
    /// What a reader sees in the value's place, such as `TERM=MEANING`.
    pub placeholder: Option<String>,
    /// The words that a choice may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Choice>,
    /// What holds where nobody says, in words.
    pub default: Option<String>,
    /// The smallest number.
    pub min: Option<u32>,
    /// The largest number.
    pub max: Option<u32>,
    /// Whether it is about how the debate is judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub judging: bool,
    /// Options that cannot be given together with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
}

/// An allowed value of an option, with its description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The word.
    pub name: String,
    /// What it means.
    pub about: String,
}

/// The type of an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionKind {
    /// On, or not there.
    Switch,
    /// One of some words.
    Choice,
    /// A whole number.
    Count,
    /// A time such as `90s` or `20m`.
    Duration,
    /// A line of text.
    Text,
    /// A model.
    Model,
    /// A number of models, or their names with commas between them.
    Models,
    /// Terms with what they mean.
    Terms,
    /// Texts by name: files on the command line, the texts themselves elsewhere.
    Texts,
    /// A folder of this machine.
    Folder,
}

impl OptionSpec {
    /// Its flag on the command line, without dashes.
    pub fn flag_name(&self) -> String {
        self.flag.clone().unwrap_or_else(|| self.name.replace('_', "-"))
    }

    /// The flag as it is typed.
    pub fn render_flag(&self) -> String {
        format!("--{}", self.flag_name())
    }

    /// Whether only someone at this machine can give it.
    pub fn is_local(&self) -> bool {
        self.kind == OptionKind::Folder
    }
}
