//! What a reader decides by, above the course of a closed debate.

use crate::server::house::House;

#[tokio::test]
async fn a_closed_debate_shows_first_what_a_decision_needs() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would <xss> decide.").await;
    assert!(!house.text("/debates/d1").await.contains("What would change the outcome"), "it is not over");
    house.play(&id).await;
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let page = house.text("/debates/d1").await;
    let order = [
        "This house would &lt;xss&gt; decide.",
        "class=\"answer\"",
        "class=\"verdict",
        "class=\"trust\"",
        "What would change the outcome",
        "What was not settled",
        "id=\"troubles\"",
        "id=\"course\"",
    ];
    let mut before = 0;
    for part in order {
        let at =
            page[before..].find(part).unwrap_or_else(|| panic!("{part} is missing or too early: {page}"));
        before += at;
    }
    // Every number leads to an entry that the report shows.
    let report = house.text("/debates/d1/report").await;
    let links: Vec<&str> =
        page.split("href=\"/debates/d1/report#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 4, "{links:?}");
    for link in links {
        assert!(report.contains(&format!("id=\"{link}\"")), "{link}");
    }
}
