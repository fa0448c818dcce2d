//! `transcript.md`: a whole debate for a reader, whatever its protocol. What did not work comes
//! first, then who sat where, then the debate in the protocol's order, then how it ended.

use agon_core::{Act, ActKind, Event, Record, Reply, RulingKind, Standing, View};
use agon_protocols::common::{source_check, withheld::Withheld};
use agon_text::markdown::{escape_cell, escape_line, escape_prose, escape_sentence, escape_start, escape_title};
use serde_json::Value;

use crate::{File, Format, conduct, declared, markup, page::prose::escape_invisible, statement::NO_TEXT};

/// The format `transcript`: one Markdown file, for any protocol.
pub static FORMAT: Format = Format {
    protocol: None,
    ..Format::new("transcript", "the whole debate as one Markdown file, for any protocol", |record, _, _| {
        vec![draw_transcript(record)]
    })
};

/// `transcript.md`.
pub(crate) fn draw_transcript(record: &Record) -> File {
    let reading = crate::of(record).and_then(|format| (format.draw_reading_order)(record));
    let mut blocks = render_head(record);
    blocks.push(reading.unwrap_or_else(|| render_generic_debate(record)));
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
    let mut notes = conduct::list_troubles(record);
    let view = View::of_whole_record(record);
    notes.extend(view.rulings_of_kind(RulingKind::Invalidated).map(|(_, ruling)| ruling.text.clone()));
    blocks.push(match notes.is_empty() {
        true => "Nothing to report: every requested seat answered, and no request was repeated.".into(),
        false => markup::render_bullets(notes.iter().map(|note| escape_start(note))),
    });

    blocks.push("## Seats".into());
    let rows = conduct::list_seat_summaries(record).into_iter().map(|sat| {
        let (title, asked) = (escape_cell(sat.title()), escape_cell(&sat.asked));
        format!("| {title} | {asked} | {} |", escape_cell(&Vec::from_iter(sat.answered).join(", ")))
    });
    blocks.push(markup::render_table(&["Seat", "Assigned", "Answered"], rows));
    blocks.extend(["## Motion".into(), escape_prose(opened.motion.trim())]);
    blocks
}

fn render_tail(record: &Record) -> Vec<String> {
    let mut blocks = Vec::new();
    let warnings = conduct::list_warnings(record);
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

/// Any protocol: phases, what each seat said, and the rulings that a reader needs.
fn render_generic_debate(record: &Record) -> String {
    let withheld = Withheld::of(record);
    let declared = declared::render_statements(record);
    let mut blocks = Vec::new();
    for entry in record.entries() {
        match &entry.what {
            Event::Asked(request) if request.redraft.is_none() && !request.prompt.is_empty() => {
                let (key, _) = source_check::find_latest_draft(record, &request.key);
                let Some((_, answer)) = record.find_answer(&key) else { continue };
                let name = conduct::display_name(record, &request.seat);
                blocks.push(format!("### {}", escape_line(&name)));
                blocks.push(match &answer.reply {
                    Reply::Said { .. } if View::of_whole_record(record).is_redacted(&key) => {
                        "This text was redacted.".into()
                    }
                    Reply::Said { text } => match declared.get(&key) {
                        Some(statement) => statement.clone(),
                        None => render_statement(&withheld.mask_answer(&key, text)),
                    },
                    Reply::Failed(failed) => format!("No answer: {}", escape_line(&failed.detail)),
                    Reply::Elapsed => "No answer in time.".into(),
                });
            }
            Event::Acted(Act { by, deed: ActKind::Interjected { text } }) => {
                blocks.extend([format!("### {} interjected", escape_line(by)), escape_prose(text)]);
            }
            Event::Ruled { ruling, .. } => match ruling.kind {
                RulingKind::Phase => blocks.push(format!("## {}", escape_line(&ruling.text))),
                RulingKind::Noted | RulingKind::Warned => {}
                _ => blocks.push(format!("Ruling: {}", escape_line(&ruling.text))),
            },
            _ => {}
        }
    }
    blocks.join("\n\n")
}

/// Prose as it is, a JSON statement as JSON.
fn render_statement(text: &str) -> String {
    match serde_json::from_str::<Value>(text.trim()) {
        // No line of it can end the fence: within JSON a line begins with a quote, brace or value. Nothing in it is
        // markup, so only what cannot be seen is escaped.
        Ok(value) if value.is_object() || value.is_array() => {
            let pretty = serde_json::to_string_pretty(&value).unwrap_or_default();
            format!("```json\n{}\n```", escape_invisible(&pretty))
        }
        _ if text.trim().is_empty() => NO_TEXT.to_owned(),
        _ => escape_prose(text),
    }
}
