//! What the place of a side and the order of showing did to the result.

use serde::Serialize;

use crate::{estimate::Share, observation::RowState, table::TableRow};

/// Effects of places and orders, of the observations that ended well.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OrderEffects {
    /// Debates won by the side that opened, of those of two sides with a winner; debates and mirrors both count.
    pub side_prior: Share,
    /// Debates in which the right choice was argued by the side that opened. Far from a half, the side prior may be the
    /// effect of the cases.
    pub gold_first: Share,
    /// Pairs of a debate and its mirror in which the same side won, whatever its case, of those with two winners.
    pub followed_side: Share,
    /// Pairs of a debate and its mirror with a draw in one of them.
    pub mirror_draws: u64,
    /// Votes for the choice whose case was shown first, of those shown in one order.
    pub first_shown: Share,
    /// Votes whose two orders had opposite winners, of those heard in both.
    pub flips: Share,
}

impl OrderEffects {
    pub(crate) fn from_rows(rows: &[TableRow]) -> Self {
        let ended = || rows.iter().filter(|row| row.state == RowState::Answered);
        let votes = || ended().flat_map(|row| &row.votes);
        let winners = ended().flat_map(|row| match row.mirror {
            Some(pair) => [pair.debate, pair.mirror],
            None => [row.winner, None],
        });
        let pairs = || ended().filter_map(|row| row.mirror);
        let both = pairs().filter_map(|pair| pair.debate.zip(pair.mirror));
        Self {
            side_prior: Share::from_values(winners.flatten().map(|place| place == 0)),
            gold_first: Share::from_values(ended().filter_map(|row| row.gold_first)),
            mirror_draws: pairs().filter(|pair| pair.debate.is_none() || pair.mirror.is_none()).count() as u64,
            followed_side: Share::from_values(both.map(|(debate, mirror)| debate == mirror)),
            first_shown: Share::from_values(votes().filter_map(|vote| vote.first_won)),
            flips: Share::from_values(votes().filter_map(|vote| vote.flip)),
        }
    }
}
