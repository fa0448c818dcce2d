//! The seats of a debate, with the assigned models and those that answered.

use agon_core::{Record, people::humanize_name};
use agon_formats::{
    conduct,
    page::{Speaker, prose::escape_invisible},
};
use maud::{Markup, html};

/// The seats in the protocol's order.
pub fn render_seats(record: &Record) -> Markup {
    html! {
        dl .seats {
            @for sat in conduct::list_seat_summaries(record) {
                @let who = Speaker::at_seat(record, &sat.seat);
                div {
                    dt class=(who.css_class()) {
                        (escape_invisible(&who.name))
                        @if who.name != humanize_name(sat.seat.as_str()) { " " small { (sat.seat) } }
                    }
                    dd {
                        (escape_invisible(&sat.asked))
                        @let others: Vec<&str> = sat.answered.iter().map(String::as_str).filter_map(|other| other_than(&sat.asked, other)).collect();
                        @if !others.is_empty() { " " small { "answered: " (escape_invisible(&others.join(", "))) } }
                    }
                }
            }
        }
    }
}

/// Who answered, where that says more than who was asked.
fn other_than<'a>(asked: &str, answered: &'a str) -> Option<&'a str> {
    let same = asked == answered || asked.rsplit_once(':').is_some_and(|(_, model)| model == answered);
    // Who came from outside chose the name, which must not pass for that of a model.
    (!same).then_some(answered)
}
