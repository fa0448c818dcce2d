//! What debaters and judges are asked for, and what is refused.

use std::collections::BTreeMap;

use agon_core::Faults;
use agon_protocols::exchange::{
    argument::{ArgumentRules, Arguments, Side},
    judgment::{Judgment, JudgmentScope},
    side_labels::SideLabels,
};
use serde_json::{Value, json};

use super::{compare, outcomes};

fn turn(exchange: u32, earlier: u32) -> ArgumentRules {
    let ids = |side: Side| (0..earlier).flat_map(|exchange| side.argument_ids(exchange)).collect();
    ArgumentRules { side: Side::Opposition, exchange, own: ids(Side::Opposition), opposing: ids(Side::Proposition) }
}

fn scope(current: &[(&str, f64)], first: Option<Side>) -> JudgmentScope {
    let current: BTreeMap<String, f64> = current.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
    let ids = Side::BOTH.into_iter().flat_map(|side| side.argument_ids(u32::from(!current.is_empty()))).collect();
    JudgmentScope { ids, current, labels: first.map(|first| SideLabels { first }) }
}

#[test]
fn exchange_schemas_stay_as_they_are() {
    let earlier = [("prop_000a", 0.3), ("opp_000a", -0.3)];
    let schemas = [
        ("opening", turn(0, 0).statement_form().to_schema()),
        ("rebuttal", turn(1, 1).statement_form().to_schema()),
        ("rebuttal of nothing", turn(1, 0).statement_form().to_schema()),
        ("judgment of the opening", scope(&[], None).judgment_form(false).to_schema()),
        ("judgment", scope(&earlier, None).judgment_form(false).to_schema()),
        ("blind judgment", scope(&earlier, Some(Side::Opposition)).judgment_form(false).to_schema()),
    ];
    let found: Vec<String> = schemas.iter().map(|(name, schema)| format!("{name}\n{schema}\n")).collect();
    compare("exchange_schemas", &found.join("\n"));
}

fn argument(number: usize) -> Value {
    json!({
        "title": format!("Argument number {number}"), "claim": "Teams that write decisions down lose less.",
        "grounds": [
            {"source": "own reasoning", "content": "It can be read later.", "relevance": "It shows how."},
            {"source": "https://example.org/study", "content": "It was seen.", "relevance": "It shows that."},
        ],
        "warrant": "What is written needs no memory.", "backing": "", "qualifier": "Mostly", "mood": "angry",
    })
}

fn arguments(read: Result<Arguments, Faults>) -> Result<Value, Faults> {
    read.map(|said| json!({"arguments": said.arguments, "ids": said.ids, "warnings": said.warnings}))
}

fn judgment(read: Result<Judgment, Faults>) -> Result<Value, Faults> {
    read.map(|said| {
        json!({"clash": said.clash, "scores": said.scores, "rescores": said.rescores, "shift": said.shift, "warnings": said.warnings})
    })
}

#[test]
fn exchange_drafts_are_read_as_before() {
    let position = Side::Opposition.position();
    let opening = json!({"stance": position, "arguments": [argument(1), argument(2), argument(3)]});
    let mut rebuttal = argument(4);
    rebuttal["grounds"][1]["source"] = json!("A study");
    rebuttal["id"] = json!("opp_001");
    rebuttal["attacks"] = json!([{"target_id": "prop_000a", "attack_type": "claim_attack", "content": "It is false."}]);
    rebuttal["defends"] = json!([{"target_id": "opp_000b", "defense_type": "clarify", "content": "It is meant so."}]);
    let mut engaged = opening.clone();
    engaged["arguments"][1] = rebuttal.clone();
    let rebuttal = json!({"stance": position, "arguments": [rebuttal]});
    let mut out = String::new();
    for (name, turn, draft, shown) in [
        ("opening", turn(0, 0), &opening, false),
        ("opening with attacks", turn(0, 0), &engaged, false),
        ("rebuttal", turn(1, 1), &rebuttal, true),
        ("rebuttal of nothing", turn(1, 0), &rebuttal, false),
    ] {
        out += &outcomes(name, draft, shown, |text| arguments(turn.parse_statement(text)));
        out += &outcomes(&format!("{name}, told"), draft, false, |text| arguments(turn.parse_redraft(text)));
        out += &outcomes(&format!("{name}, imported"), draft, false, |text| arguments(turn.parse_imported(text)));
    }
    let score = |id: &str, score: f64| json!({"argument_id": id, "reasoning": "Side A says so.", "score": score});
    let grade = |id: &str, grade: f64| json!({"argument_id": id, "reasoning": "Side A says so.", "grade": grade});
    let rescore = |id: &str, old: f64, new: f64| json!({"argument_id": id, "reasoning": "b_000a is weak.", "old_score": old, "new_score": new});
    let earlier = [("prop_000a", 0.3), ("opp_000a", -0.3)];
    for (name, first, ids) in [
        ("judgment", None, ["prop_001", "opp_001", "prop_000a", "opp_000a"]),
        ("blind judgment", Some(Side::Opposition), ["b_001", "A_001", "b_000a", "a_000a"]),
    ] {
        let [pro, con, old_pro, old_con] = ids;
        let draft = json!({
            "scores": [score(con, -0.4), score(pro, 0.4)],
            "rescores": [rescore(old_pro, 0.3, 0.1), rescore(old_con, -0.3, -0.1)],
        });
        let mut many = draft.clone();
        many["rescores"] = json!([
            rescore(old_pro, 0.3, 0.9),
            rescore(old_pro, 0.2, 0.1),
            rescore(con, 0.3, 0.1),
            rescore(old_pro, 0.3, 0.3),
            rescore(old_con, -0.3, -0.1004),
            rescore(old_con, -0.3, -0.2),
            "x",
        ]);
        let graded = json!({
            "clash": "Side A answers b_000a.", "grades": [grade(con, 4.0), grade(pro, 7.0)],
            "rescores": [rescore(old_pro, 0.3, 0.1)],
        });
        let scope = scope(&earlier, first);
        for (which, draft, shown) in
            [("", &draft, first.is_none()), (" with wrong rescores", &many, false), (" with grades", &graded, true)]
        {
            let name = format!("{name}{which}");
            out += &outcomes(&name, draft, shown, |text| judgment(scope.parse_judgment(text, false)));
            out += &outcomes(&format!("{name}, told"), draft, false, |text| judgment(scope.parse_judgment(text, true)));
            out += &outcomes(&format!("{name}, imported"), draft, false, |text| judgment(scope.parse_imported(text)));
        }
    }
    compare("exchange_faults", &out);
}
