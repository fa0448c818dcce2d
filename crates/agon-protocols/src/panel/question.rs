//! The moderator's next step: a question to one panelist, or the word that none is left.
//!
//! Rules Q1 to Q8 are those of the panel format; how a question is worded is for [`super::wording`]. One
//! that keeps breaking them is replaced by one of the program's, which quotes the claim; none is ever cut.

use agon_core::{Faults, Key, Seat};
use agon_text::count_words;
use serde_json::Value;

use super::{
    demand::Demand,
    disagreement::{Disagreement, DisagreementState},
    speech::{QUOTE_WORDS_MAX, QUOTE_WORDS_MIN, Speech, plain, quotations, trimmed},
    state::{Panel, PanelQuestion, Panelist},
    wording::{self, QUESTION_WORDS_BELOW, outside},
};
use crate::common::form::{Form, Kind, Reader, choice, field, text};

/// Quotations in a question that are shorter may be terms and need not be anybody's words.
const QUOTATION_WORDS_CHECKED: usize = 4;
/// Most passages that a question to one panelist may quote.
const QUOTES_EACH_MAX: usize = 24;
/// Most passages that the moderator is offered for quoting.
const OFFERED_MAX: usize = 64;

/// The rule that everybody is asked something.
pub const TURNS: &str = "turns";

/// The question of the program to a third panelist.
const THIRD: &str =
    "Which of the two does evidence from your own field bear out, and what would show the other?";

/// What the moderator wants next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextQuestion {
    /// One question to one panelist.
    Ask(PanelQuestion),
    /// No question would bring new reasoning (S4).
    Stop,
}

impl NextQuestion {
    /// The same, where the question is the moderator's own, as found in the answer `key`.
    pub fn said_by(self, key: &Key) -> Self {
        match self {
            NextQuestion::Ask(asked) => {
                NextQuestion::Ask(PanelQuestion { of: asked.of.map(|_| key.clone()), ..asked })
            }
            NextQuestion::Stop => NextQuestion::Stop,
        }
    }
}

/// The rules for the next step of one panel.
#[derive(Debug, Clone, Copy)]
pub struct Routing<'p> {
    /// Where it stands.
    pub panel: &'p Panel,
    /// Set for the first question, which is about the most productive disagreement.
    pub first: bool,
    /// Exchanges that are left, this one included.
    pub left: u32,
}

/// What a next step may name, in the order in which it is offered.
#[derive(Default)]
struct Offer<'o> {
    disagreements: Vec<&'o str>,
    target: Option<&'o str>,
    quotes: Vec<&'o str>,
}

impl Routing<'_> {
    /// The next step: for each panelist who may be asked, what others said. What the program would do
    /// stands first in each list.
    pub fn steps(&self) -> Kind {
        let due = self.template();
        let quotes = self.quotes(&due);
        let mut targets: Vec<&Panelist> = self.panel.speakers().collect();
        targets.sort_by_key(|target| target.seat != due.seat);
        let steps = targets.iter().filter_map(|target| {
            let mut askable = self.panel.askable(target, self.left);
            let may =
                |about: &&Disagreement| self.panel.may_want_a_third(about) && !about.concerns(&target.seat);
            askable.extend(self.panel.disagreements.iter().filter(may));
            // Anybody may be a side of what the first question is about: the answer that asks it names that.
            if askable.is_empty() && !self.first {
                return None;
            }
            let ids: Vec<&str> = askable.iter().map(|about| about.id.as_str()).collect();
            let first = Some(due.disagreement.as_str()).filter(|id| ids.contains(id));
            let form = self.form(Offer {
                disagreements: first.into_iter().chain(ids.iter().copied()).collect(),
                target: Some(target.name.as_str()),
                quotes: self.offered(target, &quotes),
            });
            (!form.is_empty_somewhere()).then_some(form)
        });
        Kind::AnyOf(steps.collect())
    }

    /// The form of a next step that may name what `offer` says.
    fn form(&self, offer: Offer<'_>) -> Form {
        let course = [
            field("action", choice(["ask", "stop"])).rule("S4"),
            field("disagreement", choice(each_once(offer.disagreements))).rule("Q6"),
        ];
        let question = [
            field("target", reference(offer.target)).rule("Q6"),
            field("quote", reference(offer.quotes)).rule("Q2"),
        ];
        let demands = field("demands", choice(Demand::ALL.map(|(word, _)| word))).optional();
        let fields = course.into_iter().filter(|_| !self.first).chain(question);
        Form::new("Q3", fields.chain([demands, field("question", text(20, 600))]))
    }

    /// What a question to `target` may quote, as many passages of each other panelist as there are.
    fn offered<'q>(&self, target: &Panelist, quotes: &'q [String]) -> Vec<&'q str> {
        let others: Vec<&Panelist> =
            self.panel.speakers().filter(|other| other.seat != target.seat).collect();
        let said_by = |other: &Panelist, quote: &&String| self.panel.said.by(&other.seat, quote);
        let mut each: Vec<Vec<&str>> = others
            .iter()
            .map(|other| quotes.iter().filter(|quote| said_by(other, quote)).map(String::as_str).collect())
            .collect();
        let first =
            |own: &Vec<&str>| own.first().and_then(|own| quotes.iter().position(|quote| quote == own));
        each.sort_by_key(|own| first(own).unwrap_or(quotes.len()));
        let longest = each.iter().map(Vec::len).max().unwrap_or(0);
        let mut offered: Vec<&str> = Vec::new();
        for quote in (0..longest).flat_map(|at| each.iter().filter_map(move |own| own.get(at))) {
            if !offered.contains(quote) && offered.len() < QUOTES_EACH_MAX {
                offered.push(quote);
            }
        }
        offered
    }

    /// Passages that a question may quote: what the program would, the claims, and what was said
    /// last.
    fn quotes(&self, due: &PanelQuestion) -> Vec<String> {
        let mut quotes: Vec<String> = self.passage(&due.disagreement, &due.seat).into_iter().collect();
        let active = self.panel.active().chain(&self.panel.disagreements);
        quotes.extend(active.flat_map(|d| &d.claims).map(|claim| trimmed(&claim.quote)));
        let latest = self.panel.said.turns().iter().rev();
        quotes.extend(latest.flat_map(|turn| turn.speech.passages()));
        quotes
    }

    /// Reads the next step out of `value`, which stands `at` a path of the answer.
    pub fn read(&self, value: &Value, at: &str, faults: &mut Faults) -> NextQuestion {
        // Faults name every disagreement; whom it concerns and whose words are quoted is checked below.
        let disagreements = self.panel.disagreements.iter().map(|about| about.id.as_str()).collect();
        let form = self.form(Offer { disagreements, ..Offer::default() });
        let Some(fields) = form.reader(value, at, faults) else { return NextQuestion::Stop };
        if !self.first && fields.text("action", faults) == "stop" {
            let unmet = self.panel.unmet(self.left);
            if !unmet.is_empty() {
                let message =
                    format!("the panel cannot stop yet. {}. Ask another question", unmet.join(". "));
                let waits = self.panel.active().next().is_none();
                faults.add(if waits { TURNS } else { "stop" }, fields.path("action"), message);
            }
            return NextQuestion::Stop;
        }
        let about = self.about(&fields, faults);
        let target = fields.text("target", faults);
        let quote = trimmed(&fields.text("quote", faults));
        let question = fields.text("question", faults);
        let Some(seat) = self.seat(&target, &fields.path("target"), faults) else {
            return NextQuestion::Stop;
        };
        if !self.first {
            self.check_target(&seat, about, &fields, faults);
        } else if let Some(about) = about.filter(|about| !about.concerns(&seat)) {
            let sides = about.claims.each_ref().map(|claim| self.panel.name(&claim.seat));
            let message = format!(
                "{target} is no side of {}; ask the one whose position is challenged, {} or {}",
                about.id, sides[0], sides[1]
            );
            faults.add("Q8", fields.path("target"), message);
        }
        let demands = fields.word::<Demand>("demands", faults);
        let question = self.compose(&seat, &quote, &question, &fields, faults);
        let disagreement = about.map(|about| about.id.clone()).unwrap_or_default();
        // The caller knows which answer this stands in.
        let of = Some(Key::of(super::MODERATOR));
        NextQuestion::Ask(PanelQuestion { disagreement, seat, question, of, demands })
    }

    /// Whether this panelist can be asked about this disagreement now.
    fn check_target(
        &self,
        seat: &Seat,
        about: Option<&Disagreement>,
        fields: &Reader<'_, '_>,
        faults: &mut Faults,
    ) {
        let panel = self.panel;
        let (Some(about), Some(target)) = (about, panel.panelist(seat)) else { return };
        let due = panel.due(self.left);
        if !due.is_empty() && !due.iter().any(|p| p.seat == *seat) {
            let names: Vec<&str> = due.iter().map(|p| p.name.as_str()).collect();
            let message = format!("nobody has asked {} anything yet; ask now", names.join(" or "));
            faults.add(TURNS, fields.path("target"), message);
            return;
        }
        if panel.askable(target, self.left).iter().any(|other| other.id == about.id) {
            return;
        }
        if about.concerns(seat) {
            let open: Vec<&str> = panel.active().map(|d| d.id.as_str()).collect();
            let open = if open.is_empty() { "what is left".to_owned() } else { open.join(" or ") };
            let message = format!("{} is settled or left; ask about {open}", about.id);
            faults.add("S1", fields.path("disagreement"), message);
            return;
        }
        let sides = about.claims.each_ref().map(|claim| panel.name(&claim.seat));
        let message = format!(
            "{} is no side of {}; ask the one whose position is challenged, {} or {}",
            target.name, about.id, sides[0], sides[1]
        );
        faults.add("Q8", fields.path("target"), message);
    }

    fn about(&self, fields: &Reader<'_, '_>, faults: &mut Faults) -> Option<&Disagreement> {
        if self.first {
            return self.panel.disagreements.first();
        }
        self.panel.disagreement(&fields.text("disagreement", faults))
    }

    /// The one panelist that is called `name`.
    fn seat(&self, name: &str, at: &str, faults: &mut Faults) -> Option<Seat> {
        let speakers: Vec<_> = self.panel.speakers().collect();
        let found = speakers.iter().find(|p| p.name.eq_ignore_ascii_case(name) || p.seat.as_str() == name);
        if found.is_none() && !name.is_empty() {
            let names: Vec<&str> = speakers.iter().map(|p| p.name.as_str()).collect();
            faults.add("Q6", at, format!("{name:?} is nobody of the panel; ask one of {}", names.join(", ")));
        }
        found.map(|p| p.seat.clone())
    }

    /// The question with the claim that it quotes, checked.
    fn compose(
        &self,
        seat: &Seat,
        quote: &str,
        asked: &str,
        fields: &Reader<'_, '_>,
        faults: &mut Faults,
    ) -> String {
        let panel = self.panel;
        let others: Vec<&Panelist> = panel.speakers().filter(|p| p.seat != *seat).collect();
        let owner = others.iter().find(|p| panel.said.by(&p.seat, quote));
        let (quote_at, at) = (fields.path("quote"), fields.path("question"));
        let count = count_words(quote);
        if quote.is_empty() || asked.is_empty() {
            return String::new();
        }
        let from_the_floor = panel.interjections.iter().find(|one| Speech::of(&one.text).holds(quote));
        // A participant who says two words can be quoted with two.
        let whole = || panel.said.turns().iter().any(|turn| trimmed(&turn.speech.plain) == quote);
        if count > QUOTE_WORDS_MAX || (count < QUOTE_WORDS_MIN && !whole()) {
            let message =
                format!("the quote has {count} words; quote {QUOTE_WORDS_MIN} to {QUOTE_WORDS_MAX} of them");
            faults.add("Q2", &quote_at, message);
        } else if owner.is_none() && from_the_floor.is_none() && panel.said.by(seat, quote) {
            let name = panel.name(seat);
            faults.add(
                "Q2",
                &quote_at,
                format!("{name} said that; quote the claim of somebody else that {name} must meet"),
            );
        } else if owner.is_none() && from_the_floor.is_none() {
            let near = others.iter().find_map(|p| panel.said.nearest(&p.seat, quote)).unwrap_or_default();
            let message = format!(
                "nobody else said {quote:?}; copy words of the transcript exactly, for example {near:?}"
            );
            faults.add("Q2", &quote_at, message);
        }
        let asked_from_the_floor =
            |quotation: &str| panel.interjections.iter().any(|one| Speech::of(&one.text).holds(quotation));
        for quotation in quotations(asked) {
            if count_words(&quotation) >= QUOTATION_WORDS_CHECKED
                && panel.said.whose(&quotation).is_none()
                && !asked_from_the_floor(&quotation)
            {
                faults.add(
                    "Q2",
                    &at,
                    format!("nobody said {quotation:?}; quote exactly, or leave the quotation marks out"),
                );
            }
        }
        let by = owner.map(|owner| owner.name.as_str()).or(from_the_floor.map(|one| one.by.as_str()));
        let question = match (plain(asked).contains(quote), by) {
            (false, Some(by)) => format!("{by} said: \"{}\" {asked}", quote.replace('"', "'")),
            _ => asked.to_owned(),
        };
        let names: Vec<&str> = others.iter().map(|other| other.name.as_str()).collect();
        let known = self.material(seat, quote);
        for (rule, message) in wording::faults(&question, asked, panel.name(seat), &names, &known) {
            faults.add(rule, &at, message);
        }
        let mut earlier = panel.exchanges.iter().map(|exchange| &exchange.asked).filter(|e| e.seat == *seat);
        if let Some(earlier) = earlier.find(|e| wording::is_alike(&e.question, &question)) {
            let message = format!(
                "{} was asked nearly the same before ({:?}); ask for something else, or somebody else",
                panel.name(seat),
                outside(&earlier.question)
            );
            faults.add("Q4", &at, message);
        }
        question
    }

    /// What a question to `seat` can take up: the quote, what was disagreed about and what they said.
    fn material(&self, seat: &Seat, quote: &str) -> String {
        let panel = self.panel;
        let mut texts = vec![quote.to_owned()];
        texts.extend(panel.disagreements.iter().map(|about| about.topic.clone()));
        texts.extend(panel.said.turns().iter().map(|turn| turn.speech.plain.clone()));
        texts.extend(panel.panelist(seat).map(|target| target.role.clone()));
        texts.extend(panel.interjections.iter().map(|one| one.text.clone()));
        texts.join(" ")
    }

    /// The question of the program: about evidence that waits for an answer, or the most productive
    /// disagreement, to the side that was asked least about it; first to those who have to be asked now.
    pub fn template(&self) -> PanelQuestion {
        let panel = self.panel;
        let left = || panel.disagreements.iter().find(|d| d.state != DisagreementState::Converged);
        let is_active =
            |id: &str| panel.disagreement(id).is_some_and(|d| d.state == DisagreementState::Active);
        let due = panel.due(self.left);
        let waiting = panel.unanswered.iter().find(|w| is_active(&w.disagreement));
        let waiting = waiting.filter(|w| due.is_empty() || due.iter().any(|p| p.seat == w.to));
        if let Some(third) = self.third(&due, waiting.is_some()) {
            return third;
        }
        let about = waiting.and_then(|w| panel.disagreement(&w.disagreement));
        let owed = || panel.active().find(|about| due.iter().any(|p| about.concerns(&p.seat)));
        let about = about.or_else(owed).or_else(|| panel.active().next());
        let Some(about) = about.or_else(left).or(panel.disagreements.last()) else {
            unreachable!("questions are asked about disagreements only");
        };
        let asked_of = |seat: &Seat| {
            let about = panel.exchanges.iter().filter(|e| e.asked.disagreement == about.id);
            about.filter(|exchange| exchange.asked.seat == *seat).count()
        };
        let [one, other] = &about.claims;
        let least = if asked_of(&other.seat) <= asked_of(&one.seat) { other } else { one };
        let owed = due.iter().find(|p| about.concerns(&p.seat)).map(|p| &p.seat);
        let seat = waiting.map_or(owed.unwrap_or(&least.seat), |w| &w.to).clone();
        let quote = self.passage(&about.id, &seat).unwrap_or_default();
        let against = about.against(&seat).map_or("", |claim| panel.name(&claim.seat));
        let own = about.claims.iter().find(|claim| claim.seat == seat);
        let demand = self.unasked(&seat);
        let ask = demand.question();
        let both = own.map(|own| format!("{} {} {ask}", said(against, &quote), said("You", &own.quote)));
        let both = both.filter(|question| count_words(question) < QUESTION_WORDS_BELOW);
        let question = both.unwrap_or_else(|| format!("{} {ask}", said(against, &quote)));
        PanelQuestion { disagreement: about.id.clone(), seat, question, of: None, demands: Some(demand) }
    }

    /// What `seat` has not been asked for yet by the program.
    fn unasked(&self, seat: &Seat) -> Demand {
        let questions = self.panel.exchanges.iter().filter(|e| e.asked.seat == *seat);
        let questions: Vec<&str> = questions.map(|exchange| exchange.asked.question.as_str()).collect();
        let mut demands = Demand::ALL.into_iter().map(|(_, demand)| demand);
        let new = demands.find(|demand| !questions.iter().any(|asked| asked.ends_with(demand.question())));
        new.unwrap_or(Demand::Evidence)
    }

    /// The question of the program to a third panelist, where one has to be asked now.
    fn third(&self, due: &[&Panelist], waits: bool) -> Option<PanelQuestion> {
        let panel = self.panel;
        let third = due
            .iter()
            .find(|panelist| !waits && !panel.active().any(|about| about.concerns(&panelist.seat)))?;
        let tie = panel.disagreements.iter().find(|d| panel.wants_a_third(d) && !d.concerns(&third.seat));
        let about = panel.active().next().or(tie)?;
        let sides =
            about.claims.each_ref().map(|claim| said(panel.name(&claim.seat), &trimmed(&claim.quote)));
        let both = format!("{} {} {THIRD}", sides[0], sides[1]);
        let names = about.claims.each_ref().map(|claim| panel.name(&claim.seat));
        let question = match count_words(&both) < QUESTION_WORDS_BELOW {
            true => both,
            false => format!("{} {} holds the opposite. {THIRD}", sides[0], names[1]),
        };
        let (disagreement, seat) = (about.id.clone(), third.seat.clone());
        Some(PanelQuestion { disagreement, seat, question, of: None, demands: Some(Demand::Evidence) })
    }

    /// What the side against `seat` said last on a disagreement: its claim, or of its answers the
    /// passage nearest to the point.
    fn passage(&self, id: &str, seat: &Seat) -> Option<String> {
        let panel = self.panel;
        let about = panel.disagreement(id)?;
        let against = about.against(seat)?;
        let theirs =
            |e: &&super::state::Examination| e.asked.disagreement == id && e.asked.seat == against.seat;
        let last = panel.exchanges.iter().rev().filter(theirs).find_map(|exchange| exchange.answer.as_ref());
        let said =
            last.and_then(|answer| panel.said.of(&against.seat).find(|turn| turn.round == answer.round));
        let evidence = panel.unanswered.iter().find(|w| w.to == *seat).map(|w| w.evidence.as_str());
        let passage = said.and_then(|turn| turn.speech.nearest(evidence.unwrap_or(&about.topic)));
        Some(passage.unwrap_or_else(|| trimmed(&against.quote)))
    }
}

fn said(who: &str, quote: &str) -> String {
    format!("{who} said: \"{}\"", quote.replace('"', "'"))
}

/// `values`, each once, and not more than are offered.
pub fn each_once<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<&'v str> {
    let mut each: Vec<&str> = values.into_iter().filter(|value| !value.is_empty()).collect();
    let mut seen = std::collections::BTreeSet::new();
    each.retain(|value| seen.insert(*value));
    each.truncate(OFFERED_MAX);
    each
}

/// A reference to one of `values`.
pub fn reference<'v>(values: impl IntoIterator<Item = &'v str>) -> Kind {
    Kind::Reference(each_once(values).into_iter().map(str::to_owned).collect())
}
