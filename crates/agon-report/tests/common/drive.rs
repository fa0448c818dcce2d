//! Drives a scripted debate of the tests: no model, no clock.

use agon_core::{
    Answered, Answerer, Event, Protocol, Record, Reply, Request, Stamp, Step, Usage, View, compute_next_step,
};

/// Drives until the end, or until nobody answers what is open. `by` says who answers a request, and
/// what it cost.
pub fn drive(
    protocol: &dyn Protocol,
    record: &mut Record,
    now: impl Fn(&Record) -> Stamp,
    by: impl Fn(&Request) -> (Answerer, Usage),
    answer: impl Fn(&Request, &View<'_>) -> Option<Reply>,
) {
    loop {
        match compute_next_step(protocol, record).unwrap() {
            Step::Record(decided) => {
                for what in decided {
                    record.append_event(now(record), what).unwrap();
                }
            }
            Step::Await(requests) => {
                let before = record.len();
                for request in requests {
                    let Some(reply) = answer(&request, &View::new(record, &request)) else { continue };
                    let (by, usage) = by(&request);
                    let answered = Answered { usage, ..Answered::new(request.key, reply, by) };
                    record.append_event(now(record), Event::Answered(answered)).unwrap();
                }
                if record.len() == before {
                    return;
                }
            }
            Step::Close(outcome) => {
                if record.closing_outcome().is_none() {
                    record.append_event(now(record), Event::Closed { outcome }).unwrap();
                }
                return;
            }
        }
    }
}
