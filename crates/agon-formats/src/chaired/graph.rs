//! The chaired debate: arguments and source challenges. Rebuttals and challenges attack what they
//! name; a number that a text mentions besides is a citation.

use agon_core::{Key, Record, View};
use agon_protocols::chaired::{
    audience,
    debaters::Debaters,
    log::{DebateLog, Phase, Type},
};

use super::find_entry_ruling;
use crate::graph::{Graph, GraphStatement, Relation, first_sentence, humanise_name};

pub(super) fn of(record: &Record) -> Graph {
    let view = View::of_whole_record(record);
    let (log, debaters) = (DebateLog::of(&view), Debaters::in_view(&view));
    let sides = debaters.titles().into_iter().map(str::to_owned).collect();
    let mut graph = Graph { sides, ..Graph::default() };
    let mut round = 0;
    let mut step = 0;
    for logged in &log.0 {
        let item = &logged.item;
        if item.kind == Type::Announcement && item.phase == Phase::Rebuttal {
            round += u32::from(logged.visible_content().to_lowercase().contains("round"));
        }
        if !item.kind.is_argument() && item.kind != Type::SourceChallenge {
            continue;
        }
        let Some(side) = debaters.0.iter().position(|debater| debater.name == item.speaker) else { continue };
        let when = match item.phase {
            Phase::Opening => "Opening".to_owned(),
            Phase::Rebuttal if round > 0 => format!("Round {round}"),
            Phase::Closing => "Closing".to_owned(),
            Phase::Rebuttal | Phase::System => "Rebuttal".to_owned(),
        };
        step += u32::from(graph.statements.last().is_some_and(|last| last.when != when));
        let text = logged.struck.is_none().then(|| logged.visible_content());
        graph.statements.push(GraphStatement {
            id: format!("seq-{}", item.seq),
            seq: statement_seq(record, item.key.as_ref(), item.seq),
            speaker: debaters.title_of(&item.speaker).to_owned(),
            side,
            step,
            when,
            title: text.as_deref().map(first_sentence).unwrap_or_default(),
            words: text.clone().unwrap_or_default(),
            text,
            score: None,
        });
    }
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let Some(from) = find_statement(&graph, logged.item.seq) else { continue };
        let text = logged.visible_content();
        let target = logged.item.rebuttal_to_seq.or(logged.item.target_seq);
        let target = target.and_then(|seq| find_statement(&graph, seq));
        if let Some(to) = target {
            let kind = humanise_name(logged.item.type_name());
            graph.add_edge(from, to, Relation::Attack, &kind.to_lowercase(), &first_sentence(&text));
        }
        let cited = audience::find_seq_references(&text).into_iter().filter_map(|seq| find_statement(&graph, seq));
        let cited: Vec<usize> = cited.filter(|to| *to < from && Some(*to) != target).collect();
        for to in cited {
            let own = graph.statements[to].side == graph.statements[from].side;
            let relation = if own { Relation::Support } else { Relation::Citation };
            graph.add_edge(from, to, relation, "mentions", &first_sentence(&text));
        }
    }
    graph
}

fn find_statement(graph: &Graph, seq: u64) -> Option<usize> {
    graph.index(&format!("seq-{seq}"))
}

/// The entry of the answer, or where the words are the script's, of the ruling.
fn statement_seq(record: &Record, answer: Option<&Key>, seq: u64) -> u64 {
    let answered = answer.and_then(|key| record.find_answer(key)).map(|(at, _)| at);
    answered.or_else(|| find_entry_ruling(record, seq)).unwrap_or(0)
}
