//! The files of a report, drawn from the observations of a run: `report.html`, `report.json`, `items.csv` and `arms.csv`.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use agon_eval::{
    observation::Observation,
    published::PublishedReader,
    report::{
        EvaluationReport,
        builder::{ReportBuilder, ReportOptions},
        csv::{self, ObservationSheet},
        html, text,
    },
};
use agon_runtime::files::{self, Lasting};

use super::{items::open_lines, run_folder::RunFolder};
use crate::failure::{Failure, Result};

/// The arm that others are compared with, where it is among them.
const BASELINE: &str = "direct";

/// A report as it was written, also for people.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnReport {
    /// What was found.
    pub report: EvaluationReport,
    /// For people, without anything that a terminal would obey.
    pub text: String,
}

/// Writes the report's files into the folder of the run.
///
/// # Errors
///
/// Where the folder cannot be written, or observations contradict each other.
pub fn write_report(folder: &RunFolder) -> Result<DrawnReport> {
    let mut builder = ReportBuilder::new(report_options(folder));
    let place = folder.path.join("items.csv");
    let partial = folder.path.join("items.csv.part");
    let io = |error: std::io::Error| {
        let message = format!("{}: {error}", place.display());
        Failure::io(message, "free space, or grant permission")
    };
    let mut to = BufWriter::new(File::create(&partial).map_err(io)?);
    let mut sheet = ObservationSheet::new(&mut to).map_err(io)?;
    for observation in folder.read_observations()? {
        let observation = observation?;
        builder.add_observation(&observation).map_err(|fault| {
            let message = format!("{}: {fault}", folder.path.join("observations.jsonl").display());
            Failure::damaged(message, "import observations of one set of items into each folder")
        })?;
        sheet.write_observation(&observation).map_err(io)?;
    }
    to.flush().map_err(io)?;
    fs::rename(&partial, &place).map_err(io)?;
    let report = builder.build_report();
    let mut arms = Vec::new();
    csv::write_figures(&report, &mut arms).map_err(io)?;
    let whole = [
        ("report.json", serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"),
        ("report.html", html::render_page(&report)),
        ("arms.csv", String::from_utf8_lossy(&arms).into_owned()),
    ];
    files::write_files(&folder.path, whole.map(|(name, content)| (name.to_owned(), content)), Lasting::Synced)?;
    Ok(DrawnReport { text: text::render_text(&report), report })
}

fn report_options(folder: &RunFolder) -> ReportOptions {
    let manifest = &folder.manifest;
    let arms: Vec<String> = manifest.arms.iter().map(|arm| arm.name.clone()).collect();
    let baseline = arms.iter().find(|arm| *arm == BASELINE).or(arms.first()).cloned();
    let name = folder.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let title = match &manifest.items {
        Some(items) => format!("Evaluation of {}", items.file),
        None => format!("Observations in {name}"),
    };
    ReportOptions { title, arms, baseline, seed: manifest.seed, ..ReportOptions::default() }
}

/// Reads the observations in the file at `path`, or the debates and judgments of others, into a new folder at `out`;
/// gives their number.
///
/// # Errors
///
/// Where a line is neither, or the folder is in use. Then nothing is written.
pub fn import_observations(path: &Path, out: &Path) -> Result<(RunFolder, u64)> {
    let mut count = 0_u64;
    for observation in read_published(path)? {
        observation?;
        count += 1;
    }
    if count == 0 {
        let message = format!("{}: it has no observations", path.display());
        return Err(Failure::usage(message, "docs/eval.md describes observations"));
    }
    let mut folder = RunFolder::create_for_import(out)?;
    for observation in read_published(path)? {
        folder.append_observation(&observation?)?;
    }
    Ok((folder, count))
}

/// The observations that a file of another program gives, in either form.
fn read_published(path: &Path) -> Result<impl Iterator<Item = Result<Observation>> + use<>> {
    let place = path.display().to_string();
    Ok(PublishedReader::new(open_lines(path)?).map(move |read| {
        read.map_err(|error| {
            let remedy = "docs/eval.md and docs/eval-figures.md describe both forms";
            Failure::usage(format!("{place}: {error}"), remedy)
        })
    }))
}
