//! Stand-ins for the programs of the systems that agon's protocols come from: the same flags, files, messages and exit
//! codes, so that a skill written for one of them works unchanged.
//!
//! None of them uses clap's messages: what a source system says about a wrong line is part of what its skills read.
//!
//! - `debate_ops`, `write_log`, `duel`, `emit`: one file per program; `flags` reads their arguments
//! - `debate_folder`: a folder of the exchange format
//! - `own_debate`: the folder of an open debate of agon; `single_execution`: a request that is carried out once despite kills
//! - [`store`]: duels, events, runs, receipts and findings in the journal's database; [`stored`]: the same, for display
//! - `files`: changes of several files at once, and logs that several processes append to

mod debate_folder;
mod debate_ops;
mod duel;
mod emit;
mod files;
mod flags;
#[cfg(test)]
mod kill_tests;
#[cfg(test)]
mod killable_disk;
mod own_debate;
mod single_execution;
pub mod store;
pub mod stored;
mod write_log;

use std::{ffi::OsString, io, path::Path};

use agon_runtime::config::Paths;
use serde::Serialize;
use serde_json::json;

use self::single_execution::Once;
pub use self::{debate_ops::run as debate_ops, write_log::run as write_log};

/// The output of a drop-in verb and its exit code.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct VerbResponse {
    /// The exit code.
    pub code: u8,
    /// What goes to standard output.
    pub out: String,
    /// What goes to standard error.
    pub err: String,
}

impl VerbResponse {
    fn on_stdout(code: u8, out: impl Into<String>) -> Self {
        Self { code, out: out.into(), err: String::new() }
    }

    fn on_stderr(code: u8, err: impl Into<String>) -> Self {
        Self { code, err: err.into(), out: String::new() }
    }
}

/// Prints an answer, each stream as a line of its own.
pub type Print<'a> = &'a dyn Fn(&VerbResponse);

/// `agon agent-tools …`
pub fn agent_tools(words: &[OsString], print: Print<'_>) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let once = Once::new(&words);
    let said = match words.split_first() {
        Some((tool, rest)) if tool == duel::TOOL => duel::run(rest, &once),
        Some((tool, rest)) if tool == emit::TOOL => emit::run(rest, &once),
        Some((tool, _)) => {
            refused_response(tool, format!("Unknown tool: {tool}. Available: {}, {}", duel::TOOL, emit::TOOL))
        }
        None => refused_response("agent-tools", format!("name a tool: {} or {}", duel::TOOL, emit::TOOL)),
    };
    print(&said);
    once.mark_answered();
    said.code
}

/// The envelope of a result of `tool`: one line on standard output.
fn result_response(tool: &str, data: &impl Serialize) -> VerbResponse {
    VerbResponse::on_stdout(0, json!({"success": true, "tool": tool, "data": data}).to_string())
}

/// The envelope of input that `tool` does not take: one line on standard output.
fn invalid_response(tool: &str, messages: &[&str]) -> VerbResponse {
    let errors: Vec<_> = messages.iter().map(|message| json!({"message": message})).collect();
    VerbResponse::on_stdout(1, json!({"success": false, "tool": tool, "data": null, "errors": errors}).to_string())
}

/// The envelope of a request that `tool` could not carry out: indented, on standard error.
fn refused_response(tool: &str, message: impl Into<String>) -> VerbResponse {
    let message: String = message.into();
    let envelope = json!({"success": false, "tool": tool, "data": null, "errors": [{"message": message}]});
    VerbResponse::on_stderr(1, serde_json::to_string_pretty(&envelope).unwrap_or_default())
}

/// Where the journal is.
fn journal_home() -> Result<std::path::PathBuf, String> {
    Paths::find().map(|places| places.home)
}

/// What Python says of a file that it cannot open.
fn describe_io_error(error: &io::Error, path: &Path) -> String {
    let said = error.to_string();
    let words = said.split(" (os error").next().unwrap_or_default();
    let path = agon_report::python_json::render_python_repr(&path.to_string_lossy());
    match error.raw_os_error() {
        Some(number) => format!("[Errno {number}] {words}: {path}"),
        None => format!("{words}: {path}"),
    }
}
