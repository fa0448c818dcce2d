//! Whether a complete round shows that the authors agree: criteria V1 and V2 of the format, either of which ends
//! the debate. V3, what both concede, is read ([`super::concessions`]).

use super::{
    critique::{Critique, Severity, Weakness},
    document::normalise_words,
};

/// A critique of the round, after the number of its author.
pub type Held<'c> = (usize, &'c Critique);

/// The first criterion that the critiques of a round meet, in words; `expected` is how many
/// critiques a complete round has, `earlier` are those of the rounds before. Where one is missing no
/// criterion holds.
pub fn find_convergence(critiques: &[Held<'_>], expected: usize, earlier: &[Held<'_>]) -> Option<&'static str> {
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
    None
}

/// Whether a critic names a weakness of high severity that it did not name as such in an earlier round: nobody
/// has looked at what became of it. Whether it is the same, its author says.
fn has_new(critiques: &[Held<'_>], earlier: &[Held<'_>]) -> bool {
    critiques.iter().any(|(critic, critique)| {
        let before = || earlier.iter().filter(|(by, _)| by == critic).flat_map(|(_, critique)| &critique.weaknesses);
        let is_known = |weakness: &Weakness| match weakness.repeats {
            Some(number) => before().nth(number.saturating_sub(1)).is_some_and(is_high),
            None => before()
                .any(|named| is_high(named) && normalise_words(&named.problem) == normalise_words(&weakness.problem)),
        };
        critique.weaknesses.iter().any(|weakness| is_high(weakness) && !is_known(weakness))
    })
}

fn is_high(weakness: &Weakness) -> bool {
    weakness.severity == Severity::High
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
            repeats: None,
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

    fn convergence_criterion(one: &Critique, other: &Critique) -> &'static str {
        let reason = find_convergence(&[(0, one), (1, other)], 2, &[]).unwrap_or("no");
        reason.rsplit_once('(').map_or("no", |(_, criterion)| criterion.trim_end_matches(')'))
    }

    #[test]
    fn any_one_criterion_is_enough_and_the_first_is_reported() {
        use Severity::{High, Low, Medium};
        let table: [(&str, Critique, Critique, &str); 8] = [
            ("no weaknesses", critique(&[], &[High], &[]), critique(&[], &[], &[]), "V1"),
            ("one weakness left", critique(&[], &[], &[]), critique(&[Medium], &[], &[]), "no"),
            ("all low", critique(&[Medium], &[Low], &[]), critique(&[Medium], &[Low, Low], &[]), "V2"),
            ("one medium", critique(&[High], &[Low], &[]), critique(&[], &[Medium], &[]), "no"),
            ("no disagreements, weaknesses", critique(&[High], &[], &[]), critique(&[], &[], &[]), "no"),
            ("no disagreements, low weaknesses", critique(&[Low], &[], &[]), critique(&[Low], &[], &[]), "V2"),
            ("V1 before V2", critique(&[], &[Low], &["a"]), critique(&[], &[], &["a"]), "V1"),
            (
                "what both concede is read elsewhere",
                critique(&[High], &[High], &["a"]),
                critique(&[High], &[], &["a"]),
                "no",
            ),
        ];
        for (case, one, other, want) in &table {
            assert_eq!(convergence_criterion(one, other), *want, "{case}");
        }
    }

    #[test]
    fn a_new_weakness_of_high_severity_keeps_low_disagreements_from_converging() {
        use Severity::{High, Low, Medium};
        let (open, mild) = (critique(&[High], &[Low], &[]), critique(&[Medium], &[Low], &[]));
        assert_eq!(convergence_criterion(&open, &mild), "no");
        let now = [(0, &open), (1, &mild)];
        assert!(find_convergence(&now, 2, &now).is_some(), "it was named before");
        let other = [(0, &mild), (1, &open)];
        assert_eq!(find_convergence(&now, 2, &other), None, "somebody else named it");
        let mut worse = mild.clone();
        worse.weaknesses[0].severity = High;
        assert_eq!(find_convergence(&[(0, &worse), (1, &mild)], 2, &[(0, &mild)]), None, "it weighs more now");
    }

    #[test]
    fn whether_a_weakness_is_new_its_author_says() {
        use Severity::{High, Low, Medium};
        let with = |problem: &str, repeats: Option<usize>| {
            let mut critique = critique(&[High], &[Low], &[]);
            critique.weaknesses[0] = Weakness { problem: problem.into(), repeats, ..critique.weaknesses[0].clone() };
            critique
        };
        let mild = critique(&[], &[Low], &[]);
        let before = with("The lookup has no limit and returns the whole ledger at once", None);
        for (problem, repeats, converges) in [
            ("The export has no limit and returns the whole ledger at once", None, false),
            ("The export has no limit and returns the whole ledger at once", Some(2), false),
            ("Es gibt noch immer keine Grenze.", Some(1), true),
            ("the lookup has no limit, and returns the whole ledger at once", None, true),
        ] {
            let now = with(problem, repeats);
            let found = find_convergence(&[(0, &now), (1, &mild)], 2, &[(0, &before)]);
            assert_eq!(found.is_some(), converges, "{problem} {repeats:?}");
        }
        let lighter =
            Critique { weaknesses: vec![Weakness { severity: Medium, ..before.weaknesses[0].clone() }], ..before };
        let now = with("It is graver than it was.", Some(1));
        assert_eq!(find_convergence(&[(0, &now), (1, &mild)], 2, &[(0, &lighter)]), None);
    }

    #[test]
    fn with_a_missing_critique_no_criterion_holds() {
        let sound = critique(&[], &[], &[]);
        assert_eq!(find_convergence(&[(0, &sound)], 2, &[]), None);
        assert_eq!(find_convergence(&[], 0, &[]), None);
    }

    #[test]
    fn with_more_authors_both_reads_all() {
        let sound = critique(&[], &[], &[]);
        let weak = critique(&[Severity::High], &[Severity::High], &["a"]);
        let all: Vec<Held<'_>> = (0..3).flat_map(|critic| [(critic, &sound), (critic, &sound)]).collect();
        assert!(find_convergence(&all, 6, &[]).is_some());
        let mut one = all.clone();
        one[5] = (2, &weak);
        assert_eq!(find_convergence(&one, 6, &[]), None);
    }
}
