//! The log of a record: the files of each round, its check, and the outcome.

use agon_core::{Outcome, Protocol as _, RulingKind};
use agon_protocols::{
    common::request_values::read_option,
    revise::{
        Revise, artifact_names,
        settings::{ReviseMode, Strategy},
        state::{Round as Held, RoundCheck, RoundStatus},
    },
};
use agon_text::{count_words, markdown::escape_line};
use serde_json::json;

use super::{
    ReviseInput,
    log::{Line, Log, LogRound, LoggedDebate},
};
use crate::{File, add_extended_rounds, participation};

/// The file; none where there is nothing but first versions, which are joined without a debate. A log that
/// the debate was opened with is kept as it is, and this debate's section stands behind it. `files` are
/// those that the debate has written.
pub(super) fn render_history(scene: &ReviseInput<'_>, files: &[File]) -> Option<String> {
    if max_rounds(scene) == 0 {
        return None;
    }
    let debate = build_logged_debate(scene, files);
    Some(match scene.record.document("log") {
        Some(earlier) => format!("{}\n\n{}", earlier.trim_end(), debate.render()),
        None => {
            let configuration = list_configuration(scene);
            Log { phase: scene.state.setup.phase, configuration, debates: vec![debate] }.render()
        }
    })
}

fn list_configuration(scene: &ReviseInput<'_>) -> Vec<Line> {
    let (mode, own) = (scene.state.setup.mode, scene.state.setup.strategy.name());
    // What the other stage does is not this debate's to say; without a word it is the default.
    let strategy = |of: ReviseMode, option: &str, default: &str| {
        let given = read_option::<String>(scene.record.opened(), option);
        escape_line(given.as_deref().unwrap_or(if mode == of { own } else { default }))
    };
    let mut lines = vec![
        ("Plan strategy".to_owned(), strategy(ReviseMode::Plan, "plan_strategy", "synthesize")),
        ("Review strategy".to_owned(), strategy(ReviseMode::Review, "review_strategy", "single")),
    ];
    if mode == ReviseMode::Draft {
        lines.push(("Draft strategy".into(), own.into()));
    }
    lines.push(("Max rounds".into(), max_rounds(scene).to_string()));
    lines
}

/// Rounds that were allowed, extensions included: never more than the protocol has, for those that an
/// early end left over lapse.
fn max_rounds(scene: &ReviseInput<'_>) -> u32 {
    let opened = if scene.state.setup.strategy == Strategy::Debate { scene.record.opened().limits.rounds } else { 0 };
    add_extended_rounds(scene.record, opened).min(Revise.manifest().rounds.max)
}

fn build_logged_debate(scene: &ReviseInput<'_>, files: &[File]) -> LoggedDebate {
    let rounds = scene.state.rounds.iter().zip(1_u32..);
    let outcome = scene.record.closing_outcome();
    LoggedDebate {
        stage: scene.state.setup.mode.title().to_owned(),
        notes: list_debate_notes(scene),
        rounds: rounds.map(|(held, number)| build_log_round(scene, files, held, number)).collect(),
        outcome: outcome.map(|outcome| list_outcome_lines(scene, outcome)).unwrap_or_default(),
    }
}

/// What the opener was told, who answered, and whose first version is missing.
fn list_debate_notes(scene: &ReviseInput<'_>) -> Vec<Line> {
    let mut notes: Vec<Line> = Vec::new();
    let warned = scene.view.find_ruling("rounds/warned");
    notes.extend(warned.map(|ruling| ("Note".to_owned(), escape_line(&ruling.text))));
    for sat in participation::list_seat_summaries(scene.record) {
        let models: Vec<&str> = sat.answered.iter().map(String::as_str).collect();
        if !models.is_empty() {
            let name = escape_line(scene.state.setup.author_name(&sat.seat));
            notes.push((format!("Model of {name}"), escape_line(&models.join(", "))));
        }
    }
    for (key, ruling) in scene.view.rulings_of_kind(RulingKind::Absent) {
        if key.as_str().starts_with("draft-") {
            notes.push(("Note".into(), escape_line(&ruling.text)));
        }
    }
    notes
}

fn build_log_round(scene: &ReviseInput<'_>, files: &[File], held: &Held, number: u32) -> LogRound {
    let setup = &scene.state.setup;
    let (mut lines, mut record): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    // Who took part had a version before the round.
    let authors: Vec<usize> =
        (0..setup.authors.len()).filter(|author| scene.state.version_before(*author, number).is_some()).collect();
    let mut tell = |about: String, stands: Option<String>, key: String| {
        // Of a round that continues only what stands is told.
        if stands.is_none() && held.check.is_none() {
            return;
        }
        let lost = || scene.view.find_ruling(format!("round-{number}/{key}/absent"));
        let said = stands.or_else(|| Some(format!("none ({})", escape_line(&lost()?.text))));
        lines.push((about, said.unwrap_or_else(|| "none".into())));
    };
    let label = |author: usize| setup.authors[author].label.replace('-', "_");
    for critic in &authors {
        for target in authors.iter().filter(|target| *target != critic) {
            let about = format!("{} critique of {}", scene.author_name(*critic), scene.author_name(*target));
            let stands = held.critiques.iter().find(|held| held.critic == *critic && held.target == *target);
            let stands = stands.map(|stands| {
                let path = artifact_names::critique_file(setup, *critic, *target, number);
                let text = files.iter().find(|file| file.path == path).map(|file| file.content.as_str());
                let words = count_words(text.unwrap_or_default());
                let of = if authors.len() > 2 { format!("_of_{}", label(*target)) } else { String::new() };
                record.push((format!("{}_critique{of}_path", label(*critic)), path.clone()));
                format!("{path} ({words} words, {} weaknesses)", stands.weaknesses)
            });
            tell(about, stands, format!("critique-{}-of-{}", critic + 1, target + 1));
        }
    }
    for author in &authors {
        let stands = held.revisions.iter().find(|held| held.author == *author).map(|_| {
            let path = artifact_names::version_file(setup, *author, number);
            let changes = scene.build_revision_file(*author, number).map(|file| file.summarize_addressed());
            let changes = changes.filter(|changes| !changes.is_empty()).unwrap_or_else(|| "none".into());
            let kept = scene.state.find_version(*author, number).into_iter().flat_map(|version| &version.withdrawn);
            let kept = kept.map(|finding| finding.id.as_str()).collect::<Vec<_>>().join(", ");
            let kept = match kept.as_str() {
                "" => String::new(),
                ids => format!("; withdrawn without reason, and it stands: {ids}"),
            };
            record.push((format!("{}_revision_path", label(*author)), path.clone()));
            format!("{path} (changes: {changes}{kept})")
        });
        tell(format!("{} revision", scene.author_name(*author)), stands, format!("revision-{}", author + 1));
    }
    let Some(RoundCheck { status, reason, .. }) = &held.check else {
        return LogRound { number, lines, record: Vec::new() };
    };
    let reason = escape_line(reason);
    let (word, check) = match status {
        RoundStatus::Complete => ("complete", "not converged".to_owned()),
        RoundStatus::Converged => ("converged", format!("converged — {reason}")),
        RoundStatus::Failed => ("failed", format!("not converged — {reason}")),
    };
    lines.push(("Convergence check".into(), check));
    let head = [
        ("sentinel", "debate-round".to_owned()),
        ("phase", setup.phase.to_string()),
        ("stage", setup.mode.name().to_owned()),
        ("round", number.to_string()),
        ("status", word.to_owned()),
    ];
    record.splice(0..0, head.map(|(key, value)| (key.to_owned(), value)));
    if !reason.is_empty() {
        record.push(("convergence_reason".into(), json!(reason).to_string()));
    }
    LogRound { number, lines, record }
}

fn list_outcome_lines(scene: &ReviseInput<'_>, outcome: &Outcome) -> Vec<Line> {
    let rounds = &scene.state.rounds;
    let complete = rounds.iter().filter(|round| round.check.as_ref().is_some_and(|c| c.status != RoundStatus::Failed));
    let mut lines: Vec<Line> = Vec::new();
    let mut say = |about: &str, said: String| lines.push((about.to_owned(), said));
    say("Rounds completed", format!("{} of {}", complete.count(), max_rounds(scene)));
    let last = rounds.last().and_then(|round| round.check.as_ref());
    let early = match last {
        Some(check) if check.status != RoundStatus::Complete => {
            format!("yes — {}", escape_line(&check.reason))
        }
        _ => "no".into(),
    };
    say("Early termination", early);
    for author in 0..scene.state.setup.authors.len() {
        let about = format!("Final {} version", scene.author_name(author));
        say(&about, scene.state.latest_version_file(author).unwrap_or_else(|| "none".into()));
    }
    let open = scene.state.unresolved_disagreements().into_iter();
    let open: Vec<String> = open.map(|(_, _, point)| escape_line(&point.replace(';', ","))).collect();
    say("Unresolved disagreements", if open.is_empty() { "none".into() } else { open.join("; ") });
    if last.is_some_and(|check| check.status == RoundStatus::Complete) {
        let note = "maximum rounds were reached without convergence; synthesis goes on with the final revisions";
        say("Note", note.into());
    }
    if !outcome.absent.is_empty() {
        say("Note", escape_line(&outcome.summary));
    }
    lines
}
