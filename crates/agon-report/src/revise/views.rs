//! What reports, pages and other commands show of critique and revision.

use agon_core::{Key, Record, Standing, View};
use agon_protocols::revise::{
    artifact_names, convergence,
    critique::{Critique, Severity, Weakness},
    joint_findings::Unified,
    review::ReviewVerdict,
    revision::WeaknessResponse,
    settings::ReviseMode,
    state::{Criticised, ReviseState, RoundStatus, round_key},
    synthesis::{Synthesis, SynthesisNote},
    verdict,
};
use agon_text::count_noun;

use super::{ReviseInput, graph, html};
use crate::{
    cited_source::{CitedSource, collect_prose_sources},
    first_page::{AnswerBasis, BasisPoint, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, answer_seq},
    page::part::PagePart,
    report::{Illustration, Table, chart},
    views::Views,
};

/// The views of critique and revision.
pub(super) struct ReviseViews;

impl Views for ReviseViews {
    fn build_graph(&self, record: &Record) -> Graph {
        graph::build_graph(record)
    }

    fn verdict_words(&self, name: &str) -> String {
        match name {
            "max_rounds" => "Joined without agreement".to_owned(),
            name => agon_text::humanize_name(name),
        }
    }

    /// What the synthesizer tells those who asked; nothing where nobody joined the versions that stand.
    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        let is_valid = record.closing_outcome().is_some_and(|outcome| outcome.standing == Standing::Valid);
        let input = ReviseInput::from_record(record).filter(|input| is_valid && !input.state.outdated);
        let stated = input.and_then(|input| {
            let seq = answer_seq(record, &input.state.joint.as_ref()?.key);
            let (synthesis, unified) = input.read_joined();
            let answer = synthesis.map_or_else(|| unified?.answer, |synthesis| synthesis.answer)?;
            Some(StatedAnswer { by: "the synthesizer".to_owned(), answer, seq })
        });
        stated.into_iter().collect()
    }

    /// The joined document and its decisions or findings, then the weaknesses, those of high severity first.
    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        let Some(input) = ReviseInput::from_record(record) else { return AnswerBasis::default() };
        let (synthesis, unified) = input.read_joined();
        // What the file begins with; of a review what its author says of the findings.
        let title = synthesis.as_ref().map(|synthesis| {
            let first = synthesis.document.lines().find(|line| !line.trim().is_empty());
            first.unwrap_or_default().trim_start_matches(['#', ' ']).to_owned()
        });
        let mut points = Vec::new();
        if let (Some(joint), Some(text)) =
            (&input.state.joint, title.or_else(|| unified.as_ref().map(|list| list.summary.clone())))
        {
            let seq = answer_seq(record, &joint.key);
            let place = artifact_names::result_file(input.state.setup.mode).to_owned();
            points.push(BasisPoint { place, text, ..BasisPoint::new("joined", seq) });
            let open = synthesis.iter().flat_map(|synthesis| &synthesis.unresolved);
            points.extend(open.map(|note| build_decision_point(note, seq)));
            points.extend(unified.iter().flat_map(|unified| build_finding_points(unified, seq)));
        }
        points.extend(build_weakness_points(&input, synthesis.as_ref()));
        AnswerBasis { title: if points.is_empty() { "" } else { "Answers to weaknesses, and decisions" }, points }
    }

    fn page_parts(&self, record: &Record, basis: &AnswerBasis) -> Vec<PagePart> {
        html::build_page_parts(record, basis)
    }

    fn list_cited_sources(&self, record: &Record, _: &Graph) -> Vec<CitedSource> {
        let Some(state) = ReviseState::from_view(&View::of_whole_record(record)) else { return Vec::new() };
        let (setup, mut all) = (&state.setup, Vec::new());
        for (author, versions) in setup.authors.iter().zip(&state.versions) {
            for version in versions {
                let Some(text) = &version.text else { continue };
                let of = match version.round {
                    0 => format!("{}, first version", author.name),
                    round => format!("{}, round {round}", author.name),
                };
                all.extend(collect_prose_sources(&of, text, &version.sources));
            }
        }
        for (round, number) in state.rounds.iter().zip(1_u32..) {
            for held in round.critiques.iter().filter(|held| held.critique.is_some()) {
                let by = setup.authors.get(held.critic).map_or("", |author| author.name.as_str());
                let of = format!("{by}, critique of round {number}");
                all.extend(held.sources.iter().map(|found| CitedSource::from_check(&of, found)));
            }
        }
        let joint = state.joint.iter().flat_map(|joint| &joint.sources);
        all.extend(joint.map(|found| CitedSource::from_check(artifact_names::result_file(setup.mode), found)));
        all
    }

    fn decided_by(&self) -> &'static str {
        "the outcome follows from what the authors' critiques still object to"
    }

    /// Who alone keeps the authors from converging, or whose review makes the verdict.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let Some(state) = ReviseState::from_view(&View::of_whole_record(entries.record)) else { return Vec::new() };
        let mut all = Vec::new();
        if state.setup.mode == ReviseMode::Review {
            all.extend(list_decisive_reviewers(entries, &state));
        }
        let Some(last) = state.rounds.last() else { return all };
        let check = entries.record.find_ruling(&Key::from_parts(round_key(state.rounds.len() as u32, "check")));
        let seq = check.map_or(entries.end_seq(), |(seq, _)| seq);
        match last.check.as_ref().filter(|check| check.status == RoundStatus::Converged) {
            Some(check) => all.push(Sentence::new(seq, format!("It rests on one criterion: {}.", check.reason))),
            None => all.extend(list_blocking_critics(entries, &state, seq)),
        }
        all
    }

    /// Disagreements above low severity in the last round that the joined text does not decide, and in a review who is against
    /// whom.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let view = View::of_whole_record(entries.record);
        let Some(state) = ReviseState::from_view(&view) else { return Vec::new() };
        let Some(last) = state.rounds.last() else { return Vec::new() };
        let synthesis = state.read_synthesis(&view);
        let is_decided =
            |point: &str| synthesis.iter().flat_map(|joined| &joined.unresolved).any(|note| note.point == point);
        let left = state.unresolved_disagreements().into_iter().filter(|(_, _, point)| !is_decided(point));
        let told = left.filter_map(|(critic, target, point)| {
            let held = last.critiques.iter().find(|held| (held.critic, held.target) == (critic, target))?;
            let [critic, target] = [critic, target].map(|author| state.setup.authors[author].name.as_str());
            entries.quote_entry(entries.answer_seq(&held.key), format!("{critic} disagrees with {target}:"), point)
        });
        told.chain(list_defended_weaknesses(entries, &state)).collect()
    }

    fn course_title(&self) -> &'static str {
        "Weaknesses by round"
    }

    fn draw_course(&self, record: &Record, _: &Graph) -> Option<Illustration> {
        let state = ReviseState::from_view(&View::of_whole_record(record))?;
        let (setup, mut rows) = (&state.setup, Vec::new());
        for (round, number) in state.rounds.iter().zip(1_u32..) {
            for author in 0..setup.authors.len() {
                if !round.critiques.iter().any(|held| held.target == author) {
                    continue;
                }
                let named = state.list_weaknesses(number, author);
                let count = |severity: Severity| {
                    named.iter().filter(|(_, _, weakness)| weakness.severity == severity).count() as f64
                };
                let parts = Severity::ALL.map(count);
                rows.push(chart::Row {
                    label: format!("Round {number}: {}", setup.authors[author].name),
                    side: Some(author),
                    value: parts.iter().sum::<f64>().to_string(),
                    parts: parts.into(),
                });
            }
        }
        if rows.is_empty() {
            return None;
        }
        let said = rows.iter().map(|row| {
            let [high, medium, low] = row.parts[..] else { return String::new() };
            format!("{}: {high} high, {medium} medium, {low} low.", row.label)
        });
        let said = said.collect::<Vec<_>>().join(" ");
        let figures = rows
            .iter()
            .map(|row| std::iter::once(row.label.clone()).chain(row.parts.iter().map(f64::to_string)).collect());
        let head = ["Document", "High", "Medium", "Low"];
        let rounds = count_noun(state.rounds.len(), "round", "rounds");
        let caption = format!("Weaknesses that others named in each document, {rounds}.");
        Some(Illustration {
            legend: Some(chart::render_legend(&["high", "medium", "low"])),
            table: Some(Table::new("Weaknesses named by others", &head, &[1, 2, 3], figures)),
            ..Illustration::new(chart::draw_bars(&rows, &said), caption)
        })
    }

    /// What the reviews of the last round that has any hold against each document.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let state = ReviseState::from_view(&View::of_whole_record(record))?;
        let (number, _) = (1_u32..).zip(&state.rounds).filter(|(_, round)| !round.critiques.is_empty()).last()?;
        let against = state.setup.authors.iter().enumerate().filter_map(|(at, author)| {
            state.critiques_of(number, at).next()?;
            let high =
                state.list_weaknesses(number, at).iter().filter(|(_, _, w)| w.severity == Severity::High).count();
            Some(format!("{} {} ({high} high)", author.name, state.weakness_count(number, at)))
        });
        Some(format!("weaknesses in round {number}: {}", against.collect::<Vec<_>>().join(", ")))
    }

    fn are_documents(&self) -> bool {
        true
    }
}

/// Authors that alone make the verdict: without one of them it would be another.
fn list_decisive_reviewers(entries: &QuotedEntries<'_>, state: &ReviseState) -> Vec<Sentence> {
    let list = state.read_unified_list(&View::of_whole_record(entries.record));
    let absent = entries.record.closing_outcome().map(|outcome| outcome.absent.as_slice()).unwrap_or_default();
    let now = verdict::attribute_verdict(state, absent, list.as_ref()).verdict;
    let name = |verdict: Option<ReviewVerdict>| verdict.map_or("none", ReviewVerdict::name);
    let told = state.present_authors().into_iter().filter(|_| state.present_authors().len() > 1).filter_map(|author| {
        let mut others = ReviseState::clone(state);
        others.versions[author].clear();
        let then = verdict::attribute_verdict(&others, absent, None).verdict;
        let by = &state.setup.authors[author].name;
        let text = format!("Without the review of {by} the verdict would be {}.", name(then));
        (then != now).then(|| Sentence::new(entries.end_seq(), text))
    });
    told.collect()
}

/// Critics without whose objections the last round would have converged.
fn list_blocking_critics(entries: &QuotedEntries<'_>, state: &ReviseState, check: u64) -> Vec<Sentence> {
    let Some((last, before)) = state.rounds.split_last() else { return Vec::new() };
    let stands = |held: &Criticised| Some((held.critic, held.critique.clone()?));
    let now: Vec<(usize, Critique)> = last.critiques.iter().filter_map(stands).collect();
    let earlier = before.iter().flat_map(|round| &round.critiques);
    let earlier: Vec<(usize, &Critique)> =
        earlier.filter_map(|held| Some((held.critic, held.critique.as_ref()?))).collect();
    let mut told: Vec<Sentence> = not_read_again(state, check).into_iter().collect();
    for critic in 0..state.setup.authors.len() {
        let mut others = now.clone();
        for (_, critique) in others.iter_mut().filter(|(by, _)| *by == critic) {
            critique.weaknesses.retain(|weakness| weakness.severity == Severity::Low);
            critique.disagreements.retain(|disagreement| disagreement.severity == Severity::Low);
        }
        let others: Vec<(usize, &Critique)> = others.iter().map(|(by, critique)| (*by, critique)).collect();
        if let Some(reason) = convergence::find_convergence(&others, last.critiques.len(), &earlier) {
            let own = last.critiques.iter().find(|held| held.critic == critic);
            let seq = own.map_or(check, |held| entries.answer_seq(&held.key));
            let name = &state.setup.authors[critic].name;
            let text = format!("Without the graver objections of {name} the authors would have converged: {reason}.");
            told.push(Sentence::new(seq, text));
        }
    }
    if told.is_empty() && !now.is_empty() {
        let text = "No author alone keeps it from converging: each has objections above low severity.";
        told.push(Sentence::new(check, text));
    }
    told
}

/// How many weaknesses of the last round were answered, where another round would read the answers.
fn not_read_again(state: &ReviseState, check: u64) -> Option<Sentence> {
    let last = state.rounds.last()?;
    let named: usize = last.critiques.iter().map(|held| held.weaknesses).sum();
    let revisions = last.revisions.iter().filter_map(|held| held.revision.as_ref());
    let answered: usize = revisions.map(|revision| revision.points.len()).sum();
    let text = format!(
        "{answered} of {} of the last round were answered, and nobody read the answers: another round would.",
        count_noun(named, "weakness", "weaknesses")
    );
    (answered > 0).then(|| Sentence::new(check, text))
}

/// Weaknesses that the last revisions did not fix, since their authors hold them to be none.
fn list_defended_weaknesses(entries: &QuotedEntries<'_>, state: &ReviseState) -> Vec<Sentence> {
    let Some(last) = state.rounds.last() else { return Vec::new() };
    let points = last.revisions.iter().flat_map(|held| {
        let points = held.revision.iter().flat_map(|revision| &revision.points);
        points.filter(|point| point.defended).map(|point| (held.author, point.weakness))
    });
    let told = points.filter_map(|(author, number)| {
        let named = state.list_weaknesses(state.rounds.len() as u32, author);
        let (_, held, weakness) = named.into_iter().find(|(at, ..)| *at == number)?;
        let [critic, author] = [held.critic, author].map(|at| state.setup.authors[at].name.as_str());
        let severity = weakness.severity.name().to_lowercase();
        let text = format!("{author} rejects a weakness of {severity} severity that {critic} names:");
        entries.quote_entry(entries.answer_seq(&held.key), text, &weakness.problem)
    });
    told.collect()
}

/// A point that the authors still disagree about, and what decided it in the joined text.
fn build_decision_point(note: &SynthesisNote, seq: u64) -> BasisPoint {
    BasisPoint {
        is_open: true,
        text: note.point.clone(),
        notes: vec![("In the joined text", note.why.clone())],
        ..BasisPoint::new("in dispute", seq)
    }
}

/// The findings of a joined review, the gravest first.
fn build_finding_points(unified: &Unified, seq: u64) -> impl Iterator<Item = BasisPoint> {
    unified.findings.iter().map(move |finding| {
        let notes = [("Fix", finding.fix.clone()), ("Found by", finding.from.join(", "))];
        BasisPoint {
            is_open: finding.severity == Some(Severity::High),
            place: finding.place.clone(),
            text: finding.problem.clone(),
            notes: notes.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
            ..BasisPoint::new(Severity::name_or_unread(finding.severity), seq)
        }
    })
}

/// Every weakness that nobody named again later, with its author's answer and what the synthesizer made of it.
fn build_weakness_points(input: &ReviseInput<'_>, notes: Option<&Synthesis>) -> Vec<BasisPoint> {
    let state = &input.state;
    let rounds = state.rounds.len() as u32;
    let mut rated: Vec<(Severity, BasisPoint)> = Vec::new();
    for (round, number) in state.rounds.iter().zip(1_u32..) {
        for target in 0..state.setup.authors.len() {
            let revision = round.revisions.iter().find(|held| held.author == target);
            let responses = revision.and_then(|held| held.revision.as_ref()).map(|revision| &revision.points);
            for (at, held, weakness) in state.list_weaknesses(number, target) {
                if is_named_again(input, number, held.critic, weakness) {
                    continue;
                }
                let response = responses.and_then(|all| all.iter().find(|response| response.weakness == at));
                let id = artifact_names::weakness_name(&state.setup, target, at, number);
                let point = build_weakness_point(input, id, (held, weakness), response, notes, number == rounds);
                rated.push((weakness.severity, point));
            }
        }
    }
    rated.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    rated.into_iter().map(|(_, point)| point).collect()
}

/// Whether its critic says in a later round that it is still there: then that entry stands for it.
fn is_named_again(input: &ReviseInput<'_>, round: u32, critic: usize, weakness: &Weakness) -> bool {
    let state = &input.state;
    let own = state.named_before(critic, u32::MAX);
    let before = state.named_before(critic, round + 1);
    let number = before.iter().find(|(.., named)| std::ptr::eq(*named, weakness)).map(|(number, ..)| *number);
    number.is_some() && own.iter().any(|(.., later)| later.repeats == number)
}

fn build_weakness_point(
    input: &ReviseInput<'_>,
    id: String,
    (held, weakness): (&Criticised, &Weakness),
    response: Option<&WeaknessResponse>,
    notes: Option<&Synthesis>,
    is_last: bool,
) -> BasisPoint {
    let named = |all: &[SynthesisNote]| all.iter().find(|note| note.weakness.as_deref() == Some(&id)).cloned();
    let adopted = notes.and_then(|notes| named(&notes.adopted));
    let overruled = notes.and_then(|notes| named(&notes.overruled));
    let answer = response.map_or(2, |response| usize::from(response.defended));
    // Without a critique after it, nobody has read what the answer is worth.
    let states = match (adopted.is_some(), overruled.is_some(), is_last) {
        (true, _, _) => ["addressed, adopted", "defended, adopted", "adopted"],
        (false, true, _) => ["addressed, overruled", "defended, overruled", "overruled"],
        (false, false, true) => ["addressed, not read again", "defended, not read again", "no answer"],
        (false, false, false) => ["addressed", "defended", "no answer"],
    };
    let (severity, by) = (weakness.severity.name().to_lowercase(), input.author_name(held.critic).to_owned());
    let mut said = vec![("Severity", severity), ("Named by", by)];
    said.extend(response.map(|response| ("Answer", response.words.clone())));
    said.extend(adopted.as_ref().map(|note| ("Adopted", note.point.clone())));
    said.extend(overruled.map(|note| ("Overruled", note.why)));
    BasisPoint {
        is_open: adopted.is_none() && answer != 0,
        place: weakness.place.clone(),
        text: weakness.problem.clone(),
        notes: said,
        id,
        ..BasisPoint::new(states[answer], answer_seq(input.record, &held.key))
    }
}
