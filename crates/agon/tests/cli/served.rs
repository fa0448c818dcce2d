//! `agon serve` as a process of its own, and a client as plain as can be.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdout},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::cli::workspace::Workspace;

/// A server of its own, ended with the test.
pub struct Served {
    pub child: Child,
    _out: BufReader<ChildStdout>,
    pub address: String,
    token: String,
}

impl Served {
    /// A server whose clients may seat scripts.
    pub fn new(workspace: &Workspace, more: &[&str]) -> Self {
        Self::as_shipped(workspace, &[&["--allow-model-files"], more].concat())
    }

    pub fn as_shipped(workspace: &Workspace, more: &[&str]) -> Self {
        let args = [&["serve", "--listen", "127.0.0.1:0", "--output", "json"], more].concat();
        Self::from_command(workspace.command(&args))
    }

    /// The server that `command` starts, which says as JSON where it listens.
    pub fn from_command(mut command: std::process::Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["listening"].as_str().unwrap().to_owned();
        let token = said["url"].as_str().unwrap().split_once("token=").unwrap().1.to_owned();
        Self { child, _out: out, address, token }
    }

    pub fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let (head, body) = self.exchange(method, path, "", body);
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
    }

    /// The head and the body of an answer; `more` are further lines of the request's head.
    pub fn exchange(&self, method: &str, path: &str, more: &str, body: &str) -> (String, String) {
        let Self { address, token, .. } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// What an endless stream says until `until` stands in it.
    #[allow(dead_code)] // Not by every test program.
    pub fn stream(&self, path: &str, until: &str) -> String {
        let Self { address, token, .. } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n").unwrap();
        let (mut said, mut part) = (String::new(), [0; 8192]);
        while !said.contains(until) {
            let length = stream.read(&mut part).unwrap();
            assert!(length > 0, "the stream ended: {said}");
            said.push_str(&String::from_utf8_lossy(&part[..length]));
        }
        said
    }

    pub fn get(&self, path: &str) -> Value {
        let (status, body) = self.send("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// What is answered to a JSON body: the status, and the answer.
    #[allow(dead_code)] // Not by every test program.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, body) = self.send("POST", path, &body.to_string());
        (status, serde_json::from_str(&body).unwrap_or(json!(body)))
    }

    pub fn start(&self, opening: Value) -> (u16, Value) {
        let (status, body) = self.send("POST", "/api/v1/debates", &opening.to_string());
        (status, serde_json::from_str(&body).unwrap())
    }

    pub fn wait_for(&self, id: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let debate = self.get(&format!("/api/v1/debates/{id}"));
            if fits(&debate) {
                return debate;
            }
            assert!(since.elapsed() < Duration::from_secs(30), "{debate}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
