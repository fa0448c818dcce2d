//! The seats of a debate, with the assigned models and those that answered.

use agon_core::Record;
use agon_report::{
    page::{Speaker, prose::escape_invisible},
    participation,
};
use maud::{Markup, html};

/// The seats in the protocol's order.
pub fn render_seats(record: &Record) -> Markup {
    html! {
        dl .seats {
            @for sat in participation::list_seat_summaries(record) {
                @let who = Speaker::at_seat(record, &sat.seat);
                div {
                    dt class=(who.css_class()) {
                        (escape_invisible(&who.name))
                        @if who.name != agon_text::humanize_name(sat.seat.as_str()) { " " small { (sat.seat) } }
                    }
                    dd {
                        (escape_invisible(if sat.asked == "outside" { "from outside" } else { &sat.asked }))
                        @let others: Vec<String> = sat.answered.iter().filter_map(|other| other_than(&sat.asked, other)).collect();
                        @if !others.is_empty() { " " small { "answered: " (escape_invisible(&others.join(", "))) } }
                    }
                }
            }
        }
    }
}

/// Who answered, where that says more than who was asked.
fn other_than(asked: &str, answered: &str) -> Option<String> {
    let same = asked == answered || asked.rsplit_once(':').is_some_and(|(_, model)| model == answered);
    // Who came from outside chose the name, which must not pass for that of a model.
    let told = || answered.strip_prefix("outside:").map(|name| format!("{name}, from outside"));
    (!same).then(|| told().unwrap_or_else(|| answered.to_owned()))
}
