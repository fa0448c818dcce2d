//! A debate out of files that another program made: read, put on a record by its own script, stored
//! in one transaction, and its files left in a folder of ours.

use std::{collections::BTreeMap, path::Path};

use agon_app::{
    Failure, FileSet, Result,
    declarations::find_rules,
    exit,
    lineup::{self, NamedModels},
    opening::{self, Folder, MemberRequest, SOURCE, SOURCE_PATH},
    output_folder,
    prompt_templates::{digest_texts, index_texts, resolve_templates, texts_of},
    request::Budget,
    resume::check_extension,
};
use agon_core::{Digest, Extension, Opened, Protocol, Record};
use agon_report::import::{self, Import, ImportError, ImportReader};
use agon_runtime::import::{ImportedDebate, import_debate};
use agon_text::count_noun;
use serde_json::json;

use super::files;
use crate::{cli::ImportArgs, command::CommandContext, ui};

/// What warnings of the files as a whole are about, on a record.
const IMPORT: &str = "import";
/// Maximum number of warnings that the end of an import lists for people; the record holds all.
const SHOWN_MAX: usize = 20;

pub async fn run(command_context: &CommandContext, args: ImportArgs, reader: &ImportReader) -> Result<u8> {
    let config = command_context.load_config()?;
    let found = files::read_contents(&args.path, &reader.layout)?;
    let damaged = |ImportError { path, why }: ImportError| match args.path.is_file() {
        true => files::refused_file(&args.path.with_file_name(path), &why),
        false => files::refused_file(&args.path.join(path), &why),
    };
    let mut import = (reader.read)(&found.files).map_err(damaged)?;
    import.warnings.extend(found.others.iter().map(|name| format!("{name}: it is not text; ignored")));
    opening::check_motion(&import.motion)?;
    if reader.has_source {
        add_source_document(&args, &mut import)?;
    }
    let protocol = agon_protocols::find_protocol(import.protocol)
        .ok_or_else(|| Failure::unknown(format!("no protocol {}", import.protocol), ""))?;
    let manifest = protocol.manifest();
    let members: Vec<MemberRequest> = import.members.iter().map(to_member_request).collect();
    let given = args.seats.clone().into();
    let named = NamedModels { members: &members, ..NamedModels::new(&given) };
    let lineup = lineup::choose_models(manifest, &named, &config)?.into_iter().map(|sat| sat.entry).collect();
    let prompts = texts_of(&resolve_templates(&command_context.places, protocol)?);
    let (mut texts, documents) = (index_texts(prompts.values()), index_texts(import.documents.values()));
    let id = opening::choose_debate_id(args.id.as_deref())?;
    let opened = Opened {
        seed: opening::derive_seed(&id),
        debate: id.clone(),
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        motion: import.motion.clone(),
        options: import.options.clone(),
        lineup,
        limits: opening::fixed_limits(import.rounds, &Budget::default(), &config.limits)?,
        prompts: digest_texts(&prompts),
        documents: digest_texts(&import.documents),
        parent: None,
    };
    let taken = replay_import(protocol, opened, &documents, &mut import)?;
    texts.extend(documents);
    let warnings = list_warnings(&taken.record);
    if args.strict && !warnings.is_empty() {
        print_warnings(&warnings, warnings.len());
        let count = warnings.len();
        let (path, warnings) = (args.path.display(), count_noun(count, "warning", "warnings"));
        let why = format!("{path}: {warnings}, but --strict allows none");
        let remedy = "nothing was imported; fix the files, or omit --strict";
        return Err(Failure::new(exit::DAMAGED, "strict", why, remedy));
    }

    let context = command_context.build_context(false)?;
    let journal = &context.journal;
    if let Some(known) = journal.find_summary(&id)? {
        let stored = journal.read_record(&id)?;
        // A call that was killed once it had stored the debate is finished by the next one like it.
        if let Some(directory) = known.directory.filter(|_| is_same(&stored, &taken.record)) {
            output_folder::write_debate_files(journal, &stored, &directory, FileSet::All, &*context.frontend)?;
            print_imported(command_context, &taken, &directory);
            return Ok(exit::OK);
        }
        return Err(Failure::exists(format!("the debate {id} already exists"), "choose another --id, or omit it"));
    }
    let folder = Folder::reserve(args.out.as_deref(), &import.motion, &id)?;
    let entries = taken.record.entries().to_vec();
    let stored = journal.import_record(entries, texts.clone().into_iter().collect(), Some(folder.path.clone())).await;
    stored.inspect_err(|_| folder.give_back())?;
    output_folder::write_debate_files(journal, &taken.record, &folder.path, FileSet::All, &*context.frontend)?;
    print_imported(command_context, &taken, &folder.path);
    Ok(exit::OK)
}

/// Whether two records hold the same, whenever it was put there.
fn is_same(one: &Record, other: &Record) -> bool {
    let entries = one.entries().iter().zip(other.entries());
    one.len() == other.len() && entries.into_iter().all(|(one, other)| one.what == other.what)
}

/// Takes the document that a debate is about, where it can be found: as named, or by the path that its
/// files give, from here, from their folder or from the folder above that.
fn add_source_document(args: &ImportArgs, import: &mut Import) -> Result<()> {
    let claimed = import.options.get(SOURCE_PATH).and_then(|path| path.as_str()).unwrap_or_default().to_owned();
    let taken = match &args.source {
        Some(named) => Some(opening::read_markdown(named)?),
        None => {
            let beside = args.path.parent().into_iter().flat_map(|folder| [Some(folder), folder.parent()]);
            let bases = [Path::new(""), args.path.as_path()].into_iter().chain(beside.flatten());
            let candidates = bases.filter(|_| !claimed.is_empty()).map(|base| base.join(&claimed));
            candidates.into_iter().find_map(|path| opening::read_markdown(&path).ok())
        }
    };
    match taken {
        Some((path, text)) => {
            import.options.insert(SOURCE_PATH.into(), path.display().to_string().into());
            import.documents.insert(SOURCE.to_owned(), text);
        }
        None => import.warnings.push(format!(
            "{claimed}: the source document cannot be read, so no evidence was checked and no turn can follow; name it with --source"
        )),
    }
    Ok(())
}

fn to_member_request(member: &import::ImportedMember) -> MemberRequest {
    let persona = Some(member.persona.clone()).filter(|persona| !persona.is_empty());
    MemberRequest { name: member.name.clone(), persona, model: None, details: member.details.clone() }
}

/// The record of a debate, with a warning for everything in the files that its script did not ask
/// for.
fn replay_import(
    protocol: &dyn Protocol,
    mut opened: Opened,
    documents: &BTreeMap<Digest, String>,
    import: &mut Import,
) -> Result<ImportedDebate> {
    opened.mark_imported(import.protocol, &import.warnings);
    let first = import_debate(protocol, opened.clone(), documents, import.answers.clone())?;
    let known = import.warnings.len();
    let outcome = first.record.closing_outcome().map_or("PENDING", |outcome| outcome.name.as_str());
    if let Some(claimed) = import.claimed.as_ref().filter(|claimed| *claimed != outcome) {
        import.warnings.push(format!("it says that the outcome is {claimed:?}; by its turns it is {outcome}"));
    }
    if first.unasked.is_empty() && import.warnings.len() == known {
        return Ok(first);
    }
    for key in &first.unasked {
        import.warnings.push(format!("{key}: the rules have no place for it; ignored"));
        import.answers.remove(key);
    }
    opened.mark_imported(import.protocol, &import.warnings);
    Ok(import_debate(protocol, opened, documents, import.answers.clone())?)
}

/// Everything that is wrong with what was taken over, the rules that its statements break included.
fn list_warnings(record: &Record) -> Vec<String> {
    let named = agon_report::participation::list_warnings(record).into_iter();
    named.map(|(of, warning)| if of == IMPORT { warning.to_owned() } else { format!("{of}: {warning}") }).collect()
}

/// The first warnings, where a script that reads the result does not take them for it.
fn print_warnings(warnings: &[String], most: usize) {
    for warning in warnings.iter().take(most) {
        ui::print_warning(&format!("warning: {warning}"));
    }
}

fn print_imported(command_context: &CommandContext, taken: &ImportedDebate, directory: &Path) {
    let ImportedDebate { record, open, .. } = taken;
    let id = &record.opened().debate;
    let another = Extension { rounds: 1, ..Extension::default() };
    let is_final = find_rules(record).is_ok_and(|protocol| protocol.is_final(record));
    let more = find_rules(record).is_ok_and(|protocol| check_extension(record, protocol, &another).is_ok());
    let warnings = list_warnings(record);
    print_warnings(&warnings, SHOWN_MAX);
    if warnings.len() > SHOWN_MAX {
        ui::print_error_line(&format!("… and {} more: agon show {id}", warnings.len() - SHOWN_MAX));
    }
    let outcome = record.closing_outcome().map(|outcome| outcome.name.as_str());
    let report = json!({
        "debate": id, "entries": record.len(), "warnings": warnings, "outcome": outcome, "open": open,
        "directory": directory,
    });
    command_context.print(&report, || {
        let entries = count_noun(record.len(), "entry", "entries");
        let mut lines =
            vec![format!("{id}: {entries} imported, {}", count_noun(warnings.len(), "warning", "warnings"))];
        lines.push(match outcome {
            Some(outcome) if is_final => {
                format!("closed as {outcome}; no turn can follow")
            }
            Some(outcome) if more => {
                format!("closed as {outcome}; continue with: agon extend {id} --rounds 1")
            }
            Some(outcome) => format!("closed as {outcome}"),
            None if open.is_empty() => format!("open; continue with: agon resume {id}"),
            None => format!("open ({}); continue with: agon resume {id}", open.join(", ")),
        });
        let directory = directory.display().to_string();
        lines.push(format!("files   {} (record.jsonl contains the imported files)", ui::escape_invisible(&directory)));
        lines.join("\n")
    });
}
