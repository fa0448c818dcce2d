//! The chaired debate: arguments and source challenges. Rebuttals and challenges attack what they
//! name; a number that a text mentions besides is a citation.

use agon_core::{Key, Record, View};
use agon_protocols::chaired::{
    audience,
    debaters::Debaters,
    log::{self, DebateLog, Phase, Type},
};

use crate::graph::{Graph, GraphStatement, Relation, gist, spelled};

pub(super) fn of(record: &Record) -> Graph {
    let view = View::whole(record);
    let (log, debaters) = (DebateLog::of(&view), Debaters::in_view(&view));
    let sides = debaters.titles().into_iter().map(str::to_owned).collect();
    let mut graph = Graph { sides, ..Graph::default() };
    let mut round = 0;
    let mut step = 0;
    for logged in &log.0 {
        let item = &logged.item;
        if item.kind == Type::Announcement && item.phase == Phase::Rebuttal {
            let text = logged.content();
            round += u32::from(text.to_lowercase().contains("round"));
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
        let text = logged.struck.is_none().then(|| logged.content());
        graph.statements.push(GraphStatement {
            id: format!("seq-{}", item.seq),
            seq: seq(record, item.key.as_ref(), item.seq),
            speaker: debaters.title_of(&item.speaker).to_owned(),
            side,
            step,
            when,
            title: text.as_deref().map(gist).unwrap_or_default(),
            words: text.clone().unwrap_or_default(),
            text,
            score: None,
        });
    }
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let Some(from) = at(&graph, logged.item.seq) else { continue };
        let text = logged.content();
        let target = logged.item.rebuttal_to_seq.or(logged.item.target_seq);
        let target = target.and_then(|seq| at(&graph, seq));
        if let Some(to) = target {
            let kind = spelled(logged.item.type_name());
            graph.link(from, to, Relation::Attack, &kind.to_lowercase(), &gist(&text));
        }
        let cited = audience::referred(&text).into_iter().filter_map(|seq| at(&graph, seq));
        let cited: Vec<usize> = cited.filter(|to| *to < from && Some(*to) != target).collect();
        for to in cited {
            let own = graph.statements[to].side == graph.statements[from].side;
            let relation = if own { Relation::Support } else { Relation::Citation };
            graph.link(from, to, relation, "mentions", &gist(&text));
        }
    }
    graph
}

fn at(graph: &Graph, seq: u64) -> Option<usize> {
    graph.index(&format!("seq-{seq}"))
}

/// The entry of the answer, or where the words are the script's, of the ruling.
fn seq(record: &Record, answer: Option<&Key>, seq: u64) -> u64 {
    let answered = answer.and_then(|key| record.answer(key)).map(|(at, _)| at);
    let ruled = || record.ruling(&Key::of(log::key(seq))).map(|(at, _)| at);
    answered.or_else(ruled).unwrap_or(0)
}
