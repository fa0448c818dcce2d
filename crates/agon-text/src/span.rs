//! A part of a text that knows where it stands.

use std::ops::Range;

/// A part of a text, with the bytes that it takes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span<'t> {
    /// As it is written.
    pub text: &'t str,
    /// Where it stands in the whole text.
    pub range: Range<usize>,
}

impl<'t> Span<'t> {
    /// The bytes `range` of `whole`, which begin and end between characters.
    pub(crate) fn new(whole: &'t str, range: Range<usize>) -> Self {
        Self { text: &whole[range.clone()], range }
    }

    /// The same without white space at its ends.
    pub fn trim(self) -> Self {
        let text = self.text.trim();
        let start = self.range.start + (self.text.len() - self.text.trim_start().len());
        Self { text, range: start..start + text.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_trimmed_span_knows_where_it_stands() {
        let whole = "a  b \n";
        let span = Span::new(whole, 1..whole.len()).trim();
        assert_eq!((span.text, span.range.clone()), ("b", 3..4));
        assert_eq!(Span::new("a  ", 1..3).trim().text, "");
    }
}
