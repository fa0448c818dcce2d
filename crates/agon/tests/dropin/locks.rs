//! What the format of the locks demands of each verb: fields, refusals in their order, errors.

use std::{collections::BTreeSet, fs};

use agon_dropin::store::duels::{Duels, LEASE};
use agon_journal::time::now;
use serde_json::{Value, json};

use crate::dropin::{
    duel::{data, duel, join, text},
    workspace::Workspace,
};

fn ids(who: &Value) -> [&str; 4] {
    ["--duel-id", text(who, "duel_id"), "--participant-id", text(who, "participant_id")]
}

fn verb(workspace: &Workspace, name: &str, who: &Value, more: &[&str]) -> Value {
    data(workspace, &[&[name], &ids(who)[..], more].concat())
}

fn token(workspace: &Workspace, who: &Value) -> String {
    text(&verb(workspace, "claim-lock", who, &[]), "lease_token").to_owned()
}

/// Takes the lock for `who` so long ago that it has expired by now.
fn expired(workspace: &Workspace, who: &Value) -> String {
    let (duel, participant) = (text(who, "duel_id"), text(who, "participant_id"));
    let mut duels = Duels::open(&workspace.home()).unwrap();
    duels.claim_lock(duel, participant, false, now() - LEASE, &|_| None).unwrap().now.duel.lease_token.unwrap()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn results_have_exactly_the_fields_of_the_format() {
    let workspace = Workspace::new();
    let ada = join(&workspace, "Ada");
    let claim = "duel_id participant_id participant_count acquired lease_token lease_expires_at \
                 owner_participant_id retry_after_seconds wait_until reason next_step";
    let refresh = "duel_id participant_id refreshed lease_token lease_expires_at reason next_step";
    let release = "duel_id participant_id participant_count released closed status outcome \
                   owner_participant_id reason next_step";
    let status = "duel participants participant_count source_path target_key topic topic_slug debate_path \
                  lock next_step";
    let fields = |line: &'static str| line.split_whitespace().collect::<BTreeSet<&str>>();
    assert_eq!(
        keys(&ada),
        fields(
            "duel_id participant_id participant_count status target_path target_key source_path topic \
             topic_slug debate_path next_step"
        )
    );
    assert_eq!(keys(&verb(&workspace, "claim-lock", &ada, &[])), fields(claim), "refused");
    join(&workspace, "Bob");
    let granted = verb(&workspace, "claim-lock", &ada, &[]);
    assert_eq!(keys(&granted), fields(claim), "granted");
    let token = text(&granted, "lease_token");
    for given in ["none", token] {
        assert_eq!(keys(&verb(&workspace, "refresh-lock", &ada, &["--lease-token", given])), fields(refresh));
    }
    let stands = data(&workspace, &["status", "--duel-id", text(&ada, "duel_id")]);
    assert_eq!(keys(&stands), fields(status));
    assert_eq!(
        keys(&stands["duel"]),
        fields(
            "id targetPath targetKey topic topicSlug debatePath status currentOwnerId leaseToken \
             leaseExpiresAt createdAt updatedAt"
        )
    );
    assert_eq!(keys(&stands["participants"][0]), fields("id duelId displayName harness modelId joinedAt lastSeenAt"));
    assert_eq!(keys(&stands["lock"]), fields("owner_participant_id lease_token lease_expires_at expired"));
    for given in ["none", token] {
        let released = verb(&workspace, "release-lock", &ada, &["--lease-token", given]);
        assert_eq!(keys(&released), fields(release));
    }
}

#[test]
fn the_folder_of_artifacts_is_absolute_and_made() {
    let workspace = Workspace::new();
    let target = workspace.write("x.md", "# X");
    let join = |folder: &str| {
        let line = ["join", "--target", target.to_str().unwrap(), "--participant-name", "Ada"];
        duel(&workspace, &[&line[..], &["--harness", "codex", "--debate-dir", folder]].concat())
    };
    let ran = join("debates");
    assert!(ran.code == 1 && ran.err.contains("Debate directory must be absolute: debates"), "{}", ran.err);
    let folder = workspace.work().join("a/b/debates");
    let ran = join(folder.to_str().unwrap());
    let joined: Value = serde_json::from_str(&ran.out).unwrap();
    // Without a topic it is the name of the document.
    assert_eq!((&joined["data"]["topic"], folder.is_dir()), (&json!("x"), true), "{}{}", ran.out, ran.err);
    let blocked = workspace.write("file", "");
    assert_eq!(join(blocked.join("debates").to_str().unwrap()).code, 1);
}

#[test]
fn claims_are_refused_in_the_order_of_the_format() {
    let workspace = Workspace::new();
    let ada = join(&workspace, "Ada");
    let reason = |who: &Value, more: &[&str]| verb(&workspace, "claim-lock", who, more)["reason"].clone();
    assert_eq!(reason(&ada, &[]), "Waiting for a second participant");
    // Alone, and held for a timeout: that no peer is there comes first.
    verb(&workspace, "claim-lock", &ada, &["--for-timeout"]);
    assert_eq!(reason(&ada, &[]), "Waiting for a second participant");
    assert_eq!(reason(&ada, &["--for-timeout"]), "Participant already owns an active lock; use refresh-lock");
    let bob = join(&workspace, "Bob");
    assert_eq!(reason(&bob, &["--for-timeout"]), "Peer owns an unexpired lock");
    let mut duels = Duels::open(&workspace.home()).unwrap();
    let (duel, owner) = (text(&ada, "duel_id"), text(&ada, "participant_id"));
    // Expired, it is nobody's: the peer gets it.
    let later = duels.claim_lock(duel, text(&bob, "participant_id"), false, now() + LEASE, &|_| None).unwrap();
    assert_eq!(later.reason, None);
    let held = later.now.duel.lease_token.unwrap();
    assert_eq!(reason(&ada, &[]), "Peer owns an unexpired lock");
    let closed = verb(&workspace, "release-lock", &bob, &["--lease-token", &held, "--close", "--outcome", "DISSENT"]);
    assert_eq!(closed["closed"], true, "{owner}");
    assert_eq!(reason(&ada, &["--for-timeout"]), "Duel lock context is closed");
}

#[test]
fn refreshes_are_refused_in_the_order_of_the_format() {
    let workspace = Workspace::new();
    let (ada, bob) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let refresh = |who: &Value, token: &str| {
        let kept = verb(&workspace, "refresh-lock", who, &["--lease-token", token]);
        (kept["refreshed"] == true, kept["reason"].clone(), kept["next_step"].clone())
    };
    let refused = |reason: &str, next: &str| (false, json!(reason), json!(next));
    let none = refused("Participant does not own this lock token", "wait_turn");
    assert_eq!(refresh(&ada, "none"), none);
    let old = expired(&workspace, &ada);
    assert_eq!(refresh(&ada, "none"), none, "the token comes before the time");
    assert_eq!(refresh(&ada, &old), none, "the refusal before has cleared the lock");
    let old = expired(&workspace, &ada);
    assert_eq!(refresh(&ada, &old), refused("Current lock has expired", "wait_turn"));
    let own = token(&workspace, &ada);
    assert_eq!(refresh(&bob, &own), none);
    assert_eq!(refresh(&ada, &own), (true, Value::Null, json!("compose_turn")));
    verb(&workspace, "release-lock", &ada, &["--lease-token", &own, "--close", "--outcome", "DISSENT"]);
    assert_eq!(refresh(&ada, "none"), refused("Duel lock context is closed", "closed"));
}

#[test]
fn releases_are_refused_in_the_order_of_the_format() {
    let workspace = Workspace::new();
    let (ada, bob) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let release = |who: &Value, more: &[&str]| {
        let said = verb(&workspace, "release-lock", who, more);
        assert_eq!(said["released"], false, "{said}");
        json!([said["reason"], said["outcome"], said["closed"], said["next_step"]])
    };
    let close = ["--close", "--outcome", "TIMEOUT"];
    let unowned = "Closing a duel requires an active lock owned by this participant";
    let nothing = json!(["No active lock to release", null, false, "claim_lock"]);
    assert_eq!(release(&ada, &[]), nothing);
    assert_eq!(release(&ada, &["--outcome", "DISSENT"]), nothing, "an outcome is echoed with a close alone");
    assert_eq!(release(&ada, &close), json!([unowned, "TIMEOUT", false, "claim_lock"]));
    let own = token(&workspace, &ada);
    let other = "Participant does not own this active lock";
    assert_eq!(release(&bob, &["--lease-token", &own]), json!([other, null, false, "claim_lock"]));
    assert_eq!(release(&ada, &["--lease-token", "none"]), json!([other, null, false, "claim_lock"]));
    let peer = release(&ada, &[&["--lease-token", &own], &close[..]].concat());
    assert_eq!(json!([peer[1], peer[2], peer[3]]), json!(["TIMEOUT", false, "compose_turn"]), "{peer}");
    verb(&workspace, "release-lock", &ada, &["--lease-token", &own, "--close", "--outcome", "DISSENT"]);
    let closed = json!(["Duel lock context is closed", "TIMEOUT", true, "closed"]);
    assert_eq!(release(&bob, &close), closed);
}

#[test]
fn status_clears_what_has_expired_and_tells_no_token() {
    let workspace = Workspace::new();
    let (ada, _) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let status = || data(&workspace, &["status", "--duel-id", text(&ada, "duel_id")]);
    expired(&workspace, &ada);
    let free = status();
    assert_eq!(free["lock"]["owner_participant_id"], Value::Null);
    assert_eq!((&free["lock"]["expired"], &free["next_step"]), (&json!(false), &json!("claim_lock")));
    let own = token(&workspace, &ada);
    let held = status();
    assert_eq!(held["lock"]["owner_participant_id"], ada["participant_id"]);
    assert!(!held.to_string().contains(&own), "{held}");
}

#[test]
fn a_duel_never_writes_to_its_document() {
    let workspace = Workspace::new();
    let (ada, _) = (join(&workspace, "Ada"), join(&workspace, "Bob"));
    let path = text(&ada, "source_path");
    let before = (fs::read(path).unwrap(), fs::metadata(path).unwrap().modified().unwrap());
    let own = token(&workspace, &ada);
    verb(&workspace, "release-lock", &ada, &["--lease-token", &own, "--close", "--outcome", "DISSENT"]);
    assert_eq!(workspace.agon(&["check", text(&ada, "duel_id")]).code, 0);
    let model = workspace.willing();
    let ran = workspace.agon(&["run", "duel", path, "--model", &model, "--out", "d", "--id", "d1"]);
    assert!([0, 9].contains(&ran.code), "{}", ran.err);
    assert_eq!((fs::read(path).unwrap(), fs::metadata(path).unwrap().modified().unwrap()), before);
}
