//! Sources at work: opened and compared while the debate continues, heard before the round ends, and acted upon before
//! the next statement, question or judgment relies on them. At the end of a round a model reads what was opened.

use agon_core::{Attempt, Faults, Floor, Flow, Lost, Reply, Request, Ruling, RulingKind, Statement};
use serde_json::json;

use super::{
    announcements,
    conduct_rules::{Conduct, RulingVerdict, SOURCE_RULE},
    debaters::Debater,
    log::{EntryRuling, Logged, Phase, Type},
    state::{ChairedState, VerificationProgress},
    statement::DebaterStatement,
    turn_rules,
    verification::{self, Findings, Readings, SourceFinding, SourceStatus, SourceToCheck},
};
use crate::common::{
    claim_reading, named_seat,
    source_check::{CheckedStatement, DRAFT_MARK, ReadingTime},
    verification::{SourceCheck, is_fetched},
};

/// Why nobody looked at a source; that verification is off needs no words.
const OFF: &str = "";
const LOST: &str = "the verifier gave no usable answer";

/// Has the sources of the entries `seqs` verified, without waiting for it.
pub(super) fn start_check(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seqs: &[u64]) -> Flow<()> {
    let cited = sources_of_entries(state, seqs);
    if !is_fetched(floor.opened()) {
        return record_findings(floor, state, &format!("{key}/verification"), build_unchecked(seqs, &cited, OFF));
    }
    if !cited.is_empty() {
        let request = verification_request(&format!("{key}/verification"), seqs, &cited, false);
        let pending = floor.start_request(request)?;
        state.checks.push(VerificationProgress { pending, seqs: seqs.to_vec(), cited });
    }
    Ok(())
}

/// Verifies the sources of one entry at once, for a challenge. Gives what was found.
pub(super) fn check_urgently(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, seq: u64) -> Flow<Findings> {
    let known = reuse_findings(floor, state, seq)?;
    let mut cited = sources_of_entries(state, &[seq]);
    cited.retain(|cited| !known.iter().any(|known| known.url == cited.url));
    let key = format!("{key}/verification");
    let mut findings = if !is_fetched(floor.opened()) || (cited.is_empty() && !known.is_empty()) {
        build_unchecked(&[seq], &cited, OFF)
    } else {
        let pending = floor.start_request(verification_request(&key, &[seq], &cited, true))?;
        wait_for_findings(floor, state, VerificationProgress { pending, seqs: vec![seq], cited })?
    };
    findings.findings.splice(0..0, known);
    record_findings(floor, state, &key, findings.clone())?;
    read_round(floor, state)?;
    act_on_findings(floor, state)?;
    Ok(findings)
}

/// What someone has read already of the sources of entry `seq`: a page is not opened twice for one claim.
/// What is still under way is waited for.
fn reuse_findings(floor: &mut Floor<'_>, state: &mut ChairedState, seq: u64) -> Flow<Vec<SourceFinding>> {
    let is_about = |check: &VerificationProgress| check.cited.iter().any(|cited| cited.seq == seq);
    let (about, others) = std::mem::take(&mut state.checks).into_iter().partition(is_about);
    state.checks = about;
    collect_findings(floor, state, true)?;
    state.checks = others;
    let latest = verification::latest_findings(&state.found).into_iter();
    let read = latest.filter(|found| found.seq == seq && found.status.is_result());
    let logged = |found: &SourceFinding| {
        let result = |logged: &&Logged| {
            let item = &logged.item;
            let text = item.content.as_deref().unwrap_or_default();
            item.kind == Type::VerificationResult && item.target_seq == Some(seq) && text.contains(&found.url)
        };
        state.log.0.iter().find(result).map(|logged| logged.item.seq)
    };
    Ok(read.map(|found| verification::reconfirm_finding(found, logged(found))).collect())
}

/// Waits for everything that is under way, and acts on it.
pub(super) fn resolve_checks(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    collect_findings(floor, state, true)?;
    read_round(floor, state)?;
    act_on_findings(floor, state)
}

/// Has the reader look at everything that was opened since it last did.
fn read_round(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let answers = std::mem::take(&mut state.unread);
    let readings: Vec<_> = claim_reading::read_claims(floor, &answers)?.into_iter().flatten().collect();
    let Some((first, _)) = answers.first().filter(|_| !readings.is_empty()) else { return Ok(()) };
    let tags = readings.iter().map(|read| {
        let seq = read.seq.unwrap_or_default();
        format!("seq {seq}: {}: {}", read.url, read.reading.describe_reading())
    });
    let text = tags.collect::<Vec<_>>().join("; ");
    let data = Readings { readings };
    floor.record_ruling(format!("{first}/readings"), Ruling::new(RulingKind::Noted, text).with_data(&data))?;
    verification::add_readings(&mut state.found, &data.readings);
    Ok(())
}

/// Before someone speaks: what was heard meanwhile of a source that never was has its consequence at once.
pub(super) fn apply_early_findings(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    collect_findings(floor, state, false)?;
    strike_fabricated(floor, state)
}

/// Takes in what the verifier has found: what was heard so far, or, where `all`, everything that is
/// under way.
fn collect_findings(floor: &mut Floor<'_>, state: &mut ChairedState, all: bool) -> Flow<()> {
    for check in std::mem::take(&mut state.checks) {
        // What needs another try is left for the end of the round: the next debater does not wait.
        let heard = floor.heard_answer(&check.pending).map(|answer| parse_reply(&check, &answer.reply));
        if !all && !matches!(heard, Some(Ok(_))) {
            state.checks.push(check);
            continue;
        }
        let key = check.pending.key().to_string();
        let findings = wait_for_findings(floor, state, check)?;
        record_findings(floor, state, &key, findings)?;
    }
    Ok(())
}

/// Redactions and rulings that the findings call for.
fn act_on_findings(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    strike_fabricated(floor, state)?;
    let recent = state.found[state.acted..].to_vec();
    state.acted = state.found.len();
    for SourceFinding { seq, url, explanation, .. } in recent.iter().filter(|f| f.status == SourceStatus::Unreliable) {
        let Some(logged) = state.log.entry_at(*seq).filter(|logged| logged.struck.is_none()) else { continue };
        // What was ruled on is not ruled on again.
        let ruled = announcements::ruling_text(*seq, &format!("the source {url} is unreliable"));
        if state.log.0.iter().any(|logged| logged.visible_content().starts_with(&ruled)) {
            continue;
        }
        let name = &logged.item.speaker;
        let why = if explanation.is_empty() { String::new() } else { format!(" ({explanation})") };
        let remedy = match logged.item.phase {
            // Nobody has an entry after the closings.
            Phase::Closing => {
                format!("No entry of {name} follows that could correct it: what rests on it counts as unsupported.")
            }
            _ => format!(
                "{name} is warned, and may withdraw it or replace it by a source correction at the start of the next entry."
            ),
        };
        let text = format!("the source {url} is unreliable{why}. {remedy}");
        let mut item = EntryRuling::by_chair(Phase::System, Type::Ruling, announcements::ruling_text(*seq, &text));
        item.conduct = Some(Conduct::without_quote(*seq, SOURCE_RULE, RulingVerdict::Warning));
        state.log.write_script_entry(floor, item)?;
    }
    Ok(())
}

/// Where pages are opened, a draft whose quotation does not stand on its page goes back once,
/// before it is logged. What the author makes of it is looked up again with the others.
pub(super) fn vet_statement(
    floor: &mut Floor<'_>,
    state: &ChairedState,
    debater: &Debater,
    request: &Request,
    statement: Statement<DebaterStatement>,
    check: &dyn Fn(Attempt<'_>) -> Result<DebaterStatement, Faults>,
) -> Flow<Statement<DebaterStatement>> {
    if !is_fetched(floor.opened()) {
        return Ok(statement);
    }
    // A page that is gone or never was is for the chair to rule on.
    let fault = |found: &SourceCheck| {
        let is_claim = ["absent", "near"].contains(&found.code.as_str());
        Some((format!("{}.content", found.at), found.describe_fault().filter(|_| is_claim)?))
    };
    let cited = |said: &DebaterStatement| turn_rules::list_cited_places(said, &state.log, &debater.name);
    let (name, reading, key_mark) = (debater.name.as_str(), ReadingTime::Never, DRAFT_MARK);
    let vetted = CheckedStatement { request, name, check, cited: &cited, reading, key_mark, fault: &fault };
    Ok(vetted.check_sources(floor, statement)?.0)
}

/// Entries with a source that never was are struck.
fn strike_fabricated(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let recent = state.found[state.acted..].iter().filter(|found| found.status == SourceStatus::Fabricated);
    for seq in recent.map(|found| found.seq).collect::<Vec<_>>() {
        let Some(logged) = state.log.entry_at(seq).filter(|logged| logged.struck.is_none()) else { continue };
        let (name, key) = (logged.item.speaker.clone(), logged.item.key.clone());
        let text = announcements::redaction_text(seq, &name, "a source it cites was found to be fabricated");
        let item = EntryRuling::by_chair(Phase::System, Type::Redaction, text);
        state.fabricators.insert(name);
        state.log.write_script_entry(floor, EntryRuling { key, strikes: Some(seq), ..item })?;
    }
    Ok(())
}

/// What the chair relays of the findings since it last did, which are taken. Of an entry that was struck
/// nothing is told that might quote it.
pub(super) fn take_relay_text(state: &mut ChairedState) -> String {
    let mut recent = state.found[state.relayed..].to_vec();
    state.relayed = state.found.len();
    let is_struck = |seq: u64| state.log.entry_at(seq).is_some_and(|logged| logged.struck.is_some());
    recent.iter_mut().filter(|found| is_struck(found.seq)).for_each(|found| found.explanation.clear());
    verification::relay_text(&recent)
}

/// Nobody looked at the sources of the entries `seqs`.
fn build_unchecked(seqs: &[u64], cited: &[SourceToCheck], why: &str) -> Findings {
    let findings = cited.iter().map(|cited| SourceFinding::unchecked(cited.seq, &cited.url, why)).collect();
    Findings { seqs: seqs.to_vec(), findings }
}

fn sources_of_entries(state: &ChairedState, seqs: &[u64]) -> Vec<SourceToCheck> {
    seqs.iter().filter_map(|seq| state.log.entry_at(*seq)).flat_map(verification::cited_sources).collect()
}

fn verification_request(key: &str, seqs: &[u64], cited: &[SourceToCheck], urgent: bool) -> Request {
    let request = Request::new(key, &named_seat("verifier"), "").or_absent();
    request.with_fact("seqs", seqs).with_fact("sources", json!(cited)).with_fact("urgent", urgent)
}

fn parse_reply(check: &VerificationProgress, reply: &Reply) -> Result<Vec<SourceFinding>, Lost> {
    match reply {
        Reply::Said { text } => verification::parse_cited_findings(text, &check.cited).map_err(Lost::Unusable),
        Reply::Failed(failed) => Err(Lost::Failed(failed.clone())),
        Reply::Elapsed => Err(Lost::Elapsed),
    }
}

/// Waits for one verification.
fn wait_for_findings(floor: &mut Floor<'_>, state: &mut ChairedState, check: VerificationProgress) -> Flow<Findings> {
    let answer = floor.wait_for_answer(check.pending.clone())?;
    match parse_reply(&check, &answer.reply) {
        Ok(findings) => {
            state.unread.push((answer.key.clone(), answer.reply.clone()));
            Ok(Findings { seqs: check.seqs, findings })
        }
        Err(lost) => {
            state.record_lost_official(floor, "verifier", check.pending.key().as_str(), &lost)?;
            Ok(build_unchecked(&check.seqs, &check.cited, LOST))
        }
    }
}

/// Puts findings on the record, and in the log those where someone read the page.
fn record_findings(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, findings: Findings) -> Flow<()> {
    let relayed = verification::relay_text(&findings.findings);
    let text = if relayed.is_empty() { "no findings".to_owned() } else { relayed };
    floor.record_ruling(format!("{key}/findings"), Ruling::new(RulingKind::Noted, text).with_data(&findings))?;
    for finding in findings.findings.iter().filter(|finding| finding.status.is_result()) {
        let content = verification::render_result(finding);
        let mut item = EntryRuling::new(Phase::System, "verifier", Type::VerificationResult, content);
        item.target_seq = Some(finding.seq);
        state.log.write_script_entry(floor, item)?;
    }
    state.found.extend(findings.findings);
    Ok(())
}
