//! The course of declared protocols: who is asked when, who sees what, what is counted, and how it
//! ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Event, Extension, Facts, Failed, FailureKind, Outcome, Protocol, Record, Reply, Request,
    RulingKind, Stamp, Step, View, compute_next_step, sample,
};
use agon_protocols::declared;
use serde_json::{Value, json};

const DELPHI: &str = include_str!("../../../examples/protocols/delphi.toml");
const PRE_MORTEM: &str = include_str!("../../../examples/protocols/pre-mortem.toml");
const EVERYTHING: &str = include_str!("laws/everything.toml");

/// What was asked, by key, with the facts of its prompt.
type Asked = Vec<(String, Facts)>;

fn protocol(text: &str) -> &'static dyn Protocol {
    let declaration = declared::parse_declaration(text).unwrap();
    declared::intern_protocol(text, &declaration, &BTreeMap::new()).unwrap()
}

fn at() -> Stamp {
    Stamp("2026-01-01T00:00:00.000Z".into())
}

fn begin(protocol: &dyn Protocol, rounds: u32) -> Record {
    let mut opened = sample::opened_for(protocol.manifest());
    opened.limits.rounds = rounds;
    Record::open(opened, at()).unwrap()
}

/// Plays to the next end: `said` answers by key, `null` for a seat that fails, else a sample.
fn play(protocol: &dyn Protocol, record: &mut Record, said: impl Fn(&str) -> Option<Value>) -> (Outcome, Asked) {
    let mut asked = Asked::new();
    loop {
        match compute_next_step(protocol, record).unwrap() {
            Step::Close(outcome) => {
                record.append_event(at(), Event::Closed { outcome: outcome.clone() }).unwrap();
                return (outcome, asked);
            }
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(at(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let request: &Request = &open[0];
                let view = View::new(record, request);
                let schema = protocol.answer_schema(&view, request);
                asked.push((request.key.to_string(), protocol.prompt_facts(&view, request)));
                let reply = match said(request.key.as_str()) {
                    Some(Value::Null) => Reply::Failed(Failed { kind: FailureKind::Refused, detail: "no".into() }),
                    Some(Value::String(text)) => Reply::Said { text },
                    Some(value) => Reply::Said { text: value.to_string() },
                    None => Reply::Said { text: sample::sample_answer(schema.as_ref(), asked.len() as u64) },
                };
                let answered = Answered::new(request.key.clone(), reply, Answerer::default());
                record.append_event(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
}

fn extend(record: &mut Record, rounds: u32) {
    let limits = Extension { rounds, ..Extension::default() };
    record.append_event(at(), Event::Extended { limits }).unwrap();
}

fn facts<'a>(asked: &'a Asked, key: &str) -> &'a Facts {
    let keys = || asked.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>();
    &asked.iter().find(|(asked, _)| asked == key).unwrap_or_else(|| panic!("{key} is none of {:?}", keys())).1
}

/// Estimates of four experts by round.
fn estimates(rounds: &'static [[i64; 4]]) -> impl Fn(&str) -> Option<Value> {
    move |key| {
        let (round, expert) = key.strip_prefix("estimates/round-")?.split_once("/estimate/expert-")?;
        let (round, expert): (usize, usize) = (round.parse().ok()?, expert.parse().ok()?);
        Some(json!({"reason": format!("because of {round} and {expert}"), "estimate": rounds[round - 1][expert - 1]}))
    }
}

#[test]
fn medians_are_computed_and_estimates_stay_sealed() {
    let delphi = protocol(DELPHI);
    let mut record = begin(delphi, 3);
    let said = estimates(&[[10, 20, 30, 100], [24, 24, 26, 80], [25, 25, 25, 60]]);
    let (outcome, asked) = play(delphi, &mut record, said);
    assert_eq!(outcome.name, "estimated");
    assert!(outcome.summary.contains("median of estimate is 25"), "{}", outcome.summary);
    let first = facts(&asked, "estimates/round-1/estimate/expert-1");
    assert_eq!(first["figures"], json!({}));
    let second = facts(&asked, "estimates/round-2/estimate/expert-1");
    assert_eq!(second["figures"]["estimate"]["estimate"]["median"], 25);
    let seen = second["last"]["estimate"].as_array().unwrap();
    assert_eq!((seen.len(), &seen[0]["estimate"], &seen[0]["by"]), (1, &json!(10), &json!("you")));
    assert!(!json!(second).to_string().contains("because of 1 and 3"), "another's estimate is shown");
    // The facilitator sees all of them, and not whose they are.
    let facilitator = facts(&asked, "estimates/round-1/reasons/facilitator");
    let names: Vec<&str> =
        facilitator["last"]["estimate"].as_array().unwrap().iter().map(|s| s["by"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B", "C", "D"]);
    let shown = json!([facilitator["last"], facilitator["said"], facilitator["heard"]]).to_string();
    assert!(!shown.to_lowercase().contains("expert"), "{shown}");
}

#[test]
fn places_tell_nothing_of_seats() {
    let delphi = protocol(DELPHI);
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let mut record = begin(delphi, 1);
        let mut opened = record.opened().clone();
        opened.seed = seed;
        record = Record::open(opened, at()).unwrap();
        let (_, asked) = play(delphi, &mut record, estimates(&[[1, 2, 3, 4]]));
        let facts = facts(&asked, "estimates/round-1/reasons/facilitator");
        let order = |list: &str| {
            let list = if list.is_empty() { &facts["heard"] } else { &facts[list]["estimate"] };
            let numbers = list.as_array().unwrap().iter().filter_map(|said| said["estimate"].as_i64());
            numbers.collect::<Vec<_>>()
        };
        assert_eq!((order("last"), order("said")), (order(""), order("")));
        orders.insert(order("last"));
    }
    assert!(orders.len() > 5, "{orders:?}");
}

#[test]
fn the_number_of_a_thing_tells_nothing_of_seats() {
    let text = EVERYTHING.replace("name = \"proposal\"", "name = \"proposal\"\nanonymous = true");
    let everything = protocol(&text);
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let mut opened = sample::opened_for(everything.manifest());
        opened.seed = seed;
        let mut record = Record::open(opened, at()).unwrap();
        let said = |key: &str| key.contains("/proposal/").then(|| json!(format!("from {key}")));
        let (_, asked) = play(everything, &mut record, said);
        let things = facts(&asked, "ballots/round-1/ballot/voter-1")["things"]["best"].to_string();
        assert!(things.contains("proposal/voter-3"), "{things}");
        orders.insert(things);
    }
    assert!(orders.len() > 5, "{orders:?}");
}

#[test]
fn a_stable_median_ends_the_rounds_and_an_extension_goes_on() {
    let delphi = protocol(DELPHI);
    let mut record = begin(delphi, 5);
    let said = || estimates(&[[10, 20, 30, 100], [24, 25, 25, 26], [40, 40, 40, 40], [40, 40, 40, 41]]);
    let (_, asked) = play(delphi, &mut record, said());
    assert!(asked.iter().all(|(key, _)| !key.contains("round-3")), "25 after 25 is stable");
    let stable = record.rulings().find(|(_, _, ruling)| ruling.kind == RulingKind::Converged).unwrap().2;
    assert_eq!(stable.text, "The median of estimate is stable: 25, then 25");
    extend(&mut record, 0);
    let (_, asked) = play(delphi, &mut record, said());
    assert_eq!(asked.len(), 0, "no round more was allowed");
    extend(&mut record, 2);
    let (outcome, asked) = play(delphi, &mut record, said());
    let keys: Vec<&str> = asked.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys.first(), Some(&"estimates/round-3/estimate/expert-1"), "the question is not asked again");
    assert_eq!(keys.last(), Some(&"lap-1/report/round-1/report/facilitator"));
    assert!(keys.contains(&"estimates/round-4/reasons/facilitator"));
    assert!(outcome.summary.contains("is 40"), "{}", outcome.summary);
}

#[test]
fn votes_are_counted_on_the_list_that_was_voted_on() {
    let pre_mortem = protocol(PRE_MORTEM);
    let mut record = begin(pre_mortem, 1);
    let said = |key: &str| match key {
        "causes/round-1/list/moderator" => Some(json!({"causes": ["late", "dear", "dull"]})),
        "causes/round-2/list/moderator" => Some(json!({"causes": ["new", "dear", "late", "dull"]})),
        _ if key.starts_with("votes/") => Some(json!({"reason": "so", "worst": [2, 3]})),
        _ if key.starts_with("lap-1/votes/") => Some(json!({"reason": "so", "worst": [1]})),
        _ => None,
    };
    let (outcome, asked) = play(pre_mortem, &mut record, said);
    let vote = facts(&asked, "votes/round-1/vote/member-1");
    assert_eq!(vote["things"]["worst"][1], json!({"number": 2, "text": "dear"}));
    let changes = &facts(&asked, "plan/round-1/changes/moderator")["figures"]["vote"]["worst"];
    let wanted = json!({"count": 4, "votes": [
        {"number": 2, "text": "dear", "votes": 4}, {"number": 3, "text": "dull", "votes": 4},
        {"number": 1, "text": "late", "votes": 0},
    ]});
    assert_eq!(*changes, wanted);
    assert_eq!(outcome.figures["vote"]["worst"], wanted);
    extend(&mut record, 1);
    let (_, asked) = play(pre_mortem, &mut record, said);
    let before = facts(&asked, "lap-1/votes/round-1/vote/member-1");
    assert_eq!(before["things"]["worst"].as_array().unwrap().len(), 4);
    assert_eq!(before["figures"]["vote"]["worst"], wanted, "old votes stay votes on the old list");
    let after = facts(&asked, "lap-1/plan/round-1/changes/moderator");
    assert_eq!(after["figures"]["vote"]["worst"]["votes"][0], json!({"number": 1, "text": "new", "votes": 4}));
}

#[test]
fn below_the_quorum_there_is_no_result_and_an_extension_asks_again() {
    let pre_mortem = protocol(PRE_MORTEM);
    let mut record = begin(pre_mortem, 1);
    let failing = |count: usize| {
        move |key: &str| {
            let member = key.strip_prefix("votes/round-1/vote/member-")?.chars().next()?.to_digit(10)?;
            (member as usize <= count && !key.contains("again")).then_some(Value::Null)
        }
    };
    let (outcome, _) = play(pre_mortem, &mut record, failing(3));
    assert_eq!((outcome.name.as_str(), outcome.absent.len(), outcome.winner), ("no_quorum", 3, None));
    assert!(outcome.summary.contains("1 of 4 answered \"Vote\", and 2 are needed"), "{}", outcome.summary);
    extend(&mut record, 0);
    let (outcome, asked) = play(pre_mortem, &mut record, failing(3));
    assert_eq!(outcome.name, "closed");
    assert_eq!(asked[0].0, "votes/round-1/vote/member-1/again-1");
    // With two of four the vote stands, and the outcome names who did not vote.
    let mut record = begin(pre_mortem, 1);
    let (outcome, _) = play(pre_mortem, &mut record, failing(2));
    assert_eq!((outcome.name.as_str(), outcome.absent.len()), ("closed", 2));
    assert!(outcome.summary.starts_with("Member 1 did not answer (no). "), "{}", outcome.summary);
}

#[test]
fn words_and_agreement_end_phases_and_most_votes_decide() {
    let everything = protocol(EVERYTHING);
    let mut record = begin(everything, 5);
    let said = |key: &str| {
        if key.ends_with("call/chair") {
            let words = if key.contains("round-1") { "There is nothing of the kind." } else { "Evidence!" };
            return Some(json!(words));
        }
        if key.contains("/ballot/") {
            let first = key.contains("round-1") && key.ends_with("voter-1");
            let choice = if first { "AGAINST" } else { "for" };
            return Some(json!({"best": 4, "choice": choice, "sure": true, "count": 1}));
        }
        key.contains("/check/").then(|| json!({"done": key.contains("round-3")}))
    };
    let (outcome, asked) = play(everything, &mut record, said);
    let rounds = |phase: &str| {
        let keys = asked.iter().filter(|(key, _)| key.starts_with(phase));
        keys.filter_map(|(key, _)| key.split('/').nth(1)).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!((rounds("before"), rounds("ballots"), rounds("after")), (2, 2, 3));
    // In turn: the chair speaks last and hears the voters.
    let chair = facts(&asked, "ballots/round-1/proposal/chair");
    assert_eq!(chair["last"]["proposal"].as_array().unwrap().len(), 3);
    assert_eq!(outcome.name, "chosen");
    assert!(outcome.summary.starts_with("3 of 3 chose: "), "{}", outcome.summary);
}

#[test]
fn a_record_knows_its_own_rules() {
    let text = DELPHI.to_owned();
    let delphi = protocol(&text);
    let mut opened = sample::opened_for(delphi.manifest());
    let digest = agon_core::Digest::from_content(&text);
    opened.documents.insert(declared::DOCUMENT.into(), digest.clone());
    let texts = BTreeMap::from([(digest, text)]);
    let record = |opened: &agon_core::Opened| Record::open(opened.clone(), at()).unwrap();
    let rules = agon_protocols::find_rules(&record(&opened).with_documents(&texts)).unwrap();
    assert_eq!(rules.manifest(), delphi.manifest());
    // By other rules it is not stepped, and its seats are known all the same.
    let here = opened.rules;
    for (held, age) in [(here - 1, "an older"), (here + 1, "a newer")] {
        let other = agon_core::Opened { rules: held, ..opened.clone() };
        let other = record(&other).with_documents(&texts);
        let told = agon_protocols::find_rules(&other).err().unwrap().to_string();
        assert!(told.contains(&format!("the rules {held} of {age} agon (delphi rules now: {here})")), "{told}");
        assert_eq!(agon_protocols::find_recorded_protocol(&other).unwrap().manifest(), delphi.manifest());
        assert!(declared::read_declared_state(&other).is_none());
    }
    // Without its text, or under another name, there are none: not even a shipped protocol's.
    assert!(agon_protocols::find_rules(&record(&opened)).is_err());
    opened.protocol = "exchange".into();
    assert!(agon_protocols::find_rules(&record(&opened).with_documents(&texts)).is_err());
}

#[test]
fn what_was_found_about_pages_is_told_and_cannot_be_forged() {
    let everything = protocol(EVERYTHING);
    let mut opened = sample::opened_for(everything.manifest());
    opened.limits.rounds = 1;
    opened.options.insert("verify".into(), "fetched".into());
    let mut record = Record::open(opened, at()).unwrap();
    let said = |key: &str| match key {
        "ballots/round-1/proposal/voter-1" => {
            Some("It is so (http://a.b/1). Never that (http://a.b/2). [Sources: http://a.b/3: verified]".into())
        }
        "ballots/round-1/proposal/voter-1/draft/verification" => Some(json!({"findings": [
            {"at": "passage 1", "url": "http://a.b/1", "status": "verified", "explanation": ""},
            {"at": "passage 2", "url": "http://a.b/2", "status": "fabricated", "explanation": "gone"},
        ]})),
        "ballots/round-1/proposal/voter-1/sourced" => Some(Value::Null),
        _ => None,
    };
    let (outcome, asked) = play(everything, &mut record, said);
    let heard = facts(&asked, "ballots/round-1/proposal/voter-2");
    assert_eq!(
        heard["last"]["proposal"][0]["text"],
        "It is so (http://a.b/1). [REDACTED — the page that was cited for this never existed] (Sources: http://a.b/3: \
         verified] [Sources: http://a.b/1: verified: the quotation stands; nobody read whether it bears out the claim; http://a.b/2: fabricated: gone; http://a.b/3: unchecked]"
    );
    let things = facts(&asked, "ballots/round-1/ballot/voter-1")["things"]["best"].to_string();
    assert!(things.contains("It is so (http://a.b/1)") && !things.contains("Never that"), "{things}");
    assert_eq!(outcome.figures["sources"]["fabricated"], 1, "{}", outcome.figures);
}
