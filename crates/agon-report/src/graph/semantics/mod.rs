//! The semantics of a graph: which statements stand, and how strong each is.
//!
//! Attack counts for both kinds of semantics, support for the gradual ones alone. What someone
//! grants to another supports that other; what they grant about their own statement, and citations,
//! count nowhere. Nor do attacks among those who agreed in the end.

mod dung;
mod gradual;

pub use dung::{Framework, PREFERRED_MAX, Preferred, StatementLabel};
pub use gradual::{Measure, Weighted};

use super::{Graph, Relation};

/// The weight of every statement before anyone speaks of it. The judge's scores are not weights:
/// this is a second opinion.
pub const WEIGHT: f64 = 0.5;

/// The attacks of `graph`, without the statements that were redacted: what nobody may read does not
/// count.
pub fn attack_framework(graph: &Graph) -> Framework {
    let counted = |edge: &&super::Edge| edge.relation == Relation::Attack && !graph.agreed && has_text(graph, edge);
    let attacks = graph.edges.iter().filter(counted).map(|edge| (edge.from, edge.to));
    Framework::new(graph.statements.len(), attacks)
}

/// The attacks and supports of `graph`, each pair of statements once, with equal weights.
pub fn weighted_graph(graph: &Graph) -> Weighted {
    let edges = |wanted: &[Relation]| {
        let side = |at: usize| graph.statements[at].side;
        let granted = |edge: &super::Edge| edge.relation != Relation::Concession || side(edge.from) != side(edge.to);
        let counted = |edge: &&super::Edge| wanted.contains(&edge.relation) && granted(edge) && has_text(graph, edge);
        let mut pairs: Vec<(usize, usize)> =
            graph.edges.iter().filter(counted).map(|edge| (edge.from, edge.to)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    Weighted {
        base: vec![WEIGHT; graph.statements.len()],
        attacks: if graph.agreed { Vec::new() } else { edges(&[Relation::Attack]) },
        supports: edges(&[Relation::Support, Relation::Concession]),
    }
}

fn has_text(graph: &Graph, edge: &super::Edge) -> bool {
    graph.statements[edge.from].text.is_some()
}
