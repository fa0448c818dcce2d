//! `agon list`.

use agon_runtime::journal::Summary;
use serde_json::json;

use super::Hand;
use crate::{
    cli::ListArgs,
    failure::{Result, exit},
    ui,
};

/// Longest motion in a line, in characters.
const MOTION_CHARS_MAX: usize = 60;
/// A motion that has less room than this gets a line of its own.
const MOTION_CHARS_MIN: usize = 30;

pub fn run(hand: &Hand, args: &ListArgs) -> Result<u8> {
    let debates = hand.journal()?.list(args.limit)?;
    hand.print(&json!(debates), || {
        if debates.is_empty() {
            return "No debates yet. Begin with: agon run exchange \"This house would …\"".into();
        }
        table(&debates, ui::is_terminal().then(ui::columns))
    });
    Ok(exit::OK)
}

/// A line for each debate, in columns; within `width`, where there is one.
fn table(debates: &[Summary], width: Option<usize>) -> String {
    let state = |debate: &Summary| debate.outcome.clone().unwrap_or_else(|| "open".into());
    let longest = |of: &dyn Fn(&Summary) -> usize| debates.iter().map(of).max().unwrap_or(0);
    let ids = longest(&|debate| debate.id.as_str().len());
    let kinds = longest(&|debate| debate.protocol.len());
    let states = longest(&|debate| state(debate).chars().count());
    let line = |debate: &Summary| {
        let date = debate.opened_at.get(..16).unwrap_or_default().replace('T', " ");
        let state = ui::visible(&state(debate));
        let about =
            format!("{:<ids$}  {date}  {:<kinds$}  {state:<states$}", debate.id.as_str(), debate.protocol);
        let room = width.map(|width| width.saturating_sub(about.chars().count() + 2));
        let (between, room) = match (room, width) {
            (Some(room), Some(width)) if room < MOTION_CHARS_MIN => ("\n  ", width.saturating_sub(2)),
            (room, _) => ("  ", room.unwrap_or(MOTION_CHARS_MAX)),
        };
        let motion = ui::visible(&debate.motion.split_whitespace().collect::<Vec<_>>().join(" "));
        let motion: String = motion.chars().take(room.min(MOTION_CHARS_MAX)).collect();
        format!("{}{between}{motion}", if between == "  " { &about } else { about.trim_end() })
    };
    debates.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use agon_core::{DebateId, Digest};

    use super::*;

    fn summary(id: &str, outcome: Option<&str>) -> Summary {
        Summary {
            id: DebateId::new(id).unwrap(),
            protocol: "exchange".into(),
            motion: "This house would open the library on every Sunday of the year, and longer.".into(),
            opened_at: "2026-01-31T10:00:00Z".into(),
            last_at: "2026-01-31T10:00:00Z".into(),
            entries: 1,
            head: Digest::of(b""),
            outcome: outcome.map(str::to_owned),
            directory: None,
            driven_ms: 0,
        }
    }

    #[test]
    fn columns_stand_below_each_other_and_keep_within_the_terminal() {
        let debates = [summary("d1", None), summary("a-longer-name", Some("proposition_ahead"))];
        let wide = table(&debates, None);
        let places: Vec<_> = wide.lines().map(|line| line.find("This house")).collect();
        assert!(places[0].is_some() && places[0] == places[1], "{wide}");
        for width in [40, 60, 80, 100] {
            let narrow = table(&debates, Some(width));
            let within = narrow.lines().filter(|line| line.contains("This house"));
            assert!(
                within.clone().count() == 2 && within.clone().all(|line| line.chars().count() <= width),
                "{narrow}"
            );
        }
        assert!(table(&debates, Some(60)).contains("\n  This house"));
    }
}
