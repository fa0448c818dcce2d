//! Evaluations: several arms answer the same items, and each pair of an item and an arm is an ordinary debate in the
//! journal. Its id follows from what is asked and of whom, so that a second run asks nothing and a killed one
//! continues.
//!
//! - `items`: the file of items, checked and sampled; [`arms`]: protocols that answer items; `content_key`: ids
//! - [`run_folder`]: the manifest, the observations and the lock of a run; [`schedule`]: the order, the loop, the budget
//! - [`observation`]: the observation that a record gives; [`plan`], `arm_plan`: calls and cost beforehand; [`report`]: the files

mod arm_plan;
pub mod arms;
mod content_key;
mod items;
pub mod observation;
pub mod plan;
pub mod report;
pub mod run_folder;
pub mod schedule;

use std::path::{Path, PathBuf};

pub use self::content_key::is_of_evaluation;
use self::{
    arms::Arm,
    items::ItemFile,
    run_folder::{RunFolder, RunManifest},
};
use crate::{
    context::Context,
    failure::{Failure, Result},
    opening,
    request::{Budget, SeatRequest},
};

/// Most repetitions of an item and an arm.
const REPEAT_MAX: u32 = 1_000;
/// Where runs go if no folder is named.
const FOLDER: &str = "evaluations";

/// What to evaluate, from the command line.
#[derive(Debug, Clone, Default)]
pub struct EvaluationRequest {
    /// The file of items.
    pub items: PathBuf,
    /// Names or files of protocols.
    pub arms: Vec<String>,
    /// How many items of a seeded sample; all where it is not given.
    pub pilot: Option<u32>,
    /// How often each arm answers each item.
    pub repeat: u32,
    /// How many debates at the same time.
    pub concurrency: u16,
    /// The folder of the run.
    pub out: Option<PathBuf>,
    /// Source of samples, of the order of choices and of the seeds of debates.
    pub seed: u64,
    /// Who answers.
    pub seats: SeatRequest,
    /// How many samples an arm with samples takes.
    pub samples: SampleCount,
    /// What the whole evaluation may spend.
    pub budget: Budget,
    /// Whether the network may not be used to fetch models.
    pub offline: bool,
}

/// How many samples an arm with samples takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SampleCount {
    /// As its declaration says.
    #[default]
    Declared,
    /// So many.
    Fixed(u32),
    /// As many as reach the tokens of the arm that takes most.
    EqualTokens,
}

/// An evaluation that passed every check that needs no call.
pub struct Evaluation {
    /// What was asked for.
    pub request: EvaluationRequest,
    /// Its arms, in their order.
    pub arms: Vec<Arm>,
    /// Its items.
    pub(crate) items: ItemFile,
    /// What to know before it begins.
    pub notes: Vec<String>,
}

impl Evaluation {
    /// Checks items, arms and models. Nothing is written or sent.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with a remedy.
    pub fn check(context: &Context, request: EvaluationRequest) -> Result<Self> {
        if !(1..=REPEAT_MAX).contains(&request.repeat) {
            let message = format!("--repeat {}", request.repeat);
            return Err(Failure::usage(message, format!("choose 1 to {REPEAT_MAX} repetitions")));
        }
        opening::parse_budget(&request.budget)?;
        let items = ItemFile::load_checked(&request.items, request.pilot, request.seed)?;
        let mut notes = items.collect_notes();
        let arms = arms::prepare_arms(context, &request, &items, &mut notes)?;
        Ok(Self { request, arms, items, notes })
    }

    /// How many items are answered, the sample of a pilot counted.
    pub fn item_count(&self) -> u64 {
        self.items.selected
    }

    /// How many debates there are in all.
    pub fn count_debates(&self) -> u64 {
        self.items.selected * self.arms.len() as u64 * u64::from(self.request.repeat)
    }

    /// Where the run is, by `--out` or the name of the items.
    pub fn folder_path(&self) -> PathBuf {
        let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.request.out.clone().unwrap_or_else(|| {
            let name = name(&self.request.items).unwrap_or_else(|| "items".into());
            let name = if self.request.pilot.is_some() { format!("{name}-pilot") } else { name };
            Path::new(FOLDER).join(name)
        })
    }

    /// The folder of the run, made or taken up again, and locked.
    ///
    /// # Errors
    ///
    /// Where it holds a run of other items, models or arms, or another process writes there.
    pub fn open_folder(&self) -> Result<RunFolder> {
        RunFolder::open(&self.folder_path(), RunManifest::from_evaluation(self), &self.items)
    }
}
