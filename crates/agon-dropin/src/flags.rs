//! Parses flags as the source systems do: in any order, and the last one of a name counts.

use std::collections::BTreeMap;

/// The flags that a verb accepts.
pub struct VerbFlags {
    /// Flags with a value that must be there.
    pub required: &'static [&'static str],
    /// Flags with a value that may be left out.
    pub optional: &'static [&'static str],
    /// Flags without a value.
    pub switches: &'static [&'static str],
}

/// The flags of a command line, by name.
#[derive(Debug, Default)]
pub struct Flags(BTreeMap<&'static str, String>);

impl Flags {
    /// Reads `words`; says what is wrong with them.
    pub fn parse(words: &[String], known: &VerbFlags) -> Result<Self, String> {
        let mut flags = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let named = word.strip_prefix("--").ok_or_else(|| format!("unexpected argument {word:?}"))?;
            let (name, value) = match named.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (named, None),
            };
            let of = |flags: &[&'static str]| flags.iter().copied().find(|flag| *flag == name);
            if let Some(flag) = of(known.switches) {
                flags.0.insert(flag, String::new());
            } else if let Some(flag) = of(known.required).or_else(|| of(known.optional)) {
                let value = value.or_else(|| words.next().cloned());
                let value = value.ok_or_else(|| format!("option '--{flag}' wants a value"))?;
                flags.0.insert(flag, value);
            } else {
                return Err(format!("unknown option '--{name}'"));
            }
        }
        match known.required.iter().find(|flag| !flags.0.contains_key(**flag)) {
            Some(flag) => Err(format!("required option '--{flag}' not specified")),
            None => Ok(flags),
        }
    }

    /// The value of a flag that must be there.
    pub fn required_value(&self, name: &str) -> &str {
        self.optional_value(name).unwrap_or_default()
    }

    /// The value of a flag, if it was given.
    pub fn optional_value(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether a switch was given.
    pub fn has_switch(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: VerbFlags = VerbFlags { required: &["id"], optional: &["topic"], switches: &["close"] };

    fn read(line: &[&str]) -> Result<Flags, String> {
        Flags::parse(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), &KNOWN)
    }

    #[test]
    fn flags_come_in_any_order_and_the_last_counts() {
        let flags = read(&["--close", "--id=1", "--topic", "--id", "--id", "2"]).unwrap();
        assert_eq!((flags.required_value("id"), flags.optional_value("topic")), ("2", Some("--id")));
        assert!(flags.has_switch("close"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, says) in [
            (vec!["--topic", "x"], "required option '--id' not specified"),
            (vec!["--id"], "option '--id' wants a value"),
            (vec!["--id", "1", "--more"], "unknown option '--more'"),
            (vec!["--id", "1", "more"], "unexpected argument \"more\""),
        ] {
            assert_eq!(read(&line).unwrap_err(), says);
        }
    }
}
