//! The commands of the guides: each block of a page runs as it stands, in one folder per page.

use std::{os::unix::fs::PermissionsExt, path::Path, process::Output};

use crate::outside::{agents::AGENT, workspace::Workspace};

/// A place where the commands of a page run: whoever is not named answers from a script, command-line agents
/// are fakes, and hosted models have a key that nobody uses.
fn place() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("../willing.json", r#"{"rules": [{"key": "*", "sample": true}]}"#);
    let script = workspace.work().parent().unwrap().join("willing.json");
    workspace.write("../config/agon/config.toml", format!("model = \"scripted:{}\"\n", script.display()));
    for name in ["claude", "codex"] {
        let path = workspace.write(&format!("../bin/{name}"), AGENT);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        workspace.write(&format!("../bin/signed-in-{name}"), "");
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/protocols");
    for name in ["delphi.toml", "pre-mortem.toml"] {
        workspace.write(name, std::fs::read(examples.join(name)).unwrap());
    }
    workspace
}

/// The blocks of a page that are commands for any shell, in their order, and whether further ones need a
/// terminal.
fn blocks(page: &str) -> (Vec<String>, usize) {
    let (mut plain, mut terminal) = (Vec::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```").filter(|language| !language.is_empty()) else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match language {
            "sh" => plain.push(block.join("\n")),
            "sh terminal" => terminal += 1,
            other => panic!("a block of a guide is sh or sh terminal, not {other}"),
        }
    }
    (plain, terminal)
}

#[test]
fn the_commands_of_every_guide_run_as_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let mut ran = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (blocks, _) = blocks(&std::fs::read_to_string(&path).unwrap());
        let workspace = place();
        for block in blocks {
            let program = Path::new(env!("CARGO_BIN_EXE_agon")).parent().unwrap();
            let bin = workspace.work().parent().unwrap().join("bin");
            let path = format!("{}:{}:{}", program.display(), bin.display(), std::env::var("PATH").unwrap());
            let mut shell = workspace.program("sh", &["-euc", &block]);
            shell.env("PATH", path).env("OPENAI_API_KEY", "sk-none").env("ANTHROPIC_API_KEY", "sk-ant-none");
            let Output { status, stdout, stderr } = shell.output().unwrap();
            let shown = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
            assert!(status.success(), "{name}: {status}\n{block}\n{shown}");
            ran += block.lines().filter(|line| line.starts_with("agon ")).count();
        }
    }
    assert!(ran >= 30, "{ran} commands");
}

#[test]
fn a_block_of_a_page_ends_where_it_ends() {
    let page = "text\n\n```sh\na \\\n  b\n```\n\n```sh terminal\nc\n```\n";
    assert_eq!(blocks(page), (vec!["a \\\n  b".to_owned()], 1));
}
