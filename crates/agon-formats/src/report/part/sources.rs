//! What was cited, and what is known of it. A source that nobody opened is called so: that nothing was
//! checked must never look as if all were well.

use agon_core::View;
use agon_protocols::{
    chaired::{self, log::Log, verification::Finding},
    common::{
        reading::Reading,
        verification::{self, Found, Status},
    },
    declared::{self, declaration::Ask, hall::called},
    duel::{
        history::{History, source_path},
        support,
    },
    exchange::hall::Hall,
    panel::state::Panel,
    revise::{self, names, setup::Setup},
};

use super::{
    super::{Block, Scene, Table},
    counted, head,
};
use crate::graph::shortened;

const TEXT_CHARS_MAX: usize = 300;
/// Sources that are listed.
const ROWS_MAX: usize = 100;
/// Why nobody opened a source of a statement that was looked up.
const TOO_MANY: &str = "one source more than are opened of one place or one statement";
/// Statuses of a source that somebody opened, and found not to bear out what was said.
const BAD: [&str; 5] = ["fabricated", "unreliable", "absent", "missing", "value-absent"];
/// Statuses of a source that somebody opened, or whose words were compared.
const CHECKED: [&str; 8] =
    ["verified", "verified-edited", "near", "fabricated", "unreliable", "absent", "missing", "value-absent"];

/// Codes of a source whose page was not read, though somebody looked for it.
const UNREAD: [&str; 7] =
    ["", "blocked", "unreachable", "unchecked", "never-seen", "missing", "no-web-address"];

/// One source as a statement cites it.
#[derive(Debug, PartialEq)]
struct Cited {
    of: String,
    source: String,
    status: String,
    /// Whether its page was read and decides neither way.
    is_open: bool,
    /// The sentence that decides, or why nothing is known.
    why: String,
}

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
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

fn coverage(cited: &[Cited]) -> String {
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
fn cited(scene: &Scene<'_>) -> Vec<Cited> {
    let view = View::whole(scene.record);
    let mut all = match crate::graph::protocol(scene.record) {
        "exchange" => exchange(&view),
        "duel" => duel(scene, &view),
        "panel" => panel(&view),
        "revise" => revise(&view),
        "chaired" => chaired(scene, &view),
        _ => declared(scene),
    };
    let mut seen: Vec<(String, String)> = Vec::new();
    all.retain(|cited| {
        let key = (cited.of.clone(), cited.source.clone());
        let first = !seen.contains(&key);
        seen.push(key);
        first
    });
    all
}

impl Cited {
    fn unknown(of: &str, source: &str) -> Self {
        let why = String::new();
        let status = "unchecked".into();
        Self { of: of.to_owned(), source: source.to_owned(), status, is_open: false, why }
    }

    fn found(of: &str, found: &Found) -> Self {
        let why = why(found.sentence.as_ref(), &found.explanation, found.reading.as_ref());
        let status = found.status.name().to_owned();
        let is_open = found.status == Status::Unverified && !UNREAD.contains(&found.code.as_str());
        Self { of: of.to_owned(), source: found.url.clone(), status, is_open, why }
    }
}

/// The sentence that decided, or why nothing is known; then what a model read, marked as a model's.
fn why(sentence: Option<&String>, explanation: &str, reading: Option<&Reading>) -> String {
    let why = sentence.map_or(explanation, String::as_str).to_owned();
    let Some(reading) = reading else { return why };
    let by = reading.sentence.iter().filter(|by| **by != why).map(|by| format!(", by \u{201c}{by}\u{201d}"));
    let read = format!("({}{})", reading.tag(), by.collect::<String>());
    if why.is_empty() { read } else { format!("{why} {read}") }
}

/// What `words` of a place cite: what was found there, and the addresses that nobody opened, since a
/// place has more of them than are looked up.
fn place(of: &str, at: &str, words: &str, found: &[Found]) -> Vec<Cited> {
    let here: Vec<&Found> = found.iter().filter(|found| found.at == at).collect();
    let mut all: Vec<Cited> = here.iter().map(|found| Cited::found(of, found)).collect();
    let rest = verification::addresses(words).into_iter().filter(|url| !all.iter().any(|c| c.source == *url));
    let rest: Vec<Cited> = rest.map(|url| Cited::unknown(of, &url)).collect();
    let why = if here.is_empty() { "" } else { TOO_MANY };
    all.extend(rest.into_iter().map(|cited| Cited { why: why.to_owned(), ..cited }));
    all
}

/// What prose cites: what was found, and the addresses that nobody opened.
fn prose(of: &str, text: &str, found: &[Found]) -> Vec<Cited> {
    let mut all: Vec<Cited> = found.iter().map(|found| Cited::found(of, found)).collect();
    let rest = verification::addresses(text).into_iter().filter(|url| !found.iter().any(|f| f.url == *url));
    let why = if found.is_empty() { "" } else { TOO_MANY };
    all.extend(rest.map(|url| Cited { why: why.to_owned(), ..Cited::unknown(of, &url) }));
    all
}

fn exchange(view: &View<'_>) -> Vec<Cited> {
    let mut all = Vec::new();
    for held in &Hall::of(view).arguments {
        for (i, ground) in held.argument().grounds.iter().enumerate() {
            let at = format!("{}/{}", held.id, i + 1);
            let found: Vec<Found> = held.looked_up().cloned().collect();
            let pages = place(&held.id, &at, &format!("{} {}", ground.source, ground.content), &found);
            match pages.is_empty() {
                true => all.push(Cited::unknown(&held.id, &ground.source)),
                false => all.extend(pages),
            }
        }
        all.extend(held.looked_up().map(|found| Cited::found(&held.id, found)));
    }
    all
}

fn duel(scene: &Scene<'_>, view: &View<'_>) -> Vec<Cited> {
    let path = source_path(scene.record.opened());
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let mut all = Vec::new();
    for turn in &History::of(view).turns {
        let of = format!("turn-{}", turn.accepted.turn);
        let Some(said) = &turn.contribution else { continue };
        all.extend(turn.accepted.sources.iter().map(|found| Cited::found(&of, found)));
        for line in said.support() {
            match support::Kind::of(line) {
                Some(support::Kind::Url) => {
                    let urls = verification::addresses(line);
                    let known = urls.iter().any(|url| all.iter().any(|c| c.of == of && c.source == *url));
                    if !known {
                        all.push(Cited::unknown(&of, line));
                    }
                }
                Some(support::Kind::File) if line.contains(name) => {
                    let why = "compared with the copy of the opening".to_owned();
                    let status = "in the document".to_owned();
                    let source = line.clone();
                    all.push(Cited { of: of.clone(), source, status, is_open: false, why });
                }
                Some(support::Kind::File) => all.push(Cited::unknown(&of, line)),
                _ => {}
            }
        }
    }
    all
}

fn panel(view: &View<'_>) -> Vec<Cited> {
    let panel = Panel::of(view);
    let mut all = Vec::new();
    for turn in panel.said.turns() {
        let when =
            if turn.round == 0 { "before round 1".to_owned() } else { format!("round {}", turn.round) };
        let of = format!("{}, {when}", panel.name(&turn.seat));
        all.extend(prose(&of, &turn.speech.text, &turn.speech.sources));
    }
    all
}

fn revise(view: &View<'_>) -> Vec<Cited> {
    let Ok(setup) = Setup::of(view.opened()) else { return Vec::new() };
    let hall = revise::hall::Hall::of(view, &setup);
    let mut all = Vec::new();
    for (author, versions) in setup.authors.iter().zip(&hall.versions) {
        for version in versions {
            let Some(text) = &version.text else { continue };
            let of = match version.round {
                0 => format!("{}, first version", author.name),
                round => format!("{}, round {round}", author.name),
            };
            all.extend(prose(&of, text, &version.sources));
        }
    }
    for (round, number) in hall.rounds.iter().zip(1_u32..) {
        for held in round.critiques.iter().filter(|held| held.critique.is_some()) {
            let by = setup.authors.get(held.critic).map_or("", |author| author.name.as_str());
            let of = format!("{by}, critique of round {number}");
            all.extend(held.sources.iter().map(|found| Cited::found(&of, found)));
        }
    }
    let joint = hall.joint.iter().flat_map(|joint| &joint.sources);
    all.extend(joint.map(|found| Cited::found(names::result(setup.mode), found)));
    all
}

fn declared(scene: &Scene<'_>) -> Vec<Cited> {
    let Some((declaration, hall)) = declared::said(scene.record) else { return Vec::new() };
    let mut all = Vec::new();
    for said in &hall.said {
        let ask = declaration.ask(&said.ask).map(Ask::title).unwrap_or_default();
        let of = format!("{}, {} {}", called(scene.record.opened(), &said.seat), ask, said.round);
        all.extend(prose(&of, &said.statement.text, &said.sources));
    }
    all
}

/// Where the author corrected what was found wrong.
fn corrected(log: &Log, found: &Finding) -> String {
    let by = log.corrected(found.seq).into_iter().find(|(_, old)| *old == found.url);
    by.map(|(seq, _)| format!("Corrected in seq-{seq}. ")).unwrap_or_default()
}

fn chaired(scene: &Scene<'_>, view: &View<'_>) -> Vec<Cited> {
    let findings: Vec<Finding> =
        chaired::verification::all(view).into_iter().flat_map(|all| all.findings).collect();
    let latest = |seq: u64, url: &str| findings.iter().rfind(|found| found.seq == seq && found.url == url);
    let codes = chaired::verification::codes(view);
    let is_open = |found: &Finding| {
        let code = codes.get(&(found.seq, found.url.clone()));
        found.status == Status::Unverified && code.is_some_and(|code| !UNREAD.contains(&code.as_str()))
    };
    let log = Log::of(view);
    let mut all = Vec::new();
    for logged in &log.0 {
        let seq = logged.item.seq;
        let of = format!("seq-{seq}");
        // What was said in an entry that was struck is not shown again.
        if scene.graph.statements.iter().any(|statement| statement.id == of && statement.text.is_none()) {
            let known = findings.iter().rev().filter(|found| found.seq == seq);
            all.extend(known.map(|found| Cited {
                of: of.clone(),
                source: "redacted".into(),
                status: found.status.name().into(),
                is_open: is_open(found),
                why: String::new(),
            }));
            continue;
        }
        for url in logged.cites() {
            all.push(match latest(seq, url) {
                Some(found) => Cited {
                    of: of.clone(),
                    source: url.to_owned(),
                    status: found.status.name().into(),
                    is_open: is_open(found),
                    why: corrected(&log, found)
                        + &why(found.sentence.as_ref(), &found.explanation, found.reading.as_ref()),
                },
                None => Cited::unknown(&of, url),
            });
        }
    }
    all
}
