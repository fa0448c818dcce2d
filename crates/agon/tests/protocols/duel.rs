//! The five ways in which a duel ends.

use agon_core::{Record, Reply, RulingKind};
use agon_mock::MockFault;
use serde_json::Value;

use crate::protocols::{
    canned::duel::{blocked, drive_record, duel, open, opened, said, turn},
    stage::Play,
};

const OPEN: &str = "OPEN_TO_DEBATE";
const ACCEPTING: &str = "ACCEPTING_CONSENSUS";
const DISSENTING: &str = "DISSENTING";

fn turns(stances: &[&str]) -> Vec<Value> {
    stances.iter().enumerate().map(|(i, stance)| turn(i + 1, stance)).collect()
}

/// A duel in which somebody gives `reply` from turn `from` on.
fn with(from: u64, reply: Reply) -> Record {
    let mut record = open(opened(6));
    drive_record(&mut record, |request| {
        let number = request.facts["turn"].as_u64().unwrap();
        let speaks = request.seat.as_str() != "witness";
        speaks.then(|| if number >= from { reply.clone() } else { said(turn(number as usize, OPEN)) })
    });
    record
}

#[test]
fn every_end_of_two_that_speak_is_reached() {
    let mut late = turns(&[OPEN; 6]);
    late[4] = blocked(5, OPEN);
    let table = [
        ("ACCEPTED_CONSENSUS", 4, duel(6, &turns(&[OPEN, OPEN, ACCEPTING, ACCEPTING, OPEN, OPEN]))),
        ("ACCEPTED_CONSENSUS", 6, duel(6, &turns(&[OPEN, OPEN, OPEN, OPEN, ACCEPTING, ACCEPTING]))),
        ("DISSENT", 4, duel(6, &turns(&[OPEN, OPEN, DISSENTING, DISSENTING, OPEN, OPEN]))),
        ("DISSENT", 6, duel(6, &late)),
        ("MAX_TURNS", 6, duel(6, &turns(&[OPEN; 6]))),
        ("MAX_TURNS", 2, duel(2, &turns(&[OPEN; 2]))),
    ];
    for (name, turns, played) in table {
        let stage = Play::from_record(&played).run();
        assert_eq!(stage.end(), (name, true), "{}", stage.outcome().summary);
        assert_eq!(stage.outcome().figures["turns"], turns, "{name}");
        assert_eq!(stage.server.request_count(), turns, "{name}: one call a turn");
        assert_eq!(stage.outcome().winner, None);
        stage.says_what(&played);
        let artifact = stage.file("debates/");
        assert!(artifact.contains(&format!("**Outcome**: {name}")), "{artifact}");
    }
}

#[test]
fn a_seat_that_is_silent_for_its_whole_time_ends_the_duel() {
    // Turn 2 never comes: its participant never took part. Turn 4 never comes: it did.
    for (seat, spoken, turns, end) in [
        ("participant-2", 0, 1, ("TIMEOUT", true)),
        ("participant-1", 0, 0, ("TIMEOUT", true)),
        ("participant-2", 1, 3, ("INVALIDATED", false)),
    ] {
        let played = duel(6, &self::turns(&[OPEN; 6]));
        let play = Play::from_record(&played).only(seat, spoken).fails(seat, MockFault::Hang);
        let stage = play.option("wait_seconds", 1).run();
        assert_eq!(stage.end(), end, "{}", stage.outcome().summary);
        assert_eq!(stage.outcome().figures["turns"], turns);
        assert_eq!(stage.outcome().absent[0].seat.as_str(), seat);
        assert_eq!(stage.server.request_count(), turns + 1, "silence is no reason to ask again");
        let head = stage.file("transcript.md");
        let head = head.split("## Seats").next().unwrap();
        assert!(head.contains("did not answer: no answer in time"), "{head}");
    }
}

#[test]
fn a_server_that_fails_is_no_silence() {
    let played = duel(6, &turns(&[OPEN; 6]));
    let busy = MockFault::Status("503".parse().unwrap(), None);
    let stage = Play::from_record(&played).only("participant-2", 0).fails("participant-2", busy).run();
    assert!(stage.stopped.is_some() && stage.record.closing_outcome().is_none(), "it can be resumed");
}

#[test]
fn what_makes_a_duel_invalid_is_said() {
    let nonsense = || with(3, said("I would rather not."));
    let table = [
        ("Participant A gave no usable turn 3: no draft of it kept the rules", Play::from_record(&nonsense())),
        (
            "Before turn 1: The source document cannot be read",
            Play::from_record(&nonsense()).sight("unreadable", "absent"),
        ),
        (
            "Before turn 1: Somebody else changed the debate artifact",
            Play::from_record(&nonsense()).sight("unchanged", "changed"),
        ),
    ];
    for (summary, play) in table {
        let stage = play.run();
        assert_eq!(stage.end(), ("INVALIDATED", false));
        assert!(stage.outcome().summary.starts_with(summary), "{}", stage.outcome().summary);
        let head = stage.file("transcript.md");
        assert!(head.lines().nth(2).unwrap().contains("It has no result."), "{head}");
    }
}

#[test]
fn a_turn_that_did_not_come_about_is_tried_again_after_an_extension() {
    let played = duel(6, &turns(&[OPEN; 6]));
    let silent = Play::from_record(&played)
        .only("participant-2", 0)
        .says("participant-2", [agon_mock::Say::Fails(MockFault::Hang)]);
    let rest = [turn(2, OPEN), turn(4, OPEN), turn(6, OPEN)];
    let mut stage = silent.says("participant-2", crate::protocols::stage::texts(&rest)).option("wait_seconds", 1).run();
    assert_eq!(stage.end(), ("TIMEOUT", true));
    stage.extend(0);
    assert_eq!(stage.end(), ("MAX_TURNS", true));
    assert_eq!(stage.rulings(RulingKind::Absent).len(), 1, "the record keeps both");
}
