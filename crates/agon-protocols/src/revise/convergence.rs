//! Whether a complete round shows that the authors agree: criteria V1 to V3 of the format, any one
//! of which ends the debate.

use std::collections::BTreeSet;

use super::{
    critique::{Critique, Severity},
    document::normalised,
};

/// A critique of the round and the number of who wrote it.
pub type Held<'c> = (usize, &'c Critique);

/// The first criterion that the critiques of a round meet, in words; `expected` is how many
/// critiques a complete round has. Where one is missing no criterion holds.
pub fn reason(critiques: &[Held<'_>], expected: usize) -> Option<&'static str> {
    if critiques.is_empty() || critiques.len() < expected {
        return None;
    }
    let all = || critiques.iter().map(|(_, critique)| *critique);
    if all().all(|critique| critique.weaknesses.is_empty()) {
        return Some("no critique names a weakness (V1)");
    }
    let mut disagreements = all().flat_map(|critique| &critique.disagreements).peekable();
    let cosmetic = match disagreements.peek() {
        // Critiques that merely list weaknesses do not agree.
        None => all().flat_map(|critique| &critique.weaknesses).all(|w| w.severity == Severity::Low),
        Some(_) => disagreements.all(|disagreement| disagreement.severity == Severity::Low),
    };
    if cosmetic {
        return Some("all disagreements are of low severity (V2)");
    }
    let conceded: Vec<BTreeSet<String>> = {
        let critics: BTreeSet<usize> = critiques.iter().map(|(critic, _)| *critic).collect();
        let by = |wanted: usize| {
            let own = critiques.iter().filter(move |(critic, _)| *critic == wanted);
            own.flat_map(|(_, critique)| &critique.concessions).map(|point| normalised(point))
        };
        critics.into_iter().map(|critic| by(critic).filter(|point| !point.is_empty()).collect()).collect()
    };
    let same =
        conceded.len() > 1 && !conceded[0].is_empty() && conceded.iter().all(|set| *set == conceded[0]);
    same.then_some("the authors concede the same points (V3)")
}

#[cfg(test)]
mod tests {
    use super::{
        super::critique::{Disagreement, Weakness},
        *,
    };

    fn critique(weaknesses: &[Severity], disagreements: &[Severity], concessions: &[&str]) -> Critique {
        let weakness = |severity: &Severity| Weakness {
            severity: *severity,
            place: "Costs".into(),
            problem: "It is wrong.".into(),
        };
        let disagreement = |severity: &Severity| Disagreement {
            severity: *severity,
            point: "Order".into(),
            reason: "It reads better.".into(),
        };
        Critique {
            strengths: vec!["It is short.".into()],
            weaknesses: weaknesses.iter().map(weakness).collect(),
            disagreements: disagreements.iter().map(disagreement).collect(),
            concessions: concessions.iter().map(|text| (*text).to_owned()).collect(),
            repeated: 0,
        }
    }

    fn of(one: &Critique, other: &Critique) -> &'static str {
        let reason = reason(&[(0, one), (1, other)], 2).unwrap_or("no");
        reason.rsplit_once('(').map_or("no", |(_, criterion)| criterion.trim_end_matches(')'))
    }

    #[test]
    fn any_one_criterion_is_enough_and_the_first_is_reported() {
        use Severity::{High, Low, Medium};
        let table: [(&str, Critique, Critique, &str); 12] = [
            ("no weaknesses", critique(&[], &[High], &[]), critique(&[], &[], &[]), "V1"),
            ("one weakness left", critique(&[], &[], &[]), critique(&[Medium], &[], &[]), "no"),
            ("all low", critique(&[High], &[Low], &[]), critique(&[Medium], &[Low, Low], &[]), "V2"),
            ("one medium", critique(&[High], &[Low], &[]), critique(&[], &[Medium], &[]), "no"),
            ("no disagreements, weaknesses", critique(&[High], &[], &[]), critique(&[], &[], &[]), "no"),
            (
                "no disagreements, low weaknesses",
                critique(&[Low], &[], &[]),
                critique(&[Low], &[], &[]),
                "V2",
            ),
            ("same", critique(&[High], &[High], &["A b."]), critique(&[High], &[], &["a  B"]), "V3"),
            ("other", critique(&[High], &[High], &["a"]), critique(&[High], &[], &["b"]), "no"),
            ("subset", critique(&[High], &[High], &["a", "b"]), critique(&[High], &[], &["b"]), "no"),
            ("empty", critique(&[High], &[High], &[]), critique(&[High], &[], &[]), "no"),
            ("blank", critique(&[High], &[High], &["."]), critique(&[High], &[], &["!"]), "no"),
            ("V1 before V3", critique(&[], &[High], &["a"]), critique(&[], &[], &["a"]), "V1"),
        ];
        for (case, one, other, want) in &table {
            assert_eq!(of(one, other), *want, "{case}");
        }
    }

    #[test]
    fn with_a_missing_critique_no_criterion_holds() {
        let sound = critique(&[], &[], &[]);
        assert_eq!(reason(&[(0, &sound)], 2), None);
        assert_eq!(reason(&[], 0), None);
    }

    #[test]
    fn with_more_authors_both_reads_all() {
        let sound = critique(&[], &[], &[]);
        let weak = critique(&[Severity::High], &[Severity::High], &["a"]);
        let all: Vec<Held<'_>> = (0..3).flat_map(|critic| [(critic, &sound), (critic, &sound)]).collect();
        assert!(reason(&all, 6).is_some());
        let mut one = all.clone();
        one[5] = (2, &weak);
        assert_eq!(reason(&one, 6), None);
        let agreed: Vec<Held<'_>> = (0..3).map(|critic| (critic, &weak)).collect();
        assert!(reason(&agreed, 3).is_some_and(|reason| reason.contains("V3")));
    }
}
