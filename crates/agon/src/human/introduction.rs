//! The introduction to a request for a person: the question, what is new, the time limit and how to answer.

use agon_runtime::prompts::person_blocks::PromptBlock;
use agon_text::count_noun;

use super::dialogue::{Dialogue, DialogueRequest};
use crate::ui::{self, BOLD, DIM, YELLOW};

/// Lines of a block that are shown before someone asks for all of it.
const LINES_SHOWN: usize = 3;
/// Maximum number of blocks that are shown so; of more, the last ones.
const BLOCKS_SHOWN: usize = 8;
/// The same for the material, where it is what the debate is about.
const LINES_WHOLE: usize = 400;
const BLOCKS_WHOLE: usize = 40;

impl Dialogue<'_> {
    /// What is asked, what is new, how long there is and how to answer.
    pub(super) fn show_introduction(&self) {
        let DialogueRequest { title, told, .. } = &self.asked;
        let name = ui::escape_invisible(&title.to_uppercase());
        self.show_line(&ui::paint_text(&format!("{}{name} (you)", ui::displayable_sign("▌")), BOLD));
        if !told.faults.is_empty() {
            self.show_line(&ui::paint_text("  Your last answer broke rules:", YELLOW));
            told.faults.iter().for_each(|fault| self.show_bullet(&fault.to_string()));
            self.show_line("");
        }
        self.show_line(&ui::wrap_text(&told.ask, "  "));
        self.show_line("");
        self.show_news();
        if let (Some(seconds), Some(until)) = (told.wait_seconds, &told.until) {
            let clock = agon_journal::time::format_local_time(until);
            let line = format!("You have {}, until {clock}.", describe_seconds(seconds));
            self.show_line(&ui::paint_text(&ui::wrap_text(&line, "  "), YELLOW));
        }
        self.show_line(&ui::paint_text(&ui::wrap_text(&self.describe_answering(), "  "), DIM));
    }

    fn describe_answering(&self) -> String {
        if self.asked.may_be_empty {
            return "An empty line accepts it; otherwise describe the changes that you want.".into();
        }
        let skip = self.find_skip();
        let mut how = match (self.words_do(), skip) {
            (true, Some(skip)) => {
                format!("Write it in your own words; an empty line ends it. If you write nothing: {}.", skip.means)
            }
            (true, None) => "Write it in your own words; an empty line ends it.".into(),
            (false, _) => "Fill in the fields one by one; an empty line skips an optional field.".into(),
        };
        how.push_str(" /help shows more commands.");
        how
    }

    /// What was said since the person answered last, in short.
    fn show_news(&self) {
        let told = &self.asked.told;
        let since = if told.has_answered { "New since your last answer" } else { "Statements so far" };
        let mut cut = false;
        for (heading, blocks) in told.list_news(since) {
            let is_whole = self.asked.is_about_material && blocks.iter().all(|block| block.is_material);
            let most = if is_whole { BLOCKS_WHOLE } else { BLOCKS_SHOWN };
            let left = blocks.len().saturating_sub(most);
            self.show_line(&ui::paint_text(&format!("  {heading}:"), DIM));
            cut |= left > 0;
            for block in &blocks[left..] {
                cut |= self.show_block(block, if is_whole { LINES_WHOLE } else { LINES_SHOWN });
            }
        }
        if cut {
            let line = "/new shows these in full, /all shows all statements.";
            self.show_line(&ui::paint_text(&ui::wrap_text(line, "  "), DIM));
        }
        if !told.news.is_empty() {
            self.show_line("");
        }
    }

    pub(super) fn show_blocks(&self, blocks: &[PromptBlock]) {
        for block in blocks {
            self.show_block(block, usize::MAX);
        }
    }

    /// Shows a block, at most so many lines of it; gives whether something was left out.
    fn show_block(&self, block: &PromptBlock, most: usize) -> bool {
        if !block.head.is_empty() {
            self.show_line(&ui::paint_text(&ui::wrap_text(&block.head, "    "), BOLD));
        }
        // Lines of the material are quoted letter by letter.
        let body = match block.is_material {
            true => ui::escape_invisible(&block.body).lines().map(|line| format!("    {line}\n")).collect(),
            false => ui::wrap_text(&block.body, "    "),
        };
        let all: Vec<&str> = body.lines().collect();
        let shown = most.min(all.len());
        all[..shown].iter().for_each(|line| self.show_line(line));
        if shown < all.len() {
            self.show_line(&format!("    {}", ui::displayable_sign("…")));
        }
        shown < all.len()
    }

    pub(super) fn show_help(&self) {
        let lines = [
            "/e       opens your editor (VISUAL or EDITOR)",
            "/new     shows the statements since your last answer in full",
            "/all     shows all statements that your seat can see",
            "/again   starts this answer over",
            "/skip    skips this answer, or leaves the seat; Ctrl-D does the same",
            "You can also type JSON; it begins with { and ends with an empty line.",
        ];
        lines.iter().for_each(|line| self.show_line(&format!("  {line}")));
    }
}

/// A number of seconds in words.
pub fn describe_seconds(seconds: u32) -> String {
    match (seconds / 60, seconds % 60) {
        (0, seconds) => count_noun(seconds, "second", "seconds"),
        (1, 0) => "one minute".into(),
        (minutes, 0) => format!("{minutes} minutes"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}
