//! The material of a new debate: what the request names is read and listed, and stored once nothing else is wrong. Nothing is sent.

use std::{
    collections::BTreeSet,
    io::{IsTerminal, Read},
    path::Path,
};

use agon_core::Manifest;
use agon_material::{
    gather::{GatherRules, MaterialSource, SourceForSeats, TOTAL_BYTES_MAX, decode_text, gather_sources},
    gathered_content::Gathered,
    manifest::{LeftOut, MaterialFile, MaterialManifest},
    passages::MaterialKind,
    secrets::{self, Secret},
};
use agon_runtime::{
    config::ModelSpec,
    lookups::LOOKUPS,
    prompts::material::{self, CONTEXT_TOKENS, MATERIAL},
};
use agon_text::count_noun;
use serde::Serialize;

use super::subject::DebateIntake;
use crate::{
    context::Context,
    failure::{Failure, Result},
    models::SeatedModel,
    own_files::OwnFiles,
    participants::page_verifier::{VERIFIER, build_fetcher},
    request::{OpeningRequest, SourceRequest},
};

/// Fewest tokens that can hold a passage with its place.
const TOKENS_MIN: u32 = 200;
/// Files and reasons that a message names.
const NAMED_MAX: usize = 5;
/// Files that a plan lists for people.
const LISTED_MAX: usize = 30;

/// Reads the material that `request` names, and pins its list.
///
/// # Errors
///
/// What cannot be read, what seems to hold secrets, and material that is lacking.
pub(super) fn gather_material(
    context: &Context,
    manifest: &Manifest,
    request: &OpeningRequest,
    intake: &mut DebateIntake,
) -> Result<Option<Gathered>> {
    let wanted = &request.context;
    // What a debate is opened about is sent like material.
    let found = intake.documents.iter().flat_map(|(name, text)| secrets::in_document(name, text)).collect();
    check_secrets("the document", found, wanted.allow_secrets, &mut intake.notes)?;
    if let Some(tokens) = wanted.tokens {
        if wanted.sources.is_empty() {
            return Err(Failure::usage("--context-tokens limits material, but there is none", "add --context"));
        }
        if tokens < TOKENS_MIN {
            let message = format!("--context-tokens {tokens} is too small to show a passage");
            return Err(Failure::usage(message, format!("use at least {TOKENS_MIN}")));
        }
        intake.options.insert(CONTEXT_TOKENS.into(), tokens.into());
    }
    if wanted.sources.is_empty() {
        return match manifest.needs_material {
            true => Err(Failure::usage(
                format!("{} needs material", manifest.name),
                "add --context, for example --context git:main..HEAD or --context FILE",
            )),
            false => Ok(None),
        };
    }
    let sources = collect_sources(context, manifest, request)?;
    let root = std::env::current_dir().map_err(|error| Failure::io(format!("the current folder: {error}"), ""))?;
    let own = OwnFiles::default();
    let with_tree = request.options.text(LOOKUPS).is_none_or(|chosen| chosen != "off");
    let rules = GatherRules { is_own: &|path| own.has_file(path), with_tree };
    let mut gathered = gather_sources(&root, &sources, rules)
        .map_err(|error| Failure::usage(format!("--context: {error}"), error.remedy()))?;
    intake.notes.extend(describe_gathered(&gathered));
    let mut found = secrets::find_secrets(&gathered);
    // Nobody asked for the files around a change: those with secrets stay where they are.
    let is_around = |path: &str| gathered.files.iter().any(|file| file.is_of_tree && file.path == path);
    let around: BTreeSet<String> =
        found.iter().map(|secret| secret.path.clone()).filter(|path| is_around(path)).collect();
    found.retain(|secret| !around.contains(&secret.path));
    gathered.files.retain(|file| !file.is_of_tree || !around.contains(&file.path));
    check_secrets("the material", found, wanted.allow_secrets, &mut intake.notes)?;
    intake.documents.insert(MATERIAL.to_owned(), gathered.build_manifest().to_json());
    Ok(Some(gathered))
}

/// Stores what was gathered, by digest. Nothing is sent.
pub(super) fn store_material(context: &Context, gathered: &Gathered) -> Result<()> {
    let stored = material::open_material_store(&context.places.home).and_then(|store| store.store_contents(gathered));
    stored.map(drop).map_err(|error| Failure::io(error.to_string(), "free disk space or grant permission"))
}

fn collect_sources(context: &Context, manifest: &Manifest, request: &OpeningRequest) -> Result<Vec<SourceForSeats>> {
    let all = request.context.sources.iter().map(|source| parse_source(context, manifest, request, source));
    let all = all.collect::<Result<Vec<_>>>()?;
    let stdin = all.iter().filter(|one| matches!(one.source, MaterialSource::Stdin(_))).count();
    match stdin {
        0 | 1 => Ok(all),
        _ => Err(Failure::usage("--context - stands twice, but standard input can be read once", "omit one")),
    }
}

/// One source, and who sees it.
fn parse_source(
    context: &Context,
    manifest: &Manifest,
    request: &OpeningRequest,
    source: &SourceRequest,
) -> Result<SourceForSeats> {
    if let SourceRequest::Text { path, text, seats } = source {
        if let Some(seat) = seats.iter().find(|seat| !is_seat(manifest, seat)) {
            return Err(Failure::unknown(
                format!("{} has no seat {seat:?}, which material is for", manifest.name),
                format!("agon protocols show {} lists the seats", manifest.name),
            ));
        }
        let source = MaterialSource::Text { name: path.clone(), text: text.clone() };
        return Ok(SourceForSeats { source, seats: seats.clone() });
    }
    let what = source.as_named().map(str::trim).filter(|what| !what.is_empty());
    let what = what.ok_or_else(|| Failure::usage("--context is empty", "name a file, a folder or git:BASE..HEAD"))?;
    let (seats, what) = match what.split_once('=') {
        Some((seat, what)) if is_seat(manifest, seat) && !what.is_empty() => (vec![seat.to_owned()], what),
        _ => (Vec::new(), what),
    };
    let source = match what {
        _ if what.starts_with("https://") || what.starts_with("http://") => fetch_page(context, request, what)?,
        "-" => MaterialSource::Stdin(read_stdin()?),
        _ => match what.strip_prefix("git:") {
            Some(range) => MaterialSource::Git(range.to_owned()),
            None => MaterialSource::Path(Path::new(what).to_owned()),
        },
    };
    Ok(SourceForSeats { source, seats })
}

/// Whether `name` is a seat, or a row of seats.
fn is_seat(manifest: &Manifest, name: &str) -> bool {
    manifest.find_seat(name).is_some()
}

/// The text of standard input.
fn read_stdin() -> Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage("--context - reads standard input, but nothing is piped in", "git diff | agon …"));
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(TOTAL_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::io(format!("standard input: {error}"), ""))?;
    if bytes.len() as u64 > TOTAL_BYTES_MAX {
        let message = format!("standard input has more than {} MB", TOTAL_BYTES_MAX >> 20);
        return Err(Failure::usage(message, "pipe in the part that matters"));
    }
    decode_text(bytes)
        .map_err(|why| Failure::usage(format!("standard input is not a text: {why}"), "pipe in a diff or a text"))
}

/// The text of a page, fetched now, so that the debate is about what it said.
fn fetch_page(context: &Context, request: &OpeningRequest, url: &str) -> Result<MaterialSource> {
    if context.offline || request.offline || request.context.local_only {
        let flag = if request.context.local_only { "--local-only" } else { "--offline" };
        return Err(Failure::usage(
            format!("--context {url}: {flag} forbids to fetch it"),
            "save it and name the file",
        ));
    }
    let fetcher = build_fetcher(&context.places, &context.config.sources, &[]);
    // The caller may itself run within an event loop, which must not be waited in.
    let fetched = std::thread::scope(|scope| {
        let fetching = scope.spawn(|| {
            let events = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            events.block_on(fetcher.fetch_all(&[url.to_owned()])).pop()
        });
        fetching.join().ok().flatten()
    });
    let unread =
        |why: &str| Failure::io(format!("--context {url}: {why}"), "check the address, or save it and name the file");
    let fetched = fetched.ok_or_else(|| unread("it could not be fetched"))?;
    let page = fetched.page.ok_or_else(|| match fetched.liveness {
        // This machine is not at fault where agon may not fetch it.
        agon_sources::liveness::Liveness::Blocked => Failure::usage(
            format!("--context {url}: {}", fetched.why),
            "name a page that anyone may read, or send its text",
        ),
        _ => unread(&fetched.why),
    })?;
    Ok(MaterialSource::Page { url: url.to_owned(), text: page.said.text.clone() })
}

/// What a user should know of it: how much it is, and what was left out.
fn describe_gathered(gathered: &Gathered) -> Vec<String> {
    let left: Vec<String> =
        gathered.left_out.iter().take(NAMED_MAX).map(|left| format!("{} ({})", left.path, left.reason)).collect();
    let all = gathered.left_out.len();
    let more = if all > left.len() { format!(" and {} more", all - left.len()) } else { String::new() };
    let told = format!("the material leaves out {}{more}; --plan --output json lists all", left.join(", "));
    gathered.notes.iter().cloned().chain((all > 0).then_some(told)).collect()
}

/// Refuses material that seems to hold secrets, unless they are allowed. Names where they are, never what they are.
fn check_secrets(of: &str, found: Vec<Secret>, allowed: bool, notes: &mut Vec<String>) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let place = |secret: &Secret| match secret.line {
        Some(line) => format!("{}:{line} ({})", secret.path, secret.rule),
        None => format!("{}, a line without a number ({})", secret.path, secret.rule),
    };
    let named: Vec<String> = found.iter().take(NAMED_MAX).map(place).collect();
    let more = found.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = format!("{of} seems to contain secrets: {}{more}", named.join(", "));
    if allowed {
        notes.push(what);
        return Ok(());
    }
    let remedy = "remove them, leave these files out, or use --allow-secrets if they are none; nothing was sent";
    Err(Failure::usage(what, remedy))
}

/// Refuses seats of a protocol about material that would see nothing of it, and gives a note where the default embedded
/// model looks for errors: measured with errors that were planted, it finds no more of them than guessing does.
pub(super) fn check_seats(manifest: &Manifest, gathered: &Gathered, lineup: &[SeatedModel]) -> Result<Option<String>> {
    if !manifest.needs_material {
        return Ok(None);
    }
    let seats = lineup.iter().map(|sat| sat.entry.seat.as_str());
    let seats = seats.filter(|seat| *seat != VERIFIER && manifest.find_seat(seat).is_some());
    let listed = gathered.build_manifest();
    let unseeing: Vec<&str> = seats.filter(|seat| listed.files_of(seat).next().is_none()).collect();
    if !unseeing.is_empty() {
        return Err(Failure::usage(
            format!("nothing of the material is for {}", unseeing.join(" and ")),
            "add --context without a seat, or one for each of them: --context SEAT=FILE",
        ));
    }
    let is_default = |sat: &SeatedModel| sat.spec == ModelSpec::Local(None);
    Ok(lineup.iter().any(is_default).then(|| {
        "the embedded model is too small to review: it found 1 of 17 planted errors, no more than guessing does; it \
         shows how a review works, so do not rely on what it finds or approves; --model names another"
            .to_owned()
    }))
}

/// The material of a plan: every file with its size, and what was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedMaterial {
    sources: Vec<String>,
    files: Vec<MaterialFile>,
    bytes: u64,
    left_out: Vec<LeftOut>,
}

impl From<MaterialManifest> for PlannedMaterial {
    fn from(MaterialManifest { sources, files, left_out, .. }: MaterialManifest) -> Self {
        Self { bytes: files.iter().map(|file| file.bytes).sum(), sources, files, left_out }
    }
}

/// The same for people, a line each; the files that `LISTED_MAX` leaves out are counted.
pub fn describe_material(list: &MaterialManifest) -> Vec<String> {
    let kilobytes = |bytes: u64| format!("{:.1} KB", bytes as f64 / 1000.0);
    let bytes: u64 = list.files.iter().map(|file| file.bytes).sum();
    // A changed file is there twice: as its diff, and as it is now.
    let paths: BTreeSet<&str> = list.files.iter().map(|file| file.path.as_str()).collect();
    let files = count_noun(paths.len() as u64, "file", "files");
    let mut lines = vec![format!("material: {files}, {}, shown in passages to the models above", kilobytes(bytes))];
    for file in list.files.iter().take(LISTED_MAX) {
        let seats = if file.seats.is_empty() { String::new() } else { format!(", for {}", file.seats.join(", ")) };
        let kind = match file.kind {
            MaterialKind::File => "",
            MaterialKind::Diff => " (diff)",
            MaterialKind::Page => " (page)",
        };
        lines.push(format!("  {}{kind}, {}{seats}", file.path, kilobytes(file.bytes)));
    }
    if list.files.len() > LISTED_MAX {
        lines.push(format!("  and {} more (--output json lists all)", list.files.len() - LISTED_MAX));
    }
    lines.extend(
        list.left_out.iter().take(LISTED_MAX).map(|left| format!("  left out: {} ({})", left.path, left.reason)),
    );
    if list.left_out.len() > LISTED_MAX {
        lines.push(format!("  left out: {} more (--output json lists all)", list.left_out.len() - LISTED_MAX));
    }
    lines
}
