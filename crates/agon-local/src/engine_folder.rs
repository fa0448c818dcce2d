//! Which folder holds the libraries of llama.cpp, and loading them from it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::engine_package::{EngineKind, EnginePackage};
use crate::error::EngineError;
use crate::llama::{Batch, ContextOptions, Library, LlamaContext, LlamaModel, has_device_libraries};

/// A folder with the libraries of llama.cpp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFolder {
    /// Where it is.
    pub path: PathBuf,
    /// The package that it holds, file by file; `None` for libraries that the user built.
    package: Option<&'static EnginePackage>,
}

/// The variable that names a folder of the user's.
pub const ENGINE_VARIABLE: &str = "AGON_ENGINE";

/// The variable that names kernels, instead of the best ones for the processor.
const KERNELS_VARIABLE: &str = "AGON_KERNELS";

/// The file, in the folder of the models, that names the kind of package that was fetched last.
const CHOICE: &str = "engine";

/// Where packages put their engine, as seen from the folder of the program.
const SHIPPED: [&str; 2] = ["engine", "../lib/agon/engine"];

/// How long a trial may take: some graphics processors compile their programs first.
const TRIAL: Duration = Duration::from_secs(120);

impl EngineFolder {
    /// The folder that the variable names, the package that was fetched into the folder of the models, or the one that came
    /// with this program; `None` if there is none. Only the user's folder is compared with its digests here.
    ///
    /// # Errors
    /// [`EngineError::Folder`] if the user's folder is not whole.
    pub fn locate(models: &Path) -> Result<Option<Self>, EngineError> {
        if let Some(path) = std::env::var_os(ENGINE_VARIABLE).filter(|path| !path.is_empty()) {
            return Self::of_user(path.into()).map(Some);
        }
        let program = std::env::current_exe().and_then(std::fs::canonicalize).ok();
        let folders = program.iter().filter_map(|program| program.parent());
        let places = folders.flat_map(|folder| SHIPPED.map(|place| folder.join(place)));
        let shipped = places.into_iter().find_map(Self::of_package);
        let chosen = read_chosen_package(models).and_then(|package| Self::of_package(package.folder_in(models)));
        Ok(chosen.or(shipped))
    }

    /// The folder of the user at `path`: of a package, or of libraries that the user built.
    fn of_user(path: PathBuf) -> Result<Self, EngineError> {
        // Its libraries bear the release in their names, so it is known which package a folder is meant to be.
        let meant = EnginePackage::of_platform().find(|package| {
            package.needed_files().any(|file| file.name.contains("llama.") && path.join(file.name).exists())
        });
        if let Err(error) = std::fs::read_dir(&path) {
            return Err(EngineError::folder(&path, format!("it cannot be read: {error}")));
        }
        let folder = Self { path, package: meant };
        folder.check_digests()?;
        Ok(folder)
    }

    fn of_package(path: PathBuf) -> Option<Self> {
        let package = EnginePackage::of_platform().find(|package| package.is_in(&path))?;
        Some(Self { path, package: Some(package) })
    }

    /// Whether the libraries are tried in a process of their own before they are used.
    pub fn needs_trial(&self) -> bool {
        self.package.is_none() || has_device_libraries(&self.path)
    }

    /// Loads the libraries, once for the process. Libraries that the user built, and those for graphics processors, can end
    /// the process that uses them: so they compute a token of `model` in a process of their own first.
    ///
    /// # Errors
    /// [`EngineError::Folder`] if they cannot be used.
    pub async fn load_engine(&self, model: &Path, trial: Option<&Trial>) -> Result<LoadedEngine, EngineError> {
        let has_devices = has_device_libraries(&self.path);
        let (mut with_devices, mut note) = (false, None);
        if self.needs_trial() {
            // Also the process of the trial runs nothing but what is pinned.
            self.check_digests()?;
            let trial = trial.ok_or_else(|| EngineError::folder(&self.path, "it cannot be tried here"))?;
            match trial.run(&self.path, model, has_devices).await {
                Ok(report) => {
                    with_devices = has_devices && report.device.is_some();
                    note = (has_devices && !with_devices).then(|| no_device(report.complaint));
                }
                Err(reason) if has_devices => {
                    if self.package.is_none() {
                        let plain = trial.run(&self.path, model, false).await;
                        plain.map_err(|reason| EngineError::folder(&self.path, reason))?;
                    }
                    note = Some(no_device(Some(reason)));
                }
                Err(reason) => return Err(EngineError::folder(&self.path, reason)),
            }
        }
        let folder = self.clone();
        let load = move || folder.load_library(with_devices);
        let library = tokio::task::spawn_blocking(load).await.map_err(|_| EngineError::Gone)??;
        Ok(LoadedEngine { library, note })
    }

    /// Compares the files of a package with their digests; what the user built has none.
    fn check_digests(&self) -> Result<(), EngineError> {
        let checked = self.package.map_or(Ok(()), |package| package.check_files(&self.path));
        checked.map_err(|fault| EngineError::folder(&self.path, fault))
    }

    fn load_library(&self, with_devices: bool) -> Result<&'static Library, EngineError> {
        self.check_digests()?;
        let kernels = std::env::var(KERNELS_VARIABLE).ok().filter(|name| !name.is_empty());
        Library::load(&self.path, with_devices, kernels.as_deref())
            .map_err(|error| EngineError::folder(&self.path, error))
    }
}

/// The package that is used of those among the models.
fn read_chosen_package(models: &Path) -> Option<&'static EnginePackage> {
    let kind = std::fs::read_to_string(models.join(CHOICE)).ok();
    let kind = kind.and_then(|kind| EngineKind::from_name(kind.trim())).unwrap_or(EngineKind::Cpu);
    EnginePackage::of_kind(kind).or_else(|| EnginePackage::of_kind(EngineKind::Cpu))
}

/// Uses the package of `kind` from now on.
///
/// # Errors
/// What the system says, if this cannot be kept.
pub fn choose_engine(kind: EngineKind, models: &Path) -> std::io::Result<()> {
    std::fs::write(models.join(CHOICE), format!("{}\n", kind.name()))
}

/// The package that a debate fetches, if no engine is there; `None` if one is there, or none can be had for this platform.
pub fn engine_to_fetch(models: &Path) -> Option<&'static EnginePackage> {
    match EngineFolder::locate(models) {
        Ok(None) => read_chosen_package(models),
        _ => None,
    }
}

fn no_device(reason: Option<String>) -> String {
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    format!("no graphics processor can be used{reason}; the processor computes instead")
}

/// Libraries that are loaded.
#[derive(Clone, Debug)]
pub struct LoadedEngine {
    library: &'static Library,
    /// What the user should know of it.
    pub note: Option<String>,
}

/// Levels of kernels that leave out what makes them fast: several times slower than AVX2, or the dot product on Arm.
const SLOW: [&str; 6] = ["x64", "sse42", "sandybridge", "ivybridge", "piledriver", "armv8.0_1"];

impl LoadedEngine {
    pub(crate) fn library(&self) -> &'static Library {
        self.library
    }

    /// Whether this processor lacks what makes kernels fast.
    pub fn is_slow(&self) -> bool {
        self.library.device().is_none() && SLOW.contains(&self.library.kernel_level())
    }

    /// The release, and what computes: "llama.cpp 0.5.0, haswell kernels".
    pub fn description(&self) -> String {
        describe_library(self.library)
    }
}

/// The release, and what computes.
pub(crate) fn describe_library(library: &Library) -> String {
    match library.device() {
        Some(device) => format!("llama.cpp {}, {device}", library.release_name()),
        None => format!("llama.cpp {}, {} kernels", library.release_name(), library.kernel_level()),
    }
}

/// How this program tries libraries in a process of its own: it calls [`try_engine`] with the arguments that follow.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The program.
    pub program: PathBuf,
    /// Its first arguments; folder, model and `true` or `false` for graphics processors are added.
    pub arguments: Vec<String>,
}

/// What a trial found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialReport {
    /// The graphics processor that computed; `None`: the processor did.
    pub device: Option<String>,
    /// What llama.cpp complained of.
    pub complaint: Option<String>,
}

impl Trial {
    /// # Errors
    /// Why the libraries cannot be used.
    async fn run(&self, folder: &Path, model: &Path, with_devices: bool) -> Result<TrialReport, String> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(folder).arg(model).arg(with_devices.to_string());
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(TRIAL, command.output()).await;
        let output = output.map_err(|_| format!("its trial did not end within {} s", TRIAL.as_secs()))?;
        let output = output.map_err(|error| format!("its trial did not start: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
            return Err(if last.is_empty() { format!("its trial ended with {}", output.status) } else { last });
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("its trial gave no report: {error}"))
    }
}

/// Loads the libraries of `folder` and computes one token of `model`. For a process of its own, which may not survive it.
///
/// # Errors
/// Why they cannot be used.
pub fn try_engine(folder: &Path, model: &Path, with_devices: bool) -> Result<TrialReport, String> {
    let library = Library::load(folder, with_devices, None).map_err(|error| error.to_string())?;
    let complaint = library.device_complaint().map(str::to_owned);
    let model = LlamaModel::load(library, model)?;
    let options = ContextOptions { tokens: 64, batch: 32, sequences: 1, threads: 1 };
    let mut context = LlamaContext::new(&model, options).ok_or("there is no memory for a context")?;
    let (mut tokens, mut batch) = (Vec::new(), Batch::new(library, 32));
    model.vocabulary().tokenize("1", false, &mut tokens);
    for (at, token) in tokens.iter().enumerate() {
        batch.add(*token, at, 0, at + 1 == tokens.len());
    }
    context.decode_batch(&batch, &|| true).map_err(|error| error.to_string())?;
    let is_number = |logits: &[f32]| logits.iter().any(|logit| logit.is_finite());
    if batch.len() == 0 || !is_number(context.logits_at(batch.len() - 1)) {
        return Err("it computed nothing".into());
    }
    Ok(TrialReport { device: library.device().map(str::to_owned), complaint })
}
