//! Pure functions over text in every script. No list of words decides anything here.
//!
//! - [`split_words()`], [`count_words`], [`take_words`], [`has_word`], [`folded_words`]; [`split_sentences()`], [`ends_sentence`]
//! - [`FoldedText`]: typography and case made equal; [`strip_invisible`], [`is_invisible`]: what no reader sees
//! - [`find_quote`]: where a quotation stands; [`find_quotations`], [`is_quoted`]: what stands in quotation marks;
//!   [`show_difference`]; [`find_links`]: addresses of pages
//! - [`measure_likeness()`], [`is_copy`], [`KnownTexts`]: copies; [`redact_passages`], [`HiddenPassages`]: what may not be repeated
//! - [`find_figures`], [`check_calculation`]: numbers, exactly; [`is_date`]; [`parse_place`], [`find_places`]: lines of a file
//! - [`markdown`]: what others wrote, as text in a Markdown file; [`topic_slug()`], [`hyphenate`]: names of files;
//!   [`count_noun`], [`agree_with`], [`capitalise_first`], [`join_names`], [`format_signed`], [`group_digits`]: for people; [`collect_different`]: lists

mod calculation;
mod calendar;
mod copies;
mod different;
mod figures;
mod fold;
mod invisible;
mod links;
pub mod markdown;
mod names;
mod place;
mod quotations;
mod quote;
mod redact;
mod script;
mod sentences;
mod slug;
mod span;
mod words;

pub use calculation::{CalculationFault, CheckedCalculation, check_calculation};
pub use calendar::is_date;
pub use copies::{COPY_MIN, Copied, KnownTexts, WordRuns, goes_in_circles, hash_runs, is_copy, measure_likeness};
pub use different::collect_different;
pub use figures::{Figure, find_figures};
pub use fold::FoldedText;
pub use invisible::{count_invisible, is_invisible, is_joiner, is_unprintable, strip_invisible};
pub use links::{find_links, link_length};
pub use names::{
    agree_with, capitalise_first, count_noun, format_signed, group_digits, humanize_name, join_names, name_first,
};
pub use place::{LinePlace, PlaceError, find_places, parse_place, plain_path};
pub use quotations::{find_quotations, is_quoted, restore_marks};
pub use quote::{QuoteMatch, find_quote, is_searchable, show_difference};
pub use redact::{HiddenPassages, redact_passages};
pub use rust_decimal::Decimal;
pub use script::{is_mark, is_unspaced};
pub use sentences::{end_sentence, ends_sentence, split_sentences};
pub use slug::{hyphenate, topic_slug, without_marks};
pub use span::Span;
pub use words::{count_words, folded_words, has_word, split_words, take_words, to_single_line};
