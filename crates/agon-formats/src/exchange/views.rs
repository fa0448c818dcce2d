//! What reports, pages and other commands show of an exchange.

use std::{borrow::Cow, collections::BTreeMap};

use agon_core::{Key, Record, Request, Ruling, RulingKind, View};
use agon_protocols::{
    common::verification::SourceCheck,
    exchange::{
        argument::Side,
        side_labels::SideLabels,
        state::{AcceptedArguments, ExchangeState, Scored, Totals, exchange_key},
        verdict::JudgeVote,
    },
};
use agon_text::format_signed;

use super::{ExchangeFiles, basis, decision, graph, html, public_state, render_graph, scores::ScoreFile};
use crate::{
    agreement::Orders,
    cited::{CitedSource, collect_place_sources},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::Graph,
    page::part::PagePart,
    report::{Voice, part::positions},
    ruling_view::{RulingView, ScoreBefore, ScoreLine, ScoresView, VoteView},
    views::{Mark, Views},
};

impl Views for ExchangeFiles {
    fn build_graph(&self, record: &Record) -> Graph {
        graph::of(record)
    }

    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        basis::collect_stated_answers(record)
    }

    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        basis::collect_answer_basis(record)
    }

    fn page_parts(&self, record: &Record, _: &AnswerBasis) -> Vec<PagePart> {
        html::build_page_parts(record)
    }

    /// `None` before the first judgment.
    fn render_diagram(&self, record: &Record) -> Option<String> {
        let state = public_state(record);
        render_graph(&state, &ScoreFile::of(record, &state))
    }

    fn list_cited_sources(&self, record: &Record, _: &Graph) -> Vec<CitedSource> {
        let mut all = Vec::new();
        for held in &ExchangeState::of(&View::of_whole_record(record)).arguments {
            for (i, ground) in held.argument().grounds.iter().enumerate() {
                let at = format!("{}/{}", held.id, i + 1);
                let found: Vec<SourceCheck> = held.looked_up().cloned().collect();
                let pages =
                    collect_place_sources(&held.id, &at, &format!("{} {}", ground.source, ground.content), &found);
                match pages.is_empty() {
                    true if ground.is_own_reasoning() => {}
                    true => all.push(CitedSource::unknown(&held.id, &ground.source)),
                    false => all.extend(pages),
                }
            }
            all.extend(held.looked_up().map(|found| CitedSource::from_check(&held.id, found)));
        }
        all
    }

    /// The case that was made before anyone answered it, and what it came to.
    fn build_voice(&self, _: &Record, graph: &Graph, side: usize) -> Option<Voice> {
        let own = graph.statements.iter().filter(|statement| statement.side == side);
        let items = own.map(|statement| {
            let titled = |text: &str| format!("{}. {text}", statement.title.trim_end_matches('.'));
            let title = (!statement.title.is_empty()).then_some(titled);
            positions::build_voice_item(statement, |text| {
                title.map_or_else(|| positions::extract_prose(text), |titled| titled(text))
            })
        });
        let tag = format!("{} the motion", Side::BOTH.get(side)?.stance());
        Some(Voice { side: Some(side), name: graph.sides[side].clone(), tag, items: items.collect() })
    }

    /// Judges know the sides by neutral labels.
    fn name_for_readers<'t>(&self, request: &Request, text: Cow<'t, str>) -> Cow<'t, str> {
        SideLabels::of(request).map(|labels| labels.unlabel_text(&text).into()).unwrap_or(text)
    }

    fn readers_names(&self, request: &Request) -> Option<String> {
        let first = SideLabels::of(request)?.first;
        let second = first.opposite();
        Some(format!("{} {} {} {}", first.prefix(), second.prefix(), first.name(), second.name()))
    }

    fn side_read_first(&self, request: &Request) -> Option<&'static str> {
        SideLabels::of(request).map(|labels| labels.first.name())
    }

    fn list_votes(&self, record: &Record) -> Vec<Vec<VoteView>> {
        let state = ExchangeState::of(&View::of_whole_record(record));
        let judgments = state.votes.chunk_by(|a, b| a.exchange == b.exchange);
        judgments.map(|judgment| judgment.iter().map(|vote| view_vote(JudgeVote::clone(vote))).collect()).collect()
    }

    /// A judgment that is not blind was heard in one order and left no vote.
    fn judgment_orders(&self, record: &Record) -> Orders {
        let votes = Orders::of(&self.list_votes(record));
        let judged = || ExchangeState::of(&View::of_whole_record(record)).judgments.len();
        Orders { all: if votes.all == 0 { judged() } else { votes.all }, ..votes }
    }

    fn ruling_view(&self, ruling: &Ruling) -> RulingView {
        let view = match ruling.kind {
            RulingKind::Scored => ruling.decode_data().map(view_scores).map(RulingView::Scores),
            RulingKind::Noted => ruling.decode_data().map(view_vote).map(RulingView::Vote),
            _ => None,
        };
        view.unwrap_or(RulingView::Text)
    }

    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        decision::list_outcome_changes(entries, graph)
    }

    fn open_points(&self, _: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        decision::list_open_points(graph)
    }

    fn collect_argument_marks(&self, record: &Record) -> BTreeMap<Key, Vec<Mark>> {
        let mut marks = BTreeMap::new();
        let view = View::of_whole_record(record);
        let state = ExchangeState::of(&view);
        for accepted in AcceptedArguments::list_all(&view) {
            for side in Side::BOTH {
                let held = state.of_exchange(accepted.exchange).filter(|held| held.side == side);
                let ids = held.map(|held| Mark {
                    score: state.current.get(&held.id).copied(),
                    id: held.id.clone(),
                    is_elsewhere: false,
                });
                marks.insert(accepted.draft_key(side).clone(), ids.collect());
            }
        }
        marks
    }

    /// Rebuttals; the opening exchange is before the first.
    fn current_round(&self, record: &Record) -> Option<u32> {
        let is_begun = |exchange: &u32| record.find_ruling(&Key::of(exchange_key(*exchange, "phase"))).is_some();
        (1..).take_while(is_begun).last()
    }

    /// The totals of both sides.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let state = ExchangeState::of(&View::of_whole_record(record));
        let totals = state.judgments.last().map(|_| state.totals())?;
        let ahead = totals.leading_side().map(|side| format!("the {}", side.name())).unwrap_or("nobody".into());
        let [pro, con] = [totals.proposition, totals.opposition].map(|side| format_signed(side.total, 2));
        Some(format!("proposition {pro}, opposition {con}: {ahead} is ahead"))
    }
}

fn view_scores(scored: Scored) -> ScoresView {
    let new = scored.scores.into_iter().map(|score| ScoreLine {
        argument: score.argument_id,
        score: score.score,
        before: score
            .grade
            .map(ScoreBefore::Grade)
            .or(score.raw.map(ScoreBefore::Given))
            .unwrap_or(ScoreBefore::Nothing),
        why: score.reasoning,
    });
    let corrected = scored.rescores.into_iter().map(|rescore| ScoreLine {
        argument: rescore.argument_id,
        score: rescore.new_score,
        before: ScoreBefore::Corrected(rescore.old_score),
        why: rescore.reasoning,
    });
    let Totals { proposition, opposition } = scored.totals;
    let totals = [(Side::Proposition.name(), proposition.total), (Side::Opposition.name(), opposition.total)];
    let clash = scored.clash.map(|clash| (clash.key, clash.text));
    ScoresView { key: scored.key, totals, clash, lines: new.chain(corrected).collect() }
}

fn view_vote(vote: JudgeVote) -> VoteView {
    let orders = vote.orders.iter().map(|heard| (heard.first.name(), heard.margin)).collect();
    let prefers = vote.leader().map(|side| side as u8);
    VoteView { judge: vote.judge, orders, margin: vote.margin, prefers, is_flip: vote.flip }
}
