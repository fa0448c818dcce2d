//! `blog-post.md`: an article about the topic that never mentions the debate. There is none where
//! the debate is void, and none that could be computed: the reporter writes it or nobody does.

use agon_protocols::chaired::{
    objections::ObjectedText,
    report::{self, Blog},
    verification::SourceStatus,
};
use agon_text::markdown::{escape_line, escape_prose, escape_start};

use super::{DebateView, assessment, find_log_conclusion, log::LogEntry, transcript::render_link};
use crate::markup::{join_lines, render_bullets};

/// The file; `entries` with redacted ones hidden.
pub fn render_blog_post(debate: &DebateView<'_>, entries: &[LogEntry]) -> Option<String> {
    if find_log_conclusion(entries).is_none_or(|(outcome, _)| outcome == "void") {
        return None;
    }
    let Blog { headline, opening, case_for, case_against, takeaways } =
        report::accepted_blog(&debate.accepted_text("blog")?)?;
    let mut blocks = vec![format!("# {}", escape_line(&headline))];
    blocks.extend(assessment::render_objection_marks(debate, &[ObjectedText::Blog]));
    blocks.push(escape_prose(&opening));
    blocks.extend(["## The Case For".into(), escape_prose(&case_for)]);
    blocks.extend(["## The Case Against".into(), escape_prose(&case_against)]);
    blocks.push("## Key Takeaways".into());
    blocks.push(render_bullets(takeaways.iter().map(|text| escape_start(text))));
    blocks.extend(["## Sources".into(), render_verified_sources(debate, entries)]);
    Some(blocks.join("\n\n") + "\n")
}

/// What was verified, each page once; nothing of an entry that does not stand.
fn render_verified_sources(debate: &DebateView<'_>, entries: &[LogEntry]) -> String {
    let mut listed: Vec<String> = Vec::new();
    for found in debate.findings.iter().filter(|found| found.status == SourceStatus::Verified) {
        let entry = entries.iter().find(|entry| entry.seq == found.seq);
        let source = entry.and_then(|entry| entry.sources().iter().find(|source| source.url == found.url));
        let item = source.map(|source| format!("- {}", render_link(source)));
        listed.extend(item.filter(|item| !listed.contains(item)));
    }
    join_lines(listed, "No source of this article has been verified.")
}
