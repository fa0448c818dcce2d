//! Step 10: the verdict on a source, from everything that was found about it.

use agon_text::strip_invisible;
use serde::{Deserialize, Serialize};

use super::{
    FigureFinding, FigureStatus, Page, QuoteFinding, QuoteStatus, StatedFigure, citations,
    derived::is_sum,
    figures, match_figures, one_line, quotes,
    remarks::{Named, remarks},
};
use crate::{fetch::Fetched, liveness::Liveness};

/// The verdict on a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceStanding {
    /// The words or figures of the claim stand on the page, and nothing that is looked at there speaks against
    /// them. Whether the page supports the claim is more than that.
    Verified,
    /// The page is gone, or does not say it.
    Unreliable,
    /// The page never was.
    Fabricated,
    /// The page could not be read, or it is not clear what it says: no penalty.
    Unverified,
    /// Nobody looked.
    Unchecked,
}

impl SourceStanding {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            SourceStanding::Verified => "verified",
            SourceStanding::Unreliable => "unreliable",
            SourceStanding::Fabricated => "fabricated",
            SourceStanding::Unverified => "unverified",
            SourceStanding::Unchecked => "unchecked",
        }
    }
}

/// The verdict on one source of a passage, with everything that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReport {
    /// As it was cited.
    pub url: String,
    /// Where it is in the end.
    pub final_url: String,
    /// Whether the page exists.
    pub liveness: Liveness,
    /// HTTP status, where there was one.
    pub http_status: Option<u16>,
    /// When it was fetched, UTC.
    pub fetched_at: Option<String>,
    /// SHA-256 of its body, under which it is kept.
    pub sha256: Option<String>,
    /// Title and date of the page; may be empty.
    pub title: String,
    /// Title and date of the page; may be empty.
    pub date: String,
    /// What it is worth.
    pub standing: SourceStanding,
    /// The code that decided: of a quotation, of a figure, or of the page.
    pub code: String,
    /// What decided it, in words.
    pub why: String,
    /// The sentence of the page that decided it.
    pub sentence: Option<String>,
    /// Quotations that were looked up here.
    pub quotes: Vec<QuoteFinding>,
    /// Figures that were looked up here.
    pub figures: Vec<FigureFinding>,
}

impl SourceReport {
    /// Whether the page was read and something was looked up there.
    pub fn is_checked(&self) -> bool {
        !self.quotes.is_empty()
            || !self.figures.is_empty()
            || matches!(self.standing, SourceStanding::Unreliable | SourceStanding::Fabricated)
    }

    /// Of a source that nobody looked at.
    pub fn unchecked(url: &str, why: &str) -> Self {
        let fetched = Fetched::unread(url, Liveness::Unchecked, why);
        bare(&fetched, SourceStanding::Unchecked)
    }

    /// Of a source at an address that nobody can open here.
    pub fn unopenable(url: &str, why: &str) -> Self {
        Self { code: UNOPENABLE.to_owned(), ..Self::unchecked(url, why) }
    }
}

/// Code of a source whose address is not a page of the web.
pub(super) const UNOPENABLE: &str = "no-web-address";

/// Fewest letters of a page that can be said not to hold something.
const READABLE_CHARS_MIN: usize = 120;
/// Words by which a page says that it shows less than it holds.
const WALLS: [&str; 10] = [
    "enable javascript",
    "javascript is disabled",
    "javascript is required",
    "subscribe to continue",
    "subscribe to read",
    "already a subscriber",
    "sign in to continue",
    "log in to continue",
    "verify you are human",
    "are you a robot",
];

/// Why nothing can be said not to stand on `page`; `None` where it is readable.
fn unreadable(fetched: &Fetched, page: &Page) -> Option<&'static str> {
    let text = &page.said.text;
    if fetched.is_cut {
        return Some("the page is longer than the part that was read");
    }
    let letters = text.chars().filter(|c| c.is_alphanumeric()).take(READABLE_CHARS_MIN).count();
    let short = text.chars().count() < 3_000;
    let lower = if short { text.to_lowercase() } else { String::new() };
    if WALLS.iter().any(|words| lower.contains(words)) {
        return Some("the page shows its text only to some readers");
    }
    (letters < READABLE_CHARS_MIN && !matches!(fetched.liveness, Liveness::Soft404))
        .then_some("the page has hardly any text")
}

fn bare(fetched: &Fetched, standing: SourceStanding) -> SourceReport {
    let page = fetched.page.as_deref();
    SourceReport {
        url: fetched.url.clone(),
        final_url: fetched.final_url.clone(),
        liveness: fetched.liveness,
        http_status: fetched.http_status,
        fetched_at: fetched.fetched_at.clone(),
        sha256: fetched.sha256.clone(),
        title: page.map(|page| one_line(&page.said.title, 200)).unwrap_or_default(),
        date: page.map(|page| one_line(&page.said.date, 40)).unwrap_or_default(),
        standing,
        code: fetched.liveness.name().to_owned(),
        why: one_line(&fetched.why, 300),
        sentence: None,
        quotes: Vec::new(),
        figures: Vec::new(),
    }
}

/// The verdict on each of the sources that `passage` rests on. A quotation or figure that stands on one
/// of them need not stand on the others; it is absent where all were read and none has it.
pub fn judge(passage: &str, sources: &[Fetched]) -> Vec<SourceReport> {
    judge_challenge(passage, "", sources)
}

/// The same of a `passage` that challenges the statement `challenged`: what stands there it names, and does not
/// claim.
pub fn judge_challenge(passage: &str, challenged: &str, sources: &[Fetched]) -> Vec<SourceReport> {
    let cited = &strip_invisible(passage);
    // What an address is made of says nothing of the claim.
    let passage = &citations::masked(cited);
    let named = Named::of(&citations::masked(&strip_invisible(challenged)));
    let quoted = quotes::quoted(passage);
    let conjecture = conjectured(passage);
    let skipped: Vec<_> = quoted.iter().cloned().chain(conjecture.clone()).collect();
    let quoted: Vec<_> =
        quoted.into_iter().filter(|at| !conjecture.iter().any(|range| range.contains(&at.start))).collect();
    let quoted: Vec<_> = quoted.into_iter().filter(|at| !named.quotes(&passage[at.clone()])).collect();
    let mut claimed = figures::claimed(passage, &skipped);
    claimed.retain(|figure| !named.gives(figure));
    let remarks = remarks(passage, cited, &quoted, &claimed);
    let mut reports: Vec<SourceReport> = sources.iter().map(by_liveness).collect();
    let readable: Vec<Option<&Page>> =
        sources.iter().map(|fetched| fetched.page.as_deref().filter(|_| reads(fetched))).collect();
    for (report, page) in reports.iter_mut().zip(&readable) {
        let Some(page) = page else { continue };
        report.quotes = quoted.iter().map(|at| quotes::look_up(passage, at.clone(), page)).collect();
        let look_up = |(figure, is_remark): (&StatedFigure, &bool)| FigureFinding {
            is_remark: *is_remark,
            ..match_figures::look_up(passage, figure, &claimed, page)
        };
        report.figures = claimed.iter().zip(&remarks).map(look_up).collect();
    }
    add_up(passage, &claimed, &readable, &mut reports);
    let all_read = readable
        .iter()
        .zip(sources)
        .all(|(page, fetched)| page.is_some_and(|page| unreadable(fetched, page).is_none()));
    settle(&mut reports);
    for (i, fetched) in sources.iter().enumerate() {
        let Some(page) = readable[i] else { continue };
        let unclear = unreadable(fetched, page)
            .or_else(|| (!all_read).then_some("another source of this passage could not be read"));
        decide(&mut reports[i], unclear);
    }
    reports
}

/// A figure that stands on none of the pages and is the sum of some that do is held against nobody.
fn add_up(passage: &str, claimed: &[StatedFigure], pages: &[Option<&Page>], reports: &mut [SourceReport]) {
    let all = |reports: &[SourceReport], i: usize, is: &dyn Fn(FigureStatus) -> bool| {
        reports.iter().filter_map(|report| report.figures.get(i)).any(|figure| is(figure.status))
    };
    let stands = |i: &usize| all(reports, *i, &|status| status == FigureStatus::ValueFound);
    let found: Vec<&StatedFigure> = (0..claimed.len()).filter(stands).map(|i| &claimed[i]).collect();
    let pages: Vec<&Page> = pages.iter().copied().flatten().collect();
    for (i, figure) in claimed.iter().enumerate() {
        if all(reports, i, &|status| status != FigureStatus::ValueAbsent)
            || !is_sum(passage, figure, &found, &pages)
        {
            continue;
        }
        for finding in reports.iter_mut().filter_map(|report| report.figures.get_mut(i)) {
            finding.status = FigureStatus::ValueElsewhere;
            finding.doubt = Some("only as a sum of figures of the cited pages".to_owned());
        }
    }
}

/// Whether what the page says can count.
fn reads(fetched: &Fetched) -> bool {
    matches!(fetched.liveness, Liveness::Live | Liveness::Moved | Liveness::DeadArchived)
}

/// Takes from each source what another one has: only the best finding of each claim counts, and what
/// none has counts against all that support nothing.
fn settle(reports: &mut [SourceReport]) {
    let quotes = reports.iter().map(|report| report.quotes.len()).max().unwrap_or(0);
    let figures = reports.iter().map(|report| report.figures.len()).max().unwrap_or(0);
    let rank = |quote: &QuoteFinding| (quote.status, quote.doubt.is_some());
    let best_quote: Vec<_> = (0..quotes)
        .map(|i| reports.iter().filter_map(|report| report.quotes.get(i)).map(rank).min())
        .collect();
    let best_figure: Vec<_> = (0..figures)
        .map(|i| reports.iter().filter_map(|report| report.figures.get(i)).map(|figure| figure.status).min())
        .collect();
    let supports = |report: &SourceReport| {
        report.quotes.iter().any(stands)
            || report.figures.iter().any(|figure| figure.status == FigureStatus::ValueFound)
    };
    let looked = |report: &SourceReport| !report.quotes.is_empty() || !report.figures.is_empty();
    let anybody_idle = reports.iter().any(|report| looked(report) && !supports(report));
    for report in reports {
        let supporting = supports(report);
        let keep = |own: bool, absent: bool| own || (absent && (!supporting || !anybody_idle));
        let mut i = 0;
        report.quotes.retain(|quote| {
            let best = best_quote[i];
            i += 1;
            let is_absent = best.is_some_and(|(status, _)| status == QuoteStatus::Absent);
            keep(Some(rank(quote)) == best && !is_absent, is_absent)
        });
        let mut i = 0;
        report.figures.retain(|figure| {
            let best = best_figure[i];
            i += 1;
            let absent = best == Some(FigureStatus::ValueAbsent);
            keep(Some(figure.status) == best && !absent, absent)
        });
    }
}

/// Whether the words of a quotation stand on the page and nothing speaks against them.
fn stands(quote: &QuoteFinding) -> bool {
    quote.status <= QuoteStatus::VerifiedEdited && quote.doubt.is_none()
}

fn by_liveness(fetched: &Fetched) -> SourceReport {
    let standing = match fetched.liveness {
        Liveness::NeverSeen => SourceStanding::Fabricated,
        Liveness::Missing | Liveness::Soft404 => SourceStanding::Unreliable,
        Liveness::Unchecked => SourceStanding::Unchecked,
        _ => SourceStanding::Unverified,
    };
    bare(fetched, standing)
}

/// The standing of a page that was read. `unclear` says why what is absent cannot count against it.
fn decide(report: &mut SourceReport, unclear: Option<&str>) {
    let absent = report.quotes.iter().find(|quote| quote.status == QuoteStatus::Absent);
    let figure =
        report.figures.iter().find(|figure| figure.status == FigureStatus::ValueAbsent && figure.is_strong);
    let near = report.quotes.iter().find(|quote| quote.status == QuoteStatus::Near);
    let found = report.quotes.iter().find(|quote| stands(quote));
    // A remark of the author next to quoted words says nothing against them.
    let is_claim = |figure: &&FigureFinding| found.is_none() || !figure.is_remark;
    let mut open = report.figures.iter().filter(|figure| figure.status != FigureStatus::ValueFound);
    let elsewhere = open.find(is_claim);
    let doubted =
        report.quotes.iter().find(|quote| quote.status <= QuoteStatus::VerifiedEdited && !stands(quote));
    let value = report.figures.iter().find(|figure| figure.status == FigureStatus::ValueFound);
    let says = |sentence: &Option<String>| {
        sentence.as_ref().map(|sentence| format!("; the page says: {sentence}")).unwrap_or_default()
    };
    let (mut standing, code, mut why, sentence) = if let Some(quote) = absent {
        (
            SourceStanding::Unreliable,
            "absent",
            format!("{:?} is not on the page", one_line(&quote.quote, 120)),
            None,
        )
    } else if let Some(figure) = figure {
        let why = format!("{} is not on the page{}", figure.figure, says(&figure.page_says));
        (SourceStanding::Unreliable, "value-absent", why, figure.page_says.clone())
    } else if let Some(quote) = near {
        let why = format!("the quotation differs: {}", quote.difference.as_deref().unwrap_or_default());
        (SourceStanding::Unverified, "near", why, quote.page_says.clone())
    } else if let Some(quote) = doubted {
        let code = if quote.status == QuoteStatus::Verified { "out-of-context" } else { "verified-edited" };
        let why = format!("the words are there, but {}", quote.doubt.as_deref().unwrap_or_default());
        (SourceStanding::Unverified, code, why, quote.page_says.clone())
    } else if let Some(figure) = elsewhere {
        let code =
            if figure.status == FigureStatus::ValueAbsent { "value-absent" } else { "value-elsewhere" };
        let why = if code == "value-absent" {
            format!("{} is not on the page, but little depends on it", figure.figure)
        } else {
            let doubt = figure.doubt.as_deref().unwrap_or("about something else");
            format!("the value of {} is on the page, but {doubt}{}", figure.figure, says(&figure.page_says))
        };
        (SourceStanding::Unverified, code, why, figure.page_says.clone())
    } else if let Some(quote) = found {
        let code = if quote.status == QuoteStatus::Verified { "verified" } else { "verified-edited" };
        (
            SourceStanding::Verified,
            code,
            match report.quotes.len() {
                1 => "the quotation is word for word on the page".to_owned(),
                all => format!("all {all} quotations are word for word on the page"),
            },
            quote.page_says.clone(),
        )
    } else if let Some(figure) = value {
        let why = format!("{} is there{}", figure.figure, says(&figure.page_says));
        (SourceStanding::Verified, "value-found", why, figure.page_says.clone())
    } else {
        let why = "the page exists; there is no quotation or figure to check".to_owned();
        (SourceStanding::Unverified, report.liveness.name(), why, None)
    };
    if let Some(unclear) = unclear.filter(|_| standing == SourceStanding::Unreliable) {
        standing = SourceStanding::Unverified;
        why = format!("{why}, but {unclear}");
    }
    if report.liveness == Liveness::DeadArchived {
        why = format!("the page is gone, this is its archived copy: {why}");
    }
    report.standing = standing;
    report.code = code.to_owned();
    report.why = one_line(&why, 600);
    report.sentence = sentence;
}

/// Sentences that are labelled as conjecture: they cite nothing.
fn conjectured(text: &str) -> Vec<std::ops::Range<usize>> {
    let labelled = crate::text::sentences::sentences(text).into_iter();
    let all = labelled.filter(|range| text[range.clone()].contains("[CONJECTURE]"));
    match text.trim_start().starts_with("[CONJECTURE]") {
        true => std::iter::once(0..text.len()).collect(),
        false => all.collect(),
    }
}
