//! What this program was built with.

/// The features of this package that change what the program can do, and whether this build has each.
pub const ALL: [(&str, bool); 4] = [
    ("local", cfg!(feature = "local")),
    ("cluster", cfg!(feature = "cluster")),
    ("oidc", cfg!(feature = "oidc")),
    ("otel", cfg!(feature = "otel")),
];

/// What to do about one that is lacking.
pub const REMEDY: &str = "take a package for servers, or build it with that feature; docs/install.md describes both";

/// Their names, those that the build has first: "local; without cluster, oidc, otel".
pub fn describe_features() -> String {
    let named = |wanted: bool| {
        let names = ALL.iter().filter(|(_, has)| *has == wanted).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(", ")
    };
    match (named(true), named(false)) {
        (has, lacks) if lacks.is_empty() => has,
        (has, lacks) if has.is_empty() => format!("none of {lacks}"),
        (has, lacks) => format!("{has}; without {lacks}"),
    }
}
