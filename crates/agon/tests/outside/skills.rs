//! Skills: installed, updated, and never taken from somebody who changed them.

use std::{os::unix::fs::PermissionsExt, process::Command};

use crate::outside::workspace::Workspace;

const SKILL: &str = ".claude/skills/agon-exchange/SKILL.md";

fn states(workspace: &Workspace, args: &[&str]) -> Vec<String> {
    let listed = workspace.json(&[&["skills"], args].concat());
    listed.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_skill_is_installed_listed_and_removed() {
    let workspace = Workspace::new();
    assert!(states(&workspace, &["list"]).iter().all(|state| state == "not installed"));
    assert_eq!(workspace.agon(&["skills", "install"]).code, 0);
    let text = workspace.read(SKILL);
    assert!(text.contains("agon run exchange") && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
    assert!(states(&workspace, &["install"]).iter().all(|state| state == "already installed"));
    assert_eq!(states(&workspace, &["list"])[0], "installed");
    assert_eq!(workspace.agon(&["skills", "remove"]).code, 0);
    assert!(!workspace.work().join(".claude/skills/agon-exchange").exists());
}

#[test]
fn what_somebody_changed_is_theirs() {
    let workspace = Workspace::new();
    workspace.agon(&["skills", "install"]);
    let changed = workspace.read(SKILL).replace("Hold a debate", "Hold my debate");
    workspace.write(SKILL, &changed);
    workspace.write(".claude/skills/agon-exchange/notes.md", "mine");
    let ran = workspace.agon(&["skills", "install"]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert_eq!(workspace.read(SKILL), changed);
    assert_eq!(workspace.agon(&["skills", "remove"]).code, 5);
    assert_eq!(workspace.read(SKILL), changed);
    assert_eq!(workspace.agon(&["skills", "install", "--force"]).code, 0);
    assert!(!workspace.read(SKILL).contains("Hold my debate"));
    assert_eq!(workspace.agon(&["skills", "remove"]).code, 0);
    assert_eq!(workspace.read(".claude/skills/agon-exchange/notes.md"), "mine");

    // Somebody else's skill of that name is not ours to remove, whatever is asked.
    workspace.write(SKILL, "---\nname: agon-exchange\n---\nmine\n");
    assert_eq!(workspace.agon(&["skills", "install"]).code, 5);
    assert_eq!(workspace.agon(&["skills", "remove", "--force"]).code, 0);
    assert!(workspace.read(SKILL).contains("mine"));
}

#[test]
fn each_host_has_its_place() {
    let workspace = Workspace::new();
    for (host, project, user) in [
        ("claude-code", ".claude/skills", ".claude/skills"),
        ("codex", ".agents/skills", ".agents/skills"),
        ("gemini", ".gemini/skills", ".gemini/skills"),
        ("opencode", ".opencode/skills", ".config/opencode/skills"),
        ("gh-copilot", ".github/skills", ".copilot/skills"),
        ("amp", ".agents/skills", ".config/agents/skills"),
    ] {
        assert_eq!(workspace.agon(&["skills", "install", "--host", host]).code, 0, "{host}");
        assert!(workspace.work().join(project).join("agon-exchange/SKILL.md").is_file(), "{host}");
        assert_eq!(workspace.agon(&["skills", "install", "--host", host, "--user"]).code, 0, "{host}");
        let home = workspace.work().parent().unwrap().join(user);
        assert!(home.join("agon-exchange/SKILL.md").is_file(), "{host}");
    }
}

#[test]
fn small_programs_pass_everything_on() {
    let workspace = Workspace::new();
    assert_eq!(workspace.agon(&["skills", "install", "--shims"]).code, 0);
    let agon = workspace.write("bin/agon", "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n");
    std::fs::set_permissions(agon, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", workspace.work().join("bin").display(), std::env::var("PATH").unwrap());
    for (program, passed) in
        [("rp1", "a b|--c|"), ("write-log.sh", "write-log|a b|--c|"), ("debate_ops", "debate-ops|a b|--c|")]
    {
        let shim = workspace.work().join(".agon/bin").join(program);
        let ran = Command::new(shim).args(["a b", "--c"]).env("PATH", &path).output().unwrap();
        assert_eq!((ran.status.code(), String::from_utf8(ran.stdout).unwrap().as_str()), (Some(7), passed));
    }
    assert_eq!(workspace.agon(&["skills", "remove"]).code, 0);
    assert!(!workspace.work().join(".agon/bin/rp1").exists());
}
