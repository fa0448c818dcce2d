//! What the moderator of a panel is asked for, and what is refused.

use agon_core::{Attempt, Digest, Key, form::FormField};
use agon_protocols::panel::{
    analysis::{self, QuestionedStatement},
    disagreement::DisagreementState,
    question::NextQuestion,
    review,
    state::{ExaminationEnd, Panel, PanelEvent, QuotedWords},
    synthesis,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{compare, outcomes, stage::*};

const ARCHIVE: &str = "Our archive lost 31 of 40 oral decisions";
const SHEETS: &str = "Minutes took 14 % of meeting hours";
const ASKING: &str = "Which of your time sheets shows that this outweighs the loss?";

fn step(more: Value) -> Value {
    let mut step =
        json!({"action": "ask", "disagreement": "D1", "target": "Bob", "quote": ARCHIVE, "question": ASKING});
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

/// The panels of a debate, each with its name.
fn panels() -> Vec<(&'static str, Panel)> {
    let mut challenged = opened();
    let key = Key::from_parts("valve");
    let words = [("valve", "Writing things down makes everybody careful. Nothing daring is ever proposed then.")];
    let spoken = QuotedWords { seat: seat(3), key, sources: Vec::new() };
    challenged.apply_event(PanelEvent::Challenged(spoken), |key| speech(key, &words));
    let mut answered_once = divided();
    answered(&mut answered_once, "D1", 2, "Ada is right about the archive. I concede that the loss is larger.");
    let mut copied = answered_once.clone();
    copied.exchanges[0].answer.as_mut().unwrap().copies = Some(0);
    let mut both = divided();
    answered(&mut both, "D1", 2, "Minutes cost too much, as I said before.");
    answered(&mut both, "D1", 1, "Losses cost more than minutes do. Nobody counts them.");
    let mut ended = both.clone();
    ended.disagreements[0].state = DisagreementState::Converged;
    ended.apply_event(PanelEvent::Ended(ExaminationEnd::Limit), |_| unreachable!());
    let mut settled = ended.clone();
    settled.disagreements.iter_mut().for_each(|about| about.state = DisagreementState::Converged);
    vec![
        ("nobody", Panel::default()),
        ("opened", opened()),
        ("challenged", challenged),
        ("divided", divided()),
        ("answered", answered_once),
        ("copied", copied),
        ("both", both),
        ("ended", ended),
        ("settled", settled),
    ]
}

fn schemas() -> String {
    let mut out = String::new();
    let mut put = |name: &str, what: &str, schema: Option<FormField>| {
        let is_shown =
            (what == "synthesis" || what.ends_with(" 9")) && !["copied", "both", "settled", "nobody"].contains(&name);
        let schema = json!(schema).to_string();
        let rest = if is_shown { format!("\n{schema}") } else { format!(": {}", Digest::from_content(&schema)) };
        out += &format!("# {name} {what}{rest}\n");
    };
    for (name, panel) in panels() {
        put(name, "synthesis", Some(synthesis::synthesis_form(&panel).to_schema()));
        for left in [0, 1, 9] {
            let mut put = |what: &str, schema: Option<FormField>| put(name, &format!("{what} {left}"), schema);
            put("analysis", Some(analysis::comparison_form(&panel, left).to_schema()));
            // Nobody is challenged where nobody spoke, and nothing reviewed where nothing is disagreed about.
            if !panel.panelists.is_empty() {
                put("challenge", Some(analysis::challenge_form(&panel, left).to_schema()));
            }
            if !panel.disagreements.is_empty() {
                let form = review::last_review_form(&panel, left);
                put("review", form.map(|form| form.to_schema()));
                put("route", Some(review::route_form(&panel, left).to_schema()));
            }
        }
    }
    out
}

/// What a draft was taken for.
fn taken<T: Serialize>(asking: QuestionedStatement<T>) -> Value {
    let next = match asking.next {
        NextQuestion::Ask(asked) => json!(asked),
        NextQuestion::Stop => json!("stop"),
        NextQuestion::Unusable | NextQuestion::TooLong => json!("unusable"),
    };
    json!([asking.found, next, asking.warnings])
}

fn faults(number: u32) -> String {
    let shown = number == 0;
    let panels = panels();
    let panel = |name: &str| &panels.iter().find(|(known, _)| *known == name).unwrap().1;
    let draft = |text: &'_ str| -> Attempt<'static> {
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        Attempt { text, number, quoted: &[], imported: false }
    };
    let mut out = format!("# draft {number}\n");
    let mut first = analysed();
    first["next"] = step(json!({}));
    let opened = panel("opened");
    out += &outcomes("analysis", &first, shown, |text| analysis::parse_comparison(opened, 15, draft(text)).map(taken));
    let mut agreed = first.clone();
    agreed["all_agree"] = json!(true);
    out +=
        &outcomes("agreement", &agreed, false, |text| analysis::parse_comparison(opened, 15, draft(text)).map(taken));
    let counter = json!({
        "topic": "daring", "kind": "premise", "rank": "low",
        "claims": [claim("Cy", "Nothing daring is ever proposed then"), claim("Ada", ARCHIVE)],
    });
    let weighed = json!({"claim": {"choice": "gives_up", "quote": "Nothing daring is ever proposed then"}, "counter": counter, "next": step(json!({"target": "Cy"}))});
    let challenged = panel("challenged");
    out += &outcomes("challenge", &weighed, shown, |text| {
        analysis::parse_challenge(challenged, 9, &seat(3), draft(text)).map(taken)
    });
    out += &outcomes("another's challenge", &weighed, false, |text| {
        analysis::parse_challenge(challenged, 9, &seat(2), draft(text)).map(taken)
    });
    let reviewed = json!({
        "claim": {"choice": "gives_up", "quote": "I concede that the loss is larger.", "with": "Ada"},
        "others": [], "shift": {"toward": "Cy", "on": "the [price] of candour."},
        "deadlock": "none", "repeats_round": 0, "new_insight": true, "new_evidence": ["a figure"],
        "position_shift": false,
        "next": step(json!({"disagreement": "D2", "target": "Ada", "quote": "People hold back doubts when every word is recorded",
                            "question": "How does your archive show that candour survives?"})),
    });
    for (name, left) in [("answered", 9), ("answered", 0), ("copied", 9), ("both", 1)] {
        let title = format!("review of {name}, {left} left");
        let shown = shown && (name, left) == ("answered", 9);
        out +=
            &outcomes(&title, &reviewed, shown, |text| review::parse_review(panel(name), left, draft(text)).map(taken));
    }
    for (deadlock, round) in [("repetition", 0), ("circular", 0)] {
        let mut still = reviewed.clone();
        (still["deadlock"], still["repeats_round"]) = (json!(deadlock), json!(round));
        (still["new_insight"], still["new_evidence"]) = (json!(false), json!([]));
        out +=
            &outcomes(deadlock, &still, false, |text| review::parse_review(panel("both"), 9, draft(text)).map(taken));
    }
    let nothing = |text: &str| review::parse_review(panel("opened"), 9, draft(text)).map(taken);
    out += &outcomes("review of nothing", &json!({}), shown, nothing);
    for (name, next) in [
        ("divided", step(json!({}))),
        ("both", step(json!({"target": "Ada", "quote": SHEETS}))),
        ("divided", step(json!({"action": "stop"}))),
        ("settled", step(json!({"action": "stop"}))),
    ] {
        let title = format!("route of {name}: {}", next["action"]);
        let next = json!({"next": next});
        out += &outcomes(&title, &next, shown && name == "divided", |text| {
            review::parse_route(panel(name), 9, draft(text)).map(taken)
        });
    }
    let open = |id: &str| json!({"disagreement": id, "one_side": "It is dear.", "other_side": "It is not.", "why": "No figures."});
    let finding = json!({"finding": "Losses weigh more.", "disagreement": "none", "evidence": "the archive",
               "agreed": [{"name": "Ada", "quote": "Written decisions are found again after years"}], "objected": []});
    let written = |unresolved: Value| {
        json!({"findings": [finding, finding], "modifications": ["Fewer minutes."], "unresolved": unresolved,
               "insights": ["Nobody counts what is lost."],
               "answer": {"do": "Keep a line for each decision.", "unless": "nobody looks one up"}})
    };
    for (name, unresolved) in
        [("ended", json!([open("D2")])), ("both", json!([open("D1"), open("D2")])), ("settled", json!([]))]
    {
        let shown = shown && name == "ended";
        out += &outcomes(&format!("synthesis of {name}"), &written(unresolved), shown, |text| {
            synthesis::parse_synthesis(panel(name), draft(text)).map(|written| json!(written))
        });
    }
    out
}

#[test]
fn panel_schemas_stay_as_they_are() {
    compare("panel_schemas", &schemas());
}

#[test]
fn panel_faults_stay_as_they_are() {
    compare("panel_faults", &[0, 2].map(faults).concat());
}
