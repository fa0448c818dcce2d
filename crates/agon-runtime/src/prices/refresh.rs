//! Takes a catalogue from a file or an address, and keeps it in the data directory once it is sound.

use std::{io::Read, path::Path, time::Duration};

use agon_journal::time::current_stamp;
use reqwest::{Url, redirect::Policy};

use super::{Catalogue, ListedModel, PriceError, SHIPPED, check, parse_catalogue, prices_path};
use crate::{
    files::{self, FileError},
    participant::provider::{client_builder, redact},
    value_fault::is_web_address,
};

/// Longest wait for an address, in all.
const WAIT: Duration = Duration::from_secs(30);
/// Most redirects that are followed.
const REDIRECTS_MAX: usize = 3;

/// What a refresh changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refreshed {
    /// Models of the catalogue.
    pub models: usize,
    /// Models of it that this program knew as new or newer.
    pub older: usize,
}

/// Takes the catalogue at `from`, a file or an http(s) address, into the data directory `home`.
///
/// # Errors
///
/// Where it cannot be had, or says what cannot be true. Then what was there before stays.
pub async fn refresh_catalogue(home: &Path, from: &str) -> Result<Refreshed, PriceError> {
    let web = is_web_address(from);
    let text = if web { fetch_catalogue(from).await? } else { read_catalogue_file(Path::new(from))? };
    let from = if web { redact_address(from) } else { from.to_owned() };
    let refused = |why: String| PriceError::Refused { from: from.clone(), why };
    let mut catalogue = parse_catalogue(&text).map_err(refused)?;
    if catalogue.models.is_empty() {
        return Err(refused("it lists no model".into()));
    }
    if let Some(why) = find_host_conflict(&catalogue) {
        return Err(refused(why));
    }
    catalogue.from = Some(from.clone());
    catalogue.taken_at = Some(current_stamp().0);
    let known = |model: &&ListedModel| {
        let mut shipped = SHIPPED.models.iter();
        shipped.any(|s| (&s.provider, &s.name) == (&model.provider, &model.name) && s.date > model.date)
    };
    let refreshed = Refreshed { models: catalogue.models.len(), older: catalogue.models.iter().filter(known).count() };
    let path = prices_path(home);
    let text = serde_json::to_string_pretty(&catalogue).map_err(|error| refused(error.to_string()))?;
    std::fs::create_dir_all(home).map_err(FileError::at_path(home))?;
    files::replace_file(&path, text.as_bytes()).map_err(FileError::at_path(&path))?;
    Ok(refreshed)
}

/// A provider that this program knows at another host, or a host that it knows of another provider: prices of one would
/// be taken for those of the other.
fn find_host_conflict(catalogue: &Catalogue) -> Option<String> {
    catalogue.providers.iter().find_map(|(name, provider)| {
        let host = check::normalize_host(&provider.host);
        let known = SHIPPED.providers.get(name).filter(|known| known.host != host);
        if let Some(known) = known {
            return Some(format!("providers.{name}.host: {name} is at {}, not at {}", known.host, provider.host));
        }
        let owner = SHIPPED.providers.iter().find(|(owner, known)| known.host == host && *owner != name);
        owner.map(|(owner, _)| format!("providers.{name}.host: {} is that of {owner}", provider.host))
    })
}

fn read_catalogue_file(path: &Path) -> Result<String, PriceError> {
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(FileError::at_path(path))?;
    let read = file.take(check::BYTES_MAX as u64 + 1).read_to_string(&mut text);
    read.map_err(FileError::at_path(path))?;
    Ok(text)
}

async fn fetch_catalogue(address: &str) -> Result<String, PriceError> {
    let wrong = |why: String| PriceError::Unreached { url: redact_address(address), why };
    let url = Url::parse(address).map_err(|error| wrong(error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("an address with a user name or password is not asked".into()));
    }
    let mut builder = client_builder(&url).timeout(WAIT);
    if url.scheme() != "http" {
        builder = builder.redirect(Policy::limited(REDIRECTS_MAX));
    }
    let failed = |error: reqwest::Error| wrong(redact::root_cause(&error));
    let client = builder.build().map_err(failed)?;
    let mut response = client.get(url).send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(wrong(format!("it answers with status {}", response.status().as_u16())));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > check::BYTES_MAX {
            return Err(PriceError::Refused { from: redact_address(address), why: "it is larger than 1 MB".into() });
        }
    }
    String::from_utf8(body).map_err(|_| wrong("what it sends is not text in UTF-8".into()))
}

/// The address without what may be secret in it.
fn redact_address(address: &str) -> String {
    match Url::parse(address) {
        Ok(mut url) => {
            let _ = (url.set_username(""), url.set_password(None));
            url.set_query(None);
            url.to_string()
        }
        Err(_) => "the address".into(),
    }
}
