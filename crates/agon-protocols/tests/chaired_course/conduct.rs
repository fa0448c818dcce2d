//! What the chair and the program say of conduct, and what debaters are told of their turns.

use super::*;

fn entry(kind: &str, content: &str) -> Value {
    json!({"type": kind, "content": content, "sources": [], "rebuttal_to_seq": null, "target_seq": null})
}

fn turn(entry: Value) -> Option<Reply> {
    said(json!({"entries": [entry], "framework": ""}))
}

/// Texts of the chair's rulings in the log.
fn rulings(record: &Record) -> Vec<String> {
    let log = DebateLog::of(&View::whole(record));
    let ruled = log.0.iter().filter(|logged| logged.item.kind.name() == "ruling");
    ruled.map(agon_protocols::chaired::log::Logged::content).collect()
}

#[test]
fn infractions_that_the_program_sees_are_ruled_on_and_reach_the_conclusion() {
    let mut opened = settled(["ada", "bob"]);
    opened.limits.rounds = 1;
    let record = play(opened, |request| match request.key.as_str() {
        "opening/debater-1" => said(json!({
            "entries": [entry("opening_statement", "[CONJECTURE] The matter follows the Ladder of needs, step by step, I guess.")],
            "framework": "Ladder of needs: what is lower comes first."})),
        "opening/debater-2" => turn(entry(
            "opening_statement",
            "You are a fool, ada, and every figure of yours fell from the sky.",
        )),
        "round-001/debater-2" => {
            turn(entry("new_point", "Every lorry that stands in the street blocks the tram for minutes."))
        }
        _ => None,
    });
    let rulings = rulings(&record);
    let has = |seq: u64, words: &str| {
        rulings.iter().any(|text| text.starts_with(&format!("Ruling on seq {seq}: warning under {words}")))
    };
    assert!(has(3, "rule 11"), "{rulings:?}");
    assert!(has(3, "rule 6 (no ad hominem)"), "{rulings:?}");
    assert!(
        rulings.iter().any(|text| text.contains("rule 23") && text.contains("Ladder of needs")),
        "{rulings:?}"
    );
    let shown = facts(&record, "conclusion")["rulings"].clone();
    assert!(
        shown.as_array().unwrap().iter().any(|ruling| ruling["by"] == "bob" && ruling["rule"] == 6),
        "{shown}"
    );
    assert_eq!(
        facts(&record, "round-001/debater-2")["rulings"].as_array().unwrap().len(),
        2,
        "its author is told"
    );
}

#[test]
fn the_chair_rules_on_conduct_when_it_looks_back_at_a_round() {
    let mut opened = settled(["ada", "bob"]);
    opened.limits.rounds = 2;
    opened.limits.rounds_min = Some(2);
    let ruling = |seq: u64, rule: u64, ruling: &str| json!({"seq": seq.to_string(), "rule": rule, "ruling": ruling, "reason": "It speaks about a person and not about the matter."});
    let record = play(opened, |request| match request.key.as_str() {
        // One of these cannot be; it is told once.
        "round-001/ending" => said(json!({"rulings": [ruling(2, 6, "infraction"), ruling(0, 6, "warning")]})),
        "round-001/ending/redraft-1" => {
            said(json!({"rulings": [ruling(2, 6, "infraction"), ruling(4, 7, "out_of_order")]}))
        }
        "unresolved" => said(json!({"points": [{"point": "Who pays is not settled yet.", "seqs": ["2"]}],
            "rulings": [ruling(4, 7, "lifted"), ruling(2, 10, "warning")]})),
        _ => None,
    });
    let rulings = rulings(&record);
    let at = |words: &str| rulings.iter().position(|text| text.starts_with(words));
    assert!(at("Ruling on seq 2: infraction under rule 6").is_some(), "{rulings:?}");
    assert!(
        at("Ruling on seq 4: out of order under rule 7") < at("Ruling on seq 4: what was ruled under rule 7"),
        "{rulings:?}"
    );
    let shown = facts(&record, "conclusion")["rulings"].clone();
    let standing: Vec<(u64, u64)> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (r["seq"].as_u64().unwrap(), r["rule"].as_u64().unwrap()))
        .collect();
    assert!(
        standing.contains(&(2, 6)) && standing.contains(&(2, 10)) && !standing.contains(&(4, 7)),
        "{standing:?}"
    );
}

#[test]
fn rulings_that_cannot_be_never_cost_the_answer_they_came_with() {
    let wrong =
        json!([{"seq": "999", "rule": 6, "ruling": "warning", "reason": "There is no such entry at all."}]);
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        key if key.starts_with("unresolved") => said(
            json!({"points": [{"point": "Who pays is not settled yet.", "seqs": ["2"]}], "rulings": wrong}),
        ),
        _ => None,
    });
    assert_ne!(record.closed().unwrap().name, "void", "{}", record.closed().unwrap().summary);
    assert!(asked(&record, "unresolved/redraft-1").is_some());
}

#[test]
fn words_that_no_entry_has_are_put_before_the_chair() {
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "round-001/debater-2" => turn(entry(
            "new_point",
            "[CONJECTURE] At seq 2 ada says \"every tram is to be sold off by May\" and that cannot be.",
        )),
        _ => None,
    });
    let suspicions = facts(&record, "unresolved")["suspicions"].clone();
    assert!(
        suspicions[0]["rule"] == 7 && suspicions[0]["what"].as_str().unwrap().contains("sold off"),
        "{suspicions}"
    );
}

#[test]
fn a_framework_has_a_short_name_and_a_debater_speaks_for_itself() {
    let sentence = "Ben is the treasurer of Lindenbrook, and he knows the figures.";
    let text = "[CONJECTURE] ada is a nurse on night duty who may well need a bus to come home.";
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        key if key.starts_with("opening/debater-1") => {
            said(json!({"entries": [entry("opening_statement", text)], "framework": sentence}))
        }
        "opening/debater-2" => said(
            json!({"entries": [entry("opening_statement", "[CONJECTURE] I guess that nobody rides it at night, in winter least of all.")], "framework": "none"}),
        ),
        _ => None,
    });
    let redraft = asked(&record, "opening/debater-1/redraft-1").unwrap().redraft.clone().unwrap();
    let rules: Vec<&str> = redraft.faults.iter().map(|fault| fault.rule.as_str()).collect();
    assert_eq!(rules, ["framework", "person"]);
    assert!(asked(&record, "opening/debater-1/redraft-2").is_none(), "told once, it stands");
    assert!(asked(&record, "opening/debater-2/redraft-1").is_none());
    let log = DebateLog::of(&View::whole(&record));
    let brought = log.0.iter().filter(|logged| logged.item.kind.name() == "opening_statement");
    assert!(brought.into_iter().all(|logged| logged.item.framework.is_none()), "they are no frameworks");
}

#[test]
fn what_is_longer_than_was_asked_for_is_warned_of() {
    let long = format!("[CONJECTURE] {}", (0..400).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" "));
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "opening/debater-1" => turn(entry("opening_statement", &long)),
        _ => None,
    });
    let view = View::whole(&record);
    let warned: Vec<&str> =
        view.rulings(RulingKind::Warned).map(|(_, ruling)| ruling.text.as_str()).collect();
    assert!(
        warned.iter().any(|text| text.contains("length: entry 1: has 401 words; at most 350")),
        "{warned:?}"
    );
    let words = facts(&record, "opening/debater-1")["words"].clone();
    assert_eq!(words, json!({"least": 150, "most": 350}), "the limit is told");
}

#[test]
fn only_whoever_can_open_pages_is_told_to_look_things_up() {
    let mut opened = settled(["ada", "bob"]);
    opened.options.insert("verify".into(), "fetched".into());
    opened.options.insert(agon_protocols::chaired::OPENS_PAGES.into(), json!(["debater-2"]));
    let record = play(opened, |request| (request.seat.as_str() == "verifier").then(failed).flatten());
    assert_eq!(facts(&record, "opening/debater-1")["opens_pages"], false);
    assert_eq!(facts(&record, "opening/debater-2")["opens_pages"], true);
}

#[test]
fn a_request_to_the_chair_ignores_no_framework() {
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "opening/debater-1" => said(json!({
            "entries": [entry("opening_statement", "[CONJECTURE] The matter follows the Ladder of needs, step by step, I guess.")],
            "framework": "Ladder of needs: what is lower comes first."})),
        "round-001/debater-2" => turn(entry(
            "clarification_request",
            "Does a forecast of the town count as a source here, or is it a guess?",
        )),
        "round-001/debater-2/resumed" => turn(entry(
            "conjecture",
            "[CONJECTURE] On the Ladder of needs a tram may well come before a lorry.",
        )),
        _ => None,
    });
    assert!(asked(&record, "round-001/debater-2/resumed").is_some());
    let bobs = rulings(&record).into_iter().filter(|text| text.contains("rule 23"));
    assert_eq!(bobs.count(), 0, "the turn was not over");
}

#[test]
fn words_that_are_cited_from_a_page_are_no_other_entry_s() {
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "round-001/debater-2" => turn(entry(
            "new_point",
            "To the man of seq 2: \"Tickets bring in much of that\", says the budget (https://a.b/budget).",
        )),
        _ => None,
    });
    assert_eq!(facts(&record, "unresolved")["suspicions"], json!([]));
}

#[test]
fn the_chair_may_say_in_words_that_it_rules_on_nothing() {
    let played = |none: &'static str| {
        let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
            "unresolved" => said(
                json!({"points": [{"point": "Who pays is not settled yet.", "seqs": ["2"]}], "rulings": none}),
            ),
            _ => None,
        });
        asked(&record, "unresolved/redraft-1").is_some()
    };
    for words in ["No rulings", "none.", ""] {
        assert!(!played(words), "{words}");
    }
    assert!(played("Ada is to be warned"), "a ruling has its form");
}
