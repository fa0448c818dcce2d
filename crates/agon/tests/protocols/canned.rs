//! Scripted debates of the tests of other crates: who says what under which key.

#[path = "../../../agon-formats/tests/chaired/stage.rs"]
pub mod chaired;
#[path = "../../../agon-protocols/tests/duel/scripted.rs"]
pub mod duel;
#[path = "../../../agon-formats/tests/common/mod.rs"]
pub mod exchange;
#[path = "../../../agon-formats/tests/panel/play.rs"]
pub mod panel;
#[path = "../../../agon-formats/tests/revise/play.rs"]
pub mod revise;
