//! Pages of evaluations: cells, pages, foreign text, growth.

use std::{fs, io::Write, path::PathBuf};

use futures::StreamExt;

use crate::server::house::House;

fn folder(house: &House, name: &str, arms: &[&str], items: usize) -> PathBuf {
    let folder = house.home.path().join("evaluations").join(name);
    fs::create_dir_all(&folder).unwrap();
    let arms: Vec<_> = arms.iter().map(|name| serde_json::json!({"name": name, "digest": "d", "models": {}})).collect();
    let head = serde_json::json!({"version": 1, "agon": "0.1.0", "arms": arms, "seed": 7, "repeat": 1,
        "items": {"file": "items.jsonl", "digest": "d", "count": items, "selected": items}});
    fs::write(folder.join("run.json"), head.to_string()).unwrap();
    folder
}

fn observe(folder: &std::path::Path, item: &str, arm: &str, answer: &str, debate: &str) {
    let line = serde_json::json!({"item": item, "arm": arm, "gold": "yes", "choices": ["yes", "no"],
        "state": "answered", "answer": answer, "debate": debate});
    let mut file = fs::OpenOptions::new().create(true).append(true).open(folder.join("observations.jsonl")).unwrap();
    writeln!(file, "{line}").unwrap();
}

#[tokio::test]
async fn arms_stand_side_by_side_and_each_cell_leads_to_its_debate() {
    let house = House::new().await;
    assert!(house.text("/evaluations").await.contains("No evaluations here"));
    let folder = folder(&house, "first run", &["direct", "debate"], 2);
    observe(&folder, "i1", "direct", "no", "e1");
    observe(&folder, "i1", "debate", "yes", "e2");
    let lost = r#"{"item":"i2","arm":"direct","state":{"degraded":{"reason":"a judge did not answer"}},"debate":"e3"}"#;
    let failed = r#"{"item":"i2","arm":"debate","state":{"failed":{"reason":"no provider"}}}"#;
    let mut file = fs::OpenOptions::new().append(true).open(folder.join("observations.jsonl")).unwrap();
    writeln!(file, "{lost}\n{failed}").unwrap();
    fs::write(
        folder.join("items.jsonl"),
        "{\"id\":\"i1\",\"question\":\"Does it help?\",\"choices\":[\"yes\",\"no\"]}\n",
    )
    .unwrap();
    let list = house.text("/evaluations").await;
    assert!(list.contains("href=\"/evaluations/first%20run\"") && list.contains("2 items of items.jsonl"), "{list}");
    let page = house.text("/evaluations/first%20run").await;
    for says in [
        "4 of 4 observations",
        "Does it help?",
        "href=\"/debates/e2\"",
        "a judge did not answer",
        "no provider",
        "100.0 %",
        "found failed",
        "tabindex=\"0\" role=\"region\" aria-label=\"Table of the arms\"",
        "tabindex=\"0\" role=\"region\" aria-label=\"Table of the items\"",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("not complete"));
    assert_eq!(house.get("/evaluations/first%20run/report").await.status(), 404);
    fs::write(folder.join("report.html"), "<!DOCTYPE html><title>R</title>").unwrap();
    let report = house.get("/evaluations/first%20run/report").await;
    assert_eq!(report.status(), 200);
    let policy = report.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script"), "{policy}");
}

#[tokio::test]
async fn a_name_never_leads_out_of_the_folder() {
    let house = House::new().await;
    fs::create_dir_all(house.home.path().join("elsewhere")).unwrap();
    fs::write(house.home.path().join("elsewhere/run.json"), "{}").unwrap();
    folder(&house, "run", &[], 0);
    for path in ["..%2Felsewhere", "%2E%2E%2Felsewhere", "nothing", "run%2F..%2F..%2Felsewhere", "%00", ".hidden"] {
        for more in ["", "/events", "/report"] {
            assert_eq!(house.get(&format!("/evaluations/{path}{more}")).await.status(), 404, "{path}{more}");
        }
    }
}

#[tokio::test]
async fn what_others_wrote_is_text_here_too() {
    let house = House::new().await;
    let probe = "<script>alert(1)</script> \"><img src=x onerror=alert(2)>\u{1b}[2J";
    let folder = folder(&house, "run", &[probe], 1);
    observe(&folder, probe, probe, probe, "../../x?<script>");
    let mut file = fs::OpenOptions::new().append(true).open(folder.join("observations.jsonl")).unwrap();
    writeln!(file, "{{\"<script>alert(3)</script>\": 1}}").unwrap();
    let page = house.text("/evaluations/run").await;
    assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{1b}'), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("not an observation"));
    assert!(!page.contains("href=\"/debates/.."), "an id that is none leads nowhere");
    let page = house.get("/evaluations/run").await;
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
}

#[tokio::test]
async fn a_hundred_items_are_a_page() {
    let house = House::new().await;
    let folder = folder(&house, "run", &["direct"], 230);
    for n in 0..230 {
        observe(&folder, &format!("item-{n}"), "direct", "yes", "e");
    }
    let first = house.text("/evaluations/run").await;
    assert!(first.contains("item-99<") && !first.contains("item-100<") && first.contains("Page 1 of 3"));
    let last = house.text("/evaluations/run?page=3").await;
    assert!(last.contains("item-229<") && !last.contains("item-199<") && !last.contains("Later items"));
    for odd in ["0", "99", "x", "-1", "99999999999999999999"] {
        assert_eq!(house.get(&format!("/evaluations/run?page={odd}")).await.status(), 200, "{odd}");
    }
}

#[tokio::test]
async fn the_page_follows_a_run_that_grows() {
    let house = House::new().await;
    let folder = folder(&house, "run", &["direct"], 2);
    observe(&folder, "i1", "direct", "yes", "e1");
    let page = house.text("/evaluations/run").await;
    let live = page.split("data-live=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(page.contains("not complete") && live.contains("/evaluations/run/events?after="), "{live}");
    let stream = house.get(&live).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let mut frames = stream.bytes_stream();
    // Nothing is new to who has just drawn the page.
    let early = tokio::time::timeout(std::time::Duration::from_millis(1_500), frames.next()).await;
    assert!(early.is_err(), "{early:?}");
    observe(&folder, "i2", "direct", "no", "e2");
    let frame = tokio::time::timeout(std::time::Duration::from_secs(5), frames.next()).await.unwrap().unwrap().unwrap();
    assert!(String::from_utf8_lossy(&frame).contains("event: entry"), "{frame:?}");
    assert!(house.text("/evaluations/run").await.contains("2 of 2 observations"));
}

#[tokio::test]
async fn evaluations_need_the_token_like_debates() {
    let house = House::with(false).await;
    folder(&house, "run", &[], 0);
    for path in ["/evaluations", "/evaluations/run", "/evaluations/run/events", "/evaluations/run/report"] {
        assert_eq!(house.get(path).await.status(), 401, "{path}");
        let allowed = house.client.get(house.url(path)).bearer_auth(&house.token).send().await.unwrap();
        assert_ne!(allowed.status(), 401, "{path}");
    }
}
