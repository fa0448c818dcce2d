//! Seats that are answered from outside: who may, when, and what becomes of what comes too late. Over Postgres where
//! `AGON_TEST_POSTGRES` is the address of a server, else over SQLite.
#![allow(clippy::unwrap_used)] // Helpers are part of the tests.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
    time::Duration,
};

use agon_core::{
    DebateId, Digest, Event, Facts, Floor, Flow, Key, Manifest, Opened, Outcome, Protocol, Request, Seat, View, sample,
};
use agon_journal::Journal;
use agon_runtime::{
    drive::{Drive, SeatHandle, Seats, SilentWatch},
    outside_seats::{OutsideSeatError, OutsideSeats},
    participant::outside::Outside,
    prompts::Renderer,
    retry::RetryPolicy,
};

#[path = "../../agon-journal/tests/test_home.rs"]
mod test_home;

use self::test_home::TestHome;

/// Two seats, one after the other.
struct Relay;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| {
    let seat = |name: &str| serde_json::json!({"name": name, "role": "debater", "about": "x"});
    serde_json::from_value(serde_json::json!({
        "name": "relay", "summary": "x", "rules": 1, "motion": "text", "fit": "whole",
        "rounds": {"default": 1, "min": 1, "max": 1}, "seat": [seat("first"), seat("second")], "prompt": {},
    }))
    .unwrap()
});

impl Protocol for Relay {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }
    fn prompt_templates(&self) -> &[(&str, &str)] {
        &[("say", "{{ role(\"user\") }}Say something.")]
    }
    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        for seat in ["first", "second"] {
            floor.ask_seat(Request::new(format!("turn/{seat}"), &Seat::new(seat).unwrap(), "say"))?;
        }
        Ok(Outcome::valid("done", "Both spoke."))
    }
    fn prompt_facts(&self, _: &View<'_>, request: &Request) -> Facts {
        request.facts.clone()
    }
}

struct Room {
    journal: Arc<Journal>,
    debate: DebateId,
    store: TestHome,
}

impl Room {
    async fn new() -> Self {
        let store = TestHome::new();
        let journal = store.open();
        let (name, template) = Relay.prompt_templates()[0];
        let mut opened: Opened = sample::opened_for(&MANIFEST);
        opened.lineup.iter_mut().for_each(|sat| sat.model = "outside".into());
        opened.prompts = BTreeMap::from([(name.to_owned(), Digest::from_content(template))]);
        let debate = opened.debate.clone();
        let texts = vec![(Digest::from_content(template), template.to_owned())];
        journal.create_debate(Event::Opened(opened), texts, None).await.unwrap();
        Self { journal, debate, store }
    }

    fn desk(&self) -> OutsideSeats<'_> {
        OutsideSeats { journal: &self.journal, home: self.store.path(), debate: &self.debate, protocol: &Relay }
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, OutsideSeatError>) -> &'static str {
    result.unwrap_err().code()
}

#[tokio::test]
async fn a_debate_is_played_through_the_desk_alone() {
    let room = Room::new().await;
    let desk = room.desk();
    for seat in ["first", "second"] {
        let open = desk.list_open_requests().await.unwrap();
        assert_eq!(open.iter().map(|open| open.request.seat.as_str()).collect::<Vec<_>>(), [seat]);
        let claim = desk.claim_seat(seat, "Ada", 60).await.unwrap();
        let (_, messages, _) = desk.find_prompt(&Seat::new(seat).unwrap(), None).await.unwrap();
        assert_eq!(messages[0].text, "Say something.");
        desk.answer(None, seat, &claim.token, &format!("I am {seat}.")).await.unwrap();
    }
    assert!(room.journal.read_record(&room.debate).unwrap().closing_outcome().is_some());
    assert_eq!(code(desk.answer(None, "first", "x", "late").await), "closed");
}

#[tokio::test]
async fn the_same_answer_again_gets_the_same_receipt() {
    let room = Room::new().await;
    let desk = room.desk();
    let token = desk.claim_seat("first", "Ada", 60).await.unwrap().token;
    let receipts = futures::future::join_all((0..8).map(|_| desk.answer(None, "first", &token, "Once."))).await;
    let receipts: Vec<_> = receipts.into_iter().map(Result::unwrap).collect();
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]), "{receipts:?}");
    let record = room.journal.read_record(&room.debate).unwrap();
    assert_eq!(record.answers().count(), 1);
}

/// Two requests to one seat, one after the other.
struct Twice;

impl Protocol for Twice {
    fn manifest(&self) -> &Manifest {
        Relay.manifest()
    }

    fn prompt_templates(&self) -> &[(&str, &str)] {
        Relay.prompt_templates()
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        for key in ["one", "two"] {
            floor.ask_seat(Request::new(key, &Seat::new("first").unwrap(), "say"))?;
        }
        Ok(Outcome::valid("done", "Both spoke."))
    }

    fn prompt_facts(&self, _: &View<'_>, request: &Request) -> Facts {
        request.facts.clone()
    }
}

#[tokio::test]
async fn equal_words_at_the_next_request_are_another_answer() {
    let room = Room::new().await;
    let desk = OutsideSeats { protocol: &Twice, ..room.desk() };
    let token = desk.claim_seat("first", "Ada", 60).await.unwrap().token;
    let words = "I have nothing to add.";
    let (one, two) = (Key::from_parts("one"), Key::from_parts("two"));
    assert_eq!(code(desk.answer(Some(&two), "first", &token, words).await), "not_open");
    let first = desk.answer(None, "first", &token, words).await.unwrap();
    assert_eq!(first.key, one);
    // A receipt that was lost comes again, whatever is asked meanwhile.
    assert_eq!(desk.answer(Some(&one), "first", &token, words).await.unwrap(), first);
    assert_eq!(desk.answer(Some(&one), "first", "", words).await.unwrap(), first);
    assert_eq!(code(desk.answer(Some(&one), "first", &token, "Something else.").await), "answered");
    let second = desk.answer(None, "first", &token, words).await.unwrap();
    assert_eq!((second.key.clone(), second.digest.clone()), (two.clone(), first.digest.clone()));
    let record = room.journal.read_record(&room.debate).unwrap();
    assert!(record.answers().count() == 2 && record.closing_outcome().is_some());
    for (key, receipt) in [(Some(&one), &first), (Some(&two), &second), (None, &second)] {
        assert_eq!(desk.answer(key, "first", &token, words).await.unwrap(), *receipt);
    }
}

#[tokio::test]
async fn who_takes_a_seat_for_one_answer_means_what_is_asked_now() {
    let room = Room::new().await;
    let desk = OutsideSeats { protocol: &Twice, ..room.desk() };
    let first = desk.answer_as(None, "first", "Ada", "[]").await.unwrap();
    let second = desk.answer_as(None, "first", "Ada", "[]").await.unwrap();
    assert_eq!((first.key, second.key), (Key::from_parts("one"), Key::from_parts("two")));
}

#[tokio::test]
async fn what_may_not_be_answered_is_refused_by_name() {
    let room = Room::new().await;
    let desk = room.desk();
    let first = desk.claim_seat("first", "Ada", 60).await.unwrap().token;
    let second = desk.claim_seat("second", "Bob", 60).await.unwrap().token;
    assert_eq!(code(desk.claim_seat("first", "Bob", 60).await), "held");
    assert_eq!(code(desk.claim_seat("third", "Bob", 60).await), "no_such_seat");
    assert_eq!(code(desk.claim_seat("first", " ", 60).await), "unusable");
    assert_eq!(code(desk.answer(None, "second", &second, "Too early.").await), "not_open");
    assert_eq!(code(desk.answer(None, "first", &second, "Not mine.").await), "wrong_token");
    assert_eq!(code(desk.answer(None, "first", "", "Not mine.").await), "wrong_token");
    assert_eq!(code(desk.answer(None, "first", &first, "  ").await), "unusable");
    let flood = "x".repeat(agon_runtime::outside_seats::ANSWER_BYTES_MAX + 1);
    assert_eq!(code(desk.answer(None, "first", &first, &flood).await), "unusable");
    let many = format!("{{\"a\": [{}0]}}", "0,".repeat(1_000));
    assert_eq!(code(desk.answer(None, "first", &first, &many).await), "unusable");
    let other = Room::new().await;
    let foreign = other.desk().claim_seat("first", "Ada", 60).await.unwrap().token;
    assert_eq!(code(desk.answer(None, "first", &foreign, "Of another debate.").await), "wrong_token");
    desk.release_seat("first", &first).await.unwrap();
    assert_eq!(code(desk.renew_lease("first", &first, 60).await), "expired");
}

#[tokio::test]
async fn a_late_answer_is_not_accepted_and_its_text_is_kept() {
    let room = Room::new().await;
    let desk = room.desk();
    let token = desk.claim_seat("first", "Ada", 1).await.unwrap().token;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let late = desk.answer(None, "first", &token, "My late words.").await.unwrap_err();
    assert_eq!(late.code(), "expired");
    assert_eq!(std::fs::read_to_string(late.kept_path().unwrap()).unwrap(), "My late words.");
    let again = desk.claim_seat("first", "Bob", 60).await.unwrap();
    assert_eq!(again.lease.fence, 2);
    assert_eq!(room.journal.read_record(&room.debate).unwrap().answers().count(), 0);
    assert_eq!(late.kept_within_home().unwrap().to_str().unwrap().split('/').next(), Some("late"));
    // The first has no claim any more, and whoever never had one keeps nothing on this disk.
    for wrong in [token.as_str(), "", "never"] {
        let refused = desk.answer(None, "first", wrong, "Words of anyone.").await.unwrap_err();
        assert_eq!((refused.code(), refused.kept_path()), ("wrong_token", None));
        let refused = desk.answer(None, "second", wrong, "Words of anyone.").await.unwrap_err();
        assert_eq!((refused.code(), refused.kept_path()), ("not_open", None));
    }
    let folder = room.store.path().join("late").join(room.debate.as_str());
    let count = || std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(count(), 1);
    let second = desk.claim_seat("second", "Bob", 60).await.unwrap().token;
    for at in 0..20 {
        let early = desk.answer(None, "second", &second, &format!("Too early {at}.")).await.unwrap_err();
        assert_eq!((early.code(), early.kept_path().is_some()), ("not_open", at < 16), "{at}");
    }
    let again = desk.answer(None, "second", &second, "Too early 3.").await.unwrap_err();
    assert!(again.kept_path().is_some() && count() == 17, "the same again is the same file");
}

#[tokio::test]
async fn of_many_claims_exactly_one_is_granted() {
    let room = Room::new().await;
    for _ in 0..50 {
        let desk = room.desk();
        let racers: Vec<String> = (0..8).map(|n| format!("racer {n}")).collect();
        let claims = racers.iter().map(|racer| desk.claim_seat("first", racer, 60));
        let claims = futures::future::join_all(claims).await;
        let granted: Vec<_> = claims.into_iter().filter_map(Result::ok).collect();
        assert_eq!(granted.len(), 1);
        desk.release_seat("first", &granted[0].token).await.unwrap();
    }
}

#[tokio::test]
async fn a_driver_goes_on_when_somebody_outside_has_answered() {
    let room = Room::new().await;
    let templates = BTreeMap::from([("say".to_owned(), Relay.prompt_templates()[0].1.to_owned())]);
    let renderer = Renderer::new(&templates).unwrap();
    let seats: Seats = ["first", "second"]
        .map(|seat| {
            let seated = SeatHandle::new("outside", Arc::new(Outside));
            (Seat::new(seat).unwrap(), seated)
        })
        .into();
    let drive = Drive {
        lookups: None,
        journal: &room.journal,
        debate: &room.debate,
        protocol: &Relay,
        renderer: &renderer,
        seats: &seats,
        watch: &SilentWatch,
        retry: RetryPolicy::default(),
        fence: None,
        patience: None,
    };
    let answers = async {
        for seat in ["first", "second"] {
            let desk = room.desk();
            while desk.list_open_requests().await.unwrap().iter().all(|open| open.request.seat.as_str() != seat) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let token = desk.claim_seat(seat, "Ada", 60).await.unwrap().token;
            desk.answer(None, seat, &token, "Words.").await.unwrap();
        }
    };
    let (outcome, ()) = tokio::join!(drive.run(std::future::pending()), answers);
    assert_eq!(outcome.unwrap().name, "done");
}
