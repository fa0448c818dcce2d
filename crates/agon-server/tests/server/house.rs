//! A server for one test, and debates in its journal whose seats are all answered from outside.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan};
use agon_core::{DebateId, Digest, Event, Extension, Key, Ruling, RulingKind, sample};
use agon_runtime::{
    journal::{Append, Journal, seal},
    outside_seats::OutsideSeats,
};
use agon_server::{EventHub, Server, ServerConfig, WriteToken};
use reqwest::{Client, RequestBuilder, Response, redirect::Policy};
use serde_json::{Value, json};

use crate::store::ServerStore;

pub struct House {
    pub home: ServerStore,
    pub journal: Arc<Journal>,
    pub address: SocketAddr,
    pub token: String,
    pub client: Client,
}

/// Opens debates that nobody drives.
struct Outside(Arc<Journal>);

#[async_trait::async_trait]
impl Launcher for Outside {
    async fn open(&self, request: OpeningRequest) -> agon_app::Result<DebateId> {
        let motion = request.motion.unwrap_or_default();
        if motion.trim().is_empty() {
            return Err(Failure::usage("the motion is empty", "give the motion"));
        }
        let id = request.id.unwrap_or_else(|| "started".into());
        let id = DebateId::new(id).map_err(|error| Failure::usage(error.to_string(), ""))?;
        Ok(create(&self.0, id.as_str(), &motion).await?)
    }

    async fn plan(&self, request: OpeningRequest) -> agon_app::Result<Plan> {
        let judges = request.options.text("judges").unwrap_or_default();
        Ok(Plan {
            json: json!({"judges": judges}),
            text: format!("{judges} judges <b>, 1 call"),
            short: None,
        })
    }

    async fn go_on(&self, request: ContinueRequest) -> agon_app::Result<()> {
        let protocol = agon_protocols::find("exchange").unwrap();
        let home = tempfile::tempdir().unwrap();
        let desk = OutsideSeats { journal: &self.0, home: home.path(), debate: &request.debate, protocol };
        if request.extends {
            let more = Extension { rounds: request.rounds.unwrap_or_default(), ..Extension::default() };
            desk.extend(&more).await?;
        } else {
            desk.unpause(&request.name.unwrap_or_default()).await?;
        }
        Ok(())
    }
}

async fn create(
    journal: &Journal,
    id: &str,
    motion: &str,
) -> Result<DebateId, agon_runtime::journal::JournalError> {
    let protocol = agon_protocols::find("exchange").unwrap();
    let templates = protocol.prompts().iter();
    let templates: BTreeMap<String, String> =
        templates.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut opened = sample::opened_for(protocol.manifest());
    opened.debate = DebateId::new(id).unwrap();
    opened.motion = motion.into();
    opened.limits.rounds = 1;
    opened.options.insert("orders".into(), "one".into());
    opened.lineup.iter_mut().for_each(|sat| sat.model = "outside".into());
    opened.prompts = templates.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect();
    let texts = templates.into_values().map(|text| (Digest::of(&text), text)).collect();
    let debate = opened.debate.clone();
    journal.create(Event::Opened(opened), texts, None).await?;
    Ok(debate)
}

impl House {
    /// A server whose readers on this machine need no token.
    pub async fn new() -> Self {
        Self::with(true).await
    }

    pub async fn with(read_without_token: bool) -> Self {
        let home = ServerStore::new();
        let journal = home.open();
        let token = WriteToken::of(home.path()).unwrap();
        let config = ServerConfig {
            journal: Arc::clone(&journal),
            home: home.path().to_owned(),
            token: token.clone(),
            read_without_token,
            hosts: vec!["agon.lan".into()],
            launcher: Arc::new(Outside(Arc::clone(&journal))),
            events: EventHub::new(Arc::clone(&journal)),
            models: vec!["local".into()],
            evaluations: home.path().join("evaluations"),
            operation: Default::default(),
        };
        let server = Server::bind(config, "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = server.address();
        tokio::spawn(server.serve(std::future::pending()));
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { home, journal, address, token: token.text().to_owned(), client }
    }

    pub async fn debate(&self, id: &str, motion: &str) -> DebateId {
        create(&self.journal, id, motion).await.unwrap()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }

    pub async fn json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    pub async fn text(&self, path: &str) -> String {
        self.get(path).await.text().await.unwrap()
    }

    /// A write of a program that has the token.
    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        read(self.client.post(self.url(path)).bearer_auth(&self.token).json(&body)).await
    }

    /// The cookie that the printed link gives a browser.
    pub async fn cookie(&self) -> String {
        let welcome = self.get(&format!("/?token={}", self.token)).await;
        assert_eq!((welcome.status().as_u16(), &welcome.headers()["location"]), (303, &"/".parse().unwrap()));
        let cookie = welcome.headers()["set-cookie"].to_str().unwrap().to_owned();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    /// A form that a browser sends from a page of this server.
    pub async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let origin = format!("http://{}", self.address);
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let request = self.client.post(self.url(path)).header("cookie", self.cookie().await);
        let request = request.header("origin", origin);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(fields.join("&")).send().await.unwrap()
    }

    /// The statement that the seat is asked for, as short as its schema allows.
    pub async fn sample(&self, id: &DebateId, seat: &str) -> Value {
        let prompt = self.json(&format!("/api/v1/debates/{id}/seats/{seat}/prompt")).await;
        let seed = Digest::of(prompt["key"].as_str().unwrap()).as_str().bytes().map(u64::from).sum();
        sample::instance(&prompt["schema"], seed)
    }

    pub async fn claim(&self, id: &DebateId, seat: &str) -> String {
        let (status, claim) =
            self.post(&format!("/api/v1/debates/{id}/seats/{seat}/claim"), json!({"holder": "Ada"})).await;
        assert_eq!(status, 200, "{claim}");
        claim["token"].as_str().unwrap().to_owned()
    }

    /// Answers one open request with `statement`.
    pub async fn answer(&self, id: &DebateId, seat: &str, statement: &Value) {
        let token = self.claim(id, seat).await;
        let seat_url = format!("/api/v1/debates/{id}/seats/{seat}");
        let body = json!({"token": token, "text": statement.to_string()});
        let (status, receipt) = self.post(&format!("{seat_url}/answer"), body).await;
        assert_eq!(status, 200, "{receipt}");
        let (status, _) = self.post(&format!("{seat_url}/release"), json!({"token": token})).await;
        assert_eq!(status, 200);
    }

    /// Answers everything until the debate closes.
    pub async fn play(&self, id: &DebateId) {
        loop {
            let open = self.json(&format!("/api/v1/debates/{id}/requests")).await;
            let Some(open) = open.as_array().unwrap().first() else { break };
            let seat = open["request"]["seat"].as_str().unwrap().to_owned();
            let statement = self.sample(id, &seat).await;
            self.answer(id, &seat, &statement).await;
        }
        assert_eq!(self.json(&format!("/api/v1/debates/{id}")).await["closed"], true);
    }

    /// Appends a decision.
    pub async fn rule(&self, id: &DebateId, key: &str, ruling: Ruling) {
        let mut record = self.journal.read(id).unwrap();
        let entry = seal(&mut record, Event::Ruled { key: Key::of(key), ruling }).unwrap();
        let append = Append { entries: vec![entry], ..Append::default() };
        self.journal.append(id, append).await.unwrap();
    }

    pub async fn redact(&self, id: &DebateId, of: &Key) {
        let ruling = Ruling::new(RulingKind::Redacted, "A text was redacted.").with(json!({"key": of}));
        self.rule(id, "redaction", ruling).await;
    }
}

pub async fn read(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or(Value::Null))
}

pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
