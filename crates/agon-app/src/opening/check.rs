//! Turns a request into a debate that passed every check that needs no call.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use agon_context::manifest::MaterialManifest;
use agon_core::{Digest, Opened, Protocol, SeatModel};
use agon_protocols::{common::seat, declared::DOCUMENT};
use agon_runtime::{
    config::{Config, full_name},
    prompts::{Layer, Renderer, material::MATERIAL},
    rehearse::rehearsal,
    stop::StopFlag,
};
use serde_json::{Map, Value};

use super::{
    Opening, id, judging,
    material::{self, LOCAL_ONLY},
    proposal::Proposed,
    read, seed, sources,
};
use crate::{
    access, companion,
    context::Context,
    declarations::{self, NamedProtocol},
    extraction,
    failure::{Failure, Result, exit},
    lineup, output_dir,
    participants::{self, quotes::QUOTES, verifier::VERIFIER},
    plan::{self, Plan},
    request::OpeningRequest,
    session,
};

/// A debate that passed every check that needs no call, ready to be started.
#[derive(Clone)]
pub struct Checked {
    /// Its rules.
    pub protocol: &'static dyn Protocol,
    /// What its record begins with.
    pub opened: Opened,
    /// Notes for the person or program that opens it.
    pub notes: Vec<String>,
    pub(crate) documents: BTreeMap<Digest, String>,
    pub(crate) track: Option<PathBuf>,
    pub(crate) texts: BTreeMap<String, String>,
    renderer: Arc<Renderer>,
    stop: StopFlag,
}

impl Checked {
    /// What it would ask, cost and send away.
    pub fn plan(&self, config: &Config) -> Result<Plan> {
        plan::of(self.protocol, self.opened.clone(), &self.documents, &self.renderer, config, &self.stop)
    }
}

/// Fails where a seat of a protocol about material would see nothing of it.
fn seen_by_all(documents: &BTreeMap<String, String>, lineup: &[SeatModel]) -> Result<()> {
    let manifest = documents.get(MATERIAL).and_then(|text| MaterialManifest::read(text).ok());
    let Some(manifest) = manifest else { return Ok(()) };
    let seats = lineup.iter().map(|sat| sat.seat.as_str()).filter(|seat| *seat != VERIFIER);
    match seats.filter(|seat| manifest.files_of(seat).next().is_none()).collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        unseeing => Err(Failure::usage(
            format!("nothing of the material is for {}", unseeing.join(" and ")),
            "add --context without a seat, or one for each of them: --context SEAT=FILE",
        )),
    }
}

/// Checks what a debate is to be opened with. Nothing is written. `rehearses` says whether someone's own
/// templates are tried out first, which a plan does anyway.
pub fn check(context: &Context, request: &OpeningRequest, rehearses: bool) -> Result<Checked> {
    request.check_counts()?;
    let config = &context.config;
    access::check_named(request)?;
    let NamedProtocol { protocol, file } =
        declarations::find(&context.places, &request.protocol, request.is_remote())?;
    let manifest = protocol.manifest();
    let Opening { motion, mut options, mut documents, members, models, limits, track, mut notes } =
        read(manifest, request, &config.limits)?;
    let id = id(request.id.as_deref())?;
    let judges = judging::judges(manifest, &request.options)?;
    // Someone has to be there to be asked.
    let (seats, host) = match manifest.approval {
        true => lineup::split_host(&request.seats),
        false => (request.seats.clone(), None),
    };
    let asked = host.is_some() || (has_person(context, request) && !request.yes);
    let proposed = Proposed::of(manifest, &members, request, config, asked)?;
    let row = proposed.as_ref().map_or(request.lineup.count.unwrap_or_default(), |proposed| proposed.row);
    let mut lineup = lineup::names(manifest, &members, &models, &judges, row, &seats, config)?;
    let filed = models.get(VERIFIER).map(String::as_str);
    let told = sources::settle(
        manifest,
        request,
        config,
        context.offline || request.offline,
        filed,
        &mut options,
        &mut lineup,
    )?;
    notes.extend(told);
    if manifest.opens_sources {
        lineup::note_pages(manifest, &lineup, config, &mut options)?;
    }
    notes.extend(material::add(context, manifest, request, &mut options, &mut documents)?);
    if manifest.needs_material {
        seen_by_all(&documents, &lineup)?;
        lineup.retain(|sat| sat.seat.as_str() != VERIFIER);
        lineup.push(SeatModel::new(seat(VERIFIER), QUOTES));
    }
    // A debate stays with the model that a bare name stands for today.
    lineup.iter_mut().for_each(|sat| sat.model = full_name(&sat.model, config));
    notes.extend(material::note_of_guessing(manifest, &lineup, config));
    if request.context.local_only {
        // It holds for the whole debate: when a seat is replaced, and for its companions.
        options.insert(LOCAL_ONLY.into(), true.into());
        let extractor = request.extract.as_deref().map(|model| SeatModel::new(seat("extractor"), model));
        let all: Vec<SeatModel> = lineup.iter().cloned().chain(extractor).collect();
        material::check_local(&options, &all, config)?;
    }
    lineup::check_prices(&lineup, &limits, config)?;
    if context.engine.is_none() {
        participants::check_files(&lineup, config)?;
    }
    notes.extend(lineup::old_prices(&lineup, &limits, config)?);
    notes.extend(judging::check(manifest, &lineup, request, config)?);
    let mut seed = seed(request.seed, &id);
    if let Some(earlier) = judging::recorded(manifest, &lineup, config)? {
        // Its judge answers in the words that it had for the labels of that debate.
        let earlier = context.journal.read(&earlier)?;
        judging::follow(&mut options, &request.options, earlier.opened());
        seed = request.seed.unwrap_or(earlier.opened().seed);
    } else {
        judging::settle(manifest, &mut options, &request.options, &lineup);
    }
    name_companions(&mut options, request, &limits, config, &id)?;
    companion::check_free(&context.journal, &id, &options)?;
    match &proposed {
        Some(proposed) => {
            proposed.note(&mut options);
            if proposed.approve {
                let host = lineup::host(host.as_deref(), config)?;
                material::check_local(&options, std::slice::from_ref(&host), config)?;
                lineup.push(host);
            }
        }
        None if host.is_some() => notes.push("the line-up is complete, so the host is not asked".into()),
        None => {}
    }
    let templates = context.places.prompts.resolve(protocol);
    let templates = templates
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "fix or remove that file"))?;
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
        output_dir::keep_apart(&mut opened, track);
    }
    let renderer = match &file {
        Some(file) => Arc::new(file.rehearse(opened.clone(), &documents, &templates, &request.stop)?),
        None => session::compiled(texts.clone())?,
    };
    let list = opened.documents.get(MATERIAL).and_then(|digest| documents.get(digest));
    let renderer =
        session::with_material(&renderer, protocol, &opened, list.map(String::as_str), &context.places.home)?;
    let stop = request.stop.clone();
    let checked = Checked { protocol, opened, notes, documents, track, renderer, texts, stop };
    let has_own = templates.values().any(|template| template.layer != Layer::Embedded);
    if rehearses && file.is_none() && (has_own || checked.track.is_some()) {
        checked.rehearse()?;
    }
    Ok(checked)
}

/// Whether there is a person who can be asked about it.
pub(crate) fn has_person(context: &Context, request: &OpeningRequest) -> bool {
    context.frontend.has_person() && !request.is_remote()
}

/// Names its companion debates.
fn name_companions(
    options: &mut Map<String, Value>,
    request: &OpeningRequest,
    limits: &agon_core::Limits,
    config: &Config,
    id: &agon_core::DebateId,
) -> Result<()> {
    if let Some(model) = &request.extract {
        let model = full_name(model, config);
        extraction::check(&model, limits, config)?;
        options.insert(companion::EXTRACTOR.into(), model.into());
    }
    let wanted = [request.options.has("mirror"), request.options.has("baseline"), request.extract.is_some()];
    for (kind, _) in companion::KINDS.into_iter().zip(wanted).filter(|(_, wanted)| *wanted) {
        options.insert(kind.into(), companion::id(id, kind).into());
    }
    Ok(())
}

impl Checked {
    /// Goes through the debate with sample answers: a mistake in someone's own template is found before the
    /// first call, not at the last; and so is a file that is in the way.
    fn rehearse(&self) -> Result<()> {
        let Self { protocol, opened, documents, track, renderer, stop, .. } = self;
        let (rehearsed, _) = rehearsal(*protocol, opened.clone(), documents, renderer, stop)?;
        let Some(track) = track else { return Ok(()) };
        match output_dir::in_the_way(&rehearsed, track).first() {
            None => Ok(()),
            Some(path) => Err(Failure::usage(
                format!("{} already exists and belongs to another debate", track.join(path).display()),
                "move it, or choose another --track",
            )),
        }
    }
}
