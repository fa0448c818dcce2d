//! What people are asked in parallel, and what is for one seat alone: who reads it, and when, over every route.

use agon_core::{DebateId, Digest, sample};
use agon_journal::accounts::{AuditEvent, DebateRole, PrincipalId};
use agon_runtime::outside_seats::OutsideSeats;
use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use crate::accounts::house::{House, create, read};

/// A word that stands in one answer alone.
const WORD: &str = "xylophone";

/// Every page and route with words of a debate, and every tool.
const ROUTES: [&str; 10] = [
    "/debates/d1",
    "/debates/d1/report",
    "/api/v1/debates/d1",
    "/api/v1/debates/d1/entries?limit=1000",
    "/api/v1/debates/d1/scores",
    "/api/v1/debates/d1/transcript",
    "/api/v1/debates/d1/files/record.jsonl",
    "/api/v1/debates/d1/files/transcript.md",
    "/api/v1/debates/d1/requests",
    "/api/v1/debates?q=xylophone",
];
const TOOLS: [&str; 7] = ["status", "transcript", "scores", "export", "debate_result", "wait_for_turn", "list_debates"];

/// Gives the longest text of an answer one word more.
fn worded(mut value: Value) -> String {
    fn longest(value: &mut Value) -> Option<&mut String> {
        match value {
            Value::String(text) => Some(text),
            Value::Array(items) => items.iter_mut().filter_map(longest).max_by_key(|text| text.len()),
            Value::Object(fields) => fields.values_mut().filter_map(longest).max_by_key(|text| text.len()),
            _ => None,
        }
    }
    if let Some(text) = longest(&mut value) {
        text.push_str(&format!(" {WORD}"));
    }
    value.to_string()
}

impl House {
    fn desk<'a>(&'a self, id: &'a DebateId) -> OutsideSeats<'a> {
        let record = self.journal.read_record(id).unwrap();
        let protocol = agon_protocols::find_rules(&record).unwrap();
        OutsideSeats { journal: &self.journal, home: self.home.path(), debate: id, protocol }
    }

    /// Answers at a seat; with [`WORD`] where `is_worded`.
    async fn answer_at(&self, id: &DebateId, seat: &str, person: PrincipalId, is_worded: bool) {
        let desk = self.desk(id);
        let (open, _, schema) = desk.find_prompt(&agon_core::Seat::new(seat).unwrap(), None).await.unwrap();
        let seed = Digest::from_content(open.request.key.as_str()).as_str().bytes().map(u64::from).sum();
        let text = match schema {
            None => format!("# A first version\n\n{}", format!("It has a sentence with the word {WORD}. ").repeat(12)),
            Some(schema) if is_worded => worded(sample::sample_value(&schema, seed)),
            Some(schema) => sample::sample_value(&schema, seed).to_string(),
        };
        desk.answer_as(Some(&open.request.key), seat, person, &text).await.unwrap();
    }

    async fn tool(&self, token: &str, tool: &str) -> String {
        let arguments = match tool {
            "list_debates" => json!({}),
            "wait_for_turn" => json!({"debate": "d1", "after": 0, "seconds": 0}),
            "debate_result" => json!({"debate": "d1", "seconds": 0}),
            _ => json!({"debate": "d1"}),
        };
        let params = json!({"name": tool, "arguments": arguments});
        self.rpc(token, "tools/call", params).await
    }

    async fn rpc(&self, token: &str, method: &str, params: Value) -> String {
        let request = self.request(Method::POST, "/mcp").bearer_auth(token);
        let request = request.header("accept", "application/json, text/event-stream");
        let request = request.json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        request.send().await.unwrap().text().await.unwrap()
    }

    /// What an event stream says at once.
    async fn events(&self, cookie: &str) -> String {
        let response = self.get("/api/v1/debates/d1/events", cookie).await;
        assert_eq!(response.status(), 200);
        let mut stream = response.bytes_stream();
        let mut said = String::new();
        let wait = std::time::Duration::from_millis(600);
        while let Ok(Some(Ok(piece))) = tokio::time::timeout(wait, stream.next()).await {
            said.push_str(&String::from_utf8_lossy(&piece));
        }
        said
    }
}

/// Where `visitor` reads [`WORD`].
async fn places(house: &House, cookie: &str, token: &str) -> Vec<String> {
    let mut found = Vec::new();
    for route in ROUTES {
        let text = house.text(route, cookie).await;
        // A search tells by finding.
        let is_found = if route.contains("q=") { text.contains("\"d1\"") } else { text.contains(WORD) };
        found.extend(is_found.then(|| route.to_owned()));
    }
    found.extend(house.events(cookie).await.contains(WORD).then(|| "events".to_owned()));
    for tool in TOOLS {
        found.extend(house.tool(token, tool).await.contains(WORD).then(|| format!("tool {tool}")));
    }
    for part in ["transcript", "record", "report"] {
        let uri = json!({"uri": format!("agon://debates/d1/{part}")});
        let text = house.rpc(token, "resources/read", uri).await;
        found.extend(text.contains(WORD).then(|| format!("resource {part}")));
    }
    found
}

#[tokio::test]
async fn nobody_reads_what_is_asked_in_parallel_before_all_have_answered() {
    let mut parallel = Vec::new();
    for protocol in agon_protocols::ALL {
        let house = House::new().await;
        if create(&house.journal, "d1", protocol.name(), "This house would rest.").await.is_err() {
            continue;
        }
        let id = DebateId::new("d1").unwrap();
        let Ok(open) = house.desk(&id).list_open_requests().await else { continue };
        let seats: Vec<String> = open.iter().map(|open| open.request.seat.to_string()).collect();
        if seats.len() < 2 {
            continue;
        }
        parallel.push(protocol.name());
        let owner = house.with_role("owner", &id, DebateRole::Owner).await;
        let mut visitors = Vec::new();
        for (login, role) in [("viewer", DebateRole::Viewer), ("audience", DebateRole::Audience)] {
            visitors.push((login, house.with_role(login, &id, role).await));
        }
        let asked = house.person("eve").await;
        let seat = Some(seats[1].clone());
        let audit = AuditEvent::on_command_line("test");
        house.journal.grant_role(&id, asked, DebateRole::Debater, seat, audit).await.unwrap();
        visitors.extend([("eve", asked), ("owner", owner)]);
        visitors.push(("administrator", house.person("administrator").await));
        let first = house.person("dora").await;
        house.answer_at(&id, &seats[0], first, true).await;
        let has_word = |text: &str| text.contains(WORD);
        let record = house.journal.read_record(&id).unwrap();
        // A form of choices alone holds no words.
        if !record.answers().any(|(_, said)| said.reply.text().is_some_and(has_word)) {
            parallel.pop();
            continue;
        }
        for seat in &seats[1..] {
            for (login, person) in &visitors {
                let (cookie, token) = (house.session(*person, 600).await, house.token(*person, "read").await);
                let found = places(&house, &cookie, &token).await;
                assert!(found.is_empty(), "{}: {login} reads it before {seat}: {found:?}", protocol.name());
            }
            let (_, link) = (owner, house.link(owner, &id).await);
            let shared = house.text("/api/v1/debates/d1/entries", &format!("agon_link_{}={}", link.1, link.0)).await;
            assert!(!shared.contains(WORD));
            let open = house.desk(&id).list_open_requests().await.unwrap();
            // A draft that broke a rule is asked for again, and the round goes on.
            if open.iter().any(|open| open.request.seat.as_str() == seat) {
                house.answer_at(&id, seat, asked, false).await;
            }
        }
        let rest: Vec<String> = house
            .desk(&id)
            .list_open_requests()
            .await
            .unwrap()
            .iter()
            .map(|open| open.request.seat.to_string())
            .collect();
        if rest.iter().any(|seat| seats.contains(seat)) {
            continue;
        }
        let (cookie, token) = (house.session(owner, 600).await, house.token(owner, "read").await);
        let found = places(&house, &cookie, &token).await;
        for place in
            ["/api/v1/debates/d1/entries?limit=1000", "events", "/api/v1/debates?q=xylophone", "resource record"]
        {
            assert!(found.iter().any(|found| found == place), "{}: {place} not in {found:?}", protocol.name());
        }
    }
    for wanted in ["exchange", "revise"] {
        assert!(parallel.contains(&wanted), "{parallel:?}");
    }
}

#[tokio::test]
async fn what_a_seat_is_asked_is_for_those_who_answer_at_it() {
    let house = House::new().await;
    let id = create(&house.journal, "d1", "exchange", "This house would rest in xylophone halls.").await.unwrap();
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let viewer = house.with_role("viewer", &id, DebateRole::Viewer).await;
    let mut sides = Vec::new();
    for (login, seat) in [("dora", "proposition"), ("eve", "opposition")] {
        let person = house.person(login).await;
        let audit = AuditEvent::on_command_line("test");
        house.journal.grant_role(&id, person, DebateRole::Debater, Some(seat.into()), audit).await.unwrap();
        sides.push(person);
    }
    for (person, proposition, opposition) in
        [(owner, true, true), (sides[0], true, false), (sides[1], false, true), (viewer, false, false)]
    {
        let (cookie, token) = (house.session(person, 600).await, house.token(person, "read").await);
        for (seat, may) in [("proposition", proposition), ("opposition", opposition)] {
            let path = format!("/api/v1/debates/d1/seats/{seat}/prompt");
            let (status, _) = read(house.request(Method::GET, &path).bearer_auth(&token)).await;
            assert_eq!(status == 200, may, "{person} {seat}: {status}");
            let page = house.text("/debates/d1", &cookie).await;
            let panel = page.split(&format!("id=\"seat-{seat}\"")).nth(1).unwrap();
            let panel = panel.split("</section>").next().unwrap();
            assert_eq!(panel.contains("class=\"ask\""), may, "{person} {seat}: {panel}");
            let params = json!({"name": "wait_for_turn", "arguments": {"debate": "d1", "seat": seat, "seconds": 0}});
            let turn = house.rpc(&token, "tools/call", params).await;
            assert_eq!(turn.contains("messages"), may, "{person} {seat}: {turn}");
        }
    }
    let link = house.link(owner, &id).await;
    let cookie = format!("agon_link_{}={}", link.1, link.0);
    let response = house.get("/api/v1/debates/d1/seats/proposition/prompt", &cookie).await;
    assert_eq!(response.status(), 401);
}

#[tokio::test]
async fn the_faults_of_a_draft_are_for_its_own_seat() {
    let house = House::new().await;
    let id = create(&house.journal, "d1", "exchange", "This house would rest.").await.unwrap();
    let dora = house.person("dora").await;
    let desk = house.desk(&id);
    let broken = format!("{{\"arguments\": [{{\"{WORD}\": 1}}]}}");
    let _ = desk.answer_as(None, "proposition", dora, &broken).await;
    for (login, seat) in [("eve", "opposition"), ("pro", "proposition")] {
        let person = house.person(login).await;
        let audit = AuditEvent::on_command_line("test");
        house.journal.grant_role(&id, person, DebateRole::Debater, Some(seat.into()), audit).await.unwrap();
        let token = house.token(person, "read").await;
        let (status, requests) =
            read(house.request(Method::GET, "/api/v1/debates/d1/requests").bearer_auth(&token)).await;
        assert_eq!(status, 200);
        let requests = requests.as_array().unwrap().clone();
        let redrafts: Vec<&Value> = requests.iter().filter(|open| open["request"]["redraft"].is_object()).collect();
        assert_eq!(redrafts.len(), 1, "{requests:?}");
        let faults = redrafts[0]["request"]["redraft"]["faults"].as_array().unwrap();
        assert_eq!(faults.is_empty(), seat == "opposition", "{seat}: {faults:?}");
    }
}
