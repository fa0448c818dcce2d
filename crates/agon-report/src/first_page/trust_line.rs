//! One line on how far an outcome can be trusted: who judged and in how many orders, which sources were verified, what
//! was lost on the way, and whether a script or the embedded model answered.

use std::collections::BTreeSet;

use agon_core::{Answerer, Record, Role, Seat};
use agon_text::{capitalise_first, count_noun};

use super::{PageInput, Sentence};
use crate::{agreement::Orders, cited_source, participation};

pub(super) fn list_trust_notes(input: &PageInput<'_>) -> Vec<Sentence> {
    let (loss, seq) = participation::describe_losses(input.record());
    let mut all = vec![describe_judges(input)];
    all.extend(match input.graph.has_sides() {
        true => Some(describe_sources(input)),
        // What is quoted there is the material itself.
        false => crate::views_of(input.record()).describe_quotations(&input.entries),
    });
    all.push(Sentence::new(seq.unwrap_or_else(|| input.entries.end_seq()), capitalise_first(&loss)));
    all.extend(describe_program_seats(input.record()));
    all
}

/// Seats with `role` that answered: what each is called, who answered there, and its last answer.
fn list_answered_seats(record: &Record, role: Role) -> Vec<(String, String, u64)> {
    let seats = participation::list_seat_summaries(record).into_iter().filter(|sat| sat.role == Some(role));
    let seats = seats.filter_map(|sat| {
        let (seq, _, last) = participation::spoken_answers(record).filter(|(_, seat, _)| **seat == sat.seat).last()?;
        Some((sat.title().to_owned(), describe_answerer(&last.by), seq))
    });
    seats.collect()
}

fn describe_judges(input: &PageInput<'_>) -> Sentence {
    let (record, entries) = (input.record(), &input.entries);
    let [judges, chairs] = [Role::Judge, Role::Chair].map(|role| list_answered_seats(record, role));
    let views = crate::views_of(record);
    let in_orders = match views.judgment_orders(record) {
        Orders { all: 0, .. } => String::new(),
        Orders { both: 0, .. } => ", in one order of the sides".to_owned(),
        Orders { both, all, .. } if both == all => ", in both orders of the sides".to_owned(),
        Orders { both, all, .. } => format!(", {both} of {all} times in both orders of the sides"),
    };
    match (judges.as_slice(), chairs.as_slice()) {
        ([(_, who, seq)], _) => Sentence::new(*seq, format!("Judged by one judge ({who}){in_orders}")),
        ([_, .., (_, _, seq)], _) => {
            let mut names: Vec<&str> = judges.iter().map(|(_, who, _)| who.as_str()).collect();
            names.dedup();
            Sentence::new(*seq, format!("Judged by {} judges ({}){in_orders}", judges.len(), names.join("; ")))
        }
        ([], _) if !input.graph.has_sides() => entries.sentence_at_end(capitalise_first(views.decided_by())),
        ([], _) if participation::has_role(record, Role::Judge) => entries.sentence_at_end("Nobody judged"),
        ([], [(name, who, seq), ..]) => Sentence::new(*seq, format!("Decided by the {name} ({who}){in_orders}")),
        ([], []) if participation::has_role(record, Role::Chair) => entries.sentence_at_end("Nobody decided"),
        ([], []) => entries.sentence_at_end(format!("Nobody judged: {}", views.decided_by())),
    }
}

/// By the figure of the outcome where it has one: the script counted it.
fn describe_sources(input: &PageInput<'_>) -> Sentence {
    let figures = input.outcome.map(|outcome| &outcome.figures["sources"]);
    let figure = |name: &str| figures.and_then(|figures| figures[name].as_u64());
    if let Some(all) = figure("all") {
        let (verified, pages) = (figure("verified").unwrap_or_default(), describe_pages(&input.cited));
        return input.entries.sentence_at_end(format!("{verified} of {all} sources looked up are verified{pages}"));
    }
    let (all, verified) = (input.counts.all, input.counts.verified);
    let of = count_noun(all, "source", "sources");
    let text = match input.counts.known {
        _ if all == 0 => return input.entries.sentence_at_end("No source cited"),
        0 => format!("{verified} of {of} cited verified{}", describe_pages(&input.cited)),
        known if known == all => format!("{of} cited, all of them word for word in the document"),
        known => format!(
            "{known} of {of} cited stand word for word in the document, {verified} of the other {} verified",
            all - known
        ),
    };
    Sentence::new(input.first_citing_entry(|_| true), text)
}

/// How many pages are cited, where that is fewer than how often some are.
fn describe_pages(cited: &[cited_source::CitedSource]) -> String {
    let addresses: Vec<&str> = cited.iter().map(|one| one.source.as_str()).filter(|url| url.contains("://")).collect();
    let pages = cited_source::count_pages(addresses.iter().copied());
    if pages == addresses.len() {
        return String::new();
    }
    let citations = count_noun(addresses.len(), "citation", "citations");
    format!(" ({citations} of {})", count_noun(pages, "page", "pages"))
}

const EMBEDDED: &str = "The embedded model answered";
const EVERYWHERE: &str = "at every seat";
/// What a debate of the embedded model was measured to be worth (BENCHMARKS.md, "Twelve motions").
const WORTH: &str = "; of twelve exchanges of the default model that two readers compared blind with its single \
     answers, both preferred two";

/// Scripts and the embedded model, with the seats where they answered.
fn describe_program_seats(record: &Record) -> Vec<Sentence> {
    type Is = fn(&Answerer) -> bool;
    let kinds: [(&str, Is); 3] = [
        ("A script answered", |by| by.participant.starts_with("scripted")),
        ("Recorded answers were given again", |by| by.participant.starts_with("recorded")),
        (EMBEDDED, |by| by.participant == "local" || by.participant.starts_with("local:")),
    ];
    let mut all = participation::list_seat_summaries(record);
    all.retain(|sat| !sat.answered.is_empty());
    let told = kinds.into_iter().filter_map(|(what, is)| {
        let own = || participation::spoken_answers(record).filter(|(.., answer)| is(&answer.by));
        let (first, ..) = own().next()?;
        let seats: BTreeSet<&Seat> = own().map(|(_, seat, _)| seat).collect();
        let places = match all.iter().all(|sat| seats.contains(&sat.seat)) {
            true => EVERYWHERE.to_owned(),
            false => {
                let names: Vec<String> = seats.iter().map(|seat| participation::display_name(record, seat)).collect();
                format!("for {}", names.join(", "))
            }
        };
        let worth = if what == EMBEDDED && places == EVERYWHERE { WORTH } else { "" };
        Some(Sentence::new(first, format!("{what} {places}{worth}")))
    });
    told.collect()
}

/// Who answered, as a reader of the line wants to know it.
fn describe_answerer(by: &Answerer) -> String {
    let model = || by.model.clone().unwrap_or_else(|| by.participant.clone());
    match by.participant.split_once(':').map_or(by.participant.as_str(), |(kind, _)| kind) {
        "human" => "a person".into(),
        "outside" => by.participant.trim_start_matches("outside:").to_owned() + ", from outside",
        "scripted" => "a script".into(),
        "recorded" => "an answer recorded before".into(),
        "imported" => "files made elsewhere".into(),
        "local" => format!("the embedded model {}", model()),
        _ => format!("the model {}", model()),
    }
}
