//! The files of a report, drawn from the observations of a run.

use std::{fs::File, io::BufReader, path::Path};

use agon_eval::observation::ObservationReader;
use serde_json::{Value, json};

use super::run_folder::RunFolder;
use crate::failure::{Failure, Result, exit};

/// A report as it was written: for programs and for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// For programs.
    pub json: Value,
    /// For people.
    pub text: String,
}

/// Writes the report's files into the folder of the run.
pub fn write(folder: &RunFolder) -> Result<Drawn> {
    let mut count = 0;
    for observation in folder.observations()? {
        observation?;
        count += 1;
    }
    Ok(Drawn { json: json!({"observations": count}), text: format!("{count} observations") })
}

/// Reads the observations in the file at `path` into a new folder at `out`; gives their number.
///
/// # Errors
///
/// Where a line is no observation: nothing is left in the folder that says that it is a run.
pub fn import(path: &Path, out: &Path) -> Result<(RunFolder, u64)> {
    let open = || {
        File::open(path).map(BufReader::new).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            Failure::new(exit::IO, "io", message, "name a file with one JSON object on each line")
        })
    };
    let wrong = |why: String| {
        Failure::usage(format!("{}: {why}", path.display()), "docs/eval.md describes observations")
    };
    let mut count = 0_u64;
    for observation in ObservationReader::new(open()?) {
        observation.map_err(|error| wrong(error.to_string()))?;
        count += 1;
    }
    if count == 0 {
        return Err(wrong("it has no observations".into()));
    }
    let mut folder = RunFolder::import(out)?;
    for observation in ObservationReader::new(open()?) {
        folder.append(&observation.map_err(|error| wrong(error.to_string()))?)?;
    }
    Ok((folder, count))
}
