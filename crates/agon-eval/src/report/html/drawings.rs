//! The plot of a section, with what it says in words for those who do not see it.

use maud::{Markup, html};

use crate::{
    figures::cost::{CostUnit, FrontPoint},
    report::{
        ArmReport, EvaluationReport,
        figure_text::FigureForm::{Hits, P, Percent, Points, Quantity},
        list::{FigureGroup, ReportFigure},
        plots::{BinPoint, CostPoint, Dot, draw_calibration_plot, draw_cost_plot, draw_dot_plot},
        tables::FigureSection,
    },
};

/// The plot of `section`, or why there is none; nothing for a section of tables alone.
pub(super) fn draw_section(section: &FigureSection, report: &EvaluationReport) -> Markup {
    let rows = section.tables.first().map(|table| table.rows.as_slice()).unwrap_or_default();
    match section.id {
        "accuracy" => draw_accuracy(rows),
        "differences" => draw_differences(rows, report),
        "cost" => draw_cost(report),
        "probabilities" => draw_probabilities(report),
        _ => html! {},
    }
}

fn render_figure(drawn: &Markup, caption: &str) -> Markup {
    html! { figure { div .frame tabindex="0" role="region" aria-label=(caption) { (drawn) } figcaption { (caption) } } }
}

/// The value alone, without its interval.
fn without_interval(figure: &ReportFigure) -> ReportFigure {
    figure.value.into()
}

/// A dot for the figure `name` of a group, with a hollow one for what ended well where that is `counted` from fewer.
fn build_dot(group: &FigureGroup, name: &str, hue: usize, counted: [ReportFigure; 2], words: String) -> Dot {
    let of = |part: &str| {
        let figure = group.figure_named(&format!("{name}_{part}"));
        let clustered = group.figure_named(&format!("{name}_{part}_clustered"));
        let ends = clustered.interval().filter(|(low, high)| high > low).or(figure.interval());
        (figure.value, ends)
    };
    let ((value, ends), (other, other_ends)) = (of("all"), of("ended"));
    // Where all ended well, both ways of counting are one.
    let is_other = counted[0] != counted[1] && other.is_some();
    Dot {
        name: group.row_title(),
        hue,
        value,
        ends,
        other: other.filter(|_| is_other),
        other_ends: other_ends.filter(|_| is_other),
        figure: words,
    }
}

fn describe_dots(dots: &[Dot]) -> String {
    dots.iter().map(|dot| format!("{}: {}", dot.name, dot.figure)).collect::<Vec<_>>().join("; ")
}

fn draw_accuracy(rows: &[FigureGroup]) -> Markup {
    let with_gold = rows.iter().enumerate().filter(|(_, arm)| arm.figure_named("accuracy_all").value.is_some());
    let shown = with_gold.map(|(hue, arm)| {
        let [all, ended] = ["accuracy_all", "accuracy_ended"].map(|name| arm.figure_named(name));
        let words = format!("{} ({})", Percent.format_figure(without_interval(&all)), Hits.format_figure(all.clone()));
        build_dot(arm, "accuracy", hue, [all, ended].map(|share| share.n.unwrap_or_default().into()), words)
    });
    let shown: Vec<Dot> = shown.collect();
    if shown.is_empty() {
        return html! { p .note { "No item has a gold answer." } };
    }
    let hollow = if shown.iter().any(|dot| dot.other.is_some()) { " Hollow: the same without them." } else { "" };
    let caption = "Share of right answers with its 95 % interval over clusters; observations that did not end well are \
                   wrong.";
    render_figure(&draw_dot_plot(&shown, false, &describe_dots(&shown)), &format!("{caption}{hollow}"))
}

fn draw_differences(rows: &[FigureGroup], report: &EvaluationReport) -> Markup {
    let place = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(0);
    let compared = rows.iter().filter(|pair| pair.figure_named("difference_all").value.is_some());
    let shown = compared.map(|pair| {
        let [difference, p] = ["difference_all", "holm_p_all"].map(|name| pair.figure_named(name));
        let words = format!("{}, p {}", Points.format_figure(without_interval(&difference)), P.format_figure(p));
        let counted = ["pairs_all", "pairs_ended"].map(|name| pair.figure_named(name));
        build_dot(pair, "difference", place(&pair.name), counted, words)
    });
    let shown: Vec<Dot> = shown.collect();
    if shown.is_empty() {
        return html! {};
    }
    let caption = "Percentage points with their 95 % interval over clusters; p of McNemar’s exact test, adjusted by Holm. \
                   Hollow: pairs of which both ended well.";
    render_figure(&draw_dot_plot(&shown, true, &describe_dots(&shown)), caption)
}

fn draw_cost(report: &EvaluationReport) -> Markup {
    let Some(front) = &report.front else {
        return html! { p .note { "Costs are not known for all arms, or there is no accuracy." } };
    };
    let of = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(0);
    let points: Vec<CostPoint<'_>> = front
        .points
        .iter()
        .map(|point| {
            let hue = of(&point.arm);
            CostPoint { of: point, hue, ends: report.arms[hue].accuracy.all.interval() }
        })
        .collect();
    let unit = match front.unit {
        CostUnit::Money => "US dollars",
        CostUnit::Tokens => "Tokens",
    };
    let said = |point: &FrontPoint| {
        let [accuracy, cost] =
            [(Percent, point.accuracy), (Quantity, point.cost)].map(|(form, value)| form.format_figure(Some(value)));
        format!("{}: {accuracy} at {cost}", point.arm)
    };
    let said: Vec<String> = front.points.iter().map(said).collect();
    let drawn = draw_cost_plot(&points, unit, &said.join("; "));
    let caption =
        "Filled arms are on the Pareto front (dashed): nothing else is both as good and as cheap. Bars: Wilson.";
    render_figure(&drawn, caption)
}

fn draw_probabilities(report: &EvaluationReport) -> Markup {
    let plot = |(at, arm): (usize, &ArmReport)| {
        let bins = arm.probabilities.calibration.bins.iter();
        let bins = bins.filter_map(|bin| Some((bin.confidence?, bin.right.value?, bin.right.interval()?, bin.right.n)));
        let bins: Vec<BinPoint> = bins.collect();
        let said: Vec<String> = bins
            .iter()
            .map(|(c, right, _, n)| format!("said {:.0} %, right {:.0} % of {n}", c * 100.0, right * 100.0))
            .collect();
        draw_calibration_plot(&arm.name, at, &bins, &format!("Calibration of {}: {}", arm.name, said.join("; ")))
    };
    html! {
        figure {
            div .small-plots {
                @for of in report.arms.iter().enumerate().filter(|(_, arm)| arm.probabilities.n > 0) { (plot(of)) }
            }
            figcaption { "How often the favoured choice was right, by its probability; bars: Wilson; larger dots hold more answers. On the diagonal is what was said." }
        }
    }
}
