//! `agon cluster` where programs of others are missing or fail; scripts/check-cluster starts real ones.

use crate::cli::workspace::{Ran, Workspace};

fn up(workspace: &Workspace, more: &[&str]) -> Ran {
    let mut command = workspace.command(&[&["cluster", "up", "c", "--output", "json"], more].concat());
    let output = command.env("PATH", "/nowhere").output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_cluster_that_does_not_start_says_why_and_leaves_nothing() {
    let workspace = Workspace::new();
    for more in [&[][..], &["--detach"]] {
        let ran = up(&workspace, more);
        assert_eq!(ran.code, 3, "{more:?}: {}", ran.err);
        assert!(ran.err.contains("npm install @restatedev/restate-server"), "{more:?}: {}", ran.err);
    }
    // A server that ends at once, with an address in place of an own Postgres.
    let server = workspace.write("server", "#!/bin/sh\necho no room left >&2\nexit 4\n");
    #[cfg(unix)]
    std::fs::set_permissions(&server, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let server = server.display().to_string();
    let given = ["--restate-server", server.as_str(), "--journal"];
    for more in [&[][..], &["--detach"]] {
        let ran = up(&workspace, &[&given[..], &["postgres://ann@127.0.0.1/team"], more].concat());
        assert_eq!(ran.code, 3, "{more:?}: {}", ran.err);
        assert!(ran.err.contains("no room left") && ran.err.contains("restate.log"), "{more:?}: {}", ran.err);
    }
    let ran = up(&workspace, &[&given[..], &["a-folder"]].concat());
    assert_eq!((ran.code, ran.err.contains("--journal")), (2, true), "{}", ran.err);

    let ran = workspace.agon(&["cluster", "status", "c"]);
    assert_eq!((ran.code, ran.err.contains("agon cluster up")), (8, true), "{}", ran.err);
    assert_eq!(workspace.json(&["cluster", "down", "c"])["ended"], false);
    assert_eq!(workspace.json(&["cluster", "down", "never"])["ended"], false);
    assert!(!workspace.work().join("never").exists());
}
