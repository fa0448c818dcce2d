//! A scripted debate of each protocol.

#[allow(dead_code)]
#[path = "../chaired/stage.rs"]
pub mod chaired;
pub mod declared;
#[path = "../duel/scripted.rs"]
#[allow(dead_code)]
pub mod duel;
#[path = "../common/mod.rs"]
pub mod exchange;
#[path = "../panel/play.rs"]
#[allow(dead_code)]
pub mod panel;
#[allow(dead_code)]
#[path = "../review/play.rs"]
pub mod review;
#[path = "../revise/play.rs"]
pub mod revise;

use agon_core::Record;

/// One whole debate of each protocol, by its name.
pub fn all() -> Vec<(&'static str, Record)> {
    vec![
        ("exchange", exchange::debate(1)),
        ("duel", duel::duel()),
        ("revise", revise::play(revise::track("plan"), |_| None)),
        ("panel", panel::panel()),
        ("chaired", chaired::debate()),
    ]
}
