//! A1 to A7, and that an artifact reads back whoever wrote it.

use agon_core::Faults;
use agon_protocols::duel::turn::{Contribution, Stance, TurnClaim, Unresolved};
use agon_report::duel::{
    artifact::{Artifact, Conclusion, ParticipantRow, TurnSection},
    artifact_parser,
    turns::digest_turns,
};
use proptest::prelude::*;

use crate::duel::scripted::{artifact, cut_after, duel};

fn whole() -> String {
    artifact(&duel())
}

fn active() -> String {
    artifact(&cut_after(&duel(), "turn-3/accepted"))
}

/// The file breaks `rule`, with a message that says `wanted`.
fn breaks(text: &str, rule: &str, wanted: &str) {
    let Faults(faults) = artifact_parser::parse_artifact(text).expect_err(rule);
    let found = faults.iter().any(|fault| fault.rule == rule && fault.to_string().contains(wanted));
    assert!(found, "{rule} {wanted:?} is not among {faults:?}");
}

fn reads(text: &str) -> Artifact {
    artifact_parser::parse_artifact(text).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

#[test]
fn an_artifact_reads_back_as_it_was_written() {
    for text in [whole(), active()] {
        assert_eq!(reads(&text).render(), text);
    }
}

#[test]
fn all_three_styles_of_dash_are_read() {
    for dash in ["—", "--", "-"] {
        let text = whole().replace(" — ", &format!(" {dash} "));
        assert_eq!(reads(&text).turns, reads(&whole()).turns);
    }
    let mixed = whole().replacen(" — DISSENTING", " -- DISSENTING", 1);
    assert_eq!(reads(&mixed).turns[0].said.stance, Stance::Dissenting);
}

#[test]
fn turns_below_a_heading_of_their_own_are_read() {
    let text = active().replacen("\n---\n\n## Turn 1 ", "\n## Turns\n\n---\n\n## Turn 1 ", 1);
    assert_eq!(reads(&text), reads(&active()));
}

#[test]
fn stance_revision_support_may_be_left_out_where_nothing_changed() {
    let text = active().replacen("\n\n**Stance Revision Support**\n- None", "", 1);
    assert_eq!(reads(&text), reads(&active()));
}

#[test]
fn convergence_is_read_in_any_case() {
    for yes in ["YES", "yes"] {
        let text = artifact(&cut_after(&duel(), "turn-3/standing")).replace("Yes", yes);
        assert!(reads(&text).candidate_convergence);
    }
}

#[test]
fn names_and_models_may_hold_brackets_and_dashes() {
    let text = whole().replace("Ada (agon / openai:pro)", "Ada - B. (x) (agon / local:/m (1) - q4.gguf)");
    let turn = &reads(&text.replace("## Turn 1 — ", "## Turn 1 - ")).turns[0];
    assert_eq!((turn.participant.as_str(), turn.model.as_str()), ("Ada - B. (x)", "local:/m (1) - q4.gguf"));
}

#[test]
fn a1_turns_count_from_one_without_gap_or_duplicate() {
    breaks(&whole().replace("## Turn 3 ", "## Turn 4 "), "A1", "turn 3 is wanted here");
    breaks(&whole().replace("## Turn 2 ", "## Turn 1 "), "A1", "turn 2 is wanted here");
    breaks(&whole().replace("## Turn 1 ", "## Turn 0 "), "A1", "turn 1 is wanted here");
}

#[test]
fn a2_a_duel_has_at_most_six_turns() {
    let mut artifact = reads(&active());
    let turns = artifact.turns.clone();
    for number in 4..=7 {
        let like = &turns[(number as usize + 1) % 2];
        let mut turn = TurnSection { number, ..like.clone() };
        turn.said.stance = artifact.turns[number as usize - 3].said.stance;
        artifact.turns.push(turn);
    }
    breaks(&artifact.render(), "A2", "six turns at most".replace("six", "6").as_str());
}

#[test]
fn a3_nobody_speaks_twice_in_a_row_unless_a_peer_timeout_is_recorded() {
    let twice = whole().replace("## Turn 2 — Participant B (agon / local)", "## Turn 2 — Ada (agon / openai:pro)");
    breaks(&twice, "A3", "Ada speaks twice in a row");
    let mut artifact = reads(&active());
    artifact.turns.truncate(1);
    let again = TurnSection { number: 2, ..artifact.turns[0].clone() };
    artifact.turns[0].peer_timeout = Some("Participant B did not come back in 15 minutes".into());
    artifact.turns.push(again);
    assert_eq!(reads(&artifact.render()), artifact);
}

#[test]
fn a4_an_accepted_turn_is_never_changed() {
    let kept = digest_turns(&active());
    assert!(digest_turns(&whole()).starts_with(&kept), "{kept:?}");
    for (from, to) in [
        ("A day is enough for most", "A day is enough for all"),
        ("## Turn 1 — Ada", "## Turn 1 — Ade"),
        ("(non-blocking)", "(blocking)"),
    ] {
        let changed = digest_turns(&whole().replacen(from, to, 1));
        assert_ne!(changed[0], kept[0], "{from}");
        assert_eq!(changed[1..kept.len()], kept[1..], "{from}");
    }
    let shorter = digest_turns(&artifact(&cut_after(&duel(), "turn-2/accepted")));
    assert_eq!(shorter, kept[..2]);
}

#[test]
fn a4_white_space_behind_a_turn_does_not_count() {
    let spaced = whole().replace("\n\n---\n\n## Turn 2", "\n\n\n\n---\n\n\n## Turn 2");
    assert_eq!(digest_turns(&spaced), digest_turns(&whole()));
}

#[test]
fn a5_the_terminal_block_is_well_formed_and_has_one_outcome() {
    let text = whole();
    breaks(&text.replace("**Outcome**: ACCEPTED_CONSENSUS", "**Outcome**: WON"), "A5", "\"WON\" is none of");
    breaks(&text.replace("**Outcome**: ", "**Outcome**: DISSENT\n**Outcome**: "), "A5", "wanted once, found 2");
    breaks(&text.replace("**Closed At**: 2026", "**Closed: 2026"), "A5", "**Closed At** is wanted once, found 0");
    breaks(&text.replacen("**Reason**: ", "**Reason**: Pending\n\n", 1), "A5", "needs the line **Reason**");
    let (head, _) = text.split_once("## Terminal Conclusion").unwrap();
    breaks(head, "A5", "the section Terminal Conclusion is missing");
    let (block, _) = text.split_once("\n\nTopic: ").unwrap();
    breaks(block, "A5", "needs a summary");
    breaks(&format!("{block}\n\nThey agreed.\n"), "A5", "names the source document and the topic");
}

#[test]
fn a6_nothing_follows_a_terminal_outcome() {
    let text = whole();
    let (head, end) = text.split_once("## Terminal Conclusion").unwrap();
    let (before, last) = head.split_once("---\n\n## Turn 5").unwrap();
    let swapped = format!("{before}## Terminal Conclusion{end}\n---\n\n## Turn 5{last}");
    breaks(&swapped, "A6", "nothing follows a terminal outcome");
    let twice = format!("{text}\n## Terminal Conclusion{end}");
    breaks(&twice, "A5", "twice");
}

#[test]
fn a7_exactly_the_known_headings() {
    let text = whole();
    for heading in ["# Another", "## Verdict", "### Detail", "## turn 6"] {
        let more = text.replacen("\n---\n", &format!("\n{heading}\n\n---\n"), 1);
        breaks(&more, "A7", "is no heading of a debate artifact");
    }
    breaks(&text.replace("# Socratic Duel: ", "# Duel: "), "A7", "\"# Socratic Duel: TOPIC\" is missing");
    breaks(&text.replace("## Participants", "Participants"), "A7", "the section Participants is missing");
    breaks(&text.replace("**Created**", "**Made**"), "A7", "the line **Created** is missing");
    breaks(&text.replace("| Max Turns |", "| Turns |"), "A7", "the row Max Turns is missing");
    breaks(&text.replace("— DISSENTING", "— AGREEING"), "A7", "a turn's heading is");
    let fenced = text.replacen("**Agreements**\n- ", "**Agreements**\n- It runs:\n\n```\n# a comment\n```\n\n- ", 1);
    reads(&fenced);
}

#[test]
fn a7_the_labels_of_a_turn_stand_there_once_and_in_order() {
    for label in ["Position", "Counterpoints", "Agreements", "Novel Argument", "Unresolved Items"] {
        breaks(&whole().replacen(&format!("**{label}**"), label, 1), "A7", &format!("**{label}** is missing"));
    }
    breaks(&whole().replacen("**Agreements**", "**Position**\nx\n\n**Agreements**", 1), "A7", "stands there twice");
    let swapped = whole()
        .replace("**Agreements**", "**X**")
        .replace("**Counterpoints**", "**Agreements**")
        .replace("**X**", "**Counterpoints**");
    breaks(&swapped, "A7", "stands in another place");
}

#[test]
fn the_content_of_a_turn_keeps_the_rules_that_a_file_can_show() {
    let text = whole();
    breaks(&text.replacen("**Position**\nA day", "**Position**\n\n**Counterpoints**\nA day", 1), "D2", "position");
    breaks(&text.replacen("  Claim: The price", "  The price", 1), "D3", "Addresses, Claim and Support");
    breaks(&text.replacen("    - Principle: What is short", "    - What is short", 1), "D7", "neither an address");
    breaks(&text.replacen("(blocking)", "(open)", 1), "D6", "does not end with (blocking)");
    let accepting = text.replace("reader is away? (non-blocking)", "reader is away? (blocking)");
    breaks(&accepting, "D10", "while an item is blocking");
    let unexplained = text.replace("- Turn 2: fresh dispute is remembered better.", "- None");
    breaks(&unexplained, "D9", "without Stance Revision Support");
}

#[test]
fn an_artifact_that_agents_wrote_freely_is_read() {
    let text = active()
        .replace("**Position**\n", "**Position**\n\n")
        .replace("    - ", "      - ")
        .replacen("  Claim: The price is given", "  Claim: The price\n  is given", 1)
        .replace('\n', "\r\n");
    let reading = reads(&text);
    assert_eq!(reading.turns, reads(&active()).turns);
}

/// A text as the program writes it: one line, blanks collapsed.
fn text() -> impl Strategy<Value = String> {
    let any = "[A-Za-z0-9][A-Za-z0-9 .,|()#*_/\\\\é—-]{0,30}[a-z]";
    any.prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn support() -> impl Strategy<Value = Vec<String>> {
    let entry = text().prop_flat_map(|text| {
        prop_oneof![
            Just(format!("Principle: {text}")),
            Just(format!("https://a.org/{text}")),
            Just(format!("Turn 1: {text}"))
        ]
    });
    proptest::collection::vec(entry, 1..3)
}

prop_compose! {
    fn contribution()(
        texts in proptest::array::uniform3(text()),
        points in proptest::collection::vec((text(), text(), support()), 1..3),
        agreements in proptest::collection::vec(text(), 1..3),
        novel in support(),
        items in proptest::collection::vec((text(), any::<bool>()), 1..3),
        stance_support in support(),
    ) -> Contribution {
        let [position, claim, _] = texts;
        let point = |(addresses, claim, support)| TurnClaim { addresses, claim, support, ..TurnClaim::default() };
        Contribution {
            position,
            counterpoints: points.into_iter().map(point).collect(),
            agreements,
            novel: TurnClaim { claim, support: novel, ..TurnClaim::default() },
            unresolved: items.into_iter().map(|(text, blocking)| Unresolved { text, blocking }).collect(),
            stance: Stance::Revising,
            stance_support,
            ..Contribution::default()
        }
    }
}

prop_compose! {
    fn any_artifact()(
        topic in text(), path in "/[a-z`| ]{1,12}x\\.md", names in proptest::array::uniform2("[A-Z][a-z.'-]{0,8}"),
        model in text(), turns in proptest::collection::vec(contribution(), 0..7), convergence in any::<bool>(),
        outcome in 0_usize..6,
    ) -> Artifact {
        let path = path.split_whitespace().collect::<Vec<_>>().join(" ");
        let [first, second] = &names;
        let second = if first == second { format!("{second} II") } else { second.clone() };
        let both = [first.clone(), second];
        let turns: Vec<TurnSection> = turns.into_iter().enumerate().map(|(i, said)| TurnSection {
            number: i as u32 + 1, participant: both[i % 2].clone(), harness: "agon".into(), model: model.clone(), said,
            peer_timeout: None,
        }).collect();
        let conclusion = match agon_protocols::duel::outcome::OUTCOMES.get(outcome) {
            None => Conclusion::pending(convergence),
            Some(outcome) => Conclusion {
                outcome: (*outcome).into(), closed_at: Some("2026-01-31T10:00:00.000Z".into()),
                candidate_convergence: convergence, reason: "It ended.".into(),
                summary: format!("About {topic}, on {path}.\n\n- Ada: done"),
            },
        };
        let participants = both.iter().map(|name| ParticipantRow {
            name: name.clone(), harness: "agon".into(), model: model.clone(), joined: "2026-01-31".into(),
        }).collect();
        Artifact {
            topic, source_path: path, source_link: "[plan.md](plan.md)".into(), status: "ACTIVE".into(),
            created: "2026-01-31".into(), duel_id: "sample".into(), topic_slug: "slug".into(), turns_max: 6,
            candidate_convergence: convergence, participants, turns, conclusion,
        }
    }
}

proptest! {
    #[test]
    fn every_artifact_reads_back(artifact in any_artifact()) {
        let text = artifact.render();
        match artifact_parser::parse_artifact(&text) {
            Ok(reading) => prop_assert_eq!(reading, artifact),
            // A word of the texts may be a rule broken; that is no matter of reading.
            Err(faults) => prop_assert!(faults.0.iter().all(|fault| fault.rule.starts_with('D')), "{faults}\n{text}"),
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in "(# Socratic Duel: x|## |Turn 1 — A \\(b / c\\) — REVISING|Terminal Conclusion|\\*\\*Outcome\\*\\*: DISSENT|\\*\\*Position\\*\\*|- Addresses:|Support:|\\| a \\| b \\||---|```|\n|é){0,24}") {
        let _ = artifact_parser::parse_artifact(&text);
    }
}
