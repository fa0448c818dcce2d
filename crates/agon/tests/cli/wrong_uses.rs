//! Wrong uses of the command line: each has its exit code, one message that names what was wrong, and one remedy.

use crate::cli::workspace::Workspace;

/// The words of a command line, its exit code, and what its message and its remedy contain.
type WrongUse = (&'static str, i32, &'static str, &'static str);

/// Words are separated by `|`; `MODEL` is a scripted model.
const WRONG_USES: &[WrongUse] = &[
    // The command.
    ("rum|exchange|x", 2, "agon has no command \"rum\"", "did you mean run?"),
    ("exchang|x", 2, "agon has no command \"exchang\"", "did you mean exchange?"),
    ("reveiw", 2, "agon has no command \"reveiw\"", "did you mean review?"),
    ("protocols|shwo", 2, "agon protocols has no command \"shwo\"", "did you mean show?"),
    ("show", 2, "agon show needs <ID>", "agon list"),
    ("replay", 2, "agon replay needs <ID>", "agon list"),
    ("answer|d1", 2, "--seat", "agon answer --help"),
    ("show|d1|d2", 2, "does not take \"d2\"", "agon show --help"),
    ("show|d1|--ful", 2, "does not take \"--ful\"", "did you mean --full?"),
    ("list|--limit|many", 2, "it is not a whole number", "agon list --help"),
    ("list|--output|yaml", 2, "[possible values: text, json]", "agon list --help"),
    ("serve|--port|99999", 2, "does not take \"--port\"", "agon serve --help"),
    // The kind.
    ("run", 2, "agon run needs <PROTOCOL>", "exchange, "),
    ("run|exchang|This house would.", 8, "no protocol \"exchang\"", "did you mean exchange?"),
    ("run|Should we rest?", 8, "\"Should we rest?\" is not a kind of debate", "agon ask \"Should we rest?\""),
    ("run|nofile.toml|x", 2, "nofile.toml", "check its name"),
    ("review|--model|MODEL", 2, "review needs material", "--context"),
    // The motion.
    ("run|exchange|--model|MODEL", 2, "no motion", "give the motion"),
    ("run|exchange||--model|MODEL", 2, "the motion is empty", "This house would"),
    ("run|exchange|...|--model|MODEL", 2, "the motion has no words", "This house would"),
    ("run|exchange|motoin.md|--model|MODEL", 2, "no file motoin.md", "check its name"),
    ("run|exchange|folder|--model|MODEL", 2, "folder is a folder", "name a file"),
    ("run|exchange|empty.md|--model|MODEL", 2, "the motion is empty", "This house would"),
    ("run|exchange|binary.md|--model|MODEL", 2, "binary.md is not a text file", "UTF-8"),
    ("run|exchange|-|--model|MODEL", 2, "the motion is empty", "This house would"),
    ("run|exchange|Should|we|rest|--plan", 2, "\"we\" is one word too many", "\"Should we rest\""),
    ("run|exchange|x|y|--plan", 2, "\"y\" is one word too many", "agon run exchange \"x y\""),
    ("run|duel|Should we?|--model|MODEL", 2, "is not a Markdown file", ".md"),
    ("run|duel|nofile.md|--model|MODEL", 2, "no file nofile.md", "check its name"),
    ("run|duel|--model|MODEL", 2, "no document", "name the Markdown file"),
    ("run|revise|--model|MODEL", 2, "no task", "--draft NAME=PATH"),
    ("run|revise|--draft|a|--model|MODEL", 2, "--draft \"a\" lacks a name or a text", "agon run --help"),
    ("ask|", 2, "a question has 1 to", "agon ask"),
    ("ask|Should|we", 2, "\"we\" is one word too many", "agon ask \"Should we\""),
    ("ask|review ./nothing.rs|--model|MODEL", 2, "the question names ./nothing.rs", "write its path"),
    // Seats and line-ups.
    ("run|exchange|x|--seat|jugde=local", 8, "jugde", "did you mean judge?"),
    ("run|exchange|x|--seat|judge", 2, "judge", "NAME=MODEL"),
    ("run|exchange|x|--seat|judge=local|--seat|judge=local", 2, "is given twice", "one model"),
    ("run|exchange|x|--seat|judge=human|--model|MODEL", 2, "no terminal", "--seat judge=MODEL"),
    ("run|exchange|x|--debater|Ann|--model|MODEL", 2, "takes no line-up", "--seat NAME=MODEL"),
    ("run|panel|x|--debater|Ann|--debater|ann|--model|MODEL", 2, "two are called", "choose a different name"),
    ("run|panel|x|--debaters|99|--model|MODEL", 2, "panel takes 2 to 8 debaters", "choose a number"),
    ("run|panel|x|--lineup|nofile|--model|MODEL", 2, "no file nofile", "check its name"),
    ("run|panel|x|--lineup|folder|--model|MODEL", 2, "folder is a folder", "name a file"),
    // Models.
    ("run|exchange|x|--model|gpt-5", 8, "no model \"gpt-5\"", "did you mean openai:gpt-5?"),
    ("run|exchange|x|--model|gtp-5", 8, "no model \"gtp-5\"", "agon doctor"),
    ("run|exchange|x|--model|opnai:gpt-5", 8, "no provider \"opnai\"", "did you mean openai:gpt-5?"),
    ("run|exchange|x|--model|openai", 3, "OPENAI_API_KEY is not set", "set OPENAI_API_KEY"),
    ("run|exchange|x|--model|claude", 3, "ANTHROPIC_API_KEY is not set", "set ANTHROPIC_API_KEY"),
    ("run|exchange|x|--model|openai:gpt-4-turbo", 8, "was retired", "openai:gpt-6.1-terra"),
    ("run|exchange|x|--model|cli:claud", 8, "no command-line agent \"claud\"", "did you mean cli:claude?"),
    ("run|exchange|x|--model|openai:", 8, "what follows openai: is missing", "agon doctor"),
    ("run|exchange|x|--model|openai:gpt-5?effort=huge", 8, "an effort is", "agon doctor"),
    ("run|exchange|x|--model|scripted:nofile.json", 2, "nofile.json", "docs/scripted.md"),
    ("run|exchange|x|--model|recorded:nosuch", 8, "no debate nosuch", "agon list"),
    ("run|exchange|x|--model|local:nosuch", 8, "nosuch", "agon models"),
    // Numbers and budgets.
    ("run|exchange|x|--rounds|many", 2, "it is not a whole number", "agon run --help"),
    ("run|exchange|x|--rounds|-1", 2, "'-1'", "agon run --help"),
    ("run|exchange|x|--rounds|99", 2, "exchange has 0 to 50 rounds", "choose a number"),
    ("run|exchange|x|--max-cost|lots", 2, "it is not a number", "agon run --help"),
    (
        "run|exchange|x|--max-cost|-3|--model|MODEL",
        2,
        "--max-cost -3: a limit must be an amount of money above zero",
        "omit it",
    ),
    (
        "run|exchange|x|--max-cost|0|--model|MODEL",
        2,
        "--max-cost 0: a limit must be an amount of money above zero",
        "omit it",
    ),
    ("run|exchange|x|--max-requests|0|--model|MODEL", 2, "--max-requests 0: a limit must be more than zero", "omit it"),
    ("run|exchange|x|--max-time|soon|--model|MODEL", 2, "\"soon\" is not a duration; use for example 90s", "omit it"),
    ("run|exchange|x|--max-cost|1|--model|cli:claude", 2, "is known only afterwards", "--max-requests"),
    ("run|exchange|x|--seed|a", 2, "it is not a whole number", "agon run --help"),
    ("run|exchange|x|--fail-on|oops|--model|MODEL", 2, "\"oops\" is not an outcome of exchange", "docs/exit-codes.md"),
    ("run|exchange|x|--summary|pdf|--model|MODEL", 2, "pdf", "agon run --help"),
    ("run|exchange|x|--judges|2|--model|MODEL", 2, "odd number of judges", "--judges 3"),
    ("run|exchange|x|--orders|three|--model|MODEL", 2, "[possible values: both, one]", "agon run --help"),
    // Options of other kinds, and options that exclude each other.
    ("run|exchange|x|--topic|y|--model|MODEL", 2, "does not take --topic", "duel"),
    ("run|exchange|x|--ruonds|1", 2, "does not take \"--ruonds\"", "did you mean --rounds?"),
    ("run|exchange|x|--verbose|--quiet", 2, "cannot be used with", "agon run --help"),
    ("export|d1|--force", 2, "--out", "agon export --help"),
    // Material, files and folders.
    ("run|exchange|x|--context|nofile.txt|--model|MODEL", 2, "no file or folder nofile.txt", "Check"),
    ("run|exchange|x|--context|git:HEAD|--model|MODEL", 2, "is not in a git repository", "Change to a folder"),
    ("run|exchange|x|--context||--model|MODEL", 2, "--context is empty", "name a file"),
    ("run|exchange|x|--context|a.md|--context-tokens|5|--model|MODEL", 2, "too small", "at least 200"),
    ("run|exchange|x|--out|mine|--model|MODEL", 2, "mine: it exists and is not empty", "name a folder"),
    ("run|exchange|x|--out|a.md|--model|MODEL", 2, "--out a.md: it is a file", "name a folder"),
    ("run|exchange|x|--id|../x|--model|MODEL", 2, "debate id", "--id"),
    ("run|exchange|x|--id|d1|--model|MODEL", 5, "d1 already exists", "agon resume d1"),
    ("run|--request|nofile.json", 7, "nofile.json", "name a file"),
    ("batch|nofile.jsonl", 7, "nofile.jsonl", "one JSON object per line"),
    ("eval|nofile.jsonl", 7, "nofile.jsonl", "name"),
    ("import|record|nofile.jsonl", 7, "nofile.jsonl", "name"),
    ("import|recrod|a.md", 2, "recrod", "record"),
    ("verify|nofile.md", 8, "nofile.md is not a file, an address or a debate", "agon list"),
    ("check|nofile.md", 8, "nofile.md", "agon list"),
    ("check|folder", 8, "contains neither", "agon list"),
    // Debates.
    ("show|nosuch", 8, "no debate nosuch", "agon list"),
    ("show|d", 8, "no debate d", "agon list"),
    ("show|tw", 8, "no debate tw", "agon list"),
    ("show|twin", 8, "twin is the beginning of several ids: twin", "write more"),
    ("resume|nosuch", 8, "no debate nosuch", "agon list"),
    ("resume|../../etc", 2, "debate id", "agon list"),
    ("extend|d1", 2, "nothing to add", "--rounds"),
    ("extend|d1|--rounds|999", 2, "exchange allows at most 50", "add at most"),
    ("fork|d1|--at|999", 2, "--at 999", "agon export d1"),
    ("graph|nosuch", 8, "no debate nosuch", "agon list"),
    ("graph|d1|--format|pdf", 2, "pdf", "mermaid"),
    ("graph|d1|--without|999", 8, "no statement \"999\"", "available"),
    ("export|d1|--format|pdf", 2, "unknown format \"pdf\"", "available"),
    ("export|d1", 2, "standard output takes one file", "--out DIR"),
    ("answer|nosuch|--seat|judge|--text|x", 8, "no debate nosuch", "agon list"),
    ("answer|d1|--seat|judge|--text|x", 2, "not from outside", "model is outside"),
    ("answer|d1|--seat|jugde|--text|x", 8, "jugde", "agon seats d1"),
    ("interject|d1|--text|hello", 5, "", "agon"),
    ("pause|d1", 5, "closed", "agon extend"),
    ("cancel|d1", 5, "closed", "agon extend"),
    ("delete|nosuch", 8, "no debate nosuch", "agon list"),
    ("label|d1|--add|a b", 2, "a b", "choose another label"),
    // What is installed.
    ("protocols|show|nosuch", 8, "no protocol \"nosuch\"", "available"),
    ("prompts|show|nosuch", 2, "nosuch", "agon prompts list"),
    ("stats|--since|soon", 2, "soon", "30d"),
    ("skills|install|--host|emacs", 2, "emacs", "agon skills install --help"),
    ("trust|--revok", 2, "does not take \"--revok\"", "did you mean --revoke?"),
];

fn workspace() -> (Workspace, String) {
    let workspace = Workspace::new();
    workspace.debate(&["--rounds", "0"]);
    let model = workspace.willing();
    for id in ["twin-a", "twin-b"] {
        let ran = workspace.agon(&[
            "run",
            "exchange",
            "This house would.",
            "--model",
            &model,
            "--rounds",
            "0",
            "--id",
            id,
            "--out",
            id,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    workspace.write("a.md", "# A\n\nWords.\n");
    workspace.write("empty.md", "  \n");
    workspace.write("binary.md", [0x89, b'P', b'N', b'G', 0, 0xff]);
    workspace.write("mine/notes.md", "mine");
    std::fs::create_dir(workspace.work().join("folder")).unwrap();
    (workspace, model)
}

#[test]
fn every_wrong_use_has_a_code_a_message_and_a_remedy() {
    assert!(WRONG_USES.len() >= 80, "{}", WRONG_USES.len());
    let (workspace, model) = workspace();
    let mut wrong = Vec::new();
    for (line, code, says, remedy) in WRONG_USES {
        let words: Vec<&str> = line.split('|').map(|word| if word == "MODEL" { &model } else { word }).collect();
        let ran = workspace.agon(&words);
        let lines: Vec<&str> = ran.err.lines().collect();
        let is_one = matches!(lines[..], [message, remedy]
            if message.starts_with("error: ") && remedy.starts_with("       ") && !remedy.trim().is_empty());
        let is_told = lines.first().is_some_and(|line| line.contains(says))
            && lines.last().is_some_and(|line| line.contains(remedy));
        if ran.code != *code || !ran.out.is_empty() || !is_one || !is_told {
            wrong.push(format!("{line}: {} {says:?} {remedy:?}\n{}{}", ran.code, ran.out, ran.err));
        }
        let json = workspace.agon(&[&words[..], &["--output", "json"]].concat());
        let told: Result<serde_json::Value, _> = serde_json::from_str(json.err.trim());
        if json.code != 0 && !words.contains(&"--output") && told.is_err() {
            wrong.push(format!("{line}: {}", json.err));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), WRONG_USES.len(), wrong.join("\n"));
    assert!(!workspace.work().join("debates").exists(), "a folder was left");
}
