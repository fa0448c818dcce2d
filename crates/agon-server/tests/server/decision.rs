//! What a reader decides by, above the course of a closed debate.

use crate::server::house::House;

#[tokio::test]
async fn a_closed_debate_shows_first_what_a_decision_needs() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would <xss> decide.").await;
    assert!(!house.text("/debates/d1").await.contains("What would change how it ended"), "it is not over");
    house.play(&id).await;
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let page = house.text("/debates/d1").await;
    let order = [
        "This house would &lt;xss&gt; decide.",
        "class=\"part answer\"",
        "state verdict",
        "class=\"trust\"",
        "id=\"troubles\"",
        "What would change how it ended",
        "What was not settled",
        "id=\"course\"",
    ];
    let mut before = 0;
    for part in order {
        let at = page[before..].find(part).unwrap_or_else(|| panic!("{part} is missing or too early: {page}"));
        before += at;
    }
    // Every number leads to an entry on the page.
    let links: Vec<&str> = page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 4, "{links:?}");
    for link in links {
        assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
    }
}
