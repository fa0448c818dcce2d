//! `agon list`.

use serde_json::json;

use super::Hand;
use crate::{
    cli::ListArgs,
    failure::{Result, exit},
    ui,
};

pub fn run(hand: &Hand, args: &ListArgs) -> Result<u8> {
    let debates = hand.journal()?.list(args.limit)?;
    hand.print(&json!(debates), || {
        if debates.is_empty() {
            return "No debates yet. Begin with: agon run exchange \"This house would …\"".into();
        }
        let longest =
            |of: fn(&agon_runtime::journal::Summary) -> usize| debates.iter().map(of).max().unwrap_or(0);
        let ids = longest(|debate| debate.id.as_str().len());
        let kinds = longest(|debate| debate.protocol.len());
        let states = longest(|debate| debate.outcome.as_deref().unwrap_or("open").len());
        let line = |debate: &agon_runtime::journal::Summary| {
            let state = debate.outcome.as_deref().unwrap_or("open");
            let motion: String = debate.motion.split_whitespace().collect::<Vec<_>>().join(" ");
            let motion: String = motion.chars().take(60).collect();
            let date = debate.opened_at.get(..16).unwrap_or_default().replace('T', " ");
            format!(
                "{:<ids$}  {date}  {:<kinds$}  {state:<states$}  {}",
                debate.id.as_str(),
                debate.protocol,
                ui::visible(&motion)
            )
        };
        debates.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(exit::OK)
}
