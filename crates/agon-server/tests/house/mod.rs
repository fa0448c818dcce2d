//! A server for one test, over a journal of its own: what the tests with and without accounts share.
#![allow(dead_code)] // Each of them uses a part of it.

#[path = "../../../agon-journal/tests/test_home.rs"]
mod test_home;

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan};
use agon_core::{DebateId, Digest, Event, Extension, sample};
use agon_journal::{Journal, JournalError};
use agon_runtime::outside_seats::OutsideSeats;
use agon_server::{AccountsSettings, EventHub, OperationConfig, Server, ServerConfig, WriteToken};
use reqwest::{Client, Method, RequestBuilder, redirect::Policy};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use test_home::TestHome;

/// A server, and what its tests need of it. The other modules add what a visitor of theirs does.
pub struct House {
    pub home: TestHome,
    pub journal: Arc<Journal>,
    pub address: SocketAddr,
    /// The token of a server without accounts.
    pub token: String,
    pub client: Client,
}

/// How the server of a test is operated.
#[derive(Default)]
pub struct HouseOptions {
    pub read_without_token: bool,
    pub accounts: Option<AccountsSettings>,
    pub operation: OperationConfig,
    /// The journal; one of its own where there is none.
    pub journal: Option<Arc<Journal>>,
    /// What ends the server; nothing where there is none.
    pub end: Option<oneshot::Receiver<()>>,
}

/// Opens debates that nobody drives; the motion says what they may cost.
struct Outside(Arc<Journal>);

#[async_trait::async_trait]
impl Launcher for Outside {
    async fn open_debate(&self, request: OpeningRequest) -> agon_app::Result<DebateId> {
        let motion = request.motion.unwrap_or_default();
        if motion.trim().is_empty() {
            return Err(Failure::usage("the motion is empty", "give the motion"));
        }
        if motion.contains("slowly") {
            tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        }
        let cost = request.budget.max_cost.map(|cost| format!(" for {cost:.2}")).unwrap_or_default();
        let id = request.id.unwrap_or_else(|| "started".into());
        let id = DebateId::new(id).map_err(|error| Failure::usage(error.to_string(), ""))?;
        Ok(create(&self.0, id.as_str(), &request.protocol, &format!("{motion}{cost}")).await?)
    }

    async fn plan_debate(&self, request: OpeningRequest) -> agon_app::Result<Plan> {
        let judges = request.options.text("judges").unwrap_or_default();
        let text = format!("{judges} judges <b>, 1 call");
        Ok(Plan { judging: vec![judges.to_owned()], text, ..Plan::default() })
    }

    async fn continue_debate(&self, request: ContinueRequest) -> agon_app::Result<()> {
        let record = self.0.read_record(&request.debate)?;
        let home = tempfile::tempdir().unwrap();
        let protocol = agon_protocols::find_rules(&record).unwrap();
        let desk = OutsideSeats { journal: &self.0, home: home.path(), debate: &request.debate, protocol };
        if request.max_time.is_some() {
            return Err(Failure::usage("nobody here keeps the time", "omit it"));
        }
        if request.extends {
            let cost_microusd_max = request.max_cost.map(|cost| (cost * 1e6).round() as u64);
            let rounds = request.rounds.unwrap_or_default();
            let more = Extension { rounds, cost_microusd_max, ..Extension::default() };
            desk.extend_limits(&more).await?;
        } else if let Some(person) = request.principal {
            desk.unpause_debate(person).await?;
        } else {
            desk.unpause_debate(request.name.unwrap_or_default().as_str()).await?;
        }
        Ok(())
    }
}

/// Opens a debate whose seats are all answered from outside.
pub async fn create(journal: &Journal, id: &str, protocol: &str, motion: &str) -> Result<DebateId, JournalError> {
    create_for(journal, id, protocol, motion, "outside").await
}

/// Opens a debate whose seats are all answered by `model`.
pub async fn create_for(
    journal: &Journal,
    id: &str,
    protocol: &str,
    motion: &str,
    model: &str,
) -> Result<DebateId, JournalError> {
    let protocol = agon_protocols::find_protocol(protocol).unwrap();
    let templates = protocol.prompt_templates().iter();
    let templates: BTreeMap<String, String> =
        templates.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut opened = sample::opened_for(protocol.manifest());
    opened.debate = DebateId::new(id).unwrap();
    opened.motion = motion.into();
    opened.limits.rounds = 1;
    if protocol.name() == "exchange" {
        opened.options.insert("orders".into(), "one".into());
    }
    opened.lineup.iter_mut().for_each(|sat| sat.model = model.into());
    opened.prompts = templates.iter().map(|(name, text)| (name.clone(), Digest::from_content(text))).collect();
    let texts = templates.into_values().map(|text| (Digest::from_content(&text), text)).collect();
    let debate = opened.debate.clone();
    journal.create_debate(Event::Opened(opened), texts, None).await?;
    Ok(debate)
}

impl House {
    pub async fn start(options: HouseOptions) -> Self {
        let home = TestHome::new();
        let journal = options.journal.unwrap_or_else(|| home.open());
        let token = WriteToken::from_home(home.path()).unwrap();
        let server = ServerConfig {
            journal: Arc::clone(&journal),
            home: home.path().to_owned(),
            token: token.clone(),
            read_without_token: options.read_without_token,
            hosts: vec!["agon.lan".into()],
            launcher: Arc::new(Outside(Arc::clone(&journal))),
            events: EventHub::new(Arc::clone(&journal)),
            models: vec!["local".into()],
            evaluations: home.path().join("evaluations"),
            operation: options.operation,
        };
        let any_port = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind_with(server, options.accounts, any_port).await.unwrap();
        let address = server.address();
        tokio::spawn(server.serve_until(async {
            match options.end {
                Some(end) => drop(end.await),
                None => std::future::pending().await,
            }
        }));
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { home, journal, address, token: token.text().to_owned(), client }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }
}

/// What the server says to a message of the Model Context Protocol.
pub async fn rpc(house: &House, token: &str, method: &str, params: Value) -> Value {
    let request = house.request(Method::POST, "/mcp").bearer_auth(token);
    let request = request.header("accept", "application/json, text/event-stream");
    let request = request.json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let text = response.text().await.unwrap();
    let mut lines =
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data:").unwrap_or(line)).ok());
    lines.next_back().unwrap_or(Value::Null)
}

/// The result of a tool, or the error of the call.
pub async fn call_tool(house: &House, token: &str, tool: &str, arguments: Value) -> Value {
    rpc(house, token, "tools/call", json!({"name": tool, "arguments": arguments})).await["result"]["structuredContent"]
        .take()
}

pub async fn read(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or(Value::Null))
}

/// Fields of a form, as a browser encodes them at worst.
pub fn encoded(fields: &[(&str, &str)]) -> String {
    let byte = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    fields.iter().map(|(name, value)| format!("{}={}", byte(name), byte(value))).collect::<Vec<_>>().join("&")
}
