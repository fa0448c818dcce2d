//! What each arm made of each item: the observations of a run in a form that is small enough to keep, read on from
//! where the last look ended.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use agon_eval::{
    json_lines::LINE_BYTES_MAX,
    observation::{Observation, ObservationState},
};

/// Observations that are kept; a page does not suit more.
const CELLS_MAX: usize = 1_000_000;
/// Longest text of a cell, in characters.
const TEXT_CHARS: usize = 200;

/// What an observation comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum CellMark {
    /// The answer is the right one.
    Right,
    /// It is another, or there is none.
    Wrong,
    /// There is an answer, and nobody said which one is right.
    #[strum(serialize = "ungraded")]
    Answered,
    /// A seat was lost or the quorum was not reached.
    Degraded,
    /// It did not end.
    Failed,
}

impl CellMark {
    /// Every mark, in the order of their columns.
    pub const ALL: [Self; 5] = [Self::Right, Self::Wrong, Self::Answered, Self::Degraded, Self::Failed];

    /// Its word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    fn from_observation(observation: &Observation) -> Self {
        match (&observation.state, observation.is_right()) {
            (ObservationState::Degraded { .. }, _) => Self::Degraded,
            (ObservationState::Failed { .. }, _) => Self::Failed,
            (ObservationState::Answered, Some(true)) => Self::Right,
            (ObservationState::Answered, Some(false)) => Self::Wrong,
            (ObservationState::Answered, None) => Self::Answered,
        }
    }
}

/// One observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationCell {
    /// What it comes to.
    pub mark: CellMark,
    /// The final answer, or why there is none.
    pub text: String,
    /// Id of its debate.
    pub debate: Option<String>,
}

/// An item with what each arm made of it.
#[derive(Debug, Clone, Default)]
pub struct EvaluationRow {
    /// Id of the item.
    pub item: String,
    /// The right answer.
    pub gold: Option<String>,
    /// By the number of the arm and the repetition.
    pub cells: BTreeMap<(usize, u32), EvaluationCell>,
}

/// The observations of a run.
#[derive(Debug, Default)]
pub struct EvaluationIndex {
    /// Names of arms, in the order in which they were observed first.
    pub arms: Vec<String>,
    /// Items, in the same order.
    pub rows: Vec<EvaluationRow>,
    /// The first line that is not an observation, and why.
    pub fault: Option<String>,
    /// Whether there are more than are kept.
    pub is_full: bool,
    row_of: BTreeMap<String, usize>,
    cells: usize,
    /// Bytes that were read.
    pub read: u64,
    lines: u64,
}

impl EvaluationIndex {
    /// Reads what was appended to the file at `path`; all of it again where it is shorter than it was.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn read_appended(&mut self, path: &Path) -> io::Result<()> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *self = Self::default();
                return Ok(());
            }
            file => file?,
        };
        let length = file.metadata()?.len();
        if length < self.read {
            *self = Self::default();
        }
        if length == self.read {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let most = LINE_BYTES_MAX as u64 + 1;
            let count = reader.by_ref().take(most).read_until(b'\n', &mut line)?;
            // A line without its end is being written.
            if line.last() != Some(&b'\n') {
                if count > LINE_BYTES_MAX {
                    self.record_fault("it is too long".into());
                }
                return Ok(());
            }
            self.read += count as u64;
            self.lines += 1;
            match serde_json::from_slice::<Observation>(&line) {
                Ok(observation) => self.add(&observation),
                Err(error) => self.record_fault(error.to_string()),
            }
        }
    }

    fn record_fault(&mut self, why: String) {
        let line = self.lines;
        self.fault.get_or_insert_with(|| format!("line {line} is not an observation: {why}"));
    }

    fn add(&mut self, observation: &Observation) {
        if self.cells >= CELLS_MAX {
            self.is_full = true;
            return;
        }
        let arm = match self.arms.iter().position(|arm| *arm == observation.arm) {
            Some(arm) => arm,
            None => {
                self.arms.push(observation.arm.clone());
                self.arms.len() - 1
            }
        };
        let next = self.rows.len();
        let row = *self.row_of.entry(observation.item.clone()).or_insert(next);
        if row == next {
            let (item, gold) = (observation.item.clone(), observation.gold.clone());
            self.rows.push(EvaluationRow { item, gold, cells: BTreeMap::new() });
        }
        let text = match &observation.state {
            ObservationState::Answered => observation.answer.as_deref().unwrap_or("no answer"),
            ObservationState::Degraded { reason } | ObservationState::Failed { reason } => reason,
        };
        let cell = EvaluationCell {
            mark: CellMark::from_observation(observation),
            text: text.chars().take(TEXT_CHARS).collect(),
            debate: observation.debate.clone(),
        };
        // Of two lines about the same debate the last one counts.
        let key = (arm, observation.repetition);
        self.cells += usize::from(self.rows[row].cells.insert(key, cell).is_none());
    }

    /// How many observations of an arm have each mark.
    pub fn count_marks(&self, arm: usize) -> BTreeMap<CellMark, usize> {
        let mut marks = BTreeMap::new();
        for row in &self.rows {
            for cell in row.cells.range((arm, 0)..=(arm, u32::MAX)).map(|(_, cell)| cell) {
                *marks.entry(cell.mark).or_default() += 1;
            }
        }
        marks
    }

    /// How many observations there are.
    pub fn count_observations(&self) -> usize {
        self.cells
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::{super::OBSERVATIONS, *};

    fn line(item: &str, arm: &str, answer: &str) -> String {
        format!(
            "{{\"item\":\"{item}\",\"arm\":\"{arm}\",\"gold\":\"a\",\"choices\":[\"a\",\"b\"],\"state\":\"answered\",\"answer\":\"{answer}\"}}\n"
        )
    }

    #[test]
    fn what_is_appended_is_read_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(OBSERVATIONS);
        let mut index = EvaluationIndex::default();
        index.read_appended(&path).unwrap();
        assert_eq!(index.count_observations(), 0, "the file does not exist yet");
        let whole = line("i1", "direct", "b");
        let next = line("i1", "debate", "a");
        fs::write(&path, format!("{whole}{}", &next[..20])).unwrap();
        index.read_appended(&path).unwrap();
        assert_eq!((index.count_observations(), index.read), (1, whole.len() as u64));
        let append = |text: &str| {
            fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
        };
        append(&next[20..]);
        append("{\"item\": 3}\n");
        append(&line("i1", "direct", "a"));
        append("{\"item\":\"i2\",\"arm\":\"debate\",\"state\":{\"failed\":{\"reason\":\"no provider\"}}}\n");
        index.read_appended(&path).unwrap();
        assert_eq!((index.arms.join(" "), index.count_observations()), ("direct debate".into(), 3));
        assert_eq!(index.rows[0].cells[&(0, 0)].mark, CellMark::Right, "the last line counts");
        let failed = &index.rows[1].cells[&(1, 0)];
        assert_eq!((failed.mark, failed.text.as_str()), (CellMark::Failed, "no provider"));
        assert!(index.fault.as_ref().unwrap().starts_with("line 3 is not an observation"), "{:?}", index.fault);
        assert_eq!(index.count_marks(1), BTreeMap::from([(CellMark::Right, 1), (CellMark::Failed, 1)]));
        // The file was made again.
        fs::write(&path, line("i9", "direct", "a")).unwrap();
        index.read_appended(&path).unwrap();
        assert_eq!((index.rows.len(), index.rows[0].item.as_str(), &index.fault), (1, "i9", &None));
    }
}
