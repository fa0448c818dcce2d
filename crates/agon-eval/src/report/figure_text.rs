//! Figures in words, for people: rounded, with their intervals, and a dash for what is not known.

use agon_text::{group_digits, is_invisible, is_joiner, is_unprintable};

use super::list::ReportFigure;

/// What stands where there is no figure.
pub const NONE: &str = "–";

/// How a figure is written.
#[derive(Debug, Clone, Copy)]
pub enum FigureForm {
    /// A share with its interval and count: `84.0 % [70.1, 92.3] 21/25`.
    Share,
    /// A share where room is short: `84 % of 25`.
    BriefShare,
    /// The count of a share: `21/25`.
    Hits,
    /// In percent, with its interval.
    Percent,
    /// The interval alone, in percent.
    Ends,
    /// In percentage points, with sign and interval.
    Points,
    /// With so many digits after the point, and its interval.
    Digits(usize),
    /// A number of any size in a few digits; a tilde where it leaves out what is not known.
    Quantity,
    /// US dollars, with the same tilde.
    Money,
    /// A p value: `0.032`, or `<0.001`.
    P,
    /// What it was computed from.
    N,
    /// What to keep in mind.
    Note,
    /// `yes` for what is not 0, else nothing.
    Yes,
}

impl FigureForm {
    /// `figure` in this form.
    pub fn format_figure(self, figure: impl Into<ReportFigure>) -> String {
        let figure = figure.into();
        let n = figure.n.unwrap_or_default();
        let hits = || format!("{}/{n}", figure.hits.unwrap_or_default());
        let ends = |write: &dyn Fn(f64) -> String| match figure.interval() {
            Some((low, high)) => format!(" [{}, {}]", write(low), write(high)),
            None => String::new(),
        };
        let with_ends = |write: &dyn Fn(f64) -> String, unit: &str| {
            let value = figure.value.map(write);
            value.map_or(NONE.to_owned(), |value| format!("{value}{unit}{}", ends(write)))
        };
        let percent = |share: f64| use_minus_sign(format!("{:.1}", share * 100.0));
        // What is not known is left out of the value.
        let about = |value: String| if figure.note.is_empty() { value } else { format!("~{value}") };
        let Some(value) = figure.value else {
            return match self {
                Self::Note => figure.note,
                Self::Yes => String::new(),
                _ => NONE.to_owned(),
            };
        };
        match self {
            Self::Share => format!("{} {}", with_ends(&percent, " %"), hits()),
            Self::BriefShare => format!("{:.0} % of {n}", value * 100.0),
            Self::Hits => hits(),
            Self::Percent => with_ends(&percent, " %"),
            Self::Ends if figure.interval().is_none() => NONE.to_owned(),
            Self::Ends => ends(&percent).trim_start().to_owned(),
            Self::Points => with_ends(&format_signed_points, ""),
            Self::Digits(digits) => with_ends(&|number| use_minus_sign(format!("{number:.digits$}")), ""),
            Self::Quantity => about(format_quantity(value)),
            Self::Money => about(format_money(value)),
            Self::P if value < 0.001 => "<0.001".to_owned(),
            Self::P => format!("{value:.3}"),
            Self::N => n.to_string(),
            Self::Note => figure.note,
            Self::Yes => if value == 0.0 { "" } else { "yes" }.to_owned(),
        }
    }
}

fn format_signed_points(share: f64) -> String {
    // Not "-0.0".
    let points = (share * 1000.0).round() / 10.0 + 0.0;
    use_minus_sign(format!("{points:+.1}"))
}

fn use_minus_sign(text: String) -> String {
    text.replace('-', "\u{2212}")
}

/// US dollars.
pub fn format_money(dollars: f64) -> String {
    if (1.0..1000.0).contains(&dollars) { format!("${dollars:.2}") } else { format!("${}", format_quantity(dollars)) }
}

/// A number of any size in a few digits: `0.0123`, `4.2`, `12,345`.
pub fn format_quantity(number: f64) -> String {
    let size = number.abs();
    if size >= 1000.0 {
        let digits = format!("{number:.0}");
        let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("\u{2212}", rest));
        return format!("{sign}{}", group_digits(digits, ","));
    }
    let digits = if size >= 100.0 || number == 0.0 {
        0
    } else if size >= 1.0 {
        1
    } else {
        // Three digits after the zeros, within reason.
        (2.0 - size.log10().floor()).clamp(2.0, 8.0) as usize
    };
    use_minus_sign(format!("{number:.digits$}"))
}

/// A foreign text on one line, without characters that reorder or hide text or command a terminal.
pub fn sanitize_text(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_invisible(*c) && !is_joiner(*c));
    shown.map(|c| if is_unprintable(c) || c == '\t' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Estimate, Share};

    #[test]
    fn figures_are_rounded_and_what_is_not_known_is_a_dash() {
        assert_eq!(FigureForm::Share.format_figure(&Share::from_counts(8, 10)), "80.0 % [49.0, 94.3] 8/10");
        assert_eq!(FigureForm::BriefShare.format_figure(&Share::from_counts(8, 10)), "80 % of 10");
        assert_eq!(FigureForm::Share.format_figure(&Share::from_counts(0, 0)), NONE);
        let difference = Estimate::from_value(-0.0321, 9).with_interval(Ok((-0.1, 0.00001)));
        assert_eq!(FigureForm::Points.format_figure(&difference), "−3.2 [−10.0, +0.0]");
        assert_eq!(
            FigureForm::Ends.format_figure(&Estimate::from_value(0.5, 9).with_interval(Ok((0.25, 0.75)))),
            "[25.0, 75.0]"
        );
        assert_eq!(FigureForm::Ends.format_figure(&Estimate::from_value(0.5, 9)), NONE);
        assert_eq!(FigureForm::Digits(2).format_figure(&Estimate::from_value(1.398, 9)), "1.40");
        assert_eq!(FigureForm::Percent.format_figure(&Estimate::absent(0, "why")), NONE);
        let p = [Some(0.0004), Some(0.05), None].map(|p| FigureForm::P.format_figure(p));
        assert_eq!(p, ["<0.001", "0.050", NONE]);
        let partly = ReportFigure { value: Some(3.0), note: "2 are not known".into(), ..ReportFigure::default() };
        assert_eq!(FigureForm::Money.format_figure(partly), "~$3.00");
    }

    #[test]
    fn quantities_of_any_size_are_short() {
        let shown: Vec<String> =
            [0.0, 0.00123, 0.25, 4.2, 312.4, 12345.6, -1234567.0].iter().map(|n| format_quantity(*n)).collect();
        assert_eq!(
            (format_money(2.0), format_money(0.0168), format_money(12345.0)),
            ("$2.00".into(), "$0.0168".into(), "$12,345".into())
        );
        assert_eq!(shown, ["0", "0.00123", "0.250", "4.2", "312", "12,346", "−1,234,567"]);
    }

    #[test]
    fn foreign_text_cannot_hide_or_command() {
        assert_eq!(sanitize_text("a\u{202e}b\u{1b}[2Jc\nd"), "ab [2Jc d");
    }
}
