//! Loading the libraries, and the kernels for the processor that is there.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use libloading::Library as Loaded;

use super::bindings::{Llama, ggml_log_level};

/// Why libraries cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A file is missing.
    #[error("it has no {0}")]
    Absent(String),
    /// The system does not load one; with its own words.
    #[error("{file} cannot be loaded: {reason}{}", describe_needed_system(reason))]
    Unloadable {
        /// Name of the file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// It is another release than the declarations are for.
    #[error("it is llama.cpp {found}; agon calls {}", wanted.join(" or "))]
    Release {
        /// What it says of itself.
        found: String,
        /// What it has to say.
        wanted: &'static [&'static str],
    },
    /// Its structures are not laid out as they were declared.
    #[error("its structures are not those of llama.cpp {0}")]
    Layout(String),
    /// No kernels run on this processor.
    #[error("none of its kernels is for this processor: {0}")]
    Processor(String),
    /// Kernels were asked for by name, and cannot be used.
    #[error(
        "its kernels {name:?}, which AGON_KERNELS names, are not for this processor, or not there: {usable} can be used"
    )]
    Kernels {
        /// What was asked for.
        name: String,
        /// What could be asked for.
        usable: String,
    },
    /// Libraries of another folder are loaded, and there can be no second ones.
    #[error("this process has loaded another engine, from {0}")]
    Second(PathBuf),
}

/// What to say of a system that is too old.
fn describe_needed_system(reason: &str) -> &'static str {
    if reason.contains("GLIBC") { " (it needs glibc 2.34 and the libstdc++ of GCC 12, or newer)" } else { "" }
}

/// Releases whose functions and structures are those of the declarations.
const RELEASES: &[&str] = &["0.5.0", "0.4.0"];

/// llama.cpp and ggml, loaded for the life of the process.
pub struct Library {
    pub(super) llama: Llama,
    folder: PathBuf,
    release: String,
    kernels: String,
    /// What their drivers call the graphics processors.
    devices: Vec<String>,
    device_complaint: Option<String>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("folder", &self.folder).field("kernels", &self.kernels).finish_non_exhaustive()
    }
}

impl Library {
    /// Loads the libraries of `folder`, whose files must be known to be whole: a damaged library ends the process.
    /// `with_devices`: also what other processors need that its package is for. `kernels` names some instead of the best.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load(folder: &Path, with_devices: bool, kernels: Option<&str>) -> Result<&'static Self, LoadError> {
        static LIBRARY: Mutex<Option<&'static Library>> = Mutex::new(None);
        let mut loaded = LIBRARY.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = *loaded {
            return if library.folder == folder { Ok(library) } else { Err(LoadError::Second(library.folder.clone())) };
        }
        let library = Box::leak(Box::new(Self::open_libraries(folder, with_devices, kernels)?));
        *loaded = Some(library);
        Ok(library)
    }

    fn open_libraries(folder: &Path, with_devices: bool, kernels: Option<&str>) -> Result<Self, LoadError> {
        let names = list_file_names(folder).map_err(|error| LoadError::Absent(format!("readable folder: {error}")))?;
        let find = |part: &str| {
            let names = names.iter().filter_map(|name| Some((name, part_of(name)?)));
            let mut found = names.filter(|(_, found)| *found == part).map(|(name, _)| folder.join(name));
            found.next().ok_or_else(|| LoadError::Absent(format!("library {part}")))
        };
        let (base, ggml, llama) = (find("ggml-base")?, find("ggml")?, find("llama")?);
        // In this order, each finds what it needs among those that are loaded, also where the system would not look here.
        let (base, ggml) = (Ggml::load(&base)?, Ggml::load(&ggml)?);
        // SAFETY: as for `Ggml::load`; a library without one of the functions is refused.
        let llama = unsafe { Llama::new(&llama) }.map_err(|error| unloadable_error(&llama, &error))?;
        let release = check_release(&llama)?;
        check_layout(&llama, &release)?;
        // SAFETY: the function may be called from any thread, and never ends.
        unsafe { llama.llama_log_set(Some(keep_complaint), std::ptr::null_mut()) };
        let backends = Backends::from_library(&base, &ggml)?;
        let kernels = load_kernels(folder, &names, kernels, &backends)?;
        // What it complained of so far does not count.
        take_complaint();
        if with_devices {
            for name in names.iter().filter(|name| is_for_devices(name)) {
                backends.load_backend(&folder.join(name));
            }
        }
        // SAFETY: called once, before anything else.
        unsafe { llama.llama_backend_init() };
        let (devices, device_complaint) = (backends.list_graphics_devices(), take_complaint());
        Ok(Self { llama, folder: folder.to_path_buf(), release, kernels, devices, device_complaint })
    }

    /// The release of llama.cpp.
    pub fn release_name(&self) -> &str {
        &self.release
    }

    /// The level of its kernels: the newest kind of processor that they are for.
    pub fn kernel_level(&self) -> &str {
        &self.kernels
    }

    /// The graphics processor that computes, as its driver calls it; `None`: the processor does.
    pub fn device(&self) -> Option<&str> {
        self.devices.first().map(String::as_str)
    }

    /// Why no graphics processor computes, in llama.cpp's words.
    pub fn device_complaint(&self) -> Option<&str> {
        self.device_complaint.as_deref()
    }
}

/// Whether libraries of `folder` are for graphics processors.
pub fn has_device_libraries(folder: &Path) -> bool {
    list_file_names(folder).is_ok_and(|names| names.iter().any(|name| is_for_devices(name)))
}

fn list_file_names(folder: &Path) -> std::io::Result<Vec<String>> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<_> = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// What a file is of llama.cpp, if anything: `llama` for `libllama.vulkan.v0.5.0.so` and `llama.v0.4.0.dll`.
fn part_of(name: &str) -> Option<&str> {
    let (stem, _) = name.split_once('.')?;
    let is_library = [".so", ".dylib", ".dll"].iter().any(|end| name.contains(end));
    is_library.then(|| stem.strip_prefix("lib").unwrap_or(stem))
}

fn is_for_devices(name: &str) -> bool {
    matches!(part_of(name), Some("ggml-vulkan" | "ggml-cuda" | "ggml-metal"))
}

/// The level of the kernels that a file holds: `haswell` for `libggml-cpu-haswell.so`.
fn level_of(name: &str) -> Option<&str> {
    let name = name.strip_prefix("lib").unwrap_or(name);
    let name = [".so", ".dll", ".dylib"].iter().find_map(|end| name.strip_suffix(end))?;
    let rest = name.strip_prefix("ggml-cpu")?;
    Some(if rest.is_empty() { "cpu" } else { rest.strip_prefix('-')? })
}

fn unloadable_error(path: &Path, error: &libloading::Error) -> LoadError {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The cause has what the system says.
    let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    LoadError::Unloadable { file, reason }
}

fn check_release(llama: &Llama) -> Result<String, LoadError> {
    // SAFETY: it gives a constant text.
    let said = unsafe { CStr::from_ptr(llama.llama_version()) }.to_string_lossy().into_owned();
    let release = said.split('-').next().unwrap_or_default();
    if RELEASES.contains(&release) {
        return Ok(release.to_owned());
    }
    Err(LoadError::Release { found: said, wanted: RELEASES })
}

/// Compares what the structures hold by default with what is known of the release.
fn check_layout(llama: &Llama, release: &str) -> Result<(), LoadError> {
    // SAFETY: both give a structure by value.
    let (context, model) = unsafe { (llama.llama_context_default_params(), llama.llama_model_default_params()) };
    let numbers = (context.n_ctx, context.n_batch, context.n_ubatch, context.n_seq_max, context.n_threads);
    let flags = (context.kv_unified, context.swa_full, context.abort_callback.is_none(), model.vocab_only);
    let is_known = numbers == (512, 2048, 512, 1, 4) && flags == (false, true, true, false);
    if is_known { Ok(()) } else { Err(LoadError::Layout(release.to_owned())) }
}

/// Loads the kernels that `wanted` names, or else those that make the most of this processor, and gives their level.
fn load_kernels(
    folder: &Path,
    names: &[String],
    wanted: Option<&str>,
    backends: &Backends,
) -> Result<String, LoadError> {
    let levels = names.iter().filter_map(|name| Some((name, level_of(name)?)));
    let scored = levels.filter_map(|(name, level)| Some((score_kernels(&folder.join(name))?, level, name)));
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
    let usable = || scored.iter().map(|(_, level, _)| *level).collect::<Vec<_>>().join(", ");
    let chosen = scored.iter().find(|(_, level, _)| wanted.is_none_or(|wanted| wanted == *level));
    let Some((_, level, name)) = chosen else {
        return Err(match wanted {
            Some(name) if !scored.is_empty() => LoadError::Kernels { name: name.to_owned(), usable: usable() },
            _ => LoadError::Processor(std::env::consts::ARCH.to_owned()),
        });
    };
    if !backends.load_backend(&folder.join(name)) {
        let reason = take_complaint().unwrap_or_else(|| "ggml refused it".into());
        return Err(LoadError::Unloadable { file: (*name).clone(), reason });
    }
    Ok((*level).to_owned())
}

/// How much of this processor the kernels of a file use; `None` if they cannot run on it.
fn score_kernels(path: &Path) -> Option<c_int> {
    // SAFETY: as for `Ggml::load`; the function asks the processor what it has, and runs no kernel.
    unsafe {
        let kernels = Loaded::new(path).ok()?;
        match kernels.get::<unsafe extern "C" fn() -> c_int>(b"ggml_backend_score\0") {
            Ok(score) => Some(score()).filter(|score| *score > 0),
            // Kernels that were built for one processor have none.
            Err(_) => Some(1),
        }
    }
}

/// A library of ggml.
struct Ggml {
    path: PathBuf,
    library: &'static Loaded,
}

impl Ggml {
    fn load(path: &Path) -> Result<Self, LoadError> {
        // SAFETY: loading runs what a library does at its start. The file is one that the caller knows to be whole.
        let library = unsafe { Loaded::new(path) }.map_err(|error| unloadable_error(path, &error))?;
        Ok(Self { path: path.to_path_buf(), library: Box::leak(Box::new(library)) })
    }

    /// # Safety
    /// `F` must be the type of the function.
    unsafe fn find_function<F: Copy>(&self, name: &CStr) -> Result<F, LoadError> {
        // SAFETY: the caller knows the type.
        let function = unsafe { self.library.get::<F>(name.to_bytes_with_nul()) };
        function.map(|function| *function).map_err(|error| unloadable_error(&self.path, &error))
    }
}

/// ggml's list of what computes. Its functions are in libraries of their own, which `llama.h` does not declare.
struct Backends {
    load: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    count: unsafe extern "C" fn() -> usize,
    device: unsafe extern "C" fn(usize) -> *mut c_void,
    description: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    kind: unsafe extern "C" fn(*mut c_void) -> c_int,
}

/// `GGML_BACKEND_DEVICE_TYPE_GPU` and `_IGPU` of `ggml-backend.h`.
const GRAPHICS: [c_int; 2] = [1, 2];

impl Backends {
    fn from_library(base: &Ggml, ggml: &Ggml) -> Result<Self, LoadError> {
        // SAFETY: the types are those of `ggml-backend.h`.
        unsafe {
            Ok(Self {
                load: ggml.find_function(c"ggml_backend_load")?,
                count: ggml.find_function(c"ggml_backend_dev_count")?,
                device: ggml.find_function(c"ggml_backend_dev_get")?,
                description: base.find_function(c"ggml_backend_dev_description")?,
                kind: base.find_function(c"ggml_backend_dev_type")?,
            })
        }
    }

    /// Whether the library at `path` was taken.
    fn load_backend(&self, path: &Path) -> bool {
        let Ok(path) = CString::new(path.to_string_lossy().as_bytes()) else { return false };
        // SAFETY: the path ends with a zero byte.
        !unsafe { (self.load)(path.as_ptr()) }.is_null()
    }

    fn list_graphics_devices(&self) -> Vec<String> {
        // SAFETY: devices are there for the life of the process, and their texts end with a zero byte.
        unsafe {
            let all = (0..(self.count)()).map(|at| (self.device)(at));
            let graphics = all.filter(|device| GRAPHICS.contains(&(self.kind)(*device)));
            let described = graphics.map(|device| CStr::from_ptr((self.description)(device)));
            described.map(|text| text.to_string_lossy().into_owned()).collect()
        }
    }
}

/// The last error that llama.cpp told of.
static COMPLAINT: Mutex<Option<String>> = Mutex::new(None);

/// Characters of a complaint that are kept.
const COMPLAINT_CHARS_MAX: usize = 300;

/// `GGML_LOG_LEVEL_ERROR` of `ggml.h`.
const ERROR: ggml_log_level = 4;

unsafe extern "C" fn keep_complaint(level: ggml_log_level, text: *const c_char, _: *mut c_void) {
    if level != ERROR || text.is_null() {
        return;
    }
    // SAFETY: it is not null, and ends with a zero byte.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    // Its function comes first: "llama_model_load: error loading model: …".
    let text = text.split_once(": ").map_or(&*text, |(_, rest)| rest).trim();
    let mut last = COMPLAINT.lock().unwrap_or_else(PoisonError::into_inner);
    // The first says most; what follows are the functions that gave up because of it.
    last.get_or_insert_with(|| text.chars().take(COMPLAINT_CHARS_MAX).collect());
}

/// What llama.cpp complained of since this was asked last.
pub(super) fn take_complaint() -> Option<String> {
    COMPLAINT.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_names_on_every_system() {
        for (name, part) in [
            ("libllama.v0.5.0.so", Some("llama")),
            ("libllama.vulkan.v0.5.0.so", Some("llama")),
            ("libllama.metal.v0.4.0.dylib", Some("llama")),
            ("llama.v0.4.0.dll", Some("llama")),
            ("libllama.so.0", Some("llama")),
            ("libggml-base.so", Some("ggml-base")),
            ("libllama-common.so", Some("llama-common")),
            ("README.md", None),
            ("package", None),
        ] {
            assert_eq!(part_of(name), part, "{name}");
        }
        for (name, level) in [
            ("libggml-cpu-haswell.so", Some("haswell")),
            ("libggml-cpu-armv8.2_1.so", Some("armv8.2_1")),
            ("ggml-cpu.dll", Some("cpu")),
            ("libggml-cpux.so", None),
            ("libggml-vulkan.so", None),
        ] {
            assert_eq!(level_of(name), level, "{name}");
        }
        assert!(is_for_devices("libggml-cuda.so") && !is_for_devices("libggml-cpu-x64.so"));
    }

    #[test]
    fn an_old_system_is_told_what_it_needs() {
        let error = LoadError::Unloadable {
            file: "libllama.so".into(),
            reason: "/lib/libc.so.6: version `GLIBC_2.34' not found".into(),
        };
        assert!(error.to_string().contains("glibc 2.34"), "{error}");
    }

    #[test]
    fn a_folder_without_libraries_is_no_engine() {
        let folder = tempfile::tempdir().unwrap();
        let error = Library::open_libraries(folder.path(), false, None).unwrap_err();
        assert_eq!(error, LoadError::Absent("library ggml-base".into()));
        let gone = Library::open_libraries(&folder.path().join("gone"), false, None).unwrap_err();
        assert!(gone.to_string().contains("readable folder"), "{gone}");
    }
}
