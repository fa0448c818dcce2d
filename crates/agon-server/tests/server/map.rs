//! The argument map on the page of a debate, and its report.

use crate::server::house::House;

#[tokio::test]
async fn the_page_of_a_debate_shows_its_map_and_links_its_report() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would <xss> draw.").await;
    let before = house.text("/debates/d1").await;
    assert!(!before.contains("class=\"map\"") && before.contains("href=\"/debates/d1/report\""));
    house.play(&id).await;
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let page = house.text("/debates/d1").await;
    assert!(page.contains("class=\"map\"") && page.contains("stands"), "{page}");
    assert!(house.text("/assets/agon.css").await.contains(".map .statement"), "the map has its style");
    let report = house.get("/debates/d1/report").await;
    assert_eq!(report.status(), 200);
    let policy = report.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && policy.contains("frame-ancestors 'none'"));
    let text = report.text().await.unwrap();
    assert!(text.contains("What did not work") && text.contains("&lt;xss&gt;") && !text.contains("<xss>"));
    assert_eq!(house.get("/debates/d9/report").await.status(), 404);
    let served = house.get("/api/v1/debates/d1/files/report.html").await;
    assert!(served.headers()["content-type"].to_str().unwrap().starts_with("text/plain"), "a file is never run");
}
