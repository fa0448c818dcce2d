//! The judges: their seats, their orders of reading, and the quorum.
//!
//! Options are recorded when a debate is opened. A debate without them has one judge, who reads the
//! proposition first, once, by its name.

use agon_core::{Opened, Seat};
use serde_json::json;

use super::side_labels::SideLabels;
use crate::common::{lineup, named_seat};

/// Option: `both` or `one`, in which orders of the sides a judge is asked.
pub const ORDERS: &str = "orders";
/// Option: `stable`, to stop before the last round where the judges' margin is stable and decisive.
pub const STOP: &str = "stop";
/// Name of the judge's seat, and of the seats of a panel before their number.
const JUDGE: &str = "judge";

/// The judges of one debate, their orders of reading and the rule for stopping early.
#[derive(Debug, Clone)]
pub struct JudgePanel {
    /// Their seats.
    pub seats: Vec<Seat>,
    /// In how many orders each is asked; `None` where judgments are not blind.
    pub orders: Option<usize>,
    /// Whether a stable and decisive margin stops the debate.
    pub stops: bool,
    seed: u64,
}

impl JudgePanel {
    /// The judges that a debate was opened with.
    pub fn from_opened(opened: &Opened) -> Self {
        let judges = lineup::list_row_members(opened, JUDGE).into_iter();
        let mut seats: Vec<Seat> = judges.map(|member| member.seat).collect();
        if seats.is_empty() {
            seats.push(named_seat(JUDGE));
        }
        let orders = opened.options.get(ORDERS).map(|orders| if orders == "both" { 2 } else { 1 });
        // A panel is always blind.
        let orders = orders.or((seats.len() > 1).then_some(1));
        Self { seats, orders, stops: opened.options.get(STOP) == Some(&json!("stable")), seed: opened.seed }
    }

    /// Whether there are several.
    pub fn is_panel(&self) -> bool {
        self.seats.len() > 1
    }

    /// Fewest judges that must answer: a majority.
    pub fn quorum(&self) -> usize {
        self.seats.len() / 2 + 1
    }

    /// Whether there is more to say of a judgment than its scores.
    pub fn has_votes(&self) -> bool {
        self.orders.is_some()
    }

    /// What is asked of judge number `at`: a key's part, and the labels.
    pub(super) fn ordered_judgments(&self, at: usize, exchange: u32) -> Vec<(String, Option<SideLabels>)> {
        let name = match self.is_panel() {
            true => format!("judgment/{}", self.seats[at]),
            false => "judgment".to_owned(),
        };
        let Some(orders) = self.orders else { return vec![(name, None)] };
        let first = SideLabels::draw(self.seed, exchange, at);
        let both = [(name.clone(), Some(first)), (format!("{name}/swapped"), Some(first.swapped()))];
        both.into_iter().take(orders).collect()
    }
}
