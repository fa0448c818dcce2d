//! What the chair and the program say of conduct, and what debaters are told of their turns.

use super::*;

/// What bob says in round 1; the chair looks back at it before the closings.
fn said_by_bob(words: &str, answers: impl Fn(&Request) -> Option<Reply>) -> Record {
    play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "opening/debater-1" => spoken(plain(
            "opening_statement",
            "[CONJECTURE] The tram may well carry half of the town once it runs through the night.",
        )),
        "opening/debater-2" => spoken(plain(
            "opening_statement",
            "[CONJECTURE] Wires and rails may cost far more than anybody in this hall would like to pay.",
        )),
        "round-001/debater-1" => spoken(plain(
            "new_point",
            "[CONJECTURE] Night workers might move closer, if there were something to ride on.",
        )),
        "round-001/debater-2" => spoken(plain("new_point", words)),
        _ => answers(request),
    })
}

/// The number of bob's entry of round 1.
const BOBS: u64 = 7;

fn ruling(verdict: &str, rule: u32, quote: &str) -> Value {
    json!({"seq": BOBS.to_string(), "rule": rule.to_string(), "quote": quote, "ruling": verdict,
        "reason": "It speaks about a person and not about the matter."})
}

fn looked_back(rulings: Value) -> Option<Reply> {
    said(json!({"points": [], "rulings": rulings}))
}

/// The chair rules once with `first` and answers the second time with `second`.
fn ruled(words: &str, first: Value, second: Option<Reply>) -> Record {
    said_by_bob(words, |request| match request.key.as_str() {
        "unresolved" => looked_back(json!([first])),
        key if key.contains("/confirm/") => second.clone(),
        _ => None,
    })
}

fn standing(record: &Record) -> Vec<(u64, u64)> {
    let shown = facts(record, "conclusion")["rulings"].clone();
    let of = |ruling: &Value| (ruling["seq"].as_u64().unwrap(), ruling["rule"].as_u64().unwrap());
    shown.as_array().unwrap().iter().map(of).collect()
}

#[test]
fn the_program_rules_on_no_words() {
    for words in [
        "[CONJECTURE] You cannot fool the meter, whatever the brochure of the company may promise.",
        "[CONJECTURE] I do not call you a liar, ada; the count is simply wrong as it stands there.",
        "[CONJECTURE] You would need a clown to fill the tram, and no liar would ever admit it.",
        "[CONJECTURE] ada is bought by the bus company and everyone knows it, from the mayor down.",
        "[CONJECTURE] ada ist ein Dummkopf und eine Lügnerin, das weiß die ganze Stadt seit Jahren.",
        "[CONJECTURE] ada 是个骗子和白痴，全城的人早就知道了。她的话一句也不能相信，连报纸都这么写了很多次。",
    ] {
        let record = said_by_bob(words, |_| None);
        assert_eq!(rulings(&record), Vec::<String>::new(), "{words}");
        assert!(warnings(&record).iter().all(|text| !text.contains("conduct")), "{words}");
    }
}

#[test]
fn the_chair_rules_in_any_language_with_the_words_of_the_entry() {
    for (words, quote) in [
        (
            "[CONJECTURE] ada is bought by the bus company and everyone knows it, from the mayor down.",
            "bought by the bus company",
        ),
        (
            "[CONJECTURE] ada ist ein Dummkopf und eine Lügnerin, das weiß die ganze Stadt seit Jahren.",
            "ein Dummkopf und eine Lügnerin",
        ),
        (
            "[CONJECTURE] ada 是个骗子和白痴，全城的人早就知道了。她的话一句也不能相信，连报纸都这么写了很多次。",
            "是个骗子和白痴",
        ),
        (
            "[CONJECTURE] ada es una mentirosa y una idiota, y lo sabe toda la ciudad desde hace años.",
            "una mentirosa y una idiota",
        ),
        ("[CONJECTURE] آدا كاذبة وغبية، وكل أهل المدينة يعرفون ذلك منذ سنوات طويلة جدا بلا شك.", "كاذبة وغبية"),
    ] {
        let second = said(json!({"choice": "infraction", "quote": quote}));
        let record = ruled(words, ruling("infraction", 6, quote), second);
        let all = rulings(&record);
        assert_eq!(all.len(), 1, "{words}: {:?}", warnings(&record));
        assert!(
            all[0].starts_with(&format!("Ruling on seq {BOBS}: infraction under rule 6 (no ad hominem). ")),
            "{all:?}"
        );
        assert!(all[0].ends_with(&format!("It says: “{quote}”")), "{all:?}");
        assert_eq!(standing(&record), [(BOBS, 6)]);
        let log = DebateLog::from_view(&View::of_whole_record(&record));
        let conduct = log.0.iter().find_map(|logged| logged.item.conduct.clone()).unwrap();
        assert!(conduct.confirmed.is_some(), "both answers are on the record");
    }
}

const INSULT: &str = "[CONJECTURE] ada is bought by the bus company and everyone knows it, from the mayor down.";
const WORDS: &str = "bought by the bus company";

#[test]
fn what_is_not_confirmed_rules_nothing() {
    let differing = [
        said(json!({"choice": "none", "quote": ""})),
        said(json!({"choice": "warning", "quote": WORDS})),
        // A real sentence that does not decide.
        said(json!({"choice": "infraction", "quote": "from the mayor down"})),
        said("I cannot say."),
        failed(),
        Some(Reply::Elapsed),
    ];
    for verdict in ["infraction", "out_of_order"] {
        for second in &differing {
            let record = ruled(INSULT, ruling(verdict, 6, WORDS), second.clone());
            assert_eq!(standing(&record), [], "{verdict} {second:?}");
            let told = warnings(&record);
            assert!(
                told.iter().any(|text| text.contains("is not confirmed") && text.contains("Nothing follows")),
                "{told:?}"
            );
            assert_ne!(record.closing_outcome().unwrap().name, "void");
        }
    }
}

#[test]
fn a_second_reading_sees_the_choices_in_another_order_and_no_first_answer() {
    let record = ruled(INSULT, ruling("infraction", 6, WORDS), said(json!({"choice": "infraction", "quote": WORDS})));
    let key = format!("unresolved/confirm/seq-{BOBS}-rule-6");
    let request = asked(&record, &key).unwrap();
    let schema = json!(Chaired.answer_schema(&View::new(&record, request), request).unwrap());
    assert_eq!(schema["properties"]["choice"]["enum"], json!(["out_of_order", "infraction", "warning", "none"]));
    let shown = json!(facts(&record, &key)).to_string();
    assert!(shown.contains("from the mayor down") && !shown.contains("about a person and not"), "{shown}");
}

#[test]
fn a_warning_decides_nothing_and_is_asked_once() {
    let record = ruled(INSULT, ruling("warning", 6, WORDS), failed());
    assert_eq!(standing(&record), [(BOBS, 6)]);
    assert!(asked(&record, &format!("unresolved/confirm/seq-{BOBS}-rule-6")).is_none());
}

#[test]
fn a_chair_that_reads_too_badly_rules_nothing_and_is_not_asked_again() {
    for verdict in ["warning", "infraction"] {
        let record = play_by(
            settled(["ada", "bob"]),
            |request| match request.key.as_str() {
                "opening/debater-1" => spoken(plain("opening_statement", INSULT)),
                "unresolved" => looked_back(json!([{"seq": 2, "rule": 6, "quote": WORDS, "ruling": verdict,
                    "reason": "It speaks about a person and not about the matter."}])),
                _ => None,
            },
            |request| Answerer { is_unfit_reader: request.seat.as_str() == "chair", ..Answerer::default() },
        );
        assert!(
            warnings(&record).iter().any(|text| text.contains("not known to read well enough")),
            "{:?}",
            warnings(&record)
        );
        assert!(
            !record
                .entries()
                .iter()
                .any(|entry| matches!(&entry.what, Event::Asked(asked) if asked.key.as_str().contains("/confirm/")))
        );
        assert_ne!(record.closing_outcome().unwrap().name, "void", "its outcome is a judgment and stays with it");
    }
}

#[test]
fn the_quotation_is_of_that_entry_and_of_nobody_else() {
    let words = "[CONJECTURE] They wrote \"ada is a liar of the worst kind\" on the wall, and wires and rails may cost far more than that.";
    let own = "on the wall";
    for quote in ["ada is a liar of the worst kind", "ada is a crook", "The tram may well carry half of the town", ""] {
        let record = said_by_bob(words, |request| match request.key.as_str() {
            "unresolved" => looked_back(json!([ruling("infraction", 6, quote)])),
            "unresolved/redraft-1" => looked_back(json!([ruling("infraction", 6, quote), ruling("warning", 7, own)])),
            _ => None,
        });
        assert!(asked(&record, "unresolved/redraft-1").is_some(), "{quote}");
        assert!(asked(&record, "unresolved/redraft-2").is_none(), "{quote}: told once, it is left out");
        assert_eq!(standing(&record), [(BOBS, 7)], "{quote}");
    }
}

#[test]
fn words_put_into_somebody_s_mouth_can_be_quoted_for_that_and_for_nothing_else() {
    for (words, quote) in [
        (
            "[CONJECTURE] At seq 2 ada says \"every tram is to be sold off by May\" and that cannot be.",
            "every tram is to be sold off by May",
        ),
        (
            "[CONJECTURE] Ada hat gesagt: „jede Bahn wird bis Mai verkauft werden“, und das kann nicht sein.",
            "jede Bahn wird bis Mai verkauft werden",
        ),
        ("[CONJECTURE] ada 说过“所有的电车都要在五月之前卖掉”，这不可能是真的。", "所有的电车都要在五月之前卖掉"),
    ] {
        let record =
            ruled(words, ruling("infraction", 7, quote), said(json!({"choice": "infraction", "quote": quote})));
        assert_eq!(standing(&record), [(BOBS, 7)], "{words}: {:?}", warnings(&record));
        let insult = ruled(words, ruling("infraction", 6, quote), failed());
        assert!(asked(&insult, "unresolved/redraft-1").is_some(), "{words}");
    }
}

#[test]
fn a_ruling_is_lifted_once_the_chair_says_so_twice() {
    let played = |second: Option<Reply>| {
        let mut opened = settled(["ada", "bob"]);
        opened.limits.rounds = 2;
        opened.limits.rounds_min = Some(2);
        play(opened, |request| match request.key.as_str() {
            "opening/debater-1" => spoken(plain("opening_statement", INSULT)),
            "round-001/ending" => {
                said(json!({"rulings": [{"seq": 2, "rule": 6, "quote": WORDS, "ruling": "infraction",
                "reason": "It speaks about a person and not about the matter."}]}))
            }
            "round-001/ending/confirm/seq-2-rule-6" => said(json!({"choice": "infraction", "quote": WORDS})),
            "unresolved" => said(json!({"points": [], "rulings": [{"seq": "seq 2", "rule": "rule 6", "quote": WORDS,
                "ruling": "lifted", "reason": "The company itself has said that it paid for the study."}]})),
            "unresolved/confirm/seq-2-rule-6" => second.clone(),
            _ => None,
        })
    };
    assert_eq!(standing(&played(said(json!({"choice": "lifted", "quote": WORDS})))), []);
    for second in [failed(), said(json!({"choice": "none", "quote": ""}))] {
        assert_eq!(standing(&played(second)), [(2, 6)], "a lift that is not confirmed lifts nothing");
    }
}

#[test]
fn what_the_program_counts_is_ruled_on_and_reaches_the_conclusion() {
    let source = |n: u32| json!({"url": format!("https://a.b/{n}"), "title": "A page", "accessed": "2026-01-30"});
    let sourced = |kind: &str, from: std::ops::Range<u32>| {
        let mut entry = plain(kind, "The pages that stand here say what the town has to pay for, and for how long.");
        entry["sources"] = from.map(source).collect();
        entry
    };
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "round-001/debater-2" => spoken(sourced("new_point", 0..6)),
        "closing/debater-2" => {
            let mut entry = sourced("closing_statement", 8..9);
            entry["content"] =
                json!("[CONJECTURE] In the end a tram may be worth what it costs, as one more page says.");
            spoken(entry)
        }
        _ => None,
    });
    let all = rulings(&record);
    for start in [
        "warning under rule 16 (at most five sources). 1 of its sources",
        "warning under rule 4 (phase discipline). It brings a new source",
    ] {
        assert!(all.iter().any(|text| text.contains(start)), "{all:?}");
    }
    let rules: Vec<u64> = standing(&record).into_iter().map(|(_, rule)| rule).collect();
    assert_eq!(rules, [16, 4]);
}

#[test]
fn rulings_that_cannot_be_never_cost_the_answer_they_came_with() {
    let wrong = json!([{"seq": "999", "rule": 6, "ruling": "warning", "quote": "x", "reason": "There is no such entry at all."}]);
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        key if key.starts_with("unresolved") => {
            said(json!({"points": [{"point": "Who pays is not settled yet.", "seqs": ["2"]}], "rulings": wrong}))
        }
        _ => None,
    });
    assert_ne!(record.closing_outcome().unwrap().name, "void", "{}", record.closing_outcome().unwrap().summary);
    assert!(asked(&record, "unresolved/redraft-1").is_some());
    assert!(texts(&record).iter().any(|text| text.contains("1. Who pays is not settled yet. — seq 2")));
}

fn observed(record: &Record) -> Vec<(u64, u64)> {
    let all = facts(record, "unresolved")["observations"].clone();
    all.as_array().unwrap().iter().map(|seen| (seen["seq"].as_u64().unwrap(), seen["rule"].as_u64().unwrap())).collect()
}

#[test]
fn entries_without_source_and_label_are_put_before_the_chair_and_not_ruled_on() {
    for (words, is_seen) in [
        ("Nine towns of ten that built one lost 41 million each, and the mayor of Linz resigned. [CONJECTURE]", true),
        ("If nobody pays for the rails, then nobody can ride on them; that much follows from what stands here.", true),
        ("[CONJECTURE] Nine towns of ten that built one may well have lost money by it in the end.", false),
    ] {
        let record = said_by_bob(words, |_| None);
        assert_eq!(observed(&record).contains(&(BOBS, 11)), is_seen, "{words}");
        assert_eq!(rulings(&record), Vec::<String>::new(), "{words}");
        assert!(warnings(&record).iter().all(|text| !text.contains("L10")), "{words}");
    }
}

#[test]
fn words_that_no_entry_has_are_put_before_the_chair_however_they_are_marked() {
    for words in [
        "[CONJECTURE] At seq 2 ada says \"every tram is to be sold off by May\" and that cannot be.",
        "[CONJECTURE] Ada hat gesagt: „jede Bahn wird bis Mai verkauft werden“, und das kann nicht sein.",
        "[CONJECTURE] Ada dit que « chaque tram sera vendu avant le mois de mai », et cela ne se peut pas.",
        "[CONJECTURE] ada 说过“所有的电车都要在五月之前卖掉”，这不可能是真的，谁也没有这样说过，这里没有人这样说过这句话，记录里也找不到。",
    ] {
        assert!(observed(&said_by_bob(words, |_| None)).contains(&(BOBS, 7)), "{words}");
    }
    for words in [
        "[CONJECTURE] At seq 2 ada says \"The tram may well carry half of the town\" and that cannot be.",
        "To the man of seq 2: \"Tickets bring in much of that\", says the budget (https://a.b/budget).",
    ] {
        assert!(!observed(&said_by_bob(words, |_| None)).contains(&(BOBS, 7)), "{words}");
    }
}

#[test]
fn a_framework_is_put_before_the_chair_whatever_the_turn_says_and_only_once() {
    let played = |words: &'static str| {
        play(settled(["ada", "bob"]), move |request| match request.key.as_str() {
            "opening/debater-1" => said(json!({
                "entries": [plain("opening_statement", "[CONJECTURE] The matter follows the Ladder of needs, step by step, I guess.")],
                "framework": "Ladder of needs: what is lower comes first."})),
            "opening/debater-2" => spoken(plain(
                "opening_statement",
                "[CONJECTURE] I guess that nobody rides it at night, in winter least of all.",
            )),
            "round-001/debater-1" => spoken(plain(
                "new_point",
                "[CONJECTURE] Night workers might move closer, if there were something to ride on.",
            )),
            "round-001/debater-2" => said(json!({
                "entries": [plain("new_point", words), plain("conjecture", "[CONJECTURE] Snow may fall on the wires more often than before.")],
                "framework": ""})),
            _ => None,
        })
    };
    for words in [
        "[CONJECTURE] Deferred maintenance may be the true cost of it all.",
        "[CONJECTURE] I will not waste a word on the Ladder of needs, which is not worth one.",
        "[CONJECTURE] Was unten liegt, kommt zuerst: das gilt, wie ich meine, gerade für den Lärm.",
    ] {
        let record = played(words);
        let due: Vec<(u64, u64)> = observed(&record).into_iter().filter(|(_, rule)| *rule == 23).collect();
        assert_eq!(due.len(), 1, "{words}: {due:?}");
        assert!(rulings(&record).is_empty(), "{words}");
    }
}

#[test]
fn what_an_entry_does_not_say_needs_no_words_in_common() {
    for rule in [10, 11, 23] {
        let second = said(json!({"choice": "infraction", "quote": WORDS}));
        let record = ruled(INSULT, ruling("infraction", rule, "from the mayor down"), second);
        assert_eq!(standing(&record), [(BOBS, u64::from(rule))]);
    }
}

#[test]
fn a_framework_has_a_short_name_and_a_description() {
    let long = "Ladder of needs of all who live here: what is lower comes first.";
    let text = "[CONJECTURE] ada is a nurse on night duty who may well need a bus to come home.";
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        key if key.starts_with("opening/debater-1") => {
            said(json!({"entries": [plain("opening_statement", text)], "framework": long}))
        }
        "opening/debater-2" => said(
            json!({"entries": [plain("opening_statement", "[CONJECTURE] I guess that nobody rides it at night, in winter least of all.")], "framework": "none"}),
        ),
        _ => None,
    });
    let redraft = asked(&record, "opening/debater-1/redraft-1").unwrap().redraft.clone().unwrap();
    let rules: Vec<&str> = redraft.faults.iter().map(|fault| fault.rule.as_str()).collect();
    assert_eq!(rules, ["framework"], "whom an entry speaks of is not read");
    assert!(asked(&record, "opening/debater-1/redraft-2").is_none(), "told once, it stands");
    assert!(asked(&record, "opening/debater-2/redraft-1").is_none());
    let log = DebateLog::from_view(&View::of_whole_record(&record));
    let brought = log.0.iter().filter(|logged| logged.item.kind.name() == "opening_statement");
    assert!(brought.into_iter().all(|logged| logged.item.framework.is_none()), "they are no frameworks");
}

#[test]
fn what_is_longer_than_was_asked_for_is_warned_of() {
    let long = format!("[CONJECTURE] {}", (0..400).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" "));
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "opening/debater-1" => spoken(plain("opening_statement", &long)),
        _ => None,
    });
    let warned = warnings(&record);
    assert!(warned.iter().any(|text| text.contains("length: entry 1: has 401 words; at most 350")), "{warned:?}");
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
fn a_question_after_the_last_round_is_put_to_its_debater_in_the_closing() {
    let question = "Who pays for the wires?";
    let record = play(settled(["ada", "bob"]), |request| match request.key.as_str() {
        "round-001/questions" => said(json!({"questions": [{"to": "bob", "question": question}]})),
        "round-001/questions/relay" => said(json!({"relay": [true]})),
        _ => None,
    });
    assert!(asked(&record, "round-002/debater-1").is_none(), "no round follows");
    assert_eq!(facts(&record, "closing/debater-2")["questions"][0]["words"], question);
    assert_eq!(facts(&record, "closing/debater-1")["questions"], json!([]));
}
