//! What each side holds, in its own words.

use agon_core::View;
use agon_protocols::{
    duel::history::History,
    exchange::argument::Side,
    panel::{disagreement::State, state::Panel},
};

use super::{
    super::{Block, Scene, Table, Voice},
    head,
};
use crate::graph::{debaters, shortened};

/// Longest excerpt, in characters.
const EXCERPT_CHARS_MAX: usize = 600;

pub(super) fn blocks(scene: &Scene<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        (0..scene.graph.sides.len()).filter_map(|side| voice(scene, side)).map(Block::Voice).collect();
    if crate::graph::protocol(scene.record) == "panel" {
        blocks.extend(disagreements(scene));
    }
    blocks
}

fn voice(scene: &Scene<'_>, side: usize) -> Option<Voice> {
    let view = View::whole(scene.record);
    let protocol = crate::graph::protocol(scene.record);
    let own: Vec<_> = scene.graph.statements.iter().filter(|statement| statement.side == side).collect();
    let shown: Vec<_> = match protocol {
        // The case that was made before anybody answered it, and what it came to.
        "exchange" => own.clone(),
        // Where it began and where it ended.
        _ => own.first().into_iter().chain(own.last().filter(|_| own.len() > 1)).copied().collect(),
    };
    let items = shown.iter().map(|statement| {
        let text = statement.text.as_deref().unwrap_or("This text was redacted.");
        let text = match protocol {
            "exchange" if !statement.title.is_empty() => {
                format!("{}. {text}", statement.title.trim_end_matches('.'))
            }
            _ => excerpt(text),
        };
        (format!("{} · {}", statement.id, statement.when), text)
    });
    let items: Vec<(String, String)> = items.collect();
    let tag = match protocol {
        "exchange" => format!("{} the motion", Side::BOTH.get(side)?.stance()),
        "duel" => {
            let history = History::of(&view);
            let latest = history.members.get(side).and_then(|member| history.latest(member));
            latest.map(|turn| stance(turn.accepted.stance.name())).unwrap_or_default()
        }
        _ => {
            let seat = debaters(scene.record).into_iter().nth(side).map(|(seat, _)| seat);
            let sat = scene.record.opened().lineup.iter().find(|sat| Some(&sat.seat) == seat.as_ref());
            sat.and_then(|sat| sat.persona.clone()).unwrap_or_default()
        }
    };
    Some(Voice { side: Some(side), name: scene.graph.sides[side].clone(), tag, items })
}

/// The prose of a text, without the marks of its layout; what is all layout is shown as words.
fn excerpt(text: &str) -> String {
    const MARKS: [char; 7] = ['#', '-', '*', '|', '`', '>', ' '];
    let is_prose = |line: &&str| !line.trim_start().starts_with(&MARKS[..6]);
    let prose: Vec<&str> = text.lines().filter(is_prose).collect();
    let words = match prose.iter().all(|line| line.trim().is_empty()) {
        true => text.lines().map(|line| line.trim_start_matches(MARKS)).collect::<Vec<_>>().join(" "),
        false => prose.join(" "),
    };
    shortened(&words.replace("**", "").replace('`', ""), EXCERPT_CHARS_MAX)
}

/// `ACCEPTING_CONSENSUS` as people write it.
pub(super) fn stance(name: &str) -> String {
    name.to_lowercase().replace('_', " ")
}

fn disagreements(scene: &Scene<'_>) -> Option<Block> {
    let panel = Panel::of(&View::whole(scene.record));
    let rows = panel.disagreements.iter().map(|about| {
        let [one, other] =
            about.claims.each_ref().map(|claim| format!("{}: “{}”", panel.name(&claim.seat), claim.quote));
        let state = match about.state {
            State::Active => "open",
            State::Converged => "converged",
            State::Deadlocked => "deadlocked",
            State::Unresolved => "unresolved",
        };
        vec![about.id.clone(), about.topic.clone(), one, other, state.to_owned()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            caption: "What they disagreed about".into(),
            head: head(&[
                ("", false),
                ("About", false),
                ("One side", false),
                ("The other", false),
                ("Now", false),
            ]),
            rows,
        })
    })
}
