//! The strongest that each side said: by the judge's scores where there are some, else by how the statements hold in
//! the argument graph.

use super::{Case, Sentence, quote::QuotedEntries};
use crate::graph::{Graph, GraphStatement, opinion::Opinion};

/// Sentences of each side where two or three argue.
const EACH_MAX: usize = 2;
/// Sides from which on each has one sentence.
const MANY: usize = 4;

/// The case of every side of `graph`.
pub fn all(
    entries: &QuotedEntries<'_>,
    graph: &Graph,
    mut case: impl FnMut(usize) -> Vec<Sentence>,
) -> Vec<Case> {
    let views = crate::views_of(entries.record);
    let cases = (0..graph.sides.len()).filter_map(|side| {
        let mut sentences = case(side);
        sentences.truncate(if graph.sides.len() < MANY { EACH_MAX } else { 1 });
        let tag = views.voice(entries.record, graph, side).map(|voice| voice.tag).unwrap_or_default();
        let name = graph.sides[side].clone();
        (!sentences.is_empty()).then_some(Case { side: Some(side), name, tag, sentences })
    });
    cases.collect()
}

/// The statements of `side`, strongest first, each with its first words.
pub fn strongest(
    entries: &QuotedEntries<'_>,
    graph: &Graph,
    opinion: &Opinion,
    side: usize,
) -> Vec<Sentence> {
    let ranked = ranked(graph, opinion, side).into_iter();
    ranked.filter_map(|at| said(entries, &graph.statements[at], &why(graph, opinion, at))).collect()
}

/// A statement in its first words, `why` it is among the strongest.
pub fn said(entries: &QuotedEntries<'_>, statement: &GraphStatement, why: &str) -> Option<Sentence> {
    let scored = statement.score.is_some() && !statement.title.is_empty();
    let name = if scored { format!("{}, {}", statement.id, statement.title) } else { statement.when.clone() };
    let (seq, text) = (statement.seq, format!("{name}{why}:"));
    entries.quoting(seq, text.clone(), statement.text.as_deref()?).or_else(|| {
        // A form is told by its labels, which are nobody's words: what is quoted stands in one of its fields.
        let mut fields = entries.passages(seq);
        fields.sort_by_key(|(_, text)| std::cmp::Reverse(text.chars().count()));
        fields.iter().find_map(|(_, field)| entries.quoting(seq, text.clone(), field))
    })
}

/// The graph, as a sentence calls it.
pub(super) fn basis(graph: &Graph) -> &'static str {
    match graph.edges.iter().any(|edge| edge.extracted) {
        true => "the argument graph with its extracted relations",
        false => "the argument graph",
    }
}

/// Places of the statements of `side` that can be read, strongest first. Of equal ones the earlier counts where a judge
/// scored them, else the later, which had heard more; where all agreed the latest stands.
pub fn ranked(graph: &Graph, opinion: &Opinion, side: usize) -> Vec<usize> {
    let readable = |at: &usize| graph.statements[*at].side == side && graph.statements[*at].text.is_some();
    let mut own: Vec<usize> = (0..graph.statements.len()).filter(readable).collect();
    let score = |at: usize| graph.statements[at].score;
    if own.iter().any(|at| score(*at).is_some()) {
        own.sort_by(|a, b| score(*b).unwrap_or(f64::MIN).total_cmp(&score(*a).unwrap_or(f64::MIN)));
    } else {
        own.reverse();
        // Who agreed in the end gave up what they had said before.
        if !opinion.agreed {
            own.sort_by(|a, b| strength(opinion, *b).total_cmp(&strength(opinion, *a)));
        }
    }
    own
}

fn strength(opinion: &Opinion, at: usize) -> f64 {
    let all = opinion.strengths[1].as_ref().filter(|_| opinion.engaged);
    all.and_then(|all| all.get(at).copied()).unwrap_or_default()
}

/// Why a statement is among the strongest, in brackets; nothing where no figure says it.
pub fn why(graph: &Graph, opinion: &Opinion, at: usize) -> String {
    match graph.statements[at].score {
        Some(score) => format!(" (the judge's score {})", crate::statement::signed(score)),
        None if opinion.engaged && !opinion.agreed => {
            format!(" (strength {:.2} of 1 in {})", strength(opinion, at), basis(graph))
        }
        None => String::new(),
    }
}
