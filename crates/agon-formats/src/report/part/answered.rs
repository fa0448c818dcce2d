//! Who was to sit where, and which model really answered.

use agon_core::{Event, Reply};

use super::{
    super::{Block, ReportInput, Table},
    build_table_head,
};
use crate::conduct;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let record = scene.record;
    let rows = conduct::list_seat_summaries(record).into_iter().map(|sat| {
        let of = |reply: fn(&Reply) -> bool| {
            let answers = record.entries().iter().filter(|entry| match &entry.what {
                Event::Answered(answered) => {
                    reply(&answered.reply)
                        && record.find_request(&answered.key).is_some_and(|(_, request)| request.seat == sat.seat)
                }
                _ => false,
            });
            answers.count()
        };
        let (said, failed) =
            (of(|reply| matches!(reply, Reply::Said { .. })), of(|reply| matches!(reply, Reply::Failed(_))));
        let answered = sat.answered.iter().cloned().collect::<Vec<_>>().join(", ");
        let failed = if failed > 0 { failed.to_string() } else { String::new() };
        let nobody = || if said == 0 { "nobody".to_owned() } else { "not said".to_owned() };
        let who = if answered.is_empty() { nobody() } else { answered };
        let (name, _) = scene.name_and_colour(&sat.seat);
        let plain = crate::graph::humanise_name(sat.seat.as_str());
        let seat = if name == plain { name } else { format!("{name} ({})", sat.seat) };
        vec![seat, sat.asked.clone(), who, said.to_string(), failed]
    });
    let head = build_table_head(&[
        ("Seat", false),
        ("Asked of", false),
        ("Answered", false),
        ("Answers", true),
        ("Failures", true),
    ]);
    let table = Table { caption: "Seats, and the models that answered".into(), head, rows: rows.collect() };
    vec![Block::Table(table)]
}
