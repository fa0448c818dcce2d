//! What follows from a source that does not bear out what was said: rulings, corrections, and what may still be told.

use super::*;

const PAGE: &str = "https://a.b/workers";
const FAULTY: &str = "Of those who were asked, 142 said that they have no way home but the bus of the night.";
const TRUE: &str = "Of these, 132 said that they have no way home but the bus of the night.";

fn entry(kind: &str, content: &str, target: Option<&str>) -> Value {
    let source = json!({"url": PAGE, "title": "How workers get home", "accessed": "2026-01-30", "quote": content});
    json!({"type": kind, "content": content, "sources": [source], "rebuttal_to_seq": null, "target_seq": target})
}

fn challenge() -> Value {
    let words = "I challenge the 142 of seq 2, since the page that it names has another number there.";
    entry("source_challenge", words, Some("2"))
}

fn turn(entry: Value) -> Option<Reply> {
    said(json!({"entries": [entry], "framework": ""}))
}

/// What the verifier finds: the quotation of the opening does not stand on its page, everything else does.
fn found(request: &Request) -> Option<Reply> {
    let cited = request.facts.get("sources").and_then(Value::as_array).cloned().unwrap_or_default();
    let finding = |cited: &Value| {
        let (status, code) = if cited["seq"] == 2 { ("unreliable", "absent") } else { ("verified", "verified") };
        json!({"seq": cited["seq"], "url": cited["url"], "status": status, "code": code,
            "explanation": "142 does not stand on the page", "sentence": TRUE})
    };
    said(json!({"findings": cited.iter().map(finding).collect::<Vec<_>>()}))
}

/// Ada opens with a wrong figure, and corrects it where `corrects`; bob challenges it; the blog opens with `words`.
fn debate(corrects: bool, words: &'static str) -> Record {
    let mut opened = settled(["ada", "bob"]);
    opened.limits.rounds = 2;
    opened.limits.rounds_min = Some(2);
    opened.options.insert("verify".into(), "fetched".into());
    play(opened, |request| match request.key.as_str() {
        key if key.contains("/verification") => found(request),
        "opening/debater-1" => turn(entry("opening_statement", FAULTY, None)),
        "round-001/debater-1" if corrects => turn(entry(
            "new_point",
            &format!(
                "SOURCE CORRECTION for seq 2: replacing {PAGE} with {PAGE} — the page is right.\n\nIt says: \"{TRUE}\""
            ),
            None,
        )),
        "round-001/debater-2" => turn(challenge()),
        "blog" => {
            let filler = |count: usize| vec!["word"; count].join(" ");
            said(json!({"headline": "The way home", "opening": words, "case_for": filler(420),
                "case_against": filler(420), "takeaways": ["Write it down.", "Keep it short.", "Read it again."]}))
        }
        _ => None,
    })
}

#[test]
fn one_wrong_figure_is_ruled_on_once() {
    let all = texts(&debate(false, "It begins."));
    assert!(all.iter().any(|text| text.contains("the challenge to seq 2 is upheld")), "{all:?}");
    assert_eq!(all.iter().filter(|text| text.starts_with("Ruling on seq 2: the source")).count(), 1);
}

#[test]
fn what_was_corrected_is_held_against_nobody() {
    let issues = |record: &Record, key: &str| {
        let all = facts(record, key)["issues"].as_array().unwrap().clone();
        all.into_iter().filter(|issue| issue["seq"] == 2).count()
    };
    let record = debate(true, "It begins.");
    assert_eq!(issues(&record, "round-001/debater-1"), 1);
    assert_eq!(issues(&record, "round-002/debater-1"), 0);
    assert_eq!(issues(&debate(false, "It begins."), "round-002/debater-1"), 1, "told once, though looked at twice");
    let log = facts(&record, "round-002/debater-1")["log"].clone();
    let entry = log.as_array().unwrap().iter().find(|entry| entry["seq"] == 2).unwrap();
    let correction = texts(&record).iter().position(|text| text.starts_with("SOURCE CORRECTION")).unwrap();
    assert_eq!(entry["corrected"], correction, "the entry points to its correction");
}

#[test]
fn a_source_that_bears_out_its_entry_is_told_by_the_chair_alone() {
    let log = facts(&debate(true, "It begins."), "round-002/debater-1")["log"].clone();
    let told = |words: &str| {
        let is_told = |entry: &&Value| entry["content"].as_str().unwrap().contains(words);
        log.as_array().unwrap().iter().filter(is_told).count()
    };
    assert_eq!(told("\"status\":\"verified\""), 0, "{log:#}");
    assert_eq!(told("\"status\":\"unreliable\""), 2, "{log:#}");
    assert!(told("Verifier findings relayed") > 0, "{log:#}");
}

#[test]
fn what_is_looked_up_is_the_quotation_of_each_source() {
    let record = debate(true, "It begins.");
    for key in ["opening/debater-1/draft/verification", "opening/debater-1/verification"] {
        let sources = &facts(&record, key)["entries"][0]["sources"];
        assert_eq!(sources, &json!([{"url": PAGE, "quote": FAULTY}]), "{key}");
    }
}

/// What becomes of an opening with `content`, `quote` and `calculation`: the faults that send it back, and the figures
/// that are listed without a source where it stands.
fn figures(content: &str, quote: &str, calculation: &str) -> (Vec<String>, Value) {
    figures_of(content, &[(quote, calculation)])
}

/// The same of several sources, each a quotation and a calculation.
fn figures_of(content: &str, cited: &[(&str, &str)]) -> (Vec<String>, Value) {
    let mut opened = settled(["ada", "bob"]);
    opened.limits.rounds = 1;
    opened.limits.rounds_min = Some(1);
    let source = |(number, (quote, calculation)): (usize, &(&str, &str))| {
        json!({"url": format!("{PAGE}/{number}"), "title": "The budget", "accessed": "2026-01-30", "quote": quote,
            "calculation": calculation})
    };
    let sources: Vec<Value> = cited.iter().enumerate().map(source).collect();
    let entry = json!({"type": "opening_statement", "content": content, "sources": sources});
    let record = play(opened, |request| match request.key.as_str() {
        "opening/debater-1" | "opening/debater-1/redraft-1" => turn(entry.clone()),
        _ => None,
    });
    let redraft = asked(&record, "opening/debater-1/redraft-1").and_then(|asked| asked.redraft.clone());
    let faults = redraft.into_iter().flat_map(|redraft| redraft.faults).map(|fault| fault.message);
    let log = facts(&record, "round-001/debater-2")["log"].clone();
    let logged = log.as_array().unwrap().iter().find(|logged| logged["seq"] == 2).unwrap();
    (faults.collect(), logged["unsourced"].clone())
}

#[test]
fn a_calculation_may_stand_at_an_earlier_source_than_its_figures() {
    let heat = "Värme och el kostar badet 395.000 kronor om året enligt budgeten";
    let saved = "Ombyggnaden sänker förbrukningen med 45 procent enligt utredningen";
    let said = "Efter ombyggnaden sparar staden alltså 177.750 kronor varje år på värmen.";
    let (faults, listed) = figures_of(said, &[(heat, "395.000 × 45% = 177.750"), (saved, "")]);
    assert_eq!((faults, listed), (Vec::new(), Value::Null));
}

#[test]
fn figures_from_nowhere_go_back_once_and_are_then_listed() {
    let quote = "Fares bring in 138 million crowns, and their collection costs 19 million crowns";
    let (faults, listed) = figures("So a levy must find 119 million of the 138 million crowns.", quote, "");
    assert_eq!((faults.len(), &listed), (1, &json!(["119"])), "{faults:?}");
    assert!(faults[0].contains("119") && !faults[0].contains("138"), "{faults:?}");
    let calculated = figures("So a levy must find 119 million of the 138.", quote, "138 - 19 = 119");
    assert_eq!(calculated, (Vec::new(), Value::Null));
    let (faults, _) = figures("So a levy must find 118 million of it.", quote, "138 - 19 = 118");
    assert!(faults[0].contains("does not hold") && faults[0].contains("119"), "{faults:?}");
    // Counts, years, hours in words and the numbers of entries need no source; the label needs none either.
    for honest in [
        "On one day of 2018, at half past seven, two of us read seq 1 of it for ten years.",
        "[CONJECTURE] In a decade it may be 450 million crowns a year, or even more than that.",
        "Die Tarife bringen 138 Millionen Kronen, und davon gehen 19 Millionen wieder weg.",
        "票价收入为138百万克朗，其中征收成本为19百万克朗，这就是问题所在，不是小事。",
    ] {
        assert_eq!(figures(honest, quote, "").0, Vec::<String>::new(), "{honest}");
    }
}

#[test]
fn a_round_is_read_in_one_call_that_sees_no_names_and_a_second_confirms_it() {
    let played = |second: &'static str| {
        let mut opened = settled(["ada", "bob"]);
        opened.limits.rounds = 1;
        opened.limits.rounds_min = Some(1);
        opened.options.insert("verify".into(), "fetched".into());
        opened.options.insert("reader".into(), true.into());
        let reading =
            |number: u32, choice: &str| json!({"number": number, "choice": choice, "quote": "have no way home"});
        play(opened, |request| match request.key.as_str() {
            key if key.ends_with("/reading") => {
                said(json!({"readings": [reading(1, "supports"), reading(2, "supports")]}))
            }
            key if key.ends_with("/reading/confirm") => {
                said(json!({"readings": [reading(1, "supports"), reading(2, second)]}))
            }
            key if key.ends_with("/draft/verification") => said(json!({"findings": []})),
            key if key.starts_with("opening/") && key.ends_with("/verification") => {
                let cited = request.facts["sources"].as_array().unwrap();
                let finding = |cited: &Value| {
                    json!({"seq": cited["seq"], "url": cited["url"], "status": "verified",
                    "claim": cited["quote"], "quote": cited["quote"], "shown": TRUE})
                };
                said(json!({"findings": cited.iter().map(finding).collect::<Vec<_>>()}))
            }
            "opening/debater-1" => turn(entry("opening_statement", TRUE, None)),
            "opening/debater-2" => {
                turn(entry("opening_statement", "The night bus is the only way home for 132 of them.", None))
            }
            _ => None,
        })
    };
    let record = played("contradicts");
    let first = facts(&record, "opening/debater-1/verification/reading");
    assert_eq!(first["passages"].as_array().unwrap().len(), 2, "one call reads both openings");
    assert!(!json!(first["passages"]).to_string().contains("ada"), "{first:?}");
    let again = facts(&record, "opening/debater-1/verification/reading/confirm");
    assert_eq!((&first["choices"][0], &again["choices"][0]), (&json!("supports"), &json!("silent")));
    let relayed = |record: &Record| texts(record).join("\n");
    let shown = facts(&record, "round-001/debater-1")["log"].to_string() + &relayed(&record);
    for tag in ["the quotation stands; a model reads it as: supports", "a model reads it as: unclear"] {
        assert!(shown.contains(tag) || findings(&record).contains(tag), "{tag}: {shown}");
    }
    assert!(!findings(&played("supports")).contains("unclear"));
}

/// What the rulings on sources say.
fn findings(record: &Record) -> String {
    let view = View::of_whole_record(record);
    let all = agon_protocols::chaired::verification::collect_findings(&view);
    agon_protocols::chaired::verification::relay_text(&all)
}

#[test]
fn words_of_a_verified_page_are_no_leak_and_a_leak_is_quoted() {
    let leak = |words: &'static str| {
        let record = debate(true, words);
        let redraft = asked(&record, "blog/redraft-1").and_then(|asked| asked.redraft.clone());
        let faults = redraft.into_iter().flat_map(|redraft| redraft.faults);
        faults.filter(|fault| fault.rule == "leak").map(|fault| fault.message).collect::<Vec<_>>()
    };
    assert_eq!(leak(TRUE), Vec::<String>::new());
    let quoted = leak("It is true that 142 said that they have no way home.");
    assert!(
        quoted[0].contains("\"142 said that they have no way home\"")
            || quoted[0].contains("142 said that they have no"),
        "{quoted:?}"
    );
}

#[test]
fn the_chair_may_lift_what_was_ruled_on_a_source() {
    let played = |second: Value| {
        let mut opened = settled(["ada", "bob"]);
        opened.limits.rounds = 2;
        opened.limits.rounds_min = Some(2);
        opened.options.insert("verify".into(), "fetched".into());
        play(opened, |request| match request.key.as_str() {
            key if key.contains("/verification") => found(request),
            "opening/debater-1" => turn(entry("opening_statement", FAULTY, None)),
            "round-001/ending" => said(json!({"rulings": [{"seq": 2, "rule": 13, "ruling": "lifted",
                "quote": "no way home but the bus of the night", "reason": "The entry computes 142 from two figures of the page."}]})),
            "round-001/ending/confirm/seq-2-rule-13" => said(&second),
            "round-002/debater-2" => turn(challenge()),
            _ => None,
        })
    };
    let issues = |record: &Record| facts(record, "round-002/debater-1")["issues"].as_array().unwrap().len();
    let lifted = played(json!({"choice": "lifted", "quote": "the bus of the night"}));
    assert!(texts(&lifted).iter().any(|text| text.contains("what was ruled under rule 13")), "{:?}", texts(&lifted));
    assert_eq!(issues(&lifted), 0);
    let counted = |record: &Record| record.closing_outcome().unwrap().figures["sources"].clone();
    assert_eq!((counted(&lifted)["unreliable"].as_u64(), counted(&lifted)["unverified"].as_u64()), (None, Some(1)));
    let challenged = |record: &Record, end: &str| {
        let text = format!("the challenge to seq 2 is {end}");
        assert!(texts(record).iter().any(|told| told.contains(&text)), "{text}: {:?}", texts(record));
    };
    challenged(&lifted, "left open");
    let stands = played(json!({"choice": "none", "quote": ""}));
    assert!(!texts(&stands).iter().any(|text| text.contains("what was ruled under rule 13")));
    assert_eq!((issues(&stands), counted(&stands)["unreliable"].as_u64()), (1, Some(1)));
    challenged(&stands, "upheld");
}
