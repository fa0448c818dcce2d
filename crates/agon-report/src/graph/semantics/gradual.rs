//! Gradual semantics of weighted graphs with attack and support: DF-QuAD (Rago et al. 2016) and
//! quadratic energy (Potyka 2018). Every strength is between 0 and 1.

/// How far one step goes towards what the others' strengths ask for: small enough that circles
/// settle.
const STEP: f64 = 0.2;
/// Steps until a graph that does not settle is given up.
const STEPS_MAX: usize = 5_000;
/// A change below this is none.
const SETTLED: f64 = 1e-12;

/// A gradual semantics: how strengths follow from weights. It is shown as reports and exports name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum Measure {
    /// Discontinuity-free quantitative argumentation debates.
    #[strum(to_string = "DF-QuAD")]
    DfQuad,
    /// Quadratic energy.
    #[strum(to_string = "quadratic energy")]
    QuadraticEnergy,
}

impl Measure {
    /// Both.
    pub const ALL: [Measure; 2] = [Measure::DfQuad, Measure::QuadraticEnergy];

    fn compute_strength(self, base: f64, attackers: &[f64], supporters: &[f64]) -> f64 {
        match self {
            Measure::DfQuad => {
                let joint = |all: &[f64]| 1.0 - all.iter().map(|strength| 1.0 - strength).product::<f64>();
                let (against, for_it) = (joint(attackers), joint(supporters));
                if against >= for_it {
                    base - base * (against - for_it)
                } else {
                    base + (1.0 - base) * (for_it - against)
                }
            }
            Measure::QuadraticEnergy => {
                let energy = supporters.iter().sum::<f64>() - attackers.iter().sum::<f64>();
                let impact = |energy: f64| {
                    let square = energy.max(0.0).powi(2);
                    square / (1.0 + square)
                };
                base - base * impact(-energy) + (1.0 - base) * impact(energy)
            }
        }
    }
}

/// A weighted graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weighted {
    /// The weight of each statement, 0 to 1.
    pub base: Vec<f64>,
    /// Who attacks whom.
    pub attacks: Vec<(usize, usize)>,
    /// Who supports whom.
    pub supports: Vec<(usize, usize)>,
}

impl Weighted {
    /// The strength of each statement; `None` where a circle does not settle.
    pub fn compute_strengths(&self, measure: Measure) -> Option<Vec<f64>> {
        let by = |edges: &[(usize, usize)]| {
            let mut by = vec![Vec::new(); self.base.len()];
            edges.iter().for_each(|(from, to)| by[*to].push(*from));
            by
        };
        let (attackers, supporters) = (by(&self.attacks), by(&self.supports));
        let mut strengths = self.base.clone();
        let asked = |strengths: &[f64], at: usize| {
            let of = |all: &[usize]| all.iter().map(|other| strengths[*other]).collect::<Vec<f64>>();
            measure.compute_strength(self.base[at], &of(&attackers[at]), &of(&supporters[at]))
        };
        for _ in 0..STEPS_MAX {
            let wanted: Vec<f64> = (0..strengths.len()).map(|at| asked(&strengths, at)).collect();
            let change = |(old, new): (&f64, &f64)| (old - new).abs();
            let most = strengths.iter().zip(&wanted).map(change).fold(0.0, f64::max);
            if most < SETTLED {
                return Some(wanted);
            }
            for (strength, wanted) in strengths.iter_mut().zip(&wanted) {
                *strength += STEP * (wanted - *strength);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(base: &[f64], attacks: &[(usize, usize)], supports: &[(usize, usize)]) -> Weighted {
        Weighted { base: base.into(), attacks: attacks.into(), supports: supports.into() }
    }

    fn close(got: Option<Vec<f64>>, want: &[f64]) {
        let got = got.unwrap();
        let near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-9);
        assert!(near && got.len() == want.len(), "{got:?} is not {want:?}");
    }

    #[test]
    fn strengths_by_hand() {
        // One attacker of 3/5 on 1/2. DF-QuAD: 1/2 - 1/2 * 3/5. Quadratic energy: the energy is -3/5,
        // so 1/2 - 1/2 * (9/25) / (34/25) = 1/2 - 9/68.
        let attacked = graph(&[0.5, 0.6], &[(1, 0)], &[]);
        close(attacked.compute_strengths(Measure::DfQuad), &[0.2, 0.6]);
        close(attacked.compute_strengths(Measure::QuadraticEnergy), &[0.5 - 9.0 / 68.0, 0.6]);
        // Two supporters of 1/2 on 1/5. DF-QuAD: together 3/4, so 1/5 + 4/5 * 3/4. Quadratic energy: 1,
        // so 1/5 + 4/5 * 1/2.
        let supported = graph(&[0.2, 0.5, 0.5], &[], &[(1, 0), (2, 0)]);
        close(supported.compute_strengths(Measure::DfQuad), &[0.8, 0.5, 0.5]);
        close(supported.compute_strengths(Measure::QuadraticEnergy), &[0.6, 0.5, 0.5]);
        // Attack and support of equal strength leave the weight as it is.
        let both = graph(&[0.3, 0.7, 0.7], &[(1, 0)], &[(2, 0)]);
        for measure in Measure::ALL {
            close(both.compute_strengths(measure), &[0.3, 0.7, 0.7]);
        }
        // A chain: 1/2 attacks 1/2 attacks 1/2. DF-QuAD: 1/4, then 1/2 - 1/2 * 1/4.
        let chain = graph(&[0.5, 0.5, 0.5], &[(0, 1), (1, 2)], &[]);
        close(chain.compute_strengths(Measure::DfQuad), &[0.5, 0.25, 0.375]);
        // In quadratic energy: 1/2 - 1/2 * 1/5 = 2/5, then 1/2 - 1/2 * (4/29).
        close(chain.compute_strengths(Measure::QuadraticEnergy), &[0.5, 0.4, 0.5 - 2.0 / 29.0]);
    }

    #[test]
    fn a_circle_settles_where_both_ask_for_the_same() {
        // DF-QuAD, mutual attack of equals: x = 1/2 - x/2, so x = 1/3.
        let circle = graph(&[0.5, 0.5], &[(0, 1), (1, 0)], &[]);
        close(circle.compute_strengths(Measure::DfQuad), &[1.0 / 3.0, 1.0 / 3.0]);
        let settled = circle.compute_strengths(Measure::QuadraticEnergy).unwrap();
        assert!((settled[0] - settled[1]).abs() < 1e-12 && settled[0] < 0.5);
    }
}
