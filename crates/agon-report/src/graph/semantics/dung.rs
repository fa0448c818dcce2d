//! Abstract argumentation (Dung 1995): the grounded extension, and the preferred ones where few enough
//! statements are left open.

use std::collections::BTreeSet;

/// Maximum number of statements that the grounded extension may leave open for the preferred ones to be
/// computed: their number can double with each.
pub const PREFERRED_MAX: usize = 16;

/// Statements, by number, and who attacks whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Framework {
    attackers: Vec<Vec<usize>>,
}

/// The status of a statement in the grounded extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum StatementLabel {
    /// Every attack on it is answered: it stands.
    Stands,
    /// Something that stands attacks it.
    Falls,
    /// Neither.
    Open,
}

/// The preferred extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preferred {
    /// Each as the numbers of its statements; the extensions in ascending order.
    Known(Vec<BTreeSet<usize>>),
    /// Not computed, since so many statements are open.
    TooMany(usize),
}

impl Framework {
    /// With `count` statements.
    pub fn new(count: usize, attacks: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut attackers = vec![Vec::new(); count];
        for (from, to) in attacks {
            if from < count && to < count && !attackers[to].contains(&from) {
                attackers[to].push(from);
            }
        }
        Self { attackers }
    }

    /// What the grounded extension says of each statement: the least that everyone must accept.
    pub fn grounded_labels(&self) -> Vec<StatementLabel> {
        let mut standing = vec![StatementLabel::Open; self.attackers.len()];
        loop {
            let mut moved = false;
            for at in 0..standing.len() {
                if standing[at] != StatementLabel::Open {
                    continue;
                }
                let by = &self.attackers[at];
                if by.iter().all(|other| standing[*other] == StatementLabel::Falls) {
                    (standing[at], moved) = (StatementLabel::Stands, true);
                } else if by.iter().any(|other| standing[*other] == StatementLabel::Stands) {
                    (standing[at], moved) = (StatementLabel::Falls, true);
                }
            }
            if !moved {
                return standing;
            }
        }
    }

    /// The preferred extensions: largest sets that answer every attack on them without attacking
    /// themselves. Each holds the grounded extension, so only what that leaves open is tried.
    pub fn preferred_extensions(&self) -> Preferred {
        let standing = self.grounded_labels();
        let numbers = |wanted: StatementLabel| (0..standing.len()).filter(|at| standing[*at] == wanted).collect();
        let grounded: Vec<usize> = numbers(StatementLabel::Stands);
        let open: Vec<usize> = numbers(StatementLabel::Open);
        if open.len() > PREFERRED_MAX {
            return Preferred::TooMany(open.len());
        }
        let place = |at: &usize| open.binary_search(at).ok();
        // By open statement, a bit for each open one that attacks it. Attackers that are not open fall.
        let by: Vec<u32> = open
            .iter()
            .map(|at| self.attackers[*at].iter().filter_map(place).fold(0, |mask, bit| mask | (1 << bit)))
            .collect();
        let members = |mask: u32| (0..by.len()).filter(move |bit| (mask >> bit) & 1 == 1);
        let attacked = |mask: u32| {
            let hit = |bit: &usize| by[*bit] & mask != 0;
            (0..by.len()).filter(hit).fold(0_u32, |all, bit| all | (1 << bit))
        };
        let admissible = |mask: u32| {
            let hits = attacked(mask);
            hits & mask == 0 && members(mask).all(|bit| by[bit] & !hits == 0)
        };
        let mut found: Vec<u32> = (0..1_u32 << open.len()).filter(|mask| admissible(*mask)).collect();
        found.sort_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
        let mut largest: Vec<u32> = Vec::new();
        for mask in found {
            if !largest.iter().any(|kept| kept & mask == mask) {
                largest.push(mask);
            }
        }
        let whole = |mask: u32| grounded.iter().copied().chain(members(mask).map(|bit| open[bit])).collect();
        let mut extensions: Vec<BTreeSet<usize>> = largest.into_iter().map(whole).collect();
        extensions.sort();
        Preferred::Known(extensions)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Grounded and preferred extensions as texts.
    fn extensions(count: usize, attacks: &[(usize, usize)]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let framework = Framework::new(count, attacks.iter().copied());
        let grounded = framework.grounded_labels();
        let grounded = (0..count).filter(|at| grounded[*at] == StatementLabel::Stands).collect();
        let Preferred::Known(preferred) = framework.preferred_extensions() else { panic!("too many") };
        (grounded, preferred.into_iter().map(|set| set.into_iter().collect()).collect())
    }

    #[test]
    fn extensions_of_the_textbooks() {
        for (name, count, attacks, grounded, preferred) in [
            ("nothing attacked", 2, vec![], vec![0, 1], vec![vec![0, 1]]),
            ("reinstatement", 3, vec![(0, 1), (1, 2)], vec![0, 2], vec![vec![0, 2]]),
            ("the Nixon diamond", 2, vec![(0, 1), (1, 0)], vec![], vec![vec![0], vec![1]]),
            ("a circle of three", 3, vec![(0, 1), (1, 2), (2, 0)], vec![], vec![vec![]]),
            ("attacks itself", 2, vec![(0, 0), (0, 1)], vec![], vec![vec![]]),
            // Floating reinstatement: both choices defeat 2, so 3 stands in each.
            ("floating", 4, vec![(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)], vec![], vec![vec![0, 3], vec![1, 3]]),
            // Dung 1995 and Caminada: 0 <-> 1, 1 -> 2 -> 3 -> 4 -> 2.
            ("Caminada", 5, vec![(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2)], vec![], vec![vec![0], vec![1, 3]]),
            (
                "two ends of a circle of four",
                4,
                vec![(0, 1), (1, 2), (2, 3), (3, 0)],
                vec![],
                vec![vec![0, 2], vec![1, 3]],
            ),
        ] {
            assert_eq!(extensions(count, &attacks), (grounded, preferred), "{name}");
        }
    }

    #[test]
    fn too_many_open_statements_are_said_and_not_tried() {
        let pairs = |count: usize| (0..count).flat_map(|at| [(2 * at, 2 * at + 1), (2 * at + 1, 2 * at)]);
        let known = Framework::new(PREFERRED_MAX, pairs(PREFERRED_MAX / 2)).preferred_extensions();
        assert!(matches!(known, Preferred::Known(all) if all.len() == 1 << (PREFERRED_MAX / 2)));
        let many = PREFERRED_MAX + 2;
        assert_eq!(Framework::new(many, pairs(many / 2)).preferred_extensions(), Preferred::TooMany(many));
    }

    proptest! {
        #[test]
        fn every_preferred_extension_holds_the_grounded_one_and_answers_all_attacks(
            attacks in proptest::collection::vec((0_usize..7, 0_usize..7), 0..16)
        ) {
            let (grounded, preferred) = extensions(7, &attacks);
            prop_assert!(!preferred.is_empty());
            for set in &preferred {
                prop_assert!(grounded.iter().all(|at| set.contains(at)));
                for (from, to) in &attacks {
                    prop_assert!(!(set.contains(from) && set.contains(to)), "{set:?} attacks itself");
                    let answered = attacks.iter().any(|(by, hit)| hit == from && set.contains(by));
                    prop_assert!(!set.contains(to) || answered, "{set:?} does not answer {from}");
                }
                prop_assert!(!preferred.iter().any(|other| other != set && set.iter().all(|at| other.contains(at))));
            }
        }
    }
}
