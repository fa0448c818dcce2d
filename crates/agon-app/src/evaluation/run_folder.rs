//! The folder of a run: what is evaluated (`run.json`), the items that are answered (`items.jsonl`), and what came of
//! each debate (`observations.jsonl`). One process at a time writes there.
//!
//! Observations are appended as debates end. The journal is the truth: a line that was lost is derived again from
//! its record, and of two lines about the same debate the last one counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use agon_core::Digest;
use agon_eval::observation::{Observation, ObservationState};
use agon_runtime::files;
use serde::{Deserialize, Serialize};

use super::{
    Evaluation,
    items::{self, ItemFile},
};
use crate::failure::{Failure, Result, exit};

const MANIFEST: &str = "run.json";
const ITEMS: &str = "items.jsonl";
const OBSERVATIONS: &str = "observations.jsonl";
const LOCK: &str = "run.lock";
/// Version of the folder's form.
const VERSION: u32 = 1;
/// Longest manifest: 30 arms with their prompts' digests.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;

/// What a run evaluates: `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunManifest {
    /// Version of the form.
    pub version: u32,
    /// Version of the program that began it.
    pub agon: String,
    /// The items; `None` where all observations were imported.
    pub items: Option<RunItems>,
    /// The arms, in the order of the report.
    pub arms: Vec<RunArm>,
    /// Seed of samples and debates.
    pub seed: u64,
    /// How often each arm answers each item.
    pub repeat: u32,
}

/// Which items a run answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunItems {
    /// Name of the file.
    pub file: String,
    /// Digest of all of its items.
    pub digest: Digest,
    /// How many it has.
    pub count: u64,
    /// How many of them are answered.
    pub selected: u64,
    /// The size of the pilot that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot: Option<u32>,
}

/// An arm of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunArm {
    /// Its name.
    pub name: String,
    /// Digest of its rules and prompts.
    pub digest: Digest,
    /// Models by seat.
    pub models: BTreeMap<String, String>,
    /// Samples, where it takes some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
}

impl RunManifest {
    /// Of an evaluation that is about to run.
    pub(super) fn from_evaluation(evaluation: &Evaluation) -> Self {
        let ItemFile { path, digest, count, selected, .. } = &evaluation.items;
        let arms = evaluation.arms.iter().map(|arm| arm.run.clone());
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let pilot = evaluation.request.pilot;
        Self {
            version: VERSION,
            agon: env!("CARGO_PKG_VERSION").into(),
            items: Some(RunItems { file, digest: digest.clone(), count: *count, selected: *selected, pilot }),
            arms: arms.collect(),
            seed: evaluation.request.seed,
            repeat: evaluation.request.repeat,
        }
    }

    /// That of the run at `path`, where there is one.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, or is of a newer version.
    pub fn find(path: &Path) -> Result<Option<Self>> {
        let place = path.join(MANIFEST);
        let file = match File::open(&place) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_failure(&place)(error)),
        };
        let mut text = String::new();
        file.take(MANIFEST_BYTES_MAX).read_to_string(&mut text).map_err(io_failure(&place))?;
        let damaged = |why: String, remedy: &str| Failure::damaged(format!("{}: {why}", place.display()), remedy);
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| damaged(error.to_string(), "restore it, or name another folder with --out"))?;
        if manifest.version > VERSION {
            let why = format!("it has the version {}, and this program knows {VERSION}", manifest.version);
            return Err(damaged(why, "use a newer version of agon"));
        }
        Ok(Some(manifest))
    }

    /// Of observations that were made elsewhere.
    fn for_import() -> Self {
        let agon = env!("CARGO_PKG_VERSION").into();
        Self { version: VERSION, agon, items: None, arms: Vec::new(), seed: 0, repeat: 1 }
    }

    /// This run with what `wanted` adds: further arms and repetitions.
    fn extend_with(mut self, wanted: &Self, folder: &Path) -> Result<Self> {
        let place = folder.display();
        let refused = |what: String, remedy: &str| {
            Err(Failure::new(exit::CONFLICT, "changed", format!("{place} holds a run {what}"), remedy))
        };
        let remedy = "name a new folder with --out, or give the same as before to continue this one";
        match (&self.items, &wanted.items) {
            (None, _) => return refused("of imported observations".into(), "name a new folder with --out"),
            (Some(held), Some(given)) if held.pilot != given.pilot => {
                let said = |pilot: Option<u32>| pilot.map_or("all items".into(), |n| format!("--pilot {n}"));
                return refused(format!("of {}, not of {}", said(held.pilot), said(given.pilot)), remedy);
            }
            (Some(held), Some(given)) if held.digest != given.digest => {
                return refused(
                    format!(
                        "of other items: {} of {}, and now {} of {}",
                        held.count, held.file, given.count, given.file
                    ),
                    remedy,
                );
            }
            _ => {}
        }
        if self.seed != wanted.seed {
            return refused(format!("with the seed {}, not {}", self.seed, wanted.seed), remedy);
        }
        for arm in &wanted.arms {
            let Some(held) = self.arms.iter().find(|held| held.name == arm.name) else {
                self.arms.push(arm.clone());
                continue;
            };
            if let Some((seat, model)) = held.models.iter().find(|(seat, model)| arm.models.get(*seat) != Some(*model))
            {
                let now = arm.models.get(seat).map_or("another line-up", String::as_str);
                let what = format!("with {model} at the seat {seat} of {}, and now it is {now}", arm.name);
                return refused(what, remedy);
            }
            if held.digest != arm.digest {
                return refused(
                    format!("of another version of the arm {}: its prompts, rules or samples differ", arm.name),
                    remedy,
                );
            }
        }
        self.repeat = self.repeat.max(wanted.repeat);
        Ok(self)
    }
}

/// Which debate an observation is about: item, arm and repetition.
pub type ObservationKey = (String, String, u32);

fn observation_key(observation: &Observation) -> ObservationKey {
    (observation.item.clone(), observation.arm.clone(), observation.repetition)
}

/// Whether the debate has ended, so that nothing is left to ask.
pub(super) fn has_ended(observation: &Observation) -> bool {
    !matches!(observation.state, ObservationState::Failed { .. })
}

/// The folder of a run, locked for this process.
#[derive(Debug)]
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    /// What it evaluates.
    pub manifest: RunManifest,
    observations: File,
    /// Where the last line about each debate begins, and whether it is settled.
    lines: BTreeMap<ObservationKey, (u64, bool)>,
    end: u64,
    _lock: File,
}

fn io_failure(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    let place = path.display().to_string();
    move |error| {
        Failure::new(
            exit::IO,
            "io",
            format!("{place}: {error}"),
            "free space, grant permission, or name another folder with --out",
        )
    }
}

impl RunFolder {
    /// Makes the folder at `path` for `wanted`, or takes up the run that is there.
    pub(super) fn open(path: &Path, wanted: RunManifest, items: &ItemFile) -> Result<Self> {
        let folder = Self::create_or_continue(path, wanted).map_err(|failure| match first_change(path, items) {
            Some(change) if failure.code == "changed" => {
                Failure { message: format!("{}; {change}", failure.message), ..failure }
            }
            _ => failure,
        })?;
        let copy = folder.path.join(ITEMS);
        if !copy.exists() {
            let partial = folder.path.join(format!("{ITEMS}.part"));
            let mut file = BufWriter::new(File::create(&partial).map_err(io_failure(&partial))?);
            for item in items::read_items(&items.path)? {
                let item = item?;
                if items.sample.as_ref().is_none_or(|sample| sample.contains(&item.id)) {
                    let line = serde_json::json!(item).to_string();
                    writeln!(file, "{line}").map_err(io_failure(&partial))?;
                }
            }
            file.flush().map_err(io_failure(&partial))?;
            fs::rename(&partial, &copy).map_err(io_failure(&copy))?;
        }
        Ok(folder)
    }

    /// A new folder for observations that were made elsewhere.
    pub fn create_for_import(path: &Path) -> Result<Self> {
        if !files::is_free(path)? {
            let message = format!("--out {}: it exists and is not empty", path.display());
            return Err(Failure::usage(message, "name a folder that is empty or does not exist"));
        }
        Self::create_or_continue(path, RunManifest::for_import())
    }

    /// The run that is there already.
    pub fn open_existing(path: &Path) -> Result<Self> {
        let manifest = RunManifest::find(path)?.ok_or_else(|| {
            let message = format!("{} holds no evaluation", path.display());
            Failure::unknown(message, "name the folder of a run; agon eval prints it at its end")
        })?;
        Self::open_locked(path, manifest)
    }

    fn create_or_continue(path: &Path, wanted: RunManifest) -> Result<Self> {
        let held = RunManifest::find(path)?;
        if held.is_none() && !files::is_free(path)? {
            let message = format!("{} exists, is not empty, and holds no evaluation", path.display());
            return Err(Failure::usage(message, "name a new folder with --out"));
        }
        files::check_writable(path)?;
        let manifest = held.clone().map_or_else(|| Ok(wanted.clone()), |held| held.extend_with(&wanted, path))?;
        let folder = Self::open_locked(path, manifest)?;
        if held.as_ref() != Some(&folder.manifest) {
            let place = path.join(MANIFEST);
            let text = serde_json::to_string_pretty(&folder.manifest).unwrap_or_default() + "\n";
            files::replace_file(&place, text.as_bytes()).map_err(io_failure(&place))?;
        }
        Ok(folder)
    }

    fn open_locked(path: &Path, manifest: RunManifest) -> Result<Self> {
        let place = path.join(LOCK);
        let lock =
            OpenOptions::new().create(true).write(true).truncate(false).open(&place).map_err(io_failure(&place))?;
        lock.try_lock().map_err(|_| {
            let message = format!("another process works on {}", path.display());
            Failure::new(exit::CONFLICT, "held", message, "wait for it, or name another folder with --out")
        })?;
        let place = path.join(OBSERVATIONS);
        let mut options = OpenOptions::new();
        let observations = options.create(true).read(true).append(true).open(&place).map_err(io_failure(&place))?;
        let mut folder = Self {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            manifest,
            observations,
            lines: BTreeMap::new(),
            end: 0,
            _lock: lock,
        };
        folder.index()?;
        Ok(folder)
    }

    /// Finds the lines. What a killed process left of its last one is cut off.
    fn index(&mut self) -> Result<()> {
        let place = self.path.join(OBSERVATIONS);
        self.observations.seek(SeekFrom::Start(0)).map_err(io_failure(&place))?;
        let mut reader = BufReader::new(&self.observations);
        let (mut at, mut number) = (0_u64, 0_u64);
        let mut lines = BTreeMap::new();
        loop {
            let mut line = Vec::new();
            let most = agon_eval::json_lines::LINE_BYTES_MAX as u64 + 1;
            let read = reader.by_ref().take(most).read_until(b'\n', &mut line).map_err(io_failure(&place))? as u64;
            number += 1;
            if read == 0 {
                break;
            }
            if line.last() != Some(&b'\n') {
                self.observations.set_len(at).map_err(io_failure(&place))?;
                break;
            }
            let observation: Observation = serde_json::from_slice(&line).map_err(|error| {
                let message = format!("{}: line {number}: {error}", place.display());
                Failure::new(
                    exit::DAMAGED,
                    "damaged",
                    message,
                    "remove the line, or the whole file: a run makes its observations again from the journal",
                )
            })?;
            lines.insert(observation_key(&observation), (at, has_ended(&observation)));
            at += read;
        }
        (self.lines, self.end) = (lines, at);
        Ok(())
    }

    /// The items that are answered, one by one.
    pub fn read_items(&self) -> Result<impl Iterator<Item = Result<agon_eval::item::Item>> + use<>> {
        items::read_items(&self.path.join(ITEMS))
    }

    /// The debates that have ended.
    pub fn settled_keys(&self) -> BTreeSet<ObservationKey> {
        self.lines.iter().filter(|(_, (_, settled))| *settled).map(|(key, _)| key.clone()).collect()
    }

    /// Appends an observation.
    pub fn append_observation(&mut self, observation: &Observation) -> Result<()> {
        let place = self.path.join(OBSERVATIONS);
        let mut line = serde_json::json!(observation).to_string();
        line.push('\n');
        // One write, so that a kill leaves all of the line or a part that is recognised.
        self.observations.write_all(line.as_bytes()).map_err(io_failure(&place))?;
        self.lines.insert(observation_key(observation), (self.end, has_ended(observation)));
        self.end += line.len() as u64;
        Ok(())
    }

    /// The last observation of each debate, in an order that does not depend on when debates ended: by item as in the
    /// file, then arm as in the manifest, then repetition. Imported ones come in the order of their names.
    pub fn read_observations(&self) -> Result<impl Iterator<Item = Result<Observation>> + use<>> {
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        if self.manifest.items.is_some() {
            for (at, item) in self.read_items()?.enumerate() {
                place.insert(item?.id, at);
            }
        }
        let arm_at = |name: &str| self.manifest.arms.iter().position(|arm| arm.name == name).unwrap_or(usize::MAX);
        let mut ordered: Vec<(usize, usize, &ObservationKey, u64)> = self
            .lines
            .iter()
            .map(|(key, (at, _))| {
                let item = place.get(&key.0).copied().unwrap_or(usize::MAX);
                (item, arm_at(&key.1), key, *at)
            })
            .collect();
        ordered.sort();
        let offsets: Vec<u64> = ordered.into_iter().map(|(.., at)| at).collect();
        let path = self.path.join(OBSERVATIONS);
        let mut reader = BufReader::new(File::open(&path).map_err(io_failure(&path))?);
        Ok(offsets.into_iter().map(move |at| {
            let mut line = String::new();
            reader.seek(SeekFrom::Start(at)).map_err(io_failure(&path))?;
            reader.read_line(&mut line).map_err(io_failure(&path))?;
            serde_json::from_str(&line).map_err(|error| {
                let message = format!("{}: {error}", path.display());
                Failure::damaged(message, "another program changed it; start again")
            })
        }))
    }
}

/// The first item in which those of the run at `path` differ from `items`; `None` where they do not, or it cannot be
/// told.
fn first_change(path: &Path, items: &ItemFile) -> Option<String> {
    let mut held = items::read_items(&path.join(ITEMS)).ok()?.map_while(Result::ok);
    let is_in = |id: &String| items.sample.as_ref().is_none_or(|sample| sample.contains(id));
    let mut given = items::read_items(&items.path).ok()?.map_while(Result::ok).filter(|item| is_in(&item.id));
    loop {
        match (held.next(), given.next()) {
            (None, None) => return None,
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) if one.id == other.id => {
                return Some(format!("the item {:?} was changed", one.id));
            }
            (Some(one), _) => return Some(format!("the first difference is at the item {:?}", one.id)),
            (None, Some(other)) => return Some(format!("the item {:?} is new", other.id)),
        }
    }
}
