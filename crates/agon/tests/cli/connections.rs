//! Where the program connects to, as the system sees it: with material and models on loopback to these alone, and
//! with `--local-only` nowhere. The tests need strace, and are skipped where it is missing or may not trace.

use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
};

use agon_mock::{MockConfig, MockServer};

use crate::cli::workspace::Workspace;

fn can_trace() -> bool {
    let mut probe = Command::new("strace");
    probe.args(["-f", "-e", "trace=connect", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    let traced = probe.status();
    let can = traced.is_ok_and(|status| status.success());
    if !can {
        println!("skipped: strace is missing, or may not trace");
    }
    can
}

/// The addresses, as `host:port`, that a command and what it starts connect or send to.
fn addresses(workspace: &Workspace, args: &[&str]) -> (i32, BTreeSet<String>, String) {
    let log = workspace.work().join("calls.log");
    let trace = ["-f", "-q", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", log.to_str().unwrap()];
    let agon = [&trace[..], &["--", env!("CARGO_BIN_EXE_agon")], args].concat();
    let done = workspace.program("strace", &agon).output().unwrap();
    let calls = std::fs::read_to_string(&log).unwrap();
    let found = calls.lines().filter(|line| line.contains("AF_INET")).map(address);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    (done.status.code().unwrap_or(-1), found.collect(), said)
}

/// The address in a line of strace.
fn address(line: &str) -> String {
    let between = |start: &str, end: char| Some(line.split_once(start)?.1.split(end).next()?.to_owned());
    let host = between("inet_addr(\"", '"').or_else(|| {
        let six = line.split_once("inet_pton(AF_INET6, \"")?.1;
        Some(six.split('"').next()?.to_owned())
    });
    let port = between("htons(", ')').unwrap_or_default();
    format!("{}:{port}", host.unwrap_or_else(|| line.to_owned()))
}

/// A repository with a change, and a folder of material.
fn repository() -> Workspace {
    let workspace = Workspace::new();
    let git = |args: &[&str]| {
        let set = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
        let done = Command::new("git").args(set).args(args).current_dir(workspace.work()).output().unwrap();
        assert!(done.status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    workspace.write("src/wait.rs", "fn wait(n: u32) -> u32 {\n    n * 2\n}\n");
    git(&["add", "src"]);
    git(&["commit", "-qm", "first"]);
    // Whoever would fetch or push has somewhere to go.
    git(&["remote", "add", "origin", "https://198.51.100.7/nowhere.git"]);
    workspace
}

#[test]
fn an_address_is_read_from_a_line() {
    for (line, wanted) in [
        (
            r#"7 connect(9, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0"#,
            "127.0.0.1:80",
        ),
        (
            r#"connect(9, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0"#,
            "::1:443",
        ),
    ] {
        assert_eq!(address(line), wanted);
    }
}

#[test]
fn material_goes_to_the_address_of_the_model_alone() {
    if !can_trace() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(MockServer::start(MockConfig::default())).unwrap();
    let workspace = repository();
    let url = server.url("/v1");
    let price = "price = { input = 0, output = 0 }";
    workspace.write("agon.toml", format!("[providers.lab]\nkind = \"openai\"\nbase_url = \"{url}\"\n{price}\n"));
    let run = ["run", "exchange", "This house would wait.", "--rounds", "0", "--context", "src"];
    let more = ["--context", "git:HEAD", "--model", "lab:mock", "--id", "d1", "--out", "d"];
    let (code, found, said) = addresses(&workspace, &[&run[..], &more].concat());
    assert_eq!(code, 0, "{said}");
    let place = url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    assert_eq!(found, BTreeSet::from([place]));
}

#[test]
fn with_local_only_nothing_is_connected_to() {
    if !can_trace() {
        return;
    }
    let workspace = repository();
    let model = workspace.willing();
    let exchange = ["run", "exchange", "This house would wait.", "--rounds", "0"];
    let review = ["run", "review"];
    let local = ["--context", "src", "--context", "git:HEAD", "--local-only", "--model", &model];
    for (kind, id) in [(&exchange[..], "d1"), (&review[..], "d2")] {
        let (code, found, said) = addresses(&workspace, &[kind, &local, &["--id", id, "--out", id]].concat());
        assert!(code == 0 && found.is_empty(), "{id}: exit {code}, {found:?}\n{said}");
    }
    // What would leave is refused before anything is looked up.
    let page = ["--context", "https://198.51.100.7/page", "--local-only", "--model", &model];
    let away = ["--context", "src", "--local-only", "--model", "openai:gpt-5"];
    for refused in [&page[..], &away] {
        let (code, found, said) = addresses(&workspace, &[&exchange[..], refused].concat());
        assert!(code == 2 && found.is_empty(), "{refused:?}: exit {code}, {found:?}\n{said}");
        assert!(said.contains("--local-only"), "{said}");
    }
    // Proposing a debate looks at names and at git.
    let (code, found, said) =
        addresses(&workspace, &["ask", "review src/", "--plan", "--local-only", "--model", &model]);
    assert!(code == 0 && found.is_empty(), "exit {code}, {found:?}\n{said}");
}
