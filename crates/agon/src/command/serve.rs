//! `agon serve`: debates in a browser and for programs. Debates that are started there are driven
//! here, by one thread of their own.

use std::{collections::BTreeMap, sync::Arc, thread};

use agon_core::{DebateId, Extension, Limits};
use agon_runtime::{config::Config, journal::Journal};
use agon_server::{Config as ServerConfig, Events, Opener, Opening, Refusal, Server, Token};
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::{JoinSet, LocalSet},
};

use super::{Hand, run as open};
use crate::{
    cli::{BudgetArgs, Output, ProtocolArgs, RoundArgs, RunArgs, SeatArgs, ServeArgs},
    conduct::{self, Seated},
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
        journal: Arc::clone(&journal),
        end,
    });
    let (orders, driving) = employ(foreman);
    let server = ServerConfig {
        journal,
        home: hand.places.home.clone(),
        token: token.clone(),
        hosts: args.hosts.clone(),
        opener: Arc::new(orders),
        models: vec!["local".into(), "outside".into()],
    };
    let server = Server::bind(server, args.listen).await.map_err(|error| {
        Failure::new(exit::IO, "io", format!("{}: {error}", args.listen), "listen elsewhere with --listen")
    })?;
    let address = server.address();
    let url = format!("http://{address}/?token={}", token.text());
    hand.print(&json!({"listening": address.to_string(), "url": url}), || {
        format!("{url}\nWhoever has this link may start debates and answer. Ctrl-C ends the server.")
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

/// Opens debates and drives them.
struct Foreman {
    hand: Hand,
    config: Config,
    /// What no debate may exceed.
    ceiling: Extension,
    offline: bool,
    journal: Arc<Journal>,
    /// True once everything is to end.
    end: watch::Receiver<bool>,
}

/// A debate to be opened, and where the answer goes.
type Order = (Opening, Arc<Events>, oneshot::Sender<std::result::Result<DebateId, Refusal>>);

/// Where debates are ordered.
struct Orders(mpsc::Sender<Order>);

#[async_trait::async_trait]
impl Opener for Orders {
    async fn open(&self, opening: Opening, events: Arc<Events>) -> std::result::Result<DebateId, Refusal> {
        let ending = || Refusal::new(409, "ending", "the server is ending", "start it again");
        let (answer, opened) = oneshot::channel();
        self.0.send((opening, events, answer)).await.map_err(|_| ending())?;
        opened.await.map_err(|_| ending())?
    }
}

/// The thread that drives, as `agon run` does: participants need not move between threads, and no
/// reader of a page waits for them.
fn employ(foreman: Arc<Foreman>) -> (Orders, thread::JoinHandle<()>) {
    let (sender, orders) = mpsc::channel(1);
    let driving = thread::spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            LocalSet::new().block_on(&runtime, attend(foreman, orders));
            runtime.shutdown_background();
        }
    });
    (Orders(sender), driving)
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
        let (checked, begun) = match began {
            Ok(began) => began,
            Err(failure) => return drop(answer.send(Err(refusal(failure)))),
        };
        let id = checked.opened.debate.clone();
        let screen = Box::new(events.driver(&id));
        let _ = answer.send(Ok(id.clone()));
        let debate = Seated {
            journal: &self.journal,
            id: &id,
            protocol: checked.protocol,
            seats: begun.seats,
            directory: &begun.directory,
            home: &self.hand.places.home,
            output: self.hand.output,
            quiet: true,
        };
        let ended = async {
            let _ = end.wait_for(|ended| *ended).await;
        };
        if let Err(failure) = conduct::perform(debate, screen, ended, begun.lock).await {
            events.gave_up(&id, &refusal(failure));
        }
    }

    async fn begin(&self, wanted: Opening) -> Result<(open::Checked, open::Begun)> {
        let args = self.args(wanted);
        let mut checked = open::check(&self.hand, &self.config, &args)?;
        limit(&mut checked.opened.limits, &self.ceiling);
        lineup::check_prices(&checked.opened.lineup, &checked.opened.limits, &self.config)?;
        let begun = open::begin(&self.hand, &self.config, &self.journal, &args, &checked).await?;
        Ok((checked, begun))
    }

    fn args(&self, opening: Opening) -> RunArgs {
        let pairs = |map: BTreeMap<String, String>| {
            map.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        RunArgs {
            protocol: opening.protocol,
            motion: Some(opening.motion),
            own: ProtocolArgs {
                definitions: pairs(opening.definitions),
                scope: opening.scope,
                ..ProtocolArgs::default()
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
        }
    }
}

/// Lowers what a debate may spend to what any may.
fn limit(limits: &mut Limits, ceiling: &Extension) {
    let lower = |own: &mut Option<u64>, most: Option<u64>| {
        *own = match (*own, most) {
            (Some(own), Some(most)) => Some(own.min(most)),
            (own, most) => own.or(most),
        };
    };
    lower(&mut limits.requests_max, ceiling.requests_max);
    lower(&mut limits.tokens_max, ceiling.tokens_max);
    lower(&mut limits.cost_microusd_max, ceiling.cost_microusd_max);
    lower(&mut limits.time_seconds_max, ceiling.time_seconds_max);
}

/// A failure of a command, as the server says it.
fn refusal(failure: Failure) -> Refusal {
    let status = match failure.exit {
        exit::USAGE | exit::UNKNOWN => 422,
        exit::CONFLICT => 409,
        exit::PROVIDER => 424,
        // What stops a debate later is told to those who watch, and has no status of its own.
        _ => 500,
    };
    Refusal::new(status, failure.code, failure.message, failure.remedy)
}
