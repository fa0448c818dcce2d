//! The packages that carry llama.cpp as libraries, and whether a folder holds one of them.
//!
//! Each file is pinned by its SHA-256, so it does not matter where a package comes from, and the declarations fit what is
//! called. A damaged library ends the process that loads it: so files are compared each time before they are loaded.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::pull::compute_sha256;

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum EngineKind {
    /// The processor; on a Mac with its graphics processor.
    Cpu,
    /// Graphics processors of every maker, by Vulkan.
    Vulkan,
    /// Graphics processors of NVIDIA, by CUDA.
    Cuda,
}

impl EngineKind {
    /// All kinds, the default first.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Vulkan, Self::Cuda];

    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A package of the registry of npm that carries llama.cpp for one platform.
#[derive(Debug, PartialEq, Eq)]
pub struct EnginePackage {
    /// Its name behind `@node-llama-cpp/`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The release of llama.cpp in it.
    pub release: &'static str,
    /// What computes.
    pub kind: EngineKind,
    /// Size of the package in bytes.
    pub packed: u64,
    /// `OS` and `ARCH` of `std::env::consts`.
    platform: (&'static str, &'static str),
    /// Lines of digest, size and name, one for each file that is needed of it.
    files: &'static str,
}

/// A file of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineFile {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: u64,
    /// SHA-256 in lower-case hexadecimal digits.
    pub sha256: &'static str,
}

/// The licence of the packages and of llama.cpp.
pub const ENGINE_LICENCE: &str = "MIT";

macro_rules! package {
    ($name:literal, $version:literal, $release:literal, $kind:ident, $packed:literal, $platform:expr) => {
        EnginePackage {
            name: $name,
            version: $version,
            release: $release,
            kind: EngineKind::$kind,
            packed: $packed,
            platform: $platform,
            files: include_str!(concat!("../engines/", $name, ".txt")),
        }
    };
}

/// All packages. On macOS and Windows the newest one has an earlier release.
const PACKAGES: &[EnginePackage] = &[
    package!("linux-x64", "3.22.1", "0.5.0", Cpu, 10_824_547, ("linux", "x86_64")),
    package!("linux-x64-vulkan", "3.22.1", "0.5.0", Vulkan, 24_311_427, ("linux", "x86_64")),
    package!("linux-x64-cuda", "3.22.1", "0.5.0", Cuda, 142_898_030, ("linux", "x86_64")),
    package!("linux-arm64", "3.22.1", "0.5.0", Cpu, 7_340_902, ("linux", "aarch64")),
    package!("mac-arm64-metal", "3.21.1", "0.4.0", Cpu, 4_858_447, ("macos", "aarch64")),
    package!("mac-x64", "3.21.1", "0.4.0", Cpu, 10_809_280, ("macos", "x86_64")),
    package!("win-x64", "3.21.1", "0.4.0", Cpu, 9_787_045, ("windows", "x86_64")),
    package!("win-x64-vulkan", "3.21.1", "0.4.0", Vulkan, 26_619_567, ("windows", "x86_64")),
    package!("win-arm64", "3.21.1", "0.4.0", Cpu, 4_606_830, ("windows", "aarch64")),
];

/// What is wrong with the files of a package.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderFault {
    /// The folder cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// A file is missing.
    #[error("it has no {0}")]
    Absent(&'static str),
    /// A file is not the one that was pinned.
    #[error("{0} is damaged, or of another release")]
    Damaged(&'static str),
}

impl EnginePackage {
    /// The packages for this platform, the default first. None for musl, which loads no libraries of glibc.
    pub fn of_platform() -> impl Iterator<Item = &'static Self> {
        let platform = (std::env::consts::OS, std::env::consts::ARCH);
        PACKAGES.iter().filter(move |package| package.platform == platform && !cfg!(target_env = "musl"))
    }

    /// The package of a kind for this platform.
    pub fn of_kind(kind: EngineKind) -> Option<&'static Self> {
        Self::of_platform().find(|package| package.kind == kind)
    }

    /// The folder that holds it, within the folder for models.
    pub fn folder_in(&self, models: &Path) -> PathBuf {
        models.join(format!("engine-{}-{}", self.name, self.version))
    }

    /// What a package manager calls it.
    pub fn npm_specifier(&self) -> String {
        format!("@node-llama-cpp/{}@{}", self.name, self.version)
    }

    /// The files that are needed of it.
    pub fn needed_files(&self) -> impl Iterator<Item = EngineFile> + use<> {
        self.files.lines().filter_map(|line| {
            let mut fields = line.split(' ');
            let (sha256, size, name) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
            Some(EngineFile { name, size, sha256 })
        })
    }

    /// Whether `folder` holds all files of the package, in their sizes.
    pub fn is_in(&self, folder: &Path) -> bool {
        self.needed_files()
            .all(|file| std::fs::metadata(folder.join(file.name)).is_ok_and(|found| found.len() == file.size))
    }

    /// Compares each file in `folder` with its digest.
    ///
    /// # Errors
    /// See [`FolderFault`].
    pub fn check_files(&self, folder: &Path) -> Result<(), FolderFault> {
        if let Err(error) = std::fs::read_dir(folder) {
            return Err(FolderFault::Unreadable(error.to_string()));
        }
        for file in self.needed_files() {
            let digest = File::open(folder.join(file.name)).and_then(|file| compute_sha256(file, |_| Ok(())));
            match digest {
                Ok(digest) if digest == file.sha256 => {}
                Ok(_) => return Err(FolderFault::Damaged(file.name)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(FolderFault::Absent(file.name));
                }
                Err(error) => return Err(FolderFault::Unreadable(format!("{}: {error}", file.name))),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_names_what_is_loaded_of_it() {
        for package in PACKAGES {
            let files: Vec<_> = package.needed_files().collect();
            assert_eq!(files.len(), package.files.lines().count(), "{}", package.name);
            for part in ["llama.", "ggml.", "ggml-base.", "ggml-cpu"] {
                assert!(files.iter().any(|file| file.name.contains(part)), "{}: {part}", package.name);
            }
            assert!(files.iter().all(|file| file.sha256.len() == 64 && file.size > 1000), "{}", package.name);
            let kind = package.kind.name();
            assert!(package.kind == EngineKind::Cpu || files.iter().any(|file| file.name.contains(kind)));
            let release = format!("v{}", package.release);
            assert!(files.iter().any(|file| file.name.contains(&release)), "{}", package.name);
            // A name that left the folder would be written elsewhere.
            assert!(files.iter().all(|file| !file.name.contains(['/', '\\', ':'])), "{}", package.name);
        }
    }

    #[test]
    fn a_folder_is_compared_file_by_file() {
        let Some(package) = EnginePackage::of_platform().next() else { return };
        let folder = tempfile::tempdir().unwrap();
        let first = package.needed_files().next().unwrap().name;
        assert_eq!(package.check_files(folder.path()), Err(FolderFault::Absent(first)));
        assert!(matches!(package.check_files(&folder.path().join("gone")), Err(FolderFault::Unreadable(_))));
        // The same size, and other bytes.
        for file in package.needed_files() {
            File::create(folder.path().join(file.name)).unwrap().set_len(file.size).unwrap();
        }
        assert!(package.is_in(folder.path()));
        assert_eq!(package.check_files(folder.path()), Err(FolderFault::Damaged(first)));
    }

    #[test]
    fn kinds_are_known_by_their_names() {
        assert!(EngineKind::ALL.iter().all(|kind| EngineKind::from_name(kind.name()) == Some(*kind)));
        assert_eq!(EngineKind::from_name("CUDA"), None);
    }
}
