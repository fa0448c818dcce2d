//! Webhooks against a receiver that fails, hangs and redirects.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::operate::{served::Served, workspace::Workspace};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

/// One request as it arrived.
#[derive(Debug, Clone)]
struct Received {
    path: String,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Received {
    fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }
}

/// A receiver that answers the request number N to a path as `answer` says.
struct Receiver {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    fn new(answer: impl Fn(&str, usize) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&received), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream.unwrap(), &kept, &*answer));
            }
        });
        Self { address, received }
    }

    fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    fn wait_for(&self, fits: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        let since = Instant::now();
        loop {
            let all = self.all();
            if fits(&all) {
                return all;
            }
            assert!(since.elapsed() < Duration::from_secs(30), "{all:#?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn serve(stream: TcpStream, kept: &Mutex<Vec<Received>>, answer: &dyn Fn(&str, usize) -> String) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let number = {
        let mut kept = kept.lock().unwrap();
        kept.push(Received { path: path.clone(), headers, body: String::from_utf8(body).unwrap() });
        kept.iter().filter(|received| received.path == path).count()
    };
    let answer = answer(&path, number);
    if answer == "hang" {
        std::thread::sleep(Duration::from_secs(60));
    }
    let _ = (&stream).write_all(answer.as_bytes());
}

fn status(code: &str, more: &str) -> String {
    format!("HTTP/1.1 {code}\r\n{more}content-length: 0\r\nconnection: close\r\n\r\n")
}

fn configure(workspace: &Workspace, text: &str) {
    let config = workspace.work().join("../config/agon/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, text).unwrap();
}

fn with_secret(workspace: &Workspace, args: &[&str]) -> Command {
    let mut command = workspace.command(args);
    command.env("HOOK_SECRET", SECRET).env("AGON_LOG", "debug");
    command
}

fn serving(workspace: &Workspace) -> Served {
    let args = ["serve", "--listen", "127.0.0.1:0", "--output", "json", "--allow-model-files"];
    let mut command = with_secret(workspace, &args);
    command.stderr(std::fs::File::create(workspace.work().join("serve.log")).unwrap());
    Served::from_command(command)
}

fn json_of(workspace: &Workspace, args: &[&str]) -> Value {
    let output = with_secret(workspace, &[args, &["--output", "json"]].concat()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn each_event_is_signed_and_arrives_under_one_id_whatever_the_receiver_does() {
    each_event_arrives(Workspace::new());
}

#[test]
fn each_event_of_a_database_is_signed_and_arrives_under_one_id() {
    Workspace::in_database("events").into_iter().for_each(each_event_arrives);
}

fn each_event_arrives(workspace: Workspace) {
    let model = workspace.willing();
    let receiver = Receiver::new(|path, number| match (path, number) {
        ("/fails", 1) => status("500 Internal Server Error", ""),
        ("/fails", 2) => status("503 Service Unavailable", "retry-after: 1\r\n"),
        ("/redirects", _) => status("302 Found", "location: /elsewhere\r\n"),
        ("/gone", _) => status("410 Gone", ""),
        _ => status("204 No Content", ""),
    });
    let hook = |name: &str, events: &str| {
        format!(
            "[webhooks.{name}]\nurl = \"http://{}/{name}\"\nsecret_env = \"HOOK_SECRET\"\nevents = [{events}]\nallow_private = true\nretry_seconds = 0.1\nattempts = 3\n",
            receiver.address
        )
    };
    let refused = format!(
        "{}[webhooks.inside]\nurl = \"http://127.0.0.1/\"\nsecret_env = \"HOOK_SECRET\"\nevents = [\"closed\"]\nattempts = 3\n",
        hook("fails", "\"closed\"")
    );
    configure(
        &workspace,
        &[
            refused,
            hook("redirects", "\"closed\""),
            hook("gone", "\"closed\""),
            hook("turns", "\"turn\", \"seat_open\", \"closed\""),
        ]
        .concat(),
    );
    // What happened before the webhooks were known is not told.
    let model_args =
        ["run", "exchange", "This house would rest.", "--model", &model, "--id", "before", "--rounds", "0"];
    assert_eq!(workspace.agon(&model_args).code, 0);
    assert_eq!(workspace.agon(&["serve"]).code, 2, "without its secret nothing starts");
    let served = serving(&workspace);
    let opening = json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": "d1", "rounds": 0,
        "seats": {"judge": "outside"}});
    assert_eq!(served.start(opening).0, 201);
    let told = receiver.wait_for(|all| all.iter().any(|got| got.value()["type"] == "debate.seat_open"));
    let seat = told.iter().find(|got| got.value()["type"] == "debate.seat_open").unwrap().value();
    assert_eq!((&seat["data"]["seat"], &seat["data"]["debate"]), (&json!("judge"), &json!("d1")));
    // The other debate is run by another process, and told all the same.
    let other = ["run", "exchange", "This house would run.", "--model", &model, "--id", "d2", "--rounds", "0"];
    assert_eq!(workspace.agon(&other).code, 0);
    let at = |all: &[Received], path: &str| all.iter().filter(|got| got.path == path).cloned().collect::<Vec<_>>();
    let all = receiver.wait_for(|all| {
        at(all, "/fails").len() >= 3
            && at(all, "/redirects").len() >= 3
            && !at(all, "/gone").is_empty()
            && at(all, "/turns").iter().any(|got| got.value()["type"] == "debate.closed")
    });
    let fails = at(&all, "/fails");
    assert!(fails.iter().all(|got| got.id() == fails[0].id() && got.body == fails[0].body), "one id: {fails:#?}");
    assert_eq!(
        (&fails[0].value()["type"], &fails[0].value()["data"]["debate"]),
        (&json!("debate.closed"), &json!("d2"))
    );
    assert!(at(&all, "/elsewhere").is_empty(), "no redirect is followed");
    assert!(all.iter().all(|got| got.value()["data"]["debate"] != "before"));
    let ids: std::collections::BTreeSet<_> = at(&all, "/turns").iter().map(|got| got.id().to_owned()).collect();
    assert_eq!(ids.len(), at(&all, "/turns").len(), "each event once");
    for got in &all {
        let signed = by_python(&format!("{}.{}.{}", got.id(), got.headers["webhook-timestamp"], got.body));
        assert_eq!(got.headers["webhook-signature"], format!("v1,{signed}"));
        assert!(!got.body.contains("would run") && !got.body.contains("text"), "no words: {}", got.body);
    }
    std::thread::sleep(Duration::from_millis(1_500));
    let state = |name: &str| json_of(&workspace, &["webhooks", "deliveries", name])[0].clone();
    let (inside, redirects, gone, fails) = (state("inside"), state("redirects"), state("gone"), state("fails"));
    assert_eq!((&inside["state"], &inside["error"]), (&json!("failed"), &json!("not sent: a private address")));
    assert_eq!(
        (&redirects["state"], &redirects["attempts"], &redirects["status"]),
        (&json!("failed"), &json!(3), &json!(302))
    );
    assert_eq!((&gone["state"], &gone["attempts"]), (&json!("failed"), &json!(1)));
    assert_eq!((&fails["state"], &fails["attempts"]), (&json!("delivered"), &json!(3)));
    // By hand, under the same id.
    let id = gone["id"].as_str().unwrap();
    assert_eq!(with_secret(&workspace, &["webhooks", "redeliver", id]).output().unwrap().status.code(), Some(7));
    assert_eq!(at(&receiver.all(), "/gone").iter().filter(|got| got.id() == id).count(), 2);
    assert_eq!(json_of(&workspace, &["webhooks", "test", "turns"])["state"], "delivered");
    let listed = json_of(&workspace, &["webhooks"]);
    assert!(listed.to_string().contains("\"pending\":0") && !listed.to_string().contains("/turns"), "{listed}");
    println!("{} requests received, {} messages to /turns, each under one id", receiver.all().len(), ids.len());
    drop(served);
    let log = workspace.read("serve.log");
    let secret = SECRET.strip_prefix("whsec_").unwrap();
    assert!(log.contains("webhook") && !log.contains(secret) && !log.contains("/turns"), "{log}");
}

#[test]
fn a_receiver_that_hangs_holds_up_nobody_and_its_message_survives_the_server() {
    messages_survive(Workspace::new());
}

#[test]
fn messages_of_a_database_survive_the_server() {
    Workspace::in_database("messages").into_iter().for_each(messages_survive);
}

fn messages_survive(workspace: Workspace) {
    let model = workspace.willing();
    let receiver = Receiver::new(|path, number| match (path, number) {
        ("/hangs", 1) => "hang".into(),
        _ => status("200 OK", ""),
    });
    let hook = |name: &str| {
        format!(
            "[webhooks.{name}]\nurl = \"http://{}/{name}\"\nsecret_env = \"HOOK_SECRET\"\nevents = [\"closed\", \"suspended\"]\nallow_private = true\nretry_seconds = 0.1\n",
            receiver.address
        )
    };
    configure(&workspace, &[hook("hangs"), hook("well")].concat());
    let mut served = serving(&workspace);
    let opening = |id: &str, model: &str| json!({"protocol": "exchange", "motion": "This house would rest.", "model": model, "id": id, "rounds": 0});
    assert_eq!(served.start(opening("d1", &model)).0, 201);
    receiver.wait_for(|all| all.iter().any(|got| got.path == "/well") && all.iter().any(|got| got.path == "/hangs"));
    // The server is told to end while a debate runs and a delivery hangs.
    workspace.write("slow.json", r#"{"rules": [{"key": "*", "sample": true, "delay_ms": 20000}]}"#);
    assert_eq!(served.start(opening("d2", "scripted:slow.json")).0, 201);
    let since = Instant::now();
    Command::new("kill").args(["-TERM", &served.child.id().to_string()]).status().unwrap();
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    assert!(since.elapsed() < Duration::from_secs(12), "{:?}", since.elapsed());
    let pending: Vec<Value> = json_of(&workspace, &["webhooks", "deliveries"]).as_array().unwrap().to_vec();
    let suspended: Vec<&Value> = pending.iter().filter(|line| line["event"] == "suspended").collect();
    assert_eq!(suspended.len(), 2, "stored before it is sent: {pending:#?}");
    assert!(suspended.iter().all(|line| line["debate"] == "d2"));
    let served = serving(&workspace);
    receiver.wait_for(|all| all.iter().any(|got| got.path == "/well" && got.value()["type"] == "debate.suspended"));
    drop(served);
}

/// HMAC-SHA256 in base64, by another program.
fn by_python(text: &str) -> String {
    let script = "import sys,hmac,hashlib,base64\nkey=base64.b64decode(sys.argv[1])\nprint(base64.b64encode(hmac.new(key,sys.argv[2].encode(),hashlib.sha256).digest()).decode())";
    let secret = SECRET.strip_prefix("whsec_").unwrap();
    let output = Command::new("python3").args(["-c", script, secret, text]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
