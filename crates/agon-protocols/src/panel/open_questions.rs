//! What is left to ask, whom, and whether a panel may stop.

use agon_core::Seat;

use super::{
    answer_effect::{AnswerEffect, ClaimReading, Deadlock},
    disagreement::{Disagreement, DisagreementState},
    state::{Examination, Panel, PanelQuestion, Panelist, Unanswered},
};

/// Exchanges without anything new after which a panel may end.
const QUIET_EXCHANGES: usize = 2;
/// Questions to each side of a disagreement after which a participant who was never asked has a turn.
const TURNS_EACH: usize = 2;

impl Panel {
    /// Which stop rules do not hold yet, each in a sentence, where `left` exchanges are left: S1 to S3 are
    /// the program's to know, S4 is the moderator's. What is settled needs no further word, so where no
    /// disagreement is active S2 and S3 require nothing.
    pub fn list_unmet_rules(&self, left: u32) -> Vec<String> {
        let mut unmet = Vec::new();
        let active: Vec<&str> = self.active_disagreements().map(|d| d.id.as_str()).collect();
        if active.is_empty() {
            unmet.extend(self.list_due_panelists(left).first().and_then(|third| {
                let about = self.disagreements.iter().find(|about| self.wants_a_third(about))?;
                let name = &third.name;
                Some(format!("{name} was never asked: as a third, {name} can weigh in on {}", about.id))
            }));
            return unmet;
        }
        unmet.push(format!("S1: {} can still be asked about", active.join(" and ")));
        let is_copy = |exchange: &Examination| exchange.answer.as_ref().is_some_and(|answer| answer.copies.is_some());
        let is_new = |exchange: &Examination| exchange.found.as_ref().is_some_and(AnswerEffect::is_new);
        let quiet = self.exchanges.iter().rev().take_while(|exchange| is_copy(exchange) || !is_new(exchange));
        if quiet.count() < QUIET_EXCHANGES {
            unmet.push(format!("S2: the last {QUIET_EXCHANGES} exchanges must have brought nothing new"));
        }
        let is_active = |waiting: &&Unanswered| active.contains(&waiting.disagreement.as_str());
        for waiting in self.unanswered.iter().filter(is_active) {
            let (by, to) = (self.panelist_name(&waiting.by), self.panelist_name(&waiting.to));
            unmet.push(format!(
                "S3: {to} has not been asked about the evidence of {by}: {}",
                waiting.evidence.trim_end_matches(['.', '。', '।', '۔'])
            ));
        }
        unmet
    }

    /// Whether everything is settled, so that an extension would find nothing to ask about.
    pub fn is_spent(&self) -> bool {
        !self.disagreements.is_empty()
            && !self.disagreements.iter().any(|about| about.is_open() || self.wants_a_third(about))
    }

    /// Whether there is nothing that anybody could be asked about now.
    pub fn has_nothing_to_ask(&self) -> bool {
        let may =
            |about: &Disagreement| (about.is_open() && !self.is_left_unclear(&about.id)) || self.wants_a_third(about);
        !self.disagreements.is_empty() && !self.disagreements.iter().any(may)
    }

    /// Whether the sides of a disagreement only repeat the same arguments, and a third panelist has not
    /// been asked yet: once for each.
    pub fn wants_a_third(&self, about: &Disagreement) -> bool {
        let on = || self.exchanges.iter().filter(|exchange| exchange.asked.disagreement == about.id);
        let circular = on().any(|exchange| exchange.found.as_ref().is_some_and(|f| f.deadlock == Deadlock::Circular));
        about.state == DisagreementState::Deadlocked
            && circular
            && !on().any(|exchange| self.is_third(&exchange.asked))
            && self.speakers().any(|speaker| !about.has_side(&speaker.seat))
    }

    /// Whether the review of the last answer may find that a disagreement goes in circles, so that a third
    /// can be asked next.
    pub fn may_want_a_third(&self, about: &Disagreement) -> bool {
        let on = || self.exchanges.iter().filter(|exchange| exchange.asked.disagreement == about.id);
        let answered = |seat: &Seat| on().any(|e| e.asked.seat == *seat && e.answer.is_some());
        about.state == DisagreementState::Active
            && about.claims.iter().all(|claim| answered(&claim.seat))
            && !on().any(|exchange| self.is_third(&exchange.asked))
    }

    /// Whether a question went to a participant who is on neither side of its subject.
    pub fn is_third(&self, asked: &PanelQuestion) -> bool {
        self.find_disagreement(&asked.disagreement).is_some_and(|about| !about.has_side(&asked.seat))
    }

    /// With whom those who were asked about a disagreement as a third sided: the third, and the side.
    pub fn sides_of_thirds(&self, about: &Disagreement) -> Vec<(&Seat, &Seat)> {
        let thirds = self.exchanges.iter().filter(|e| e.asked.disagreement == about.id && self.is_third(&e.asked));
        let sided = thirds.filter_map(|exchange| {
            let claim = &exchange.found.as_ref()?.claim;
            let with = claim.with.as_ref().filter(|with| about.has_side(with))?;
            (claim.reading.choice == ClaimReading::SidesWith).then_some((&exchange.asked.seat, with))
        });
        sided.collect()
    }

    /// Who was never asked and has to be now: the limit leaves no more questions than there are such
    /// panelists, or both sides of all that is active have had their turns, or a tie waits for a third.
    pub fn list_due_panelists(&self, left: u32) -> Vec<&Panelist> {
        if left == 0 {
            return Vec::new();
        }
        let asked = |seat: &Seat| self.exchanges.iter().filter(|exchange| exchange.asked.seat == *seat).count();
        let mut unheard: Vec<&Panelist> = self.speakers().filter(|p| asked(&p.seat) == 0).collect();
        let mut sides = self.active_disagreements().flat_map(|about| &about.claims).peekable();
        if sides.peek().is_none() {
            let tie = |panelist: &&Panelist| {
                let mut ties = self.disagreements.iter().filter(|about| self.wants_a_third(about));
                ties.any(|about| !about.has_side(&panelist.seat))
            };
            unheard.retain(tie);
            return unheard;
        }
        let is_late = unheard.len() as u64 >= u64::from(left);
        if is_late || sides.all(|claim| asked(&claim.seat) >= TURNS_EACH) { unheard } else { Vec::new() }
    }

    /// What `panelist` may be asked about where `left` exchanges are left: as a side what is active, or
    /// what was left where nothing is; as a third a tie, or what is active where it is their turn.
    pub fn askable_disagreements(&self, panelist: &Panelist, left: u32) -> Vec<&Disagreement> {
        let due = self.list_due_panelists(left);
        let is_due = due.iter().any(|other| other.seat == panelist.seat);
        if !due.is_empty() && !is_due {
            return Vec::new();
        }
        self.disagreements.iter().filter(|about| self.may_be_asked(&panelist.seat, about, is_due)).collect()
    }

    /// Whether the one at `seat` can be asked about a disagreement, though it may be another's turn.
    fn may_be_asked(&self, seat: &Seat, about: &Disagreement, is_due: bool) -> bool {
        let is_active = about.state == DisagreementState::Active;
        if !about.has_side(seat) {
            return self.wants_a_third(about) || (is_due && is_active);
        }
        let is_left = about.state == DisagreementState::Unresolved && !self.is_left_unclear(&about.id);
        is_active || (is_left && self.active_disagreements().next().is_none())
    }

    /// Whether a question that was written before the last answer was confirmed can still be put.
    pub fn can_be_put(&self, asked: &PanelQuestion, left: u32) -> bool {
        let is_due = self.list_due_panelists(left).iter().any(|panelist| panelist.seat == asked.seat);
        let about = self.find_disagreement(&asked.disagreement);
        about.is_some_and(|about| self.may_be_asked(&asked.seat, about, is_due))
    }
}
