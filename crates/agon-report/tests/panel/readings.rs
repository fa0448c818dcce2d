//! What answers say of claims: read by the moderator, confirmed by the speaker, and nothing else decides.

use agon_core::{Key, Record, Standing};
use serde_json::{Value, json};

use super::{
    play::file,
    scripted::{ARABIC, CHINESE, GERMAN, LIBRARIES, Topic, end, one_answer, play_topic},
};

/// Answers that concede nothing, however they sound.
const HOLDS: [&str; 11] = [
    "I agree with Marta on the goal. We differ on the means: one well-heated main library does more for these children.",
    "Marta is right about the winter. In summer the branches are empty from June on.",
    "I concede to Marta the count of 212. It is a count of visits, and a child who came twice was counted twice.",
    "Marta has convinced me that she cannot read a balance sheet.",
    "I accept Marta's apology, and I stay with my sum.",
    "I agree with Marta that we disagree.",
    "I changed my mind about Marta: I used to think she was careful.",
    "Marta on oikeassa siitä, että lapset palelevat. Koulu auttaa heitä paremmin.",
    "\"I concede\", is what Marta wants to hear. The sum is the same as before.",
    "Ich stimme Marta zu, was das Ziel angeht. Der Weg dorthin ist ein anderer.",
    "Estoy de acuerdo con Marta en el fin. Discrepo en los medios.",
];

/// Answers that give the claim up, however oddly.
const GIVES_UP: [&str; 14] = [
    "The bus runs twice. Put me down on Marta's side from here on.",
    "Strike my proposal. I am with Marta.",
    "I yield.",
    "Consider my objection withdrawn.",
    "The evidence that Marta brought has turned me around completely.",
    "Punkt für Marta, und zwar der entscheidende. Ich gebe mich geschlagen.",
    "Me rindo. Lo de Marta pesa más que lo mío.",
    "我认输，玛尔塔的理由更充分。",
    "Ik geef het op, Marta heeft het bij het rechte eind.",
    "Poddaję się, racja jest po stronie Marty.",
    "Renunț la propunerea mea.",
    "Vzdávám to, Marta mě přesvědčila.",
    "Vedän ehdotukseni takaisin ja olen Martan puolella.",
    "Önerimi geri çekiyorum, Marta haklı.",
];

/// The last sentence of an answer.
fn last_sentence(answer: &str) -> &str {
    agon_text::split_sentences(answer).last().map_or("", |sentence| sentence.text.trim())
}

#[test]
fn a_partial_agreement_leaves_the_disagreement_open_and_the_other_side_is_asked() {
    let record = play_topic(
        &LIBRARIES,
        2,
        false,
        &[
            ("exchange-001/answer", json!(HOLDS[0])),
            (
                "exchange-001/review",
                LIBRARIES.review(("holds", ""), 0, "Which of the 212 could not reach one main library?"),
            ),
            (
                "exchange-002/answer",
                json!("No bus brings a child of six at four in the afternoon, as the timetable shows."),
            ),
            ("exchange-002/review", LIBRARIES.review(("holds", ""), 1, "What more?")),
            ("synthesis-000", LIBRARIES.synthesis(false)),
        ],
    );
    assert!(record.find_answer(&Key::from_parts("exchange-002/answer")).is_some(), "Marta is asked");
    assert!(
        record.find_request(&Key::from_parts("exchange-001/review/confirm/d1")).is_none(),
        "nothing would be decided"
    );
    assert_eq!(end(&record).name, "unresolved", "{}", end(&record).summary);
}

#[test]
fn what_the_speaker_denies_never_converges_whatever_the_moderator_reads() {
    for answer in HOLDS {
        let record = one_answer(&LIBRARIES, answer, ("gives_up", last_sentence(answer)), "holds");
        let end = end(&record);
        assert_eq!(end.name, "unresolved", "{answer}: {}", end.summary);
        assert!(end.summary.contains("D1: read by the moderator, denied by Jonas."), "{}", end.summary);
        let text = file(&record, "transcript.md");
        let note = "Whether Jonas and Marta have converged on whether the branches pay for themselves stays unclear: Jonas does not confirm it.";
        assert!(text.contains(note), "{text}");
        let held = one_answer(&LIBRARIES, answer, ("holds", ""), "holds");
        assert_eq!(super::scripted::end(&held).name, "unresolved", "{answer}");
    }
}

#[test]
fn a_part_that_the_speaker_confirms_is_told_and_settles_nothing() {
    for answer in GIVES_UP {
        let record = one_answer(&LIBRARIES, answer, ("gives_up", last_sentence(answer)), "partly");
        let end = end(&record);
        assert_eq!(end.name, "unresolved", "{answer}: {}", end.summary);
        assert!(end.summary.contains("D1: read by the moderator, confirmed in part by Jonas."), "{}", end.summary);
        let text = file(&record, "transcript.md");
        assert!(text.contains("stays unclear: Jonas gives up a part of it and holds the rest."), "{text}");
    }
}

#[test]
fn a_concession_in_odd_words_converges_once_the_speaker_confirms_it() {
    for answer in GIVES_UP {
        let record = one_answer(&LIBRARIES, answer, ("gives_up", last_sentence(answer)), "gives_up");
        let end = end(&record);
        assert_eq!(end.name, "converged", "{answer}: {}", end.summary);
        assert!(end.summary.contains("D1: read by the moderator, confirmed by Jonas."), "{}", end.summary);
        let text = file(&record, "transcript.md");
        let note = "**[Moderator note: Jonas and Marta have converged on whether the branches pay for themselves.]**";
        assert!(text.ends_with(&format!("{note}\n")), "a confirmation is not in the transcript: {text}");
        assert!(!text.contains("without saying so"));
    }
}

#[test]
fn panels_in_chinese_arabic_and_german_come_to_their_end() {
    for (topic, answer) in [
        (&CHINESE, "我错了，王芳说得对，九万欧元比不上两百多个孩子。"),
        (&ARABIC, "راجعت جدول الحافلات، ولم أجد رحلة واحدة تناسبهم. أسحب اقتراحي وأقف مع سلمى."),
        (
            &GERMAN,
            "Ich habe die Fahrpläne durchgesehen, es fährt kein Bus um diese Zeit. Ich ziehe meinen Vorschlag zurück.",
        ),
    ] {
        let record = one_answer(topic, answer, ("gives_up", last_sentence(answer)), "gives_up");
        assert_eq!((end(&record).name.as_str(), end(&record).standing), ("converged", Standing::Valid));
        assert!(record.rulings().all(|(_, key, _)| !key.as_str().contains("redraft")));
        let warned: Vec<&str> = record
            .rulings()
            .filter(|(_, key, _)| key.as_str().ends_with("/warned"))
            .map(|(.., r)| r.text.as_str())
            .collect();
        assert_eq!(warned, ["one disagreement was found, where 2 or 3 are asked for"], "{answer}");
        let quote = topic.claims[0];
        assert!(file(&record, "transcript.md").contains(&format!("{}: ‘{quote}’", topic.names[0])), "{answer}");
        let held = one_answer(topic, topic.openings[2], ("holds", ""), "holds");
        assert_eq!(end(&held).name, "unresolved", "{}", end(&held).summary);
    }
}

#[test]
fn no_outcome_is_decided_where_every_confirmation_fails() {
    for answer in GIVES_UP.into_iter().chain(HOLDS) {
        let record = play_topic(
            &LIBRARIES,
            1,
            false,
            &[
                ("exchange-001/answer", json!(answer)),
                (
                    "exchange-001/review",
                    LIBRARIES.review(("gives_up", last_sentence(answer)), 0, "Which record shows it?"),
                ),
                ("synthesis-000", LIBRARIES.synthesis(false)),
            ],
        );
        let end = end(&record);
        assert_eq!(end.name, "unresolved", "{answer}: {}", end.summary);
        assert!(end.summary.contains("D1: read by the moderator, not confirmed by Jonas."), "{}", end.summary);
    }
}

#[test]
fn what_an_unfit_moderator_reads_is_shown_and_decides_nothing() {
    let record = play_topic(
        &LIBRARIES,
        1,
        true,
        &[
            ("exchange-001/answer", json!(GIVES_UP[1])),
            ("exchange-001/review", LIBRARIES.review(("gives_up", "I am with Marta."), 0, "Which record shows it?")),
            ("exchange-001/review/confirm/d1", json!({"choice": "gives_up"})),
            ("synthesis-000", LIBRARIES.synthesis(false)),
        ],
    );
    assert!(
        record.find_request(&Key::from_parts("exchange-001/review/confirm/d1")).is_none(),
        "nobody is asked to confirm it"
    );
    let end = end(&record);
    assert_eq!(end.name, "unresolved");
    let why = "nothing was decided: the moderator's model is not known to read well enough";
    assert!(end.summary.contains(why), "{}", end.summary);
    assert!(file(&record, "synthesis.md").to_lowercase().contains(why));
    assert!(file(&record, "report.md").contains(why));
}

#[test]
fn a_quotation_that_is_not_the_speaker_s_own_is_asked_for_again() {
    let answer = "\"I yield\", said the mayor once. I do not; the sum stands as it was.";
    for quote in ["I yield", LIBRARIES.question, LIBRARIES.claims[0], "I give in."] {
        let record = one_answer(&LIBRARIES, answer, ("gives_up", quote), "gives_up");
        assert!(record.find_request(&Key::from_parts("exchange-001/review/redraft-1")).is_some(), "{quote}");
        assert_eq!(end(&record).name, "unresolved", "{quote}");
    }
}

/// The second panelist gives up in the first round, is asked about something else in the second and takes it back.
fn retracted(word: &str, by: usize) -> Record {
    let topic = Topic { question: LIBRARIES.question, ..LIBRARIES };
    let mut analysis = topic.analysis();
    let second = json!({"topic": "whether a van is enough", "kind": "facts", "rank": "low", "claims": [
        {"panelist": "Wim", "quote": "A van costs a tenth of a branch"},
        {"panelist": topic.names[by], "quote": topic.claims[by]}]});
    analysis["disagreements"].as_array_mut().unwrap().push(second);
    let ask = |target: usize, quote: &str, question: &str| json!({"action": "ask", "disagreement": "D2", "target": topic.names[target], "quote": quote, "question": question});
    let mut first = topic.review(("gives_up", "I was wrong about the sum."), 0, "-");
    first["next"] = ask(by, "A van costs a tenth of a branch", "What would a van leave undone?");
    let mut second = topic.review(("holds", ""), 0, "-");
    second["others"] =
        json!([{"disagreement": "D1", "choice": "takes_back", "quote": "I take that back.", "with": "Marta"}]);
    second["next"] = ask(2, topic.claims[by], "What does a van save of that?");
    let open = |id: &str| json!({"disagreement": id, "one_side": "It pays.", "other_side": "It does not.", "why": "No figures."});
    let mut synthesis = topic.synthesis(false);
    synthesis["findings"] =
        json!([{"finding": "It stayed open.", "disagreement": "none", "agreed": [], "evidence": "what was said"}]);
    synthesis["unresolved"] =
        if word == "holds" && by == 1 { json!([open("D1"), open("D2")]) } else { json!([open("D2")]) };
    play_topic(
        &topic,
        15,
        false,
        &[
            ("analysis-000/disagreements", analysis),
            ("exchange-001/answer", json!("I was wrong about the sum. Marta counted better.")),
            ("exchange-001/review", first),
            ("exchange-001/review/confirm/d1", json!({"choice": "gives_up"})),
            ("exchange-002/answer", json!("I take that back. The saving is real, and the van does not change it.")),
            ("exchange-002/review", second),
            ("exchange-002/review/confirm/d1", json!({"choice": word})),
            ("synthesis-000", synthesis),
        ],
    )
}

#[test]
fn who_conceded_can_take_it_back_once_by_a_confirmed_word() {
    let record = retracted("holds", 1);
    assert_eq!(end(&record).name, "unresolved", "{}", end(&record).summary);
    let text = file(&record, "transcript.md");
    let note = "Jonas takes back the agreement with Marta on whether the branches pay for themselves";
    assert!(text.contains(note) && text.contains("I take that back."), "{text}");
    let denied = retracted("gives_up", 1);
    assert_eq!(end(&denied).name, "partially_converged", "{}", end(&denied).summary);
    let other = retracted("holds", 0);
    assert!(other.find_request(&Key::from_parts("exchange-002/review/confirm/d1")).is_none(), "Marta conceded nothing");
    assert_eq!(end(&other).name, "partially_converged", "{}", end(&other).summary);
}

#[test]
fn a_disagreement_on_which_two_readings_stay_unclear_is_left() {
    let unclear =
        |target: usize| LIBRARIES.review(("unclear", ""), target, "Which record shows what you mean by that?");
    let record = play_topic(
        &LIBRARIES,
        15,
        false,
        &[
            ("exchange-001/answer", json!("Well, one could say so, and one could say the opposite.")),
            ("exchange-001/review", unclear(0)),
            ("exchange-002/answer", json!("Perhaps. It depends on what a child is, and on the weather.")),
            ("exchange-002/review", unclear(1)),
            ("synthesis-000", LIBRARIES.synthesis(false)),
        ],
    );
    assert!(record.find_request(&Key::from_parts("exchange-003/answer")).is_none());
    assert_eq!(end(&record).name, "unresolved", "{}", end(&record).summary);
    assert!(file(&record, "transcript.md").contains("stayed unclear twice. Moving to next topic."));
}

#[test]
fn a_review_that_contradicts_itself_three_times_does_not_void_the_panel() {
    let mut broken = LIBRARIES.review(("holds", ""), 0, "Which record shows it?");
    broken["deadlock"] = json!("repetition");
    let ask = LIBRARIES.review(("holds", ""), 0, "Which of the 212 could not reach one main library?");
    let record = play_topic(
        &LIBRARIES,
        2,
        false,
        &[
            ("exchange-001/answer", json!(HOLDS[0])),
            ("exchange-001/review", broken.clone()),
            ("exchange-001/review/redraft-1", broken.clone()),
            ("exchange-001/review/redraft-2", broken),
            ("route-000", json!({"next": ask["next"]})),
            ("exchange-002/answer", json!("No bus brings a child of six at four in the afternoon.")),
            ("exchange-002/review", LIBRARIES.review(("holds", ""), 1, "What more?")),
            ("synthesis-000", LIBRARIES.synthesis(false)),
        ],
    );
    assert_eq!((end(&record).name.as_str(), end(&record).standing), ("unresolved", Standing::Valid));
    assert!(record.find_answer(&Key::from_parts("exchange-002/answer")).is_some());
}

/// All agree at first; the third challenges it, and the moderator reads the challenge as `choice`.
fn challenged(challenge: &str, choice: &str, word: Option<&str>) -> Record {
    let mut analysis = LIBRARIES.analysis();
    analysis["all_agree"] = json!(true);
    let claim = |name: &str, quote: &str| json!({"panelist": name, "quote": quote});
    let weighed = json!({
        "claim": {"choice": choice, "quote": challenge},
        "counter": {"topic": "whether to close now", "kind": "recommendations", "rank": "high",
                    "claims": [claim("Wim", challenge), claim("Marta", LIBRARIES.claims[0])]},
        "next": {"target": "Marta", "quote": challenge, "question": "What speaks against closing it this year?"},
    });
    let mut answers = vec![
        ("analysis-000/disagreements", analysis),
        ("analysis-000/valve/panelist-3", json!(challenge)),
        ("analysis-000/challenge", weighed),
    ];
    answers.extend(word.map(|word| ("analysis-000/challenge/confirm/agreement", json!({"choice": word}))));
    play_topic(&LIBRARIES, 1, false, &answers)
}

#[test]
fn agreement_survives_a_safety_valve_only_by_the_challenger_s_own_word() {
    let no = "I reject the consensus: close the mill branch now";
    for word in [Some("gives_up"), Some("partly"), None] {
        let record = challenged(no, "holds", word);
        assert_ne!(end(&record).name, "converged", "{word:?}");
        assert!(record.find_request(&Key::from_parts("exchange-001/answer")).is_some(), "the counterpoint is examined");
    }
    let record = challenged(no, "gives_up", Some("holds"));
    assert!(record.find_request(&Key::from_parts("exchange-001/answer")).is_some());
    let yes = challenged("I looked hard, and I still want what the others want", "holds", Some("holds"));
    assert_eq!(end(&yes).name, "converged", "{}", end(&yes).summary);
    assert!(end(&yes).summary.contains("Read by the moderator, confirmed by Wim."), "{}", end(&yes).summary);
}

#[test]
fn the_two_sides_of_a_deadlock_did_not_agree_on_it_and_nobody_without_words() {
    let repeats =
        "The county would have ninety thousand more each year for the main house, and those far out have the bus.";
    let mut review = LIBRARIES.review(("holds", ""), 0, "Which record shows it?");
    (review["deadlock"], review["new_insight"]) = (json!("repetition"), json!(false));
    let synthesis = |agreed: Value| {
        let mut synthesis = LIBRARIES.synthesis(false);
        synthesis["findings"][0]["finding"] =
            json!("All panelists agree that the three branches must be closed at once.");
        synthesis["findings"][0]["agreed"] = agreed;
        synthesis
    };
    let one = |at: usize| json!({"name": LIBRARIES.names[at], "quote": LIBRARIES.claims[at]});
    let invented = json!({"name": "Wim", "quote": "The three branches must be closed at once"});
    for (agreed, says) in
        [(json!([one(0), one(1)]), "they cannot both have agreed"), (json!([one(1), invented]), "Wim did not say")]
    {
        let record = play_topic(
            &LIBRARIES,
            15,
            false,
            &[
                ("exchange-001/answer", json!(repeats)),
                ("exchange-001/review", review.clone()),
                ("synthesis-000", synthesis(agreed.clone())),
                ("synthesis-000/redraft-1", synthesis(json!([one(0)]))),
            ],
        );
        let redraft = record.find_request(&Key::from_parts("synthesis-000/redraft-1")).expect("it is asked again").1;
        let fault = &redraft.redraft.as_ref().unwrap().faults[0].message;
        assert!(fault.contains(says), "{fault}");
        assert!(
            file(&record, "synthesis.md").contains("Agreed: Marta (“Our branch served 212 children last winter”).")
        );
    }
}

#[test]
fn figures_that_nobody_on_the_panel_gave_are_listed_behind_what_has_them() {
    let mut synthesis = LIBRARIES.synthesis(false);
    synthesis["findings"][0]["evidence"] = json!(
        "The 2019 audit of the University of Oxford, by which 91 percent of branches lose money, and the 212 children."
    );
    synthesis["modifications"] =
        json!(["Take 4.2 million euros of the Nordic Fund.", "Count the 212 by child.", "九千四百万不够，要9,400万。"]);
    let record = play_topic(
        &LIBRARIES,
        1,
        false,
        &[
            ("exchange-001/answer", json!(HOLDS[0])),
            ("exchange-001/review", LIBRARIES.review(("holds", ""), 0, "-")),
            ("synthesis-000", synthesis),
        ],
    );
    let text = file(&record, "synthesis.md");
    for told in [
        "and the 212 children. (Nobody gave: 91.)",
        "Nordic Fund. (Nobody gave: 4.2.)",
        "要9,400万。 (Nobody gave: 9,400.)",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert_eq!(text.matches("Nobody gave").count(), 3, "{text}");
}

#[test]
fn the_order_of_the_choices_changes_nothing() {
    use agon_protocols::panel::{answer_effect::ClaimReading, confirmation};
    let attempt = |text: &'static str| agon_core::Attempt { text, number: 0, quoted: &[], imported: false };
    for (text, word) in [
        (r#"{"choice": "holds"}"#, ClaimReading::Holds),
        (r#"{"choice": "gives_up"}"#, ClaimReading::GivesUp),
        (r#"{"choice": "partly"}"#, ClaimReading::Partly),
    ] {
        assert_eq!(confirmation::parse_word(attempt(text)).unwrap(), word);
    }
    assert!(confirmation::parse_word(attempt(r#"{"choice": "takes_back"}"#)).is_err());
    let orders = [&ClaimReading::OF_SIDE[..3], &ClaimReading::OF_SPEAKER[..]];
    assert_ne!(orders[0], orders[1], "the speaker is given them in another order");
}
