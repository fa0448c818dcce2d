//! The page of a debate, for the file `report.html` and for a browser: the answer first, then what it rests on in the
//! form of its kind, then the debate, folded. A server adds forms and what changes while a debate is under way.
//!
//! Nothing here needs a script or an address elsewhere. The words of people and models are data: no markup of theirs
//! but emphasis, lists and code comes out of [`prose`], and quotations stand letter by letter.

mod course;
mod debate;
mod head;
pub mod part;
pub mod prose;
mod statement;

use std::sync::LazyLock;

pub(crate) use self::course::{CourseItem, SpeechBody, collect_phases};
pub use self::{
    course::{LiveRequests, ShownText, Speaker, list_shown_texts},
    debate::{add_full_stop, render_debate as debate},
    head::{
        build_first_parts, list_untold_troubles, render_paragraphs, render_part_links, render_question, render_result,
    },
};
use crate::graph::map;

/// The style sheet of the page, with that of the argument map.
pub static STYLE: LazyLock<String> =
    LazyLock::new(|| format!("{}{}{}{}", map::COLORS, include_str!("page.css"), speaker_filter_css(), map::CSS));

/// Shows one speaker alone.
fn speaker_filter_css() -> String {
    let rule = |at: usize| format!(".course:has(#only-{at}:checked) [data-by]:not([data-by=\"{at}\"])");
    let rules: Vec<String> = (0..debate::SPEAKERS_MAX).map(rule).collect();
    format!("{} {{ display: none; }}\n", rules.join(", "))
}
