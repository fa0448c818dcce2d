//! The dimensions of a code review and their results, as a line has them.

/// What a review looks at, in its order.
pub const DIMENSIONS: [&str; 7] =
    ["correctness", "completeness", "security", "integration", "stub detection", "quality", "regressions"];
/// What it says of each, the longer word before the shorter one that begins it.
pub const RESULTS: [&str; 3] = ["pass-with-advisory", "pass", "fail"];
/// The same as it is spoken.
const SPOKEN: (&str, &str) = ("pass with advisory", "pass-with-advisory");

/// A dimension and its result, where a line begins with its name and a mark. The result is one of [`RESULTS`], or a
/// form of it, and nothing else follows but a note in brackets, behind a dash, or in another cell.
pub(super) fn parse_dimension(line: &str) -> Option<(&'static str, Option<&'static str>)> {
    const MARKS: [char; 7] = ['*', '`', '_', '[', ']', ' ', '\t'];
    let words = line.trim().trim_start_matches(['-', '*', '|', ' ']).to_lowercase();
    let words = words.replace("stub-detection", "stub detection");
    let name = DIMENSIONS.into_iter().find(|name| words.starts_with(name))?;
    let rest = words[name.len()..].trim_start_matches(MARKS);
    let rest = rest.strip_prefix([':', '|', '-', '—', '–'])?.trim_start_matches([':', '|']).trim_start_matches(MARKS);
    // The longer one first: "pass" begins it.
    let known = [SPOKEN].into_iter().chain(RESULTS.map(|result| (result, result)));
    let is_end = |result: &str, after: &str| {
        let after = after.trim_start_matches(MARKS);
        let is_note = after.is_empty() || after.starts_with(['(', '|', '—', '–']) || after.starts_with("- ");
        is_note || (result == "fail" && !after.starts_with('-'))
    };
    let result = known.into_iter().find(|(word, result)| {
        let after = rest.strip_prefix(word).filter(|after| !after.starts_with(|c: char| c.is_alphanumeric()));
        after.is_some_and(|after| is_end(result, after))
    });
    Some((name, result.map(|(_, result)| result)))
}
