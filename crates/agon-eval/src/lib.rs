//! Items with gold answers, observations of how arms answered them, and the statistics that say whether a debate
//! helped.
//!
//! Pure: what is read and written goes through a reader or writer that the caller gives. No clock, no network, and no
//! randomness except from a seed. It knows nothing about records of debates; an [`observation::Observation`] is all
//! that it needs, wherever it was made.
//!
//! - [`item`]: questions with choices and gold answers; [`observation`]: what an arm made of an item;
//!   [`json_lines`]: JSON lines of a limited length
//! - [`estimate`]: values with intervals, Wilson's among them; [`bootstrap`]: intervals by resampling clusters
//! - [`mcnemar`]: paired tests and Holm's correction; [`scores`]: Brier, log score, calibration;
//!   [`agreement`]: alpha and effective votes; [`bradley_terry`]: ratings
//! - [`published`]: debates and judgments made elsewhere
//! - [`figures`]: all of these for arms; [`report`]: the whole, from observations in one pass, and drawn

pub mod agreement;
pub mod bootstrap;
pub mod bradley_terry;
pub mod estimate;
pub mod figures;
pub mod item;
pub mod json_lines;
pub mod mcnemar;
pub mod observation;
pub mod published;
pub mod report;
pub mod scores;
mod table;
