//! What opens a debate: its motion, its limits, its id, its folder. Everything is checked here,
//! before anything is paid for.

use std::{
    io::Read,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use agon_core::{DebateId, Digest, Extension, Limits, Manifest};
use agon_protocols::common::fields::one_line;
use agon_runtime::{
    config::{LimitsConfig, seconds},
    files::{check_writable, is_free},
};
use serde_json::{Value, json};

use crate::{
    cli::{BudgetArgs, RunArgs},
    failure::{Failure, Result, exit},
};

/// Longest motion, in characters.
const MOTION_CHARS_MAX: usize = 20_000;
/// Longest file name made from a motion, in bytes.
const SLUG_BYTES_MAX: usize = 60;

/// The motion: a text, or what a file holds.
pub fn motion(given: Option<&str>) -> Result<String> {
    let Some(given) = given else {
        return Err(Failure::usage("no motion", "name what is debated: a text, or a file that holds it"));
    };
    let path = Path::new(given);
    let is_file = given.len() < 4096 && !given.contains('\n') && path.exists();
    let text = if is_file { read(path)? } else { given.to_owned() };
    if !is_file && looks_like_a_path(given) {
        return Err(Failure::usage(format!("no file {given}"), "check its name, or write the motion out"));
    }
    motion_text(&text)
}

/// The motion out of a text that is no name of a file.
pub fn motion_text(text: &str) -> Result<String> {
    let motion = text.trim();
    if !motion.chars().any(char::is_alphanumeric) {
        return Err(Failure::usage(
            "the motion is empty",
            "name what is debated, for example \"This house would …\"",
        ));
    }
    let length = motion.chars().count();
    if length > MOTION_CHARS_MAX {
        return Err(Failure::usage(
            format!("the motion has {length} characters, and at most {MOTION_CHARS_MAX} are taken"),
            "say in a sentence or a page what is debated",
        ));
    }
    Ok(motion.to_owned())
}

fn looks_like_a_path(text: &str) -> bool {
    !text.contains(char::is_whitespace) && [".md", ".txt", ".markdown"].iter().any(|end| text.ends_with(end))
}

fn read(path: &Path) -> Result<String> {
    let name = path.display();
    if path.is_dir() {
        return Err(Failure::usage(format!("{name} is a folder"), "name a file, or write the motion out"));
    }
    let fault = |error: std::io::Error| {
        Failure::new(
            exit::IO,
            "io",
            format!("{name}: {error}"),
            "give permission to read it, or write the motion out",
        )
    };
    let mut bytes = Vec::new();
    // One byte more than can be taken tells that it is too long without reading all of it.
    let most = MOTION_CHARS_MAX as u64 * 4 + 1;
    std::fs::File::open(path).map_err(fault)?.take(most).read_to_end(&mut bytes).map_err(fault)?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| Failure::usage(format!("{name} is no text file"), "name a file of UTF-8 text"))
}

/// The limits of a new debate: flags over configuration.
pub fn limits(
    manifest: &Manifest,
    rounds: Option<u32>,
    args: &BudgetArgs,
    config: &LimitsConfig,
) -> Result<Limits> {
    let bounds = manifest.rounds;
    let rounds = rounds.unwrap_or(bounds.default);
    if !(bounds.min..=bounds.max).contains(&rounds) {
        return Err(Failure::usage(
            format!("--rounds {rounds}: {} has {} to {} rounds", manifest.name, bounds.min, bounds.max),
            "choose a number within them",
        ));
    }
    let flags = budget(args)?;
    let time = config.max_time.as_deref().map(seconds).transpose().map_err(|why| Failure::usage(why, ""))?;
    Ok(Limits {
        rounds,
        rounds_min: None,
        requests_max: flags.requests_max.or(config.max_requests),
        tokens_max: flags.tokens_max.or(config.max_tokens),
        cost_microusd_max: flags.cost_microusd_max.or(config.max_cost_usd.map(microusd)),
        time_seconds_max: flags.time_seconds_max.or(time),
    })
}

/// The budgets that a command allows.
pub fn budget(args: &BudgetArgs) -> Result<Extension> {
    let positive = |name: &str, value: Option<u64>| match value {
        Some(0) => Err(Failure::usage(
            format!("{name} 0: a limit must be more than zero"),
            "leave it out for no limit",
        )),
        value => Ok(value),
    };
    if let Some(cost) = args.max_cost.filter(|cost| !(cost.is_finite() && *cost > 0.0)) {
        return Err(Failure::usage(
            format!("--max-cost {cost}: a limit must be an amount of money above zero"),
            "leave it out for no limit",
        ));
    }
    let time = args.max_time.as_deref().map(seconds).transpose();
    Ok(Extension {
        rounds: 0,
        requests_max: positive("--max-requests", args.max_requests)?,
        tokens_max: positive("--max-tokens", args.max_tokens)?,
        cost_microusd_max: args.max_cost.map(microusd),
        time_seconds_max: time
            .map_err(|why| Failure::usage(format!("--max-time {why}"), "leave it out for no limit"))?,
    })
}

/// Options of the debate: what both sides take for granted.
pub fn options(args: &RunArgs) -> Result<serde_json::Map<String, Value>> {
    let mut options = serde_json::Map::new();
    let mut definitions = Vec::new();
    for pair in &args.definitions {
        let Some((term, definition)) =
            pair.split_once('=').filter(|(t, d)| !t.trim().is_empty() && !d.trim().is_empty())
        else {
            return Err(Failure::usage(
                format!("--define {pair:?} defines nothing"),
                "write --define TERM=MEANING",
            ));
        };
        definitions.push(json!({"term": one_line(term), "definition": one_line(definition)}));
    }
    if !definitions.is_empty() {
        options.insert("definitions".into(), definitions.into());
    }
    if let Some(scope) = args.scope.as_deref().map(one_line).filter(|scope| !scope.is_empty()) {
        options.insert("scope".into(), scope.into());
    }
    let length: usize = options.values().map(|value| value.to_string().chars().count()).sum();
    if length > MOTION_CHARS_MAX {
        return Err(Failure::usage(
            format!("definitions and scope have more than {MOTION_CHARS_MAX} characters"),
            "say less",
        ));
    }
    Ok(options)
}

fn microusd(usd: f64) -> u64 {
    (usd * 1e6).round().max(1.0) as u64
}

/// The id that was given, or one that sorts by time and is taken by nobody else.
pub fn id(given: Option<&str>) -> Result<DebateId> {
    let id = match given {
        Some(given) => given.to_owned(),
        None => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let noise = Digest::of(format!("{since:?}{}", std::process::id()));
            format!("{}-{}", base36(since.as_millis() as u64, 9), &noise.as_str()[..6])
        }
    };
    DebateId::new(id).map_err(|error| Failure::usage(error.to_string(), "name another --id, or none"))
}

fn base36(mut n: u64, width: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = vec![b'0'; width];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(n % 36) as usize];
        n /= 36;
    }
    String::from_utf8_lossy(&digits).into_owned()
}

/// The seed that was given, or one that follows from the id: the same id and replies give the same
/// prompts and files.
pub fn seed(given: Option<u64>, id: &DebateId) -> u64 {
    let derived = || u64::from_str_radix(&Digest::of(id.as_str()).as_str()[..12], 16).unwrap_or(1);
    given.unwrap_or_else(derived)
}

/// The folder of a debate's files, made for it; whatever was made for a debate that is not opened
/// after all is removed again.
#[derive(Debug)]
pub struct Folder {
    /// Where.
    pub path: PathBuf,
    made: Vec<PathBuf>,
}

impl Folder {
    /// Takes what was named, if it is free, or `debates/<slug>` here. A folder of a slug is taken by
    /// making it, so that two debates never share one.
    pub fn take(given: Option<&Path>, motion: &str, id: &DebateId) -> Result<Self> {
        if let Some(given) = given {
            if !is_free(given)? {
                return Err(Failure::usage(
                    format!("--out {}: something is there already", given.display()),
                    "name a folder that is empty or does not exist yet",
                ));
            }
            let path = absolute(given)?;
            let made = path.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
            check_writable(&path)?;
            return Ok(Self { path, made });
        }
        let debates = absolute(Path::new("debates"))?;
        let mut made: Vec<PathBuf> = if debates.exists() { Vec::new() } else { vec![debates.clone()] };
        check_writable(&debates)?;
        let slug = slug(motion, id);
        for number in 1.. {
            let path = debates.join(if number == 1 { slug.clone() } else { format!("{slug}-{number}") });
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    made.insert(0, path.clone());
                    return Ok(Self { path, made });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Failure::new(
                        exit::IO,
                        "io",
                        format!("{}: {error}", path.display()),
                        "name another folder with --out",
                    ));
                }
            }
        }
        Err(Failure::usage("no free folder below debates", "name one with --out"))
    }

    /// Removes what was made; never what was there before, and never what is not empty.
    pub fn give_back(self) {
        for folder in self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| {
        Failure::new(exit::IO, "io", format!("{}: {error}", path.display()), "name another folder with --out")
    })
}

/// A folder name out of a motion: lower-case letters, digits and hyphens; the id where the motion
/// has no letter of those.
pub fn slug(motion: &str, id: &DebateId) -> String {
    let mut slug = String::new();
    for c in motion.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
        if slug.len() >= SLUG_BYTES_MAX {
            break;
        }
    }
    let slug = slug.trim_matches('-');
    if slug.chars().any(|c| c.is_ascii_lowercase()) { slug.to_owned() } else { format!("debate-{id}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_never_leave_their_folder_and_always_name_something() {
        let id = DebateId::new("x1").unwrap();
        assert_eq!(slug("This House would: pause!", &id), "this-house-would-pause");
        assert_eq!(slug("../../etc/passwd", &id), "etc-passwd");
        assert_eq!(slug("Вопрос", &id), "debate-x1");
        assert_eq!(slug("123", &id), "debate-x1");
        assert!(slug(&"long ".repeat(100), &id).len() <= SLUG_BYTES_MAX);
    }

    #[test]
    fn ids_sort_by_time() {
        assert!(base36(1_790_000_000_000, 9) < base36(1_790_000_000_001, 9));
        assert!(id(None).is_ok());
        assert!(id(Some("../x")).is_err());
    }

    #[test]
    fn motions_that_say_nothing_are_refused() {
        for bad in ["", "   ", "?!…", "absent-file.md"] {
            assert!(motion(Some(bad)).is_err(), "{bad:?}");
        }
        assert!(motion(Some(&"x".repeat(100_000))).is_err());
        assert_eq!(motion(Some(" This house would. ")).unwrap(), "This house would.");
    }
}
