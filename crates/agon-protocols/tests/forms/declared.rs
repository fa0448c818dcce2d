//! What declared statements ask for and refuse.

use agon_protocols::declared::{
    declaration::Ask,
    form::{parse_statement, statement_schema},
};
use serde_json::json;

use super::{compare, outcomes};

const FIELDS: &str = r#"
    name = "a"
    seats = ["s"]
    prompt = "x"
    field = [
      { name = "why", type = "text", chars_max = 40, about = "the reason" },
      { name = "plan", type = "text" },
      { name = "hours", type = "number", min = 0, max = 100.5 },
      { name = "least", type = "number", min = 2 },
      { name = "most", type = "whole", max = 3 },
      { name = "people", type = "whole" },
      { name = "go", type = "choice", of = ["Yes", "No way"] },
      { name = "sure", type = "yes-no" },
      { name = "risks", type = "list", min = 2, max = 3, chars_max = 10, about = "what can go wrong" },
      { name = "one", type = "list" },
      { name = "worst", type = "picks", from = "x", min = 2, max = 4 },
      { name = "first", type = "pick", from = "x" },
    ]"#;

#[test]
fn declared_schemas_and_faults_stay_as_they_are() {
    let ask: Ask = toml::from_str(FIELDS).unwrap();
    let good = json!({
        "why": "it\nis so", "plan": "Go on", "hours": 3.0, "least": 2, "most": -1, "people": 2, "go": "yes",
        "sure": true, "risks": ["late", "early"], "one": ["x"], "worst": [3, 1], "first": 2,
    });
    let mut found = String::new();
    for things in [0, 1, 3, usize::MAX / 2] {
        if things < 10 {
            found += &format!("# schema of {things}\n{}\n", statement_schema(&ask, |_| things).unwrap());
        }
        let title = format!("read with {things}");
        found += &outcomes(&title, &good, things == 3, |text| {
            parse_statement(&ask, text, |_| things).map(|said| json!([said.text, said.values]))
        });
    }
    let prose: Ask = toml::from_str(
        "name = \"a\"\nseats = [\"s\"]\nprompt = \"x\"\nsays_one_of = [\"accept\", \"reject\"]\nchars_max = 40",
    )
    .unwrap();
    for text in ["I ACCEPT.", "accept or reject", "", " -- ", "acceptable", &"accept ".repeat(20)] {
        let taken = parse_statement(&prose, text, |_| 0).map_or_else(|faults| faults.to_string(), |said| said.text);
        found += &format!("{text:?}: {taken}\n");
    }
    compare("declared", &found);
}
