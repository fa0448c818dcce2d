//! Headings of Markdown.

/// A Markdown heading, outside code fences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: usize,
    /// Without marks, on one line.
    pub text: String,
    /// Line on which it stands, from 0.
    pub line: usize,
}

/// Lines outside code fences, with their numbers.
pub fn unfenced_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter(move |(_, line)| {
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, None) => return true,
            _ => {}
        }
        false
    })
}

/// The headings of `text`, in order.
pub fn parse_headings(text: &str) -> Vec<Heading> {
    let heading = |(line, text): (usize, &str)| {
        let level = text.len() - text.trim_start_matches('#').len();
        let rest = &text[level..];
        let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
        let text = agon_text::to_single_line(rest.trim().trim_end_matches('#'));
        (is_heading && !text.is_empty()).then_some(Heading { level, text, line })
    };
    unfenced_lines(text).filter_map(heading).collect()
}
