//! Scripted debates of the tests of other crates: who says what under which key.

#[path = "../../../agon-report/tests/chaired/stage.rs"]
pub mod chaired;
#[path = "../../../agon-protocols/tests/duel/scripted.rs"]
pub mod duel;
#[path = "../../../agon-report/tests/common/mod.rs"]
pub mod exchange;
#[path = "../../../agon-report/tests/panel/play.rs"]
pub mod panel;
#[path = "../../../agon-report/tests/revise/play.rs"]
pub mod revise;
