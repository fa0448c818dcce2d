//! Whether prose can be a speech at all. What it says is not looked at.

use agon_text::split_sentences;

use super::values::find_json_values;

/// Fewest sentences of a speech.
const SENTENCES_MIN: usize = 2;

/// Why `text` is hardly a speech: it is a call of a tool and nothing else, or has one sentence. Who is asked again and
/// says something else may mean it.
pub fn speech_fault(text: &str) -> Option<&'static str> {
    if is_data(text) {
        return Some("the answer is a call of a tool, or other data, and no speech");
    }
    // Small letters do not make two sentences one: some write no capitals.
    (split_sentences(&text.to_uppercase()).len() < SENTENCES_MIN).then_some("the answer is shorter than two sentences")
}

/// Whether `text` is JSON and nothing else, also within one element of markup.
fn is_data(text: &str) -> bool {
    let mut inside = text.trim();
    while let Some(content) = element_content(inside) {
        inside = content.trim();
    }
    find_json_values(inside).next().is_some_and(|(_, value)| value.len() == inside.len())
}

/// What stands within the one element that `text` is.
fn element_content(text: &str) -> Option<&str> {
    let (rest, name) = text.strip_suffix('>')?.rsplit_once("</")?;
    let content = rest.strip_prefix('<')?.strip_prefix(name)?;
    Some(content.split_once('>')?.1)
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
    fn a_call_of_a_tool_is_no_speech() {
        for call in [
            "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"One. Two. Three.\"}}\n</tool_call>",
            "{\"name\": \"search\", \"arguments\": {\"query\": \"One. Two.\"}}",
            "<a><b>[{\"x\": \"One. Two.\"}]</b></a>",
        ] {
            assert!(speech_fault(call).is_some_and(|why| why.contains("tool")), "{call}");
        }
        assert_eq!(speech_fault("<p>One. Two.</p>"), None);
        assert_eq!(speech_fault("See {\"a\": 1}. It says so. That counts."), None);
    }
}
