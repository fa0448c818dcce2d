//! The folders and files of the user and the project.

use std::{
    env,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

use crate::prompts::Layers;

/// What the process itself says of trust, before anything stored is looked at.
#[derive(Debug, Clone, Default)]
pub struct ProcessTrust {
    /// Folders that `AGON_TRUST` names.
    pub folders: Vec<PathBuf>,
    /// Whether the command line trusts the project (`--trust`).
    pub is_given: bool,
}

/// The folders and files of this user and this project.
#[derive(Debug, Clone)]
pub struct Paths {
    /// Journal and locks: `AGON_HOME`, or the XDG data directory.
    pub home: PathBuf,
    /// The address of the journal's database: `AGON_JOURNAL`.
    pub journal: Option<String>,
    /// Embedded models: `AGON_MODELS`, or a folder of `home`.
    pub models: PathBuf,
    /// `$XDG_CONFIG_HOME/agon/config.toml`.
    pub user_config: Option<PathBuf>,
    /// The nearest `agon.toml` from the current directory upwards.
    pub project_config: Option<PathBuf>,
    /// The folder of the project, which the user trusts or not, wherever its file is read from.
    pub project: Option<PathBuf>,
    /// What this process says of trust: `AGON_TRUST`, `--trust`.
    pub trust: ProcessTrust,
    /// The user's and the project's templates.
    pub prompts: Layers,
    /// The folders of the user's and the project's own protocols.
    pub protocols: Layers,
}

impl Paths {
    /// By the environment and the current directory.
    pub fn find() -> Result<Self, String> {
        let base = etcetera::choose_base_strategy().map_err(|_| "no home directory: set AGON_HOME".to_owned());
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = match set("AGON_HOME") {
            Some(home) => home,
            None => base.as_ref().map_err(Clone::clone)?.data_dir().join("agon"),
        };
        let here = env::current_dir().map_err(|error| format!("no current directory: {error}"))?;
        let project =
            here.ancestors().find(|folder| folder.join("agon.toml").is_file() || folder.join(".agon").is_dir());
        let project = project.unwrap_or(&here);
        let folders: Vec<PathBuf> =
            set("AGON_TRUST").map(|named| env::split_paths(&named).collect()).unwrap_or_default();
        if let Some(relative) = folders.iter().find(|folder| !folder.is_absolute()) {
            return Err(format!("AGON_TRUST: {:?} is not the whole path of a folder", relative.display()));
        }
        let config = base.ok().map(|base| base.config_dir().join("agon"));
        Ok(Self {
            journal: set("AGON_JOURNAL").map(|address| address.to_string_lossy().into_owned()),
            models: set("AGON_MODELS").unwrap_or_else(|| home.join("models")),
            home,
            user_config: config.as_ref().map(|folder| folder.join("config.toml")),
            project_config: Some(project.join("agon.toml")),
            project: Some(project.to_owned()),
            trust: ProcessTrust { folders, is_given: false },
            prompts: build_layers(config.as_deref(), project, "prompts"),
            protocols: build_layers(config.as_deref(), project, "protocols"),
        })
    }
}

/// The folder called `name` in the user's configuration, and in the project.
fn build_layers(config: Option<&Path>, project: &Path, name: &str) -> Layers {
    Layers { user: config.map(|folder| folder.join(name)), project: Some(project.join(".agon").join(name)) }
}
