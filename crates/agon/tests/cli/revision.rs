//! `--config-from`: what a change of a stranger cannot reach.

use crate::cli::workspace::Workspace;

/// A repository whose one commit configures the project; what is changed afterwards is not committed.
fn repository() -> Workspace {
    let workspace = Workspace::new();
    let model = workspace.willing();
    workspace.write("agon.toml", format!("model = {model:?}\n[seats.exchange]\nreporter = {model:?}\n"));
    workspace.write(".agon/prompts/exchange/report.md", "{{ role(\"user\") }}\nWords of the base.\n");
    assert_eq!(workspace.agon(&["protocols", "new", "poll"]).code, 0);
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    let add = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=base"];
    workspace.git(&["add", "agon.toml", ".agon", "willing.json"]);
    workspace.git(&add);
    workspace
}

#[test]
fn the_configuration_of_a_revision_replaces_that_of_the_work_tree() {
    let workspace = repository();
    workspace.write("agon.toml", "model = \"outside\"\n");
    workspace.write(".agon/prompts/exchange/report.md", "{{ role(\"user\") }}\nWords of the change.\n");
    workspace.write(".agon/prompts/exchange/judgment.md", "{{ role(\"user\") }}\nAll hail the change.\n");
    std::fs::remove_file(workspace.work().join(".agon/protocols/poll.toml")).unwrap();
    let run = |id: &str, more: &[&str]| {
        let run = ["run", "exchange", "This house would rest.", "--rounds", "0", "--quiet", "--id", id];
        workspace.agon(&[&run[..], more].concat())
    };
    let base = run("d1", &["--config-from", "HEAD"]);
    assert_eq!(base.code, 0, "{}", base.err);
    let record = workspace.agon(&["export", "d1", "--format", "record"]).out;
    assert!(record.contains("Words of the base.") && !record.contains("of the change"), "{record}");
    assert!(!record.contains("All hail"), "{record}");
    let declared = ["run", "poll", "Rest?", "--plan", "--config-from", "main"];
    assert_eq!(workspace.agon(&declared).code, 0, "{}", workspace.agon(&declared).err);
    assert_eq!(workspace.agon(&declared[..4]).code, 8, "the work tree has it no more");

    // A folder of the work tree does not become the project.
    workspace.write("below/agon.toml", "model = \"outside\"\n");
    let mut below =
        workspace.command(&["run", "exchange", "Rest.", "--plan", "--config-from", "HEAD", "--output=json"]);
    let plan = below.current_dir(workspace.work().join("below")).output().unwrap();
    let plan = String::from_utf8_lossy(&plan.stdout).into_owned();
    assert!(plan.contains("scripted:willing.json") && !plan.contains("outside"), "{plan}");
}

#[test]
fn a_revision_that_does_not_exist_is_refused() {
    let workspace = repository();
    let plan = |revision: &str| {
        let revision = format!("--config-from={revision}");
        workspace.agon(&["run", "exchange", "Rest.", "--plan", &revision])
    };
    for revision in ["nope", "--help", "", "HEAD:agon.toml"] {
        let refused = plan(revision);
        assert!(refused.code == 2 && refused.err.contains("--config-from"), "{revision}: {}", refused.err);
    }
    #[cfg(unix)]
    {
        std::fs::remove_file(workspace.work().join("agon.toml")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", workspace.work().join("agon.toml")).unwrap();
        workspace.git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "link"]);
        let refused = plan("HEAD");
        assert!(refused.code == 2 && refused.err.contains("link"), "{}", refused.err);
    }
    std::fs::remove_dir_all(workspace.work().join(".git")).unwrap();
    assert_eq!(plan("HEAD").code, 2, "outside of a repository");
}

#[test]
fn a_folder_of_the_change_that_is_a_repository_itself_is_not_asked() {
    let workspace = repository();
    workspace.git(&["tag", "base"]);
    workspace.write("agon.toml", "model = \"outside\"\n");
    workspace.git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "change"]);
    // The change brings a bare repository, in which `base` is the change.
    workspace.git(&["clone", "--quiet", "--bare", ".", "service"]);
    workspace.git(&["--git-dir=service", "update-ref", "refs/tags/base", "refs/heads/main"]);
    let in_service = |words: &[&str]| {
        let mut run = workspace.command(&[&["run", "exchange", "Rest.", "--plan"], words].concat());
        run.current_dir(workspace.work().join("service")).output().unwrap()
    };
    let model = workspace.willing();
    for words in [&["--config-from", "base"][..], &["--model", &model, "--context", "git:main"]] {
        let ran = in_service(words);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success() && said.contains("bare repository"), "{words:?}: {said}");
    }
}

#[test]
fn a_configuration_that_is_too_large_leaves_nothing_behind() {
    let workspace = repository();
    workspace.write(".agon/prompts/exchange/large.md", "x".repeat(17 << 20));
    workspace.git(&["add", ".agon"]);
    workspace.git(&["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "large"]);
    let ran = workspace.agon(&["run", "exchange", "Rest.", "--plan", "--config-from", "HEAD"]);
    assert!(ran.code != 0, "{}", ran.out);
    let left = std::fs::read_dir(workspace.home().join("revisions")).map(Iterator::count);
    assert_eq!(left.unwrap_or_default(), 0);
}
