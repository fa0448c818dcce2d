//! What was cited, and what is known of it. A source that nobody opened is called so: that nothing was
//! checked must never look as if all were well.

use super::{
    super::{Block, ReportInput, Table},
    counted, head,
};
use crate::{cited::CitedSource, graph::shortened};

const TEXT_CHARS_MAX: usize = 300;
/// Sources that are listed.
const ROWS_MAX: usize = 100;
/// Statuses of a source that somebody opened, and found not to bear out what was said.
const BAD: [&str; 5] = ["fabricated", "unreliable", "absent", "missing", "value-absent"];
/// Statuses of a source that somebody opened, or whose words were compared.
const CHECKED: [&str; 8] =
    ["verified", "verified-edited", "near", "fabricated", "unreliable", "absent", "missing", "value-absent"];

pub(super) fn blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let cited = cited(scene);
    if cited.is_empty() {
        return Vec::new();
    }
    let more = cited.len().saturating_sub(ROWS_MAX);
    let rows = cited.iter().take(ROWS_MAX).map(|cited| {
        vec![
            cited.of.clone(),
            shortened(&cited.source, TEXT_CHARS_MAX),
            cited.status.clone(),
            shortened(&cited.why, TEXT_CHARS_MAX),
        ]
    });
    let head = head(&[
        ("In", false),
        ("Source", false),
        ("Status", false),
        ("Deciding sentence, or why not", false),
    ]);
    let table = Table { caption: "Sources as they were cited".into(), head, rows: rows.collect() };
    let mut blocks = vec![Block::Prose(coverage(&cited)), Block::Table(table)];
    if more > 0 {
        blocks.push(Block::Prose(format!("{more} further sources are not listed here.")));
    }
    blocks
}

/// What a reader must know of sources before anything else.
pub(super) fn troubles(scene: &ReportInput<'_>) -> Vec<String> {
    let cited = cited(scene);
    let count = |test: &dyn Fn(&CitedSource) -> bool| cited.iter().filter(|cited| test(cited)).count();
    let mut troubles = Vec::new();
    let bad = count(&|cited| BAD.contains(&cited.status.as_str()));
    if bad > 0 {
        troubles.push(format!(
            "{bad} of {} cited do not bear out what was said.",
            counted(cited.len(), "source")
        ));
    }
    let open = count(&|cited| cited.is_open);
    if open > 0 {
        troubles.push(format!(
            "{open} of {} cited were opened, and what stands there decides neither way.",
            counted(cited.len(), "source")
        ));
    }
    let unknown = count(&|cited| {
        !cited.is_open
            && ["unchecked", "unverified", "blocked", "unreachable"].contains(&cited.status.as_str())
    });
    if unknown > 0 {
        troubles.push(format!(
            "{unknown} of {} cited were not verified by anybody.",
            counted(cited.len(), "source")
        ));
    }
    troubles
}

fn coverage(cited: &[CitedSource]) -> String {
    let open = cited.iter().filter(|cited| cited.is_open).count();
    let checked =
        cited.iter().filter(|cited| cited.is_open || CHECKED.contains(&cited.status.as_str())).count();
    let undecided = if open > 0 { format!("; {open} of them decide neither way") } else { String::new() };
    let known = cited.iter().filter(|cited| cited.status == "in the document").count();
    let document = if known > 0 {
        format!(" {known} were looked up in the document, word for word.")
    } else {
        String::new()
    };
    match checked {
        0 if known == cited.len() => format!("{} cited.{document}", counted(cited.len(), "source")),
        0 => format!("{} cited, and nobody opened any page.{document}", counted(cited.len(), "source")),
        checked => format!(
            "{checked} of {} cited were opened and compared{undecided}.{document}",
            counted(cited.len(), "source")
        ),
    }
}

/// Every source, once for each statement that cites it: what was found about it, where somebody looked.
fn cited(scene: &ReportInput<'_>) -> Vec<CitedSource> {
    let mut all = crate::views_of(scene.record).sources(scene.record, &scene.graph);
    let mut seen: Vec<(String, String)> = Vec::new();
    all.retain(|cited| {
        let key = (cited.of.clone(), cited.source.clone());
        let first = !seen.contains(&key);
        seen.push(key);
        first
    });
    all
}
