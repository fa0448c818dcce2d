//! What a revise debate writes, and what happens to its drafts.

use crate::request::Options;

/// What a revise debate writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A plan of task packets.
    Plan,
    /// A review with a verdict.
    Review,
    /// Any other text.
    Draft,
}

impl Mode {
    /// As a record and its files name it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Plan => "plan",
            Mode::Review => "review",
            Mode::Draft => "draft",
        }
    }

    /// What the options name; `None` where they name none.
    pub fn of(options: &Options) -> Option<Self> {
        let named = options.text("mode")?;
        [Mode::Plan, Mode::Review, Mode::Draft].into_iter().find(|mode| mode.name() == named)
    }
}

/// What happens to the drafts of a revise debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Critique and revision, then one text.
    Debate,
    /// One text at once.
    Synthesize,
    /// One author alone.
    Single,
}

impl Strategy {
    /// As a record and its files name it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Debate => "debate",
            Strategy::Synthesize => "synthesize",
            Strategy::Single => "single",
        }
    }

    /// What the options name; `None` where they name none.
    pub fn of(options: &Options) -> Option<Self> {
        let named = options.text("strategy")?;
        let all = [Strategy::Debate, Strategy::Synthesize, Strategy::Single];
        all.into_iter().find(|strategy| strategy.name() == named)
    }
}
