//! What many debates say about their judges: how often the order decided, how far judges agree, and
//! how many votes a panel is worth. One debate cannot tell any of it.

use std::collections::BTreeMap;

use agon_core::Record;
use agon_eval::agreement::{alpha_interval, effective_votes, krippendorff_alpha};
use serde::Serialize;

use crate::ruling_view::VoteView;

/// Statistics on the judges of a set of debates. A figure that cannot be computed is `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Debates with judges of which votes are known.
    pub debates: usize,
    /// Votes heard in both orders.
    pub in_both_orders: usize,
    /// Those whose two orders had opposite winners.
    pub flips: usize,
    /// The share of flips, 0 to 1.
    pub flip_rate: Option<f64>,
    /// Judges of the largest panel.
    pub judges: usize,
    /// Krippendorff's alpha of the judges' votes, nominal; 1 is perfect, 0 is chance.
    pub alpha: Option<f64>,
    /// Its 95 % interval, by bootstrap over judgments.
    pub alpha_interval: Option<(f64, f64)>,
    /// How many independent votes the panel is worth, 1 to its size.
    pub effective_votes: Option<f64>,
}

/// How many judgments of one debate there are, how many of them were heard in both orders of the sides, and how
/// many of those the order decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Orders {
    /// All of them.
    pub all: usize,
    /// Those that were heard in both orders.
    pub both: usize,
    /// Those of them whose two orders had opposite winners.
    pub flips: usize,
}

impl Orders {
    /// Those of `votes`.
    pub fn from_votes(votes: &[Vec<VoteView>]) -> Self {
        let count = |is: &dyn Fn(&VoteView) -> bool| votes.iter().flatten().filter(|vote| is(vote)).count();
        Self { all: count(&|_| true), both: count(&|vote| vote.orders.len() > 1), flips: count(&|vote| vote.is_flip) }
    }
}

/// The votes of many debates, heard one debate after the other. A judge is known by its seat.
#[derive(Debug, Default)]
pub struct Votes {
    votes: Vec<Vec<VoteView>>,
    debates: usize,
}

impl Votes {
    /// Adds those of `record`.
    pub fn add_record(&mut self, record: &Record) {
        let votes = crate::views_of(record).list_votes(record);
        self.debates += usize::from(!votes.is_empty());
        self.votes.extend(votes);
    }

    /// What they say together.
    pub fn to_agreement(&self) -> Agreement {
        let Self { votes, debates } = self;
        let Orders { both: in_both_orders, flips, .. } = Orders::from_votes(votes);
        // What a vote says: a side, or that none leads.
        let said = |vote: &VoteView| vote.prefers.unwrap_or(u8::MAX);
        let units: Vec<Vec<u8>> = votes.iter().map(|unit| unit.iter().map(said).collect()).collect();
        let judges = votes.iter().map(Vec::len).max().unwrap_or(0);
        let mut margins: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
        for (unit, vote) in votes.iter().enumerate().flat_map(|(at, unit)| unit.iter().map(move |vote| (at, vote))) {
            margins.entry(vote.judge.as_str()).or_default().insert(unit, vote.margin);
        }
        let several = *debates > 1;
        let panel = several && judges > 1;
        Agreement {
            debates: *debates,
            in_both_orders,
            flips,
            flip_rate: (several && in_both_orders > 0).then(|| flips as f64 / in_both_orders as f64),
            judges,
            alpha: krippendorff_alpha(&units).filter(|_| panel),
            alpha_interval: alpha_interval(&units).filter(|_| panel),
            effective_votes: effective_votes(&margins.into_values().collect::<Vec<_>>()).filter(|_| panel),
        }
    }
}

impl Agreement {
    /// In lines for a reader.
    pub fn render_lines(&self) -> Vec<String> {
        let why = if self.debates > 1 { "not computable from these debates" } else { "not computable from one debate" };
        let shown = |value: Option<String>| value.unwrap_or_else(|| why.to_owned());
        let mut lines = vec![format!(
            "flips with the order: {}",
            shown(self.flip_rate.map(|rate| {
                format!("{:.0} % ({} of {} votes heard in both orders)", rate * 100.0, self.flips, self.in_both_orders)
            }))
        )];
        if self.judges > 1 {
            let alpha = self.alpha.map(|alpha| match self.alpha_interval {
                Some((low, high)) => format!("{alpha:.2} (95 % interval {low:.2} to {high:.2})"),
                None => format!("{alpha:.2} (no interval from so few judgments)"),
            });
            lines.push(format!("Krippendorff's alpha of the judges: {}", shown(alpha)));
            let votes = self.effective_votes.map(|votes| format!("{votes:.1} of {} judges", self.judges));
            lines.push(format!("effective votes: {}", shown(votes)));
        }
        lines
    }
}
