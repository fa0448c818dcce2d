//! The seat `verifier` of a debate whose sources are opened: fetches what was cited, looks through it,
//! and answers with what it found. A replay reads that answer, never the network.

use std::{collections::BTreeMap, env, sync::Arc, time::Duration};

use agon_core::{DebateId, LookupRequest, Record, View};
use agon_journal::Journal;
use agon_material::manifest::MaterialManifest;
use agon_protocols::common::claim_reading;
use agon_runtime::{
    config::{Paths, SourcesConfig},
    participant::{Answer, Call, CallFailure, Deltas, Participant},
    prompts::material::MATERIAL,
};
use agon_sources::{
    check::{
        citations::SOURCES_MAX,
        one_line,
        ruling::{SourceReport, SourceStanding, compare_citation, compare_passage},
    },
    fetch::{Fetched, Fetcher, PdfReader, Policy, store::Store},
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    context::Context,
    failure::{Failure, Result},
};

/// Longest claim that a model is shown, in characters.
const CLAIM_CHARS_MAX: usize = 2_000;

/// Name of the seat.
pub const VERIFIER: &str = "verifier";
/// Who sits there where pages are opened.
pub const FETCHED: &str = "fetched";

/// What is fetched, by the configuration and by hosts that the command line allows.
pub fn build_fetcher(places: &Paths, config: &SourcesConfig, allow_hosts: &[String]) -> Fetcher {
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

/// The pages that seats of a debate have opened so far: what is quoted from them is compared with what these seats saw.
fn list_opened_pages(record: &Record) -> Vec<String> {
    let made = record.answers().flat_map(|(_, answered)| &answered.lookups);
    let opened = made.filter_map(|lookup| match &lookup.asked {
        LookupRequest::Open { address, .. } if !lookup.failed => Some(address.clone()),
        _ => None,
    });
    opened.collect()
}

/// A participant that opens cited pages and compares them with what is quoted.
pub struct Verifier {
    journal: Arc<Journal>,
    debate: DebateId,
    fetcher: Fetcher,
}

impl Verifier {
    /// For one debate.
    pub fn new(context: &Context, debate: &DebateId) -> Result<Self> {
        if context.offline {
            return Err(Failure::usage("this debate opens cited pages, but --offline forbids it", "omit --offline"));
        }
        let fetcher = build_fetcher(&context.places, &context.config.sources, &[]);
        Ok(Self { journal: Arc::clone(&context.journal), debate: debate.clone(), fetcher })
    }

    /// What is to be looked at: the entries of a request as its protocol shows them; and whether a model
    /// reads in addition.
    fn collect_entries(record: &Record, call: &Call) -> std::result::Result<(Vec<StatementSources>, bool), String> {
        let protocol = agon_protocols::find_rules(record).map_err(|error| error.to_string())?;
        let (_, request) = record.find_request(&call.key).ok_or("it was not asked")?;
        let facts = protocol.prompt_facts(&View::new(record, request), request);
        let entries = facts.get("entries").cloned().and_then(|entries| serde_json::from_value(entries).ok());
        let mut entries: Vec<StatementSources> = entries.ok_or("nothing to verify")?;
        let material = material_addresses(record);
        for entry in &mut entries {
            entry.sources.truncate(SOURCES_MAX);
            entry.sources.iter_mut().for_each(|source| source.address = with_scheme(&source.cited, &material));
        }
        Ok((entries, claim_reading::is_wanted(record.opened())))
    }
}

/// The addresses of pages in the material, as they were given.
fn material_addresses(record: &Record) -> Vec<String> {
    let listed = record.document(MATERIAL).and_then(|text| MaterialManifest::parse(text).ok());
    let sources = listed.into_iter().flat_map(|listed| listed.sources);
    sources.filter_map(|source| source.find("http").map(|at| source[at..].to_owned())).collect()
}

/// `cited` with a scheme: that of the material which is shown without it, or `https`.
fn with_scheme(cited: &str, material: &[String]) -> String {
    if cited.contains("://") {
        return cited.to_owned();
    }
    let shown = |address: &&String| {
        let rest = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
        rest.trim_end_matches('/') == cited.trim_end_matches('/')
    };
    material.iter().find(shown).cloned().unwrap_or_else(|| format!("https://{cited}"))
}

/// One statement and its sources, as its protocol shows them.
#[derive(Deserialize)]
struct StatementSources {
    content: String,
    sources: Vec<PendingSource>,
    /// As the answer refers to it: `seq` or `at`.
    #[serde(flatten)]
    place: serde_json::Map<String, serde_json::Value>,
}

/// A source, and the words that are quoted from it. Without a quotation of its own, the prose around it may quote it.
#[derive(Deserialize)]
struct PendingSource {
    #[serde(rename = "url")]
    cited: String,
    #[serde(skip)]
    address: String,
    quote: Option<String>,
}

impl StatementSources {
    fn list_addresses(&self) -> Vec<String> {
        self.sources.iter().map(|source| source.address.clone()).collect()
    }

    /// What comes of comparing each source with `pages`, its page.
    fn compare_pages(&self, pages: &[Fetched]) -> Vec<SourceReport> {
        match self.sources.iter().all(|source| source.quote.is_none()) {
            true => compare_passage(&self.content, pages),
            false => {
                let quote = |source: &PendingSource| source.quote.clone().unwrap_or_default();
                self.sources.iter().zip(pages).map(|(source, page)| compare_citation(&quote(source), page)).collect()
            }
        }
    }
}

#[async_trait::async_trait]
impl Participant for Verifier {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> std::result::Result<Answer, CallFailure> {
        let unavailable = |message: String| CallFailure::Unavailable { message, remedy: String::new() };
        let record = self.journal.read_record(&self.debate).map_err(|error| unavailable(error.to_string()))?;
        let (entries, is_read) = Self::collect_entries(&record, call).map_err(unavailable)?;
        self.fetcher.remember_kept(&list_opened_pages(&record)).await;
        let urls: Vec<String> = entries.iter().flat_map(StatementSources::list_addresses).collect();
        let fetched = self.fetcher.fetch_all(&urls).await;
        // Looking through pages takes the processor for a while; the debate continues meanwhile.
        let findings = tokio::task::spawn_blocking(move || render_findings(&entries, &fetched, is_read)).await;
        let findings = findings.map_err(|_| unavailable("the pages could not be searched".into()))?;
        Ok(Answer { text: findings, usage: None, model: None, engine: None })
    }

    fn is_program(&self) -> bool {
        true
    }
}

/// The results for the sources of all entries, each with what counts and what it rests on. Where a model is to read,
/// with what the page says around a quotation that stands: whether it bears out the claim is for a reader to say.
fn render_findings(entries: &[StatementSources], fetched: &[Fetched], is_read: bool) -> String {
    let by_address: BTreeMap<&str, &Fetched> = fetched.iter().map(|page| (page.url.as_str(), page)).collect();
    let mut findings = Vec::new();
    for entry in entries {
        let pages: Vec<Fetched> =
            entry.list_addresses().iter().filter_map(|url| by_address.get(url.as_str()).copied().cloned()).collect();
        for (report, (source, page)) in entry.compare_pages(&pages).into_iter().zip(entry.sources.iter().zip(&pages)) {
            let range = report.quotes.iter().find_map(|quote| quote.found.clone());
            let is_open = is_read && report.standing == SourceStanding::Verified;
            let shown = page.page.as_deref().filter(|_| is_open).and_then(|page| page.reader_excerpt(range.as_ref()));
            let mut finding = json!(entry.place);
            finding["url"] = json!(source.cited);
            finding["status"] = json!(report.standing.name());
            finding["explanation"] = json!(one_line(&report.why, 300));
            finding["code"] = json!(report.code);
            finding["sentence"] = json!(report.sentence);
            finding["page"] = json!({
                "liveness": report.liveness, "final_url": report.final_url, "http_status": report.http_status,
                "fetched_at": report.fetched_at, "sha256": report.sha256, "title": report.title, "date": report.date,
            });
            finding["quotes"] = json!(report.quotes);
            if let Some(shown) = shown {
                let quotes: Vec<&str> = report.quotes.iter().map(|quote| quote.quote.as_str()).collect();
                finding["claim"] = one_line(&entry.content, CLAIM_CHARS_MAX).into();
                finding["quote"] = quotes.join(" … ").into();
                finding["shown"] = shown.into();
            }
            findings.push(finding);
        }
    }
    json!({"findings": findings}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_cited_with_or_without_its_scheme() {
        let material = ["http://127.0.0.1:8872/docs/budget.html".to_owned()];
        for (cited, address) in [
            ("127.0.0.1:8872/docs/budget.html", "http://127.0.0.1:8872/docs/budget.html"),
            ("http://127.0.0.1:8872/docs/budget.html", "http://127.0.0.1:8872/docs/budget.html"),
            ("a.b/c", "https://a.b/c"),
        ] {
            assert_eq!(with_scheme(cited, &material), address);
        }
    }
}
