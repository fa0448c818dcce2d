//! Laws that every protocol obeys, checked for all of them by simulation. A protocol is covered as
//! soon as it is listed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

mod declared;
mod poll;
mod toys;
mod tutorial;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{
    Event, Opened, Protocol, Record, Reply, Ruling, RulingKind, Standing, Step, compute_next_step, sample,
};
use agon_protocols::{
    extraction::material::STATEMENTS,
    review::state::{FindingStatus, ReviewState},
};
use world::{World, answered, open, run, stamp, withdrawn};

fn all() -> Vec<&'static dyn Protocol> {
    let toys: [&dyn Protocol; 3] = [&toys::Background, &toys::Redrafts, &poll::Poll];
    let shipped = agon_protocols::ALL.iter().chain(agon_protocols::COMPANIONS).copied();
    let declared = declared::all().into_iter();
    toys.into_iter().chain(shipped).chain(declared).collect()
}

fn opened(protocol: &dyn Protocol, seed: u64) -> Opened {
    let manifest = protocol.manifest();
    let mut opened = sample::opened_for(manifest);
    opened.limits.rounds = manifest.rounds.default.max(manifest.rounds.min);
    opened.seed = seed;
    // The laws hold as well where cited pages are opened.
    if seed % 3 == 2 {
        opened.options.insert("verify".into(), "fetched".into());
        opened.options.insert("reader".into(), seed.is_multiple_of(2).into());
    }
    judged(&mut opened, seed % 5);
    if opened.protocol == "review" && seed % 4 == 1 {
        opened.options.insert("form".into(), "critique".into());
    }
    proposed(&mut opened, seed % 4 == 3);
    if opened.protocol == "extraction" {
        opened.documents.insert(STATEMENTS.to_owned(), world::READ.0.clone());
        opened.limits.rounds = 4;
    }
    opened
}

/// A line-up that is put to a host, with seats in reserve where its number is open.
fn proposed(opened: &mut Opened, approve: bool) {
    if !approve || !["chaired", "panel"].contains(&opened.protocol.as_str()) {
        return;
    }
    opened.options.insert("approve".into(), true.into());
    let sat = |name: &str| agon_core::SeatModel::new(agon_core::Seat::new(name).unwrap(), "local");
    opened.lineup.push(sat("host"));
    if opened.protocol == "chaired" {
        opened.lineup.extend(["debater-3", "debater-4"].map(sat));
        opened.options.insert("members".into(), serde_json::json!({"min": 2, "max": 3}));
    }
}

/// The ways to judge an exchange, which laws meet in turn.
fn judged(opened: &mut Opened, way: u64) {
    if opened.protocol != "exchange" {
        return;
    }
    let (orders, judges, stop) =
        [("", 1, false), ("both", 1, true), ("one", 3, false), ("both", 3, true), ("one", 1, false)][way as usize];
    if !orders.is_empty() {
        opened.options.insert("orders".into(), orders.into());
    }
    if stop {
        opened.options.insert("stop".into(), "stable".into());
    }
    if judges > 1 {
        opened.lineup.retain(|sat| sat.seat.as_str() != "judge");
        let seats = (1..=judges).map(|n| agon_core::Seat::new(format!("judge-{n}")).unwrap());
        opened.lineup.extend(seats.map(|seat| agon_core::SeatModel::new(seat, "local")));
    }
}

/// Worlds of a law for each protocol: all where `AGON_TEST_WHOLE` is set, as `scripts/mutations` sets it; else what notices
/// every mutation.
fn worlds(all: u64) -> u64 {
    if std::env::var_os("AGON_TEST_WHOLE").is_some() { all } else { all.min(WORLDS_MAX) }
}

const WORLDS_MAX: u64 = 100;

fn debates(seeds: u64) -> impl Iterator<Item = (&'static dyn Protocol, Record)> {
    all().into_iter().flat_map(move |protocol| {
        (0..worlds(seeds)).map(move |seed| (protocol, run(protocol, opened(protocol, seed), &mut World::new(seed))))
    })
}

/// A copy that remembers nothing, with what is said in entry `at` changed by `change`.
fn changed(record: &Record, at: usize, change: impl Fn(&mut Event)) -> Option<Record> {
    let mut entries = record.entries().iter();
    let first = entries.next().unwrap();
    let mut copy = Record::new(first.clone()).unwrap().with_documents_of(record);
    for entry in entries {
        let mut what = entry.what.clone();
        if entry.seq as usize == at {
            change(&mut what);
        }
        copy.append_event(stamp(), what).ok()?;
    }
    Some(copy)
}

/// The worlds of the laws reach what follows from cited pages, in every protocol that looks them up.
#[test]
fn worlds_cite_pages() {
    let mut reached: BTreeMap<&str, u32> = BTreeMap::new();
    for (protocol, record) in debates(60) {
        let asked = record.answers().any(|(_, answered)| answered.key.as_str().ends_with("/sourced"));
        let counted = record.closing_outcome().is_some_and(|outcome| outcome.figures["sources"]["all"].is_number());
        *reached.entry(protocol.name()).or_default() += u32::from(asked && counted);
    }
    for name in ["exchange", "duel", "panel", "revise", "skeleton", "everything"] {
        assert!(reached[name] > 0, "{reached:?}");
    }
}

/// The worlds of the laws reach every end of a finding, and every verdict.
#[test]
fn worlds_decide_findings() {
    let review = &agon_protocols::review::MaterialReview;
    let (mut statuses, mut verdicts) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..200 {
        let record = run(review, opened(review, seed), &mut World::new(seed));
        let state = ReviewState::from_view(&agon_core::View::of_whole_record(&record));
        statuses.extend(state.cases.iter().map(|case| case.status()));
        verdicts.extend(record.closing_outcome().map(|outcome| outcome.name.clone()));
    }
    assert_eq!(statuses.len(), FindingStatus::ALL.len(), "{statuses:?}");
    assert!(verdicts.iter().map(String::as_str).eq(["approved", "blocked", "no_quorum", "unclear"]), "{verdicts:?}");
}

/// Whatever order answers come in, whoever fails, whatever comes late or is extended.
#[test]
fn every_debate_ends() {
    for (protocol, record) in debates(400) {
        assert!(record.closing_outcome().is_some(), "{}", protocol.name());
    }
}

/// A gate knows what to make of every result.
#[test]
fn every_result_says_what_it_means_for_a_pipeline() {
    let toys = ["background", "redrafts"];
    for (protocol, record) in debates(60).filter(|(protocol, _)| !toys.contains(&protocol.name())) {
        let outcome = record.closing_outcome().unwrap();
        let verdict = outcome.figures["verdict"].as_str();
        for name in [Some(outcome.name.as_str()), verdict].into_iter().flatten() {
            let is_known = outcome.standing == Standing::Void || protocol.manifest().find_outcome(name).is_some();
            assert!(is_known, "{}: {name}", protocol.name());
        }
    }
}

/// Cut anywhere and go on: every step asks for exactly what came next.
#[test]
fn a_debate_resumes_from_every_prefix() {
    for (protocol, record) in debates(40) {
        let mut prefix = open(record.opened().clone());
        for next in &record.entries()[1..] {
            let step = compute_next_step(protocol, &prefix).expect("no divergence");
            match (&step, &next.what) {
                (_, Event::Extended { .. }) => {}
                (Step::Record(whats), what) => assert_eq!(&whats[0], what, "{}", protocol.name()),
                (Step::Await(open), Event::Answered(answered)) => {
                    let late = withdrawn(&prefix, open).is_some_and(|request| request.key == answered.key);
                    assert!(late || open.iter().any(|request| request.key == answered.key), "{}", answered.key);
                }
                (Step::Close(outcome), Event::Closed { outcome: closed }) => assert_eq!(outcome, closed),
                (step, what) => panic!("{}: {step:?}, but the record has {what:?}", protocol.name()),
            }
            prefix.append_event(stamp(), next.what.clone()).unwrap();
        }
    }
}

/// The same record gives the same step, with or without what earlier steps left in its memory.
#[test]
fn a_step_depends_on_the_record_alone() {
    for (protocol, record) in debates(40) {
        let fresh = changed(&record, usize::MAX, |_| {}).unwrap();
        assert_eq!(compute_next_step(protocol, &record), compute_next_step(protocol, &fresh), "{}", protocol.name());
        assert_eq!(compute_next_step(protocol, &record), compute_next_step(protocol, &record), "{}", protocol.name());
    }
}

/// A record that other rules made is noticed, not silently continued.
#[test]
fn a_changed_rule_diverges() {
    for (protocol, record) in debates(20) {
        for entry in &record.entries()[1..] {
            let at = entry.seq as usize;
            let other = match &entry.what {
                Event::Asked(_) => changed(&record, at, |what| {
                    if let Event::Asked(request) = what {
                        request.facts.insert("of other rules".into(), true.into());
                    }
                }),
                Event::Ruled { .. } => changed(&record, at, |what| {
                    if let Event::Ruled { ruling, .. } = what {
                        *ruling = Ruling::new(RulingKind::Noted, "of other rules");
                    }
                }),
                Event::Closed { .. } => changed(&record, at, |what| {
                    if let Event::Closed { outcome } = what {
                        outcome.name = "of other rules".into();
                    }
                }),
                _ => continue,
            };
            let other = other.expect("the copy is a record");
            assert!(compute_next_step(protocol, &other).is_err(), "{}: entry {at} {:?}", protocol.name(), entry.what);
        }
    }
}

/// What a late answer says changes nothing that was asked before it was heard.
#[test]
fn what_was_not_heard_changes_nothing() {
    for (protocol, record) in debates(40) {
        let mut prefix = open(record.opened().clone());
        for next in &record.entries()[1..] {
            if let Ok(Step::Await(open)) = compute_next_step(protocol, &prefix)
                && let Some(late) = withdrawn(&prefix, &open)
            {
                let copy = |reply: Reply| {
                    let mut copy = changed(&prefix, usize::MAX, |_| {}).unwrap();
                    copy.append_event(stamp(), answered(&late, reply)).unwrap();
                    compute_next_step(protocol, &copy)
                };
                let said = copy(Reply::Said { text: "something".into() });
                assert_eq!(said, copy(Reply::Elapsed), "{}: {}", protocol.name(), late.key);
            }
            prefix.append_event(stamp(), next.what.clone()).unwrap();
        }
    }
}

/// The record grows with what is said, not with its square, however many statements a request is
/// about.
#[test]
fn a_record_grows_linearly() {
    // Without a stop before the last round: a debate that ends early does not grow.
    let grow = |(protocol, seed): (&'static dyn Protocol, u64)| {
        let sizes = |rounds: u32| {
            let mut opened = opened(protocol, seed);
            opened.limits.rounds = rounds;
            let mut world = World { extensions: 0, faulty: false, ..World::new(1) };
            let mut sizes = BTreeMap::new();
            for entry in run(protocol, opened, &mut world).entries() {
                let size = serde_json::to_string(entry).unwrap().len() as f64;
                *sizes.entry(entry.what.index().0).or_insert(0.0) += size;
            }
            sizes
        };
        // Twice as many further rounds make twice as much; what begins and ends a debate cancels out.
        let (short, middle, long) = (sizes(20), sizes(40), sizes(80));
        for kind in ["asked", "ruled"] {
            let size = |sizes: &BTreeMap<&str, f64>| sizes.get(kind).copied().unwrap_or(0.0);
            let ratio = (size(&long) - size(&middle)) / (size(&middle) - size(&short));
            let grows = protocol.name() == "exchange";
            assert!(if grows { ratio > 1.0 } else { ratio.is_nan() || ratio >= 0.0 }, "{}", protocol.name());
            assert!(ratio.is_nan() || ratio < 2.2, "{}: {kind} grows {ratio:.2} times", protocol.name());
        }
    };
    // The longest tests of all: each of its own thread.
    std::thread::scope(|scope| {
        for case in all().into_iter().flat_map(|protocol| [(protocol, 0), (protocol, 2)]) {
            scope.spawn(move || grow(case));
        }
    });
}

/// A person who allows another round gets one.
#[test]
fn an_extension_is_used() {
    for protocol in all().into_iter().filter(|protocol| protocol.name() != "redrafts") {
        let mut quiet = World { extensions: 0, faulty: false, ..World::new(1) };
        let record = run(protocol, opened(protocol, 1), &mut quiet);
        let mut extended = changed(&record, usize::MAX, |_| {}).unwrap();
        let limits = agon_core::Extension { rounds: 1, ..Default::default() };
        extended.append_event(stamp(), Event::Extended { limits }).unwrap();
        let next = compute_next_step(protocol, &extended).unwrap();
        assert!(matches!(next, Step::Record(_)), "{}: {next:?} after one more round was allowed", protocol.name());
    }
}

/// A failure is never anybody's words, and a void debate never names a winner.
#[test]
fn a_debate_without_quorum_names_no_winner() {
    for (protocol, record) in debates(200) {
        for entry in record.entries() {
            if let Event::Closed { outcome } = &entry.what
                && outcome.standing == agon_core::Standing::Void
            {
                assert_eq!(outcome.winner, None, "{}", protocol.name());
                let invalidated = record.rulings().any(|(_, _, ruling)| ruling.kind == RulingKind::Invalidated);
                assert!(
                    !outcome.absent.is_empty() || invalidated,
                    "{}: void without saying who is missing, or what is wrong",
                    protocol.name()
                );
            }
        }
    }
}

/// Models and vendors are seen by nobody, names and personas by no judge.
#[test]
fn nobody_is_told_which_model_answers() {
    for protocol in all() {
        let manifest = protocol.manifest();
        for seed in 0..20 {
            let mut opened = opened(protocol, seed);
            for (n, sat) in opened.lineup.iter_mut().enumerate() {
                sat.model = format!("vendor-{n}:model-{n}");
                let judges =
                    manifest.find_seat(sat.seat.as_str()).is_some_and(|seat| seat.role == agon_core::Role::Judge);
                if judges || manifest.find_seat_row().is_none() {
                    (sat.name, sat.persona) = (Some(format!("Named{n}")), Some(format!("persona-{n}")));
                }
            }
            let record = run(protocol, opened, &mut World::new(seed));
            for entry in record.entries() {
                let Event::Asked(request) = &entry.what else { continue };
                let facts = protocol.prompt_facts(&agon_core::View::new(&record, request), request);
                let told = serde_json::to_string(&facts).unwrap();
                let by = |text: &str| assert!(!told.contains(text), "{}: {} has {text}", protocol.name(), request.key);
                by("vendor-");
                by("model-");
                // Whom a judge of a declared protocol is told of is for its declaration to say.
                let shipped = agon_protocols::ALL.iter().any(|known| known.name() == protocol.name());
                let seat = manifest.find_seat(request.seat.as_str());
                if shipped && seat.is_some_and(|seat| seat.role == agon_core::Role::Judge) {
                    by("Named");
                    by("persona-");
                }
            }
        }
    }
}

/// The loser of a decided race is no longer open.
#[test]
fn a_decided_race_withdraws_the_others() {
    let record = run(&toys::Background, opened(&toys::Background, 1), &mut World { faulty: false, ..World::new(1) });
    let mut prefix = open(record.opened().clone());
    for next in &record.entries()[1..] {
        if let Ok(Step::Await(open)) = compute_next_step(&toys::Background, &prefix) {
            let decided =
                |round: &str| prefix.find_ruling(&agon_core::Key::from_parts(format!("{round}/first"))).is_some();
            let lost = open.iter().find(|request| {
                let (round, what) = request.key.as_str().split_once('/').unwrap();
                matches!(what, "question" | "deadline") && decided(round)
            });
            assert_eq!(lost, None);
        }
        prefix.append_event(stamp(), next.what.clone()).unwrap();
    }
}

/// People at a seat are told in words of their own what is asked, and no field is shown to them by the name
/// that programs know it by. A protocol without such words is told by its prompts, and its forms say what each field is for;
/// declared ones do so with `about`.
#[test]
fn every_field_that_a_person_fills_in_has_a_name_and_every_prompt_has_words() {
    for (protocol, record) in debates(40) {
        let is_shipped = agon_protocols::ALL.iter().any(|shipped| shipped.name() == protocol.name());
        if !is_shipped && protocol.name() != poll::Poll.name() {
            continue;
        }
        for entry in record.entries() {
            let Event::Asked(request) = &entry.what else { continue };
            if request.prompt.is_empty() || request.prompt == "reading" {
                continue;
            }
            let (name, prompt) = (protocol.name(), &request.prompt);
            let plain = protocol.human_prompts().get(prompt);
            assert!(plain.is_some() || protocol.human_prompts().is_empty(), "{name}: no words for {prompt}");
            assert!(plain.is_none_or(|plain| !plain.ask.trim().is_empty()), "{name}: {prompt}");
            let view = agon_core::View::new(&record, request);
            let Some(mut form) = protocol.answer_schema(&view, request) else { continue };
            let read = agon_core::form::FormField::from_schema(&serde_json::json!(form));
            assert_eq!(read, form, "{name}: {prompt}: its schema says something else");
            if let Some(plain) = plain {
                plain.label_form(&mut form);
            }
            let mut paths = Vec::new();
            fields(&form, "", &mut paths);
            for (path, title, about) in &paths {
                let told = if plain.is_some() { title } else { about };
                assert!(!told.is_empty(), "{name}: {prompt}: {path} has no name");
            }
            let words = plain.and_then(|plain| plain.words.as_ref());
            let knows = |path: &String| paths.iter().any(|(known, ..)| known == path);
            assert!(words.is_none_or(knows), "{name}: {prompt}: {words:?}");
        }
    }
}

fn fields(form: &agon_core::form::FormField, path: &str, paths: &mut Vec<(String, String, String)>) {
    for (name, field) in &form.fields {
        let path = agon_core::people::field_path(path, name);
        let [title, about] = [&field.title, &field.description].map(|text| text.clone().unwrap_or_default());
        paths.push((path.clone(), title, about));
        fields(field, &path, paths);
        field.items.iter().for_each(|items| fields(items, &path, paths));
    }
    form.variants.iter().for_each(|variant| fields(variant, path, paths));
}
