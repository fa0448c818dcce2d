//! What an answer changes: states of disagreements, notes, and evidence that now waits.

use agon_core::{
    RulingKind, Seat,
    reading::{Doubt, Meaning},
};

use super::{
    answer_effect::{AnswerEffect, ClaimReading, Deadlock, ReadClaim},
    disagreement::{Disagreement, DisagreementState},
    state::{ModeratorNote, Panel, PanelQuestion, Unanswered},
};

/// Unclear readings after which a disagreement is left: a moderator that cannot tell would ask to the limit.
const UNCLEAR_MAX: usize = 2;

impl Panel {
    /// What the word of the speaker at `seat` must be for `read` to decide something; `None` where it decides nothing.
    pub fn wanted_word(&self, seat: &Seat, read: &ReadClaim) -> Option<ClaimReading> {
        let about = self.find_disagreement(&read.disagreement)?;
        let other = about.opposing_claim(seat)?;
        match read.reading.choice {
            ClaimReading::GivesUp => {
                let is_other = read.with.as_ref().is_none_or(|with| *with == other.seat);
                (about.state != DisagreementState::Converged && is_other).then_some(ClaimReading::GivesUp)
            }
            ClaimReading::TakesBack => self.can_take_back(seat, about).then_some(ClaimReading::Holds),
            _ => None,
        }
    }

    /// Whether what is settled can be opened again by `seat`: once for each disagreement, by the one who conceded.
    fn can_take_back(&self, seat: &Seat, about: &Disagreement) -> bool {
        let settled = |wanted: ClaimReading| {
            let exchanges = self.exchanges.iter().rev();
            let found = exchanges.filter_map(|exchange| Some((&exchange.asked.seat, exchange.found.as_ref()?)));
            let is_it = move |read: &ReadClaim| read.disagreement == about.id && read.settled_reading() == Some(wanted);
            found.filter(move |(_, found)| found.claims().any(is_it)).map(|(seat, _)| seat)
        };
        about.state == DisagreementState::Converged
            && settled(ClaimReading::GivesUp).next() == Some(seat)
            && settled(ClaimReading::TakesBack).next().is_none()
    }

    /// `found` as if the speaker confirmed whatever would decide something.
    pub fn assume_confirmed(&self, mut found: AnswerEffect) -> AnswerEffect {
        let Some(seat) = self.exchanges.last().map(|exchange| &exchange.asked.seat) else { return found };
        let of = found.of.clone();
        for read in found.claims_mut().filter(|read| self.wanted_word(seat, read).is_some()) {
            let (choice, quote) = (read.reading.choice, read.reading.quote.clone());
            read.meaning = Some(Meaning::Settled { choice, quote, read: of.clone(), confirmed: of.clone() });
        }
        found
    }

    /// Takes what the last answer brought.
    pub(super) fn apply_effect(&mut self, found: AnswerEffect) {
        let Some(asked) = self.exchanges.last().map(|exchange| exchange.asked.clone()) else { return };
        for read in found.claims() {
            self.apply_reading(&asked, read);
        }
        let speaker = self.panelist_name(&asked.seat).to_owned();
        if let Some(shift) = &found.shift {
            let text = format!("{speaker} has moved towards {} on {}.", self.panelist_name(&shift.toward), shift.on);
            self.add_note(RulingKind::Noted, text);
        }
        self.apply_deadlock(&asked, found.deadlock);
        self.await_answers(&asked, &found.new_evidence);
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.found = Some(found);
        }
    }

    fn apply_reading(&mut self, asked: &PanelQuestion, read: &ReadClaim) {
        let Some(about) = self.find_disagreement(&read.disagreement).cloned() else { return };
        let speaker = self.panelist_name(&asked.seat).to_owned();
        let with = read.with.as_ref().or(about.opposing_claim(&asked.seat).map(|claim| &claim.seat));
        let with = with.map(|seat| self.panelist_name(seat).to_owned()).unwrap_or_default();
        let topic = &about.topic;
        match (read.settled_reading(), read.doubt()) {
            (Some(ClaimReading::GivesUp), _) => {
                self.add_note(RulingKind::Converged, format!("{speaker} and {with} have converged on {topic}."));
                self.set_state(&about.id, DisagreementState::Converged);
            }
            (Some(ClaimReading::TakesBack), _) => {
                let quote = read.reading.quote.replace('"', "'");
                let text = format!("{speaker} takes back the agreement with {with} on {topic}: \"{quote}\"");
                self.add_note(RulingKind::Noted, text);
                self.set_state(&about.id, DisagreementState::Active);
            }
            (_, Some(doubt)) => self.leave_unclear(&about, &speaker, &with, doubt),
            _ if read.reading.choice == ClaimReading::SidesWith => {
                self.add_note(RulingKind::Noted, format!("{speaker}, asked as a third, sides with {with} on {topic}."));
            }
            _ => {}
        }
    }

    /// Nothing follows from a reading that is not settled; what stays unclear twice is left.
    fn leave_unclear(&mut self, about: &Disagreement, speaker: &str, with: &str, doubt: Doubt) {
        let topic = &about.topic;
        let why = match doubt {
            Doubt::Chosen => None,
            Doubt::Differs => Some(format!("{speaker} does not confirm it")),
            Doubt::Partly => Some(format!("{speaker} gives up a part of it and holds the rest")),
            Doubt::NotConfirmed => Some(format!("{speaker} gave no answer when asked")),
            Doubt::UnfitReader => Some("the moderator's model is not known to read well enough".to_owned()),
        };
        if let Some(why) = why {
            let what = match about.state {
                DisagreementState::Converged => format!("{speaker} takes back the agreement with {with}"),
                _ => format!("{speaker} and {with} have converged"),
            };
            self.add_note(RulingKind::Noted, format!("Whether {what} on {topic} stays unclear: {why}."));
        }
        // What is left of the claim is asked about, as where the moderator itself reads a part.
        if about.state != DisagreementState::Active || doubt == Doubt::Partly {
            return;
        }
        self.unclear.push(about.id.clone());
        if self.is_left_unclear(&about.id) {
            let text = format!("What was said on {topic} stayed unclear twice. Moving to next topic.");
            self.add_note(RulingKind::Noted, text);
            self.set_state(&about.id, DisagreementState::Unresolved);
        }
    }

    /// Whether a disagreement is left because nobody could tell what was said on it.
    pub fn is_left_unclear(&self, id: &str) -> bool {
        self.unclear.iter().filter(|other| *other == id).count() >= UNCLEAR_MAX
    }

    fn apply_deadlock(&mut self, asked: &PanelQuestion, deadlock: Deadlock) {
        let about = self.find_disagreement(&asked.disagreement).cloned();
        let Some(about) = about.filter(Disagreement::is_open) else { return };
        let text = match deadlock {
            Deadlock::None => return,
            Deadlock::Repetition { round } => format!(
                "{} has restated their position from Round {round} without new evidence. Moving to next topic.",
                self.panelist_name(&asked.seat)
            ),
            Deadlock::Circular => {
                let [one, other] = about.claims.each_ref().map(|claim| self.panelist_name(&claim.seat));
                let topic = &about.topic;
                format!("{one} and {other} are repeating the same arguments on {topic}. Moving to next topic.")
            }
        };
        self.add_note(RulingKind::Deadlocked, text);
        // Who repeats himself has not met what the other side has not been asked about yet.
        let mut waiting = self.unanswered.iter();
        if !waiting.any(|waits| waits.disagreement == asked.disagreement && waits.to != asked.seat) {
            self.set_state(&about.id, DisagreementState::Deadlocked);
        }
    }

    /// New evidence waits for the other side; what a third brings, for both.
    fn await_answers(&mut self, asked: &PanelQuestion, evidence: &[String]) {
        let about = self.find_disagreement(&asked.disagreement);
        let claims = about.into_iter().flat_map(|about| &about.claims);
        let concerned: Vec<Seat> = claims.map(|claim| claim.seat.clone()).filter(|seat| *seat != asked.seat).collect();
        for to in concerned {
            self.unanswered.extend(evidence.iter().map(|evidence| Unanswered {
                evidence: evidence.clone(),
                by: asked.seat.clone(),
                to: to.clone(),
                disagreement: asked.disagreement.clone(),
            }));
        }
    }

    pub(super) fn add_note(&mut self, kind: RulingKind, text: String) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.notes.push(ModeratorNote { kind, text });
        }
    }

    pub(super) fn set_state(&mut self, id: &str, state: DisagreementState) {
        self.disagreements.iter_mut().filter(|about| about.id == id).for_each(|about| about.state = state);
    }

    /// Who read and who confirmed what the last deciding answer on a disagreement means, or why nothing was decided.
    pub fn reading_line(&self, about: &Disagreement) -> Option<String> {
        let mut exchanges = self.exchanges.iter().rev();
        let (speaker, meaning) = exchanges.find_map(|exchange| {
            let read = exchange.found.as_ref()?.claims().find(|read| read.disagreement == about.id)?;
            Some((self.panelist_name(&exchange.asked.seat), read.meaning.as_ref()?))
        })?;
        let what = match meaning.doubt() {
            None => "confirmed by",
            Some(Doubt::Partly) => "confirmed in part by",
            Some(Doubt::Differs) => "denied by",
            Some(Doubt::NotConfirmed) => "not confirmed by",
            Some(Doubt::Chosen) => return Some(format!("the moderator gave no clear reading of what {speaker} said")),
            Some(Doubt::UnfitReader) => {
                return Some("nothing was decided: the moderator's model is not known to read well enough".to_owned());
            }
        };
        Some(format!("read by the moderator, {what} {speaker}"))
    }
}
