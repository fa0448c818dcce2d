//! The configuration, journal and front end that all debates of this process share.

use std::{sync::Arc, time::Duration};

use agon_core::{DebateId, MotionKind, Opened, Protocol, Seat};
use agon_journal::Journal;
use agon_runtime::{
    config::{Config, Paths},
    participant::Participant,
};

use crate::{output_files::FileSet, remote_engine::DebateEngine, request::OpeningRequest};

/// The configuration, journal and front end that all debates of this process share.
#[derive(Clone)]
pub struct Context {
    /// The configuration.
    pub config: Config,
    /// Where agon keeps its data.
    pub places: Paths,
    /// The journal below them.
    pub journal: Arc<Journal>,
    /// Who works with this process.
    pub frontend: Arc<dyn Frontend>,
    /// Whether a person of that front end may be asked.
    pub is_attended: bool,
    /// Whether the network may not be used to fetch models and pages.
    pub offline: bool,
    /// Which files debates leave in their folders.
    pub files: FileSet,
    /// What drives debates in place of this process.
    pub engine: Option<Arc<dyn DebateEngine>>,
    /// How long this process drives a debate in which only people outside are asked; `None`: as long as it takes.
    pub patience: Option<Duration>,
}

impl Context {
    /// The same for debates that someone elsewhere opens: nobody is asked here.
    pub(crate) fn without_person(&self) -> Self {
        Self { is_attended: false, ..self.clone() }
    }

    /// Whether there is a person who can be asked about what `request` opens.
    pub(crate) fn has_person(&self, request: &OpeningRequest) -> bool {
        self.is_attended && self.frontend.has_person() && !request.is_remote()
    }

    /// Whether a debate that is `opened` has a folder: where files are wanted, or others rely on some.
    pub fn has_folder(&self, protocol: &dyn Protocol, opened: &Opened) -> bool {
        let is_shared = opened.options.get("track") == Some(&true.into());
        self.files != FileSet::None || is_shared || protocol.manifest().motion == MotionKind::Document
    }

    /// The same, without the network.
    pub fn with_offline(mut self, offline: bool) -> Self {
        self.offline |= offline;
        self
    }
}

/// Shows how far a download is: what is being done, and bytes done and in all.
pub type ShowProgress = Box<dyn FnMut(&str, u64, u64) + Send>;

/// The front end of this process: notices outside the debate, and whether a person is present.
pub trait Frontend: Send + Sync {
    /// Something to know that ends nothing.
    fn warn(&self, message: &str);

    /// Something that was begun and takes a while.
    fn note(&self, message: &str);

    /// Whether a person can be asked here.
    fn has_person(&self) -> bool {
        false
    }

    /// The person who can be asked here, at `seat` of `debate`; readers call them `title`. `None` where
    /// nobody is there.
    fn find_person(&self, seat: &Seat, title: &str, debate: &DebateId) -> Option<Arc<dyn Participant>> {
        let _ = (seat, title, debate);
        None
    }

    /// A debate is over: what was kept for the person who took part can go.
    fn on_debate_end(&self, debate: &DebateId) {
        let _ = debate;
    }

    /// Shows how far a download is: what is being done, and bytes done and in all.
    fn download_progress(&self) -> ShowProgress {
        Box::new(|_, _, _| {})
    }
}

/// Nobody: nothing is shown, and nobody is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentFrontend;

impl Frontend for SilentFrontend {
    fn warn(&self, _: &str) {}

    fn note(&self, _: &str) {}
}
