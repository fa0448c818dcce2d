//! `transcript.md`: a whole debate for a reader, whatever its protocol. What did not work comes
//! first, then who sat where, then the debate in the protocol's order, then how it ended.

mod form;

use agon_core::{Act, ActKind, Event, Record, RulingKind, Standing, View};
use agon_text::markdown::{escape_cell, escape_line, escape_prose, escape_sentence, escape_start, escape_title};

use crate::{
    File, Format, markup,
    page::{CourseItem, LiveRequests, SpeechBody, collect_phases},
    participation,
    ruling_view::tell_ruling,
    statement::{StatementContent, parse_statement},
};

/// The format `transcript`: one Markdown file, for any protocol.
pub static FORMAT: Format = Format {
    protocol: None,
    ..Format::new("transcript", "the whole debate as one Markdown file, for any protocol", |record, _, _| {
        vec![draw_transcript(record)]
    })
};

/// `transcript.md`.
pub(crate) fn draw_transcript(record: &Record) -> File {
    let reading = crate::find_recorded_format(record).and_then(|format| (format.draw_reading_order)(record));
    let mut blocks = render_head(record);
    blocks.push(reading.unwrap_or_else(|| render_course(record)));
    blocks.extend(render_tail(record));
    blocks.retain(|block| !block.is_empty());
    File::new("transcript.md", blocks.join("\n\n") + "\n")
}

fn render_head(record: &Record) -> Vec<String> {
    let opened = record.opened();
    let mut blocks = vec![format!("# {}", escape_title(&opened.motion))];
    let state = match record.closing_outcome() {
        None => "It has not ended.".to_owned(),
        Some(outcome) if outcome.standing == Standing::Void => {
            format!("It has no result. {}", escape_line(&outcome.render_summary()))
        }
        Some(_) => "It has ended; the outcome is at the end.".to_owned(),
    };
    blocks.push(format!("Debate {} by the protocol {}. {state}", opened.debate, escape_line(&opened.protocol)));
    blocks.extend(crate::other_rules(record).map(|text| escape_line(&text)));

    blocks.push("## What did not work".into());
    let mut notes = participation::list_troubles(record);
    let view = View::of_whole_record(record);
    notes.extend(view.rulings_of_kind(RulingKind::Invalidated).map(|(_, ruling)| ruling.text.clone()));
    blocks.push(match notes.is_empty() {
        true => "Nothing to report: every requested seat answered, and no request was repeated.".into(),
        false => markup::render_bullets(notes.iter().map(|note| escape_start(note))),
    });

    blocks.push("## Seats".into());
    let rows = participation::list_seat_summaries(record).into_iter().map(|sat| {
        let (title, asked) = (escape_cell(sat.title()), escape_cell(&sat.asked));
        format!("| {title} | {asked} | {} |", escape_cell(&Vec::from_iter(sat.answered).join(", ")))
    });
    blocks.push(markup::render_table(&["Seat", "Assigned", "Answered"], rows));
    blocks.extend(["## Motion".into(), escape_prose(opened.motion.trim())]);
    blocks
}

fn render_tail(record: &Record) -> Vec<String> {
    let mut blocks = Vec::new();
    let warnings = participation::list_warnings(record);
    if !warnings.is_empty() {
        blocks.push("## Warnings".into());
        blocks.push(markup::render_bullets(warnings.iter().map(|(of, text)| format!("{of}: {}", escape_line(text)))));
    }
    blocks.extend(render_acts(record));
    if let Some(outcome) = record.closing_outcome() {
        blocks.extend([
            "## Outcome".into(),
            escape_prose(&outcome.render_summary()),
            format!("In a word: {}.", escape_line(&outcome.name)),
        ]);
    }
    blocks
}

/// What people did without having been asked; no block where nobody did anything. What they said stands
/// where they said it.
pub(crate) fn render_acts(record: &Record) -> Option<String> {
    let deeds = record.acts().filter(|(_, act)| !matches!(act.deed, ActKind::Interjected { .. }));
    let blocks: Vec<String> = deeds.map(|(_, act)| escape_sentence(&act.describe_act())).collect();
    (!blocks.is_empty()).then(|| format!("## From the floor\n\n{}", blocks.join("\n\n")))
}

/// Phases, what each seat said, and the rulings that a reader needs.
fn render_course(record: &Record) -> String {
    let views = crate::views_of(record);
    let people = agon_protocols::find_rules(record).ok().map(|protocol| protocol.human_prompts());
    let (marks, tagged) = (views.collect_argument_marks(record), views.tag_statements(record));
    let mut blocks = Vec::new();
    for phase in collect_phases(record, &LiveRequests::default()) {
        blocks.extend(phase.began.map(|(_, title)| format!("## {}", escape_line(title))));
        for item in phase.items {
            match item {
                CourseItem::Speech(speech) => {
                    let request = speech.request;
                    let said = match &speech.said {
                        SpeechBody::Text(text) => {
                            let text = tagged.get(&request.key).map_or(text.as_ref(), String::as_str);
                            match parse_statement(text, people.and_then(|people| people.get(&request.prompt))) {
                                StatementContent::Form(parts) => {
                                    form::render_form(&parts, marks.get(&request.key).map_or(&[], Vec::as_slice))
                                }
                                StatementContent::Prose(text) if views.are_documents() => form::quote_document(&text),
                                StatementContent::Prose(text) => escape_prose(&text),
                            }
                        }
                        SpeechBody::Redacted => "This text was redacted.".into(),
                        SpeechBody::Nothing(why) => format!("No answer: {}", escape_line(why)),
                        SpeechBody::Awaited | SpeechBody::Held => continue,
                    };
                    blocks.extend([format!("### {}", escape_line(&speech.who.name)), said]);
                }
                CourseItem::Entry(_, Event::Acted(Act { by, deed: ActKind::Interjected { text } })) => {
                    blocks.extend([format!("### {} interjected", escape_line(by)), escape_prose(text)]);
                }
                // Warnings stand at the end.
                CourseItem::Entry(_, Event::Ruled { key, ruling })
                    if ruling.kind != RulingKind::Warned && !participation::is_routine(key, ruling) =>
                {
                    blocks.push(format!("Ruling: {}", escape_sentence(&tell_ruling(ruling))));
                }
                CourseItem::Entry(..) => {}
            }
        }
    }
    blocks.join("\n\n")
}
