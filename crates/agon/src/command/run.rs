//! `agon run`: opens a debate and drives it.

use std::collections::BTreeMap;

use agon_core::{Digest, Opened, Protocol, What};
use agon_runtime::{
    drive::DriveLock,
    journal::Journal,
    prompts::{Layer, Renderer},
    rehearse::rehearsal,
};

use super::{Hand, plan, protocol};
use crate::{
    cli::{Output, RunArgs},
    conduct::{self, Seated},
    failure::{Failure, Result, exit},
    lineup,
    opening::{self, Folder, Opening, SOURCE_PATH, Takes},
    seating::Means,
    shelf, ui,
};

pub async fn run(hand: &Hand, args: RunArgs) -> Result<u8> {
    let config = hand.config()?;
    let protocol = protocol(&args.protocol)?;
    let manifest = protocol.manifest();
    let Opening { motion, mut options, documents, members, models, limits, track, notes } =
        opening::read(manifest, &args, &config.limits)?;
    let id = opening::id(args.id.as_deref())?;
    let mut lineup = lineup::names(manifest, &members, &models, &args.seats, &config)?;
    lineup::check_prices(&lineup, &limits, &config)?;
    // Somebody has to be there to be asked.
    let proposed = Takes::of(manifest).approves && members.is_empty();
    if proposed && hand.terminal() && !args.yes && !args.plan {
        options.insert("approve".into(), true.into());
        lineup.push(lineup::host()?);
    }
    if !hand.quiet {
        notes.iter().for_each(|note| ui::err(&ui::paint(&ui::visible(note), ui::YELLOW)));
    }

    let templates = hand.places.prompts.resolve(protocol);
    let templates = templates
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "mend or remove that file"))?;
    let own_prompts = templates.values().any(|template| template.layer != Layer::Embedded);
    let texts: BTreeMap<String, String> =
        templates.into_iter().map(|(name, template)| (name, template.text)).collect();
    let renderer = Renderer::new(&texts)?;
    let mut opened = Opened {
        debate: id.clone(),
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        motion,
        options,
        lineup: lineup.clone(),
        limits,
        seed: opening::seed(args.seed, &id),
        prompts: texts.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        documents: documents.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        parent: None,
    };
    let documents: BTreeMap<Digest, String> =
        documents.into_values().map(|text| (Digest::of(&text), text)).collect();
    if args.plan {
        return plan::show(hand, protocol, opened, &documents, &renderer, &config);
    }
    if let Some(track) = &track {
        shelf::keep_apart(&mut opened, track);
    }
    if own_prompts || track.is_some() {
        // A mistake in somebody's own template is found before the first call, not at the last; and
        // so is a file that is in the way.
        let (rehearsed, _) = rehearsal(protocol, opened.clone(), &documents, &renderer)?;
        let in_the_way = track.iter().flat_map(|track| shelf::in_the_way(&rehearsed, track)).next();
        if let (Some(path), Some(track)) = (in_the_way, &track) {
            return Err(Failure::usage(
                format!("{} is there already, and is not this debate's", track.join(path).display()),
                "move it away, or name another --track",
            ));
        }
    }
    let journal = hand.journal()?;
    check_new(&journal, protocol, &opened, args.id.is_some())?;
    let folder = match track {
        Some(track) => Folder::share(track)?,
        None => Folder::take(args.out.as_deref(), &opened.motion, &id)?,
    };
    let means = Means {
        config: &config,
        places: &hand.places,
        journal: &journal,
        debate: &id,
        terminal: hand.terminal(),
        offline: args.offline,
        quiet: hand.quiet,
    };
    let prompts = texts.into_values().map(|text| (Digest::of(&text), text));
    let texts = prompts.chain(documents).collect();
    let opening = async {
        let seats = conduct::seat(&lineup, &means).await?;
        let lock = DriveLock::take(&hand.places.home, &id)?;
        journal.create(What::Opened(opened.clone()), texts, Some(folder.path.clone())).await?;
        Ok((seats, lock))
    };
    let (seats, lock) = match opening.await {
        Ok(opened) => opened,
        Err(failure) => {
            // Nothing was opened, so nothing is left behind.
            folder.give_back();
            return Err(failure);
        }
    };
    if hand.output == Output::Text && !hand.quiet {
        introduce(&opened);
    } else if hand.output == Output::Json {
        let record = journal.read(&id)?;
        ui::out(&ui::json(&record.entries()[0]));
    }
    let debate = Seated {
        journal: &journal,
        id: &id,
        protocol,
        seats,
        directory: &folder.path,
        home: &hand.places.home,
        output: hand.output,
        quiet: hand.quiet,
    };
    conduct::drive(debate, lock).await
}

/// How many of the latest debates are looked through for the same one.
const LATEST: u32 = 500;

/// Refuses an id that is taken, and a debate about a document that is open already: two of them
/// would stand side by side without anybody having wanted it. Whoever names an id wants another.
fn check_new(journal: &Journal, protocol: &dyn Protocol, opened: &Opened, named: bool) -> Result<()> {
    let exists = |message: String, id: &str| {
        Err(Failure::new(exit::CONFLICT, "exists", message, format!("go on with: agon resume {id}")))
    };
    if journal.summary(&opened.debate)?.is_some() {
        return exists(format!("the debate {} exists already", opened.debate), opened.debate.as_str());
    }
    let Some(source) = opened.options.get(SOURCE_PATH).filter(|_| !named) else { return Ok(()) };
    for other in journal.list(LATEST)? {
        if other.protocol == protocol.name()
            && other.outcome.is_none()
            && other.motion == opened.motion
            && journal.read(&other.id)?.opened().options.get(SOURCE_PATH) == Some(source)
        {
            let message = format!("the same debate about the same document is open: {}", other.id);
            return exists(message, &format!("{}, or name another with --id", other.id));
        }
    }
    Ok(())
}

/// The head of a debate on a screen.
pub fn introduce(opened: &Opened) {
    ui::out(&ui::paint(&ui::wrapped(&opened.motion, ""), ui::BOLD));
    let mut models: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for sat in &opened.lineup {
        models.entry(&sat.model).or_default().push(sat.name.as_deref().unwrap_or(sat.seat.as_str()));
    }
    for (model, names) in models {
        ui::out(&ui::paint(&ui::visible(&format!("{}: {model}", names.join(", "))), ui::DIM));
    }
    ui::out(&ui::paint(
        &format!("debate {}; if it stops: agon resume {}", opened.debate, opened.debate),
        ui::DIM,
    ));
    ui::out("");
}
