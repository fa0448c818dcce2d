//! The body of `debate.md`: the motion, its definitions and its scope.

use serde::Deserialize;

use super::frontmatter::Document;
use crate::{
    StatedMotion,
    python_json::{read_items, read_leniently},
};

const MOTION: &str = "motion";
const DEFINITIONS: &str = "definitions";
const SCOPE: &str = "scope";

/// The options of a debate that say what the words of its motion mean, and what belongs to it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MotionTerms {
    #[serde(deserialize_with = "read_items")]
    pub definitions: Vec<TermDefinition>,
    #[serde(deserialize_with = "read_leniently")]
    pub scope: Option<String>,
}

/// What a word of a motion means.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TermDefinition {
    pub term: String,
    pub definition: String,
}

/// The parsed body of a motion file: motion, definitions and scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    /// What stands below the first heading, up to the next.
    pub motion: String,
    /// Terms and what they mean; may be empty.
    pub definitions: Vec<(String, String)>,
    /// What belongs to the debate and what does not.
    pub scope: Option<String>,
    /// Lines among the definitions that define nothing.
    pub undefined: Vec<String>,
    /// Other sections: heading and text.
    pub others: Vec<(String, String)>,
}

impl Body {
    /// Reads a body; `None` where no heading has a text below it that could be the motion.
    pub fn parse(body: &str) -> Option<Self> {
        let mut sections = split_sections(body).into_iter();
        let (_, motion) = sections.next().filter(|(_, text)| !text.is_empty())?;
        let mut read = Self { motion, ..Self::default() };
        for (heading, text) in sections {
            match heading.to_lowercase().as_str() {
                DEFINITIONS => read.add_definitions(&text),
                SCOPE if read.scope.is_none() => read.scope = Some(text),
                _ => read.others.push((heading.to_owned(), text)),
            }
        }
        Some(read)
    }

    /// The body of `text` where it is one of this form: its first heading says that the motion
    /// follows, and nothing stands before it but, in a whole `debate.md`, the frontmatter.
    pub fn of_file(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let body = Document::parse(text).map(|document| document.body);
        let body = body.as_deref().unwrap_or(text);
        let first = body.lines().find(|line| !line.trim().is_empty())?;
        (parse_heading(first)?.to_lowercase() == MOTION).then(|| Self::parse(body))?
    }

    /// What a new debate takes of it: sections that have no meaning of their own belong to the motion.
    pub fn into_stated_motion(self) -> Result<StatedMotion, String> {
        let Self { motion, definitions, scope, undefined, others } = self;
        let others = others.iter().map(|(heading, text)| format!("\n\n## {heading}\n\n{text}"));
        let motion = std::iter::once(motion).chain(others).collect();
        undefined.into_iter().next().map_or(Ok(StatedMotion { motion, definitions, scope }), Err)
    }

    /// Takes a list of definitions. A line that begins no item continues the item before.
    fn add_definitions(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let item = line.strip_prefix(['-', '*', '+']).filter(|item| item.starts_with(' '));
            match (item, self.definitions.last_mut()) {
                (Some(item), _) => match parse_definition(item.trim()) {
                    Some(defined) => self.definitions.push(defined),
                    None => self.undefined.push(line.to_owned()),
                },
                (None, Some((_, means))) => {
                    means.push(' ');
                    means.push_str(line);
                }
                (None, None) => self.undefined.push(line.to_owned()),
            }
        }
    }
}

/// `**term**: definition`, or with the colon within, or without the stars.
fn parse_definition(item: &str) -> Option<(String, String)> {
    if let Some((term, means)) = item.strip_prefix("**").and_then(|item| item.split_once("**: ")) {
        // As the source system writes it: word for word.
        return Some((term.to_owned(), means.to_owned()));
    }
    let (term, means) = match item.strip_prefix("**") {
        Some(item) => {
            let (term, rest) = item.split_once("**")?;
            let inner = term.trim_end().strip_suffix(':');
            (inner.unwrap_or(term), rest.trim_start().strip_prefix(':').or(inner.and(Some(rest)))?)
        }
        None => item.split_once(": ")?,
    };
    let (term, means) = (term.trim(), means.trim());
    (!term.is_empty() && !means.is_empty()).then(|| (term.to_owned(), means.to_owned()))
}

/// The text of a heading.
fn parse_heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len() && text.starts_with(' ')).then(|| text.trim())
}

/// Headings outside of fenced code, and what stands below each.
fn split_sections(body: &str) -> Vec<(&str, String)> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    // One that nobody closed encloses nothing.
    let closed = body.lines().filter(|line| is_fence(line)).count() % 2 == 0;
    let mut fenced = false;
    for line in body.lines() {
        fenced ^= closed && is_fence(line);
        match (parse_heading(line).filter(|_| !fenced), sections.last_mut()) {
            (Some(heading), _) => sections.push((heading, String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    for (_, text) in &mut sections {
        *text = text.trim().to_owned();
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    }

    #[test]
    fn a_body_holds_a_motion_its_terms_and_its_scope() {
        let text = "# Motion\n\nRest.\nAlways.\n\n## Definitions\n\n- **rest**: a pause\n  of any length\n* **work:** the rest\n\
                    - day: light\n- **night**\n\n## Scope\n\nAt home.\n\n## Notes\n\nMine.\n";
        let body = Body::of_file(text).unwrap();
        assert_eq!((body.motion.as_str(), body.scope.as_deref()), ("Rest.\nAlways.", Some("At home.")));
        assert_eq!(
            body.definitions,
            pairs(&[("rest", "a pause of any length"), ("work", "the rest"), ("day", "light")])
        );
        assert_eq!((body.undefined, body.others), (vec!["- **night**".into()], pairs(&[("Notes", "Mine.")])));
    }

    #[test]
    fn only_a_file_that_says_motion_first_has_this_form() {
        for text in ["# Motion\nRest.", "\u{feff}\n## MOTION\n\nRest.", "{\"debate_id\": \"x\"}\n\n# Motion\n\nRest."] {
            assert_eq!(Body::of_file(text).map(|body| body.motion).as_deref(), Some("Rest."), "{text}");
        }
        for text in
            ["Rest.", "# Rest\n\nAlways.", "We say:\n# Motion\nRest.", "# Motion\n\n## Scope\nx", "#Motion\nx", ""]
        {
            assert_eq!(Body::of_file(text), None, "{text}");
        }
        let fenced = Body::of_file("# Motion\n\nRest.\n```\n## Scope\n```\n").unwrap();
        assert_eq!((fenced.scope, fenced.motion.contains("## Scope")), (None, true));
    }
}
