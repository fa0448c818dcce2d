//! The debate artifact, the Markdown file that the source system's participants write, as
//! plain values, and the file made of them.
//!
//! Writing is exact; nothing is guarded here. [`super::artifact_writer`] takes a record's texts, guards them
//! and fills these values; [`super::artifact_parser`] reads the file back.

use agon_core::Faults;
use agon_protocols::duel::turn::Contribution;

use crate::markup::{self, join_lines};

/// What stands for an outcome while a duel continues.
pub const PENDING: &str = "PENDING";

/// A debate artifact: the Markdown file with the turns and the conclusion of a duel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// What is debated.
    pub topic: String,
    /// Path of the source document.
    pub source_path: String,
    /// A Markdown link to it.
    pub source_link: String,
    /// `ACTIVE` or `CLOSED`.
    pub status: String,
    /// When the duel was opened.
    pub created: String,
    /// Names the duel.
    pub duel_id: String,
    /// The topic as a file name has it.
    pub topic_slug: String,
    /// How many turns it may have.
    pub turns_max: u32,
    /// Whether both lean to agreement without having reached it.
    pub candidate_convergence: bool,
    /// Who takes part.
    pub participants: Vec<ParticipantRow>,
    /// What was said, in order.
    pub turns: Vec<TurnSection>,
    /// How it ended.
    pub conclusion: Conclusion,
}

/// A row of the table of participants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantRow {
    /// Name; unique in the duel.
    pub name: String,
    /// The host that it runs in.
    pub harness: String,
    /// Its model.
    pub model: String,
    /// When it joined.
    pub joined: String,
}

/// A turn's section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSection {
    /// From 1.
    pub number: u32,
    /// Who spoke.
    pub participant: String,
    /// The host that it runs in.
    pub harness: String,
    /// Its model.
    pub model: String,
    /// What it said.
    pub said: Contribution,
    /// Why the peer's turn after it did not come; then the same participant may speak again.
    pub peer_timeout: Option<String>,
}

/// The last section of an artifact: the outcome and its reason, empty while the duel is open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conclusion {
    /// An outcome of the format, or [`PENDING`].
    pub outcome: String,
    /// When it was closed.
    pub closed_at: Option<String>,
    /// Whether both leaned to agreement in the end.
    pub candidate_convergence: bool,
    /// Why it ended so; empty while it continues.
    pub reason: String,
    /// What a reader should take from it; empty while it continues.
    pub summary: String,
}

impl Conclusion {
    /// That of a duel which continues.
    pub fn pending(candidate_convergence: bool) -> Self {
        Self { outcome: PENDING.into(), candidate_convergence, ..Self::default() }
    }
}

impl Artifact {
    /// The file.
    pub fn render(&self) -> String {
        let convergence = yes_no(self.candidate_convergence);
        let turns_max = self.turns_max.to_string();
        let Self { topic, source_link, status, created, .. } = self;
        let path = render_code_span(&self.source_path);
        let mut blocks = vec![format!("# Socratic Duel: {topic}")];
        blocks.push(format!(
            "**Source Document**: {path}\n**Source Link**: {source_link}\n**Status**: {status}\n**Created**: {created}"
        ));
        blocks.push("## Metadata".into());
        let rows = [
            ("Duel ID", self.duel_id.as_str()),
            ("Source Path", &self.source_path),
            ("Topic", topic),
            ("Topic Slug", &self.topic_slug),
            ("Max Turns", &turns_max),
            ("Status", status),
            ("Candidate Convergence", convergence),
        ];
        blocks.push(render_table(&["Field", "Value"], rows.iter().map(|(name, value)| vec![*name, *value])));
        blocks.push("## Participants".into());
        let participants = self.participants.iter();
        let rows = participants.map(|one| vec![one.name.as_str(), &one.harness, &one.model, &one.joined]);
        blocks.push(render_table(&["Participant", "Harness", "Model", "Joined"], rows));
        blocks.extend(self.turns.iter().flat_map(|turn| ["---".to_owned(), turn.render()]));
        blocks.push(self.conclusion.render());
        blocks.join("\n\n") + "\n"
    }
}

impl TurnSection {
    /// Its section, from the heading on.
    pub fn render(&self) -> String {
        let Self { number, participant, harness, model, said, .. } = self;
        let Contribution { position, counterpoints, agreements, novel, unresolved, stance, stance_support, .. } = said;
        let points = counterpoints.iter().map(|point| {
            let head = format!("- Addresses: {}\n  Claim: {}\n  Support:", point.addresses, point.claim);
            join_lines(std::iter::once(head).chain(format_support_entries(&point.support)), "")
        });
        let items = unresolved.iter().map(|item| {
            let blocking = if item.blocking { "blocking" } else { "non-blocking" };
            format!("- {} ({blocking})", item.text)
        });
        let changed = join_lines(stance_support.iter().map(|text| format!("- {text}")), "- None");
        let mut blocks = vec![
            format!("## Turn {number} — {participant} ({harness} / {model}) — {}", stance.name()),
            format!("**Position**\n{position}"),
            render_labelled_list("Counterpoints", points),
            render_labelled_list("Agreements", agreements.iter().map(|text| format!("- {text}"))),
            format!("**Novel Argument**\n{}", novel.claim),
            join_lines(std::iter::once("Support:".to_owned()).chain(format_support_entries(&novel.support)), ""),
            render_labelled_list("Unresolved Items", items),
            format!("**Stance Revision Support**\n{changed}"),
        ];
        blocks.extend(self.peer_timeout.as_ref().map(|why| format!("**Peer Timeout**: {why}")));
        blocks.join("\n\n")
    }
}

impl Conclusion {
    /// Its section, from the heading on.
    pub fn render(&self) -> String {
        let or_pending = |text: &str| if text.is_empty() { "Pending".to_owned() } else { text.to_owned() };
        let lines = format!(
            "**Outcome**: {}\n**Closed At**: {}\n**Candidate Convergence**: {}\n**Reason**: {}",
            self.outcome,
            or_pending(self.closed_at.as_deref().unwrap_or_default()),
            yes_no(self.candidate_convergence),
            or_pending(&self.reason),
        );
        let summary = if self.outcome == PENDING { "The duel goes on." } else { self.summary.as_str() };
        format!("## Terminal Conclusion\n\n{lines}\n\n{summary}")
    }
}

/// A path as code: within as many backticks as it needs.
pub fn render_code_span(path: &str) -> String {
    if path.contains('`') { format!("`` {path} ``") } else { format!("`{path}`") }
}

pub(super) fn yes_no(yes: bool) -> &'static str {
    if yes { "Yes" } else { "No" }
}

fn render_table<'r>(head: &[&str], rows: impl Iterator<Item = Vec<&'r str>>) -> String {
    let cell = |text: &str| agon_text::to_single_line(text).replace('|', "\\|");
    let line = |cells: Vec<&str>| format!("| {} |", cells.into_iter().map(cell).collect::<Vec<_>>().join(" | "));
    markup::render_table(head, rows.map(line))
}

fn render_labelled_list(label: &str, items: impl Iterator<Item = String>) -> String {
    join_lines(std::iter::once(format!("**{label}**")).chain(items), "")
}

fn format_support_entries(support: &[String]) -> impl Iterator<Item = String> {
    support.iter().map(|entry| format!("    - {entry}"))
}

/// Adds what breaks a rule, unless it `holds`.
pub(super) fn check_rule(faults: &mut Faults, holds: bool, rule: &str, at: &str, message: impl Into<String>) {
    if !holds {
        faults.add(rule, at, message);
    }
}
