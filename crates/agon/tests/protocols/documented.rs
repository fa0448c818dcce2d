//! Every fact that a prompt is filled with is told of in the documentation of prompts.

use std::collections::BTreeSet;

use agon_core::{Event, Record, View};

use crate::protocols::canned::{chaired, duel, exchange, panel, revise};

const PROMPTS: &str = include_str!("../../../../docs/prompts.md");
const DUEL: &str = include_str!("../../../../docs/protocols/duel.md");

/// Names of all facts in a debate.
fn facts(record: &Record) -> BTreeSet<String> {
    let protocol = agon_protocols::find_protocol(&record.opened().protocol).unwrap();
    let asked = record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) if !request.prompt.is_empty() => Some(request),
        _ => None,
    });
    asked
        .flat_map(|request| protocol.prompt_facts(&View::new(record, request), request))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn every_fact_of_every_prompt_stands_in_the_documentation() {
    let turns: Vec<_> = (1..=6).map(|number| duel::turn(number, "OPEN_TO_DEBATE")).collect();
    let sections = [
        ("## Templates of the exchange", PROMPTS, vec![exchange::debate(1)]),
        ("## Prompts", DUEL, vec![duel::duel(6, &turns)]),
        (
            "## Templates of revise",
            PROMPTS,
            ["plan", "review"].map(|mode| revise::play(revise::track(mode), |_| None)).into(),
        ),
        ("## Templates of the panel", PROMPTS, vec![panel::panel()]),
        ("## Templates of the chaired debate", PROMPTS, vec![chaired::debate()]),
    ];
    for (heading, document, records) in sections {
        let section = document.split_once(heading).expect(heading).1;
        let section = section.split("\n## ").next().unwrap();
        let missing: Vec<String> = records
            .iter()
            .flat_map(facts)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|name| !section.contains(&format!("`{name}`")))
            .collect();
        assert_eq!(missing, Vec::<String>::new(), "facts that {heading:?} does not name");
    }
}
