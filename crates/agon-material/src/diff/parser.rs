//! Reading a diff.

use super::{DiffError, DiffHunk, DiffLine, FileDiff, LineMark, header};

/// Characters of a faulty line that an error quotes.
const QUOTED_CHARS_MAX: usize = 60;
/// The files of a diff, in its order. Text outside of them, like the message of a commit, is left out.
pub fn read_diff(text: &str) -> Result<Vec<FileDiff>, DiffError> {
    let mut reader = DiffReader { lines: text.split('\n').collect(), at: 0, files: Vec::new() };
    // What follows the last line feed is not a line.
    if reader.lines.last().is_some_and(|last| last.is_empty()) {
        reader.lines.pop();
    }
    while reader.at < reader.lines.len() {
        reader.read_line()?;
    }
    for file in &mut reader.files {
        header::interpret_header(file);
    }
    Ok(reader.files)
}

struct DiffReader<'t> {
    lines: Vec<&'t str>,
    at: usize,
    files: Vec<FileDiff>,
}

/// Starts of the lines that git writes between `diff --git` and the first hunk, but for `---` and `+++`, which are a pair.
const HEADER_STARTS: [&str; 13] = [
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
    "GIT binary patch",
];

impl DiffReader<'_> {
    fn peek_line(&self, ahead: usize) -> &str {
        self.lines.get(self.at + ahead).copied().unwrap_or_default()
    }

    /// Reads a line outside of hunks, with the hunk if it begins one.
    fn read_line(&mut self) -> Result<(), DiffError> {
        let line = self.lines[self.at].to_owned();
        if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") || line.starts_with("@@@ ") {
            return Err(DiffError::Combined(self.at + 1));
        }
        if line.starts_with("diff --git ") {
            self.files.push(FileDiff { header: vec![line], ..FileDiff::default() });
        } else if line.starts_with("--- ") && self.peek_line(1).starts_with("+++ ") {
            let second = self.peek_line(1).to_owned();
            // In a diff without `diff --git`, these lines begin a file.
            let is_named = |file: &FileDiff| file.header.iter().any(|line| line.starts_with("+++ "));
            let is_open = self.files.last().is_some_and(|file| file.hunks.is_empty() && !is_named(file));
            match self.files.last_mut().filter(|_| is_open) {
                Some(file) => file.header.extend([line, second]),
                None => self.files.push(FileDiff { header: vec![line, second], ..FileDiff::default() }),
            }
            self.at += 1;
        } else if line.starts_with("@@ ") {
            return self.read_hunk(&line);
        } else if let Some(file) = self.files.last_mut().filter(|file| {
            file.hunks.is_empty()
                && file.header[0].starts_with("diff --git ")
                && HEADER_STARTS.iter().any(|start| line.starts_with(start))
        }) {
            file.header.push(line);
        }
        self.at += 1;
        Ok(())
    }

    fn read_hunk(&mut self, head: &str) -> Result<(), DiffError> {
        let line = self.at + 1;
        let cut = || head.chars().take(QUOTED_CHARS_MAX).collect();
        let ((old_first, mut old_left), (new_first, mut new_left)) =
            parse_line_ranges(head).ok_or_else(|| DiffError::Head { line, head: cut() })?;
        let Some(file) = self.files.last_mut() else { return Err(DiffError::NoFile(line)) };
        let mut hunk = DiffHunk { head: head.to_owned(), old_first, new_first, lines: Vec::new() };
        // After a hunk without lines of a version, the number names the line before it.
        let (mut old, mut new) = (old_first, new_first);
        self.at += 1;
        loop {
            let next = self.lines.get(self.at).copied();
            if next.is_some_and(|next| next.starts_with('\\')) {
                if let Some(last) = hunk.lines.last_mut() {
                    last.is_unterminated = true;
                }
                self.at += 1;
                continue;
            }
            if old_left == 0 && new_left == 0 {
                break;
            }
            let short = DiffError::Short(self.at + 1);
            let Some(next) = next else { return Err(short) };
            let mark = match next.bytes().next() {
                Some(b'+') => LineMark::Added,
                Some(b'-') => LineMark::Removed,
                // Some programs drop the space before an empty line.
                Some(b' ' | b'\r') | None => LineMark::Context,
                Some(_) => return Err(short),
            };
            let (in_old, in_new) = (mark != LineMark::Added, mark != LineMark::Removed);
            if (in_old && old_left == 0) || (in_new && new_left == 0) {
                return Err(short);
            }
            let text = if next.starts_with(['+', '-', ' ']) { &next[1..] } else { next };
            hunk.lines.push(DiffLine {
                mark,
                old: in_old.then_some(old),
                new: in_new.then_some(new),
                text: text.to_owned(),
                is_unterminated: false,
            });
            old += u32::from(in_old);
            new += u32::from(in_new);
            old_left -= u32::from(in_old);
            new_left -= u32::from(in_new);
            self.at += 1;
        }
        file.hunks.push(hunk);
        Ok(())
    }
}

/// First line and number of lines, in the old and in the new version.
fn parse_line_ranges(head: &str) -> Option<((u32, u32), (u32, u32))> {
    let (ranges, _) = head.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        let (first, count): (u32, u32) = (first.parse().ok()?, count.parse().ok()?);
        // The numbers of all lines must be numbers.
        first.checked_add(count)?;
        Some((first, count))
    };
    Some((range(old)?, range(new)?))
}
