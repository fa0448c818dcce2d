//! `agon run`: opens a debate and drives it.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use agon_core::{Digest, Opened, Protocol, What};
use agon_protocols::{common::lineup::NUMBER, declared::DOCUMENT};
use agon_runtime::{
    config::Config,
    drive::{DriveLock, Seats},
    journal::Journal,
    prompts::{Layer, Renderer},
    rehearse::rehearsal,
};

use super::{
    Hand, companion, extraction,
    plan::{self, Plan},
};
use crate::{
    cli::{Output, RunArgs},
    conduct::{self, Seated},
    declared::{self, Found},
    failure::{Failure, Result, exit},
    lineup,
    opening::{self, Folder, Opening, SOURCE_PATH, Takes, host::Proposed, judging},
    seating::Means,
    shelf, ui, verifier,
};

pub async fn run(hand: &Hand, mut args: RunArgs) -> Result<u8> {
    let config = hand.config()?;
    if hand.terminal() {
        ask_for_motion(hand, &mut args)?;
    }
    let checked = check(hand, &config, &args)?;
    if !hand.quiet {
        checked.notes.iter().for_each(|note| ui::err(&ui::paint(&ui::visible(note), ui::YELLOW)));
    }
    if args.plan {
        let plan = checked.plan(&config)?;
        hand.print(&plan.json, || plan.text);
        return Ok(exit::OK);
    }
    let limits = &checked.opened.limits;
    if !hand.quiet && (limits.tokens_max.is_some() || limits.requests_max.is_some()) {
        let short = checked.plan(&config)?.short;
        short.iter().for_each(|short| ui::err(&ui::paint(short, ui::YELLOW)));
    }
    let journal = hand.journal()?;
    let Begun { seats, lock, directory } = begin(hand, &config, &journal, &args, &checked).await?;
    let Checked { protocol, opened, .. } = checked;
    if hand.output == Output::Text && !hand.quiet {
        introduce(&opened);
    } else if hand.output == Output::Json {
        let record = journal.read(&opened.debate)?;
        ui::out(&ui::json(&record.entries()[0]));
    }
    let debate = Seated {
        journal: &journal,
        id: &opened.debate,
        protocol,
        seats,
        directory: &directory,
        home: &hand.places.home,
        output: hand.output,
        quiet: hand.quiet,
    };
    conduct::drive(debate, lock).await?;
    companion::follow(hand, &config, &journal, &opened.debate, args.offline).await
}

/// Asks a person what is debated, where the command line does not say.
fn ask_for_motion(hand: &Hand, args: &mut RunArgs) -> Result<()> {
    let Found { protocol, .. } = declared::find(&hand.places, &args.protocol, args.from_elsewhere)?;
    if opening::lacks_motion(protocol.manifest(), args)? {
        let held = ui::hold();
        held.say("What should the debate topic be?");
        held.prompt("> ");
        let mut line = String::new();
        // Without an answer it is an error like any other.
        let read = std::io::stdin().read_line(&mut line);
        args.motion = read.ok().map(|_| line.trim().to_owned()).filter(|line| !line.is_empty());
    }
    Ok(())
}

/// A debate of which everything was checked that can be without asking anybody.
pub struct Checked {
    pub protocol: &'static dyn Protocol,
    pub opened: Opened,
    documents: BTreeMap<Digest, String>,
    track: Option<PathBuf>,
    renderer: Arc<Renderer>,
    texts: BTreeMap<String, String>,
    /// What whoever opens it should know.
    pub notes: Vec<String>,
}

impl Checked {
    /// What it would ask, cost and send away.
    pub fn plan(&self, config: &Config) -> Result<Plan> {
        plan::of(self.protocol, self.opened.clone(), &self.documents, &self.renderer, config)
    }
}

/// Checks what a debate is to be opened with. Nothing is written.
pub fn check(hand: &Hand, config: &Config, args: &RunArgs) -> Result<Checked> {
    let Found { protocol, file } = declared::find(&hand.places, &args.protocol, args.from_elsewhere)?;
    let manifest = protocol.manifest();
    let Opening { motion, mut options, mut documents, members, models, limits, track, mut notes } =
        opening::read(manifest, args, &config.limits)?;
    let id = opening::id(args.id.as_deref())?;
    let mut seed = opening::seed(args.seed, &id);
    let judges = judging::judges(manifest, &args.judging)?;
    // Somebody has to be there to be asked.
    let (seats, host) = match Takes::of(manifest).approves {
        true => lineup::split_host(&args.seats),
        false => (args.seats.clone(), None),
    };
    let asked = host.is_some() || (hand.terminal() && !args.yes && !args.plan);
    let proposed = Proposed::of(manifest, &members, args, config, asked)?;
    let row = proposed.as_ref().map_or(args.lineup.count.unwrap_or_default(), |proposed| proposed.row);
    let mut lineup = lineup::names(manifest, &members, &models, &judges, row, &seats, config)?;
    let filed = models.get(verifier::VERIFIER).map(String::as_str);
    notes.extend(verifier::settle(manifest, args, config, filed, &mut options, &mut lineup)?);
    if Takes::of(manifest).verifies {
        lineup::note_pages(manifest, &lineup, config, &mut options)?;
    }
    lineup::check_prices(&lineup, &limits, config)?;
    let own_judge = judging::check(manifest, &lineup, args, config)?;
    notes.extend(own_judge);
    if let Some(earlier) = judging::recorded(manifest, &lineup, config)? {
        // Its judge answers in the words that it had for the labels of that debate.
        let earlier = hand.journal()?.read(&earlier)?;
        judging::follow(&mut options, &args.judging, earlier.opened());
        seed = args.seed.unwrap_or(earlier.opened().seed);
    } else {
        judging::settle(manifest, &mut options, &args.judging, &lineup);
    }
    let extractor = args.judging.extract.as_ref();
    if let Some(model) = extractor {
        extraction::check(model, &limits, config)?;
        options.insert(companion::EXTRACTOR.into(), model.as_str().into());
    }
    let wanted = [args.judging.mirror, args.judging.baseline, extractor.is_some()];
    for (kind, _) in companion::KINDS.into_iter().zip(wanted).filter(|(_, wanted)| *wanted) {
        options.insert(kind.into(), companion::id(&id, kind).into());
    }
    match &proposed {
        Some(proposed) => {
            proposed.note(&mut options);
            if proposed.approve {
                lineup.push(lineup::host(host.as_deref(), config)?);
            }
        }
        None if host.is_some() => notes.push("the line-up is settled, so the host is not asked".into()),
        None => {}
    }
    let templates = hand.places.prompts.resolve(protocol);
    let templates = templates
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "mend or remove that file"))?;
    let own_prompts = templates.values().any(|template| template.layer != Layer::Embedded);
    let texts: BTreeMap<String, String> =
        templates.iter().map(|(name, template)| (name.clone(), template.text.clone())).collect();
    if let Some(file) = &file {
        // The debate follows what is declared now, whatever becomes of the file.
        documents.insert(DOCUMENT.to_owned(), file.text.clone());
    }
    let mut opened = Opened {
        seed,
        debate: id,
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        motion,
        options,
        lineup,
        limits,
        prompts: texts.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        documents: documents.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        parent: None,
    };
    let documents: BTreeMap<Digest, String> =
        documents.into_values().map(|text| (Digest::of(&text), text)).collect();
    if let Some(track) = &track {
        shelf::keep_apart(&mut opened, track);
    }
    let renderer = match &file {
        Some(file) => Arc::new(file.rehearse(opened.clone(), &documents, &templates)?),
        None => conduct::compiled(texts.clone())?,
    };
    if (own_prompts || track.is_some()) && file.is_none() && !args.plan {
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
    Ok(Checked { protocol, opened, documents, track, renderer, texts, notes })
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
    let Checked { protocol, opened, documents, track, texts, .. } = checked;
    let mut opened = opened.clone();
    let id = &checked.opened.debate;
    check_new(journal, *protocol, &opened, args.id.is_some())?;
    let folder = match track {
        Some(track) => Folder::share(track.clone())?,
        None => Folder::take(args.out.as_deref(), &opened.motion, id)?,
    };
    folder.name(&mut opened);
    opening::name_folder(&mut opened, &folder.path);
    let means = Means {
        config,
        places: &hand.places,
        journal,
        debate: id,
        terminal: hand.terminal() && !args.from_elsewhere,
        offline: args.offline,
        quiet: hand.quiet,
    };
    let prompts = texts.values().map(|text| (Digest::of(text), text.clone()));
    let documents = documents.iter().map(|(digest, text)| (digest.clone(), text.clone()));
    let texts = prompts.chain(documents).collect();
    let opening = async {
        let seats = conduct::seat(&opened.lineup, &means).await?;
        let lock = DriveLock::take(&hand.places.home, id)?;
        journal.create(What::Opened(opened), texts, Some(folder.path.clone())).await?;
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
        let title = sat.name.as_deref().unwrap_or(sat.seat.as_str());
        // How many there will be is not known yet.
        let open = opened.options.contains_key(NUMBER) && sat.name.is_none();
        let row = title.rsplit_once('-').filter(|(_, number)| open && number.parse::<u32>().is_ok());
        let title = row.map_or(title, |(row, _)| row);
        let titles = models.entry(&sat.model).or_default();
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    for (model, names) in models {
        ui::out(&ui::paint(&ui::visible(&format!("{}: {model}", names.join(", "))), ui::DIM));
    }
    for cost in judging::cost(opened) {
        ui::out(&ui::paint(&ui::wrapped(&cost, ""), ui::DIM));
    }
    ui::out(&ui::paint(
        &format!("debate {}; if it stops: agon resume {}", opened.debate, opened.debate),
        ui::DIM,
    ));
    ui::out("");
}
