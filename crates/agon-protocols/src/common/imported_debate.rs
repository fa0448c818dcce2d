//! Debates that were imported from files of other programs.
//!
//! What the files hold answers the requests of the same script, as `imported` answers. They stand
//! whatever rules they break; each broken rule is a warning on the record. Everything after them is
//! asked, checked and redrafted as in any debate.

use agon_core::{Faults, Floor, Flow, Ruling, RulingKind};
use serde::Deserialize;
use serde_json::json;

use super::absence::record_warnings;

/// Says on the record that a debate is taken over, and what is wrong with its files as a whole.
/// Nothing for any other debate.
pub fn record_import(floor: &mut Floor<'_>) -> Flow<()> {
    let Some(imported) = floor.opened().import_details() else { return Ok(()) };
    let format = imported["format"].as_str().unwrap_or_default();
    let text = format!("Taken over from files made elsewhere ({format}).");
    floor.record_ruling("import", Ruling::new(RulingKind::Noted, text).with_data(json!({"format": format})))?;
    let warnings = Vec::<String>::deserialize(&imported["warnings"]).unwrap_or_default();
    record_warnings(floor, "import", "imported files", &warnings)
}

/// Broken rules as warnings, each with its rule.
pub fn format_warnings(faults: &Faults) -> impl Iterator<Item = String> + '_ {
    faults.0.iter().map(|fault| format!("{} {fault}", fault.rule))
}
