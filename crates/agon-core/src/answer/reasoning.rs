//! Reasoning that stands in the text of an answer, because the server did not keep it apart.

use super::speech::{open_element, speech_fault};

/// What the name of a tag of reasoning is, or ends with behind a mark: `think`, `seed:think`, `begin_of_thought`.
const NAMES: [&str; 11] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
    "monologue",
    "thinking_process",
    "antthinking",
];
/// How tags begin and end: of markup, and as special tokens of models.
const BRACKETS: [(&str, &str); 5] = [("<|", "|>"), ("<", ">"), ("◁", "▷"), ("＜", "＞"), ("&lt;", "&gt;")];
/// The one tag in square brackets: others of these are links, notes and remarks.
const SQUARE: [(&str, bool); 2] = [("[THINK]", false), ("[/THINK]", true)];
/// Longest name of a tag, in bytes.
const NAME_BYTES_MAX: usize = 40;
/// How programs and models write around reasoning that begins a text.
const WRAPPERS: [(&str, &str); 8] = [
    ("Thinking...", "...done thinking."),
    ("Thinking…", "…done thinking."),
    ("<|channel>thought", "<channel|>"),
    ("<unused94>thought", "<unused95>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("analysis", "assistantfinal"),
    ("<details type=\"reasoning\"", "</details>"),
    ("```thinking", "\n```"),
];
/// How they write around the answer behind it.
const ANSWERS: [(&str, &str); 2] = [("<|START_RESPONSE|>", "<|END_RESPONSE|>"), ("<answer>", "</answer>")];
/// Channels of a model that has several: the answer stands in the final one.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const FINAL: &str = "final";
/// What ends a message of a channel.
const MESSAGE_ENDS: [&str; 4] = ["<|end|>", "<|return|>", "<|start|>", "<|call|>"];
/// Wrappers of reasoning around each other that are taken off.
const LAYERS_MAX: usize = 8;

/// A tag of reasoning in a text.
struct ReasoningTag {
    start: usize,
    end: usize,
    closes: bool,
}

/// `text` without its reasoning, and the reasoning. One that begins the text and is never finished goes to its end; where
/// an end has no beginning, everything before it is reasoning. Tags count at the beginning of a line alone, and behind
/// other words only with their end, so that prose can speak of them.
pub(super) fn split_reasoning(text: &str) -> (String, String) {
    let (mut rest, mut reasoning) = split_layer(text);
    // A program may write around a text in which the model's own tags stand.
    for layer in 1..=LAYERS_MAX {
        let (less, more) = match split_layer(&rest) {
            (less, _) if less == rest => break,
            // What is still wrapped comes from a model that thinks without an end, and holds no answer.
            _ if layer == LAYERS_MAX => (String::new(), rest),
            parts => parts,
        };
        rest = less;
        reasoning = [reasoning, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    }
    (rest, reasoning)
}

/// Whether `text` begins with an element that never ends, and does not end with a value of JSON either: what stands in
/// it is hardly what its author came to.
pub(super) fn is_unfinished(text: &str) -> bool {
    open_element(text).is_some_and(|name| !text.contains(&format!("</{name}")))
        && !text.trim_end_matches(['`', '\n']).ends_with(['}', ']'])
}

/// `text` without its outermost reasoning, or what marks it as the answer, and that reasoning.
fn split_layer(text: &str) -> (String, String) {
    for (open, close) in ANSWERS {
        if let Some(answer) = text.strip_prefix(open).map(str::trim) {
            return (answer.strip_suffix(close).unwrap_or(answer).trim().to_owned(), String::new());
        }
    }
    if let Some(parts) = split_channels(text) {
        return parts;
    }
    let wrapped = WRAPPERS.iter().find_map(|(open, close)| text.strip_prefix(open)?.split_once(close));
    if let Some((reasoning, rest)) = wrapped {
        return (rest.trim().to_owned(), reasoning.trim().to_owned());
    }
    let (mut rest, mut reasoning) = (String::new(), Vec::new());
    let mut at = 0;
    while let Some(tag) = next_tag(text, at) {
        rest.push_str(&text[at..tag.start]);
        if tag.closes {
            // What was taken for the answer so far was reasoning.
            reasoning.push(std::mem::take(&mut rest));
            at = tag.end;
            continue;
        }
        match find_tags(text, tag.end).find(|tag| tag.closes) {
            Some(end) => {
                reasoning.push(text[tag.end..end.start].to_owned());
                at = end.end;
            }
            // Behind a word or two nobody speaks of a tag, unless it is shown as code.
            None if speech_fault(&rest).is_some() && rest.matches("```").count() % 2 == 0 => {
                reasoning.push(text[tag.end..].to_owned());
                at = text.len();
            }
            None => {
                rest.push_str(&text[tag.start..tag.end]);
                at = tag.end;
            }
        }
    }
    if reasoning.is_empty() {
        return (text.to_owned(), String::new());
    }
    rest.push_str(&text[at..]);
    let reasoning: Vec<&str> = reasoning.iter().map(|part| part.trim()).collect();
    (rest.trim().to_owned(), reasoning.join("\n\n"))
}

/// The next tag from `from` on that stands where one counts: at the beginning of a line or behind another tag; one that
/// closes also at the end of a line.
fn next_tag(text: &str, from: usize) -> Option<ReasoningTag> {
    find_tags(text, from).find(|tag| {
        let before = text[..tag.start].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with('\n') || text[from..tag.start].trim().is_empty();
        let after = text[tag.end..].trim_start_matches([' ', '\t', '\r']);
        begins || tag.closes && (after.is_empty() || after.starts_with('\n'))
    })
}

/// The tags of reasoning from `from` on.
fn find_tags(text: &str, from: usize) -> impl Iterator<Item = ReasoningTag> {
    let opens = text[from..].match_indices(['<', '[', '◁', '＜', '&']);
    opens.filter_map(move |(at, _)| tag_at(text, from + at))
}

/// The tag that begins at `start`, if it is one of reasoning.
fn tag_at(text: &str, start: usize) -> Option<ReasoningTag> {
    let rest = &text[start..];
    if let Some((tag, closes)) = SQUARE.into_iter().find(|(tag, _)| rest.starts_with(tag)) {
        return Some(ReasoningTag { start, end: start + tag.len(), closes });
    }
    let (open, close) = BRACKETS.into_iter().find(|(open, _)| rest.starts_with(open))?;
    let inside = &rest[open.len()..];
    let length = inside.find(close).filter(|length| *length <= NAME_BYTES_MAX)?;
    let name = inside[..length].to_lowercase();
    let closes = name.starts_with('/') || name.starts_with("end_");
    let last = name.trim_start_matches('/').rsplit([':', '_', '-']).next().unwrap_or_default();
    let is_one = NAMES.contains(&last) || NAMES.contains(&name.trim_start_matches('/'));
    is_one.then(|| ReasoningTag { start, end: start + open.len() + length + close.len(), closes })
}

/// The text of the final channel, and that of the others.
fn split_channels(text: &str) -> Option<(String, String)> {
    let start = text.find(CHANNEL).filter(|start| text[..*start].trim().is_empty() || text.starts_with("<|"))?;
    let (mut answer, mut reasoning) = (String::new(), Vec::new());
    for part in text[start..].split(CHANNEL).skip(1) {
        let (name, content) = part.split_once(MESSAGE)?;
        // What follows the end of a message is the head of the next one, and what follows the name tells of its form.
        let end = MESSAGE_ENDS.iter().filter_map(|end| content.find(end)).min().unwrap_or(content.len());
        let content = content[..end].trim();
        let name = name.split(|c: char| c.is_whitespace() || c == '<').find(|word| !word.is_empty());
        if name == Some(FINAL) { answer.push_str(content) } else { reasoning.push(content) }
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
            ("<|begin_of_thought|>a<|end_of_thought|>b", "b", "a"),
            ("<THINKING>a</THINKING>b", "b", "a"),
            ("<think>a <think> b</think>c", "c", "a <think> b"),
            ("Thinking...\na\n...done thinking.\n\nb", "b", "a"),
            ("Thinking...\na\n...done thinking.\n<think>b</think>c", "c", "a\n\nb"),
            ("<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|><think>b</think>c", "c", "a\n\nb"),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
                "b",
                "a",
            ),
            ("<|channel|>analysis<|message|>a", "", "a"),
            ("<|channel|>analysis<|message|>a<|end|><|channel|>final <|constrain|>json<|message|>b", "b", "a"),
            ("<|channel|>final<|message|>xs <| map f, so b<|return|>", "xs <| map f, so b", ""),
            ("The <think> tag, and </think> too, are text.", "The <think> tag, and </think> too, are text.", ""),
            ("Use `<thinking>` where you must.", "Use `<thinking>` where you must.", ""),
            ("[1] I think [2] so.", "[1] I think [2] so.", ""),
            ("[I think so]\nb", "[I think so]\nb", ""),
            ("<p>a</p>", "<p>a</p>", ""),
            // What only sounds like a tag of reasoning, or opens one in the middle and never closes it, is the author's.
            ("a\n\n[thoughtworks]: https://a.test\nb", "a\n\n[thoughtworks]: https://a.test\nb", ""),
            ("[think-tank]\nb", "[think-tank]\nb", ""),
            ("a\n<rethink-card>b</rethink-card>\nc", "a\n<rethink-card>b</rethink-card>\nc", ""),
            ("a.\nb.\n<think>\nc", "a.\nb.\n<think>\nc", ""),
            ("a\n```\n<think>\n```\nb", "a\n```\n<think>\n```\nb", ""),
            ("a\n<reasoning>\nb", "a", "b"),
            ("<|channel>thought\na\n<channel|>b", "b", "a"),
            ("<unused94>thought\na\n<unused95>b", "b", "a"),
            ("<|inner_prefix|>a<|inner_suffix|>b", "b", "a"),
            ("analysisa.assistantfinalb", "b", "a."),
            ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a"),
            ("<think>a</think>\n<answer>\nb\n</answer>", "b", "a"),
            ("<answer>b", "b", ""),
            ("<answer><think>a</think><answer>b</answer></answer>", "b", "a"),
            ("<scratchpad>\na\n</scratchpad>\nb", "b", "a"),
            ("<inner_monologue>a</inner_monologue>b", "b", "a"),
            ("<thinking_process>a</thinking_process>b", "b", "a"),
            ("<antThinking>a</antThinking>b", "b", "a"),
            ("＜think＞a＜/think＞\nb", "b", "a"),
            ("&lt;think&gt;a&lt;/think&gt;\nb", "b", "a"),
            ("```thinking\na\n```\nb", "b", "a"),
            ("Thinking...\r\na\r\n...done thinking.\r\n\r\nb", "b", "a"),
            ("<details type=\"reasoning\">a</details>b", "b", ">a"),
            ("a\n<think>b</think>\nc", "a\n\nc", "b"),
            ("[THINK]a[/THINK]b", "b", "a"),
            (&format!("{}b", "Thinking...\na\n...done thinking.\n".repeat(8)), "b", &["a"; 8].join("\n\n")),
        ] {
            assert_eq!(split_reasoning(text), (rest.to_owned(), reasoning.to_owned()), "{text:?}");
        }
        let (rest, reasoning) = split_reasoning(&format!("{}b", "Thinking...\na\n...done thinking.\n".repeat(30)));
        assert_eq!((rest.as_str(), reasoning.contains('a')), ("", true));
    }
}
