//! `*_v{N}.md`: a revised document with the comment that says what was addressed and what defended,
//! written and read.

use agon_core::Faults;
use agon_protocols::revise::{critique::weakness_id as id, settings::ReviseMode};
use agon_text::markdown::escape_line;

use crate::{document, markup::render_bullets};

const OPENS: &str = "<!-- Revision v";
const DEFENSE: &str = "### Defense";

/// A revised document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionFile {
    /// 2 for the first revision.
    pub version: u32,
    /// Whether it is a review's, which says `Incorporated` where others say `Addressed`.
    pub review: bool,
    /// What was addressed: `W1: what changed and why`, or as the file has it.
    pub addressed: Vec<String>,
    /// What was defended: `W2`, or as the file has it.
    pub defended: Vec<String>,
    /// The reasons of what was defended, one line each; empty without a section of that name.
    pub defense: Vec<String>,
    /// The document without all this.
    pub document: String,
}

impl RevisionFile {
    /// The file of what an author wrote in `round`.
    pub fn from_revision(mode: ReviseMode, round: u32, revision: &agon_protocols::revise::revision::Revision) -> Self {
        let points = |defended: bool| revision.points.iter().filter(move |point| point.defended == defended);
        Self {
            version: round + 1,
            review: mode == ReviseMode::Review,
            addressed: points(false).map(|point| format!("{}: {}", id(point.weakness), point.words)).collect(),
            defended: points(true).map(|point| id(point.weakness)).collect(),
            defense: points(true).map(|point| format!("{}: {}", id(point.weakness), point.words)).collect(),
            document: revision.document.clone(),
        }
    }

    /// What was addressed, as the comment and the log have it.
    pub fn summarize_addressed(&self) -> String {
        format_entries(&self.addressed)
    }

    /// The file: comment, defence, document; every text guarded.
    pub fn render(&self) -> String {
        let verb = if self.review { "Incorporated" } else { "Addressed critique points" };
        let [addressed, defended] = [&self.addressed, &self.defended].map(|entries| format_entries(entries));
        let mut blocks = vec![format!("{OPENS}{}: {verb} [{addressed}]. Defended: [{defended}]. -->", self.version)];
        if !self.defense.is_empty() {
            let bullets = render_bullets(self.defense.iter().map(|text| escape_line(text)));
            blocks.push(format!("{DEFENSE}\n{bullets}"));
        }
        blocks.push(document::guard_document(&self.document));
        blocks.join("\n\n") + "\n"
    }

    /// Reads a file. `version` is the one that its name bears, where it is known. R1: the comment is
    /// there and names that version; R4: what is defended has its reasons.
    pub fn parse(text: &str, version: Option<u32>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let Some(file) = Self::parse_leniently(text) else {
            let message =
                "its first line is not \"<!-- Revision vN: Addressed critique points [...]. Defended: [...]. -->\"";
            return Err(Faults::one("R1", "", message));
        };
        let found = file.version;
        if let Some(wanted) = version.filter(|wanted| *wanted != found) {
            faults.add("R1", "", format!("its comment says version {found}, its name version {wanted}"));
        }
        if !file.defended.is_empty() && file.defense.is_empty() {
            let message = format!("{} is defended, but there is no section {DEFENSE:?}", file.defended.join(", "));
            faults.add("R4", "", message);
        }
        faults.into_result(file)
    }

    /// What can be read in a file whose comment is there, whatever else it breaks.
    pub fn parse_leniently(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let (version, review, addressed, defended) = parse_header(first.trim())?;
        let (defense, document) = split_defense(rest);
        Some(Self { version, review, addressed, defended, defense, document })
    }
}

/// Entries of a list in the comment: no text can end the list or the comment.
fn format_entries(entries: &[String]) -> String {
    let clean = |entry: &String| {
        let text = entry.replace('[', "(").replace(']', ")").replace(';', ",");
        escape_line(document::merge_hyphens(text).trim_end_matches('-'))
    };
    entries.iter().map(clean).collect::<Vec<_>>().join("; ")
}

/// Version, whether it is a review's, what was addressed, what defended.
fn parse_header(line: &str) -> Option<(u32, bool, Vec<String>, Vec<String>)> {
    let (version, rest) = line.strip_prefix(OPENS)?.split_once(':')?;
    let rest = rest.trim().strip_suffix("-->")?.trim();
    let (verb, lists) = rest.split_once('[')?;
    let review = match verb.trim() {
        "Addressed critique points" | "Addressed" => false,
        "Incorporated" => true,
        _ => return None,
    };
    let (addressed, rest) = lists.split_once(']')?;
    let defended = rest.trim_start_matches('.').trim().strip_prefix("Defended:")?.trim().strip_prefix('[')?;
    let (defended, _) = defended.split_once(']')?;
    let entries = |list: &str| {
        let separator = if list.contains("; ") { "; " } else { "," };
        // Our own entries are words that may hold commas; a foreign list of numbers has nothing else.
        let whole = separator == "," && list.contains(':');
        let parts: Vec<&str> = if whole { vec![list] } else { list.split(separator).collect() };
        parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
    };
    Some((version.trim().parse().ok()?, review, entries(addressed), entries(defended)))
}

/// The defence at the top, line by line, and the document behind it. The section ends with the next
/// heading, or where a paragraph follows its bullets.
fn split_defense(text: &str) -> (Vec<String>, String) {
    let text = text.trim_start_matches('\n');
    let Some(rest) = text.strip_prefix(DEFENSE) else { return (Vec::new(), text.trim_end().to_owned()) };
    let mut reasons: Vec<String> = Vec::new();
    let mut taken = 0;
    let mut blank = false;
    for line in rest.split_inclusive('\n') {
        let shown = line.trim();
        let bulleted = shown.starts_with("- ");
        let ends = shown.starts_with('#') || (blank && !bulleted && !shown.is_empty() && !reasons.is_empty());
        if taken > 0 && ends {
            break;
        }
        taken += line.len();
        blank = shown.is_empty();
        if !shown.is_empty() {
            reasons.push(shown.strip_prefix("- ").unwrap_or(shown).to_owned());
        }
    }
    (reasons, rest[taken..].trim().to_owned())
}
