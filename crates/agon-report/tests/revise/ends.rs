//! How debates end, whoever is missing: F1 to F5 of the format, the flows without debate, and what
//! an extension does.

use serde_json::json;

use super::play::*;

fn figure(record: &agon_core::Record, name: &str) -> serde_json::Value {
    record.closing_outcome().unwrap().figures[name].clone()
}

#[test]
fn convergence_ends_the_debate_early_and_its_revisions_count() {
    let mut opened = track("plan");
    opened.limits.rounds = 3;
    let record = play(opened, |_| None);
    let (name, summary) = end(&record);
    assert_eq!(name, "converged");
    assert_eq!(summary, "The authors converged after 2 rounds: all disagreements are of low severity (V2).");
    assert_eq!(figure(&record, "rounds"), 2);
    assert!(paths(&record).contains(&"plan_claude_v3.md".to_owned()), "the converging round's revisions count");
    assert!(
        file(&record, "debate_log.md")
            .contains("- Rounds completed: 2 of 3\n- Early termination: yes — all disagreements")
    );
}

#[test]
fn maximum_rounds_without_convergence_are_no_error() {
    let mut opened = track("plan");
    opened.limits.rounds = 1;
    let record = play(opened, |_| None);
    assert_eq!(end(&record).0, "max_rounds");
    let log = file(&record, "debate_log.md");
    assert!(log.contains("- Early termination: no\n"));
    assert!(log.contains(
        "- Note: maximum rounds were reached without convergence; synthesis goes on with the final revisions\n"
    ));
    assert!(log.contains("- Unresolved disagreements: Order of the tasks of 2; Order of the tasks of 1\n"), "{log}");
    let plan = file(&record, "PLAN.md");
    assert!(
        plan.contains(
            "- Convergence: 1 round, not converged\n- Unresolved: Order of the tasks of 1 — tie-break: The living"
        ),
        "{plan}"
    );
}

#[test]
fn after_maximum_rounds_the_synthesis_must_name_what_is_unresolved() {
    let mut opened = track("plan");
    opened.limits.rounds = 1;
    let record = play(opened, |key| {
        let silent = json!({"merged": [], "adopted": [], "overruled": [], "unresolved": [], "document": document("plan"),
            "answer": {"do": "Follow the plan.", "unless": ""}});
        (key == "synthesis").then(|| said(silent)).flatten()
    });
    let keys = asked(&record);
    assert!(keys.contains(&"synthesis/redraft-1".to_owned()), "{keys:?}");
}

#[test]
fn a_point_that_the_synthesis_leaves_out_is_asked_for_and_then_named_by_the_program() {
    let mut opened = track("plan");
    opened.limits.rounds = 1;
    let record = play(opened, |key| {
        let one = json!({"merged": [], "adopted": [], "overruled": [], "document": document("plan"),
            "unresolved": [{"point": "Order of the tasks of 2", "tie_break": "The docs."}]});
        key.starts_with("synthesis").then(|| said(one)).flatten()
    });
    assert!(asked(&record).contains(&"synthesis/redraft-1".to_owned()));
    let (log, plan) = (file(&record, "debate_log.md"), file(&record, "PLAN.md"));
    for point in ["Order of the tasks of 2", "Order of the tasks of 1"] {
        assert!(log.contains(point) && plan.contains(&format!("- Unresolved: {point} — tie-break: ")), "{plan}");
    }
    let warnings = agon_report::participation::list_warnings(&record);
    assert!(warnings.iter().any(|(_, text)| text.contains("not named: \"Order of the tasks of 1\"")));
}

#[test]
fn a_round_with_a_new_weakness_of_high_severity_does_not_converge() {
    let serious = |key: &str| {
        let (round, pair) = key.strip_prefix("round-")?.split_once("/critique-")?;
        let problem = match round {
            "1" => format!("Whoever copies the notes of {pair} takes the passwords along."),
            _ => "Passwörter gehen noch immer mit den Notizen hinaus.".to_owned(),
        };
        let low = json!([{"point": "Order", "reason": format!("The newest first, {key}."), "severity": "LOW"}]);
        let mut named = weakness("HIGH", "Context", &problem);
        if round != "1" {
            named["repeats"] = "W1".into();
        }
        said(critique(json!([named]), low, json!([])))
    };
    let answer = |key: &str| match key.split_once("/revision-") {
        Some((round, author)) => {
            let points = json!([{"weakness": "W1", "answer": "defended", "words": "There are no passwords in it."}]);
            said(json!({"points": points, "document": version("plan", author, round)}))
        }
        None => serious(key),
    };
    let record = play(track("plan"), answer);
    assert_eq!(figure(&record, "rounds"), 2, "{}", end(&record).1);
    assert!(end(&record).1.contains("(V2)"), "it is not new where its author says so: {}", end(&record).1);
}

/// How a plan debate ends whose synthesizer pairs the concessions so, first and again.
fn paired(first: serde_json::Value, again: Option<serde_json::Value>) -> agon_core::Record {
    play(track("plan"), |key| match key {
        "round-1/concessions" => said(&first),
        "round-1/concessions/confirm/pairs" => match &again {
            Some(again) => said(again),
            None => failed("declined"),
        },
        _ => None,
    })
}

fn pairs(pairs: &[(u32, u32)]) -> serde_json::Value {
    json!({"pairs": pairs.iter().map(|(a, b)| json!({"a": a, "b": b})).collect::<Vec<_>>()})
}

fn read_of(record: &agon_core::Record, round: u32) -> serde_json::Value {
    let ruling = record.find_ruling(&agon_core::Key::from_parts(format!("round-{round}/check"))).unwrap().1;
    ruling.decode_data::<serde_json::Value>().unwrap()["concessions"].clone()
}

#[test]
fn v3_holds_where_the_synthesizer_pairs_all_concessions_twice() {
    let record = paired(pairs(&[(1, 1)]), Some(pairs(&[(1, 1)])));
    let (name, summary) = end(&record);
    assert_eq!((name.as_str(), figure(&record, "rounds")), ("converged", json!(1)), "{summary}");
    assert!(summary.contains("the authors concede the same points, as the synthesizer read twice (V3)"), "{summary}");
    assert_eq!(read_of(&record, 1)["same"]["confirmed"], "round-1/concessions/confirm/pairs");
    let (_, asked) = record.find_request(&agon_core::Key::from_parts("round-1/concessions/confirm/pairs")).unwrap();
    assert_eq!(asked.facts["swapped"], true);
}

#[test]
fn v3_never_holds_in_doubt() {
    for (first, again, wanted) in [
        (pairs(&[]), Some(pairs(&[(1, 1)])), "different"),
        (pairs(&[(1, 1)]), Some(pairs(&[])), "unclear"),
        (pairs(&[(1, 1)]), None, "unclear"),
    ] {
        let record = paired(first, again);
        assert_eq!(figure(&record, "rounds"), 2, "{}", end(&record).1);
        assert!(!read_of(&record, 1)[wanted].is_null(), "{}", read_of(&record, 1));
    }
    // Nobody pairs them: the debate goes on, and nobody is missing from its end.
    let record = play(track("plan"), |key| (key == "round-1/concessions").then(|| failed("declined")).flatten());
    assert_eq!((figure(&record, "rounds"), end(&record).0.as_str()), (json!(2), "converged"));
    // What a model reads that is not known to read well enough decides nothing, and it is not asked again.
    let opened = track("plan");
    let record = agon_core::Record::open(opened, agon_core::Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    let answer = |request: &agon_core::Request| match request.key.as_str() {
        "round-1/concessions" => said(pairs(&[(1, 1)])),
        key => canned("plan", key),
    };
    let record = drive_by(record, &answer, true);
    assert_eq!(read_of(&record, 1)["unclear"]["why"], "unfit_reader");
    assert!(!asked(&record).iter().any(|key| key.contains("/confirm/")));
}

#[test]
fn concessions_are_read_only_where_that_could_save_a_round() {
    let mut one = track("plan");
    one.limits.rounds = 1;
    assert!(!asked(&play(one, |_| None)).iter().any(|key| key.contains("/concessions")));
    let none = play(track("plan"), |key| {
        let (round, pair) = key.split_once("/critique-")?;
        let problem = format!("Nobody says who reads it in {round}, asks {pair}.");
        said(critique(json!([weakness("HIGH", "Context", &problem)]), json!([]), json!([])))
    });
    assert!(!asked(&none).iter().any(|key| key.contains("/concessions")), "nobody concedes anything");
}

#[test]
fn what_is_done_next_is_never_what_would_be_refused() {
    let completion =
        |record: &agon_core::Record| agon_report::find_format("revise").unwrap().render_completion(record).unwrap();
    let mut three = track("plan");
    three.limits.rounds = 3;
    let whole = play(three, |key| match key.split_once("/revision-") {
        Some((round, author)) => {
            let points = json!([{"weakness": "W1", "answer": "addressed", "words": "The readers are named."}]);
            said(json!({"points": points, "document": version("plan", author, round)}))
        }
        None => {
            let (round, pair) = key.split_once("/critique-")?;
            let about = ["the costs", "those who read", "what a lost disk does"][usize::from(round.ends_with('2'))];
            let problem = format!("Nobody says in {key} what {about} mean to {pair} in the end.");
            said(critique(json!([weakness("HIGH", "Context", &problem)]), json!([]), json!([])))
        }
    });
    assert_eq!(figure(&whole, "rounds"), 3);
    assert!(!completion(&whole).contains("--rounds"), "{}", completion(&whole));
    assert!(completion(&play(track("plan"), |_| None)).contains("--rounds 1"));
    let void = play(track("plan"), |key| key.starts_with("draft").then(|| failed("declined")).flatten());
    let said = completion(&void);
    assert!(said.contains("Ask again who is missing") && !said.contains("Another round"), "{said}");
}

#[test]
fn f1_a_lost_critique_degrades_the_debate_and_the_other_s_version_goes_on() {
    let record = play(track("plan"), |key| (key == "round-1/critique-2-of-1").then(|| failed("declined")).flatten());
    let (name, summary) = end(&record);
    assert_eq!(name, "degraded");
    assert!(summary.starts_with("Codex did not answer (declined). "), "{summary}");
    assert!(!summary.contains("converged"));
    let paths = paths(&record);
    assert!(paths.contains(&"PLAN.md".to_owned()) && paths.contains(&"plan_codex_v2.md".to_owned()));
    assert!(!paths.contains(&"plan_claude_v2.md".to_owned()), "nothing was said of it, so it stands as it was");
    let log = file(&record, "debate_log.md");
    for want in [
        "- Codex critique of Claude: none (Codex did not answer: declined)\n",
        "- Convergence check: not converged — Codex did not answer\n",
        "- Early termination: yes — Codex did not answer\n",
        "- Rounds completed: 0 of 2\n",
        "- Final Claude version: plan_claude.md\n",
        "status: failed\n",
    ] {
        assert!(log.contains(want), "{want}{log}");
    }
    assert!(
        file(&record, "PLAN.md").contains("<!-- Debate: 1 round, the last one incomplete: Codex did not answer -->")
    );
}

#[test]
fn f1_a_lost_revision_keeps_the_last_good_version() {
    let record = play(track("plan"), |key| (key == "round-2/revision-1").then(|| failed("cut")).flatten());
    assert_eq!(end(&record).0, "degraded");
    assert!(file(&record, "debate_log.md").contains("- Final Claude version: plan_claude_v2.md\n"));
    assert_eq!(record.closing_outcome().unwrap().absent[0].seat.as_str(), "author-1");
}

#[test]
fn f1_with_a_missing_critique_nobody_converges() {
    let sound = || said(critique(json!([]), json!([]), json!([])));
    let record = play(track("plan"), |key| match key {
        "round-1/critique-1-of-2" => sound(),
        "round-1/critique-2-of-1" => failed("declined"),
        _ => None,
    });
    assert!(!record.rulings().any(|(_, _, ruling)| ruling.kind == agon_core::RulingKind::Converged));
}

#[test]
fn f2_when_both_fail_in_one_round_the_latest_versions_go_on() {
    let record = play(track("plan"), |key| key.starts_with("round-2/critique").then(|| failed("declined")).flatten());
    let (name, summary) = end(&record);
    assert_eq!(name, "degraded");
    assert!(summary.starts_with("Claude did not answer (declined). Codex did not answer (declined). "), "{summary}");
    assert!(!asked(&record).iter().any(|key| key.starts_with("round-2/revision")));
    assert!(file(&record, "PLAN.md").contains("<!-- Sources: plan_claude_v2.md, plan_codex_v2.md -->"));
}

#[test]
fn f3_no_error_text_becomes_a_file() {
    let record = play(track("plan"), |key| {
        (key.starts_with("draft-2") || key == "round-1/revision-1").then(|| failed("HTTP 500 <html>")).flatten()
    });
    for file in
        files(&record).into_iter().filter(|file| file.path.starts_with("plan_") || file.path.starts_with("critique"))
    {
        assert!(!file.content.contains("HTTP 500"), "{}", file.path);
    }
}

#[test]
fn f5_the_other_s_plan_stands_alone_and_says_so() {
    let record = play(track("plan"), |key| key.starts_with("draft-2").then(|| failed("declined")).flatten());
    let (name, summary) = end(&record);
    assert_eq!(name, "degraded");
    assert_eq!(summary, "Codex did not answer (declined). The last versions stand; no agreement is claimed.");
    assert_eq!(paths(&record), ["plan_claude.md", "debate_log.md", "PLAN.md"]);
    let plan = file(&record, "PLAN.md");
    assert!(
        plan.starts_with(
            "# Plan: Phase 2 — Notes\n<!-- Sources: plan_claude.md alone; Codex did not answer (declined)."
        ),
        "{plan}"
    );
    assert!(file(&record, "debate_log.md").contains("- Note: Codex did not answer: declined\n"));
}

#[test]
fn f5_without_any_initial_version_there_is_no_result() {
    let record = play(track("plan"), |key| key.starts_with("draft").then(|| failed("declined")).flatten());
    let outcome = record.closing_outcome().unwrap();
    assert_eq!((outcome.name.as_str(), outcome.standing), ("void", agon_core::Standing::Void));
    assert_eq!(outcome.absent.len(), 2);
    assert_eq!(paths(&record), ["debate_log.md"]);
}

#[test]
fn without_a_synthesizer_the_versions_stand_and_nothing_is_joined() {
    let record = play(track("plan"), |key| (key == "synthesis").then(|| failed("declined")).flatten());
    let (name, summary) = end(&record);
    assert_eq!(name, "degraded");
    assert!(summary.starts_with("The synthesizer did not answer (declined). "), "{summary}");
    assert!(!paths(&record).contains(&"PLAN.md".to_owned()));
    let again = extend(record, 0, |_| None);
    assert_eq!(end(&again).0, "converged");
    assert!(asked(&again).contains(&"synthesis/again-1".to_owned()) && paths(&again).contains(&"PLAN.md".to_owned()));
}

#[test]
fn the_flows_without_debate_ask_for_no_critique() {
    let mut synthesize = track("plan");
    synthesize.options.insert("strategy".into(), "synthesize".into());
    let mut none = track("plan");
    none.limits.rounds = 0;
    for opened in [synthesize, none] {
        let record = play(opened, |_| None);
        assert_eq!(asked(&record), ["draft-1", "draft-2", "synthesis"]);
        assert_eq!(end(&record).0, "synthesized");
        assert_eq!(paths(&record), ["plan_claude.md", "plan_codex.md", "PLAN.md"]);
        assert!(!file(&record, "PLAN.md").contains("### Debate Resolution"));
    }
    let mut single = track("plan");
    single.options.insert("strategy".into(), "single".into());
    let record = play(single, |_| None);
    assert_eq!((asked(&record), end(&record).0), (vec!["draft-1".to_owned()], "single".to_owned()));
}

#[test]
fn an_extension_by_n_rounds_gives_n_rounds_more() {
    let rounds = |record: &agon_core::Record| figure(record, "rounds").as_u64().unwrap();
    let converged = play(track("plan"), |_| None);
    assert_eq!(rounds(&extend(converged, 1, |_| None)), 3);

    let mut one = track("plan");
    one.limits.rounds = 3;
    let serious = |key: &str| match key.split_once("/critique-") {
        Some((round, pair)) => {
            let problem = match round {
                "round-1" => "Who reads the notes of {} is not said anywhere in this text, and so nobody can judge it.",
                "round-2" => "Costs are missing for the store of {}, although the task asks what a year of use takes.",
                _ => "What becomes of notes that two people of {} change at one time stays open here.",
            };
            let problem = problem.replace("{}", pair);
            said(critique(json!([weakness("HIGH", "Context", &problem)]), json!([]), json!([])))
        }
        None => None,
    };
    let answer = |key: &str| match key {
        "round-1/critique-2-of-1" => failed("declined"),
        key if key.contains("revision") => {
            let (round, author) = key.split_once("/revision-").unwrap();
            let points = json!([{"weakness": "W1", "answer": "addressed", "words": "Its readers are named now."}]);
            said(json!({"points": points, "document": version("plan", author, round)}))
        }
        key => serious(key),
    };
    let degraded = play(one, answer);
    assert_eq!((rounds(&degraded), end(&degraded).0.as_str()), (1, "degraded"));
    let more = extend(degraded, 2, answer);
    assert_eq!((rounds(&more), end(&more).0.as_str()), (3, "max_rounds"));
    assert!(paths(&more).contains(&"plan_claude_v3.md".to_owned()), "{:?}", paths(&more));

    let mut single = track("plan");
    single.options.insert("strategy".into(), "single".into());
    let more = extend(play(single, |_| None), 1, |_| None);
    assert_eq!((rounds(&more), end(&more).0.as_str()), (1, "max_rounds"));
}

#[test]
fn whoever_was_missing_is_asked_again_after_an_extension() {
    let record = play(track("plan"), |key| key.starts_with("draft-2").then(|| failed("declined")).flatten());
    let more = extend(record, 2, |_| None);
    assert!(asked(&more).contains(&"draft-2/again-1".to_owned()));
    assert_eq!(end(&more).0, "converged");
    let void = play(track("plan"), |key| key.starts_with("draft").then(|| failed("declined")).flatten());
    assert_eq!(end(&extend(void, 2, |_| None)).0, "converged");
}

#[test]
fn an_option_that_is_not_understood_ends_the_debate_before_anybody_is_asked() {
    let mut opened = track("plan");
    opened.options.insert("strategy".into(), "fight".into());
    let record = play(opened, |_| None);
    let (name, summary) = end(&record);
    assert_eq!(name, "void");
    assert!(summary.contains("option strategy is \"fight\""), "{summary}");
    assert_eq!(asked(&record), Vec::<String>::new());
}
