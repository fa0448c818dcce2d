//! The third step of an opening: what would be wrong later is refused now, and the first entry of the record is made.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use agon_core::{Opened, Protocol};
use agon_runtime::{
    cancellation::StopFlag,
    prompts::{Layer, Renderer, Template, material::MATERIAL},
    rehearse::rehearse_debate,
};

use super::{folder::derive_seed, judging, material, requested_debate::RequestedDebate, seated_debate::SeatedDebate};
use crate::{
    companion,
    context::Context,
    cost_plan::{Plan, PlannedDebate},
    failure::{Failure, Result},
    local_run,
    model_speed::MeasuredSpeeds,
    models::{self, SeatedModel},
    output_folder,
    prompt_templates::{Texts, digest_texts, index_texts, resolve_templates, texts_of},
};

/// A debate that passed every check that needs no call, ready to be planned or started.
#[derive(Clone)]
pub struct CheckedDebate {
    /// Its rules.
    pub protocol: &'static dyn Protocol,
    /// What its record begins with.
    pub opened: Opened,
    /// Who answers, as `opened` names them.
    pub lineup: Vec<SeatedModel>,
    /// Notes for the person or program that opens it.
    pub notes: Vec<String>,
    /// Its templates and documents.
    pub(crate) texts: Texts,
    /// The shared folder that its files go into.
    pub(crate) track: Option<PathBuf>,
    renderer: Arc<Renderer>,
    stop: StopFlag,
}

/// Checks everything that needs no call, and makes the first entry of the record.
///
/// # Errors
///
/// The first thing that would be wrong later, with its remedy.
pub fn check_opening(context: &Context, seated: SeatedDebate<'_>) -> Result<CheckedDebate> {
    let notes = check_models(context, &seated)?;
    let SeatedDebate { requested, lineup, .. } = seated;
    let RequestedDebate { request, protocol, declared, id, intake, material, .. } = &requested;
    companion::check_free(&context.journal, id, &intake.options)?;
    if let Some(material) = material {
        material::store_material(context, material)?;
    }
    let templates = resolve_templates(&context.places, *protocol)?;
    let opened = first_entry(&requested, &lineup, &templates);
    let all = templates.values().map(|template| &template.text).chain(intake.documents.values());
    let texts = index_texts(all);
    let renderer = match declared {
        Some(file) => Arc::new(file.rehearse_prompts(opened.clone(), &texts, &templates, &request.stop)?),
        None => local_run::compile_templates(texts_of(&templates))?,
    };
    let list = intake.documents.get(MATERIAL).map(String::as_str);
    let renderer = local_run::with_material(&renderer, *protocol, &opened, list, &context.places.home)?;
    let is_rehearsed = declared.is_some() || templates.values().all(|one| one.layer == Layer::Embedded);
    let (protocol, stop) = (*protocol, request.stop.clone());
    let track = requested.intake.track;
    let checked = CheckedDebate { protocol, opened, lineup, notes, texts, track, renderer, stop };
    if !is_rehearsed || checked.track.is_some() {
        checked.check_rehearsal()?;
    }
    Ok(checked)
}

/// Checks who answers; gives notes for the user.
fn check_models(context: &Context, seated: &SeatedDebate<'_>) -> Result<Vec<String>> {
    let SeatedDebate { requested, lineup, extractor, is_judge_named } = seated;
    let RequestedDebate { request, protocol, intake, limits, .. } = requested;
    let manifest = protocol.manifest();
    let mut notes = intake.notes.clone();
    if let Some(material) = &requested.material {
        notes.extend(material::check_seats(manifest, material, lineup)?);
    }
    let everyone: Vec<SeatedModel> = lineup.iter().chain(extractor).cloned().collect();
    models::check_local(&intake.options, &everyone)?;
    models::check_retired(&everyone, &context.config)?;
    models::check_prices(&everyone, limits)?;
    if context.engine.is_none() {
        models::check_files(lineup)?;
    }
    notes.extend(models::old_prices(lineup, limits));
    notes.extend(judging::check_judges(manifest, lineup, *is_judge_named, request.options.has("self_judging"))?);
    Ok(notes)
}

/// What the record of the debate begins with.
fn first_entry(
    requested: &RequestedDebate<'_>,
    lineup: &[SeatedModel],
    templates: &BTreeMap<String, Template>,
) -> Opened {
    let RequestedDebate { protocol, id, intake, .. } = requested;
    let mut opened = Opened {
        seed: requested.seed.unwrap_or_else(|| derive_seed(id)),
        debate: id.clone(),
        protocol: protocol.name().to_owned(),
        rules: protocol.manifest().rules,
        motion: intake.motion.clone(),
        options: intake.options.clone(),
        lineup: lineup.iter().map(|sat| sat.entry.clone()).collect(),
        limits: requested.limits.clone(),
        prompts: digest_texts(&texts_of(templates)),
        documents: digest_texts(&intake.documents),
        parent: None,
    };
    if let Some(track) = &intake.track {
        output_folder::keep_apart(&mut opened, track);
    }
    opened
}

impl CheckedDebate {
    /// What it would ask, cost and send away, and how long that would take by `speeds`.
    ///
    /// # Errors
    ///
    /// Where it cannot be rehearsed.
    pub fn build_plan(&self, speeds: &MeasuredSpeeds) -> Result<Plan> {
        let Self { protocol, opened, lineup, texts, renderer, stop, .. } = self;
        PlannedDebate { protocol: *protocol, opened, lineup, texts, renderer, stop, speeds }.build_plan()
    }

    /// Goes through the debate with sample answers: a mistake in someone's own template is found before the
    /// first call, not at the last; and so is a file that is in the way.
    fn check_rehearsal(&self) -> Result<()> {
        let Self { protocol, opened, texts, track, renderer, stop, .. } = self;
        let (rehearsed, _) = rehearse_debate(*protocol, opened.clone(), texts, renderer, stop)?;
        let Some(track) = track else { return Ok(()) };
        match output_folder::in_the_way(&rehearsed, track).first() {
            None => Ok(()),
            Some(path) => Err(Failure::usage(
                format!("{} already exists and belongs to another debate", track.join(path).display()),
                "move it, or choose another --track",
            )),
        }
    }
}
