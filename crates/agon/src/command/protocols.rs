//! `agon protocols`.

use agon_core::{Manifest, Protocol};
use serde_json::json;

use super::{Hand, protocol};
use crate::{
    cli::{ProtocolsAction, ProtocolsArgs},
    failure::{Result, exit},
    ui,
};

pub fn run(hand: &Hand, args: &ProtocolsArgs) -> Result<u8> {
    match &args.action {
        None | Some(ProtocolsAction::List) => {
            let all: Vec<&Manifest> =
                agon_protocols::ALL.iter().map(|protocol| protocol.manifest()).collect();
            hand.print(&json!(all), || {
                let lines = all
                    .iter()
                    .map(|m| format!("{}  {}", ui::paint(&format!("{:<10}", m.name), ui::BOLD), m.summary));
                lines.collect::<Vec<_>>().join("\n")
            });
        }
        Some(ProtocolsAction::Show { name }) => show(hand, protocol(name)?),
    }
    Ok(exit::OK)
}

fn show(hand: &Hand, protocol: &dyn Protocol) {
    let manifest = protocol.manifest();
    hand.print(&json!(manifest), || {
        let mut lines =
            vec![ui::paint(&manifest.name, ui::BOLD), format!("  {}", manifest.summary), String::new()];
        lines.push("Seats".into());
        lines.extend(manifest.seats.iter().map(|seat| format!("  {:<14} {}", seat.name, seat.about)));
        let rounds = manifest.rounds;
        lines.push(format!("\nRounds: {} by default, {} to {}", rounds.default, rounds.min, rounds.max));
        let prompts: Vec<&str> = protocol.prompts().iter().map(|(name, _)| *name).collect();
        lines.push(format!("Prompts: {}", prompts.join(", ")));
        lines.join("\n")
    });
}
