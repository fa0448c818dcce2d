//! Where the seats of a debate look things up: its pinned material, pages, and a service that finds pages.

use std::{env, fmt::Write as _, sync::Arc};

use agon_core::{LookupReach, LookupRequest, Opened, Record, Seat};
use agon_material::{lookup::LookupAnswer, manifest::MaterialManifest};
use agon_runtime::{
    config::{WebSearchConfig, WebSearchKind},
    lookups::{LOOKUPS_MAX, LookupSource, LookupTool, find_reach},
    prompts::material::{MATERIAL, PromptMaterial},
};
use agon_sources::{
    fetch::Fetcher,
    text::PageLink,
    web_search::{FoundPage, SearchInterface, WebSearch},
};
use agon_text::count_noun;

use crate::{
    context::Context,
    declarations::find_rules,
    failure::{Failure, Result},
    models::LOCAL_ONLY,
    participants::page_verifier::build_fetcher,
};

/// Characters of an excerpt of a page that was found.
const EXCERPT_CHARS_MAX: usize = 500;

/// The service of the configuration; its key is read from the environment.
fn configured_service(config: &WebSearchConfig) -> WebSearch {
    let interface = match config.kind {
        WebSearchKind::SearXng => SearchInterface::SearXng,
        WebSearchKind::Brave => SearchInterface::Brave,
        WebSearchKind::Tavily => SearchInterface::Tavily,
    };
    let key = config.api_key_env.as_deref().and_then(|name| env::var(name).ok());
    WebSearch::new(interface, config.url.as_deref(), key)
}

/// What a seat is shown of the pages that a service found.
fn describe_found(query: &str, found: std::result::Result<Vec<FoundPage>, String>) -> LookupAnswer {
    match found {
        Ok(pages) if pages.is_empty() => LookupAnswer::Nothing(format!("Nothing was found for: {query}")),
        Ok(pages) => {
            let mut text = String::new();
            for page in &pages {
                let excerpt: String = page.content.chars().take(EXCERPT_CHARS_MAX).collect();
                let _ = writeln!(text, "{}\n{}\n{excerpt}\n", page.title.trim(), page.url.trim());
            }
            LookupAnswer::Found(text.trim_end().to_owned())
        }
        Err(why) => LookupAnswer::Nothing(format!("The service that finds pages did not answer: {why}")),
    }
}

/// Writes the links of a page behind its text while there is room: they lead to the next pages.
fn append_links(text: &mut String, links: &[PageLink], bytes_max: usize) {
    for (at, PageLink { address, label }) in links.iter().enumerate() {
        let head = if at == 0 { "\n\nLinks of the page:" } else { "" };
        let line = format!("{head}\n{label}: {address}");
        if text.len() + line.len() > bytes_max {
            return;
        }
        text.push_str(&line);
    }
}

/// What seats may look up, for the plan of a debate whose material is `list`; `None` where nothing.
pub fn describe_plan(opened: &Opened, list: Option<&MaterialManifest>) -> Option<String> {
    let reach = find_reach(opened)?;
    let tree = list.and_then(|list| list.tree.as_ref());
    let around = tree.map(|tree| {
        let files = count_noun(u64::from(tree.files), "file", "files");
        format!(" and the {files} around the change ({:.1} KB)", tree.bytes as f64 / 1000.0)
    });
    let material = list.map(|_| format!("search and read the material{}", around.unwrap_or_default()));
    let pages = (reach == LookupReach::Pages).then(|| {
        "open pages of the web, so that addresses and searches that a model makes up leave this machine".to_owned()
    });
    let all: Vec<String> = material.into_iter().chain(pages).collect();
    let most = LOOKUPS_MAX;
    Some(format!("lookups: seats can {}; at most {most} an answer; --lookups off forbids them", all.join(", and ")))
}

/// The sources of one debate.
pub struct DebateLookups {
    tools: Vec<LookupTool>,
    material: Option<Arc<PromptMaterial>>,
    fetcher: Option<Fetcher>,
    web_search: Option<WebSearch>,
}

impl DebateLookups {
    /// For a person or program at an outside seat of the debate of `record`; `None` where nothing can be looked up.
    ///
    /// # Errors
    ///
    /// Where its material cannot be read.
    pub fn of_record(context: &Context, record: &Record) -> Result<Option<Arc<dyn LookupSource>>> {
        let manifest = find_rules(record)?.manifest();
        let home = &context.places.home;
        let material = PromptMaterial::from_opened(record.opened(), manifest, record.document(MATERIAL), home);
        let material = material.map_err(|error| Failure::damaged(format!("the material: {error}"), ""))?;
        Ok(Self::from_opened(context, record.opened(), material).map(|lookups| lookups as Arc<dyn LookupSource>))
    }

    /// For the debate that is `opened`, with its `material`; `None` where nothing can be looked up.
    pub fn from_opened(context: &Context, opened: &Opened, material: Option<Arc<PromptMaterial>>) -> Option<Arc<Self>> {
        let reach = find_reach(opened)?;
        let is_local = context.offline || opened.options.get(LOCAL_ONLY) == Some(&true.into());
        let opens_pages = reach == LookupReach::Pages && !is_local;
        let config = &context.config;
        let fetcher = opens_pages.then(|| build_fetcher(&context.places, &config.sources, &[]));
        let web_search = config.web_search.as_ref().filter(|_| opens_pages).map(configured_service);
        let works = |tool: &LookupTool| match tool {
            LookupTool::Search | LookupTool::Read => material.is_some(),
            LookupTool::Open => fetcher.is_some(),
            LookupTool::Find => web_search.is_some(),
        };
        let tools: Vec<LookupTool> = LookupTool::ALL.into_iter().filter(works).collect();
        (!tools.is_empty()).then(|| Arc::new(Self { tools, material, fetcher, web_search }))
    }

    /// The text of a page from its character `from` on; only what is shown of it can be quoted.
    async fn open_page(&self, address: &str, from: Option<u32>, bytes_max: usize) -> LookupAnswer {
        let Some(fetcher) = &self.fetcher else { return LookupAnswer::Nothing("No pages are opened here.".into()) };
        let fetched = fetcher.fetch_page(address).await;
        let Some(page) = &fetched.page else {
            return LookupAnswer::Nothing(format!("{address} cannot be read: {}", fetched.why));
        };
        let text = &page.said.text;
        let (all, from) = (text.chars().count(), from.unwrap_or(1) as usize);
        if from > all {
            return LookupAnswer::Nothing(format!("The text of {address} has {all} characters."));
        }
        let mut shown = String::new();
        for c in text.chars().skip(from - 1) {
            if shown.len() + c.len_utf8() > bytes_max.saturating_sub(address.len() + 200) {
                break;
            }
            shown.push(c);
        }
        let last = from - 1 + shown.chars().count();
        let more = if last < all { format!("; ask from {} to read on", last + 1) } else { String::new() };
        let title = if page.said.title.is_empty() { String::new() } else { format!("{}\n", page.said.title) };
        let mut found = format!("{address}, characters {from}-{last} of {all}{more}\n{title}\n{shown}");
        if last == all {
            append_links(&mut found, &page.said.resolve_links(&fetched.final_url), bytes_max);
        }
        LookupAnswer::Found(found)
    }
}

#[async_trait::async_trait]
impl LookupSource for DebateLookups {
    fn tools(&self) -> &[LookupTool] {
        &self.tools
    }

    async fn look_up(&self, seat: &Seat, asked: &LookupRequest, bytes_max: usize) -> LookupAnswer {
        match asked {
            LookupRequest::Open { address, from } => self.open_page(address, *from, bytes_max).await,
            LookupRequest::Find { query } => match &self.web_search {
                Some(service) => describe_found(query, service.find_pages(query).await),
                None => LookupAnswer::Nothing("No service that finds pages is set up.".into()),
            },
            LookupRequest::Search { .. } | LookupRequest::Read { .. } => {
                let (Some(material), seat, asked) = (self.material.clone(), seat.clone(), asked.clone()) else {
                    return LookupAnswer::Nothing("This debate has no material.".into());
                };
                // The index lies on the disk; the debate continues meanwhile.
                let looked = tokio::task::spawn_blocking(move || material.look_up(&seat, &asked, bytes_max)).await;
                match looked {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(error)) => LookupAnswer::Nothing(format!("The material cannot be read: {error}")),
                    Err(_) => LookupAnswer::Nothing("The material cannot be searched.".into()),
                }
            }
        }
    }
}
