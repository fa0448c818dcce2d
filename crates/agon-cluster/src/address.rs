//! Addresses of Restate and of workers, as a user gives them.

use agon_app::Failure;
use url::Url;

/// Longest list of addresses.
const ADDRESSES_MAX: usize = 32;

/// The addresses in `given`, a comma-separated list; messages call the option `option`.
///
/// # Errors
///
/// Where one is not an `http` or `https` address without a path, with exit code 2.
pub fn parse_addresses(option: &str, given: &str) -> Result<Vec<Url>, Failure> {
    let words: Vec<&str> = given.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || words.len() > ADDRESSES_MAX {
        let message = format!("{option}: {} addresses; 1 to {ADDRESSES_MAX} are allowed", words.len());
        return Err(Failure::usage(message, "separate the addresses of several nodes by commas"));
    }
    words.into_iter().map(|word| parse_address(option, word)).collect()
}

/// One address.
///
/// # Errors
///
/// The same.
pub fn parse_address(option: &str, word: &str) -> Result<Url, Failure> {
    let wrong = |why: &str| {
        let shown: String = word.chars().take(100).collect();
        Failure::usage(format!("{option}: {shown:?}: {why}"), "give an address like http://127.0.0.1:8080")
    };
    let url = Url::parse(word).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("not an http or https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("an address must not contain a user or a password"));
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("an address has no path here"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_before_they_are_used() {
        let of = |given| parse_addresses("--on", given);
        let two = of("http://a:8080, https://b").unwrap();
        assert_eq!(two.iter().map(Url::as_str).collect::<Vec<_>>(), ["http://a:8080/", "https://b/"]);
        for wrong in ["", ",", "a:8080", "ftp://a", "http://u:p@a", "http://a/x", "http://a?x=1", "http://"] {
            let failure = of(wrong).unwrap_err();
            assert_eq!((failure.exit, failure.message.contains("--on")), (2, true), "{wrong}: {failure:?}");
            assert!(!failure.message.contains("a user or") || failure.message.contains("must not"));
        }
    }
}
