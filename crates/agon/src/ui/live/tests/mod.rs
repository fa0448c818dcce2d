//! The view of recorded debates, at several sizes, on a backend that only remembers.

use std::time::{Duration, Instant};

use agon_core::{
    Answered, Answerer, Entry, Event, Key, Protocol, Record, Reply, Request, Seat, Stamp, Step, Usage, View,
    compute_next_step, sample,
};
use agon_runtime::drive::Notice;
use ratatui::{
    Terminal,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
};
use unicode_width::UnicodeWidthStr;

use super::{
    Live,
    draw::draw_view,
    keys::ViewCommand,
    model::{State, ViewEvent, ViewModel},
};

/// A debate by `protocol` in which everybody answers with a sample, to its end.
fn debate(protocol: &dyn Protocol) -> Record {
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let mut opened = sample::opened_for(protocol.manifest());
    opened.limits.rounds = protocol.manifest().rounds.default.min(2);
    opened.limits.time_seconds_max = Some(600);
    opened.limits.cost_microusd_max = Some(500_000);
    let mut record = Record::open(opened, at()).unwrap().with_documents(&sample::sample_documents());
    for seed in 0..200 {
        match compute_next_step(protocol, &record).unwrap() {
            Step::Close(_) if record.latest_outcome().is_some() => break,
            Step::Close(outcome) => drop(record.append_event(at(), Event::Closed { outcome }).unwrap().clone()),
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(at(), what).unwrap();
                }
            }
            Step::Await(open) => {
                let request = open[0].clone();
                let view = View::new(&record, &request);
                let schema = protocol.answer_schema(&view, &request);
                let text = protocol.sample_answer(&view, &request);
                let text = text.unwrap_or_else(|| sample::sample_answer(schema.as_ref(), seed));
                let reply = if request.prompt.is_empty() { Reply::Elapsed } else { Reply::Said { text } };
                let usage = Usage {
                    requests: 1,
                    prompt_tokens: 900,
                    completion_tokens: 100,
                    cost_microusd: 1_500,
                    ..Usage::default()
                };
                let by = Answerer::new("local:small").with_model("Small 1B");
                let answered = Answered { usage, ..Answered::new(request.key, reply, by) };
                record.append_event(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
    record
}

#[test]
fn an_answer_in_a_form_is_shown_when_it_is_whole_however_it_comes() {
    for (protocol, prompts) in [("exchange", vec!["opening", "judgment"]), ("panel", vec!["opening"])] {
        let protocol = agon_protocols::ALL.iter().find(|kind| kind.manifest().name == protocol).unwrap();
        let record = debate(*protocol);
        let live = Live::new(false, &record.copy_first_entries(1), Usage::default());
        let mut state = live.lock_state();
        let mut hidden: Vec<&str> = Vec::new();
        for entry in &record.entries()[1..] {
            state.apply_entry(entry);
            let Event::Asked(request) = &entry.what else { continue };
            let is_form = protocol.answer_schema(&View::new(&record, request), request).is_some();
            assert_eq!(state.unseen.contains_key(&request.key), is_form, "{}", request.key);
            hidden.extend(is_form.then_some(request.prompt.as_str()));
        }
        for prompt in prompts {
            assert_eq!(hidden.contains(&prompt), protocol.manifest().name == "exchange", "{prompt}: {hidden:?}");
        }
        // The same of a debate that continues.
        let asked = |at: &usize| matches!(&record.entries()[*at].what, Event::Asked(request) if hidden.contains(&&*request.prompt));
        let Some(at) = (1..record.entries().len()).find(asked) else { continue };
        let live = Live::new(false, &record.copy_first_entries(at + 1), Usage::default());
        assert!(!live.lock_state().unseen.is_empty());
    }
}

/// The view after the first `entries` entries, some of them by a local model.
fn model(record: &Record, entries: usize, now: Instant) -> ViewModel {
    let protocol = agon_protocols::find_rules(record).unwrap();
    let mut model = ViewModel::new(record.opened(), Some(protocol), Duration::from_secs(60), now);
    model.record_seat_models(record.opened().lineup.iter().map(|sat| (sat.seat.clone(), "local:small".to_owned())));
    for entry in &record.entries()[..entries] {
        model.apply_event(told(entry), now);
    }
    model.apply_event(ViewEvent::Record(Box::new(record.copy_first_entries(entries))), now);
    model.apply_event(ViewEvent::CallsMax(9), now);
    model
}

fn told(entry: &Entry) -> ViewEvent {
    ViewEvent::Entry(Box::new(entry.clone()), Duration::ZERO)
}

/// What is on a screen of this size.
fn shown(model: &mut ViewModel, (width, height): (u16, u16), now: Instant) -> String {
    model.refresh_from_record();
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw_view(frame, model, false, now)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let row = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| format!("{}\n", row(y).trim_end())).collect()
}

fn press(model: &mut ViewModel, code: KeyCode) -> Option<ViewCommand> {
    model.apply_key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// How many entries the record of a debate has once the second exchange is being argued.
fn midway(record: &Record) -> usize {
    let asked = |entry: &Entry| matches!(&entry.what, Event::Asked(request) if request.key.as_str() == "exchange-001/opposition");
    record.entries().iter().position(|entry| asked(entry)).unwrap() + 1
}

/// An exchange whose second exchange is being argued, by a model of this machine.
fn arguing(now: Instant) -> ViewModel {
    let record = debate(agon_protocols::find_protocol("exchange").unwrap());
    let mut model = model(&record, midway(&record), now);
    let key = Key::from_parts("exchange-001/proposition");
    for piece in ["Writing ", "a decision ", "down ", "costs a minute."] {
        model.apply_event(ViewEvent::Delta { key: key.clone(), attempt: 1, text: piece.into() }, now);
    }
    model
}

#[test]
fn the_view_fits_every_width() {
    let now = Instant::now();
    let later = now + Duration::from_secs(4);
    for size in [(20, 20), (80, 24), (160, 40)] {
        insta::assert_snapshot!(format!("{}-columns", size.0), shown(&mut arguing(now), size, later));
    }
}

#[test]
fn a_wide_terminal_gets_no_longer_lines() {
    let now = Instant::now();
    let screen = shown(&mut arguing(now), (200, 60), now);
    assert!(screen.lines().all(|line| line.width() <= 100), "{screen}");
    assert!(screen.contains("! proposition: Arguments 1: qualifier has 17 words"), "{screen}");
}

#[test]
fn two_orders_of_one_judgment_are_told_apart() {
    let now = Instant::now();
    let mut record = debate(agon_protocols::find_protocol("exchange").unwrap()).copy_first_entries(1);
    let orders = [("judgment", "proposition"), ("judgment/swapped", "opposition")];
    for (key, first) in orders {
        let request = Request::new(format!("exchange-000/{key}"), &Seat::new("judge").unwrap(), "judgment");
        let asked = Event::Asked(request.with_fact("first", first));
        record.append_event(Stamp("2000-01-01T00:00:00.000Z".into()), asked).unwrap();
    }
    let screen = shown(&mut model(&record, 3, now), (80, 24), now);
    for (_, side) in orders {
        assert!(screen.contains(&format!("JUDGE  {side} read first")), "{screen}");
    }
}

#[test]
fn no_protocol_and_no_size_breaks_it() {
    let now = Instant::now();
    for protocol in agon_protocols::ALL {
        let record = debate(*protocol);
        let all = record.entries().len();
        for entries in [1, all / 3, all / 2, all] {
            let mut model = model(&record, entries, now);
            for size in [(1, 1), (7, 3), (20, 6), (20, 60), (300, 2), (80, 24)] {
                let screen = shown(&mut model, size, now);
                assert!(screen.lines().all(|line| line.width() <= size.0.into()), "{screen}");
            }
            press(&mut model, KeyCode::Char('?'));
            shown(&mut model, (20, 10), now);
        }
    }
}

/// Where a debate by `protocol` stands once it is over, and the last round that it was in.
fn progress(name: &str) -> (String, Option<u32>) {
    let record = debate(agon_protocols::find_protocol(name).unwrap());
    let before_the_end = record.entries().len() - 1;
    let mut model = model(&record, before_the_end, Instant::now());
    model.refresh_from_record();
    (model.standing.unwrap_or_default(), model.round)
}

#[test]
fn every_protocol_says_where_it_stands() {
    let all = ["exchange", "panel", "chaired", "revise", "duel"].map(|name| {
        let (standing, round) = progress(name);
        format!("{name}: {standing} (round {round:?})")
    });
    insta::assert_snapshot!("progress", all.join("\n"));
}

#[test]
fn the_keys_pause_interject_read_and_leave() {
    let now = Instant::now();
    let mut model = arguing(now);
    shown(&mut model, (80, 24), now);
    assert_eq!(press(&mut model, KeyCode::Char('p')), Some(ViewCommand::Pause));
    press(&mut model, KeyCode::Home);
    let screen = shown(&mut model, (80, 24), now);
    assert!(screen.contains("Opening exchange") && screen.contains("End shows the newest"), "{screen}");
    press(&mut model, KeyCode::End);
    assert!(shown(&mut model, (80, 24), now).contains("costs a minute."));

    press(&mut model, KeyCode::Char('?'));
    let screen = shown(&mut model, (80, 24), now);
    assert!(screen.contains("p: pause the debate") && screen.contains("agon resume"), "{screen}");
    assert_eq!(press(&mut model, KeyCode::Char('x')), None);

    model.powers.interjects = false;
    press(&mut model, KeyCode::Char('i'));
    assert!(shown(&mut model, (80, 24), now).contains("takes no interjections"));
    model.powers.interjects = true;
    for code in [KeyCode::Char('i'), KeyCode::Char('q'), KeyCode::Char('!'), KeyCode::Backspace] {
        assert_eq!(press(&mut model, code), None, "a letter of a text is not a command");
    }
    assert!(shown(&mut model, (80, 24), now).contains("to all: q_"));
    assert_eq!(press(&mut model, KeyCode::Enter), Some(ViewCommand::Interject("q".into())));
    assert_eq!(press(&mut model, KeyCode::Char('q')), Some(ViewCommand::Leave));
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(model.apply_key(interrupt), Some(ViewCommand::Interrupt));
}

#[test]
fn a_pause_stops_the_clock_and_says_what_the_key_does_next() {
    use agon_core::{Act, ActKind};
    let now = Instant::now();
    let mut record = debate(agon_protocols::find_protocol("exchange").unwrap());
    record = record.copy_first_entries(midway(&record));
    let mut model = model(&record, record.entries().len(), now);
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let act = |deed| Event::Acted(Act { by: "ann".into(), deed });
    let paused = record.append_event(at(), act(ActKind::Paused { why: String::new() })).unwrap().clone();
    model.apply_event(told(&paused), now);
    assert_eq!(model.state, State::Pausing);
    let screen = shown(&mut model, (80, 24), now);
    assert!(screen.contains("pausing") && screen.contains("p continue"), "{screen}");
    assert_eq!(press(&mut model, KeyCode::Char('p')), Some(ViewCommand::Resume));
    model.apply_event(ViewEvent::Stopped, now);
    let later = now + Duration::from_secs(90);
    assert_eq!(model.driven_time(later), Duration::from_secs(60), "it stands still");
    let screen = shown(&mut model, (80, 24), later);
    assert!(screen.contains("paused") && !screen.contains("OPPOSITION"), "nobody is asked: {screen}");
    let resumed = record.append_event(at(), act(ActKind::Resumed)).unwrap().clone();
    model.apply_event(told(&resumed), later);
    assert_eq!(model.driven_time(later + Duration::from_secs(5)), Duration::from_secs(65));
    model.apply_event(told(&resumed), later);
    let screen = shown(&mut model, (80, 24), later + Duration::from_secs(5));
    assert_eq!(screen.matches("ann continued the debate").count(), 1, "an entry is told once: {screen}");
    assert!(screen.contains("OPPOSITION  0:05"), "a call takes its time from then: {screen}");
}

#[test]
fn nothing_from_elsewhere_acts_on_the_terminal() {
    let now = Instant::now();
    let mut record = debate(agon_protocols::find_protocol("exchange").unwrap());
    let hostile = "a\u{1b}[2J\u{202e}b";
    let mut opened = record.opened().clone();
    opened.motion = hostile.into();
    opened.lineup.iter_mut().for_each(|sat| sat.name = Some(hostile.into()));
    record = Record::open(opened, Stamp("2000-01-01T00:00:00.000Z".into())).unwrap();
    let mut model = model(&record, 1, now);
    let why = hostile.to_owned();
    let retry = Notice::Retry { key: Key::from_parts(hostile), why, wait_ms: 1, attempt: 2, attempts_max: 5 };
    model.apply_event(ViewEvent::Notice(retry), now);
    model.apply_event(ViewEvent::Message(hostile.into()), now);
    let screen = shown(&mut model, (80, 24), now);
    assert!(!screen.contains(['\u{1b}', '\u{202e}']), "{screen:?}");
    assert!(screen.matches("\\u{1b}[2J").count() >= 3, "{screen}");
}
