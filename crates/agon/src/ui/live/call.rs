//! One request that is being answered: who answers it, since when, and what has come so far.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use agon_core::{Plain, Request};
use agon_report::views::{Common, Views};
use anstyle::Style;

use super::{
    block::{StatementBlock, TextBlock, is_again},
    fit::format_clock,
};
use crate::ui::{escape_invisible, statement::Line};

/// How long a model must have written before its speed is told.
const SPEED_AFTER: Duration = Duration::from_secs(1);

/// A request under way.
pub struct CallLine {
    pub request: Request,
    /// What readers call the seat.
    pub name: String,
    pub style: Style,
    /// The model that answers, as the user named it.
    pub model: String,
    /// Whether it runs on this machine: each piece of its text is one token then.
    pub is_local: bool,
    /// Most tokens of the answer.
    pub tokens_max: Option<u32>,
    pub plain: Option<&'static Plain>,
    pub views: &'static dyn Views,
    pub asked: Instant,
    pub(super) written: Written,
}

/// What has come of an answer.
#[derive(Debug, Default)]
pub(super) struct Written {
    attempt: u32,
    text: String,
    pieces: u32,
    since: Option<Instant>,
}

impl CallLine {
    /// A request that was asked at `asked`.
    pub fn new(request: &Request, asked: Instant) -> Self {
        Self {
            request: request.clone(),
            name: String::new(),
            style: Style::new(),
            model: String::new(),
            is_local: false,
            tokens_max: None,
            plain: None,
            views: &Common,
            asked,
            written: Written::default(),
        }
    }

    /// Begins again: what was asked before a pause is asked only after it.
    pub fn restart_clock(&mut self, asked: Instant) {
        (self.asked, self.written) = (asked, Written::default());
    }

    /// Takes more of the answer; another attempt begins with nothing.
    pub fn append_delta(&mut self, attempt: u32, text: &str, now: Instant) {
        if self.written.attempt != attempt {
            self.written = Written { attempt, ..Written::default() };
        }
        self.written.since.get_or_insert(now);
        self.written.pieces += 1;
        self.written.text.push_str(text);
    }

    /// How long it has taken, how fast it goes, and how long it can still take.
    pub fn describe_progress(&self, now: Instant) -> Vec<String> {
        let mut figures = vec![format_clock(now.saturating_duration_since(self.asked))];
        let Written { text, pieces, since, .. } = &self.written;
        let Some(since) = since else {
            figures.extend(self.is_local.then(|| "no text yet".to_owned()));
            return figures;
        };
        let writing = now.saturating_duration_since(*since);
        if !self.is_local {
            figures.push(format!("{} characters", text.chars().count()));
        } else if writing >= SPEED_AFTER {
            let speed = f64::from(*pieces) / writing.as_secs_f64();
            figures.push(format!("{speed:.1} tokens/s"));
            let left = self.tokens_max.map(|max| f64::from(max.saturating_sub(*pieces)) / speed);
            figures.extend(
                left.map(|left| format!("at most {} left", format_clock(Duration::from_secs_f64(left.min(1e6))))),
            );
        } else {
            figures.push(format!("{pieces} tokens"));
        }
        figures
    }

    /// What tells it from another request to the same seat: which side is read first, or the end of its key.
    pub fn describe_part(&self) -> String {
        match self.views.side_read_first(&self.request) {
            Some(side) => format!("{side} read first"),
            None => escape_invisible(self.request.key.as_str().rsplit('/').next().unwrap_or_default()),
        }
    }

    /// The prose that has come, in lines; a form is shown once it is whole.
    pub fn render_prose_lines(&self, width: usize) -> Vec<Line> {
        let text = self.written.text.trim();
        if text.is_empty() || text.starts_with(['{', '`', '[']) {
            return Vec::new();
        }
        TextBlock::Statement(self.build_statement_block(text, String::new())).render_lines(width)
    }

    /// `text` as this call's statement.
    pub fn build_statement_block(&self, text: &str, by: String) -> StatementBlock {
        StatementBlock {
            name: self.name.clone(),
            style: self.style,
            is_again: is_again(&self.request.key),
            text: self.views.name_for_readers(&self.request, Cow::Borrowed(text)).into_owned(),
            plain: self.plain,
            by,
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seat;

    use super::*;

    fn call(is_local: bool, asked: Instant) -> CallLine {
        let request = Request::new("k", &Seat::new("a").unwrap(), "p");
        CallLine { is_local, tokens_max: Some(100), ..CallLine::new(&request, asked) }
    }

    #[test]
    fn a_local_model_has_a_speed_and_a_time_left_and_others_have_a_time() {
        let began = Instant::now();
        let at = |seconds: u64| began + Duration::from_secs(seconds);
        let mut call = call(true, began);
        assert_eq!(call.describe_progress(at(3)), ["0:03", "no text yet"]);
        for _ in 0..40 {
            call.append_delta(1, "x", at(4));
        }
        assert_eq!(call.describe_progress(at(4)), ["0:04", "40 tokens"]);
        assert_eq!(call.describe_progress(at(8)), ["0:08", "10.0 tokens/s", "at most 0:06 left"]);
        call.append_delta(2, "y", at(9));
        assert_eq!(call.describe_progress(at(9)), ["0:09", "1 tokens"], "another attempt begins with nothing");
        let mut other = self::call(false, began);
        assert_eq!(other.describe_progress(at(62)), ["1:02"]);
        other.append_delta(1, "four", at(62));
        assert_eq!(other.describe_progress(at(63)), ["1:03", "4 characters"]);
    }

    #[test]
    fn prose_is_shown_while_it_is_written_and_a_form_is_not() {
        let mut call = call(false, Instant::now());
        call.append_delta(1, "One ", call.asked);
        call.append_delta(1, "two", call.asked);
        assert!(call.render_prose_lines(40).iter().flatten().any(|(text, _)| text.contains("One two")));
        call.append_delta(2, "{\"a\": 1", call.asked);
        assert!(call.render_prose_lines(40).is_empty());
    }
}
