//! `debate_log.md`: configuration, each round with its artifacts and its check, and the outcome;
//! written and read. Each round ends with a record for programs.

use std::fmt::Write as _;

/// A line of a list: its subject and its text.
pub type Line = (String, String);

/// A log. A plan and a review of one phase share it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// Of the work.
    pub phase: u32,
    /// `Plan strategy`, `Review strategy`, `Max rounds`.
    pub configuration: Vec<Line>,
    /// In the order they were held.
    pub debates: Vec<LoggedDebate>,
}

/// One debate of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoggedDebate {
    /// `Plan`, `Review` or `Draft`.
    pub stage: String,
    /// What is to be known before the rounds.
    pub notes: Vec<Line>,
    /// From round 1.
    pub rounds: Vec<LogRound>,
    /// Empty while it continues.
    pub outcome: Vec<Line>,
}

/// One round of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogRound {
    /// From 1.
    pub number: u32,
    /// Critiques, revisions, and the check for convergence.
    pub lines: Vec<Line>,
    /// The same for programs; empty in logs that have none, and while the round continues.
    pub record: Vec<Line>,
}

/// A critique as a log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Who wrote it.
    pub critic: String,
    /// Of whose document.
    pub target: String,
    /// File; `none` where there is none.
    pub path: String,
    /// Words of the file.
    pub words: usize,
    /// Entries of its section Weaknesses.
    pub weaknesses: usize,
}

impl Log {
    /// The file.
    pub fn render(&self) -> String {
        let mut text = format!("# Debate Log — Phase {}\n\n## Configuration\n", self.phase);
        text += &render_list(&self.configuration);
        for debate in &self.debates {
            text.push('\n');
            text += &debate.render();
        }
        text
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Why the text is not a log.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
        let title = lines.find(|(_, line)| !line.is_empty()).map(|(_, line)| line);
        let phase = title.and_then(|title| title.strip_prefix("# Debate Log — Phase "));
        let phase = phase.and_then(|phase| phase.trim().parse().ok());
        let phase = phase.ok_or("it does not begin with \"# Debate Log — Phase N\"")?;
        let mut log = Self { phase, ..Self::default() };
        let mut section = LogSection::Nowhere;
        for (number, line) in lines {
            let stray = || {
                let text: String = line.chars().take(80).collect();
                format!("line {number}: {text:?} belongs to no section of a debate log")
            };
            let debate = log.debates.last_mut();
            if line.is_empty() || line.starts_with("```") {
                section = match section {
                    LogSection::Round if line.starts_with("```yaml") => LogSection::Record,
                    LogSection::Record if line == "```" => LogSection::Round,
                    other => other,
                };
            } else if line == "## Configuration" {
                section = LogSection::Configuration;
            } else if let Some(stage) = line.strip_prefix("## ").and_then(|line| line.strip_suffix(" Debate")) {
                log.debates.push(LoggedDebate { stage: stage.to_owned(), ..LoggedDebate::default() });
                section = LogSection::Notes;
            } else if let Some(number) = line.strip_prefix("### Round ").and_then(|number| number.parse().ok()) {
                let debate = debate.ok_or_else(stray)?;
                debate.rounds.push(LogRound { number, ..LogRound::default() });
                section = LogSection::Round;
            } else if line == "### Outcome" && debate.is_some() {
                section = LogSection::Outcome;
            } else {
                let pair = |line: &str| line.split_once(": ").map(|(key, value)| (key.to_owned(), value.to_owned()));
                let entry = match section {
                    LogSection::Record => pair(line),
                    _ => line.strip_prefix("- ").and_then(pair),
                };
                let entry = entry.ok_or_else(stray)?;
                let lines = match section {
                    LogSection::Nowhere => None,
                    LogSection::Configuration => Some(&mut log.configuration),
                    LogSection::Notes => debate.map(|debate| &mut debate.notes),
                    LogSection::Outcome => debate.map(|debate| &mut debate.outcome),
                    LogSection::Round => debate.and_then(|debate| Some(&mut debate.rounds.last_mut()?.lines)),
                    LogSection::Record => debate.and_then(|debate| Some(&mut debate.rounds.last_mut()?.record)),
                };
                lines.ok_or_else(stray)?.push(entry);
            }
        }
        Ok(log)
    }
}

/// Where a line of a log belongs.
#[derive(Clone, Copy)]
enum LogSection {
    Nowhere,
    Configuration,
    Notes,
    Round,
    Record,
    Outcome,
}

impl LoggedDebate {
    /// The section of a log.
    pub fn render(&self) -> String {
        let mut text = format!("## {} Debate\n{}", self.stage, render_list(&self.notes));
        for (at, round) in self.rounds.iter().enumerate() {
            let gap = if at == 0 && self.notes.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{gap}### Round {}\n{}", round.number, render_list(&round.lines));
            if !round.record.is_empty() {
                let record: String = round.record.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
                let _ = write!(text, "\n```yaml\n{record}```\n");
            }
        }
        if !self.outcome.is_empty() {
            let _ = write!(text, "\n### Outcome\n{}", render_list(&self.outcome));
        }
        text
    }
}

impl LogRound {
    /// Its critiques.
    pub fn list_critiques(&self) -> Vec<Counted> {
        let counted = |(about, said): &Line| {
            let (critic, target) = about.split_once(" critique of ")?;
            let (path, counts) = said.rsplit_once(" (")?;
            let (words, weaknesses) = counts.strip_suffix(')')?.split_once(", ")?;
            let number = |text: &str| text.split_whitespace().next()?.parse().ok();
            Some(Counted {
                critic: critic.to_owned(),
                target: target.to_owned(),
                path: path.to_owned(),
                words: number(words)?,
                weaknesses: number(weaknesses)?,
            })
        };
        self.lines.iter().filter_map(counted).collect()
    }
}

fn render_list(lines: &[Line]) -> String {
    lines.iter().map(|(about, said)| format!("- {about}: {said}\n")).collect()
}
