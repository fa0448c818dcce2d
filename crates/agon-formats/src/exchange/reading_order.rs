//! The exchange in reading order: arguments in Toulmin's parts, then the judge's table.

use agon_core::{Key, Record};
use agon_protocols::exchange::{
    argument::{Argument, Engagement, Side},
    state::{ExchangeState, PlacedArgument, Scored, exchange_key},
};
use agon_text::markdown::{escape_cell, escape_line, escape_prose, escape_sentence, escape_start};

use super::{find_accepted_report, signed_totals};
use crate::{
    agreement::Votes,
    graph::humanise_name,
    markup::{render_bullets, render_table},
    statement::format_score,
};

pub(super) fn render_reading_order(record: &Record, state: &ExchangeState) -> String {
    let mut blocks = Vec::new();
    for exchange in 0.. {
        let ruling = |what: &str| record.find_ruling(&Key::of(exchange_key(exchange, what)));
        let Some((_, phase)) = ruling("phase") else { break };
        blocks.push(format!("## {}", escape_line(&phase.text)));
        let said = state.arguments.iter().filter(|held| held.exchange == exchange);
        blocks.extend(said.flat_map(render_argument));
        match state.judgments.iter().find(|judgment| judgment.exchange == exchange) {
            Some(judged) => blocks.extend(render_judgment(judged).into_iter().chain(render_judge_votes(judged, state))),
            None if ruling("arguments").is_some() => blocks.push("These arguments are not judged yet.".into()),
            None => blocks.push("At least one side has not argued yet.".into()),
        }
    }
    let stop =
        state.judgments.last().and_then(|last| record.find_ruling(&Key::of(exchange_key(last.exchange, "stop"))));
    blocks.extend(stop.map(|(_, ruling)| escape_sentence(&ruling.text)));
    if state.judgments.iter().any(|judgment| judgment.panel.as_ref().is_some_and(|tally| tally.seats > 1)) {
        let mut votes = Votes::default();
        votes.add_record(record);
        blocks.push(render_bullets(votes.to_agreement().render_lines()));
    }
    if let Some((_, report)) = find_accepted_report(record) {
        blocks.push(format!("## Report: {}", escape_line(&report.title)));
        blocks.extend([escape_prose(&report.question), escape_prose(&report.clash)]);
        for point in &report.turning_points {
            blocks.extend([format!("### {}", escape_line(&point.heading)), escape_prose(&point.text)]);
        }
        blocks.extend(["### Verdict".into(), escape_prose(&report.verdict)]);
        blocks.extend(report.answer.map(|answer| format!("**Answer.** {}", escape_line(&answer.full_text()))));
    }
    blocks.join("\n\n")
}

fn render_argument(held: &PlacedArgument) -> Vec<String> {
    let Argument { title, claim, grounds, warrant, backing, qualifier, attacks, defends } = held.argument();
    let side = humanise_name(held.side.name());
    let mut blocks = vec![format!("### {side}: {} ({})", escape_line(title), held.id)];
    blocks.push(format!("**Claim.** {}", escape_line(claim)));
    for ground in grounds {
        let quote = format!("> {}\n>\n> Source: {}", escape_start(&ground.content), escape_line(&ground.source));
        blocks.extend([quote, format!("Why it matters: {}", escape_line(&ground.relevance))]);
    }
    blocks.push(format!("**Warrant.** {}", escape_line(warrant)));
    blocks.extend(backing.as_ref().map(|text| format!("**Backing.** {}", escape_line(text))));
    blocks.extend(qualifier.as_ref().map(|text| format!("**Qualifier.** {}", escape_line(text))));
    let engaged = |verb: &str, Engagement { target_id, kind, content }: &Engagement| {
        let (id, how) = (escape_line(target_id), escape_line(&kind.replace('_', " ")));
        format!("**{verb} {id}** ({how}): {}", escape_line(content))
    };
    blocks.extend(attacks.iter().map(|attack| engaged("Attacks", attack)));
    blocks.extend(defends.iter().map(|defence| engaged("Defends", defence)));
    blocks
}

fn render_judgment(judgment: &Scored) -> Vec<String> {
    let centred = judgment.scores.iter().any(|score| score.raw.is_some());
    let is_graded = judgment.scores.iter().any(|score| score.grade.is_some());
    let mut blocks = vec!["### Judgment".to_owned()];
    blocks.extend(judgment.clash.as_ref().map(|clash| escape_prose(&clash.text)));
    let mut columns = vec!["Argument", "Score", "Reasoning"];
    if is_graded {
        columns.insert(1, "Grade");
    }
    if centred {
        let shift = format_score(judgment.shift);
        blocks.push(format!(
            "The judge's scores did not sum to zero and were centred: {shift} was taken from each, and where that left the range they were scaled back into it."
        ));
        columns.insert(1, "As given");
    }
    let rows = judgment.scores.iter().map(|given| {
        let given_as = given.grade.map(|grade| grade.to_string()).or(given.raw.map(format_score));
        let given_as = given_as.map(|number| format!(" {number} |")).unwrap_or_default();
        let (id, why) = (escape_cell(&given.argument_id), escape_cell(&given.reasoning));
        format!("| {id} |{given_as} {} | {why} |", format_score(given.score))
    });
    blocks.push(render_table(&columns, rows));
    if !judgment.rescores.is_empty() {
        let rows = judgment.rescores.iter().map(|given| {
            let (id, why) = (escape_cell(&given.argument_id), escape_cell(&given.reasoning));
            format!("| {id} | {} | {} | {why} |", format_score(given.old_score), format_score(given.new_score))
        });
        blocks.push(render_table(&["Corrected", "Before", "Now", "Reasoning"], rows));
    }
    let (pro, con) = signed_totals(&judgment.totals);
    blocks.push(format!("Totals: proposition {pro}, opposition {con}."));
    blocks
}

/// How each judge voted, where judgments are blind.
fn render_judge_votes(judgment: &Scored, state: &ExchangeState) -> Vec<String> {
    let Some(tally) = &judgment.panel else { return Vec::new() };
    let votes = state.votes.iter().filter(|vote| vote.exchange == judgment.exchange);
    let rows = votes.map(|vote| {
        let heard = |side: Side| {
            let heard = vote.orders.iter().find(|heard| heard.first == side);
            heard.map_or_else(|| "not heard".into(), |heard| format_score(heard.margin))
        };
        let stands = match (vote.flip, vote.leader()) {
            (true, _) => "a tie: the order decided",
            (false, Some(side)) => side.name(),
            (false, None) => "a tie",
        };
        let [pro, con] = Side::BOTH.map(heard);
        format!("| {} | {} | {pro} | {con} | {stands} |", vote.judge, format_score(vote.margin))
    });
    let mut blocks = vec![render_table(&["Judge", "Margin", "Proposition first", "Opposition first", "Vote"], rows)];
    if tally.seats > 1 {
        let agreed = if tally.unanimous { "They are unanimous." } else { "They are not unanimous." };
        let (answered, seats) = (tally.answered.len(), tally.seats);
        let [pro, con, neither] = tally.votes;
        blocks.push(format!(
            "{answered} of {seats} judges answered ({} are needed): {pro} for the proposition, {con} for the opposition, {neither} for neither. {agreed}",
            tally.quorum
        ));
    }
    blocks
}
