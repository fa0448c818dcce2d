//! `scripts/setup` names and installs what each system calls the tools of the build.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use crate::tidy::root;

/// A system: its kernel's name, its package manager, and what must be asked of it.
const SYSTEMS: [(&str, &str, &str); 5] = [
    ("Linux", "apt-get", "install -y -qq --no-install-recommends gcc libc6-dev make python3 python3-pip npm"),
    ("Linux", "dnf", "install -y -q gcc make python3 python3-pip nodejs-npm"),
    ("Linux", "pacman", "-S --needed --noconfirm gcc make python python-pip npm"),
    ("Linux", "apk", "add --quiet gcc musl-dev make python3 py3-pip npm"),
    ("Darwin", "brew", "install llvm make python node"),
];

/// Programs that the script itself uses; nothing else is in the path.
const OWN: [&str; 2] = ["bash", "grep"];

fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the script on a machine that has nothing but a package manager: its exit code, what it said, and
/// with which words the manager was called.
fn set_up(kernel: &str, manager: Option<&str>, user: &str) -> (Option<i32>, String, String) {
    let workspace = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for name in OWN {
        let real = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.exists());
        std::os::unix::fs::symlink(real.unwrap(), workspace.path().join(name)).unwrap();
    }
    let called = workspace.path().join("called");
    program(workspace.path(), "uname", &format!("echo {kernel}"));
    program(workspace.path(), "cargo", "exit 0");
    program(workspace.path(), "id", &format!("echo {user}"));
    if let Some(manager) = manager {
        program(workspace.path(), manager, &format!("echo \"$*\" >>{}", called.display()));
    }
    let output = Command::new(workspace.path().join("bash"))
        .arg(root().join("scripts/setup"))
        .env("PATH", workspace.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), said, fs::read_to_string(called).unwrap_or_default())
}

#[test]
fn what_is_missing_is_installed_by_the_systems_own_manager() {
    for (kernel, manager, words) in SYSTEMS {
        let (code, said, called) = set_up(kernel, Some(manager), "0");
        assert_eq!(code, Some(0), "{manager}: {said}");
        let last = called.lines().last().unwrap_or_default();
        assert!(last.starts_with(words), "{manager}: {called}");
    }
}

#[test]
fn who_may_not_install_is_told_what_to_install() {
    let (code, said, called) = set_up("Linux", Some("dnf"), "1000");
    assert_eq!((code, called.as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("as root: dnf install -y -q gcc make"), "{said}");

    let (code, said, _) = set_up("Darwin", None, "1000");
    assert_eq!(code, Some(1));
    assert!(said.contains("missing: cc") && said.contains("xcode-select --install"), "{said}");

    let (code, said, _) = set_up("MINGW64_NT-10.0", None, "1000");
    assert_eq!(code, Some(1));
    assert!(said.contains("WSL"), "{said}");
}
