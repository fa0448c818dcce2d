//! Creates the participants of a line-up.

pub mod artifact_watcher;
mod auto_approval;
pub mod claim_reader;
#[cfg(feature = "local")]
pub mod embedded;
pub mod page_verifier;
pub mod quote_verifier;
pub mod unrecorded;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agon_core::{DebateId, Digest, Record, Reply, Seat, SeatModel};
use agon_protocols::common::{lineup::HOST, parallel_answers, struck_text::Withheld};
use agon_runtime::{
    config::{Config, ModelSpec, ProviderChoice},
    drive::{SeatHandle, Seats},
    participant::{
        Participant,
        command::CommandParticipant,
        outside::Outside,
        provider::{Provider, ProviderKind, ProviderSpec, Timeouts},
        recorded::RecordedParticipant,
        scripted::Scripted,
    },
};

use self::{auto_approval::Consenting, page_verifier::Verifier, quote_verifier::QuoteVerifier};
use crate::{
    context::Context,
    failure::{Failure, Result, exit},
    models::SeatedModel,
};

/// Everyone of a line-up, ready to be probed. Scripts are read and models of this machine found
/// here; nothing is sent.
pub async fn build_seats(lineup: &[SeatedModel], context: &Context, debate: &DebateId) -> Result<Seats> {
    let mut seats = Seats::new();
    let mut known: BTreeMap<String, Arc<dyn Participant>> = BTreeMap::new();
    for SeatedModel { entry: SeatModel { seat, model, name, .. }, spec } in lineup {
        if *spec == ModelSpec::Human {
            let title = name.as_deref().unwrap_or(seat.as_str());
            seats.insert(seat.clone(), seat_person(seat, title, context, debate)?);
            continue;
        }
        let is_unfit_reader = is_unfit_reader(model, spec, &context.config);
        let identity = model_identity(model, spec)?;
        let participant = match known.get(&identity) {
            Some(participant) => Arc::clone(participant),
            None => build_participant(spec.clone(), context, debate).await?,
        };
        known.insert(identity, Arc::clone(&participant));
        seats.insert(seat.clone(), SeatHandle { name: model.clone(), participant, is_unfit_reader });
    }
    Ok(seats)
}

/// The person who can be asked here. Without one, the host, who would only be asked for a consent, is
/// taken to agree.
fn seat_person(seat: &Seat, title: &str, context: &Context, debate: &DebateId) -> Result<SeatHandle> {
    if let Some(participant) = context.frontend.find_person(seat, title, debate).filter(|_| context.is_attended) {
        return Ok(SeatHandle::new("human", participant));
    }
    if seat.as_str() == HOST {
        return Ok(SeatHandle::new("no terminal", Arc::new(Consenting)));
    }
    Err(Failure::usage(
        format!("the seat {seat} is answered by a person, but this process has no terminal"),
        format!("run it in a terminal, without --output json; or name a model: --seat {seat}=MODEL"),
    ))
}

/// Whether what the model called `name` reads decides nothing: nobody has measured that a model of this machine reads
/// well enough, and the user does not say so.
fn is_unfit_reader(name: &str, spec: &ModelSpec, config: &Config) -> bool {
    let is_measured = match spec {
        #[cfg(feature = "local")]
        ModelSpec::Local(model) => embedded::is_fit_reader(model.as_deref()),
        #[cfg(not(feature = "local"))]
        ModelSpec::Local(_) => false,
        ModelSpec::Provider(choice) => choice.kind != ProviderKind::Ollama && choice.leaves_machine().is_some(),
        _ => true,
    };
    !is_measured && !config.readers.iter().any(|reader| reader == name)
}

/// What two names of one model have in common, so that it is loaded once.
#[allow(clippy::unnecessary_wraps)]
fn model_identity(name: &str, spec: &ModelSpec) -> Result<String> {
    #[cfg(feature = "local")]
    if let ModelSpec::Local(model) = spec {
        return embedded::model_identity(model.as_deref());
    }
    match spec {
        ModelSpec::Local(None) => Ok("local".into()),
        _ => Ok(name.to_owned()),
    }
}

async fn build_participant(spec: ModelSpec, context: &Context, debate: &DebateId) -> Result<Arc<dyn Participant>> {
    Ok(match spec {
        ModelSpec::Scripted(path) => {
            let script = Scripted::read(&path);
            Arc::new(script.map_err(|why| Failure::usage(why, "docs/scripted.md describes scripts"))?)
        }
        ModelSpec::Recorded(id) => Arc::new(build_recorded_participant(&context.journal.read_record(&id)?)),
        ModelSpec::Provider(choice) => Arc::new(shared_provider(*choice)?),
        ModelSpec::Command(choice) => Arc::new(CommandParticipant::new(choice)),
        ModelSpec::Outside => Arc::new(Outside),
        ModelSpec::Fetched => Arc::new(Verifier::new(context, debate)?),
        ModelSpec::Material => Arc::new(QuoteVerifier::new(context, debate)),
        ModelSpec::Local(model) => build_local_participant(model.as_deref(), context).await?,
        ModelSpec::Human => unreachable!("a person is seated by name, never shared"),
    })
}

/// The answers of an earlier debate that may be given again: what was struck stays struck, and what others are asked in
/// parallel does not become known by a second debate.
fn build_recorded_participant(record: &Record) -> RecordedParticipant {
    let record = parallel_answers::readable_record(record);
    let withheld = Withheld::from_record(&record);
    RecordedParticipant::new(&record, |answered| match &answered.reply {
        _ if record.redaction_seq(&answered.key).is_some() => None,
        Reply::Said { text } => Some(Reply::Said { text: withheld.mask_answer(&answered.key, text).into_owned() }),
        other => Some(other.clone()),
    })
}

/// Maximum number of models of providers that a process keeps.
const KEPT_MAX: usize = 200;

/// A model of a provider. All debates of a process share what reaches it: its connections, its list of
/// models, and which fields its server takes.
fn shared_provider(choice: ProviderChoice) -> Result<Provider> {
    static KEPT: Mutex<Vec<(ProviderChoice, Option<Digest>, Provider)>> = Mutex::new(Vec::new());
    let key = choice.api_key_env.as_deref().and_then(|name| env::var(name).ok()).map(Digest::from_content);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let sibling = |other: &ProviderChoice| {
        let (model, price_origin) = (other.model.clone(), other.price_origin.clone());
        let (price, settings) = (other.price, other.settings);
        *other == ProviderChoice { model, price, price_origin, settings, ..choice.clone() }
    };
    let mut siblings = kept.iter().filter(|(other, with, _)| *with == key && sibling(other));
    if let Some((.., provider)) = siblings.clone().find(|(other, ..)| *other == choice) {
        return Ok(provider.clone());
    }
    let made = match siblings.next() {
        Some((.., provider)) => provider.with_model(choice.model.clone(), choice.price).with_settings(choice.settings),
        None => build_server(&choice)?,
    };
    if kept.len() < KEPT_MAX {
        kept.push((choice, key, made.clone()));
    }
    Ok(made)
}

/// The server of `choice`.
pub fn build_server(choice: &ProviderChoice) -> Result<Provider> {
    let variable = choice.api_key_env.as_deref();
    let key = variable.and_then(|name| env::var(name).ok()).filter(|key| !key.trim().is_empty());
    if key.is_none() && choice.key_required {
        let variable = variable.unwrap_or("its key");
        return Err(Failure::new(
            exit::PROVIDER,
            "provider",
            format!("{} needs a key, and {variable} is not set", choice.provider),
            format!("set {variable}, or use another model, for example --model local"),
        ));
    }
    let mut spec = ProviderSpec::new(choice.kind, choice.model.clone());
    spec.name.clone_from(&choice.provider);
    spec.base_url.clone_from(&choice.base_url);
    spec.api_key = key.map(Into::into);
    spec.key_hint = variable.unwrap_or_default().to_owned();
    spec.price = choice.price;
    spec.rate_limits = choice.rate_limits;
    spec.headers.clone_from(&choice.headers);
    spec.api_version.clone_from(&choice.api_version);
    spec.settings = choice.settings;
    if let Some(seconds) = choice.timeout_seconds {
        spec.timeouts = Timeouts::from_silence(Duration::from_secs_f64(seconds));
    }
    Provider::new(spec).map_err(|error| Failure::usage(error.to_string(), "check [providers] in agon.toml"))
}

/// What a debate downloads when it starts whose models mean `specs`, as sentences.
pub fn describe_downloads<'m>(specs: impl IntoIterator<Item = &'m ModelSpec>, context: &Context) -> Vec<String> {
    #[cfg(feature = "local")]
    let told = specs.into_iter().flat_map(|spec| match spec {
        ModelSpec::Local(model) => embedded::describe_downloads(model.as_deref(), &context.places.models),
        _ => Vec::new(),
    });
    // Without the embedded model there is nothing to download.
    #[cfg(not(feature = "local"))]
    let told = {
        let _ = (specs.into_iter(), context);
        std::iter::empty()
    };
    told.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(feature = "local")]
async fn build_local_participant(model: Option<&str>, context: &Context) -> Result<Arc<dyn Participant>> {
    embedded::prepare_participant(model, context).await
}

#[cfg(not(feature = "local"))]
async fn build_local_participant(_: Option<&str>, _: &Context) -> Result<Arc<dyn Participant>> {
    Err(Failure::unknown(
        "this agon was built without the embedded model",
        "build it with its default features, or name another model, for example --model ollama:llama3.2",
    ))
}
