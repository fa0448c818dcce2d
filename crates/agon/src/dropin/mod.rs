//! Stand-ins for the programs of the systems that agon's protocols come from: the same flags,
//! files, messages and exit codes, so that a skill written for one of them works unchanged.
//!
//! None of them lets clap speak: what a source system says of a wrong line is part of what its
//! skills read.

mod debate_folder;
mod debate_ops;
mod duel;
#[cfg(test)]
mod dying;
mod emit;
mod flags;
pub mod kept;
#[cfg(test)]
mod kill_tests;
mod once;
mod own;
mod strict;
mod write_log;

use std::{ffi::OsString, io, path::Path};

use agon_runtime::config::Places;
use serde_json::{Value, json};

use self::once::Once;
use crate::ui;

/// What a stand-in says, and the code it ends with.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Said {
    code: u8,
    out: String,
    err: String,
}

impl Said {
    fn out(code: u8, out: impl Into<String>) -> Self {
        Self { code, out: out.into(), err: String::new() }
    }

    fn err(code: u8, err: impl Into<String>) -> Self {
        Self { code, err: err.into(), out: String::new() }
    }

    fn print(&self) {
        if !self.out.is_empty() {
            ui::out(&self.out);
        }
        if !self.err.is_empty() {
            ui::err(&self.err);
        }
    }
}

/// `agon debate-ops …`
pub fn debate_ops(words: &[OsString]) -> u8 {
    debate_ops::run(words)
}

/// `agon write-log …`
pub fn write_log(words: &[OsString]) -> u8 {
    write_log::run(words)
}

/// `agon agent-tools …`
pub fn agent_tools(words: &[OsString]) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let once = Once::new(&words);
    let said = match words.split_first() {
        Some((tool, rest)) if tool == duel::TOOL => duel::run(rest, &once),
        Some((tool, rest)) if tool == emit::TOOL => emit::run(rest, &once),
        Some((tool, _)) => {
            refused(tool, format!("Unknown tool: {tool}. Available: {}, {}", duel::TOOL, emit::TOOL))
        }
        None => refused("agent-tools", format!("a tool is wanted: {} or {}", duel::TOOL, emit::TOOL)),
    };
    said.print();
    once.answered();
    said.code
}

/// The envelope of a result of `tool`: one line on standard output.
fn result(tool: &str, data: &Value) -> Said {
    Said::out(0, json!({"success": true, "tool": tool, "data": data}).to_string())
}

/// The envelope of input that `tool` does not take: one line on standard output.
fn invalid(tool: &str, messages: &[&str]) -> Said {
    let errors: Vec<Value> = messages.iter().map(|message| json!({"message": message})).collect();
    Said::out(1, json!({"success": false, "tool": tool, "data": null, "errors": errors}).to_string())
}

/// The envelope of a request that `tool` could not carry out: indented, on standard error.
fn refused(tool: &str, message: impl Into<String>) -> Said {
    let message: String = message.into();
    let envelope = json!({"success": false, "tool": tool, "data": null, "errors": [{"message": message}]});
    Said::err(1, serde_json::to_string_pretty(&envelope).unwrap_or_default())
}

/// Where the journal is.
fn home() -> Result<std::path::PathBuf, String> {
    Places::find().map(|places| places.home)
}

/// What Python says of a file that it cannot open.
fn errno(error: &io::Error, path: &Path) -> String {
    let said = error.to_string();
    let words = said.split(" (os error").next().unwrap_or_default();
    let path = agon_formats::json::repr(&path.to_string_lossy().into());
    match error.raw_os_error() {
        Some(number) => format!("[Errno {number}] {words}: {path}"),
        None => format!("{words}: {path}"),
    }
}
