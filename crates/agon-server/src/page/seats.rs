//! The seats of a debate, with the assigned models and those that answered.

use agon_core::{Record, people::spoken};
use agon_formats::{
    conduct,
    page::{Speaker, prose::visible},
};
use maud::{Markup, html};

/// The seats in the protocol's order.
pub fn seats(record: &Record) -> Markup {
    html! {
        dl .seats {
            @for sat in conduct::seats(record) {
                @let who = Speaker::at(record, &sat.seat);
                div {
                    dt class=(who.class()) {
                        (visible(&who.name))
                        @if who.name != spoken(sat.seat.as_str()) { " " small { (sat.seat) } }
                    }
                    dd {
                        (visible(&sat.asked))
                        @let others: Vec<&str> = sat.answered.iter().map(String::as_str).filter_map(|other| other_than(&sat.asked, other)).collect();
                        @if !others.is_empty() { " " small { "answered: " (visible(&others.join(", "))) } }
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
