//! A debate without participants: every seat gives the shortest answer that its schema allows. It
//! tells what a debate will ask before anything is sent, and finds a template that does not render.

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Digest, Event, Opened, Protocol, Record, Reply, Stamp, Step, View, compute_next_step, sample,
};

use crate::{
    cancellation::StopFlag,
    drive::DriveError,
    participant::ChatMessage,
    prompts::{ModelSize, Renderer},
};

/// Maximum number of requests a rehearsal follows.
const REQUESTS_MAX: usize = 2_000;

/// One request of a rehearsed debate, with the size of its prompt.
#[derive(Debug, Clone)]
pub struct Rehearsed {
    /// Its key.
    pub key: String,
    /// Who is asked.
    pub seat: String,
    /// The template.
    pub prompt: String,
    /// What is asked, with sample answers in place of earlier ones.
    pub messages: Vec<ChatMessage>,
    /// Tokens of the prompt, at four characters each.
    pub prompt_tokens: u64,
    /// Tokens of the schema of the answer, likewise; not every participant is sent it.
    pub schema_tokens: u64,
    /// Maximum number of tokens of the answer.
    pub tokens_max: u64,
    /// Tokens of thinking for which the answer has room in addition. A rehearsal has nobody who thinks.
    pub thinking_tokens: u64,
    /// Whether it asks again for a statement that a sample could not make.
    pub redraft: bool,
}

/// The record of a debate that nobody fails in, to its end, and its requests.
///
/// # Errors
///
/// What does not render, or that `stop` says so.
pub fn rehearse_debate(
    protocol: &dyn Protocol,
    opened: Opened,
    documents: &BTreeMap<Digest, String>,
    renderer: &Renderer,
    stop: &StopFlag,
) -> Result<(Record, Vec<Rehearsed>), DriveError> {
    renderer.check_redraft()?;
    let at = Stamp("2000-01-01T00:00:00.000Z".into());
    let mut record = Record::open(opened, at.clone())?.with_documents(documents);
    let mut rehearsed = Vec::new();
    loop {
        if stop.is_stopped() {
            return Err(DriveError::Interrupted);
        }
        match compute_next_step(protocol, &record)? {
            Step::Close(outcome) => {
                record.append_event(at, Event::Closed { outcome })?;
                return Ok((record, rehearsed));
            }
            Step::Record(whats) => {
                for what in whats {
                    record.append_event(at.clone(), what)?;
                }
            }
            Step::Await(open) => {
                // Time passes last: a debate that its clock could end early goes to its limit.
                let speaks = open.iter().find(|request| request.seat.as_str() != "clock");
                let Some(request) = speaks.or(open.first()).cloned() else { return Err(DriveError::Idle) };
                if rehearsed.len() >= REQUESTS_MAX {
                    return Ok((record, rehearsed));
                }
                let view = View::new(&record, &request);
                let schema = protocol.answer_schema(&view, &request);
                let reply = if request.seat.as_str() == "clock" {
                    Reply::Elapsed
                } else if request.prompt.is_empty() {
                    // A part of the program looks at something: no call, and no prompt to render.
                    Reply::Said { text: sample::sample_answer(schema.as_ref(), rehearsed.len() as u64) }
                } else {
                    let facts = protocol.prompt_facts(&view, &request);
                    let messages = renderer.render(&request, &facts, &view)?;
                    // The prompt of a small model renders, too, and its pieces have a place in the answer.
                    let small = renderer.render_for(ModelSize::Small, &request, &facts, &view)?;
                    small.check_chain(&request.prompt, schema.as_ref())?;
                    // What people are told instead renders, too.
                    if let Some(plain) = protocol.human_prompts().get(&request.prompt) {
                        renderer.render_words(&request.prompt, &plain.ask, &facts)?;
                    }
                    let characters: usize = messages.iter().map(|message| message.text.chars().count()).sum();
                    let sent = schema.clone().map(|schema| schema.without_examples().to_string());
                    let tokens = |characters: usize| characters.div_ceil(4) as u64;
                    let spec = protocol.manifest().prompts.get(&request.prompt);
                    rehearsed.push(Rehearsed {
                        key: request.key.to_string(),
                        seat: request.seat.to_string(),
                        prompt: request.prompt.clone(),
                        messages,
                        prompt_tokens: tokens(characters),
                        schema_tokens: sent.map_or(0, |schema| tokens(schema.chars().count())),
                        tokens_max: spec.map_or(0, |spec| spec.tokens_max.into()),
                        thinking_tokens: 0,
                        redraft: request.redraft.is_some(),
                    });
                    let any = || sample::sample_answer(schema.as_ref(), rehearsed.len() as u64);
                    Reply::Said { text: protocol.sample_answer(&view, &request).unwrap_or_else(any) }
                };
                let answered = Answered::new(request.key, reply, Answerer::default());
                record.append_event(at.clone(), Event::Answered(answered))?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use agon_core::{Facts, Floor, Flow, Manifest, Outcome, Request, Seat};

    use super::*;

    /// Asks one seat, as often as there are rounds.
    struct Long;

    static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| {
        serde_json::from_value(serde_json::json!({
            "name": "long", "summary": "x", "rules": 1, "motion": "text", "fit": "whole",
            "rounds": {"default": 9, "min": 1, "max": 9},
            "seat": [{"name": "a", "role": "debater", "about": "x"}], "prompt": {},
        }))
        .unwrap()
    });

    impl Protocol for Long {
        fn manifest(&self) -> &Manifest {
            &MANIFEST
        }

        fn prompt_templates(&self) -> &[(&str, &str)] {
            &[("say", "{{ role(\"user\") }}Say something.")]
        }

        fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
            for round in 0..9 {
                floor.ask_seat(Request::new(format!("round/{round}"), &Seat::new("a").unwrap(), "say"))?;
            }
            Ok(Outcome::valid("done", "x"))
        }

        fn prompt_facts(&self, _: &View<'_>, _: &Request) -> Facts {
            Facts::new()
        }
    }

    #[test]
    fn a_rehearsal_that_was_given_up_ends() {
        let templates = Long.prompt_templates().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let mut templates: BTreeMap<String, String> = templates.collect();
        templates.insert("redraft".into(), "x".into());
        let renderer = Renderer::new(&templates).unwrap();
        let opened = || sample::opened_for(&MANIFEST);
        let stop = StopFlag::default();
        assert_eq!(rehearse_debate(&Long, opened(), &BTreeMap::new(), &renderer, &stop).unwrap().1.len(), 9);
        // Nobody waits for it any more.
        drop(stop.stop_on_drop());
        let given_up = rehearse_debate(&Long, opened(), &BTreeMap::new(), &renderer, &stop);
        assert!(matches!(given_up, Err(DriveError::Interrupted)));
    }
}
