//! What a poll leaves: `poll.md`, with every answer of every round, and its graph.

use agon_core::{Key, Record, RulingKind, View};
use agon_text::markdown;
use serde_json::Value;

use crate::tutorial::rules::{SPEAKERS, answer::PollAnswer};

use agon_report::{
    File, Format,
    graph::{Graph, answer_seq},
    participation::display_name,
    views::Views,
};

/// `poll.md`.
pub static FORMAT: Format = Format {
    views: &PollViews,
    ..Format::new("poll", "every answer of a poll, round by round", |record, _, _| {
        let lines = PollViews.build_graph(record).statements.into_iter().map(|said| {
            let text = said.text.unwrap_or_else(|| "This text was redacted.".into());
            format!("- {}, {}: {}", said.when, markdown::escape_line(&said.speaker), markdown::escape_line(&text))
        });
        vec![File::new("poll.md", format!("# Poll\n\n{}\n", lines.collect::<Vec<_>>().join("\n")))]
    })
};

/// The views of a poll.
struct PollViews;

impl Views for PollViews {
    /// Nobody answers another speaker, so no statement points at another.
    fn build_graph(&self, record: &Record) -> Graph {
        let view = View::of_whole_record(record);
        let sides = SPEAKERS.map(|name| display_name(record, &agon_protocols::common::named_seat(name)));
        let mut graph = Graph { sides: sides.into(), ..Graph::default() };
        for ((_, ruling), round) in view.rulings_of_kind(RulingKind::Scored).zip(1..) {
            for key in ruling.data["keys"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let key = Key::from_parts(key);
                let Some(asked) = view.find_request(&key) else { continue };
                let Some(side) = SPEAKERS.iter().position(|name| *name == asked.seat.as_str()) else {
                    continue;
                };
                // Nothing is said where the answer was redacted.
                let answer = view.answer_text(&key).and_then(|text| PollAnswer::read(text).ok());
                let text = answer.map(|answer| match answer.yes {
                    true => format!("Yes: {}", answer.reason),
                    false => format!("No: {}", answer.reason),
                });
                let (id, when) = (format!("round-{round}-{}", side + 1), (round - 1, format!("Round {round}")));
                let statement = graph.add_statement(id, answer_seq(record, &key), side, when, text.clone());
                statement.title = text.unwrap_or_default();
            }
        }
        graph
    }
}
