//! Whether a complete round shows that the authors agree: criteria V1 to V3 of the format, any one
//! of which ends the debate.

use std::collections::BTreeSet;

use super::{
    critique::{Critique, Severity},
    document::normalised,
    likeness,
};

/// A critique of the round, after the number of its author.
pub type Held<'c> = (usize, &'c Critique);

/// The first criterion that the critiques of a round meet, in words; `expected` is how many
/// critiques a complete round has, `earlier` are those of the rounds before. Where one is missing no
/// criterion holds.
pub fn reason(critiques: &[Held<'_>], expected: usize, earlier: &[Held<'_>]) -> Option<&'static str> {
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
    if cosmetic && !has_new(critiques, earlier) {
        return Some("all disagreements are of low severity (V2)");
    }
    let critics: BTreeSet<usize> = critiques.iter().map(|(critic, _)| *critic).collect();
    let by = |wanted: usize| {
        let own = critiques.iter().filter(move |(critic, _)| *critic == wanted);
        let conceded = own.flat_map(|(_, critique)| &critique.concessions).map(String::as_str);
        conceded.filter(|point| !normalised(point).is_empty()).collect::<Vec<_>>()
    };
    let conceded: Vec<Vec<&str>> = critics.into_iter().map(by).collect();
    let same = conceded.len() > 1
        && !conceded[0].is_empty()
        && conceded[1..].iter().all(|points| alike(points, &conceded[0]));
    same.then_some("the authors concede the same points (V3)")
}

/// Whether a critic names a weakness of high severity that it did not name in an earlier round: nobody
/// has looked at what became of it.
fn has_new(critiques: &[Held<'_>], earlier: &[Held<'_>]) -> bool {
    critiques.iter().any(|(critic, critique)| {
        let before =
            || earlier.iter().filter(|(by, _)| by == critic).flat_map(|(_, critique)| high(critique));
        high(critique).any(|problem| !before().any(|named| likeness::same(named, problem)))
    })
}

/// The problems of high severity that a critique names.
fn high(critique: &Critique) -> impl Iterator<Item = &str> {
    let weaknesses = critique.weaknesses.iter().filter(|weakness| weakness.severity == Severity::High);
    weaknesses.map(|weakness| weakness.problem.as_str())
}

/// Whether two lists hold the same points, each in its author's words.
fn alike(one: &[&str], other: &[&str]) -> bool {
    let within = |points: &[&str], all: &[&str]| {
        points.iter().all(|point| all.iter().any(|known| likeness::same(point, known)))
    };
    within(one, other) && within(other, one)
}

#[cfg(test)]
mod tests {
    use super::{
        super::critique::{CriticDisagreement, Weakness},
        *,
    };

    fn critique(weaknesses: &[Severity], disagreements: &[Severity], concessions: &[&str]) -> Critique {
        let weakness = |severity: &Severity| Weakness {
            severity: *severity,
            place: "Costs".into(),
            problem: "It is wrong.".into(),
        };
        let disagreement = |severity: &Severity| CriticDisagreement {
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
        let reason = reason(&[(0, one), (1, other)], 2, &[]).unwrap_or("no");
        reason.rsplit_once('(').map_or("no", |(_, criterion)| criterion.trim_end_matches(')'))
    }

    #[test]
    fn any_one_criterion_is_enough_and_the_first_is_reported() {
        use Severity::{High, Low, Medium};
        let table: [(&str, Critique, Critique, &str); 12] = [
            ("no weaknesses", critique(&[], &[High], &[]), critique(&[], &[], &[]), "V1"),
            ("one weakness left", critique(&[], &[], &[]), critique(&[Medium], &[], &[]), "no"),
            ("all low", critique(&[Medium], &[Low], &[]), critique(&[Medium], &[Low, Low], &[]), "V2"),
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
    fn a_new_weakness_of_high_severity_keeps_low_disagreements_from_converging() {
        use Severity::{High, Low, Medium};
        let (open, mild) = (critique(&[High], &[Low], &[]), critique(&[Medium], &[Low], &[]));
        assert_eq!(of(&open, &mild), "no");
        let now = [(0, &open), (1, &mild)];
        assert!(reason(&now, 2, &now).is_some(), "it was named before");
        let other = [(0, &mild), (1, &open)];
        assert_eq!(reason(&now, 2, &other), None, "somebody else named it");
        let mut worse = mild.clone();
        worse.weaknesses[0].severity = High;
        assert_eq!(reason(&[(0, &worse), (1, &mild)], 2, &[(0, &mild)]), None, "it weighs more now");
    }

    #[test]
    fn the_same_concession_in_other_words_converges() {
        use Severity::High;
        let one = critique(&[High], &[High], &["The error handling is better than mine."]);
        let other = critique(&[High], &[High], &["Its error handling is better."]);
        assert_eq!(of(&one, &other), "V3");
        let more = critique(&[High], &[High], &["Its error handling is better.", "The order of the waves."]);
        assert_eq!(of(&one, &more), "no");
    }

    #[test]
    fn with_a_missing_critique_no_criterion_holds() {
        let sound = critique(&[], &[], &[]);
        assert_eq!(reason(&[(0, &sound)], 2, &[]), None);
        assert_eq!(reason(&[], 0, &[]), None);
    }

    #[test]
    fn with_more_authors_both_reads_all() {
        let sound = critique(&[], &[], &[]);
        let weak = critique(&[Severity::High], &[Severity::High], &["a"]);
        let all: Vec<Held<'_>> = (0..3).flat_map(|critic| [(critic, &sound), (critic, &sound)]).collect();
        assert!(reason(&all, 6, &[]).is_some());
        let mut one = all.clone();
        one[5] = (2, &weak);
        assert_eq!(reason(&one, 6, &[]), None);
        let agreed: Vec<Held<'_>> = (0..3).map(|critic| (critic, &weak)).collect();
        assert!(reason(&agreed, 3, &[]).is_some_and(|reason| reason.contains("V3")));
    }
}
