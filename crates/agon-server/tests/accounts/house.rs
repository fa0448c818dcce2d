//! A server with accounts for one test: people of every role, their sessions and tokens, and a debate.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan};
use agon_core::{DebateId, Digest, Event, sample};
use agon_runtime::{
    accounts::{
        AuditEvent, AuditFilter, AuditLine, DebateRole, NewPrincipal, PrincipalId, Scopes, TokenRequest,
    },
    config::AccountsConfig,
    journal::Journal,
    outside_seats::OutsideSeats,
};
use agon_server::{AccountsSettings, EventHub, Server, ServerConfig, WriteToken, hash_password};
use reqwest::{Client, Method, RequestBuilder, Response, redirect::Policy};
use serde_json::{Value, json};

use crate::store::ServerStore;

pub const PASSWORD: &str = "a password of a test";

pub struct House {
    _home: ServerStore,
    pub journal: Arc<Journal>,
    pub address: SocketAddr,
    pub client: Client,
    pub server_token: String,
}

/// Opens debates that nobody drives; writes down what they may cost.
struct Outside(Arc<Journal>);

#[async_trait::async_trait]
impl Launcher for Outside {
    async fn open(&self, request: OpeningRequest) -> agon_app::Result<DebateId> {
        let motion = request.motion.unwrap_or_default();
        if motion.trim().is_empty() {
            return Err(Failure::usage("the motion is empty", "give the motion"));
        }
        let cost = request.budget.max_cost.map(|cost| format!(" for {cost:.2}")).unwrap_or_default();
        let id = request.id.unwrap_or_else(|| "started".into());
        create(&self.0, &id, &request.protocol, &format!("{motion}{cost}")).await;
        Ok(DebateId::new(id).unwrap())
    }

    async fn plan(&self, _: OpeningRequest) -> agon_app::Result<Plan> {
        Ok(Plan { json: json!({"calls": 1}), text: "1 call".into(), short: None })
    }

    async fn go_on(&self, request: ContinueRequest) -> agon_app::Result<()> {
        let record = self.0.read(&request.debate)?;
        let home = tempfile::tempdir().unwrap();
        let protocol = agon_protocols::of(&record).unwrap();
        let desk = OutsideSeats { journal: &self.0, home: home.path(), debate: &request.debate, protocol };
        if !request.extends {
            desk.unpause(request.principal.expect("only people get here")).await?;
        }
        Ok(())
    }
}

pub async fn create(journal: &Journal, id: &str, protocol: &str, motion: &str) {
    let protocol = agon_protocols::find(protocol).unwrap();
    let templates = protocol.prompts().iter();
    let templates: BTreeMap<String, String> =
        templates.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut opened = sample::opened_for(protocol.manifest());
    opened.debate = DebateId::new(id).unwrap();
    opened.motion = motion.into();
    opened.limits.rounds = 1;
    if protocol.name() == "exchange" {
        opened.options.insert("orders".into(), "one".into());
    }
    opened.lineup.iter_mut().for_each(|sat| sat.model = "outside".into());
    opened.prompts = templates.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect();
    let texts = templates.into_values().map(|text| (Digest::of(&text), text)).collect();
    journal.create(Event::Opened(opened), texts, None).await.unwrap();
}

fn audit() -> AuditEvent {
    AuditEvent::on_command_line("test")
}

impl House {
    pub async fn new() -> Self {
        Self::with(AccountsConfig::default()).await
    }

    pub async fn with(config: AccountsConfig) -> Self {
        let home = ServerStore::new();
        let journal = home.open();
        let token = WriteToken::of(home.path()).unwrap();
        let server = ServerConfig {
            journal: Arc::clone(&journal),
            home: home.path().to_owned(),
            token: token.clone(),
            read_without_token: false,
            hosts: Vec::new(),
            launcher: Arc::new(Outside(Arc::clone(&journal))),
            events: EventHub::new(Arc::clone(&journal)),
            models: vec!["local".into()],
            evaluations: home.path().join("evaluations"),
            // The tests ask more often than a person would.
            operation: agon_server::OperationConfig { rate_factor: 0.0, ..Default::default() },
        };
        let settings = AccountsSettings { config, client_secret: Some("client secret".into()) };
        let server = Server::bind_with(server, Some(settings), "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = server.address();
        tokio::spawn(server.serve(std::future::pending()));
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { _home: home, journal, address, client, server_token: token.text().to_owned() }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub async fn debate(&self, id: &str) -> DebateId {
        create(&self.journal, id, "exchange", "This house would rest.").await;
        DebateId::new(id).unwrap()
    }

    /// An account without a password.
    pub async fn person(&self, login: &str) -> PrincipalId {
        let new = NewPrincipal {
            login: login.into(),
            display: format!("{login} <b>"),
            administrator: login == "administrator",
            ..NewPrincipal::default()
        };
        self.journal.add_principal(new, audit()).await.unwrap()
    }

    /// An account that logs in with [`PASSWORD`].
    pub async fn person_with_password(&self, login: &str) -> PrincipalId {
        let person = self.person(login).await;
        let hash = hash_password(PASSWORD).unwrap();
        self.journal.set_password(person, hash, None, audit()).await.unwrap();
        person
    }

    /// A person with a role in a debate.
    pub async fn with_role(&self, login: &str, debate: &DebateId, role: DebateRole) -> PrincipalId {
        let person = self.person(login).await;
        self.journal.grant(debate, person, role, None, audit()).await.unwrap();
        person
    }

    /// The cookie of a session that lasts `seconds`.
    pub async fn session(&self, person: PrincipalId, seconds: u32) -> String {
        let secret = self.journal.start_session(person, seconds, audit()).await.unwrap();
        format!("agon_session={}", secret.text())
    }

    pub async fn token(&self, person: PrincipalId, scopes: &str) -> String {
        let wanted = TokenRequest { name: "t".into(), scopes: Scopes::of(scopes).unwrap(), days: 1 };
        self.journal.add_token(person, wanted, audit()).await.unwrap().0.text().to_owned()
    }

    pub async fn link(&self, person: PrincipalId, debate: &DebateId) -> (String, String) {
        let (secret, link) = self.journal.add_share_link(debate, person, 1, audit()).await.unwrap();
        (secret.text().to_owned(), link.id)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    pub async fn get(&self, path: &str, cookie: &str) -> Response {
        self.request(Method::GET, path).header("cookie", cookie).send().await.unwrap()
    }

    pub async fn text(&self, path: &str, cookie: &str) -> String {
        self.get(path, cookie).await.text().await.unwrap()
    }

    /// A form that a browser sends from a page of this server.
    pub async fn form(&self, path: &str, cookie: &str, fields: &[(&str, &str)]) -> Response {
        let request = self.request(Method::POST, path).header("cookie", cookie);
        let request = request.header("origin", self.origin());
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(encoded(fields)).send().await.unwrap()
    }

    /// A write of a program.
    pub async fn post(&self, path: &str, token: &str, body: Value) -> (u16, Value) {
        read(self.request(Method::POST, path).bearer_auth(token).json(&body)).await
    }

    /// The newest lines of the audit with this action.
    pub fn audited(&self, action: &str) -> Vec<AuditLine> {
        let filter = AuditFilter { action: Some(action.into()), ..AuditFilter::default() };
        self.journal.audited(&filter, 100).unwrap()
    }

    /// What the record says of who answered and acted.
    pub fn names(&self, id: &DebateId) -> Vec<String> {
        let record = self.journal.read(id).unwrap();
        let answered = record.answers().map(|(_, answer)| answer.by.participant.clone());
        let acted = record.acts().map(|(_, act)| act.by.clone());
        answered.chain(acted).collect()
    }
}

pub async fn read(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or(Value::Null))
}

pub fn encoded(fields: &[(&str, &str)]) -> String {
    let byte = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    fields.iter().map(|(name, value)| format!("{}={}", byte(name), byte(value))).collect::<Vec<_>>().join("&")
}

/// The cookie that a response sets, as a browser sends it back; and all its attributes.
pub fn set_cookie(response: &Response) -> (String, String) {
    let set = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    (set.split(';').next().unwrap().to_owned(), set)
}
