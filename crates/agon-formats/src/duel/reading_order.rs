//! The duel in reading order: each turn's words, then where the duel stood.

use agon_core::{Key, Record, RulingKind, View};
use agon_protocols::duel::history::History;
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
        let said = guarded(turn);
        blocks.push(format!("Stance: {}.", turn.accepted.stance.name()));
        blocks.push(said.position);
        for point in said.counterpoints {
            blocks.push(format!("**Against {}.** {}", point.addresses, point.claim));
            blocks.push(listed(point.support));
        }
        blocks.push("**Granted.**".into());
        blocks.push(listed(said.agreements));
        blocks.push("**New.**".into());
        blocks.push(said.novel.claim);
        blocks.push(listed(said.novel.support));
        blocks.push("**Open.**".into());
        let blocking = |blocking| if blocking { " (blocking)" } else { "" };
        let open =
            said.unresolved.into_iter().map(|item| format!("{}{}", item.text, blocking(item.blocking)));
        blocks.push(listed(open.collect()));
        if !said.stance_support.is_empty() {
            blocks.push("**What changed the stance.**".into());
            blocks.push(listed(said.stance_support));
        }
        blocks.extend(ruling("stance").map(|moved| escape_sentence(&moved.text)));
        let standing = ruling("standing")
            .filter(|ruling| matches!(ruling.kind, RulingKind::Converged | RulingKind::Deadlocked));
        blocks.extend(standing.map(|ruling| escape_line(&ruling.text)));
    }
    blocks.join("\n\n")
}

fn listed(items: Vec<String>) -> String {
    items.into_iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}
