//! The seat `verifier` of a debate whose sources are opened: fetches what was cited, looks through it,
//! and answers with what it found. A replay reads that answer, never the network.

use std::{collections::BTreeMap, env, sync::Arc, time::Duration};

use agon_core::{DebateId, View};
use agon_protocols::common::claim_reading;
use agon_runtime::{
    config::{Paths, SourcesConfig},
    journal::Journal,
    participant::{Answer, Call, CallFailure, Deltas, Participant, Probe},
};
use agon_sources::{
    check::{
        citations::SOURCES_MAX,
        entailment, metadata,
        ruling::{SourceReport, SourceStanding, judge_challenge},
    },
    fetch::{Fetched, Fetcher, PdfReader, Policy, store::Store},
};
use serde_json::{Map, Value, json};

use crate::{
    context::Context,
    failure::{Failure, Result, exit},
};

/// Longest claim that a model is shown, in characters.
const CLAIM_CHARS_MAX: usize = 1_000;

/// Name of the seat.
pub const VERIFIER: &str = "verifier";
/// Who sits there where pages are opened.
pub const FETCHED: &str = "fetched";

/// What is fetched, by the configuration and by hosts that the command line allows.
pub fn fetcher(places: &Paths, config: &SourcesConfig, allow_hosts: &[String]) -> Fetcher {
    let standard = Policy::default();
    let archive = config.archive_url.clone().or(standard.archive.clone());
    let policy = Policy {
        allow: config.allow.clone(),
        deny: config.deny.clone(),
        allow_private: config.allow_private.iter().chain(allow_hosts).cloned().collect(),
        archive: archive.filter(|_| config.archive != Some(false)),
        wait: config.timeout_seconds.map_or(standard.wait, Duration::from_secs_f64),
        bytes_max: config.max_bytes.unwrap_or(standard.bytes_max),
        ..standard
    };
    let program = env::current_exe().ok();
    let pdf = program.map(|program| PdfReader { program, arguments: vec!["extract-pdf".into()] });
    Fetcher::new(policy, Some(Store::new(places.home.join("sources"))), pdf)
}

/// A participant that opens cited pages and checks what they say.
pub struct Verifier {
    journal: Arc<Journal>,
    debate: DebateId,
    fetcher: Fetcher,
}

impl Verifier {
    /// For one debate.
    pub fn new(context: &Context, debate: &DebateId) -> Result<Self> {
        if context.offline {
            return Err(Failure::new(
                exit::USAGE,
                "usage",
                "this debate opens cited pages, but --offline forbids it",
                "omit --offline",
            ));
        }
        let fetcher = fetcher(&context.places, &context.config.sources, &[]);
        Ok(Self { journal: Arc::clone(&context.journal), debate: debate.clone(), fetcher })
    }

    /// What is to be looked at: the entries of a request as its protocol shows them; and whether a model
    /// reads in addition.
    fn entries(&self, call: &Call) -> std::result::Result<(Vec<StatementSources>, bool), String> {
        let record = self.journal.read(&self.debate).map_err(|error| error.to_string())?;
        let protocol = agon_protocols::of(&record).map_err(|error| error.to_string())?;
        let (_, request) = record.asked(&call.key).ok_or("it was not asked")?;
        let facts = protocol.facts(&View::new(&record, request), request);
        let entries = facts.get("entries").and_then(Value::as_array).ok_or("nothing to verify")?;
        Ok((entries.iter().map(StatementSources::of).collect(), claim_reading::is_wanted(record.opened())))
    }
}

/// One statement and its sources.
struct StatementSources {
    /// As the answer refers to it: `seq` or `at`.
    place: Map<String, Value>,
    content: String,
    /// What it challenges, whose words it names without claiming them; empty where it challenges nothing.
    challenged: String,
    sources: Vec<PendingSource>,
}

struct PendingSource {
    url: String,
    title: String,
}

impl StatementSources {
    fn of(value: &Value) -> Self {
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let places = ["seq", "at"].into_iter().filter(|name| !value[*name].is_null());
        let sources = value["sources"].as_array().into_iter().flatten();
        let sources =
            sources.map(|source| PendingSource { url: text(source, "url"), title: text(source, "title") });
        Self {
            place: places.map(|name| (name.to_owned(), value[name].clone())).collect(),
            content: text(value, "content"),
            challenged: text(value, "challenged"),
            sources: sources.collect(),
        }
    }

    fn urls(&self) -> Vec<String> {
        self.sources.iter().take(SOURCES_MAX).map(|source| source.url.clone()).collect()
    }
}

#[async_trait::async_trait]
impl Participant for Verifier {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let unavailable = |message: String| CallFailure::Unavailable { message, remedy: String::new() };
        let (entries, is_read) = self.entries(call).map_err(unavailable)?;
        let urls: Vec<String> = entries.iter().flat_map(StatementSources::urls).collect();
        let fetched = self.fetcher.fetch_all(&urls).await;
        // Looking through pages takes the processor for a while; the debate continues meanwhile.
        let findings = tokio::task::spawn_blocking(move || found(&entries, &fetched, is_read)).await;
        let findings = findings.map_err(|_| unavailable("the pages could not be searched".into()))?;
        let text = json!({"findings": findings, "unlabelled": []}).to_string();
        Ok(Answer { text, usage: None, model: None, engine: None })
    }

    async fn probe(&self) -> std::result::Result<Probe, CallFailure> {
        Ok(Probe::Ready)
    }

    fn is_program(&self) -> bool {
        true
    }
}

/// The results for the sources of all entries. Where a model is to read, with the sentences around the claim
/// of what may still be so: what is wrong stays wrong, whatever a model reads.
fn found(entries: &[StatementSources], fetched: &[Fetched], is_read: bool) -> Vec<Value> {
    let by_url: BTreeMap<&str, &Fetched> = fetched.iter().map(|page| (page.url.as_str(), page)).collect();
    let mut findings = Vec::new();
    for entry in entries {
        let pages: Vec<Fetched> =
            entry.urls().iter().filter_map(|url| by_url.get(url.as_str()).copied().cloned()).collect();
        let reports = judge_challenge(&entry.content, &entry.challenged, &pages);
        for (report, source) in reports.into_iter().zip(&entry.sources) {
            let is_open = matches!(report.standing, SourceStanding::Verified | SourceStanding::Unverified);
            let page = by_url.get(report.url.as_str()).and_then(|fetched| fetched.page.as_deref());
            let around = page.filter(|_| is_read && is_open).map(|page| {
                let claim = agon_sources::check::one_line(&entry.content, CLAIM_CHARS_MAX);
                (entailment::around(&claim, page), claim)
            });
            let mut finding = finding(entry, report, source);
            if let Some((around, claim)) = around {
                finding["around"] = json!(around);
                finding["claim"] = claim.into();
            }
            findings.push(finding);
        }
    }
    findings
}

/// One finding of the answer: what counts, and what it rests on.
fn finding(entry: &StatementSources, report: SourceReport, source: &PendingSource) -> Value {
    let mut why = report.why.clone();
    if let Some(note) = metadata::other_title(&source.title, &report.title) {
        why = if why.is_empty() { note } else { format!("{why}; {note}") };
    }
    let mut finding = entry.place.clone();
    finding.extend([
        ("url".to_owned(), json!(report.url)),
        ("status".to_owned(), json!(report.standing.name())),
        ("explanation".to_owned(), json!(agon_sources::check::one_line(&why, 300))),
        ("code".to_owned(), json!(report.code)),
        ("sentence".to_owned(), json!(report.sentence)),
        ("page".to_owned(), json!({
            "liveness": report.liveness, "final_url": report.final_url, "http_status": report.http_status,
            "fetched_at": report.fetched_at, "sha256": report.sha256, "title": report.title, "date": report.date,
        })),
        ("quotes".to_owned(), json!(report.quotes)),
        ("figures".to_owned(), json!(report.figures)),
    ]);
    Value::Object(finding)
}
