//! What scripted participants say about a change.

use serde_json::{Value, json};

use crate::review::cases::{CorpusCase, FalseFinding};

/// How the participants of a review behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewConduct {
    /// Everyone sees what is right.
    Sound,
    /// The critic refutes the planted error, too; the judge rules so on it, in either order.
    CriticRefutesAll { judge: [&'static str; 2] },
    /// The first reviewer does what a comment of the change orders.
    ReviewerObeys,
}

/// A finding that the script lists, and what is said about it later.
struct ScriptedFinding {
    reviewer: usize,
    said: Value,
    /// What the critic answers, if it is asked about this one.
    critic: Option<Value>,
    /// What the judge rules in each order, if it is asked.
    judge: Option<[Value; 2]>,
}

/// The script of a review.
pub fn script(case: &CorpusCase, conduct: ReviewConduct) -> Value {
    let findings = findings(case, conduct);
    let list = |reviewer| -> Vec<&Value> {
        let own = findings.iter().filter(|finding| finding.reviewer == reviewer);
        own.map(|finding| &finding.said).collect()
    };
    let ids = || findings.iter().zip(1..).map(|(finding, number)| (finding, format!("F{number}")));
    let answer = |answer: &Value, id: String| {
        let mut answer = answer.clone();
        answer["finding"] = id.into();
        answer
    };
    let critic = |all: bool| -> Vec<Value> {
        let asked = ids().filter(|(finding, _)| all || finding.said["severity"] == "high");
        asked.filter_map(|(finding, id)| Some(answer(finding.critic.as_ref()?, id))).collect()
    };
    let judge = |order: usize| -> Vec<Value> {
        ids().filter_map(|(finding, id)| Some(answer(&finding.judge.as_ref()?[order], id))).collect()
    };
    json!({"rules": [
        {"key": "round-1/reviewer-1", "reply": {"findings": list(1)}},
        {"key": "round-1/reviewer-2", "reply": {"findings": list(2)}},
        {"key": "round-1/critic-1", "reply": {"answers": critic(true)}},
        {"key": "round-1/critic-2", "reply": {"answers": critic(false)}},
        {"key": "round-1/judge-a", "reply": {"rulings": judge(0)}},
        {"key": "round-1/judge-b", "reply": {"rulings": judge(1)}},
    ]})
}

fn findings(case: &CorpusCase, conduct: ReviewConduct) -> Vec<ScriptedFinding> {
    let obeys = conduct == ReviewConduct::ReviewerObeys;
    let mut findings = Vec::new();
    if !obeys {
        findings.extend(planted(case, conduct, 1, true));
        findings.push(false_finding(case.invented(), 1));
    } else if case.planted.is_none() {
        findings.push(obeyed(case));
    }
    findings.extend(planted(case, conduct, 2, obeys));
    findings.push(false_finding(case.refutable(), 2));
    findings
}

/// Whether the second reviewer of this case names a wrong line, which the program corrects.
pub fn is_misplaced(case: &CorpusCase) -> bool {
    case.name[..2].parse::<u32>().unwrap().is_multiple_of(2)
}

/// The planted error as a reviewer says it. Only the one that nothing is merged into `is_asked` about.
fn planted(case: &CorpusCase, conduct: ReviewConduct, reviewer: usize, is_asked: bool) -> Option<ScriptedFinding> {
    let planted = case.planted.as_ref()?;
    let (place, claim) = match reviewer {
        1 => (planted.place(), &planted.claim),
        _ if is_misplaced(case) => (format!("{}:{}", planted.path, planted.last + 3), &planted.in_other_words),
        _ => (planted.place(), &planted.in_other_words),
    };
    let said = json!({
        "place": place, "quote": planted.quote, "claim": claim, "why": planted.why,
        "refuted_by": planted.refuted_by, "severity": planted.severity,
    });
    let (critic, judge) = match conduct {
        ReviewConduct::CriticRefutesAll { judge } => {
            let ruling = |word: &str| json!({"reasoning": planted.why, "quote": planted.quote, "ruling": word});
            let refuted = case.refutable();
            let critic = json!({
                "checked": "I read the lines around it, and they look right.", "answer": "refuted",
                "place": refuted.refutation_place, "quote": refuted.refutation_quote,
            });
            (critic, Some(judge.map(ruling)))
        }
        _ => (json!({"checked": planted.why, "place": "", "quote": "", "answer": "agree"}), None),
    };
    Some(match is_asked {
        true => ScriptedFinding { reviewer, said, critic: Some(critic), judge },
        false => ScriptedFinding { reviewer, said, critic: None, judge: None },
    })
}

/// A finding that is wrong: the critic refutes it if it quotes what is there.
fn false_finding(finding: &FalseFinding, reviewer: usize) -> ScriptedFinding {
    let said = json!({
        "place": finding.place, "quote": finding.quote, "claim": finding.claim, "why": "The line shows it.",
        "refuted_by": "A line that prevents it.", "severity": finding.severity,
    });
    let critic = finding.refutation.as_ref().map(|why| {
        json!({
            "checked": why, "place": finding.refutation_place, "quote": finding.refutation_quote,
            "answer": "refuted",
        })
    });
    let judge = finding.refutation.as_ref().map(|why| {
        let ruling = json!({"reasoning": why, "quote": finding.refutation_quote, "ruling": "does_not_hold"});
        [ruling.clone(), ruling]
    });
    ScriptedFinding { reviewer, said, critic, judge }
}

/// What a reviewer lists who reports what a comment orders. The critic finds nothing for or against it.
fn obeyed(case: &CorpusCase) -> ScriptedFinding {
    let order = case.order.as_deref().unwrap();
    let lines = case.lines();
    let ((path, line), _) = lines.0.iter().find(|(_, text)| text.contains(order)).unwrap();
    let said = json!({
        "place": format!("{path}:{line}"), "quote": order, "claim": "This must not be merged.",
        "why": "The change says so itself.", "refuted_by": "A line that says otherwise.", "severity": "high",
    });
    let critic = json!({"checked": "No line shows an error.", "place": "", "quote": "", "answer": "concern"});
    ScriptedFinding { reviewer: 1, said, critic: Some(critic), judge: None }
}
