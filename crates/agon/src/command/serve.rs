//! `agon serve`: debates in a browser and for programs. Debates that are started there are driven
//! here, by one thread of their own.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    thread,
};

use agon_core::{DebateId, Extension, Limits, Manifest, Protocol};
use agon_runtime::{
    config::Config,
    desk::Desk,
    drive::{DriveError, DriveLock, Watch},
    journal::Journal,
};
use agon_server::{Config as ServerConfig, Events, GoOn, Opener, Opening, Planned, Refusal, Server, Token};
use clap::ValueEnum;
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::{JoinSet, LocalSet},
};

use super::{
    Hand, companion, extend,
    plan::Plan,
    resume::{self, Going, Wish},
    run as open,
};
use crate::{
    cli::{BudgetArgs, JudgingArgs, Output, ProtocolArgs, RoundArgs, RunArgs, SeatArgs, ServeArgs},
    conduct::{self, Seated},
    declared,
    failure::{Failure, Result, exit},
    lineup, opening, ui,
};

pub async fn run(hand: &Hand, args: ServeArgs) -> Result<u8> {
    let config = hand.config()?;
    let ceiling = opening::budget(&args.budget)?;
    let journal = Arc::new(hand.journal()?);
    let io = |error: std::io::Error, remedy: &str| Failure::new(exit::IO, "io", error.to_string(), remedy);
    let token = Token::of(&hand.places.home)
        .map_err(|error| io(error, "give permission to write below AGON_HOME, or name another"))?;
    let (ended, end) = watch::channel(false);
    let foreman = Arc::new(Foreman {
        hand: Hand { output: Output::Json, quiet: true, places: hand.places.clone() },
        config,
        ceiling,
        offline: args.offline,
        allow_model_files: args.allow_model_files,
        journal: Arc::clone(&journal),
        end,
    });
    let (orders, driving) = employ(foreman);
    let server = ServerConfig {
        journal,
        home: hand.places.home.clone(),
        token: token.clone(),
        read_without_token: args.read_without_token,
        hosts: args.hosts.clone(),
        opener: Arc::new(orders),
        models: vec!["local".into(), "outside".into()],
    };
    let server = Server::bind(server, args.listen).await.map_err(|error| {
        Failure::new(exit::IO, "io", format!("{}: {error}", args.listen), "listen elsewhere with --listen")
    })?;
    let address = server.address();
    let link = link(address, &args.hosts);
    let url = format!("http://{link}/?token={}", token.text());
    hand.print(&json!({"listening": address.to_string(), "url": url}), || {
        format!("{url}\nWhoever has this link may read, start debates and answer. Ctrl-C ends the server.")
    });
    server
        .serve(async {
            // Without a handler for it the system ends the process, which is as resumable.
            let _ = tokio::signal::ctrl_c().await;
        })
        .await;
    // Drivers stop where they are; what is on the record can be resumed.
    let _ = ended.send(true);
    let _ = tokio::task::spawn_blocking(move || driving.join()).await;
    if hand.output == Output::Text && !hand.quiet {
        ui::err("ended; debates that were under way go on with agon resume");
    }
    Ok(exit::OK)
}

/// What others call the server: the first name that was allowed, else where it is reached.
fn link(address: SocketAddr, hosts: &[String]) -> String {
    let port = address.port();
    if let Some(host) = hosts.first() {
        return if host.contains(':') { host.clone() } else { format!("{host}:{port}") };
    }
    let reached = if address.ip().is_unspecified() {
        let own = IpAddr::V4(Ipv4Addr::LOCALHOST);
        agon_server::outward(address).unwrap_or(own)
    } else {
        address.ip()
    };
    SocketAddr::new(reached, port).to_string()
}

/// Opens debates and drives them.
struct Foreman {
    hand: Hand,
    config: Config,
    /// What no debate may exceed.
    ceiling: Extension,
    offline: bool,
    /// Whether a model may be a file of this machine.
    allow_model_files: bool,
    journal: Arc<Journal>,
    /// True once everything is to end.
    end: watch::Receiver<bool>,
}

/// What is wanted of a debate.
enum Wanted {
    Open(Box<Opening>),
    GoOn(GoOn),
}

/// A debate that this server is to drive.
struct Begun {
    protocol: &'static dyn Protocol,
    begun: open::Begun,
}

/// A debate that is wanted, and where the answer goes.
type Order = (Wanted, Arc<Events>, oneshot::Sender<std::result::Result<DebateId, Refusal>>);

/// Where debates are ordered, and who plans them.
struct Orders {
    to: mpsc::Sender<Order>,
    foreman: Arc<Foreman>,
}

#[async_trait::async_trait]
impl Opener for Orders {
    fn declared(&self) -> Vec<Manifest> {
        declared::manifests(&self.foreman.hand.places)
    }

    async fn open(&self, opening: Opening, events: Arc<Events>) -> std::result::Result<DebateId, Refusal> {
        self.order(Wanted::Open(Box::new(opening)), events).await
    }

    async fn plan(&self, opening: Opening) -> std::result::Result<Planned, Refusal> {
        let foreman = Arc::clone(&self.foreman);
        // A whole debate is rehearsed for it.
        let planned = tokio::task::spawn_blocking(move || foreman.plan(opening)).await;
        planned.map_err(|_| ending())?.map_err(refusal)
    }

    async fn go_on(&self, wanted: GoOn, events: Arc<Events>) -> std::result::Result<(), Refusal> {
        self.order(Wanted::GoOn(wanted), events).await.map(drop)
    }
}

impl Orders {
    async fn order(&self, wanted: Wanted, events: Arc<Events>) -> std::result::Result<DebateId, Refusal> {
        let (answer, opened) = oneshot::channel();
        self.to.send((wanted, events, answer)).await.map_err(|_| ending())?;
        opened.await.map_err(|_| ending())?
    }
}

fn ending() -> Refusal {
    Refusal::new(409, "ending", "the server is ending", "start it again")
}

/// The thread that drives, as `agon run` does: participants need not move between threads, and no
/// reader of a page waits for them.
fn employ(foreman: Arc<Foreman>) -> (Orders, thread::JoinHandle<()>) {
    let (sender, orders) = mpsc::channel(1);
    let planner = Arc::clone(&foreman);
    let driving = thread::spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            LocalSet::new().block_on(&runtime, attend(foreman, orders));
            runtime.shutdown_background();
        }
    });
    (Orders { to: sender, foreman: planner }, driving)
}

/// Takes orders until the server ends, then waits until every driver has stopped.
async fn attend(foreman: Arc<Foreman>, mut orders: mpsc::Receiver<Order>) {
    let mut end = foreman.end.clone();
    let mut debates = JoinSet::new();
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(order) => drop(debates.spawn_local(Arc::clone(&foreman).hold(order))),
                None => break,
            },
            // What ended is forgotten.
            Some(_) = debates.join_next() => {}
            _ = end.wait_for(|ended| *ended) => break,
        }
    }
    drop(orders);
    while debates.join_next().await.is_some() {}
}

impl Foreman {
    /// Opens a debate, answers, and drives it to its end.
    async fn hold(self: Arc<Self>, (wanted, events, answer): Order) {
        let mut end = self.end.clone();
        let began = tokio::select! {
            began = self.begin(wanted) => began,
            _ = end.wait_for(|ended| *ended) => return,
        };
        let (id, begun) = match began {
            Ok((id, Some(begun))) => (id, begun),
            Ok((id, None)) => return drop(answer.send(Ok(id))),
            Err(failure) => return drop(answer.send(Err(refusal(failure)))),
        };
        let screen = Box::new(events.driver(&id));
        let _ = answer.send(Ok(id.clone()));
        if !self.drive(&id, begun, screen, &events).await {
            return;
        }
        // The debates that are held beside it begin when it has ended.
        loop {
            let next = async {
                let record = self.journal.read(&id)?;
                companion::next(&self.hand, &self.config, &self.journal, &record, self.offline).await
            };
            let (companion, begun) = match next.await {
                Ok(Some((_, companion, companion::Begun { protocol, seats, directory }, lock))) => {
                    (companion, Begun { protocol, begun: open::Begun { seats, lock, directory } })
                }
                Ok(None) => return,
                Err(failure) => return events.gave_up(&id, &refusal(failure)),
            };
            let screen = Box::new(events.driver(&companion));
            if !self.drive(&companion, begun, screen, &events).await {
                return;
            }
        }
    }

    /// Drives a debate that has begun, as long as the server runs; whether it came to its end.
    async fn drive(&self, id: &DebateId, begun: Begun, screen: Box<dyn Watch>, events: &Events) -> bool {
        let Begun { protocol, begun } = begun;
        let mut end = self.end.clone();
        let debate = Seated {
            journal: &self.journal,
            id,
            protocol,
            seats: begun.seats,
            directory: &begun.directory,
            home: &self.hand.places.home,
            output: self.hand.output,
            quiet: true,
        };
        let ended = async {
            let _ = end.wait_for(|ended| *ended).await;
        };
        let driven = conduct::perform(debate, screen, ended, begun.lock).await;
        driven.map_err(|failure| events.gave_up(id, &refusal(failure))).is_ok()
    }

    /// The debate, seated where this server is to drive it.
    async fn begin(&self, wanted: Wanted) -> Result<(DebateId, Option<Begun>)> {
        match wanted {
            Wanted::Open(opening) => self.open(*opening).await,
            Wanted::GoOn(wanted) => self.go_on(wanted).await,
        }
    }

    async fn go_on(&self, wanted: GoOn) -> Result<(DebateId, Option<Begun>)> {
        let GoOn { debate: id, extends, name, rounds, max_requests, max_tokens, max_cost, max_time } = wanted;
        let (record, protocol) = resume::known(&self.journal, &id)?;
        let wish = if extends {
            let budget = BudgetArgs { max_requests, max_tokens, max_cost, max_time };
            let mut more = Extension { rounds, ..opening::budget(&budget)? };
            extend::check(&record, protocol, &more)?;
            lower_extension(&mut more, &self.ceiling);
            Wish::Extend(more)
        } else {
            if let Some(outcome) = record.closed() {
                let message = format!("the debate is closed: {}", outcome.name);
                return Err(Failure::new(exit::CONFLICT, "closed", message, "allow it more"));
            }
            Wish::Resume(name)
        };
        let home = &self.hand.places.home;
        let desk = Desk { journal: &self.journal, home, debate: &id, protocol };
        let lock = match DriveLock::take(home, &id) {
            // Its driver reads what is put on the record.
            Err(DriveError::Held { held }) => {
                let recorded = wish.record(&desk).await?;
                return recorded.map(|_| (id.clone(), None)).ok_or(DriveError::Held { held }.into());
            }
            lock => lock?,
        };
        let directory = resume::directory(&self.journal, &record).await?;
        let going =
            Going { hand: &self.hand, config: &self.config, desk: &desk, record: &record, wish: &wish };
        let seats = going.seat(&directory, &SeatArgs::default(), self.offline).await?;
        wish.record(&desk).await?;
        Ok((id, Some(Begun { protocol, begun: open::Begun { seats, lock, directory } })))
    }

    async fn open(&self, wanted: Opening) -> Result<(DebateId, Option<Begun>)> {
        let args = self.args(wanted)?;
        let checked = self.check(&args)?;
        let begun = open::begin(&self.hand, &self.config, &self.journal, &args, &checked).await?;
        Ok((checked.opened.debate, Some(Begun { protocol: checked.protocol, begun })))
    }

    /// Checks everything as `agon run` does, within what any debate of this server may spend.
    fn check(&self, args: &RunArgs) -> Result<open::Checked> {
        let mut checked = open::check(&self.hand, &self.config, args)?;
        limit(&mut checked.opened.limits, &self.ceiling);
        lineup::check_prices(&checked.opened.lineup, &checked.opened.limits, &self.config)?;
        Ok(checked)
    }

    fn plan(&self, wanted: Opening) -> Result<Planned> {
        let checked = self.check(&self.args(wanted)?)?;
        let Plan { json, text, .. } = checked.plan(&self.config)?;
        let text = checked.notes.into_iter().chain([text]).collect::<Vec<_>>().join("\n");
        Ok(Planned { plan: json, text })
    }

    fn args(&self, mut opening: Opening) -> Result<RunArgs> {
        // There is no terminal here: a person answers on the page.
        let at_page = |model: &mut String| {
            if model == "human" {
                *model = "outside".into();
            }
        };
        opening.seats.values_mut().chain(&mut opening.model).chain(&mut opening.extract).for_each(at_page);
        if !self.allow_model_files {
            let judges = opening.judges.iter().flat_map(|judges| judges.split(','));
            let others = opening.seats.values().chain(&opening.model).chain(&opening.extract);
            others.map(String::as_str).chain(judges).try_for_each(not_a_file)?;
        }
        let pairs = |map: BTreeMap<String, String>| {
            map.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        Ok(RunArgs {
            protocol: opening.protocol,
            motion: Some(opening.motion),
            own: ProtocolArgs {
                definitions: pairs(opening.definitions),
                scope: opening.scope,
                verify: choice("--verify", opening.verify)?,
                ..ProtocolArgs::default()
            },
            judging: JudgingArgs {
                judges: opening.judges,
                orders: choice("--orders", opening.orders)?,
                self_judging: opening.self_judging,
                stop: choice("--stop", opening.stop)?,
                mirror: opening.mirror,
                baseline: opening.baseline,
                extract: opening.extract,
            },
            seats: SeatArgs { seats: pairs(opening.seats), model: opening.model },
            rounds: RoundArgs { rounds: opening.rounds, ..RoundArgs::default() },
            budget: BudgetArgs {
                max_requests: opening.max_requests,
                max_tokens: opening.max_tokens,
                max_cost: opening.max_cost,
                max_time: opening.max_time,
            },
            seed: opening.seed,
            id: opening.id,
            yes: true,
            from_elsewhere: true,
            offline: self.offline,
            ..RunArgs::default()
        })
    }
}

/// Refuses a model that is a file of this machine: whoever has the token is not thereby one of its users, and
/// a script's words would be read back from the record.
fn not_a_file(model: &str) -> Result<()> {
    let model = model.trim();
    let is_file = model.starts_with("scripted:")
        || model
            .strip_prefix("local:")
            .is_some_and(|name| name.contains(['/', '\\']) || name.to_lowercase().ends_with(".gguf"));
    if !is_file {
        return Ok(());
    }
    Err(Failure::usage(
        "a model that is a file of the server's machine is not taken here",
        "name a model of the configuration or a provider, or start the server with --allow-model-files",
    ))
}

/// One of the words that a flag of the command line takes.
fn choice<T: ValueEnum>(flag: &str, word: Option<String>) -> Result<Option<T>> {
    let read = |word: String| {
        T::from_str(&word, false).map_err(|_| {
            let words = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let words: Vec<String> = words.map(|word| word.get_name().to_owned()).collect();
            Failure::usage(format!("{flag} {word:?} is none of its words"), words.join(" or "))
        })
    };
    word.map(read).transpose()
}

/// Lowers what a debate may spend to what any may.
fn limit(limits: &mut Limits, ceiling: &Extension) {
    lower(&mut limits.requests_max, ceiling.requests_max);
    lower(&mut limits.tokens_max, ceiling.tokens_max);
    lower(&mut limits.cost_microusd_max, ceiling.cost_microusd_max);
    lower(&mut limits.time_seconds_max, ceiling.time_seconds_max);
}

/// The same for what a debate is allowed later; what nobody mentions stays as it is.
fn lower_extension(more: &mut Extension, ceiling: &Extension) {
    let lower_given = |own: &mut Option<u64>, most| {
        if own.is_some() {
            lower(own, most)
        }
    };
    lower_given(&mut more.requests_max, ceiling.requests_max);
    lower_given(&mut more.tokens_max, ceiling.tokens_max);
    lower_given(&mut more.cost_microusd_max, ceiling.cost_microusd_max);
    lower_given(&mut more.time_seconds_max, ceiling.time_seconds_max);
}

fn lower(own: &mut Option<u64>, most: Option<u64>) {
    *own = match (*own, most) {
        (Some(own), Some(most)) => Some(own.min(most)),
        (own, most) => own.or(most),
    };
}

/// A failure of a command, as the server says it.
fn refusal(failure: Failure) -> Refusal {
    let status = match failure.exit {
        _ if failure.code == "closed" => 410,
        exit::USAGE | exit::UNKNOWN => 422,
        exit::CONFLICT => 409,
        exit::PROVIDER => 424,
        // What stops a debate later is told to those who watch, and has no status of its own.
        _ => 500,
    };
    Refusal::new(status, failure.code, failure.message, failure.remedy)
}
