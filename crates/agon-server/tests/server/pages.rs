//! Pages: what others wrote is text, and everything works without JavaScript.

use std::collections::BTreeSet;

use agon_core::{DebateId, Digest, Event, Outcome, sample};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::server::house::House;

/// Everything that must never become more than text.
const PROBE: &str = "<script>alert(1)</script> <img src=x onerror=alert(2)> ![x](http://evil.example/a.png) \
    [y](javascript:alert(3)) <a href=\"javascript:alert(4)\">z</a> \"><svg onload=alert(5)> \u{202e}turned\u{1b}[2J &lt;b&gt;";

/// A page in which nothing of [`PROBE`] works.
fn is_inert(page: &str, place: &str) {
    let lower = page.to_lowercase();
    for active in ["<script>alert", "<img", "<svg onload", "<a href=\"javascript", "onerror=alert(2)>"] {
        assert!(!lower.contains(active), "{place}: {active}");
    }
    assert!(!page.contains(['\u{1b}', '\u{202e}']), "{place}: unseen characters");
    assert!(lower.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{place}: the text is not there");
    for line in page.match_indices("src=\"").chain(page.match_indices("action=\"")) {
        assert!(page[line.0..].split('"').nth(1).unwrap().starts_with('/'), "{place}");
    }
}

/// A statement that stands, with [`PROBE`] in it where no rule compares it with the others.
fn probed(statement: &mut Value) {
    let arguments = &mut statement["arguments"];
    let claim = arguments[0]["claim"].as_str().unwrap_or_default().to_owned();
    arguments[0]["claim"] = format!("{claim} {PROBE}").into();
    arguments[1]["grounds"][0]["source"] = PROBE.into();
    arguments[2]["title"] = "A title <script>alert(1)</script> of markup".into();
}

#[tokio::test]
async fn what_others_wrote_is_text() {
    let house = House::new().await;
    let id = house.debate("d1", &format!("This house would {PROBE}")).await;
    is_inert(&house.text("/").await, "list");
    is_inert(&house.text("/debates/d1").await, "motion");
    let mut statement = house.sample(&id, "proposition").await;
    probed(&mut statement);
    house.answer(&id, "proposition", &statement).await;
    let statement = house.sample(&id, "opposition").await;
    house.answer(&id, "opposition", &statement).await;
    let page = house.text("/debates/d1").await;
    is_inert(&page, "statements");
    assert!(page.contains("prop_000a"), "the statements stand");
    let claim = json!({"holder": format!("A{}", &PROBE[..70])});
    assert_eq!(house.post("/api/v1/debates/d1/seats/judge/claim", claim).await.0, 200);
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let page = house.text("/debates/d1").await;
    assert!(page.contains("Held by A&lt;script&gt;"));
    is_inert(&page, "holder");
    is_inert(&house.text("/?q=%3Cscript%3Ealert(1)%3C/script%3E").await, "search");
    // A form gives back what was filled in, character by character.
    let typed = PROBE.replace(['\u{1b}', '\u{202e}'], "");
    let refused = house.form("/debates", &[("motion", ""), ("seats", &typed)]).await;
    assert_eq!(refused.status(), 422);
    is_inert(&refused.text().await.unwrap(), "form");
    for path in ["/debates/%3Cscript%3E", "/%3Cscript%3Ealert(1)%3C/script%3E"] {
        let answer = house.get(path).await;
        assert_eq!(answer.status(), 404);
        assert!(!answer.text().await.unwrap().contains("<script>"));
    }
}

#[tokio::test]
async fn the_same_words_to_another_request_are_another_answer() {
    let house = House::new().await;
    house.form("/debates", &[("protocol", "exchange"), ("motion", "This house would rest.")]).await;
    let id = DebateId::new("started").unwrap();
    for (answers, key) in [(1, "exchange-000/proposition"), (2, "exchange-000/proposition/redraft-1")] {
        let fields = [("holder", "Ada"), ("raw", r#"{"said": true}"#), ("key", key)];
        // The second press of each is the first one's.
        for _ in 0..2 {
            assert_eq!(house.form("/debates/started/seats/proposition", &fields).await.status(), 303);
            assert_eq!(house.journal.read_record(&id).unwrap().answers().count(), answers, "{key}");
        }
    }
}

#[tokio::test]
async fn a_debate_is_started_and_answered_by_forms_alone() {
    let house = House::new().await;
    let refused = house.form("/debates", &[("protocol", "exchange"), ("motion", " ")]).await;
    assert_eq!(refused.status(), 422);
    assert!(refused.text().await.unwrap().contains("The motion is empty."));
    let started = house.form("/debates", &[("protocol", "exchange"), ("motion", "This house would rest.")]).await;
    assert_eq!(
        (started.status().as_u16(), &started.headers()["location"]),
        (303, &"/debates/started".parse().unwrap())
    );

    let id = DebateId::new("started").unwrap();
    let page = house.client.get(house.url("/debates/started")).header("cookie", house.cookie().await);
    let page = page.send().await.unwrap().text().await.unwrap();
    assert!(page.contains("action=\"/debates/started/seats/proposition#seat-proposition\""));
    assert!(page.contains("name=\"f/arguments/2/grounds/0/content\""));
    assert!(!house.text("/debates/started").await.contains("<form method=\"post\""), "readers get no forms");

    let sample = house.sample(&id, "proposition").await;
    let mut fields = vec![("holder".to_owned(), "Ada".to_owned())];
    flat(&sample, "f", &mut fields);
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let stale = [&fields[..], &[("key", "exchange-007/proposition")]].concat();
    let answer = house.form("/debates/started/seats/proposition", &stale).await;
    assert_eq!(answer.status(), 409);
    assert!(answer.text().await.unwrap().contains("value=\"Ada\""), "what was filled in is kept");
    assert_eq!(house.form("/debates/started/seats/proposition", &[("holder", "Ada")]).await.status(), 422);
    let keyed = [&fields[..], &[("key", "exchange-000/proposition")]].concat();
    // A button that is pressed again and again sends one answer.
    let sent = (0..8).map(|_| house.form("/debates/started/seats/proposition", &keyed));
    let answers = futures::future::join_all(sent).await;
    let codes: Vec<u16> = answers.iter().map(|answer| answer.status().as_u16()).collect();
    assert_eq!(codes, [303; 8], "each press is told that the answer stands");
    for _ in 0..2 {
        let answer = house.form("/debates/started/seats/proposition", &keyed).await;
        assert_eq!(answer.status(), 303, "it stands");
    }
    assert_eq!(house.journal.read_record(&id).unwrap().answers().count(), 1);
    let record = house.journal.read_record(&id).unwrap();
    let (_, answered) = record.answers().next().unwrap();
    assert_eq!(answered.by.participant, "outside:Ada");
    assert_eq!(serde_json::from_str::<Value>(answered.reply.text().unwrap()).unwrap(), sample);
    assert!(house.journal.list_leases(&id).unwrap().is_empty(), "the seat is free again");

    let raw = house.sample(&id, "opposition").await.to_string();
    let answer = house.form("/debates/started/seats/opposition", &[("holder", "Bob"), ("raw", &raw)]).await;
    assert_eq!(answer.status(), 303);
    let page = house.text("/debates/started").await;
    assert!(page.contains("Judge</h2>") || page.contains("Judge is asked"));
    assert!(page.contains("<span>Ada, from outside</span>") && page.contains("<dd>from outside"), "{page}");
    assert!(!page.contains("outside:"), "{page}");
}

#[tokio::test]
async fn what_is_wrong_in_a_form_stands_at_its_field() {
    let house = House::new().await;
    for (wrong, value) in [("motion", " "), ("rounds", "many")] {
        let mut sent = vec![("protocol", "exchange"), ("motion", "This house would rest."), ("rounds", "1")];
        sent.iter_mut().filter(|(name, _)| *name == wrong).for_each(|field| field.1 = value);
        let page = house.form("/debates", &sent).await.text().await.unwrap();
        for part in [
            "<title>Error: agon</title>".to_owned(),
            format!("<a href=\"#start-{wrong}\">"),
            format!("<p class=\"fault\" id=\"start-{wrong}-fault\">"),
            format!("aria-invalid=\"true\" aria-describedby=\"start-{wrong}-fault\""),
        ] {
            assert!(page.contains(&part), "{part}: {page}");
        }
        assert_eq!(page.matches("aria-invalid").count(), 1, "{wrong}");
    }
    house.form("/debates", &[("protocol", "exchange"), ("motion", "This house would rest.")]).await;
    let mut fields = vec![("holder".to_owned(), "Ada".to_owned())];
    let sample = house.sample(&DebateId::new("started").unwrap(), "proposition").await;
    flat(&sample, "f", &mut fields);
    let title = fields.iter_mut().find(|(name, _)| name == "f/arguments/1/title").unwrap();
    title.1 = "long ".repeat(100);
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let page = house.form("/debates/started/seats/proposition", &fields).await.text().await.unwrap();
    let field = "exchange-000/proposition/arguments/1/title";
    for part in [
        "<title>Error: This house would rest.".to_owned(),
        format!("<a href=\"#{field}\">"),
        format!("<p class=\"fault\" id=\"{field}-fault\">"),
        format!("aria-invalid=\"true\" aria-describedby=\"{field}-fault\""),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    assert_eq!(page.matches("aria-invalid").count(), 1);
}

#[tokio::test]
async fn an_empty_answer_is_told_at_its_fields_and_the_reader_is_there() {
    let house = House::new().await;
    house.form("/debates", &[("protocol", "exchange"), ("motion", "This house would rest.")]).await;
    let empty = [("holder", "Ada"), ("key", "exchange-000/proposition")];
    let page = house.form("/debates/started/seats/proposition", &empty).await.text().await.unwrap();
    let complaint = page.split("<div class=\"complaint\" role=\"alert\" tabindex=\"-1\" autofocus>").nth(1).unwrap();
    let complaint = complaint.split("</div>").next().unwrap();
    let links: Vec<&str> = complaint.split("<a href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(!links.is_empty(), "{complaint}");
    for id in links {
        assert!(page.contains(&format!(" id=\"{id}\"")), "{id}: {page}");
        assert!(page.contains(&format!("<p class=\"fault\" id=\"{id}-fault\">")), "{id}: {page}");
    }
    let refused = house.form("/debates", &[("motion", "")]).await.text().await.unwrap();
    assert!(refused.contains("role=\"alert\" tabindex=\"-1\" autofocus"), "{refused}");
}

#[tokio::test]
async fn a_review_without_material_is_told_of_the_fields_for_it() {
    let house = House::new().await;
    let sent = [("protocol", "review"), ("context_text", ""), ("context", "")];
    let refused = house.form("/debates", &sent).await;
    assert_eq!(refused.status(), 422);
    let page = refused.text().await.unwrap();
    for part in [
        "<a href=\"#start-context_text\">Review needs material.</a>",
        "Fill in “Text” or “Pages”.",
        "aria-describedby=\"start-context_text-fault\"",
        "<details open><summary>Material",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("--context"), "{page}");
}

#[tokio::test]
async fn a_row_of_the_list_says_what_when_and_how_it_ended() {
    let house = House::new().await;
    let mut opened = sample::opened_for(agon_protocols::find_protocol("revise").unwrap().manifest());
    (opened.debate, opened.motion) = (DebateId::new("r1").unwrap(), "reading ".repeat(40));
    opened.documents.clear();
    let id = opened.debate.clone();
    house.journal.create_debate(Event::Opened(opened), Vec::new(), None).await.unwrap();
    house.append(&id, Event::Closed { outcome: Outcome::valid("max_rounds", "The rounds are used up.") }).await;
    let at = house.journal.find_summary(&id).unwrap().unwrap().opened_at;
    let page = house.text("/").await;
    let minute = at[..16].replace('T', " ");
    for part in [
        "<h2 dir=\"auto\" lang=\"\"><a href=\"/debates/r1\">reading reading".to_owned(),
        " reading…</a>".to_owned(),
        format!("<time datetime=\"{at}\" title=\"UTC\">{minute}</time>"),
        "<span>r1</span>".to_owned(),
        "<span>Joined without agreement</span>".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
}

#[tokio::test]
async fn no_two_parts_of_the_first_page_have_one_id() {
    let house = House::new().await;
    for protocol in agon_protocols::ALL {
        let wanted = format!("kind:{}", protocol.name());
        let page = house.form("/debates", &[("wants", wanted.as_str())]).await.text().await.unwrap();
        assert!(page.contains("href=\"#start-heading\"") && page.contains(" id=\"start-heading\""), "{page}");
        let mut seen = BTreeSet::new();
        for id in page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(seen.insert(id), "{}: {id}", protocol.name());
        }
    }
}

#[tokio::test]
async fn a_review_with_the_usual_motion_is_called_after_its_files() {
    let house = House::new().await;
    let review = agon_protocols::find_protocol("review").unwrap().manifest();
    let file = |path: &str| json!({"path": path, "kind": "file", "digest": "d", "lines": 3});
    let files = [file("src/a.rs"), file("src/<b>.rs"), file("c.md")];
    let list = json!({"version": 1, "sources": ["src"], "files": files, "left_out": []}).to_string();
    for (id, motion) in [("r1", review.motion_default.as_deref().unwrap()), ("r2", "Find holes.")] {
        let mut opened = sample::opened_for(review);
        (opened.debate, opened.motion) = (DebateId::new(id).unwrap(), motion.to_owned());
        opened.documents.insert("material".into(), Digest::from_content(&list));
        let texts = vec![(Digest::from_content(&list), list.clone())];
        house.journal.create_debate(Event::Opened(opened), texts, None).await.unwrap();
    }
    let named = "Find the errors in this material: src/a.rs, src/&lt;b&gt;.rs and 1 more";
    let page = house.text("/").await;
    assert!(page.contains(&format!(">{named}</a>")) && page.contains(">Find holes.</a>"), "{page}");
    let page = house.text("/debates/r1").await;
    assert!(page.contains(&format!(">{named}</h1>")), "{page}");
}

#[tokio::test]
async fn what_a_debate_would_cost_is_said_beside_the_filled_form() {
    let house = House::new().await;
    let fields = [
        ("protocol", "exchange"),
        ("motion", "This house would rest."),
        ("judges", "3"),
        ("mirror", "yes"),
        ("wants", "plan"),
    ];
    let planned = house.form("/debates", &fields).await;
    assert_eq!(planned.status(), 200);
    let page = planned.text().await.unwrap();
    assert!(page.contains("3 judges &lt;b&gt;, 1 call"), "{page}");
    assert!(page.contains("name=\"mirror\" value=\"yes\" checked"), "what was filled in is kept: {page}");
    assert_eq!(house.json("/api/v1/debates").await.as_array().unwrap().len(), 0, "nothing is opened");
    let refused = house.form("/debates", &[("definitions", "no sign"), ("wants", "plan")]).await;
    assert_eq!(refused.status(), 422);
}

#[tokio::test]
async fn a_blind_judgment_names_arguments_as_readers_know_them() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    for seat in ["proposition", "opposition"] {
        let statement = house.sample(&id, seat).await;
        house.answer(&id, seat, &statement).await;
    }
    let awaited = house.text("/debates/d1").await;
    assert!(
        awaited.contains("data-called=\"prop opp ") || awaited.contains("data-called=\"opp prop "),
        "the script is told whom A and B mean"
    );
    let mut judgment = house.sample(&id, "judge").await;
    assert!(judgment["grades"][0]["argument_id"].as_str().unwrap().starts_with(['a', 'b']), "{judgment}");
    judgment["grades"][0]["reasoning"] = "It answers b_000c, and Side A says nothing to that.".into();
    house.answer(&id, "judge", &judgment).await;
    let page = house.text("/debates/d1").await;
    let words = page.split("It answers ").nth(1).unwrap().split("</p>").next().unwrap();
    let wanted = [("opp_000c", "the proposition"), ("prop_000c", "the opposition")];
    assert!(
        wanted.iter().any(|(id, side)| *words == format!("{id}, and {} says nothing to that.", capital(side))),
        "{words}"
    );
    assert!(!page.contains(">a_000") && !page.contains(">b_000"), "{page}");
    assert!(page.contains("href=\"#prop_000a\""), "an id leads to its argument");
    let record = house.json("/api/v1/debates/d1/entries").await.to_string();
    assert!(record.contains("a_000a") && record.contains("Side A"), "the record stays as it was said");
}

fn capital(side: &str) -> String {
    side.replacen("the", "The", 1)
}

fn flat(value: &Value, name: &str, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| flat(value, &format!("{name}/{key}"), fields)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| flat(value, &format!("{name}/{at}"), fields))
        }
        Value::String(text) => fields.push((name.to_owned(), text.clone())),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

#[tokio::test]
async fn a_person_acts_from_the_page_and_is_told_why_not() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    let act = |act: &'static str, more: &'static [(&'static str, &'static str)]| {
        let fields = [&[("name", "Ada"), ("act", act)], more].concat();
        let house = &house;
        async move { house.form("/debates/d1/acts", &fields).await }
    };
    for (sent, status, said) in [
        (act("interject", &[("text", "Hear <b>me</b>.")]).await, 409, "takes no interjections"),
        (act("pause", &[("why", "<script>lunch</script>")]).await, 303, ""),
        (act("pause", &[]).await, 409, "Ada paused the debate"),
        (act("", &[]).await, 422, "No action was chosen"),
        (act("resume", &[]).await, 303, ""),
        (act("cancel", &[("why", "a mistake")]).await, 303, ""),
        (act("pause", &[]).await, 410, "The debate is closed"),
        (act("extend", &[("rounds", "x")]).await, 422, "is not a valid number"),
        (act("extend", &[("rounds", "1")]).await, 303, ""),
    ] {
        assert_eq!(sent.status(), status, "{said}");
        let page = sent.text().await.unwrap();
        assert!(page.contains(said), "{said}");
        assert!(!page.contains("<script>lunch"), "{said}");
    }
    let page = house.form("/debates/d1/acts", &[("name", "Ada"), ("act", "")]).await.text().await.unwrap();
    assert!(page.contains("for a pause or a cancellation, after which the debate can be extended"), "{page}");
    let page = house.text("/debates/d1").await;
    for part in ["Ada paused the debate: &lt;script&gt;lunch", "continued the debate", "a mistake", "was extended"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(house.journal.read_record(&id).unwrap().closing_outcome().is_none());
}

#[tokio::test]
async fn a_page_tells_the_whole_debate() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest.").await;
    house.play(&id).await;
    let page = house.text("/debates/d1").await;
    for part in [
        ">This house would rest.</h1>",
        "Opening exchange",
        "Exchange 1",
        "id=\"prop_000a\"",
        "<svg",
        "Usage",
        "record.jsonl",
        "<main",
        "lang=\"en\"",
        "Skip to the content",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("style=\"") && !page.contains("onclick"), "nothing inline");
    assert_eq!(page.matches("<script").count(), 1);
    for asset in ["/assets/agon.css", "/assets/agon.js", "/assets/agon.svg"] {
        let text = house.text(asset).await;
        let elsewhere = text.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !elsewhere.contains("http:") && !elsewhere.contains("https:") && !elsewhere.contains("@import"),
            "{asset}"
        );
    }
}

#[tokio::test]
async fn the_list_is_narrowed_turns_pages_and_shows_where_a_word_stands() {
    let house = House::new().await;
    let id = house.debate("d1", "This house would rest on Sundays.").await;
    house.play(&id).await;
    let second = house.debate("d2", "A second motion.").await;
    let item = format!("eval-{}", "a".repeat(24));
    house.debate(&item, "An item of an evaluation.").await;
    let ids = ["d1", "d2", &item];
    let listed = |page: &str| ids.map(|id| page.contains(&format!("href=\"/debates/{id}\"")));
    for (query, wanted) in [
        ("", [true, true, false]),
        ("?evaluations=1", [true, true, true]),
        ("?state=open", [false, true, false]),
        ("?state=open&evaluations=1", [false, true, true]),
        ("?kind=exchange&state=ended", [true, false, false]),
        ("?kind=duel", [false, false, false]),
        ("?page=1", [false, false, false]),
        ("?page=x", [true, true, false]),
        ("?q=%22would%20rest%20on%22", [true, false, false]),
        ("?q=%22rest%20would%22", [false, false, false]),
    ] {
        let page = house.text(&format!("/{query}")).await;
        assert_eq!(listed(&page), wanted, "{query}");
        assert_eq!(page.contains("No debate fits."), wanted == [false; 3], "{query}");
    }
    // A line tells what the debate came to, and by which labels it is found.
    house.journal.update_labels(&id, vec!["rest".into()], Vec::new()).await.unwrap();
    for (query, wanted) in [("?label=rest", [true, false, false]), ("?label=work", [false; 3])] {
        assert_eq!(listed(&house.text(&format!("/{query}")).await), wanted, "{query}");
    }
    let line = house.text("/?label=rest").await;
    let record = house.journal.read_record(&id).unwrap();
    let answer = agon_report::views_of(&record).list_stated_answers(&record).remove(0).answer.action;
    for told in [&answer, " points", ">outside<", "href=\"/?label=rest\""] {
        assert!(line.contains(told), "{told}: {line}");
    }
    // Who took part is found by name, and a sign that means more to the journal means itself.
    let (_, answered) = record.answers().next().unwrap();
    let person = answered.by.participant.strip_prefix("outside:").unwrap();
    assert!(line.contains(&format!("href=\"/?person={person}\">{person}</a>")), "{person}: {line}");
    let home = tempfile::tempdir().unwrap();
    let protocol = agon_protocols::find_rules(&record).unwrap();
    let desk = agon_runtime::outside_seats::OutsideSeats {
        journal: &house.journal,
        home: home.path(),
        debate: &second,
        protocol,
    };
    desk.pause_debate("O\"Neill", "Lunch.").await.unwrap();
    let found = [
        (person, [true, false, false]),
        ("O%22Neill", [false, true, false]),
        ("%25", [false; 3]),
        ("_%22Neill", [false; 3]),
    ];
    for (person, wanted) in found {
        assert_eq!(listed(&house.text(&format!("/?person={person}")).await), wanted, "{person}");
    }
    let page = house.text("/?q=SAMPLE").await;
    assert!(page.contains("<mark>sample</mark>"), "{page}");
    assert!(page.contains("<p class=\"passage\" dir=\"auto\" lang=\"\">"), "{page}");
    let entry = page.split("/debates/d1#").nth(1).unwrap().split('"').next().unwrap();
    assert!(house.text("/debates/d1").await.contains(&format!("id=\"{entry}\"")), "{entry}");
    for number in 0..50 {
        house.debate(&format!("more-{number}"), "One of many.").await;
    }
    let newest = house.text("/").await;
    assert!(newest.contains(">Older<") && !newest.contains(">Newer<") && listed(&newest) == [false; 3]);
    let older = house.text("/?page=1").await;
    assert!(!older.contains(">Older<") && older.contains(">Newer<") && listed(&older) == [true, true, false]);
}

#[tokio::test]
async fn pages_are_compressed_for_those_who_take_it_and_streams_are_not() {
    let house = House::new().await;
    house.debate("d1", &"This house would rest. ".repeat(100)).await;
    let ask = |path: &str, takes: &'static str| {
        house.request(Method::GET, path).bearer_auth(&house.token).header("accept-encoding", takes).send()
    };
    let plain = ask("/debates/d1", "identity").await.unwrap();
    assert_eq!(plain.headers().get("content-encoding"), None);
    let plain = plain.bytes().await.unwrap();
    let packed = ask("/debates/d1", "gzip, br").await.unwrap();
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let packed = packed.bytes().await.unwrap();
    assert!(packed.len() * 3 < plain.len(), "{} of {}", packed.len(), plain.len());
    let stream = ask("/api/v1/debates/d1/events", "gzip").await.unwrap();
    assert_eq!((stream.status(), stream.headers().get("content-encoding")), (StatusCode::OK, None));
}
