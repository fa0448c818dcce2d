//! `agon debate-ops`: the program of the exchange format, `process-exchange` and `process-judge`,
//! on any folder of that format.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use agon_journal::time::current_stamp;
use agon_report::{
    exchange::{
        Side, diagram, folder_rules, scores,
        submissions::{Intake, IntakeRefusal},
        verdict::Verdict,
    },
    python_json::{render_indented_json, render_json_line, render_python_repr},
};
use serde::Serialize;
use serde_json::json;

use super::{
    Print, VerbResponse,
    debate_folder::{ARGUMENTS, FolderError, read_arguments, read_document, score_file, text_of},
    describe_io_error, journal_home,
    own_debate::OwnDebate,
};
use crate::files::{
    commit::{Change, LockedFolder},
    disk::{Disk, RealDisk},
};
use crate::store::findings;

/// `agon debate-ops …`
pub fn run(words: &[OsString], print: Print<'_>) -> u8 {
    let mut code = 1;
    let mut tell = |said: VerbResponse| {
        print(&said);
        code = said.code;
    };
    match std::env::current_dir() {
        Ok(here) => run_operation(words, &here, journal_home().ok().as_deref(), &RealDisk, &mut tell),
        Err(error) => tell(exception_response(&describe_io_error(&error, Path::new(".")))),
    }
    code
}

/// Does what `words` say in the folder `here`; `home` has the journal. `tell` is called once, with
/// everything done that the answer speaks of.
pub fn run_operation(
    words: &[OsString],
    here: &Path,
    home: Option<&Path>,
    disk: &dyn Disk,
    tell: &mut dyn FnMut(VerbResponse),
) {
    let request = render_json_line(&json!([
        here.to_string_lossy(),
        words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>()
    ]));
    let strict = words.iter().any(|word| word == "--strict");
    let words: Vec<&OsStr> = words.iter().map(OsString::as_os_str).filter(|word| *word != "--strict").collect();
    let command = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let call = OperationCall { home, request, words, here, disk, strict };
    let done = match command.as_str() {
        "" => Err(FolderError::Exception("Usage: python3 -m debate_ops <command> <args...>".into())),
        "process-exchange" => call.process_exchange(tell),
        "process-judge" => call.process_judgment(tell),
        _ => Err(FolderError::Exception(format!("Unknown command: {command}"))),
    };
    match done {
        Ok(()) => {}
        Err(FolderError::Exception(why)) => tell(exception_response(&why)),
        Err(FolderError::Refused { said, inputs }) => {
            tell(said);
            // Said it is; a file that cannot be removed changes nothing about it.
            let _ = call.remove_inputs(&inputs);
        }
    }
}

fn exception_response(why: &str) -> VerbResponse {
    VerbResponse::on_stderr(1, render_json_line(&json!({"success": false, "error": why})))
}

struct OperationCall<'c> {
    home: Option<&'c Path>,
    request: String,
    words: Vec<&'c OsStr>,
    here: &'c Path,
    disk: &'c dyn Disk,
    strict: bool,
}

/// A file that was handed in.
struct InputFile {
    path: PathBuf,
    bytes: Vec<u8>,
    text: String,
}

impl OperationCall<'_> {
    fn process_exchange(&self, tell: &mut dyn FnMut(VerbResponse)) -> Result<(), FolderError> {
        const USAGE: &str = "Usage: process-exchange <debate> <exchange> --prop-file <path> --opp-file <path>";
        if self.words.len() != 7 {
            return Err(FolderError::Exception(USAGE.into()));
        }
        let exchange = exchange_number(&self.words[2].to_string_lossy())?;
        let (Some(prop), Some(opp)) = (self.flag_value("--prop-file"), self.flag_value("--opp-file")) else {
            return Err(FolderError::Exception("Both --prop-file and --opp-file required".into()));
        };
        if let Some(debate) = self.find_own_debate()? {
            return self.answer_as_debaters(debate, exchange, [prop, opp], tell);
        }
        let mut folder = self.lock_folder()?;
        if repeat_earlier_answer(folder.as_mut(), &self.request, tell)? {
            return Ok(());
        }
        let root = self.here.join(self.words[1]);
        let (mut inputs, mut intakes) = (Vec::new(), Vec::new());
        for (side, path) in Side::BOTH.into_iter().zip([prop, opp]) {
            let parse = |text: &str| Intake::parse(text, side, exchange);
            let refuse = |rules: &[String]| self.side_refused(side, rules, &[prop, opp]);
            let (input, intake) = self.read_parsed(path, parse, refuse)?;
            inputs.push(input);
            intakes.push(intake);
        }
        let mut debate = read_document(&root.join("debate.md"))?;
        // The source system does not read them here, so nothing in them stops it.
        let before = read_arguments(&root).unwrap_or_default();
        let state = folder_rules::check_state(&debate, "awaiting_arguments", Some(exchange));
        let mut found = state.clone();
        for (side, input) in Side::BOTH.into_iter().zip(&inputs) {
            let broken = folder_rules::check_side(&input.text, side, exchange, &before);
            if self.strict && !broken.is_empty() && state.is_empty() {
                return Err(self.side_refused(side, &broken, &[prop, opp]));
            }
            found.extend(broken.into_iter().map(|rule| format!("{}: {rule}", side.name())));
        }
        if self.strict && !state.is_empty() {
            return Err(FolderError::Exception(state.join("; ")));
        }
        debate.front.insert("current_phase".into(), "awaiting_judgment".into());
        let warnings: Vec<&String> = intakes.iter().flat_map(|intake| &intake.warnings).collect();
        let answer = exchange_answer([intakes[0].render_ids(), intakes[1].render_ids()], &warnings);
        let mut change = self.build_change(&answer, &inputs)?;
        for argument in intakes.iter().flat_map(|intake| &intake.arguments) {
            change.files.push((Path::new(ARGUMENTS).join(format!("{}.md", argument.id)), argument.render()));
        }
        change.files.push(("debate.md".into(), debate.render()));
        self.commit_change(folder.as_mut(), change, found, tell)
    }

    fn process_judgment(&self, tell: &mut dyn FnMut(VerbResponse)) -> Result<(), FolderError> {
        if self.words.len() != 4 {
            return Err(FolderError::Exception("Usage: process-judge <debate> --json-file <path>".into()));
        }
        let path = self.flag_value("--json-file").ok_or_else(|| "--json-file parameter required".to_owned())?;
        if let Some(debate) = self.find_own_debate()? {
            return self.answer_as_judge(debate, path, tell);
        }
        let mut folder = self.lock_folder()?;
        if repeat_earlier_answer(folder.as_mut(), &self.request, tell)? {
            return Ok(());
        }
        let root = self.here.join(self.words[1]);
        let (input, verdict) = self.read_parsed(path, Verdict::parse, |rules| self.judge_refused(rules, path))?;
        let mut debate = read_document(&root.join("debate.md"))?;
        for key in ["debate_id", "current_exchange", "current_phase"] {
            if !debate.front.contains_key(key) {
                return Err(FolderError::Exception(format!("'{key}'")));
            }
        }
        let exchange = debate.find_number("current_exchange").and_then(|n| u32::try_from(n).ok());
        let exchange = exchange.ok_or_else(|| "'current_exchange' must be a whole number".to_owned())?;
        let mut scores = score_file(&root.join("scores.json"))?;
        let arguments = read_arguments(&root)?;
        let mut found = folder_rules::check_state(&debate, "awaiting_judgment", None);
        found.extend(folder_rules::check_verdict(&input.text, &verdict, exchange, &arguments, &scores));
        if self.strict && !found.is_empty() {
            return Err(self.judge_refused(&found, path));
        }
        verdict.apply_scores(&mut scores, &scores::format_timestamp(&current_stamp()));
        debate.front.insert("cumulative_scores".into(), json!(scores.side_totals()));
        debate.front.insert("current_phase".into(), "awaiting_arguments".into());
        debate.front.insert("current_exchange".into(), (exchange + 1).into());
        let mut change = self.build_change(&verdict.answer(), &[input])?;
        change.files.push(("scores.json".into(), scores.render()));
        if !arguments.is_empty() {
            change
                .files
                .push(("argument-graph.mmd".into(), diagram::render_diagram(arguments, |id| scores.current_score(id))));
        }
        change.files.push(("debate.md".into(), debate.render()));
        self.commit_change(folder.as_mut(), change, found, tell)
    }

    /// The open debate of ours whose folder it is.
    fn find_own_debate(&self) -> Result<Option<OwnDebate>, FolderError> {
        Ok(OwnDebate::find_in_folder(&self.here.join(self.words[1]), self.home, "exchange")?)
    }

    /// Both sides answer what an open debate of ours asks them. Nothing is answered before both keep
    /// the rules.
    fn answer_as_debaters(
        &self,
        mut debate: OwnDebate,
        exchange: u32,
        files: [&Path; 2],
        tell: &mut dyn FnMut(VerbResponse),
    ) -> Result<(), FolderError> {
        let due = folder_rules::due_exchange(&debate.record);
        if exchange != due {
            return Err(FolderError::Exception(format!("exchange {due} is open, not {exchange}")));
        }
        let (mut texts, mut warnings) = (Vec::new(), Vec::new());
        for (side, path) in Side::BOTH.into_iter().zip(files) {
            let parse = |text: &str| Intake::parse(text, side, exchange);
            let refuse = |rules: &[String]| self.side_refused(side, rules, &files);
            let (InputFile { text, .. }, intake) = self.read_parsed(path, parse, refuse)?;
            warnings.extend(intake.warnings);
            let broken = folder_rules::check_argument(&debate.record, side, &text);
            if !broken.is_empty() && !debate.is_last_answer(side.name(), &text) {
                return Err(self.side_refused(side, &broken, &files));
            }
            texts.push(text);
        }
        for (side, text) in Side::BOTH.into_iter().zip(&texts) {
            let key = debate.answer_seat(side.name(), text)?;
            if let Some(broken) = debate.broken_rules(&key) {
                return Err(self.side_refused(side, &broken, &files));
            }
        }
        let told = debate.write_files()?;
        let ids = |side: Side| match &side.argument_ids(exchange)[..] {
            [one] => json!(one),
            many => json!(many),
        };
        let answer = exchange_answer(Side::BOTH.map(ids), &warnings);
        tell(VerbResponse { err: told, ..VerbResponse::on_stdout(0, render_indented_json(&answer)) });
        self.remove_inputs(&files)
    }

    /// The judge answers what an open debate of ours asks it.
    fn answer_as_judge(
        &self,
        mut debate: OwnDebate,
        path: &Path,
        tell: &mut dyn FnMut(VerbResponse),
    ) -> Result<(), FolderError> {
        const JUDGE: &str = "judge";
        let refuse = |rules: &[String]| self.judge_refused(rules, path);
        let (InputFile { text, .. }, verdict) = self.read_parsed(path, Verdict::parse, refuse)?;
        if !debate.is_last_answer(JUDGE, &text) {
            let Some(broken) = folder_rules::check_judgment(&debate.record, &text) else {
                return Err(FolderError::Exception("the judge has no open request; the sides argue next".into()));
            };
            if !broken.is_empty() {
                return Err(self.judge_refused(&broken, path));
            }
        }
        let key = debate.answer_seat(JUDGE, &text)?;
        if let Some(broken) = debate.broken_rules(&key) {
            return Err(self.judge_refused(&broken, path));
        }
        let told = debate.write_files()?;
        tell(VerbResponse { err: told, ..VerbResponse::on_stdout(0, render_indented_json(&verdict.answer())) });
        self.remove_inputs(&[path])
    }

    /// The word after a flag.
    fn flag_value(&self, flag: &str) -> Option<&Path> {
        let at = self.words.iter().position(|word| *word == flag)?;
        self.words.get(at + 1).map(Path::new)
    }

    /// The debate's folder, locked; `None` where there is none, which the source system notices later.
    fn lock_folder(&self) -> Result<Option<LockedFolder<'_>>, FolderError> {
        let root = self.here.join(self.words[1]);
        if !root.is_dir() {
            return Ok(None);
        }
        if root.join("record.jsonl").is_file() {
            let root = root.display();
            let why = format!("agon writes {root} from its own record; continue with agon resume");
            return Err(FolderError::Exception(why));
        }
        let folder = LockedFolder::lock(&root, self.disk)?;
        self.record_findings(&folder);
        Ok(Some(folder))
    }

    fn read_input(&self, path: &Path) -> Result<InputFile, FolderError> {
        let place = self.here.join(path);
        let bytes = fs::read(&place).map_err(|error| describe_io_error(&error, &normalize_path(path)))?;
        let text = text_of(bytes.clone(), path)?;
        Ok(InputFile { path: place, bytes, text })
    }

    /// What is handed in at `path`, as `parse` reads it; `refuse` says how a rule that it breaks is told.
    fn read_parsed<T>(
        &self,
        path: &Path,
        parse: impl FnOnce(&str) -> Result<T, IntakeRefusal>,
        refuse: impl FnOnce(&[String]) -> FolderError,
    ) -> Result<(InputFile, T), FolderError> {
        let input = self.read_input(path)?;
        match parse(&input.text) {
            Ok(parsed) => Ok((input, parsed)),
            Err(IntakeRefusal::Form(why)) => Err(why.into()),
            Err(IntakeRefusal::Rule(why)) => Err(refuse(&[why])),
        }
    }

    fn build_change(&self, answer: &impl Serialize, inputs: &[InputFile]) -> Result<Change, FolderError> {
        let mut change = Change::new(&self.request);
        change.answer = render_indented_json(answer);
        for InputFile { path, bytes, .. } in inputs {
            change.mark_for_removal(path, bytes).map_err(|error| describe_io_error(&error, path))?;
        }
        Ok(change)
    }

    fn commit_change(
        &self,
        folder: Option<&mut LockedFolder<'_>>,
        mut change: Change,
        found: Vec<String>,
        tell: &mut dyn FnMut(VerbResponse),
    ) -> Result<(), FolderError> {
        // There is a debate.md, so there is its folder.
        let folder = folder.ok_or_else(|| FolderError::Exception("the debate's folder has just been made".into()))?;
        let answer = change.answer.clone();
        change.found = (!found.is_empty()).then(|| (current_stamp(), found));
        folder.commit(change)?;
        self.record_findings(folder);
        tell(VerbResponse::on_stdout(0, answer));
        // The answer has been given: what is left to do, the next command does.
        let _ = folder.remove_redo_log();
        Ok(())
    }

    /// Keeps what was found, also by a process that was killed before it could.
    fn record_findings(&self, folder: &LockedFolder<'_>) {
        if let (Some(home), Some((at, found))) = (self.home, folder.last_findings()) {
            // A folder can be worked on where no journal can be kept.
            let _ = findings::record_findings(home, &self.here.join(self.words[1]), found, at);
        }
    }

    fn side_refused(&self, side: Side, errors: &[String], inputs: &[&Path]) -> FolderError {
        let said = json!({"success": false, "side": side.name(), "errors": errors, "warnings": null});
        build_refusal(VerbResponse::on_stderr(1, render_json_line(&said)), inputs)
    }

    fn judge_refused(&self, errors: &[String], input: &Path) -> FolderError {
        let said = json!({"success": false, "argument_id": null, "errors": errors});
        build_refusal(VerbResponse::on_stdout(1, render_indented_json(&said)), &[input])
    }

    /// Removes what was handed in; what is not there need not be.
    fn remove_inputs(&self, inputs: &[impl AsRef<Path>]) -> Result<(), FolderError> {
        for input in inputs.iter().map(AsRef::as_ref) {
            match self.disk.remove(&self.here.join(input)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(FolderError::Exception(describe_io_error(&error, &normalize_path(input))));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What is answered to the arguments of both sides, which got these ids.
fn exchange_answer<I: Serialize>(ids: [I; 2], warnings: &[impl Serialize]) -> impl Serialize {
    let warnings = (!warnings.is_empty()).then_some(warnings);
    let [proposition, opposition] = ids;
    let ids = json!({"proposition": proposition, "opposition": opposition});
    json!({"success": true, "argument_id": ids, "warnings": warnings})
}

fn build_refusal(said: VerbResponse, inputs: &[&Path]) -> FolderError {
    FolderError::Refused { said, inputs: inputs.iter().map(|input| (*input).to_owned()).collect() }
}

/// Gives the answer of a killed process that had carried out this very request.
fn repeat_earlier_answer(
    folder: Option<&mut LockedFolder<'_>>,
    request: &str,
    tell: &mut dyn FnMut(VerbResponse),
) -> Result<bool, FolderError> {
    let Some(folder) = folder else { return Ok(false) };
    let answer = folder.earlier_answer(request).map(str::to_owned);
    if let Some(answer) = &answer {
        tell(VerbResponse::on_stdout(0, answer.as_str()));
    }
    match folder.remove_redo_log() {
        // It has been answered; the next command tidies up.
        Err(_) if answer.is_some() => Ok(true),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(answer.is_some()),
    }
}

fn exchange_number(word: &str) -> Result<u32, String> {
    let number = word.trim().parse::<i128>();
    let number = number.map_err(|_| format!("invalid literal for int() with base 10: {}", render_python_repr(word)))?;
    u32::try_from(number).map_err(|_| format!("exchange {number} is out of range"))
}

/// A path as Python's `Path` prints it: without `.` parts.
fn normalize_path(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != std::path::Component::CurDir).collect()
}
