//! Sources: their form, and formal corrections. Whether a page exists and says what is claimed is
//! not a matter of form: see `verification`.

use std::net::Ipv4Addr;

use agon_core::{Citation, CitationKind, Faults};
use agon_text::is_date;
use serde::{Deserialize, Serialize};

use crate::common::{
    fields::{ObjectReader, one_line},
    form::{Form, Kind, form_field, list_kind, text_kind},
    verification::find_addresses,
};

/// Sources an entry that are verified (conduct rule 16); more are only noted.
pub const SOURCES_MAX: usize = 5;
/// Sources an entry that are read at all.
const SOURCES_READ_MAX: usize = 12;
/// Longest address, in characters.
const URL_CHARS_MAX: u32 = 1_000;
/// How a formal correction begins (conduct rule 17).
pub const CORRECTION: &str = "SOURCE CORRECTION";

/// Longest quotation and calculation, in characters.
const QUOTE_CHARS_MAX: u32 = 1_000;
const CALCULATION_CHARS_MAX: u32 = 300;

/// A source as a line of the log has it: quotation and calculation stay in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSource {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// When it was read, `YYYY-MM-DD`.
    pub accessed: String,
}

impl LogSource {
    /// Of a citation.
    pub fn from_citation(citation: &Citation) -> Self {
        let Citation { source: url, title, accessed, .. } = citation.clone();
        Self { url, title, accessed }
    }
}

/// The sources of an entry (log rule L8).
pub fn parse_sources(entry: &ObjectReader<'_>, faults: &mut Faults) -> Vec<Citation> {
    let items = entry.read_list("sources", "L8", faults);
    if items.len() > SOURCES_READ_MAX {
        let message = format!("{} sources are too many; choose the {SOURCES_MAX} that matter most", items.len());
        faults.add("L8", entry.field_path("sources"), message);
    }
    let mut sources: Vec<Citation> = Vec::new();
    for (i, item) in items.iter().take(SOURCES_READ_MAX).enumerate() {
        let at = format!("{}[{i}]", entry.field_path("sources"));
        let Some(fields) = ObjectReader::from_value(item, at, faults) else { continue };
        let source = Citation {
            kind: CitationKind::Page,
            source: fields.read_text("url", "L8", faults),
            title: fields.read_text("title", "L8", faults),
            accessed: fields.read_text("accessed", "L8", faults),
            quote: fields.optional_text("quote", "L8", faults).unwrap_or_default(),
            calculation: optional_line(&fields, "calculation", faults),
        };
        if !source.source.is_empty()
            && let Err(why) = check_url(&source.source)
        {
            faults.add("L8", fields.field_path("url"), why);
        }
        if !source.accessed.is_empty() && !is_date(&source.accessed) {
            let message = format!("{:?} is no date of the form YYYY-MM-DD", source.accessed);
            faults.add("L8", fields.field_path("accessed"), message);
        }
        if sources.iter().any(|other| other.source == source.source) {
            let message = format!("{:?} is listed twice; quote it once, with … for what you leave out", source.source);
            faults.add("L8", fields.field_path("url"), message);
        }
        sources.push(source);
    }
    sources
}

/// A text that may be empty, whatever signs it is made of.
fn optional_line(fields: &ObjectReader<'_>, name: &str, faults: &mut Faults) -> String {
    let value = fields.get(name);
    if value.is_some_and(|value| !value.is_string()) {
        faults.add("L8", fields.field_path(name), format!("{name} must be a text"));
    }
    value.and_then(|value| value.as_str()).map(one_line).unwrap_or_default()
}

/// Whether `url` can be an address of a page; says why not. Material is shown without the scheme of its address, and
/// may be cited so.
pub fn check_url(url: &str) -> Result<(), String> {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    let is_shown_without = lower.split('/').next().is_some_and(|host| host.contains('.')) && lower.contains('/');
    let rest = match rest {
        Some(rest) => rest,
        None if is_shown_without && !lower.contains("://") => lower.as_str(),
        None => {
            return Err(format!(
                "{url:?} does not begin with http:// or https://; a source is a page, and what rests on a file alone is labelled [CONJECTURE]"
            ));
        }
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Err(format!("{url:?} has a user name in it; give the plain address"));
    }
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    if port.is_some_and(|port| !port.parse::<u16>().is_ok_and(|port| port > 0)) {
        return Err(format!("{url:?} has a port that there cannot be"));
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let label = |part: &str| {
        !part.is_empty() && !part.starts_with('-') && part.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    // A name that ends in a number is an address of four numbers, or none.
    let is_number = name.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
    let is_wrong = is_number && name.parse::<Ipv4Addr>().is_err();
    if is_wrong || !name.contains('.') || !name.split('.').all(label) {
        return Err(format!("{url:?} names no site"));
    }
    if url.chars().count() > URL_CHARS_MAX as usize || url.chars().any(|c| c.is_whitespace() || "<>\"".contains(c)) {
        return Err(format!("{:?} is no address", url.chars().take(80).collect::<String>()));
    }
    Ok(())
}

/// A formal correction: `SOURCE CORRECTION for seq N: replacing OLD with NEW — WHY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The entry whose source is replaced.
    pub seq: u64,
    /// The address that is withdrawn.
    pub old: String,
    /// The one in its place.
    pub new: String,
}

/// The correction that `content` begins with (log rule L17). `Ok(None)` where it mentions none.
pub fn parse_correction(content: &str) -> Result<Option<Correction>, String> {
    let wanted = "\"SOURCE CORRECTION for seq N: replacing OLD_URL with NEW_URL — EXPLANATION\"";
    let begins = content.chars().take(25).map(|c| if c == '-' { ' ' } else { c.to_ascii_uppercase() });
    let is_meant = begins.eq(format!("{CORRECTION} FOR SEQ").chars());
    match content.find(CORRECTION) {
        None if is_meant => return Err(format!("a source correction is written exactly as {wanted}")),
        None => return Ok(None),
        Some(0) => {}
        Some(_) => {
            return Err(format!("a source correction stands at the very start of an entry, as {wanted}"));
        }
    }
    let parsed = || {
        let rest = content.strip_prefix(CORRECTION)?.strip_prefix(" for seq ")?;
        let (seq, rest) = rest.split_once(':')?;
        let rest = rest.trim_start().strip_prefix("replacing ")?;
        let (old, rest) = rest.split_once(" with ")?;
        let (new, why) =
            rest.split_once(" — ").or_else(|| rest.split_once(" - ")).or_else(|| rest.split_once(" – "))?;
        let found = Correction { seq: seq.trim().parse().ok()?, old: old.trim().into(), new: new.trim().into() };
        (!why.trim().is_empty()).then_some(found)
    };
    let found = parsed().ok_or_else(|| format!("a source correction is written exactly as {wanted}"))?;
    check_url(&found.new).map(|()| Some(found))
}

/// Addresses in the `words` of an entry that are its sources without being among them. One that
/// `others` cited is only named there, perhaps to be doubted, and so is one that a correction withdraws.
pub fn in_words<'o>(words: &str, sources: &[Citation], others: impl Iterator<Item = &'o str> + Clone) -> Vec<String> {
    let withdrawn = parse_correction(words).ok().flatten().map(|found| found.old);
    let mut found = find_addresses(words);
    found.retain(|url| {
        !sources.iter().any(|source| source.source == *url)
            && withdrawn.as_ref() != Some(url)
            && !others.clone().any(|other| other == url)
    });
    found
}

/// The sources of an entry, in its form.
pub(super) fn sources_kind() -> Kind {
    let optional = |most: u32| Kind::Text { chars_min: None, chars_max: Some(most) };
    let source = [
        form_field("url", text_kind(4, URL_CHARS_MAX)),
        form_field("title", text_kind(4, 300)),
        form_field("accessed", text_kind(4, 10)),
        form_field("quote", optional(QUOTE_CHARS_MAX)),
        form_field("calculation", optional(CALCULATION_CHARS_MAX)),
    ];
    list_kind(0, SOURCES_MAX, Kind::Object(Form::new("L8", source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l8_urls_are_http_with_a_host() {
        for url in [
            "http://minutes.tramway.town:8080/x",
            "http://192.0.2.7/x",
            "https://arxiv.org/abs/2510.1",
            "http://a.b",
            "https://www.who.int:443/x?y=1#z",
            "https://müller.de/",
            "127.0.0.1:8872/docs/city-budget.html",
            "http://minutes.tramway.invalid.:8080/x",
            "www.a.b/c",
        ] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
        for url in [
            "http://minutes.tramway.town:99999/x",
            "http://minutes.tramway.town:0/x",
            "http://minutes.tramway.town:port/x",
            "http://999.999.999.999/x",
            "http://10.1.2/x",
            "",
            "ftp://a.b/c",
            "javascript:alert(1)",
            "https://",
            "https://localhost",
            "https://a..b",
            "https://u@a.b/",
            "https://a.b/c d",
            "https://a.b../c",
            "www.a.b",
        ] {
            assert!(check_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn l17_a_source_correction_has_one_form_and_one_place() {
        let whole = "SOURCE CORRECTION for seq 7: replacing https://a.b/old with https://a.b/new — the old page moved.\n\nNow to the point.";
        let found = parse_correction(whole).unwrap().unwrap();
        assert_eq!(found, Correction { seq: 7, old: "https://a.b/old".into(), new: "https://a.b/new".into() });
        assert_eq!(parse_correction("no correction here"), Ok(None));
        for broken in [
            "First. SOURCE CORRECTION for seq 7: replacing https://a.b with https://c.d — x",
            "SOURCE CORRECTION: replacing https://a.b with https://c.d — x",
            "Source correction for seq 7: replacing https://a.b/old with https://a.b/new — it moved.",
            "SOURCE-CORRECTION for seq 7: replacing https://a.b/old with https://a.b/new — it moved.",
            "SOURCE CORRECTION for seq 7: replacing https://a.b with https://c.d",
            "SOURCE CORRECTION for seq 7: replacing https://a.b with nothing — x",
        ] {
            assert!(parse_correction(broken).is_err(), "{broken}");
        }
    }
}
