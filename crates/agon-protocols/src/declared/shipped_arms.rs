//! Declared protocols that come with the program: the arms of an evaluation. A file of the project or the user
//! with the same name is taken in their place.

/// A declaration that is shipped: its name and its text.
pub type ShippedDeclaration = (&'static str, &'static str);

/// A declaration of the folder `arms`, with what all of them share and with further files of that folder.
macro_rules! arm {
    ($name:literal $(, $more:literal)*) => {
        ($name, concat!(
            include_str!(concat!("arms/", $name, ".toml")),
            include_str!("arms/item.toml")
            $(, include_str!(concat!("arms/", $more, ".toml")))*
        ))
    };
}

/// All of them, from the one that asks least to the one that asks most.
pub static ALL: &[ShippedDeclaration] = &[
    arm!("direct"),
    arm!("cot"),
    arm!("self-consistency"),
    arm!("critique"),
    arm!("consultancy", "speeches"),
    arm!("debate", "speeches"),
    arm!("debate-mirrored", "speeches"),
    arm!("judge-with-source", "speeches"),
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
