//! What was cited, and what is known of it. A source that nobody opened is called so: that nothing was
//! checked must never look as if all were well.

use agon_core::View;
use agon_protocols::{
    chaired::log::Log,
    duel::{
        history::{History, source_path},
        support,
    },
    exchange::hall::Hall,
};
use serde_json::Value;

use super::{
    super::{Block, Scene, Table},
    counted, head,
};
use crate::graph::shortened;

const TEXT_CHARS_MAX: usize = 300;
/// Statuses of a source that somebody opened, and found not to bear out what was said.
const BAD: [&str; 5] = ["fabricated", "unreliable", "absent", "missing", "value-absent"];
/// Statuses of a source that somebody opened, or whose words were compared.
const CHECKED: [&str; 8] =
    ["verified", "verified-edited", "near", "fabricated", "unreliable", "absent", "missing", "value-absent"];

/// One source as a statement cites it.
#[derive(Debug, PartialEq)]
struct Cited {
    of: String,
    source: String,
    status: String,
    /// The sentence that decides, or why nothing is known.
    why: String,
}

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let cited = cited(scene);
    if cited.is_empty() {
        return Vec::new();
    }
    let rows = cited.iter().map(|cited| {
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
    vec![Block::Prose(coverage(&cited)), Block::Table(table)]
}

/// What a reader must know of sources before anything else.
pub(super) fn troubles(scene: &Scene<'_>) -> Vec<String> {
    let cited = cited(scene);
    let count = |test: &dyn Fn(&Cited) -> bool| cited.iter().filter(|cited| test(cited)).count();
    let mut troubles = Vec::new();
    let bad = count(&|cited| BAD.contains(&cited.status.as_str()));
    if bad > 0 {
        troubles.push(format!(
            "{bad} of {} cited do not bear out what was said.",
            counted(cited.len(), "source")
        ));
    }
    let unknown = count(&|cited| {
        ["unchecked", "unverified", "blocked", "unreachable"].contains(&cited.status.as_str())
    });
    if unknown > 0 {
        troubles.push(format!(
            "{unknown} of {} cited were not verified by anybody.",
            counted(cited.len(), "source")
        ));
    }
    troubles
}

fn coverage(cited: &[Cited]) -> String {
    let checked = cited.iter().filter(|cited| CHECKED.contains(&cited.status.as_str())).count();
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
            "{checked} of {} cited were opened and compared.{document}",
            counted(cited.len(), "source")
        ),
    }
}

fn cited(scene: &Scene<'_>) -> Vec<Cited> {
    let view = View::whole(scene.record);
    let found = findings(scene);
    let known = |of: &str, source: &str| {
        let same = |finding: &&Cited| finding.source == source && (finding.of == of || finding.of.is_empty());
        found.iter().find(same).map(|finding| (finding.status.clone(), finding.why.clone()))
    };
    let mut cited = Vec::new();
    let mut add = |of: &str, source: &str, otherwise: (&str, &str)| {
        let (status, why) = known(of, source).unwrap_or((otherwise.0.to_owned(), otherwise.1.to_owned()));
        cited.push(Cited { of: of.to_owned(), source: source.to_owned(), status, why });
    };
    match crate::graph::protocol(scene.record) {
        "exchange" => {
            for held in &Hall::of(&view).arguments {
                for ground in &held.argument().grounds {
                    add(&held.id, &ground.source, ("unchecked", ""));
                }
            }
        }
        "duel" => {
            let path = source_path(scene.record.opened());
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            for turn in &History::of(&view).turns {
                let of = format!("turn-{}", turn.accepted.turn);
                for line in turn.contribution.iter().flat_map(|said| said.support()) {
                    match support::Kind::of(line) {
                        Some(support::Kind::Url) => add(&of, line, ("unchecked", "")),
                        Some(support::Kind::File) if line.contains(name) => {
                            add(&of, line, ("in the document", "compared with the copy of the opening"));
                        }
                        Some(support::Kind::File) => add(&of, line, ("unchecked", "")),
                        _ => {}
                    }
                }
            }
        }
        "chaired" => {
            for logged in &Log::of(&view).0 {
                let of = format!("seq-{}", logged.item.seq);
                for source in logged.sources() {
                    add(&of, &source.url, ("unchecked", ""));
                }
            }
        }
        _ => {}
    }
    // What was found about sources that the protocol's own fields do not hold.
    cited.extend(found.into_iter().filter(|finding| !finding.source.is_empty()));
    let mut seen: Vec<(String, String)> = Vec::new();
    cited.retain(|cited| {
        let key = (cited.of.clone(), cited.source.clone());
        let first = !seen.contains(&key);
        seen.push(key);
        first
    });
    cited
}

/// Findings that any ruling holds, by statement and source; the latest first.
fn findings(scene: &Scene<'_>) -> Vec<Cited> {
    let mut found = Vec::new();
    for (_, _, ruling) in scene.record.rulings() {
        for finding in ruling.data["findings"].as_array().into_iter().flatten() {
            let text = |names: &[&str]| {
                let value = names.iter().find_map(|name| finding[*name].as_str());
                value.unwrap_or_default().to_owned()
            };
            let of = match &finding["seq"] {
                Value::Number(seq) => format!("seq-{seq}"),
                _ => text(&["statement", "argument_id", "of"]),
            };
            // What was said in an entry that was struck is not shown again.
            let struck = scene.graph.statements.iter().any(|s| s.id == of && s.text.is_none());
            let status = text(&["status"]);
            found.push(match struck {
                true => Cited { of, source: "redacted".into(), status, why: String::new() },
                false => Cited {
                    of,
                    source: text(&["url", "source"]),
                    status,
                    why: text(&["sentence", "explanation"]),
                },
            });
        }
    }
    found.reverse();
    found
}
