//! Other people's text as it may stand in a prompt: without the characters that mark a role, control
//! characters, and the tags that enclose material or write chats.

use std::borrow::Cow;

use agon_text::{is_invisible, is_joiner, strip_invisible};

/// Marks the role of the message that follows; private use characters that no text keeps.
pub(super) const OPEN: char = '\u{e000}';
pub(super) const CLOSE: char = '\u{e001}';
/// Enclose the name of a text that the model writes before the prompt is asked.
pub(super) const NOTE_OPEN: char = '\u{e002}';
pub(super) const NOTE_CLOSE: char = '\u{e003}';
/// All of them: no text of others keeps one.
const RESERVED: [char; 4] = [OPEN, CLOSE, NOTE_OPEN, NOTE_CLOSE];
/// Tags by which templates enclose material, and those by which chats are written for models.
const TAGS: [&str; 18] = [
    "argument",
    "motion",
    "document",
    "statement",
    "question",
    "transcript",
    "material",
    "|",
    "system",
    "user",
    "assistant",
    "developer",
    "tool",
    "start_of_turn",
    "end_of_turn",
    "<sys>",
    "</sys>",
    "s>",
];
/// Words in square brackets by which chats are written for models.
const MARKS: [&str; 5] = ["inst]", "/inst]", "system_prompt]", "/system_prompt]", "available_tools]"];
/// Signs that a reader takes for the one that opens a tag, or a word in square brackets.
const OPENING: [char; 8] = ['<', '＜', '﹤', '〈', '⟨', '˂', '❮', '⧼'];
const OPENING_MARK: [char; 2] = ['[', '［'];
/// What stands in their place.
const SHOWN_OPENING: char = '‹';
const SHOWN_OPENING_MARK: char = '⟦';

/// Control characters that separate words: line and page feeds of old texts.
const BLANKS: [char; 2] = ['\u{b}', '\u{c}'];

/// `text` as it may stand in a prompt.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    // Most texts need nothing, and prompts are long.
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~') && byte != b'<' && byte != b'[') {
        return text.into();
    }
    // A model reads what nobody sees; and it may stand within a tag.
    let text = &*strip_invisible(text);
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match c {
            _ if RESERVED.contains(&c) => {}
            _ if OPENING.contains(&c) && opens_tag(rest) => escaped.push(SHOWN_OPENING),
            _ if OPENING_MARK.contains(&c) && opens_mark(rest) => escaped.push(SHOWN_OPENING_MARK),
            '\n' | '\t' => escaped.push(c),
            _ if BLANKS.contains(&c) => escaped.push(' '),
            _ if c.is_control() => {}
            _ => escaped.push(c),
        }
    }
    escaped.into()
}

/// How a character counts where a text is compared with what a prompt shows of it: none where the prompt can lack it,
/// and one for all that [`escape_text`] can write alike. So what was quoted from a prompt and what stands in the text are equal.
pub fn shown_char(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => Some(c),
        _ if BLANKS.contains(&c) => Some(' '),
        _ if RESERVED.contains(&c) => None,
        // Whether a joiner stays depends on what is before it, and a quote can begin with it.
        _ if c.is_control() || is_invisible(c) || is_joiner(c) => None,
        _ if c == SHOWN_OPENING || OPENING.contains(&c) => Some(OPENING[0]),
        _ if c == SHOWN_OPENING_MARK || OPENING_MARK.contains(&c) => Some(OPENING_MARK[0]),
        _ => Some(c),
    }
}

fn opens_tag(rest: &str) -> bool {
    let name = rest.trim_start_matches(|c: char| matches!(c, '/' | '／' | '⁄' | '∕' | '\\') || is_skipped(c));
    TAGS.iter().any(|tag| begins_with_any(name, &[*tag]) && !is_longer_word(name, tag))
}

/// Whether `text` begins with a longer word than the `tag` that begins it: a type of code such as
/// `MaterialText`. Only plain letters count: what hides others within a tag stays one.
fn is_longer_word(text: &str, tag: &str) -> bool {
    let is_word = tag.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_plain = text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    is_word && is_plain && text.as_bytes().get(tag.len()).is_some_and(u8::is_ascii_alphabetic)
}

fn opens_mark(rest: &str) -> bool {
    begins_with_any(rest.trim_start_matches(is_skipped), &MARKS)
}

/// What a model may read over.
fn is_skipped(c: char) -> bool {
    c.is_whitespace() || c.is_control() || RESERVED.contains(&c)
}

/// Whether `text` begins with one of `names`, in any case, with letters of full width or narrow ones.
fn begins_with_any(text: &str, names: &[&str]) -> bool {
    let narrow = |c: char| match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        _ => c,
    };
    names.iter().any(|name| {
        let mut letters = text.chars().filter(|c| !c.is_control() && !RESERVED.contains(c));
        name.chars().all(|wanted| letters.next().is_some_and(|c| narrow(c).eq_ignore_ascii_case(&narrow(wanted))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_prompt_shows_is_compared_as_equal_to_what_it_was_made_of() {
        let compared = |text: &str| text.chars().filter_map(shown_char).collect::<String>();
        let mut changed = 0;
        let chars = ('\0'..='\u{ffff}').chain('\u{1b000}'..='\u{1d1ff}').chain('\u{e0000}'..='\u{e0fff}');
        for c in chars {
            for text in [
                format!("a{c}b"),
                format!("é{c}é"),
                format!("{c}system>"),
                format!("{c}/material{c}>"),
                format!("{c}INST]"),
            ] {
                let shown = escape_text(&text);
                changed += usize::from(shown != text);
                assert_eq!(compared(&shown), compared(&text), "{text:?} is shown as {shown:?}");
            }
        }
        assert!(changed > 1_000, "{changed}");
        assert_eq!(compared("fn a(&self) -> [u8; 2]"), "fn a(&self) -> [u8; 2]");
    }
}
