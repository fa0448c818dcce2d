//! Whether prose can be a speech at all. What it says is not looked at.

use agon_text::split_sentences;

use super::json_values::find_json_values;

/// Fewest sentences of a speech.
const SENTENCES_MIN: usize = 2;

/// Why `text` is hardly a speech: it is a call of a tool and nothing else, something else stands before it, or it has one
/// sentence. Who is asked again and says something else may mean it.
pub fn speech_fault(text: &str) -> Option<&'static str> {
    if is_data(text) {
        return Some("the answer is a call of a tool, or other data, and no speech");
    }
    if begins_with_element(text) {
        return Some(
            "the answer begins with something in a tag, such as thoughts or a draft: only the speech is wanted",
        );
    }
    // Small letters do not make two sentences one: some write no capitals.
    (!has_sentences(text)).then_some("the answer is shorter than two sentences")
}

fn has_sentences(text: &str) -> bool {
    split_sentences(&text.to_uppercase()).len() >= SENTENCES_MIN
}

/// Whether `text` begins with an element that never ends, or with sentences in one before others behind it. Models wrap
/// what they think in elements of any name.
fn begins_with_element(text: &str) -> bool {
    let text = text.trim_start();
    open_element(text).is_some_and(|name| match text.split_once(&format!("</{name}")) {
        Some((inside, behind)) => {
            let behind = behind.split_once('>').unwrap_or_default().1.trim_start();
            // Who continues with the same element writes in it, as in paragraphs of HTML.
            has_sentences(inside) && has_sentences(behind) && open_element(behind) != Some(name)
        }
        None => true,
    })
}

/// The name of the element that `text` begins with.
pub(super) fn open_element(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('<').filter(|inside| inside.starts_with(char::is_alphabetic))?;
    let (name, rest) = inside.split_at(inside.find(|c: char| !(c.is_alphanumeric() || "_-:".contains(c)))?);
    rest.starts_with(|c: char| c == '>' || c.is_whitespace()).then_some(name)
}

/// Whether `text` is a call: elements within one, named as in code, or JSON with no speech around it.
fn is_data(text: &str) -> bool {
    let is_call = |(name, content): (&str, &str)| name.contains('_') && content.contains("</");
    if split_element(text.trim()).is_some_and(is_call) {
        return true;
    }
    let (mut outside, mut is_json) = (text.to_owned(), false);
    for (_, value) in find_json_values(text) {
        is_json = true;
        outside = outside.replacen(value, " ", 1);
    }
    is_json && !has_sentences(&without_marks(&outside))
}

/// `text` without tags and the fences of code.
fn without_marks(text: &str) -> String {
    let pieces = text.split('<').enumerate().map(|(at, piece)| match piece.split_once('>') {
        Some((tag, rest)) if at > 0 && !tag.contains('\n') => rest,
        _ => piece,
    });
    let plain: String = pieces.collect();
    let lines: Vec<&str> = plain.lines().filter(|line| !line.trim_start().starts_with("```")).collect();
    lines.join("\n")
}

/// The name of the one element that `text` is, and what stands within it.
fn split_element(text: &str) -> Option<(&str, &str)> {
    let (rest, name) = text.strip_suffix('>')?.rsplit_once("</")?;
    let content = rest.strip_prefix('<')?.strip_prefix(name)?;
    Some((name, content.split_once('>')?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speech_has_two_sentences_in_any_script() {
        for speech in [
            "We should wait. Tests come first.",
            "我们应该等待。先写测试。",
            "待つべきです。テストが先です。",
            "علينا أن ننتظر. الاختبارات أولا؟",
            "हमें रुकना चाहिए। परीक्षण पहले आते हैं।",
            "- wait\n- test first",
            "# Plan\n\nTest first",
            "People hold back doubts. <b>candour</b> is what counts.",
        ] {
            assert_eq!(speech_fault(speech), None, "{speech}");
        }
        for short in ["I am sorry, but I cannot help with that.", "对不起，我不能帮助您。", "No", "...", "Wait. ..."]
        {
            assert_eq!(speech_fault(short), Some("the answer is shorter than two sentences"), "{short}");
        }
    }

    #[test]
    fn what_a_tag_of_any_name_sets_before_a_speech_is_none_of_it() {
        for text in [
            "<deliberation>They may be right. I doubt it.</deliberation>\nWe should wait. Tests come first.",
            "<思索>也许他们对。我不信。</思索>我们应该等待。先写测试。",
            "<rough-notes id=\"1\">\nThey may be right.\nI doubt it.\n</rough-notes>\n\nWe should wait. Tests come first.",
            "<notas>\nThey may be right. I doubt it.",
        ] {
            assert!(speech_fault(text).is_some_and(|why| why.contains("in a tag")), "{text}");
        }
        for speech in [
            "<b>Wait.</b> We should wait. Tests come first.",
            "<p>We should wait. Tests come first.</p>",
            "<p>Wir warten. Erst die Tests.</p>\n<p class=\"b\">Sie kosten wenig. Sie finden viel.</p>",
            "We should wait. <q>Tests come first. Always.</q> So they say. And they are right.",
            "<3 is how some write it. Others do not.",
            "<https://a.test/b> says so. I do not.",
            "<br/>We should wait. Tests come first.",
        ] {
            assert_eq!(speech_fault(speech), None, "{speech}");
        }
    }

    #[test]
    fn a_call_of_a_tool_is_no_speech() {
        for call in [
            "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"One. Two. Three.\"}}\n</tool_call>",
            "{\"name\": \"search\", \"arguments\": {\"query\": \"One. Two.\"}}",
            "<a><b>[{\"x\": \"One. Two.\"}]</b></a>",
            "<tool_call>\n{\"q\": \"One. Two.\"}\n</tool_call>\n<tool_call>\n{\"q\": \"Three. Four.\"}\n</tool_call>",
            "```json\n{\"q\": \"One. Two.\"}\n```",
            "[TOOL_CALLS][{\"name\": \"s\", \"arguments\": {\"q\": \"One? Two?\"}}]",
            "<|python_tag|>{\"q\": \"One? Two?\"}",
            "functools[{\"q\": \"One. Two.\"}]",
            "{\"q\": \"One. Two.\"}\n{\"q\": \"Three. Four.\"}",
            "<tool_call>search\n<arg_key>q</arg_key>\n<arg_value>One? Two?</arg_value>\n</tool_call>",
            "<function_calls>\n<invoke name=\"s\">\n<parameter name=\"q\">One? Two?</parameter>\n</invoke>\n</function_calls>",
            "<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{\"q\": \"One? Two?\"}<|tool_call_end|>",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{\"q\":\"One? Two?\"}\n```<｜tool▁call▁end｜>",
        ] {
            assert!(speech_fault(call).is_some_and(|why| why.contains("tool")), "{call}");
        }
        for speech in [
            "<p>One. Two.</p>",
            "<div><p>One. Two.</p></div>",
            "See [1]. It says so.",
            "Write this first:\n```json\n{\"a\": 1}\n```\nThen test it. If a < b, it fails.",
        ] {
            assert_eq!(speech_fault(speech), None, "{speech}");
        }
        assert_eq!(speech_fault("See {\"a\": 1}. It says so. That counts."), None);
    }
}
