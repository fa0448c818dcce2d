//! The second step of an opening: from the names of models to who answers at each seat. No later step reads such a name,
//! and none but this one sees what the configuration says of models.

use agon_core::{Manifest, SeatModel};
use agon_protocols::common::{OPENS_PAGES, lineup::HOST, named_seat};
use agon_runtime::config::Config;

use super::{judging, proposal::LineupProposal, requested_debate::RequestedDebate, sources::choose_verifier};
use crate::{
    companion::{self, EXTRACTOR},
    context::Context,
    failure::Result,
    lineup::{self, NamedModels},
    models::SeatedModel,
    participants::{page_verifier::VERIFIER, quote_verifier::QUOTES},
    request::SeatRequest,
};

/// A request whose seats all have a model, which exists.
pub struct SeatedDebate<'r> {
    pub(super) requested: RequestedDebate<'r>,
    /// Everyone who answers in the debate, in the protocol's order; then who verifies, who reads pages, and the host.
    pub(super) lineup: Vec<SeatedModel>,
    /// Who reads the statements afterwards, in a debate of its own.
    pub(super) extractor: Option<SeatedModel>,
    /// Whether someone named a judge, for its seat alone.
    pub(super) is_judge_named: bool,
}

/// Chooses the model of every seat, and what follows from who answers.
///
/// # Errors
///
/// The first name that means no seat or no model, and wishes that contradict each other.
pub fn seat_models<'r>(context: &Context, mut requested: RequestedDebate<'r>) -> Result<SeatedDebate<'r>> {
    let (request, config) = (requested.request, &context.config);
    let manifest = requested.protocol.manifest();
    let judges = judging::panel_judges(manifest, &request.options)?;
    let (given, host) = if manifest.approval { split_host(&request.seats) } else { (request.seats.clone(), None) };
    // Someone has to be there to be asked.
    let is_asked = host.is_some() || (context.has_person(request) && !request.yes);
    let proposal = LineupProposal::from_request(manifest, &requested.intake.members, request, config, is_asked);
    let row = proposal.as_ref().map_or(request.lineup.count.unwrap_or_default(), |proposal| proposal.row);
    let intake = &requested.intake;
    let (members, filed) = (intake.members.as_slice(), Some(&intake.models));
    let named = NamedModels { given: &given, members, filed, judges: &judges, row };
    let mut lineup = lineup::choose_models(manifest, &named, config)?;
    choose_verifier(context, &mut requested, &mut lineup)?;
    note_pages(manifest, &lineup, &mut requested);
    if manifest.needs_material {
        lineup.retain(|sat| sat.entry.seat.as_str() != VERIFIER);
        lineup.push(SeatedModel::parse(SeatModel::new(named_seat(VERIFIER), QUOTES), config)?);
    }
    let is_judge_named = judging::is_judge_named(manifest, request, config);
    judging::settle_judging(&context.journal, &mut requested, &lineup)?;
    let extractor = name_companions(&mut requested, config)?;
    if let Some(proposal) = &proposal {
        proposal.record_options(&mut requested.intake.options);
    }
    match proposal {
        Some(LineupProposal { approve: true, .. }) => {
            let model = host.as_deref().unwrap_or("human");
            lineup.push(SeatedModel::parse(SeatModel::new(named_seat(HOST), model), config)?);
        }
        None if host.is_some() => {
            requested.intake.notes.push("the line-up is complete, so the host is not asked".into());
        }
        _ => {}
    }
    Ok(SeatedDebate { requested, lineup, extractor, is_judge_named })
}

/// Takes the host out of what `--seat` names: it is a seat of no protocol.
fn split_host(args: &SeatRequest) -> (SeatRequest, Option<String>) {
    let is_host = |pair: &&String| pair.split_once('=').is_some_and(|(name, _)| name.trim() == HOST);
    let host = args.seats.iter().find(is_host).and_then(|pair| Some(pair.split_once('=')?.1.to_owned()));
    let seats = args.seats.iter().filter(|pair| !is_host(pair)).cloned().collect();
    (SeatRequest { seats, model: args.model.clone() }, host)
}

/// Says on the record whose participants can open pages: nobody else is told to look something up.
fn note_pages(manifest: &Manifest, lineup: &[SeatedModel], requested: &mut RequestedDebate<'_>) {
    let row = manifest.find_seat_row().map(|(row, _)| row).filter(|_| manifest.opens_sources);
    let is_able = |sat: &&SeatedModel| {
        row.is_some() && manifest.find_seat(sat.entry.seat.as_str()) == row && sat.spec.opens_pages()
    };
    let able: Vec<&str> = lineup.iter().filter(is_able).map(|sat| sat.entry.seat.as_str()).collect();
    if !able.is_empty() {
        requested.intake.options.insert(OPENS_PAGES.into(), able.into());
    }
}

/// Names the companions that it is to have, and chooses who reads its statements for the argument graph.
fn name_companions(requested: &mut RequestedDebate<'_>, config: &Config) -> Result<Option<SeatedModel>> {
    let RequestedDebate { request, id, intake, .. } = requested;
    let extractor = request.extract.as_ref().map(|model| SeatModel::new(named_seat(EXTRACTOR), model));
    let extractor = extractor.map(|entry| SeatedModel::parse(entry, config)).transpose()?;
    intake.options.extend(extractor.iter().map(|sat| (EXTRACTOR.to_owned(), sat.entry.model.as_str().into())));
    let wanted = [request.options.has("mirror"), request.options.has("baseline"), extractor.is_some()];
    for (kind, _) in companion::KINDS.into_iter().zip(wanted).filter(|(_, wanted)| *wanted) {
        intake.options.insert(kind.into(), companion::companion_id(id, kind).into());
    }
    Ok(extractor)
}
