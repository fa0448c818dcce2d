//! The report as one HTML page: plots as SVG, no script, nothing loaded. All foreign text is escaped, and characters
//! that hide or reorder text are removed.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    ArmReport, EvaluationReport,
    methods::methods,
    plots::{BinPoint, CostPoint, Dot, calibration, costs, dots},
    text::pilot_lines,
    words::{NONE, estimate, mean, p, percent, points, quantity, share, visible},
};
use crate::{
    bradley_terry::Rating,
    estimate::{Estimate, Share},
    figures::{availability::NamedCount, cost::CostUnit, paired::Comparison},
};

/// The whole style of the page.
const STYLE: &str = include_str!("page.css");
/// What the page may do: show itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Names, prompts or reasons of an arm that the page lists.
const LISTED_MAX: usize = 12;

/// The whole page. Equal reports give equal pages.
pub fn page(report: &EvaluationReport) -> String {
    let title = visible(&report.title);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content="agon";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (head(report, &title))
                    @if !report.warnings.is_empty() {
                        section #warnings { h2 { "Read first" }
                            ul .read-first { @for warning in &report.warnings { li { (visible(warning)) } } }
                        }
                    }
                    @if let Some(pilot) = &report.pilot {
                        section #pilot { h2 { "Will a debate help here?" }
                            @for (at, line) in pilot_lines(pilot).iter().enumerate() { p .lead[at == 0] { (line) } }
                        }
                    }
                    (accuracy(report))
                    (differences(report))
                    (cost(report))
                    (probabilities(report))
                    (before_and_after(report))
                    (judges(report))
                    (ratings("ratings", "Ratings of arms", &report.ratings))
                    (ratings("debaters", "Ratings of models as debaters", &report.debaters))
                    (origin(report))
                    section #methods { h2 { "Methods" }
                        dl .methods { @for (term, text) in methods(report) { dt { (term) } dd { (text) } } }
                    }
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn head(report: &EvaluationReport, title: &str) -> Markup {
    html! {
        header .head {
            p .kicker {
                span { (report.items) " items, " (report.items_with_gold) " with a gold answer" }
                @if report.clusters < report.items { span { (report.clusters) " clusters" } }
                span { (report.arms.len()) " arms" }
                span { (report.observations) " observations" }
                span { "seed " (report.seed) ", " (report.resamples) " resamples" }
            }
            h1 { (title) }
        }
    }
}

fn accuracy(report: &EvaluationReport) -> Markup {
    let with_gold = || report.arms.iter().enumerate().filter(|(_, arm)| arm.accuracy.all.n > 0);
    let dot = |(at, arm): (usize, &ArmReport)| {
        let accuracy = &arm.accuracy;
        // Where all ended well, both ways of counting are one.
        let other = accuracy.ended.value.filter(|_| accuracy.ended.n != accuracy.all.n);
        let ends = |estimate: &Estimate, share: &Share| estimate.interval().or(share.low.zip(share.high));
        Dot {
            name: arm.name.clone(),
            hue: at,
            value: accuracy.all.value,
            ends: ends(&accuracy.all_clustered, &accuracy.all)
                .filter(|(low, high)| high > low)
                .or(share_ends(&accuracy.all)),
            other,
            other_ends: other.and_then(|_| ends(&accuracy.ended_clustered, &accuracy.ended)),
            figure: format!(
                "{} ({}/{})",
                accuracy.all.value.map_or(NONE.into(), |v| format!("{:.1} %", v * 100.0)),
                accuracy.all.hits,
                accuracy.all.n
            ),
        }
    };
    let shown: Vec<Dot> = with_gold().map(dot).collect();
    let said = shown.iter().map(|dot| format!("{}: {}", dot.name, dot.figure)).collect::<Vec<_>>().join("; ");
    let hollow = shown.iter().any(|dot| dot.other.is_some());
    let rows = report.arms.iter().map(|arm| {
        let accuracy = &arm.accuracy;
        vec![
            arm.name.clone(),
            share(&accuracy.all),
            percent(&accuracy.all_clustered),
            share(&accuracy.ended),
            share(&arm.availability.well),
            accuracy.undecided.to_string(),
        ]
    });
    html! {
        section #accuracy { h2 { "Accuracy" }
            @if shown.is_empty() { p .note { "No item has a gold answer." } }
            @else {
                figure {
                    div .frame { (dots(&shown, false, &said)) }
                    figcaption {
                        "Share of right answers with its 95 % interval over clusters; observations that did not end well are wrong."
                        @if hollow { " Hollow: the same without them." }
                    }
                }
            }
            (table(&["arm", "all (Wilson)", "all (clusters)", "ended well (Wilson)", "availability", "no answer"], rows))
        }
    }
}

fn share_ends(share: &Share) -> Option<(f64, f64)> {
    share.low.zip(share.high)
}

fn differences(report: &EvaluationReport) -> Markup {
    if report.comparisons.is_empty() {
        return html! {};
    }
    let place = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(0);
    let dot = |comparison: &Comparison| {
        let (all, ended) = (&comparison.all, &comparison.ended);
        let other = ended.difference.value.filter(|_| ended.pairs != all.pairs);
        Dot {
            name: format!("{} − {}", comparison.arm, comparison.with),
            hue: place(&comparison.arm),
            value: all.difference.value,
            ends: all.difference.interval(),
            other,
            other_ends: other.and_then(|_| ended.difference.interval()),
            figure: format!(
                "{}, p {}",
                all.difference.value.map_or(NONE.into(), |v| points(&Estimate::of(v, 0))),
                p(all.p_adjusted)
            ),
        }
    };
    let shown: Vec<Dot> = report.comparisons.iter().filter(|c| c.all.pairs > 0).map(dot).collect();
    let said = shown.iter().map(|dot| format!("{}: {}", dot.name, dot.figure)).collect::<Vec<_>>().join("; ");
    let rows = report.comparisons.iter().map(|comparison| {
        let (all, ended) = (&comparison.all, &comparison.ended);
        vec![
            format!("{} − {}", comparison.arm, comparison.with),
            points(&all.difference),
            all.test.map_or(NONE.into(), |test| format!("{}:{}", test.b, test.c)),
            p(all.test.map(|test| test.p)),
            p(all.p_adjusted),
            points(&ended.difference),
            p(ended.p_adjusted),
            comparison.token_ratio.map_or(NONE.into(), |ratio| format!("{ratio:.2}")),
            all.items_needed.map_or(NONE.into(), |items| quantity(items as f64)),
        ]
    });
    html! {
        section #differences { h2 { "Differences on the same items" }
            @if !shown.is_empty() {
                figure {
                    div .frame { (dots(&shown, true, &said)) }
                    figcaption { "Percentage points with their 95 % interval over clusters; p of McNemar’s exact test, adjusted by Holm. Hollow: pairs of which both ended well." }
                }
            }
            (table(&["arms", "points", "b:c", "p", "Holm", "ended well", "Holm", "tokens", "items needed"], rows))
        }
    }
}

fn cost(report: &EvaluationReport) -> Markup {
    let plot = report.front.as_ref().map(|front| {
        let of = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(0);
        let point = |point: &crate::figures::cost::FrontPoint| CostPoint {
            name: point.arm.clone(),
            hue: of(&point.arm),
            cost: point.cost,
            accuracy: point.accuracy,
            ends: share_ends(&report.arms[of(&point.arm)].accuracy.all),
            on_front: point.on_front,
        };
        let unit = match front.unit {
            CostUnit::Money => "US dollars",
            CostUnit::Tokens => "Tokens",
        };
        let said: Vec<String> = front
            .points
            .iter()
            .map(|point| {
                format!("{}: {:.1} % at {}", point.arm, point.accuracy * 100.0, quantity(point.cost))
            })
            .collect();
        costs(&front.points.iter().map(point).collect::<Vec<_>>(), unit, &said.join("; "))
    });
    let rows = report.arms.iter().map(|arm| {
        let cost = &arm.cost;
        vec![
            arm.name.clone(),
            mean(&cost.calls, ""),
            mean(&cost.input_tokens, ""),
            mean(&cost.cached_tokens, ""),
            mean(&cost.output_tokens, ""),
            mean(&cost.money, "$"),
            if cost.money.known > 0 { format!("${}", quantity(cost.money.sum)) } else { NONE.into() },
            cost.money_per_right.map_or(NONE.into(), |money| format!("${}", quantity(money))),
            mean(&cost.seconds, ""),
        ]
    });
    html! {
        section #cost { h2 { "Accuracy against cost" }
            @if let Some(plot) = plot {
                figure {
                    div .frame { (plot) }
                    figcaption { "Filled arms are on the Pareto front (dashed): nothing else is both as good and as cheap. Bars: Wilson." }
                }
            } @else { p .note { "Costs are not known for all arms, or there is no accuracy." } }
            (table(&["arm", "calls", "read", "cached", "written", "money", "in all", "a right answer", "seconds"], rows))
        }
    }
}

fn probabilities(report: &EvaluationReport) -> Markup {
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

fn before_and_after(report: &EvaluationReport) -> Markup {
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

fn judges(report: &EvaluationReport) -> Markup {
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

fn ratings(id: &str, title: &str, ratings: &[Rating]) -> Markup {
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

fn origin(report: &EvaluationReport) -> Markup {
    let list = |names: &[NamedCount]| {
        let shown = names.iter().take(LISTED_MAX).map(|named| format!("{} ({})", named.name, named.count));
        let more = (names.len() > LISTED_MAX).then(|| format!("and {} more", names.len() - LISTED_MAX));
        let all: Vec<String> = shown.chain(more).collect();
        if all.is_empty() { NONE.to_owned() } else { visible(&all.join(", ")) }
    };
    let seeds = |arm: &ArmReport| match arm.seeds {
        Some((low, high)) if low == high => low.to_string(),
        Some((low, high)) => format!("{low} to {high}"),
        None => NONE.to_owned(),
    };
    html! {
        section #origin { h2 { "What really ran" }
            div .frame {
                table {
                    thead { tr { th { "arm" } th { "models that answered" } th { "prompts, by digest" } th { "seeds" } th { "records" } th { "why not" } } }
                    tbody {
                        @for arm in &report.arms {
                            tr {
                                th scope="row" { (visible(&arm.name)) }
                                td .words { (list(&arm.models)) }
                                td .digest { (list(&arm.prompts)) }
                                td { (seeds(arm)) }
                                td { (arm.records) "/" (arm.observations) }
                                td .words { (list(&arm.availability.reasons)) }
                            }
                        }
                    }
                }
            }
            p .note { "Digest of each item, and id and hash of each record, are in the observations." }
        }
    }
}

/// A table whose first column names the rows.
fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Markup {
    html! {
        div .frame {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { (visible(cell)) } } @else { td { (visible(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
