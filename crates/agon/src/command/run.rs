//! `agon run`: opens a debate and drives it.

use std::{collections::BTreeMap, path::PathBuf};

use agon_core::{Digest, Opened, Protocol, What};
use agon_runtime::{
    config::Config,
    drive::{DriveLock, Seats},
    journal::Journal,
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
    let motion = debate::motion(args.motion.as_deref())?;
    let checked = check(hand, &config, &args, motion)?;
    if args.plan {
        return plan::show(
            hand,
            checked.protocol,
            checked.opened,
            &BTreeMap::new(),
            &checked.renderer,
            &config,
        );
    }
    let journal = hand.journal()?;
    let begun = begin(hand, &config, &journal, &args, &checked).await?;
    let opened = &checked.opened;
    if hand.output == crate::cli::Output::Text && !hand.quiet {
        introduce(opened);
    } else if hand.output == crate::cli::Output::Json {
        let record = journal.read(&opened.debate)?;
        ui::out(&ui::json(&record.entries()[0]));
    }
    let debate = Seated {
        journal: &journal,
        id: &opened.debate,
        protocol: checked.protocol,
        seats: &begun.seats,
        directory: &begun.directory,
        output: hand.output,
        quiet: hand.quiet,
    };
    conduct::drive(debate, begun.lock).await
}

/// A debate of which everything was checked that can be without asking anybody.
pub struct Checked {
    pub protocol: &'static dyn Protocol,
    pub opened: Opened,
    renderer: Renderer,
    texts: BTreeMap<String, String>,
}

/// Checks what a debate about `motion` is to be opened with. Nothing is written.
pub fn check(hand: &Hand, config: &Config, args: &RunArgs, motion: String) -> Result<Checked> {
    let protocol = protocol(&args.protocol)?;
    let manifest = protocol.manifest();
    let limits = debate::limits(manifest, args.rounds, &args.budget, &config.limits)?;
    let id = debate::id(args.id.as_deref())?;
    let lineup = lineup::names(manifest, &args.seats, config)?;
    lineup::check_prices(&lineup, &limits, config)?;

    let templates = hand.places.prompts.resolve(protocol);
    let templates = templates
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "mend or remove that file"))?;
    let own_prompts = templates.values().any(|template| template.layer != Layer::Embedded);
    let texts: BTreeMap<String, String> =
        templates.into_iter().map(|(name, template)| (name, template.text)).collect();
    let renderer = Renderer::new(&texts)?;
    let opened = Opened {
        seed: debate::seed(args.seed, &id),
        debate: id,
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        motion,
        options: debate::options(args)?,
        lineup,
        limits,
        prompts: texts.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        documents: BTreeMap::new(),
        parent: None,
    };
    if own_prompts && !args.plan {
        // A mistake in somebody's own template is found before the first call, not at the last.
        rehearse(protocol, opened.clone(), &BTreeMap::new(), &renderer)?;
    }
    Ok(Checked { protocol, opened, renderer, texts })
}

/// An open debate, with everybody seated.
pub struct Begun {
    pub seats: Seats,
    pub lock: DriveLock,
    /// Where its files go.
    pub directory: PathBuf,
}

/// Seats everybody and opens the debate; where that cannot be done, nothing is left behind.
pub async fn begin(
    hand: &Hand,
    config: &Config,
    journal: &Journal,
    args: &RunArgs,
    checked: &Checked,
) -> Result<Begun> {
    let Checked { opened, texts, .. } = checked;
    let id = &opened.debate;
    if journal.summary(id)?.is_some() {
        return Err(Failure::new(
            exit::CONFLICT,
            "exists",
            format!("the debate {id} exists already"),
            format!("go on with: agon resume {id}"),
        ));
    }
    let folder = Folder::take(args.out.as_deref(), &opened.motion, id)?;
    let hall = Hall { config, places: &hand.places, journal, offline: args.offline, quiet: hand.quiet };
    let texts = texts.values().map(|text| (Digest::of(text), text.clone())).collect();
    let opening = async {
        let seats = conduct::seat(&opened.lineup, &hall).await?;
        let lock = DriveLock::take(&hand.places.home, id)?;
        journal.create(What::Opened(opened.clone()), texts, Some(folder.path.clone())).await?;
        Ok((seats, lock))
    };
    match opening.await {
        Ok((seats, lock)) => Ok(Begun { seats, lock, directory: folder.path }),
        Err(failure) => {
            folder.give_back();
            Err(failure)
        }
    }
}

fn introduce(opened: &Opened) {
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
