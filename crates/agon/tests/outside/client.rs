//! A client of the Model Context Protocol, as plain as can be: it writes lines and reads lines.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::{Value, json};

use crate::outside::workspace::Workspace;

/// Longest wait for a line.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq)]
pub enum Era {
    /// Opens with `initialize`.
    Initialize,
    /// Each request says for itself what the client is.
    PerRequest,
}

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    era: Era,
    id: u64,
    /// What came that was no answer.
    pub told: Vec<Value>,
}

impl Client {
    pub fn new(workspace: &Workspace, era: Era) -> Self {
        let mut child = workspace.command(&["mcp"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, input, lines, era, id: 0, told: Vec::new() }
    }

    /// A client that has begun.
    pub fn begun(workspace: &Workspace, era: Era) -> Self {
        let mut client = Self::new(workspace, era);
        if era == Era::Initialize {
            let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "test", "version": "1"}});
            let info = client.request("initialize", params).unwrap();
            assert_eq!(
                (&info["serverInfo"]["name"], &info["protocolVersion"]),
                (&"agon".into(), &"2025-06-18".into())
            );
            client.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        } else {
            client.request("resources/templates/list", json!({})).unwrap();
        }
        client
    }

    pub fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next line, which must be a message of the protocol.
    pub fn read(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server said nothing");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// The result of a request, or its error.
    pub fn request(&mut self, method: &str, mut params: Value) -> Result<Value, Value> {
        self.id += 1;
        if self.era == Era::PerRequest {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.write(request.to_string().as_bytes());
        loop {
            let message = self.read();
            if message["id"] == self.id {
                let error = &message["error"];
                return if error.is_null() { Ok(message["result"].clone()) } else { Err(error.clone()) };
            }
            self.told.push(message);
        }
    }

    /// What a tool gives; what it refuses is its code.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = result.unwrap_or_else(|error| panic!("{tool}: {error}"));
        let content = result["structuredContent"].clone();
        match result["isError"] == true {
            true => Err(content["error"]["code"].as_str().unwrap().to_owned()),
            false if content.is_null() => Ok(result["content"][0]["text"].clone()),
            false => Ok(content),
        }
    }

    /// Closes the server's input; it must end by itself.
    pub fn end(mut self) -> Option<i32> {
        self.input = None;
        for _ in 0..200 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
