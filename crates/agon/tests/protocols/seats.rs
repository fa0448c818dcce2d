//! One seat of each role fails for good: the record rules it, the outcome follows the protocol's rule
//! for it, and whoever reads the transcript or the report learns it before anything else.

use agon_core::{AbsentSeat, FailureKind, Record, Reply, RulingKind, Standing};
use serde_json::json;

use crate::protocols::{
    canned::{chaired, duel, exchange, panel, revise},
    stage::Play,
};

/// What is wanted where a seat is lost: how the debate ends, and what its summary begins with.
struct Lost {
    seat: &'static str,
    played: Record,
    end: (&'static str, bool),
    summary: &'static str,
    /// Files that say it within their first lines.
    told: &'static [&'static str],
}

fn refused() -> Reply {
    panel::failed(FailureKind::Refused, "declined")
}

fn duels() -> Vec<Lost> {
    let lost = |seat: &'static str| {
        let mut record = duel::open(duel::opened(6));
        duel::drive_record(&mut record, |request| {
            let number = request.facts["turn"].as_u64().unwrap() as usize;
            let speaks = || duel::said(duel::turn(number, "OPEN_TO_DEBATE"));
            (request.seat.as_str() == seat).then(refused).or_else(|| (request.seat.as_str() != "witness").then(speaks))
        });
        record
    };
    let row = |seat, summary| Lost {
        seat,
        played: lost(seat),
        end: ("INVALIDATED", false),
        summary,
        told: &["transcript.md"],
    };
    vec![
        row("participant-1", "Participant A gave no usable turn 1: "),
        row("participant-2", "Participant B gave no usable turn 2: "),
    ]
}

fn exchanges() -> Vec<Lost> {
    let lost = |part: &'static str| {
        exchange::debate_with(1, move |key| key.contains(part).then(|| exchange::failed("declined")))
    };
    let row = |seat, part, end, summary| Lost {
        seat,
        played: lost(part),
        end,
        summary,
        told: &["transcript.md", "README.md"],
    };
    let none = ("no_verdict", false);
    vec![
        row("proposition", "/proposition", none, "No verdict"),
        row("opposition", "/opposition", none, "No verdict"),
        row("judge", "/judgment", none, "No verdict"),
        row("reporter", "report-", ("proposition_ahead", true), "The reporter did not answer"),
    ]
}

fn revisions() -> Vec<Lost> {
    let lost = |seat: &'static str| {
        revise::play(revise::track("plan"), move |key| {
            let hit = match seat {
                "author-1" => ["draft-1", "critique-1-", "revision-1"].iter().any(|part| key.contains(part)),
                "author-2" => ["draft-2", "critique-2-", "revision-2"].iter().any(|part| key.contains(part)),
                _ => key.starts_with("synthesis"),
            };
            hit.then(|| revise::failed("declined")).flatten()
        })
    };
    let row = |seat, summary, told| Lost { seat, played: lost(seat), end: ("degraded", true), summary, told };
    vec![
        row("author-1", "Claude did not answer (", &["transcript.md", "PLAN.md"]),
        row("author-2", "Codex did not answer (", &["transcript.md", "PLAN.md"]),
        row("synthesizer", "The synthesizer did not answer (", &["transcript.md"]),
    ]
}

fn panels() -> Vec<Lost> {
    let lost = |seat: &'static str| {
        let mut opened = panel::opened();
        opened.limits.rounds = 1;
        let mut analysis: serde_json::Value =
            serde_json::from_str(&panel::canned("analysis-000/disagreements").unwrap()).unwrap();
        // Without Cy nobody holds the second view.
        analysis["disagreements"].as_array_mut().unwrap().truncate(1);
        let mut synthesis: serde_json::Value = serde_json::from_str(&panel::canned("synthesis-000").unwrap()).unwrap();
        synthesis["unresolved"] = json!([]);
        let mut review: serde_json::Value =
            serde_json::from_str(&panel::canned("exchange-001/review").unwrap()).unwrap();
        review["next"] = analysis["next"].clone();
        review["next"]["question"] = json!("What would a line have to hold for that?");
        panel::panel_with(opened, move |key| match key {
            _ if seat == "moderator"
                && ["analysis", "exchange-001/review", "synthesis"].iter().any(|part| key.starts_with(part)) =>
            {
                Some(refused())
            }
            "opening/panelist-3" if seat == "panelist-3" => Some(refused()),
            "analysis-000/disagreements" => Some(panel::said(&analysis)),
            "exchange-001/review" => Some(panel::said(&review)),
            key if key.starts_with("synthesis") => Some(panel::said(&synthesis)),
            _ => None,
        })
    };
    vec![
        Lost {
            seat: "panelist-3",
            played: lost("panelist-3"),
            end: ("converged", true),
            summary: "Cy did not answer (",
            told: &["synthesis.md"],
        },
        Lost {
            seat: "moderator",
            played: lost("moderator"),
            end: ("no_verdict", false),
            summary: "No verdict: no usable answer came from the moderator",
            told: &["synthesis.md"],
        },
    ]
}

fn chaireds() -> Vec<Lost> {
    let lost =
        |seat: &'static str| chaired::debate_with(move |request| (request.seat.as_str() == seat).then(chaired::failed));
    let row = |seat, end, summary, told| Lost { seat, played: lost(seat), end, summary, told };
    // Without bob there is nothing that ada could rebut.
    let without_bob = chaired::debate_with(|request| match request.seat.as_str() {
        "debater-2" => Some(chaired::failed()),
        "debater-1" if request.key.as_str().starts_with("round-") => {
            let point = chaired::entry("new_point", "What is written can be found again by others.", &[], None);
            Some(chaired::said(chaired::turn(&[point])))
        }
        _ => None,
    });
    let won = ("ada_wins", true);
    let summary: &[&str] = &["summary.md"];
    vec![
        row("debater-1", ("void", false), "No usable answer from ada (", summary),
        Lost { played: without_bob, ..row("debater-2", ("void", false), "No usable answer from bob (", summary) },
        row("chair", ("void", false), "No usable answer from the chair (", summary),
        row("audience", won, "No usable answer from the audience (", summary),
        row("reporter", won, "No usable answer from the reporter (", summary),
        row("assessor", won, "No usable answer from the assessor (", &["summary.md", "assessor-report.md"]),
    ]
}

/// Lines of a file within which a reader must have learnt it.
const HEAD_LINES: usize = 14;

#[test]
fn a_seat_that_fails_is_ruled_named_in_the_outcome_and_told_first() {
    let all = [duels(), exchanges(), revisions(), panels(), chaireds()];
    for lost in all.into_iter().flatten() {
        let protocol = lost.played.opened().protocol.clone();
        let which = format!("{protocol}, {}", lost.seat);
        let stage = Play::from_record(&lost.played).run();
        let outcome = stage.outcome();
        assert_eq!(stage.end(), lost.end, "{which}: {}", outcome.summary);
        assert!(outcome.summary.starts_with(lost.summary), "{which}: {}", outcome.summary);
        assert!(outcome.absent.iter().any(|absent| absent.seat.as_str() == lost.seat), "{which}");
        if outcome.standing == Standing::Void {
            assert_eq!(outcome.winner, None, "{which}");
        }
        let ruled = stage
            .record
            .rulings()
            .filter(|(.., ruling)| ruling.kind == RulingKind::Absent)
            .any(|(.., ruling)| ruling.decode_data().is_some_and(|AbsentSeat { seat }| seat.as_str() == lost.seat));
        assert!(ruled, "{which}: {:?}", stage.rulings(RulingKind::Absent));
        let name = agon_report::participation::display_name(&stage.record, &agon_core::Seat::new(lost.seat).unwrap());
        let transcript = agon_report::find_format("transcript").unwrap().render_files(&stage.record).remove(0).content;
        let mut heads = vec![("the transcript of any protocol", transcript)];
        heads.extend(lost.told.iter().map(|path| (*path, stage.file(path))));
        for (path, text) in heads {
            let head: Vec<&str> = text.lines().take(HEAD_LINES).collect();
            let head = head.join("\n").to_lowercase();
            let words = name.to_lowercase();
            let says = ["did not answer", "no usable answer", "gave no"].iter().any(|said| head.contains(said));
            assert!(says && head.contains(&words), "{which}: {path} begins\n{head}");
        }
    }
}
