//! The documents of the authors: Markdown whose headings define the layout.

use std::collections::{BTreeMap, BTreeSet};

use agon_text::{count_words, folded_words};

pub use crate::common::headings::{Heading, parse_headings, unfenced_lines};

/// Longest document, in characters: about fifteen thousand words.
pub const CHARS_MAX: usize = 100_000;
/// Fewer words than this are an excuse, not a document.
const WORDS_MIN: usize = 10;
/// Maximum number of places of a document that a critique may choose from, and the longest of them in characters.
const PLACES_MAX: usize = 60;
const PLACE_CHARS_MAX: usize = 120;
/// The place of a document without headings.
pub const WHOLE: &str = "the whole document";

/// A section of a document with its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSection {
    /// Its heading, with or without the marks in front.
    pub heading: String,
    /// What stands under the heading up to the next heading of the document that it does not bring itself.
    pub text: String,
}

/// `document` with the new text of each of `changed`. The line --- that ends a section is kept.
///
/// # Errors
/// A sentence, where a section does not exist, or one would stand twice.
pub fn replace_sections(document: &str, changed: &[ChangedSection]) -> Result<String, String> {
    let known = parse_headings(document);
    let mut texts: BTreeMap<usize, String> = BTreeMap::new();
    // Headings of the document that the text of a section before them brings.
    let mut brought: BTreeSet<usize> = BTreeSet::new();
    for section in changed {
        let at = find_section(&known, &section.heading)?;
        let text = without_heading(&clean_document(&section.text), &known[at]);
        let new = parse_headings(&text);
        let is_new = |at: &usize| new.iter().any(|heading| heading.is_same(&known[*at]));
        let within = (at + 1..known.len()).take_while(|next| known[*next].level > known[at].level);
        let within: Vec<usize> = within.take_while(is_new).collect();
        let is_elsewhere =
            |heading: &&Heading| (0..known.len()).any(|at| !within.contains(&at) && known[at].is_same(heading));
        if let Some(twice) = new.iter().find(is_elsewhere) {
            return Err(format!(
                "{:?} would stand twice: the text of {:?} brings it, and it stays where it is",
                twice.text, known[at].text
            ));
        }
        brought.extend(within);
        if texts.insert(at, text).is_some() {
            return Err(format!("the section {:?} is given twice", known[at].text));
        }
    }
    if let Some(at) = texts.keys().find(|at| brought.contains(*at)) {
        return Err(format!("the section {:?} is given twice", known[*at].text));
    }
    let lines: Vec<&str> = document.lines().collect();
    let end = |at: usize| known.get(at + 1).map_or(lines.len(), |next| next.line);
    let start = known.first().map_or(lines.len(), |first| first.line);
    let mut blocks: Vec<String> = vec![lines[..start].join("\n")];
    for at in (0..known.len()).filter(|at| !brought.contains(at)) {
        let line = known[at].line;
        let Some(text) = texts.get(&at) else {
            blocks.push(lines[line..end(at)].join("\n"));
            continue;
        };
        let last = (at + 1..known.len()).take_while(|next| brought.contains(next)).last().unwrap_or(at);
        let is_ruled = |text: &str| text.trim_end().lines().next_back() == Some("---");
        let rule = is_ruled(&lines[line + 1..end(last)].join("\n")) && !is_ruled(text);
        let parts = [lines[line], text, if rule { "---" } else { "" }].into_iter();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        blocks.push(parts.join("\n\n") + "\n");
    }
    Ok(blocks.join("\n").trim().to_owned())
}

/// The place among the headings `known` of the one that `named` names.
fn find_section(known: &[Heading], named: &str) -> Result<usize, String> {
    let marks = named.len() - named.trim_start_matches('#').len();
    let words = normalise_words(named);
    let all = (0..known.len()).filter(|at| normalise_words(&known[*at].text) == words);
    let mut found: Vec<usize> = all.collect();
    if found.iter().any(|at| known[*at].level == marks) {
        found.retain(|at| known[*at].level == marks);
    }
    match found[..] {
        [at] => Ok(at),
        [] => Err(format!("your document has no heading {named:?}; copy one of its headings with the marks")),
        _ => Err(format!("{named:?} stands twice in your document; write the whole document instead")),
    }
}

/// `text` without its first line where that is `heading` again.
fn without_heading(text: &str, heading: &Heading) -> String {
    let again = parse_headings(text).first().is_some_and(|first| first.line == 0 && first.is_same(heading));
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    if again { rest.trim().to_owned() } else { text.to_owned() }
}

impl Heading {
    /// Whether it has the same level and words as `other`.
    pub(super) fn is_same(&self, other: &Heading) -> bool {
        self.level == other.level && normalise_words(&self.text) == normalise_words(&other.text)
    }
}

/// The places of `text` that a critique can name.
pub fn list_places(text: &str) -> Vec<String> {
    let mut told = BTreeSet::new();
    let places = parse_headings(text).into_iter();
    let places = places.map(|heading| heading.text.chars().take(PLACE_CHARS_MAX).collect::<String>());
    let mut places: Vec<String> = places.filter(|place| told.insert(place.clone())).take(PLACES_MAX).collect();
    if places.is_empty() {
        places.push(WHOLE.into());
    }
    places
}

/// `text` without the code fence or the tags of a prompt around the whole of it, which models like to
/// add, and with line ends of one kind.
pub fn clean_document(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim();
    let text = match text.split_once('\n') {
        Some((first, rest)) if is_tag(first) => rest.trim(),
        _ => text,
    };
    let text = match text.rsplit_once('\n') {
        Some((rest, last)) if is_tag(last) => rest.trim(),
        _ => text,
    };
    strip_fence(text).unwrap_or(text).to_owned()
}

/// Whether a line is one of the tags that stand around documents in prompts.
fn is_tag(line: &str) -> bool {
    let line = line.trim();
    line == "</document>" || (line.starts_with("<document") && line.ends_with('>'))
}

fn strip_fence(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    let language = first.strip_prefix("```")?.trim();
    let inside = rest.strip_suffix("```")?;
    let alone = !inside.lines().any(|line| line.trim_start().starts_with("```"));
    (["", "markdown", "md", "text"].contains(&language) && (alone || !language.is_empty())).then(|| inside.trim())
}

/// What keeps `text` from being a document at all.
pub fn check_document(text: &str) -> Option<String> {
    let words = count_words(text);
    let chars = text.chars().count();
    if words < WORDS_MIN {
        return Some(format!("the document has {words} words; write it out in full"));
    }
    if chars > CHARS_MAX {
        return Some(format!("the document has {chars} characters; at most {CHARS_MAX} are read"));
    }
    let tagged = unfenced_lines(text).any(|(_, line)| is_tag(line));
    tagged.then(|| "a tag of the prompt stands in the text; write the document once, without tags and notes".into())
}

/// What is wrong where headings do not stand on lines of their own; a heading is kept whole only
/// there.
pub fn run_together(text: &str) -> Option<String> {
    let marks = [" # ", " ## ", " ### "];
    let run_on = parse_headings(text).into_iter().find(|heading| marks.iter().any(|mark| heading.text.contains(mark)));
    run_on.map(|_| "headings stand on one line with other text; write \\n\\n before and behind each heading".into())
}

/// `text` for comparison: its words alone, with a blank between them.
pub fn normalise_words(text: &str) -> String {
    folded_words(text).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_read_outside_fences() {
        let text = "# A  b #\n```sh\n# no\n```\n#no\n####### no\n## C\n";
        let found: Vec<(usize, String)> = parse_headings(text).into_iter().map(|h| (h.level, h.text)).collect();
        assert_eq!(found, [(1, "A b".to_owned()), (2, "C".to_owned())]);
        assert_eq!(list_places(text), ["A b", "C"]);
        assert_eq!(list_places("No heading."), [WHOLE]);
    }

    #[test]
    fn a_fence_around_the_whole_is_taken_off_and_no_other() {
        assert_eq!(clean_document("```markdown\r\n# A\r\ntext\n```\n"), "# A\ntext");
        assert_eq!(clean_document("```markdown\n# A\n```sh\nls\n```\nend\n```"), "# A\n```sh\nls\n```\nend");
        assert_eq!(clean_document("```\na\n```\nb\n```\nc\n```"), "```\na\n```\nb\n```\nc\n```");
        assert_eq!(clean_document("# A\n```sh\nls\n```"), "# A\n```sh\nls\n```");
        assert_eq!(clean_document("<document by=\"you\">\n# A\ntext\n</document>"), "# A\ntext");
    }

    const NOTES: &str = "Preface.\n\n# Notes\n\n## Costs\nA quarter.\n\n```sh\n## Costs\n```\n\n---\n\n### Paper\n\nA sheet.\n\n## Open\n\nWho?";

    fn replaced(sections: &[(&str, &str)]) -> Result<String, String> {
        let section =
            |(heading, text): &(&str, &str)| ChangedSection { heading: (*heading).into(), text: (*text).into() };
        replace_sections(NOTES, &sections.iter().map(section).collect::<Vec<_>>())
    }

    #[test]
    fn a_changed_section_ends_before_the_next_heading_and_the_rest_stays() {
        assert_eq!(replaced(&[]), Ok(NOTES.to_owned()));
        let costs = "A quarter.\n\n```sh\n## Costs\n```\n\n---\n\n### Paper";
        for (heading, text) in [
            ("## Costs", "Half."),
            ("Costs", "## Costs\n\nHalf.\n"),
            ("# costs", "Half.\n\n---"),
            ("## Costs ##", "```markdown\nHalf.\n```"),
        ] {
            let wanted = NOTES.replace(costs, "\nHalf.\n\n---\n\n### Paper");
            assert_eq!(replaced(&[(heading, text)]), Ok(wanted), "{heading}");
        }
        let both = replaced(&[("## Open", "You.\n\n### By when\n\nSoon."), ("### Paper", "None.")]);
        let wanted = NOTES.replace("Who?", "You.\n\n### By when\n\nSoon.").replace("A sheet.", "None.");
        assert_eq!(both, Ok(wanted), "a new section stands in the text of the one before it");
        let whole = replaced(&[("## Costs", "Half.\n\n### Paper\n\nNone.")]).unwrap();
        assert!(whole.contains("## Costs\n\nHalf.\n\n### Paper\n\nNone.\n\n## Open"), "{whole}");
    }

    #[test]
    fn a_section_that_does_not_exist_or_would_stand_twice_is_told() {
        for (sections, told) in [
            (&[("## Price", "Half.")][..], "no heading \"## Price\""),
            (&[("", "Half.")], "no heading \"\""),
            (&[("## Costs", "Half."), ("Costs", "A third.")], "\"Costs\" is given twice"),
            (&[("# Notes", "All.\n\n## Open\n\nYou.")], "\"Open\" would stand twice"),
            (&[("## Costs", "### Paper\n\nNone."), ("### Paper", "One.")], "\"Paper\" is given twice"),
        ] {
            let found = replaced(sections).unwrap_err();
            assert!(found.contains(told), "{sections:?}: {found}");
        }
        let twice = [ChangedSection { heading: "## A".into(), text: "x".into() }];
        let found = replace_sections("## A\n\none\n\n## A\n\ntwo", &twice).unwrap_err();
        assert!(found.contains("stands twice"), "{found}");
    }

    #[test]
    fn headings_that_run_into_the_text_are_told() {
        assert!(run_together("# Rules ## Who May Borrow Everybody. ## How Long").is_some());
        assert_eq!(run_together("# Rules\n\n## Who\n\nUse # 5 or C# code."), None);
    }

    #[test]
    fn an_excuse_is_no_document() {
        assert!(check_document("").is_some() && check_document("I cannot help with that.").is_some());
        let twice = format!("{0}\n</document>\n## Gaps\n<document>\n{0}", "word ".repeat(WORDS_MIN));
        assert!(check_document(&twice).unwrap().contains("tag"));
        assert!(check_document(&"word ".repeat(CHARS_MAX)).unwrap().contains("at most 100000"));
        assert_eq!(check_document(&"word ".repeat(WORDS_MIN)), None);
    }
}
