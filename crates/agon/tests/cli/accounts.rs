//! `agon users` and `agon serve --accounts` as processes.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use agon_journal::{
    Journal,
    accounts::{AuditFilter, AuditLine},
};
use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

fn sent(address: &str, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn list_audit_lines(workspace: &Workspace, filter: AuditFilter) -> Vec<AuditLine> {
    Journal::open(&workspace.home()).unwrap().list_audit_lines(&filter, 100).unwrap()
}

#[test]
fn people_are_added_and_serve_has_accounts() {
    let workspace = Workspace::new();
    let none = workspace.agon(&["serve", "--accounts", "--listen", "127.0.0.1:0"]);
    assert_eq!(none.code, 2, "{}", none.err);
    assert!(none.err.contains("agon users add"), "{}", none.err);
    let ada = workspace.json(&["users", "add", "Ada", "--administrator"]);
    assert_eq!(ada["password"].as_str().unwrap().len(), 24);
    let password = workspace.write("password", "a long password of bob\nmore");
    let file = password.to_str().unwrap();
    let bob = workspace.json(&["users", "add", "bob", "--name", "Bob B.", "--password-file", file]);
    assert_eq!(bob["password"], Value::Null);
    for (args, code) in [
        (vec!["users", "add", "ada"], 5),
        (vec!["users", "add", "-x y"], 2),
        (vec!["users", "add", "eve", "--subject", "7"], 2),
        (vec!["users", "role", "bob", "nodebate", "judge"], 8),
        (vec!["users", "role", "nobody", "d1", "judge"], 8),
        (vec!["users", "disable", "ada"], 5),
        (vec!["users", "delete", "ada"], 5),
        (vec!["users", "token", "bob", "--name", "x", "--scopes", "all"], 2),
        (vec!["users", "quota", "bob", "--max-cost", "NaN"], 2),
        (vec!["users", "invite", "nobody"], 8),
        (vec!["users", "invite", "bob", "--days", "31"], 2),
        (vec!["serve", "--accounts", "--read-without-token"], 2),
    ] {
        let ran = workspace.agon(&args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
    }
    let invited = workspace.json(&["users", "invite", "bob", "--days", "2"]);
    let code = invited["secret"].as_str().unwrap();
    assert!(invited["link"] == format!("/invitation?code={code}") && code.starts_with("agon_invitation_"));
    workspace.debate(&[]);
    assert_eq!(workspace.agon(&["users", "role", "bob", "d1", "king"]).code, 2);
    workspace.json(&["users", "role", "bob", "d1", "viewer"]);
    let token = workspace.json(&["users", "token", "bob", "--name", "ci", "--scopes", "read"]);
    let token = token["secret"].as_str().unwrap();

    let mut child =
        workspace.command(&["serve", "--accounts", "--listen", "127.0.0.1:0", "--output", "json"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    assert!(!said["url"].as_str().unwrap().contains("token="), "{said}");
    let address = said["listening"].as_str().unwrap();
    assert_eq!(sent(address, "GET", "/api/v1/debates/d1", token, "").0, 200);
    let claim = json!({"name": "bob", "why": ""}).to_string();
    assert_eq!(sent(address, "POST", "/api/v1/debates/d1/cancel", token, &claim).0, 403);
    let followed = sent(address, "GET", &format!("/invitation?code={code}"), token, "");
    assert!(followed.0 == 200, "{followed:?}");
    // What the command line takes back counts at once.
    workspace.json(&["users", "role", "bob", "d1", "viewer", "--revoke"]);
    assert_eq!(sent(address, "GET", "/api/v1/debates/d1", token, "").0, 404);
    workspace.json(&["users", "disable", "bob"]);
    assert_eq!(sent(address, "GET", "/api/v1/debates", token, "").0, 401);
    child.kill().unwrap();
    child.wait().unwrap();

    let lines = list_audit_lines(&workspace, AuditFilter::default());
    for action in ["add_account", "cancel", "disable_account"] {
        assert!(lines.iter().any(|line| line.action == action), "{action}: {lines:?}");
    }
    workspace.json(&["users", "delete", "bob"]);
    let listed = workspace.agon(&["users"]).out;
    assert!(listed.contains("ada") && listed.contains("(deleted account)") && !listed.contains("Bob B."), "{listed}");
}

/// A debate with a companion over a server with accounts and quotas.
#[test]
fn a_companion_belongs_to_who_started_its_debate() {
    let workspace = Workspace::new();
    workspace.json(&["users", "add", "ada", "--administrator"]);
    workspace.json(&["users", "add", "bob"]);
    workspace.json(&["users", "quota", "bob", "--max-cost", "2"]);
    let token = workspace.json(&["users", "token", "bob", "--name", "ci", "--scopes", "run"]);
    let token = token["secret"].as_str().unwrap();
    let model = workspace.willing();
    let words = ["serve", "--accounts", "--allow-model-files", "--listen", "127.0.0.1:0", "--output", "json"];
    let mut child = workspace.command(&words).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let address = said["listening"].as_str().unwrap();
    let opening = json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": "d2",
        "rounds": 0, "baseline": true, "max_cost": 0.5});
    let (status, said) = sent(address, "POST", "/api/v1/debates", token, &opening.to_string());
    assert_eq!(status, 201, "{said}");
    let started: Value = serde_json::from_str(&said).unwrap();
    // The end of the id is bob's own.
    let id = started["id"].as_str().unwrap();
    assert!(id.starts_with("d2-"), "{id}");
    let baseline = format!("{id}-baseline");
    let since = std::time::Instant::now();
    loop {
        let (status, said) = sent(address, "GET", &format!("/api/v1/debates/{baseline}"), token, "");
        if status == 200 && said.contains("\"closed\":true") {
            break;
        }
        assert!(since.elapsed().as_secs() < 60, "{status} {said}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let opened = workspace.json(&["show", &baseline])["opened"].clone();
    assert_eq!(opened["limits"]["cost_microusd_max"], 500_000);
    let db = rusqlite::Connection::open(workspace.home().join("journal.db")).unwrap();
    let sql = "SELECT count(*) FROM debate_starts s JOIN principals p ON p.id = s.principal
        WHERE p.login = 'bob' AND s.debate IN (?1, ?2)";
    assert_eq!(db.query_row(sql, (id, &baseline), |row| row.get::<_, i64>(0)).unwrap(), 2, "both count");
    let lines = list_audit_lines(&workspace, AuditFilter { debate: Some(baseline), ..AuditFilter::default() });
    assert_eq!((lines[0].action.as_str(), lines[0].via.as_str()), ("grant_role", "companion"));
}
