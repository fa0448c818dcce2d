//! Opens a checked debate: creates the participants, and stores the first entry with its texts.

use agon_core::{Event, Opened, Protocol};
use agon_journal::Journal;
use agon_runtime::drive::Seats;

use crate::{
    context::Context,
    failure::{Failure, Result},
    local_run::{self, StartedDebate},
    opening::{self, CheckedDebate, Folder, SOURCE_PATH},
    remote_run::{self, DebateDriver},
    request::{OpeningRequest, SeatRequest},
};

/// Seats everyone and opens the debate; where that cannot be done, nothing is left behind.
pub async fn start_debate(
    context: &Context,
    request: &OpeningRequest,
    checked: &CheckedDebate,
) -> Result<StartedDebate> {
    open_debate(context, request, checked, true).await
}

/// The same with nobody seated yet where it is not `is_seated`, since that can take long:
/// [`StartedDebate::seat_everyone`] does it.
pub(crate) async fn open_debate(
    context: &Context,
    request: &OpeningRequest,
    checked: &CheckedDebate,
    is_seated: bool,
) -> Result<StartedDebate> {
    let CheckedDebate { protocol, track, texts, .. } = checked;
    let mut opened = checked.opened.clone();
    let id = opened.debate.clone();
    let journal = &context.journal;
    check_new(journal, *protocol, &opened, request.id.is_some())?;
    remote_run::check_engine(context, *protocol, &opened).await?;
    let folder = match track {
        Some(track) => Some(Folder::open_shared(track.clone())?),
        None if context.has_folder(*protocol, &opened) => {
            Some(Folder::reserve(request.out.as_deref(), &opened.motion, &id)?)
        }
        None => None,
    };
    if let Some(folder) = &folder {
        folder.record_name(&mut opened);
        opening::name_folder(&mut opened, &folder.path);
    }
    let directory = folder.as_ref().map(|folder| folder.path.clone());
    let opening = async {
        let context = context.clone().with_offline(request.offline);
        let context = if context.has_person(request) { context } else { context.without_person() };
        let seats = match is_seated {
            true => local_run::seat_and_probe(&checked.lineup, &context, &id).await?,
            false => Seats::new(),
        };
        let driver = DebateDriver::choose_driver(&context, &id, &SeatRequest::default())?;
        let texts = texts.clone().into_iter().collect();
        journal.create_debate(Event::Opened(opened), texts, directory.clone()).await?;
        Ok::<_, Failure>((seats, driver))
    };
    let (seats, driver) = opening.await.inspect_err(|_| folder.iter().for_each(Folder::give_back))?;
    Ok(StartedDebate { id, protocol: *protocol, seats, directory, driver })
}

/// How many of the latest debates are looked through for the same one.
const LATEST: u32 = 500;

/// Refuses an id that is taken, and a debate about a document that is open already: two of them
/// would exist side by side by accident. A request that names an id wants another debate.
fn check_new(journal: &Journal, protocol: &dyn Protocol, opened: &Opened, named: bool) -> Result<()> {
    let exists = |message: String, id: &str| Err(Failure::exists(message, format!("continue with: agon resume {id}")));
    if journal.find_summary(&opened.debate)?.is_some() {
        return exists(format!("the debate {} already exists", opened.debate), opened.debate.as_str());
    }
    let Some(source) = opened.options.get(SOURCE_PATH).filter(|_| !named) else { return Ok(()) };
    for other in journal.list_debates(LATEST)? {
        if other.protocol == protocol.name()
            && other.outcome.is_none()
            && other.motion == opened.motion
            && journal.read_record(&other.id)?.opened().options.get(SOURCE_PATH) == Some(source)
        {
            let message = format!("a debate with this topic and document is already open: {}", other.id);
            return exists(message, &format!("{}, or start a separate one with --id", other.id));
        }
    }
    Ok(())
}
