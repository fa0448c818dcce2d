//! How the chair concludes: in both orders, by a field that its words do not touch, and what it leaves open.

use super::*;

fn conclusion(names: [&str; 2], outcome: &str, reason: &str) -> Option<Reply> {
    let each = |name: &str| json!({"for": name, "text": format!("{name} argued its case and kept to the rules throughout."), "entries": ["3"]});
    said(
        json!({"reasons": names.map(each), "reason": reason, "outcome": outcome, "answer": {"do": "Keep the harbour."}}),
    )
}

/// A debate that the chair concludes with `first`, and with `second` in the other order.
fn concluded(first: Option<Reply>, second: Option<Reply>) -> Record {
    play(settled(["mila", "oskar"]), |request| {
        let key = request.key.as_str();
        match key.split("/redraft-").next().unwrap() {
            "conclusion" => first.clone(),
            "conclusion/swapped" => second.clone(),
            _ => None,
        }
    })
}

const NAMES: [&str; 2] = ["mila", "oskar"];

#[test]
fn what_the_reason_says_of_others_voids_nothing_and_decides_nothing() {
    for reason in [
        "mila won the exchange on noise at seq 6; oskar's sources decided the rest.",
        "It cannot be said that mila wins on any point.",
        "Had the closings been heard alone, mila prevailed; the rounds weigh more.",
        "mila answered every point and won the debate; oskar answered none.",
        "mila hat in der Frage des Lärms klar gewonnen, sonst überall oskar mit seinen Quellen.",
        "在噪音问题上米拉赢了，但整场辩论中奥斯卡的来源更可靠，反驳也更充分，因此由他获胜，这一点在第三轮之后已经没有疑问。",
    ] {
        let answer = conclusion(NAMES, "oskar_wins", reason);
        let record = concluded(answer.clone(), answer);
        let outcome = record.closing_outcome().unwrap();
        assert_eq!((outcome.name.as_str(), outcome.winner.as_deref()), ("oskar_wins", Some("oskar")), "{reason}");
        assert!(asked(&record, "conclusion/redraft-1").is_none(), "{reason}");
    }
}

#[test]
fn an_outcome_in_capitals_or_a_bare_name_is_what_it_says() {
    let reason = "The rebuttals of oskar at seq 3 and seq 6 were met by nobody in the end.";
    for (said, name) in [
        ("Draw", "draw"),
        ("Oskar_wins", "oskar_wins"),
        ("oskar", "oskar_wins"),
        ("OSKAR", "oskar_wins"),
        ("Void", "void"),
    ] {
        let answer = conclusion(NAMES, said, reason);
        let record = concluded(answer.clone(), answer);
        assert_eq!(record.closing_outcome().unwrap().name, name, "{said}");
        assert!(asked(&record, "conclusion/redraft-1").is_none(), "{said}");
    }
}

#[test]
fn both_orders_are_asked_and_a_difference_is_a_draw() {
    let reason = "The rebuttals at seq 3 and seq 6 were met by nobody in the end.";
    let won = |name: &str| conclusion(NAMES, &format!("{name}_wins"), reason);
    let record = concluded(won("mila"), won("oskar"));
    assert_eq!(record.closing_outcome().unwrap().name, "draw");
    assert!(record.closing_outcome().unwrap().summary.contains("The order of the debaters decided"));
    let names = |key: &str| {
        let cast = facts(&record, key)["cast"].clone();
        cast.as_array().unwrap().iter().map(|debater| debater["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("conclusion"), ["mila", "oskar"]);
    assert_eq!(names("conclusion/swapped"), ["oskar", "mila"]);
    let request = asked(&record, "conclusion/swapped").unwrap();
    let schema = json!(Chaired.answer_schema(&View::new(&record, request), request).unwrap());
    assert_eq!(schema["properties"]["outcome"]["enum"], json!(["draw", "oskar_wins", "mila_wins", "void"]));
    assert_eq!(concluded(won("mila"), won("mila")).closing_outcome().unwrap().name, "mila_wins");
}

#[test]
fn one_order_alone_names_no_winner_and_none_is_void() {
    let won = conclusion(NAMES, "mila_wins", "The rebuttals at seq 3 and seq 6 were met by nobody in the end.");
    for (first, second) in [(won.clone(), failed()), (failed(), won)] {
        let record = concluded(first, second);
        assert_eq!(record.closing_outcome().unwrap().name, "draw", "{}", record.closing_outcome().unwrap().summary);
    }
    assert_eq!(concluded(failed(), failed()).closing_outcome().unwrap().name, "void");
}

#[test]
fn nothing_unresolved_is_an_answer_and_so_is_a_point_in_plain_words() {
    for (points, told) in [
        (json!([]), "No point was named as unresolved entering the closing round."),
        (json!("Who pays for the rails is open."), "\n1. Who pays for the rails is open.\n"),
        (json!(["Wer zahlt, ist offen."]), "\n1. Wer zahlt, ist offen.\n"),
        (
            json!([{"point": "a", "seqs": ["2"]}, {"point": "b", "seqs": []}, {"point": "c"}, {"point": "d", "seqs": ["3"]}]),
            "\n1. a — seq 2\n2. b\n3. c\n",
        ),
        (json!(null), "No point was named"),
    ] {
        let record = play(settled(["mila", "oskar"]), |request| match request.key.as_str() {
            "unresolved" => said(json!({"points": points, "rulings": []})),
            _ => None,
        });
        let review = texts(&record).into_iter().find(|text| text.starts_with("Pre-Phase-3 review:")).unwrap();
        assert!(review.contains(told), "{points}: {review}");
        assert!(asked(&record, "unresolved/redraft-1").is_none(), "{points}");
        assert!(asked(&record, "closing/debater-1").is_some() && asked(&record, "conclusion").is_some());
    }
}

#[test]
fn a_chair_that_names_no_points_at_all_costs_nobody_the_debate() {
    for reply in [failed(), said("There is nothing left to say.")] {
        let record = play(settled(["mila", "oskar"]), |request| {
            request.key.as_str().starts_with("unresolved").then(|| reply.clone()).flatten()
        });
        assert!(asked(&record, "conclusion").is_some(), "{}", record.closing_outcome().unwrap().summary);
        assert!(texts(&record).iter().any(|text| text.contains("No point was named")));
    }
}
