//! A debate whose every seat is a model of its own behind one loopback server: what was said in a
//! debate that was played in memory is served, seat by seat, and driven as it ships.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use agon_core::{
    Digest, Event, Extension, FailureKind, Opened, Outcome, Protocol, Record, Reply, RulingKind, Seat, Standing, Step,
    compute_next_step,
};
use agon_journal::Journal;
use agon_mock::{MockConfig, MockFault, MockServer, Say};
use agon_runtime::{
    drive::{Drive, DriveError, SeatHandle, Seats, SilentWatch},
    participant::{
        provider::{Provider, ProviderKind, ProviderSpec, Timeouts},
        scripted::Scripted,
    },
    prompts::Renderer,
    retry::RetryPolicy,
};
use tokio::runtime::Runtime;

/// A seat that is a part of the program.
const WITNESS: &str = "witness";
/// Retries without the pauses that a real provider is given.
const RETRY: RetryPolicy =
    RetryPolicy { attempts_max: 5, base: Duration::from_millis(1), cap: Duration::from_millis(2) };

/// What a debate is made of.
pub struct Play {
    protocol: &'static dyn Protocol,
    opened: Opened,
    texts: BTreeMap<Digest, String>,
    config: MockConfig,
    sight: String,
}

impl Play {
    /// The debate that `opened` describes, with these texts of its documents. Whoever is given no
    /// part says what fits the schema.
    pub fn new(mut opened: Opened, texts: BTreeMap<Digest, String>) -> Self {
        let protocol = agon_protocols::find_protocol(&opened.protocol).unwrap();
        opened.rules = protocol.manifest().rules;
        let (prompts, mut texts) = (protocol.prompt_templates(), texts);
        opened.prompts = prompts.iter().map(|(name, text)| ((*name).to_owned(), Digest::from_content(text))).collect();
        texts.extend(prompts.iter().map(|(_, text)| (Digest::from_content(text), (*text).to_owned())));
        let config = MockConfig { models: Vec::new(), ..MockConfig::default() };
        let sight = r#"{"source": "unchanged", "artifact": "unchanged"}"#.to_owned();
        Self { protocol, opened, texts, config, sight }
    }

    /// The debate of `record`, whose seats say again what they said there, in the order in which it
    /// was asked for, and refuse where they failed.
    pub fn from_record(record: &Record) -> Self {
        let texts = record.opened().documents.iter();
        let texts = texts.filter_map(|(name, digest)| Some((digest.clone(), record.document(name)?.to_owned())));
        let mut opened = record.opened().clone();
        opened.documents.retain(|name, _| record.document(name).is_some());
        let mut play = Self::new(opened, texts.collect());
        for entry in record.entries() {
            let Event::Asked(request) = &entry.what else { continue };
            let Some((_, answer)) = record.find_answer(&request.key) else { continue };
            let says = match &answer.reply {
                Reply::Said { text } => vec![Say::Text(text.clone())],
                // What is no statement is asked for once more.
                Reply::Failed(failed) if failed.kind != FailureKind::Exhausted => {
                    vec![Say::Fails(MockFault::Refusal); 2]
                }
                Reply::Failed(_) | Reply::Elapsed => continue,
            };
            play = play.says(request.seat.as_str(), says);
        }
        play
    }

    /// More of what `seat` says, in order.
    pub fn says(mut self, seat: &str, says: impl IntoIterator<Item = Say>) -> Self {
        self.config.parts.entry(seat.to_owned()).or_default().extend(says);
        self
    }

    /// `seat` says what it has left to say, and then fails for ever.
    pub fn fails(mut self, seat: &str, fault: MockFault) -> Self {
        self.config.failing.insert(seat.to_owned(), fault);
        self
    }

    /// `seat` says nothing of its part but the first `count`.
    pub fn only(mut self, seat: &str, count: usize) -> Self {
        self.config.parts.entry(seat.to_owned()).or_default().truncate(count);
        self
    }

    /// The request number `number` fails.
    pub fn fault(mut self, number: usize, fault: MockFault) -> Self {
        self.config = self.config.with_fault_at(number, fault);
        self
    }

    /// What the part of the program sees that looks at files.
    pub fn sight(mut self, source: &str, artifact: &str) -> Self {
        self.sight = serde_json::json!({"source": source, "artifact": artifact}).to_string();
        self
    }

    /// An option of the protocol.
    pub fn option(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.opened.options.insert(name.to_owned(), value.into());
        self
    }

    /// Plays it to its end, or until it stops.
    pub fn run(self) -> Stage {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let Self { protocol, opened, texts, config, sight } = self;
        let server = runtime.block_on(MockServer::start(config)).unwrap();
        let home = tempfile::tempdir().unwrap();
        let journal = {
            let _inside = runtime.enter();
            Journal::open(home.path()).unwrap()
        };
        let renderer = Renderer::new(&templates(protocol)).unwrap();
        let seats = seats(&opened, &server, &sight);
        let first = Event::Opened(opened);
        let record = runtime.block_on(journal.create_debate(first, texts.into_iter().collect(), None)).unwrap();
        let stopped = None;
        let mut stage = Stage { record, server, stopped, protocol, journal, renderer, seats, runtime, _home: home };
        stage.go_on();
        stage
    }
}

fn templates(protocol: &dyn Protocol) -> BTreeMap<String, String> {
    protocol.prompt_templates().iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Every seat is a model of its own name.
fn seats(opened: &Opened, server: &MockServer, sight: &str) -> Seats {
    let limit = Duration::from_secs(20);
    let spec = ProviderSpec {
        base_url: Some(server.url("/v1")),
        timeouts: Timeouts { connect: limit, silence: limit, total: limit },
        ..ProviderSpec::new(ProviderKind::OpenAi, "nobody")
    };
    let provider = Provider::new(spec).unwrap();
    let mut seats = Seats::new();
    for sat in &opened.lineup {
        let participant = Arc::new(provider.with_model(sat.seat.as_str(), None));
        seats.insert(sat.seat.clone(), SeatHandle::new(&sat.model, participant));
    }
    let looks = format!(r#"{{"rules": [{{"key": "*", "reply": {sight}}}]}}"#);
    let participant = Arc::new(Scripted::parse(&looks, WITNESS).unwrap());
    seats.insert(Seat::new(WITNESS).unwrap(), SeatHandle::new(WITNESS, participant));
    seats
}

/// A debate that was played.
pub struct Stage {
    pub record: Record,
    pub server: MockServer,
    /// Why it stopped, where it did not end.
    pub stopped: Option<DriveError>,
    protocol: &'static dyn Protocol,
    journal: Journal,
    renderer: Renderer,
    seats: Seats,
    runtime: Runtime,
    _home: tempfile::TempDir,
}

impl Stage {
    /// Drives it on, from the journal.
    fn go_on(&mut self) {
        let debate = self.record.opened().debate.clone();
        let drive = Drive {
            lookups: None,
            journal: &self.journal,
            debate: &debate,
            protocol: self.protocol,
            renderer: &self.renderer,
            seats: &self.seats,
            watch: &SilentWatch,
            retry: RETRY,
            fence: None,
            patience: None,
        };
        self.stopped = self.runtime.block_on(drive.run(std::future::pending())).err();
        self.record = self.journal.read_record(&debate).unwrap();
        if self.stopped.is_none() {
            let step = compute_next_step(self.protocol, &self.record).unwrap();
            assert_eq!(step, Step::Close(self.outcome().clone()), "the record is one of these rules");
        }
    }

    /// Allows so many rounds more, and goes on.
    pub fn extend(&mut self, rounds: u32) {
        let limits = Extension { rounds, ..Extension::default() };
        self.runtime.block_on(self.journal.extend_limits(self.record.clone(), limits)).unwrap();
        self.go_on();
    }

    pub fn outcome(&self) -> &Outcome {
        let why = self.stopped.as_ref().map(ToString::to_string).unwrap_or_default();
        self.record.closing_outcome().unwrap_or_else(|| panic!("it did not end: {why}"))
    }

    /// Its name, and whether it stands.
    pub fn end(&self) -> (&str, bool) {
        (&self.outcome().name, self.outcome().standing == Standing::Valid)
    }

    pub fn rulings(&self, kind: RulingKind) -> Vec<&str> {
        let rulings = self.record.rulings().filter(|(.., ruling)| ruling.kind == kind);
        rulings.map(|(.., ruling)| ruling.text.as_str()).collect()
    }

    /// A file that it leaves, by its path, or by its folder where that ends with `/`.
    pub fn file(&self, path: &str) -> String {
        let files = agon_report::render_debate_files(&self.record, None);
        let is = |found: &str| if path.ends_with('/') { found.starts_with(path) } else { found == path };
        let found = files.iter().find(|file| is(&file.path));
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        found.unwrap_or_else(|| panic!("no {path} among {paths:?}")).content.clone()
    }

    pub fn has_file(&self, path: &str) -> bool {
        agon_report::render_debate_files(&self.record, None).iter().any(|file| file.path == path)
    }

    /// What was said under each key is what was said in `record`.
    pub fn says_what(&self, record: &Record) {
        assert_eq!(said(&self.record), said(record));
    }
}

fn said(record: &Record) -> BTreeMap<String, &str> {
    let said = record.answers().filter_map(|(_, answer)| Some((answer.key.to_string(), answer.reply.text()?)));
    said.collect()
}

/// Texts for a seat, in order.
pub fn texts(texts: &[impl ToString]) -> Vec<Say> {
    texts.iter().map(|text| Say::Text(text.to_string())).collect()
}
