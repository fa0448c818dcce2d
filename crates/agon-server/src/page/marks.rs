//! What a protocol's own reading adds to its statements: the ids that arguments are known by, and
//! the scores that stand.

use std::collections::BTreeMap;

use agon_core::{Key, Record, View};
use agon_protocols::exchange::{
    argument::Side,
    hall::{Accepted, Hall, exchange_key},
};
use serde::Deserialize;

/// Ids and scores, by statement.
#[derive(Default)]
pub struct Marks {
    by_key: BTreeMap<Key, Vec<Mark>>,
}

/// One argument of a statement.
#[derive(Clone)]
pub struct Mark {
    /// For example `prop_000a`.
    pub id: String,
    /// The score that stands.
    pub score: Option<f64>,
}

impl Marks {
    /// The marks of a record; none for a protocol that has no such ids.
    pub fn of(record: &Record) -> Self {
        let mut marks = Self::default();
        if record.opened().protocol != "exchange" {
            return marks;
        }
        let view = View::whole(record);
        let hall = Hall::of(&view);
        for exchange in 0.. {
            let Some(ruling) = view.ruling(exchange_key(exchange, "arguments")) else { break };
            let Ok(accepted) = Accepted::deserialize(&ruling.data) else { break };
            for side in Side::BOTH {
                let held = hall.of_exchange(exchange).filter(|held| held.side == side);
                let ids =
                    held.map(|held| Mark { score: hall.current.get(&held.id).copied(), id: held.id.clone() });
                marks.by_key.insert(accepted.key(side).clone(), ids.collect());
            }
        }
        marks
    }

    /// The marks of the statement under `key`, in its order.
    pub fn at(&self, key: &Key) -> &[Mark] {
        self.by_key.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether an argument of the page is known by `id`.
    pub fn knows(&self, id: &str) -> bool {
        self.by_key.values().flatten().any(|mark| mark.id == id)
    }
}
