//! Health, readiness, request ids, limits, logs and the end of a server.

use std::{
    io::Read,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::operate::{served::Served, workspace::Workspace};

fn with_log(workspace: &Workspace, more: &[&str]) -> Command {
    let args = ["serve", "--listen", "127.0.0.1:0", "--output", "json", "--allow-model-files"];
    let mut command = workspace.command(&[&args, more].concat());
    command.env("AGON_LOG", "agon=info,agon_server=debug,agon_app=info").env("AGON_LOG_FORMAT", "json");
    command
}

fn terminate(served: &Served) {
    assert!(Command::new("kill").args(["-TERM", &served.child.id().to_string()]).status().unwrap().success());
}

#[test]
fn readiness_ends_first_and_debates_stop_resumably() {
    let workspace = Workspace::new();
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    let mut served = Served::from_command(with_log(&workspace, &["--drain-seconds", "2"]));
    // Neither needs a token or a host name.
    let anonymous = |path: &str| {
        let mut stream = std::net::TcpStream::connect(&served.address).unwrap();
        use std::io::Write;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: balancer.internal\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), serde_json::from_str::<Value>(body).unwrap())
    };
    assert_eq!(anonymous("/healthz"), ("200".into(), json!({"alive": true})));
    let (status, ready) = anonymous("/readyz");
    assert_eq!((status.as_str(), &ready["ready"]), ("200", &json!(true)), "{ready}");
    let opening =
        json!({"protocol": "exchange", "motion": "This house would rest.", "model": "scripted:slow.json", "id": "d1"});
    assert_eq!(served.start(opening).0, 201);
    let (head, _) = served.exchange("GET", "/api/v1/debates", "X-Request-Id: check-1\r\n", "");
    assert!(head.contains("x-request-id: check-1"), "{head}");
    let (head, _) = served.exchange("GET", "/api/v1/debates", "X-Request-Id: a b\r\n", "");
    let own = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap();
    assert_eq!(own.len(), 36, "{head}");
    terminate(&served);
    let since = Instant::now();
    std::thread::sleep(Duration::from_millis(500));
    let (status, ready) = anonymous("/readyz");
    assert_eq!((status.as_str(), &ready["draining"]), ("503", &json!(true)), "{ready}");
    assert_eq!(anonymous("/healthz").0, "200");
    let code = served.child.wait().unwrap().code();
    assert_eq!(code, Some(0));
    println!("ended {:?} after the signal", since.elapsed());
    assert!(since.elapsed() < Duration::from_secs(12), "{:?}", since.elapsed());
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of_request = lines.iter().find(|line| line["span"]["id"] == "check-1");
    assert!(of_request.is_some_and(|line| line["fields"]["path"] == "/api/v1/debates"), "{log}");
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let resumed = workspace.agon(&["resume", "d1"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
}

#[test]
fn a_journal_that_cannot_be_used_is_not_ready() {
    let workspace = Workspace::new();
    let served = Served::new(&workspace, &[]);
    assert_eq!(served.send("GET", "/readyz", "").0, 200);
    let db = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    // Another program holds the journal.
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::sleep(Duration::from_millis(1_100));
    let (status, said) = served.send("GET", "/readyz", "");
    assert_eq!(status, 503, "{said}");
    assert!(
        said.contains("\"journal_write\":\"no answer in time\"") && said.contains("\"journal_read\":\"ok\""),
        "{said}"
    );
    assert_eq!(served.send("GET", "/healthz", "").0, 200);
    db.execute_batch("ROLLBACK; PRAGMA user_version = 99").unwrap();
    std::thread::sleep(Duration::from_millis(1_100));
    let (status, said) = served.send("GET", "/readyz", "");
    assert!(status == 503 && said.contains("another version"), "{said}");
}

#[test]
fn who_asks_too_often_is_told_when_to_ask_again() {
    let workspace = Workspace::new();
    let served = Served::new(&workspace, &["--rate-factor", "0.1"]);
    let mut refused = None;
    for at in 0..60 {
        let (head, body) = served.exchange("POST", "/api/v1/plans", "", "{}");
        if head.contains(" 429 ") {
            refused = Some((at, head, body));
            break;
        }
    }
    let (at, head, body) = refused.expect("a tenth of the table is passed");
    assert!((6..30).contains(&at), "after {at}");
    let wait: u64 = head.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait) && body.contains("rate_limited"), "{head} {body}");
    assert_eq!(served.send("GET", "/api/v1/debates", "").0, 200, "other routes count by themselves");
    let (head, _) = served.exchange("POST", "/api/v1/plans", "Content-Length: 3000000\r\n", "");
    assert!(head.contains(" 400 ") || head.contains(" 413 "), "{head}");
    assert_eq!(workspace.agon(&["serve", "--rate-factor", "-1"]).code, 2);
}

#[test]
fn an_unknown_format_of_logs_is_refused() {
    let workspace = Workspace::new();
    let output = workspace.command(&["list"]).env("AGON_LOG_FORMAT", "xml").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
