//! Files and standard input that a user names, read up to a limit: a pipe or a device need not have an end.

use std::{
    fs::File,
    io::{IsTerminal, Read},
    path::Path,
};

use agon_app::{Failure, Result};

use crate::ui;

/// Largest record that is read: some hundred times the longest debate that was seen.
pub const RECORD_MEGABYTES_MAX: u64 = 256;

/// All of standard input as text, which has at most `megabytes_max`. `remedy` says what to send instead.
pub fn standard_input(megabytes_max: u64, remedy: &str) -> Result<String> {
    let fault = |why: String| Failure::io(format!("standard input: {why}"), remedy);
    if std::io::stdin().is_terminal() {
        ui::print_error_line("Write the text; a line with Ctrl-D alone ends it.");
    }
    let most = megabytes_max << 20;
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| fault(error.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(fault(format!("it is larger than {megabytes_max} MB")));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not UTF-8 text", remedy))
}

/// All of the file at `path`, which has at most `megabytes_max`. `remedy` says what to name instead.
pub fn read_bytes(path: &Path, megabytes_max: u64, remedy: &str) -> Result<Vec<u8>> {
    let fault = |why: String| Failure::io(format!("{}: {why}", path.display()), remedy);
    let most = megabytes_max << 20;
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| fault(error.to_string()))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| fault(error.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(fault(format!("it is larger than {megabytes_max} MB")));
    }
    Ok(bytes)
}
