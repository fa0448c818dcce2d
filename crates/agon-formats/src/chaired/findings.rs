//! What is known of every source of a debate: what was found last, and of what nobody looked at that nobody
//! did. A source of an entry counts once, however often it was looked up.

use agon_protocols::chaired::{
    log::DebateLog,
    source::SOURCES_MAX,
    verification::{self, SourceFinding, SourceStatus},
};

use super::log::LogEntry;

/// Why nobody looked at a source of an entry that has more than are looked up.
const TOO_MANY: &str = "not opened: the limit of sources for one entry is reached";

/// Of every source of `log`, in the order of its entries; `found` is what was ruled, and results that
/// stand in `entries` alone are those of a log that was taken over.
pub fn of(log: &DebateLog, entries: &[LogEntry], found: &[SourceFinding]) -> Vec<SourceFinding> {
    let mut all: Vec<SourceFinding> = entries.iter().filter_map(parse_finding).collect();
    all.retain(|taken| !found.iter().any(|found| found.seq == taken.seq && found.url == taken.url));
    all.extend(found.iter().cloned());
    let latest = verification::latest_findings(&all).into_iter().cloned();
    let mut all: Vec<SourceFinding> = latest.map(|finding| finding.apply_lifting(log)).collect();
    for logged in &log.0 {
        let seq = logged.item.seq;
        for (at, url) in logged.cited_addresses().enumerate() {
            if !all.iter().any(|known| known.seq == seq && known.url == url) {
                let why = if at < SOURCES_MAX { "" } else { TOO_MANY };
                all.push(SourceFinding::unchecked(seq, url, why));
            }
        }
    }
    all.sort_by_key(|found| found.seq);
    all
}

/// What an entry `verification_result` says.
fn parse_finding(entry: &LogEntry) -> Option<SourceFinding> {
    let value: serde_json::Value =
        (entry.kind == "verification_result").then(|| serde_json::from_str(&entry.content).ok())??;
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let status = SourceStatus::ALL.into_iter().find(|status| status.name() == text("status"))?;
    let seq = value["verified_seq"].as_u64()?;
    Some(SourceFinding { status, ..SourceFinding::unchecked(seq, &text("url"), &text("explanation")) })
}
