//! A debate among people: names on the record come from logins; and what is left of a deleted account.

use agon_core::form::FormField;
use agon_journal::accounts::{AuditEvent, DebateRole};
use agon_runtime::outside_seats::OutsideSeats;
use reqwest::Method;
use serde_json::json;

use crate::accounts::house::{House, create, read};

fn audit() -> AuditEvent {
    AuditEvent::on_command_line("test")
}

#[tokio::test]
async fn the_record_names_the_person_who_is_logged_in() {
    let house = House::new().await;
    create(&house.journal, "d1", "panel", "This house would rest.").await.unwrap();
    let id = agon_core::DebateId::new("d1").unwrap();
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let debater = house.with_role("debater", &id, DebateRole::Debater).await;
    let (owning, debating) = (house.session(owner, 600).await, house.session(debater, 600).await);
    let page = house.text("/debates/d1", &owning).await;
    assert!(!page.contains("Your name") && page.contains("/debates/d1/share"));
    let acts = page.split("class=\"acts\"").nth(1).unwrap();
    assert!(acts.find("</details>") < acts.find("/debates/d1/share"), "it is not folded away");
    let spoken = [("act", "interject"), ("name", "Eve"), ("text", "Words of the owner.")];
    assert_eq!(house.form("/debates/d1/acts", &owning, &spoken).await.status(), 303);
    let spoken = [("act", "interject"), ("name", owner.on_record().as_str()), ("text", "Words of the debater.")]
        .map(|(name, value)| (name, value.to_owned()));
    let spoken: Vec<(&str, &str)> = spoken.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(house.form("/debates/d1/acts", &debating, &spoken).await.status(), 303);
    for act in ["pause", "cancel", "extend", "resume"] {
        assert_eq!(house.form("/debates/d1/acts", &debating, &[("act", act)]).await.status(), 403, "{act}");
    }
    let (_, body) = house
        .post("/api/v1/debates/d1/pause", &house.token(owner, "run").await, json!({"name": "Eve", "why": "lunch"}))
        .await;
    assert!(body["seq"].is_number(), "{body}");
    assert_eq!(house.names(&id), [owner.on_record(), debater.on_record(), owner.on_record()]);
    let page = house.text("/debates/d1", &debating).await;
    assert!(page.contains("owner &lt;b&gt;") && page.contains("debater &lt;b&gt;"), "pages show names");
    assert!(!page.contains("Cancel the debate") && page.contains("Interject"), "and what the role may do");
}

#[tokio::test]
async fn a_deleted_account_leaves_its_id_and_nothing_else() {
    let house = House::new().await;
    create(&house.journal, "d1", "panel", "This house would rest.").await.unwrap();
    let id = agon_core::DebateId::new("d1").unwrap();
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let speaker = house.with_role("speaker", &id, DebateRole::Audience).await;
    let (session, token) = (house.session(speaker, 600).await, house.token(speaker, "answer").await);
    let owning = house.session(owner, 600).await;
    let (link, _) = house.link(speaker, &id).await;
    let spoken = json!({"name": "x", "text": "These words stay."});
    assert_eq!(house.post("/api/v1/debates/d1/interject", &token, spoken).await.0, 200);
    for (confirm, status) in [("other", 422), ("Speaker", 303)] {
        let fields = [("act", "delete"), ("confirm", confirm)];
        assert_eq!(house.form("/account", &session, &fields).await.status(), status, "{confirm}");
    }
    assert_eq!(house.get("/account", &session).await.status(), 303);
    let request = house.request(Method::GET, "/api/v1/debates").bearer_auth(&token);
    assert_eq!(read(request).await.0, 401);
    assert_eq!(house.get(&format!("/shared?link={link}"), "").await.status(), 410);
    let page = house.text("/debates/d1", &owning).await;
    assert!(page.contains("These words stay.") && page.contains(&format!("deleted account {speaker}")));
    assert!(!page.contains("speaker &lt;b&gt;"));
    assert_eq!(house.names(&id), [speaker.on_record()]);
    let line = &house.audited("delete_account")[0];
    assert_eq!(line.principal.as_deref(), Some(speaker.to_string().as_str()));
}

#[tokio::test]
async fn an_owner_gives_roles_and_links_on_a_page() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let judge = house.person("judy").await;
    let (owning, judging) = (house.session(owner, 600).await, house.session(judge, 600).await);
    assert_eq!(house.get("/debates/d1", &judging).await.status(), 404);
    let share = |fields: Vec<(&'static str, String)>| {
        let (house, owning) = (&house, &owning);
        async move {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let response = house.form("/debates/d1/share", owning, &fields).await;
            (response.status().as_u16(), response.text().await.unwrap())
        }
    };
    let grant = |person: &str, role: &str, seat: &str| {
        vec![("act", "grant".into()), ("person", person.into()), ("role", role.into()), ("seat", seat.into())]
    };
    assert_eq!(share(grant("nobody", "judge", "")).await.0, 404);
    assert_eq!(share(grant("judy", "king", "")).await.0, 422);
    assert_eq!(share(grant("judy", "judge", "throne")).await.0, 422);
    let (status, page) = share(grant("judy", "judge", "judge")).await;
    assert!(status == 200 && page.contains("judy &lt;b&gt;") && page.contains("grant_role"), "{page}");
    assert!(page.contains("aria-label=\"Take back judge at judge from judy"), "{page}");
    assert!(page.contains("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Roles\"><table>"), "{page}");
    assert!(page.contains("<td>judy &lt;b&gt;</td>"), "a name and no id: {page}");
    assert_eq!(page.matches("Only another owner or an administrator can give it").count(), 1, "{page}");
    assert_eq!(house.get("/debates/d1", &judging).await.status(), 200);
    assert_eq!(house.get("/debates/d1/share", &judging).await.status(), 403);
    let token = house.token(judge, "answer").await;
    let claim = json!({"holder": "x"});
    assert_eq!(house.post("/api/v1/debates/d1/seats/opposition/claim", &token, claim.clone()).await.0, 403);
    assert_eq!(house.post("/api/v1/debates/d1/seats/judge/claim", &token, claim).await.0, 200);
    let (status, page) = share(vec![("act", "link".into()), ("days", "7".into())]).await;
    let at = page.find("/shared?link=").expect("a link");
    assert_eq!(status, 200);
    let link: String = page[at..].chars().take_while(|c| *c != '<').collect();
    assert_eq!(house.get(&link, "").await.status(), 303);
    assert_eq!(share(vec![("act", "link".into()), ("days", "9999".into())]).await.0, 422);
    let shared = house.journal.share_links_of(&id).unwrap();
    assert_eq!(share(vec![("act", "revoke".into()), ("link", shared[0].id.clone())]).await.0, 200);
    assert_eq!(house.get(&link, "").await.status(), 410);
    let (status, _) =
        share(vec![("act", "ungrant".into()), ("person", judge.to_string()), ("role", "judge".into())]).await;
    assert_eq!(status, 200);
    assert_eq!(house.get("/debates/d1", &judging).await.status(), 404);
    // What was given for one seat is taken back for it alone.
    for seat in ["proposition", "opposition"] {
        assert_eq!(share(grant("judy", "debater", seat)).await.0, 200);
    }
    let (_, page) = share(grant("judy", "debater", "")).await;
    assert!(page.contains("name=\"seat\" value=\"opposition\"") && page.contains("name=\"seat\" value=\"\""));
    let take = |seat: &str| {
        let mut fields = vec![("act", "ungrant".into()), ("person", judge.to_string()), ("role", "debater".into())];
        fields.push(("seat", seat.to_owned()));
        fields
    };
    let seats = || -> Vec<Option<String>> {
        house.journal.grants_of(&id, judge).unwrap().into_iter().map(|grant| grant.seat).collect()
    };
    share(take("opposition")).await;
    assert_eq!(seats(), [None, Some("proposition".to_owned())]);
    share(take("")).await;
    assert_eq!(seats(), [Some("proposition".to_owned())]);
}

#[tokio::test]
async fn tokens_are_made_and_revoked_by_their_person() {
    let house = House::new().await;
    let ada = house.person("ada").await;
    let administrator = house.person("administrator").await;
    let session = house.session(ada, 600).await;
    let made = house.form("/account/tokens", &session, &[("name", "ci <b>"), ("scope", "run"), ("days", "30")]).await;
    let page = made.text().await.unwrap();
    let at = page.find("agon_token_").expect(&page);
    let token: String = page[at..].chars().take_while(|c| *c != '<').collect();
    assert!(page.contains("ci &lt;b&gt;") && page.contains("read,run"));
    assert!(!house.text("/account", &session).await.contains("agon_token_"), "it is shown once");
    let plan = json!({"protocol": "exchange", "motion": "m"});
    assert_eq!(house.post("/api/v1/plans", &token, plan.clone()).await.0, 200);
    let held = house.journal.tokens_of(ada).unwrap();
    assert!(held[0].used_at.is_some());
    assert_eq!(house.form("/account/tokens", &session, &[("name", "x"), ("days", "0")]).await.status(), 422);
    let revoke = format!("/account/tokens/{}", held[0].id);
    let other = house.session(administrator, 600).await;
    assert_eq!(house.form(&revoke, &other, &[]).await.status(), 404, "not even an administrator's");
    assert_eq!(house.form(&revoke, &session, &[]).await.status(), 303);
    assert_eq!(house.post("/api/v1/plans", &token, plan).await.0, 401);
    let audit_page = house.text("/audit?person=ada", &other).await;
    assert!(audit_page.contains("revoke_token") && audit_page.contains("ada &lt;b&gt;"), "{audit_page}");
    house.journal.delete_principal(ada, audit()).await.unwrap();
    assert!(house.text("/audit", &other).await.contains(&format!("deleted account {ada}")));
}

#[tokio::test]
async fn a_claimed_name_cannot_be_that_of_a_proved_person() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let ada = house.person("ada").await;
    let folder = tempfile::tempdir().unwrap();
    let protocol = agon_protocols::find_protocol("exchange").unwrap();
    let seats = OutsideSeats { journal: &house.journal, home: folder.path(), debate: &id, protocol };
    for name in [ada.on_record(), "PERSON: Ada".into(), " person\u{200b}:x".into(), "\u{7}person:x".into()] {
        let refused = seats.claim_seat("judge", &name, 60).await.unwrap_err();
        assert_eq!(refused.code(), "unusable", "{name:?}");
        assert_eq!(seats.pause_debate(name.as_str(), "").await.unwrap_err().code(), "unusable", "{name:?}");
    }
    assert!(seats.claim_seat("judge", "Ada, a person: really", 60).await.is_ok());
}

#[tokio::test]
async fn the_rulings_of_a_deleted_account_stand_and_the_record_still_checks() {
    let house = House::new().await;
    let id = house.debate("d1").await;
    let owner = house.with_role("owner", &id, DebateRole::Owner).await;
    let (owning, token) = (house.session(owner, 600).await, house.token(owner, "answer").await);
    let judge = house.with_role("judge", &id, DebateRole::Judge).await;
    let judging = house.token(judge, "answer").await;
    let mut judged = 0;
    loop {
        let request = house.request(Method::GET, "/api/v1/debates/d1/requests").bearer_auth(&token);
        let (_, open) = read(request).await;
        let Some(open) = open.as_array().unwrap().first() else { break };
        let seat = open["request"]["seat"].as_str().unwrap();
        let by = if seat == "judge" { &judging } else { &token };
        judged += u32::from(seat == "judge");
        let at = format!("/api/v1/debates/d1/seats/{seat}");
        let (_, prompt) = read(house.request(Method::GET, &format!("{at}/prompt")).bearer_auth(by)).await;
        let seed = agon_core::Digest::from_content(prompt["key"].as_str().unwrap());
        let seed = seed.as_str().bytes().map(u64::from).sum();
        let text = agon_core::sample::sample_value(&FormField::from_schema(&prompt["schema"]), seed).to_string();
        let (status, claim) = house.post(&format!("{at}/claim"), by, json!({"holder": "x"})).await;
        assert_eq!(status, 200, "{claim}");
        let answer = json!({"token": claim["token"], "text": text});
        let (status, receipt) = house.post(&format!("{at}/answer"), by, answer).await;
        assert_eq!(status, 200, "{receipt}");
        house.post(&format!("{at}/release"), by, json!({"token": claim["token"]})).await;
    }
    assert!(judged > 0 && house.journal.read_record(&id).unwrap().closing_outcome().is_some());
    let files = "/api/v1/debates/d1/files";
    let (record, before) = (house.text(&format!("{files}/record.jsonl"), &owning).await, house.names(&id));
    assert!(before.iter().any(|name| name.ends_with(&judge.on_record())), "{before:?}");
    house.journal.delete_principal(judge, audit()).await.unwrap();
    assert_eq!(house.names(&id), before, "the name stays as the record says");
    let after = house.text(&format!("{files}/record.jsonl"), &owning).await;
    assert_eq!(after, record, "and so does every byte");
    let read = agon_report::record_jsonl::read_record(&after);
    assert!(read.is_ok(), "its chain holds");
    let page = house.text("/debates/d1", &owning).await;
    assert!(page.contains(&format!("deleted account {judge}")) && !page.contains("judge &lt;b&gt;"));
}
