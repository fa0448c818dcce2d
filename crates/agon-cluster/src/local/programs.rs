//! Where the programs of others are: Restate's server and Postgres. agon contains neither.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use agon_app::{Failure, Result, exit};

/// The name of Restate's server.
const RESTATE_SERVER: &str = "restate-server";
/// Folders above the current one in which npm packages are looked for.
const FOLDERS_MAX: usize = 32;

/// Restate's server: `given`, or that of the npm package in this folder or one above, or one on the path.
///
/// # Errors
///
/// Where there is none; the message says how to get it.
pub(super) fn restate_server(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return match is_program(given) {
            true => Ok(given.to_owned()),
            false => Err(lacking(format!("{} is not a program", given.display()))),
        };
    }
    let here = env::current_dir().ok();
    let packages = here
        .iter()
        .flat_map(|here| here.ancestors().take(FOLDERS_MAX))
        .map(|folder| folder.join("node_modules"));
    packages
        .filter_map(|modules| packaged(&modules))
        .next()
        .or_else(|| on_path(RESTATE_SERVER).map(|found| behind_wrapper(&found).unwrap_or(found)))
        .ok_or_else(|| lacking("there is no restate-server in node_modules or on the PATH".into()))
}

fn lacking(what: String) -> Failure {
    Failure::new(
        exit::PROVIDER,
        "cluster",
        format!("{what}. agon does not contain Restate's server (Business Source License 1.1)"),
        "npm install @restatedev/restate-server, or name the program with --restate-server",
    )
}

/// The program in the npm packages of `modules`: the package of the name has one package per system behind it.
fn packaged(modules: &Path) -> Option<PathBuf> {
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let name = format!("{RESTATE_SERVER}-{system}-{architecture}");
    // npm puts it next to the package, or below it.
    let next_to = modules.join("@restatedev").join(&name);
    let below = modules.join("@restatedev").join(RESTATE_SERVER).join("node_modules/@restatedev").join(&name);
    [next_to, below]
        .into_iter()
        .map(|package| package.join("bin").join(RESTATE_SERVER))
        .find(|path| is_program(path))
}

/// The program behind npm's wrapper, which is a script.
fn behind_wrapper(found: &Path) -> Option<PathBuf> {
    let real = found.canonicalize().ok()?;
    packaged(real.ancestors().find(|folder| folder.file_name() == Some(OsStr::new("node_modules")))?)
}

/// The folder with the programs of Postgres: `AGON_POSTGRES_BIN`, where distributions put them, or the path.
///
/// # Errors
///
/// Where there are none.
pub(super) fn postgres_programs() -> Result<PathBuf> {
    let lacking = |what: String| {
        let remedy = "install it (Debian: apt-get install postgresql; Fedora: dnf install postgresql-server; \
                      macOS: brew install postgresql), set AGON_POSTGRES_BIN, or name a database with --journal";
        Failure::new(exit::PROVIDER, "cluster", what, remedy)
    };
    let has_both = |folder: &Path| ["initdb", "postgres"].iter().all(|name| is_program(&folder.join(name)));
    if let Some(given) = env::var_os("AGON_POSTGRES_BIN").filter(|given| !given.is_empty()) {
        let given = PathBuf::from(given);
        return match has_both(&given) {
            true => Ok(given),
            false => {
                Err(lacking(format!("AGON_POSTGRES_BIN: no initdb and postgres in {}", given.display())))
            }
        };
    }
    let versions = [
        ("/usr/lib/postgresql", "bin"),
        ("/usr", "bin"),
        ("/opt/homebrew/opt", "bin"),
        ("/usr/local/opt", "bin"),
    ];
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for (root, below) in versions {
        for entry in fs::read_dir(root).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let version = ["postgresql@", "pgsql-", ""]
                .iter()
                .find_map(|prefix| name.strip_prefix(prefix)?.parse().ok());
            let folder = entry.path().join(below);
            if let Some(version) = version.filter(|_| has_both(&folder)) {
                found.push((version, folder));
            }
        }
    }
    let newest = found.into_iter().max().map(|(_, folder)| folder);
    newest
        .or_else(|| {
            on_path("initdb")
                .and_then(|path| path.parent().map(Path::to_owned))
                .filter(|folder| has_both(folder))
        })
        .ok_or_else(|| lacking("the server of PostgreSQL (13 or newer) is not installed".into()))
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_missing_is_named_with_the_way_to_get_it() {
        let failure = restate_server(Some(Path::new("/nowhere/restate-server"))).unwrap_err();
        assert_eq!(failure.exit, 3);
        assert!(
            failure.message.contains("/nowhere/restate-server") && failure.remedy.contains("npm install")
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_server_is_found_in_the_packages_of_npm() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("node_modules");
        assert_eq!(packaged(&modules), None);
        let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
        let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let bin = modules.join(format!("@restatedev/restate-server-{system}-{architecture}/bin"));
        fs::create_dir_all(&bin).unwrap();
        let program = bin.join(RESTATE_SERVER);
        fs::write(&program, "").unwrap();
        assert_eq!(packaged(&modules), None, "not a program yet");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(packaged(&modules), Some(program.clone()));
        let wrapper = modules.join("@restatedev/restate-server/bin");
        fs::create_dir_all(&wrapper).unwrap();
        fs::write(wrapper.join(RESTATE_SERVER), "").unwrap();
        let behind = behind_wrapper(&wrapper.join(RESTATE_SERVER)).unwrap();
        assert_eq!(behind, program.canonicalize().unwrap());
    }
}
