//! `agon run`: opens a debate and drives it.

use std::collections::BTreeMap;

use agon_core::{Digest, Opened, What};
use agon_runtime::{
    drive::DriveLock,
    prompts::{Layer, Renderer},
    rehearse::rehearse,
};

use super::{
    Hand,
    debate::{self, Folder},
    plan, protocol,
};
use crate::{
    cli::RunArgs,
    conduct::{self, Seated},
    failure::{Failure, Result, exit},
    lineup::{self, Hall},
    ui,
};

pub async fn run(hand: &Hand, args: RunArgs) -> Result<u8> {
    let config = hand.config()?;
    let protocol = protocol(&args.protocol)?;
    let manifest = protocol.manifest();
    let motion = debate::motion(args.motion.as_deref())?;
    let limits = debate::limits(manifest, args.rounds, &args.budget, &config.limits)?;
    let id = debate::id(args.id.as_deref())?;
    let lineup = lineup::names(manifest, &args.seats, &config)?;
    lineup::check_prices(&lineup, &limits, &config)?;

    let templates = hand.places.prompts.resolve(protocol);
    let templates = templates
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "mend or remove that file"))?;
    let own_prompts = templates.values().any(|template| template.layer != Layer::Embedded);
    let texts: BTreeMap<String, String> =
        templates.into_iter().map(|(name, template)| (name, template.text)).collect();
    let renderer = Renderer::new(&texts)?;
    let opened = Opened {
        debate: id.clone(),
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        motion,
        options: debate::options(&args)?,
        lineup: lineup.clone(),
        limits,
        seed: debate::seed(args.seed, &id),
        prompts: texts.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        documents: BTreeMap::new(),
        parent: None,
    };
    let documents = BTreeMap::new();
    if args.plan {
        return plan::show(hand, protocol, opened, &documents, &renderer, &config);
    }
    if own_prompts {
        // A mistake in somebody's own template is found before the first call, not at the last.
        rehearse(protocol, opened.clone(), &documents, &renderer)?;
    }
    let journal = hand.journal()?;
    if journal.summary(&id)?.is_some() {
        return Err(Failure::new(
            exit::CONFLICT,
            "exists",
            format!("the debate {id} exists already"),
            format!("go on with: agon resume {id}"),
        ));
    }
    let folder = Folder::take(args.out.as_deref(), &opened.motion, &id)?;
    let hall = Hall {
        config: &config,
        places: &hand.places,
        journal: &journal,
        offline: args.offline,
        quiet: hand.quiet,
    };
    let texts = texts.into_values().map(|text| (Digest::of(&text), text)).collect();
    let opening = async {
        let seats = conduct::seat(&lineup, &hall).await?;
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
    if hand.output == crate::cli::Output::Text && !hand.quiet {
        introduce(&opened);
    } else if hand.output == crate::cli::Output::Json {
        let record = journal.read(&id)?;
        ui::out(&ui::json(&record.entries()[0]));
    }
    let debate = Seated {
        journal: &journal,
        id: &id,
        protocol,
        seats: &seats,
        directory: &folder.path,
        output: hand.output,
        quiet: hand.quiet,
    };
    conduct::drive(debate, lock).await
}

/// The head of a debate on a screen.
pub fn introduce(opened: &Opened) {
    ui::out(&ui::paint(&ui::wrapped(&opened.motion, ""), ui::BOLD));
    let mut models: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for seat in &opened.lineup {
        models.entry(&seat.model).or_default().push(seat.seat.as_str());
    }
    for (model, seats) in models {
        ui::out(&ui::paint(&format!("{}: {}", seats.join(", "), ui::visible(model)), ui::DIM));
    }
    ui::out(&ui::paint(
        &format!("debate {}; if it stops: agon resume {}", opened.debate, opened.debate),
        ui::DIM,
    ));
    ui::out("");
}
