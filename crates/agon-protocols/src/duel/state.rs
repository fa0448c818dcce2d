//! What has been said so far, read from the rulings of the script, and what follows from it:
//! whose turn it is, candidate convergence, and how the duel ends. Script, prompts and files all
//! look at a duel through it.

use std::{collections::BTreeSet, sync::Arc};

use agon_core::{Faults, Key, Opened, Ruling, RulingKind, Seat, View};
use serde::{Deserialize, Serialize};

use super::turn::{Contribution, DuelTurnRules, Stance, normalise_claim};
use crate::common::{
    lineup::{self, Member},
    request_values::read_option,
    verification::SourceCheck,
};

/// Maximum number of turns of a duel: three each.
pub const TURNS_MAX: u32 = 6;
/// Fewest turns that a duel can be limited to: both speak.
pub const TURNS_MIN: u32 = 2;
/// Turns before which disagreement is not an impasse: until then each has not answered the other twice.
const IMPASSE_TURNS_MIN: u32 = 4;

/// A turn that stands: data of the ruling `turn-N/accepted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedTurn {
    /// Its number, from 1.
    pub turn: u32,
    /// Who spoke.
    pub seat: Seat,
    /// The draft that stands.
    pub key: Key,
    /// The stance it takes.
    pub stance: Stance,
    /// How many of its open items stand in the way of consensus.
    pub blocking: usize,
    /// Whether support was left out that its author had been told of before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// What was found about its sources, where pages are opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceCheck>,
}

/// A turn is due: data of the ruling `turn-N/phase`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnBegins {
    /// Its number, from 1.
    pub turn: u32,
    /// Who is to speak.
    pub seat: Seat,
}

/// A participant took another stance: data of the ruling `turn-N/stance`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StanceChange {
    /// Who.
    pub seat: Seat,
    /// The stance of its turn before.
    pub from: Stance,
    /// The stance now.
    pub to: Stance,
    /// What it cites for it that nobody cited before.
    pub new_support: Vec<String>,
    /// Whether that is nothing.
    pub unsupported: bool,
}

/// Both lean to agreement: data of a ruling `turn-N/standing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateConvergence {
    /// True.
    pub candidate_convergence: bool,
    /// The turn after which they do.
    pub turn: u32,
}

/// The duel cannot be relied on: data of a ruling `…/invalidated`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvalidatedBefore {
    /// The turn that was due.
    pub turn: u32,
}

/// An accepted turn; `contribution` is its content, unless it was struck.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What was ruled of it.
    pub accepted: AcceptedTurn,
    /// What it says; `None` where that may no longer be shown.
    pub contribution: Option<Arc<Contribution>>,
}

/// How a duel ends if both participants have spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingVerdict {
    /// Both accept, and nothing blocks.
    Consensus,
    /// They disagree, or something blocks.
    Dissent,
    /// The turns are used up without either.
    MaxTurns,
}

/// The participants of a duel and its accepted turns, in order.
#[derive(Debug, Clone)]
pub struct History {
    /// Who takes part, in the order of speaking.
    pub members: Vec<Member>,
    /// Accepted turns, in order.
    pub turns: Vec<Turn>,
    /// Of a duel that was taken over: who spoke in each of its turns, by place.
    taken: Vec<usize>,
}

/// Option of a duel that was taken over: the place of the speaker of each turn, from 0.
pub const SPEAKERS: &str = "imported_speakers";

impl History {
    /// A duel in which nobody has spoken. Who has no name gets one.
    pub fn new(opened: &Opened) -> Self {
        let mut members = lineup::list_row_members(opened, "participant");
        for at in 0..members.len() {
            if members[at].name.is_empty() {
                let free = |name: &&str| members.iter().all(|member| !member.name.eq_ignore_ascii_case(name));
                let usual = ["Participant A", "Participant B"];
                let own = usual.iter().skip(at.min(1)).chain(&usual).copied();
                members[at].name = own.into_iter().find(free).unwrap_or("Participant").to_owned();
            }
        }
        let taken = read_option(opened, SPEAKERS).filter(|_| opened.import_details().is_some());
        Self { members, turns: Vec::new(), taken: taken.unwrap_or_default() }
    }

    /// Whether turn `number` was spoken before the duel was taken over.
    pub fn is_taken(&self, number: u32) -> bool {
        (1..=self.taken.len()).contains(&(number as usize))
    }

    /// As `view` shows it.
    pub fn from_view(view: &View<'_>) -> Arc<Self> {
        view.derive_once(|| Self::read_view(view))
    }

    fn read_view(view: &View<'_>) -> Self {
        let mut history = Self::new(view.opened());
        while let Some(accepted) = view.find_ruling_data::<AcceptedTurn>(format!("turn-{}/accepted", history.next())) {
            let accepted = AcceptedTurn::clone(&accepted);
            // It was checked before it was accepted, and what the check made of it is kept.
            let rules = history.next_turn_rules(source_path(view.opened()), view.document("source"));
            let rules = DuelTurnRules { told: accepted.told, ..rules };
            type Checked = Result<Arc<Contribution>, Faults>;
            let imported = view.is_imported(&accepted.key);
            let checked = view.parse_statement::<Checked>(&accepted.key, |text| {
                if imported {
                    return rules.parse_imported(text).map(Arc::new);
                }
                let said = rules.parse_accepted(text)?;
                let copies = rules.find_copies(&said);
                Ok(Arc::new(said.with_copy_warnings(&copies)))
            });
            let contribution = checked.and_then(|checked| checked.as_ref().as_ref().ok().cloned());
            let contribution = contribution.map(|said| said.apply_source_checks(&accepted.sources));
            history.turns.push(Turn { accepted, contribution });
        }
        history
    }

    /// Number of the turn that is due, from 1.
    pub fn next(&self) -> u32 {
        self.turns.len() as u32 + 1
    }

    /// Who speaks in turn `number`: they alternate, and the first seat begins.
    pub fn speaker(&self, number: u32) -> Option<&Member> {
        // Elsewhere someone may speak twice in a row; after that they alternate again.
        let place = match (self.taken.get((number as usize).wrapping_sub(1)), self.taken.last()) {
            (Some(place), _) => *place,
            (None, Some(last)) => (last + number as usize - self.taken.len()) % 2,
            (None, None) => (number as usize + 1) % 2,
        };
        self.members.get(place)
    }

    /// Who sits at `seat`.
    pub fn find_member(&self, seat: &Seat) -> Option<&Member> {
        self.members.iter().find(|member| member.seat == *seat)
    }

    /// The latest turn of `member`.
    pub fn latest_turn(&self, member: &Member) -> Option<&Turn> {
        self.turns.iter().rev().find(|turn| turn.accepted.seat == member.seat)
    }

    /// A change of stance, for the ledger: from where to where, and what it cites that nobody cited
    /// before. Without any it is unsupported, which decides nothing and is said.
    pub fn rule_stance_change(&self, speaker: &Member, said: &Contribution) -> Option<Ruling> {
        let from = self.latest_turn(speaker)?.accepted.stance;
        let to = said.stance;
        if from == to {
            return None;
        }
        let earlier = self.turns.iter().filter_map(|turn| turn.contribution.as_ref());
        let cited: BTreeSet<String> = earlier.flat_map(|said| said.support()).map(|s| normalise_claim(s)).collect();
        let new = said.stance_support.iter().filter(|s| !cited.contains(&normalise_claim(s)));
        let new_support: Vec<String> = new.cloned().collect();
        let why = match new_support.len() {
            0 => "without new support".to_owned(),
            1 => "on one new piece of support".to_owned(),
            many => format!("on {many} new pieces of support"),
        };
        let text = format!("{} moves from {} to {} {why}", speaker.name, from.name(), to.name());
        let (seat, unsupported) = (speaker.seat.clone(), new_support.is_empty());
        let change = StanceChange { seat, from, to, new_support, unsupported };
        Some(Ruling::new(RulingKind::Noted, text).with_data(change))
    }

    /// The latest turn of each, where both have spoken.
    fn latest_of_both(&self) -> Option<[&AcceptedTurn; 2]> {
        let [first, second] = self.members.as_slice() else { return None };
        Some([&self.latest_turn(first)?.accepted, &self.latest_turn(second)?.accepted])
    }

    /// What the turn that is due must keep, given path and text of the document.
    pub fn next_turn_rules<'r>(&'r self, path: &'r str, document: Option<&'r str>) -> DuelTurnRules<'r> {
        let speaker = self.speaker(self.next());
        let before = speaker.and_then(|member| self.latest_turn(member));
        let shown =
            || self.turns.iter().filter_map(|turn| Some((&turn.accepted, turn.contribution.as_ref()?.as_ref())));
        let asserted =
            shown().flat_map(|(turn, said)| said.claims().into_iter().map(move |(_, text)| (turn.turn, text)));
        let last = shown().next_back().filter(|(turn, _)| turn.turn + 1 == self.next());
        let of_peer = shown().rev().filter(|(turn, _)| speaker.is_some_and(|own| own.seat != turn.seat));
        DuelTurnRules {
            turn: self.next(),
            before: before.map(|turn| turn.accepted.stance),
            asserted: asserted.collect(),
            said: shown().map(|(turn, said)| (turn.turn, said.searchable_text())).collect(),
            peer_claims: last.into_iter().flat_map(|(turn, said)| said.claim_names(turn.turn)).collect(),
            answerable: of_peer.flat_map(|(turn, said)| said.claim_names(turn.turn)).collect(),
            path,
            document,
            told: false,
        }
    }

    /// Whether both lean to agreement. Advisory: it ends nothing.
    pub fn candidate_convergence(&self) -> bool {
        let leaning = [Stance::Converging, Stance::AcceptingConsensus];
        let both = self.latest_of_both();
        both.is_some_and(|both| both.iter().all(|turn| leaning.contains(&turn.stance)))
    }

    /// How the duel ends now, if it does: before `turns_min` never, after `turns_max` always.
    pub fn find_closing_verdict(&self, turns_min: u32, turns_max: u32) -> Option<ClosingVerdict> {
        let turns = self.turns.len() as u32;
        let over = turns >= turns_max;
        if turns < turns_min && !over {
            return None;
        }
        let both = self.latest_of_both();
        let all = |is: fn(&AcceptedTurn) -> bool| both.is_some_and(|both| both.into_iter().all(is));
        let dissents = |turn: &AcceptedTurn| turn.stance == Stance::Dissenting;
        if all(|turn| turn.stance == Stance::AcceptingConsensus && turn.blocking == 0) {
            return Some(ClosingVerdict::Consensus);
        }
        let is_impasse = turns >= IMPASSE_TURNS_MIN && all(dissents);
        let disagrees = |both: [&AcceptedTurn; 2]| both.into_iter().any(|turn| dissents(turn) || turn.blocking > 0);
        match over {
            _ if is_impasse => Some(ClosingVerdict::Dissent),
            true if both.is_some_and(disagrees) => Some(ClosingVerdict::Dissent),
            true => Some(ClosingVerdict::MaxTurns),
            false => None,
        }
    }
}

/// Where the document lay when the duel was opened.
pub fn source_path(opened: &Opened) -> &str {
    opened.options.get("source_path").and_then(|path| path.as_str()).unwrap_or("source.md")
}
