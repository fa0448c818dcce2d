//! Which files programs wrote: lock files, minified code, and what `.gitattributes` marks as generated.

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// Why such a file is left out.
pub(super) const REASON: &str = "generated";
/// Name of the file with attributes.
pub(super) const ATTRIBUTES: &str = ".gitattributes";

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

/// The attributes of one folder.
pub(super) struct Attributes {
    rules: Gitignore,
}

impl Attributes {
    /// From the text of a file with attributes.
    pub(super) fn parse(text: &str) -> Self {
        let mut rules = GitignoreBuilder::new("");
        for line in text.lines() {
            let Some((pattern, attributes)) = split_attribute_line(line.trim()) else { continue };
            for attribute in attributes.split_whitespace() {
                let sign = match attribute {
                    "linguist-generated" | "linguist-generated=true" => "",
                    "-linguist-generated" | "linguist-generated=false" | "!linguist-generated" => "!",
                    _ => continue,
                };
                // A pattern that does not parse marks nothing.
                let _ = rules.add_line(None, &format!("{sign}{pattern}"));
            }
        }
        Self { rules: rules.build().unwrap_or_else(|_| Gitignore::empty()) }
    }

    /// What they say of a path, which is relative to their folder; none if they say nothing.
    pub(super) fn is_generated(&self, path: &str) -> Option<bool> {
        match self.rules.matched(path, false) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

/// Pattern and attributes of a line. A pattern with spaces is in quotes.
fn split_attribute_line(line: &str) -> Option<(&str, &str)> {
    if line.starts_with(['#', '!', '[']) {
        return None;
    }
    match line.strip_prefix('"') {
        Some(rest) => rest.split_once('"'),
        None => line.split_once(char::is_whitespace),
    }
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

    #[test]
    fn attributes_mark_generated_files() {
        let text = "# comment\n*.pb.go linguist-generated\ngen/** text linguist-generated=true\n\
            gen/hand.go -linguist-generated\n\"a b.txt\" linguist-generated\n*.md text\n[attr]x linguist-generated\n";
        let attributes = Attributes::parse(text);
        for (path, is) in [
            ("x.pb.go", Some(true)),
            ("deep/x.pb.go", Some(true)),
            ("gen/a/b.c", Some(true)),
            ("gen/hand.go", Some(false)),
            ("a b.txt", Some(true)),
            ("x.md", None),
            ("x.go", None),
        ] {
            assert_eq!(attributes.is_generated(path), is, "{path}");
        }
    }
}
