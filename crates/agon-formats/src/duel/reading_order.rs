//! The duel in reading order: each turn's words, then where the duel stood.

use agon_core::{Key, Record, RulingKind, View};
use agon_protocols::duel::{history::History, turn::ClaimReply};
use agon_text::markdown::{escape_line, escape_sentence};

use super::draw::guarded;

pub(super) fn render(record: &Record) -> String {
    let history = History::of(&View::whole(record));
    let mut blocks = Vec::new();
    for number in 1.. {
        let ruling =
            |what: &str| record.ruling(&Key::of(format!("turn-{number}/{what}"))).map(|(_, ruling)| ruling);
        let Some(phase) = ruling("phase") else { break };
        blocks.push(format!("## {}", escape_line(&phase.text)));
        let Some(turn) = history.turns.get(number - 1) else {
            let over = record.closed().is_some();
            let missing = if over { "This turn did not take place." } else { "This turn has not ended." };
            blocks.push(missing.into());
            break;
        };
        let (said, words) = (guarded(turn), turn.contribution.as_deref());
        blocks.push(format!("Stance: {}.", turn.accepted.stance.name()));
        blocks.push(said.position);
        let replies: Vec<String> =
            words.iter().flat_map(|words| words.replies.iter().flatten()).map(reply).collect();
        if !replies.is_empty() {
            blocks.extend(["**Replies.**".to_owned(), listed(replies)]);
        }
        let repairs =
            words.map(|words| words.counterpoints.iter().map(|point| &point.repair).collect::<Vec<_>>());
        for (at, point) in said.counterpoints.into_iter().enumerate() {
            blocks.push(format!("**Against {}.** {}", point.addresses, point.claim));
            blocks.push(listed(point.support));
            blocks.extend(repairs.iter().filter_map(|all| repair(all.get(at)?)));
        }
        blocks.push("**Granted.**".into());
        blocks.push(listed(said.agreements));
        blocks.push("**New.**".into());
        blocks.push(said.novel.claim);
        blocks.push(listed(said.novel.support));
        blocks.extend(words.and_then(|words| repair(&words.novel.repair)));
        blocks.push("**Open.**".into());
        let blocking = |blocking| if blocking { " (blocking)" } else { "" };
        let open =
            said.unresolved.into_iter().map(|item| format!("{}{}", item.text, blocking(item.blocking)));
        blocks.push(listed(open.collect()));
        if !said.stance_support.is_empty() {
            blocks.push("**What changed the stance.**".into());
            blocks.push(listed(said.stance_support));
        }
        let answer = words.and_then(|words| words.answer.as_ref());
        blocks.extend(answer.map(|answer| format!("**Answer.** {}", escape_line(&answer.full_text()))));
        blocks.extend(ruling("stance").map(|moved| escape_sentence(&moved.text)));
        let standing = ruling("standing")
            .filter(|ruling| matches!(ruling.kind, RulingKind::Converged | RulingKind::Deadlocked));
        blocks.extend(standing.map(|ruling| escape_line(&ruling.text)));
    }
    blocks.join("\n\n")
}

fn reply(reply: &ClaimReply) -> String {
    let why = if reply.why.is_empty() { String::new() } else { format!(": {}", escape_line(&reply.why)) };
    format!("{}: {}{why}", escape_line(&reply.claim), reply.stance.name())
}

fn repair(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| format!("**Repair.** {}", escape_line(text)))
}

fn listed(items: Vec<String>) -> String {
    items.into_iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}
