//! The example of the page on scripts.

use crate::cli::workspace::Workspace;

#[test]
fn the_example_of_the_page_on_scripts_runs_as_it_is_printed() {
    let page = include_str!("../../../../docs/scripted.md");
    let (_, example) = page.split_once("## A complete example").unwrap();
    let script = example.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let workspace = Workspace::new();
    workspace.write("debate.json", script);
    let motion = "This house would write its decisions down.";
    let run = ["run", "exchange", motion, "--rounds", "0", "--model", "scripted:debate.json", "--id", "written-1"];
    let ran = workspace.agon(&[&run[..], &["--out", "written-1"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (_, said) = example.split_once("screen.txt\nThe reporter").unwrap();
    let said = said.split("\n\n").next().unwrap();
    assert!(ran.out.contains(said), "{said} is not in {}", ran.out);
    // Two answers that come at once may stand in either order.
    let mut printed: Vec<&str> =
        example.lines().filter_map(|line| line.strip_prefix('[')?.split_once(',')).map(|(_, rest)| rest).collect();
    let record = workspace.read("written-1/record.jsonl");
    let mut kept: Vec<String> = record
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter_map(|entry: serde_json::Value| {
            let (what, of) = entry["what"].as_object()?.iter().next()?;
            Some(format!("{:?},{:?}]", what, of["key"].as_str().unwrap_or_default()))
        })
        .collect();
    printed.sort_unstable();
    kept.sort_unstable();
    assert_eq!(kept, printed);
}
