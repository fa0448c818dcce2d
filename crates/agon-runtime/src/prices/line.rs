//! Lines of models: names that differ in their version alone, such as `claude-opus-4-8` and `claude-opus-5`.

use super::{Catalogue, ListedModel, is_date};

/// Parts of a name that say how far a version has come, not which model it is.
const STAGES: [&str; 3] = ["preview", "latest", "exp"];

impl Catalogue {
    /// The newest listed model of a provider whose name is `line` but for its version.
    pub fn newest_of(&self, provider: &str, line: &str) -> Option<&ListedModel> {
        let of_line = |model: &&ListedModel| model.provider == provider && line_of(&model.name) == line;
        self.models.iter().filter(of_line).max_by_key(|model| version_of(&model.name))
    }

    /// What to take in the place of a model that its provider no longer serves: the newest of its line, or else the
    /// model that the provider's bare name stands for. `None` where nothing says that it is retired.
    pub fn successor_of(&self, provider: &str, model: &str) -> Option<&str> {
        let listed = self.providers.get(provider)?;
        listed.retired.iter().find(|name| *name == model)?;
        let newest = self.newest_of(provider, &line_of(model)).map(|model| model.name.as_str());
        newest.or(listed.default.as_deref())
    }
}

/// Parts of a name, without the date of a version.
fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    let undated = name.char_indices().find(|(at, c)| *c == '-' && is_date(&name[at + 1..]));
    undated.map_or(name, |(at, _)| &name[..at]).split(['-', '.'])
}

/// A name without its version.
fn line_of(name: &str) -> String {
    let is_word = |part: &&str| !part.contains(|c: char| c.is_ascii_digit()) && !STAGES.contains(part);
    name_parts(name).filter(is_word).collect::<Vec<_>>().join("-")
}

/// The numbers of a version, the first of which counts most.
fn version_of(name: &str) -> Vec<u32> {
    let number = |part: &str| {
        let digits: String = part.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    name_parts(name).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Prices;

    #[test]
    fn the_newest_of_a_line_is_that_with_the_highest_version() {
        let mut catalogue = Prices::default().0.as_ref().clone();
        let template = catalogue.models[0].clone();
        let listed = |provider: &str, name: &str| ListedModel {
            provider: provider.into(),
            name: name.into(),
            ..template.clone()
        };
        catalogue.models = vec![
            listed("a", "x-opus-4-8"),
            listed("a", "x-opus-10"),
            listed("a", "x-opus-9-5"),
            listed("a", "x-mini-2.5-preview"),
            listed("a", "x-4o-mini"),
            listed("b", "x-opus-11"),
        ];
        let newest = |line: &str| catalogue.newest_of("a", line).map(|model| model.name.as_str());
        assert_eq!((newest("x-opus"), newest("x-mini")), (Some("x-opus-10"), Some("x-4o-mini")));
        assert_eq!(newest("x"), None);
    }

    #[test]
    fn a_retired_model_has_a_successor_that_is_listed() {
        let prices = Prices::default();
        let mut count = 0;
        for (provider, listed) in &prices.providers {
            for retired in &listed.retired {
                let successor = prices.successor_of(provider, retired).unwrap();
                assert!(prices.models.iter().any(|model| model.name == successor), "{retired}: {successor}");
                assert!(prices.models.iter().all(|model| model.name != *retired), "{retired} has a price");
                count += 1;
            }
        }
        assert!(count > 10, "{count}");
        assert_eq!(prices.successor_of("openai", "gpt-4-turbo"), Some("gpt-6.1-terra"));
        assert_eq!(prices.successor_of("openai", "gpt-5.5"), None);
    }
}
