//! How a debate was conducted: who sat where, which model really answered, and what did not work.
//!
//! Texts are given as they are; the code that writes them to a file escapes them.

mod hidden;
mod loss;

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{
    AbsentSeat, Answered, Event, Key, Record, Reply, Role, Ruling, RulingKind, Seat, SeatModel, View, Warnings,
};
use agon_protocols::common::lineup;
use agon_text::{agree_with, count_noun};

pub(crate) use self::loss::describe_losses;
pub use agon_protocols::common::family::model_family;

/// A seat, who was to answer there, and who did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSummary {
    /// The seat.
    pub seat: Seat,
    /// Name shown to readers, where it differs.
    pub name: Option<String>,
    /// What it is there for, by the debate's protocol; `None` where that is not known.
    pub role: Option<Role>,
    /// The model as the user named it; empty for a seat that the line-up does not hold.
    pub asked: String,
    /// Who really answered: model, or participant where none is known; each once.
    pub answered: BTreeSet<String>,
}

impl SeatSummary {
    /// What readers call it.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(self.seat.as_str())
    }
}

/// The name of the participant at `seat`: as the line-up was ruled, or as the debate was opened; `None`
/// where it has none.
pub fn participant_name(record: &Record, seat: &Seat) -> Option<String> {
    let members = lineup::ruled_members(&View::of_whole_record(record));
    let member = members.into_iter().find(|member| member.seat == *seat);
    let named = member.map(|member| member.name).filter(|name| !name.is_empty());
    let opened = || record.opened().lineup.iter().find(|sat| sat.seat == *seat)?.name.clone();
    named.or_else(opened)
}

/// What readers call `seat`.
pub fn display_name(record: &Record, seat: &Seat) -> String {
    participant_name(record, seat).unwrap_or_else(|| seat.to_string())
}

/// What seats are there for, by the debate's protocol; `None` of a seat that it does not know.
pub(crate) fn seat_roles(record: &Record) -> impl Fn(&Seat) -> Option<Role> {
    let manifest = agon_protocols::find_recorded_protocol(record).ok().map(|protocol| protocol.manifest());
    move |seat| manifest?.find_seat(seat.as_str()).map(|spec| spec.role)
}

/// Whether the debate was opened with a seat of `role`.
pub(crate) fn has_role(record: &Record, role: Role) -> bool {
    let roles = seat_roles(record);
    record.opened().lineup.iter().any(|sat| roles(&sat.seat) == Some(role))
}

/// Every seat of the line-up, in its order.
pub fn list_seat_summaries(record: &Record) -> Vec<SeatSummary> {
    let role = seat_roles(record);
    let members = lineup::ruled_members(&View::of_whole_record(record));
    let sat = lineup::list_taken_seats(record.opened(), &members).into_iter().map(|seat| SeatSummary {
        seat: seat.seat.clone(),
        name: participant_name(record, &seat.seat),
        role: role(&seat.seat),
        asked: seat.model.clone(),
        answered: list_answerers(record, &seat.seat, |_| true),
    });
    sat.collect()
}

/// Who answered at `seat`, by the answers that count.
fn list_answerers(record: &Record, seat: &Seat, counts: impl Fn(&Answered) -> bool) -> BTreeSet<String> {
    let said = spoken_answers(record).filter(|(_, at, answer)| *at == seat && counts(answer));
    said.map(|(.., answer)| answer.by.model.as_ref().unwrap_or(&answer.by.participant).clone()).collect()
}

/// Seats that did not answer when they were asked, one line each, whether they answered later or
/// not: by ruling, and where the protocol ruled nothing, by the result of the request.
pub fn describe_absences(record: &Record) -> Vec<String> {
    let view = View::of_whole_record(record);
    let ruled: Vec<_> = view.rulings_of_kind(RulingKind::Absent).map(|(_, ruling)| ruling).collect();
    let absent: Vec<AbsentSeat> = ruled.iter().filter_map(|ruling| ruling.decode_data()).collect();
    let is_ruled = |seat: &Seat| absent.iter().any(|absent| absent.seat == *seat);
    let failed = record.entries().iter().filter_map(|entry| {
        let Event::Asked(request) = &entry.what else { return None };
        let why = match &record.find_answer(&request.key)?.1.reply {
            Reply::Failed(failed) => failed.detail.as_str(),
            Reply::Elapsed => "no answer in time",
            Reply::Said { .. } => return None,
        };
        // A clock that elapses has done what it was asked.
        let is_wanted = !request.prompt.is_empty() && !is_ruled(&request.seat);
        is_wanted.then(|| format!("{} did not answer: {why}", display_name(record, &request.seat)))
    });
    ruled.iter().map(|ruling| ruling.text.clone()).chain(failed).collect()
}

/// What else a reader should know before the rest, one line each.
pub fn describe_troubles(record: &Record) -> Vec<String> {
    let mut troubles = own_judges(record);
    for seat in &record.opened().lineup {
        let SeatModel { seat, model, .. } = seat;
        // What stood in files of other programs was asked of nobody here.
        let (own, others): (Vec<&str>, Vec<&str>) = spoken_answers(record)
            .filter(|(_, at, answer)| *at == seat && !answer.is_imported())
            .map(|(.., answer)| answer.by.participant.as_str())
            // Anyone may be outside.
            .partition(|by| *by == model || (model == "outside" && by.starts_with("outside:")));
        let others = BTreeSet::from_iter(others).into_iter().collect::<Vec<_>>().join(", ");
        let seat = display_name(record, seat);
        if !others.is_empty() {
            let what = if own.is_empty() { "answered" } else { "sometimes answered instead" };
            troubles.push(format!("{seat}: {model} was assigned, but {others} {what}."));
        }
    }
    let lineup = &record.opened().lineup;
    let place = |seat: &Seat| lineup.iter().position(|sat| sat.seat == *seat).unwrap_or(lineup.len());
    // In the order of the line-up and then of their names.
    let mut redrafts: BTreeMap<(usize, &Seat), usize> = BTreeMap::new();
    list_redrafts(record).for_each(|(_, seat)| *redrafts.entry((place(seat), seat)).or_default() += 1);
    if !redrafts.is_empty() {
        let by_seat = redrafts.iter().map(|((_, seat), count)| format!("{} {count}", display_name(record, seat)));
        let by_seat = by_seat.collect::<Vec<_>>().join(", ");
        let what = count_noun(redrafts.values().sum::<usize>(), "answer had", "answers had");
        troubles.push(format!("{what} to be requested again: {by_seat}."));
    }
    let shortened = record.answers().filter(|(_, answer)| answer.shortened > 0).count();
    if shortened > 0 {
        let what = count_noun(shortened, "prompt", "prompts");
        troubles.push(format!(
            "In {what}, the oldest statements were shortened to their claims, to fit the model's context."
        ));
    }
    let redacted = View::of_whole_record(record).rulings_of_kind(RulingKind::Redacted).count();
    if redacted > 0 {
        troubles.push(format!("{} redacted and may not be shown.", count_noun(redacted, "text was", "texts were")));
    }
    troubles.extend(hidden::describe_hidden_characters(record));
    let warnings = list_warnings(record).len();
    if warnings > 0 {
        let verb = agree_with(&warnings, "was", "were");
        troubles.push(format!("There {verb} {}.", count_noun(warnings, "warning", "warnings")));
    }
    troubles
}

/// What did not work, one line each: it comes before anything else that a reader relies on.
pub fn list_troubles(record: &Record) -> Vec<String> {
    [describe_absences(record), describe_troubles(record)].concat()
}

/// Every warning, in the protocol's order: what it was about, and the warning.
pub fn list_warnings(record: &Record) -> Vec<(&str, String)> {
    let view = View::of_whole_record(record);
    let named = view.rulings_of_kind(RulingKind::Warned).flat_map(|(key, ruling)| {
        let of = key.as_str().strip_suffix("/warned").unwrap_or(key.as_str());
        let each = match ruling.decode_data() {
            Some(Warnings { warnings, .. }) if !warnings.is_empty() => warnings,
            _ => vec![ruling.text.clone()],
        };
        each.into_iter().map(move |text| (of, text))
    });
    named.collect()
}

/// Whether a ruling tells a reader nothing that what was said has not: that an answer was taken, that
/// nothing was found.
pub fn is_routine(key: &Key, ruling: &Ruling) -> bool {
    let taken = ["/accepted", "/arguments", "/reviewed"].iter().any(|end| key.as_str().ends_with(end));
    let nothing = key.as_str().ends_with("/findings") && ruling.text == "no findings";
    ruling.kind == RulingKind::Noted && (taken || nothing)
}

/// Says so where a model judged what it had written itself, or what one of its family had.
pub(crate) fn own_judges(record: &Record) -> Vec<String> {
    let mut seats = list_seat_summaries(record);
    // Nobody knows which models spoke in files of other programs.
    seats.iter_mut().for_each(|sat| sat.answered = list_answerers(record, &sat.seat, |it| !it.is_imported()));
    let judges: Vec<&SeatSummary> =
        seats.iter().filter(|sat| sat.role == Some(Role::Judge) && !sat.answered.is_empty()).collect();
    let debaters: Vec<&SeatSummary> =
        seats.iter().filter(|sat| sat.role.unwrap_or(Role::Debater) == Role::Debater).collect();
    let mut told = Vec::new();
    for judge in &judges {
        let (own, others): (Vec<&SeatSummary>, Vec<&SeatSummary>) =
            debaters.iter().partition(|sat| !sat.answered.is_disjoint(&judge.answered));
        let model = judge.answered.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let titles =
            |of: Vec<&SeatSummary>| of.into_iter().map(SeatSummary::title).collect::<Vec<_>>().join(" and the ");
        let which = if judges.len() > 1 { format!(" as {}", judge.seat) } else { String::new() };
        let kin: BTreeSet<&str> = judge.answered.iter().filter_map(|model| model_family(model)).collect();
        let mut related = others;
        related.retain(|sat| sat.answered.iter().filter_map(|model| model_family(model)).any(|of| kin.contains(of)));
        if !own.is_empty() {
            told.push(format!("The same model ({model}) spoke for the {} and judged{which}.", titles(own)));
        } else if !related.is_empty() {
            told.push(format!(
                "The judge ({model}){which} is of the same family as the {}; both make similar mistakes.",
                titles(related)
            ));
        }
    }
    told
}

/// Answers that are someone's words, each with its entry and the seat that was asked.
pub(crate) fn spoken_answers(record: &Record) -> impl Iterator<Item = (u64, &Seat, &Answered)> {
    let spoken = record.answers().filter(|(_, answer)| matches!(answer.reply, Reply::Said { .. }));
    spoken.filter_map(|(seq, answer)| Some((seq, &record.find_request(&answer.key)?.1.seat, answer)))
}

/// Requests that asked for an answer again, with their entries.
fn list_redrafts(record: &Record) -> impl Iterator<Item = (u64, &Seat)> {
    record.entries().iter().filter_map(|entry| match &entry.what {
        Event::Asked(request) if request.redraft.is_some() => Some((entry.seq, &request.seat)),
        _ => None,
    })
}
