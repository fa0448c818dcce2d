//! What the comparison of a page with what is cited from it comes to.

/// What a source is worth, by comparison alone.
pub use agon_core::SourceStatus as SourceStanding;
use agon_text::{count_words, strip_invisible};
use serde::Serialize;

use super::{Page, QuoteFinding, QuoteStatus, citations, figures, one_line, quotes};
use crate::{fetch::Fetched, liveness::Liveness};

/// What was found about one source of a passage, with everything that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// The code that decided: of a quotation, or of the page.
    pub code: String,
    /// What decided it, in words.
    pub why: String,
    /// What the page says where the quotation stands, or where something like it does.
    pub sentence: Option<String>,
    /// Quotations that were looked up here.
    pub quotes: Vec<QuoteFinding>,
    /// Figures of the passage, and whether their digits stand here. They decide nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<figures::FigureFinding>,
}

impl SourceReport {
    /// Whether something was compared, or the page is gone.
    pub fn is_checked(&self) -> bool {
        !self.quotes.is_empty() || matches!(self.standing, SourceStanding::Unreliable | SourceStanding::Fabricated)
    }

    /// Of a source that nobody looked at.
    pub fn unchecked(url: &str, why: &str) -> Self {
        report_liveness(&Fetched::unread(url, Liveness::Unchecked, why))
    }

    /// Of a source at an address that nobody can open here.
    pub fn unopenable(url: &str, why: &str) -> Self {
        Self { code: UNOPENABLE.to_owned(), ..Self::unchecked(url, why) }
    }
}

/// Code of a source whose address is not a page of the web.
pub(super) const UNOPENABLE: &str = "no-web-address";
/// Code of a page that opens, where nothing is quoted from it.
const NO_QUOTE: &str = "no-quote";
/// Code of a quotation that is too short to be looked up.
const SHORT_QUOTE: &str = "short-quote";

/// Fewest words of a page that can be said not to hold a quotation, and how many times as many words as the quotation
/// it has at least.
const READ_WORDS_MIN: usize = 200;
const READ_TIMES_QUOTE: usize = 10;

/// Why `quote` cannot be said to be absent from the page; `None` where it was read whole.
fn part_read(fetched: &Fetched, page: &Page, quote: &str) -> Option<&'static str> {
    if fetched.is_cut {
        return Some("the page is longer than the part that was read");
    }
    let fewest = READ_WORDS_MIN.max(count_words(quote) * READ_TIMES_QUOTE);
    (page.word_count < fewest).then_some("the page has too little text to be sure that it was read whole")
}

/// What the page alone comes to.
fn report_liveness(fetched: &Fetched) -> SourceReport {
    let page = fetched.page.as_deref();
    let standing = match fetched.liveness {
        Liveness::NeverSeen => SourceStanding::Fabricated,
        Liveness::Missing => SourceStanding::Unreliable,
        Liveness::Unchecked => SourceStanding::Unchecked,
        _ => SourceStanding::Unverified,
    };
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
        code: fetched.liveness.to_string(),
        why: one_line(&fetched.why, 300),
        sentence: None,
        quotes: Vec::new(),
        figures: Vec::new(),
    }
}

/// The page of `fetched`, where what it says can count.
fn find_readable_page(fetched: &Fetched) -> Option<&Page> {
    fetched.page.as_deref().filter(|_| fetched.liveness.is_readable())
}

/// What came of one source that is cited with words of its own: `quote`, which may be empty.
pub fn compare_citation(quote: &str, fetched: &Fetched) -> SourceReport {
    let mut report = report_liveness(fetched);
    let Some(page) = find_readable_page(fetched) else { return report };
    let quote = strip_invisible(quote);
    let quote = strip_quotation_marks(&quote);
    if quotes::is_long_enough(quote) {
        report.quotes.push(quotes::look_up(quote, page));
    }
    decide_standing(&mut report, fetched, page, true);
    if report.code == NO_QUOTE && !quote.is_empty() {
        report.code = SHORT_QUOTE.to_owned();
        report.why = format!("{:?} is too short to be compared: quote four words or more", one_line(quote, 60));
    }
    report
}

/// A quotation without the marks around the whole of it.
fn strip_quotation_marks(quote: &str) -> &str {
    let quote = quote.trim();
    let mut quotations = agon_text::find_quotations(quote).into_iter();
    match (quotations.next(), quotations.next()) {
        (Some(only), None) if quote.chars().count() <= only.text.chars().count() + 2 => only.text,
        _ => quote,
    }
}

/// What came of each of the sources that the prose of `passage` cites. What stands in quotation marks there is quoted
/// from one of them: it need not stand on the others, and it is absent where all were read whole and none has it.
pub fn compare_passage(passage: &str, sources: &[Fetched]) -> Vec<SourceReport> {
    let words = citations::replace_addresses(&strip_invisible(passage), " ");
    let quoted = quotes::find_long_quotations(&words);
    let mut reports: Vec<SourceReport> = sources.iter().map(report_liveness).collect();
    for (report, fetched) in reports.iter_mut().zip(sources) {
        let Some(page) = find_readable_page(fetched) else { continue };
        report.quotes = quoted.iter().map(|quote| quotes::look_up(quote, page)).collect();
        report.figures = figures::look_up_figures(&words, page);
    }
    share_quotes(&mut reports);
    let all_read = sources.iter().all(|fetched| find_readable_page(fetched).is_some());
    for (report, fetched) in reports.iter_mut().zip(sources) {
        if let Some(page) = find_readable_page(fetched) {
            decide_standing(report, fetched, page, all_read);
        }
    }
    reports
}

/// Takes from each source the quotations that another one has: only the best finding of each counts, and what none has
/// counts against those that hold no other.
fn share_quotes(reports: &mut [SourceReport]) {
    let count = reports.iter().map(|report| report.quotes.len()).max().unwrap_or(0);
    let status = |report: &SourceReport, i: usize| report.quotes.get(i).map(|quote: &QuoteFinding| quote.status);
    let best: Vec<Option<QuoteStatus>> =
        (0..count).map(|i| reports.iter().filter_map(|report| status(report, i)).min()).collect();
    let holds = |report: &SourceReport| report.quotes.iter().any(is_on_page);
    let is_any_idle = reports.iter().any(|report| !report.quotes.is_empty() && !holds(report));
    for report in reports {
        let is_idle = !holds(report);
        let mut best = best.iter();
        report.quotes.retain(|quote| {
            let is_best = best.next().is_some_and(|best| *best == Some(quote.status));
            is_best && (is_on_page(quote) || is_idle || !is_any_idle)
        });
    }
}

/// Whether the words of a quotation stand on the page.
fn is_on_page(quote: &QuoteFinding) -> bool {
    quote.status <= QuoteStatus::VerifiedEdited
}

/// The standing of a page that was read. `all_read` says whether every page was that a quotation may be from.
fn decide_standing(report: &mut SourceReport, fetched: &Fetched, page: &Page, all_read: bool) {
    let wrong = report.quotes.iter().find(|quote| !is_on_page(quote));
    let (mut standing, code, mut why, sentence) = match (wrong, report.quotes.first()) {
        (Some(quote), _) if quote.status == QuoteStatus::Near => {
            let why = format!("the quotation differs: {}", quote.difference.as_deref().unwrap_or_default());
            (SourceStanding::Unreliable, "near", why, quote.page_says.clone())
        }
        (Some(quote), _) => {
            let why = format!("{:?} is not on the page", one_line(&quote.quote, 120));
            (SourceStanding::Unreliable, "absent", why, None)
        }
        (None, Some(first)) => {
            let is_edited = report.quotes.iter().any(|quote| quote.status == QuoteStatus::VerifiedEdited);
            let code = if is_edited { "verified-edited" } else { "verified" };
            let what = match report.quotes.len() {
                1 => "the quotation stands on the page, word for word".to_owned(),
                all => format!("all {all} quotations stand on the page, word for word"),
            };
            let marked = if is_edited { " but for what is marked as left out or put in" } else { "" };
            (SourceStanding::Verified, code, format!("{what}{marked}"), first.page_says.clone())
        }
        (None, None) => {
            let why = "the page opens; nothing is quoted from it".to_owned();
            (SourceStanding::Unverified, NO_QUOTE, why, None)
        }
    };
    let unclear = || {
        let other = (!all_read).then_some("another source of this passage could not be read");
        part_read(fetched, page, &wrong?.quote).or(other)
    };
    if let Some(unclear) = unclear().filter(|_| standing == SourceStanding::Unreliable) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::PageText;

    const SAID: &str = "The town planted 4,000 trees along the river in spring.";

    fn page(url: &str, text: &str, filler: usize) -> Fetched {
        let text = format!("{text} {}", "More words that fill the page with something to read. ".repeat(filler));
        let said = PageText { text, ..PageText::default() };
        Fetched { page: Some(Page::from_text(said).into()), ..Fetched::unread(url, Liveness::Live, "") }
    }

    fn outcome(quote: &str, fetched: &Fetched) -> (SourceStanding, String) {
        let report = compare_citation(quote, fetched);
        (report.standing, report.code)
    }

    #[test]
    fn a_quotation_stands_or_does_not_or_nobody_can_say() {
        use SourceStanding::{Unreliable, Unverified, Verified};
        let (long, short) = (page("https://a.b", SAID, 30), page("https://a.b", SAID, 5));
        for (quote, fetched, standing, code) in [
            ("planted 4,000 trees along the river", &long, Verified, "verified"),
            ("“planted 4,000 trees along the river”", &long, Verified, "verified"),
            ("The town planted 4,000 trees … in spring", &long, Verified, "verified-edited"),
            ("planted 4,001 trees along the river", &long, Unreliable, "near"),
            ("cut every tree along the river down", &long, Unreliable, "absent"),
            ("cut every tree along the river down", &short, Unverified, "absent"),
            ("planted 4,000 trees along the river", &short, Verified, "verified"),
            ("", &long, Unverified, NO_QUOTE),
            ("4,000 trees", &long, Unverified, SHORT_QUOTE),
        ] {
            assert_eq!(outcome(quote, fetched), (standing, code.to_owned()), "{quote}");
        }
        let cut = Fetched { is_cut: true, ..long };
        assert_eq!(outcome("cut every tree along the river down", &cut).0, Unverified);
    }

    #[test]
    fn a_page_behind_a_wall_is_known_by_what_could_be_read() {
        let wall = page("https://a.b", "Subscribe to continue. Already a subscriber?", 3);
        assert_eq!(outcome("planted 4,000 trees along the river", &wall).0, SourceStanding::Unverified);
        let about = page("https://a.b", "Subscribe to continue, says the sign. ", 40);
        assert_eq!(outcome("planted 4,000 trees along the river", &about).0, SourceStanding::Unreliable);
    }

    #[test]
    fn a_quotation_of_prose_stands_on_one_of_its_pages() {
        let (one, other) = (page("https://a.b", SAID, 30), page("https://c.d", "Nothing of it.", 40));
        let standings = |passage: &str, pages: &[Fetched]| -> Vec<SourceStanding> {
            compare_passage(passage, pages).into_iter().map(|report| report.standing).collect()
        };
        use SourceStanding::{Unreliable, Unverified, Verified};
        let said = "They \"planted 4,000 trees along the river\" (https://a.b, https://c.d).";
        assert_eq!(standings(said, &[one.clone(), other.clone()]), [Verified, Unverified]);
        let wrong = "They \"cut every tree along the river down\" (https://a.b, https://c.d).";
        assert_eq!(standings(wrong, &[one.clone(), other]), [Unreliable, Unreliable]);
        let unread = Fetched::unread("https://e.f", Liveness::Blocked, "");
        assert_eq!(standings(wrong, &[one.clone(), unread]), [Unverified, Unverified]);
        assert_eq!(standings("It had 91 trees.", &[one]), [Unverified], "a figure gives no verdict");
    }
}
