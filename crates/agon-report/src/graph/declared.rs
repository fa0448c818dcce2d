//! A declared protocol: what those who argue contributed, each to one ask of one round. Their fields
//! mean what the file says, so no field is an edge; relations come from an extraction alone.

use agon_core::{Record, RulingKind, View};
use agon_protocols::{
    common::struck_text::Withheld,
    declared::{self, DOCUMENT, form, state::AcceptedStatements},
};

use super::{Graph, answer_seq, list_debaters, to_plain_id};

pub(super) fn build_graph(record: &Record) -> Graph {
    let debaters = list_debaters(record);
    let mut graph = Graph { sides: debaters.iter().map(|(_, name)| name.clone()).collect(), ..Graph::default() };
    let text = record.document(DOCUMENT).filter(|_| agon_protocols::find_rules(record).is_ok());
    let Some(Ok(declaration)) = text.map(declared::parse_declaration) else { return graph };
    let (view, withheld) = (View::of_whole_record(record), Withheld::from_record(record));
    let (mut when, mut step) = (String::new(), 0);
    for (_, _, ruling) in record.rulings() {
        if ruling.kind == RulingKind::Phase {
            when.clone_from(&ruling.text);
        }
        let Some(accepted) = ruling.decode_data::<AcceptedStatements>().filter(|_| ruling.kind == RulingKind::Noted)
        else {
            continue;
        };
        let Some(ask) = declaration.find_ask(&accepted.ask) else { continue };
        let before = graph.statements.len();
        for (seat, key) in &accepted.statements {
            let Some(side) = debaters.iter().position(|(other, _)| other == seat) else { continue };
            let said = view.answer_text(key).map(|text| withheld.mask_answer(key, text));
            let said = said
                .and_then(|text| form::parse_statement(ask, &text, form::accepted_thing_counts(record.opened())).ok());
            let text = said.map(|statement| statement.text);
            let lap = if accepted.lap == 0 { String::new() } else { format!("-{}", accepted.lap + 1) };
            let id = to_plain_id(&format!("{}-{}{lap}-{seat}", ask.name, accepted.round));
            graph.add_statement(id, answer_seq(record, key), side, (step, when.clone()), text);
        }
        // Who answers together knows nothing of the others yet.
        step += u32::from(graph.statements.len() > before);
    }
    graph
}
