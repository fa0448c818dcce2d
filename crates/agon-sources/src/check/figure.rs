//! A figure in a text: its value, unit, kind and precision.

use std::ops::Range;

use super::{bounds::Bound, numerals::Number, units::Unit};

/// The kind of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// An amount.
    Amount,
    /// A year.
    Year,
    /// A day, or a month of a year: year, month, day; 0 where not said.
    Date(i32, u8, u8),
}

/// A figure in a text: its value, unit and precision, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedFigure {
    /// Where it stands, in bytes, unit included.
    pub at: Range<usize>,
    /// Its digits as they are written.
    pub written: String,
    /// Its value, scale included and unit not; further ones where its separators can be read otherwise.
    pub values: Vec<Number>,
    /// What it measures.
    pub unit: Unit,
    /// What kind it is.
    pub sort: Sort,
    /// Whether the text says that it is rounded, or a bound.
    pub bound: Bound,
    /// The power of ten of its last written digit, for rounding.
    pub precision: i32,
    /// Whether it is more than a small count: with unit, scale, decimals or two digits at least.
    pub is_strong: bool,
    /// Whether it is only another way to read what stands there: `9 120` as two numbers, a third as 33 %.
    pub is_aside: bool,
}
