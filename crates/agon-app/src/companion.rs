//! Companions: debates about a debate (`mirror`, `baseline`, `extract`), opened when it has ended.

use std::collections::{BTreeMap, BTreeSet};

pub use crate::companion_opening::find_parent;
use agon_core::{DebateId, Event, Opened, Protocol, Record, SeatModel, Standing, View};
use agon_journal::{Journal, JournalError};
use agon_protocols::common::{
    lineup::{self as members, HOST, NUMBER},
    named_seat,
};
pub use agon_report::companion::{BASELINE, EXTRACTION, EXTRACTOR, MIRROR, companion_id};
use agon_report::{
    baseline,
    companion::{self, EndedDebate, MIRROR_OF},
    slug,
};
use agon_runtime::files::is_free;
use serde_json::json;

use crate::{
    companion_opening::{companion_protocol, open_companion},
    companion_quota,
    context::Context,
    declarations, extraction,
    failure::{Failure, Result},
    local_run::{self, StartedDebate},
    models::{LOCAL_ONLY, check_local, check_prices, parse_lineup},
    opening::{Folder, debate_id, name_folder},
    prompt_templates::{RecordOptions, Texts},
    remote_run::DebateDriver,
    request::SeatRequest,
};

/// Every kind, in the order in which they are held.
pub const KINDS: [&str; 3] = [MIRROR, BASELINE, EXTRACTION];

/// The kinds of companions that a debate wants, each with the id that it is to have.
pub fn wanted_companions(record: &Record) -> impl Iterator<Item = (&'static str, &str)> {
    KINDS.into_iter().filter_map(|kind| Some((kind, record.opened().options.get(kind).and_then(|id| id.as_str())?)))
}

/// Whether a debate that was opened so is the companion of this kind of `of`. Its options say so; its id is a name that
/// anyone can give.
pub fn is_companion(opened: &Opened, kind: &str, of: &DebateId) -> bool {
    find_parent(opened, kind) == Some(of.as_str())
}

/// The existing companions of a debate, whatever it was opened to have: anyone may have it read.
///
/// # Errors
///
/// Where a debate that has the id of one cannot be read, so that nobody knows what it is.
pub fn existing_companions(journal: &Journal, of: &Record) -> Result<Vec<Record>> {
    let debate = &of.opened().debate;
    let mut ids = BTreeSet::new();
    for (kind, id) in wanted_companions(of) {
        ids.extend(debate_id(id).ok().map(|id| (id.to_string(), kind)));
    }
    ids.extend(companion::extraction_ids(debate).map(|id| (id.to_string(), EXTRACTION)));
    let mut records = Vec::new();
    for (id, kind) in ids {
        records
            .extend(journal.find_record(&debate_id(&id)?)?.filter(|found| is_companion(found.opened(), kind, debate)));
    }
    Ok(records)
}

/// The ids that companions of `debate` usually have.
pub fn usual_ids(debate: &DebateId) -> Vec<DebateId> {
    let named = KINDS.into_iter().filter_map(|kind| debate_id(&companion_id(debate, kind)).ok());
    named.chain(companion::extraction_ids(debate)).collect()
}

/// Refuses a debate that is to be opened as `debate`, where another debate has, or had, the id of a companion that it
/// wants: nothing has been paid for yet.
///
/// # Errors
///
/// Exit code 5, or 8 where that debate was deleted.
pub fn check_free(journal: &Journal, debate: &DebateId, options: &RecordOptions) -> Result<()> {
    // What was opened before continues as it was.
    if journal.find_summary(debate)?.is_some() {
        return Ok(());
    }
    for kind in KINDS {
        let Some(id) = options.get(kind).and_then(|value| value.as_str()) else { continue };
        let id = debate_id(id)?;
        if let Some(tombstone) = journal.find_tombstone(&id)? {
            return Err(JournalError::Deleted(Box::new(tombstone)).into());
        }
        if journal.find_summary(&id)?.is_some() {
            return Err(id_taken_failure(&id, kind, debate, "choose another id for the debate".into()));
        }
    }
    Ok(())
}

fn id_taken_failure(id: &DebateId, kind: &str, of: &DebateId, remedy: String) -> Failure {
    let message = format!("{id} is another debate, so it cannot be the {kind} of {of}");
    Failure::exists(message, remedy)
}

/// The first companion that a debate wants and that has not ended, with its kind, ready to be driven.
pub async fn next(context: &Context, of: &Record) -> Result<Option<(&'static str, StartedDebate)>> {
    if of.closing_outcome().is_none_or(|outcome| outcome.standing == Standing::Void) {
        return Ok(None);
    }
    for (kind, id) in wanted_companions(of) {
        if let Some(started) = start_companion(context, of, kind, &debate_id(id)?).await? {
            return Ok(Some((kind, started)));
        }
    }
    Ok(None)
}

/// What the companions of a debate say, by their kind.
pub fn collect_companion_texts(journal: &Journal, record: &Record) -> Result<Vec<(&'static str, String)>> {
    let mut told = Vec::new();
    for (kind, id) in wanted_companions(record) {
        let id = debate_id(id)?;
        let found = journal.find_record(&id)?;
        let own = found.filter(|found| is_companion(found.opened(), kind, &record.opened().debate));
        let file = own.and_then(|own| agon_report::views_of(&own).companion_file(&own));
        told.extend(file.map(|file| (kind, file.content)));
    }
    Ok(told)
}

/// Opens the companion that the debate `of` was opened to have, or takes up one that stopped; `None` where
/// it has ended already, or has nothing to do.
async fn start_companion(context: &Context, of: &Record, kind: &str, id: &DebateId) -> Result<Option<StartedDebate>> {
    let journal = &context.journal;
    if let Some(there) = journal.find_record(id)? {
        let debate = &of.opened().debate;
        if !is_companion(there.opened(), kind, debate) {
            let remedy = format!("{debate} is complete without it: agon show {debate}");
            return Err(id_taken_failure(id, kind, debate, remedy));
        }
        return seat_companion(context, of, kind, there.opened().clone(), BTreeMap::new()).await;
    }
    let (opened, texts) = match companion_protocol(kind) {
        None => build_mirror(journal, of, id)?,
        Some(_) if kind == EXTRACTION => match extraction::build_wanted_extraction(context, of, id)? {
            Some(opened) => opened,
            None => return Ok(None),
        },
        Some(protocol) => build_baseline(context, of, id, protocol)?,
    };
    seat_companion(context, of, kind, opened, texts).await
}

/// The companion that is opened so, or was.
pub async fn seat_companion(
    context: &Context,
    of: &Record,
    kind: &str,
    mut opened: Opened,
    texts: Texts,
) -> Result<Option<StartedDebate>> {
    let (journal, id) = (&context.journal, opened.debate.clone());
    let there = journal.find_record(&id)?;
    if there.as_ref().is_some_and(|record| record.closing_outcome().is_some()) {
        return Ok(None);
    }
    let protocol = match (&there, companion_protocol(kind)) {
        (Some(there), _) => declarations::find_rules(there)?,
        (None, Some(protocol)) => protocol,
        (None, None) => declarations::find_rules(of)?,
    };
    // What may not leave this machine does not leave it to a companion either.
    let options = &of.opened().options;
    let lineup = parse_lineup(&opened.lineup, &context.config)?;
    check_local(options, &lineup)?;
    opened.options.extend(options.get_key_value(LOCAL_ONLY).map(|(name, value)| (name.clone(), value.clone())));
    let driver = DebateDriver::choose_driver(context, &id, &SeatRequest::default())?;
    let seats = local_run::seat_and_probe(&lineup, context, &id).await;
    let seats = seats.map_err(|failure| failure.with_resume_hint(&of.opened().debate))?;
    let directory = match journal.find_summary(&id)?.and_then(|summary| summary.directory) {
        Some(directory) => Some(directory),
        None if context.has_folder(protocol, &opened) => Some(choose_folder(journal, of, &opened, kind)?.path),
        None => None,
    };
    // What the debate was not opened to have is not its starter's.
    let is_wanted = wanted_companions(of).any(|(_, known)| known == id.as_str());
    let own_limit = opened.limits.cost_microusd_max;
    if is_wanted {
        companion_quota::count_companion(context, of, &mut opened).await?;
    }
    if there.is_none() {
        if opened.limits.cost_microusd_max != own_limit {
            check_prices(&lineup, &opened.limits)?;
        }
        directory.iter().for_each(|directory| name_folder(&mut opened, directory));
        let texts = texts.into_iter().collect();
        if let Err(error) = journal.create_debate(Event::Opened(opened), texts, directory.clone()).await {
            companion_quota::forget_companion(context, &id).await;
            return Err(error.into());
        }
    }
    if is_wanted {
        companion_quota::share_roles(context, of, &id).await?;
    }
    Ok(Some(StartedDebate { id, protocol, seats, directory, driver }))
}

/// The folder of a companion, next to the folder of its debate.
fn choose_folder(journal: &Journal, of: &Record, opened: &Opened, kind: &str) -> Result<Folder> {
    let Some(beside) = journal.find_summary(&of.opened().debate)?.and_then(|summary| summary.directory) else {
        return Folder::reserve(None, &opened.motion, &opened.debate);
    };
    let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..100 {
        let more = if number == 1 { String::new() } else { format!("-{number}") };
        let path = beside.with_file_name(format!("{name}-{kind}{more}"));
        if is_free(&path)? {
            return Folder::reserve(Some(&path), &opened.motion, &opened.debate);
        }
    }
    Folder::reserve(None, &opened.motion, &opened.debate)
}

/// How the debate ended, for its companion.
fn build_ended_debate(journal: &Journal, of: &Record, lineup: &[SeatModel]) -> Result<EndedDebate> {
    let opened = of.opened();
    let outcome = of.closing_outcome().ok_or_else(|| {
        Failure::usage(
            format!("{} has not ended", opened.debate),
            format!("continue with: agon resume {}", opened.debate),
        )
    })?;
    let tokens = journal.sum_usage(&opened.debate)?.total_tokens();
    Ok(EndedDebate::new(opened.debate.as_str(), &opened.protocol, lineup, outcome, tokens))
}

/// The line-up as it was in the end: with the names and parts that members were given.
fn final_lineup(of: &Record) -> Vec<SeatModel> {
    let members = members::ruled_members(&View::of_whole_record(of));
    let mut lineup = members::list_taken_seats(of.opened(), &members);
    lineup.retain(|sat| sat.seat.as_str() != HOST);
    for member in members {
        if let Some(sat) = lineup.iter_mut().find(|sat| sat.seat == member.seat) {
            (sat.name, sat.details) = (Some(member.name), member.details);
            sat.persona = Some(member.persona).filter(|persona| !persona.is_empty());
        }
    }
    lineup
}

/// The same debate with those who argue in the reverse order: in an exchange the models change sides.
fn build_mirror(journal: &Journal, of: &Record, id: &DebateId) -> Result<(Opened, Texts)> {
    let before = final_lineup(of);
    let argue: Vec<SeatModel> = companion::list_debaters(&of.opened().protocol, &before).into_iter().cloned().collect();
    let mut turned = argue.iter().rev();
    let lineup = before.iter().map(|sat| match argue.contains(sat).then(|| turned.next()).flatten() {
        Some(other) => SeatModel { seat: sat.seat.clone(), ..other.clone() },
        None => sat.clone(),
    });
    let mut opened = Opened { debate: id.clone(), lineup: lineup.collect(), parent: None, ..of.opened().clone() };
    for option in [MIRROR, BASELINE, EXTRACTION, EXTRACTOR, "approve", NUMBER, "track", "apart", slug::OPTION] {
        opened.options.remove(option);
    }
    opened.options.insert(MIRROR_OF.into(), json!(build_ended_debate(journal, of, &before)?));
    let texts = journal.read_texts(opened.list_text_digests().map(|(_, digest)| digest))?;
    Ok((opened, texts))
}

/// The same question for the judge's model alone; for the first debater's where a person judges.
fn build_baseline(context: &Context, of: &Record, id: &DebateId, protocol: &dyn Protocol) -> Result<(Opened, Texts)> {
    let lineup = final_lineup(of);
    let judges = |sat: &&SeatModel| sat.seat.as_str().starts_with("judge") || sat.seat.as_str() == "chair";
    let judge = lineup.iter().find(judges);
    let judge = judge.filter(|sat| !["human", "outside"].contains(&sat.model.as_str()));
    let model = judge.or(lineup.first()).map(|sat| sat.model.clone()).unwrap_or_default();
    let opening = baseline::open_baseline(of, &build_ended_debate(&context.journal, of, &lineup)?);
    let lineup = vec![SeatModel::new(named_seat("answerer"), model)];
    let opened = Opened { debate: id.clone(), lineup, ..opening };
    open_companion(context, protocol, opened, BTreeMap::new())
}
