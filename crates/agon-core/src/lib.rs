//! The record of a debate and the floor that a protocol runs on: without networking, disk, clock or randomness.
//!
//! A protocol is a pure function from the record of a debate to what must happen next ([`step`]). The caller keeps
//! the record, performs what a step asks for and appends the result; this crate does not know how.
//!
//! - [`mod@step`]: the only entrance to the rules
//! - [`floor`]: `Floor` with ask, start, wait, race, withdraw, rule, adjourn; [`draft`]: answers that must become valid
//! - [`record`], [`entry`]: the list of entries and its seven kinds; `record::redacted`: a record without struck words
//! - `derived_cache`: parsed answers and rulings, cached next to their entries
//! - [`request`], [`ruling`], [`outcome`], [`act`]: what is asked, decided, the end, and what people do unasked
//! - [`view`]: the part of the record that a request can see
//! - [`protocol`], [`option`]: the trait `Protocol`, its manifest and its options
//! - [`mod@parse`]: from an answer to JSON to a typed statement, or faults with their place
//! - [`name`], [`slug`], [`hash`], [`limits`], [`usage`]: ids and keys, file names, digests, budgets, costs
//! - [`repetition`], [`unseen`]: near copies; invisible characters
//! - [`sample`]: the shortest answer that fits a schema; [`form`], [`people`]: forms from schemas, and words for people
//! - [`mod@plural`]: numbers with their nouns
//!
//! A program embeds a debate with this loop. It has the time, stores the entries, and asks models, people or itself;
//! to resume, it reads the entries back with [`Record::from_entries`] and continues the loop. `agon-runtime` is
//! such a program, with prompts, providers, budgets and a journal; `agon-protocols` has the protocols, and in
//! `examples/embed.rs` an exchange that is held in this way.
//!
//! ```
//! use agon_core::{Answered, Answerer, Event, Facts, Protocol, Record, Reply, Request, Stamp, Step, Usage, View, step};
//! # use agon_core::{Floor, Flow, Manifest, Outcome, Seat, sample};
//!
//! /// Continues a debate until it is closed. `ask` gets a request and the facts for its template, and answers.
//! fn hold(
//!     protocol: &dyn Protocol,
//!     record: &mut Record,
//!     now: impl Fn() -> Stamp,
//!     mut ask: impl FnMut(&Request, Facts) -> Reply,
//! ) -> Result<(), Box<dyn std::error::Error>> {
//!     loop {
//!         let events = match step(protocol, record)? {
//!             Step::Record(events) => events,
//!             Step::Close(_) if record.closed().is_some() => return Ok(()),
//!             Step::Close(outcome) => vec![Event::Closed { outcome }],
//!             Step::Await(open) => {
//!                 // All of these may be asked at once; what is still open comes again in the next step.
//!                 let request = open.into_iter().next().ok_or("nothing is open")?;
//!                 let reply = ask(&request, protocol.facts(&View::new(record, &request), &request));
//!                 let by = Answerer { participant: "me".into(), model: None };
//!                 let (key, usage, shown) = (request.key, Usage::default(), Vec::new());
//!                 vec![Event::Answered(Answered { key, reply, usage, by, prompt: None, shortened: 0, shown })]
//!             }
//!         };
//!         for event in events {
//!             record.append(now(), event)?; // Store this entry before the next step, to be able to resume.
//!         }
//!     }
//! }
//! # struct Question(Manifest);
//! # impl Protocol for Question {
//! #     fn manifest(&self) -> &Manifest {
//! #         &self.0
//! #     }
//! #     fn prompts(&self) -> &[(&str, &str)] {
//! #         &[("question", "{{ motion }}")]
//! #     }
//! #     fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
//! #         let seat = floor.opened().lineup[0].seat.clone();
//! #         let answer = floor.ask(Request::new("question", &seat, "question"))?;
//! #         Ok(Outcome::valid("answered", answer.reply.text().unwrap_or("nothing")))
//! #     }
//! #     fn facts(&self, heard: &View<'_>, _: &Request) -> Facts {
//! #         Facts::from_iter([("motion".to_owned(), heard.opened().motion.clone().into())])
//! #     }
//! # }
//! # let manifest = r#"{"name": "question", "summary": "One question", "rules": 1, "motion": "text", "fit": "whole",
//! #     "rounds": {"default": 1, "min": 1, "max": 1}, "seat": [], "prompt": {}}"#;
//! # let protocol = Question(serde_json::from_str(manifest)?);
//! # let opened = sample::opened("question", &["speaker"]);
//! # let now = || Stamp("2026-01-31T09:30:00.000Z".into());
//!
//! let mut record = Record::open(opened, now())?;
//! hold(&protocol, &mut record, now, |request, facts| {
//!     Reply::Said { text: format!("{} on {}", request.seat, facts["motion"]) }
//! })?;
//! assert_eq!(record.outcome().map(|outcome| outcome.name.as_str()), Some("answered"));
//! # assert_eq!(record.entries().len(), 4);
//! # assert!(record.outcome().is_some_and(|outcome| outcome.summary.starts_with("speaker on ")));
//! # let mut again = Record::from_entries(record.entries()[..2].iter().cloned())?;
//! # hold(&protocol, &mut again, now, |request, facts| {
//! #     Reply::Said { text: format!("{} on {}", request.seat, facts["motion"]) }
//! # })?;
//! # assert_eq!(again.head(), record.head());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod act;
mod derived_cache;
pub mod draft;
pub mod entry;
pub mod floor;
pub mod form;
pub mod gate;
pub mod hash;
pub mod limits;
pub mod name;
pub mod option;
pub mod outcome;
pub mod parse;
pub mod people;
pub mod plural;
pub mod protocol;
pub mod record;
pub mod repetition;
pub mod request;
pub mod ruling;
pub mod sample;
pub mod slug;
pub mod step;
pub mod unseen;
pub mod usage;
pub mod view;

pub use act::{Act, ActKind, CANCELLED};
pub use draft::{Attempt, Lost, Statement};
pub use entry::{
    Answered, Answerer, Entry, Event, Failed, FailureKind, Opened, Parent, Reply, SeatModel, ShownPassage,
    Stamp,
};
pub use floor::{Diverged, Floor, Flow, Pause, Pending};
pub use gate::{Gate, GateResult};
pub use hash::Digest;
pub use limits::{Extension, Limits};
pub use name::{DebateId, Key, NameError, Seat};
pub use option::{Choice, OptionKind, OptionSpec};
pub use outcome::{Absent, GateClass, Outcome, OutcomeSpec, Standing};
pub use parse::{Fault, Faults};
pub use people::{People, Plain};
pub use plural::{noun, plural};
pub use protocol::{Manifest, Members, MotionKind, PromptFit, PromptSpec, Protocol, Role, SeatSpec};
pub use record::{Record, RecordError};
pub use request::{Exhausted, Facts, Redraft, Request};
pub use ruling::{Ruling, RulingKind};
pub use step::{Step, step};
pub use usage::{Basis, Usage};
pub use view::View;
