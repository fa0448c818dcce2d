//! The layout of a plan, task packets in waves, and the checks of it.

use std::collections::BTreeMap;

use super::document::{normalise_words, parse_headings, unfenced_lines};

/// Labels of a task, in their order.
pub const LABELS: [&str; 7] =
    ["Goal", "Acceptance Criteria", "Files", "Dependencies", "Wave", "Estimated Scope", "Implementation Notes"];
/// Sections of a plan, in their order.
pub(super) const SECTIONS: [&str; 3] = ["context", "task packets", "wave summary"];

/// One task packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// For example `P1-T02`.
    pub id: String,
    /// What its heading says behind the id.
    pub title: String,
    /// Ids that its criteria bear, for example `AC-01`.
    pub criteria: Vec<String>,
    /// Criteria without an id.
    pub unnumbered: usize,
    /// Tasks that must be done before.
    pub dependencies: Vec<String>,
    /// When it can begin.
    pub wave: Option<u32>,
    /// Labels that it bears.
    pub labels: Vec<&'static str>,
}

/// The tasks of a plan, in order.
pub fn parse_tasks(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut open = false;
    let mut label = None;
    for (_, line) in unfenced_lines(text) {
        let level = line.len() - line.trim_start_matches('#').len();
        if level > 0 && line[level..].starts_with(' ') {
            open = false;
            label = None;
            if let Some((id, title)) = split_task_heading(line[level..].trim()).filter(|_| level >= 3) {
                tasks.push(Task { id: id.trim().into(), title: title.trim().into(), ..Task::default() });
                open = true;
            }
            continue;
        }
        let Some(task) = tasks.last_mut().filter(|_| open) else { continue };
        let (found, rest) = split_label(line);
        if let Some(found) = found {
            label = Some(found);
            task.labels.push(found);
        }
        let rest = rest.trim();
        match label {
            Some("Acceptance Criteria") => add_criterion(rest, task),
            Some("Dependencies") => task.dependencies.extend(find_task_ids(rest)),
            Some("Wave") if task.wave.is_none() => task.wave = first_number(rest),
            _ => {}
        }
    }
    tasks
}

/// The id of a task and its title, of a heading without its marks.
fn split_task_heading(heading: &str) -> Option<(&str, &str)> {
    let rest = heading.strip_prefix("Task ").or_else(|| heading.strip_prefix("task "))?;
    Some(rest.split_once(':').unwrap_or((rest, "")))
}

/// The label that a line begins with, and what follows it.
fn split_label(line: &str) -> (Option<&'static str>, &str) {
    let start = line.trim_start_matches(['-', '*', ' ', '\t']);
    let marks = line.len() - start.len();
    for label in LABELS {
        let Some(head) = start.get(..label.len()) else { continue };
        let rest = start[label.len()..].trim_start_matches('*');
        // Bold, or followed by a colon: a sentence that begins with the word is none.
        let closes = rest.starts_with(':') || (rest.len() < start.len() - label.len() && marks >= 2);
        if head.eq_ignore_ascii_case(label) && closes {
            return (Some(label), rest.trim_start_matches(':').trim_start_matches('*'));
        }
    }
    (None, line)
}

fn add_criterion(line: &str, task: &mut Task) {
    let Some(text) = line.strip_prefix(['-', '*']).map(str::trim) else { return };
    let id: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    match id.to_ascii_uppercase().strip_prefix("AC-").filter(|rest| !rest.is_empty()) {
        Some(_) => task.criteria.push(id.to_ascii_uppercase()),
        None if text.is_empty() => {}
        None => task.unnumbered += 1,
    }
}

/// Ids of the form `P1-T02` in `text`.
fn find_task_ids(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_id = |word: &&str| {
        let parts = word.strip_prefix('P').and_then(|rest| rest.split_once("-T"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        parts.is_some_and(|(phase, task)| digits(phase) && digits(task))
    };
    words.filter(is_id).map(str::to_owned).collect()
}

fn first_number(text: &str) -> Option<u32> {
    let digits: String = text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

impl Task {
    /// Whether a task of another plan is the same: it has its id or its title.
    pub fn is_same(&self, other: &Self) -> bool {
        let title = normalise_words(&self.title);
        self.id == other.id || (!title.is_empty() && title == normalise_words(&other.title))
    }
}

/// A task that several plans have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedTask {
    /// As the first of them has it.
    pub task: Task,
    /// Its packet there, from the heading on.
    packet: String,
}

/// The tasks of the first of `plans` that all the others have, too; none where there is one plan.
pub fn find_shared_tasks(plans: &[&str]) -> Vec<SharedTask> {
    let Some((first, others)) = plans.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    let others: Vec<Vec<Task>> = others.iter().map(|plan| parse_tasks(plan)).collect();
    let is_shared = |task: &Task| others.iter().all(|tasks| tasks.iter().any(|other| task.is_same(other)));
    let shared = parse_tasks(first).into_iter().filter(is_shared);
    shared.filter_map(|task| Some(SharedTask { packet: find_task_packet(first, &task.id)?, task })).collect()
}

/// The packet of a task: from its heading to the next, without the line between packets.
fn find_task_packet(text: &str, id: &str) -> Option<String> {
    let headings = parse_headings(text);
    let is_heading = |text: &str| split_task_heading(text).is_some_and(|(known, _)| known.trim() == id);
    let at = headings.iter().position(|heading| heading.level >= 3 && is_heading(&heading.text))?;
    let level = headings[at].level;
    let next = headings[at + 1..].iter().find(|heading| heading.level <= level).map(|heading| heading.line);
    let own: Vec<&str> = text.lines().take(next.unwrap_or(usize::MAX)).skip(headings[at].line).collect();
    Some(own.join("\n").trim_end().trim_end_matches("---").trim_end().to_owned())
}

/// `text` with the packet of a task before its wave summary, and with a row for it there.
pub fn with_task(text: &str, SharedTask { task, packet }: &SharedTask) -> String {
    let is_summary = |line: &str| line.starts_with('#') && normalise_words(line) == "wave summary";
    let lines: Vec<&str> = text.lines().collect();
    let (before, summary) = lines.split_at(lines.iter().position(|line| is_summary(line)).unwrap_or(lines.len()));
    let mut blocks = vec![before.join("\n").trim_end().to_owned(), "---".to_owned(), packet.clone()];
    if !summary.is_empty() {
        let mut summary: Vec<String> = summary.iter().map(ToString::to_string).collect();
        let last = summary.iter().rposition(|line| line.trim_start().starts_with('|'));
        if let (Some(last), Some(wave)) = (last, task.wave) {
            summary.insert(last + 1, format!("| {wave} | {} | no |", task.id));
        }
        blocks.push(summary.join("\n"));
    }
    blocks.join("\n\n")
}

/// What keeps `text` from being a plan at all.
pub fn check_plan(text: &str) -> Option<&'static str> {
    parse_tasks(text).is_empty().then_some("there is no task; write each as \"### Task P1-T01: title\"")
}

/// Where `text` leaves the layout of a plan of `phase`, one line each.
pub fn check_plan_layout(text: &str, phase: u32) -> Vec<String> {
    let mut problems = Vec::new();
    let sections: Vec<String> =
        parse_headings(text).into_iter().filter(|h| h.level == 2).map(|h| normalise_words(&h.text)).collect();
    let missing: Vec<&str> = SECTIONS.into_iter().filter(|name| !sections.iter().any(|s| s == name)).collect();
    if !missing.is_empty() {
        problems.push(format!("sections are missing: {}", missing.join(", ")));
    }
    let tasks = parse_tasks(text);
    let mut waves: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        let id = task.id.as_str();
        let wanted = format!("P{phase}-T{:02}", at + 1);
        if waves.contains_key(id) {
            problems.push(format!("two tasks are called {id}"));
        } else if find_task_ids(id) != [id.to_owned()] || !id.starts_with(&format!("P{phase}-T")) {
            problems.push(format!("{id:?} is no task id of phase {phase}; {wanted} is wanted"));
        } else if first_number(&id[id.find("-T").unwrap_or(0)..]) != Some(at as u32 + 1) {
            problems.push(format!("tasks are out of order: {id} stands where {wanted} is wanted"));
        }
        let missing: Vec<&str> = LABELS.into_iter().filter(|label| !task.labels.contains(label)).collect();
        if !missing.is_empty() {
            problems.push(format!("{id} lacks {}", missing.join(", ")));
        }
        if task.unnumbered > 0 {
            problems.push(format!("{id} has criteria without a number such as AC-01"));
        }
        if task.criteria.is_empty() && task.unnumbered == 0 {
            problems.push(format!("{id} has no acceptance criterion"));
        }
        for dependency in &task.dependencies {
            let earlier = tasks.iter().find(|other| other.id == *dependency);
            match earlier.map(|other| other.wave) {
                None => problems.push(format!("{id} depends on {dependency}, which does not exist")),
                Some(wave) if wave >= task.wave && task.wave.is_some() => {
                    problems.push(format!("{id} depends on {dependency}, which is not in an earlier wave"));
                }
                Some(_) => {}
            }
        }
        waves.insert(id, task.wave);
    }
    problems.extend(check_wave_summary(text, &tasks));
    problems
}

/// Where the wave summary and the tasks disagree.
fn check_wave_summary(text: &str, tasks: &[Task]) -> Vec<String> {
    let mut inside = false;
    let mut told: BTreeMap<String, u32> = BTreeMap::new();
    for (_, line) in unfenced_lines(text) {
        if line.starts_with('#') {
            inside = normalise_words(line) == "wave summary";
        } else if inside && line.trim_start().starts_with('|') {
            let cells: Vec<&str> = line.trim().trim_matches('|').split('|').collect();
            if let [wave, listed, ..] = cells.as_slice()
                && let Some(wave) = first_number(wave)
            {
                told.extend(find_task_ids(listed).into_iter().map(|id| (id, wave)));
            }
        }
    }
    if told.is_empty() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for task in tasks {
        match (told.remove(&task.id), task.wave) {
            (None, _) => problems.push(format!("the wave summary lacks {}", task.id)),
            (Some(told), Some(wave)) if told != wave => {
                problems.push(format!("the wave summary puts {} in wave {told}, its packet in {wave}", task.id));
            }
            _ => {}
        }
    }
    problems.extend(told.keys().map(|id| format!("the wave summary names {id}, which does not exist")));
    problems
}

/// What a revision of a plan gave up: tasks that are gone, and criteria (R5). One line each.
pub fn list_plan_losses(previous: &str, revised: &str) -> Vec<String> {
    let after = parse_tasks(revised);
    let mut lost = Vec::new();
    for before in parse_tasks(previous) {
        let title = normalise_words(&before.title);
        let kept = after.iter().find(|task| normalise_words(&task.title) == title);
        match kept.or_else(|| after.iter().find(|task| task.id == before.id)) {
            None => lost.push(format!("task {} ({}) is gone", before.id, before.title)),
            Some(task) => {
                let (was, is) = (before.criteria.len() + before.unnumbered, task.criteria.len() + task.unnumbered);
                if is < was {
                    lost.push(format!("task {} has {is} acceptance criteria, before it had {was}", task.id));
                }
            }
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = include_str!("testdata/plan.md");

    #[test]
    fn a_plan_in_the_layout_has_no_problems() {
        let tasks = parse_tasks(PLAN);
        assert_eq!(tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["P1-T01", "P1-T02"]);
        assert_eq!(tasks[1].dependencies, ["P1-T01"]);
        assert_eq!((tasks[0].wave, tasks[1].wave), (Some(1), Some(2)));
        assert_eq!(tasks[0].criteria, ["AC-01", "AC-02"]);
        assert_eq!(check_plan_layout(PLAN, 1), Vec::<String>::new());
        assert_eq!(check_plan(PLAN), None);
        assert!(check_plan("# Plan: Phase 1\n\nDo it.").is_some());
    }

    #[test]
    fn ids_dependencies_criteria_and_summary_are_checked() {
        let table = [
            ("### Task P1-T02:", "### Task P1-T01:", "two tasks are called P1-T01"),
            ("### Task P1-T02:", "### Task P1-T05:", "tasks are out of order: P1-T05 stands where P1-T02 is wanted"),
            ("### Task P1-T02:", "### Task two:", "\"two\" is no task id of phase 1"),
            ("**Dependencies**: P1-T01", "**Dependencies**: P1-T09", "P1-T02 depends on P1-T09, which does not exist"),
            ("**Wave**: 2", "**Wave**: 1", "P1-T02 depends on P1-T01, which is not in an earlier wave"),
            ("- AC-02 (LLM): ", "- ", "P1-T01 has criteria without a number"),
            ("| 2 | P1-T02 |", "| 3 | P1-T02 |", "the wave summary puts P1-T02 in wave 3, its packet in 2"),
            ("| 2 | P1-T02 |", "| 2 | none |", "the wave summary lacks P1-T02"),
            ("| 2 | P1-T02 |", "| 2 | P1-T02, P1-T07 |", "the wave summary names P1-T07"),
            ("## Context", "## Setting", "sections are missing: context"),
            ("**Goal**: Store", "Store", "P1-T01 lacks Goal"),
        ];
        for (from, to, want) in table {
            assert!(PLAN.contains(from), "{from}");
            let found = check_plan_layout(&PLAN.replacen(from, to, 1), 1);
            assert!(found.iter().any(|problem| problem.starts_with(want)), "{want}: {found:?}");
        }
    }

    #[test]
    fn dropped_tasks_and_criteria_are_noticed() {
        let weaker = PLAN.replace("- AC-02 (LLM): The schema is easy to read.\n", "");
        assert_eq!(list_plan_losses(PLAN, &weaker), ["task P1-T01 has 1 acceptance criteria, before it had 2"]);
        let (without, _) = PLAN.split_once("### Task P1-T02").unwrap();
        assert!(list_plan_losses(PLAN, without)[0].contains("P1-T02 (Search the notes) is gone"));
        assert_eq!(list_plan_losses(PLAN, PLAN), Vec::<String>::new());
    }
}
