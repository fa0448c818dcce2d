//! A rendered prompt taken apart for a person: the words that ask, and the material between tags, block
//! by block. What tells a model how to write JSON is left out.

use agon_core::form;
use serde_json::Value;

/// Tags that enclose material.
const MATERIAL: [&str; 5] = ["statement", "argument", "document", "transcript", "material"];
/// Tags that stand within a sentence.
const WITHIN: [&str; 6] = ["motion", "question", "statement", "argument", "document", "transcript"];
/// Paragraphs that begin so are for models.
const FOR_MODELS: [&str; 5] = [
    "Answer with one JSON object",
    "Write the Markdown text once",
    "What stands between tags",
    "Material of this debate follows",
    "To fit your memory",
];

/// A piece of what a request shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptBlock {
    /// Whose it is, and which; empty where nothing is known of it.
    pub head: String,
    /// The words.
    pub body: String,
    /// Whether it is a passage of the material, or the document that the debate is about.
    pub is_material: bool,
}

impl PromptBlock {
    /// A piece.
    pub fn new(head: impl Into<String>, body: &str) -> Self {
        Self { head: head.into(), body: body.trim().to_owned(), is_material: false }
    }
}

/// The words of a prompt, and the material that it shows.
pub fn split_prompt(prompt: &str) -> (String, Vec<PromptBlock>) {
    let (mut words, mut blocks) = (String::new(), Vec::new());
    let mut lines = prompt.lines();
    while let Some(line) = lines.next() {
        let Some((tag, head, rest)) = parse_opening_tag(line) else {
            words.push_str(&quote_tags(line));
            words.push('\n');
            continue;
        };
        let close = format!("</{tag}>");
        let mut body = String::new();
        let mut piece = Some(rest);
        while let Some(text) = piece {
            if let Some((before, _)) = text.split_once(&close) {
                body.push_str(before);
                break;
            }
            body.push_str(text);
            body.push('\n');
            piece = lines.next();
        }
        match tag {
            "transcript" => blocks.extend(split_turns(&body)),
            _ => {
                // A document with an author is what that author said.
                let is_material = tag == "material" || tag == "document" && head.is_empty();
                let block = PromptBlock::new(head, &words_from_json(&body).unwrap_or_else(|| quote_tags(&body)));
                blocks.push(PromptBlock { is_material, ..block });
            }
        }
    }
    (without_form(&words), blocks.into_iter().filter(|block| !block.body.is_empty()).collect())
}

/// An object of JSON as words, a line for each of its fields; `None` for what is none.
fn words_from_json(body: &str) -> Option<String> {
    let Value::Object(fields) = serde_json::from_str(body.trim()).ok()? else { return None };
    let said = |value: &Value| match value {
        Value::Null => None,
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(form::render_word).collect();
            Some(items.join(", ")).filter(|items| !items.is_empty())
        }
        other => Some(form::render_word(other)).filter(|word| !word.trim().is_empty()),
    };
    let lines =
        fields.iter().filter_map(|(name, value)| Some(format!("{}: {}", agon_text::humanize_name(name), said(value)?)));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The tag that a line opens, what it says about its material, and the rest of the line.
fn parse_opening_tag(line: &str) -> Option<(&'static str, String, &str)> {
    let inner = line.strip_prefix('<')?;
    let tag = MATERIAL.into_iter().find(|tag| inner.starts_with(tag))?;
    let (attributes, rest) = inner[tag.len()..].split_once('>')?;
    attributes.chars().next().is_none_or(char::is_whitespace).then(|| (tag, describe_attributes(attributes), rest))
}

/// `seq="4" by="ada" rebuts="3"` as `seq 4, ada, answers 3`.
fn describe_attributes(attributes: &str) -> String {
    let mut told = Vec::new();
    let mut rest = attributes;
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        told.push(match name.trim() {
            name @ ("seq" | "turn" | "score" | "about") => format!("{name} {value}"),
            "rebuts" => format!("answers seq {value}"),
            "position" => format!("for: {value}"),
            _ => value.to_owned(),
        });
        rest = after;
    }
    told.join(", ")
}

/// The turns of a transcript: `Ada (lens):` above the words of Ada.
fn split_turns(transcript: &str) -> Vec<PromptBlock> {
    let mut blocks: Vec<PromptBlock> = Vec::new();
    for paragraph in transcript.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        if paragraph.starts_with("===") {
            continue;
        }
        match paragraph.split_once('\n') {
            Some((head, words)) if head.ends_with(':') && head.len() <= 120 => {
                blocks.push(PromptBlock::new(head.trim_end_matches(':'), words));
            }
            _ if paragraph.starts_with("**[") || blocks.is_empty() => {
                blocks.push(PromptBlock::new("", paragraph.trim_matches('*')));
            }
            // Another paragraph of the same turn.
            _ => {
                if let Some(last) = blocks.last_mut() {
                    last.body.push_str("\n\n");
                    last.body.push_str(paragraph);
                }
            }
        }
    }
    blocks
}

/// Tags within a line as quotation marks.
fn quote_tags(line: &str) -> String {
    let mut line = line.to_owned();
    for tag in WITHIN {
        line = line.replace(&format!("</{tag}>"), "\u{201d}");
        while let Some(at) = line.find(&format!("<{tag}")) {
            let Some(end) = line[at..].find('>') else { break };
            line.replace_range(at..=at + end, "\u{201c}");
        }
    }
    line
}

/// Paragraphs that a person needs, with one empty line between them.
fn without_form(words: &str) -> String {
    let paragraphs = words.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    let kept = paragraphs.filter(|paragraph| !FOR_MODELS.iter().any(|start| paragraph.starts_with(start)));
    kept.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_words_and_material() {
        let prompt = "The topic: <motion>Signs?</motion>\n\nThe log:\n<statement seq=\"4\" by=\"ada\" rebuts=\"3\">\nThey cost.\n\nA lot.\n</statement>\n<statement by=\"you\">Short.</statement>\nIs it so?\n\nAnswer with one JSON object and nothing else. Its key is \"x\".\n\nBe fair.";
        let (words, blocks) = split_prompt(prompt);
        assert_eq!(words, "The topic: \u{201c}Signs?\u{201d}\n\nThe log:\nIs it so?\n\nBe fair.");
        let wanted =
            [PromptBlock::new("seq 4, ada, answers seq 3", "They cost.\n\nA lot."), PromptBlock::new("you", "Short.")];
        assert_eq!(blocks, wanted);
    }

    #[test]
    fn what_was_logged_as_json_is_told_in_words() {
        let logged = r#"{"verified_seq":4,"url":"https://a.b/x_y","status":"verified","explanation":""}"#;
        let blocks = split_prompt(&format!("<statement seq=\"5\" by=\"verifier\">{logged}</statement>")).1;
        let wanted = "Verified seq: 4\nUrl: https://a.b/x_y\nStatus: verified";
        assert_eq!(blocks, [PromptBlock::new("seq 5, verifier", wanted)]);
    }

    #[test]
    fn passages_of_the_material_are_told_from_statements() {
        let prompt = "<material path=\"a.rs\" lines=\"1-2\">\n1| fn main() {\n</material>\n<statement by=\"ada\">No.</statement>\n<document>\nThe design.\n</document>\n<document by=\"ben\">\nMy version.\n</document>";
        let blocks = split_prompt(prompt).1;
        assert_eq!(blocks.iter().map(|block| block.is_material).collect::<Vec<_>>(), [true, false, true, false]);
        assert_eq!((blocks[0].head.as_str(), blocks[0].body.as_str()), ("a.rs, 1-2", "1| fn main() {"));
    }

    #[test]
    fn a_transcript_is_its_turns() {
        let transcript = "<transcript>\n=== OPENING STATEMENTS ===\n\nAda (Sceptic):\nTwo hours.\n\nNot more.\n\n[Round 1] Moderator \u{2192} Ben:\n\"Why?\"\n\n**[Moderator note: they agree.]**\n</transcript>";
        let wanted = [
            PromptBlock::new("Ada (Sceptic)", "Two hours.\n\nNot more."),
            PromptBlock::new("[Round 1] Moderator \u{2192} Ben", "\"Why?\""),
            PromptBlock::new("", "[Moderator note: they agree.]"),
        ];
        assert_eq!(split_prompt(transcript).1, wanted);
    }

    #[test]
    fn a_tag_that_is_never_closed_hides_nothing() {
        let (words, blocks) = split_prompt("<statement seq=\"1\">\nopen to the end");
        assert_eq!((words.as_str(), blocks), ("", vec![PromptBlock::new("seq 1", "open to the end")]));
        assert_eq!(split_prompt("a < b <statement").0, "a < b <statement");
    }
}
