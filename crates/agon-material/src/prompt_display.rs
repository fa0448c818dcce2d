//! How prompts show characters and paths, for those who repeat them.

/// How a character counts where prompts show it: none where they do not. What they write for several characters counts
/// as one of these.
pub type ShownChar = fn(char) -> Option<char>;

/// A path as those repeat it who read it in a prompt, where `shown` tells what becomes of each character:
/// with single blanks, none at its ends, and no quotes of any kind.
pub(crate) fn repeated_path(path: &str, shown: ShownChar) -> String {
    let is_quote = |c: &char| matches!(c, '`' | '"' | '\'' | '‘' | '’' | '“' | '”');
    let path: String = path.chars().filter_map(shown).filter(|c| !is_quote(c)).collect();
    let path = path.split_whitespace().collect::<Vec<_>>().join(" ");
    path.strip_prefix("./").map_or(path.clone(), str::to_owned)
}
