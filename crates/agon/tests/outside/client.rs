//! A client of the Model Context Protocol, as plain as can be: it writes lines and reads lines.

use std::{
    collections::BTreeMap,
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
    /// The schema of each tool's result, once one was called.
    schemas: BTreeMap<String, Value>,
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
        Self { child, input, lines, era, id: 0, told: Vec::new(), schemas: BTreeMap::new() }
    }

    /// A client that has begun.
    pub fn begun(workspace: &Workspace, era: Era) -> Self {
        let mut client = Self::new(workspace, era);
        if era == Era::Initialize {
            let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "test", "version": "1"}});
            let info = client.request("initialize", params).unwrap();
            assert_eq!((&info["serverInfo"]["name"], &info["protocolVersion"]), (&"agon".into(), &"2025-06-18".into()));
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

    /// What a tool gives, which obeys its schema; what it refuses is its code.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        if self.schemas.is_empty() {
            let listed = self.request("tools/list", json!({})).unwrap();
            let schema = |tool: &Value| (tool["name"].as_str().unwrap().into(), tool["outputSchema"].clone());
            self.schemas = listed["tools"].as_array().unwrap().iter().map(schema).collect();
        }
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = result.unwrap_or_else(|error| panic!("{tool}: {error}"));
        let content = result["structuredContent"].clone();
        match result["isError"] == true {
            true => Err(content["error"]["code"].as_str().unwrap().to_owned()),
            false => {
                obeys(&content, &self.schemas[tool]).unwrap_or_else(|why| panic!("{tool}: {why}: {content}"));
                Ok(content)
            }
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

/// Whether `value` obeys `schema`, and has no field that the schema does not name.
fn obeys(value: &Value, schema: &Value) -> Result<(), String> {
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let is_any = alternatives.iter().any(|schema| obeys(value, schema).is_ok());
        return if is_any { Ok(()) } else { Err(format!("{value} is none of {alternatives:?}")) };
    }
    let is_kind = match schema["type"].as_str() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some(other) => return Err(format!("an unknown type: {other}")),
    };
    if !is_kind {
        return Err(format!("{value} is not {}", schema["type"]));
    }
    for item in value.as_array().into_iter().flatten().filter(|_| schema["items"].is_object()) {
        obeys(item, &schema["items"])?;
    }
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    for (name, field) in value.as_object().into_iter().flatten() {
        let schema = properties.get(name).ok_or_else(|| format!("{name} is not in the schema"))?;
        obeys(field, schema).map_err(|why| format!("{name}: {why}"))?;
    }
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = required.find(|name| value.get(name).is_none());
    missing.map_or(Ok(()), |name| Err(format!("{name} is missing")))
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
