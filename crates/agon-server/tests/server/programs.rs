//! Programs and browsers at a server without accounts, and debates in its journal.

use agon_core::{DebateId, Digest, Event, Key, Ruling, RulingKind, form::FormField, sample};
use agon_journal::{Append, seal_entry};
use reqwest::Response;
use serde_json::{Value, json};

use crate::server::house::{House, HouseOptions, create, encoded, read};

impl House {
    /// A server whose readers on this machine need no token.
    pub async fn new() -> Self {
        Self::with(true).await
    }

    pub async fn with(read_without_token: bool) -> Self {
        Self::start(HouseOptions { read_without_token, ..HouseOptions::default() }).await
    }

    pub async fn debate(&self, id: &str, motion: &str) -> DebateId {
        create(&self.journal, id, "exchange", motion).await.unwrap()
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
        let request = self.client.post(self.url(path)).header("cookie", self.cookie().await);
        let request = request.header("origin", self.origin());
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(encoded(fields)).send().await.unwrap()
    }

    /// What the seat is asked, for a program that has the token.
    pub async fn prompt(&self, id: &DebateId, seat: &str) -> (u16, Value) {
        let path = format!("/api/v1/debates/{id}/seats/{seat}/prompt");
        read(self.client.get(self.url(&path)).bearer_auth(&self.token)).await
    }

    /// The statement that the seat is asked for, as short as its schema allows.
    pub async fn sample(&self, id: &DebateId, seat: &str) -> Value {
        let (status, prompt) = self.prompt(id, seat).await;
        assert_eq!(status, 200, "{prompt}");
        let seed = Digest::from_content(prompt["key"].as_str().unwrap()).as_str().bytes().map(u64::from).sum();
        sample::sample_value(&FormField::from_schema(&prompt["schema"]), seed)
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
        self.append(id, Event::Ruled { key: Key::from_parts(key), ruling }).await;
    }

    /// Appends what happened.
    pub async fn append(&self, id: &DebateId, what: Event) {
        let mut record = self.journal.read_record(id).unwrap();
        let entry = seal_entry(&mut record, what).unwrap();
        let append = Append { entries: vec![entry], ..Append::default() };
        self.journal.append_entries(id, append).await.unwrap();
    }

    pub async fn redact(&self, id: &DebateId, of: &Key) {
        let ruling = Ruling::new(RulingKind::Redacted, "A text was redacted.").with_data(json!({"key": of}));
        self.rule(id, "redaction", ruling).await;
    }
}
