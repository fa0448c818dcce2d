//! What stands below a turn's heading, read back, and the rules of its content that can be checked
//! without the source document.

use agon_core::Faults;
use agon_protocols::duel::{
    support::SupportKind,
    turn::{Contribution, Stance, TurnClaim, Unresolved},
};

use super::artifact::check_rule;

/// Labels of a turn, in their order. The last may be left out.
const LABELS: [&str; 6] =
    ["Position", "Counterpoints", "Agreements", "Novel Argument", "Unresolved Items", "Stance Revision Support"];
/// The line that allows a participant to speak twice in a row.
const PEER_TIMEOUT: &str = "**Peer Timeout**:";

/// What a turn says, and the peer timeout that it records.
pub(super) fn parse_turn_body(
    text: &str,
    stance: Stance,
    at: &str,
    faults: &mut Faults,
) -> (Contribution, Option<String>) {
    let mut parts: [Option<Vec<&str>>; 6] = Default::default();
    let mut current = None;
    let mut peer_timeout = None;
    for line in text.lines() {
        if let Some(why) = line.strip_prefix(PEER_TIMEOUT) {
            peer_timeout = Some(why.trim().to_owned());
            continue;
        }
        let label = line.trim_end().strip_prefix("**").and_then(|line| line.trim_end_matches(':').strip_suffix("**"));
        let label = label.and_then(|label| LABELS.iter().position(|known| *known == label.trim_end_matches(':')));
        match label {
            Some(label) if parts[label].is_some() => {
                faults.add("A7", at, format!("**{}** stands there twice", LABELS[label]));
            }
            Some(label) => {
                let is_placed = current.is_none_or(|current| current <= label);
                check_rule(faults, is_placed, "A7", at, format!("**{}** stands in another place", LABELS[label]));
                parts[label] = Some(Vec::new());
                current = Some(label);
            }
            None => match current {
                Some(current) => parts[current].get_or_insert_default().push(line),
                None if line.trim().is_empty() => {}
                None => faults.add("A7", at, format!("{line:?} stands before **Position**")),
            },
        }
    }
    for (name, part) in LABELS.iter().zip(&parts).take(LABELS.len() - 1) {
        check_rule(faults, part.is_some(), "A7", at, format!("**{name}** is missing"));
    }
    let [position, counterpoints, agreements, novel, unresolved, stance_support] = parts.map(Option::unwrap_or_default);
    let said = Contribution {
        position: position.join("\n").trim().to_owned(),
        counterpoints: parse_counterpoints(&counterpoints),
        agreements: parse_items(&agreements),
        novel: self::parse_novel(&novel),
        unresolved: parse_items(&unresolved).iter().map(|item| unresolved_item(item, at, faults)).collect(),
        stance,
        stance_support: parse_items(&stance_support).into_iter().filter(|item| item != "None").collect(),
        ..Contribution::default()
    };
    check_turn_content(&said, at, faults);
    (said, peer_timeout)
}

/// D2 to D7 and D10, if a file shows them.
fn check_turn_content(said: &Contribution, at: &str, faults: &mut Faults) {
    let mut wanted = |rule: &str, holds: bool, message: &str| check_rule(faults, holds, rule, at, message);
    wanted("D2", !said.position.is_empty(), "the position is empty");
    let whole = |point: &TurnClaim| !point.addresses.is_empty() && !point.claim.is_empty() && !point.support.is_empty();
    let points = !said.counterpoints.is_empty() && said.counterpoints.iter().all(whole);
    wanted("D3", points, "a counterpoint is wanted, each with Addresses, Claim and Support");
    let agreements = !said.agreements.is_empty() && said.agreements.iter().all(|text| !text.is_empty());
    wanted("D4", agreements, "an agreement is wanted, and none may be blank");
    let novel = !said.novel.claim.is_empty() && !said.novel.support.is_empty();
    wanted("D5", novel, "a novel argument is wanted, with Support");
    let unresolved = !said.unresolved.is_empty() && said.unresolved.iter().all(|item| !item.text.is_empty());
    wanted("D6", unresolved, "an unresolved item is wanted, each with a text");
    for entry in said.support().filter(|entry| SupportKind::parse(entry).is_none()) {
        let message = format!("{entry:?} is neither an address, a file, a turn nor a principle");
        wanted("D7", false, &message);
    }
    let accepts = said.stance == Stance::AcceptingConsensus && said.count_blocking() > 0;
    wanted("D10", !accepts, "consensus is accepted while an item is blocking");
}

/// Items of a list; other lines below an item belong to it.
fn parse_items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        match line.strip_prefix("- ").or((line == "-").then_some("")) {
            Some(item) => items.push(item.trim().to_owned()),
            None => match items.last_mut() {
                Some(last) => *last = format!("{last} {line}").trim().to_owned(),
                None => items.push(line.to_owned()),
            },
        }
    }
    items
}

fn parse_counterpoints(lines: &[&str]) -> Vec<TurnClaim> {
    let mut points: Vec<TurnClaim> = Vec::new();
    // The part of a counterpoint that a line without a label continues.
    let mut part = "";
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        // An entry of support is indented further, and may say anything.
        let begins = line.strip_prefix("- ").or(line.strip_prefix(" - ")).map(str::trim);
        if let Some(addresses) = begins.and_then(|line| line.strip_prefix("Addresses:")) {
            let addresses = addresses.trim().to_owned();
            points.push(TurnClaim { addresses, ..TurnClaim::default() });
            part = "addresses";
            continue;
        }
        let Some(point) = points.last_mut() else { continue };
        let line = line.trim();
        if let Some(claim) = line.strip_prefix("Claim:").filter(|_| part == "addresses") {
            (point.claim, part) = (claim.trim().to_owned(), "claim");
        } else if let Some(first) = line.strip_prefix("Support:").filter(|_| part == "claim") {
            point.support.extend(Some(first.trim().to_owned()).filter(|first| !first.is_empty()));
            part = "support";
        } else if let (Some(entry), "support") = (line.strip_prefix("- "), part) {
            point.support.push(entry.trim().to_owned());
        } else {
            let text = match part {
                "claim" => Some(&mut point.claim),
                "support" => point.support.last_mut(),
                _ => Some(&mut point.addresses),
            };
            if let Some(text) = text {
                *text = format!("{text} {line}").trim().to_owned();
            }
        }
    }
    points
}

fn parse_novel(lines: &[&str]) -> TurnClaim {
    let at = lines.iter().position(|line| line.trim() == "Support:").unwrap_or(lines.len());
    let support = lines.get(at + 1..).map(parse_items).unwrap_or_default();
    TurnClaim { claim: lines[..at].join("\n").trim().to_owned(), support, ..TurnClaim::default() }
}

fn unresolved_item(item: &str, at: &str, faults: &mut Faults) -> Unresolved {
    let (text, blocking) = match (item.strip_suffix("(non-blocking)"), item.strip_suffix("(blocking)")) {
        (Some(text), _) => (text, false),
        (_, Some(text)) => (text, true),
        _ => {
            faults.add("D6", at, format!("{item:?} does not end with (blocking) or (non-blocking)"));
            (item, true)
        }
    };
    Unresolved { text: text.trim().to_owned(), blocking }
}
