//! `agon verify`: checks the sources that a text, a page or a debate cites, with the reason for each result.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
};

use agon_app::{
    Failure, Result, exit, opening,
    participants::{claim_reader::ClaimReader, page_verifier},
};
use agon_core::{Record, View};
use agon_protocols::common::{
    citable_document::CitableDocument,
    claim_reading::{SupportReading, UNREAD},
    struck_text,
};
use agon_sources::{
    check::{
        Page,
        citations::{self, CitedPassage, SOURCES_MAX},
        coverage::Coverage,
        one_line,
        quotes::{self, QuoteFinding, QuoteStatus},
        ruling::{SourceReport, SourceStanding, compare_passage},
    },
    fetch::Fetcher,
    text::{PageText, pdf},
};
use agon_text::count_noun;
use serde_json::json;

use super::{CommandContext, debate_id};
use crate::{cli::VerifyArgs, input, ui};

/// Largest file that is read, in bytes.
const FILE_MEGABYTES_MAX: u64 = 4;
/// Addresses that are fetched for one command; further ones are only listed.
const URLS_MAX: usize = 100;
/// Works without an address that are listed.
const NAMED_MAX: usize = 50;
/// Claims that a model reads for.
const READINGS_MAX: usize = 20;
/// Memory that reading a PDF file may take, in bytes, and time on the processor, in seconds.
const PDF_MEMORY_MAX: u64 = 1024 * 1024 * 1024;
const PDF_SECONDS_MAX: u64 = 10;

/// What is looked up.
struct VerifyRequest {
    passages: Vec<CitedPassage>,
    /// Works that are cited without an address.
    named: Vec<String>,
    /// Addresses that are not pages of the web: nobody can look them up here.
    unopenable: Vec<String>,
    /// References to local documents.
    local: Vec<LocalReference>,
}

/// A reference to a document in the text's folder, and the result of checking it.
struct LocalReference {
    reference: String,
    /// Whether the place is there, or why not.
    place: std::result::Result<(), String>,
    /// Quotations of the same paragraph, looked up in the document.
    quotes: Vec<QuoteFinding>,
}

impl LocalReference {
    /// What it is worth, and what decided it.
    fn assess_standing(&self) -> (SourceStanding, String) {
        if let Err(why) = &self.place {
            return (SourceStanding::Unreliable, why.clone());
        }
        let quote = |status: QuoteStatus| self.quotes.iter().find(|quote| quote.status == status);
        if let Some(quote) = quote(QuoteStatus::Absent) {
            let why = format!("{:?} is not in it", one_line(&quote.quote, 120));
            return (SourceStanding::Unreliable, why);
        }
        if let Some(quote) = quote(QuoteStatus::Near) {
            let difference = quote.difference.as_deref().unwrap_or_default();
            return (SourceStanding::Unreliable, format!("the quotation differs: {difference}"));
        }
        (SourceStanding::Verified, String::new())
    }
}

pub async fn run(command_context: &CommandContext, args: VerifyArgs) -> Result<u8> {
    let config = command_context.load_config()?;
    let fetcher = page_verifier::build_fetcher(&command_context.places, &config.sources, &args.allow_hosts);
    let asked = build_verify_request(command_context, &args.what)?;
    let reader = match &args.reader {
        Some(name) => Some(ClaimReader::new(&command_context.build_context(false)?, name).await?),
        None => None,
    };
    let (mut rows, unread) = look_up(&fetcher, &asked.passages, reader.as_ref(), command_context).await;
    rows.extend(asked.unopenable.iter().map(|address| {
        let scheme = address.split(':').next().unwrap_or_default();
        let why = format!("{scheme}: is neither http nor https, so agon cannot fetch it");
        (SourceReport::unopenable(address, &why), None)
    }));
    let reports: Vec<SourceReport> = rows.iter().map(|(report, _)| report.clone()).collect();
    let coverage = Coverage::from_reports(&reports);
    let report = json!({
        "what": args.what,
        "sources": rows.iter().map(|(report, reading)| {
            let mut shown = json!(report);
            if let Some(reading) = reading {
                shown["reading"] = json!(reading);
            }
            shown
        }).collect::<Vec<_>>(),
        "local": asked.local.iter().map(|local| {
            let (standing, why) = local.assess_standing();
            json!({"reference": local.reference, "found": local.place.is_ok(), "standing": standing,
                "why": Some(why).filter(|why| !why.is_empty()), "quotes": local.quotes})
        }).collect::<Vec<_>>(),
        "without_address": asked.named,
        "coverage": {"all": coverage.all, "checkable": coverage.checkable, "checked": coverage.checked,
            "not_fetched": unread, "no_web_address": asked.unopenable.len(), "without_address": asked.named.len(), "line": coverage.summary_line()},
    });
    command_context.print(&report, || render_table(&rows, &asked, &coverage, unread));
    // What was found to be wrong is the answer, and no failure of the command.
    Ok(exit::OK)
}

/// What was found about a source, and the reading of a model.
type Row = (SourceReport, Option<SupportReading>);

async fn look_up(
    fetcher: &Fetcher,
    passages: &[CitedPassage],
    reader: Option<&ClaimReader>,
    command_context: &CommandContext,
) -> (Vec<Row>, usize) {
    let mut urls: Vec<String> = Vec::new();
    let mut unread = 0;
    let all = passages.iter().flat_map(|passage| passage.urls.iter().take(SOURCES_MAX));
    for url in all {
        match urls.contains(url) {
            true => {}
            false if urls.len() < URLS_MAX => urls.push(url.clone()),
            false => unread += 1,
        }
    }
    if !command_context.quiet && !urls.is_empty() {
        ui::show_status(&format!("fetching {}", count_noun(urls.len(), "address", "addresses")));
    }
    let fetched = fetcher.fetch_all(&urls).await;
    ui::clear_status();
    let mut rows: Vec<Row> = Vec::new();
    let mut readings = 0;
    for passage in passages {
        let (read, rest) = passage.urls.split_at(passage.urls.len().min(SOURCES_MAX));
        let pages: Vec<_> =
            read.iter().filter_map(|url| fetched.iter().find(|page| page.url == *url).cloned()).collect();
        let missing = read.iter().filter(|url| !urls.contains(url));
        let missing =
            missing.map(|url| SourceReport::unchecked(url, "not fetched: more addresses than one command fetches"));
        let rest =
            rest.iter().map(|url| SourceReport::unchecked(url, "not fetched: more than five sources for one passage"));
        unread += rest.len();
        for report in compare_passage(&passage.text, &pages) {
            let page = pages.iter().find(|page| page.url == report.url).and_then(|page| page.page.clone());
            let range = report.quotes.iter().find_map(|quote| quote.found.clone());
            let shown = page.as_deref().and_then(|page| page.reader_excerpt(range.as_ref()));
            // What is wrong stays wrong, whatever a model reads.
            let open = !matches!(report.standing, SourceStanding::Unreliable | SourceStanding::Fabricated);
            let reading = match (reader, shown) {
                (Some(reader), Some(shown)) if open && !passage.text.is_empty() && readings < READINGS_MAX => {
                    readings += 1;
                    let quotes: Vec<&str> = report.quotes.iter().map(|quote| quote.quote.as_str()).collect();
                    reader.read_support(&passage.text, &quotes.join(" … "), shown).await
                }
                _ => None,
            };
            rows.push((report, reading));
        }
        rows.extend(missing.chain(rest).map(|report| (report, None)));
    }
    (rows, unread)
}

fn render_table(rows: &[Row], asked: &VerifyRequest, coverage: &Coverage, unread: usize) -> String {
    let mut text = String::new();
    let line = |text: &str| ui::wrap_text(&ui::escape_invisible(text), "    ") + "\n";
    for (report, reading) in rows {
        text.push_str(&format_row(report.standing, &report.code, &report.url));
        if report.final_url != report.url {
            text.push_str(&line(&format!("now at {}", report.final_url)));
        }
        if !report.why.is_empty() {
            text.push_str(&line(&report.why));
        }
        let near = report.quotes.iter().filter(|quote| quote.status == QuoteStatus::Near && report.code != "near");
        for quote in near {
            text.push_str(&line(&format!("differs: {}", quote.difference.as_deref().unwrap_or_default())));
        }
        for found in &report.figures {
            text.push_str(&line(&match &found.sentence {
                Some(sentence) => format!("the digits {} stand there: {sentence}", found.figure),
                None => format!("the digits {} do not stand there", found.figure),
            }));
        }
        if let Some(reading) = reading {
            let sentence = reading.sentence.as_deref().map(|sentence| format!(", by: {sentence}"));
            text.push_str(&line(&format!("{}{}", reading.describe_reading(), sentence.unwrap_or_default())));
        } else if report.standing == SourceStanding::Verified {
            text.push_str(&line(UNREAD));
        }
    }
    for local in &asked.local {
        let (standing, why) = local.assess_standing();
        text.push_str(&format_row(standing, "local", &local.reference));
        if !why.is_empty() {
            text.push_str(&line(&why));
        }
    }
    for work in &asked.named {
        text.push_str(&format_row(SourceStanding::Unchecked, "no-address", work));
    }
    text.push_str(&coverage.summary_line());
    if !asked.named.is_empty() {
        text.push_str(&format!("; {} cited without an address", asked.named.len()));
    }
    if unread > 0 {
        text.push_str(&format!("; {unread} not fetched because of the limit"));
    }
    if !asked.unopenable.is_empty() {
        text.push_str(&format!("; {} at addresses that agon cannot fetch", asked.unopenable.len()));
    }
    if !asked.local.is_empty() {
        let found = asked.local.iter().filter(|local| local.place.is_ok()).count();
        text.push_str(&format!("; {found} of {} local references found", asked.local.len()));
        let quotes = asked.local.iter().map(|local| local.quotes.len()).sum::<usize>();
        if quotes > 0 {
            text.push_str(&format!(", {} checked there", count_noun(quotes, "quotation", "quotations")));
        }
    }
    text
}

/// The first line about a source. That its words stand there is all that looking shows, so the table says no more.
fn format_row(standing: SourceStanding, code: &str, source: &str) -> String {
    let (word, colour) = match standing {
        SourceStanding::Verified => ("stands there", ui::GREEN),
        SourceStanding::Unreliable | SourceStanding::Fabricated => (standing.name(), ui::RED),
        SourceStanding::Unverified | SourceStanding::Unchecked => (standing.name(), ui::YELLOW),
    };
    let status = format!("{word:<12} {code:<16}");
    format!("{} {}\n", ui::paint_text(&status, colour), ui::escape_invisible(source))
}

/// What `what` means: a file, an address, or a debate.
fn build_verify_request(command_context: &CommandContext, what: &str) -> Result<VerifyRequest> {
    let path = Path::new(what);
    if path.is_file() {
        let text = read_text_file(path)?;
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        return Ok(of_text(&text, &folder));
    }
    if what.contains("://") {
        let url = citations::parse_fetchable_url(what).map_err(|why| {
            Failure::usage(format!("{what}: {why}"), "give an address that begins with https://, a file or a debate")
        })?;
        let passage = CitedPassage { text: String::new(), urls: vec![url.to_string()] };
        let (named, unopenable, local) = (Vec::new(), Vec::new(), Vec::new());
        return Ok(VerifyRequest { passages: vec![passage], named, unopenable, local });
    }
    let unknown =
        || Failure::unknown(format!("{what} is not a file, an address or a debate"), "agon list shows the debates");
    opening::debate_id(what).map_err(|_| unknown())?;
    let journal = command_context.known_journal()?.ok_or_else(unknown)?;
    let id = debate_id::find_debate(&journal, what)?;
    if journal.find_summary(&id)?.is_none() {
        return Err(unknown());
    }
    Ok(of_record(&struck_text::publishable_record(&journal.read_record(&id)?)))
}

fn read_text_file(path: &Path) -> Result<String> {
    let remedy = "name a text file";
    String::from_utf8(input::read_bytes(path, FILE_MEGABYTES_MAX, remedy)?)
        .map_err(|_| Failure::io(format!("{}: it is not UTF-8 text", path.display()), remedy))
}

fn of_text(text: &str, folder: &Path) -> VerifyRequest {
    let mut named = citations::without_address(text);
    named.truncate(NAMED_MAX);
    let mut unopenable = citations::other_addresses(text);
    unopenable.truncate(NAMED_MAX);
    VerifyRequest {
        passages: citations::find_cited_passages(text),
        named,
        unopenable,
        local: find_local_references(text, folder),
    }
}

/// What `text` refers to in its folder, with the quotations of each paragraph that does. A quotation that stands in
/// one document need not stand in the others, nor in any where the paragraph cites pages too.
fn find_local_references(text: &str, folder: &Path) -> Vec<LocalReference> {
    let mut all: Vec<LocalReference> = Vec::new();
    for range in citations::split_paragraphs(text) {
        let paragraph = &text[range];
        let room = NAMED_MAX.saturating_sub(all.len());
        let references: Vec<_> = parse_references(paragraph, folder).into_iter().take(room).collect();
        let quoted = quotes::find_long_quotations(paragraph);
        let look_up =
            |page: &Page| -> Vec<QuoteFinding> { quoted.iter().map(|quote| quotes::look_up(quote, page)).collect() };
        let looked: Vec<Vec<QuoteFinding>> = references
            .iter()
            .map(|(_, _, text)| text.as_deref().map(|text| look_up(&document_page(text))).unwrap_or_default())
            .collect();
        let is_open =
            !citations::find_addresses(paragraph).is_empty() || references.iter().any(|(_, _, text)| text.is_none());
        let best: Vec<_> = (0..quoted.len())
            .map(|i| looked.iter().filter_map(|quotes| quotes.get(i)).map(|quote| quote.status).min())
            .collect();
        for ((reference, place, _), quotes) in references.into_iter().zip(looked) {
            let counts = |(i, quote): (usize, QuoteFinding)| {
                let is_best = best[i] == Some(quote.status);
                (is_best && !(is_open && quote.status == QuoteStatus::Absent)).then_some(quote)
            };
            let quotes: Vec<QuoteFinding> = quotes.into_iter().enumerate().filter_map(counts).collect();
            match all.iter_mut().find(|local| local.reference == reference) {
                Some(known) => known.quotes.extend(quotes),
                None => all.push(LocalReference { reference, place, quotes }),
            }
        }
    }
    all
}

/// A document as pages are looked through.
fn document_page(text: &str) -> Page {
    Page::from_text(PageText { text: text.to_owned(), ..PageText::default() })
}

/// A reference as it is written, whether its place is there, and the text of its document where it can be read.
type Reference = (String, std::result::Result<(), String>, Option<String>);

/// `path#heading` and `path:line` of Markdown and text files in the text's folder, in backticks or links.
fn parse_references(text: &str, folder: &Path) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || "`()<>[]\"".contains(c)) {
        let word = word.trim_end_matches(['.', ',', ';', ':']);
        let Some(end) = word.find(['#', ':']) else { continue };
        let name = &word[..end];
        let is_text = [".md", ".txt", ".markdown"].iter().any(|extension| name.to_lowercase().ends_with(extension));
        let inside = Path::new(name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
        if !is_text
            || !inside
            || word.contains("://")
            || found.iter().any(|(known, ..)| known == word)
            || found.len() >= NAMED_MAX
        {
            continue;
        }
        let path: PathBuf = folder.join(name);
        let text = read_text_file(&path).ok();
        let looked = match &text {
            Some(text) => CitableDocument::from_text(name, Some(text)).check_place(&word[end..]),
            None => Err(format!("{name} is not in its folder")),
        };
        found.push((word.to_owned(), looked, text));
    }
    found
}

/// What the statements of a debate cite; what was redacted is not shown.
fn of_record(record: &Record) -> VerifyRequest {
    let view = View::of_whole_record(record);
    let mut passages: Vec<CitedPassage> = Vec::new();
    let mut unopenable: Vec<String> = Vec::new();
    let mut add = |text: String, urls: Vec<String>| {
        for address in citations::other_addresses(&text) {
            if !unopenable.contains(&address) && unopenable.len() < NAMED_MAX {
                unopenable.push(address);
            }
        }
        let passage = CitedPassage { text, urls };
        if !passage.urls.is_empty() && !passages.contains(&passage) {
            passages.push(passage);
        }
    };
    if let Some(passages) = agon_report::views_of(record).list_passages(record) {
        for (text, sources) in passages {
            let (pages, others): (Vec<String>, Vec<String>) =
                sources.into_iter().partition(|url| citations::other_addresses(url).is_empty());
            add(others.join(" "), Vec::new());
            add(text, pages);
        }
    } else {
        for (_, said) in view.everything_said() {
            match agon_core::parse::parse_json_answer(said) {
                Ok(value) => of_value(&value, &mut add),
                Err(_) => {
                    add(said.to_owned(), Vec::new());
                    citations::find_cited_passages(said).into_iter().for_each(|passage| add(passage.text, passage.urls))
                }
            }
        }
    }
    let all: String = passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n");
    VerifyRequest { named: citations::without_address(&all), passages, unopenable, local: Vec::new() }
}

/// The innermost objects of a statement that name an address, as passages.
fn of_value(value: &serde_json::Value, add: &mut dyn FnMut(String, Vec<String>)) {
    value.as_array().into_iter().flatten().for_each(|item| of_value(item, add));
    if let Some(fields) = value.as_object() {
        let words: Vec<&str> = fields.values().filter_map(|value| value.as_str()).collect();
        let words = words.join(" \n");
        let urls: Vec<String> = citations::find_addresses(&words).into_iter().map(|(_, url)| url).collect();
        add(words, urls);
        fields.values().filter(|value| !value.is_string()).for_each(|value| of_value(value, add));
    }
    let passages = value.as_str().map(citations::find_cited_passages);
    passages.into_iter().flatten().for_each(|passage| add(passage.text, passage.urls));
}

/// Reads a PDF file from standard input and prints its words, within limits that end the process.
pub fn extract_pdf() -> Result<u8> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
        let _ = setrlimit(Resource::As, limit(PDF_MEMORY_MAX));
        let _ = setrlimit(Resource::Cpu, limit(PDF_SECONDS_MAX));
        // A file that ends the process must not leave its memory on the disk each time.
        let _ = setrlimit(Resource::Core, limit(0));
    }
    let io = |error: std::io::Error| Failure::io(error.to_string(), "");
    let mut bytes = Vec::new();
    std::io::stdin().take(FILE_MEGABYTES_MAX << 20).read_to_end(&mut bytes).map_err(io)?;
    let text = pdf::read_pdf(&bytes).map_err(|why| Failure::new(exit::DAMAGED, "pdf", one_line(&why, 200), ""))?;
    std::io::stdout().write_all(text.as_bytes()).map_err(io)?;
    Ok(exit::OK)
}
