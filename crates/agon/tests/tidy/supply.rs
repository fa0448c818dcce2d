//! No file of this repository runs or installs a package, a repository or an action that is called like agon: none is
//! published, and the person who registers such a name first would run code wherever the file is used.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::tidy::root;

/// Words of commands and files behind which a name is fetched and, now or later, run.
const FETCHING: &[&[&str]] = &[
    &["npx"],
    &["npm", "install"],
    &["npm", "i"],
    &["npm", "exec"],
    &["pnpm", "add"],
    &["pnpm", "dlx"],
    &["yarn", "add"],
    &["yarn", "dlx"],
    &["bunx"],
    &["pip", "install"],
    &["pip3", "install"],
    &["pipx", "install"],
    &["pipx", "run"],
    &["uvx"],
    &["uv", "add"],
    &["uv", "pip", "install"],
    &["uv", "tool", "install"],
    &["uv", "tool", "run"],
    &["cargo", "install"],
    &["cargo", "binstall"],
    &["cargo", "add"],
    &["go", "install"],
    &["brew", "install"],
    &["brew", "tap"],
    &["apt", "install"],
    &["apt-get", "install"],
    &["docker", "pull"],
    &["podman", "pull"],
    &["git", "clone"],
    &["marketplace", "add"],
    &["extensions", "install"],
    &["uses:"],
    &["FROM"],
    &["image:"],
];

/// Ends of a file that is installed as it lies there.
const FILES: &[&str] = &[".tgz", ".whl", ".deb", ".gz", ".rb"];

/// Whether a word of a command names something of ours that would be fetched.
fn is_ours(word: &str) -> bool {
    let is_path = word.starts_with(['.', '/', '$', '~', '<']) || FILES.iter().any(|end| word.ends_with(end));
    let name = word.split(['@', '=', '<', '>', ':', '[']).next().unwrap_or_default();
    let is_named = name == "agon" || name.starts_with("agon-") || name.starts_with("agon_");
    !is_path && (is_named || word.contains("agon-debate/"))
}

/// Names of ours that the commands of a text fetch, each with its command. In JSON, a command stands in several lines.
fn fetched(text: &str, is_json: bool) -> Vec<String> {
    let text = if is_json { text.replace('\n', " ") } else { text.to_owned() };
    let commands = text.split(['\n', '`', ';', '|', '&', '#']).filter(|command| command.contains("agon"));
    commands.filter_map(|command| ours(command).map(|name| format!("{name} in: {}", command.trim()))).collect()
}

fn ours(command: &str) -> Option<&str> {
    let words = command.split(|mark: char| mark.is_whitespace() || "\"',()[]{}".contains(mark));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    (0..words.len()).find_map(|at| {
        // The word of a Containerfile is one of SQL too.
        let begins = |fetching: &&&[&str]| words[at..].starts_with(fetching) && (at == 0 || fetching[0] != "FROM");
        let fetching = FETCHING.iter().find(begins)?;
        words[at + fetching.len()..].iter().find(|word| is_ours(word)).copied()
    })
}

/// Every file of the repository but those that a build, a test or git leaves.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    const LEFT: &[&str] = &[".git", "target", "node_modules", "__pycache__", "dist", "shared"];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() && !LEFT.contains(&name.as_str()) {
            files(&path, all);
        } else if path.is_file() {
            all.push(path);
        }
    }
}

#[test]
fn nothing_of_ours_is_fetched_by_its_name() {
    let mut all = Vec::new();
    files(&root(), &mut all);
    assert!(all.iter().any(|path| path.ends_with("plugin/.mcp.json")), "hidden files count too");
    let mut faults = Vec::new();
    for path in all.iter().filter(|path| !path.ends_with("tests/tidy/supply.rs")) {
        // Images are not text.
        let Ok(text) = fs::read_to_string(path) else { continue };
        let is_json = path.extension().is_some_and(|end| end == "json");
        let name = path.strip_prefix(root()).unwrap().display();
        faults.extend(fetched(&text, is_json).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "these names are not ours:\n{}", faults.join("\n"));
}

#[test]
fn a_name_that_is_fetched_is_found_in_every_form() {
    for bad in [
        "npx -y agon-debate mcp",
        "npm install @agon-debate/linux-x64",
        "`uvx --from agon-debate agon run`",
        "npm install --prefix \"$folder\" --silent \"agon-debate@$version\" >&2",
        "cd x && pip install 'agon-client>=0.1'",
        "cargo install --locked agon-core",
        "cargo binstall agon",
        "    uses: agon-debate/agon/ci@v0.1.0",
        "git clone --depth 1 https://github.com/agon-debate/agon /tmp/agon-ci",
        "claude plugin marketplace add agon-debate/agon",
        "image: agon:latest",
        "subprocess.run([\"npx\", \"-y\", \"agon-debate\"])",
    ] {
        assert_eq!(fetched(bad, false).len(), 1, "{bad}");
    }
    let manifest = "{\"command\": \"npx\",\n \"args\": [\n \"-y\",\n \"agon-debate\"]}";
    assert_eq!(fetched(manifest, true).len(), 1);
    for good in [
        "cargo install --locked --path crates/agon --features cluster",
        "npm install --global ./agon-debate-0.1.0.tgz",
        "pip install agon_debate-0.1.0-py3-none-manylinux*.whl",
        "claude mcp add agon -- agon mcp",
        "`pip install x`, then `agon run`",
        "uses: <owner>/agon@<commit>",
        "pip install ./clients/python",
    ] {
        assert_eq!(fetched(good, false), Vec::<String>::new(), "{good}");
    }
}

/// Actions of others are named by the commit that was read, since a tag can be moved; those of Forgejo by their version.
#[test]
fn actions_of_others_are_pinned() {
    let mut seen = 0;
    let ours = [".github/workflows/check.yml", ".github/workflows/release.yml"];
    for path in ["action.yml", "ci/workflow.yml", "ci/forgejo.yml"].into_iter().chain(ours) {
        let text = fs::read_to_string(root().join(path)).unwrap();
        for line in text.lines().filter_map(|line| line.split_once("uses: ")) {
            let (name, pin) = line.1.split_once('@').unwrap();
            let is_pinned = match pin.split_once(" # v") {
                Some((commit, version)) => {
                    commit.len() == 40
                        && commit.chars().all(|c| c.is_ascii_hexdigit())
                        && version.split('.').count() == 3
                }
                None => name == "<owner>/agon" || name.starts_with("https://data.forgejo.org/"),
            };
            assert!(is_pinned, "{path}: {}", line.1);
            seen += 1;
        }
    }
    assert_eq!(seen, 15);
}

/// The workflow of this repository names parts that `.ci/run` has, and a change is checked by all that need neither a model
/// nor an agent nor a cluster.
#[test]
fn the_workflow_of_a_change_runs_the_parts_of_the_check() {
    let listed = Command::new(root().join(".ci/run")).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let known: BTreeSet<&str> = listed.lines().collect();
    let text = fs::read_to_string(root().join(".github/workflows/check.yml")).unwrap();
    let lists = text.lines().filter_map(|line| line.trim().strip_prefix("parts: "));
    let run: BTreeSet<&str> = lists.flat_map(str::split_whitespace).collect();
    let weekly = BTreeSet::from(["models", "engine", "agents", "debates", "cluster"]);
    assert_eq!(&run | &weekly, known);
    assert!(run.is_disjoint(&weekly));
}
