//! The opinion of the graph on a debate, next to its judge's: whose statements hold better, and whether the
//! judge sees it so too. Said in sentences that are made of figures, by code.

use std::collections::BTreeSet;

use agon_core::{Record, Role};
use agon_text::count_noun;

use super::{
    Extracted, Graph, Relation,
    semantics::{self, Measure, Preferred, StatementLabel},
};
use crate::{participation, ruling_view};

/// How one side's statements fare.
#[derive(Debug, Clone, PartialEq)]
pub struct SideView {
    /// What readers call it.
    pub name: String,
    /// Statements that can be read.
    pub statements: usize,
    /// How many of them stand, fall, and are left open by the grounded extension.
    pub standing: [usize; 3],
    /// Mean strength by each of [`Measure::ALL`]; `None` where it has no statement or a circle does
    /// not settle.
    pub strength: [Option<f64>; 2],
}

/// What follows from a graph: which statements stand, and which side it favours.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Of each statement, by the grounded extension; by the protocol's own rules where these decide.
    pub standing: Vec<StatementLabel>,
    /// Strength of each statement, by each of [`Measure::ALL`].
    pub strengths: [Option<Vec<f64>>; 2],
    /// The preferred extensions.
    pub preferred: Preferred,
    /// By side; empty where nobody takes one.
    pub sides: Vec<SideView>,
    /// The side whose statements hold better by both measures.
    pub favours: Option<usize>,
    /// Whether any statement attacks or supports another.
    pub engaged: bool,
    /// Whether those who argue agreed in the end, so that nothing stands against anything.
    pub agreed: bool,
    /// What it rests on besides typed fields, in a sentence; `None` where on these alone.
    pub basis: Option<String>,
}

impl Opinion {
    /// Of `graph`.
    pub fn from_graph(graph: &Graph) -> Self {
        let attacks = semantics::attack_framework(graph);
        let mut standing = attacks.grounded_labels();
        for (label, statement) in standing.iter_mut().zip(&graph.statements) {
            *label = graph.decided_label(statement).unwrap_or(*label);
        }
        let weighted = semantics::weighted_graph(graph);
        let strengths = Measure::ALL.map(|measure| weighted.compute_strengths(measure));
        let sides = list_side_views(graph, &standing, &strengths);
        Self {
            standing,
            preferred: attacks.preferred_extensions(),
            favours: favoured_side(&sides, graph),
            engaged: graph.agreed || !(weighted.attacks.is_empty() && weighted.supports.is_empty()),
            strengths,
            sides,
            agreed: graph.agreed,
            basis: describe_extraction(graph),
        }
    }

    /// Whom `graph` favours, without what costs more to compute.
    pub fn find_favoured_side(graph: &Graph) -> Option<usize> {
        let weighted = semantics::weighted_graph(graph);
        let strengths = Measure::ALL.map(|measure| weighted.compute_strengths(measure));
        let standing = vec![StatementLabel::Open; graph.statements.len()];
        let sides = list_side_views(graph, &standing, &strengths);
        favoured_side(&sides, graph)
    }

    /// Whom the graph favours, in a sentence with its figures.
    pub fn describe_opinion(&self) -> String {
        let favour = self.describe_favour();
        if !self.engaged || self.agreed || self.sides.is_empty() {
            return favour;
        }
        let figures = |measure: usize| {
            let each =
                self.sides.iter().filter_map(|side| Some(format!("{} {:.2}", side.name, side.strength[measure]?)));
            each.collect::<Vec<_>>().join(", ")
        };
        let (favour, one, other) = (favour.trim_end_matches('.'), figures(1), figures(0));
        format!("{favour} (mean strength from 0 to 1: {one}; computed in another way: {other}).")
    }

    /// The same without figures, whose measures few readers know.
    pub fn describe_favour(&self) -> String {
        if self.sides.is_empty() {
            return "Nobody takes a side here, so the graph favours nobody.".into();
        }
        if !self.engaged {
            return "No statement responds to another, so the graph shows nothing.".into();
        }
        if self.agreed {
            return "Both sides agreed in the end, so the graph favours neither.".into();
        }
        match self.favours {
            Some(side) => format!("In the graph, the statements of {} are strongest.", self.sides[side].name),
            None => "The graph clearly favours neither side.".into(),
        }
    }

    /// How many statements stand, fall and are open, in a sentence.
    pub fn describe_tally(&self) -> String {
        let statements = count_noun(self.standing.len(), "statement", "statements");
        if self.agreed {
            return format!("The debaters agreed in the end, so the attacks among their {statements} are settled.");
        }
        let count = |wanted: StatementLabel| self.standing.iter().filter(|standing| **standing == wanted).count();
        let [stand, fall, open] = [StatementLabel::Stands, StatementLabel::Falls, StatementLabel::Open].map(count);
        let preferred = match &self.preferred {
            Preferred::Known(all) if all.len() == 1 => "There is one preferred position.".to_owned(),
            Preferred::Known(all) => format!("There are {} preferred positions.", all.len()),
            Preferred::TooMany(open) => format!(
                "Preferred positions were not computed: {open} statements are open, and the limit is {}.",
                semantics::PREFERRED_MAX
            ),
        };
        let tally = format!("{stand} stand with every attack on them answered, {fall} fall, {open} remain open.");
        format!("Of {statements}, {tally} {preferred}")
    }
}

/// How much of `graph` a model extracted, and what would follow without that.
fn describe_extraction(graph: &Graph) -> Option<String> {
    let Extracted { by, read, follow, .. } = graph.extracted.as_ref()?;
    let extracted = graph.edges.iter().filter(|edge| edge.extracted).count();
    let read = format!("{read} of {follow} statements that follow others were read");
    if extracted == 0 {
        return Some(format!("No relation was extracted from prose by {by} ({read})."));
    }
    let typed = Opinion::from_graph(&graph.typed_only());
    let without = match (typed.engaged, typed.favours) {
        (false, _) => "it shows nothing".to_owned(),
        (true, None) => "it clearly favours neither side".to_owned(),
        (true, Some(side)) => format!("it favours {}", typed.sides[side].name),
    };
    let all = graph.edges.len();
    Some(format!(
        "Relations extracted from prose by {by}: {extracted} of {all} ({read}); by typed fields alone {without}."
    ))
}

/// Every side; none where nobody takes one.
fn list_side_views(graph: &Graph, standing: &[StatementLabel], strengths: &[Option<Vec<f64>>; 2]) -> Vec<SideView> {
    let side_view = |(side, name): (usize, &String)| {
        let own: Vec<usize> = (0..graph.statements.len())
            .filter(|at| graph.statements[*at].side == side && graph.statements[*at].text.is_some())
            .collect();
        let count = |wanted: StatementLabel| own.iter().filter(|at| standing[**at] == wanted).count();
        let mean =
            |all: &Vec<f64>| (!own.is_empty()).then(|| own.iter().map(|at| all[*at]).sum::<f64>() / own.len() as f64);
        SideView {
            name: name.clone(),
            statements: own.len(),
            standing: [StatementLabel::Stands, StatementLabel::Falls, StatementLabel::Open].map(count),
            strength: strengths.each_ref().map(|all| all.as_ref().and_then(mean)),
        }
    };
    graph.sides.iter().enumerate().filter(|_| graph.has_sides()).map(side_view).collect()
}

/// The side that leads by both measures.
fn favoured_side(sides: &[SideView], graph: &Graph) -> Option<usize> {
    let leaders = [0, 1].map(|measure| leading_side(sides, measure));
    leaders[0].filter(|_| leaders[0] == leaders[1] && !graph.agreed)
}

fn leading_side(sides: &[SideView], measure: usize) -> Option<usize> {
    let ranked = sides.iter().enumerate().filter_map(|(at, side)| Some((at, side.strength[measure]?)));
    let mut ranked: Vec<(usize, f64)> = ranked.collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    match ranked.as_slice() {
        [first, second, ..] if first.1 - second.1 > ruling_view::MARGIN_MIN => Some(first.0),
        _ => None,
    }
}

/// What the judge of a debate decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// Nobody judges in this protocol.
    Nobody,
    /// No judgment yet, or none that stands.
    Nothing,
    /// It favours nobody.
    Even(&'static str),
    /// It favours this side; who judged.
    For(usize, &'static str),
}

/// The judgment of `record`, by its outcome or, before it, by the latest totals.
pub fn find_judgment(record: &Record, graph: &Graph) -> Judged {
    let who = match [Role::Judge, Role::Chair].map(|role| participation::has_role(record, role)) {
        [true, _] => "judge",
        [false, true] => "chair",
        [false, false] => return Judged::Nobody,
    };
    let named = |name: &str| graph.sides.iter().position(|side| side.eq_ignore_ascii_case(name));
    if let Some(outcome) = record.closing_outcome() {
        return match &outcome.winner {
            Some(winner) => named(winner).map_or(Judged::Nothing, |side| Judged::For(side, who)),
            None if outcome.standing == agon_core::Standing::Void => Judged::Nothing,
            None => Judged::Even(who),
        };
    }
    let Some((_, _, scores)) = ruling_view::list_scores(record).pop() else { return Judged::Nothing };
    let Some(ahead) = scores.leading_side() else { return Judged::Even(who) };
    named(ahead).map_or(Judged::Nothing, |side| Judged::For(side, who))
}

/// Whether judge and graph agree, in a sentence; empty where nobody takes a side that they could favour.
pub fn describe_agreement(judged: &Judged, opinion: &Opinion) -> String {
    if opinion.sides.is_empty() {
        return String::new();
    }
    let name = |side: usize| opinion.sides.get(side).map_or("", |side| side.name.as_str());
    let graph = opinion.favours.filter(|_| opinion.engaged);
    let favoured = graph.map_or("", name);
    match (judged, graph) {
        (Judged::Nobody, _) => "This protocol has no judge, so the graph cannot be compared with a judgment.".into(),
        (Judged::Nothing, _) => "There is no judgment to compare it with.".into(),
        (Judged::For(side, who), Some(other)) if *side == other => {
            format!("The {who} and the graph agree: both favour {favoured}.")
        }
        (Judged::For(side, who), Some(_)) => format!(
            "The {who} and the graph disagree: the {who} favours {}, the graph favours {favoured}.",
            name(*side)
        ),
        (Judged::For(side, who), None) => {
            format!("The {who} favours {}; the graph neither confirms nor contradicts this.", name(*side))
        }
        (Judged::Even(who), Some(_)) => {
            format!("The {who} and the graph disagree: the {who} favours neither side, the graph favours {favoured}.")
        }
        (Judged::Even(who), None) => format!("The {who} and the graph agree: neither favours a side."),
    }
}

/// What striking statements changed, one sentence each; none where nothing did.
pub fn describe_changes(before: &Graph, after: &Graph) -> Vec<String> {
    let (old, new) = (Opinion::from_graph(before), Opinion::from_graph(after));
    let mut changes = Vec::new();
    for (at, statement) in after.statements.iter().enumerate() {
        let Some(was) = before.index(&statement.id).map(|at| old.standing[at]) else { continue };
        let is = new.standing[at];
        if was != is {
            let ([now, _], [_, before]) = (standing_verbs(is), standing_verbs(was));
            changes.push(format!("{} now {now}; it {before} before.", statement.id));
        }
    }
    let gone = |at: usize| after.index(&before.statements[at].id).is_none();
    let lost =
        before.edges.iter().filter(|edge| edge.relation == Relation::Attack && gone(edge.from) && !gone(edge.to));
    let lost: BTreeSet<&str> = lost.map(|edge| before.statements[edge.to].id.as_str()).collect();
    if !lost.is_empty() {
        changes.push(format!("An attack on {} is gone.", Vec::from_iter(lost).join(", ")));
    }
    if old.favours != new.favours {
        let name =
            |opinion: &Opinion| opinion.favours.map_or("nobody".to_owned(), |side| opinion.sides[side].name.clone());
        changes.push(format!("The graph now favours {}; before, {}.", name(&new), name(&old)));
    }
    changes
}

/// What a statement does now, and what it did.
fn standing_verbs(standing: StatementLabel) -> [&'static str; 2] {
    match standing {
        StatementLabel::Stands => ["stands", "stood"],
        StatementLabel::Falls => ["falls", "fell"],
        StatementLabel::Open => ["is open", "was open"],
    }
}
