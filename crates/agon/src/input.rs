//! Files and standard input that a user names, read up to a limit: a pipe or a device need not have an end.

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::Path,
};

use agon_app::{Failure, Result};

use crate::ui;

/// Largest record that is read: some hundred times the longest debate that was seen.
pub const RECORD_MEGABYTES_MAX: u64 = 256;

/// All of standard input as text, which has at most `megabytes_max`. `remedy` says what to send instead.
pub fn standard_input(megabytes_max: u64, remedy: &str) -> Result<String> {
    if io::stdin().is_terminal() {
        ui::print_error_line("Write the text; a line with Ctrl-D alone ends it.");
    }
    let bytes = read_limited(Ok(io::stdin()), megabytes_max)
        .map_err(|why| Failure::io(format!("standard input: {why}"), remedy))?;
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not UTF-8 text", remedy))
}

/// All of the file at `path`, which has at most `megabytes_max`. `remedy` says what to name instead.
pub fn read_bytes(path: &Path, megabytes_max: u64, remedy: &str) -> Result<Vec<u8>> {
    read_limited(File::open(path), megabytes_max)
        .map_err(|why| Failure::io(format!("{}: {why}", path.display()), remedy))
}

/// All that `opened` holds, or why it cannot be taken.
fn read_limited(opened: io::Result<impl Read>, megabytes_max: u64) -> std::result::Result<Vec<u8>, String> {
    let most = megabytes_max << 20;
    let mut bytes = Vec::new();
    let read = opened.and_then(|opened| opened.take(most + 1).read_to_end(&mut bytes));
    match read.map_err(|error| error.to_string())? as u64 {
        read if read > most => Err(format!("it is larger than {megabytes_max} MB")),
        _ => Ok(bytes),
    }
}
