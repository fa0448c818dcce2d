//! Declared protocols that come with the program: the arms of an evaluation. A file of the project or the user
//! with the same name is taken in their place.

/// A declaration that is shipped: its name and its text.
pub type ShippedDeclaration = (&'static str, &'static str);

/// All of them, from the one that asks least to the one that asks most.
pub static ALL: &[ShippedDeclaration] = &[
    ("direct", concat!(include_str!("arms/direct.toml"), include_str!("arms/item.toml"))),
    ("cot", concat!(include_str!("arms/cot.toml"), include_str!("arms/item.toml"))),
    ("self-consistency", concat!(include_str!("arms/self-consistency.toml"), include_str!("arms/item.toml"))),
    ("critique", concat!(include_str!("arms/critique.toml"), include_str!("arms/item.toml"))),
    (
        "consultancy",
        concat!(
            include_str!("arms/consultancy.toml"),
            include_str!("arms/item.toml"),
            include_str!("arms/speeches.toml")
        ),
    ),
    (
        "debate",
        concat!(include_str!("arms/debate.toml"), include_str!("arms/item.toml"), include_str!("arms/speeches.toml")),
    ),
    (
        "debate-mirrored",
        concat!(
            include_str!("arms/debate-mirrored.toml"),
            include_str!("arms/item.toml"),
            include_str!("arms/speeches.toml")
        ),
    ),
    (
        "judge-with-source",
        concat!(
            include_str!("arms/judge-with-source.toml"),
            include_str!("arms/item.toml"),
            include_str!("arms/speeches.toml")
        ),
    ),
];

/// The text of the shipped declaration called `name`.
pub fn find_shipped_text(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared;

    #[test]
    fn what_is_shipped_is_sound_and_bears_its_name() {
        for (name, text) in ALL {
            let declaration = declared::parse_declaration(text).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            assert_eq!(declaration.name, *name);
        }
        assert!(find_shipped_text("direct").is_some() && find_shipped_text("delphi").is_none());
    }
}
