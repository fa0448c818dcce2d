//! The prompts of small models: an answer that is put together from their pieces is one that the protocol takes.

use std::collections::BTreeMap;

use agon_core::{
    Answered, Answerer, Digest, Event, Opened, Protocol, Record, Reply, Stamp, Step, View, compute_next_step,
    form::FormField, sample,
};
use agon_runtime::prompts::{ModelSize, Renderer, chain::ChainStep, chain_answer::ChainAnswer};

/// Steps after which a debate must have closed.
const REQUESTS_MAX: usize = 400;

/// What a model might write for the piece number `at`, with room for `tokens`: words that no other piece has.
fn prose(at: usize, tokens: u32) -> String {
    let word = |i: usize| format!("word{}{}", ["a", "b", "c", "d", "e"][i % 5], at * 100 + i);
    format!("Here {} it is.", (0..tokens as usize / 2).map(word).collect::<Vec<_>>().join(" "))
}

fn answered(chain: &[ChainStep], schema: Option<&FormField>, pieces: &mut usize) -> String {
    let mut answer = ChainAnswer::default();
    for step in chain {
        match step {
            ChainStep::Say(_) | ChainStep::Part => {}
            ChainStep::Fix { at, value } => answer.set_value(at, value.clone()),
            ChainStep::Generate(piece) => {
                *pieces += 1;
                let schema = piece.piece_schema(schema).unwrap();
                let text = match &schema {
                    Some(schema) => sample::sample_value(schema, *pieces as u64).to_string(),
                    None => prose(*pieces, piece.tokens),
                };
                answer.put_piece(piece, &text, schema.as_ref()).unwrap();
            }
        }
    }
    answer.render_text()
}

/// The keys of all requests that were asked by a chain, of a debate that only small models hold.
fn held(protocol: &dyn Protocol) -> Vec<String> {
    let manifest = protocol.manifest();
    let templates: BTreeMap<String, String> =
        protocol.prompt_templates().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut opened: Opened = sample::opened_for(manifest);
    opened.limits.rounds = manifest.rounds.default;
    opened.prompts = templates.iter().map(|(name, text)| (name.clone(), Digest::from_content(text))).collect();
    let renderer = Renderer::new(&templates).unwrap();
    let at = || Stamp("2000-01-01T00:00:00.000Z".into());
    let mut record = Record::open(opened, at()).unwrap().with_documents(&sample::sample_documents());
    let (mut keys, mut pieces) = (Vec::new(), 0);
    for _ in 0..REQUESTS_MAX {
        match compute_next_step(protocol, &record).unwrap() {
            Step::Close(_) => return keys,
            Step::Record(events) => events.into_iter().for_each(|event| {
                record.append_event(at(), event).unwrap();
            }),
            Step::Await(open) => {
                let request = open[0].clone();
                let view = View::new(&record, &request);
                let mut reply = Reply::Elapsed;
                if !request.prompt.is_empty() {
                    let facts = protocol.prompt_facts(&view, &request);
                    let small = renderer.render_for(ModelSize::Small, &request, &facts, &view).unwrap();
                    let schema = protocol.answer_schema(&view, &request);
                    let text = match small.chain.as_slice() {
                        [] => sample::sample_answer(schema.as_ref(), keys.len() as u64),
                        chain => {
                            let faults = request.redraft.as_ref().map(|redraft| &redraft.faults);
                            keys.push(
                                faults.map_or(request.key.to_string(), |faults| format!("{}: {faults:?}", request.key)),
                            );
                            answered(chain, schema.as_ref(), &mut pieces)
                        }
                    };
                    reply = Reply::Said { text };
                }
                let answered = Answered::new(request.key, reply, Answerer::default());
                record.append_event(at(), Event::Answered(answered)).unwrap();
            }
        }
    }
    panic!("{} did not close", protocol.name());
}

/// A template without what is filled in.
fn fixed_words(template: &str) -> String {
    let (mut words, mut rest) = (String::new(), template);
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        words.push_str(&rest[..at]);
        words.push('x');
        let end = if rest[at..].starts_with("{{") { "}}" } else { "%}" };
        rest = rest[at..].split_once(end).map_or("", |(_, after)| after);
    }
    words + rest
}

/// A small model writes down a whole sentence that it is given as an example.
#[test]
fn no_prompt_of_a_small_model_gives_a_whole_sentence_as_an_example() {
    for protocol in agon_protocols::ALL {
        for (name, text) in protocol.prompt_templates().iter().filter(|(name, _)| name.starts_with("small/")) {
            for quoted in agon_text::find_quotations(&fixed_words(text)) {
                assert!(agon_text::count_words(quoted.text) < 6, "{} {name}: {}", protocol.name(), quoted.text);
            }
        }
    }
}

#[test]
fn an_answer_in_pieces_is_accepted_at_once() {
    let mut chains = 0;
    for protocol in agon_protocols::ALL {
        let keys = held(*protocol);
        chains += keys.len();
        let again: Vec<&String> = keys.iter().filter(|key| key.contains("redraft")).collect();
        assert!(again.is_empty(), "{}: {again:?}", protocol.name());
    }
    assert!(chains >= 7, "only {chains} answers in pieces");
}
