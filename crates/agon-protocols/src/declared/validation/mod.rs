//! Whether a declaration makes sense: names, seats, maxima, and what refers to what. The first
//! thing that does not is the one message.

mod ends;
mod statement;

use agon_core::{Members, protocol::RoundBounds};

use super::{
    declaration::{Ask, Declaration, DeclaredField, DeclaredPhase, PhaseRounds, SeatDeclared},
    declaration_fault::DeclarationFault,
};

/// Longest name of a protocol, seat, phase, ask or field, in bytes: keys are made of them.
const NAME_BYTES_MAX: usize = 32;
/// Longest line for people, and longest brief of a seat, in characters.
const LINE_CHARS_MAX: usize = 200;
const BRIEF_CHARS_MAX: usize = 2_000;
/// Most seats, the members of a row counted.
pub const SEATS_MAX: u32 = 24;
/// Most phases, and most asks of all of them together.
const PHASES_MAX: usize = 12;
const ASKS_MAX: usize = 24;
/// Most rounds of one phase.
pub const ROUNDS_MAX: u32 = 50;
/// Most requests of a debate, redrafts not counted: as many as a rehearsal follows.
const REQUESTS_MAX: u32 = 2_000;
/// Most fields of a statement, most words to choose from, most entries of a list.
const FIELDS_MAX: usize = 12;
const CHOICES_MAX: usize = 20;
const ENTRIES_MAX: u32 = 20;
/// Most things that can be picked from.
const PICKED_FROM_MAX: u32 = 100;
/// Longest text of a field and longest prose, in characters.
const TEXT_CHARS_MAX: u32 = 4_000;
const PROSE_CHARS_MAX: u32 = 20_000;
/// Longest word to choose, in characters.
const CHOICE_CHARS_MAX: usize = 60;
/// Most tokens of one answer.
const TOKENS_MAX: u32 = 8_000;
/// Largest number that a field may be limited to.
const NUMBER_MAX: f64 = 1e15;

/// Seats that are something else, prompts that are shipped and figures of all asks, and what a
/// statement says of itself.
const RESERVED_SEATS: [&str; 6] = ["clock", "host", "witness", "human", "outside", "you"];
const RESERVED_ASKS: [&str; 3] = ["redraft", "reading", "sources"];
const RESERVED_FIELDS: [&str; 6] = ["ask", "round", "by", "mine", "text", "title"];
/// What keys are made of, with a number after it.
const RESERVED_STEMS: [&str; 4] = ["lap", "round", "redraft", "again"];

type Checked<T = ()> = Result<T, Box<DeclarationFault>>;

/// Checks `declaration`, which was read from `text`.
pub(super) fn check_declaration(text: &str, declaration: &Declaration) -> Checked {
    let check = SoundnessCheck { text, all: declaration };
    check.check_head()?;
    check.check_seats()?;
    check.check_templates()?;
    check.check_phases()?;
    check.check_usage()?;
    check.check_candidates()?;
    check.answer_place()?;
    check.check_outcome()
}

struct SoundnessCheck<'c> {
    text: &'c str,
    all: &'c Declaration,
}

impl SoundnessCheck<'_> {
    fn report_fault(&self, at: &str, message: impl Into<String>, remedy: impl Into<String>) -> Checked {
        Err(DeclarationFault::at_path(self.text, at, message, remedy))
    }

    /// A fault where what must hold does not.
    fn check_condition(&self, holds: bool, at: &str, message: impl Into<String>, remedy: impl Into<String>) -> Checked {
        if holds { Ok(()) } else { self.report_fault(at, message, remedy) }
    }

    fn check_head(&self) -> Checked {
        self.check_name("name", &self.all.name, &[])?;
        self.check_line("summary", Some(&self.all.summary), LINE_CHARS_MAX)?;
        let debate = self.all.phases.iter().filter(|phase| phase.rounds == Some(PhaseRounds::Debate)).count();
        match (&self.all.rounds, debate) {
            (_, 0) => Ok(()),
            (None, _) => self.report_fault(
                "phase",
                "a phase has the rounds of the debate, but there is no maximum of them",
                "add rounds = { default = 2, min = 1, max = 5 } above the first table",
            ),
            (Some(_), 2..) => self.report_fault(
                "phase",
                "two phases have the rounds of the debate",
                "join them to one phase with several asks, or give one a fixed number",
            ),
            (Some(rounds), 1) => {
                let RoundBounds { min, max, default, .. } = *rounds;
                let remedy = format!("choose a minimum of 1 or more and a maximum of {ROUNDS_MAX} or less");
                let is_bounded = min > 0 && max <= ROUNDS_MAX;
                self.check_condition(is_bounded, "rounds", format!("{min} to {max} rounds"), remedy)?;
                let message = format!("{default} by default is not within {min} to {max}");
                let is_within = (min..=max).contains(&default);
                self.check_condition(is_within, "rounds", message, "choose a default between minimum and maximum")
            }
        }
    }

    fn check_seats(&self) -> Checked {
        let seats = &self.all.seats;
        let remedy = "add a [[seat]] with name, role and about";
        self.check_condition(!seats.is_empty(), "seat", "there is no seat", remedy)?;
        let mut count = 0;
        for (i, seat) in seats.iter().enumerate() {
            let at = |key: &str| format!("seat[{i}]{key}");
            self.check_name(&at(".name"), &seat.name, &RESERVED_SEATS)?;
            self.check_line(&at(".about"), Some(&seat.about), LINE_CHARS_MAX)?;
            let most = format!("say it in at most {BRIEF_CHARS_MAX} characters");
            let is_short = seat.brief.chars().count() <= BRIEF_CHARS_MAX;
            self.check_condition(is_short, &at(".brief"), "the brief is too long", most)?;
            let clashes = seats[..i].iter().any(|other| {
                // `expert` and `expert-2` would be one place in a debate.
                let within = |row: &SeatDeclared, name: &str| {
                    row.members.is_some()
                        && name.strip_prefix(&format!("{}-", row.name)).is_some_and(|n| n.parse::<u32>().is_ok())
                };
                other.name == seat.name || within(other, &seat.name) || within(seat, &other.name)
            });
            let message = format!("two seats are called {:?}", seat.name);
            self.check_condition(!clashes, &at(".name"), message, "give each seat a name of its own")?;
            if let Some(Members { min, max, default }) = seat.members {
                let is_bounded = min > 0 && max <= SEATS_MAX && (min..=max).contains(&default);
                let message = format!("{min} to {max} members, {default} by default");
                let remedy = format!("choose 1 to {SEATS_MAX}, and a default between min and max");
                self.check_condition(is_bounded, &at(".members"), message, remedy)?;
                let is_alone = seats[..i].iter().all(|other| other.members.is_none());
                let remedy = "a line-up fills one row; declare the others as single seats";
                self.check_condition(is_alone, &at(".members"), "there is a second row of seats", remedy)?;
            }
            count += seat.members.map_or(1, |members| members.max);
        }
        let (message, most) = (format!("up to {count} seats"), format!("at most {SEATS_MAX} are taken"));
        self.check_condition(count <= SEATS_MAX, "seat", message, most)
    }

    /// What is declared and never used is a slip: most often of a name.
    fn check_usage(&self) -> Checked {
        let of_debate = |phase: &DeclaredPhase| phase.rounds == Some(PhaseRounds::Debate);
        let is_used = self.all.rounds.is_none() || self.all.phases.iter().any(of_debate);
        let remedy = "write rounds = \"debate\" in the phase that is repeated, or take this line out";
        self.check_condition(is_used, "rounds", "no phase has the rounds of the debate", remedy)?;
        self.all.seats.iter().enumerate().try_for_each(|(i, seat)| {
            let is_asked = self.all.asks_with_phases().any(|(_, ask)| ask.seats.contains(&seat.name));
            let message = format!("nobody asks the seat {:?}", seat.name);
            let remedy = "name it in the seats of an ask, or take it out";
            self.check_condition(is_asked, &format!("seat[{i}].name"), message, remedy)
        })
    }

    fn check_templates(&self) -> Checked {
        for (i, template) in self.all.templates.iter().enumerate() {
            let at = format!("template[{i}].name");
            self.check_name(&at, &template.name, &RESERVED_ASKS)?;
            self.check_unique(&at, &template.name, self.all.templates[..i].iter().map(|t| t.name.as_str()))?;
            let has_one = template.text.is_some() != template.file.is_some();
            let message = format!("the template {:?} needs a text or a file", template.name);
            self.check_condition(has_one, &format!("template[{i}]"), message, "write one of the two")?;
        }
        Ok(())
    }

    fn check_phases(&self) -> Checked {
        let phases = &self.all.phases;
        let remedy = "add a [[phase]] with a [[phase.ask]]";
        self.check_condition(!phases.is_empty(), "phase", "there is no phase", remedy)?;
        let is_short = phases.len() <= PHASES_MAX && self.all.asks_with_phases().count() <= ASKS_MAX;
        let most = format!("at most {PHASES_MAX} phases and {ASKS_MAX} asks are taken");
        self.check_condition(is_short, "phase", "there are too many of them", most)?;
        let mut before: Vec<&Ask> = Vec::new();
        let mut requests = 0_u32;
        for (p, phase) in phases.iter().enumerate() {
            let at = |key: &str| format!("phase[{p}]{key}");
            self.check_name(&at(".name"), &phase.name, &[])?;
            self.check_unique(&at(".name"), &phase.name, phases[..p].iter().map(|other| other.name.as_str()))?;
            self.check_line(&at(".title"), phase.title.as_deref(), LINE_CHARS_MAX)?;
            let rounds = self.count_rounds(p, phase)?;
            let message = format!("the phase {:?} asks nobody", phase.name);
            self.check_condition(!phase.asks.is_empty(), &at(""), message, "add a [[phase.ask]] below it")?;
            for (a, ask) in phase.asks.iter().enumerate() {
                let at = format!("phase[{p}].ask[{a}]");
                self.check_ask(&at, ask, &before)?;
                before.push(ask);
                let answers = self.seats_of(ask).1.saturating_mul(ask.samples.unwrap_or(1));
                requests = requests.saturating_add(rounds.saturating_mul(answers));
            }
            if let Some(until) = &phase.until {
                self.check_until(&at(".until"), phase, until)?;
            }
        }
        let message = format!("up to {requests} answers are asked for");
        let remedy = format!("allow fewer rounds or seats; at most {REQUESTS_MAX} are taken");
        self.check_condition(requests <= REQUESTS_MAX, "phase", message, remedy)
    }

    /// Most rounds of a phase.
    fn count_rounds(&self, p: usize, phase: &DeclaredPhase) -> Checked<u32> {
        let at = |key: &str| format!("phase[{p}]{key}");
        Ok(match phase.rounds {
            None => {
                let message = format!("the phase {:?} has no maximum of rounds", phase.name);
                let remedy = "add rounds = 5, or rounds = \"debate\"";
                self.check_condition(phase.until.is_none(), &at(".until"), message, remedy)?;
                1
            }
            Some(PhaseRounds::Debate) => self.all.rounds.as_ref().map_or(1, |rounds| rounds.max),
            Some(PhaseRounds::Fixed(rounds)) => {
                let (message, remedy) = (format!("{rounds} rounds"), format!("choose 1 to {ROUNDS_MAX}"));
                self.check_condition((1..=ROUNDS_MAX).contains(&rounds), &at(".rounds"), message, remedy)?;
                rounds
            }
        })
    }

    fn field_of<'a>(&self, at: &str, ask: &'a Ask, name: &str) -> Checked<&'a DeclaredField> {
        ask.find_field(name).ok_or_else(|| {
            let known: Vec<&str> = ask.fields.iter().map(|field| field.name.as_str()).collect();
            let remedy = match known.is_empty() {
                true => "it is answered in prose".into(),
                false => format!("its fields are {}", known.join(", ")),
            };
            DeclarationFault::at_path(self.text, at, format!("{:?} has no field {name:?}", ask.name), remedy)
        })
    }

    fn known_ask(&self, at: &str, name: &str) -> Checked<&Ask> {
        self.all.find_ask(name).ok_or_else(|| {
            let known: Vec<&str> = self.all.asks_with_phases().map(|(_, ask)| ask.name.as_str()).collect();
            let remedy = format!("the asks are {}", known.join(", "));
            DeclarationFault::at_path(self.text, at, format!("there is no ask {name:?}"), remedy)
        })
    }

    /// Fewest and most seats that `ask` asks.
    fn seats_of(&self, ask: &Ask) -> (u32, u32) {
        let seats = ask.seats.iter().filter_map(|name| self.all.find_seat(name));
        let members = seats.map(|seat| seat.members.map_or((1, 1), |members| (members.min, members.max)));
        members.fold((0, 0), |(least, most), (min, max)| (least + min, most + max))
    }

    fn check_name(&self, at: &str, name: &str, reserved: &[&str]) -> Checked {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_short = name.len() <= NAME_BYTES_MAX;
        let is_allowed = is_short && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain);
        let shown: String = name.chars().take(80).collect();
        let remedy = format!("begin with a letter and use 1 to {NAME_BYTES_MAX} of a-z, 0-9 and -");
        self.check_condition(is_allowed, at, format!("the name {shown:?} is not allowed"), remedy)?;
        let numbered = name.rsplit_once('-').filter(|(_, number)| number.parse::<u32>().is_ok());
        let stem = numbered.is_some_and(|(stem, _)| RESERVED_STEMS.contains(&stem));
        let message = format!("the name {name:?} means something else here");
        self.check_condition(!reserved.contains(&name) && !stem, at, message, "choose another name")
    }

    fn check_unique<'o>(&self, at: &str, name: &str, mut others: impl Iterator<Item = &'o str>) -> Checked {
        let is_new = others.all(|other| other != name);
        self.check_condition(is_new, at, format!("{name:?} is there already"), "use each name once")
    }

    /// Whether a text, where there is one, is a line that is not too long.
    fn check_line(&self, at: &str, text: Option<&str>, chars_max: usize) -> Checked {
        let is_line = text.is_none_or(|text| {
            !text.trim().is_empty() && text.chars().count() <= chars_max && !text.contains(char::is_control)
        });
        let remedy = format!("write one line of 1 to {chars_max} characters");
        self.check_condition(is_line, at, "it is empty, too long, or not one line", remedy)
    }

    fn check_choice_words(&self, at: &str, words: &[String]) -> Checked {
        let (message, remedy) = (format!("{} to choose from", words.len()), format!("name 2 to {CHOICES_MAX}"));
        self.check_condition((2..=CHOICES_MAX).contains(&words.len()), at, message, remedy)?;
        words.iter().enumerate().try_for_each(|(w, word)| {
            let at = format!("{at}[{w}]");
            self.check_line(&at, Some(word), CHOICE_CHARS_MAX)?;
            let lower = word.to_lowercase();
            let is_new = words[..w].iter().all(|other| other.to_lowercase() != lower) && word.trim() == word;
            let message = format!("{word:?} is there already, or has blanks around it");
            self.check_condition(is_new, &at, message, "use each word once")
        })
    }

    /// Whether a number, where there is one, is within these bounds.
    fn check_range(&self, at: &str, number: impl Into<Option<f64>>, min: f64, max: f64) -> Checked {
        let Some(number) = number.into() else { return Ok(()) };
        let message = format!("{number} is not within {min} and {max}");
        self.check_condition((min..=max).contains(&number), at, message, "choose a number between them")
    }
}
