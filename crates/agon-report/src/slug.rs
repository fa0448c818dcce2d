//! Short names made from a motion, for a debate's folder and for files of the exchange format.

use agon_core::{DebateId, Record};
use agon_text::hyphenate;

/// Longest name made from a motion, in bytes.
const SLUG_BYTES_MAX: usize = 60;
/// Option of a debate whose folder got another name than its motion gives, because that was taken.
pub const OPTION: &str = "slug";

/// Lower-case letters, digits and hyphens out of a motion; the id where the motion has no letter of
/// those.
pub fn of_motion(motion: &str, id: &DebateId) -> String {
    let whole = hyphenate(motion.chars().map(|c| c.to_ascii_lowercase()));
    let slug = whole.get(..SLUG_BYTES_MAX).unwrap_or(&whole).trim_end_matches('-');
    if slug.chars().any(|c| c.is_ascii_lowercase()) { slug.to_owned() } else { format!("debate-{id}") }
}

/// The name of a debate: that of its folder below `debates`, where it has one there.
pub fn debate_name(record: &Record) -> String {
    let opened = record.opened();
    let named = opened.options.get(OPTION).and_then(|slug| slug.as_str());
    named.map_or_else(|| of_motion(&opened.motion, &opened.debate), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_never_leave_their_folder_and_always_name_something() {
        let id = DebateId::new("x1").unwrap();
        assert_eq!(of_motion("This House would: pause!", &id), "this-house-would-pause");
        assert_eq!(of_motion("../../etc/passwd", &id), "etc-passwd");
        assert_eq!(of_motion("Вопрос", &id), "debate-x1");
        assert_eq!(of_motion("123", &id), "debate-x1");
        assert!(of_motion(&"long ".repeat(100), &id).len() <= SLUG_BYTES_MAX);
    }
}
