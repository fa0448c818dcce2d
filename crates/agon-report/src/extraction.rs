//! Relations that a model extracted from prose, in a debate of their own (an extraction). They stand in
//! a graph in addition to those of typed fields, marked as what they are, and only while both statements can be
//! read and the words that they rest on stand there: what was redacted since takes them with it.

use agon_core::{Answerer, Event, Record, RulingKind, Standing};
use agon_protocols::extraction::{
    self, ExtractedRelations,
    material::{AnonymousStatement, Material},
    relation,
};
pub use agon_protocols::extraction::{TIMES as READINGS, material::STATEMENTS};
use agon_text::markdown::{escape_cell, escape_line};

use crate::{
    File,
    graph::{EXTRACTED, Edge, Extracted, Graph, Relation, shorten_text},
    views::Views,
};

/// Longest name of a reader.
const NAME_CHARS_MAX: usize = 80;

/// The views of an extraction.
pub struct ExtractionViews;

impl Views for ExtractionViews {
    fn is_extraction_of(&self, extraction: &Record, record: &Record) -> bool {
        is_of(extraction, record)
    }

    /// Where a typed field says what one statement does to the other, that stands alone; that it names the other says
    /// nothing for or against it.
    fn add_extracted_edges(&self, graph: &mut Graph, record: &Record, extraction: &Record) {
        let typed = graph.edges.len();
        let mut read = 0;
        for (_, _, ruling) in extraction.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Noted) {
            let Some(ExtractedRelations { kept, .. }) = ruling.decode_data() else { continue };
            read += 1;
            for kept in kept {
                let Some((from, to)) = graph.index(&kept.from).zip(graph.index(&kept.to)) else { continue };
                let readable = [from, to].into_iter().all(|at| graph.statements[at].text.is_some());
                let same = |edge: &&Edge| (edge.from, edge.to) == (from, to);
                let mut typed = graph.edges[..typed].iter().filter(same);
                let said = typed.any(|edge| edge.relation != Relation::Citation);
                if readable && !said && relation::is_sufficient_quote(&kept.quote, &graph.statements[from].words) {
                    graph.edges.push(Edge {
                        from,
                        to,
                        relation: kept.relation.into(),
                        kind: EXTRACTED.to_owned(),
                        text: agon_text::to_single_line(&kept.quote),
                        extracted: true,
                    });
                }
            }
        }
        graph.extracted = Some(Extracted {
            debate: extraction.opened().debate.to_string(),
            by: describe_readers(extraction),
            read,
            follow: build_material(record, graph).following_places().count(),
        });
    }

    /// What was extracted, with the words that it rests on.
    fn companion_file(&self, record: &Record) -> Option<File> {
        let outcome = record.closing_outcome()?;
        let of = extraction::source_debate(record.opened())?;
        let found = record.rulings().filter_map(|(_, _, ruling)| ruling.decode_data::<ExtractedRelations>());
        let rows = found.flat_map(|found| found.kept).map(|kept| {
            let (from, to, quote) = (escape_cell(&kept.from), escape_cell(&kept.to), escape_cell(&kept.quote));
            format!("\n| {from} | {} | {to} | {quote} |", kept.relation.name())
        });
        let rows: String = rows.collect();
        let mut blocks = vec![
            format!("# What {} extracted from {}", escape_line(&describe_readers(record)), escape_line(of.as_str())),
            "A model extracted these relations from prose; no field of the debate states them. The list has what two readings \
             agree on, if the statement contains the words that both quote."
                .to_owned(),
            escape_line(&outcome.render_summary()),
        ];
        if !rows.is_empty() {
            blocks.push(format!("| Statement | Relation | Of | By the words |\n|---|---|---|---|{rows}"));
        }
        Some(File::new("extraction.md", blocks.join("\n\n") + "\n"))
    }
}

/// What an extraction of `record`, whose graph is `graph`, reads: whatever can be read, and nothing that was redacted.
pub fn build_material(record: &Record, graph: &Graph) -> Material {
    let readable = graph.statements.iter().filter(|statement| statement.text.is_some());
    let shown = readable.map(|statement| AnonymousStatement {
        id: statement.id.clone(),
        side: statement.side,
        seq: statement.seq,
        heard: last_heard_entry(record, statement.seq),
        text: statement.words.trim().to_owned(),
    });
    Material(shown.filter(|statement| !statement.text.is_empty()).collect())
}

/// The last entry that the speaker of entry `seq` could know of.
fn last_heard_entry(record: &Record, seq: u64) -> u64 {
    let entry = usize::try_from(seq).ok().and_then(|at| record.entries().get(at));
    let asked = entry.and_then(|entry| match &entry.what {
        Event::Answered(answered) => record.find_request(&answered.key),
        _ => None,
    });
    // Words of a ruling are the program's, which knows all.
    asked.map_or(seq.saturating_sub(1), |(_, request)| request.heard)
}

/// Whether `extraction` is one of the debate `record`, has ended with a result, and was held by the rules of this version.
pub fn is_of(extraction: &Record, record: &Record) -> bool {
    let valid = extraction.closing_outcome().is_some_and(|outcome| outcome.standing == Standing::Valid);
    valid
        && agon_protocols::find_rules(extraction).is_ok()
        && extraction::source_debate(extraction.opened()).as_ref() == Some(&record.opened().debate)
}

/// Whether `extraction` read what `record` holds now.
pub fn is_current(extraction: &Record, record: &Record) -> bool {
    let material = build_material(record, &Graph::from_record(record));
    extraction.document(STATEMENTS) == Some(material.to_document().as_str())
}

/// Who answered, with the model as it names itself, in the order of their first answer.
fn describe_readers(extraction: &Record) -> String {
    let readers = extraction.answers().map(|(_, answered)| {
        let Answerer { participant, model, .. } = &answered.by;
        let model = model.as_ref().filter(|model| !participant.contains(model.as_str()));
        let more = model.map(|model| format!(" ({model})")).unwrap_or_default();
        shorten_text(&format!("{participant}{more}"), NAME_CHARS_MAX)
    });
    agon_text::collect_different(readers).join(", ")
}

impl From<relation::ExtractedRelation> for Relation {
    fn from(relation: relation::ExtractedRelation) -> Self {
        match relation {
            relation::ExtractedRelation::Attack => Relation::Attack,
            relation::ExtractedRelation::Support => Relation::Support,
            relation::ExtractedRelation::Concession => Relation::Concession,
        }
    }
}
