//! A place of its own for one test: data, configuration and working folder.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

pub struct Workspace {
    folder: tempfile::TempDir,
    /// The address of a database that keeps the journal, in place of the data directory.
    pub journal: Option<String>,
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Workspace {
    pub fn new() -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap(), journal: None };
        std::fs::create_dir(workspace.work()).unwrap();
        workspace
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.work().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A script that answers everything by its schema.
    pub fn willing(&self) -> String {
        self.write("willing.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
        "scripted:willing.json".into()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_agon"), args)
    }

    /// Git in the working folder, with an author of its own; it must succeed.
    pub fn git(&self, args: &[&str]) {
        let set = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
        let ran = Command::new("git").args(set).args(args).current_dir(self.work()).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Any program, with the environment of this room.
    pub fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("AGON_HOME", self.home())
            .env("AGON_TRUST", self.work())
            // The embedded model is not there: a test must not fetch a gigabyte.
            .env("AGON_ENGINE", self.folder.path().join("no-engine"))
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .envs(self.journal.iter().map(|address| ("AGON_JOURNAL", address)));
        command
    }

    pub fn agon(&self, args: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        Ran {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }

    /// A debate called `d1` with its files in `d`, that must succeed; everybody is willing unless
    /// `more` says otherwise.
    pub fn debate(&self, more: &[&str]) -> Ran {
        let model = self.willing();
        let ran = self.run_debate(&[&["--model", &model], more].concat());
        assert_eq!(ran.code, 0, "{more:?}: {}", ran.err);
        ran
    }

    /// A debate called `d1` with its files in `d`, by models that `more` names.
    pub fn run_debate(&self, more: &[&str]) -> Ran {
        let run = ["run", "exchange", "This house would rest.", "--id", "d1", "--out", "d"];
        self.agon(&[&run, more].concat())
    }

    /// Runs a command that must succeed with one JSON value on standard output.
    pub fn json(&self, args: &[&str]) -> Value {
        let ran = self.agon(&[args, &["--output", "json"]].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.out))
    }

    /// Every file below a folder, with its content, sorted.
    pub fn files(&self, below: &str) -> Vec<(String, String)> {
        fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(root, &path, files);
                } else {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    files.push((name, std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let root = self.work().join(below);
        let mut files = Vec::new();
        walk(&root, &root, &mut files);
        files.sort();
        files
    }
}
