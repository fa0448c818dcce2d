//! `agon check`: hash chain, record rules and protocol rules of a debate or of an exported record;
//! what others did to the artifact of a duel; what a folder of `debate-ops` breaks.

use std::path::Path;

use agon_core::Record;
use agon_formats::{conduct, record_jsonl};
use agon_runtime::{
    journal::{
        duels::{Report, Status},
        findings,
    },
    replay,
};
use serde_json::json;

use super::{Hand, debate_id, import};
use crate::{
    cli::CheckArgs,
    declared::rules,
    dropin,
    failure::{Failure, Result, exit},
    input::{self, RECORD_MEGABYTES_MAX},
    shelf, ui,
};

pub fn run(hand: &Hand, args: &CheckArgs) -> Result<u8> {
    let named = Path::new(&args.what);
    // A debate's files often stand in a folder of its own name: the debate is meant.
    let in_folder = named.is_dir() && !is_debate(hand, &args.what)?;
    let path = if in_folder { &named.join("record.jsonl") } else { named };
    if in_folder && !path.is_file() {
        return folder(hand, named);
    }
    // Only what may be a debate's id or a duel's is asked for in the journal.
    if !path.is_file()
        && debate_id(&args.what).is_ok()
        && let Some(report) = dropin::check_duel(&hand.places.home, &args.what)?
    {
        return duel(hand, &report);
    }
    let record = if path.is_file() { exported(path)? } else { kept(hand, &args.what)? };
    follow(&record)?;
    let id = &record.opened().debate;
    // A sound record may keep what was wrong with the files that it was taken from.
    let warnings = conduct::warnings(&record).into_iter().filter(|(of, _)| *of == "import");
    let imported: Vec<&str> = warnings.map(|(_, warning)| warning).collect();
    let shown = json!({
        "debate": id, "entries": record.len(), "head": record.head(), "sound": true, "imported": imported,
    });
    hand.print(&shown, || {
        let head = format!("{id}: {} entries, sound (head {})", record.len(), &record.head().as_str()[..12]);
        let found = imported.iter().map(|warning| format!("imported: {}", ui::visible(warning)));
        std::iter::once(head).chain(found).collect::<Vec<_>>().join("\n")
    });
    Ok(exit::OK)
}

fn is_debate(hand: &Hand, name: &str) -> Result<bool> {
    let Ok(id) = debate_id(name) else { return Ok(false) };
    // Looking must not make a store where there is none.
    let stored = hand.places.home.join("journal.db").exists();
    Ok(stored && hand.journal()?.summary(&id)?.is_some())
}

/// A duel whose participants write the artifact: whether anybody else did.
fn duel(hand: &Hand, report: &Report) -> Result<u8> {
    let Report { stands, sightings, outcome, changes } = report;
    let duel = &stands.duel;
    let path = duel.debate_path.as_deref().unwrap_or("no artifact");
    if !changes.is_empty() {
        let message = format!("{path}: {}", changes.join("; "));
        return Err(Failure::new(
            exit::DAMAGED,
            "changed",
            message,
            "take the text that its participants wrote",
        ));
    }
    let state = json!({
        "duel": duel.id, "status": duel.status, "outcome": outcome, "artifact": duel.debate_path,
        "sightings": sightings, "sound": true,
    });
    hand.print(&state, || {
        let state = outcome.as_deref().unwrap_or(match duel.status {
            Status::Active => "active",
            Status::Closed => "closed",
        });
        format!("{}: {state}, {path} unchanged by others ({sightings} looks at it)", duel.id)
    });
    Ok(exit::OK)
}

/// A folder that `debate-ops` works on: what it took though the protocol's rules would not, and what in
/// it does not follow from its arguments and scores.
fn folder(hand: &Hand, path: &Path) -> Result<u8> {
    let found = findings::of(&hand.places.home, path)?;
    // Where there is nothing to look at, "0 findings" would be a clean bill for it.
    if found.is_empty() && !path.join("debate.md").is_file() {
        return Err(Failure::unknown(
            format!("{} holds no debate: neither record.jsonl nor debate.md", path.display()),
            "name a debate, its folder or its record.jsonl; agon list shows the debates",
        ));
    }
    let now = import::state_of(path)?;
    let listed = found.iter().map(|(at, finding)| json!({"at": at, "finding": finding}));
    let listed = listed.chain(now.iter().map(|finding| json!({"at": null, "finding": finding})));
    let listed: Vec<_> = listed.collect();
    hand.print(&json!({"folder": path, "findings": listed}), || {
        let before = found.iter().map(|(at, finding)| format!("{at}  {}", ui::visible(finding)));
        let now = now.iter().map(|finding| format!("now  {}", ui::visible(finding)));
        let head = format!("{}: {} findings", ui::visible(&path.display().to_string()), listed.len());
        std::iter::once(head).chain(before).chain(now).collect::<Vec<_>>().join("\n")
    });
    Ok(exit::OK)
}

fn exported(path: &Path) -> Result<Record> {
    let bytes = input::bytes(path, RECORD_MEGABYTES_MAX, "name a record.jsonl that can be read")?;
    let (record, _) = record_jsonl::read(bytes).map_err(|error| {
        Failure::new(
            exit::DAMAGED,
            "damaged",
            format!("{}: {error}", path.display()),
            "it was not changed; export it again from its journal",
        )
    })?;
    Ok(record)
}

/// A debate of the journal; the copy in its folder is compared too.
fn kept(hand: &Hand, what: &str) -> Result<Record> {
    let id = debate_id(what)?;
    let journal = hand.journal()?;
    let record = journal.read(&id)?;
    journal.texts(record.opened().texts().map(|(_, digest)| digest))?;
    let directory = journal.summary(&id)?.and_then(|summary| summary.directory);
    let copy = directory
        .map(|directory| directory.join(shelf::place(record.opened(), "record.jsonl")))
        .filter(|copy| copy.is_file());
    if let Some(copy) = copy {
        let other = exported(&copy)?;
        let same = other.entries().iter().zip(record.entries()).all(|(a, b)| a.hash == b.hash);
        if !same || other.len() > record.len() {
            return Err(Failure::new(
                exit::DAMAGED,
                "damaged",
                format!("{} is another record than the journal's", copy.display()),
                format!("agon resume {id} writes it anew"),
            ));
        }
    }
    Ok(record)
}

/// Steps at every prefix: finds an entry that no script asked for.
pub fn follow(record: &Record) -> Result<()> {
    let protocol = rules(record)?;
    replay::follow(protocol, record).map_err(|error| {
        Failure::new(
            exit::DAMAGED,
            "diverged",
            error.to_string(),
            "agon show and agon export still work on it",
        )
    })
}
