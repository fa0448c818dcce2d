//! Who was to sit where, and which model really answered.

use agon_core::Reply;

use super::{Block, ReportInput, Table};
use crate::participation;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let record = scene.record;
    let rows = participation::list_seat_summaries(record).into_iter().map(|sat| {
        let count = |is: fn(&Reply) -> bool| {
            let asked = |key| record.find_request(key).is_some_and(|(_, request)| request.seat == sat.seat);
            record.answers().filter(|(_, answered)| is(&answered.reply) && asked(&answered.key)).count()
        };
        let said = count(|reply| matches!(reply, Reply::Said { .. }));
        let failed = count(|reply| matches!(reply, Reply::Failed(_)));
        let failed = if failed > 0 { failed.to_string() } else { String::new() };
        let who = match sat.answered.is_empty() {
            true if said == 0 => "nobody".to_owned(),
            true => "not said".to_owned(),
            false => Vec::from_iter(sat.answered.iter().map(String::as_str)).join(", "),
        };
        let (name, _) = scene.name_and_colour(&sat.seat);
        let seat =
            if name == agon_text::humanize_name(sat.seat.as_str()) { name } else { format!("{name} ({})", sat.seat) };
        vec![seat, sat.asked, who, said.to_string(), failed]
    });
    let head = ["Seat", "Asked of", "Answered", "Answers", "Failures"];
    vec![Block::Table(Table::new("Seats, and the models that answered", &head, &[3, 4], rows))]
}
