//! How a figure is stated: a value with an interval, or the reason why there is none.

use serde::Serialize;

/// Share of repetitions in which an interval holds the true value.
pub const CONFIDENCE: f64 = 0.95;

/// A figure with its interval. A value that cannot be computed is absent, and `note` says why.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure.
    pub value: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// What it was computed from: observations, pairs or units, as the figure says.
    pub n: u64,
    /// Why value or interval are absent, or what to keep in mind.
    pub note: Option<String>,
}

impl Estimate {
    /// No value, and why.
    pub fn absent(n: usize, why: impl Into<String>) -> Self {
        Self { n: n as u64, note: Some(why.into()), ..Self::default() }
    }

    /// A value without an interval. A number that is not finite is absent.
    pub fn from_value(value: f64, n: usize) -> Self {
        if value.is_finite() {
            Self { value: Some(value), n: n as u64, ..Self::default() }
        } else {
            Self::absent(n, "the computation did not give a finite number")
        }
    }

    /// With an interval, or with the reason why there is none.
    #[must_use]
    pub fn with_interval(self, interval: Result<(f64, f64), &str>) -> Self {
        match interval {
            Ok((low, high)) => Self { low: Some(low), high: Some(high), ..self },
            Err(why) => self.with_note(why),
        }
    }

    /// With a note more.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.note = Some(match self.note {
            Some(earlier) => format!("{earlier}; {note}"),
            None => note.to_owned(),
        });
        self
    }

    /// Both ends of the interval.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }
}

/// A count of a count, with its share and the Wilson interval of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Share {
    /// Those that are so.
    pub hits: u64,
    /// All of them.
    pub n: u64,
    /// The share, 0 to 1; absent where there are none.
    pub value: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
}

impl Share {
    /// `hits` of `n`. Hits beyond `n` count as `n`.
    pub fn from_counts(hits: u64, n: u64) -> Self {
        let hits = hits.min(n);
        let (low, high) = wilson_interval(hits, n).unzip();
        Self { hits, n, value: (n > 0).then(|| hits as f64 / n as f64), low, high }
    }

    /// Both ends of the interval.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high)
    }

    /// The share of `true`.
    pub fn from_values(values: impl IntoIterator<Item = bool>) -> Self {
        let (hits, n) = values.into_iter().fold((0, 0), |(hits, n), is| (hits + u64::from(is), n + 1));
        Self::from_counts(hits, n)
    }
}

/// The 95 % score interval of a share (Wilson 1927), without correction for continuity. `None` for `n` = 0.
pub fn wilson_interval(hits: u64, n: u64) -> Option<(f64, f64)> {
    if n == 0 {
        return None;
    }
    let (count, share) = (n as f64, hits as f64 / n as f64);
    let z = z_two_sided(CONFIDENCE);
    let shrink = 1.0 + z * z / count;
    let middle = (share + z * z / (2.0 * count)) / shrink;
    let half = z / shrink * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    // Exactly 0 and 1 at the ends, where rounding would leave a trace.
    let low = if hits == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if hits == n { 1.0 } else { (middle + half).min(1.0) };
    Some((low, high))
}

/// The quantile of the normal distribution that `confidence` of it lies within, on both sides of 0.
pub fn z_two_sided(confidence: f64) -> f64 {
    std::f64::consts::SQRT_2 * statrs::function::erf::erf_inv(confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels 0.14: `proportion_confint(hits, n, method="wilson")`.
    #[test]
    fn the_wilson_interval_is_that_of_the_textbook() {
        assert!((z_two_sided(0.95) - 1.959_963_984_540_054).abs() < 1e-9);
        let (low, high) = wilson_interval(8, 10).unwrap();
        assert!((low - 0.490_162_471_536_642).abs() < 1e-9 && (high - 0.943_317_848_545_625).abs() < 1e-9);
        assert_eq!(wilson_interval(0, 10).unwrap().0, 0.0);
        assert_eq!(wilson_interval(10, 10).unwrap().1, 1.0);
        assert_eq!(wilson_interval(0, 0), None);
    }

    #[test]
    fn a_figure_without_a_value_says_why() {
        assert_eq!(Share::from_counts(0, 0).value, None);
        assert_eq!(Share::from_values([true, false, true]).hits, 2);
        assert_eq!(Estimate::from_value(f64::NAN, 3).value, None);
        assert!(Estimate::from_value(f64::INFINITY, 3).note.is_some());
        let noted = Estimate::from_value(1.0, 3).with_interval(Err("few")).with_note("more");
        assert_eq!((noted.note.as_deref(), noted.interval()), (Some("few; more"), None));
    }
}
