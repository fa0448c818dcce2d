//! Figures in words, for people: rounded, with their intervals, and a dash for what is not known.

use agon_text::{is_invisible, is_joiner, is_unprintable};

use crate::{
    estimate::{Estimate, Share},
    figures::cost::CostTotal,
};

/// What stands where there is no figure.
pub const NONE: &str = "–";

/// A share in percent, with its interval and count: `84.0 % [70.1, 92.3] 21/25`.
pub fn share(share: &Share) -> String {
    match (share.value, share.low, share.high) {
        (Some(value), Some(low), Some(high)) => {
            let (value, low, high) = (value * 100.0, low * 100.0, high * 100.0);
            format!("{value:.1} % [{low:.1}, {high:.1}] {}/{}", share.hits, share.n)
        }
        _ => NONE.to_owned(),
    }
}

/// An estimate in percent, with its interval.
pub fn percent(estimate: &Estimate) -> String {
    scaled(estimate, 100.0, 1, " %")
}

/// A difference in percentage points, with its sign and interval.
pub fn points(estimate: &Estimate) -> String {
    let Some(value) = estimate.value else { return NONE.to_owned() };
    let ends = estimate.interval().map(|(low, high)| format!(" [{}, {}]", signed(low), signed(high)));
    format!("{}{}", signed(value), ends.unwrap_or_default())
}

fn signed(share: f64) -> String {
    // Not "-0.0".
    let points = (share * 1000.0).round() / 10.0 + 0.0;
    minus(format!("{points:+.1}"))
}

/// An estimate with `digits` after the point, and its interval.
pub fn estimate(estimate: &Estimate, digits: usize) -> String {
    scaled(estimate, 1.0, digits, "")
}

fn scaled(estimate: &Estimate, by: f64, digits: usize, unit: &str) -> String {
    let Some(value) = estimate.value else { return NONE.to_owned() };
    let ends =
        estimate.interval().map(|(low, high)| format!(" [{:.digits$}, {:.digits$}]", low * by, high * by));
    minus(format!("{:.digits$}{unit}{}", value * by, ends.unwrap_or_default()))
}

fn minus(text: String) -> String {
    text.replace('-', "\u{2212}")
}

/// A p value: `0.032`, or `<0.001`.
pub fn p(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.001 => "<0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
        None => NONE.to_owned(),
    }
}

/// A mean; a tilde where some are not known.
pub fn mean(total: &CostTotal) -> String {
    total.mean.map_or(NONE.to_owned(), |mean| format!("{}{}", about(total), quantity(mean)))
}

/// A mean of money; a tilde where some is not known.
pub fn mean_money(total: &CostTotal) -> String {
    total.mean.map_or(NONE.to_owned(), |mean| format!("{}{}", about(total), money(mean)))
}

fn about(total: &CostTotal) -> &'static str {
    if total.unknown > 0 { "~" } else { "" }
}

/// US dollars.
pub fn money(dollars: f64) -> String {
    if (1.0..1000.0).contains(&dollars) {
        format!("${dollars:.2}")
    } else {
        format!("${}", quantity(dollars))
    }
}

/// A number of any size in a few digits: `0.0123`, `4.2`, `12,345`.
pub fn quantity(number: f64) -> String {
    let size = number.abs();
    if size >= 1000.0 {
        let digits = format!("{number:.0}");
        let (sign, digits) =
            digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("\u{2212}", rest));
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap_or_default())
            .collect();
        return format!("{sign}{}", groups.join(","));
    }
    let digits = if size >= 100.0 || number == 0.0 {
        0
    } else if size >= 1.0 {
        1
    } else {
        // Three digits after the zeros, within reason.
        (2.0 - size.log10().floor()).clamp(2.0, 8.0) as usize
    };
    minus(format!("{number:.digits$}"))
}

/// A foreign text on one line, without characters that reorder or hide text or command a terminal.
pub fn visible(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_invisible(*c) && !is_joiner(*c));
    shown.map(|c| if is_unprintable(c) || c == '\t' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_and_what_is_not_known_is_a_dash() {
        assert_eq!(share(&Share::of(8, 10)), "80.0 % [49.0, 94.3] 8/10");
        assert_eq!(share(&Share::of(0, 0)), NONE);
        let difference = Estimate::of(-0.0321, 9).within(Ok((-0.1, 0.00001)));
        assert_eq!(points(&difference), "−3.2 [−10.0, +0.0]");
        assert_eq!(estimate(&Estimate::of(1.398, 9), 2), "1.40");
        assert_eq!(percent(&Estimate::absent(0, "why")), NONE);
        assert_eq!((p(Some(0.0004)), p(Some(0.05)), p(None)), ("<0.001".into(), "0.050".into(), NONE.into()));
    }

    #[test]
    fn quantities_of_any_size_are_short() {
        let shown: Vec<String> =
            [0.0, 0.00123, 0.25, 4.2, 312.4, 12345.6, -1234567.0].iter().map(|n| quantity(*n)).collect();
        assert_eq!(
            (money(2.0), money(0.0168), money(12345.0)),
            ("$2.00".into(), "$0.0168".into(), "$12,345".into())
        );
        assert_eq!(shown, ["0", "0.00123", "0.250", "4.2", "312", "12,346", "−1,234,567"]);
    }

    #[test]
    fn foreign_text_cannot_hide_or_command() {
        assert_eq!(visible("a\u{202e}b\u{1b}[2Jc\nd"), "ab [2Jc d");
    }
}
