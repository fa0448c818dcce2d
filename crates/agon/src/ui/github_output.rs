//! What a runner of GitHub's workflows reads: it takes lines of the output for commands, and `##[` anywhere in a line.
//! Words of models and of changes under review are printed there, so what would be a command is shown by its number.

use std::sync::LazyLock;

/// Whether such a runner reads what is printed.
static IS_ACTION: LazyLock<bool> = LazyLock::new(|| std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true"));

/// Whether a runner of GitHub's workflows reads what is printed.
pub fn is_action() -> bool {
    *IS_ACTION
}

/// One stream of output as the runner reads it, whatever the parts in which it is written.
#[derive(Debug, Clone, Copy)]
pub struct RunnerStream {
    /// Nothing but blanks stands in the line so far.
    is_start: bool,
    /// How many of `##` have just been written.
    signs: u8,
}

impl RunnerStream {
    /// Before the first line.
    pub const fn new() -> Self {
        Self { is_start: true, signs: 0 }
    }

    /// `text` without commands. A colon that begins a line is one half of their mark, and a bracket after `##` the rest
    /// of the older one.
    pub fn escape_commands(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for c in text.chars() {
            let commands = (self.is_start && c == ':') || (self.signs == 2 && c == '[');
            match commands {
                true => shown.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                false => shown.push(c),
            }
            self.is_start = matches!(c, '\n' | '\r') || (self.is_start && c.is_whitespace());
            self.signs = if c == '#' { (self.signs + 1).min(2) } else { 0 };
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_commands_a_runner_whatever_its_parts() {
        for (parts, shown) in [
            (&["::error::x\n"][..], "\\u{3a}:error::x\n"),
            (&["a\n \t::stop-commands::x"], "a\n \t\\u{3a}:stop-commands::x"),
            (&["a\n", ":", ":error::x"], "a\n\\u{3a}:error::x"),
            (&["a\r::error::x"], "a\r\\u{3a}:error::x"),
            (&["fine ##[error]x"], "fine ##\\u{5b}error]x"),
            (&["fine ###", "[error]x"], "fine ###\\u{5b}error]x"),
            (&["std::env of #[cfg] and # #[x]\n"], "std::env of #[cfg] and # #[x]\n"),
        ] {
            let mut stream = RunnerStream::new();
            assert_eq!(parts.iter().map(|part| stream.escape_commands(part)).collect::<String>(), shown);
        }
    }
}
