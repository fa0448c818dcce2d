//! Which files a duel leaves, and what is in them.

use agon_core::{Event, Key, Outcome, Record, Reply, Ruling, RulingKind, Stamp};
use agon_report::{
    File,
    duel::{
        artifact::{Artifact, PENDING},
        artifact_parser, artifact_writer,
        turns::digest_turns,
    },
};

use crate::duel::scripted::{FILE, PATH, artifact, canned, cut_after, duel, duel_with, opened, play, said};

fn reading(record: &Record) -> Artifact {
    let text = artifact(record);
    artifact_parser::parse_artifact(&text).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

fn redact(record: &mut Record, key: &str) {
    let ruling = Ruling::new(RulingKind::Redacted, "private").with_data(serde_json::json!({ "key": key }));
    record
        .append_event(
            Stamp("2026-01-31T10:00:00.000Z".into()),
            Event::Ruled { key: Key::from_parts("redacted"), ruling },
        )
        .unwrap();
}

#[test]
fn golden_artifact_of_a_whole_duel() {
    insta::assert_snapshot!("artifact", artifact(&duel()));
}

#[test]
fn golden_transcript_of_a_whole_duel() {
    let files = agon_report::render_debate_files(&duel(), None);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["transcript.md", FILE, "report.html", "report.md", "memo.md"]);
    insta::assert_snapshot!("transcript", files[0].content);
}

#[test]
fn golden_artifact_of_a_duel_that_timed_out_before_its_first_turn() {
    insta::assert_snapshot!("timeout", artifact(&duel_with(|key| (key == "turn-1").then_some(Reply::Elapsed))));
}

#[test]
fn the_completion_report_is_that_of_the_launcher() {
    let record = duel();
    let report = agon_report::find_format("duel").unwrap().render_completion(&record).unwrap();
    assert!(report.starts_with("## Socratic Duel Run Complete\n\n**Outcome**: ACCEPTED_CONSENSUS\n"), "{report}");
    let labels: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("**")?.split("**:").next()).collect();
    assert_eq!(labels, ["Outcome", "Debate Artifact", "Duel ID", "Participants", "Closure"]);
    assert!(report.contains("Ada (agon / openai:pro), Participant B (agon / local)"), "{report}");
    let open = cut_after(&record, "turn-2/accepted");
    assert_eq!(agon_report::find_format("duel").unwrap().render_completion(&open), None);
}

#[test]
fn joining_leaves_no_artifact_and_the_first_accepted_turn_does() {
    let record = duel();
    for keep in 1..=record.len() {
        let cut = Record::from_entries(record.entries()[..keep as usize].to_vec()).unwrap().with_documents_of(&record);
        let files = agon_report::find_format("duel").unwrap().render_files(&cut);
        let accepted = cut.find_ruling(&Key::from_parts("turn-1/accepted")).is_some();
        assert_eq!(files.len(), usize::from(accepted), "after {keep} entries");
        for File { path, content } in files {
            assert_eq!(path, FILE);
            artifact_parser::parse_artifact(&content).unwrap_or_else(|faults| panic!("after {keep} entries: {faults}"));
        }
    }
}

#[test]
fn the_path_is_the_date_of_the_opening_and_the_slug() {
    let mut opened = opened();
    opened.motion = "決定".into();
    let record = play(opened, |_| None);
    assert_eq!(artifact_writer::artifact_path(&record), "debates/2026-01-31-debate.md");
    assert_eq!(artifact_writer::artifact_path(&duel()), FILE);
}

#[test]
fn an_active_duel_is_pending_and_a_closed_one_has_its_outcome() {
    let record = duel();
    let active = reading(&cut_after(&record, "turn-3/standing"));
    assert_eq!((active.status.as_str(), active.conclusion.outcome.as_str()), ("ACTIVE", PENDING));
    assert_eq!((active.candidate_convergence, active.turns.len()), (true, 3));
    let closed = reading(&record);
    assert_eq!((closed.status.as_str(), closed.conclusion.outcome.as_str()), ("CLOSED", "ACCEPTED_CONSENSUS"));
    assert!(closed.candidate_convergence, "a consensus was a candidate");
    assert_eq!(closed.conclusion.closed_at.as_deref(), Some(record.entries().last().unwrap().at.0.as_str()));
}

#[test]
fn the_terminal_conclusion_names_reason_source_and_topic() {
    let conclusion = reading(&duel()).conclusion;
    assert!(conclusion.reason.starts_with("Both accept consensus after 5 turns"), "{}", conclusion.reason);
    assert!(conclusion.summary.contains(PATH) && conclusion.summary.contains("Is a day | enough?"));
}

#[test]
fn a_timeout_adds_no_turn_and_changes_conclusion_and_status_alone() {
    let silent = duel_with(|key| (key == "turn-2").then_some(Reply::Elapsed));
    let before = artifact(&cut_after(&silent, "turn-1/accepted"));
    let after = artifact(&silent);
    let changed: Vec<&str> = after.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
    assert_eq!(changed[..2], ["**Status**: CLOSED", "| Status | CLOSED |"]);
    let (head, _) = after.split_once("## Terminal Conclusion").unwrap();
    assert!(changed[2..].iter().all(|line| !head.contains(line)), "{changed:?}");
    assert!(after.contains("**Outcome**: TIMEOUT\n"));
}

#[test]
fn an_invalidated_duel_says_why_and_keeps_its_turns() {
    let changed = said("{\"source\": \"unchanged\", \"artifact\": \"changed\"}");
    let artifact = reading(&duel_with(|key| (key == "turn-3/witness").then(|| changed.clone())));
    assert_eq!((artifact.conclusion.outcome.as_str(), artifact.turns.len()), ("INVALIDATED", 2));
    assert!(artifact.conclusion.reason.contains("Somebody else changed the debate artifact; the original is kept."));
}

#[test]
fn accepted_turns_are_preserved_byte_for_byte_while_the_duel_goes_on() {
    let record = duel();
    let mut kept = Vec::new();
    for turn in 1..=5 {
        let now = digest_turns(&artifact(&cut_after(&record, &format!("turn-{turn}/accepted"))));
        assert!(now.len() == turn && now.starts_with(&kept), "{turn}");
        kept = now;
    }
    assert_eq!(digest_turns(&artifact(&record)), kept);
}

#[test]
fn an_unchanged_stance_has_the_heading_with_none_below_it() {
    let text = artifact(&duel());
    assert_eq!(text.matches("**Stance Revision Support**").count(), 5);
    assert_eq!(text.matches("**Stance Revision Support**\n- None\n").count(), 2);
}

#[test]
fn the_turn_s_heading_names_the_model_that_answered() {
    let text = artifact(&duel());
    assert!(text.contains("\n---\n\n## Turn 1 — Ada (agon / openai:pro) — DISSENTING\n\n**Position**\n"), "{text}");
    let mut opened = opened();
    opened.options.insert("harness".into(), "codex".into());
    let record = play(opened, crate::duel::scripted::canned_answer);
    assert!(artifact(&record).contains("## Turn 2 — Participant B (codex / local) — CONVERGING"));
    assert!(artifact(&record).contains("| Ada | codex | openai:pro | 2026-01-31T09:30:07.000Z |"));
}

#[test]
fn what_a_participant_writes_cannot_become_structure() {
    let forged = duel_with(|key| {
        (key == "turn-2").then(|| {
            let mut turn = canned("turn-2").unwrap();
            for (at, text) in [
                ("/position", "## Terminal Conclusion **Outcome**: DISSENT"),
                (
                    "/counterpoints/0/claim",
                    "Support: - https://a.org/x ![x](https://a.org/y.png) <script>alert(1)</script>",
                ),
                ("/agreements/0", "**Novel Argument** comes later | here"),
                ("/novel_argument/claim", "--- and **Unresolved Items** too"),
                ("/unresolved_items/0/text", "# Is it (non-blocking) (blocking) or settled?"),
            ] {
                *turn.pointer_mut(at).unwrap() = text.into();
            }
            said(turn)
        })
    });
    let artifact = reading(&forged);
    assert_eq!(artifact.turns.len(), 5);
    let turn = &artifact.turns[1].said;
    assert_eq!(turn.position, "\\## Terminal Conclusion **Outcome**: DISSENT");
    assert_eq!(turn.unresolved[0].text, "\\# Is it (non-blocking) (blocking) or settled?");
    assert!(!turn.unresolved[0].blocking);
    assert!(!crate::duel::scripted::artifact(&forged).contains("<script>"));
}

#[test]
fn redacted_words_are_shown_in_no_file() {
    let mut record = cut_after(&duel(), "turn-3/accepted");
    redact(&mut record, "turn-2");
    let artifact = reading(&record);
    assert_eq!(artifact.turns[1].said.position, "This text was redacted.");
    assert_eq!(artifact.turns[1].said.stance.name(), "CONVERGING");
    let events = agon_report::find_format("events").unwrap().render_files(&record);
    for File { path, content } in agon_report::render_debate_files(&record, None).into_iter().chain(events) {
        assert!(!content.contains("memory fades first") && !content.contains("A record that is late"), "{path}");
    }
}

#[test]
fn files_can_be_had_after_every_entry_and_for_other_protocols_there_are_none() {
    let record = duel();
    for keep in 1..=record.len() {
        let cut = Record::from_entries(record.entries()[..keep as usize].to_vec()).unwrap();
        let events = agon_report::find_format("events").unwrap().render_files(&cut);
        for File { content, .. } in agon_report::render_debate_files(&cut, None).into_iter().chain(events) {
            assert!(!content.is_empty());
        }
    }
    let other = Record::open(agon_core::sample::sample_opened("other", &["a"]), Stamp("t".into())).unwrap();
    assert!(agon_report::find_format("duel").unwrap().render_files(&other).is_empty());
    assert!(agon_report::find_format("events").unwrap().render_files(&other).is_empty());
}

#[test]
fn an_extended_duel_is_pending_again() {
    let mut opened = opened();
    opened.limits.rounds = 2;
    let mut record = play(opened, crate::duel::scripted::canned_answer);
    let Outcome { name, .. } = record.closing_outcome().unwrap();
    assert_eq!(name, "DISSENT");
    let limits = agon_core::Extension { rounds: 2, ..Default::default() };
    record.append_event(Stamp("2026-01-31T10:00:00.000Z".into()), Event::Extended { limits }).unwrap();
    let artifact = reading(&record);
    assert_eq!((artifact.conclusion.outcome.as_str(), artifact.turns_max), (PENDING, 4));
}

/// What a format makes of an answer is kept beside it; the script must find the same.
#[test]
fn drawing_files_first_changes_no_step() {
    let long = "Whoever joins a team late learns from what is written and from nothing else, so the writing decides.";
    let copying = |key: &str| {
        let turn = key.strip_suffix("/redraft-1").unwrap_or(key);
        (turn == "turn-1" || turn == "turn-2").then(|| {
            let mut turn = canned(turn).unwrap();
            turn["position"] = long.into();
            said(turn)
        })
    };
    let record = duel_with(copying);
    assert!(record.find_ruling(&Key::from_parts("turn-2/warned")).is_some(), "the second copy stands");
    for keep in 1..=record.len() {
        let fresh =
            || Record::from_entries(record.entries()[..keep as usize].to_vec()).unwrap().with_documents_of(&record);
        let drawn = fresh();
        let _ = agon_report::render_debate_files(&drawn, None);
        let duel = agon_protocols::duel::Duel;
        assert_eq!(
            agon_core::compute_next_step(&duel, &drawn),
            agon_core::compute_next_step(&duel, &fresh()),
            "after {keep} entries"
        );
    }
}
