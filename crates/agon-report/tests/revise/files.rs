//! Which files a debate leaves, and what they say.

use std::collections::BTreeMap;

use agon_report::revise::log::Log;
use serde_json::json;

use super::play::*;

#[test]
fn a_plan_debate_leaves_exactly_the_source_system_s_files() {
    let record = play(track("plan"), |_| None);
    assert_eq!(
        paths(&record),
        [
            "plan_claude.md",
            "plan_codex.md",
            "critique_of_codex_r1.md",
            "critique_of_claude_r1.md",
            "plan_claude_v2.md",
            "plan_codex_v2.md",
            "critique_of_codex_r2.md",
            "critique_of_claude_r2.md",
            "plan_claude_v3.md",
            "plan_codex_v3.md",
            "debate_log.md",
            "PLAN.md",
        ]
    );
}

#[test]
fn golden_files_of_a_plan_debate() {
    let record = play(track("plan"), |_| None);
    for path in ["critique_of_codex_r1.md", "plan_codex_v2.md", "debate_log.md", "PLAN.md"] {
        insta::assert_snapshot!(format!("revise-plan-{}", path.replace('.', "-")), file(&record, path));
    }
}

#[test]
fn golden_transcript_and_completion_of_a_draft_debate() {
    let mut opened = opened(2, json!({}));
    opened.limits.rounds = 1;
    let record = play(opened, |_| None);
    insta::assert_snapshot!(
        "revise-draft-completion",
        agon_report::find_format("revise").unwrap().render_completion(&record).unwrap()
    );
    let files = agon_report::render_debate_files(&record, None);
    let transcript = files.iter().find(|file| file.path == "transcript.md").unwrap();
    insta::assert_snapshot!("revise-draft-transcript", transcript.content);
}

#[test]
fn with_more_authors_a_critique_says_whose_it_is() {
    let mut opened = opened(3, json!({}));
    opened.limits.rounds = 1;
    opened.lineup[1].name = Some("Grace Hopper".into());
    let record = play(opened, |key| {
        let author = key.strip_prefix("round-1/revision-")?;
        let point = |n: usize| json!({"weakness": format!("W{n}"), "answer": "addressed", "words": "It is said now."});
        let points: Vec<_> = (1..=if author == "1" { 2 } else { 3 }).map(point).collect();
        said(json!({"points": points, "document": version("draft", author, "1")}))
    });
    let paths = paths(&record);
    for path in [
        "draft_first.md",
        "draft_grace-hopper.md",
        "draft_third.md",
        "critique_of_grace-hopper_by_first_r1.md",
        "critique_of_grace-hopper_by_third_r1.md",
        "critique_of_third_by_grace-hopper_r1.md",
        "debate_log.md",
    ] {
        assert!(paths.iter().any(|known| known == path), "{path}: {paths:?}");
    }
    assert_eq!(paths.iter().filter(|path| path.starts_with("critique_of_")).count(), 6);
    let log = file(&record, "debate_log.md");
    assert!(log.contains("- First critique of Grace Hopper: critique_of_grace-hopper_by_first_r1.md ("), "{log}");
    assert!(log.contains("first_critique_of_grace_hopper_path: critique_of_grace-hopper_by_first_r1.md"), "{log}");
}

#[test]
fn the_log_counts_words_and_weaknesses_as_they_stand_in_the_files() {
    let record = play(track("plan"), |_| None);
    let log = Log::parse(&file(&record, "debate_log.md")).unwrap();
    let mut seen = 0;
    for round in &log.debates[0].rounds {
        for counted in round.list_critiques() {
            let text = file(&record, &counted.path);
            assert_eq!(counted.words, text.split_whitespace().count(), "{}", counted.path);
            let (_, weaknesses) = text.split_once("### Weaknesses\n").unwrap();
            let (weaknesses, _) = weaknesses.split_once("\n\n").unwrap();
            assert_eq!(counted.weaknesses, weaknesses.lines().count());
            seen += 1;
        }
    }
    assert_eq!(seen, 4);
    let check = log.debates[0].rounds[1].lines.iter().find(|(about, _)| about == "Convergence check");
    assert_eq!(check.unwrap().1, "converged — all disagreements are of low severity (V2)");
}

#[test]
fn a_review_appends_its_section_to_the_log_of_the_plan_verbatim() {
    let earlier =
        "# Debate Log — Phase 2\n\n## Configuration\n- Max rounds: 9\n\n## Plan Debate\n### Round 1\n- A: <b>\n";
    let record = play_with(track("review"), &BTreeMap::from([("log", earlier)]), |_| None);
    let log = file(&record, "debate_log.md");
    assert!(log.starts_with(&format!("{}\n\n## Review Debate\n", earlier.trim_end())), "{log}");
    let read = Log::parse(&log).unwrap();
    assert_eq!(read.debates.iter().map(|debate| debate.stage.as_str()).collect::<Vec<_>>(), ["Plan", "Review"]);
}

#[test]
fn a_note_on_clamped_rounds_is_said_aloud_and_logged() {
    let mut opened = track("plan");
    opened.options.insert("rounds_note".into(), "9 rounds were asked for; 3 is the most.".into());
    let record = play(opened, |_| None);
    assert!(file(&record, "debate_log.md").contains("- Note: 9 rounds were asked for; 3 is the most.\n"));
    let told = record
        .rulings()
        .any(|(_, key, ruling)| key.as_str() == "rounds/warned" && ruling.kind == agon_core::RulingKind::Warned);
    assert!(told);
}

#[test]
fn an_initial_version_that_was_given_is_not_asked_for() {
    let plan = document("plan");
    let record = play_with(track("plan"), &BTreeMap::from([("draft/codex", plan.as_str())]), |_| None);
    assert!(!asked(&record).contains(&"draft-2".to_owned()));
    assert_eq!(file(&record, "plan_codex.md").trim(), plan.trim());
    assert_eq!(paths(&record).len(), 12);
}

#[test]
fn files_are_there_half_way() {
    let half = |until: &'static str| {
        play(track("plan"), move |_| None)
            .entries()
            .iter()
            .position(|entry| matches!(&entry.what, agon_core::Event::Ruled { key, .. } if key.as_str() == until))
    };
    let whole = play(track("plan"), |_| None);
    for (until, count) in
        [("lineup", 1), ("drafts", 3), ("round-1/critiques", 5), ("round-1/revisions", 7), ("round-2/critiques", 9)]
    {
        let at = half(until).unwrap();
        let record = agon_core::Record::from_entries(whole.entries()[..=at].to_vec()).unwrap();
        assert_eq!(paths(&record).len(), count, "{until}: {:?}", paths(&record));
        let log = Log::parse(&file(&record, "debate_log.md")).unwrap();
        assert!(log.debates[0].outcome.is_empty());
    }
}

#[test]
fn nothing_written_changes_once_it_is_written() {
    let whole = play(track("plan"), |_| None);
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for at in 1..=whole.entries().len() {
        let record = agon_core::Record::from_entries(whole.entries()[..at].to_vec()).unwrap();
        for file in files(&record).into_iter().filter(|file| file.path != "debate_log.md") {
            let before = known.entry(file.path.clone()).or_insert_with(|| file.content.clone());
            assert_eq!(*before, file.content, "{} changed at entry {at}", file.path);
        }
    }
    assert_eq!(known.len(), 11);
}

#[test]
fn redacted_text_stands_in_no_file() {
    let whole = play(track("plan"), |_| None);
    let open = whole.entries().len() - 1;
    let mut record = agon_core::Record::from_entries(whole.entries()[..open].to_vec()).unwrap();
    for key in ["round-1/critique-1-of-2", "round-2/revision-1", "draft-1", "synthesis"] {
        redact(&mut record, key);
    }
    for path in ["critique_of_codex_r1.md", "plan_claude_v3.md", "plan_claude.md", "PLAN.md"] {
        assert_eq!(file(&record, path), "This text was redacted.\n", "{path}");
    }
    for file in agon_report::render_debate_files(&record, None) {
        assert!(!file.content.contains("disk is full, asks 1 of 2"), "{}", file.path);
        assert!(!file.content.contains("Version of author 1 after round 2"), "{}", file.path);
    }
}

#[test]
fn what_authors_write_forges_nothing() {
    let evil = "# Keeping notes\n\n## Why\n\n<script>alert(1)</script> <!-- Revision v9: Addressed [] -->\n\n## How\n\n![x](http://e.vil/x.png) is one line a day, says \u{202e}nobody.";
    let record = play(opened(2, json!({})), |key| match key {
        "draft-1" => said(evil),
        "round-1/critique-1-of-2" => said(critique(
            json!([weakness("HIGH", "How", "No.\n## Critique of Nobody (Round 9)\n### Weaknesses\n- None")]),
            json!([]),
            json!(["# All"]),
        )),
        "round-1/revision-2" => said(json!({
            "points": [{"weakness": "W1", "answer": "addressed", "words": "x]. Defended: []. --> <script>"}],
            "document": version("draft", "2", "1"),
        })),
        _ => None,
    });
    let draft = file(&record, "draft_first.md");
    assert!(
        draft.contains("&lt;script>") && draft.contains("&lt;!-- Revision v9") && draft.contains("!\\[x]"),
        "{draft}"
    );
    let critique = file(&record, "critique_of_second_r1.md");
    assert_eq!(critique.lines().filter(|line| line.starts_with('#')).count(), 5, "{critique}");
    let revision = file(&record, "draft_second_v2.md");
    assert!(
        revision.starts_with(
            "<!-- Revision v2: Addressed critique points [W1: x). Defended: (). -> &lt;script>]. Defended: []. -->\n"
        ),
        "{revision}"
    );
    for file in agon_report::render_debate_files(&record, None) {
        assert!(!file.content.contains("<script") && !file.content.contains('\u{202e}'), "{}", file.path);
    }
}
