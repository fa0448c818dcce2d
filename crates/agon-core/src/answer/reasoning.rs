//! Reasoning that stands in the text of an answer, because the server did not keep it apart.

/// Parts of the names of tags that hold reasoning: `think`, `thinking`, `seed:think`, `begin_of_thought`.
const NAMES: [&str; 4] = ["think", "thought", "reasoning", "reflection"];
/// How tags begin and end: of markup, in brackets, and as special tokens of models.
const BRACKETS: [(&str, &str); 4] = [("<|", "|>"), ("<", ">"), ("[", "]"), ("◁", "▷")];
/// Longest name of a tag, in bytes.
const NAME_BYTES_MAX: usize = 40;
/// How a program that runs models writes around the reasoning.
const OLLAMA: (&str, &str) = ("Thinking...\n", "...done thinking.\n");
/// Channels of a model that has several: the answer stands in the final one.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const FINAL: &str = "final";

/// A tag of reasoning in a text.
struct ReasoningTag {
    start: usize,
    end: usize,
    closes: bool,
}

/// `text` without its reasoning, and the reasoning. An unfinished one goes to the end; where an end has no beginning,
/// everything before it is reasoning. Tags count at the beginning of a line alone, so that prose can speak of them.
pub(super) fn split(text: &str) -> (String, String) {
    if let Some(parts) = split_channels(text) {
        return parts;
    }
    if let Some((reasoning, rest)) = text.strip_prefix(OLLAMA.0).and_then(|text| text.split_once(OLLAMA.1)) {
        return (rest.trim().to_owned(), reasoning.trim().to_owned());
    }
    let (mut rest, mut reasoning) = (String::new(), Vec::new());
    let mut at = 0;
    let mut open: Option<usize> = None;
    while let Some(tag) = next_tag(text, at, open.is_some()) {
        match (open, tag.closes) {
            (None, false) => {
                rest.push_str(&text[at..tag.start]);
                open = Some(tag.end);
            }
            // The first end without a beginning: what was taken for the answer so far was reasoning.
            (None, true) => {
                reasoning.push(std::mem::take(&mut rest) + &text[at..tag.start]);
            }
            (Some(start), true) => {
                reasoning.push(text[start..tag.start].to_owned());
                open = None;
            }
            (Some(_), false) => {}
        }
        at = tag.end;
    }
    match open {
        Some(start) => reasoning.push(text[start..].to_owned()),
        None => rest.push_str(&text[at..]),
    }
    if reasoning.is_empty() {
        return (text.to_owned(), String::new());
    }
    let reasoning: Vec<&str> = reasoning.iter().map(|part| part.trim()).collect();
    (rest.trim().to_owned(), reasoning.join("\n\n"))
}

/// The next tag from `from` on. Within reasoning an end counts wherever it stands.
fn next_tag(text: &str, from: usize, within: bool) -> Option<ReasoningTag> {
    let mut at = from;
    while let Some(found) = text[at..].find(['<', '[', '◁']) {
        let start = at + found;
        if let Some(tag) = tag_at(text, start) {
            let begins = text[..start].trim_end_matches([' ', '\t']);
            let begins = begins.is_empty() || begins.ends_with('\n') || text[from..start].trim().is_empty();
            let ends = text[tag.end..].trim_start_matches([' ', '\t', '\r']);
            let ends = ends.is_empty() || ends.starts_with('\n');
            if within && tag.closes || begins || tag.closes && ends {
                return Some(tag);
            }
            at = tag.end;
        } else {
            at = start + text[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// The tag that begins at `start`, if it is one of reasoning.
fn tag_at(text: &str, start: usize) -> Option<ReasoningTag> {
    let rest = &text[start..];
    let (open, close) = BRACKETS.into_iter().find(|(open, _)| rest.starts_with(open))?;
    let inside = &rest[open.len()..];
    let length = inside.find(close).filter(|length| *length <= NAME_BYTES_MAX)?;
    let name = inside[..length].to_lowercase();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '/' | '|');
    if !name.chars().all(is_name) || !NAMES.iter().any(|part| name.contains(part)) {
        return None;
    }
    let closes = name.starts_with('/') || name.starts_with("end");
    Some(ReasoningTag { start, end: start + open.len() + length + close.len(), closes })
}

/// The text of the final channel, and that of the others.
fn split_channels(text: &str) -> Option<(String, String)> {
    let start =
        text.find(CHANNEL).filter(|start| text[..*start].trim().is_empty() || text.starts_with("<|"))?;
    let (mut answer, mut reasoning) = (String::new(), Vec::new());
    for part in text[start..].split(CHANNEL).skip(1) {
        let (name, content) = part.split_once(MESSAGE)?;
        // What follows the end of a message is the head of the next one.
        let content = content.split("<|").next().unwrap_or(content).trim();
        if name.trim() == FINAL { answer.push_str(content) } else { reasoning.push(content) }
    }
    Some((answer, reasoning.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_found_at_the_beginning_of_lines_only() {
        for (text, rest, reasoning) in [
            ("<think>a</think>b", "b", "a"),
            ("<think>\na\n</think>\n\nb", "b", "a"),
            ("<think></think>\nb", "b", ""),
            ("<think>a </think> <think>b</think>c", "c", "a\n\nb"),
            ("a\n</think>\nb", "b", "a"),
            ("a </think>\nb", "b", "a"),
            ("<think>a", "", "a"),
            ("b\n<think>a", "b", "a"),
            ("<|begin_of_thought|>a<|end_of_thought|>b", "b", "a"),
            ("<THINKING>a</THINKING>b", "b", "a"),
            ("<think>a <think> b</think>c", "c", "a <think> b"),
            ("Thinking...\na\n...done thinking.\n\nb", "b", "a"),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
                "b",
                "a",
            ),
            ("<|channel|>analysis<|message|>a", "", "a"),
            (
                "The <think> tag, and </think> too, are text.",
                "The <think> tag, and </think> too, are text.",
                "",
            ),
            ("Use `<thinking>` where you must.", "Use `<thinking>` where you must.", ""),
            ("[1] I think [2] so.", "[1] I think [2] so.", ""),
            ("[I think so]\nb", "[I think so]\nb", ""),
            ("<p>a</p>", "<p>a</p>", ""),
        ] {
            assert_eq!(split(text), (rest.to_owned(), reasoning.to_owned()), "{text:?}");
        }
    }
}
