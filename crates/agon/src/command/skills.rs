//! `agon skills`: writes, lists and removes the texts that teach other agents to drive debates.

use std::path::{Path, PathBuf};

use agon_app::{Failure, Result, exit};
use agon_runtime::files::{self, FileError, Lasting};
use serde::Serialize;

use super::CommandContext;
use crate::{
    cli::{SkillHost, SkillPlace, SkillsAction},
    skill::{InstallState, Installed, install_state, list_shims, list_skills},
    ui,
};

/// The result of installing or removing one text.
#[derive(Serialize)]
struct InstallResult {
    path: String,
    #[serde(rename = "state")]
    what: &'static str,
    /// Left as it is, since it is someone else's work.
    kept: bool,
}

pub fn run(command_context: &CommandContext, action: &SkillsAction) -> Result<u8> {
    let mut done = Vec::new();
    match action {
        SkillsAction::Install { place, shims: with_shims, force } => {
            install_files(&skills_folder(place)?, list_skills(), false, *force, &mut done)?;
            if *with_shims {
                install_files(&programs_folder(place)?, list_shims(), true, *force, &mut done)?;
            }
        }
        SkillsAction::List { place } => {
            for_each_installed(place, |folder, one| {
                let path = folder.join(&one.path);
                let (what, kept) = match install_state(read_if_exists(&path)?.as_deref(), &one.text) {
                    InstallState::Absent => ("not installed", false),
                    InstallState::Current => ("installed", false),
                    InstallState::Outdated => ("installed by another version", false),
                    InstallState::Changed => ("changed by hand", false),
                    InstallState::Foreign => ("not agon's", false),
                };
                done.push(InstallResult { path: path.display().to_string(), what, kept });
                Ok(())
            })?;
        }
        SkillsAction::Remove { place, force } => {
            for_each_installed(place, |folder, one| {
                done.extend(remove_installed(folder, &one, *force)?);
                Ok(())
            })?;
        }
    }
    report_results(command_context, &done)
}

fn for_each_installed(place: &SkillPlace, mut with: impl FnMut(&Path, Installed) -> Result<()>) -> Result<()> {
    let (texts, small) = (skills_folder(place)?, programs_folder(place)?);
    let skills = list_skills().into_iter().map(|one| (&texts, one));
    let shims = list_shims().into_iter().map(|one| (&small, one));
    skills.chain(shims).try_for_each(|(folder, one)| with(folder, one))
}

fn install_files(
    folder: &Path,
    texts: Vec<Installed>,
    runs: bool,
    force: bool,
    done: &mut Vec<InstallResult>,
) -> Result<()> {
    for Installed { path: name, text } in texts {
        let path = folder.join(&name);
        let (what, kept) = match install_state(read_if_exists(&path)?.as_deref(), &text) {
            InstallState::Absent => ("installed", false),
            InstallState::Current => ("already installed", false),
            InstallState::Outdated => ("updated", false),
            InstallState::Changed | InstallState::Foreign if force => ("overwritten", false),
            InstallState::Changed => ("not changed: it was edited by hand", true),
            InstallState::Foreign => ("not changed: agon did not write it", true),
        };
        if !kept {
            files::write_files(folder, [(name, text)], Lasting::Synced)?;
            if runs {
                make_program(&path)?;
            }
        }
        done.push(InstallResult { path: path.display().to_string(), what, kept });
    }
    Ok(())
}

/// Removes a text of ours, and its folder where nothing else is in it.
fn remove_installed(folder: &Path, one: &Installed, force: bool) -> Result<Option<InstallResult>> {
    let path = folder.join(&one.path);
    let (what, kept) = match install_state(read_if_exists(&path)?.as_deref(), &one.text) {
        InstallState::Absent | InstallState::Foreign => return Ok(None),
        InstallState::Changed if !force => ("not changed: it was edited by hand", true),
        InstallState::Current | InstallState::Outdated | InstallState::Changed => ("removed", false),
    };
    if !kept {
        std::fs::remove_file(&path).map_err(|error| file_failure(&path, &error))?;
        if let Some(own) = path.parent().filter(|own| *own != folder) {
            // It stays where someone else put something into it.
            let _ = std::fs::remove_dir(own);
        }
    }
    Ok(Some(InstallResult { path: path.display().to_string(), what, kept }))
}

fn report_results(command_context: &CommandContext, done: &[InstallResult]) -> Result<u8> {
    command_context.print(&done, || {
        let line = |one: &InstallResult| format!("{}  {}", ui::escape_invisible(&one.path), one.what);
        match done {
            [] => "agon has installed nothing there".into(),
            some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
        }
    });
    match done.iter().filter(|one| one.kept).count() {
        0 => Ok(exit::OK),
        kept => {
            let why = format!("{kept} of {} files were not changed", done.len());
            let remedy = "--force overwrites them; keep a copy of your changes";
            Err(Failure::new(exit::CONFLICT, "changed", why, remedy))
        }
    }
}

/// Where a host looks for skills.
fn skills_folder(place: &SkillPlace) -> Result<PathBuf> {
    let (project, user) = match place.host {
        SkillHost::ClaudeCode => (".claude/skills", ".claude/skills"),
        SkillHost::Codex => (".agents/skills", ".agents/skills"),
        SkillHost::Gemini => (".gemini/skills", ".gemini/skills"),
        SkillHost::Opencode => (".opencode/skills", ".config/opencode/skills"),
        SkillHost::GhCopilot => (".github/skills", ".copilot/skills"),
        SkillHost::Amp => (".agents/skills", ".config/agents/skills"),
    };
    Ok(root_folder(place)?.join(if place.user { user } else { project }))
}

/// Where the small programs go.
fn programs_folder(place: &SkillPlace) -> Result<PathBuf> {
    Ok(root_folder(place)?.join(if place.user { ".local/bin" } else { ".agon/bin" }))
}

fn root_folder(place: &SkillPlace) -> Result<PathBuf> {
    if !place.user {
        return std::env::current_dir().map_err(|error| file_failure(Path::new("."), &error));
    }
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    home.ok_or_else(|| Failure::usage("no home directory", "set HOME, or omit --user"))
}

/// What stands at `path`; a file that is not text is not agon's.
fn read_if_exists(path: &Path) -> Result<Option<String>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_failure(path, &error)),
    }
}

fn make_program(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
            .map_err(|error| file_failure(path, &error))?;
    }
    Ok(())
}

fn file_failure(path: &Path, error: &std::io::Error) -> Failure {
    let source = std::io::Error::new(error.kind(), error.to_string());
    FileError { path: path.to_owned(), source }.into()
}
