//! A statement on the screen: the parts that `agon_report::statement` takes it apart into.

use agon_core::Plain;
use agon_report::statement::{FormPart, ItemScore, StatementContent, StatementSource, format_score, parse_statement};
use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{BOLD, DIM, GREEN, MAGENTA, RED, displayable_sign, escape_invisible, paint_text, terminal_columns};

/// Where the words of a statement begin.
const INDENT: usize = 2;
/// Columns of a bar on either side of zero.
const BAR_HALF: i64 = 10;
/// A label and its text stand on one line up to so many characters of text.
const LABELLED_CHARS_MAX: usize = 240;

/// A line of a screen: texts, each with its style.
pub type Line = Vec<(String, Style)>;

/// The statement `text` in lines; `plain` has the labels of its fields.
pub fn render_statement(text: &str, plain: Option<&Plain>) -> String {
    let lines = render_statement_lines(text, plain, terminal_columns());
    lines.iter().map(|line| paint_line(line)).collect::<Vec<_>>().join("\n")
}

/// The statement `text` in lines of at most `width` columns.
pub fn render_statement_lines(text: &str, plain: Option<&Plain>, width: usize) -> Vec<Line> {
    let mut page = StatementPage { width, lines: Vec::new() };
    match parse_statement(text, plain) {
        StatementContent::Prose(text) => page.push_text(&text, INDENT),
        StatementContent::Form(parts) => page.push_parts(&parts, INDENT, true),
    }
    page.lines
}

/// A line as a terminal takes it.
pub fn paint_line(line: &[(String, Style)]) -> String {
    line.iter().map(|(text, style)| paint_text(text, *style)).collect()
}

struct StatementPage {
    width: usize,
    lines: Vec<Line>,
}

impl StatementPage {
    fn push_parts(&mut self, parts: &[FormPart], indent: usize, is_top: bool) {
        for (at, part) in parts.iter().enumerate() {
            // Long texts stand apart, as paragraphs do.
            let apart = is_top && at > 0 && !matches!(part, FormPart::Tags(_));
            if apart && is_long(part) && self.lines.last().is_some_and(|line| !line.is_empty()) {
                self.lines.push(Line::new());
            }
            self.push_part(part, indent, is_top);
        }
    }

    fn push_part(&mut self, part: &FormPart, indent: usize, is_top: bool) {
        match part {
            FormPart::Heading(text) => self.push_styled_text(text, indent, BOLD),
            FormPart::Tags(tags) => {
                let tags: Vec<&str> = tags.iter().map(|tag| tag.text.as_str()).collect();
                self.push_styled_text(&tags.join(displayable_sign(" · ")), indent, DIM);
            }
            FormPart::Lead(text) => self.push_text(text, indent),
            FormPart::Field(label, text) => self.push_labelled_text(label, text, indent),
            FormPart::Literal(label, texts) if texts.len() == 1 => self.push_labelled_text(label, &texts[0], indent),
            FormPart::Source(label, text) => self.push_styled_text(&format!("{label}: {text}"), indent, DIM),
            FormPart::Document(label, text) => {
                self.push_styled_text(label, indent, DIM);
                self.push_markdown(text, indent);
            }
            FormPart::Texts(label, texts) | FormPart::Literal(label, texts) => {
                self.push_label(label, indent);
                texts.iter().for_each(|text| self.push_bullet(text, indent));
            }
            FormPart::Things(label, things) => self.push_items(label, things, indent, is_top),
            FormPart::Scores(label, scores) => {
                self.push_label(label, indent);
                scores.iter().for_each(|score| self.push_score(score, indent));
            }
            FormPart::Findings(label, findings) => {
                self.push_label(label, indent);
                findings.iter().for_each(|finding| self.push_finding(finding, indent));
            }
            FormPart::Deep(json) => self.push_styled_text(json, indent, DIM),
        }
    }

    fn push_items(&mut self, label: &str, things: &[Vec<FormPart>], indent: usize, is_top: bool) {
        self.push_label(label, indent);
        let within = if label.is_empty() { indent } else { indent + 2 };
        for (at, thing) in things.iter().enumerate() {
            match &thing[..] {
                [FormPart::Field(label, text)] => self.push_bullet(&format!("{label}: {text}"), indent),
                [FormPart::Literal(label, texts)] => {
                    self.push_bullet(&format!("{label}: {}", texts.join("; ")), indent);
                }
                [FormPart::Lead(text)] => self.push_bullet(text, indent),
                parts => {
                    if at > 0 && is_top {
                        self.lines.push(Line::new());
                    }
                    self.push_parts(parts, within, false);
                }
            }
        }
    }

    fn push_label(&mut self, label: &str, indent: usize) {
        if !label.is_empty() {
            self.push_styled_text(label, indent, BOLD);
        }
    }

    fn push_labelled_text(&mut self, label: &str, text: &str, indent: usize) {
        let alone = text.contains('\n') || text.chars().count() > LABELLED_CHARS_MAX;
        if alone {
            self.push_label(label, indent);
            self.push_text(text, indent);
        } else {
            self.push_wrapped_text(&format!("{label}: {text}"), indent, indent + 2);
        }
    }

    fn push_score(&mut self, score: &ItemScore, indent: usize) {
        let before = score.before.map_or(String::new(), |before| format!(" (was {})", format_score(before)));
        let (of, value) = (escape_invisible(&score.of), score.format_score());
        let pad = " ".repeat(14_usize.saturating_sub(of.width()));
        let plain = Style::new();
        let mut head: Line = vec![(format!("{}{of}{pad} ", " ".repeat(indent)), plain)];
        head.push((format!("{value:>6}"), BOLD));
        head.push((" ".to_owned(), plain));
        head.extend(draw_share_bar(score.from_middle()));
        head.push((before, plain));
        self.lines.push(head);
        self.push_text(&score.why, indent + 2);
    }

    fn push_finding(&mut self, finding: &StatementSource, indent: usize) {
        let style = if finding.is_grave() { RED } else { DIM };
        let seq = finding.seq.map_or(String::new(), |seq| format!(" (seq {seq})"));
        let status = finding.status.replace('_', " ");
        self.push_styled_text(&format!("{status}: {}{seq}", finding.url), indent, style);
        self.push_text(&finding.explanation, indent + 2);
    }

    /// Markdown as it is written, its headings in bold.
    fn push_markdown(&mut self, text: &str, indent: usize) {
        let mut is_code = false;
        for line in text.trim().lines() {
            is_code ^= line.trim_start().starts_with("```");
            match line.trim_start_matches('#') {
                words if words.len() < line.len() && words.starts_with(' ') && !is_code => {
                    self.push_styled_text(words.trim(), indent, BOLD);
                }
                _ => self.push_wrapped_text(line, indent, indent),
            }
        }
    }

    fn push_bullet(&mut self, text: &str, indent: usize) {
        self.push_wrapped_text(&format!("- {text}"), indent, indent + 2);
    }

    fn push_text(&mut self, text: &str, indent: usize) {
        if !text.trim().is_empty() {
            self.push_wrapped_text(text.trim(), indent, indent);
        }
    }

    fn push_styled_text(&mut self, text: &str, indent: usize, style: Style) {
        let from = self.lines.len();
        self.push_wrapped_text(text, indent, indent);
        self.lines[from..].iter_mut().flatten().for_each(|(_, painted)| *painted = style);
    }

    fn push_wrapped_text(&mut self, text: &str, first: usize, rest: usize) {
        let (first, rest) = (" ".repeat(first), " ".repeat(rest));
        for (at, line) in escape_invisible(text).split('\n').enumerate() {
            let first = if at == 0 { &first } else { &rest };
            let options = textwrap::Options::new(self.width).initial_indent(first).subsequent_indent(&rest);
            let lines = textwrap::wrap(line, options).into_iter().map(|line| line.trim_end().to_owned());
            self.lines.extend(lines.map(|line| if line.is_empty() { Line::new() } else { vec![(line, Style::new())] }));
        }
    }
}

fn is_long(part: &FormPart) -> bool {
    match part {
        FormPart::Field(_, text) => text.chars().count() > LABELLED_CHARS_MAX,
        FormPart::Literal(_, texts) => texts.iter().any(|text| text.chars().count() > LABELLED_CHARS_MAX),
        FormPart::Things(..) | FormPart::Texts(..) | FormPart::Document(..) => true,
        _ => false,
    }
}

/// A number from -1 to 1 as a bar from the middle.
fn draw_share_bar(share: f64) -> Line {
    draw_centred_bar((share * BAR_HALF as f64).round() as i64, BAR_HALF, (MAGENTA, GREEN))
}

/// A line of `half` columns on either side of a middle, filled to `lead`: to the right where it is
/// positive. `styles` are those of the two sides.
pub fn draw_centred_bar(lead: i64, half: i64, styles: (Style, Style)) -> Line {
    let lead = lead.clamp(-half, half);
    let cell = |at: i64| match () {
        () if at == 0 => (displayable_sign("┃").to_owned(), BOLD),
        () if at < 0 && at >= lead => (displayable_sign("━").to_owned(), styles.0),
        () if at > 0 && at <= lead => (displayable_sign("━").to_owned(), styles.1),
        () => (displayable_sign("─").to_owned(), DIM),
    };
    (-half..=half).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_a_table_with_bars() {
        let text = r#"{"scores": [{"argument_id": "prop_000a", "reasoning": "It holds.", "score": 0.5},
            {"argument_id": "opp_000a", "reasoning": "It does not.", "score": -0.5}]}"#;
        let wanted = "  prop_000a       +0.50 ──────────┃━━━━━─────\n    It holds.\n  opp_000a        -0.50 ─────━━━━━┃──────────\n    It does not.";
        assert_eq!(render_statement(text, None), wanted);
    }

    #[test]
    fn no_screen_shows_the_names_of_fields_or_json() {
        let text = r#"{"shared_position": "All want signs.", "all_agree": false, "agreements": ["Signs help."],
            "disagreements": [{"topic": "who pays", "kind": "facts", "rank": "high",
                "claims": [{"panelist": "Ada", "quote": "The town pays."}, {"panelist": "Ben", "quote": "Shops pay."}]}]}"#;
        let plain = Plain {
            fields: [("shared_position".into(), "What all share: x".into())].into(),
            hidden: vec!["all_agree".into()],
            ..Plain::default()
        };
        let shown = render_statement(text, Some(&plain));
        assert!(shown.contains("What all share: All want signs.") && shown.contains("  - Signs help."), "{shown}");
        assert!(shown.contains("  who pays\n  facts · high\n"), "{shown}");
        assert!(shown.contains("- Ada: The town pays."), "{shown}");
        assert!(!shown.contains(['_', '{', '"']) && !shown.contains("agree:"), "{shown}");
    }

    #[test]
    fn what_was_found_of_a_source_is_a_line() {
        let text = r#"{"findings": [{"seq": 8, "url": "http://a.org/x", "status": "fabricated", "explanation": "No such page."}]}"#;
        assert_eq!(render_statement(text, None), "  fabricated: http://a.org/x (seq 8)\n    No such page.");
    }

    #[test]
    fn nothing_in_a_statement_acts_on_the_terminal() {
        for text in ["a\u{1b}[2Jb", r#"{"title": "a\u001b[2Jb", "x\u001b": "y", "points": ["\u001b"]}"#] {
            assert!(!render_statement(text, None).contains('\u{1b}'), "{text:?}");
        }
    }
}
