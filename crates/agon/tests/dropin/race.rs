//! Who races for a lock: exactly one gets it.

use std::{
    path::Path,
    sync::{Barrier, Mutex},
    thread,
};

use agon_dropin::store::duels::{ArtifactSnapshot, Duels, Identity, Joiner, LEASE, Target};
use agon_journal::time::now;

use crate::dropin::{
    duel::{data, join, text},
    workspace::Workspace,
};

const RACERS: usize = 8;
const ROUNDS: usize = 200;

fn blind(_: &Path) -> Option<ArtifactSnapshot> {
    None
}

fn joiner(name: &str) -> Joiner {
    Joiner { name: name.into(), harness: "codex".into(), model: "m".into() }
}

/// A duel with two participants: its id and theirs.
fn pair(workspace: &Workspace) -> (String, [String; 2]) {
    let source = workspace.write("x.md", "# X");
    let identity = Identity::new(Target::from_path(source.to_str().unwrap()).unwrap(), None, None).unwrap();
    let mut duels = Duels::open(&workspace.home()).unwrap();
    let (duel, ada) = duels.join_duel(&identity, &joiner("Ada"), now(), "2026-01-31").unwrap();
    let (_, bob) = duels.join_duel(&identity, &joiner("Bob"), now(), "2026-01-31").unwrap();
    (duel.duel.id, [ada, bob])
}

#[test]
fn of_eight_racers_one_gets_the_lock_in_each_of_two_hundred_rounds() {
    let workspace = Workspace::new();
    let (duel, participants) = pair(&workspace);
    let barrier = Barrier::new(RACERS);
    let locked = Mutex::new(vec![Vec::new(); ROUNDS]);
    let released = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for racer in 0..RACERS {
            let (workspace, duel, participant, barrier, locked, released) =
                (&workspace, &duel, &participants[racer % 2], &barrier, &locked, &released);
            scope.spawn(move || {
                let mut duels = Duels::open(&workspace.home()).unwrap();
                for round in 0..ROUNDS {
                    barrier.wait();
                    let claim = duels.claim_lock(duel, participant, false, now(), &blind).unwrap();
                    if claim.reason.is_none() {
                        let token = claim.now.duel.lease_token.clone().unwrap();
                        locked.lock().unwrap()[round].push(token);
                    }
                    barrier.wait();
                    if claim.reason.is_none() {
                        let token = claim.now.duel.lease_token.as_deref();
                        let release = duels.release_lock(duel, participant, token, false, None, now(), &blind);
                        // Judged afterwards: who panics here leaves the others at the barrier.
                        released.lock().unwrap().push(release.is_ok_and(|release| release.reason.is_none()));
                    }
                }
            });
        }
    });
    let locked = locked.into_inner().unwrap();
    assert!(locked.iter().all(|round| round.len() == 1), "{locked:?}");
    assert_eq!(released.into_inner().unwrap(), [true; ROUNDS]);
}

#[test]
fn of_eight_processes_one_gets_the_lock_and_of_eight_joiners_two_take_part() {
    let workspace = Workspace::new();
    join(&workspace, "Ada");
    let names: Vec<String> = (0..RACERS).map(|racer| format!("Racer {racer}")).collect();
    let target = workspace.work().join("source.md");
    let folder = workspace.work().join("debates");
    let joins = names.iter().map(|name| {
        let line = [
            "agent-tools",
            "socratic-duel",
            "join",
            "--target",
            target.to_str().unwrap(),
            "--topic",
            "Is rest owed?",
            "--debate-dir",
            folder.to_str().unwrap(),
            "--participant-name",
            name,
            "--harness",
            "codex",
        ];
        workspace.command(&line).spawn().unwrap()
    });
    let joins: Vec<_> = joins.collect::<Vec<_>>().into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert_eq!(joins.iter().filter(|joined| joined.status.success()).count(), 1);
    let ada = join(&workspace, "Ada");
    let status = data(&workspace, &["status", "--duel-id", text(&ada, "duel_id")]);
    let ids = [text(&status["participants"][0], "id"), text(&status["participants"][1], "id")];
    for _ in 0..5 {
        let claims = (0..RACERS).map(|racer| {
            let line = [
                "agent-tools",
                "socratic-duel",
                "claim-lock",
                "--duel-id",
                text(&ada, "duel_id"),
                "--participant-id",
                ids[racer % 2],
            ];
            workspace.command(&line).spawn().unwrap()
        });
        let claims: Vec<_> =
            claims.collect::<Vec<_>>().into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        let claims: Vec<serde_json::Value> =
            claims.iter().map(|claim| serde_json::from_slice(&claim.stdout).unwrap()).collect();
        let locked: Vec<_> = claims.iter().filter(|claim| claim["data"]["acquired"] == true).collect();
        assert_eq!(locked.len(), 1, "{claims:?}");
        let won = &locked[0]["data"];
        data(
            &workspace,
            &[
                "release-lock",
                "--duel-id",
                text(won, "duel_id"),
                "--participant-id",
                text(won, "participant_id"),
                "--lease-token",
                text(won, "lease_token"),
            ],
        );
    }
}

#[test]
fn an_expired_lock_is_nobodys_and_its_token_is_refused() {
    let workspace = Workspace::new();
    let (duel, [ada, bob]) = pair(&workspace);
    let mut duels = Duels::open(&workspace.home()).unwrap();
    let start = now();
    let token = duels.claim_lock(&duel, &ada, false, start, &blind).unwrap().now.duel.lease_token;
    let nearly = start + LEASE - millisecond();
    assert!(duels.claim_lock(&duel, &bob, false, nearly, &blind).unwrap().reason.is_some());
    let over = start + LEASE;
    let stale = duels.refresh_lock(&duel, &ada, token.as_deref().unwrap(), over).unwrap();
    assert_eq!(stale.reason, Some("Current lock has expired"));
    let second = duels.claim_lock(&duel, &bob, false, over, &blind).unwrap();
    assert!(second.reason.is_none() && second.now.duel.lease_token != token);
    for close in [false, true] {
        let late = duels.release_lock(&duel, &ada, token.as_deref(), close, None, over, &blind).unwrap();
        assert!(late.reason.is_some() && late.now.duel.current_owner_id.as_ref() == Some(&bob), "{late:?}");
    }
    let wrong = duels.refresh_lock(&duel, &ada, token.as_deref().unwrap(), over).unwrap();
    assert_eq!(wrong.reason, Some("Participant does not own this lock token"));
    // A clock that was set back takes no lock away.
    assert!(duels.claim_lock(&duel, &ada, false, start, &blind).unwrap().reason.is_some());
}

/// The smallest step of a stamp.
fn millisecond() -> std::time::Duration {
    std::time::Duration::from_millis(1)
}
