//! `agon protocols`.

use agon_core::{Manifest, Members, Protocol, SeatSpec};
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
                let lines = all.iter().map(|m| {
                    let row = m.row().map(|(row, _)| format!("\n{:12}{}{}", "", row.name, many(row)));
                    let name = ui::paint(&format!("{:<10}", m.name), ui::BOLD);
                    format!("{name}  {}{}", m.summary, row.unwrap_or_default())
                });
                lines.collect::<Vec<_>>().join("\n")
            });
        }
        Some(ProtocolsAction::Show { name }) => show(hand, protocol(name)?),
    }
    Ok(exit::OK)
}

/// `: 2 to 8, 3 by default`, for a row of seats.
fn many(seat: &SeatSpec) -> String {
    match seat.members {
        None => String::new(),
        Some(Members { min, max, .. }) if min == max => format!(": {min} of them"),
        Some(Members { min, max, default }) => format!(": {min} to {max}, {default} by default"),
    }
}

fn show(hand: &Hand, protocol: &dyn Protocol) {
    let manifest = protocol.manifest();
    hand.print(&json!(manifest), || {
        let mut lines =
            vec![ui::paint(&manifest.name, ui::BOLD), format!("  {}", manifest.summary), String::new()];
        lines.push("Seats".into());
        lines.extend(
            manifest.seats.iter().map(|seat| format!("  {:<14} {}{}", seat.name, seat.about, many(seat))),
        );
        let rounds = manifest.rounds;
        lines.push(format!("\nRounds: {} by default, {} to {}", rounds.default, rounds.min, rounds.max));
        let prompts: Vec<&str> = protocol.prompts().iter().map(|(name, _)| *name).collect();
        lines.push(format!("Prompts: {}", prompts.join(", ")));
        lines.join("\n")
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::testing::manifest;

    #[test]
    fn a_row_says_how_many_seats_it_has() {
        let manifest = manifest("x");
        let shown: Vec<String> = manifest.seats.iter().map(many).collect();
        assert_eq!(shown, [": 2 to 4, 3 by default", ""]);
    }
}
