//! A protocol that brings no graph: the answers that its rounds accepted. Which field speaks of another answer is not
//! known, so no field is an edge; relations come from an extraction alone.

use agon_core::{Record, View};
use agon_protocols::{
    common::struck_text::Withheld,
    declared::{form::format_fields, is_declared},
};

use super::{Graph, answer_seq, debater_name, declared, list_debaters, to_plain_id};
use crate::statement::parse_form;

pub(crate) fn build_graph(record: &Record) -> Graph {
    if is_declared(record) {
        return declared::build_graph(record);
    }
    let (view, withheld, mut debaters) =
        (View::of_whole_record(record), Withheld::from_record(record), list_debaters(record));
    if debaters.is_empty() {
        // No seat is known to argue: everyone does whose answers count.
        for (_, seat, _) in view.accepted_answers() {
            if debaters.iter().all(|(known, _)| *known != seat) {
                let name = debater_name(record, &seat);
                debaters.push((seat, name));
            }
        }
    }
    let mut graph = Graph { sides: debaters.iter().map(|(_, name)| name.clone()).collect(), ..Graph::default() };
    for (round, seat, key) in view.accepted_answers() {
        let Some(side) = debaters.iter().position(|(other, _)| *other == seat) else { continue };
        let said = view.answer_text(&key).map(|text| withheld.mask_answer(&key, text));
        let text =
            said.map(|text| parse_form(&text).map_or_else(|| text.into_owned(), |fields| format_fields(&fields)));
        let (id, when) = (format!("round-{round}-{seat}"), (round.saturating_sub(1), format!("Round {round}")));
        graph.add_statement(to_plain_id(&id), answer_seq(record, &key), side, when, text);
    }
    graph
}
