//! What reports, pages and other commands show of an exchange.

use std::{borrow::Cow, collections::BTreeMap};

use agon_core::{Key, Record, Request, Ruling, RulingKind, View};
use agon_protocols::{
    common::verification::SourceCheck,
    exchange::{
        argument::{Argument, Side},
        judge_seats::JudgePanel,
        side_labels::SideLabels,
        state::{AcceptedArguments, ExchangeState, PlacedArgument, Scored, Totals, exchange_key},
        verdict::JudgeVote,
    },
};
use agon_text::format_signed;
use serde_json::json;

use super::{basis, html, public_state, render_graph, scores::ScoreFile};
use crate::{
    agreement::Orders,
    cited_source::{CitedSource, collect_place_sources},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, GraphStatement, Relation, answer_seq},
    page::part::PagePart,
    report::{Voice, part::positions},
    ruling_view::{RulingView, ScoreBefore, ScoreLine, ScoresView, VoteView},
    statement::format_score,
    views::{Mark, Views},
};

/// Arguments that are named.
const NAMED_MAX: usize = 3;

/// The views of an exchange.
pub(super) struct ExchangeViews;

impl Views for ExchangeViews {
    /// Arguments with their attacks and defences, and the arguments whose ids they name.
    fn build_graph(&self, record: &Record) -> Graph {
        let view = View::of_whole_record(record);
        let state = ExchangeState::from_view(&view);
        let mut graph =
            Graph { sides: Side::BOTH.map(|side| agon_text::humanize_name(side.name())).into(), ..Graph::default() };
        for accepted in AcceptedArguments::list_all(&view) {
            let exchange = accepted.exchange;
            for (number, side) in Side::BOTH.into_iter().enumerate() {
                for id in side.argument_ids(exchange) {
                    let said = state.find_argument(&id).map(|held| held.argument());
                    let seq = answer_seq(record, accepted.draft_key(side));
                    let when = if exchange == 0 { "Opening".into() } else { format!("Exchange {exchange}") };
                    let (score, text) = (state.current.get(&id).copied(), said.map(|argument| argument.claim.clone()));
                    let statement = graph.add_statement(id, seq, number, (exchange, when), text);
                    statement.title = said.map(|argument| argument.title.clone()).unwrap_or_default();
                    statement.words = said.map(|argument| argument.field_texts().join("\n")).unwrap_or_default();
                    statement.score = score;
                }
            }
        }
        for held in &state.arguments {
            let Some(from) = graph.index(&held.id) else { continue };
            link_engagements(&mut graph, from, held.argument());
        }
        graph
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
        render_graph(&state, &ScoreFile::from_record(record, &state))
    }

    fn list_cited_sources(&self, record: &Record, _: &Graph) -> Vec<CitedSource> {
        let mut all = Vec::new();
        for held in &ExchangeState::from_view(&View::of_whole_record(record)).arguments {
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
        SideLabels::from_request(request).map(|labels| labels.unlabel_text(&text).into()).unwrap_or(text)
    }

    fn readers_names(&self, request: &Request) -> Option<String> {
        let first = SideLabels::from_request(request)?.first;
        let second = first.opposite();
        Some(format!("{} {} {} {}", first.prefix(), second.prefix(), first.name(), second.name()))
    }

    fn side_read_first(&self, request: &Request) -> Option<&'static str> {
        SideLabels::from_request(request).map(|labels| labels.first.name())
    }

    fn list_votes(&self, record: &Record) -> Vec<Vec<VoteView>> {
        let state = ExchangeState::from_view(&View::of_whole_record(record));
        let judgments = state.votes.chunk_by(|a, b| a.exchange == b.exchange);
        judgments.map(|judgment| judgment.iter().map(|vote| view_vote(JudgeVote::clone(vote))).collect()).collect()
    }

    /// A judgment that is not blind was heard in one order and left no vote.
    fn judgment_orders(&self, record: &Record) -> Orders {
        let votes = Orders::from_votes(&self.list_votes(record));
        let judged = || ExchangeState::from_view(&View::of_whole_record(record)).judgments.len();
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

    /// Arguments that decide by their score alone, and judges that a majority needs.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let record = entries.record;
        let state = ExchangeState::from_view(&View::of_whole_record(record));
        let judge_panel = JudgePanel::from_opened(record.opened());
        let scored = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored).last();
        let Some((seq, ..)) = scored else { return Vec::new() };
        let totals = state.totals();
        let mut all = Vec::new();
        if let (true, Some(side)) = (judge_panel.is_panel(), judge_panel.leading_side(&state)) {
            let agree = judge_panel.count_preferring(&state, side);
            if agree == judge_panel.quorum() {
                let (seats, name) = (judge_panel.seats.len(), side.name());
                let text = format!(
                    "{agree} of {seats} judges prefer the {name}, no more than a majority needs: one of them less leaves no winner."
                );
                all.push(Sentence::new(seq, text));
            }
        }
        let Some(ahead) = totals.leading_side() else {
            all.push(Sentence::new(seq, "The sides are even: a score that is corrected by little puts one ahead."));
            return all;
        };
        let without = |id: &str| {
            let others = state.current.iter().filter(|(other, _)| *other != id);
            Totals::from_scores(others.map(|(id, score)| (id.as_str(), *score))).leading_side()
        };
        let mut scores = state.rank_arguments();
        scores.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let deciding = scores.iter().filter(|(held, _)| without(&held.id) != Some(ahead)).map(|(held, score)| {
            let id = &held.id;
            let (title, seq) = match graph.index(id).map(|at| &graph.statements[at]) {
                Some(GraphStatement { title, seq, .. }) => (format!(" ({title})"), *seq),
                None => (String::new(), seq),
            };
            let then = match without(id) {
                Some(side) => format!("the {} would be ahead", side.name()),
                None => "the sides would be even".into(),
            };
            let score = format_score(*score);
            Sentence::new(seq, format!("If {id}{title} were worth nothing and not {score}, {then}."))
        });
        let deciding: Vec<Sentence> = deciding.take(NAMED_MAX).collect();
        if let (true, Some((held, largest))) = (deciding.is_empty(), scores.first()) {
            let lead = (totals.proposition.total - totals.opposition.total).abs();
            let (id, largest) = (&held.id, format_score(*largest));
            let text = format!(
                "No single score decides: the totals are {lead:.2} apart, and the largest score is {largest} for {id}."
            );
            all.push(Sentence::new(seq, text));
        }
        all.extend(deciding);
        all
    }

    /// Arguments that no argument of the other side attacks, the best scored first.
    fn open_points(&self, _: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let answered = |at: usize| {
            let mut attacks = graph.edges_into(at, Relation::Attack);
            attacks.any(|edge| graph.statements[edge.from].side != graph.statements[at].side)
        };
        // What is said last cannot be answered.
        let last = graph.statements.iter().map(|statement| statement.step).max().unwrap_or_default();
        if last == 0 {
            let text = "Neither side answered the other: there was no rebuttal.";
            return graph.statements.first().map(|first| Sentence::new(first.seq, text)).into_iter().collect();
        }
        let left = graph.statements.iter().enumerate();
        let left = left.filter(|(at, said)| said.text.is_some() && said.step != last && !answered(*at));
        let mut left: Vec<&GraphStatement> = left.map(|(_, statement)| statement).collect();
        left.sort_by(|a, b| b.score.unwrap_or_default().total_cmp(&a.score.unwrap_or_default()));
        let told = left.into_iter().map(|statement| {
            let GraphStatement { id, title, seq, .. } = statement;
            Sentence::new(*seq, format!("No argument of the other side attacks {id} ({title})."))
        });
        told.take(NAMED_MAX).collect()
    }

    /// What its pages do not bear out is called a conjecture, and what was struck is gone.
    fn tag_statements(&self, record: &Record) -> BTreeMap<Key, String> {
        let view = View::of_whole_record(record);
        let state = ExchangeState::from_view(&view);
        let checked = AcceptedArguments::list_all(&view).filter(|accepted| !accepted.sources.is_empty());
        let statements = checked.flat_map(|accepted| {
            Side::BOTH.map(|side| {
                let held = state.of_exchange(accepted.exchange).filter(|held| held.side == side);
                let arguments: Vec<&Argument> = held.map(PlacedArgument::argument).collect();
                (accepted.draft_key(side).clone(), json!({ "arguments": arguments }).to_string())
            })
        });
        statements.collect()
    }

    fn collect_argument_marks(&self, record: &Record) -> BTreeMap<Key, Vec<Mark>> {
        let mut marks = BTreeMap::new();
        let view = View::of_whole_record(record);
        let state = ExchangeState::from_view(&view);
        for accepted in AcceptedArguments::list_all(&view) {
            for side in Side::BOTH {
                let held = state.of_exchange(accepted.exchange).filter(|held| held.side == side);
                let ids = held.map(|held| {
                    let (id, score) = (held.id.clone(), state.current.get(&held.id).copied());
                    Mark { id, score, is_elsewhere: false }
                });
                marks.insert(accepted.draft_key(side).clone(), ids.collect());
            }
        }
        marks
    }

    /// Rebuttals; the opening exchange is before the first.
    fn current_round(&self, record: &Record) -> Option<u32> {
        let is_begun =
            |exchange: &u32| record.find_ruling(&Key::from_parts(exchange_key(*exchange, "phase"))).is_some();
        (1..).take_while(is_begun).last()
    }

    /// The totals of both sides.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let state = ExchangeState::from_view(&View::of_whole_record(record));
        let totals = state.judgments.last().map(|_| state.totals())?;
        let ahead = totals.leading_side().map(|side| format!("the {}", side.name())).unwrap_or("nobody".into());
        let [pro, con] = [totals.proposition, totals.opposition].map(|side| format_signed(side.total, 2));
        Some(format!("proposition {pro}, opposition {con}: {ahead} is ahead"))
    }
}

fn view_scores(scored: Scored) -> ScoresView {
    let new = scored.scores.into_iter().map(|score| {
        let before = score.grade.map(ScoreBefore::Grade).or(score.raw.map(ScoreBefore::Given));
        let before = before.unwrap_or(ScoreBefore::Nothing);
        ScoreLine { argument: score.argument_id, score: score.score, before, why: score.reasoning }
    });
    let corrected = scored.rescores.into_iter().map(|rescore| {
        let before = ScoreBefore::Corrected(rescore.old_score);
        ScoreLine { argument: rescore.argument_id, score: rescore.new_score, before, why: rescore.reasoning }
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

fn link_engagements(graph: &mut Graph, from: usize, argument: &Argument) {
    let mut named = Vec::new();
    let attacks = argument.attacks.iter().map(|attack| (attack, Relation::Attack));
    let defends = argument.defends.iter().map(|defence| match defence.kind.as_str() {
        "concede_and_pivot" => (defence, Relation::Concession),
        _ => (defence, Relation::Support),
    });
    for (engagement, relation) in attacks.chain(defends) {
        let Some(to) = graph.index(&engagement.target_id) else { continue };
        graph.add_edge(from, to, relation, &engagement.kind, &engagement.content);
        named.push(to);
    }
    // What else it names by id, in its claim or in what it rests on.
    let sources = argument.grounds.iter().flat_map(|ground| [&ground.source, &ground.content]);
    let texts: Vec<&String> = [&argument.claim, &argument.warrant].into_iter().chain(sources).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for to in (0..from).filter(|to| !named.contains(to)) {
        let id = &graph.statements[to].id;
        let found = texts.iter().find(|text| text.split(|c: char| !is_word(c)).any(|word| word == id));
        if let Some(text) = found {
            graph.add_edge(from, to, Relation::Citation, "names", text);
        }
    }
}
