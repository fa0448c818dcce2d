//! The kept debate about the night bus, as its files tell it.

use agon_core::Record;
use agon_formats::record_jsonl;

use crate::chaired::stage::file;
