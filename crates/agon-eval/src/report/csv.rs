//! Figures and observations as CSV (RFC 4180), for spreadsheets and statistics programs.
//!
//! A text that a spreadsheet would take as a formula gets an apostrophe before it (OWASP, CSV injection). Control
//! characters become spaces.

use std::io::{self, Write};

use super::{EvaluationReport, list::list_figures};
use crate::observation::{Observation, ObservationState};

/// Columns of [`write_figures`].
const FIGURE_COLUMNS: [&str; 10] = ["of", "name", "with", "figure", "value", "low", "high", "hits", "n", "note"];

/// Writes all figures of a report, one on each line. An empty cell is a figure that cannot be computed.
///
/// # Errors
/// Those of the writer.
pub fn write_figures(report: &EvaluationReport, to: &mut dyn Write) -> io::Result<()> {
    write_csv_line(to, FIGURE_COLUMNS.map(str::to_owned))?;
    for group in list_figures(report) {
        for (name, figure) in group.figures {
            let cells = [
                group.of.to_owned(),
                escape_text(&group.name),
                escape_text(&group.with),
                name,
                format_optional(figure.value),
                format_optional(figure.low),
                format_optional(figure.high),
                format_optional(figure.hits),
                format_optional(figure.n),
                escape_text(&figure.note),
            ];
            write_csv_line(to, cells)?;
        }
    }
    Ok(())
}

/// Writes observations, one on each line, as they come.
#[derive(Debug)]
pub struct ObservationSheet<W> {
    to: W,
}

impl<W: Write> ObservationSheet<W> {
    /// Writes the names of the columns.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(mut to: W) -> io::Result<Self> {
        write_csv_line(&mut to, observation_cells(&Observation::default()).map(|(name, _)| name.to_owned()))?;
        Ok(Self { to })
    }

    /// Writes one observation.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_observation(&mut self, observation: &Observation) -> io::Result<()> {
        write_csv_line(&mut self.to, observation_cells(observation).map(|(_, cell)| cell))
    }
}

/// What [`ObservationSheet`] says of an observation, under the names of its columns.
fn observation_cells(observation: &Observation) -> [(&'static str, String); 22] {
    let (state, reason) = match &observation.state {
        ObservationState::Answered => ("answered", ""),
        ObservationState::Degraded { reason } => ("degraded", reason.as_str()),
        ObservationState::Failed { reason } => ("failed", reason.as_str()),
    };
    let usage = &observation.usage;
    let optional = |value: &Option<String>| value.as_deref().map(escape_text).unwrap_or_default();
    [
        ("item", escape_text(&observation.item)),
        ("cluster", optional(&observation.cluster)),
        ("arm", escape_text(&observation.arm)),
        ("repetition", observation.repetition.to_string()),
        ("state", state.to_owned()),
        ("reason", escape_text(reason)),
        ("gold", optional(&observation.gold)),
        ("answer", optional(&observation.answer)),
        ("right", format_optional(observation.is_right())),
        ("probability_of_gold", format_optional(gold_probability(observation))),
        ("initial", optional(&observation.initial)),
        ("verified_quote", format_optional(observation.verified_quote)),
        ("calls", format_optional(usage.calls)),
        ("input_tokens", format_optional(usage.input_tokens)),
        ("cached_tokens", format_optional(usage.cached_tokens)),
        ("output_tokens", format_optional(usage.output_tokens)),
        ("money", format_optional(usage.money)),
        ("seconds", format_optional(usage.seconds)),
        ("models", escape_text(&observation.models.join(" "))),
        ("seed", format_optional(observation.seed)),
        ("debate", optional(&observation.debate)),
        ("record_hash", optional(&observation.record_hash)),
    ]
}

fn gold_probability(observation: &Observation) -> Option<f64> {
    let gold = observation.gold.as_ref()?;
    let at = observation.choices.iter().position(|choice| choice == gold)?;
    observation.probabilities.as_ref()?.get(at).copied()
}

/// A number or a truth value, where it is known.
fn format_optional<N: ToString>(number: Option<N>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// A foreign text, without what a spreadsheet obeys.
fn escape_text(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let is_formula = plain.trim_start().starts_with(['=', '+', '-', '@']);
    if is_formula { format!("'{plain}") } else { plain }
}

fn write_csv_line(to: &mut dyn Write, cells: impl IntoIterator<Item = String>) -> io::Result<()> {
    let quoted = cells
        .into_iter()
        .map(|cell| if cell.contains(['"', ',', '\'']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell });
    let line = quoted.collect::<Vec<_>>().join(",");
    to.write_all(line.as_bytes())?;
    to.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_in_its_cell_and_is_no_formula() {
        let observation = Observation {
            item: "=HYPERLINK(\"http://x\")".into(),
            arm: "a,b".into(),
            gold: Some("\u{7}-1".into()),
            ..Observation::default()
        };
        let mut sheet = ObservationSheet::new(Vec::new()).unwrap();
        sheet.write_observation(&observation).unwrap();
        let written = String::from_utf8(sheet.to).unwrap();
        let line = written.lines().nth(1).unwrap();
        assert!(line.starts_with("\"'=HYPERLINK(\"\"http://x\"\")\",,\"a,b\",0,answered,"), "{line}");
        assert!(line.contains("\"' -1\""), "{line}");
        assert_eq!(written.lines().next().unwrap().split(',').count(), 22);
    }
}
