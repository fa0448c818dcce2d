//! The debates under `examples/`: records of real models that every later version must be able to
//! follow.

use std::path::Path;

use crate::cli::workspace::Workspace;

#[test]
fn kept_debates_are_followed_for_ever() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut followed = 0;
    let within = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = within(&examples).filter(|path| path.is_dir()).collect();
    // Reviews are kept together, in a folder for each, and without the files that add nothing.
    folders.extend(within(&examples.join("own-commits")).filter(|path| path.is_dir()));
    for folder in folders {
        let record = folder.join("record.jsonl");
        if !record.is_file() {
            continue;
        }
        let is_review = folder.parent().is_some_and(|parent| parent.ends_with("own-commits"));
        let workspace = Workspace::new();
        let name = record.display().to_string();
        assert_eq!(workspace.json(&["check", &name])["sound"], true, "{name}");
        // Its files are what this version draws from it.
        let imported = workspace.json(&["import", "record", &name]);
        let id = imported["debate"].as_str().unwrap();
        assert_eq!(workspace.agon(&["export", id, "--out", "again"]).code, 0);
        for (file, content) in workspace.files("again") {
            if is_review && !["review.md", "findings.json", "record.jsonl"].contains(&file.as_str()) {
                continue;
            }
            let kept = std::fs::read_to_string(record.with_file_name(&file)).unwrap();
            assert_eq!(kept, content, "{name}: {file}");
        }
        followed += 1;
    }
    assert!(followed > 0, "there is at least one kept debate");
}

#[test]
fn the_example_of_the_page_on_scripts_runs_as_it_is_printed() {
    let page = include_str!("../../../../docs/scripted.md");
    let (_, example) = page.split_once("## A complete example").unwrap();
    let script = example.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let workspace = Workspace::new();
    workspace.write("debate.json", script);
    let motion = "This house would write its decisions down.";
    let run =
        ["run", "exchange", motion, "--rounds", "0", "--model", "scripted:debate.json", "--id", "written-1"];
    let ran = workspace.agon(&[&run[..], &["--out", "written-1"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (_, said) = example.split_once("screen.txt\nThe reporter").unwrap();
    let said = said.split("\n\n").next().unwrap();
    assert!(ran.out.contains(said), "{said} is not in {}", ran.out);
    // Two answers that come at once may stand in either order.
    let mut printed: Vec<&str> = example
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once(','))
        .map(|(_, rest)| rest)
        .collect();
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
