//! The report for a terminal: tables of at most 100 columns, the warnings first.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{
    EvaluationReport,
    words::{NONE, estimate, mean, mean_money, money, p, points, share, visible},
};
use crate::figures::{
    cost::CostUnit,
    paired::Comparison,
    pilot::{PilotReport, PilotVerdict, RulingBasis},
};

/// Columns of the terminal that a table may take.
pub const COLUMNS_MAX: usize = 100;
/// Columns of an arm's name.
const NAME_COLUMNS: usize = 22;

/// The whole report. It holds no colours, and no character of a foreign text that a terminal would obey.
pub fn draw(report: &EvaluationReport) -> String {
    let mut text = String::new();
    let said = format!(
        "{}: {} items ({} with a gold answer), {} arms, {} observations",
        visible(&report.title),
        report.items,
        report.items_with_gold,
        report.arms.len(),
        report.observations
    );
    paragraph(&mut text, &said, "");
    if !report.warnings.is_empty() {
        text.push('\n');
        report.warnings.iter().for_each(|warning| paragraph(&mut text, &visible(warning), "! "));
    }
    arms(report, &mut text);
    probabilities(report, &mut text);
    comparisons(report, &mut text);
    judges(report, &mut text);
    cost(report, &mut text);
    report.pilots.iter().for_each(|pilot| self::pilot(pilot, &mut text));
    text
}

fn arms(report: &EvaluationReport, text: &mut String) {
    let rows = report.arms.iter().map(|arm| {
        let accuracy = &arm.accuracy;
        let clustered = accuracy.all_clustered.interval();
        let ends = clustered.map(|(low, high)| format!("[{:.1}, {:.1}]", low * 100.0, high * 100.0));
        vec![
            arm.name.clone(),
            share(&accuracy.all),
            ends.unwrap_or_else(|| NONE.into()),
            share(&accuracy.ended),
            format!("{}/{}", arm.availability.well.hits, arm.availability.well.n),
        ]
    });
    table(
        text,
        "Accuracy (others wrong; over clusters; others missing)",
        &["arm", "all", "clusters", "ended well", "ended"],
        rows,
    );
    let changed = report.arms.iter().filter(|arm| arm.change.n > 0).map(|arm| {
        let test = arm.change.test.map(|test| test.p);
        vec![arm.name.clone(), share(&arm.change.rescued), share(&arm.change.destroyed), p(test)]
    });
    table(
        text,
        "Answers before and after",
        &["arm", "rescued of the wrong", "destroyed of the right", "p"],
        changed,
    );
}

fn probabilities(report: &EvaluationReport, text: &mut String) {
    let rows = report.arms.iter().filter(|arm| arm.probabilities.n > 0).map(|arm| {
        let scores = &arm.probabilities;
        vec![
            arm.name.clone(),
            estimate(&scores.brier, 3),
            estimate(&scores.log_score, 3),
            estimate(&scores.calibration.error, 3),
            points(&scores.calibration.overconfidence),
        ]
    });
    table(text, "Probabilities", &["arm", "Brier (0 to 2)", "log score", "ECE", "too sure by"], rows);
}

fn comparisons(report: &EvaluationReport, text: &mut String) {
    let row = |comparison: &Comparison| {
        let test = comparison.all.test;
        vec![
            format!("{} − {}", cut(&visible(&comparison.arm), 15), cut(&visible(&comparison.with), 15)),
            points(&comparison.all.difference),
            points(&comparison.ended.difference),
            test.map_or(NONE.into(), |test| format!("{}:{}", test.b, test.c)),
            p(test.map(|test| test.p)),
            p(comparison.all.p_adjusted),
        ]
    };
    let heads = ["arms", "points", "ended well", "b:c", "p", "Holm"];
    table(text, "Differences on the same items", &heads, report.comparisons.iter().map(row));
    let rated = report.ratings.iter().map(|rating| {
        vec![rating.name.clone(), estimate(&rating.rating, 2), format!("{}:{}", rating.wins, rating.losses)]
    });
    table(text, "Bradley-Terry, arms", &["arm", "log strength", "won:lost"], rated);
    let debaters = report.debaters.iter().map(|rating| {
        vec![rating.name.clone(), estimate(&rating.rating, 2), format!("{}:{}", rating.wins, rating.losses)]
    });
    table(text, "Bradley-Terry, debaters", &["model", "log strength", "won:lost"], debaters);
}

fn judges(report: &EvaluationReport, text: &mut String) {
    let orders = report.arms.iter().filter(|arm| {
        let orders = &arm.orders;
        [orders.side_prior, orders.followed_side, orders.first_shown, orders.flips]
            .iter()
            .any(|share| share.n > 0)
    });
    let rows = orders.map(|arm| {
        let orders = &arm.orders;
        let brief = |share: &crate::estimate::Share| {
            share.value.map_or(NONE.into(), |value| format!("{:.0} % of {}", value * 100.0, share.n))
        };
        vec![
            arm.name.clone(),
            brief(&orders.side_prior),
            brief(&orders.followed_side),
            brief(&orders.first_shown),
            brief(&orders.flips),
        ]
    });
    let heads = ["arm", "opener won", "mirrors: side", "first shown won", "flips"];
    table(text, "Places and orders", &heads, rows);
    let judged = report.arms.iter().filter(|arm| arm.judges.votes > 0).map(|arm| {
        vec![
            arm.name.clone(),
            arm.judges.judges.to_string(),
            estimate(&arm.judges.alpha, 2),
            estimate(&arm.judges.effective_votes, 2),
            estimate(&arm.judges.own_family.beyond_others, 2),
            arm.judges.verified.value.map_or(NONE.into(), |value| format!("{:.0} %", value * 100.0)),
        ]
    });
    table(text, "Judges", &["arm", "judges", "alpha", "effective", "own family", "checked"], judged);
}

fn cost(report: &EvaluationReport, text: &mut String) {
    let front = |name: &str| {
        let point = report.front.iter().flat_map(|front| &front.points).find(|point| point.arm == name);
        if point.is_some_and(|point| point.on_front) { "yes" } else { "" }.to_owned()
    };
    let rows = report.arms.iter().map(|arm| {
        vec![
            arm.name.clone(),
            mean(&arm.cost.calls),
            mean(&arm.cost.tokens),
            mean(&arm.cost.cached_tokens),
            mean_money(&arm.cost.money),
            arm.cost.money_per_right.map_or(NONE.into(), money),
            mean(&arm.cost.seconds),
            front(&arm.name),
        ]
    });
    let heads = ["arm", "calls", "tokens", "cached", "money", "a right one", "seconds", "front"];
    let title = match report.front.as_ref().map(|front| front.unit) {
        Some(CostUnit::Money) => "Cost, mean of an observation (front: accuracy against money)",
        Some(CostUnit::Tokens) => "Cost, mean of an observation (front: accuracy against tokens)",
        None => "Cost, mean of an observation",
    };
    table(text, title, &heads, rows);
}

fn pilot(pilot: &PilotReport, text: &mut String) {
    let _ = write!(text, "\nPilot: {}\n", visible(&pilot.arm));
    for line in pilot_lines(pilot) {
        paragraph(text, &line, "  ");
    }
}

/// A pilot in sentences; the prediction comes first.
pub(super) fn pilot_lines(pilot: &PilotReport) -> Vec<String> {
    let chance = pilot.chance_of_gain.map(|chance| format!(", probability of a gain {chance:.2}"));
    let arm = visible(&pilot.arm);
    let verdict = match pilot.verdict {
        PilotVerdict::Helps => format!("{arm} will probably help here"),
        PilotVerdict::Harms => format!("{arm} will probably harm here"),
        PilotVerdict::Unclear => format!("The pilot does not say whether {arm} will help here"),
    };
    let gain = match pilot.gain.value {
        Some(_) => format!(": predicted gain {} points{}.", points(&pilot.gain), chance.unwrap_or_default()),
        None => format!(": {}.", pilot.gain.note.as_deref().unwrap_or("no prediction")),
    };
    let basis = match pilot.basis {
        RulingBasis::Observed => format!("Rulings where they differ were right: {}.", share(&pilot.rulings)),
        RulingBasis::Assumed => format!(
            "Rulings with a checked quote: {}. The prediction takes these as right and the others as a coin.",
            share(&pilot.verified)
        ),
        RulingBasis::Unknown => "How the judge rules where they differ is not known.".to_owned(),
    };
    let even = pilot.break_even.map(|even| {
        format!(
            "It helps only if the judge decides more than {:.0} % of their differences rightly.",
            even * 100.0
        )
    });
    let lines = [
        format!("{verdict}{gain}"),
        format!(
            "Judge alone {}; critic alone {}; critic minus judge {} points.",
            share(&pilot.judge),
            share(&pilot.critic),
            points(&pilot.critic_lead)
        ),
        format!("To gain at most {}; to lose at most {}.", share(&pilot.gainable), share(&pilot.losable)),
        basis,
    ];
    lines.into_iter().chain(even).collect()
}

/// A titled table. Nothing for no rows.
fn table(text: &mut String, title: &str, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let rows: Vec<Vec<String>> =
        rows.map(|row| row.iter().map(|cell| visible(cell)).collect::<Vec<_>>()).collect();
    if rows.is_empty() {
        return;
    }
    let mut widths: Vec<usize> = heads.iter().map(|head| head.width()).collect();
    for row in &rows {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.width()));
    }
    // The name gives way, for at least a few letters of it.
    let others: usize = widths[1..].iter().map(|width| width + 2).sum();
    let room = COLUMNS_MAX.saturating_sub(others).max(8);
    let name = if heads[0] == "arms" { 33 } else { NAME_COLUMNS };
    widths[0] = widths[0].min(room).min(name);
    let _ = write!(text, "\n{title}\n");
    line(text, &widths, heads.iter().map(|head| (*head).to_owned()));
    for row in rows {
        line(text, &widths, row.into_iter());
    }
}

fn line(text: &mut String, widths: &[usize], cells: impl Iterator<Item = String>) {
    let padded = widths.iter().zip(cells).map(|(width, cell)| {
        let cell = cut(&cell, *width);
        let room = width.saturating_sub(cell.width());
        format!("{cell}{}", " ".repeat(room))
    });
    let line = padded.collect::<Vec<_>>().join("  ");
    text.push_str(&cut(line.trim_end(), COLUMNS_MAX));
    text.push('\n');
}

/// A text in at most `columns`, with an ellipsis where it was longer.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > columns {
            break;
        }
        shown.push(letter);
    }
    shown + "…"
}

/// A sentence, broken into lines.
fn paragraph(text: &mut String, said: &str, mark: &str) {
    let mut line = mark.to_owned();
    let indent = " ".repeat(mark.width());
    for word in said.split_whitespace() {
        if line.trim().len() > mark.trim().len() && line.width() + 1 + word.width() > COLUMNS_MAX {
            text.push_str(line.trim_end());
            text.push('\n');
            line.clone_from(&indent);
        }
        if line.trim_end() != mark.trim_end() && !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(word);
    }
    text.push_str(&cut(line.trim_end(), COLUMNS_MAX));
    text.push('\n');
}
