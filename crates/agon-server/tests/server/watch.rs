//! The event stream: what a watcher gets, also over many connections.

use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;

use crate::server::house::House;

/// The entries that one connection brings, until there are `most` or nothing comes for a while.
async fn listen(house: &House, path: &str, last: Option<u64>, most: usize) -> Vec<(u64, Value)> {
    let mut request = house.client.get(house.url(path));
    if let Some(last) = last {
        request = request.header("last-event-id", last.to_string());
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut bytes = response.bytes_stream();
    let (mut text, mut entries) = (String::new(), Vec::new());
    while entries.len() < most
        && let Ok(Some(Ok(chunk))) = tokio::time::timeout(Duration::from_secs(2), bytes.next()).await
    {
        text.push_str(std::str::from_utf8(&chunk).unwrap());
        while let Some(end) = text.find("\n\n") {
            let event: String = text.drain(..end + 2).collect();
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            if field("event: ").as_deref() == Some("entry") {
                let data = serde_json::from_str(&field("data: ").unwrap()).unwrap();
                entries.push((field("id: ").unwrap().parse().unwrap(), data));
            }
        }
    }
    // A connection that breaks off may have brought more than its reader took.
    entries.truncate(most);
    entries
}

#[tokio::test]
async fn reconnecting_loses_and_doubles_nothing() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let path = "/api/v1/debates/d1/events";
    let watching = async {
        let mut seen: Vec<u64> = Vec::new();
        for round in 0.. {
            let part = listen(&house, path, seen.last().copied(), 1 + round % 5).await;
            if part.is_empty() {
                break;
            }
            for (seq, entry) in part {
                assert_eq!(entry["seq"], seq);
                seen.push(seq);
            }
        }
        seen
    };
    let (seen, ()) = futures::join!(watching, house.play(&id));
    let length = house.journal.read_record(&id).unwrap().len();
    assert_eq!(seen, (0..length).collect::<Vec<_>>());
    let rest = listen(&house, &format!("{path}?after={}", length - 3), None, 10).await;
    assert_eq!(rest.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [length - 2, length - 1]);
}

#[tokio::test]
async fn many_watchers_see_the_same() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let watching = (0..40).map(|_| listen(&house, "/api/v1/debates/d1/events", None, 12));
    let (all, ()) = futures::join!(futures::future::join_all(watching), house.play(&id));
    assert!(all.iter().all(|seen| *seen == all[0] && seen.len() == 12));
}

#[tokio::test]
async fn what_is_redacted_later_is_not_sent_again() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let path = "/api/v1/debates/d1/events";
    let statement = house.sample(&id, "proposition").await;
    let said = statement["arguments"][0]["claim"].as_str().unwrap().to_owned();
    house.answer(&id, "proposition", &statement).await;
    let other = house.sample(&id, "opposition").await;
    house.answer(&id, "opposition", &other).await;
    let before = listen(&house, path, None, 100).await;
    assert!(before.iter().any(|(_, entry)| entry.to_string().contains(&said)));
    let key = house.journal.read_record(&id).unwrap().answers().next().unwrap().1.key.clone();
    house.redact(&id, &key).await;
    let after = listen(&house, path, None, 100).await;
    assert_eq!(after.len(), before.len() + 1);
    assert!(after.iter().all(|(_, entry)| !entry.to_string().contains(&said)));
}
