//! A cluster on this machine, to try it or for one machine alone: a Restate server, a Postgres server and a worker, with
//! their data in one folder.
//!
//! The process that starts them is their keeper: it holds the lock of the folder, waits, and stops them in order.

mod child;
mod plan;
mod postgres;
mod programs;
mod restate;
mod state;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_app::{Failure, Result, exit};
use agon_runtime::journal::{JournalPlace, PasswordSource};

pub use self::state::RunningCluster;
use self::{
    child::{ChildProcess, is_leftover},
    plan::LocalPorts,
    postgres::LocalPostgres,
    programs::restate_server,
    restate::LocalRestate,
    state::FolderLock,
};

/// How long a keeper that was told to end may take for it.
const END_WAIT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);
/// How long a process that took the lock of a folder may take to note it.
const NOTE_WAIT: Duration = Duration::from_secs(2);
/// How long a worker may take to register.
const WORKER_WAIT: Duration = Duration::from_secs(60);

/// What to start, and where.
#[derive(Debug, Clone)]
pub struct LocalClusterConfig {
    /// The folder with all data.
    pub folder: PathBuf,
    /// The program of Restate's server; looked for if none.
    pub restate_server: Option<PathBuf>,
    /// The address of a database to use in place of an own Postgres.
    pub journal: Option<String>,
    /// This program, which is started as a worker.
    pub agon: PathBuf,
}

/// A cluster that this process started.
pub struct LocalCluster {
    running: RunningCluster,
    /// In the order in which they are stopped.
    children: Vec<ChildProcess>,
    // Released last.
    lock: FolderLock,
}

/// What came of starting a cluster.
pub enum LocalStart {
    /// It runs, and ends with this process.
    Started(Box<LocalCluster>),
    /// It ran already.
    Running(RunningCluster),
}

impl LocalCluster {
    /// Starts what does not run yet.
    ///
    /// # Errors
    ///
    /// A program is missing (exit code 3), this user may not run Postgres or the folder's name is too long (2), a port
    /// is taken or the folder cannot be written (7), or what a program said when it ended.
    pub async fn up(config: &LocalClusterConfig) -> Result<LocalStart> {
        let folder = private_folder(&config.folder)?;
        let Some(lock) = FolderLock::take(&folder)? else {
            return wait_for_running(&folder).await.map(LocalStart::Running);
        };
        // Before anything else: until then, others find the keeper before this one.
        lock.note(&folder, &child::own("the keeper"))?;
        // Everything that may be missing is looked for before anything starts.
        let server = restate_server(config.restate_server.as_deref())?;
        let postgres = match &config.journal {
            Some(journal) => {
                let checked = JournalPlace::address(journal, PasswordSource::Environment);
                checked.map_err(|why| Failure::usage(format!("--journal: {why}"), ""))?;
                None
            }
            None => Some(LocalPostgres::find(&folder)?),
        };
        let known = RunningCluster::read(&folder);
        if let Some(known) = &known {
            end_leftovers(known, postgres.as_ref()).await;
        }
        let ports = LocalPorts::choose(known.as_ref().map(|known| &known.ports))?;
        let journal = match (&config.journal, &postgres) {
            (Some(journal), _) => journal.clone(),
            (None, Some(postgres)) => postgres.address(),
            (None, None) => String::new(),
        };
        let running = RunningCluster::new(&folder, ports, journal);
        let mut cluster = Self { running, children: Vec::new(), lock };
        match cluster.start(config, &server, postgres).await {
            Ok(()) => Ok(LocalStart::Started(Box::new(cluster))),
            Err(failure) => {
                cluster.end().await;
                Err(failure)
            }
        }
    }

    async fn start(
        &mut self,
        config: &LocalClusterConfig,
        server: &Path,
        postgres: Option<LocalPostgres>,
    ) -> Result<()> {
        self.running.write()?;
        if let Some(postgres) = postgres {
            let child = postgres.start().await?;
            self.started(child)?;
            postgres.wait(self.children.first_mut()).await?;
        }
        let restate = LocalRestate { folder: self.running.folder.clone(), ports: self.running.ports };
        let child = restate.start(server)?;
        self.started(child)?;
        restate.wait(self.children.first_mut()).await?;
        let child = self.worker(config)?;
        self.started(child)?;
        let Some(worker) = self.children.first_mut() else { return Ok(()) };
        worker.wait_for("{\"worker\"", WORKER_WAIT).await?;
        self.running.is_up = true;
        self.running.write()
    }

    /// Notes a child that was started: the last one is stopped first.
    fn started(&mut self, child: ChildProcess) -> Result<()> {
        self.running.processes.insert(0, child.process());
        self.children.insert(0, child);
        self.running.write()
    }

    fn worker(&self, config: &LocalClusterConfig) -> Result<ChildProcess> {
        let running = &self.running;
        let words =
            ["worker", "--restate", &running.admin(), "--listen", &running.worker(), "--output", "json"]
                .map(str::to_owned);
        let environment = [("AGON_JOURNAL", running.journal.as_str())];
        ChildProcess::start(
            "the worker",
            &config.agon,
            &words,
            &environment,
            &running.folder.join("worker.log"),
            None,
        )
    }

    /// What runs, and how it is reached.
    pub fn running(&self) -> &RunningCluster {
        &self.running
    }

    /// Waits until a part ends by itself.
    pub async fn broken(&mut self) -> Failure {
        loop {
            if let Some(failure) = self.children.iter_mut().find_map(ChildProcess::ended) {
                return failure;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Stops everything in order; debates stay and continue at the next start.
    pub async fn end(mut self) {
        for child in &mut self.children {
            child.stop().await;
        }
        self.running.processes.clear();
        self.running.is_up = false;
        let _ = self.running.write();
        drop(self.lock);
    }
}

/// The cluster in `folder`, if one runs.
///
/// # Errors
///
/// Where the folder cannot be read.
pub fn status(folder: &Path) -> Result<Option<RunningCluster>> {
    if !folder.is_dir() || FolderLock::take(folder)?.is_some() {
        return Ok(None);
    }
    Ok(RunningCluster::read(folder).filter(|running| running.is_up))
}

/// Ends the cluster in `folder`; whether one ran.
///
/// # Errors
///
/// Where it does not end.
pub async fn down(folder: &Path) -> Result<bool> {
    if !folder.is_dir() {
        return Ok(false);
    }
    if let Some(_lock) = FolderLock::take(folder)? {
        // Its keeper may have been killed.
        let Some(known) = RunningCluster::read(folder) else { return Ok(false) };
        return Ok(end_leftovers(&known, LocalPostgres::find(folder).ok().as_ref()).await);
    }
    let keeper = end_keeper(folder).await?;
    let since = tokio::time::Instant::now();
    while FolderLock::take(folder)?.is_none() {
        if since.elapsed() > END_WAIT {
            let what = format!("the cluster in {} did not end in {} s", folder.display(), END_WAIT.as_secs());
            return Err(Failure::new(exit::IO, "io", what, format!("end process {keeper}")));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(true)
}

/// Tells the process that has the lock of `folder` to end; gives its number. A number that was noted and belongs to another
/// program by now is not told anything.
async fn end_keeper(folder: &Path) -> Result<u32> {
    let since = tokio::time::Instant::now();
    loop {
        let keeper = FolderLock::keeper(folder);
        let keeper = keeper.filter(is_leftover).map(|keeper| keeper.id);
        if let Some(id) = keeper.filter(|id| child::terminate(*id)) {
            return Ok(id);
        }
        // Who has just taken the lock notes it soon; who only looked has given it back.
        if since.elapsed() > NOTE_WAIT {
            let what = format!("{}: the process that keeps the cluster is not known", folder.display());
            return Err(Failure::new(exit::IO, "io", what, "end the command agon cluster up of this folder"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Ends what a keeper that was killed left behind; whether there was something.
async fn end_leftovers(known: &RunningCluster, postgres: Option<&LocalPostgres>) -> bool {
    let mut found = false;
    for process in &known.processes {
        if is_leftover(process) {
            tracing::info!(process.id, process.name, "left behind");
            found = true;
            child::end_leftover(process).await;
        }
    }
    if let Some(postgres) = postgres {
        found |= postgres.end_leftover().await;
    }
    found
}

/// What another process has started or is starting.
async fn wait_for_running(folder: &Path) -> Result<RunningCluster> {
    let since = tokio::time::Instant::now();
    loop {
        if let Some(running) = RunningCluster::read(folder).filter(|running| running.is_up) {
            return Ok(running);
        }
        if since.elapsed() > END_WAIT {
            let what = format!("another process holds {}, and no cluster runs there", folder.display());
            return Err(Failure::new(exit::CONFLICT, "held", what, "wait for it, or agon cluster down"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Makes the folder, for this user alone.
fn private_folder(folder: &Path) -> Result<PathBuf> {
    let io = |error: std::io::Error| {
        let remedy = "grant permission, or name another folder";
        Failure::new(exit::IO, "io", format!("{}: {error}", folder.display()), remedy)
    };
    fs::create_dir_all(folder).map_err(io)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(io)?;
    }
    folder.canonicalize().map_err(io)
}

#[cfg(test)]
mod tests {
    use super::{state::ClusterProcess, *};

    #[tokio::test]
    async fn a_process_that_has_the_number_of_a_former_keeper_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let words = ["600".to_owned()];
        let log = folder.path().join("log");
        let mut other =
            ChildProcess::start("a test", Path::new("/bin/sleep"), &words, &[], &log, None).unwrap();
        // Someone has the lock, and what is noted is of a keeper that ended.
        let lock = FolderLock::take(folder.path()).unwrap().unwrap();
        let ports = LocalPorts { ingress: 1, admin: 2, node: 3, worker: 4 };
        let id = other.process().id;
        let mut known = RunningCluster::new(folder.path(), ports, "postgres://a@b/c".into());
        known.keeper = id;
        known.write().unwrap();
        lock.note(folder.path(), &ClusterProcess { name: "x".into(), id, mark: "agon cluster up".into() })
            .unwrap();
        let failure = down(folder.path()).await.unwrap_err();
        assert!(failure.message.contains("is not known"), "{failure:?}");
        assert!(other.ended().is_none());
        // The same process as it is known.
        lock.note(folder.path(), &ClusterProcess { mark: "/bin/sleep 600".into(), ..other.process() })
            .unwrap();
        assert_eq!(end_keeper(folder.path()).await.ok(), Some(id));
        other.stop().await;
    }
}
