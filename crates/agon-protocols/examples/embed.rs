//! A debate inside another Rust program: `cargo run --package agon-protocols --example embed`.
//!
//! The program keeps the record, has the time, and asks the models or people of its choice. Here the answers are
//! samples of the schema, without a model.

use std::{collections::BTreeMap, error::Error};

use agon_core::{
    Answered, Answerer, DebateId, Digest, Event, Facts, Limits, Opened, Protocol, Record, Reply, Request, Seat,
    SeatModel, Stamp, Step, View, compute_next_step, form::FormField, sample,
};
use agon_protocols::exchange::Exchange;

/// What a seat says to a request: its facts for the template, and the schema of the answer.
type Ask<'a> = dyn FnMut(&Request, &Facts, Option<&FormField>) -> Reply + 'a;

/// Continues a debate until it is closed. `record` can be a new one, or one that was read back.
fn hold(
    protocol: &dyn Protocol,
    record: &mut Record,
    now: &dyn Fn() -> Stamp,
    ask: &mut Ask<'_>,
) -> Result<(), Box<dyn Error>> {
    loop {
        let events = match compute_next_step(protocol, record)? {
            Step::Record(events) => events,
            Step::Close(_) if record.closing_outcome().is_some() => return Ok(()),
            Step::Close(outcome) => vec![Event::Closed { outcome }],
            Step::Await(requests) => {
                // All of these may be asked at once; what is still open comes again in the next step.
                let Some(request) = requests.into_iter().next() else { return Err("nothing is open".into()) };
                let heard = View::new(record, &request);
                let (facts, schema) =
                    (protocol.prompt_facts(&heard, &request), protocol.answer_schema(&heard, &request));
                let reply = ask(&request, &facts, schema.as_ref());
                let by = Answerer::new("sample");
                vec![Event::Answered(Answered::new(request.key, reply, by))]
            }
        };
        for event in events {
            // A program that wants to resume stores this entry before it continues.
            record.append_event(now(), event)?;
        }
    }
}

/// What an exchange about `motion` is opened with.
fn opened(motion: &str) -> Result<Opened, Box<dyn Error>> {
    let seats = ["proposition", "opposition", "judge", "reporter"].map(Seat::new);
    let lineup = seats.into_iter().map(|seat| seat.map(|seat| SeatModel::new(seat, "sample")));
    let prompts =
        Exchange.prompt_templates().iter().map(|(name, text)| ((*name).to_owned(), Digest::from_content(text)));
    Ok(Opened {
        debate: DebateId::new("embedded-1")?,
        protocol: Exchange.manifest().name.clone(),
        rules: Exchange.manifest().rules,
        motion: motion.to_owned(),
        options: serde_json::Map::new(),
        lineup: lineup.collect::<Result<_, _>>()?,
        limits: Limits { rounds: 1, ..Limits::default() },
        seed: 1,
        prompts: prompts.collect(),
        documents: BTreeMap::new(),
        parent: None,
    })
}

/// The time of the example, so that every run gives the same record; a program takes its own.
fn now() -> Stamp {
    Stamp("2026-01-31T09:30:00.000Z".into())
}

/// An answer that fits the schema. A program renders the template `request.prompt` with the facts, and asks a model.
fn sampled(request: &Request, _: &Facts, schema: Option<&FormField>) -> Reply {
    let seed = request.key.as_str().bytes().map(u64::from).sum();
    Reply::Said { text: sample::sample_answer(schema, seed) }
}

#[allow(clippy::print_stdout)] // An example shows what it does.
fn main() -> Result<(), Box<dyn Error>> {
    let mut record = Record::open(opened("This house would write its decisions down.")?, now())?;
    hold(&Exchange, &mut record, &now, &mut sampled)?;
    for (seq, answer) in record.answers() {
        println!("{seq:>3}  {}", answer.key);
    }
    println!("{}", record.latest_outcome().map_or("no outcome", |outcome| &outcome.summary));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_debate_ends_by_its_rules() {
        let mut record = Record::open(opened("This house would.").unwrap(), now()).unwrap();
        hold(&Exchange, &mut record, &now, &mut sampled).unwrap();
        assert_eq!(record.latest_outcome().unwrap().name, "even");
        let seats: Vec<&str> = record.answers().map(|(_, answer)| answer.key.as_str()).collect();
        assert_eq!(seats.len(), 7, "two sides and a judge twice, and the reporter: {seats:?}");
    }

    #[test]
    fn an_embedded_debate_continues_from_its_entries() {
        let mut whole = Record::open(opened("This house would.").unwrap(), now()).unwrap();
        hold(&Exchange, &mut whole, &now, &mut sampled).unwrap();
        for length in 1..=whole.entries().len() {
            let stored = whole.entries()[..length].iter().cloned();
            let mut record = Record::from_entries(stored).unwrap();
            hold(&Exchange, &mut record, &now, &mut sampled).unwrap();
            assert_eq!(record.head_hash(), whole.head_hash(), "from {length} entries");
        }
    }
}
