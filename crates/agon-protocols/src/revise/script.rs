//! The steps of a debate: initial versions, rounds of critique and revision, and the synthesis.

use std::sync::Arc;

use agon_core::{
    Absent, Attempt, Faults, Floor, Flow, Key, Request, RoundBegins, Ruling, RulingKind, Seat, Statement, draft::Draft,
};
use agon_text::KnownTexts;

use super::{
    concessions, convergence,
    critique::Critique,
    document,
    joint_findings::Unified,
    plan,
    review::{self, Review},
    revision::{Revision, RevisionRequirements},
    settings::{Author, ReviseMode, SYNTHESIZER, Setup, Strategy},
    state::{
        Criticised, Critiques, Drafted, Drafts, Joint, MutualConcession, ReviseState, Revised, Revisions, Round,
        RoundCheck, RoundStatus, given_name, round_key,
    },
    synthesis::Synthesis,
    tolerated_faults::AcceptedStatement,
};
use crate::common::{
    self,
    absence::{record_warnings, rule_absent},
    final_answer::FinalAnswer,
    source_check,
    verification::{self, CitedPlace, SourceCheck},
};

/// The first `most` authors without a version write one, all at once; what the opener gave is taken
/// as it is. Gives who did not answer.
pub fn ask_drafts(floor: &mut Floor<'_>, state: &mut ReviseState, most: usize, pass: u32) -> Flow<Vec<Absent>> {
    let setup = Arc::clone(&state.setup);
    let missing: Vec<usize> =
        (0..setup.authors.len().min(most)).filter(|author| state.versions[*author].is_empty()).collect();
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let phase = format!("Initial {}s", setup.mode.name());
    let ruling = Ruling::new(RulingKind::Phase, phase).with_data(RoundBegins { round: 0 });
    floor.record_ruling(attempt_key("initial", pass), ruling)?;
    let (mut drafted, mut asked) = (Vec::new(), Vec::new());
    for author in missing {
        let Author { label, name, seat, .. } = &setup.authors[author];
        let key = format!("draft-{}", author + 1);
        match floor.document(&given_name(label)) {
            Some(text) => {
                let text = document::clean_document(text);
                record_warnings(floor, &key, name, &list_layout_problems(&setup, &text))?;
                state.add_draft(author, Some(text), Vec::new());
                drafted.push(Drafted { author, key: None, sources: Vec::new() });
            }
            None => {
                let request = Request::new(attempt_key(&key, pass), seat, "draft").or_absent();
                asked.push((author, Draft::new(request, |draft: Attempt<'_>| accept_draft(&setup, &draft))));
            }
        }
    }
    let (stand, absent) = ask_to_stand(floor, &setup, asked, |text: &String| verification::find_cited_passages(text))?;
    for StandingStatement { about: author, key, statement, sources } in stand {
        state.add_draft(author, Some(statement), sources.clone());
        drafted.push(Drafted { author, key: Some(key), sources });
    }
    drafted.sort_by_key(|drafted| drafted.author);
    let text = format!("{} initial {}(s)", drafted.len(), setup.mode.name());
    let ruling = Ruling::new(RulingKind::Noted, text).with_data(Drafts { drafts: drafted });
    floor.record_ruling(attempt_key("drafts", pass), ruling)?;
    Ok(absent)
}

/// One round: all critiques at once, then all revisions at once, then the check for convergence.
/// Gives who did not answer; the round goes to its end without them. What both concede is read only if there is
/// `more`, a round that agreement would save.
pub fn run_round(floor: &mut Floor<'_>, state: &mut ReviseState, more: bool) -> Flow<Vec<Absent>> {
    state.rounds.push(Round::default());
    let number = state.rounds.len() as u32;
    let ruling = Ruling::new(RulingKind::Phase, format!("Round {number}")).with_data(RoundBegins { round: number });
    floor.record_ruling(round_key(number, "phase"), ruling)?;
    let mut absent = ask_critiques(floor, state, number)?;
    for late in ask_revisions(floor, state, number)? {
        if !absent.iter().any(|earlier| earlier.seat == late.seat) {
            absent.push(late);
        }
    }
    let mut check = check_round(state, &absent);
    if more && check.status == RoundStatus::Complete {
        check.concessions = concessions::pair_concessions(floor, state, number)?;
        if let Some(MutualConcession::Same { .. }) = check.concessions {
            check.status = RoundStatus::Converged;
            check.reason = format!("the authors concede the same points, as the {SYNTHESIZER} read twice (V3)");
        }
    }
    let (kind, text) = match check.status {
        RoundStatus::Converged => (RulingKind::Converged, format!("Converged: {}", check.reason)),
        RoundStatus::Complete => (RulingKind::Noted, "Not converged".to_owned()),
        RoundStatus::Failed => (RulingKind::Noted, format!("The round is incomplete: {}", check.reason)),
    };
    floor.record_ruling(round_key(number, "check"), Ruling::new(kind, text).with_data(&check))?;
    if let Some(round) = state.rounds.last_mut() {
        round.check = Some(check);
    }
    Ok(absent)
}

/// Everyone criticises the latest version of everyone else.
fn ask_critiques(floor: &mut Floor<'_>, state: &mut ReviseState, number: u32) -> Flow<Vec<Absent>> {
    let setup = Arc::clone(&state.setup);
    let present = state.present_authors();
    let pairs = present.iter().flat_map(|critic| present.iter().map(move |target| (*critic, *target)));
    let pairs: Vec<(usize, usize)> = pairs.filter(|(critic, target)| critic != target).collect();
    let asked = pairs.into_iter().map(|(critic, target)| {
        let key = round_key(number, &format!("critique-{}-of-{}", critic + 1, target + 1));
        let request = Request::new(key, &setup.authors[critic].seat, "critique")
            .with_fact("round", number)
            .with_fact("target", target)
            .or_absent();
        let state = &*state;
        let check = move |draft: Attempt<'_>| accept_critique(state, critic, target, &draft);
        ((critic, target), Draft::new(request, check))
    });
    let (stand, absent) = ask_to_stand(floor, &setup, asked.collect(), Critique::cited_places)?;
    let stand = stand.into_iter().map(|StandingStatement { about: (critic, target), key, statement, sources }| {
        let weaknesses = statement.weaknesses.len();
        Criticised { critic, target, key, weaknesses, sources, critique: Some(statement) }
    });
    let stand = Critiques { critiques: stand.collect() };
    let weaknesses: usize = stand.critiques.iter().map(|held| held.weaknesses).sum();
    let text = format!("{} critique(s) with {weaknesses} weakness(es)", stand.critiques.len());
    floor.record_ruling(round_key(number, "critiques"), Ruling::new(RulingKind::Noted, text).with_data(&stand))?;
    stand.critiques.into_iter().for_each(|held| state.add_critique(held));
    Ok(absent)
}

/// Every criticised author revises its document; the others' stand as they are.
fn ask_revisions(floor: &mut Floor<'_>, state: &mut ReviseState, number: u32) -> Flow<Vec<Absent>> {
    let setup = Arc::clone(&state.setup);
    let authors = state.present_authors().into_iter();
    let criticised = authors.filter(|author| state.critiques_of(number, *author).next().is_some());
    let asked = criticised.map(|author| {
        let key = round_key(number, &format!("revision-{}", author + 1));
        let request = Request::new(key, &setup.authors[author].seat, "revision").with_fact("round", number).or_absent();
        let state = &*state;
        let check = move |draft: Attempt<'_>| accept_revision(state, author, number, &draft);
        (author, Draft::new(request, check))
    });
    let (stand, absent) = ask_to_stand(floor, &setup, asked.collect(), Revision::cited_places)?;
    let stand = stand.into_iter().map(|StandingStatement { about: author, key, statement, sources }| {
        let revision = Some(statement);
        Revised { author, key, sources, revision }
    });
    let stand = Revisions { revisions: stand.collect() };
    let text = format!("{} revision(s)", stand.revisions.len());
    floor.record_ruling(round_key(number, "revisions"), Ruling::new(RulingKind::Noted, text).with_data(&stand))?;
    stand.revisions.into_iter().for_each(|held| state.add_revision(held));
    Ok(absent)
}

/// A statement of an author that stands.
struct StandingStatement<K, T> {
    /// What was asked of whom.
    about: K,
    /// The draft that stands.
    key: Key,
    statement: T,
    /// What was found about its sources.
    sources: Vec<SourceCheck>,
}

/// What stands, and who did not answer.
type StandingAndAbsent<K, T> = (Vec<StandingStatement<K, T>>, Vec<Absent>);

/// Asks authors at once, or who joins their versions, each until its answer stands, and has what they cite looked up
/// where pages are opened: `cited` gives the places of a statement that do. Gives what stands, and who did not answer,
/// each once.
fn ask_to_stand<K, T: Clone + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    setup: &Setup,
    asked: Vec<(K, Draft<'_, AcceptedStatement<T>>)>,
    cited: fn(&T) -> Vec<CitedPlace>,
) -> Flow<StandingAndAbsent<K, T>> {
    let (about, drafts): (Vec<(K, Request)>, Vec<_>) =
        asked.into_iter().map(|(about, draft)| ((about, draft.request.clone()), draft)).unzip();
    let (mut stand, mut absent): StandingAndAbsent<K, T> = (Vec::new(), Vec::new());
    let name = |seat: &Seat| setup.author_name(seat).to_owned();
    let cited = |said: &AcceptedStatement<T>| cited(&said.statement);
    let answers = source_check::ask_each(floor, drafts, name, &cited)?;
    for ((about, Request { key: asked, seat, .. }), answer) in about.into_iter().zip(answers) {
        let name = setup.author_name(&seat);
        match answer {
            Ok((Statement { key, value }, sources)) => {
                record_warnings(floor, asked.as_str(), name, &value.warnings)?;
                stand.push(StandingStatement { about, key, statement: value.statement.clone(), sources });
            }
            Err(lost) => {
                let missing = rule_absent(floor, &seat, name, asked.as_str(), &lost)?;
                if absent.iter().all(|earlier| earlier.seat != missing.seat) {
                    absent.push(missing);
                }
            }
        }
    }
    Ok((stand, absent))
}

/// Only a complete round can show that the authors agree.
fn check_round(state: &ReviseState, absent: &[Absent]) -> RoundCheck {
    let present = state.present_authors().len();
    let (last, earlier) = match state.rounds.split_last() {
        Some((last, earlier)) => (collect_critiques(std::slice::from_ref(last)), collect_critiques(earlier)),
        None => Default::default(),
    };
    let (status, reason) = if absent.is_empty() {
        match convergence::find_convergence(&last, present * (present - 1), &earlier) {
            Some(reason) => (RoundStatus::Converged, reason.to_owned()),
            None => (RoundStatus::Complete, String::new()),
        }
    } else {
        let names: Vec<&str> = absent.iter().map(|absent| state.setup.author_name(&absent.seat)).collect();
        (RoundStatus::Failed, format!("{} did not answer", names.join(" and ")))
    };
    RoundCheck { status, reason, concessions: None }
}

/// The critiques of some rounds, with their critics.
fn collect_critiques(rounds: &[Round]) -> Vec<convergence::Held<'_>> {
    let critiques = rounds.iter().flat_map(|round| &round.critiques);
    critiques.filter_map(|held| Some((held.critic, held.critique.as_ref()?))).collect()
}

/// What was joined: after how many rounds, and out of how many versions.
#[derive(Default)]
pub struct Joining {
    of: Option<(usize, usize)>,
    /// The list that joins the last reviews, where there is one.
    pub list: Option<Unified>,
}

impl Joining {
    /// The synthesizer joins the last versions, once for each number of rounds; the versions stand
    /// without it. One version needs no joining.
    pub fn join_versions(&mut self, floor: &mut Floor<'_>, state: &mut ReviseState, pass: u32) -> Flow<Option<Absent>> {
        let setup = Arc::clone(&state.setup);
        let now = (state.rounds.len(), state.present_authors().len());
        let alone = setup.strategy == Strategy::Single && now.0 == 0;
        if now.1 < 2 || alone || self.of == Some(now) {
            return Ok(None);
        }
        let key = attempt_key("synthesis", pass);
        let phase = if setup.mode == ReviseMode::Review { "Verdict" } else { "Synthesis" };
        floor.record_ruling(format!("{key}/phase"), Ruling::new(RulingKind::Phase, phase))?;
        let request = Request::new(&key, &common::named_seat(SYNTHESIZER), "synthesis").or_absent();
        let (joined, mut absent) = match setup.mode {
            ReviseMode::Review => {
                let given = state.list_finding_sources();
                let check = |draft: Attempt<'_>| {
                    let (unified, faults) = Unified::parse_with_faults(draft.text)?;
                    let mut lapses = unified.check_lapses(&given);
                    want_answer(unified.answer.as_ref(), &draft, &mut lapses);
                    accept_statement(unified, faults, lapses, &draft)
                };
                let asked = vec![((), Draft::new(request, check))];
                let (mut stand, absent) = ask_to_stand(floor, &setup, asked, Unified::cited_places)?;
                let joined = stand.pop().map(|StandingStatement { key, statement, sources, .. }| {
                    self.list = Some(statement.settle_findings(&given));
                    (key, sources)
                });
                (joined, absent)
            }
            ReviseMode::Plan | ReviseMode::Draft => {
                let wanted = state.synthesis_requirements();
                let check = |draft: Attempt<'_>| {
                    let (synthesis, faults) = wanted.parse_synthesis(draft.text)?;
                    let mut lapses = wanted.check_lapses(&synthesis);
                    want_answer(synthesis.answer.as_ref(), &draft, &mut lapses);
                    if let Some(problem) = document::run_together(&synthesis.document) {
                        lapses.add("layout", "document", problem);
                    }
                    accept_statement(synthesis, faults, lapses, &draft)
                };
                let asked = vec![((), Draft::new(request, check))];
                let (mut stand, absent) = ask_to_stand(floor, &setup, asked, Synthesis::cited_places)?;
                (stand.pop().map(|StandingStatement { key, sources, .. }| (key, sources)), absent)
            }
        };
        let Some((stands, sources)) = joined else {
            // What was joined earlier is not what stands now.
            state.joint = None;
            (self.of, self.list) = (None, None);
            return Ok(absent.pop());
        };
        let joint = Joint { key: stands, rounds: now.0 as u32, sources };
        let ruling = Ruling::new(RulingKind::Noted, "joined").with_data(&joint);
        floor.record_ruling(format!("{key}/accepted"), ruling)?;
        self.of = Some(now);
        state.joint = Some(joint);
        Ok(None)
    }
}

/// What stands, or why nothing does.
type Accepted<T> = Result<AcceptedStatement<T>, Faults>;

/// The synthesizer answers those who asked; what was joined elsewhere has no answer.
fn want_answer(answer: Option<&FinalAnswer>, draft: &Attempt<'_>, lapses: &mut Faults) {
    if answer.is_none() && !draft.imported {
        lapses.add("answer", "answer", "answer is missing; give an object with the keys \"do\" and \"unless\"");
    }
}

/// An initial version, or what keeps it from being one.
fn accept_draft(setup: &Setup, draft: &Attempt<'_>) -> Accepted<String> {
    let text = document::clean_document(draft.text);
    let hard = match check_text_for_mode(setup, &text) {
        Some(why) => Faults::one("document", "", why),
        None => Faults::default(),
    };
    accept_statement(text.clone(), hard, check_layout(setup, &text), draft)
}

/// A critique, or what keeps it from being one.
fn accept_critique(state: &ReviseState, critic: usize, target: usize, draft: &Attempt<'_>) -> Accepted<Critique> {
    let (critique, faults) = Critique::parse_with_faults(draft.text)?;
    let mut lapses = critique.find_unplaced(state.latest_text(target));
    let earlier = state.rounds.iter().flat_map(|round| &round.critiques).filter(|held| held.critic == critic);
    let said = earlier.filter_map(|held| held.critique.as_ref()).flat_map(Critique::objections);
    // What is named again may be said again.
    let named_again = critique.weaknesses.iter().filter(|weakness| weakness.repeats.is_some());
    let named_again: Vec<&str> = named_again.map(|weakness| weakness.problem.as_str()).collect();
    if critique.repeated > 0 {
        let message = "several weaknesses say the same of one place after the other; name each problem once, \
                       where it is worst, and leave out places with no problem of their own";
        lapses.add("repetition", "weaknesses", message);
    }
    let mut known = KnownTexts::from_texts(said.chain([state.latest_text(target)]));
    for (at, objection) in critique.objections().enumerate() {
        if known.find_copied(objection).is_some() && !named_again.contains(&objection) {
            let start: String = objection.chars().take(60).collect();
            let message = format!("{start:?}… repeats an earlier text almost word for word; say it in your own words");
            lapses.add("repetition", format!("objection {}", at + 1), message);
        }
        known.push(objection);
    }
    accept_statement(critique, faults, lapses, draft)
}

/// A revision, or what keeps it from being one.
fn accept_revision(state: &ReviseState, author: usize, round: u32, draft: &Attempt<'_>) -> Accepted<Revision> {
    let setup = &state.setup;
    let others = state.present_authors().into_iter().filter(|other| *other != author);
    let others: Vec<&str> = others.map(|other| state.latest_text(other)).collect();
    let previous = state.latest_text(author);
    let wanted = RevisionRequirements {
        mode: setup.mode,
        phase: setup.phase,
        weaknesses: state.weakness_count(round, author),
        previous,
        others: &others,
    };
    let (revision, mut faults) = Revision::parse_with_faults(draft.text, wanted.weaknesses, previous)?;
    if faults.0.is_empty()
        && let Some(why) = check_text_for_mode(setup, &revision.document)
    {
        faults.add("document", "document", why);
    }
    let mut lapses = revision.check_lapses(&wanted);
    if revision.document.is_empty() {
        return accept_statement(revision, faults, lapses, draft);
    }
    for finding in state.find_withdrawn_findings(author, round, &revision) {
        let (id, start) = (&finding.id, finding.text.chars().take(80).collect::<String>());
        let message = format!(
            "{id} of high severity is gone ({start}), and no weakness that you addressed speaks of it; keep it, or name {id} in the words of the answer with which you withdraw it"
        );
        lapses.add("withdrawn", "document", message);
    }
    lapses.0.extend(check_layout(setup, &revision.document).0);
    if setup.mode == ReviseMode::Plan {
        let lost = plan::list_plan_losses(previous, &revision.document);
        lost.into_iter().for_each(|lost| lapses.add("R5", "document", lost));
    }
    let strange = revision.strange.clone();
    let mut accepted = accept_statement(revision, faults, lapses, draft)?;
    if !strange.is_empty() {
        accepted.warnings.push(format!("answers to weaknesses that nobody named were dropped: {}", strange.join(", ")));
    }
    Ok(accepted)
}

/// A statement without faults, unless one of its lapses was not yet told.
fn accept_statement<T>(statement: T, faults: Faults, lapses: Faults, draft: &Attempt<'_>) -> Accepted<T> {
    if faults.0.is_empty() && !draft.imported {
        return AcceptedStatement::accept_or_reject(statement, lapses, draft);
    }
    let broken = Faults(faults.0.into_iter().chain(lapses.0).collect());
    match draft.imported {
        true => {
            Ok(AcceptedStatement { statement, warnings: common::imported_debate::format_warnings(&broken).collect() })
        }
        false => Err(broken),
    }
}

/// What keeps a text from being a document of the debate's mode.
fn check_text_for_mode(setup: &Setup, text: &str) -> Option<String> {
    let by_mode = || match setup.mode {
        ReviseMode::Plan => plan::check_plan(text),
        ReviseMode::Review => review::check_review(&Review::parse(text)),
        ReviseMode::Draft => None,
    };
    document::check_document(text).or_else(|| by_mode().map(str::to_owned))
}

/// Where a document leaves the layout of its mode, one line each.
fn list_layout_problems(setup: &Setup, text: &str) -> Vec<String> {
    match setup.mode {
        ReviseMode::Plan => plan::check_plan_layout(text, setup.phase),
        ReviseMode::Review => review::check_review_layout(&Review::parse(text)),
        ReviseMode::Draft => Vec::new(),
    }
}

fn check_layout(setup: &Setup, text: &str) -> Faults {
    let mut faults = Faults::default();
    let problems = list_layout_problems(setup, text).into_iter().chain(document::run_together(text));
    problems.for_each(|problem| faults.add("layout", "document", problem));
    faults
}

/// Key of what is asked, and asked again after an extension.
fn attempt_key(key: &str, pass: u32) -> String {
    if pass == 0 { key.to_owned() } else { format!("{key}/again-{pass}") }
}
