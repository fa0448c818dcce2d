//! What in a folder follows from its arguments and scores: the current scores, the totals, the state and
//! the graph. A folder that was taken over may say otherwise, and is set right.

use agon_core::Record;
use serde_json::Number;

use super::{
    argument::ArgumentFile,
    debate::DebateFile,
    diagram::{self, Node},
    scores::{ScoreFile, SideTotal, SideTotals},
};
use crate::imported_files;

/// How far a total may be from the sum: less than the last of its three decimals.
const TOLERANCE: f64 = 0.0005;
/// Maximum number of characters of a line that a difference quotes.
const QUOTED_CHARS: usize = 60;

/// The arguments and scores from which all other files of an exchange are derived.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Every argument, in the order of file names.
    pub arguments: Vec<ArgumentFile>,
    /// Every score.
    pub scores: ScoreFile,
}

impl Sources {
    /// Those of the folder that `record` was taken from.
    pub(super) fn from_import(record: &Record) -> Self {
        let place = format!("{}arguments/", imported_files::PREFIX);
        let texts = record.documents().iter().filter(|(name, _)| name.starts_with(&place));
        let arguments = texts.filter_map(|(_, text)| ArgumentFile::parse(text).ok()).collect();
        let scores = imported_files::find_original(record, "scores.json").and_then(|text| ScoreFile::parse(text).ok());
        Self { arguments, scores: scores.unwrap_or_default() }
    }

    /// The graph as the source system draws it, at the last judgment; `None` before the first.
    fn render_graph(&self) -> Option<String> {
        let scores = self.scores.with_last_scores();
        let scored = self.arguments.iter().filter(|argument| scores.current_score(&argument.id).is_some());
        let last = scored.map(|argument| argument.exchange).max()?;
        let judged = self.arguments.iter().filter(|argument| argument.exchange <= last);
        Some(diagram::render_diagram(judged.map(Node::from).collect(), |id| scores.current_score(id)))
    }

    /// What is wrong with the graph `text`, where it is not the one that follows; with the first line
    /// that differs. Ends of lines do not count.
    pub fn graph_fault(&self, text: &str) -> Option<String> {
        let wanted = self.render_graph()?;
        let [says, wanted] =
            [text, wanted.as_str()].map(|text| text.trim().lines().map(str::trim_end).collect::<Vec<_>>());
        if says == wanted {
            return None;
        }
        let at = says.iter().zip(&wanted).take_while(|(says, wanted)| says == wanted).count();
        let line = |lines: &[&str]| match lines.get(at) {
            Some(line) => format!("{:?}", line.trim().chars().take(QUOTED_CHARS).collect::<String>()),
            None => "absent".to_owned(),
        };
        let (number, says, wanted) = (at + 1, line(&says), line(&wanted));
        Some(format!("it is not the graph of arguments and scores: line {number} is {says}, and {wanted} is wanted"))
    }
}

/// What is wrong with the totals that `debate` gives, where they are not `totals`.
pub fn totals_fault(debate: &DebateFile, totals: &SideTotals) -> Option<String> {
    let says = &debate.cumulative_scores;
    let pairs = [(&says.proposition, &totals.proposition), (&says.opposition, &totals.opposition)];
    let agree = |(one, other): (&SideTotal, &SideTotal)| {
        one.count == other.count && (to_float(&one.total) - to_float(&other.total)).abs() < TOLERANCE
    };
    if pairs.into_iter().all(agree) {
        return None;
    }
    let told = |totals: &SideTotals| {
        let side = |side: &SideTotal| format!("{} ({})", crate::python_json::format_number(&side.total), side.count);
        format!("{} to {}", side(&totals.proposition), side(&totals.opposition))
    };
    let (says, right) = (told(says), told(totals));
    Some(format!("cumulative_scores are not the sums of scores.json: {says} is said, and {right} is right"))
}

/// Whether the state that `says` gives is that of `is`.
pub(super) fn is_state(says: &DebateFile, is: &DebateFile) -> bool {
    totals_fault(says, &is.cumulative_scores).is_none()
        && (says.current_exchange, says.current_phase) == (is.current_exchange, is.current_phase)
}

fn to_float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}
