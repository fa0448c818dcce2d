//! `README.md`: the report. Scores, strongest and weakest are computed; the rest is the reporter's
//! prose, or where there is none, what the record itself says.

use agon_core::{Outcome, Record, Standing};
use agon_protocols::exchange::{
    argument::Side,
    exchange_title,
    report::{ReportProse, TurningPoint},
    state::{ExchangeState, PlacedArgument, Total},
};
use agon_text::markdown;

use super::{find_accepted_report, find_best_argument, signed_totals};
use crate::markup::{render_reader_notes, render_table};
use crate::statement::format_score;

/// The report of a closed debate, with its `graph` as Mermaid; `None` while it continues.
pub fn render_readme(record: &Record, state: &ExchangeState, graph: Option<&str>) -> Option<String> {
    let outcome = record.closing_outcome()?;
    let valid = outcome.standing == Standing::Valid;
    let report = find_accepted_report(record).filter(|_| valid).map(|(_, report)| report);
    let motion = markdown::escape_line(&record.opened().motion);

    let title = report.as_ref().map_or(&record.opened().motion, |report| &report.title);
    let mut blocks = vec![format!("# {}", markdown::escape_title(title))];
    blocks.extend(render_notices(record, outcome, report.is_none()));
    let (question, clash, course) = match &report {
        Some(report) => {
            let points = report.turning_points.iter().flat_map(|TurningPoint { heading, text }| {
                [format!("**{}**", markdown::escape_line(heading)), markdown::escape_prose(text)]
            });
            let points = points.collect();
            (markdown::escape_prose(&report.question), vec![markdown::escape_prose(&report.clash)], points)
        }
        None => (format!("The motion: {motion}"), render_clash(state), vec![render_score_course(state)]),
    };
    blocks.extend(["## The Question".into(), question, "## The Clash".into()]);
    blocks.extend(clash.into_iter().chain(["## Turning Points".into()]).chain(course));
    blocks.push("## The Verdict".into());
    blocks.extend(render_verdict(outcome, state));
    blocks.extend(report.map(|ReportProse { verdict, .. }| markdown::escape_prose(&verdict)));
    let mut report = without_dashes(&(blocks.join("\n\n") + "\n"));
    // As in its own file, dashes of titles included.
    if let Some(graph) = graph {
        report += &format!("\n## Argument Graph\n\n```mermaid\n{graph}```\n");
    }
    Some(report)
}

/// What a reader must know first: that there is no verdict, or no prose, and what did not work.
fn render_notices(record: &Record, outcome: &Outcome, no_prose: bool) -> Vec<String> {
    let mut lead = Vec::new();
    if outcome.standing == Standing::Void {
        lead.push(markdown::escape_prose(&outcome.summary));
    } else if no_prose {
        let reporter = outcome.absent.iter().find(|absent| absent.seat.as_str() == "reporter");
        let why = reporter.map(|absent| format!(" ({})", markdown::escape_line(&absent.why))).unwrap_or_default();
        lead.push(format!("The reporter gave no report{why}. What follows is computed from the record."));
    }
    let told = |text: &str| {
        let mut absent = outcome.absent.iter();
        absent.any(|absent| text.starts_with(absent.seat.as_str()) && text.ends_with(&absent.why))
    };
    lead.extend(render_reader_notes(record, told, Vec::new(), |sat| sat.title().to_owned()));
    lead
}

/// The clash of each exchange in the judge's words, and each side's best argument, where no reporter tells the clash.
fn render_clash(state: &ExchangeState) -> Vec<String> {
    let told = state.judgments.iter().filter_map(|judgment| {
        let text = markdown::escape_line(&judgment.clash.as_ref()?.text);
        Some(format!("{}, by the judge: {text}", exchange_title(judgment.exchange)))
    });
    let best = Side::BOTH.into_iter().filter_map(|side| {
        let (held, score) = find_best_argument(state, side)?;
        let (id, claim) = (&held.id, markdown::escape_line(&held.argument().claim));
        Some(format!("The {}'s best scored claim, {id} ({}): {claim}", side.name(), format_score(score)))
    });
    let blocks: Vec<String> = told.chain(best).collect();
    if blocks.is_empty() { vec!["No argument was scored.".into()] } else { blocks }
}

/// The totals after each exchange, where nobody tells the turning points.
fn render_score_course(state: &ExchangeState) -> String {
    if state.judgments.is_empty() {
        return "No exchange was judged.".into();
    }
    let rows = state.judgments.iter().map(|judgment| {
        let (pro, con) = signed_totals(&judgment.totals);
        format!("| {} | {pro} | {con} |", exchange_title(judgment.exchange))
    });
    render_table(&["After", "Proposition", "Opposition"], rows)
}

/// What can be computed. Without a verdict nobody is named as ahead.
fn render_verdict(outcome: &Outcome, state: &ExchangeState) -> Vec<String> {
    let totals = state.totals();
    let side = |total: Total| format!("{} ({} arguments)", format_score(total.total), total.count);
    let scores = format!("proposition {}, opposition {}", side(totals.proposition), side(totals.opposition));
    let ends = match &outcome.winner {
        Some(winner) => format!("The {} is ahead.", markdown::escape_line(winner)),
        None if outcome.name == "undecided" => "No majority of the judges agrees on a winner.".to_owned(),
        None => "The sides are even.".to_owned(),
    };
    let mut verdict = vec![match outcome.standing {
        Standing::Void => format!("There is no verdict. Scores so far: {scores}."),
        Standing::Valid => format!("**Final score: {scores}.** {ends}"),
    }];
    let ranked = state.rank_arguments();
    if let (Some((best, high)), Some((worst, low))) = (ranked.first(), ranked.last()) {
        // The sentence that it stands in has an end of its own.
        let told = |held: &PlacedArgument, score: f64| {
            let title = markdown::escape_line(held.argument().title.trim_end_matches('.'));
            format!("{} ({}), {title}", held.id, format_score(score))
        };
        let (best, worst) = (told(best, *high), told(worst, *low));
        verdict.push(format!("Strongest argument: {best}. Weakest argument: {worst}."));
    }
    verdict
}

/// The format allows neither em nor en dashes: between numbers or parts of a word an en dash is a
/// hyphen, anywhere else a dash is a comma.
pub fn without_dashes(text: &str) -> String {
    let is_dash = |c: char| matches!(c, '\u{2012}'..='\u{2015}');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_dash) {
        let (before, dashes) = rest.split_at(at);
        let after = dashes.trim_start_matches(is_dash);
        out.push_str(before);
        rest = after.trim_start_matches(' ');
        let spaced = before.ends_with(' ') || after.starts_with(' ');
        out.truncate(out.trim_end_matches(' ').len());
        let (last, next) = (out.chars().next_back().unwrap_or('\n'), rest.chars().next().unwrap_or('\n'));
        let numbers = last.is_ascii_digit() && next.is_ascii_digit();
        let compound = last.is_alphanumeric() && next.is_alphanumeric() && !spaced;
        let short = dashes.starts_with(['\u{2012}', '\u{2013}']);
        out.push_str(match (last, next) {
            ('\n', _) | (_, '\n') => "",
            _ if short && (numbers || compound) => "-",
            (',' | ';' | ':' | '(', _) => " ",
            (_, ',' | ';' | '.' | ')' | ':') => "",
            _ => ", ",
        });
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dashes_become_what_reads_well() {
        let table = [
            ("It was clear \u{2014} to all \u{2014} by then.", "It was clear, to all, by then."),
            ("word\u{2014}word", "word, word"),
            ("2019\u{2013}2020 and 3 \u{2013} 4", "2019-2020 and 3-4"),
            ("cost\u{2013}benefit \u{2013} in short", "cost-benefit, in short"),
            ("\u{2014} first\nlast \u{2014}\nthis, \u{2014} that", "first\nlast\nthis, that"),
            ("a-b, 3 - 2, | --- |", "a-b, 3 - 2, | --- |"),
        ];
        for (written, shown) in table {
            assert_eq!(without_dashes(written), shown);
        }
    }

    proptest! {
        #[test]
        fn no_dash_is_left_and_nothing_else_is_lost(text in "[a1 ,.(\n\u{2013}\u{2014}-]{0,20}") {
            let shown = without_dashes(&text);
            let dashes = ['\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}'];
            prop_assert!(!shown.contains(dashes));
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&shown), letters(&text));
        }
    }
}
