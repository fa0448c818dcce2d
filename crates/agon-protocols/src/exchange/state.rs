//! What has been argued and scored so far, read from the rulings of the script. Prompts, files and
//! the script itself all look at a debate through it.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{Key, View};
use agon_text::WordRuns;
use serde::{Deserialize, Serialize};

use super::{
    argument::{Argument, ArgumentRules, Arguments, Side},
    citations,
    judge_seats::JudgePanel,
    judgment::{Clash, JudgmentScope, Rescore, Score},
    side_labels::SideLabels,
    verdict::{self, JudgeVote, VoteTally},
};
use crate::common::verification::{self, SourceCheck};

/// An exchange begins: data of the ruling `exchange-NNN/phase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeBegins {
    /// Which, 0 for the opening.
    pub exchange: u32,
}

/// The accepted statements of one exchange: data of the ruling `exchange-NNN/arguments`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedArguments {
    /// Which exchange.
    pub exchange: u32,
    /// The draft that stands for each side.
    pub proposition: Key,
    /// The draft that stands for each side.
    pub opposition: Key,
    /// What was found about the sources of both, where pages are opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
}

impl AcceptedArguments {
    /// Those of every exchange, oldest first.
    pub fn list_all(view: &View<'_>) -> impl Iterator<Item = Arc<Self>> {
        (0..).map_while(|exchange| view.find_ruling_data(exchange_key(exchange, "arguments")))
    }

    /// The draft of one side.
    pub fn draft_key(&self, side: Side) -> &Key {
        side.pick([&self.proposition, &self.opposition])
    }
}

/// The accepted judgment of one exchange: data of the ruling `exchange-NNN/scores`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scored {
    /// Which exchange.
    pub exchange: u32,
    /// The judge's draft that stands.
    pub key: Key,
    /// What the judge says the exchange turned on; none where the judge gave scores instead of grades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clash: Option<Clash>,
    /// New scores in file order.
    pub scores: Vec<Score>,
    /// Corrections of earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rescores: Vec<Rescore>,
    /// What was subtracted from each raw score.
    pub shift: f64,
    /// The sides' totals after this exchange.
    pub totals: Totals,
    /// How the judges stood to each other, where judgments are blind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<VoteTally>,
}

/// Sum and number of the scores of each side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// For the motion.
    pub proposition: Total,
    /// Against it.
    pub opposition: Total,
}

/// Sum and number of the scores of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// Sum of the current scores, rounded to three decimals.
    pub total: f64,
    /// Number of scored arguments.
    pub count: u32,
}

impl Totals {
    /// Totals of current scores by argument id; ids of neither side are ignored.
    pub fn from_scores<'s>(current: impl IntoIterator<Item = (&'s str, f64)>) -> Self {
        let mut totals = Self::default();
        for (id, score) in current {
            let side = match id.split('_').next() {
                Some("prop") => &mut totals.proposition,
                Some("opp") => &mut totals.opposition,
                _ => continue,
            };
            (side.total, side.count) = (side.total + score, side.count + 1);
        }
        for side in [&mut totals.proposition, &mut totals.opposition] {
            side.total = super::judgment::round_score(side.total);
        }
        totals
    }

    /// The side that is ahead; nobody is within the tolerance of one batch.
    pub fn leading_side(&self) -> Option<Side> {
        verdict::leading_side(self.proposition.total - self.opposition.total)
    }
}

/// One accepted argument with its id, side and exchange.
#[derive(Debug, Clone)]
pub struct PlacedArgument {
    /// For example `prop_000a`.
    pub id: String,
    /// Whose.
    pub side: Side,
    /// From which exchange.
    pub exchange: u32,
    statement: Arc<Arguments>,
    index: usize,
    sources: Vec<SourceCheck>,
}

impl PlacedArgument {
    /// The argument.
    pub fn argument(&self) -> &Argument {
        &self.statement.arguments[self.index]
    }

    /// The runs of words of the argument.
    pub fn word_runs(&self) -> &WordRuns {
        &self.statement.word_runs()[self.index]
    }

    /// What was found about the sources of its `ground`, from 0.
    pub fn source_checks(&self, ground: usize) -> impl Iterator<Item = &SourceCheck> {
        let at = citations::ground_name(&self.id, ground);
        self.sources.iter().filter(move |found| found.at == at)
    }

    /// What was found about the sources of all its places.
    pub fn looked_up(&self) -> impl Iterator<Item = &SourceCheck> {
        let within = |found: &&SourceCheck| found.at.split('/').next() == Some(self.id.as_str());
        self.sources.iter().filter(within)
    }

    /// `words` of it, which stand at `place`, with what was found about pages that they cite.
    pub fn tag_words(&self, place: &str, words: &str) -> String {
        verification::tag_words(words, &format!("{}/{place}", self.id), &self.sources)
    }
}

/// The arguments, judgments and current scores of an exchange, rebuilt from its rulings.
#[derive(Debug, Clone, Default)]
pub struct ExchangeState {
    /// In file order within an exchange: proposition, then opposition.
    pub arguments: Vec<PlacedArgument>,
    /// By exchange.
    pub judgments: Vec<Arc<Scored>>,
    /// Current score by argument id.
    pub current: BTreeMap<String, f64>,
    /// What each judge said of each exchange, where judgments are blind.
    pub votes: Vec<Arc<JudgeVote>>,
}

impl ExchangeState {
    /// As `view` shows it.
    pub fn from_view(view: &View<'_>) -> Arc<Self> {
        view.derive_once(|| Self::read_view(view))
    }

    fn read_view(view: &View<'_>) -> Self {
        let mut state = Self::default();
        let judge_panel = JudgePanel::from_opened(view.opened());
        for accepted in AcceptedArguments::list_all(view) {
            for side in Side::BOTH {
                // It was checked before it was accepted, and what the check made of it is kept with the entry.
                let (key, turn) = (accepted.draft_key(side), state.argument_rules(side, accepted.exchange));
                let parse = match view.is_imported(key) {
                    true => ArgumentRules::parse_imported,
                    false => ArgumentRules::parse_redraft,
                };
                let statement = view.parse_statement(key, |text| parse(&turn, text).map(Arc::new));
                if let Some(Ok(arguments)) = statement.as_deref() {
                    state.add_arguments(side, accepted.exchange, arguments, &accepted.sources);
                }
            }
            let key = |what: &str| exchange_key(accepted.exchange, what);
            if let Some(scored) = view.find_ruling_data::<Scored>(key("scores")) {
                state.apply_scores(&scored.scores, &scored.rescores);
                state.judgments.push(scored);
            }
            if judge_panel.has_votes() {
                let voted = |judge| view.find_ruling_data::<JudgeVote>(key(&format!("votes/{judge}")));
                state.votes.extend(judge_panel.seats.iter().filter_map(voted));
            }
        }
        state
    }

    /// Adds one side's arguments of one exchange, after what was `found` about their sources.
    pub fn add_arguments(&mut self, side: Side, exchange: u32, statement: &Arc<Arguments>, found: &[SourceCheck]) {
        let ids = if statement.ids.is_empty() { side.argument_ids(exchange) } else { statement.ids.clone() };
        let statement = &citations::apply_source_checks(statement, &ids, found);
        let ids = ids.into_iter().take(statement.arguments.len()).enumerate();
        self.arguments.extend(ids.map(|(index, id)| PlacedArgument {
            id,
            side,
            exchange,
            statement: statement.clone(),
            index,
            sources: found.to_vec(),
        }));
    }

    /// What `side` may say in `exchange`, which follows everything held so far.
    pub fn argument_rules(&self, side: Side, exchange: u32) -> ArgumentRules {
        let before = |side: Side| {
            let earlier = self.arguments.iter().filter(|h| h.side == side && h.exchange < exchange);
            earlier.map(|held| held.id.clone()).collect()
        };
        ArgumentRules { side, exchange, own: before(side), opposing: before(side.opposite()) }
    }

    /// What a judge must score after `exchange`, with what it is shown by `labels`.
    pub fn judgment_scope(&self, exchange: u32, labels: Option<SideLabels>) -> JudgmentScope {
        JudgmentScope {
            ids: self.of_exchange(exchange).map(|held| held.id.clone()).collect(),
            current: self.current.clone(),
            labels,
        }
    }

    /// The arguments of one exchange.
    pub fn of_exchange(&self, exchange: u32) -> impl Iterator<Item = &PlacedArgument> {
        self.arguments.iter().filter(move |held| held.exchange == exchange)
    }

    /// Puts scores into force without keeping their reasons.
    pub fn apply_scores(&mut self, scores: &[Score], rescores: &[Rescore]) {
        let new = scores.iter().map(|given| (given.argument_id.clone(), given.score));
        self.current.extend(new.chain(rescores.iter().map(|given| (given.argument_id.clone(), given.new_score))));
    }

    /// The sides' totals now.
    pub fn totals(&self) -> Totals {
        Totals::from_scores(self.current.iter().map(|(id, score)| (id.as_str(), *score)))
    }

    /// The argument called `id`.
    pub fn find_argument(&self, id: &str) -> Option<&PlacedArgument> {
        self.arguments.iter().find(|held| held.id == id)
    }

    /// Scored arguments with their scores, best first; equal scores in file order.
    pub fn rank_arguments(&self) -> Vec<(&PlacedArgument, f64)> {
        let scored = self.arguments.iter().filter_map(|held| Some((held, *self.current.get(&held.id)?)));
        let mut ranked: Vec<_> = scored.collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }
}

/// Key of a ruling or request of one exchange.
pub fn exchange_key(exchange: u32, what: &str) -> String {
    format!("exchange-{exchange:03}/{what}")
}
