//! The support of a claim: its allowed kinds (rule D7), and whether it exists (rule D11).
//!
//! An entry of support is one line, as the artifact shows it: `Principle: …`, `plan.md: "…"`,
//! `Turn 2: …`, or an address. A draft gives kind and text apart; the source system's own form, a
//! line, is taken as well.
//!
//! An entry that is not support, or that cannot be shown to stand where it says, is told once. After
//! that it is left out, if the claim has other support, and a warning names it: what cannot be shown
//! is never shown as support, and does not cost the claim what it does rest on.

use std::cell::RefCell;

use agon_core::Faults;
use agon_text::{FoldedText, QuoteMatch, find_quotations, find_quote};
use serde_json::Value;

use crate::common::{
    citable_document::CitableDocument,
    fields::{one_line, shown_start},
    form::{Form, Kind, Reader, choice_kind, form_field, list_kind, quotation_kind, text_kind},
};

/// Maximum number of entries for one claim: more is a list of links, not an argument.
pub const SUPPORT_MAX: usize = 4;
/// Rules of a single entry.
pub const ENTRY_RULES: [&str; 2] = ["D7", "D11"];
/// Kinds as a draft names them. `principle` stands first, since everyone can give one.
const KINDS: [&str; 5] = ["principle", "source", "turn", "url", "file"];

/// The kind of thing that an entry of support refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupportKind {
    /// A reason of its own.
    Principle,
    /// A page.
    Url,
    /// An earlier turn of the duel.
    Turn,
    /// A file, the source document above all.
    File,
}

impl SupportKind {
    /// What `entry` refers to; `None` where it is not support in the sense of rule D7.
    pub fn parse(entry: &str) -> Option<Self> {
        let (label, rest) = entry.split_once(':').unwrap_or((entry, ""));
        let words = || entry.split_whitespace();
        if label.trim().eq_ignore_ascii_case("principle") {
            return rest.contains(char::is_alphanumeric).then_some(SupportKind::Principle);
        }
        if words().any(is_address) {
            return Some(SupportKind::Url);
        }
        if !parse_turn_numbers(entry).is_empty() {
            return Some(SupportKind::Turn);
        }
        words().any(is_file).then_some(SupportKind::File)
    }
}

/// Numbers of the turns that `text` names: `Turn 2`, `turns 2`, `TURN #2`.
pub fn parse_turn_numbers(text: &str) -> Vec<u32> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named = words.windows(2).filter(|pair| ["turn", "turns"].contains(&pair[0].to_lowercase().as_str()));
    named.filter_map(|pair| pair[1].parse().ok()).collect()
}

/// The files that an entry cites, each with the line or heading behind it.
pub fn find_cited_files(entry: &str) -> impl Iterator<Item = &str> {
    let words = entry.split_whitespace().filter(|_| SupportKind::parse(entry) == Some(SupportKind::File));
    let trimmed = words.filter(|word| is_file(word)).map(|word| {
        word.trim_start_matches(|c: char| !c.is_alphanumeric() && !"./_~".contains(c))
            .trim_end_matches(|c: char| !c.is_alphanumeric())
    });
    trimmed.filter(|word| !word.is_empty())
}

fn is_address(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(char::is_alphanumeric) || rest.starts_with('['))
}

/// A name with an extension, a line or an anchor behind it or not.
fn is_file(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let path = word.split(['#', ':']).next().unwrap_or(word);
    let Some((stem, end)) = path.rsplit_once('.') else { return false };
    let one_case = !end.contains(char::is_uppercase) || !end.contains(char::is_lowercase);
    let is_extension = (1..=8).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_alphabetic());
    let named = stem.chars().filter(|c| c.is_alphanumeric()).count() >= 2;
    named && one_case && is_extension && end.chars().all(|c| c.is_ascii_alphanumeric())
}

/// A list of support with `count_min` entries or more. A model chooses among kinds that it has, and is offered these
/// `passages` of the document.
pub fn support_list_kind(count_min: usize, turn: u32, passages: &[String]) -> Kind {
    let kinds = KINDS.into_iter().filter(|kind| *kind != "turn" || turn > 1);
    let entries = kinds.map(|kind| {
        let is_passage = kind == "source" && !passages.is_empty();
        entry_form(&[kind], if is_passage { quotation_kind(passages) } else { text_kind(8, 600) })
    });
    list_kind(count_min, SUPPORT_MAX, Kind::AnyOf(entries.collect()))
}

fn entry_form(kinds: &[&str], what: Kind) -> Form {
    Form::new("D7", [form_field("kind", choice_kind(kinds.iter().copied())), form_field("text", what)])
}

/// Reads support, and knows what there is to cite.
pub struct Evidence<'s> {
    /// The turn that cites: only earlier ones exist.
    pub turn: u32,
    /// The document of the duel.
    pub source: &'s CitableDocument,
    /// The words of earlier turns, by number; those that may not be shown are missing.
    pub said: &'s [(u32, String)],
    /// Whether the author was told before of support that cannot be shown.
    pub told: bool,
    /// What was left out, as warnings.
    pub left_out: RefCell<Vec<String>>,
}

impl<'s> Evidence<'s> {
    /// What turn `turn` may cite, of which nothing was read so far.
    pub fn new(turn: u32, source: &'s CitableDocument, said: &'s [(u32, String)], told: bool) -> Self {
        Self { turn, source, said, told, left_out: RefCell::default() }
    }

    /// The entries in the field `name`, each as one line. Whether there must be any is the
    /// caller's rule.
    pub fn parse_support(&self, fields: &Reader<'_, '_>, name: &str, faults: &mut Faults) -> Vec<String> {
        let items = fields.read_items(name, faults);
        if items.len() > SUPPORT_MAX {
            let message = format!("{} entries are too many; give the best {SUPPORT_MAX}", items.len());
            faults.add("D7", fields.field_path(name), message);
        }
        let (mut entries, mut doubtful, mut wrong) = (Vec::new(), Vec::new(), Faults::default());
        for (i, item) in items.iter().enumerate() {
            let mut found = Faults::default();
            let entry = self.parse_entry(item, &format!("{}[{i}]", fields.field_path(name)), &mut found);
            match found.0.is_empty() {
                true => entries.extend(entry),
                false => {
                    doubtful.extend(entry);
                    wrong.0.extend(found.0);
                }
            }
        }
        let of_entries = wrong.0.iter().all(|fault| ENTRY_RULES.contains(&fault.rule.as_str()));
        if self.told && of_entries && !entries.is_empty() {
            let left_out = wrong.0.iter().map(|fault| format!("{fault}; it was left out"));
            self.left_out.borrow_mut().extend(left_out);
        } else {
            faults.0.extend(wrong.0);
            entries.extend(doubtful);
        }
        entries
    }

    fn parse_entry(&self, item: &Value, at: &str, faults: &mut Faults) -> Option<String> {
        let source = self.source;
        if let Some(line) = item.as_str() {
            let line = one_line(line);
            let cites_source = source.is_named(&line) && SupportKind::parse(&line) == Some(SupportKind::File);
            self.check_entry(&line, cites_source, at, faults);
            return Some(line);
        }
        let form = entry_form(&KINDS, text_kind(8, 600));
        let fields = form.open_reader(item, at, faults)?;
        let (kind, text) = (fields.read_text("kind", faults), fields.read_text("text", faults));
        if kind.is_empty() || text.is_empty() {
            return None;
        }
        let line = match kind.as_str() {
            "principle" if SupportKind::parse(&text) != Some(SupportKind::Principle) => {
                format!("Principle: {text}")
            }
            "source" if source.is_passage(&text) => format!("{}: \"{text}\"", source.name),
            "source" if !source.is_named(&text) => format!("{}: {text}", source.name),
            _ => text,
        };
        let wanted = match kind.as_str() {
            "turn" => (parse_turn_numbers(&line).is_empty()).then_some("names no turn; begin it with \"Turn N:\""),
            "url" => (!line.split_whitespace().any(is_address))
                .then_some("holds no address that begins with http:// or https://"),
            "file" => (!line.split_whitespace().any(is_file)).then_some("names no file with an extension"),
            _ => None,
        };
        // A participant who calls the document a file cites it all the same.
        let cites_source = kind == "source" || (kind == "file" && source.is_named(&line));
        match wanted {
            Some(wanted) => faults.add("D7", fields.field_path("text"), format!("{:?} {wanted}", shown_start(&line))),
            None => self.check_entry(&line, cites_source, &fields.field_path("text"), faults),
        }
        Some(line)
    }

    /// Whether the words that `line` quotes from an earlier turn were said there.
    fn check_turn_quotes(&self, line: &str) -> Result<(), String> {
        let named = parse_turn_numbers(line);
        let texts: Vec<&String> =
            self.said.iter().filter(|(turn, _)| named.contains(turn)).map(|(_, text)| text).collect();
        // What may not be shown any more is not compared.
        if texts.len() < named.len() {
            return Ok(());
        }
        let folded: Vec<FoldedText> = texts.iter().map(|text| FoldedText::new(text)).collect();
        let is_said = |quote: &str| {
            folded
                .iter()
                .any(|text| matches!(find_quote(text, quote), QuoteMatch::Verbatim(_) | QuoteMatch::Edited { .. }))
        };
        match find_quotations(line).into_iter().find(|quote| !is_said(quote.text)) {
            None => Ok(()),
            Some(quote) => Err(format!(
                "{:?} was not said there; copy the words exactly, or tell them in your own without marks",
                shown_start(quote.text)
            )),
        }
    }

    /// Whether `line` is support, and what it cites is there.
    fn check_entry(&self, line: &str, cites_source: bool, at: &str, faults: &mut Faults) {
        if SupportKind::parse(line).is_none() {
            let message = format!(
                "{:?} is no support; give an address, \"Turn N: …\", a passage of the document, or \"Principle: …\"",
                shown_start(line)
            );
            faults.add("D7", at, message);
        }
        if let Some(turn) = parse_turn_numbers(line).into_iter().find(|turn| !(1..self.turn).contains(turn)) {
            let message = match self.turn {
                1 => format!("turn {turn} does not exist: this is the first turn; cite the document instead"),
                now => format!("turn {turn} does not exist; turns 1 to {} do", now - 1),
            };
            // A document may speak of turns of its own.
            if !cites_source {
                faults.add("D7", at, message);
            }
        }
        if cites_source && let Err(why) = self.source.check_citation(line) {
            faults.add("D11", at, why);
        }
        if !cites_source
            && SupportKind::parse(line) == Some(SupportKind::Turn)
            && let Err(why) = self.check_turn_quotes(line)
        {
            faults.add("D11", at, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d7_support_is_an_address_a_principle_a_file_or_a_turn() {
        let table = [
            ("https://a.org/x y", Some(SupportKind::Url)),
            ("See http://a.org/x.", Some(SupportKind::Url)),
            ("(https://[::1]/)", Some(SupportKind::Url)),
            ("Principle: who asserts must show", Some(SupportKind::Principle)),
            ("principle : as https://a.org says", Some(SupportKind::Principle)),
            ("Turn 2: the cost was granted", Some(SupportKind::Turn)),
            ("as turn 3, novel argument, says", Some(SupportKind::Turn)),
            ("plan.md:12", Some(SupportKind::File)),
            ("docs/PLAN.MARKDOWN#Costs", Some(SupportKind::File)),
            ("`src/lib.rs`", Some(SupportKind::File)),
            ("https://", None),
            ("ftp://a.org/x", None),
            ("Principle:", None),
            ("Principle: …", None),
            ("return 2", None),
            ("Turn two", None),
            ("Common sense, e.g. that costs grow by 3.5 %.", None),
            ("It fell.It rose.", None),
            ("", None),
        ];
        for (entry, kind) in table {
            assert_eq!(SupportKind::parse(entry), kind, "{entry:?}");
        }
    }
}
