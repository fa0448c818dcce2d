//! Honest sentences as people write them, about four pages: nothing is found against any of them. Quotations that are
//! not on a page are all found, and true ones in sixteen languages all stand.

use agon_sources::{
    check::{
        Page,
        ruling::{SourceStanding, compare_citation, compare_passage},
    },
    fetch::Fetched,
    liveness::Liveness,
    text::PageText,
};
use serde_json::Value;

const TALLINN: &str = "Tallinn made its buses, trams and trolleybuses free for registered residents on 1 January 2013.\n\n\
    A survey by the municipality found that the share of trips made by public transport rose from 55 percent to 63 \
    percent between 2012 and 2013.\n\nA regression study of the first months attributes a rise in passenger demand of \
    1.2 percent to free fares alone; the rest followed from new bus lanes and higher frequency.\n\nThe average length of \
    a walking trip fell; the number of car trips fell by 5 percent, but the average length of a car trip rose by 31 \
    percent.";
const DUNKIRK: &str = "Dunkirk introduced free buses for everyone on 1 September 2018, together with a rebuilt network.\n\n\
    Ridership rose by 65 percent on weekdays and by 125 percent at weekends in the first year.\n\nFare revenue had covered \
    about 10 percent of operating costs before the change. The cost was met by raising the transport tax on employers.\n\n\
    In a survey of 2,000 users, 48 percent of new riders said that they had replaced a car trip.";
const ELASTICITY: &str = "A review of 81 studies puts the short-run fare elasticity of bus demand at about -0.4, and the \
    elasticity with respect to service frequency at about 0.5 in the short run and 0.7 in the long run.\n\nPer euro spent, \
    frequency raises ridership more than fare cuts where fares cover more than a fifth of the costs.";
const BUDGET: &str = "Harborough Transit costs 412 million crowns a year to run. Fares bring in 138 million crowns, a third \
    of the cost.\n\nFare collection (machines, inspectors, bank fees) costs 19 million crowns a year.\n\nTrams run at 96 \
    percent of capacity in the morning peak.\n\nForty-one percent of the lowest-income fifth of households hold no monthly \
    pass.";

/// Honest sentences, exact and derived, that were once held against their authors.
const HONEST: [(&str, &str); 20] = [
    (
        "Fare collection alone costs Harborough 19 million crowns a year, and not one of those crowns moves a passenger",
        BUDGET,
    ),
    (
        "One look at the budget is enough: fares bring in 138 million crowns, a third of what the network costs to run",
        BUDGET,
    ),
    (
        "At half past seven the trams are full; the budget puts them at 96 percent of capacity in the morning peak",
        BUDGET,
    ),
    ("As Mara said in seq 7, forty-one percent of the lowest-income fifth of households hold no monthly pass", BUDGET),
    (
        "In Dunkirk ridership rose by 65 percent on weekdays and by 125 percent at weekends, and it took one year",
        DUNKIRK,
    ),
    (
        "I grant Oskar his point, but 48 percent of the new riders in Dunkirk said that they had replaced a car trip",
        DUNKIRK,
    ),
    (
        "If we abolish fares on 1 January, in Dunkirk fare revenue had covered only about 10 percent of operating costs",
        DUNKIRK,
    ),
    (
        "A zero fare is not the whole story: a study attributes a rise in demand of 1.2 percent to free fares alone",
        TALLINN,
    ),
    (
        "The share of trips rose from 55 percent to 63 percent between 2012 and 2013, two years in which much else changed",
        TALLINN,
    ),
    (
        "A review of 81 studies puts it at about -0.4, and I ask the council to read that number twice before Tuesday",
        ELASTICITY,
    ),
    (
        "A rider at eleven lacks a tram, not a ticket: the elasticity is about 0.5 in the short run and 0.7 in the long run",
        ELASTICITY,
    ),
    ("Harborough Transit costs 412 million crowns a year to run; I have spent ten years on those trams", BUDGET),
    (
        "The first thing to notice is that car trips fell by 5 percent while their average length rose by 31 percent",
        TALLINN,
    ),
    (
        "Dunkirk made its buses free on 1 September 2018, and on one and the same day it opened a rebuilt network",
        DUNKIRK,
    ),
    (
        "Without fares Harborough saves 19 million crowns, so that of 138 million crowns it must replace 119 million",
        BUDGET,
    ),
    (
        "Fares bring in 138 million crowns and cost 19 million: about one crown in seven is spent on collecting the rest",
        BUDGET,
    ),
    (
        "The share of trips made by public transport in Tallinn rose by eight percentage points, from 55 to 63 percent",
        TALLINN,
    ),
    ("Fifty-nine percent of the lowest-income fifth of households in Harborough do hold a monthly pass", BUDGET),
    ("Just over half of the new riders of 2,000 had not replaced a car trip, since 48 percent had", DUNKIRK),
    ("Harborough must find a third of 412 million crowns, roughly 137 million, if fares go", BUDGET),
];
/// Words in quotation marks that their page does not hold.
const MISQUOTED: [(&str, &str); 6] = [
    ("Fare collection costs 91 million crowns a year", BUDGET),
    ("84 percent of new riders said that they had replaced a car trip", DUNKIRK),
    ("the share of trips made by public transport fell from 63 percent to 55 percent", TALLINN),
    ("Trams run at 96 percent of capacity all day long", BUDGET),
    ("A review of 81 studies shows that free fares never bring new riders", ELASTICITY),
    ("in Tallinn, where the poor had free passes long before, demand rose", TALLINN),
];

fn page(text: &str) -> Fetched {
    // Every page is long enough to be known as read whole.
    let text = format!("{text}\n\n{}", "More is said here about the history of the town. ".repeat(40));
    let said = PageText { text, ..PageText::default() };
    Fetched { page: Some(Page::from_text(said).into()), ..Fetched::unread("https://a.b", Liveness::Live, "") }
}

#[test]
fn nothing_is_found_against_an_honest_sentence() {
    for (said, text) in HONEST {
        let report = compare_passage(&format!("{said} (https://a.b)."), &[page(text)]).remove(0);
        assert_eq!(report.standing, SourceStanding::Unverified, "{said}: {}", report.why);
        let quote = text.split("\n\n").next().unwrap();
        let report = compare_citation(quote, &page(text));
        assert_eq!(report.standing, SourceStanding::Verified, "{quote}: {}", report.why);
    }
}

#[test]
fn every_quotation_that_is_not_there_is_found() {
    for (quote, text) in MISQUOTED {
        assert_eq!(compare_citation(quote, &page(text)).standing, SourceStanding::Unreliable, "{quote}");
        let said = format!("It says: \"{quote}\" (https://a.b).");
        let report = compare_passage(&said, &[page(text)]).remove(0);
        assert_eq!(report.standing, SourceStanding::Unreliable, "{quote}");
    }
}

#[test]
fn true_quotations_in_many_languages_stand_and_those_of_other_pages_do_not() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../agon-protocols/tests/readings/claims.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 110);
    let field = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    for (at, row) in rows.iter().enumerate() {
        let (quote, text) = (field(row, "quote"), field(row, "page"));
        let report = compare_citation(&quote, &page(&text));
        assert_eq!(report.standing, SourceStanding::Verified, "{}: {}", row["id"], report.why);
        let other = field(&rows[(at + 1) % rows.len()], "quote");
        if !text.contains(&other) {
            assert_ne!(compare_citation(&other, &page(&text)).standing, SourceStanding::Verified, "{}", row["id"]);
        }
    }
}
