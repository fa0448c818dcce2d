//! What judges said: each judge in each order, where several were heard, and the scores that stand with their reasons.

use super::{Block, ReportInput, Table};
use crate::ruling_view::{RulingView, ScoreBefore, ScoreLine, ScoresView, VoteView, list_scores};
use crate::statement::format_score;

pub(super) fn build_blocks(scene: &ReportInput<'_>) -> Vec<Block> {
    let scores = list_scores(scene.record).into_iter();
    let scores = scores.flat_map(|(_, phase, scores)| {
        let table = build_score_table(scene, &scores, phase);
        build_clash_block(scene, &scores).into_iter().chain(table.map(Block::Table))
    });
    build_vote_table(scene).map(Block::Table).into_iter().chain(scores).collect()
}

/// What the judge says the exchange turned on, before its scores.
fn build_clash_block(scene: &ReportInput<'_>, scores: &ScoresView) -> Option<Block> {
    let (key, text) = scores.clash.as_ref()?;
    scene.record.redaction_seq(key).is_none().then(|| Block::Prose(text.clone()))
}

/// Each judge: which side it read first, how far it preferred whom, and whether the order decided.
fn build_vote_table(scene: &ReportInput<'_>) -> Option<Table> {
    let views = crate::views_of(scene.record);
    let rows = scene.record.rulings().filter_map(|(_, key, ruling)| {
        let RulingView::Vote(VoteView { judge, orders, margin, is_flip, .. }) = views.ruling_view(ruling) else {
            return None;
        };
        let at = key.as_str().split('/').next().unwrap_or_default();
        let order = |number: usize| match orders.get(number) {
            Some((first, margin)) => format!("{} ({first} first)", format_score(*margin)),
            None => "not heard".to_owned(),
        };
        let flip = if is_flip { " the order decided: a tie" } else { "" };
        let vote = format!("{}{flip}", format_score(margin));
        Some(vec![at.to_owned(), judge.to_string(), order(0), order(1), vote])
    });
    let caption = "Each judge in each order: above zero the first side is preferred";
    Table::new(caption, &["At", "Judge", "One order", "The other", "Its vote"], &[], rows).if_filled()
}

fn build_score_table(scene: &ReportInput<'_>, scores: &ScoresView, phase: String) -> Option<Table> {
    let hidden = scene.record.redaction_seq(&scores.key).is_some();
    let is = |wanted: fn(ScoreBefore) -> bool| scores.lines.iter().any(|line| wanted(line.before));
    let is_graded = is(|before| matches!(before, ScoreBefore::Grade(_)));
    let is_centred = is(|before| matches!(before, ScoreBefore::Given(_)));
    let is_corrected = is(|before| matches!(before, ScoreBefore::Corrected(_)));
    let row = |line: &ScoreLine| {
        let before = match line.before {
            ScoreBefore::Nothing => String::new(),
            ScoreBefore::Grade(grade) => grade.to_string(),
            ScoreBefore::Given(score) | ScoreBefore::Corrected(score) => format_score(score),
        };
        let why = if hidden { "This text was redacted." } else { &line.why };
        vec![line.argument.clone(), before, format_score(line.score), why.to_owned()]
    };
    let second = match (is_graded, is_centred, is_corrected) {
        (true, _, false) => "Grade",
        (true, _, true) => "Grade, or score before",
        (false, true, false) => "As given",
        (false, true, true) => "As given, or before",
        (false, false, _) => "Before",
    };
    // Where nothing stood before, the column is empty, and such columns are left out.
    Table::new(phase, &["Argument", second, "Score", "Reason"], &[1, 2], scores.lines.iter().map(row)).if_filled()
}
