//! The state of the script: the log, the debaters that still speak, and open requests.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Absent, Floor, Flow, Key, Lost, Pending, Reply, Request, Ruling, RulingKind};
use serde::Serialize;

use super::{
    announcements,
    conduct_rules::Conduct,
    debaters::{Debater, Debaters},
    log::{DebateLog, EntryRuling, Phase, Type},
    verification::{self, SourceFinding, SourceStatus, SourceToCheck},
};
use crate::common::{self, absence::rule_absent, request_values::read_option};

/// Turns in a row without a usable statement after which a debater is asked no more.
pub(super) const FORFEITS_MAX: u32 = 2;
/// Minutes until the closings where nobody says how many.
pub const TIME_BUDGET_MINUTES: u64 = 30;

/// A verification under way.
#[derive(Debug)]
pub struct VerificationProgress {
    /// The answer to come.
    pub pending: Pending,
    /// The entries it is about.
    pub seqs: Vec<u64>,
    /// The sources it is about.
    pub cited: Vec<SourceToCheck>,
}

/// How the chair was asked to conclude, and whether the order of the debaters decided.
#[derive(Debug, Serialize)]
pub struct JudgedOrders {
    /// The orders in which it was asked.
    pub asked: usize,
    /// Those that it answered.
    pub answered: usize,
    /// Whether the outcomes differ.
    pub flip: bool,
}

/// The state of a chaired debate, rebuilt from its rulings.
#[derive(Debug, Default)]
pub struct ChairedState {
    /// Who debates.
    pub debaters: Debaters,
    /// What was logged.
    pub log: DebateLog,
    /// How often the debate was reopened.
    pub stage: u32,
    /// The last round that began; 0 before the first.
    pub round: u32,
    /// Rounds allowed, as last read.
    pub granted: u32,
    /// Rounds that were allowed before an end and not held.
    pub spared: u32,
    /// Turns in a row that each debater forfeited, by its name.
    pub forfeits: BTreeMap<String, u32>,
    /// Seats without which the debate went on, each once.
    pub absent: Vec<Absent>,
    /// Verifications under way.
    pub checks: Vec<VerificationProgress>,
    /// What was found about every source that was looked at.
    pub found: Vec<SourceFinding>,
    /// How many of these the chair has relayed.
    pub relayed: usize,
    /// How many of these the chair has acted on.
    pub acted: usize,
    /// Answers of the verifier that nobody has read yet.
    pub unread: Vec<(Key, Reply)>,
    /// How the chair was asked to conclude.
    pub judged: Option<JudgedOrders>,
    /// Debaters with a fabricated source.
    pub fabricators: BTreeSet<String>,
    /// Who gave a closing statement before the debate was taken over, which is not asked for again.
    pub closed: BTreeSet<String>,
    /// The end of the time budget to come.
    pub clock: Option<Pending>,
}

impl ChairedState {
    /// How the sources came out; one that was looked at again counts once.
    pub fn source_statuses(&self) -> impl Iterator<Item = SourceStatus> {
        let latest = verification::latest_findings(&self.found).into_iter();
        latest.map(|found| found.clone().apply_lifting(&self.log).status)
    }

    /// After an extension: everyone gets another chance.
    pub fn reopen_debate(&mut self) {
        self.stage += 1;
        self.forfeits.clear();
        self.absent.clear();
        self.closed.clear();
    }

    /// Key of something that is asked once each time the debate is open.
    pub fn stage_key(&self, what: &str) -> String {
        match self.stage {
            0 => what.to_owned(),
            stage => format!("again-{stage}/{what}"),
        }
    }

    /// Key of something of this round.
    pub fn round_key(&self, what: &str) -> String {
        format!("round-{:03}/{what}", self.round)
    }

    /// Debaters that are still asked, in turn order.
    pub fn active_debaters(&self) -> Vec<Debater> {
        let is_asked = |debater: &&Debater| self.forfeits.get(&debater.name).is_none_or(|count| *count < FORFEITS_MAX);
        self.debaters.0.iter().filter(is_asked).cloned().collect()
    }

    /// Puts an announcement of the chair into the log.
    pub fn write_announcement(&mut self, floor: &mut Floor<'_>, text: impl Into<String>) -> Flow<()> {
        self.log.write_script_entry(floor, EntryRuling::by_chair(Phase::System, Type::Announcement, text)).map(drop)
    }

    /// Puts a ruling of the chair on the entry `seq` into the log.
    pub fn write_ruling(&mut self, floor: &mut Floor<'_>, seq: u64, text: &str) -> Flow<()> {
        let text = announcements::ruling_text(seq, text);
        self.log.write_script_entry(floor, EntryRuling::by_chair(Phase::System, Type::Ruling, text)).map(drop)
    }

    /// Puts a ruling of the chair on conduct into the log.
    pub fn write_conduct(&mut self, floor: &mut Floor<'_>, conduct: Conduct, reason: &str) -> Flow<()> {
        let text = announcements::conduct_text(&conduct, reason);
        let item = EntryRuling::by_chair(Phase::System, Type::Ruling, text);
        self.log.write_script_entry(floor, EntryRuling { conduct: Some(conduct), ..item }).map(drop)
    }

    /// Rules that the official called `seat` gave no usable answer, and remembers it.
    pub fn record_lost_official(&mut self, floor: &mut Floor<'_>, seat: &str, key: &str, lost: &Lost) -> Flow<()> {
        self.record_absent(rule_official_absent(floor, seat, key, lost)?);
        Ok(())
    }

    /// Remembers a seat that did not answer.
    pub fn record_absent(&mut self, absent: Absent) {
        self.absent.retain(|other| other.seat != absent.seat);
        self.absent.push(absent);
    }

    /// Starts the time budget; 0 minutes is none.
    pub fn start_clock(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let minutes = read_option(floor.opened(), "time_budget_minutes").unwrap_or(TIME_BUDGET_MINUTES);
        if minutes > 0 {
            let seconds = u32::try_from(minutes.saturating_mul(60)).unwrap_or(u32::MAX);
            let request = Request::new("time-budget", &common::named_seat("clock"), "").with_wait_seconds(seconds);
            self.clock = Some(floor.start_request(request)?);
        }
        Ok(())
    }

    /// Whether the time budget is used up, by what was heard; says so on the record.
    pub fn is_time_up(&mut self, floor: &mut Floor<'_>) -> Flow<bool> {
        let up = self.clock.as_ref().is_some_and(|clock| floor.heard_answer(clock).is_some());
        if up {
            let text = "The time budget is used up; the closing statements follow.";
            floor.record_ruling(self.round_key("time-budget"), Ruling::new(RulingKind::Noted, text))?;
        }
        Ok(up)
    }
}

/// Rules that the official called `seat` gave no usable answer to what was asked under `key`.
pub(super) fn rule_official_absent(floor: &mut Floor<'_>, seat: &str, key: &str, lost: &Lost) -> Flow<Absent> {
    rule_absent(floor, &common::named_seat(seat), seat, key, lost)
}
