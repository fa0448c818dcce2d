//! The reading pane: everything that was said, the part of it that is in sight, and where a reader is.

use super::block::TextBlock;
use crate::ui::statement::Line;

/// The pane. It follows what comes until its reader goes back.
#[derive(Debug, Default)]
pub struct Pane {
    blocks: Vec<TextBlock>,
    /// Lines of the first `laid` blocks at `width`.
    lines: Vec<Line>,
    laid: usize,
    width: usize,
    height: usize,
    /// What is being written.
    open: Vec<Line>,
    top: usize,
    went_back: bool,
}

impl Pane {
    pub fn push(&mut self, block: TextBlock) {
        self.blocks.push(block);
    }

    /// Breaks what is new for a pane of this size, or everything for a new width; `open` is what is being
    /// written.
    pub fn lay_out_lines(&mut self, width: usize, height: usize, open: Vec<Line>) {
        if width != self.width {
            // A reader who went back stays at about the same text.
            let share = self.top as f64 / self.lines.len().max(1) as f64;
            (self.width, self.laid) = (width, 0);
            self.lines.clear();
            self.lines.extend(self.blocks.iter().flat_map(|block| block.render_lines(width)));
            self.top = (share * self.lines.len() as f64) as usize;
        } else {
            self.lines.extend(self.blocks[self.laid..].iter().flat_map(|block| block.render_lines(width)));
        }
        self.laid = self.blocks.len();
        (self.height, self.open) = (height, open);
        if !self.went_back {
            self.top = self.last_top();
        }
        self.top = self.top.min(self.last_top());
    }

    /// The lines in sight.
    pub fn visible_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().chain(&self.open).skip(self.top).take(self.height)
    }

    /// How many lines there are below those in sight.
    pub fn count_lines_below(&self) -> usize {
        self.last_top() - self.top
    }

    /// Whether it shows the newest line.
    pub fn is_following(&self) -> bool {
        !self.went_back
    }

    /// Scrolls forward or back by lines.
    pub fn scroll_lines(&mut self, lines: isize) {
        self.top = self.top.saturating_add_signed(lines).min(self.last_top());
        self.went_back = self.top != self.last_top();
    }

    /// Scrolls forward or back by pages; one line stays in sight.
    pub fn scroll_pages(&mut self, pages: isize) {
        self.scroll_lines(pages * self.height.saturating_sub(1).max(1) as isize);
    }

    pub fn scroll_to_start(&mut self) {
        self.scroll_lines(isize::MIN);
    }

    pub fn scroll_to_end(&mut self) {
        self.scroll_lines(isize::MAX);
    }

    /// The top when the newest line is in sight.
    fn last_top(&self) -> usize {
        (self.lines.len() + self.open.len()).saturating_sub(self.height)
    }
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::*;

    fn shown(pane: &Pane) -> Vec<String> {
        pane.visible_lines().map(|line| line.iter().map(|(text, _)| text.as_str()).collect()).collect()
    }

    fn pane(lines: usize) -> Pane {
        let mut pane = Pane::default();
        (0..lines).for_each(|line| pane.push(TextBlock::text(line.to_string(), Style::new(), 0)));
        pane.lay_out_lines(10, 3, Vec::new());
        pane
    }

    #[test]
    fn it_follows_until_a_reader_goes_back_and_again_at_the_end() {
        let mut pane = pane(5);
        assert_eq!(shown(&pane), ["2", "3", "4"]);
        pane.scroll_lines(-1);
        pane.push(TextBlock::text("5", Style::new(), 0));
        pane.lay_out_lines(10, 3, Vec::new());
        assert_eq!(
            (shown(&pane), pane.count_lines_below(), pane.is_following()),
            (vec!["1".into(), "2".into(), "3".into()], 2, false)
        );
        pane.scroll_pages(1);
        assert!(pane.is_following());
        pane.push(TextBlock::text("6", Style::new(), 0));
        pane.lay_out_lines(10, 3, vec![vec![("7".into(), Style::new())]]);
        assert_eq!(shown(&pane), ["5", "6", "7"]);
        pane.scroll_to_start();
        assert_eq!(shown(&pane), ["0", "1", "2"]);
        pane.scroll_to_end();
        assert_eq!(shown(&pane), ["5", "6", "7"]);
    }

    #[test]
    fn a_new_width_breaks_everything_again() {
        let mut pane = Pane::default();
        pane.push(TextBlock::text("one two three", Style::new(), 0));
        pane.lay_out_lines(20, 5, Vec::new());
        assert_eq!(shown(&pane), ["one two three"]);
        pane.lay_out_lines(6, 5, Vec::new());
        assert_eq!(shown(&pane), ["one", "two", "three"]);
        pane.lay_out_lines(0, 0, Vec::new());
        assert!(shown(&pane).is_empty());
    }
}
