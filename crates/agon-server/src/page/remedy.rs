//! What the program says to a command line, as pages say it: the field in place of the flag that sets the same, and no
//! remedy that only a command line has.

use crate::Refusal;

/// What a page calls the field that sets the same as a flag, where it has one.
pub(super) type FieldLabels<'a> = &'a dyn Fn(&str) -> Option<String>;

/// `text` with fields in place of flags; a flag without a field stays.
pub(super) fn name_fields(text: &str, label_of: FieldLabels<'_>) -> String {
    let (mut told, mut rest) = (String::new(), text);
    while let Some((at, flag)) = find_flag(rest) {
        told.push_str(&rest[..at]);
        told.push_str(&label_of(flag).map_or_else(|| format!("--{flag}"), |label| format!("“{label}”")));
        rest = &rest[at + 2 + flag.len()..];
    }
    told + rest
}

/// What a reader of a page can do; empty where that is nothing.
pub(super) fn page_remedy(refusal: &Refusal, label_of: FieldLabels<'_>) -> String {
    if !refusal.of_command {
        return refusal.remedy.clone();
    }
    let parts = refusal.remedy.split_inclusive([';', '?']).map(|part| name_fields(part, label_of));
    let told: String = parts.filter(|part| find_flag(part).is_none() && !part.contains("agon ")).collect();
    told.trim().trim_end_matches(';').to_owned()
}

/// The first flag of `text` without its dashes, and where it begins.
fn find_flag(text: &str) -> Option<(usize, &str)> {
    text.match_indices("--").find_map(|(at, _)| {
        let is_first = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let rest = &text[at + 2..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        (is_first && rest.starts_with(|c: char| c.is_ascii_lowercase())).then(|| (at, &rest[..end]))
    })
}

#[cfg(test)]
mod tests {
    use agon_app::Failure;

    use super::*;

    #[test]
    fn a_page_speaks_of_its_fields_and_of_no_command() {
        let label_of = |flag: &str| (flag == "max-tokens").then(|| "Maximum tokens".to_owned());
        for (text, told) in [
            ("--max-tokens 9 (a--b, ---, --): too few", "“Maximum tokens” 9 (a--b, ---, --): too few"),
            ("raise --max-tokens, or omit --offline", "raise “Maximum tokens”, or omit --offline"),
        ] {
            assert_eq!(name_fields(text, &label_of), told);
        }
        for (remedy, told) in [
            ("use at least 9 --max-tokens; then continue with: agon resume d1", "use at least 9 “Maximum tokens”"),
            ("did you mean local? agon doctor shows the available models", "did you mean local?"),
            ("omit --offline", ""),
            ("wait until it ends", "wait until it ends"),
        ] {
            assert_eq!(page_remedy(&Failure::usage("m", remedy).into(), &label_of), told);
        }
        // What the server itself says is said to people.
        let own = Refusal::unusable("m", "use the link that agon serve printed");
        assert_eq!(page_remedy(&own, &label_of), own.remedy);
    }
}
