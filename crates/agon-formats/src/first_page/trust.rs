//! One line on how far an outcome can be trusted: who judged and in how many orders, which sources were verified, what
//! was lost on the way, and whether a script or the embedded model answered.

use agon_core::{Answerer, Reply, Role};
use agon_text::count_noun;

use super::{Sentence, open::first_citing_entry, quote::QuotedEntries};
use crate::{
    agreement::Orders,
    cited::{CitedSource, Counts, count_pages},
    conduct::{self, Loss},
    graph::Graph,
};

pub(super) fn list_trust_notes(
    entries: &QuotedEntries<'_>,
    graph: &Graph,
    cited: &[CitedSource],
    counts: Counts,
) -> Vec<Sentence> {
    let loss = Loss::of(entries.record);
    let mut all = vec![describe_judges(entries, graph)];
    all.extend(match graph.has_sides() {
        true => Some(describe_sources(entries, graph, cited, counts)),
        // What is quoted there is the material itself.
        false => crate::views_of(entries.record).describe_quotations(entries),
    });
    all.push(Sentence::new(loss.seq.unwrap_or_else(|| entries.end_seq()), capitalise_first(&loss.describe_loss())));
    all.extend(describe_program_seats(entries));
    all
}

/// Seats with `role` that answered: what each is called, who answered there, and its last answer.
fn list_answered_seats(entries: &QuotedEntries<'_>, role: Role) -> Vec<(String, String, u64)> {
    let record = entries.record;
    let manifest = agon_protocols::find_recorded_protocol(record).ok().map(|protocol| protocol.manifest());
    let sits = |sat: &conduct::SeatSummary| {
        manifest.and_then(|all| all.find_seat(sat.seat.as_str())).is_some_and(|s| s.role == role)
    };
    let seats = conduct::list_seat_summaries(record).into_iter().filter(sits).filter_map(|sat| {
        let own = record.answers().filter(|(_, answer)| {
            let asked = record.find_request(&answer.key).is_some_and(|(_, request)| request.seat == sat.seat);
            asked && matches!(answer.reply, Reply::Said { .. })
        });
        let (seq, last) = own.last()?;
        Some((sat.title().to_owned(), describe_answerer(&last.by), seq))
    });
    seats.collect()
}

fn describe_judges(entries: &QuotedEntries<'_>, graph: &Graph) -> Sentence {
    let views = crate::views_of(entries.record);
    let (judges, chairs) = (list_answered_seats(entries, Role::Judge), list_answered_seats(entries, Role::Chair));
    let orders = views.judgment_orders(entries.record);
    let in_orders = match orders {
        Orders { all: 0, .. } => String::new(),
        Orders { both: 0, .. } => ", in one order of the sides".to_owned(),
        Orders { both, all, .. } if both == all => ", in both orders of the sides".to_owned(),
        Orders { both, all, .. } => format!(", {both} of {all} times in both orders of the sides"),
    };
    let wanted = |role: Role| {
        let manifest = agon_protocols::find_recorded_protocol(entries.record).ok().map(|protocol| protocol.manifest());
        let seats = entries.record.opened().lineup.iter();
        seats.filter_map(|sat| manifest?.find_seat(sat.seat.as_str())).any(|seat| seat.role == role)
    };
    match (judges.as_slice(), chairs.as_slice()) {
        ([(_, who, seq)], _) => Sentence::new(*seq, format!("Judged by one judge ({who}){in_orders}")),
        ([_, .., (_, _, seq)], _) => {
            let mut names: Vec<&str> = judges.iter().map(|(_, who, _)| who.as_str()).collect();
            names.dedup();
            Sentence::new(*seq, format!("Judged by {} judges ({}){in_orders}", judges.len(), names.join("; ")))
        }
        ([], _) if !graph.has_sides() => Sentence::new(entries.end_seq(), capitalise_first(views.decided_by())),
        ([], _) if wanted(Role::Judge) => Sentence::new(entries.end_seq(), "Nobody judged"),
        ([], [(name, who, seq), ..]) => Sentence::new(*seq, format!("Decided by the {name} ({who}){in_orders}")),
        ([], []) if wanted(Role::Chair) => Sentence::new(entries.end_seq(), "Nobody decided"),
        ([], []) => Sentence::new(entries.end_seq(), format!("Nobody judged: {}", views.decided_by())),
    }
}

/// By the figure of the outcome where it has one: the script counted it.
fn describe_sources(entries: &QuotedEntries<'_>, graph: &Graph, cited: &[CitedSource], counts: Counts) -> Sentence {
    let figures = entries.record.closing_outcome().map(|outcome| &outcome.figures["sources"]);
    let figure = |name: &str| figures.and_then(|figures| figures[name].as_u64());
    if let Some(all) = figure("all") {
        let verified = figure("verified").unwrap_or_default();
        let text = format!("{verified} of {all} sources looked up are verified{}", describe_pages(cited));
        return Sentence::new(entries.end_seq(), text);
    }
    match counts.all {
        0 => Sentence::new(entries.end_seq(), "No source cited"),
        all => {
            let of = count_noun(all, "source", "sources");
            let seq = first_citing_entry(entries, graph, cited, &|_| true);
            let text = match counts.known {
                0 => format!("{} of {of} cited verified{}", counts.verified, describe_pages(cited)),
                known if known == all => format!("{of} cited, all of them word for word in the document"),
                known => format!(
                    "{known} of {of} cited stand word for word in the document, {} of the other {} verified",
                    counts.verified,
                    all - known
                ),
            };
            Sentence::new(seq, text)
        }
    }
}

/// How many pages are cited, where that is fewer than how often some are.
fn describe_pages(cited: &[CitedSource]) -> String {
    let addresses: Vec<&str> = cited.iter().map(|one| one.source.as_str()).filter(|url| url.contains("://")).collect();
    match count_pages(addresses.iter().copied()) {
        pages if pages < addresses.len() => {
            format!(
                " ({} of {})",
                count_noun(addresses.len(), "citation", "citations"),
                count_noun(pages, "page", "pages")
            )
        }
        _ => String::new(),
    }
}

const EMBEDDED: &str = "The embedded model answered";
const EVERYWHERE: &str = "at every seat";
/// What a debate of the embedded model was measured to be worth (BENCHMARKS.md, "Twelve motions").
const WORTH: &str = "; of twelve exchanges of the default model that two readers compared blind with its single \
     answers, both preferred two";

/// Scripts and the embedded model, with the seats where they answered.
fn describe_program_seats(entries: &QuotedEntries<'_>) -> Vec<Sentence> {
    type Is = fn(&Answerer) -> bool;
    let kinds: [(&str, Is); 3] = [
        ("A script answered", |by| by.participant.starts_with("scripted")),
        ("Recorded answers were given again", |by| by.participant.starts_with("recorded")),
        (EMBEDDED, is_embedded),
    ];
    let record = entries.record;
    let all: Vec<String> = conduct::list_seat_summaries(record)
        .iter()
        .filter(|sat| !sat.answered.is_empty())
        .map(|sat| sat.seat.to_string())
        .collect();
    let told = kinds.into_iter().filter_map(|(what, is)| {
        let own = record.answers().filter(|(_, answer)| matches!(answer.reply, Reply::Said { .. }) && is(&answer.by));
        let own: Vec<(u64, &agon_core::Seat)> =
            own.filter_map(|(seq, answer)| Some((seq, &record.find_request(&answer.key)?.1.seat))).collect();
        let mut seats: Vec<&agon_core::Seat> = own.iter().map(|(_, seat)| *seat).collect();
        seats.sort();
        seats.dedup();
        let first = own.first()?.0;
        let places = match seats.iter().filter(|seat| all.contains(&seat.to_string())).count() {
            count if count >= all.len() => EVERYWHERE.to_owned(),
            _ => {
                let names: Vec<String> = seats.iter().map(|seat| conduct::display_name(record, seat)).collect();
                format!("for {}", names.join(", "))
            }
        };
        let worth = if what == EMBEDDED && places == EVERYWHERE { WORTH } else { "" };
        Some(Sentence::new(first, format!("{what} {places}{worth}")))
    });
    told.collect()
}

fn is_embedded(by: &Answerer) -> bool {
    by.participant == "local" || by.participant.starts_with("local:")
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

fn capitalise_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
