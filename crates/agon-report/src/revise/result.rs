//! The last file of a debate: `PLAN.md`, `REVIEW.md` or `SYNTHESIS.md`.

use agon_core::{Outcome, Standing};
use agon_protocols::revise::{
    artifact_names,
    critique::Severity,
    joint_findings::{FindingSource, Joined, Unified, agreed_severity},
    review::ReviewVerdict,
    settings::ReviseMode,
    state::{ReviseState, RoundStatus},
    synthesis::Synthesis,
    verdict,
};
use agon_text::{
    count_noun,
    markdown::{escape_cell, escape_line, escape_prose, escape_start},
};

use super::{REDACTED, ReviseInput};
use crate::{
    document,
    markup::{join_lines, render_table},
};

/// The file; nothing while there is nothing to show.
pub(super) fn render_result(scene: &ReviseInput<'_>) -> Option<String> {
    if scene.state.setup.mode == ReviseMode::Review {
        return render_review(scene);
    }
    if let Some(joint) = &scene.state.joint {
        let then = scene.state.after_rounds(joint.rounds);
        return Some(match scene.state.read_synthesis(&scene.view) {
            Some(synthesis) => render_joined_document(scene, &then, &synthesis),
            None => format!("{REDACTED}\n"),
        });
    }
    // A version that nobody else's can be joined with is the result, and the file says so.
    let outcome = find_valid_outcome(scene)?;
    let [author] = scene.state.present_authors()[..] else { return None };
    let text = scene.state.latest_version(author)?.text.as_deref();
    let text = text.map_or_else(|| REDACTED.to_owned(), document::guard_document);
    let note = match outcome.absent.is_empty() {
        true => format!("{} alone, without a debate", scene.state.latest_version_file(author)?),
        false => {
            format!("{} alone; {}", scene.state.latest_version_file(author)?, escape_line(&outcome.render_summary()))
        }
    };
    Some(with_comments(&text, &[format!("Sources: {note}")]) + "\n")
}

fn find_valid_outcome<'s>(scene: &'s ReviseInput<'_>) -> Option<&'s Outcome> {
    scene.record.closing_outcome().filter(|outcome| outcome.standing == Standing::Valid)
}

fn render_joined_document(scene: &ReviseInput<'_>, then: &ReviseState, synthesis: &Synthesis) -> String {
    let course = describe_course(then);
    let mut comments = list_comments(then);
    if scene.state.outdated {
        comments.push("Debate: newer versions stand, and nobody joined them".into());
    }
    let mut blocks = vec![with_comments(&document::guard_document(&synthesis.document), &comments)];
    blocks.push("## Synthesis Notes".into());
    let left_out = synthesis.left_out.iter();
    let left_out = left_out.map(|note| format!("Left out: {} — {}", escape_line(&note.point), escape_line(&note.why)));
    let merged: Vec<String> = synthesis.merged.iter().map(|text| escape_start(text)).chain(left_out).collect();
    blocks.push(render_bullet_section("### Standard Merge Decisions", &merged));
    let critiques = then.rounds.iter().zip(1_u32..).flat_map(|(round, number)| {
        let critiques = round.critiques.iter();
        critiques
            .map(move |held| (artifact_names::critique_file(&then.setup, held.critic, held.target, number), number))
    });
    let critiques: Vec<(String, u32)> = critiques.collect();
    let adopted = synthesis.adopted.iter().map(|note| {
        let round = critiques.iter().find(|(file, _)| *file == note.why);
        let round = round.map(|(_, number)| format!(", round {number}")).unwrap_or_default();
        format!("Adopted: {} ({}{round})", escape_line(&note.point), escape_line(&note.why))
    });
    let mut notes: Vec<String> = adopted.collect();
    let reasoned = |word: &str, why: &str, point: &str| format!("{word}: {} — {why}", escape_line(point));
    notes.extend(synthesis.overruled.iter().map(|note| reasoned("Overruled", &escape_line(&note.why), &note.point)));
    notes.push(format!("Convergence: {course}"));
    let tied = |why: &str, point: &str| reasoned("Unresolved", &format!("tie-break: {why}"), point);
    notes.extend(synthesis.unresolved.iter().map(|note| tied(&escape_line(&note.why), &note.point)));
    let wanted = then.synthesis_requirements();
    notes.extend(wanted.find_unnamed_points(synthesis).into_iter().map(|point| tied("not said", point)));
    if !then.rounds.is_empty() {
        blocks.push(render_bullet_section("### Debate Resolution", &notes));
    }
    blocks.join("\n\n") + "\n"
}

/// One list of findings. The verdict is computed from the reviews, and stands without a synthesizer.
fn render_review(scene: &ReviseInput<'_>) -> Option<String> {
    let closed = find_valid_outcome(scene);
    let joint = scene.state.joint.as_ref().filter(|_| !scene.state.outdated);
    if closed.is_none() && scene.state.joint.is_none() {
        return None;
    }
    // What was joined is of its time; without it the last versions stand.
    let rounds = joint.or(scene.state.joint.as_ref().filter(|_| closed.is_none())).map(|joint| joint.rounds);
    let then = scene.state.after_rounds(rounds.unwrap_or(u32::MAX));
    let absent = closed.map(|outcome| outcome.absent.as_slice()).unwrap_or_default();
    let sources = then.list_finding_sources();
    let unified = joint.and_then(|_| then.read_unified_list(&scene.view));
    let given = verdict::attribute_verdict(&then, absent, unified.as_ref());
    let alone = unified.is_none();
    let unified = unified.unwrap_or_else(|| Unified::default().settle_findings(&sources));

    let heading = format!("# Code Review: {}", scene.phase_title());
    let mut blocks = vec![with_comments(&heading, &list_comments(&then))];
    if let Some(outcome) = closed.filter(|outcome| !outcome.absent.is_empty()) {
        blocks.push(escape_prose(&outcome.render_summary()));
    } else if joint.is_some() && alone {
        blocks.push(REDACTED.into());
    } else if alone {
        blocks.push("Nobody joined the reviews; the findings stand as their reviewers wrote them.".into());
    }
    if !unified.summary.is_empty() {
        blocks.push(escape_prose(&unified.summary));
    }
    let findings: Vec<String> = unified.findings.iter().zip(1..).map(|(f, n)| render_finding(n, f)).collect();
    blocks.push(render_bullet_section("## Findings", &findings));
    if !then.rounds.is_empty() {
        blocks.push("## Debate Resolution".into());
        blocks.extend(render_resolution(&then, &unified, &sources));
    }
    blocks.push("## Verdict".into());
    blocks.push(given.verdict.map_or("None", ReviewVerdict::name).to_owned());
    blocks.push(escape_line(&given.says));
    blocks.push(render_verdict_table(&then));
    if let Some(verdict) = given.verdict {
        let counts =
            Severity::ALL.map(|severity| unified.findings.iter().filter(|f| f.severity == Some(severity)).count());
        // A reader of this record alone learns that a participant was lost.
        let noted = given.unexplained || !absent.is_empty();
        let said = escape_line(closed.map_or(&given.says, |outcome| &outcome.summary));
        blocks.push(scene.verdict_record(verdict, "debate", counts, Some(said.as_str()).filter(|_| noted)));
    }
    Some(blocks.join("\n\n") + "\n")
}

fn render_finding(number: usize, finding: &Joined) -> String {
    let about = [&finding.dimension, &finding.place].into_iter().filter(|text| !text.is_empty());
    let about = about.map(|text| escape_line(text)).collect::<Vec<_>>().join(", ");
    // A finding that nobody spoke about stands in its reviewer's words, which begin with its place.
    let problem = escape_line(&finding.problem);
    let problem = if about.is_empty() || problem.starts_with(&about) { problem } else { format!("{about}: {problem}") };
    let fix = if finding.fix.is_empty() { String::new() } else { format!(" Fix: {}", escape_line(&finding.fix)) };
    let (severity, from) = (Severity::name_or_unread(finding.severity), escape_line(&finding.from.join(", ")));
    format!("F{number} [{severity}] {problem}{fix} ({from})")
}

fn render_resolution(then: &ReviseState, unified: &Unified, sources: &[FindingSource]) -> Vec<String> {
    let numbered = || unified.findings.iter().zip(1..);
    let of = |id: &str| sources.iter().find(|source| source.id == id);
    let named = |n: usize, finding: &Joined| format!("F{n}: {}", escape_line(&finding.from.join(", ")));
    let both = numbered().filter(|(finding, _)| agreed_severity(finding, sources).is_some());
    let both: Vec<String> = both.map(|(finding, n)| named(n, finding)).collect();
    let mut blocks = vec![render_bullet_section("### Agreed findings", &both)];
    // The first reviewer's text is the authoritative one: what the others added is told apart.
    for (author, who) in then.setup.authors.iter().enumerate() {
        let by = |id: &str| of(id).is_some_and(|source| source.author == author);
        if author > 0 {
            let own =
                numbered().filter(|(f, _)| agreed_severity(f, sources).is_none() && f.from.iter().any(|id| by(id)));
            let own: Vec<String> = own.map(|(finding, n)| named(n, finding)).collect();
            blocks.push(render_bullet_section(&format!("### Incorporated from {}", escape_line(&who.name)), &own));
        }
        let left = unified.rejected.iter().filter(|left| by(&left.finding));
        let left: Vec<String> =
            left.map(|left| format!("{}: {}", escape_line(&left.finding), escape_line(&left.reason))).collect();
        if author > 0 || !left.is_empty() {
            blocks.push(render_bullet_section(&format!("### Rejected from {}", escape_line(&who.name)), &left));
        }
    }
    let adjusted = numbered().flat_map(|(finding, n)| {
        let from = finding.from.iter().filter_map(|id| of(id));
        let changed = from.filter(|source| source.finding.severity != finding.severity);
        changed.map(move |source| {
            let (was, is) =
                (Severity::name_or_unread(source.finding.severity), Severity::name_or_unread(finding.severity));
            format!("F{n}: {was} to {is} ({})", escape_line(&source.id))
        })
    });
    blocks.push(render_bullet_section("### Severity adjustments", &adjusted.collect::<Vec<_>>()));
    blocks
}

/// What each last review leads to.
fn render_verdict_table(then: &ReviseState) -> String {
    let rows = then.present_authors().into_iter().map(|author| {
        let review = then.latest_review(author);
        let [high, medium, low] = Severity::ALL.map(|severity| review.count_findings(severity));
        let verdict = review.verdict().map_or("none", ReviewVerdict::name);
        let name = then.latest_version_file(author).unwrap_or_default();
        format!("| {} | {verdict} | {high} | {medium} | {low} |", escape_cell(&name))
    });
    render_table(&["Review", "Verdict", "High", "Medium", "Low"], rows)
}

/// What is said of what was joined: the files of the versions, and how the debate went.
fn list_comments(then: &ReviseState) -> Vec<String> {
    let files = then.present_authors().into_iter().filter_map(|author| then.latest_version_file(author));
    let files = files.collect::<Vec<_>>().join(", ");
    vec![format!("Sources: {files}"), format!("Debate: {}", describe_course(then))]
}

/// How the debate went, in a phrase.
fn describe_course(then: &ReviseState) -> String {
    let count = count_noun(then.rounds.len(), "round", "rounds");
    let reason = then.rounds.last().and_then(|round| round.check.as_ref()).map(|check| escape_line(&check.reason));
    let reason = reason.unwrap_or_default();
    let missing = if then.present_authors().len() < then.setup.authors.len() { "; not every author wrote" } else { "" };
    match then.last_round_status() {
        None => format!("none{missing}"),
        Some(RoundStatus::Converged) => format!("{count}, converged: {reason}{missing}"),
        Some(RoundStatus::Complete) => format!("{count}, not converged{missing}"),
        Some(RoundStatus::Failed) => format!("{count}, the last one incomplete: {reason}{missing}"),
    }
}

/// `text` with comments behind its title.
fn with_comments(text: &str, comments: &[String]) -> String {
    let comments = comments.iter().map(|comment| format!("<!-- {} -->", document::merge_hyphens(comment.clone())));
    let comments = comments.collect::<Vec<_>>().join("\n");
    match text.split_once('\n') {
        Some((title, rest)) if title.starts_with("# ") => format!("{title}\n{comments}\n{rest}"),
        None if text.starts_with("# ") => format!("{text}\n{comments}"),
        _ => format!("{comments}\n{text}"),
    }
}

/// A heading with its bullets; a list without any says so.
fn render_bullet_section(heading: &str, entries: &[String]) -> String {
    format!("{heading}\n{}", join_lines(entries.iter().map(|entry| format!("- {entry}")), "- None"))
}
