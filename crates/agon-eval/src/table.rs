//! Observations as small rows: names are numbers, texts are gone. A hundred thousand fit in a few megabytes.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use crate::{
    observation::{MirrorPair, Observation, ObservationState, ObservedUsage, RowState, is_same_answer},
    scores::Forecast,
};

/// Arms of one report.
pub const ARMS_MAX: usize = 100;
/// Distinct models, prompts or reasons that an arm keeps by name; further ones are counted together.
pub const NAMES_MAX: usize = 50;
/// Under this name.
pub const OTHERS: &str = "(others)";

/// One observation without its texts.
#[derive(Debug, Clone)]
pub(crate) struct TableRow {
    pub item: usize,
    pub cluster: usize,
    pub repetition: u32,
    pub state: RowState,
    /// Whether there is a final answer.
    pub decided: bool,
    pub right: Option<bool>,
    pub initial_right: Option<bool>,
    pub critic_right: Option<bool>,
    pub forecast: Option<Forecast>,
    /// Place of the side that won, and whether the right choice was argued from place 0.
    pub winner: Option<u8>,
    pub gold_first: Option<bool>,
    pub mirror: Option<MirrorPair>,
    /// Families of the sides that argued for the first and the second choice.
    pub families: [Option<usize>; 2],
    /// Models of the side that won and of the one that lost.
    pub contest: Option<(usize, usize)>,
    pub verified: Option<bool>,
    pub usage: ObservedUsage,
    pub votes: Vec<RowVote>,
}

#[derive(Debug, Clone)]
pub(crate) struct RowVote {
    pub judge: usize,
    pub family: Option<usize>,
    /// Index of the choice; `u8::MAX` for a tie. `None` where answers are free: texts are not compared.
    pub answer: Option<u8>,
    pub margin: Option<f64>,
    /// Whether it voted for the choice whose case it was shown first.
    pub first_won: Option<bool>,
    pub flip: Option<bool>,
}

impl TableRow {
    /// Right or wrong, where an observation that did not end well is wrong. `None` without gold.
    pub fn strictly_right(&self) -> Option<bool> {
        self.right.map(|right| right && self.state == RowState::Answered)
    }

    /// Right or wrong; `None` where it did not end well, or without gold.
    pub fn ended_right(&self) -> Option<bool> {
        self.right.filter(|_| self.state == RowState::Answered)
    }
}

/// The number of `name` among those that were met before, in the order in which they were met.
fn intern_name(names: &mut IndexSet<String>, name: &str) -> usize {
    names.get_index_of(name).unwrap_or_else(|| names.insert_full(name.to_owned()).0)
}

/// Names and how often each occurred.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tallies(pub BTreeMap<String, u64>);

impl Tallies {
    pub fn add(&mut self, name: &str) {
        let known = self.0.len() < NAMES_MAX || self.0.contains_key(name);
        *self.0.entry(if known { name.to_owned() } else { OTHERS.to_owned() }).or_default() += 1;
    }
}

/// All observations of one arm.
#[derive(Debug, Default)]
pub(crate) struct ArmRows {
    rows: BTreeMap<(usize, u32), TableRow>,
    pub models: Tallies,
    pub prompts: Tallies,
    pub reasons: Tallies,
    pub seeds: Option<(u64, u64)>,
    pub records: u64,
}

/// What is kept of an item.
#[derive(Debug)]
pub(crate) struct KnownItem {
    cluster: usize,
    pub gold: Option<String>,
    choices: u64,
}

/// All observations of an evaluation.
#[derive(Debug, Default)]
pub(crate) struct ObservationTable {
    pub arms: IndexSet<String>,
    pub rows: Vec<ArmRows>,
    items: IndexSet<String>,
    pub known: Vec<KnownItem>,
    /// An item without one is its own.
    pub clusters: IndexSet<String>,
    judges: IndexSet<String>,
    families: IndexSet<String>,
    pub models: IndexSet<String>,
    pub heard: u64,
    pub replaced: u64,
}

impl ObservationTable {
    /// Adds an observation. A later one of the same item, arm and repetition replaces an earlier one.
    pub fn add_observation(&mut self, observation: &Observation) -> Result<(), String> {
        let item = self.register_item(observation)?;
        let arm = intern_name(&mut self.arms, &observation.arm);
        if arm >= ARMS_MAX {
            return Err("there are more than 100 arms; report on some of them".into());
        }
        if arm == self.rows.len() {
            self.rows.push(ArmRows::default());
        }
        let row = self.build_row(observation, item);
        let rows = &mut self.rows[arm];
        observation.models.iter().for_each(|model| rows.models.add(model));
        observation.prompt_digest.iter().for_each(|digest| rows.prompts.add(digest));
        if let ObservationState::Degraded { reason } | ObservationState::Failed { reason } = &observation.state {
            // As a table shows it.
            rows.reasons.add(&reason.trim().chars().take(200).collect::<String>());
        }
        if let Some(seed) = observation.seed {
            let (low, high) = rows.seeds.unwrap_or((seed, seed));
            rows.seeds = Some((low.min(seed), high.max(seed)));
        }
        rows.records += u64::from(observation.record_hash.is_some());
        self.heard += 1;
        self.replaced += u64::from(rows.rows.insert((item, observation.repetition), row).is_some());
        Ok(())
    }

    /// The number of the item, if it is the same as before.
    fn register_item(&mut self, observation: &Observation) -> Result<usize, String> {
        let number = intern_name(&mut self.items, &observation.item);
        let choices = digest_texts(&observation.choices);
        let Some(known) = self.known.get_mut(number) else {
            // A name per item, apart from those of clusters: an item may be called like a cluster of others.
            let own = format!("\u{0}{}", observation.item);
            let cluster = intern_name(&mut self.clusters, observation.cluster.as_deref().unwrap_or(&own));
            self.known.push(KnownItem { cluster, gold: observation.gold.clone(), choices });
            return Ok(number);
        };
        if known.choices != choices {
            let item = &observation.item;
            return Err(format!(
                "item {item:?} has different choices in two observations; give one of the items another id"
            ));
        }
        match (&known.gold, &observation.gold) {
            (Some(one), Some(other)) if !is_same_answer(one, other) => Err(format!(
                "item {:?}: one observation has the gold answer {one:?} and another {other:?}; they are of different \
                 items, so give one of them another id",
                observation.item
            )),
            (None, Some(gold)) => {
                known.gold = Some(gold.clone());
                Ok(number)
            }
            _ => Ok(number),
        }
    }

    fn build_row(&mut self, observation: &Observation, item: usize) -> TableRow {
        let choice = |text: &str| observation.choices.iter().position(|choice| is_same_answer(choice, text));
        let gold = observation.gold.as_deref();
        let right = |answer: &Option<String>| Some(is_same_answer(answer.as_deref()?, gold?));
        let place = |answer: &str| observation.sides.iter().position(|side| is_same_answer(&side.choice, answer));
        let two_sides = observation.sides.len() == 2;
        let winner = observation.answer.as_deref().filter(|_| two_sides).and_then(place);
        let model = |at: usize| observation.sides.get(at).and_then(|side| side.model.as_deref());
        let contest = winner.and_then(|at| Some((model(at)?, model(1 - at)?))).filter(|(a, b)| a != b);
        let family = |of: usize| {
            let of = observation.choices.get(of)?;
            observation.sides.iter().find(|side| is_same_answer(&side.choice, of))?.family.as_deref()
        };
        let forecast = observation.probabilities.as_deref().zip(gold.and_then(choice));
        let forecast = forecast.and_then(|(given, gold)| Forecast::new(given, gold));
        TableRow {
            item,
            cluster: self.known[item].cluster,
            repetition: observation.repetition,
            state: (&observation.state).into(),
            decided: observation.answer.is_some(),
            right: observation.is_right(),
            initial_right: right(&observation.initial),
            critic_right: right(&observation.critic),
            forecast,
            winner: winner.map(|at| at as u8),
            gold_first: gold.filter(|_| two_sides).and_then(place).map(|at| at == 0),
            mirror: observation.mirror,
            families: [0, 1].map(|of| family(of).map(|family| intern_name(&mut self.families, family))),
            contest: contest.map(|(a, b)| (intern_name(&mut self.models, a), intern_name(&mut self.models, b))),
            verified: observation.verified_quote,
            usage: observation.usage,
            votes: self.build_votes(observation),
        }
    }

    fn build_votes(&mut self, observation: &Observation) -> Vec<RowVote> {
        let choice = |text: &str| observation.choices.iter().position(|choice| is_same_answer(choice, text));
        let votes = observation.votes.iter().map(|vote| {
            let answer = vote.answer.as_deref().and_then(choice);
            let two = observation.choices.len() == 2;
            let has_choices = !observation.choices.is_empty();
            let lead = |given: &Vec<f64>| given[0] - given[1];
            let margin = vote.margin.or_else(|| vote.probabilities.as_ref().filter(|_| two).map(lead));
            let sign = answer.filter(|_| two).map(|answer| if answer == 0 { 1.0 } else { -1.0 });
            RowVote {
                judge: intern_name(&mut self.judges, &vote.judge),
                family: vote.family.as_deref().map(|family| intern_name(&mut self.families, family)),
                answer: has_choices.then(|| answer.map_or(u8::MAX, |answer| answer as u8)),
                margin: margin.or(sign),
                first_won: vote.answer.as_ref().zip(vote.first_shown.as_ref()).map(|(a, b)| is_same_answer(a, b)),
                flip: vote.flip,
            }
        });
        votes.collect()
    }

    /// Rows of an arm, by item and repetition, in the order of the items' names: figures do not depend on the order in
    /// which observations arrived.
    pub fn take_ordered_rows(&mut self, arm: usize) -> Vec<TableRow> {
        let ranks = ranks_of(&self.items);
        let clusters = ranks_of(&self.clusters);
        let mut rows: Vec<TableRow> = std::mem::take(&mut self.rows[arm].rows).into_values().collect();
        for row in &mut rows {
            row.item = ranks[row.item];
            row.cluster = clusters[row.cluster];
        }
        rows.sort_by_key(|row| (row.item, row.repetition));
        rows
    }
}

/// The place of each name in the sorted list.
pub(crate) fn ranks_of(names: &IndexSet<String>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| names[*a].cmp(&names[*b]));
    let mut ranks = vec![0; names.len()];
    order.into_iter().enumerate().for_each(|(rank, at)| ranks[at] = rank);
    ranks
}

/// FNV-1a of texts: enough to tell two versions of one item apart, and the same on every machine.
fn digest_texts(texts: &[String]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.trim().bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
