//! People of every role on a server with accounts, their sessions and tokens, and a debate.

use std::sync::Arc;

use agon_core::DebateId;
use agon_journal::{
    Journal,
    accounts::{AuditEvent, AuditFilter, AuditLine, DebateRole, NewPrincipal, PrincipalId, Scopes, TokenRequest},
};
use agon_runtime::config::AccountsConfig;
use agon_server::{AccountsSettings, OperationConfig, hash_password};
use reqwest::{Method, Response};
use serde_json::Value;

use crate::accounts::house::{House, HouseOptions, create, encoded, read};

pub const PASSWORD: &str = "a password of a test";

fn audit() -> AuditEvent {
    AuditEvent::on_command_line("test")
}

impl House {
    pub async fn new() -> Self {
        Self::with(AccountsConfig::default()).await
    }

    pub async fn with(config: AccountsConfig) -> Self {
        Self::over(None, config).await
    }

    /// A server over a journal that others may use as well.
    pub async fn over(journal: Option<Arc<Journal>>, config: AccountsConfig) -> Self {
        let accounts = Some(AccountsSettings { config, client_secret: Some("client secret".into()) });
        // The tests ask more often than a person would.
        let operation = OperationConfig { rate_factor: 0.0, ..OperationConfig::default() };
        Self::start(HouseOptions { accounts, operation, journal, ..HouseOptions::default() }).await
    }

    pub async fn debate(&self, id: &str) -> DebateId {
        create(&self.journal, id, "exchange", "This house would rest.").await.unwrap()
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
        self.journal.grant_role(debate, person, role, None, audit()).await.unwrap();
        person
    }

    /// The cookie of a session that lasts `seconds`.
    pub async fn session(&self, person: PrincipalId, seconds: u32) -> String {
        let secret = self.journal.start_session(person, seconds, audit()).await.unwrap();
        format!("agon_session={}", secret.text())
    }

    pub async fn token(&self, person: PrincipalId, scopes: &str) -> String {
        let wanted = TokenRequest { name: "t".into(), scopes: Scopes::parse(scopes).unwrap(), days: 1 };
        self.journal.add_token(person, wanted, audit()).await.unwrap().0.text().to_owned()
    }

    pub async fn link(&self, person: PrincipalId, debate: &DebateId) -> (String, String) {
        let (secret, link) = self.journal.add_share_link(debate, person, 1, audit()).await.unwrap();
        (secret.text().to_owned(), link.id)
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
        self.journal.list_audit_lines(&filter, 100).unwrap()
    }

    /// What the record says of who answered and acted.
    pub fn names(&self, id: &DebateId) -> Vec<String> {
        let record = self.journal.read_record(id).unwrap();
        let answered = record.answers().map(|(_, answer)| answer.by.participant.clone());
        let acted = record.acts().map(|(_, act)| act.by.clone());
        answered.chain(acted).collect()
    }
}

/// The cookie that a response sets, as a browser sends it back; and all its attributes.
pub fn set_cookie(response: &Response) -> (String, String) {
    let set = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    (set.split(';').next().unwrap().to_owned(), set)
}
