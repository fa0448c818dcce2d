//! The state of the script: the log, the debaters that still speak, and open requests.

use std::collections::BTreeSet;

use agon_core::{Absent, Floor, Flow, Key, Lost, Pending, Reply, Request, Ruling, RulingKind};
use serde::Serialize;

use super::{
    announce,
    debaters::{Debater, Debaters},
    log::{DebateLog, EntryRuling, Logged, Phase, Type},
    verification::{self, Findings, SourceFinding, SourceStatus, SourceToCheck},
};
use crate::common::{self, absence::rule_absent};

/// Turns in a row without a usable statement after which a debater is asked no more.
const FORFEITS_MAX: u32 = 2;

/// A verification under way.
#[derive(Debug)]
pub struct VerificationProgress {
    /// What was asked, to be asked again if need be.
    pub request: Request,
    /// The answer to come.
    pub pending: Pending,
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
    /// Turns in a row that each debater forfeited.
    forfeits: Vec<u32>,
    /// Seats without which the debate went on, each once.
    pub absent: Vec<Absent>,
    /// Verifications under way.
    pub checks: Vec<VerificationProgress>,
    /// Findings of the round, not relayed yet.
    pub findings: Vec<Findings>,
    /// Findings that the chair must still act on.
    pub pressing: Vec<SourceFinding>,
    /// What was found about every source that was looked at.
    pub found: Vec<SourceFinding>,
    /// Answers of the verifier that nobody has read yet.
    pub unread: Vec<(Key, Reply)>,
    /// How the chair was asked to conclude.
    pub judged: Option<JudgedOrders>,
    /// Debaters with a fabricated source.
    pub fabricators: BTreeSet<String>,
    /// Who gave a closing statement before the debate was taken over, which is not asked for again.
    pub closed: BTreeSet<String>,
    clock: Option<Pending>,
}

impl ChairedState {
    /// Before anything is said.
    pub fn new(debaters: Debaters) -> Self {
        Self { forfeits: vec![0; debaters.0.len()], debaters, ..Self::default() }
    }

    /// Whether the chair has ruled on the source `url` of the entry `seq`, which is then not ruled on again.
    pub fn has_ruled(&self, seq: u64, url: &str) -> bool {
        let ruled = announce::ruling_text(seq, &format!("the source {url} is unreliable"));
        let begins = |logged: &Logged| logged.visible_content().starts_with(&ruled);
        self.log.0.iter().any(begins)
    }

    /// How the sources came out; one that was looked at again counts once.
    pub fn source_statuses(&self) -> impl Iterator<Item = SourceStatus> {
        let latest = verification::latest_findings(&self.found).into_iter();
        latest.map(|found| found.clone().apply_lifting(&self.log).status)
    }

    /// After an extension: everyone gets another chance.
    pub fn reopen_debate(&mut self) {
        self.stage += 1;
        self.forfeits.fill(0);
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
        let speaking = self.debaters.0.iter().zip(&self.forfeits).filter(|(_, count)| **count < FORFEITS_MAX);
        speaking.map(|(debater, _)| debater.clone()).collect()
    }

    /// A debater said something usable.
    pub fn mark_spoken(&mut self, debater: &Debater) {
        self.update_forfeits(debater, |_| 0);
        self.absent.retain(|absent| absent.seat != debater.seat);
    }

    /// A turn without a usable statement: it is forfeited, and the debate continues. `last` says that
    /// no other turn of it follows.
    pub fn forfeit_turn(
        &mut self,
        floor: &mut Floor<'_>,
        debater: &Debater,
        key: &str,
        lost: &Lost,
        last: bool,
    ) -> Flow<()> {
        self.update_forfeits(debater, |count| if last { FORFEITS_MAX } else { count + 1 });
        let absent = rule_absent(floor, &debater.seat, &debater.name, key, lost)?;
        self.record_absent(absent);
        let opened = self.log.0.iter().rev().find(|logged| logged.item.kind == Type::Announcement);
        let seq = opened.map_or(0, |logged| logged.item.seq);
        // The failure itself is nobody's speech and stays out of the log.
        self.write_ruling(floor, seq, &format!("{} gave no usable statement; the turn is forfeited.", debater.name))
    }

    /// Puts an announcement of the chair into the log.
    pub fn write_announcement(&mut self, floor: &mut Floor<'_>, text: impl Into<String>) -> Flow<()> {
        self.log.write_script_entry(floor, EntryRuling::by_chair(Phase::System, Type::Announcement, text)).map(drop)
    }

    /// Puts a ruling of the chair on the entry `seq` into the log.
    pub fn write_ruling(&mut self, floor: &mut Floor<'_>, seq: u64, text: &str) -> Flow<()> {
        let text = announce::ruling_text(seq, text);
        self.log.write_script_entry(floor, EntryRuling::by_chair(Phase::System, Type::Ruling, text)).map(drop)
    }

    fn update_forfeits(&mut self, debater: &Debater, change: impl Fn(u32) -> u32) {
        let at = self.debaters.0.iter().position(|other| other == debater);
        if let Some(count) = at.and_then(|at| self.forfeits.get_mut(at)) {
            *count = change(*count);
        }
    }

    /// Rules that the official called `seat` gave no usable answer, and remembers it.
    pub fn record_lost_official(&mut self, floor: &mut Floor<'_>, seat: &str, key: &str, lost: &Lost) -> Flow<()> {
        let absent = rule_official_absent(floor, seat, key, lost)?;
        self.record_absent(absent);
        Ok(())
    }

    /// Remembers a seat that did not answer.
    pub fn record_absent(&mut self, absent: Absent) {
        self.absent.retain(|other| other.seat != absent.seat);
        self.absent.push(absent);
    }

    /// Starts the time budget; 0 minutes is none.
    pub fn start_clock(&mut self, floor: &mut Floor<'_>, minutes: u64) -> Flow<()> {
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

    /// The time budget matters no longer.
    pub fn retire_clock(&mut self, floor: &mut Floor<'_>) {
        if let Some(clock) = self.clock.take() {
            floor.withdraw_request(clock);
        }
    }
}

/// Rules that the official called `seat` gave no usable answer to what was asked under `key`.
pub(super) fn rule_official_absent(floor: &mut Floor<'_>, seat: &str, key: &str, lost: &Lost) -> Flow<Absent> {
    rule_absent(floor, &common::named_seat(seat), seat, key, lost)
}
