//! One step: the only entrance to the rules.

use crate::{Diverged, Event, Floor, Outcome, Pause, Protocol, Record, Request};

/// The result of a step: events to append, requests that are open, or the outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Decided but not yet written: append these, then step again.
    Record(Vec<Event>),
    /// Exactly these requests are open. Start the new ones, withdraw any other.
    Await(Vec<Request>),
    /// The debate ends so; nothing is left to append where the record says so already.
    Close(Outcome),
}

/// Runs `protocol` over `record` and says what must happen next. Pure: the same record gives the
/// same step.
///
/// A program embeds a debate with the loop below. It has the time, stores the entries, and asks models, people or itself;
/// to resume, it reads the entries back with [`Record::from_entries`] and continues the loop. `agon-runtime` is
/// such a program, with prompts, providers, budgets and a journal; `agon-protocols` has the protocols, and in
/// `examples/embed.rs` an exchange that is held in this way.
///
/// ```
/// use agon_core::{Answered, Answerer, Event, Facts, Protocol, Record, Reply, Request, Stamp, Step, Usage, View, compute_next_step};
/// # use agon_core::{Floor, Flow, Manifest, Outcome, Seat, sample};
///
/// /// Continues a debate until it is closed. `ask` gets a request and the facts for its template, and answers.
/// fn hold(
///     protocol: &dyn Protocol,
///     record: &mut Record,
///     now: impl Fn() -> Stamp,
///     mut ask: impl FnMut(&Request, Facts) -> Reply,
/// ) -> Result<(), Box<dyn std::error::Error>> {
///     loop {
///         let events = match compute_next_step(protocol, record)? {
///             Step::Record(events) => events,
///             Step::Close(_) if record.closing_outcome().is_some() => return Ok(()),
///             Step::Close(outcome) => vec![Event::Closed { outcome }],
///             Step::Await(open) => {
///                 // All of these may be asked at once; what is still open comes again in the next step.
///                 let request = open.into_iter().next().ok_or("nothing is open")?;
///                 let reply = ask(&request, protocol.prompt_facts(&View::new(record, &request), &request));
///                 let by = Answerer::new("me");
///                 vec![Event::Answered(Answered::new(request.key, reply, by))]
///             }
///         };
///         for event in events {
///             record.append_event(now(), event)?; // Store this entry before the next step, to be able to resume.
///         }
///     }
/// }
/// # struct Question(Manifest);
/// # impl Protocol for Question {
/// #     fn manifest(&self) -> &Manifest {
/// #         &self.0
/// #     }
/// #     fn prompt_templates(&self) -> &[(&str, &str)] {
/// #         &[("question", "{{ motion }}")]
/// #     }
/// #     fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
/// #         let seat = floor.opened().lineup[0].seat.clone();
/// #         let answer = floor.ask_seat(Request::new("question", &seat, "question"))?;
/// #         Ok(Outcome::valid("answered", answer.reply.text().unwrap_or("nothing")))
/// #     }
/// #     fn prompt_facts(&self, heard: &View<'_>, _: &Request) -> Facts {
/// #         Facts::from_iter([("motion".to_owned(), heard.opened().motion.clone().into())])
/// #     }
/// # }
/// # let manifest = r#"{"name": "question", "summary": "One question", "rules": 1, "motion": "text", "fit": "whole",
/// #     "rounds": {"default": 1, "min": 1, "max": 1}, "seat": [], "prompt": {}}"#;
/// # let protocol = Question(serde_json::from_str(manifest)?);
/// # let opened = sample::sample_opened("question", &["speaker"]);
/// # let now = || Stamp("2026-01-31T09:30:00.000Z".into());
///
/// let mut record = Record::open(opened, now())?;
/// hold(&protocol, &mut record, now, |request, facts| {
///     Reply::Said { text: format!("{} on {}", request.seat, facts["motion"]) }
/// })?;
/// assert_eq!(record.latest_outcome().map(|outcome| outcome.name.as_str()), Some("answered"));
/// # assert_eq!(record.entries().len(), 4);
/// # assert!(record.latest_outcome().is_some_and(|outcome| outcome.summary.starts_with("speaker on ")));
/// # let mut again = Record::from_entries(record.entries()[..2].iter().cloned())?;
/// # hold(&protocol, &mut again, now, |request, facts| {
/// #     Reply::Said { text: format!("{} on {}", request.seat, facts["motion"]) }
/// # })?;
/// # assert_eq!(again.head_hash(), record.head_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compute_next_step(protocol: &dyn Protocol, record: &Record) -> Result<Step, Diverged> {
    // A cancellation bypasses the rules; they resume when the debate is extended.
    if let Some(outcome) = record.find_cancellation().and_then(crate::Act::build_outcome) {
        return Ok(Step::Close(outcome));
    }
    let mut floor = Floor::new(record);
    let outcome = match protocol.run(&mut floor) {
        Err(Pause::Diverged(why)) => return Err(why),
        Err(Pause::Waiting) => None,
        Err(Pause::Adjourned(outcome)) => Some(*outcome),
        // An end that cannot be extended closes again after every extension.
        Ok(outcome) => loop {
            floor.current_limits();
            match floor.adjourn_debate(outcome.clone()) {
                Ok(()) => {}
                Err(Pause::Diverged(why)) => return Err(why),
                Err(_) => break Some(outcome),
            }
        },
    };
    if !floor.fresh.is_empty() {
        return Ok(Step::Record(floor.fresh));
    }
    Ok(match outcome {
        Some(outcome) => Step::Close(outcome),
        None => Step::Await(floor.open),
    })
}
