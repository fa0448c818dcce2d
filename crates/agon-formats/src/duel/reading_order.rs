//! The duel in reading order: each turn's words, then where the duel stood.

use agon_core::{Key, Record, RulingKind, View};
use agon_protocols::duel::{history::History, turn::ClaimReply};
use agon_text::markdown::{escape_line, escape_sentence};

use super::draw::public_contribution;
use crate::markup::render_bullets;

pub(super) fn render_reading_order(record: &Record) -> String {
    let history = History::of(&View::of_whole_record(record));
    let mut blocks = Vec::new();
    for number in 1.. {
        let ruling =
            |what: &str| record.find_ruling(&Key::of(format!("turn-{number}/{what}"))).map(|(_, ruling)| ruling);
        let Some(phase) = ruling("phase") else { break };
        blocks.push(format!("## {}", escape_line(&phase.text)));
        let Some(turn) = history.turns.get(number - 1) else {
            let over = record.closing_outcome().is_some();
            let missing = if over { "This turn did not take place." } else { "This turn has not ended." };
            blocks.push(missing.into());
            break;
        };
        let (said, words) = (public_contribution(turn), turn.contribution.as_deref());
        blocks.push(format!("Stance: {}.", turn.accepted.stance.name()));
        blocks.push(said.position);
        let replies: Vec<String> =
            words.iter().flat_map(|words| words.replies.iter().flatten()).map(render_reply).collect();
        if !replies.is_empty() {
            blocks.extend(["**Replies.**".to_owned(), render_bullets(replies)]);
        }
        let repairs = words.map(|words| words.counterpoints.iter().map(|point| &point.repair).collect::<Vec<_>>());
        for (at, point) in said.counterpoints.into_iter().enumerate() {
            blocks.push(format!("**Against {}.** {}", point.addresses, point.claim));
            blocks.push(render_bullets(point.support));
            blocks.extend(repairs.iter().filter_map(|all| render_repair(all.get(at)?)));
        }
        blocks.extend(["**Granted.**".into(), render_bullets(said.agreements)]);
        blocks.extend(["**New.**".into(), said.novel.claim, render_bullets(said.novel.support)]);
        blocks.extend(words.and_then(|words| render_repair(&words.novel.repair)));
        let blocking = |blocking| if blocking { " (blocking)" } else { "" };
        let open = said.unresolved.into_iter().map(|item| format!("{}{}", item.text, blocking(item.blocking)));
        blocks.extend(["**Open.**".into(), render_bullets(open)]);
        if !said.stance_support.is_empty() {
            blocks.extend(["**What changed the stance.**".into(), render_bullets(said.stance_support)]);
        }
        let answer = words.and_then(|words| words.answer.as_ref());
        blocks.extend(answer.map(|answer| format!("**Answer.** {}", escape_line(&answer.full_text()))));
        blocks.extend(ruling("stance").map(|moved| escape_sentence(&moved.text)));
        let standing =
            ruling("standing").filter(|ruling| matches!(ruling.kind, RulingKind::Converged | RulingKind::Deadlocked));
        blocks.extend(standing.map(|ruling| escape_line(&ruling.text)));
    }
    blocks.join("\n\n")
}

fn render_reply(reply: &ClaimReply) -> String {
    let why = if reply.why.is_empty() { String::new() } else { format!(": {}", escape_line(&reply.why)) };
    format!("{}: {}{why}", escape_line(&reply.claim), reply.stance.name())
}

fn render_repair(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| format!("**Repair.** {}", escape_line(text)))
}
