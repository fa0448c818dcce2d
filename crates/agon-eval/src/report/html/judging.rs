//! How it came about: probabilities, changed answers, judges, and ratings.

use maud::{Markup, html};

use super::{results::share_ends, table};
use crate::{
    bradley_terry::Rating,
    estimate::Estimate,
    report::{
        ArmReport, EvaluationReport,
        plots::{BinPoint, calibration},
        words::{NONE, estimate, p, points, share, visible},
    },
};

pub(super) fn probabilities(report: &EvaluationReport) -> Markup {
    let with = || report.arms.iter().enumerate().filter(|(_, arm)| arm.probabilities.n > 0);
    if with().next().is_none() {
        return html! {};
    }
    let plot = |(at, arm): (usize, &ArmReport)| {
        let bins = arm.probabilities.calibration.bins.iter().filter_map(|bin| {
            Some((bin.confidence?, bin.right.value?, share_ends(&bin.right)?, bin.right.n))
        });
        let bins: Vec<BinPoint> = bins.collect();
        let said: Vec<String> = bins
            .iter()
            .map(|(c, right, _, n)| format!("said {:.0} %, right {:.0} % of {n}", c * 100.0, right * 100.0))
            .collect();
        calibration(&arm.name, at, &bins, &format!("Calibration of {}: {}", arm.name, said.join("; ")))
    };
    let rows = with().map(|(_, arm)| {
        let scores = &arm.probabilities;
        vec![
            arm.name.clone(),
            scores.n.to_string(),
            estimate(&scores.brier, 3),
            estimate(&scores.log_score, 3),
            scores.clipped.to_string(),
            estimate(&scores.calibration.error, 3),
            points(&scores.calibration.overconfidence),
        ]
    });
    let notes =
        with().filter_map(|(_, arm)| Some((&arm.name, arm.probabilities.calibration.error.note.as_ref()?)));
    html! {
        section #probabilities { h2 { "Probabilities" }
            figure {
                div .small-plots { @for arm in with() { (plot(arm)) } }
                figcaption { "How often the favoured choice was right, by its probability; bars: Wilson; larger dots hold more answers. On the diagonal is what was said." }
            }
            (table(&["arm", "n", "Brier (0 to 2)", "log score (nats)", "clipped", "calibration error", "too sure by"], rows))
            @for (name, note) in notes { p .note { (visible(name)) ": " (note) } }
        }
    }
}

pub(super) fn before_and_after(report: &EvaluationReport) -> Markup {
    let rows: Vec<Vec<String>> = report
        .arms
        .iter()
        .filter(|arm| arm.change.n > 0)
        .map(|arm| {
            let change = &arm.change;
            let net = change.net.map_or(NONE.into(), |net| points(&Estimate::of(net, 0)));
            let test = p(change.test.map(|test| test.p));
            vec![arm.name.clone(), share(&change.rescued), share(&change.destroyed), net, test]
        })
        .collect();
    html! {
        @if !rows.is_empty() {
            section #change { h2 { "Answers before and after" }
                (table(&["arm", "rescued of the wrong", "destroyed of the right", "net points", "p"], rows.into_iter()))
            }
        }
    }
}

pub(super) fn judges(report: &EvaluationReport) -> Markup {
    let judged = report.arms.iter().filter(|arm| arm.judges.votes > 0 || arm.judges.verified.n > 0);
    let judged: Vec<Vec<String>> = judged
        .map(|arm| {
            let judges = &arm.judges;
            vec![
                arm.name.clone(),
                judges.judges.to_string(),
                share(&judges.unanimous),
                estimate(&judges.alpha, 2),
                estimate(&judges.effective_votes, 2),
                estimate(&judges.own_family.margin, 2),
                estimate(&judges.own_family.beyond_others, 2),
                share(&judges.verified),
            ]
        })
        .collect();
    let has_orders = |arm: &&ArmReport| {
        let orders = &arm.orders;
        [orders.side_prior, orders.followed_side, orders.first_shown, orders.flips]
            .iter()
            .any(|share| share.n > 0)
    };
    let orders: Vec<Vec<String>> = report
        .arms
        .iter()
        .filter(has_orders)
        .map(|arm| {
            let orders = &arm.orders;
            let shares = [
                &orders.side_prior,
                &orders.gold_first,
                &orders.followed_side,
                &orders.first_shown,
                &orders.flips,
            ];
            std::iter::once(arm.name.clone()).chain(shares.map(share)).collect()
        })
        .collect();
    html! {
        @if !judged.is_empty() || !orders.is_empty() {
            section #judges { h2 { "Judges, places and orders" }
                @if !judged.is_empty() {
                    (table(&["arm", "judges", "unanimous", "alpha", "effective votes", "own family", "beyond others", "quote checked"], judged.into_iter()))
                }
                @if !orders.is_empty() {
                    (table(&["arm", "opener won", "gold opened", "mirrors: same side won", "first shown won", "flips"], orders.into_iter()))
                }
            }
        }
    }
}

pub(super) fn ratings(id: &str, title: &str, ratings: &[Rating]) -> Markup {
    let rows = ratings.iter().map(|rating| {
        let note = rating.rating.note.clone().unwrap_or_default();
        vec![
            rating.name.clone(),
            estimate(&rating.rating, 2),
            format!("{}:{}", rating.wins, rating.losses),
            note,
        ]
    });
    html! {
        @if !ratings.is_empty() {
            section #(id) { h2 { (title) }
                (table(&["name", "log strength", "won:lost", ""], rows))
            }
        }
    }
}
