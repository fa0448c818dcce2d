//! Trust in a project's file. It may come from anyone, so it names variables, addresses and commands only in a folder
//! that the user trusts; elsewhere only what the user's own file names.

use std::path::{Path, PathBuf};

use agon_core::Digest;
use serde::{Deserialize, Serialize};

use super::{
    Config, ConfigError, Paths, ProviderConfig,
    check::{self, ConfigFile},
};
use crate::{
    files::{self, FileError, Lasting},
    participant::provider::ProviderKind,
};

/// The folder of the data directory with one file for each folder that the user trusts.
const TRUSTED: &str = "trusted";
/// Maximum number of requests that an error names.
const NAMED_MAX: usize = 3;

/// Something in a project's file that only a user may decide on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{key}: {wanted}")]
pub struct TrustRequest {
    /// The key of the file, for example `providers.lab.base_url`.
    pub key: String,
    /// What is asked for.
    pub wanted: TrustedThing,
}

/// A variable, an address or a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "lowercase")]
pub enum TrustedThing {
    /// The value of a variable is sent to an address, or passed to a command.
    #[error("passes the variable {name} to {to}")]
    Variable {
        /// Its name.
        name: String,
        /// Where its value goes.
        to: String,
    },
    /// Prompts, or the debates themselves, are sent to an address.
    #[error("uses {0}")]
    Address(String),
    /// A program is run.
    #[error("runs {0:?}")]
    Command(Vec<String>),
}

/// What is stored of a folder that the user trusts.
#[derive(Debug, Serialize, Deserialize)]
struct TrustedFolder {
    folder: String,
    /// Of the project's file as the user saw it.
    file: Digest,
}

/// A project's file, with what it asks for.
#[derive(Debug)]
pub struct ProjectFile {
    /// Where it is.
    pub path: PathBuf,
    /// What needs trust.
    pub requests: Vec<TrustRequest>,
    /// Whether the user trusts the folder with this file in it.
    pub is_trusted: bool,
    /// Why it cannot be trusted, whatever the user says.
    pub obstacle: Option<&'static str>,
    pub(super) config: Config,
    folder: PathBuf,
    digest: Digest,
}

/// The project's file; `None` where there is none.
///
/// # Errors
///
/// Where it, or the user's file, cannot be used.
pub fn project_file(places: &Paths) -> Result<Option<ProjectFile>, ConfigError> {
    read_project(places, &check::read_user_config(places)?)
}

/// The same, with the user's configuration at hand.
pub(super) fn read_project(places: &Paths, user: &Config) -> Result<Option<ProjectFile>, ConfigError> {
    let Some(path) = &places.project_config else { return Ok(None) };
    let Some(ConfigFile { config, text }) = check::read_file(path)? else { return Ok(None) };
    let folder = places.project.clone().or_else(|| path.parent().map(Path::to_owned)).unwrap_or_default();
    let requests = list_trust_requests(&config, user);
    let digest = Digest::from_content(&text);
    let obstacle = find_trust_obstacle(places, path, &folder);
    let is_trusted = obstacle.is_none() && is_trusted(places, &folder, &digest);
    Ok(Some(ProjectFile { path: path.clone(), requests, is_trusted, obstacle, config, folder, digest }))
}

impl ProjectFile {
    /// Refuses what the file asks for, in a folder that the user does not trust.
    pub(super) fn check_trust(&self) -> Result<(), ConfigError> {
        if self.is_trusted || self.requests.is_empty() {
            return Ok(());
        }
        let named: Vec<String> = self.requests.iter().take(NAMED_MAX).map(ToString::to_string).collect();
        let more = self.requests.len().saturating_sub(named.len());
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let why = self.obstacle.unwrap_or("this folder is not trusted");
        let remedy = "agon trust shows everything and asks; a pipeline sets AGON_TRUST to the folder, or uses --trust; \
                      or move it to your own configuration";
        let why = format!("{why}, and the file asks for more than its debates: {}{more}; {remedy}", named.join("; "));
        Err(ConfigError { path: self.path.clone(), line: None, why })
    }

    /// The folder that is trusted or not.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Remembers that the user trusts the folder with this very file in it.
    ///
    /// # Errors
    ///
    /// Where the data directory cannot be written.
    pub fn remember_trust(&self, places: &Paths) -> Result<(), FileError> {
        let folder = real_path(&self.folder);
        let stored = TrustedFolder { folder: folder.display().to_string(), file: self.digest.clone() };
        let text = serde_json::to_string(&stored).unwrap_or_default();
        files::write_files(&places.home.join(TRUSTED), [(name_of(&folder), text)], Lasting::Synced).map(drop)
    }
}

/// Forgets that the user trusts the project's folder; whether it was trusted.
///
/// # Errors
///
/// Where the data directory cannot be written.
pub fn forget_trust(places: &Paths) -> Result<bool, FileError> {
    let Some(folder) = &places.project else { return Ok(false) };
    let path = places.home.join(TRUSTED).join(name_of(&real_path(folder)));
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FileError::at_path(&path)(error)),
    }
}

/// A folder by its real path, so that no link leads to the trust of another.
fn real_path(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn name_of(folder: &Path) -> String {
    format!("{}.json", Digest::from_content(folder.as_os_str().as_encoded_bytes()))
}

/// Why trust does not help: the file is a link, whose target can change, or the store of trust is a part of what is to be
/// trusted.
fn find_trust_obstacle(places: &Paths, path: &Path, folder: &Path) -> Option<&'static str> {
    if std::fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink()) {
        return Some("a symbolic link cannot be trusted (put the file itself there)");
    }
    let is_given =
        places.trust.is_given || places.trust.folders.iter().any(|named| real_path(named) == real_path(folder));
    let holds_store = real_path(&places.home).starts_with(real_path(folder)) && !is_home_project(folder);
    (holds_store && !is_given)
        .then_some("the data directory (AGON_HOME) is within this folder, which could trust itself")
}

/// Whether the project is the home folder of the user, which holds the data directory by default.
fn is_home_project(folder: &Path) -> bool {
    std::env::home_dir().is_some_and(|home| real_path(&home).starts_with(real_path(folder)))
}

fn is_trusted(places: &Paths, folder: &Path, digest: &Digest) -> bool {
    let folder = real_path(folder);
    if places.trust.is_given || places.trust.folders.iter().any(|named| real_path(named) == folder) {
        return true;
    }
    let stored = std::fs::read_to_string(places.home.join(TRUSTED).join(name_of(&folder)));
    let stored = stored.ok().and_then(|text| serde_json::from_str::<TrustedFolder>(&text).ok());
    stored.is_some_and(|stored| stored.file == *digest && stored.folder == folder.display().to_string())
}

/// Where the requests of a provider go.
fn provider_address(provider: &ProviderConfig) -> &str {
    provider.base_url.as_deref().unwrap_or(provider.kind.wire().profile().address)
}

/// The variable whose value a provider called `name` sends.
fn provider_key_variable<'p>(name: &str, provider: &'p ProviderConfig) -> Option<&'p str> {
    provider.api_key_env.as_deref().or_else(|| ProviderKind::from_name(name)?.key_variable())
}

/// What a project's file asks for beyond what holds without it, and beyond what the user's own file has.
fn list_trust_requests(project: &Config, user: &Config) -> Vec<TrustRequest> {
    let mut requests = Vec::new();
    let mut add = |key: String, wanted| requests.push(TrustRequest { key, wanted });
    let is_shipped = |variable: &str, to: &str| {
        let ships = |kind: ProviderKind| kind.key_variable() == Some(variable) && kind.wire().profile().address == to;
        ProviderKind::KNOWN.into_iter().any(ships)
    };
    for (name, provider) in &project.providers {
        let to = provider_address(provider);
        let of_user = |own: &ProviderConfig| provider_address(own) == to;
        if provider.base_url.is_some() && !user.providers.values().any(of_user) {
            add(format!("providers.{name}.base_url"), TrustedThing::Address(to.to_owned()));
        }
        let sends = |(name, own): (&String, &ProviderConfig), variable| {
            of_user(own) && provider_key_variable(name, own) == Some(variable)
        };
        if let Some(variable) = provider_key_variable(name, provider)
            && !is_shipped(variable, to)
            && !user.providers.iter().any(|own| sends(own, variable))
        {
            let wanted = TrustedThing::Variable { name: variable.to_owned(), to: to.to_owned() };
            add(format!("providers.{name}.api_key_env"), wanted);
        }
        let has_headers = |own: &ProviderConfig| of_user(own) && own.headers == provider.headers;
        if !provider.headers.is_empty() && !user.providers.values().any(has_headers) {
            let names: Vec<&str> = provider.headers.keys().map(String::as_str).collect();
            let wanted = TrustedThing::Address(format!("{to} with the headers {}", names.join(", ")));
            add(format!("providers.{name}.headers"), wanted);
        }
    }
    for (name, command) in &project.commands {
        if user.commands.get(name) == Some(command) {
            continue;
        }
        add(format!("commands.{name}.run"), TrustedThing::Command(command.run.clone()));
        for variable in &command.env {
            let wanted = TrustedThing::Variable { name: variable.clone(), to: format!("the command {name}") };
            add(format!("commands.{name}.env"), wanted);
        }
    }
    if let Some(journal) = project.journal.as_ref().filter(|journal| user.journal.as_ref() != Some(journal)) {
        add("journal".into(), TrustedThing::Address(journal.clone()));
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProcessTrust;

    fn asked(project: &str, user: &str) -> Vec<String> {
        let config = |text: &str| toml::from_str::<Config>(text).unwrap();
        list_trust_requests(&config(project), &config(user)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_project_asks_for_each_variable_address_and_command_that_the_user_does_not_name() {
        let own = "[providers.mine]\nkind = \"openai\"\nbase_url = \"https://lab.test/v1\"\napi_key_env = \"LAB_KEY\"\n\
                   [commands.coder]\nrun = [\"coder\"]\nenv = [\"CODER_KEY\"]\n";
        for (project, wanted) in [
            ("model = \"openai:gpt-5\"\n[providers.openai]\nkind = \"openai\"\nmodel = \"gpt-5\"", &[][..]),
            ("[providers.x]\nkind = \"openai\"\napi_key_env = \"OPENAI_API_KEY\"", &[]),
            ("[providers.x]\nkind = \"openai\"\nbase_url = \"https://lab.test/v1\"\napi_key_env = \"LAB_KEY\"", &[]),
            ("[commands.coder]\nrun = [\"coder\"]\nenv = [\"CODER_KEY\"]", &[]),
            ("[sources]\ndeny = [\"a.test\"]\n[limits]\nmax_requests = 3", &[]),
            // This machine is elsewhere too: any user of it may listen there.
            (
                "[providers.openai]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"",
                &["uses http://127.0.0.1:9/v1", "passes the variable OPENAI_API_KEY to http://127.0.0.1:9/v1"],
            ),
            (
                "[providers.x]\nkind = \"openai\"\nbase_url = \"http://192.0.2.2/v1\"\napi_key_env = \"GITHUB_TOKEN\"",
                &["uses http://192.0.2.2/v1", "passes the variable GITHUB_TOKEN to http://192.0.2.2/v1"],
            ),
            // A key of the user's goes where the user's file sends it, and nowhere else.
            ("[providers.x]\nkind = \"openai\"\napi_key_env = \"LAB_KEY\"", &["passes the variable LAB_KEY to"]),
            ("[providers.openai]\nkind = \"anthropic\"", &["passes the variable OPENAI_API_KEY to"]),
            ("[providers.openai]\nkind = \"openai\"\nheaders = { X-A = \"b\" }", &["with the headers X-A"]),
            (
                "[commands.coder]\nrun = [\"coder\", \"-x\"]\nenv = [\"CODER_KEY\"]",
                &["runs [\"coder\", \"-x\"]", "passes the variable CODER_KEY to the command coder"],
            ),
            ("journal = \"postgres://ann@db.test/a\"", &["uses postgres://ann@db.test/a"]),
        ] {
            let asked = asked(project, own);
            let fits = asked.len() == wanted.len() && asked.iter().zip(wanted).all(|(one, part)| one.contains(part));
            assert!(fits, "{project}: {asked:?}");
        }
    }

    fn places(folder: &Path) -> Paths {
        let (home, project) = (folder.join("home"), folder.join("project"));
        std::fs::create_dir_all(&project).unwrap();
        Paths {
            journal: None,
            models: home.join("models"),
            home,
            user_config: Some(folder.join("config.toml")),
            project_config: Some(project.join("agon.toml")),
            project: Some(project),
            trust: ProcessTrust::default(),
            prompts: crate::prompts::Layers { user: None, project: None },
            protocols: crate::prompts::Layers { user: None, project: None },
        }
    }

    const ASKING: &str =
        "[providers.x]\nkind = \"openai\"\nbase_url = \"http://192.0.2.2\"\napi_key_env = \"GITHUB_TOKEN\"\n";

    #[test]
    fn trust_is_of_one_folder_with_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let path = places.project_config.clone().unwrap();
        std::fs::write(&path, ASKING).unwrap();
        let told = super::super::load_config(&places).unwrap_err().to_string();
        assert!(told.contains("not trusted") && told.contains("GITHUB_TOKEN") && told.contains("agon trust"), "{told}");
        project_file(&places).unwrap().unwrap().remember_trust(&places).unwrap();
        assert!(super::super::load_config(&places).is_ok());
        std::fs::write(&path, format!("# changed\n{ASKING}")).unwrap();
        assert!(super::super::load_config(&places).is_err(), "another file");
        std::fs::write(&path, ASKING).unwrap();
        let other = folder.path().join("other");
        std::fs::create_dir(&other).unwrap();
        std::fs::copy(&path, other.join("agon.toml")).unwrap();
        let elsewhere = Paths { project_config: Some(other.join("agon.toml")), project: Some(other), ..places.clone() };
        assert!(super::super::load_config(&elsewhere).is_err(), "the same file in another folder");
        assert!(forget_trust(&places).unwrap() && super::super::load_config(&places).is_err());
    }

    #[test]
    fn a_process_trusts_a_folder_by_its_path_and_never_one_below_or_above() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        std::fs::write(places.project_config.as_ref().unwrap(), ASKING).unwrap();
        let project = places.project.clone().unwrap();
        for (named, loads) in [(project.clone(), true), (folder.path().to_owned(), false), (project.join("a"), false)] {
            let trust = ProcessTrust { folders: vec![named.clone()], is_given: false };
            let places = Paths { trust, ..places.clone() };
            assert_eq!(super::super::load_config(&places).is_ok(), loads, "{}", named.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_a_store_within_the_project_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let path = places.project_config.clone().unwrap();
        std::fs::write(folder.path().join("target.toml"), ASKING).unwrap();
        std::os::unix::fs::symlink(folder.path().join("target.toml"), &path).unwrap();
        let trust = ProcessTrust { folders: Vec::new(), is_given: true };
        let told =
            super::super::load_config(&Paths { trust: trust.clone(), ..places.clone() }).unwrap_err().to_string();
        assert!(told.contains("symbolic link"), "{told}");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, ASKING).unwrap();
        let within = Paths { home: places.project.as_ref().unwrap().join("data"), ..places };
        project_file(&within).unwrap().unwrap().remember_trust(&within).unwrap();
        let told = super::super::load_config(&within).unwrap_err().to_string();
        assert!(told.contains("could trust itself"), "{told}");
        assert!(super::super::load_config(&Paths { trust, ..within }).is_ok(), "the command line is not a part of it");
    }
}
