//! The OpenAPI document of a server with accounts: whole, true to the table of routes, and true to the forms of its pages.

use std::collections::BTreeSet;

use agon_journal::accounts::DebateRole;
use serde_json::{Value, json};

use crate::accounts::{house::House, matrix::rows, passkeys::secure};

async fn document(house: &House, cookie: &str) -> Value {
    house.get("/api/v1/openapi.json", cookie).await.json().await.unwrap()
}

/// The mark of the rest of a path is another one in the router.
fn plain(path: &str) -> String {
    path.replace("{*", "{")
}

#[tokio::test]
async fn the_document_says_of_each_operation_what_the_table_says() {
    let house = House::new().await;
    let member = house.person("member").await;
    let document = document(&house, &house.session(member, 600).await).await;
    let (heads, rows) = rows("| route |");
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let route = format!("{} {path}", method.to_uppercase());
            let row = rows.iter().find(|(known, _)| plain(known) == route);
            let (_, cells) = row.unwrap_or_else(|| panic!("{route} has no row"));
            let visitors = operation["x-agon-access"]["visitors"].as_object().unwrap();
            let said: Vec<&str> = visitors.values().map(|cell| cell.as_str().unwrap()).collect();
            assert!(visitors.keys().eq(heads.iter()) && said == *cells, "{route}: {said:?}");
            let needs = operation["x-agon-access"]["needs"].as_str().unwrap();
            assert!(operation["description"].as_str().unwrap().contains(&format!("Needs *{needs}*")), "{route}");
            let proofs: BTreeSet<String> = operation["security"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|proof| proof.as_object().unwrap().keys().cloned())
                .collect();
            let wanted: &[&str] = match needs {
                "open" => &[],
                "browser" | "manage" | "administer" => &["session"],
                "read" => &["personal_token", "session", "share_link"],
                _ => &["personal_token", "session"],
            };
            assert!(proofs.iter().eq(wanted), "{route}: {proofs:?}");
            described.insert(route);
        }
    }
    let pages = ["/login", "/logout", "/account", "/invitation", "/people", "/shared", "/drafts", "/audit"];
    for (route, _) in &rows {
        let path = route.split_once(' ').unwrap().1;
        let is_of_accounts = path.ends_with("/share") || pages.iter().any(|page| path.starts_with(page));
        if path.starts_with("/api/v1/") || is_of_accounts {
            assert!(described.contains(&plain(route)), "{route} is not described");
        }
    }
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!((&schemes["session"]["in"], &schemes["session"]["name"]), (&json!("cookie"), &json!("agon_session")));
    assert!(schemes["token"].is_null(), "the token of a server without accounts counts nowhere");
}

/// The forms that a page sends with POST: where to, and the names of their fields.
fn forms(page: &str) -> Vec<(String, BTreeSet<String>)> {
    let value = |text: &str, name: &str| {
        let at = text.find(&format!("{name}=\""))? + name.len() + 2;
        Some(text[at..].chars().take_while(|c| *c != '"').collect::<String>())
    };
    let forms = page.split("<form").skip(1).filter_map(|form| {
        let form = form.split("</form>").next().unwrap();
        let (head, body) = form.split_once('>').unwrap();
        (value(head, "method").as_deref() == Some("post")).then(|| {
            let names = body.split('<').filter_map(|mark| value(mark, " name"));
            (value(head, "action").unwrap(), names.collect())
        })
    });
    forms.collect()
}

#[tokio::test]
async fn every_field_of_a_form_is_described() {
    let house = secure().await;
    let id = house.debate("d1").await;
    let owner = house.person_with_password("administrator").await;
    house
        .journal
        .grant_role(&id, owner, DebateRole::Owner, None, agon_journal::accounts::AuditEvent::on_command_line("x"))
        .await
        .unwrap();
    house.token(owner, "run").await;
    house.link(owner, &id).await;
    let login = [("login", "administrator"), ("password", crate::accounts::people::PASSWORD)];
    let cookie = crate::accounts::people::set_cookie(&house.form("/login", "", &login).await).0;
    let invitation =
        house.journal.create_invitation(owner, 1, agon_journal::accounts::AuditEvent::on_command_line("x")).await;
    let invitation = format!("/invitation?code={}", invitation.unwrap().text());
    let document = document(&house, &cookie).await;
    let person = format!("/people/{owner}");
    let mut count = 0;
    for page in ["/login", "/account", "/people", &person, "/debates/d1/share", &invitation] {
        let text = house.text(page, &cookie).await;
        for (action, fields) in forms(&text) {
            // The last part of these paths is an id.
            let path = action.replace("/debates/d1/", "/debates/{id}/").replace(&person, "/people/{person}");
            let path = match path.rsplit_once('/') {
                Some((folder @ "/account/tokens", _)) => format!("{folder}/{{token}}"),
                _ => path,
            };
            let operation = &document["paths"][&path]["post"];
            assert!(operation.is_object(), "{path} on {page} is not described");
            let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]["$ref"];
            let name = form.as_str().map_or("", |form| form.rsplit('/').next().unwrap());
            let known = document["components"]["schemas"][name]["properties"].as_object();
            for field in fields {
                let is_known = known.is_some_and(|known| known.contains_key(&field));
                assert!(is_known, "{field} of {path} on {page} is not described");
                count += 1;
            }
        }
    }
    assert!(count > 30, "{count}");
}
