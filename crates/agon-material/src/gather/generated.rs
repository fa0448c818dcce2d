//! Which files programs wrote: lock files and minified code.

/// Why such a file is left out.
pub(super) const REASON: &str = "generated";

/// Files that package managers write.
const NAMES: [&str; 24] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "cabal.project.freeze",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];
/// Ends of the names of minified code and of what maps it back.
const ENDS: [&str; 6] = [".min.js", ".min.mjs", ".min.css", ".js.map", ".mjs.map", ".css.map"];

/// Whether the name alone shows it.
pub(super) fn by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_and_minified_code_are_known_by_name() {
        for (path, is) in [
            ("Cargo.lock", true),
            ("web/package-lock.json", true),
            ("web/app.min.js", true),
            ("app.js", false),
            ("src/lock.rs", false),
            ("Cargo.lock.md", false),
            ("package.json", false),
        ] {
            assert_eq!(by_name(path), is, "{path}");
        }
    }
}
