//! Citations: what a statement rests on, word for word, and what came of comparing it with its source.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What a citation refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CitationKind {
    /// A page of the web, by its address.
    Page,
    /// A place in the material of the debate: a quotation, a heading or a line of it.
    Material,
    /// What was said in an earlier turn.
    Turn,
    /// A principle, which nothing can be compared with.
    Principle,
}

/// One citation of a statement. Every form that asks for grounds, support or sources uses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// What it refers to.
    pub kind: CitationKind,
    /// The address, the place in the material, the turn, or the principle.
    pub source: String,
    /// Words of the source, copied word for word; empty where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// The title of a page; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The day on which a page was read, `YYYY-MM-DD`; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub accessed: String,
    /// How a number of the statement follows from figures of quotations, as `138 - 19 = 119`; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub calculation: String,
}

impl Citation {
    /// A page that is cited without words of it.
    pub fn cite_page(source: impl Into<String>) -> Self {
        let (quote, title, accessed, calculation) = Default::default();
        Self { kind: CitationKind::Page, source: source.into(), quote, title, accessed, calculation }
    }
}

/// What came of comparing a citation with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SourceStatus {
    /// The quotation stands on the page. Whether it bears out the claim is for a reader to say.
    Verified,
    /// The page is gone, or was read whole and does not hold the quotation.
    Unreliable,
    /// The page never was.
    Fabricated,
    /// There was nothing to compare, or the page could not be read whole.
    Unverified,
    /// Nobody opened the page.
    Unchecked,
}

impl SourceStatus {
    /// All, in the order of reports.
    pub const ALL: [Self; 5] = [Self::Verified, Self::Unreliable, Self::Fabricated, Self::Unverified, Self::Unchecked];

    /// As files write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the comparison came to something: the statuses that a log knows.
    pub fn is_result(self) -> bool {
        matches!(self, SourceStatus::Verified | SourceStatus::Unreliable | SourceStatus::Fabricated)
    }
}
