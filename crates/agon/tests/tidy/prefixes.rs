//! What prompts of different seats begin with, and what the chair is shown of its own rulings.

use agon_core::View;
use agon_protocols::chaired::log::DebateLog;
use agon_runtime::rehearse::Rehearsed;
use serde_json::json;

use super::*;

fn rehearse(name: &str) -> (String, Vec<Rehearsed>) {
    let protocol = agon_protocols::ALL.iter().find(|protocol| protocol.name() == name).unwrap();
    let (opened, renderer) = sample_debate(*protocol);
    let (motion, documents) = (opened.motion.clone(), sample::sample_documents());
    (motion, rehearse_debate(*protocol, opened, &documents, &renderer, &StopFlag::default()).unwrap().1)
}

/// A provider that keeps what prompts begin with is paid once for the log of a debate.
#[test]
fn prompts_of_a_chaired_debate_begin_alike_up_to_the_end_of_the_log() {
    let (_, calls) = rehearse("chaired");
    let is_common = |call: &&Rehearsed| ["turn", "questions", "chair", "closing"].contains(&call.prompt.as_str());
    let calls: Vec<&Rehearsed> = calls.iter().filter(is_common).collect();
    let pairs: Vec<[&Rehearsed; 2]> =
        calls.windows(2).map(|pair| [pair[0], pair[1]]).filter(|[one, other]| one.seat != other.seat).collect();
    assert!(pairs.len() > 10, "{}", pairs.len());
    for [one, other] in pairs {
        let (first, second) = (&one.messages, &other.messages);
        assert_eq!(first[0], second[0], "{} and {}", one.key, other.key);
        let end = *first[1].shared.last().unwrap_or_else(|| panic!("{}: nothing is shared", one.key));
        let shared = &first[1].text[..end];
        assert!(shared.ends_with("</statement>"), "{}: {shared}", one.key);
        assert!(second[1].text.starts_with(shared), "{} and {}", one.key, other.key);
        assert!(!first[1].text[end..].contains("<statement "), "{}: an entry stands behind the end", one.key);
    }
}

/// The material stands before the task, as the first thing that a user's message says.
#[test]
fn prompts_of_a_review_begin_alike_up_to_the_task() {
    let (motion, calls) = rehearse("review");
    let task = format!("The task of the review: <motion>{motion}</motion>");
    let seats: BTreeSet<&str> = calls.iter().map(|call| call.seat.as_str()).collect();
    assert!(seats.len() > 2, "{seats:?}");
    for call in calls.iter().filter(|call| !call.prompt.is_empty()) {
        assert_eq!(call.messages[0], calls[0].messages[0], "{}", call.key);
        assert!(call.messages[1].text.starts_with(&task), "{}", call.key);
    }
}

#[test]
fn the_chair_is_shown_its_rulings_with_their_rules() {
    const WORDS: &str = "bought by the bus company";
    let chaired = agon_protocols::ALL.iter().find(|protocol| protocol.name() == "chaired").unwrap();
    let (opened, renderer) = sample_debate(*chaired);
    let content = format!("[CONJECTURE] The others are {WORDS} and everyone knows it, from the mayor down.");
    let find_entry = |record: &Record| {
        let log = DebateLog::from_view(&View::of_whole_record(record));
        log.0.iter().find(|logged| logged.visible_content() == content).map(|logged| logged.item.seq)
    };
    let asked = played(*chaired, opened, &renderer, |record, key, value| match key {
        "round-001/debater-1" => {
            let entry = json!({"type": "new_point", "content": content, "sources": [], "rebuttal_to_seq": null});
            *value = json!({"entries": [entry], "framework": ""});
        }
        "round-001/ending" => {
            value["rulings"] = json!([{"seq": find_entry(record).unwrap().to_string(), "rule": "6", "quote": WORDS,
                "reason": "It speaks about persons and not about the matter.", "ruling": "warning"}]);
        }
        _ => {}
    });
    let looks: Vec<&str> = asked
        .iter()
        .filter(|(_, prompt, text)| prompt == "chair" && text.contains("These rulings stand"))
        .map(|(.., text)| text.as_str())
        .collect();
    assert!(!looks.is_empty(), "the ruling is shown in no later look back");
    for text in looks {
        let (_, standing) = text.split_once("These rulings stand").unwrap();
        let line = standing.lines().find(|line| line.starts_with("- seq ")).unwrap();
        assert!(line.contains(", rule 6: ") && line.contains(WORDS), "{line}");
    }
}
